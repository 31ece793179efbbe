"""Recorded runs beside each other: which differ, by how much, and how likely that is by chance."""

from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluate.tests.test_answer_scores import make_run
from tests.hashed_encoder import HashedEncoder
from tests.tables import each_row
from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced.types import Answer, Attempt, Query, Question, Search, Value
from wellsourced_evaluate.questions.answer_marks import measure_searches
from wellsourced_evaluate.questions.answer_report import split_by_date
from wellsourced_evaluate.questions.answer_run import AnswerRecord, AnswerRun
from wellsourced_evaluate.questions.arm_comparison import compare_files
from wellsourced_evaluate.retrieval import QueryResult, RunHeader
from wellsourced_evaluate.statistics import adjust_by_holm, mcnemar_gains_p


def store(path: Path, *lines: Value) -> Path:
    path.write_text("".join(line.model_dump_json() + "\n" for line in lines), encoding="utf-8")
    return path


def answers(folder: Path, preset: str, right: str, **header: Any) -> Path:
    """A run of which a letter is a case: R right, w wrong, a abstained."""
    words = {"R": {"label": "yes"}, "w": {"label": "no"}, "a": {"status": "abstained"}}
    run = make_run(*[{"gold": "yes", "seconds": 1.0, **words[one]} for one in right], preset=preset)
    changed = run.header.model_copy(update=header)
    return store(folder / f"{preset}.jsonl", changed, *run.records.values())


def rankings(path: Path, values: dict[str, float | None], corpus: str = "one") -> Path:
    header = RunHeader(
        wellsourced="1", code="c", versions={}, corpus={"name": corpus, "sha256": corpus}, topics={"qrels_sha256": "q"},
        depth=400, settings={},
    )  # fmt: skip
    results = [
        QueryResult(query=query, status="failed")
        if value is None
        else QueryResult(query=query, status="ok", measures={"nDCG@10": value})
        for query, value in values.items()
    ]
    return store(path, header, *results)


def test_holm_multiplies_the_smallest_by_how_many_there_are_and_none_falls_below_one_before() -> None:
    # .01 × 4, .02 × 3, .03 × 2, .04 × 1: the last is raised to the one before it.
    assert adjust_by_holm([0.04, 0.01, 0.03, None, 0.02]) == pytest.approx([0.06, 0.04, 0.06, None, 0.06])
    assert adjust_by_holm([0.6, 0.7]) == [1.0, 1.0]
    assert adjust_by_holm([]) == []


@each_row(("less", "more", "p"), [(12, 1, 0.003418), (16, 5, 0.026604), (0, 0, 1.0)])
def test_mcnemars_p_of_gains_is_that_of_the_counts_of_the_recorded_outputs(less: int, more: int, p: float) -> None:
    gains = np.array([-1.0] * less + [1.0] * more + [0.0] * 30)
    assert mcnemar_gains_p(gains) == pytest.approx(p, abs=1e-6)


def test_arms_are_compared_with_the_first_and_holm_counts_the_arms(tmp_path: Path) -> None:
    base = answers(tmp_path, "default", "wwwwwwwwRa")
    better = answers(tmp_path, "better", "RRRRRRRRRR")
    worse = answers(tmp_path, "worse", "wwwwwwwwww")
    (found,) = compare_files([base, better, worse], "randomisation")
    first, second = (one for one in found.contrasts if one.metric == "answer_accuracy")
    # Nine cases changed, all one way: 2 · (1/2)^9; of two comparisons the smaller p counts twice.
    assert (first.other, first.test, first.contrast.more, first.contrast.less) == ("better", "McNemar", 9, 0)
    assert first.contrast.p == pytest.approx(2 / 2**9)
    assert first.p_holm == pytest.approx(4 / 2**9)
    assert first.contrast.difference.mean == pytest.approx(0.9)
    assert (second.contrast.less, second.contrast.p, second.p_holm) == (1, 1.0, 1.0)
    assert [*found.changes["default", "worse"]] == ["8"]
    assert {one.p_holm for one in compare_files([base, worse], "randomisation")[0].contrasts} == {1.0}
    assert len(compare_files([base, better, worse], "randomisation", every_pair=True)[0].changes) == 3


def test_runs_that_cannot_be_compared_are_refused_by_name(tmp_path: Path) -> None:
    base = answers(tmp_path, "default", "Rw")
    unfinished = answers(tmp_path, "unfinished", "R", data=make_run({}, {}).header.data)
    with pytest.raises(SourceRefused, match=r"unfinished\.jsonl cannot be compared: only 1 of 2 cases"):
        compare_files([base, unfinished], "randomisation")
    other = answers(tmp_path, "other", "Rw", data={**make_run({}, {}).header.data, "sha256": "x"})
    with pytest.raises(SourceRefused, match=r"default\.jsonl cannot be compared: they are of different data: sha256"):
        compare_files([other, base], "randomisation")
    with pytest.raises(SourceRefused, match="is the only run of mine"):
        compare_files([base], "randomisation")
    ranked = rankings(tmp_path / "words.jsonl", {"a": 0.5})
    with pytest.raises(SourceRefused, match="give runs of one kind"):
        compare_files([base, ranked], "randomisation")
    elsewhere = rankings(tmp_path / "elsewhere.jsonl", {"a": 0.5}, corpus="two")
    with pytest.raises(SourceRefused, match=r"elsewhere\.jsonl .*different documents \(one and two\)"):
        compare_files([ranked, elsewhere], "randomisation")
    (tmp_path / "none.jsonl").write_text("no run\n", encoding="utf-8")
    with pytest.raises(UnreadableFile, match="it holds no run"):
        compare_files([tmp_path / "none.jsonl"], "randomisation")


def test_rankings_are_compared_by_the_same_test_and_a_query_that_failed_is_left_out(tmp_path: Path) -> None:
    base = rankings(tmp_path / "base.jsonl", {"a": 0.5, "b": 0.4, "c": 0.3, "d": 0.4, "e": 0.9})
    other = rankings(tmp_path / "other.jsonl", {"a": 0.9, "b": 0.4, "c": 0.5, "d": 0.1, "e": None})
    (found,) = compare_files([base, other], "randomisation")
    (one,) = found.contrasts
    assert (one.test, one.contrast.difference.cases, one.contrast.difference.undefined) == ("randomisation", 4, 1)
    # Of the 8 signings of .4, .2 and −.3 the sums are ±.9, ±.5, ±.3 and ±.1: six are at least .3.
    assert one.contrast.p == pytest.approx(6 / 8, abs=0.02)
    assert [*found.changes["base", "other"]] == ["a", "c", "d"]


def test_the_searches_of_an_answer_are_counted_and_how_unlike_those_of_one_source_are() -> None:
    def attempt(source: str, *terms: str) -> Attempt:
        return Attempt(search=Search(source=source, query=Query(terms=terms)), tier="*", status="empty")

    asked = (attempt("one", "gout", "flares"), attempt("one", "gout", "pain"), attempt("two", "gout[ti] AND flare"))
    encoder = HashedEncoder()
    found = measure_searches(Answer(question=Question(text="Is it?"), abstained=True, attempts=asked), encoder)
    one, other = encoder.encode(["gout flares", "gout pain"], "query")
    # One source was asked twice; two, two and two words.
    assert [*found.values()] == [3, 2.0, pytest.approx(1 - float(one @ other), abs=1e-4), 0]
    none = measure_searches(Answer(question=Question(text="Is it?"), abstained=True), encoder)
    assert [*none.values()] == [0, None, None, 0]


def test_cases_are_told_apart_by_the_day_on_which_the_knowledge_of_a_model_ends() -> None:
    days = ("2020-12-31", "2021-01-01", None)
    run = make_run(*[{"gold": "yes", "label": "yes", "as_of": day} for day in days])
    parts = split_by_date(run, date(2020, 12, 31))
    assert {name: [*part.records] for name, part in parts.items()} == {
        "up to 2020-12-31": ["0"], "after 2020-12-31": ["1"], "without a date": ["2"],
    }  # fmt: skip


def test_old_records_are_read_and_say_that_they_do_not_know(tmp_path: Path) -> None:
    run: AnswerRun = make_run({"gold": "yes"})
    line = '{"case":"0","status":"answered","gold":"yes"}'
    assert AnswerRecord.model_validate_json(line).queries is None
    assert run.records["0"].writer is None
