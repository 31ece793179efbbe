"""The tree of blocks that every result becomes: what is shown, in order, without how.

Texts are as their source has them: no escapes, no wrapping, no markers. What stands out in a text is a `Mark` with
offsets into it; what a text rests on is the numbers of `References`. Each block says in which `Detail` it belongs;
`arrange_blocks` leaves out what a reader did not ask for.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal, NamedTuple

from wellsourced.errors import NextStep
from wellsourced.types import Erratum, VerdictStatus

Detail = Literal["short", "quotes", "receipt"]
"""Which views show a block.

short     every view
quotes    views with the words that statements rest on
receipt   views that show how the result was found: every search, and why passages were left out
"""

ALL_DETAILS: tuple[Detail, ...] = ("short", "quotes", "receipt")

MarkKind = Literal["quote", "differs", "statement"]


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of the text of its block: text[start:end] is quoted, differs from the other side, or makes a statement.

    Words that differ may lie within a quote, and several statements in one stretch.

    number   of the statement that the stretch makes; 0 for other kinds

    Raises ValueError for a stretch that is empty or reversed.
    """

    start: int
    end: int
    kind: MarkKind = "quote"
    number: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"no stretch of a text: {self.start} to {self.end}")


class Note(NamedTuple):
    """Words of ours on a stretch of the text of its block, which are shown below the last of its lines."""

    start: int
    end: int
    text: str


def place_notes(errata: Iterable[Erratum], start: int) -> tuple[Note, ...]:
    """What is wrong in a text that begins at `start` of its document."""
    return tuple(Note(one.start - start, one.end - start, one.note) for one in errata)


@dataclass(frozen=True, slots=True)
class Locator:
    """Where words are: document.text[start:end] of the document with this id.

    title    of the work, with its year
    number   of the work in the references of the result; 0: it has none
    page     as printed: "12", "12–13"; "" when the document has no pages
    link     of the work on the web; "" when unknown
    spans    what of it is marked; (): all of it
    """

    document: str
    title: str
    section: str = ""
    page: str = ""
    start: int = 0
    end: int = 0
    number: int = 0
    link: str = ""
    spans: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Quote:
    """The words that a statement rests on, marked in the passage around them.

    text      of the passage, as the document has it: its text[start:end] by the offsets of `locator`
    marks     in the order in which the statement uses the words; `split_marks` puts them in the order of the text
    facts     what is known of the work: design, how it was read, retraction
    above     what the words hang on: the header of their row, the line that introduces their list
    """

    text: str
    marks: tuple[Mark, ...]
    locator: Locator
    facts: tuple[str, ...] = ()
    above: str = ""

    def __post_init__(self) -> None:
        _check_marks(self.text, self.marks)

    @property
    def words(self) -> tuple[str, ...]:
        """The quoted stretches, in order."""
        return tuple(self.text[mark.start : mark.end] for mark in self.marks if mark.kind == "quote")

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """Where the quoted stretches are in the document."""
        at = self.locator.start
        return tuple((at + mark.start, at + mark.end) for mark in self.marks if mark.kind == "quote")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading over the blocks up to the next one of its level; level 1 is the title of the result, 2 a part of it, 3
    the words of a source that statements share.

    anchor    a name by which a page opens at it; "" where nothing leads to it
    is_lead   it is over the short answer
    """

    text: str
    level: int = 2
    anchor: str = ""
    is_lead: bool = False
    detail: Detail = "short"


TextRole = Literal["plain", "strong", "aside"]
"""How much a text weighs: as others, what must not be missed, what may be passed over."""


@dataclass(frozen=True, slots=True)
class Text:
    """A statement, a sentence of ours, or a line of a list, with what it rests on and what belongs to it.

    items       lines below the text: its list, the sides of a conflict
    quotes      the words that it rests on, in their passages; a line of a list may consist of them, without a text
    citations   numbers of works in the references
    status      of a statement, else None; `remark`: what of it is doubtful
    marks       stretches that differ from the source
    number      of a statement of a text that is shown with it; 0: there is none
    group       heading of the statements among which it is
    step        what its reader can do about it
    """

    text: str = ""
    role: TextRole = "plain"
    items: tuple["Text", ...] = ()
    quotes: tuple[Quote, ...] = ()
    citations: tuple[int, ...] = ()
    status: VerdictStatus | None = None
    remark: str = ""
    marks: tuple[Mark, ...] = ()
    number: int = 0
    group: str = ""
    step: NextStep | None = None
    detail: Detail = "short"

    def __post_init__(self) -> None:
        _check_marks(self.text, self.marks)


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text that is checked, with the stretches marked that make its statements.

    statements   what was found of each statement that the marks number, the most urgent first, by their groups: a page
                 shows both side by side, other views only the statements
    """

    text: str
    marks: tuple[Mark, ...] = ()
    statements: tuple[Text, ...] = ()
    detail: Detail = "short"

    def __post_init__(self) -> None:
        _check_marks(self.text, self.marks)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A section of a document, word for word, in whole lines: writers set it as `lay_out_lines` reads it.

    title     the headings under which it stands; "" where it has none
    text      all of the section, its text[start:end] by the offsets of `locator`
    marks     lines in which any begins or ends are marked
    shown     stretches whose lines are shown, in order; (): all of them
    notes     what is wrong in lines, as far as they are shown
    is_lead   it is part of the short answer
    step      how its reader sees the lines that are left out; `rest`: the same in the words of a surface
    """

    title: str
    text: str
    locator: Locator
    marks: tuple[Mark, ...] = ()
    shown: tuple[tuple[int, int], ...] = ()
    notes: tuple[Note, ...] = ()
    level: int = 2
    is_lead: bool = False
    step: NextStep | None = None
    rest: str = ""
    detail: Detail = "short"

    def __post_init__(self) -> None:
        _check_marks(self.text, self.marks)


ListKind = Literal["plain", "emergency", "patient", "unsourced", "urgent", "abstention", "gap", "note"]
"""What a list is, where it has to be read before acting on the rest, or to judge it."""


@dataclass(frozen=True, slots=True)
class List:
    """Lines under a heading, "" where they need none. Without lines it is not shown, unless its heading says it all.

    is_ordered   each line has its rank before it, from 1
    anchor       as of a heading
    """

    title: str
    items: tuple[Text, ...] = ()
    kind: ListKind = "plain"
    is_ordered: bool = False
    anchor: str = ""
    detail: Detail = "short"


@dataclass(frozen=True, slots=True)
class ComparisonTable:
    """Alternatives beside each other, one a row; what their cells say is said in full by statements that follow.

    columns   what they are compared by
    rows      the name of each, and its cells in the order of the columns; nothing is said where a cell has no text
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Text, ...]], ...]
    detail: Detail = "short"


@dataclass(frozen=True, slots=True)
class CitedWork:
    """A cited work.

    words     the work in a line, by which it is found: in short, or as a journal prints it
    remark    what sort of study it is, and what speaks against it
    link      on the web; "" when unknown
    context   what reference managers take up from a page (an OpenURL's context object)
    """

    number: int
    title: str
    words: str
    remark: str
    link: str
    context: str = ""


@dataclass(frozen=True, slots=True)
class References:
    """The cited works, by number."""

    entries: tuple[CitedWork, ...]
    detail: Detail = "short"


Block = Heading | Text | Excerpt | ComparisonTable | MarkedText | List | References


@dataclass(frozen=True, slots=True)
class Presentation:
    """All that is shown of one result."""

    title: str
    blocks: tuple[Block, ...]


def skip_step(_: NextStep) -> str:
    """No words: where a result is read outside of a surface of ours, it is not known how a step is taken."""
    return ""


def arrange_blocks(
    presentation: Presentation, details: Collection[Detail], spell_step: Callable[[NextStep], str] = skip_step
) -> Iterator[Block]:
    """The blocks of these views in order, steps as words; statements have their quotes only in views with quotes.

    spell_step   how a step is taken where the blocks are read; "": not at all, and lists of only such are left out
    """
    for block in presentation.blocks:
        if block.detail not in details:
            continue
        if isinstance(block, Text):
            yield from _arrange_texts([block], spell_step, with_quotes="quotes" in details)
        elif isinstance(block, Excerpt):
            yield replace(block, step=None, rest=spell_step(block.step) if block.step else "")
        elif isinstance(block, MarkedText):
            statements = tuple(_arrange_texts(block.statements, spell_step, with_quotes="quotes" in details))
            yield replace(block, statements=statements)
        elif isinstance(block, List):
            items = tuple(_arrange_texts(block.items, spell_step))
            yield from [replace(block, items=items)] if items or block.kind in ("unsourced", "abstention") else []
        elif not isinstance(block, References) or block.entries:
            yield block


def _arrange_texts(
    texts: Iterable[Text], spell_step: Callable[[NextStep], str], *, with_quotes: bool = True
) -> Iterator[Text]:
    for text in texts:
        step = spell_step(text.step) if text.step else ""
        words = ". ".join(filter(None, (text.text.removesuffix("."), step))) if step else text.text
        quotes = text.quotes if with_quotes else ()
        if words or text.items or quotes:
            items = tuple(_arrange_texts(text.items, spell_step))
            yield replace(text, text=words, items=items, quotes=quotes, step=None)


class MarkedStretch(NamedTuple):
    """A part of a text, and whether it is marked."""

    text: str
    marked: bool


def split_marks(text: str, marks: Iterable[Mark]) -> tuple[MarkedStretch, ...]:
    """A text as stretches, in its order; where marks overlap, each character is marked once."""
    stretches, at = [], 0
    for mark in sorted(marks, key=lambda mark: (mark.start, mark.end)):
        start, end = max(mark.start, at), min(mark.end, len(text))
        if start < end:
            stretches += [MarkedStretch(text[at:start], False), MarkedStretch(text[start:end], True)]
            at = end
    return tuple(stretch for stretch in (*stretches, MarkedStretch(text[at:], False)) if stretch.text)


def emphasize_differences(text: str, marks: Iterable[Mark], emphasize: Callable[[str], str]) -> str:
    """A text whose words that differ from the other side are emphasised."""
    parts = split_marks(text, (mark for mark in marks if mark.kind == "differs"))
    return "".join(emphasize(part.text) if part.marked else part.text for part in parts)


def group_statements(statements: Iterable[Text]) -> Iterator[tuple[str, list[Text]]]:
    """Statements in their order by groups, each under its heading."""
    for heading, members in groupby(statements, key=lambda one: one.group):
        yield heading, [*members]


CITATION_MARK = re.compile(r"[\[［](\s?\d{1,4}(?:\s?[-–—,;]\s?\d{1,4}){0,40}\s?)[\]］]")
"""A mark of reference as documents print it: “[1]”, “[3, 5–7]”."""


def escape_citation_marks(text: str) -> str:
    """The words of others, as long as before, with their own marks as “‹1›”: writers print “[1]” as a mark of ours."""
    return CITATION_MARK.sub(r"‹\1›", text)


def _check_marks(text: str, marks: Iterable[Mark]) -> None:
    for mark in marks:
        if mark.end > len(text):
            raise ValueError(f"a mark ends at {mark.end}, behind the {len(text)} characters of its text")
