"""What a statement is about, on a grid that somebody wrote who had not read the reader (tests/data/scope/README.md)."""

import json
import re
import time
from pathlib import Path
from typing import Any

from tests.tables import each_row
from wellsourced.patients.record import PatientRecord, read_patient_record
from wellsourced.text.record_lines import unwrap_lines
from wellsourced.text.scope import blank_others, find_regions, find_scope, list_regions

FOLDER = Path(__file__).parent.parent / "data" / "scope"
NAMES = {"uncertain": "unknown", "other person": "other_person"}
"""What a scope is called here → in the grid."""


def read_rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


def say_scope(text: str, term: str) -> str:
    """What is said of the term in a text, whatever the case of its letters and the breaks of its lines."""
    words = r"\s+".join(map(re.escape, term.split()))
    found = re.search(rf"(?<!\w){words}(?!\w)", text, re.IGNORECASE)
    assert found, f"{term} is not in {text!r}"
    scope = find_scope(text, *found.span())
    return NAMES.get(scope, scope)


def test_every_term_of_the_grid_stands_in_its_scope() -> None:
    rows = read_rows("grid.jsonl")
    said = [(row["id"], row["text"], row["term"], row["right"], say_scope(row["text"], row["term"])) for row in rows]
    assert len(rows) >= 400
    assert not [one for one in said if one[4] not in one[3].split("|")]


SAME = read_rows("same_reading.jsonl")


def say_read(record: PatientRecord) -> tuple[object, ...]:
    """What was read, without the words that say it."""
    drugs = (record.current_drugs, record.past_drugs, record.proposed_drugs)
    return (
        record.age,
        set(record.conditions),
        record.severe,
        set(record.family),
        {(one.measure, one.value) for one in record.figures},
        *({one.drug or one.own_class for one in some} for some in drugs),
    )


@each_row("row", SAME)
def test_joining_lines_changing_their_order_and_other_spellings_change_nothing_of_a_record(row: dict[str, Any]) -> None:
    for side in ("a", "b"):
        said = {term: say_scope(row[side], term) for term in row["right"]}
        assert {term: scope for term, scope in said.items() if scope not in row["right"][term].split("|")} == {}
        assert read_patient_record(row[side]).age == row["age"]
    assert say_read(read_patient_record(row["a"])) == say_read(read_patient_record(row["b"]))


GOUT = "68-year-old man with an acute gout flare. "


@each_row(
    "told",
    [
        "Denies CKD, peptic ulcer disease and heart failure.",
        "He has neither peptic ulcer disease nor CKD.",
        "Avoid NSAIDs if you develop kidney disease. Return if you get a peptic ulcer.",
        "[ ] CKD  [ ] peptic ulcer  [x] gout",
        "His wife has CKD stage 4. The kidney donor had peptic ulcer disease.",
        "Peptic ulcer disease unlikely. CKD not present.",
        "Denies:\n- CKD\n- peptic ulcer\n- heart failure",
        "FHx:\n* mother: CKD\n* father: heart failure",
        "CKD: none; peptic ulcer – no; heart failure\tno",
        "Father's creatinine 400 umol/L, eGFR 12.",
        "No change since the donor's CKD was found.",
        "**Negative for:** CKD, peptic ulcer, heart failure",
    ],
)
def test_a_record_has_nothing_of_what_it_denies_supposes_or_tells_of_others(told: str) -> None:
    assert set(read_patient_record(GOUT + told).conditions) == {"gout", "old age"}
    assert set(read_patient_record(GOUT.strip() + "\n" + told).conditions) == {"gout", "old age"}


@each_row(
    "told",
    [
        "No change in his CKD.",
        "Not only CKD but also hypertension.",
        "CKD cannot be excluded.",
        "Brought in by his wife; has CKD.",
        "His wife says that he has CKD.",
        "[x] CKD [ ] heart failure",
        "PMH: CKD",
        "Denies chest pain but has CKD.",
        "No allergies, CKD stage 3, on allopurinol.",
    ],
)
def test_a_record_keeps_what_only_looks_denied(told: str) -> None:
    assert "kidney disease" in read_patient_record(GOUT + told).conditions


def test_a_case_is_asked_about_and_a_risk_is_not() -> None:
    asked = "Can colchicine be given if CKD is present, to prevent gout?"
    assert [one.sort for one in find_regions(asked, asked.index("CKD"), asked.index("CKD") + 3)] == ["case"]
    assert "hypothetical" in [one.sort for one in find_regions(asked, asked.index("gout"), asked.index("gout") + 4)]


def test_characters_keep_their_places() -> None:
    text = "No history of\nstroke. His mother had\ngout. CKD.\n"
    assert unwrap_lines(text) == "No history of stroke. His mother had gout. CKD.\n"
    assert blank_others(text) == text.replace(" had\ngout.", "    \n     ")


@each_row("piece", ["no ", "no. ", "a\n", "(", "no a, ", "[ ]", "denies that he ", "his ", "history of ", "a: ", "? "])
def test_a_hostile_text_is_read_in_seconds(piece: str) -> None:
    start = time.process_time()
    list(list_regions(piece * (10_000 // len(piece))))
    assert time.process_time() - start < 10
