"""MiniLM: its weights are the ones expected, and a vector depends on its text alone."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from wellsourced.encoders.minilm import BATCH_TOKENS, MiniLM, batch_by_length
from wellsourced.encoders.model_files import locate_package_file
from wellsourced.errors import ModelError, SettingsError

RECORDED = [-0.0696, 0.0367, -0.0074, 0.1179]

TEXTS = [
    "Myocardial infarction is treated with aspirin.",
    "Heart attacks are treated with acetylsalicylic acid.",
    "The fracture of the wrist was set in plaster.",
    "",
    "Gout.",
    "Colchicine shortens gout flares; naproxen is as good, and ice on the joint relieves them too. " * 4,
    "Statins lower LDL cholesterol. " * 60,
]


@pytest.fixture(scope="module")
def minilm() -> MiniLM:
    return MiniLM()


def test_what_means_the_same_is_nearer_than_what_does_not(minilm: MiniLM) -> None:
    one, other, fracture = minilm.encode(TEXTS[:3])
    assert one @ other > one @ fracture + 0.2


def test_the_numbers_are_those_of_the_model(minilm: MiniLM) -> None:
    """The first of all-MiniLM-L6-v2's numbers for a text: mean over tokens, padding left out, length 1."""
    assert minilm.encode([TEXTS[0]])[0][:4] == pytest.approx(RECORDED, abs=2e-3)


def test_a_vector_is_the_same_bit_for_bit_whatever_stands_beside_the_text(minilm: MiniLM) -> None:
    alone = np.vstack([minilm.encode([text]) for text in TEXTS])
    assert np.array_equal(minilm.encode(TEXTS), alone)
    assert np.array_equal(minilm.encode(TEXTS[::-1] * 2)[: len(TEXTS)], alone[::-1])


def test_words_beyond_the_window_change_nothing(minilm: MiniLM) -> None:
    text = "gout " * 300
    assert np.array_equal(*minilm.encode([text, text + "fracture"]))


def test_batches_hold_every_text_with_words_once_and_stay_within_their_size() -> None:
    lengths = [2, 256, 30, 3, 256, 256, 17, 40, 2, 100]
    made = list(batch_by_length(lengths))
    assert sorted(place for batch in made for place in batch) == [1, 2, 3, 4, 5, 6, 7, 9]
    assert all(padded(batch, lengths) <= BATCH_TOKENS for batch in made)


def padded(batch: Sequence[int], lengths: Sequence[int]) -> int:
    return len(batch) * max(lengths[place] for place in batch)


def test_weights_that_are_not_the_ones_expected_are_refused_before_they_run(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(b"not the model")
    with pytest.raises(ModelError, match=r"model\.onnx is not the one expected .* pip install"):
        MiniLM(path=path).encode(["gout"])


def test_weights_that_cannot_be_read_say_so(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        MiniLM(path=tmp_path / "absent.onnx").encode(["gout"])


def test_a_package_that_is_missing_is_named_with_its_remedy() -> None:
    with pytest.raises(SettingsError, match=r"pip install 'wellsourced\[some\]'"):
        locate_package_file("wellsourced-no-such-package", "weights.bin", "wellsourced[some]")


def test_nothing_is_loaded_for_texts_without_words(tmp_path: Path) -> None:
    assert not MiniLM(path=tmp_path / "absent.onnx").encode(["", " \n"]).any()
