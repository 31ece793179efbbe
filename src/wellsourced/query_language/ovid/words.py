"""Ovid's words: "tumo?r$", "wom#n", "exercise*1", and what they are in the tree."""

import re

from wellsourced.query_language.date_ranges import parse_period
from wellsourced.query_language.mesh_qualifiers import find_qualifier
from wellsourced.query_language.ovid.fields import SearchPlace
from wellsourced.query_language.pubmed.words import OUTER_CHARACTERS
from wellsourced.query_language.query_notes import QueryNotes
from wellsourced.query_language.query_tree import Everything, MeshHeading, Node, Qualifier, QueryTerm

TRUNCATION = re.compile(r"(?<=[\w?#])(?:[$*]|(?<=[A-Za-z]):(?=\d?(?:\s|\Z)))(\d{0,3})")
"""The end of a word that may go on, by so many letters at most."""

FINAL_TRUNCATION = re.compile(r"(?<=[\w?#])([$*]|(?<=[^\W\d]):)(\d{0,3})\Z", re.ASCII)
TRAILING_CHARACTERS = OUTER_CHARACTERS.replace("?", "")
STRAY_WILDCARDS = re.compile(r"(?<![\w?#*])[?#*]+")
"""Wildcards that stand for no letter of any word."""


def build_word_node(said: str, place: SearchPlace, at: int, notes: QueryNotes) -> Node | None:
    """A word or a phrase where it has to stand; None, and told, when it holds nothing to look for."""
    if place in ("published", "entered"):
        return _build_dates(said, place, at, notes)
    term = _build_term(said, at, notes)
    if term is None:
        return None
    if place == "exact heading":
        whole = not (term.truncated or re.search(r"[*?#]", term.words))
        return MeshHeading(term.words, explode=False, at=at) if whole else term._replace(field="heading")
    if place == "qualifier":
        return _build_qualifier(term.words, at, notes)
    return term._replace(field="title_abstract" if place == "keyword" else place)  # type: ignore[arg-type]


def _build_term(said: str, at: int, notes: QueryNotes) -> QueryTerm | None:
    words = " ".join(re.sub(r'["\[\]]', " ", said).split()).rstrip(TRAILING_CHARACTERS.replace(":", ""))
    ending = FINAL_TRUNCATION.search(words)
    words = TRUNCATION.sub(_inner_wildcard, words[: ending.start()] if ending else words)
    words = re.sub(r"\*+", "*", STRAY_WILDCARDS.sub(" ", words.replace("$", " ")))
    words = " ".join(words.split()).lstrip(OUTER_CHARACTERS + "#*").rstrip(TRAILING_CHARACTERS)
    if not any(map(str.isalnum, words)):
        notes.add_note(at, f"“{said.strip()[:40]}” holds no word to look for and was left out")
        return None
    letters = min(int(ending[2]), 99) if ending and ending[2] else None
    return QueryTerm(words.rstrip("*"), "all", bool(ending) or words.endswith("*"), letters, at)


def _inner_wildcard(cut: re.Match[str]) -> str:
    """A cut in the middle of a phrase: so many letters, or any."""
    return "?" * min(int(cut[1]), 5) if cut[1] else "*"


def _build_qualifier(said: str, at: int, notes: QueryNotes) -> Qualifier:
    name = find_qualifier(said)
    if name is None:
        notes.add_note(at, f"“{said[:40]}” is no subheading of MeSH")
    return Qualifier(name or said.lower(), at)


def _build_dates(said: str, place: SearchPlace, at: int, notes: QueryNotes) -> Node:
    days = re.sub(r"[$*?#\"]", "", said)
    found = parse_period(days, "-", "entered" if place == "entered" else "published", at, notes)
    if found:
        return found
    notes.add_note(at, f"“{said.strip()[:40]}” is no date that can be held against a record, so it narrows nothing")
    return Everything(f"{days.strip()} (date)", at)
