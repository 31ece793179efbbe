"""Who a text is about is masked; what it says of medicine stays."""

import gzip
import json
from itertools import pairwise
from pathlib import Path

import pytest

from tests.samples import a_tenth
from tests.tables import each_row
from tests.text.labelled import Marked, lines, marked
from wellsourced.deidentification import Identifier, detect_identifiers, mask_identifiers

SHARED = Path(__file__).parents[3] / "shared" / "data" / "qa"


def covered(text: str, found: list[Identifier], start: int, end: int) -> bool:
    hidden = {at for one in found for at in range(one.start, one.end)}
    return all(at in hidden for at in range(start, end) if text[at].isalnum())


def missed(texts: list[Marked]) -> list[str]:
    return [
        text[start:end]
        for text, gold in texts
        for _, start, end in gold
        if not covered(text, detect_identifiers(text), start, end)
    ]


def false(texts: list[Marked]) -> list[str]:
    return [
        text[one.start : one.end]
        for text, gold in texts
        for one in detect_identifiers(text)
        if not any(one.start < end and start < one.end for _, start, end in gold)
    ]


@each_row(("name", "floor"), [("identifiers.txt", 0.97), ("identifiers_kept.txt", 0.85)])
def test_nearly_all_identifiers_are_covered_and_nearly_all_that_is_covered_identifies(name: str, floor: float) -> None:
    texts = marked(name)
    there = sum(len(gold) for _, gold in texts)
    print("missed", missed(texts), "false", false(texts))
    assert there >= 40
    assert len(missed(texts)) <= (1 - floor) * there, missed(texts)
    assert len(false(texts)) <= 0.03 * there, false(texts)


def test_sentences_without_a_patient_stay_as_they_are() -> None:
    clinical = lines("no_identifiers.txt")
    changed = [mask_identifiers(line) for line in clinical if mask_identifiers(line) != line]
    assert len(clinical) >= 100
    assert len(changed) <= 1, changed


@pytest.mark.skipif(not SHARED.is_dir(), reason="the development data (../shared/data) are not on this machine")
@a_tenth
@each_row("name", ["kqa", "medqa", "bioasq", "pubmedqa"])
def test_real_questions_without_a_patient_are_hardly_ever_changed(name: str, step: int) -> None:
    with gzip.open(SHARED / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        questions = [json.loads(line)["question"] for line in file][::step]
    changed = [question for question in questions if detect_identifiers(question)]
    assert len(changed) <= len(questions) / 100, changed


@each_row("name", ["identifiers.txt", "identifiers_kept.txt"])
def test_what_is_masked_stays_as_it_is_when_it_is_masked_again(name: str) -> None:
    for text, _ in marked(name):
        assert mask_identifiers(mask_identifiers(text)) == mask_identifiers(text)


def test_a_name_written_again_without_its_title_is_masked_too() -> None:
    assert mask_identifiers("Mrs Okafor fell. Okafor takes warfarin.") == "Mrs [NAME] fell. [NAME] takes warfarin."


def test_an_eponym_is_a_name_only_after_a_title() -> None:
    assert mask_identifiers("Mr Wilson has Wilson's disease.") == "Mr [NAME] has Wilson's disease."


@each_row(
    ("text", "says"),
    [
        ("seen on 12 March 2021", "seen on [DATE]"),
        ("seen on 03/12/21", "seen on [DATE]"),
        ("since 2021-03-12", "since [DATE]"),
        ("a 92-year-old woman", "a [AGE]-year-old woman"),
        ("an 89-year-old woman", "an 89-year-old woman"),
        ("BP 120/80, amlodipine/valsartan 5/160 mg", "BP 120/80, amlodipine/valsartan 5/160 mg"),
        ("the 2022 AHA guideline", "the 2022 AHA guideline"),
        ("write to a.b@c.example or +44 20 7946 0958", "write to [EMAIL] or [PHONE]"),
    ],
)
def test_a_form_is_masked_or_left(text: str, says: str) -> None:
    assert mask_identifiers(text) == says


def test_identifiers_are_in_order_and_apart() -> None:
    for text, _ in marked("identifiers.txt"):
        found = detect_identifiers(text)
        assert all(one.start < one.end for one in found)
        assert all(one.end <= after.start for one, after in pairwise(found))
