"""Names of drugs and conditions as somebody wrote them down who has not read the tables: `tests/data/medical_names`.

At first contact 69 of the 124 abbreviations (19 expanded wrongly), 58 of the 78 classes and 49 of the 77 lay words were
right. `known.tsv` there lists the rows that fail, with the reason.
"""

import json
import re
from pathlib import Path

from tests.tables import each_row
from wellsourced.medicine.drugs import find_drugs, find_prescribed_drugs, list_wider_classes
from wellsourced.medicine.names import (
    MedicalName,
    find_names,
    list_members,
    list_names,
    listed_terms,
    mentions,
    term_key,
)
from wellsourced.medicine.word_forms import read_abbreviation

ROWS = Path(__file__).parents[1] / "data" / "medical_names"
KNOWN = dict(line.split("\t") for line in (ROWS / "known.tsv").read_text(encoding="utf-8").splitlines()[1:])
ABBREVIATIONS = [json.loads(line) for line in (ROWS / "abbreviations.jsonl").read_text(encoding="utf-8").splitlines()]
NAMES = [line.split("\t") for line in (ROWS / "names.tsv").read_text(encoding="utf-8").splitlines()[1:]]


def plain(term: str) -> str:
    """A term without hyphens, blanks and what British spelling and a plural add."""
    letters = re.sub(r"[\W_]", "", term.lower()).replace("ae", "e").replace("oe", "e")
    return letters.replace("our", "or").removesuffix("s")


def is_right_brand(brand: str, right: str) -> bool:
    parts = {plain(part) for part in right.split("/")}
    names = [name for found in find_names(brand) for name in list_names(found)]
    wholes = [{plain(name)} | {plain(part) for part in re.split(r"/|-|,| and ", name)} for name in names]
    return any(parts <= whole for whole in wholes)


def is_right_class(drug: str, right: str) -> bool:
    """Whether a class is as it should be, and each of the others a wider one of it, or between it and the drug."""
    given = {one for found in find_prescribed_drugs(drug) for one in (found.own_class, *found.classes)}
    known = {one.own_class for name in right.split("|") for one in find_drugs(name) if one.words == name}
    above = frozenset().union(*map(list_wider_classes, known))
    return bool(given & known) and all(one in above or list_wider_classes(one) & known for one in given)


def is_right_term(lay: str, right: str) -> bool:
    listed = listed_terms().get(term_key(lay))
    found = [name for one in find_names(lay) if one.words == lay for name in list_names(one)]
    given = {plain(term) for term in (*(listed.meanings if listed else ()), *found)}
    return not given.isdisjoint(map(plain, right.split("|")))


IS_RIGHT = {"brand": is_right_brand, "class": is_right_class, "lay": is_right_term}


@each_row("row", ABBREVIATIONS)
def test_an_abbreviation_is_expanded_as_the_text_means_it_or_not_at_all(row: dict[str, str]) -> None:
    place = re.search(rf"\b{row['abbreviation']}s?\b", row["text"])
    assert place
    read = read_abbreviation(row["abbreviation"], row["text"], place.start())
    if not read or row["right"] == "ambiguous":
        assert not read and (row["right"] == "ambiguous" or row["id"] in KNOWN)
    else:
        assert plain(read) == plain(row["right"])


@each_row("kind,name,right", NAMES)
def test_a_name_is_known_by_what_it_stands_for(kind: str, name: str, right: str) -> None:
    assert IS_RIGHT[kind](name, right) is (name not in KNOWN)


def one_name(text: str) -> MedicalName:
    (found,) = find_names(text)
    return found


@each_row(
    ("question", "found"),
    [
        ("Is Eliquis safe with clarithromycin?", [("drug", "apixaban"), ("drug", "clarithromycin")]),
        ("Are statins given after a heart attack?", [("class", "statin"), ("condition", "myocardial infarction")]),
        ("Who needs an ECG before a colonoscopy?", [("test", "electrocardiogram"), ("procedure", "colonoscopy")]),
        (
            "AF: apixaban or warfarin?",
            [("condition", "atrial fibrillation"), ("drug", "apixaban"), ("drug", "warfarin")],
        ),
        ("What is done next, and when should it be given?", []),
    ],
)
def test_the_names_of_a_question(question: str, found: list[tuple[str, str]]) -> None:
    assert [(one.kind, one.name) for one in find_names(question)] == found
    assert all(question[one.start : one.end] == one.words for one in find_names(question))


@each_row(
    ("asked", "text", "is_named"),
    [
        ("Tylenol", "Paracetamol 1 g four times a day.", True),
        ("paracetamol", "Acetaminophen is given.", True),
        ("apixaban", "DOACs are preferred to warfarin.", True),
        ("apixaban", "Warfarin is preferred.", False),
        ("statins", "Start atorvastatin 80 mg.", True),
        ("heart attack", "Aspirin after MI with ST elevation.", True),
        ("haemorrhoids", "Piles may bleed.", True),
        ("multiple sclerosis", "MS is suspected.", False),
        ("multiple sclerosis", "MS with oligoclonal bands.", True),
        ("ECG", "An electrocardiogram is taken.", True),
        ("colonoscopy", "A biopsy is taken.", False),
        ("SBP prophylaxis", "In cirrhosis, SBP calls for prophylaxis of bacterial infection.", True),
        ("gout", "Hyperuricaemia alone is not treated.", False),
    ],
)
def test_a_text_speaks_of_a_name_by_any_of_its_names_its_class_or_a_member(
    asked: str, text: str, is_named: bool
) -> None:
    assert mentions(text, one_name(asked)) is is_named


def test_a_class_has_members_and_a_name_its_abbreviations() -> None:
    assert {"atorvastatin", "simvastatin"} <= set(list_members(one_name("statins")))
    assert {"atrial fibrillation", "AF", "AFib"} <= set(list_names(one_name("atrial fibrillation")))
    assert list_members(one_name("gout")) == ()
