"""Any classifier of pairs that was exported to ONNX judges: a small one that was really trained stands for them."""

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

from tests.onnx_files import outside
from tests.tables import each_row
from tests.tiny_entailment import FILLER, VOCABULARY, counted, tiny_entailment, trained, write
from wellsourced.config.judges import build_classifier
from wellsourced.encoders.minilm import PACKAGE, REQUIREMENT, WEIGHTS_FILE
from wellsourced.errors import ModelError, SettingsError
from wellsourced.judges.base import Judge, Pair
from wellsourced.judges.entailment import EntailmentJudge, batch_rows, load_pair_tokenizer, parse_labels
from wellsourced.judges.onnx_folder import read_onnx_folder
from wellsourced.storage.model_files import locate_package_file

CLAIM = "colchicine lowered pain ."
SAME, OPPOSITE, OTHER = CLAIM, "colchicine raised pain .", "metformin raised urate ."
PAIRS = [Pair(CLAIM, text) for text in (SAME, OPPOSITE, OTHER)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_entailment(tmp_path_factory.mktemp("models") / "tiny-nli")


@pytest.fixture(scope="module")
def narrow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that reads 48 tokens of a pair."""
    folder = tiny_entailment(tmp_path_factory.mktemp("models") / "narrow-nli")
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 48}), encoding="utf-8")
    return folder


def opened(path: Path, **more: Any) -> EntailmentJudge:
    return EntailmentJudge(build_classifier(path, threads=1, **more))


async def labels(judge: Judge, pairs: list[Pair] = PAIRS) -> list[str]:
    return [verdict.label for verdict in await judge.judge(pairs)]


async def test_premise_is_the_text_and_hypothesis_the_claim(folder: Path) -> None:
    judge = opened(folder)
    assert isinstance(judge, Judge)
    assert await labels(judge) == ["supports", "contradicts", "silent"]


async def test_the_probabilities_are_those_of_the_network_worked_out_by_hand(folder: Path) -> None:
    words, layer, bias = trained()
    claim, text = counted([CLAIM])[0] @ words, counted([OPPOSITE])[0] @ words
    scores = np.exp((claim * text) @ layer + bias)
    expected = scores / scores.sum()
    [odds] = await opened(folder).score([Pair(CLAIM, OPPOSITE)])
    assert odds.verdict.score == pytest.approx(expected[2], abs=1e-3)
    assert odds.against == pytest.approx(expected[0], abs=1e-3)


@each_row("order", [("entailment", "neutral", "contradiction"), ("neutral", "entailment", "contradiction")])
async def test_the_order_of_the_labels_is_read_from_the_config(tmp_path: Path, order: tuple[str, ...]) -> None:
    assert await labels(opened(tiny_entailment(tmp_path / "nli", order))) == ["supports", "contradicts", "silent"]


async def test_labels_that_are_given_count_more_than_the_config(folder: Path) -> None:
    turned = opened(folder, labels=("supported", "not_enough", "contradicted"))
    assert await labels(turned) == ["contradicts", "supports", "silent"]
    assert turned.name != opened(folder).name


async def test_a_model_of_two_classes_never_sees_a_contradiction(tmp_path: Path) -> None:
    judge = opened(tiny_entailment(tmp_path / "two", ("neutral", "entailment")))
    assert (await labels(judge))[::2] == ["supports", "silent"]
    assert all(odds.against is None for odds in await judge.score(PAIRS))


async def test_a_single_logit_is_a_probability_of_support(tmp_path: Path) -> None:
    judge = opened(tiny_entailment(tmp_path / "one", ("entailment",)))
    assert await labels(judge) == ["supports", "silent", "silent"]
    same, opposite, other = await judge.judge(PAIRS)
    assert same.score > 0.9 > 0.1 > max(opposite.score, other.score)


@each_row("decisive", [SAME, OPPOSITE])
async def test_a_long_text_is_read_in_windows_and_any_of_them_decides(narrow: Path, decisive: str) -> None:
    filler = FILLER.capitalize()
    long = f"{filler} " * 30 + decisive.capitalize() + f" {filler}" * 30
    judge = opened(narrow)
    [verdict] = await judge.judge([Pair(CLAIM, long)])
    assert verdict.label == ("supports" if decisive == SAME else "contradicts")
    assert "windows" in verdict.reason


async def test_support_in_one_window_outweighs_contradiction_in_another(narrow: Path) -> None:
    both = f"{OPPOSITE} ".capitalize() + f"{FILLER} ".capitalize() * 20 + SAME.capitalize()
    assert await labels(opened(narrow), [Pair(CLAIM, both)]) == ["supports"]


async def test_no_row_is_longer_than_the_room(narrow: Path) -> None:
    judge = opened(narrow)
    _, pieces = judge._load_once()
    for text in (f"{FILLER} " * 30 + SAME, "colchicine " * 2000, "pain. " * 500, "x" * 3000):
        rows = judge._build_rows(Pair(CLAIM, text), pieces)
        assert rows
        assert max(len(ids) for ids, _ in rows) <= 48


async def test_a_sentence_that_is_longer_than_the_room_is_read_to_its_end(narrow: Path) -> None:
    endless = "the clinic moved to another building in march " * 20
    assert await labels(opened(narrow), [Pair(CLAIM, endless + SAME)]) == ["supports"]


async def test_a_claim_that_leaves_no_room_is_unjudged(narrow: Path) -> None:
    [verdict] = await opened(narrow).judge([Pair("colchicine " * 60, SAME)])
    assert verdict.label == "unjudged"


async def test_what_stands_beside_a_pair_changes_nothing(folder: Path) -> None:
    judge = opened(folder)
    pairs = [*PAIRS, Pair(CLAIM, f"{FILLER} " * 40 + SAME), Pair(CLAIM, ""), Pair("", SAME)]
    together = await judge.judge(pairs)
    assert [(await judge.judge([pair]))[0] for pair in pairs] == together
    assert [verdict.label for verdict in together[-2:]] == ["silent", "silent"]


async def test_a_file_alone_is_read_with_the_vocabulary_beside_it(folder: Path) -> None:
    assert await labels(opened(folder / "model.onnx")) == ["supports", "contradicts", "silent"]


async def test_inputs_of_32_bits_are_given_as_such(tmp_path: Path) -> None:
    folder = tiny_entailment(tmp_path / "narrow")
    write(folder / "model.onnx", kind=6)
    assert await labels(opened(folder)) == ["supports", "contradicts", "silent"]


def test_the_room_is_what_model_and_tokenizer_say(tmp_path: Path) -> None:
    folder = tiny_entailment(tmp_path / "nli", max_position_embeddings=514)
    assert read_onnx_folder(folder).max_tokens == 512
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 256}), encoding="utf-8")
    assert read_onnx_folder(folder).max_tokens == 256
    assert build_classifier(folder).max_tokens == 256


def test_names_that_nobody_gave_are_asked_for(tmp_path: Path) -> None:
    folder = tiny_entailment(tmp_path / "nli")
    (folder / "config.json").write_text(json.dumps({"id2label": {"0": "LABEL_0", "1": "LABEL_1"}}), encoding="utf-8")
    with pytest.raises(SettingsError, match="for example contradiction,neutral,entailment"):
        build_classifier(folder)
    with pytest.raises(SettingsError, match="“LABEL_0” has no known meaning"):
        parse_labels(["LABEL_0", "entailment"])
    with pytest.raises(SettingsError, match="name support once"):
        parse_labels(["neutral", "contradiction"])


async def test_a_model_that_gives_another_number_of_classes_is_refused(folder: Path) -> None:
    with pytest.raises(ModelError, match="Check its labels"):
        await opened(folder, labels=("not_enough", "supported")).judge(PAIRS)


async def test_a_model_that_gives_numbers_for_every_token_is_refused(tmp_path: Path) -> None:
    folder = tiny_entailment(tmp_path / "states")
    (folder / "model.onnx").unlink()
    (folder / "model.onnx").symlink_to(locate_package_file(PACKAGE, WEIGHTS_FILE, REQUIREMENT))
    with pytest.raises(ModelError, match=r"numbers of shape \(1, \d+, 384\) for 1 pairs"):
        await opened(folder).judge(PAIRS[:1])


def test_rows_of_a_model_that_quantises_as_it_goes_are_computed_alone(folder: Path) -> None:
    assert not build_classifier(folder).one_row_a_batch
    content = (folder / "model.onnx").read_bytes()
    (folder.parent / "quantised.onnx").write_bytes(content + b"DynamicQuantizeLinear")
    assert read_onnx_folder(folder.parent / "quantised.onnx").is_dynamic
    assert [len(batch) for batch in batch_rows([5, 3, 4], 1)] == [1, 1, 1]
    assert [len(batch) for batch in batch_rows([5, 3, 4])] == [3]


async def test_one_number_for_one_pair_is_no_three_classes(tmp_path: Path) -> None:
    folder = tiny_entailment(tmp_path / "one", ("entailment",))
    with pytest.raises(ModelError, match="Check its labels"):
        await opened(folder, labels=("supported", "neutral", "contradicted")).judge(PAIRS[:1])


@each_row("content", [b"no model", b""])
async def test_what_is_no_model_is_refused_in_a_sentence(tmp_path: Path, content: bytes) -> None:
    folder = tiny_entailment(tmp_path / "nli")
    (folder / "model.onnx").write_bytes(content)
    with pytest.raises(ModelError, match="cannot be loaded"):
        await opened(folder).judge(PAIRS)


def test_a_folder_without_a_model_and_a_pickle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(b"\x80\x04.")
    for path in (tmp_path, tmp_path / "pytorch_model.bin", tmp_path / "nowhere"):
        with pytest.raises(ModelError, match="Export the model to ONNX"):
            read_onnx_folder(path)


@each_row("where", ["../secret", "absolute"])
def test_weights_outside_the_folder_of_the_model_are_not_read(tmp_path: Path, where: str) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(bytes(16))
    (tmp_path / "model").mkdir()
    path = tmp_path / "model" / "model.onnx"
    path.write_bytes(outside("weight", str(secret) if where == "absolute" else where, (4,)))
    with pytest.raises(Exception, match="External data path"):
        onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])


def test_its_name_says_which_weights_and_how_they_are_read(folder: Path, tmp_path: Path) -> None:
    name = build_classifier(folder).name
    assert name.startswith("entailment:tiny-nli-")
    other = tiny_entailment(tmp_path / "tiny-nli")
    (other / "vocab.txt").write_text("\n".join([*VOCABULARY, "new"]), encoding="utf-8")
    assert build_classifier(other).name != name


@pytest.mark.skipif(find_spec("tokenizers") is not None, reason="tokenizers is installed")
async def test_a_tokenizer_of_another_kind_names_what_reads_it(tmp_path: Path) -> None:
    folder = tiny_entailment(tmp_path / "nli")
    (folder / "vocab.txt").rename(folder / "tokenizer.json")
    with pytest.raises(SettingsError, match="needs the package tokenizers"):
        await opened(folder).judge(PAIRS)


@pytest.mark.skipif(find_spec("tokenizers") is None, reason="the package tokenizers is not installed")
@pytest.mark.parametrize("kind", ["bert", "roberta"])
async def test_a_tokenizer_of_any_kind_frames_pairs_as_it_does_itself(tmp_path: Path, kind: str) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    folder = tiny_entailment(tmp_path / "nli")
    names = ("[CLS]", "[SEP]") if kind == "bert" else ("<s>", "</s>")
    vocabulary = {piece: number for number, piece in enumerate([*VOCABULARY, "<s>", "</s>"])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))  # noqa: S106
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    made = processors.BertProcessing if kind == "bert" else processors.RobertaProcessing
    tokenizer.post_processor = made((names[1], vocabulary[names[1]]), (names[0], vocabulary[names[0]]))
    tokenizer.save(str(folder / "tokenizer.json"))
    pieces = load_pair_tokenizer(folder / "tokenizer.json")
    ids, types = pieces.join_pair(pieces.tokenize(OPPOSITE), pieces.tokenize(CLAIM))
    theirs = tokenizer.encode(OPPOSITE, CLAIM)
    assert (ids, types) == (theirs.ids, theirs.type_ids)
    if kind == "bert":
        (folder / "vocab.txt").unlink()
        assert await labels(opened(folder)) == ["supports", "contradicts", "silent"]


def test_a_description_that_nests_without_end_is_none(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"onnx")
    (tmp_path / "config.json").write_text("[" * 100_000)
    with pytest.raises(ModelError, match="Copy it from the model again"):
        read_onnx_folder(tmp_path)
