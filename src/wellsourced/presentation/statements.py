"""Statements as blocks: under the words of their source that they share, lists, tables and steps item by item, with the
words they rest on.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from typing import NamedTuple

from wellsourced.presentation.blocks import Group, Item, Mark, Text, TextRole
from wellsourced.presentation.references import NumberedReferences
from wellsourced.text.quotable_spans import collapse_whitespace
from wellsourced.types import Citation, Passage, Statement

MAX_HEADING_WORDS = 25
"""Words of a quote that stands before others as their heading; a longer one is prose."""

MAX_LEAD_WORDS = 60
"""Words of several leading statements that are read as one paragraph."""

_SAID_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d]+|[<>≤≥=±+%−]")


class HeadedStatement(NamedTuple):
    """A statement whose text is parted into the headings that it quotes first and what is said under them.

    quoted   its citations but those of the headings
    """

    headings: tuple[str, ...]
    text: str
    statement: Statement
    quoted: tuple[Citation, ...] = ()


MIN_LIST_ITEMS = 3
MIN_CELLS = 2
MIN_LIST_WORDS = 18
"""Words of a statement from which its list is set as lines; a shorter one is read faster as it is."""

MIN_STEPS = 3
MIN_STEP_WORDS = 4
"""Words of a step, on average, from which steps are lines; "norepinephrine -> vasopressin" is read as it is."""

_STEP = re.compile(r"\s(?:→|--?>)\s")
CELL_HEAD = re.compile(r"[A-Z0-9](?:[^\s:;]*\s){0,4}[^\s:;]*:\s")
"""The head of a column, with a colon, before a cell."""

_LINE_MARK = re.compile(r"[ \t]*(?:(?:[-•*→]|--?>|\d{1,2}[.)])[ \t]+)?")
"""The indentation of a line, and the mark of an item or a step."""

_SENTENCE_BREAK = re.compile(r"[a-z)\]%]\.\s+[A-Z]")


class TextLayout(NamedTuple):
    """A statement's text as an introduction and the items of its list; without a list the introduction is all.

    mark   what stands before each item
    """

    intro: str
    items: tuple[str, ...] = ()
    mark: str = "–"


def lay_out_text(text: str) -> TextLayout:
    """Return how a text is set: "Intro: item; item; item" and "a → b → c" as lines where they are long enough.

    In a row of a table ("Row: Head: cell; Head: cell") each cell is a line, whatever semicolons stand in it.
    """
    # Arrows before lists: steps may hold semicolons, and items of a list hold no steps.
    steps = _STEP.split(text)
    if len(steps) >= MIN_STEPS and len(text.split()) >= MIN_STEP_WORDS * len(steps):
        return TextLayout(steps[0], tuple(steps[1:]), "→")
    pieces = split_outside_brackets(text, "; ")
    # A sentence that ends inside a piece shows prose with semicolons, which lines would tear apart.
    if len(text.split()) < MIN_LIST_WORDS or any(map(_SENTENCE_BREAK.search, pieces)):
        return TextLayout(text)
    is_row = any(map(CELL_HEAD.match, pieces[1:]))
    parts = split_outside_brackets(pieces[0], ": ")
    # In a row the last colon belongs to the first cell's head, so the introduction ends one colon earlier.
    kept = 2 if is_row else 1
    items = list(_join_cells(pieces)) if is_row else pieces
    if len(parts) <= kept or len(items) < (MIN_CELLS if is_row else MIN_LIST_ITEMS):
        return TextLayout(text)
    intro = ": ".join(parts[:-kept]) + ":"
    return TextLayout(intro, (items[0][len(intro) + 1 :], *items[1:]))


def _join_cells(pieces: Sequence[str]) -> Iterator[str]:
    """The cells of a row, each with its head: a piece without one belongs to the cell before it."""
    cell = pieces[0]
    for piece in pieces[1:]:
        if CELL_HEAD.match(piece):
            yield cell
            cell = piece
        else:
            cell = f"{cell}; {piece}"
    yield cell


def split_outside_brackets(text: str, separator: str) -> list[str]:
    """The text at each separator that stands in no bracket."""
    pieces, depth, begin, at = [], 0, 0, 0
    while at < len(text):
        # A closing bracket without its opening one, as in "a) first", must not make the depth negative.
        depth += (text[at] in "([{") - (text[at] in ")]}" and depth > 0)
        if not depth and text.startswith(separator, at):
            pieces.append(text[begin:at])
            begin = at = at + len(separator)
        else:
            at += 1
    return [*pieces, text[begin:]]


class LinePlace(NamedTuple):
    """Where a quote that begins a line of its source stands in a text: how far that line is indented, and its mark."""

    at: int
    indent: int
    has_mark: bool


def lay_out_quotes(
    text: str, quoted: Sequence[Citation], passages: Mapping[str, Passage], *, has_heading: bool
) -> TextLayout:
    """Return how a text of quotes is set that were lines of a list or a table: each outermost line as an item.

    What stands before the first item introduces it; where nothing does, and no heading either, `intro` is "".
    """
    places = list(_find_line_places(text, quoted, passages))
    inner = [place for place in places if place.at]
    if not inner or len(text.split()) < MIN_LIST_WORDS:
        return TextLayout(text)
    # Items below items stay within their item: only the outermost lines of the source become lines here.
    outermost = min(place.indent for place in inner)
    starts = [place.at for place in inner if place.indent == outermost]
    # The first line is an item like the others only if it has their indentation and their mark; else it introduces
    # them.
    is_first_item = places[0].at == 0 and places[0][1:] == next(one for one in inner if one.at == starts[0])[1:]
    pieces = [text[begin:end].strip(" ;→") for begin, end in pairwise([0, *starts, len(text)])]
    mark = "→" if "→" in text[: starts[0]].rstrip()[-1:] else "–"
    if is_first_item or (has_heading and not pieces[0]):
        return TextLayout("", tuple(filter(None, pieces)), mark)
    return TextLayout(pieces[0], tuple(pieces[1:]), mark)


def _find_line_places(text: str, quoted: Sequence[Citation], passages: Mapping[str, Passage]) -> Iterator[LinePlace]:
    """The lines of quotes in their order in the text, but those that a quote begins in their middle."""
    at = 0
    for citation in quoted:
        passage = passages[citation.passage_id]
        before = passage.text[: citation.start - passage.start].rpartition("\n")[2]
        for number, line in enumerate((before + citation.quote).split("\n")):
            mark = line[: _measure_mark(line)]
            words = collapse_whitespace(line[max(len(mark), 0 if number else len(before)) :]).rstrip(" .;:")
            found = text.find(words, at) if words else -1
            if found < 0:
                continue
            at = found + len(words)
            # The first line of a quote counts only if the quote begins where the line does, apart from its mark.
            if number or len(before) <= len(mark):
                yield LinePlace(found, len(mark) - len(mark.lstrip()), bool(mark.strip()))


def _measure_mark(line: str) -> int:
    """Characters of a line's indentation and of the mark behind it."""
    found = _LINE_MARK.match(line)
    return found.end() if found else 0


def fills_line(citation: Citation, passage: Passage) -> bool:
    """Whether nothing but an item's mark stands beside a quote in its line: it is a heading, and no cell of a row."""
    before = passage.text[: citation.start - passage.start].rpartition("\n")[2]
    after = passage.text[citation.end - passage.start :].partition("\n")[0]
    return not re.search(r"[\w|]", before[_measure_mark(before) :] + after)


def split_headings(statement: Statement, cited: NumberedReferences) -> HeadedStatement:
    """Part a statement's text into headings and the rest.

    A heading is a quote that fills its line, or the title of the section that the first quote begins with, with a colon
    and more behind it.
    """
    headings: list[str] = []
    rest = statement.text
    for citation in statement.citations:
        quote = collapse_whitespace(citation.quote)
        section = cited.passages[citation.passage_id].section.rpartition(" › ")[2]
        # A section's title may open a quote without filling a line of its own; only the first quote can begin with it.
        has_title = not headings and section and quote.startswith(section)
        heading = section if has_title else quote.rstrip(": ")
        # Headings are parted only as far as the text repeats them in the same order: behind the first other word they
        # are prose.
        if not rest.startswith(f"{heading}: ") or len(heading.split()) > MAX_HEADING_WORDS:
            break
        if not has_title and not fills_line(citation, cited.passages[citation.passage_id]):
            break
        headings.append(heading)
        rest = rest[len(heading) + 2 :]
    return HeadedStatement(tuple(headings), rest, statement, statement.citations[len(headings) :])


def build_leads(leads: Sequence[Statement], cited: NumberedReferences) -> list[Text | Group]:
    """The statements of a short answer: in a paragraph where they are plain and short, else a list."""
    headed = [split_headings(statement, cited) for statement in leads]
    is_long = sum(len(statement.text.split()) for statement in leads) > MAX_LEAD_WORDS
    is_parted = len(leads) > 1 and (is_long or any(each.headings for each in headed))
    is_plain = not is_parted and not any(lay_out_statement(each, cited).items for each in headed)
    return [*_build_texts(headed, cited, "lead")] if is_plain else build_statements(leads, cited)


def build_statements(statements: Sequence[Statement], cited: NumberedReferences) -> list[Text | Group]:
    """Statements with what they rest on; words of their source that several are read under are printed once."""
    return _group_statements([split_headings(statement, cited) for statement in statements], cited)


def _group_statements(statements: Sequence[HeadedStatement], cited: NumberedReferences) -> list[Text | Group]:
    """Texts; where some share a heading, each heading is over its group, else before its statement."""
    groups = [[*members] for _, members in groupby(statements, key=lambda each: each.headings[:1])]
    is_parted = any(len(group) > 1 and group[0].headings for group in groups)
    blocks: list[Text | Group] = []
    for group in groups:
        # A heading over a single statement saves nothing: it stays in front of its words.
        if not is_parted or not group[0].headings:
            blocks += _build_texts(group, cited)
            continue
        shared = _count_shared(group)
        below = [each._replace(headings=each.headings[shared:]) for each in group]
        blocks.append(Group(": ".join(group[0].headings[:shared]), tuple(_group_statements(below, cited))))
    return blocks


def _count_shared(members: Sequence[HeadedStatement]) -> int:
    """How many headings, from the first on, all members have."""
    return next(
        (
            depth
            for depth, ways in enumerate(zip(*(each.headings for each in members), strict=False))
            if len({*ways}) > 1
        ),
        min(len(each.headings) for each in members),
    )


def _build_texts(
    statements: Sequence[HeadedStatement], cited: NumberedReferences, role: TextRole = "item"
) -> Iterator[Text]:
    """A text for each statement; items that nothing introduces are as good as statements, and are one each."""
    for headed in statements:
        statement, layout = headed.statement, lay_out_statement(headed, cited)
        if layout.intro:
            items, marks = tuple(map(Item, layout.items)), _mark_quote(headed, layout)
            text = Text(layout.intro, role, items, layout.mark, marks)
            yield _cite(text, statement, statement.citations, cited)
            continue
        for item in layout.items:
            own = tuple(dict.fromkeys(each for each in statement.citations if _share_words(each, item)))
            text = _cite(Text(item, role), statement, own or statement.citations, cited)
            yield replace(text, verbatim=_take_tokens(item) in _take_tokens(_join_quotes(statement)))


def _share_words(citation: Citation, item: str) -> bool:
    """Whether an item has the words of a line of a quote, or the quote has the item."""
    lines = (collapse_whitespace(line[_measure_mark(line) :]).rstrip(" .;:") for line in citation.quote.split("\n"))
    return item in collapse_whitespace(citation.quote) or any(line and line in item for line in lines)


def _cite(text: Text, statement: Statement, citations: Sequence[Citation], cited: NumberedReferences) -> Text:
    """The text with the words that it rests on, and what of it is not for the patient or not verified."""
    words = " ".join((text.text, *(item.text for item in text.items))).casefold()
    drugs = [drug for drug in cited.limited.get(statement.text, ()) if drug.casefold() in words]
    # Behind the marker, where the eye goes for support: a drug that is barred for this patient must not look
    # recommended.
    warning = f"not for this patient: {', '.join(drugs)}; see the warnings above" if drugs else ""
    return replace(
        text,
        citations=cited.list_numbers(citations),
        status=statement.verdict.status,
        remark="; ".join(filter(None, (warning, _describe_doubt(statement)))),
        quotes=cited.quote(citations),
        verbatim=is_verbatim(statement),
    )


def lay_out_statement(headed: HeadedStatement, cited: NumberedReferences) -> TextLayout:
    """How a statement is set: by the lines that its quotes were, else by what its text looks like."""
    layout = lay_out_quotes(headed.text, headed.quoted, cited.passages, has_heading=bool(headed.headings))
    # Lines of the source are certain; what the text looks like is only the second guess.
    if not layout.items:
        return lay_out_text(": ".join((*headed.headings, headed.text)))
    intro = ": ".join(filter(None, (*headed.headings, layout.intro)))
    is_open = intro and not intro.endswith((":", ".", "→"))
    return TextLayout(f"{intro}:" if is_open else intro, layout.items, layout.mark)


def _mark_quote(headed: HeadedStatement, layout: TextLayout) -> tuple[Mark, ...]:
    """The stretch behind the headings, where it is the last quote, word for word."""
    quotes = [collapse_whitespace(citation.quote) for citation in headed.statement.citations[-1:]]
    start = len(layout.intro) - len(headed.text)
    return (Mark(start, len(layout.intro)),) if quotes == [headed.text] and not layout.items else ()


def _describe_doubt(statement: Statement) -> str:
    """What of a statement is not verified; "" when there is nothing to say."""
    word = {"contradicted": "contradicted", "unverified": "not verified"}.get(statement.verdict.status)
    # Only a doubtful verdict is spoken: a marker without words says that the check was passed.
    if word is None or not statement.citations or not statement.verdict.reason:
        return ""
    return f"{word}: {explain_reason(statement.verdict.reason)}"


_SHARES = re.compile(r"supports (\d\.\d+), contradicts (\d\.\d+), silent (\d\.\d+)")
_JUDGED = (
    "the local judge finds it stated",
    "the local judge finds the opposite stated",
    "the local judge does not find it stated",
)
"""What the largest of the three shares means."""


def explain_reason(reason: str) -> str:
    """A reason in plain words: shares of a judge as what the largest of them means."""

    def name_largest(match: re.Match[str]) -> str:
        shares = [float(share) for share in match.groups()]
        # Shares of a judge mean nothing to a reader; which of the three is largest does.
        largest = max(range(3), key=shares.__getitem__)
        return f"{_JUDGED[largest]}{'' if shares[largest] >= 0.6 else ', but is unsure'}"

    return _SHARES.sub(name_largest, reason)


def is_verbatim(statement: Statement) -> bool:
    """Whether a statement consists of the words and figures of its quotes, in their order."""
    return bool(statement.citations) and _take_tokens(statement.text) == _take_tokens(_join_quotes(statement))


def _join_quotes(statement: Statement) -> str:
    return " ".join(citation.quote for citation in statement.citations)


def _take_tokens(text: str) -> str:
    return f" {' '.join(_SAID_TOKEN.findall(text))} "
