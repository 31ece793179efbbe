"""The tables of words that come with the package: each line a term, a tab, and what it may be said to mean."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from wellsourced.understanding.spans import key

SOURCE = "wellsourced"
"""Who says so, where one of these tables does."""


class Sense(NamedTuple):
    """One of several meanings of an abbreviation, and the words beside it that tell."""

    meant: str
    cues: frozenset[str]


@cache
def lines(name: str) -> tuple[tuple[str, ...], ...]:
    """The lines of a table, cut at tabs."""
    content = files("wellsourced.understanding").joinpath(name).read_text(encoding="utf-8")
    return tuple(tuple(line.split("\t")) for line in content.splitlines())


@cache
def brands() -> Mapping[str, str]:
    """Key of a brand → its generic name. Only brands that are one drug wherever they are sold."""
    return {key(brand): generic for brand, generic in lines("brands.tsv")}


@cache
def lay_terms() -> Mapping[str, str]:
    """Key of a lay term → the clinical term. Only what is the same thing, neither wider nor narrower."""
    return {key(lay): clinical for lay, clinical in lines("lay_terms.tsv")}


@cache
def drug_names() -> Mapping[str, str]:
    """Key of a drug's name → its other one: "paracetamol" → "acetaminophen", and back."""
    pairs = lines("drug_names.tsv")
    return {key(one): other for pair in pairs for one, other in (pair, reversed(pair))}


@cache
def abbreviations() -> Mapping[str, str]:
    """Abbreviation, as it is written → what it means where nothing speaks against it."""
    return dict(lines("abbreviations.tsv"))  # type: ignore[arg-type]  # two columns


@cache
def abbreviated() -> Mapping[str, str]:
    """Key of a long form → its abbreviation."""
    return {key(meant): short for short, meant in reversed(list(abbreviations().items()))}


@cache
def senses() -> Mapping[str, tuple[Sense, ...]]:
    """Abbreviation → its meanings, where it has several."""
    found: dict[str, list[Sense]] = {}
    for short, meant, cues in lines("ambiguous.tsv"):
        found.setdefault(short, []).append(Sense(meant, frozenset(cues.split())))
    return {short: tuple(meanings) for short, meanings in found.items()}


@cache
def vocabulary() -> frozenset[str]:
    """Every word of the tables: real words, whatever a library holds."""
    names = ("abbreviations.tsv", "ambiguous.tsv", "brands.tsv", "drug_names.tsv", "lay_terms.tsv")
    return frozenset(word for name in names for line in lines(name) for part in line for word in key(part).split())
