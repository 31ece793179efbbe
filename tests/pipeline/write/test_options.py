"""A choice is read out of what a model said, or none is: no first letter that happens to stand there."""

import gzip
import json
from pathlib import Path

import pytest

from tests.tables import each_row
from wellsourced.pipeline.write.options import read_choice, read_reply_choice

YES_NO = {"A": "yes", "B": "no", "C": "maybe"}
DRUGS = {"A": "Acyclovir", "B": "Fluconazole", "C": "Nystatin", "D": "None of the above"}
TESTS = {"A": "Sensitivity", "B": "Specificity", "C": "Reliability", "D": "Predictive value"}
OUTPUTS = Path(__file__).parents[3] / "../shared/data/fixtures/llm_outputs.jsonl.gz"


@each_row(
    ("text", "key"),
    [
        ('{"step_by_step_thinking": "A is wrong.", "answer_choice": "B"}', "B"),
        ('{"answer_choice": "B. no"}', "B"),
        ('{"answer_choice": "B. n', "B"),
        ("{'answer': 'no'}", "B"),
        ('{"answer_choice": "C) maybe"}', "C"),
        ("Let us think. Therefore the answer is (B).", "B"),
        ("The correct answer is: no", "B"),
        ("B", "B"),
        ("(b)", ""),
        ("Option B.", "B"),
        ("A trial of 120 patients found no difference.", ""),
        ('{"answer_choice": "B/D"}', ""),
        ('{"answer_choice": "A, B and C"}', ""),
        ("The answer is A. Or the answer is B.", ""),
        ('{"answer_choice": "N/A"}', ""),
        ('{"answer_choice": "Not enough information"}', ""),
        ("", ""),
    ],
)
def test_a_choice_is_what_the_text_says_and_nothing_else(text: str, key: str) -> None:
    assert read_choice(text, YES_NO).key == key


@each_row(
    ("text", "key", "manner"),
    [
        ('{"answer_choice":"A. Sensitivity, B. Specificity"}', "", "several"),
        ('{"answer_choice":"B. Specificity or C. Reliability"}', "", "several"),
        ('{"answer_choice": "Both A and B"}', "", "no option"),
        ('{"answer_choice": "A (and B)"}', "", "several"),
        ('{"answer_choice": "A; B"}', "", "several"),
        ('{"answer_choice": "A+B"}', "", "several"),
        ('{"answer_choice": "A, possibly B"}', "", "several"),
        ('{"answer_choice":["A", "B"]}', "", "several"),
        ('{"answer_choice": "A. Specificity"}', "", "several"),
        ("The correct answer is B/D.", "", "several"),
        ('{"answer_choice": "E. All of the above"}', "", "no option"),
        ('{"answer_choice": "0"}', "", "no option"),
        ('{"answer_choice": "Not B"}', "", "no option"),
        ('{"answer_choice": "B is wrong"}', "", "no option"),
        ('{"answer_choice": ""}', "", "empty"),
        ('{"answer_choice": null}', "", "empty"),
        ('{"answer_choice": "The documents do not provide enough information"}', "", "declines"),
        ("The answer is A patient-dependent choice.", "", "no option"),
        ("'content'", "", "no option"),
        ("Filtered by a content policy. " * 20, "", "no answer"),
        ('{"answer_choice":["B"]}', "B", "key"),
        ('{"answer_choice": B}', "B", "key"),
        ('{"answer_choice": "b"}', "B", "key"),
        ('{"answer_choice": "Choice B"}', "B", "key and text"),
        ('{"answer_choice": "b. specificity."}', "B", "key and text"),
        ('{"answer_choice": "Reliability"}', "C", "text"),
        ("**Answer: B. Specificity**", "B", "key and text"),
        ("The best answer is B, not A.", "B", "key and text"),
        ("The answer cannot be A. The answer is B.", "B", "key"),
        ('First, I look at A.\n{"step_by_step_thinking": "the answer is A", "answer_choice": "D"}', "D", "key"),
    ],
)
def test_how_a_text_chooses_or_why_it_does_not(text: str, key: str, manner: str) -> None:
    assert read_choice(text, TESTS)[:2] == (key, manner)


def test_a_letter_that_is_a_key_and_the_text_of_another_option_chooses_neither() -> None:
    blood = {"A": "B", "B": "A"}
    assert read_reply_choice("A", blood).key == ""
    assert read_reply_choice("A. B", blood).key == "A"


def test_none_of_the_above_is_an_option_only_where_it_is_one() -> None:
    assert read_choice('{"answer_choice": "None of the above"}', DRUGS).key == "D"
    assert read_choice('{"answer_choice": "None of the above"}', YES_NO).key == ""


def test_a_key_that_no_option_has_is_no_choice() -> None:
    assert read_choice('{"answer_choice": "E"}', DRUGS).key == ""
    assert read_choice("A", {}).key == ""


@pytest.mark.skipif(not OUTPUTS.exists(), reason="the development data (../shared/data) are not on this machine")
def test_recorded_outputs_are_read_as_people_read_them_and_several_keys_are_none() -> None:
    with gzip.open(OUTPUTS, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    differ = [row for row in rows if read_choice(row["raw_output"], row["options"]).key != (row["parsed_choice"] or "")]
    assert len(rows) >= 1000
    assert len(differ) <= len(rows) * 0.01
    assert [row["id"] for row in differ if read_choice(row["raw_output"], row["options"]).key] == []
