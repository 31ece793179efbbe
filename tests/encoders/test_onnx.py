"""An exported model is used from its folder, without torch: the one that is installed, and its vocabulary."""

import json
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from wellsourced.encoders.minilm import PACKAGE, REQUIREMENT, WEIGHTS_FILE, MiniLM
from wellsourced.encoders.onnx import OnnxEncoder, build_wordpiece_tokenizer, load_tokenizer
from wellsourced.encoders.wordpiece import load_bert_uncased
from wellsourced.errors import ModelError, SettingsError
from wellsourced.storage.model_files import find_model, locate_package_file

TEXTS = ["Myocardial infarction is treated with aspirin.", "Gout.", "", "Statins lower LDL cholesterol. " * 60]
WORDS = files("wellsourced.encoders").joinpath("vocab.txt").read_text(encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """all-MiniLM-L6-v2 as an export would leave it."""
    made = tmp_path / "all-minilm-l6-v2"
    made.mkdir()
    (made / "model.onnx").symlink_to(locate_package_file(PACKAGE, WEIGHTS_FILE, REQUIREMENT))
    (made / "vocab.txt").write_text(WORDS, encoding="utf-8")
    put(made, "sentence_bert_config.json", max_seq_length=256)
    return made


def put(folder: Path, name: str, **values: object) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(json.dumps(values), encoding="utf-8")


def test_its_vectors_are_those_of_the_model_itself(folder: Path) -> None:
    made = OnnxEncoder(find_model(str(folder)))
    assert made.encode(TEXTS) == pytest.approx(MiniLM().encode(TEXTS, "query"), abs=1e-6)
    assert not made.encode(["?!"]).any()
    assert made.dim == 384
    assert made.name.startswith("all-minilm-l6-v2-")


def test_a_vector_is_the_same_bit_for_bit_whatever_stands_beside_the_text(folder: Path) -> None:
    made = OnnxEncoder(find_model(str(folder)))
    assert np.array_equal(made.encode(TEXTS), np.vstack([made.encode([text]) for text in TEXTS]))


def test_words_beyond_the_window_that_the_folder_names_change_nothing(folder: Path) -> None:
    put(folder, "sentence_bert_config.json", max_seq_length=16)
    made = OnnxEncoder(find_model(str(folder)))
    assert np.array_equal(*made.encode(["gout " * 30, "gout " * 30 + "fracture"]))


def test_it_pools_as_its_folder_says(folder: Path) -> None:
    mean = OnnxEncoder(find_model(str(folder))).encode(TEXTS[:1])
    put(folder, "1_Pooling/config.json", pooling_mode_cls_token=True, pooling_mode_mean_tokens=False)
    first = OnnxEncoder(find_model(str(folder))).encode(TEXTS[:1])
    assert not np.allclose(mean, first, atol=1e-2)
    put(folder, "1_Pooling/config.json", pooling_mode_max_tokens=True)
    with pytest.raises(ModelError, match="pools by max"):
        OnnxEncoder(find_model(str(folder))).encode(TEXTS[:1])


def test_its_family_is_known_by_its_name(folder: Path) -> None:
    made = OnnxEncoder(find_model(str(folder.rename(folder.with_name("e5-small-v2")))))
    asked, told = made.encode(["gout"], "query"), made.encode(["gout"])
    assert told == pytest.approx(MiniLM().encode(["passage: gout"], "query"), abs=1e-6)
    assert asked == pytest.approx(MiniLM().encode(["query: gout"], "query"), abs=1e-6)


def test_a_vocabulary_in_another_order_gives_the_same_pieces() -> None:
    own = WORDS.removesuffix("\n").split("\n")
    turned = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *(piece for piece in reversed(own) if not piece.startswith("["))]
    text = "Tocilizumab 8 mg/kg, ☃ Sjögren's"
    ids = build_wordpiece_tokenizer(turned)(text, 64)
    assert ids[0] == 2
    assert ids[-1] == 3
    assert [turned[number] for number in ids] == [own[number] for number in load_bert_uncased().ids(text, 64)]


def test_what_is_no_vocabulary_of_bert_is_refused() -> None:
    with pytest.raises(ModelError, match="not a BERT vocabulary"):
        build_wordpiece_tokenizer(["<s>", "</s>", "gout"] * 50)


def test_a_folder_that_lacks_a_part_says_which(folder: Path, tmp_path: Path) -> None:
    (folder / "vocab.txt").unlink()
    with pytest.raises(ModelError, match="neither an uncased vocab"):
        OnnxEncoder(find_model(str(folder))).encode(["gout"])
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(ModelError, match=r"has no model\.onnx"):
        OnnxEncoder(find_model(str(empty))).encode(["gout"])
    (empty / "model.onnx").write_bytes(b"no model")
    with pytest.raises(ModelError, match="cannot be loaded"):
        OnnxEncoder(find_model(str(empty))).encode(["gout"])


@pytest.mark.skipif(find_spec("tokenizers") is not None, reason="tokenizers is installed")
def test_a_cased_vocabulary_names_the_package_that_reads_it(folder: Path) -> None:
    put(folder, "tokenizer_config.json", do_lower_case=False)
    put(folder, "tokenizer.json")
    with pytest.raises(SettingsError, match="needs the package tokenizers"):
        load_tokenizer(folder)


@pytest.mark.skipif(find_spec("tokenizers") is None, reason="the extra [neural] is not installed")
def test_a_tokenizer_of_any_kind_is_read_with_the_extra(folder: Path) -> None:
    from tokenizers import BertWordPieceTokenizer

    BertWordPieceTokenizer(str(folder / "vocab.txt"), lowercase=True).save(str(folder / "tokenizer.json"))
    ours = load_tokenizer(folder)
    (folder / "vocab.txt").unlink()
    theirs = load_tokenizer(folder)
    for text in TEXTS:
        assert theirs(text, 64) == ours(text, 64)
