"""Statements as blocks: under the words of their source that they share, lists line by line, with what they rest on."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from typing import NamedTuple

from wellsourced.presentation.blocks import Heading, Text
from wellsourced.presentation.references import NumberedReferences
from wellsourced.presentation.wording import STATUS_WORDS, explain_reason
from wellsourced.text.quotable_spans import collapse_whitespace
from wellsourced.types import Citation, Passage, Statement

MAX_HEADING_WORDS = 25
"""Words of a quote that is before others as their heading; a longer one is prose."""

MIN_LIST_WORDS = 18
"""Words of a statement from which its list is set as lines; a shorter one is read faster as it is."""

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d]+|[<>≤≥=±+%−]")

_LINE_MARK = re.compile(r"[ \t]*(?:(?:[-•*→]|--?>|\d{1,2}[.)])[ \t]+)?")
"""The indentation of a line, and the mark of an item or a step."""


class _HeadedStatement(NamedTuple):
    """A statement whose text is parted into the heading that it quotes first, if any, and what is said under it."""

    heading: str
    text: str
    statement: Statement


def build_statements(statements: Sequence[Statement], cited: NumberedReferences) -> Iterator[Heading | Text]:
    """Statements with what they rest on; a heading of their source that several are under is printed once."""
    headed = [_split_heading(statement) for statement in statements]
    groups = [(heading, [*members]) for heading, members in groupby(headed, key=lambda each: each.heading)]
    # A statement without a heading would seem to be under the last one, so either all have one or none is set apart.
    is_parted = all(heading for heading, _ in groups) and any(len(members) > 1 for _, members in groups)
    for heading, members in groups:
        if is_parted:
            yield Heading(heading, level=3)
        for each in members:
            yield from _build_texts(each, "" if is_parted else heading, cited)


def _split_heading(statement: Statement) -> _HeadedStatement:
    """Part a statement at its heading: the first line that it quotes, with a colon and more behind it."""
    for citation in statement.citations[:1]:
        heading = collapse_whitespace(citation.quote.partition("\n")[0]).rstrip(": ")
        if statement.text.startswith(f"{heading}: ") and len(heading.split()) <= MAX_HEADING_WORDS:
            return _HeadedStatement(heading, statement.text[len(heading) + 2 :], statement)
    return _HeadedStatement("", statement.text, statement)


def _build_texts(headed: _HeadedStatement, heading: str, cited: NumberedReferences) -> Iterator[Text]:
    """A statement as a text with its list below it; items that nothing introduces are a text each."""
    statement = headed.statement
    pieces, is_introduced = _split_lines(headed, cited.passages)
    if not heading and not is_introduced:
        for piece in pieces:
            own = [citation for citation in statement.citations if _shares_words(citation, piece)]
            yield _cite(Text(piece), statement, own or statement.citations, cited)
        return
    intro, items = (pieces[0], pieces[1:]) if is_introduced else ("", pieces)
    intro = ": ".join(filter(None, (heading, intro)))
    is_open = items and not intro.endswith((":", "."))
    text = Text(f"{intro}:" if is_open else intro, items=tuple(map(Text, items)))
    yield _cite(text, statement, statement.citations, cited)


def _shares_words(citation: Citation, piece: str) -> bool:
    """Whether a piece has the words of a line of a quote, or the quote has the piece."""
    lines = (collapse_whitespace(line[_measure_mark(line) :]).rstrip(" .;:") for line in citation.quote.split("\n"))
    return piece in collapse_whitespace(citation.quote) or any(line and line in piece for line in lines)


def _split_lines(headed: _HeadedStatement, passages: Mapping[str, Passage]) -> tuple[list[str], bool]:
    """A text of quotes at the lines of a list or a table that these were, and whether the first piece is no such line.

    Lines below lines stay within theirs: only the outermost ones part the text.
    """
    places = list(_find_line_places(headed, passages))
    inner = [place for place in places if place.at]
    if not inner or len(headed.text.split()) < MIN_LIST_WORDS:
        return [headed.text], True
    outermost = min(place.indent for place in inner)
    lines = [place for place in inner if place.indent == outermost]
    edges = [0, *(place.at for place in lines), len(headed.text)]
    pieces = [headed.text[begin:end].strip(" ;→") for begin, end in pairwise(edges)]
    is_introduced = bool(pieces[0]) and (places[0].at > 0 or places[0][1:] != lines[0][1:])
    return [piece for piece in pieces if piece], is_introduced


class _LinePlace(NamedTuple):
    """Where a line of the source begins in a text, how far it is indented there, and whether it has an item's mark."""

    at: int
    indent: int
    has_mark: bool


def _find_line_places(headed: _HeadedStatement, passages: Mapping[str, Passage]) -> Iterator[_LinePlace]:
    """The lines of quotes in their order in the text, but those that a quote begins in their middle."""
    at = 0
    for place, citation in enumerate(headed.statement.citations):
        passage = passages[citation.passage_id]
        before = passage.text[: citation.start - passage.start].rpartition("\n")[2]
        for number, line in enumerate((before + citation.quote).split("\n")):
            if headed.heading and place == number == 0:
                continue
            mark = line[: _measure_mark(line)]
            words = collapse_whitespace(line[max(len(mark), 0 if number else len(before)) :]).rstrip(" .;:")
            found = headed.text.find(words, at) if words else -1
            if found < 0:
                continue
            at = found + len(words)
            # The first line of a quote counts only if the quote begins where the line does, apart from its mark.
            if number or len(before) <= len(mark):
                yield _LinePlace(found, len(mark) - len(mark.lstrip()), bool(mark.strip()))


def _measure_mark(line: str) -> int:
    """Characters of a line's indentation and of the mark behind it."""
    found = _LINE_MARK.match(line)
    return found.end() if found else 0


def _cite(text: Text, statement: Statement, citations: Sequence[Citation], cited: NumberedReferences) -> Text:
    """The text with the words that it rests on, and what of it is not verified."""
    return replace(
        text,
        citations=cited.list_numbers(citations),
        status=statement.verdict.status,
        remark=_describe_doubt(statement),
        quotes=cited.quote(citations),
        verbatim=is_verbatim(statement),
    )


def _describe_doubt(statement: Statement) -> str:
    """What of a statement is not verified; "" when there is nothing to say."""
    verdict = statement.verdict
    # Only a doubtful verdict is spoken: a marker without words says that the check was passed.
    is_doubtful = verdict.status in ("contradicted", "unverified") and statement.citations and verdict.reason
    return f"{STATUS_WORDS[verdict.status]}: {explain_reason(verdict.reason)}" if is_doubtful else ""


def is_verbatim(statement: Statement) -> bool:
    """Whether a statement consists of the words and figures of its quotes, in their order."""
    quoted = " ".join(citation.quote for citation in statement.citations)
    return bool(statement.citations) and _TOKEN.findall(statement.text) == _TOKEN.findall(quoted)
