"""Which units answer the questions of strangers, by what their cases say decides."""

import json
from pathlib import Path

from wellsourced_evaluate.fitting.labelled_units import CASE_FILES, DigestUnit, label_cases

UNITS = [
    DigestUnit("gout", section, text, text, text)
    for section, text in (
        ("Flares", "Colchicine 1.2 mg at once."),
        ("Flares", "Then 0.6 mg an hour later."),
        ("Flares", "Ice may help."),
        ("Diet", "Drink less beer."),
    )
]
LEAD, FACTS = "1\\.2 mg", [{"fact": "second dose", "pattern": "0\\.6 mg"}]


def label(folder: Path, **row: object) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    for name in CASE_FILES:
        (folder / f"{name}.jsonl").write_text("")
    (folder / "facts.jsonl").write_text(json.dumps({"question": "How much colchicine?", "guideline": "gout", **row}))
    return [(one.answers, one.helps) for one in label_cases(UNITS, folder)]


def test_what_has_the_deciding_words_or_a_fact_answers_and_the_rest_of_its_section_helps(tmp_path: Path) -> None:
    assert label(tmp_path, lead=LEAD, facts=FACTS) == [((0, 1), (2,))]


def test_a_quote_in_another_layout_is_found(tmp_path: Path) -> None:
    assert label(tmp_path, quote="Colchicine | 1.2 mg | at once") == [((0,), (1, 2))]


def test_nothing_answers_a_near_miss(tmp_path: Path) -> None:
    assert label(tmp_path, missing="colchicine in children") == [((), ())]


def test_a_case_that_no_unit_matches_is_left_out(tmp_path: Path) -> None:
    assert label(tmp_path, lead="febuxostat") == []
