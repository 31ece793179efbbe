"""Which language a query is written in, and queries for PubMed that take several numbered steps.

A step is known by its number, which stands before it or on a line of its own, with a heading or without:

    1 Target condition
    sciatica[mesh] OR "back pain"[tw]
    2a
    radiculopath* OR radiculiti*
    Final search: 1 AND 2a
"""

import re
from collections.abc import Iterator
from typing import Literal

from wellsourced.query_language.notes import Notes, straightened
from wellsourced.query_language.ovid import ovid_line, read_ovid, strategy
from wellsourced.query_language.ovid_fields import PLACES
from wellsourced.query_language.pubmed import read_pubmed, read_span
from wellsourced.query_language.pubmed_tags import tag
from wellsourced.query_language.steps import Step, Steps, spans
from wellsourced.query_language.tree import Node, Parsed

Dialect = Literal["pubmed", "ovid"]

OVID = re.compile(
    rf"""\.\s?(?:{"|".join(PLACES)})(?:,(?:{"|".join(PLACES)}))*(?:\.(?!\w)|\s*(?:$|\)|\b(?:or|and|not)\b))
    |\badj\d*\b|\b(?:or|and)/\d|^[ \t]*(?:\d+[.)]?[ \t]+)?limit\s+\d|\bexp\s+["*\w][^/\n\[\]]{{0,80}}/
    |\w"?/(?:\s*$|\s+(?:or|and|not)\b)""",
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
"""What only Ovid's language holds."""

LABEL = re.compile(
    r"[ \t]*#?(?P<label>\d{1,3}[a-z]?|[A-Z](?=[.):]))[.):]*(?:[ \t]+(?P<rest>\S[^\r\n]*)|[ \t]*(?=[\r\n]|\Z))"
)
PIECE = re.compile(r"\(|\)|[^\s()]+")
NAMED = re.compile(r"[ \t]*[A-Za-z ]{3,40}:[ \t]*(?=\S)")
"""What a result is called: "Final search: 1 and 2"."""


def dialect(query: str) -> Dialect:
    """The language that a query is written in; PubMed's where nothing speaks for the other."""
    tags = sum(1 for found in re.findall(r"\[([^\[\]]{1,40})\]", query) if tag(found))
    return "ovid" if sum(1 for _ in OVID.finditer(query)) > tags else "pubmed"


def read(query: str, language: Dialect | None = None) -> Parsed:
    """What a query asks for, in the language that is named or the one that it is written in. Raises BadQuery."""
    if (language or dialect(query)) == "ovid":
        return read_ovid(query)
    text = straightened(query)
    return _read_steps(query, text) if _refers(text) else read_pubmed(query)


def _refers(text: str) -> bool:
    """Whether a query for PubMed has lines that refer to other lines."""
    lines = spans(text)
    labels = {str(found["label"]) for line in lines if (found := LABEL.match(text, *line))}
    return len(labels) > 1 and any(_combines(text, *line, labels) for line in lines)


def _combines(text: str, start: int, end: int, labels: set[str]) -> tuple[int, int] | None:
    """Where in text[start:end] earlier steps are combined and nothing else stands; None when it is another line."""
    named = NAMED.match(text, start, end) or re.compile(r"[ \t]*[A-Z][.):][ \t]+").match(text, start, end)
    begin = named.end() if named else start
    pieces = PIECE.findall(text, begin, end)
    operators = sum(1 for piece in pieces if piece.lower() in ("and", "or", "not"))
    others = [piece for piece in pieces if piece.lower() not in ("and", "or", "not", "(", ")")]
    fits = operators and len(others) > 1 and all(piece.lstrip("#") in labels for piece in others)
    return (begin, end) if fits else None


def _read_steps(query: str, text: str) -> Parsed:
    """A strategy for PubMed in several steps; the last one is the result."""
    notes = Notes(query)
    notes.check_length()
    steps, labels = Steps(notes), set[str]()
    result: Node | None = None
    for step in _steps(text):
        steps.begin(step)
        combined = _combines(text, step.start, step.end, labels)
        if combined:
            result = ovid_line(text, *combined, steps, notes, labels)
        else:
            result = read_span(text, step.start, step.end, notes)
        if result:
            labels.add(step.label)
            steps.finish(result)
    return strategy(result, steps, notes)


def _steps(text: str) -> Iterator[Step]:
    """The lines that ask for something, by the label that stands before them or on a line above."""
    waiting, labels = "", set[str]()
    for place, (start, end) in enumerate(spans(text), 1):
        found = LABEL.match(text, start, end)
        if found and (found["label"].isalpha() or not _combines(text, start, end, labels)):
            waiting = str(found["label"])
            start = found.start("rest") if found["rest"] else end
        combined = _combines(text, start, end, labels)
        if start == end or not (combined or _asks(text[start:end])):
            continue
        label = waiting or f"line {place}"
        labels.add(label)
        yield Step(label, start, end)
        waiting = ""


def _asks(line: str) -> bool:
    """Whether a line is a query and no heading: it holds a field, a phrase, an operator or a word cut short."""
    return bool(re.search(r'\[[^\[\]]+\]|"|\b(?:AND|OR|NOT)\b|\w\*', line))
