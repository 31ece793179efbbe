"""A tree of blocks as a Word file (.docx): the quoted words are highlighted."""

import re
from collections.abc import Collection, Iterable
from io import BytesIO
from typing import TYPE_CHECKING

from wellsourced.presentation import blocks
from wellsourced.presentation.blocks import Detail, Presentation, arrange_blocks, escape_citation_marks
from wellsourced.presentation.wording import STATUS_MARKS, STATUS_WORDS, name_place
from wellsourced.text.sanitization import sanitize_line, sanitize_text

if TYPE_CHECKING:
    from docx.document import Document as WordFile
    from docx.enum.text import WD_COLOR_INDEX
    from docx.text.paragraph import Paragraph

SMALL_POINTS = 9
"""Size of the letters of quotes and of tables, in points."""

MAX_TITLE_LENGTH = 250
"""Characters of the title among the file's properties, which hold no more than 255."""

_NO_XML = re.compile("[\ufffe\uffff]")


def write_word_file(presentation: Presentation, details: Collection[Detail] = ("short", "quotes", "receipt")) -> bytes:
    """The whole result under its title."""
    # Loaded late: it takes a tenth of a second, and only this needs it.
    from docx import Document

    file = Document()
    properties = file.core_properties
    properties.title, properties.author = _clean(presentation.title)[:MAX_TITLE_LENGTH], "wellsourced"
    if presentation.title:
        file.add_heading(_clean(presentation.title), 0)
    writer = _Writer(file, details)
    # A file is read anywhere: what can be done next is not known there.
    for block in arrange_blocks(presentation, details):
        writer.add_block(block)
    content = BytesIO()
    file.save(content)
    return content.getvalue()


class _Writer:
    def __init__(self, file: "WordFile", details: Collection[Detail]) -> None:
        self.file, self.details = file, details

    def add_block(self, block: blocks.Block, depth: int = 1) -> None:
        """Write a block; `depth` of lists within lists."""
        match block:
            case blocks.Heading():
                words = (_clean(block.prefix), _join_numbers(block.citations), _clean(block.text))
                self.file.add_heading(" ".join(filter(None, words)), max(block.level, 2))
            case blocks.Text():
                self._add_text(block, depth)
            case blocks.Group():
                self._add_line(f"{_clean(block.heading)}:", depth)
                for member in block.members:
                    self.add_block(member, depth + 1)
            case blocks.Quote():
                self._add_quote(block)
            case blocks.SourceSection():
                self._add_section(block)
            case blocks.MarkedText():
                for statement in block.statements:
                    self.add_block(statement)
            case blocks.Table():
                if block.title:
                    self.file.add_paragraph().add_run(_clean(block.title)).bold = True
                self._add_table(block.header, block.rows)
            case blocks.List() | blocks.Callout():
                if block.title and block.items:
                    self.file.add_heading(_clean(block.title), 2)
                elif block.title:
                    self.file.add_paragraph().add_run(_clean(block.title)).bold = True
                self._add_items(block.items, 1)
            case blocks.References():
                self._add_references(block)
            case blocks.Receipt():
                if block.steps and "receipt" in self.details:
                    self.file.add_heading(_clean(block.title), 2)
                    self._add_items([blocks.Item(step) for step in block.steps], 1)
                self.file.add_paragraph(_clean(f"{'. '.join(filter(None, (block.summary, block.closing)))}."))
                self.file.add_paragraph().add_run(_clean(block.disclaimer)).italic = True

    def _add_text(self, block: blocks.Text, depth: int) -> None:
        """A statement as an item of a list, other text as a paragraph; what belongs to it below."""
        is_statement = block.status is not None
        paragraph = self._add_line("", depth) if is_statement else self.file.add_paragraph()
        self._add_runs(paragraph, block)
        if block.status is not None:
            _add_small(paragraph, f" {STATUS_MARKS[block.status]} {STATUS_WORDS[block.status]}")
        self._add_items(block.items, depth + 1 if is_statement else 1)
        for quote in block.quotes:
            self._add_quote(quote)

    def _add_items(self, items: Iterable[blocks.Item], depth: int) -> None:
        for item in items:
            self._add_runs(self._add_line("", depth), item)
            for quote in item.quotes:
                self._add_quote(quote)
            self._add_items(item.items, depth + 1)

    def _add_runs(self, paragraph: "Paragraph", line: blocks.Text | blocks.Item) -> None:
        paragraph.add_run(_clean(line.text)).bold = line.role == "strong" or None
        none = "[no source]" if isinstance(line, blocks.Text) and line.status else ""
        if numbers := _join_numbers(line.citations) or none:
            paragraph.add_run(f" {numbers}").bold = True
        if line.remark:
            paragraph.add_run(f" ({_clean(line.remark)})").bold = True

    def _add_line(self, text: str, depth: int) -> "Paragraph":
        # Word's template has three depths of bullets.
        return self.file.add_paragraph(text, style=f"List Bullet {min(depth, 3)}" if depth > 1 else "List Bullet")

    def _add_quote(self, quote: blocks.Quote) -> None:
        from docx.enum.text import WD_COLOR_INDEX

        paragraph = self.file.add_paragraph(style="Quote")
        for place, words in enumerate(quote.words):
            _add_small(paragraph, " … " if place else "“")
            _add_small(paragraph, _clean(words), WD_COLOR_INDEX.YELLOW)
        work = f"[{quote.locator.number}]" if quote.locator.number else _clean(quote.locator.title)
        facts = ", ".join(filter(None, (work, *map(_clean, (name_place(quote.locator), *quote.facts)))))
        _add_small(paragraph, f"” {facts}")

    def _add_section(self, section: blocks.SourceSection) -> None:
        """Each line of the source as a line, the stretches that matter highlighted."""
        from docx.enum.text import WD_COLOR_INDEX

        if section.title:
            self.file.add_heading(_clean(section.title), 3)
        paragraph = self.file.add_paragraph()
        for piece in blocks.split_marks(section.text, section.marks):
            for place, line in enumerate(piece.text.split("\n")):
                if place:
                    paragraph.add_run().add_break()
                run = paragraph.add_run(_clean_letters(line))
                run.font.highlight_color = WD_COLOR_INDEX.YELLOW if piece.marked else None
        _add_small(self.file.add_paragraph(), _clean(f"{section.locator.title}, {name_place(section.locator)}"))

    def _add_references(self, block: blocks.References) -> None:
        if not block.entries:
            return
        self.file.add_heading("References", 2)
        if block.is_styled:
            for entry in block.entries:
                self.file.add_paragraph(f"[{entry.number}] {_clean(entry.full)}")
        else:
            self._add_table((*block.header, "Link"), [(*entry.columns, entry.link) for entry in block.entries])

    def _add_table(self, header: Collection[str], rows: Iterable[Collection[str]]) -> None:
        table = self.file.add_table(0, len(header), style="Table Grid")
        for row in (header, *rows):
            for cell, text in zip(table.add_row().cells, row, strict=True):
                _add_small(cell.paragraphs[0], _clean(text))


def _clean(text: str) -> str:
    """Foreign text in one line, without what XML cannot hold."""
    return _clean_letters(sanitize_line(text))


def _clean_letters(text: str) -> str:
    return _NO_XML.sub("�", escape_citation_marks(sanitize_text(text)))


def _join_numbers(numbers: Iterable[int]) -> str:
    return "".join(f"[{number}]" for number in numbers)


def _add_small(paragraph: "Paragraph", text: str, highlight: "WD_COLOR_INDEX | None" = None) -> None:
    from docx.shared import Pt

    font = paragraph.add_run(text).font
    font.size, font.highlight_color = Pt(SMALL_POINTS), highlight
