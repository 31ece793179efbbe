"""MiniLM: its weights are the ones expected, and a vector depends on its text alone."""

from pathlib import Path

import numpy as np
import pytest

from tests.tables import each_row
from wellsourced.encoders.base import Role
from wellsourced.encoders.minilm import MAX_WEIGHT, PACKAGE, REQUIREMENT, WEIGHTS_FILE, MiniLM, load_fast_weights
from wellsourced.errors import ModelError, NextStep, SettingsError
from wellsourced.storage.model_files import locate_package_file

FAST_COSINE = 0.99
"""Of a vector in 8 bits with the exact one, at least; on 200 abstracts and sentences .9924 to .998."""

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
    assert minilm.encode([TEXTS[0]], "query")[0][:4] == pytest.approx(RECORDED, abs=2e-3)


@each_row("role", ["query", "passage"])
def test_a_vector_is_the_same_bit_for_bit_whatever_stands_beside_the_text(minilm: MiniLM, role: Role) -> None:
    alone = np.vstack([minilm.encode([text], role) for text in TEXTS])
    assert np.array_equal(minilm.encode(TEXTS, role), alone)
    assert np.array_equal(minilm.encode(TEXTS[::-1] * 2, role)[: len(TEXTS)], alone[::-1])


def test_words_beyond_the_window_change_nothing(minilm: MiniLM) -> None:
    text = "gout " * 300
    assert np.array_equal(*minilm.encode([text, text + "fracture"]))


def test_passages_in_8_bits_point_where_the_exact_vectors_do(minilm: MiniLM) -> None:
    worded = [text for text in TEXTS if text]
    cosines = (minilm.encode(worded) * minilm.encode(worded, "query")).sum(axis=1)
    assert cosines.min() > FAST_COSINE


def test_weights_in_8_bits_keep_within_7() -> None:
    """So that processors that add two products in 16 bits compute what all others do."""
    weights = load_fast_weights(locate_package_file(PACKAGE, WEIGHTS_FILE, REQUIREMENT))
    matrices = [one for name, one in weights.items() if name.endswith(".weight")]
    assert len(matrices) == 24
    assert max(np.abs(one).max() for one in matrices) == MAX_WEIGHT


def test_weights_that_are_not_the_ones_expected_are_refused_before_they_run(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(b"not the model")
    with pytest.raises(ModelError, match=r"model\.onnx has an unexpected sha256") as refused:
        MiniLM(path=path).encode(["gout"])
    assert refused.value.next_step is not None
    assert refused.value.next_step.kind == "reinstall package"


def test_weights_that_cannot_be_read_say_so(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        MiniLM(path=tmp_path / "absent.onnx").encode(["gout"])


def test_a_package_that_is_missing_is_named_with_its_remedy() -> None:
    with pytest.raises(SettingsError, match="wellsourced-no-such-package is not installed") as refused:
        locate_package_file("wellsourced-no-such-package", "weights.bin", "wellsourced[some]")
    assert refused.value.next_step == NextStep("install package", "wellsourced[some]")


def test_nothing_is_loaded_for_texts_without_words(tmp_path: Path) -> None:
    assert not MiniLM(path=tmp_path / "absent.onnx").encode(["", " \n"]).any()
