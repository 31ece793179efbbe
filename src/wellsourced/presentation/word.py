"""A tree of blocks as a Word file (.docx): the quoted words are highlighted."""

import re
from collections.abc import Collection, Iterable
from io import BytesIO
from typing import TYPE_CHECKING

from wellsourced.presentation import blocks
from wellsourced.presentation.blocks import Detail, Presentation, escape_citation_marks
from wellsourced.presentation.wording import STATUS_MARKS, STATUS_WORDS, format_numbers, name_place
from wellsourced.text.sanitization import sanitize_line, sanitize_text

if TYPE_CHECKING:
    from docx.document import Document as WordFile
    from docx.text.paragraph import Paragraph

SMALL_POINTS = 9
"""Size of the letters of quotes and of tables, in points."""

MAX_TITLE_LENGTH = 250
"""Characters of the title among the file's properties, which hold no more than 255."""

DETAILS: tuple[Detail, ...] = ("short", "quotes", "receipt")

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
    for block in blocks.arrange_blocks(presentation, DETAILS):
        _add_block(block, file)
    content = BytesIO()
    file.save(content)
    return content.getvalue()


def _add_block(block: blocks.Block, file: "WordFile", depth: int = 1) -> None:
    """Write a block; `depth` of lists within lists."""
    match block:
        case blocks.Heading():
            words = (_clean(block.prefix), format_numbers(block.citations), _clean(block.text))
            file.add_heading(" ".join(filter(None, words)), max(block.level, 2))
        case blocks.Text():
            paragraph = _add_bullet(file, depth) if block.status else file.add_paragraph()
            _add_line(block, paragraph)
            if block.status:
                _add_small(paragraph, f" {STATUS_MARKS[block.status]} {STATUS_WORDS[block.status]}")
            _add_items(block.items, file, depth + 1 if block.status else 1)
            _add_quotes(block.quotes, file)
        case blocks.Group():
            _add_bullet(file, depth).add_run(f"{_clean(block.heading)}:")
            for member in block.members:
                _add_block(member, file, depth + 1)
        case blocks.Quote():
            _add_quotes([block], file)
        case blocks.SourceSection():
            _add_block(blocks.Heading(block.title, 3), file)
            paragraph = file.add_paragraph()
            for piece in blocks.split_marks(block.text, block.marks):
                _add_small(paragraph, _clean_letters(piece.text), is_marked=piece.marked)
        case blocks.MarkedText():
            for statement in block.statements:
                _add_block(statement, file)
        case blocks.Table():
            file.add_paragraph().add_run(_clean(block.title)).bold = True
            _add_table(block.header, block.rows, file)
        case blocks.List() | blocks.Callout():
            if block.items and block.title:
                file.add_heading(_clean(block.title), 2)
            else:
                file.add_paragraph().add_run(_clean(block.title)).bold = True
            _add_items(block.items, file)
        case blocks.References():
            file.add_heading("References", 2)
            rows = [(*entry.columns, entry.link) for entry in block.entries]
            if block.is_styled:
                rows = [(row[0], entry.full, *row[2:]) for row, entry in zip(rows, block.entries, strict=True)]
            _add_table((*block.header, "Link"), rows, file)
        case blocks.Receipt():
            file.add_heading(_clean(block.title), 2)
            _add_items([blocks.Item(step) for step in block.steps], file)
            file.add_paragraph(_clean(f"{'. '.join(filter(None, (block.summary, block.closing)))}."))
            file.add_paragraph().add_run(_clean(block.disclaimer)).italic = True


def _add_items(items: Iterable[blocks.Item], file: "WordFile", depth: int = 1) -> None:
    for item in items:
        _add_line(item, _add_bullet(file, depth))
        _add_quotes(item.quotes, file)
        _add_items(item.items, file, depth + 1)


def _add_bullet(file: "WordFile", depth: int) -> "Paragraph":
    # Word's template has three depths of bullets.
    return file.add_paragraph(style=f"List Bullet {min(depth, 3)}" if depth > 1 else "List Bullet")


def _add_line(line: blocks.Text | blocks.Item, paragraph: "Paragraph") -> None:
    """The words of a line, its works, and what of it is doubtful."""
    paragraph.add_run(_clean(line.text)).bold = line.role == "strong" or None
    none = "[no source]" if isinstance(line, blocks.Text) and line.status else ""
    remark = f"({_clean(line.remark)})" if line.remark else ""
    for ending in filter(None, (format_numbers(line.citations) or none, remark)):
        paragraph.add_run(f" {ending}").bold = True


def _add_quotes(quotes: Iterable[blocks.Quote], file: "WordFile") -> None:
    for quote in quotes:
        paragraph = file.add_paragraph(style="Quote")
        for place, words in enumerate(quote.words):
            _add_small(paragraph, " … " if place else "“")
            _add_small(paragraph, _clean(words), is_marked=True)
        work = f"[{quote.locator.number}]" if quote.locator.number else _clean(quote.locator.title)
        facts = filter(None, (work, *map(_clean, (name_place(quote.locator), *quote.facts))))
        _add_small(paragraph, f"” {', '.join(facts)}")


def _add_table(header: Collection[str], rows: Iterable[Collection[str]], file: "WordFile") -> None:
    table = file.add_table(0, len(header), style="Table Grid")
    for row in (header, *rows):
        for cell, text in zip(table.add_row().cells, row, strict=True):
            _add_small(cell.paragraphs[0], _clean(text))


def _add_small(paragraph: "Paragraph", text: str, *, is_marked: bool = False) -> None:
    from docx.enum.text import WD_COLOR_INDEX
    from docx.shared import Pt

    font = paragraph.add_run(text).font
    font.size, font.highlight_color = Pt(SMALL_POINTS), WD_COLOR_INDEX.YELLOW if is_marked else None


def _clean(text: str) -> str:
    """Foreign text in one line, without what XML cannot hold."""
    return _clean_letters(sanitize_line(text))


def _clean_letters(text: str) -> str:
    return _NO_XML.sub("�", escape_citation_marks(sanitize_text(text)))
