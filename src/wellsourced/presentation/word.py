"""A tree of blocks as a Word file (.docx): the quoted words are highlighted."""

import re
from collections.abc import Iterable
from io import BytesIO
from typing import TYPE_CHECKING

from wellsourced.presentation import blocks
from wellsourced.presentation.blocks import Presentation, escape_citation_marks
from wellsourced.presentation.layout import Table, lay_out_comparison, lay_out_lines
from wellsourced.presentation.wording import STATUS_MARKS, STATUS_WORDS, format_numbers, name_place
from wellsourced.text.sanitization import sanitize_line

if TYPE_CHECKING:
    from docx.document import Document as WordFile
    from docx.text.paragraph import Paragraph

SMALL_POINTS = 9
"""Size of the letters of quotes and of tables, in points."""

INDENT_CM, SPACE_CM = 0.6, 0.1
"""How far an item of a list is from what it hangs on, and a line from the next one."""

MAX_TITLE_LENGTH = 250
"""Characters of the title among the file's properties, which hold no more than 255."""

_NO_XML = re.compile("[\ufffe\uffff]")


def write_word_file(presentation: Presentation) -> bytes:
    """The whole result under its title."""
    # Loaded late: it takes a tenth of a second, and only this needs it.
    from docx import Document

    file = Document()
    file.core_properties.title = _clean(presentation.title)[:MAX_TITLE_LENGTH]
    file.core_properties.author = "wellsourced"
    if presentation.title:
        file.add_heading(_clean(presentation.title), 0)
    for block in blocks.arrange_blocks(presentation, blocks.ALL_DETAILS):
        _add_block(block, file)
    content = BytesIO()
    file.save(content)
    return content.getvalue()


def _add_block(block: blocks.Block, file: "WordFile") -> None:
    match block:
        case blocks.Heading():
            file.add_heading(_clean(block.text), max(block.level, 2))
        case blocks.Text():
            _add_text(block, file)
        case blocks.Excerpt():
            _add_excerpt(block, file)
        case blocks.ComparisonTable():
            _add_table(lay_out_comparison(block), file)
        case blocks.MarkedText():
            for heading, members in blocks.group_statements(block.statements):
                if heading:
                    file.add_heading(_clean(heading), 2)
                for statement in members:
                    _add_text(statement, file)
        case blocks.List():
            if block.title:
                file.add_heading(_clean(block.title), 2)
            _add_items(block.items, file)
        case blocks.References():
            file.add_heading("References", 2)
            for entry in block.entries:
                paragraph = file.add_paragraph(f"[{entry.number}] {_clean(entry.words)}")
                _add_run(paragraph, f" {_clean(entry.remark)}", size=SMALL_POINTS)


def _add_text(text: blocks.Text, file: "WordFile") -> None:
    """A statement as a bullet with its status behind it; a sentence of ours as a paragraph."""
    paragraph = _add_bullet(file, 1) if text.status else file.add_paragraph()
    _add_line(text, paragraph)
    if text.status and not text.group:
        _add_run(paragraph, f" {STATUS_MARKS[text.status]} {STATUS_WORDS[text.status]}", size=SMALL_POINTS)
    _add_items(text.items, file, 2 if text.status else 1)
    _add_quotes(text.quotes, file)


def _add_excerpt(block: blocks.Excerpt, file: "WordFile") -> None:
    """A section under its headings, as it is laid out in its document; marked lines are highlighted."""
    from docx.shared import Cm

    laid = lay_out_lines(block)
    if block.title:
        number = f"[{block.locator.number}] " if block.locator.number else ""
        file.add_heading(f"{number}{_clean(block.title)}", block.level)
    for part in laid.parts:
        if isinstance(part, Table):
            _add_table(part, file)
            continue
        paragraph = file.add_paragraph()
        paragraph.paragraph_format.left_indent = Cm(INDENT_CM * (part.depth + bool(part.sign)))
        paragraph.paragraph_format.first_line_indent = Cm(-INDENT_CM if part.sign else 0)
        paragraph.paragraph_format.space_after = Cm(SPACE_CM)
        paragraph.add_run(f"{_clean(part.sign)}\t" if part.sign else "")
        _add_run(paragraph, part.words, is_marked=part.is_marked)
    if rest := laid.describe_rest(block.rest):
        _add_run(file.add_paragraph(), rest, size=SMALL_POINTS)


def _add_table(table: Table, file: "WordFile") -> None:
    grid = file.add_table(len(table.lines), table.width, "Table Grid")
    for place, row in enumerate(table.lines):
        cells = grid.rows[place].cells
        for cell, (words, numbers) in zip(cells, row.cited_cells, strict=False):
            _add_run(cell.paragraphs[0], words, is_marked=row.is_marked, size=SMALL_POINTS)
            _add_run(cell.paragraphs[0], f" {format_numbers(numbers)}" if numbers else "", size=SMALL_POINTS)
            cell.paragraphs[0].runs[0].bold = not place and bool(table.header)
        if len(row.cells) < table.width:
            cells[0].merge(cells[-1])
    file.add_paragraph()


def _add_items(items: Iterable[blocks.Text], file: "WordFile", depth: int = 1) -> None:
    """Write lines of a list; `depth` of lists within lists."""
    for item in items:
        _add_line(item, _add_bullet(file, depth))
        _add_quotes(item.quotes, file)
        _add_items(item.items, file, depth + 1)


def _add_bullet(file: "WordFile", depth: int) -> "Paragraph":
    # Word's template has three depths of bullets.
    return file.add_paragraph(style=f"List Bullet {min(depth, 3)}" if depth > 1 else "List Bullet")


def _add_line(line: blocks.Text, paragraph: "Paragraph") -> None:
    """The words of a line, its works, and what of it is doubtful."""
    for part in blocks.split_marks(line.text, line.marks):
        run = paragraph.add_run(_clean(part.text) if not line.marks else _NO_XML.sub("�", part.text))
        run.bold, run.italic = line.role == "strong" or None, line.role == "aside" or None
        run.underline = part.marked or None
    none = "[no source]" if line.status else ""
    remark = f"({_clean(line.remark)})" if line.remark else ""
    for ending in filter(None, (format_numbers(line.citations) or none, remark)):
        paragraph.add_run(f" {ending}").bold = True


def _add_quotes(quotes: Iterable[blocks.Quote], file: "WordFile") -> None:
    for quote in quotes:
        for above in quote.above.splitlines():
            _add_run(file.add_paragraph(style="Quote"), above, size=SMALL_POINTS)
        paragraph = file.add_paragraph(style="Quote")
        if differing := [mark for mark in quote.marks if mark.kind == "differs"]:
            _add_run(paragraph, "“", size=SMALL_POINTS)
            for part in blocks.split_marks(quote.text, differing):
                _add_run(paragraph, part.text, is_marked=part.marked, size=SMALL_POINTS)
        for place, words in enumerate(() if differing else quote.words):
            _add_run(paragraph, " … " if place else "“", size=SMALL_POINTS)
            _add_run(paragraph, words, is_marked=True, size=SMALL_POINTS)
        work = f"[{quote.locator.number}]" if quote.locator.number else _clean(quote.locator.title)
        facts = filter(None, (work, *map(_clean, (name_place(quote.locator), *quote.facts))))
        _add_run(paragraph, f"” {', '.join(facts)}", size=SMALL_POINTS)


def _add_run(paragraph: "Paragraph", text: str, *, is_marked: bool = False, size: int = 0) -> None:
    from docx.enum.text import WD_COLOR_INDEX
    from docx.shared import Pt

    font = paragraph.add_run(_clean(text) if text.strip() == text else text).font
    font.size, font.highlight_color = Pt(size) if size else None, WD_COLOR_INDEX.YELLOW if is_marked else None


def _clean(text: str) -> str:
    """Foreign text in one line, without what XML cannot hold."""
    return _NO_XML.sub("�", escape_citation_marks(sanitize_line(text)))
