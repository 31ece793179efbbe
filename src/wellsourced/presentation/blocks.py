"""The tree of blocks that every result becomes: what is shown, in order, without how.

Texts are as their source has them: no escapes, no wrapping, no markers. What stands out in a text is a `Mark` with
offsets into it; what a text rests on is the numbers of `References`. Each block says in which `Detail` it belongs;
`select_blocks` leaves out what a reader did not ask for.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from wellsourced.errors import NextStep
from wellsourced.types import VerdictStatus

Detail = Literal["short", "quotes", "receipt", "omissions"]
"""Which views show a block.

short       every view
quotes      views with the words that statements rest on
receipt     views that show how the result was found: every search, what was left out, references in full
omissions   views that list each passage that was left out
"""

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


@dataclass(frozen=True, slots=True)
class Locator:
    """Where words are: document.text[start:end] of the document with this id.

    title    of the work, with its year
    number   of the work in the references of the result; 0: it has none
    page     as printed: "12", "12–13"; "" when the document has no pages
    link     of the work on the web; "" when unknown
    """

    document: str
    title: str
    section: str = ""
    page: str = ""
    start: int = 0
    end: int = 0
    number: int = 0
    link: str = ""


@dataclass(frozen=True, slots=True)
class Quote:
    """The words that a statement rests on, marked in the passage around them.

    text      of the passage, as the document has it: its text[start:end] by the offsets of `locator`
    marks     in the order in which the statement uses the words; `split_marks` puts them in the order of the text
    facts     what is known of the work: design, how it was read, retraction
    """

    text: str
    marks: tuple[Mark, ...]
    locator: Locator
    facts: tuple[str, ...] = ()
    detail: Detail = "quotes"

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
    """A heading over the blocks up to the next one; level 1 is the title of the result.

    citations   numbers of the works that all below it is from, printed between `prefix` and `text`: "From [2] Gout"
    anchor      a name by which a page opens at it; "" where nothing leads to it
    is_lead     it is over the short answer
    """

    text: str
    level: int = 2
    prefix: str = ""
    citations: tuple[int, ...] = ()
    anchor: str = ""
    is_lead: bool = False
    detail: Detail = "short"


ItemRole = Literal["plain", "strong", "aside"]
"""How much a line weighs: as others, what must not be missed, what may be passed over."""


@dataclass(frozen=True, slots=True)
class Item:
    """A line of a list, with what belongs to it below: the words of a warning, the sides of a conflict.

    citations   numbers of works in the references
    remark      what of it is doubtful
    quotes      words of sources; an item may consist of them, and has no text then
    step        what its reader can do about it
    """

    text: str = ""
    items: tuple["Item", ...] = ()
    quotes: tuple[Quote, ...] = ()
    citations: tuple[int, ...] = ()
    role: ItemRole = "plain"
    remark: str = ""
    step: NextStep | None = None


TextRole = Literal["plain", "lead", "item", "strong", "aside"]
"""What a text is: prose, a statement of a short answer that may run on in a paragraph, a statement in a list, what must
not be missed, a remark."""


@dataclass(frozen=True, slots=True)
class Text:
    """A statement or a sentence of ours, with what it rests on.

    number      of a statement of a text that is shown with it; 0: there is none
    items       a list or steps below the text
    item_mark   what each item begins with in the source: "–", "→"
    marks       stretches that are a quote, word for word
    citations   numbers of works in the references
    status      of a statement, else None; `remark`: what of it is doubtful or not for this patient
    quotes      the words that it rests on, in their passages
    verbatim    the text is its quotes, word for word
    step        what its reader can do about it
    """

    text: str
    role: TextRole = "plain"
    items: tuple[Item, ...] = ()
    item_mark: str = "–"
    marks: tuple[Mark, ...] = ()
    citations: tuple[int, ...] = ()
    status: VerdictStatus | None = None
    remark: str = ""
    quotes: tuple[Quote, ...] = ()
    verbatim: bool = False
    number: int = 0
    step: NextStep | None = None
    detail: Detail = "short"

    def __post_init__(self) -> None:
        _check_marks(self.text, self.marks)


@dataclass(frozen=True, slots=True)
class Group:
    """Statements under the words of their source that they share: `heading` is printed once, with a colon."""

    heading: str
    members: tuple["Text | Group", ...]
    detail: Detail = "short"


@dataclass(frozen=True, slots=True)
class SourceSection:
    """A section of a document, whole, with the lines that matter marked."""

    title: str
    text: str
    locator: Locator
    marks: tuple[Mark, ...] = ()
    detail: Detail = "short"

    def __post_init__(self) -> None:
        _check_marks(self.text, self.marks)


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text with its statements marked, and what was found of each of them, the most urgent first.

    A page shows both side by side, the statements in the order of their numbers; other views only the statements.
    """

    section: SourceSection
    statements: tuple[Text, ...]
    detail: Detail = "short"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a header; every row has as many cells as the header. Raises ValueError for one that has not."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    detail: Detail = "short"

    def __post_init__(self) -> None:
        if any(len(row) != len(self.header) for row in self.rows):
            raise ValueError(f"a row has not the {len(self.header)} cells of its header")


@dataclass(frozen=True, slots=True)
class List:
    """Lines under a heading, "" where they need none; the numbers of an item's works are printed before it.

    is_ordered   each has its rank before it, from 1
    anchor       as of a heading
    """

    title: str
    items: tuple[Item, ...]
    is_ordered: bool = False
    anchor: str = ""
    detail: Detail = "short"


CalloutKind = Literal["emergency", "patient", "unsourced", "abstention", "gap", "note", "urgent"]


@dataclass(frozen=True, slots=True)
class Callout:
    """What has to be read before acting on the rest, or to judge it: an emergency, warnings for a patient, gaps.

    A "note" is among the steps of the receipt as well, so that a writer that prints these can leave it out.
    """

    kind: CalloutKind
    title: str
    items: tuple[Item, ...] = ()
    detail: Detail = "short"


@dataclass(frozen=True, slots=True)
class CitedWork:
    """A cited work.

    brief     as short as it can be found by; `full`: with publisher, retraction status and how it was read
    remark    what sort of study it is, and what speaks against it
    columns   for tables, as in `REFERENCE_COLUMNS`
    link      on the web; "" when unknown
    """

    number: int
    document: str
    title: str
    brief: str
    full: str
    remark: str
    columns: tuple[str, ...]
    link: str
    context_object: str = ""


REFERENCE_COLUMNS = ("No.", "Work", "Year", "Design", "Size", "Read", "Retraction")


@dataclass(frozen=True, slots=True)
class References:
    """The cited works, by number.

    is_styled   `full` is in a journal's style, and is shown in every view
    header      of the columns of the entries, where they are set as a table
    """

    entries: tuple[CitedWork, ...]
    is_styled: bool = False
    header: tuple[str, ...] = REFERENCE_COLUMNS
    detail: Detail = "short"


@dataclass(frozen=True, slots=True)
class Receipt:
    """How the result was found: in a sentence, and step by step; at last what it is not.

    steps    shown only in a receipt, in place of the summary
    """

    summary: str
    title: str
    steps: tuple[str, ...]
    closing: str
    disclaimer: str
    detail: Detail = "short"


Block = Heading | Text | Group | Quote | SourceSection | MarkedText | Table | List | Callout | References | Receipt


@dataclass(frozen=True, slots=True)
class Presentation:
    """All that is shown of one result. `kind`: "answer", "check", "search", "document", "record", "library" …"""

    kind: str
    title: str
    blocks: tuple[Block, ...]


def select_blocks(blocks: Iterable[Block], details: Collection[Detail]) -> Iterator[Block]:
    """The blocks of these views, in order; texts with those of their quotes that belong there."""
    for block in blocks:
        if block.detail in details:
            yield _select_quotes(block, details)


def _select_quotes(block: Block, details: Collection[Detail]) -> Block:
    match block:
        case Text():
            quotes = tuple(quote for quote in block.quotes if quote.detail in details)
            return block if len(quotes) == len(block.quotes) else replace(block, quotes=quotes)
        case Group():
            members = (_select_quotes(member, details) for member in block.members)
            return replace(block, members=tuple(one for one in members if isinstance(one, Text | Group)))
        case MarkedText():
            statements = (_select_quotes(one, details) for one in block.statements)
            return replace(block, statements=tuple(one for one in statements if isinstance(one, Text)))
    return block


def skip_step(_: NextStep) -> str:
    """No words: where a result is read outside of a surface of ours, it is not known how a step is taken."""
    return ""


def arrange_blocks(
    presentation: Presentation, details: Collection[Detail], spell_step: Callable[[NextStep], str] = skip_step
) -> Iterator[Block]:
    """The blocks of these views as a page or a file prints them: steps as words.

    spell_step   how a step is taken where the blocks are read; "": not at all, and lists of only such are left out
    """
    return _spell_steps(select_blocks(presentation.blocks, details), spell_step)


def _spell_steps(blocks: Iterable[Block], spell: Callable[[NextStep], str]) -> Iterator[Block]:
    for block in blocks:
        if isinstance(block, Text) and block.step:
            yield replace(block, text=f"{block.text} {spell(block.step)}".strip(), step=None)
        elif isinstance(block, List | Callout) and block.items:
            items = tuple(_spell_items(block.items, spell))
            yield from [replace(block, items=items)] if items or isinstance(block, Callout) else []
        else:
            yield block


def _spell_items(items: Iterable[Item], spell: Callable[[NextStep], str]) -> Iterator[Item]:
    for item in items:
        step = spell(item.step) if item.step else ""
        text = ". ".join(filter(None, (item.text.removesuffix("."), step))) if step else item.text
        if text or item.items or item.quotes:
            yield replace(item, text=text, items=tuple(_spell_items(item.items, spell)), step=None)


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


CITATION_MARK = re.compile(r"[\[［](\s?\d{1,4}(?:\s?[-–—,;]\s?\d{1,4}){0,40}\s?)[\]］]")
"""A mark of reference as documents print it: “[1]”, “[3, 5–7]”."""


def escape_citation_marks(text: str) -> str:
    """The words of others, as long as before, with their own marks as “‹1›”: writers print “[1]” as a mark of ours."""
    return CITATION_MARK.sub(r"‹\1›", text)


def _check_marks(text: str, marks: Iterable[Mark]) -> None:
    for mark in marks:
        if mark.end > len(text):
            raise ValueError(f"a mark ends at {mark.end}, behind the {len(text)} characters of its text")
