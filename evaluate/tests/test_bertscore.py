"""BERTScore by the model that comes along: its arithmetic by hand, and its order beside published scores."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.app.conftest import Run
from wellsourced_evaluate.summaries import compare_ranks
from wellsourced_evaluate.text_metrics import MiniLMTokens, match_greedily, pack_sentences

TEXT = np.array([[1, 0], [0, 1]], np.float32)
REFERENCE = np.array([[1, 0], [0.6, 0.8], [0.8, 0.6]], np.float32)


def test_every_token_is_matched_with_the_nearest_of_the_other_text() -> None:
    # a: 1, b: 0.8, mean 0.9; a: 1, c: 0.8, c: 0.8, mean 2.6 / 3.
    assert match_greedily(TEXT, REFERENCE) == pytest.approx(2 * 0.9 * (2.6 / 3) / (0.9 + 2.6 / 3))
    assert match_greedily(np.zeros((0, 1), np.float32), REFERENCE) == 0.0


def test_minilm_reads_long_texts_whole_and_finds_a_text_in_itself() -> None:
    minilm = MiniLMTokens()
    gout, same = "Colchicine shortened gout flares by two days.", "Gout attacks were shorter with colchicine."
    one, other, far = (minilm.read_tokens(text) for text in (gout, same, "The train leaves at noon."))
    assert match_greedily(one, one) == pytest.approx(1.0, abs=1e-6)
    assert match_greedily(one, other) > match_greedily(one, far) + 0.2
    # 4 words each, 10 in a stretch: two sentences.
    assert pack_sentences("A b c d. E f g h. I j k l.", lambda text: len(text.split()), 10) == [
        "A b c d. E f g h.",
        "I j k l.",
    ]
    assert len(minilm.read_tokens(f"{gout} " * 60)) == 60 * len(one)
    assert len(minilm.read_tokens("")) == 0


def test_orders_are_compared_over_all_texts_and_within_reviews() -> None:
    # Ranks 1 2 3 4 and 2 1 4 3: 1 − 6 · 4 / (4 · 15) = 0.6; the other review is put the other way round: -1.
    pairs = [(1.0, 20.0), (2.0, 10.0), (3.0, 40.0), (4.0, 30.0)]
    found = compare_ranks([pairs, [(9.0, 1.0), (8.0, 2.0), (7.0, 3.0)]])
    assert (found.texts, found.within.mean, found.within.cases) == (7, pytest.approx(-0.2), 2)
    assert compare_ranks([pairs]).spearman == pytest.approx(0.6)


def test_summaries_are_scored_by_it_where_that_is_wanted(run: Run, tmp_path: Path) -> None:
    for package in ("cer", "nltk", "rouge_score_rs", "sacrebleu"):
        pytest.importorskip(package)
    scores = {"rouge-L": 0, "meteor": 0, "chrf": 0, "google_bleu": 0, "character": 1}
    texts = (
        ("near", "Colchicine shortens gout flares.", 0.9),
        ("far", "The train leaves at noon.", 0.1),
        ("between", "Gout is a disease of joints.", 0.5),
    )
    systems = {name: {"text": text, "scores": {**scores, "bertscore": known}} for name, text, known in texts}
    row = {"id": "r1", "human_answer": "Flares of gout are shorter with colchicine.", "systems": systems}
    (tmp_path / "mine.jsonl").write_text(json.dumps(row) + "\n")
    asked = ("evaluate", "summaries", "--published", str(tmp_path / "mine.jsonl"))
    assert json.loads(run(*asked, "--json").stdout)["model_metrics"] == {}
    told = json.loads(run(*asked, "--metric-model", "bertscore=minilm", "--json").stdout)
    figures = told["model_metrics"]["BERTScore (MiniLM)"]
    assert figures["means"]["near"]["mean"] > figures["means"]["far"]["mean"]
    assert figures["agreement"]["spearman"] == pytest.approx(1.0)
    assert run(*asked, "--metric-model", "comet=x").exit_code == 2
