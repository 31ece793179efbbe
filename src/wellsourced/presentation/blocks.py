"""The tree of blocks that every result becomes: what is shown, in order, without how.

Texts are as their source has them: no escapes, no wrapping, no markers. What stands out in a text is a `Mark` with
offsets into it; what a text rests on is the numbers of `References`. Each block says in which `Detail` it belongs;
`select_blocks` leaves out what a reader did not ask for.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from wellsourced.types import VerdictStatus

Detail = Literal["short", "quotes", "receipt"]
"""Which views show a block.

short     every view
quotes    views with the words that statements rest on
receipt   views that show how the result was found: every search, what was left out, references in full
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

    number   of the work in the references of the result; 0: it has none
    page     as printed, from 1; 0: the document has no pages
    link     of the work on the web; "" when unknown
    """

    document: str
    title: str
    section: str = ""
    page: int = 0
    start: int = 0
    end: int = 0
    number: int = 0
    link: str = ""


@dataclass(frozen=True, slots=True)
class Quote:
    """The words that a statement rests on, marked in the passage around them.

    text    of the passage, as the document has it
    facts   what is known of the work: design, year, how it was read, retraction
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


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading over the blocks up to the next one; level 1 is the title of the result."""

    text: str
    level: int = 2
    detail: Detail = "short"


TextRole = Literal["plain", "lead", "item", "strong", "aside"]
"""What a text is: prose, a leading statement, a statement in a list, what must not be missed, a remark."""


@dataclass(frozen=True, slots=True)
class Text:
    """A statement or a sentence of ours, with what it rests on.

    number      of a statement of a text that is shown with it; 0: there is none
    headings    of the source that it is read under, the outermost first
    items       a list or steps below the text; an empty text has only items
    item_mark   what each item begins with in the source: "–", "→"
    citations   numbers of works in the references
    status      of a statement, else None; `remark`: what is doubtful or not for this patient
    quotes      the words that it rests on, in their passages
    verbatim    the text is its quotes, word for word
    """

    text: str
    role: TextRole = "plain"
    headings: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    item_mark: str = "–"
    marks: tuple[Mark, ...] = ()
    citations: tuple[int, ...] = ()
    status: VerdictStatus | None = None
    remark: str = ""
    quotes: tuple[Quote, ...] = ()
    verbatim: bool = False
    number: int = 0
    detail: Detail = "short"

    def __post_init__(self) -> None:
        _check_marks(self.text, self.marks)


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
class Item:
    """A line of a list, and what belongs to it: the words of a warning, the sides of a conflict.

    quoted   of `details`: places in it that are words of sources
    """

    text: str
    details: tuple[str, ...] = ()
    citations: tuple[int, ...] = ()
    quoted: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class List:
    """Lines under a heading of their own; "" where they need none."""

    title: str
    items: tuple[Item, ...]
    detail: Detail = "short"


CalloutKind = Literal["emergency", "patient", "unsourced", "abstention", "gap", "note"]


@dataclass(frozen=True, slots=True)
class Callout:
    """What has to be read before acting on the rest, or to judge it: an emergency, warnings for a patient, gaps."""

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


Block = Heading | Text | Quote | SourceSection | MarkedText | Table | List | Callout | References | Receipt


@dataclass(frozen=True, slots=True)
class Presentation:
    """All that is shown of one result. `kind`: "answer", "check", "search", "document", "record", "library" …"""

    kind: str
    title: str
    blocks: tuple[Block, ...]


def select_blocks(blocks: Iterable[Block], details: Collection[Detail]) -> Iterator[Block]:
    """The blocks of these views, in order; texts with those of their quotes that belong there."""
    for block in blocks:
        if block.detail not in details:
            continue
        if isinstance(block, Text):
            yield _select_quotes(block, details)
        elif isinstance(block, MarkedText):
            yield replace(block, statements=tuple(_select_quotes(one, details) for one in block.statements))
        else:
            yield block


def _select_quotes(text: Text, details: Collection[Detail]) -> Text:
    quotes = tuple(quote for quote in text.quotes if quote.detail in details)
    return text if len(quotes) == len(text.quotes) else replace(text, quotes=quotes)


def _check_marks(text: str, marks: Iterable[Mark]) -> None:
    for mark in marks:
        if mark.end > len(text):
            raise ValueError(f"a mark ends at {mark.end}, behind the {len(text)} characters of its text")
