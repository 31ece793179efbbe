"""A section of a document in the lines and tables as which every writer sets it, word for word."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from wellsourced.presentation.blocks import ComparisonTable, Excerpt, Mark, MarkedStretch, Note, Text, split_marks
from wellsourced.presentation.wording import STATUS_WORDS, format_count
from wellsourced.text.blocks import NO_HEADER, Block, ancestors, find_blocks
from wellsourced.text.sanitization import collapse_whitespace

GAP = "…"
"""Stands where lines are left out."""

MAX_ADDED_WORDS = 80
"""Words that a short answer has besides, of a list or table of which it would leave no more out."""

REPEATED = "As noted above."
"""Stands for a note that is on several lines, after the first."""

CHECKED = frozenset({"verbatim", "verified"})
"""Statuses of which a cell says nothing."""

NOTE_SIGN = "⚠"
"""Before what is noted on a line."""


class Line(NamedTuple):
    """A paragraph, an item of a list or a step.

    sign       before its words: "•", "3.", "→"; "" for a paragraph
    depth      of lists or steps within which it is
    is_apart   the document has an empty line before it
    is_note    it is our words on the line before it
    stretches  its words where only some of them are marked; () where all are, or none
    """

    words: str
    sign: str = ""
    depth: int = 0
    is_marked: bool = False
    is_apart: bool = False
    is_note: bool = False
    stretches: tuple[MarkedStretch, ...] = ()


class Row(NamedTuple):
    """A row of a table; with one cell alone, the title of the rows below it, a gap, or a note on the row before it.

    numbers   of the works that each cell cites; () where the table is a document's own
    """

    cells: tuple[str, ...]
    is_marked: bool = False
    is_note: bool = False
    numbers: tuple[tuple[int, ...], ...] = ()

    @property
    def cited_cells(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """Its cells, each with the numbers of the works that it cites."""
        return tuple(zip(self.cells, self.numbers or [()] * len(self.cells), strict=True))


class Table(NamedTuple):
    """A table; `header` is () where the document names no columns."""

    header: tuple[str, ...]
    rows: tuple[Row, ...]
    is_apart: bool = False

    @property
    def lines(self) -> tuple[Row, ...]:
        """Its rows, after the one that names the columns."""
        return (Row(self.header), *self.rows) if self.header else self.rows

    @property
    def width(self) -> int:
        """How many columns it has."""
        return max(len(row.cells) for row in self.lines)


class Layout(NamedTuple):
    """The lines and tables of a section that are shown, and how many of its lines are left out."""

    parts: tuple[Line | Table, ...]
    left_out: int

    def describe_rest(self, how: str) -> str:
        """How many lines are left out, and `how` they are seen; "" for none."""
        more = f"{GAP} {format_count(self.left_out, 'more line')}" if self.left_out else ""
        return ". ".join(filter(None, (more, how))) if more else ""


def lay_out_comparison(block: ComparisonTable) -> Table:
    """The table of a comparison; a cell about which nothing is said has a dash."""
    rows = tuple(
        Row(
            (name, *(_write_cell(cell) for cell in cells)),
            numbers=((), *(cell.citations for cell in cells)),
        )
        for name, cells in block.rows
    )
    return Table(("", *block.columns), rows)


def _write_cell(cell: Text) -> str:
    doubt = f"({STATUS_WORDS[cell.status]})" if cell.status and cell.status not in CHECKED else ""
    note = NOTE_SIGN if cell.items else ""
    return " ".join(filter(None, (cell.text, doubt, note))) or "–"


def lay_out_lines(section: Excerpt) -> Layout:
    """The lines of a section that are shown, those that are marked marked; a row comes with the head of its table."""
    lines = find_blocks(section.text)
    parents = {line.parent for line in lines}
    heads = [_find_head(lines, place, parents) for place in range(len(lines))]
    shown = {place for place, line in enumerate(lines) if not section.shown or _touches(line, section.shown)}
    shown |= {head for place in shown if (head := heads[place]) is not None}
    marks = [(mark.start, mark.end) for mark in section.marks]
    gaps: Collection[int] = range(max(shown, default=0))
    if section.is_lead:
        added, gaps = _complete_lists(section.text, lines, shown)
        shown |= added
    # Of lines that are left out between others, the first stands for all: there is the gap.
    places = sorted(shown | {place for place in gaps if place == 0 or place - 1 not in gaps or place - 1 in shown})
    notes = _place_notes(section.notes, lines, sorted(shown))
    parts: list[Line | Table] = []
    for head, members in groupby(places, key=lambda place: heads[place]):
        inside = [*members]
        is_apart = bool(parts) and _is_apart(section.text, lines, inside[0])
        if head in shown and head is not None:
            rows: list[Row] = []
            for place in inside:
                rows.append(_read_row(section.text, lines[place], marks) if place in shown else Row((GAP,)))
                rows += (Row((f"{NOTE_SIGN} {words}",), is_note=True) for words in notes.get(place, ()))
            is_named = len(rows) > 1 and any(cell != NO_HEADER for cell in rows[0].cells)
            header = tuple(cell.replace(NO_HEADER, "") for cell in rows[0].cells) if is_named else ()
            parts.append(Table(header, tuple(rows[len(rows) > 1 :]), is_apart))
            continue
        for place in inside:
            line = _read_line(section.text, lines, place, marks) if place in shown else Line(GAP)
            # Of gaps in lists within lists, one is enough.
            parts += [line] if line.words != GAP or parts[-1:] != [line] else []
            parts += (Line(words, NOTE_SIGN, line.depth, is_note=True) for words in notes.get(place, ()))
    return Layout(tuple(parts), 0 if section.is_lead else len(lines) - len(shown))


def _complete_lists(text: str, lines: Sequence[Block], shown: Collection[int]) -> tuple[set[int], set[int]]:
    """What a short answer leaves out of tables and lists of which it has a part: what is added, since it is little, and
    where a gap is shown. The row that holds for somebody may be one that was not marked.
    """
    lists = _number_lists(lines)
    begun = {lists[place] for place in shown if lines[place].kind != "paragraph"}
    cut = {place for place in range(len(lines)) if place not in shown and lists[place] in begun}
    chains = {place: [one for one in (place, *ancestors(lines, place)) if one in cut] for place in range(len(lines))}
    tops = {place: chain[0] for place, chain in chains.items() if chain}
    words = Counter[int]()
    for place, top in tops.items():
        words[lists[top]] += len(text[lines[place].span.start : lines[place].span.end].split())
    added = {place for place, top in tops.items() if words[lists[top]] <= MAX_ADDED_WORDS}
    return added, cut - added


def _number_lists(lines: Sequence[Block]) -> list[int]:
    """For each line where the list or table begins that it is in: what hangs on one line and is of one kind."""
    begun: dict[int | None, int] = {}
    starts: list[int] = []
    for place, line in enumerate(lines):
        first = begun.get(line.parent, place)
        begun[line.parent] = first if lines[first].kind == line.kind else place
        starts.append(begun[line.parent])
    return starts


def _place_notes(notes: Iterable[Note], lines: Sequence[Block], shown: Sequence[int]) -> dict[int, list[str]]:
    """The notes below each line: below the last that is shown of those that a note is on."""
    placed: dict[int, list[str]] = {}
    for note in notes:
        below = [place for place in shown if _touches(lines[place], [(note.start, note.end)])]
        is_told = any(note.text in words for words in placed.values())
        if below:
            placed.setdefault(below[-1], []).append(REPEATED if is_told else note.text)
    return placed


def _find_head(lines: Sequence[Block], place: int, parents: Collection[int | None]) -> int | None:
    """The first row of the table that a line is in; None where it is in none."""
    above = next((one for one in ancestors(lines, place) if lines[one].kind == "row"), None)
    if lines[place].kind == "row":
        return place if above is None else above
    # A line behind the last row of a table is no title of rows.
    return above if place in parents else None


def _read_line(text: str, lines: Sequence[Block], place: int, marks: Sequence[tuple[int, int]]) -> Line:
    line = lines[place]
    sign = text[text.rfind("\n", 0, line.span.start) + 1 : line.span.start].strip(" \t|+")
    return Line(
        collapse_whitespace(text[line.span.start : line.span.end]),
        {"-": "•", "*": "•"}.get(sign, "→" if line.kind == "step" and sign else sign),
        sum(lines[one].kind in ("item", "step") for one in ancestors(lines, place)),
        _touches(line, marks),
        place > 0 and _is_apart(text, lines, place),
        stretches=_cut_marked(text, line, marks),
    )


def _cut_marked(text: str, line: Block, marks: Sequence[tuple[int, int]]) -> tuple[MarkedStretch, ...]:
    first, last = line.span.start, line.span.end
    inside = [Mark(max(start, first) - first, end - first) for start, end in marks if start < last and first < end]
    stretches = split_marks(text[first:last], inside) if inside else ()
    # Words on both sides of an edge must not run into each other.
    return tuple(one._replace(text=" ".join(one.text.split("\n"))) for one in stretches) if len(stretches) > 1 else ()


def _read_row(text: str, line: Block, marks: Sequence[tuple[int, int]]) -> Row:
    cells = line.cells or (line.span,)
    return Row(tuple(collapse_whitespace(text[cell.start : cell.end]) for cell in cells), _touches(line, marks))


def _touches(line: Block, spans: Iterable[tuple[int, int]]) -> bool:
    return any(start < line.span.end and line.span.start < end for start, end in spans)


def _is_apart(text: str, lines: Sequence[Block], place: int) -> bool:
    """Whether an empty line is before a line, and it does not only go on with a list."""
    line, before = lines[place], lines[place - 1]
    goes_on = line.kind == before.kind and line.kind in ("item", "step")
    return not goes_on and text.count("\n", before.span.end, line.span.start) > 1
