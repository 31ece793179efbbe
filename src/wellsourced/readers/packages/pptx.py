"""Slides (.pptx): each a section with its title, texts and tables, and the speaker's notes below, as notes."""

from collections.abc import Iterator

from wellsourced.readers.base import DocumentStream, File, UnreadablePart, salvage_documents
from wellsourced.readers.document_builder import DocumentBuilder
from wellsourced.readers.file_listing import with_digest
from wellsourced.readers.packages.numbering import format_number
from wellsourced.readers.packages.office_parts import (
    Element,
    FileFormat,
    OfficePackage,
    OmittedContent,
    attribute,
    join_pieces,
    run_pieces,
)
from wellsourced.readers.table_rows import Cell, TableRow, span_count, table_lines
from wellsourced.readers.xml_records import MAX_DEPTH, local_name
from wellsourced.types import SourceKind

SLIDES_FORMAT = FileFormat("PowerPoint", "Open it in a presentation program and save it again as .pptx.")

TITLE_PLACES = frozenset({"title", "ctrTitle"})
MARGIN_PLACES = frozenset({"dt", "ftr", "hdr", "sldNum", "sldImg"})
"""Placeholders of what stands on every slide: dates, footers, numbers."""

NOTES_HEADING = "Notes"


@with_digest
@salvage_documents
def read_pptx(path: File, kind: SourceKind) -> DocumentStream:
    """The one document that a file of slides is.

    Each slide is a section under its title, or "Slide 3" without one; items keep their numbers, rows of tables read
    "a | b". What the speaker's notes say follows under "Notes". Hidden slides are left out, and told, as are charts and
    signs that are no text.
    """
    package = OfficePackage(path, SLIDES_FORMAT, "presentation")
    page, omitted = DocumentBuilder(), OmittedContent()
    hidden: list[str] = []
    first_title = ""
    for number, listed in enumerate(package.root(package.main).iterfind("{*}sldIdLst/{*}sldId"), 1):
        slide = _Slide(package, package.target(package.main, listed), omitted)
        if slide.is_hidden:
            hidden.append(str(number))
            continue
        title = slide.write(page, number)
        first_title = first_title or title
    if page.text:
        yield page.build(package.build_reference(kind, first_title))
    if hidden:
        yield UnreadablePart(f"slides {', '.join(hidden)}", "they are hidden, and were left out", "Show them and save.")
    yield from omitted.list_faults(page.text)


class _Slide:
    """One slide, or the notes to it, on its way to a page."""

    def __init__(self, package: OfficePackage, part: str, omitted: OmittedContent) -> None:
        self._package, self._part, self._omitted = package, part, omitted
        self._root = package.root(part)
        self.is_hidden = self._root.get("show") in ("0", "false")

    def write(self, page: DocumentBuilder, number: int) -> str:
        """Put the slide on a page as a section; its title."""
        shapes = [*_iter_shapes(self._root)]
        titles = [" ".join(self._lines(shape)) for shape in shapes if _place(shape) in TITLE_PLACES]
        title = " ".join(filter(None, titles))
        page.open_section(title, 1, title or f"Slide {number}")
        for shape in shapes:
            if _place(shape) not in TITLE_PLACES | MARGIN_PLACES:
                for block in self._shape_blocks(shape):
                    page.add_block(block)
        for part in self._package.list_related(self._part, "notesSlide"):
            notes = _Slide(self._package, part, self._omitted)
            shown = [shape for shape in _iter_shapes(notes._root) if _place(shape) not in MARGIN_PLACES]
            if words := "\n".join(line for shape in shown for line in notes._lines(shape)):
                page.open_section(NOTES_HEADING, 2)
                page.add_block(words)
        return title

    def _shape_blocks(self, shape: Element) -> Iterator[str]:
        if local_name(shape) == "sp":
            yield "\n".join(self._lines(shape))
        elif (table := next(shape.iter("{*}tbl"), None)) is not None:
            yield "\n".join(table_lines(self._table_rows(table)))
        elif next(shape.iter("{*}chart"), None) is not None:
            self._omitted.count("charts")
        for diagram in shape.iter("{*}relIds"):
            yield "\n".join(self._lines(self._package.root(self._package.target(self._part, diagram, "dm"))))

    def _lines(self, shape: Element) -> list[str]:
        """The paragraphs of a shape, items with their numbers."""
        # Texts in the places of a layout are lists, whose bullets the layout draws.
        is_list = _place(shape) in ("body", "obj", "")
        is_list = is_list and len([one for one in shape.iter("{*}p") if next(one.iter("{*}t"), None) is not None]) > 1
        counts: dict[int, int] = {}
        lines = []
        for paragraph in shape.iter("{*}p"):
            words = join_pieces(run_pieces(paragraph, self._omitted))
            if not words:
                continue
            properties = paragraph.find("{*}pPr")
            level = 0 if properties is None else int(f"0{properties.get('lvl', '')[:1]}")
            mark = _item_mark(properties, level, counts, is_list)
            lines.append(f"{'  ' * level}{mark} {words}" if mark else words)
        return lines

    def _table_rows(self, table: Element) -> list[TableRow]:
        has_header = attribute(table.find("{*}tblPr"), "firstRow") in ("1", "true")
        rows: list[TableRow] = []
        for row in table.iterchildren("{*}tr"):
            # A cell that goes on another stands in the file, empty.
            own = [cell for cell in row.iterchildren("{*}tc") if not cell.get("hMerge") and not cell.get("vMerge")]
            cells = [
                Cell("\n".join(self._lines(cell)), span_count(cell.get("rowSpan")), span_count(cell.get("gridSpan")))
                for cell in own
            ]
            rows.append(TableRow(cells, has_header and not rows))
        return rows


def _iter_shapes(parent: Element, depth: int = 0) -> Iterator[Element]:
    """Texts, tables and charts of a slide in their order, those of groups too."""
    for child in parent:
        name = local_name(child)
        if name in ("sp", "graphicFrame"):
            yield child
        elif name in ("cSld", "spTree", "grpSp", "AlternateContent", "Choice") and depth < MAX_DEPTH:
            yield from _iter_shapes(child, depth + 1)


def _place(shape: Element) -> str | None:
    """The kind of placeholder that a shape is, "" for one of no kind; None for a shape of its own."""
    place = shape.find("{*}nvSpPr/{*}nvPr/{*}ph")
    return None if place is None else place.get("type", "")


def _item_mark(properties: Element | None, level: int, counts: dict[int, int], is_list: bool) -> str:
    """What is printed before a paragraph; `counts` is how far the lists of the shape are, by level."""
    for deeper in [one for one in counts if one > level]:
        del counts[deeper]
    marks = {} if properties is None else {local_name(one): one for one in properties}
    if (numbered := marks.get("buAutoNum")) is not None:
        counts[level] = counts[level] + 1 if level in counts else span_count(numbered.get("startAt"))
        format = numbered.get("type", "arabicPeriod")
        number = format_number(counts[level], format)
        return f"({number})" if format.endswith("Both") else f"{number})" if format.endswith("ParenR") else f"{number}."
    counts.pop(level, None)
    return "-" if "buChar" in marks or (is_list and "buNone" not in marks) else ""
