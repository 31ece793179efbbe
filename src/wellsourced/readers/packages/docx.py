"""Word files (.docx): headings, paragraphs, numbered lists, tables, text boxes and notes, as they stand on the page."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile
from typing import NamedTuple

from wellsourced.lazy import lazy_regex
from wellsourced.readers.base import DocumentStream, File, normalize_line_ends, salvage_documents
from wellsourced.readers.document_builder import DocumentBuilder
from wellsourced.readers.file_listing import with_digest
from wellsourced.readers.packages.numbering import Numbering, format_number
from wellsourced.readers.packages.office_parts import (
    LINE_BREAK,
    NOTHING,
    UNKNOWN_SIGN,
    Element,
    FileFormat,
    OfficePackage,
    OmittedContent,
    Piece,
    attribute,
    decode_signs,
    find_child,
    find_children,
    is_on,
    join_pieces,
)
from wellsourced.readers.table_rows import MAX_COLUMNS, Cell, TableRow, cell_line, span_count, table_lines
from wellsourced.readers.xml_records import MAX_DEPTH, local_name
from wellsourced.text.urls import escape_address
from wellsourced.types import SourceKind

RESAVE_REMEDY = "Open it in a word processor and save it again as .docx."
WORD_FORMAT = FileFormat("Word", RESAVE_REMEDY)

BREAK_TEXTS = {"tab": " ", "ptab": " ", "br": LINE_BREAK, "cr": LINE_BREAK, "noBreakHyphen": "-"}
HIDDEN_ELEMENTS = frozenset({"del", "moveFrom", "instrText", "delText", "delInstrText"})
HIDDEN_ELEMENTS |= {"rPr", "pPr", "sdtPr", "tblPr", "trPr", "tcPr", "sectPr"}
"""What no reader of the page sees."""

DRAWN_ELEMENTS = frozenset({"drawing", "pict", "object"})
"""What may hold text boxes."""

NOTE_MARKS = ("footnoteReference", "endnoteReference")

RAISED_HALF_POINTS = 4
"""Half-points above or below the line from which a run is raised or lowered; less of it aligns pictures."""

TITLE_STYLE, CONTENTS_STYLE, LIST_STYLE = 0, -2, -3
"""Levels of styles that are no headings."""

FIRST_ROW_BIT = lazy_regex(r"[0-9A-Fa-f]*[2367ABEFabef][0-9A-Fa-f]")
"""Bits that say how a table looks, in which 0x20 gives its first row the look of names."""

HYPERLINK_FIELD = lazy_regex(r"HYPERLINK\s+\"([^\"]{1,2000})\"")


@with_digest
@salvage_documents
def read_docx(path: File, kind: SourceKind) -> DocumentStream:
    """The one document that a Word file is.

    Headings are what the styles say; items of lists begin with their number or "- ", rows of tables read "a | b". What
    is raised or lowered reads as in JATS ("10^9/L", "two trials[3]"). A note follows its paragraph or table. Left out:
    headers and footers, the table of contents, comments, and what was deleted under tracked changes. Signs and formulas
    that are no text are marked, and told.
    """
    yield from _read_document(path, kind, cites=False)


def read_docx_with_links(path: File, kind: SourceKind) -> DocumentStream:
    """The same as a text to be checked: `[words](address)` for links, `[^3]` for notes, which stand at its end."""
    yield from _read_document(path, kind, cites=True)


def _read_document(path: File, kind: SourceKind, *, cites: bool) -> DocumentStream:
    package = OfficePackage(path, WORD_FORMAT, "document")
    page, writer = DocumentBuilder(), _WordWriter(package, cites=cites)
    title = writer.write_body(page)
    if not page.text:
        return
    yield page.build(package.build_reference(kind, title))
    yield from writer.omitted.list_faults(page.text)


# --- styles ----------------------------------------------------------------------------------------------------------


class WordStyle(NamedTuple):
    """What a style sets, with what it inherits; what it does not set is None or "".

    level   of the headings that it sets, 1 the highest, or TITLE_STYLE, CONTENTS_STYLE or LIST_STYLE
    list    id of the list that numbers its paragraphs
    depth   their level in it
    place   "sup" or "sub" for what it raises or lowers
    """

    level: int | None = None
    list: str = ""
    depth: str = ""
    place: str = ""
    font: str = ""
    hidden: bool | None = None
    bold: bool | None = None


PLAIN = WordStyle()


def _inherit(own: WordStyle, base: WordStyle) -> WordStyle:
    set_here = {name: value for name, value in own._asdict().items() if value not in (None, "")}
    return base._replace(**set_here)


def _own_style(style: Element) -> WordStyle:
    number, run = style.find("{*}pPr/{*}numPr"), style.find("{*}rPr")
    list = "" if number is None else attribute(number.find("{*}numId"), "val")
    depth = "" if number is None else attribute(number.find("{*}ilvl"), "val")
    look = _run_format({} if run is None else {local_name(one): one for one in run})
    return look._replace(level=_own_level(style), list=list, depth=depth)


def _own_level(style: Element) -> int | None:
    name = attribute(style.find("{*}name"), "val").lower()
    if name in ("title", "subtitle"):
        return TITLE_STYLE if name == "title" else None
    if name.startswith("toc"):
        return CONTENTS_STYLE
    if name.startswith("list ") and not name.startswith("list paragraph"):
        return LIST_STYLE
    if name.startswith("heading ") and name[8:].isdecimal():
        return int(name[8:])
    outline = attribute(style.find("{*}pPr/{*}outlineLvl"), "val")
    return int(outline) + 1 if outline.isdecimal() and int(outline) < 9 else None


def _run_format(properties: Mapping[str, Element]) -> WordStyle:
    """What the properties of a run or a style say of its letters."""
    place = {"superscript": "sup", "subscript": "sub"}.get(attribute(properties.get("vertAlign"), "val"), "")
    raised = attribute(properties.get("position"), "val")
    if not place and raised.lstrip("-").isdecimal() and abs(int(raised)) >= RAISED_HALF_POINTS:
        place = "sub" if raised.startswith("-") else "sup"
    fonts = properties.get("rFonts")
    return WordStyle(
        place=place,
        font=attribute(fonts, "ascii") or attribute(fonts, "hAnsi"),
        hidden=is_on(properties["vanish"]) if "vanish" in properties else None,
        bold=is_on(properties["b"]) if "b" in properties else None,
    )


# --- the page --------------------------------------------------------------------------------------------------------


class _WordNotes(NamedTuple):
    """Notes of one kind: their words by id, in what their numbers are written, and the part they stand in."""

    elements: dict[str, Element]
    format: str
    part: str


class _WordBlock(NamedTuple):
    """A block of a page.

    level   of a heading, TITLE_STYLE, or less for any other
    notes   that it refers to
    """

    level: int
    words: str
    notes: list[str]


class _WordWriter:
    """Writes the parts of a Word file in the order of its page.

    cites     as a text to be checked: links with their addresses, notes at the end
    omitted   what the text does not have
    """

    def __init__(self, package: OfficePackage, *, cites: bool) -> None:
        self.omitted = OmittedContent()
        self._package, self._cites, self._part = package, cites, package.main
        styles = self._related_root("styles")
        self._style_elements = {attribute(style, "styleId"): style for style in styles.iterchildren("{*}style")}
        self._styles: dict[str, WordStyle] = {}
        looks = (one for one in styles.iter("{*}tblStylePr") if attribute(one, "type") == "firstRow")
        self._header_styles = {attribute(one.getparent(), "styleId") for one in looks}
        self._numbering = Numbering(self._related_root("numbering"))
        settings = self._related_root("settings")
        self._notes = {
            name: self._read_notes(name.removesuffix("Reference"), settings, format)
            for name, format in zip(NOTE_MARKS, ("decimal", "lowerRoman"), strict=True)
        }
        self._note_numbers: dict[tuple[str, str], int] = {}
        self._notes_here: list[str] = []  # that the block at hand refers to first
        self._last_notes: list[str] = []
        self._boxes: list[Element] = []  # drawings of the paragraph at hand

    def write_body(self, page: DocumentBuilder) -> str:
        """Put the file on a page; the words of its title."""
        titles: list[str] = []
        for level, words, notes in self._blocks(find_child(self._package.root(self._part), "{*}body")):
            if level == TITLE_STYLE:
                titles.append(words)
                page.add_heading(words)
            elif level > 0:
                page.open_section(words, level)
            else:
                page.add_block(words)
            if self._cites:
                self._last_notes += notes
            else:
                page.add_block("\n".join(notes))
        for note in self._last_notes:
            page.add_block(note)
        return " ".join(titles[0].split()) if titles else ""

    def _blocks(self, parent: Iterable[Element], depth: int = 0, *, is_cell: bool = False) -> Iterator[_WordBlock]:
        """The blocks below an element in their order; items of a list that follow each other are one."""
        items: list[str] = []
        item_notes: list[str] = []
        for block in _iter_blocks(parent):
            if local_name(block) == "tbl":
                rows = self._table_rows(block, depth)
                # Strokes and names of columns are for the outer table.
                lines = map(_join_cells, rows) if is_cell else table_lines(rows)
                level, mark, words = -1, "", "\n".join(lines)
            else:
                level, mark, words = self._read_paragraph(block)
            notes, self._notes_here = self._notes_here, []
            boxes, self._boxes = self._boxes, []
            is_item = bool(mark) and level < TITLE_STYLE
            if is_item:
                items.append(f"{'' if is_cell and mark.strip() == '-' else mark}{' '.join(words.split())}")
                item_notes += notes
            if items and (boxes or not is_item):
                yield _WordBlock(-1, "\n".join(items), item_notes)
                items, item_notes = [], []
            if not is_item and words:
                yield _WordBlock(level, f"{mark}{words}", notes)
            for box in boxes:
                if depth < MAX_DEPTH:
                    yield from self._drawn_blocks(box, depth + 1)
        if items:
            yield _WordBlock(-1, "\n".join(items), item_notes)

    def _drawn_blocks(self, drawn: Element, depth: int) -> Iterator[_WordBlock]:
        """The words in a drawing: those of its text boxes, each once, and of a diagram."""
        inside = False
        for box in drawn.iter("{*}txbxContent"):
            inside = True
            around = {local_name(one) for one in takewhile(lambda one: one is not drawn, box.iterancestors())}
            # A box in a box comes with it, and one for older programs says the same once more.
            if not around & {"txbxContent", "Fallback"}:
                yield from self._blocks(box, depth)
        if inside:
            return
        if next(drawn.iter("{*}chart"), None) is not None:
            self.omitted.count("charts")
        for diagram in drawn.iter("{*}relIds"):
            for paragraph in self._package.root(self._package.target(self._part, diagram, "dm")).iter("{*}p"):
                yield _WordBlock(-1, "".join(text.text or "" for text in paragraph.iter("{*}t")), [])

    def _style(self, id: str, depth: int = 0) -> WordStyle:
        """What a style sets, with what it inherits."""
        if id not in self._styles:
            element = self._style_elements.get(id) if depth < MAX_DEPTH else None
            # One that is based on itself inherits nothing.
            self._styles[id] = PLAIN
            if element is not None:
                base = self._style(attribute(find_child(element, "{*}basedOn"), "val"), depth + 1)
                self._styles[id] = _inherit(_own_style(element), base)
        return self._styles[id]

    def _read_paragraph(self, paragraph: Element) -> tuple[int, str, str]:
        """(level, what stands before its words, its words): "" before what is no item of a list, and no heading."""
        properties = find_child(paragraph, "{*}pPr")
        style_id = attribute(find_child(properties, "{*}pStyle"), "val")
        style = self._style(style_id)
        level = -1 if style.level is None else style.level
        words = self._paragraph_text(paragraph)
        if level == CONTENTS_STYLE or not words:
            return -1, "", ""
        own = find_child(properties, "{*}numPr")
        list = attribute(find_child(own, "{*}numId"), "val") or style.list
        if list in ("", "0"):
            return level, "- " if level == LIST_STYLE and not list else "", words
        given = attribute(find_child(own, "{*}ilvl"), "val") if own is not NOTHING else style.depth
        deep = int(given) if given.isdecimal() and len(given) < 3 else self._numbering.style_level(list, style_id)
        mark = self._numbering.next_mark(list, deep)
        if level >= TITLE_STYLE:
            return level, "" if mark in ("", "-") else f"{mark} ", words
        return level, f"{'  ' * min(deep, 9)}{mark or '-'} ", words

    def _table_rows(self, table: Element, depth: int) -> list[TableRow]:
        """The rows of a table, what spans several given once, with how many they are."""
        rows: list[TableRow] = []
        began: dict[int, tuple[int, int]] = {}  # column → the cell that may go on below: its row, and its place there
        for row in find_children(table, "tr"):
            properties = find_child(row, "{*}trPr")
            if find_child(properties, "{*}del") is not NOTHING:
                continue
            before = attribute(find_child(properties, "{*}gridBefore"), "val")
            column = span_count(before) if before not in ("", "0") else 0
            cells = [Cell("")] * min(column, MAX_COLUMNS)
            for cell in find_children(row, "tc"):
                about = find_child(cell, "{*}tcPr")
                columns = span_count(attribute(find_child(about, "{*}gridSpan"), "val"))
                merge = find_child(about, "{*}vMerge")
                place = began.get(column)
                if merge is not NOTHING and attribute(merge, "val") in ("", "continue") and place:
                    # The rows between are filled from above: only the count of the first cell grows.
                    first = rows[place[0]].cells
                    first[place[1]] = first[place[1]]._replace(rows=len(rows) - place[0] + 1)  # type: ignore[index]
                else:
                    began.pop(column, None)
                    if merge is not NOTHING:
                        began[column] = (len(rows), len(cells))
                    cells.append(Cell(self._cell_text(cell, depth), columns=columns))
                column += columns
            is_header = is_on(find_child(properties, "{*}tblHeader"))
            rows.append(TableRow(cells, is_header or (not rows and self._has_header_look(table, row))))
        return rows

    def _has_header_look(self, table: Element, first: Element) -> bool:
        """Whether a first row is printed as names of columns: by the style of its table, or all of it in bold."""
        look = table.find("{*}tblPr/{*}tblLook")
        is_asked = attribute(look, "firstRow") in ("1", "true") or FIRST_ROW_BIT.fullmatch(attribute(look, "val"))
        style = attribute(table.find("{*}tblPr/{*}tblStyle"), "val")
        return bool(is_asked and style in self._header_styles) or self._is_bold(first)

    def _is_bold(self, row: Element) -> bool:
        bold = set()
        for paragraph in row.iter("{*}p"):
            style = self._style(attribute(paragraph.find("{*}pPr/{*}pStyle"), "val"))
            runs = (run for run in paragraph.iter("{*}r") if "".join(run.itertext()).strip())
            bold |= {_inherit(self._run_style(run), style).bold for run in runs}
        return bold == {True}

    def _cell_text(self, cell: Element, depth: int) -> str:
        """The words of a cell, each block of them a line."""
        blocks = [*self._blocks(cell, depth + 1, is_cell=True)] if depth < MAX_DEPTH else []
        self._notes_here += [note for block in blocks for note in block.notes]
        return "\n".join(block.words for block in blocks)

    # --- a paragraph -------------------------------------------------------------------------------------------------

    def _paragraph_text(self, paragraph: Element) -> str:
        return normalize_line_ends(join_pieces(self._pieces(paragraph, PLAIN, 0)))

    def _pieces(self, parent: Element, around: WordStyle, depth: int) -> Iterator[Piece]:
        """The words of runs, and of what wraps them. `around` is how the run looks in which the element stands."""
        for child in parent:
            name = local_name(child)
            if name == "t":
                yield around.place, decode_signs(child.text or "", around.font)
            elif name == "r":
                look = self._run_style(child)
                if not look.hidden:
                    yield from self._pieces(child, look, depth + 1)
            elif name in HIDDEN_ELEMENTS:
                continue
            elif name in BREAK_TEXTS:
                yield "", BREAK_TEXTS[name]
            elif name == "sym":
                yield around.place, _decode_symbol(child)
            elif name in self._notes:
                yield "", self._note_mark(name, child)
            elif name in ("oMath", "oMathPara"):
                yield "", self.omitted.write_formula(child)
            elif name == "checkBox":
                state = child.find("{*}checked")
                yield "", "☒ " if is_on(child.find("{*}default") if state is None else state) else "☐ "
            elif name in DRAWN_ELEMENTS:
                program = attribute(next(child.iter("{*}OLEObject"), None), "ProgID")
                if program.startswith("Equation"):
                    yield "", "[formula]"
                if program:
                    self.omitted.count("formulas" if program.startswith("Equation") else "embedded objects")
                self._boxes.append(child)
            elif name == "AlternateContent":
                yield from self._chosen_pieces(child, around, depth)
            elif name in ("hyperlink", "fldSimple") and self._cites:
                yield from self._link_pieces(child, around, depth)
            elif depth < MAX_DEPTH:
                yield from self._pieces(child, around, depth + 1)

    def _chosen_pieces(self, element: Element, around: WordStyle, depth: int) -> Iterator[Piece]:
        """Of several forms of one thing the first; the last, for older programs, where the first has no words."""
        for form in element:
            drawn = len(self._boxes)
            pieces = [*self._pieces(form, around, depth + 1)] if depth < MAX_DEPTH else []
            if pieces or len(self._boxes) > drawn:
                yield from pieces
                return

    def _run_style(self, run: Element) -> WordStyle:
        properties = {local_name(one): one for one in find_child(run, "{*}rPr")}
        own = _run_format(properties) if properties else PLAIN
        return _inherit(own, self._style(attribute(properties["rStyle"], "val"))) if "rStyle" in properties else own

    def _link_pieces(self, link: Element, around: WordStyle, depth: int) -> Iterator[Piece]:
        pieces = [*self._pieces(link, around, depth + 1)] if depth < MAX_DEPTH else []
        words = "".join(words for _, words in pieces).strip()
        address = self._package.target(self._part, link)
        if field := HYPERLINK_FIELD.search(attribute(link, "instr")):
            address = field[1]
        if not words or not address.startswith(("http://", "https://", "ftp://", "file://")):
            yield from pieces
        elif words.rstrip("/") == address.rstrip("/"):
            yield "", words
        else:
            yield from (("", "["), *pieces, ("", f"]({escape_address(address)})"))

    # --- notes -------------------------------------------------------------------------------------------------------

    def _note_mark(self, name: str, reference: Element) -> str:
        """What stands in the text where a note is referred to; its words wait for the end of the block."""
        id, notes = attribute(reference, "id"), self._notes[name]
        if id not in notes.elements:
            return ""
        number = self._note_numbers.get((name, id))
        is_first = number is None
        if number is None:
            number = self._note_numbers[name, id] = 1 + sum(kind == name for kind, _ in self._note_numbers)
        written = format_number(number, notes.format)
        mark = f"[^{'e' if name == 'endnoteReference' else ''}{number}]" if self._cites else f"[{written}]"
        # A sign of the author's own stands in the text, and in the note.
        own_sign = attribute(reference, "customMarkFollows") in ("1", "true", "on")
        if is_first:
            here = self._part, self._boxes, self._notes_here
            self._part, self._boxes, self._notes_here = notes.part, [], []
            words = " ".join(" ".join(block.words.split()) for block in self._blocks(notes.elements[id], 1))
            self._part, self._boxes, self._notes_here = here
            if words:
                lead = f"{mark}: " if self._cites else "" if own_sign else f"{mark} "
                self._notes_here.append(f"{lead}{words}")
        return "" if own_sign and not self._cites else mark

    def _read_notes(self, name: str, settings: Element, format: str) -> _WordNotes:
        part = self._package.find_related(self._package.main, f"{name}s")
        elements = {attribute(note, "id"): note for note in self._package.root(part)}
        stated = attribute(settings.find(f"{{*}}{name}Pr/{{*}}numFmt"), "val")
        return _WordNotes(elements, stated or format, part)

    def _related_root(self, type: str) -> Element:
        return self._package.root(self._package.find_related(self._package.main, type))


def _iter_blocks(parent: Iterable[Element], depth: int = 0) -> Iterator[Element]:
    """Paragraphs and tables in order, those in content controls and tracked insertions too."""
    for child in parent:
        name = local_name(child)
        if name in ("p", "tbl"):
            yield child
        elif name not in HIDDEN_ELEMENTS and depth < MAX_DEPTH:
            yield from _iter_blocks(child, depth + 1)


def _join_cells(row: TableRow) -> str:
    return ", ".join(filter(None, (cell_line(cell.text) for cell in row.cells)))


def _decode_symbol(symbol: Element) -> str:
    try:
        code = int(attribute(symbol, "char"), 16)
    except ValueError:
        code = ord(UNKNOWN_SIGN)
    return decode_signs(
        chr(code if 0x20 <= code <= 0xFFFF and not 0xD800 <= code <= 0xDFFF else 0xFFFD), attribute(symbol, "font")
    )
