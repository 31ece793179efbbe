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

from wellsourced.query_language.ovid_parser import FIELD_PLACES
from wellsourced.query_language.ovid_strategy import finish_strategy, parse_ovid, parse_ovid_line
from wellsourced.query_language.pubmed_lexer import find_tag
from wellsourced.query_language.pubmed_parser import parse_pubmed, parse_pubmed_span
from wellsourced.query_language.query_tree import Node, ParsedQuery, QueryNotes, straighten_typography
from wellsourced.query_language.strategy_steps import StrategyStep, StrategySteps, line_spans

Dialect = Literal["pubmed", "ovid"]

OVID_SYNTAX = re.compile(
    rf"""\.\s?(?:{"|".join(FIELD_PLACES)})(?:,(?:{"|".join(FIELD_PLACES)}))*(?:\.(?!\w)|\s*(?:$|\)|\b(?:or|and|not)\b))
    |\badj\d*\b|\b(?:or|and)/\d|^[ \t]*(?:\d+[.)]?[ \t]+)?limit\s+\d|\bexp\s+["*\w][^/\n\[\]]{{0,80}}/
    |\w"?/(?:\s*$|\s+(?:or|and|not)\b)""",
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
"""What only Ovid's language holds."""

STEP_LABEL = re.compile(
    r"[ \t]*#?(?P<label>\d{1,3}[a-z]?|[A-Z](?=[.):]))[.):]*(?:[ \t]+(?P<rest>\S[^\r\n]*)|[ \t]*(?=[\r\n]|\Z))"
)
COMBINATION_PIECE = re.compile(r"\(|\)|[^\s()]+")
RESULT_NAME = re.compile(r"[ \t]*[A-Za-z ]{3,40}:[ \t]*(?=\S)")
"""What a result is called: "Final search: 1 and 2"."""


def detect_dialect(query: str) -> Dialect:
    """The language that a query is written in; PubMed's where nothing speaks for the other."""
    tags = sum(1 for found in re.findall(r"\[([^\[\]]{1,40})\]", query) if find_tag(found))
    return "ovid" if sum(1 for _ in OVID_SYNTAX.finditer(query)) > tags else "pubmed"


def parse_query(query: str, language: Dialect | None = None) -> ParsedQuery:
    """What a query asks for, in the language that is named or the one that it is written in. Raises BadQuery."""
    if (language or detect_dialect(query)) == "ovid":
        return parse_ovid(query)
    text = straighten_typography(query)
    lines = line_spans(text)
    labels = {str(found["label"]) for line in lines if (found := STEP_LABEL.match(text, *line))}
    has_references = len(labels) > 1 and any(_find_combination(text, *line, labels) for line in lines)
    return _parse_steps(query, text) if has_references else parse_pubmed(query)


def _find_combination(text: str, start: int, end: int, labels: set[str]) -> tuple[int, int] | None:
    """Where in text[start:end] earlier steps are combined and nothing else stands; None when it is another line."""
    named = RESULT_NAME.match(text, start, end) or re.compile(r"[ \t]*[A-Z][.):][ \t]+").match(text, start, end)
    begin = named.end() if named else start
    pieces = COMBINATION_PIECE.findall(text, begin, end)
    operators = sum(1 for piece in pieces if piece.lower() in ("and", "or", "not"))
    others = [piece for piece in pieces if piece.lower() not in ("and", "or", "not", "(", ")")]
    fits = operators and len(others) > 1 and all(piece.lstrip("#") in labels for piece in others)
    return (begin, end) if fits else None


def _parse_steps(query: str, text: str) -> ParsedQuery:
    notes = QueryNotes(query)
    notes.check_length()
    steps, labels = StrategySteps(notes), set[str]()
    result: Node | None = None
    for step in _split_labelled_steps(text):
        steps.begin_step(step)
        combined = _find_combination(text, step.start, step.end, labels)
        if combined:
            result = parse_ovid_line(text, *combined, steps, notes, labels)
        else:
            result = parse_pubmed_span(text, step.start, step.end, notes)
        if result:
            labels.add(step.label)
            steps.finish_step(result)
    return finish_strategy(result, steps, notes)


def _split_labelled_steps(text: str) -> Iterator[StrategyStep]:
    """The lines that ask for something, by the label that stands before them or on a line above."""
    waiting, labels = "", set[str]()
    for place, (start, end) in enumerate(line_spans(text), 1):
        found = STEP_LABEL.match(text, start, end)
        if found and (found["label"].isalpha() or not _find_combination(text, start, end, labels)):
            waiting = str(found["label"])
            start = found.start("rest") if found["rest"] else end
        combined = _find_combination(text, start, end, labels)
        # A line is a query and no heading where it holds a field, a phrase, an operator or a word cut short.
        is_query = combined or re.search(r'\[[^\[\]]+\]|"|\b(?:AND|OR|NOT)\b|\w\*', text[start:end])
        if start == end or not is_query:
            continue
        label = waiting or f"line {place}"
        labels.add(label)
        yield StrategyStep(label, start, end)
        waiting = ""
