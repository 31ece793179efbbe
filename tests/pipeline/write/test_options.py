"""A choice is read out of what a model said, or none is: no first letter that happens to stand there."""

import gzip
import json
from pathlib import Path

import pytest

from wellsourced.pipeline.write.options import find_chosen_option

YES_NO = {"A": "yes", "B": "no", "C": "maybe"}
DRUGS = {"A": "Acyclovir", "B": "Fluconazole", "C": "Nystatin", "D": "None of the above"}
OUTPUTS = Path(__file__).parents[2] / "../shared/data/fixtures/llm_outputs.jsonl.gz"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('{"step_by_step_thinking": "A is wrong.", "answer_choice": "B"}', "B"),
        ('{"answer_choice": "B. no"}', "B"),
        ('{"answer_choice": "B. n', "B"),
        ("{'answer': 'no'}", "B"),
        ('{"answer_choice": "C) maybe"}', "C"),
        ('{"answer_choice": "\\u0042"}', "B"),
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
    assert find_chosen_option(text, YES_NO) == key


def test_none_of_the_above_is_an_option_only_where_it_is_one() -> None:
    assert find_chosen_option('{"answer_choice": "None of the above"}', DRUGS) == "D"
    assert find_chosen_option('{"answer_choice": "None of the above"}', YES_NO) == ""


def test_a_key_that_no_option_has_is_no_choice() -> None:
    assert find_chosen_option('{"answer_choice": "E"}', DRUGS) == ""
    assert find_chosen_option("A", {}) == ""


@pytest.mark.skipif(not OUTPUTS.exists(), reason="the recorded outputs are not here")
def test_recorded_outputs_are_read_as_people_read_them_and_several_keys_are_none() -> None:
    with gzip.open(OUTPUTS, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    differ = [
        row for row in rows if find_chosen_option(row["raw_output"], row["options"]) != (row["parsed_choice"] or "")
    ]
    assert len(rows) >= 1000
    assert len(differ) <= len(rows) * 0.01
    assert [row["id"] for row in differ if find_chosen_option(row["raw_output"], row["options"])] == []
