"""Identifiers in notes, misspelled words, and what is counted of them."""

import random

from wellsourced.clinical.deidentification import Identifier, detect_identifiers
from wellsourced_evaluate.clinical.text_checks import (
    IdentifierMark,
    MarkedNote,
    mark_note,
    misspell,
    read_emergencies,
    read_notes,
    score_note,
)
from wellsourced_evaluate.development_data import REPOSITORY


def test_the_development_notes_keep_few_identifiers_and_lose_little_else() -> None:
    notes = read_notes(REPOSITORY / "tests/data/deidentification/development.jsonl")
    scores = [score_note(note, detect_identifiers(note.text)) for note in notes]
    found, there = (sum(counts) for counts in zip(*(score.recall.get("all", (0, 0)) for score in scores), strict=True))
    right, masks = (sum(counts) for counts in zip(*(score.spans for score in scores), strict=True))
    assert found / there >= 0.93
    assert right / masks >= 0.93


def test_an_identifier_counts_as_found_when_all_of_it_is_masked_and_an_institution_counts_for_nothing() -> None:
    text = "Ann Lee of St Mary saw Bo."
    marks = (IdentifierMark("name", 0, 7), IdentifierMark("institution", 11, 18), IdentifierMark("name", 23, 25))
    masked = [Identifier(kind="name", start=0, end=3), Identifier(kind="name", start=11, end=18)]
    score = score_note(MarkedNote("n1", text, marks), masked)
    assert score.recall == {"name": (0, 2), "all": (0, 2), "institution": (1, 1)}
    assert (score.characters, score.spans, score.letters) == ((3, 8), (1, 1), (3, 3))
    assert score.missed == ("name: Ann Lee", "name: Bo")
    marked = mark_note(MarkedNote("n1", text, marks), score)
    assert marked.marks["notes with nothing left"] == (0, 1)
    assert marked.told == "missed: name: Ann Lee | name: Bo"


def test_one_word_is_misspelled_and_the_rest_stays() -> None:
    for seed in range(20):
        made = misspell("Does colchicine help?", random.Random(seed))  # noqa: S311
        assert made is not None
        text, wrong, right = made
        assert right == "colchicine" != wrong
        assert text == f"Does {wrong} help?"
    assert misspell("Is it so?", random.Random(1)) is None  # noqa: S311


def test_the_labelled_questions_have_emergencies_and_others_in_each_part() -> None:
    rows = read_emergencies()
    for half in ("seen", "kept", "fresh", "last", "more"):
        kinds = {one.kind == "none" for one in rows if one.half == half}
        assert kinds == {True, False}, half
