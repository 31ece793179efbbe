"""Names of drugs and conditions as somebody wrote them down who has not read the tables: `tests/data/medical_names`.

At first contact 69 of the 124 abbreviations (19 expanded wrongly), 58 of the 78 classes and 49 of the 77 lay words were
right. `known.tsv` there lists the rows that fail, with the reason.
"""

import json
import re
from pathlib import Path

import pytest

from wellsourced.medicine.drugs import (
    find_drugs,
    find_generic,
    find_prescribed_drugs,
    list_wider_classes,
    load_listed_drugs,
)
from wellsourced.medicine.names import listed_terms, term_key
from wellsourced.medicine.word_forms import read_abbreviation

ROWS = Path(__file__).parents[1] / "data" / "medical_names"
KNOWN = dict(line.split("\t") for line in (ROWS / "known.tsv").read_text(encoding="utf-8").splitlines()[1:])
ABBREVIATIONS = [json.loads(line) for line in (ROWS / "abbreviations.jsonl").read_text(encoding="utf-8").splitlines()]
NAMES = [line.split("\t") for line in (ROWS / "names.tsv").read_text(encoding="utf-8").splitlines()[1:]]


def plain(term: str) -> str:
    """A term without hyphens, blanks and what British spelling and a plural add."""
    letters = re.sub(r"o?oe|ae", "e", re.sub(r"[\W_]", "", term.lower()))
    return letters.replace("our", "or").removesuffix("s")


def is_right_brand(brand: str, right: str) -> bool:
    parts = {plain(part) for part in right.split("/")}
    drugs = {name: (name, *others) for one in load_listed_drugs() for name, others in [(one.name, one.others)]}
    generic = find_generic(brand)
    told = [generic, *(drug.drug for drug in find_prescribed_drugs(brand)), *list_meanings(brand)]
    names = [name for one in told for name in drugs.get(one, (one,))]
    wholes = [{plain(name)} | {plain(part) for part in re.split(r"/|-|,| and ", name)} for name in names]
    return any(parts <= whole for whole in wholes)


def is_right_class(drug: str, right: str) -> bool:
    """Whether a class is as it should be, and each of the others a wider one of it, or between it and the drug."""
    given = {one for found in find_prescribed_drugs(drug) for one in found.classes}
    known = {one.own_class for name in right.split("|") for one in find_drugs(name) if one.words == name}
    above = frozenset().union(*map(list_wider_classes, known))
    return bool(given & known) and all(one in above or list_wider_classes(one) & known for one in given)


def is_right_term(lay: str, right: str) -> bool:
    """Whether a lay term has a clinical one, or is one itself."""
    given = {plain(term) for term in list_meanings(lay) or (lay,)}
    return not given.isdisjoint(map(plain, right.split("|")))


def list_meanings(term: str) -> tuple[str, ...]:
    listed = listed_terms().get(term_key(term))
    return listed.meanings if listed else ()


IS_RIGHT = {"brand": is_right_brand, "class": is_right_class, "lay": is_right_term}


@pytest.mark.parametrize("row", ABBREVIATIONS, ids=[row["id"] for row in ABBREVIATIONS])
def test_an_abbreviation_is_expanded_as_the_text_means_it_or_not_at_all(row: dict[str, str]) -> None:
    place = re.search(rf"\b{row['abbreviation']}s?\b", row["text"])
    assert place
    read = read_abbreviation(row["abbreviation"], row["text"], place.start())
    if not read or row["right"] == "ambiguous":
        assert not read and (row["right"] == "ambiguous" or row["id"] in KNOWN)
    else:
        assert plain(read) == plain(row["right"])


@pytest.mark.parametrize("kind,name,right", NAMES, ids=["-".join(row[:2]) for row in NAMES])
def test_a_name_is_known_by_what_it_stands_for(kind: str, name: str, right: str) -> None:
    assert IS_RIGHT[kind](name, right) is (name not in KNOWN)
