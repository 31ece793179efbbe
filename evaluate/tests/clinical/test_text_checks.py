"""Identifiers in notes, labelled questions, and what is counted of them."""

from wellsourced.deidentification import Identifier, detect_identifiers
from wellsourced_evaluate.clinical.marks import add_marks
from wellsourced_evaluate.clinical.text_checks import NOTES, mark_note, read_emergencies
from wellsourced_evaluate.development_data import read_rows


def test_the_development_notes_keep_few_identifiers_and_lose_little_else() -> None:
    figures = {
        one.name: one.found / one.whole
        for one in add_marks([mark_note(note, detect_identifiers(note["text"])) for note in read_rows(NOTES)])
    }
    assert figures["recall all"] >= 0.93
    assert figures["precision by span"] >= 0.93


def test_an_identifier_counts_as_found_when_all_of_it_is_masked_and_an_institution_counts_for_nothing() -> None:
    text = "Ann Lee of St Mary saw Bo."
    marks = [
        {"kind": kind, "start": start, "end": end}
        for kind, start, end in (("name", 0, 7), ("institution", 11, 18), ("name", 23, 25))
    ]
    masked = [Identifier(kind="name", start=0, end=3), Identifier(kind="name", start=11, end=18)]
    marked = mark_note({"id": "n1", "text": text, "identifiers": marks}, masked)
    assert marked.marks == {
        **{"recall name": (0, 2), "recall all": (0, 2), "recall institution": (1, 1)},
        "recall all, by letter": (3, 8),
        "precision by span": (1, 1),
        "precision by letter": (3, 3),
        "notes with nothing left": (0, 1),
    }
    assert marked.told == "missed: name: Ann Lee | name: Bo"


def test_the_labelled_questions_have_emergencies_and_others_in_each_part() -> None:
    rows = read_emergencies()
    for half in ("seen", "kept", "fresh", "last", "more"):
        kinds = {one.kind == "none" for one in rows if one.half == half}
        assert kinds == {True, False}, half
