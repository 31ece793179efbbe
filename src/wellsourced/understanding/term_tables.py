"""The tables of words that come with the package: each line a term, a tab, and what it may be said to mean."""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from wellsourced.clinical.drugs import read_brands
from wellsourced.clinical.word_forms import known_abbreviations
from wellsourced.text.tables import read_rows
from wellsourced.understanding.question_words import term_key

TABLE_NAMES = ("ambiguous.tsv", "clinician_terms.tsv", "drug_names.tsv", "lay_terms.tsv")

_DRUG_TABLES = frozenset({"drug_names.tsv"})
"""Those that other folders read too, and that lie in `clinical/`."""

TABLE_SOURCE = "wellsourced"
"""Who says so, where one of these tables does."""


class AbbreviationSense(NamedTuple):
    """One of several meanings of an abbreviation, and the words beside it that tell."""

    meaning: str
    cues: frozenset[str]


def read_table(name: str) -> list[tuple[str, ...]]:
    """The lines of one of these tables, cut at tabs."""
    return read_rows("wellsourced.clinical" if name in _DRUG_TABLES else "wellsourced.understanding", name)


@cache
def brands() -> Mapping[str, str]:
    """Key of a brand → its generic name. Only brands that are one drug wherever they are sold."""
    return {term_key(brand): generic for brand, generic in read_brands()}


@cache
def lay_terms() -> Mapping[str, str]:
    """Key of a lay term → the clinical term. Only what is the same thing, neither wider nor narrower."""
    return {term_key(lay): clinical for lay, clinical in read_table("lay_terms.tsv")}


@cache
def clinician_terms() -> Mapping[str, str]:
    """Key of what clinicians say for short → the term of guidelines: "spiro" → "spironolactone"."""
    return {term_key(said): meant for said, meant in read_table("clinician_terms.tsv")}


@cache
def drug_names() -> Mapping[str, str]:
    """Key of a drug's name → its other one: "paracetamol" → "acetaminophen", and back."""
    pairs = read_table("drug_names.tsv")
    return {term_key(one): other for pair in pairs for one, other in (pair, reversed(pair))}


@cache
def short_forms() -> Mapping[str, str]:
    """Key of a long form → its abbreviation."""
    return {term_key(meant): short for short, meant in reversed(list(known_abbreviations().items()))}


@cache
def senses() -> Mapping[str, tuple[AbbreviationSense, ...]]:
    """Abbreviation → its meanings, where it has several."""
    found: dict[str, list[AbbreviationSense]] = {}
    for short, meant, cues in read_table("ambiguous.tsv"):
        found.setdefault(short, []).append(AbbreviationSense(meant, frozenset(cues.split())))
    return {short: tuple(meanings) for short, meanings in found.items()}


@cache
def table_words() -> frozenset[str]:
    """Every word of the tables: real words, whatever a library holds."""
    lines = [*read_brands(), *(line for name in TABLE_NAMES for line in read_table(name))]
    return frozenset(
        word for line in (*lines, *known_abbreviations().items()) for part in line for word in term_key(part).split()
    )
