"""Ovid's words: "tumo?r$", "wom#n", "exercise*1", and what they are in the tree."""

import re

from wellsourced.query_language.dates import period
from wellsourced.query_language.notes import Notes
from wellsourced.query_language.ovid_fields import Place
from wellsourced.query_language.pubmed_words import OUTSIDE
from wellsourced.query_language.qualifiers import qualifier
from wellsourced.query_language.tree import Everything, Heading, Node, Qualifier, Term

CUT = re.compile(r"(?<=[\w?#])(?:[$*]|(?<=[A-Za-z]):(?=\d?(?:\s|\Z)))(\d{0,3})")
"""The end of a word that may go on, by so many letters at most."""

ENDING = re.compile(r"(?<=[\w?#])([$*]|(?<=[^\W\d]):)(\d{0,3})\Z", re.ASCII)
AFTER = OUTSIDE.replace("?", "")
BARE = re.compile(r"(?<![\w?#*])[?#*]+")
"""Wildcards that stand for no letter of any word."""


def word(said: str, place: Place, at: int, notes: Notes) -> Node | None:
    """A word or a phrase where it has to stand; None, and told, when it holds nothing to look for."""
    if place in ("published", "entered"):
        return _dates(said, place, at, notes)
    term = _term(said, at, notes)
    if term is None:
        return None
    if place == "exact heading":
        whole = not (term.truncated or re.search(r"[*?#]", term.words))
        return Heading(term.words, explode=False, at=at) if whole else term._replace(field="heading")
    if place == "qualifier":
        return _qualifier(term.words, at, notes)
    return term._replace(field="title_abstract" if place == "keyword" else place)  # type: ignore[arg-type]


def _term(said: str, at: int, notes: Notes) -> Term | None:
    words = " ".join(re.sub(r'["\[\]]', " ", said).split()).rstrip(AFTER.replace(":", ""))
    ending = ENDING.search(words)
    words = CUT.sub(
        lambda cut: "?" * min(int(cut[1]), 5) if cut[1] else "*", words[: ending.start()] if ending else words
    )
    words = re.sub(r"\*+", "*", BARE.sub(" ", words.replace("$", " ")))
    words = " ".join(words.split()).lstrip(OUTSIDE + "#*").rstrip(AFTER)
    if not any(map(str.isalnum, words)):
        notes.tell(at, f"“{said.strip()[:40]}” holds no word to look for and was left out")
        return None
    letters = min(int(ending[2]), 99) if ending and ending[2] else None
    return Term(words.rstrip("*"), "all", bool(ending) or words.endswith("*"), letters, at)


def _inside(cut: re.Match[str]) -> str:
    """A cut in the middle of a phrase: so many letters, or any."""
    return "?" * min(int(cut[1]), 5) if cut[1] else "*"


def _qualifier(said: str, at: int, notes: Notes) -> Qualifier:
    name = qualifier(said)
    if name is None:
        notes.tell(at, f"“{said[:40]}” is no subheading of MeSH")
    return Qualifier(name or said.lower(), at)


def _dates(said: str, place: Place, at: int, notes: Notes) -> Node:
    days = re.sub(r"[$*?#\"]", "", said)
    found = period(days, "-", "entered" if place == "entered" else "published", at, notes)
    if found:
        return found
    notes.tell(at, f"“{said.strip()[:40]}” is no date that can be held against a record, so it narrows nothing")
    return Everything(f"{days.strip()} (date)", at)
