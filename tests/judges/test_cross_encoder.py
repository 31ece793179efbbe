"""A cross-encoder's logit becomes a probability, pair by pair, in order."""

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.tiny import tiny_bert
from wellsourced.errors import ModelError, SettingsError
from wellsourced.judges.base import Pair
from wellsourced.judges.ranking import CrossEncoderJudge

INSTALLED = find_spec("sentence_transformers") is not None
neural = pytest.mark.skipif(not INSTALLED, reason="the extra [neural] is not installed")

PAIRS = [
    Pair("gout flare?", "colchicine for gout flare"),
    Pair("gout flare?", "fracture wrist"),
    Pair("gout flare?", "  "),
    Pair("wrist", "this fracture for gout " * 80),
    *(Pair("fracture?", f"gout {letter}") for letter in "abcdefghij"),
]


def logits(folder: Path, pairs: list[Pair]) -> list[Any]:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    with torch.no_grad():
        return [
            model(**tokenizer(*pair, truncation=True, max_length=128, return_tensors="pt")).logits.squeeze().tolist()
            for pair in pairs
        ]


@pytest.mark.skipif(INSTALLED, reason="the extra [neural] is installed")
async def test_without_the_extra_its_name_is_said(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"the extra “neural”"):
        await CrossEncoderJudge(tmp_path, "medcpt").judge(PAIRS)


@neural
async def test_the_score_is_the_logistic_function_of_the_logit_of_each_pair(tmp_path: Path) -> None:
    folder = tiny_bert(tmp_path / "reranker", labels=1)
    verdicts = await CrossEncoderJudge(folder, "reranker-1", threads=1).judge(PAIRS)
    expected = 1 / (1 + np.exp(-np.array(logits(folder, PAIRS))))
    expected[2] = 0  # an empty text is silent, whatever the model would make of it
    assert [verdict.score for verdict in verdicts] == pytest.approx(expected, abs=1e-4)
    assert len({round(verdict.score, 4) for verdict in verdicts}) > 5
    assert all((verdict.label == "supports") == (verdict.score >= 0.5) for verdict in verdicts)


@neural
async def test_a_model_of_inference_reads_the_text_first_and_says_what_speaks_against_a_claim(tmp_path: Path) -> None:
    folder = tiny_bert(tmp_path / "nli", labels=3)
    config = json.loads((folder / "config.json").read_text())
    names = {"0": "contradiction", "1": "ENTAILMENT", "2": "neutral"}
    (folder / "config.json").write_text(json.dumps(config | {"id2label": names}))
    pairs = [pair for pair in PAIRS if pair.text.strip() and len(pair.text) < 300]
    scores = await CrossEncoderJudge(folder, "nli-1", threads=1, purpose="support").score(pairs)
    turned = np.exp([logits(folder, [Pair(pair.text, pair.claim)])[0] for pair in pairs])
    shares = turned / turned.sum(axis=1, keepdims=True)
    assert [one.verdict.score for one in scores] == pytest.approx(shares[:, 1], abs=1e-4)
    assert [one.against for one in scores] == pytest.approx(shares[:, 0], abs=1e-4)
    assert [one.verdict.label for one in scores] == ["supports" if share >= 0.5 else "silent" for share in shares[:, 1]]
    turned_names = {"0": "entailment", "1": "contradiction", "2": "neutral"}
    (folder / "config.json").write_text(json.dumps(config | {"id2label": turned_names}))
    verdicts = await CrossEncoderJudge(folder, "nli-2", threads=1, purpose="support").judge(pairs)
    assert {one.label for one in verdicts} == {"contradicts"}
    with pytest.raises(ModelError, match="returns 3 numbers for a pair"):
        await CrossEncoderJudge(folder, "nli-1").judge(PAIRS)


@neural
async def test_its_name_says_which_weights_and_nothing_is_loaded_for_no_pairs(tmp_path: Path) -> None:
    judge = CrossEncoderJudge(tmp_path / "nowhere", "medcpt-1234")
    assert judge.name == "cross-encoder:medcpt-1234"
    assert await judge.judge([]) == []
    (silent,) = await judge.judge([Pair("gout?", "")])
    assert (silent.label, silent.score) == ("silent", 0.0)


@neural
async def test_a_model_of_several_labels_and_a_folder_of_something_else_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="returns 3 numbers for a pair"):
        await CrossEncoderJudge(tiny_bert(tmp_path / "nli", labels=3), "nli").judge(PAIRS)
    (tmp_path / "notes").mkdir()
    with pytest.raises(ModelError, match="cannot be loaded as a cross-encoder"):
        await CrossEncoderJudge(tmp_path / "notes", "notes").judge(PAIRS)
