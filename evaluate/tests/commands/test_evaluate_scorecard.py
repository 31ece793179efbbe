"""`wellsourced evaluate scorecard`, as it is typed, on a folder of data small enough to count by hand."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.app.conftest import Run
from wellsourced.confidence import ConfidenceInterval
from wellsourced.config.loader import find_preset
from wellsourced_evaluate.fitting.models import is_fitted_half
from wellsourced_evaluate.scorecard.measuring import WORDS_ALONE, FittedPart, ScorecardFigure, find_fitted_searches

CORPUS = (
    {"_id": "1", "title": "Colchicine", "text": "Colchicine shortened gout flares by two days compared with placebo."},
    {"_id": "2", "title": "Metformin", "text": "Metformin lowered glycated haemoglobin by 1 % compared with placebo."},
    {"_id": "3", "title": "Aspirin", "text": "Aspirin increased major bleeding in older adults in this trial."},
)
PLAYED = Path(__file__).parents[2] / "data" / "played_presets" / "default" / "run.jsonl"
QUERIES = ({"_id": "q1", "text": "colchicine gout flares"}, {"_id": "q2", "text": "aspirin major bleeding"})
QUESTIONS = (
    {"id": "p1", "question": "Does colchicine shorten gout flares?", "answer": "yes", "gold_doc_ids": ["1"]},
    {"id": "p2", "question": "Does metformin raise glycated haemoglobin?", "answer": "no", "gold_doc_ids": ["2"]},
    {"id": "p3", "question": "Does aspirin increase major bleeding?", "answer": "yes", "gold_doc_ids": ["3"]},
)
PAIRS = (
    # The SHA-1 of the group 21645374 is even, so that this pair is of the half that judges were fitted on.
    {
        "id": "sf-1-1",
        "group": "21645374",
        "claim": CORPUS[0]["text"],
        "evidence": CORPUS[0]["text"],
        "label": "supported",
    },
    {"claim": "Aspirin cures gout.", "evidence": CORPUS[1]["text"], "label": "not_enough"},
    {"claim": "Metformin raised glycated haemoglobin.", "evidence": CORPUS[1]["text"], "label": "contradicted"},
)


def pack(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    pack(folder / "corpora/research.jsonl.gz", CORPUS)
    pack(folder / "qa/pubmedqa.jsonl.gz", QUESTIONS)
    pack(folder / "retrieval/evidence_inference.queries.jsonl.gz", QUERIES)
    qrels = "query-id\tcorpus-id\tscore\nq1\t1\t1\nq2\t3\t1\n"
    (folder / "retrieval/evidence_inference.qrels.tsv.gz").write_bytes(gzip.compress(qrels.encode()))
    pack(folder / "verification/scifact.pairs.jsonl.gz", PAIRS)
    return folder


def test_what_is_there_is_measured_and_what_is_not_is_named_first(run: Run, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "scorecard.md"
    settings = ("--set", "guidelines=false", "--set", "encoder=none", "--set", "judge.support=overlap")
    options = ("--judge", "overlap", "--out", str(out), "--runs", str(PLAYED), "--json")
    done = run(*settings, "evaluate", "scorecard", "--data", str(data), *options)
    assert done.exit_code == 1, done.output
    parts = {one["name"]: one for one in json.loads(done.stdout)}
    assert "bioasq" in parts["answers: BioASQ (yes, no)"]["reason"]
    found = {(one["title"], one["arm"], one["metric"]): one for part in parts.values() for one in part["figures"]}
    # Both queries find their document first, with every word of it: nDCG@10 is 1 in both, as for BM25 alone.
    search = found["Evidence Inference", "all", "nDCG@10"]
    assert (search["value"], search["floor"], search["standing"], search["fitted"]) == (
        1.0,
        1.0,
        "no significant difference",
        [],
    )
    # Without a language model nobody says yes or no, and nothing is right or wrong.
    assert found["PubMedQA (yes, no, maybe)", "allowed", "answer_accuracy"]["value"] is None
    assert found["PubMedQA (yes, no, maybe)", "excluded", "own_source_read"]["of"] == "0 of 3"
    assert found["PubMedQA (yes, no, maybe)", "allowed", "own_source_cited"]["of"] == "3 of 3"
    # A text's own words are confirmed, whoever judges: one pair, and it is supported.
    assert found["SciFact", "", "confirmed_precision"]["of"] == "1 of 1 pairs"
    text = out.read_text(encoding="utf-8")
    assert text.index("## What is bad") < text.index("## Nothing was fitted on") < text.index("## Something was fitted")
    # What was played is told apart from all that was measured, with by whom it was written.
    assert "| questions | default, allowed, written by compatible:played | answer_accuracy | 0.625 |" in text
    assert "played" not in text.split("## Runs that were recorded before")[0]
    unseen, fitted = text.split("## Something was fitted on these cases")
    assert "| Evidence Inference | all | nDCG@10 | 1.000 |" in unseen.split("## Nothing was fitted")[1]
    assert "| The judge of support | SciFact |" in fitted
    assert "| 1 of 3 | wellsourced_evaluate/fitting/calibrations.py (bdac1cd3) |" in fitted


def test_a_figure_stands_against_its_floor_on_the_side_that_is_better() -> None:
    def stands(metric: str, low: float, high: float, floor: float | None) -> str:
        interval = ConfidenceInterval((low + high) / 2, low, high)
        return ScorecardFigure("answers", "t", "", metric, interval, "9", floor).standing

    assert stands("answer_accuracy", 0.2, 0.4, 0.5) == "worse"
    assert stands("answer_accuracy", 0.6, 0.7, 0.5) == "better"
    assert stands("answer_accuracy", 0.4, 0.7, 0.5) == "no significant difference"
    assert stands("ece", 0.2, 0.4, 0.5) == "better"
    assert stands("answer_accuracy", 0.2, 0.4, None) == ""


def test_what_was_fitted_is_known_by_part_and_set() -> None:
    assert find_fitted_searches("evidence_inference") == ()
    (ranking,) = find_fitted_searches("scifact")
    assert ranking == FittedPart(
        "all", "how search and ranking are weighed (ranking.json)", "wellsourced_evaluate/fitting/ranking.py"
    )
    # The first byte of SHA-256 of "fit GROUP" is even.
    assert [is_fitted_half(group) for group in ("a", "b", "c", "d")] == [False, True, False, True]


def test_the_floor_of_the_search_is_the_preset_words() -> None:
    stated = find_preset("words").settings
    assert {name: tuple(one) if isinstance(one, list) else one for name, one in stated.items()} == WORDS_ALONE
