"""What was fitted on a question is told of it wherever it stands: under another name, in a part, with other ids."""

import json
from pathlib import Path

from wellsourced_evaluate.questions.answer_run import AnswerRecord
from wellsourced_evaluate.questions.fitted_sets import fingerprint_question, fingerprint_sets, list_fitted

LACE_PLANT = "Do mitochondria play a role in remodelling lace plant leaves during programmed cell death?"
"""A question of PubMedQA's development half, 21645374."""

CASES = Path(__file__).parents[1] / "data" / "clinical_cases"


def records(*groups: str, fitted: tuple[str, ...] = ()) -> list[AnswerRecord]:
    return [AnswerRecord(case=one, group=one, status="answered", fitted=fitted) for one in groups]


def test_what_was_fitted_on_a_set_is_told_with_how_many_of_its_cases() -> None:
    """The SHA-1 of 21645374 is even, that of 1 is odd: whoever has the whole of PubMedQA sees half of it named."""
    (first, *_) = list_fitted("pubmedqa", records("21645374", "1"))
    assert (first.cases, first.script) == (1, "wellsourced_evaluate/fitting/ranking.py")
    assert list_fitted("guideline_facts", records("any", "other"))[0].cases == 2
    assert list_fitted("medqa", records("any")) == []


def test_a_question_is_known_whatever_its_file_and_its_id_are_called() -> None:
    found = fingerprint_sets().find_sets(LACE_PLANT)
    assert found == ("pubmedqa, development",)
    told = list_fitted("mine", [*records("q1", fitted=found), *records("q2")])
    assert {(one.known_as, one.cases) for one in told} == {("pubmedqa", 1)}
    assert "wellsourced_evaluate/fitting/ranking.py" in {one.script for one in told}


def test_what_stands_between_words_does_not_make_another_question_and_other_words_do() -> None:
    assert fingerprint_question(f"  {LACE_PLANT.upper()[:-1]} ") == fingerprint_question(LACE_PLANT)
    assert fingerprint_sets().find_sets("Do mitochondria play a role in remodelling leaves?") == ()


def test_the_fingerprints_are_those_of_the_cases_that_lie_here() -> None:
    for name in ("questions_blind_1", "questions_near"):
        rows = [json.loads(line) for line in (CASES / f"{name}.jsonl").read_text("utf-8").splitlines()]
        known = fingerprint_sets()
        assert all(f"{name}, all" in known.find_sets(row["question"]) for row in rows)
