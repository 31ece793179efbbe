"""An answer as a Word file: statements with their marks, the words they rest on below them, the works as a table."""

from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import TYPE_CHECKING

from wellsourced.app.terminal import sanitize_line
from wellsourced.server.pages.answer_view import AnswerView, Part, QuoteView, StatementView, view_answer
from wellsourced.types import Answer

if TYPE_CHECKING:
    from docx.document import Document as WordFile
    from docx.table import _Cell
    from docx.text.paragraph import Paragraph

SMALL_POINTS = 9
"""Size of the letters of quotes and of the table, in points."""

WORK_COLUMNS = ("No.", "Work", "Year", "Design", "Size", "Read", "Retraction", "Address")


def render_word_file(answer: Answer) -> bytes:
    """The whole answer as a .docx."""
    from docx import Document

    view, file = view_answer(answer), Document()
    file.core_properties.title, file.core_properties.author = _clean(view.question)[:250], "wellsourced"
    file.add_heading(_clean(view.question), 0)
    _add_parts(view.before, file)
    if view.abstained:
        file.add_paragraph().add_run(f"No answer is given. {_clean(view.reason)}").bold = True
    for line in view.decision:
        file.add_paragraph().add_run(_clean(line)).bold = True
    for topic in (view.lead, *view.topics, view.nearest):
        if topic.statements:
            file.add_heading(_clean(topic.heading or "What the sources say"), 2)
        for one in topic.statements:
            _add_statement(one, file)
    _add_parts(view.after, file)
    _add_works(view, file)
    _add_parts((view.receipt,), file)
    file.add_paragraph(_clean(view.summary))
    file.add_paragraph().add_run(_clean(view.warning)).italic = True
    content = BytesIO()
    file.save(content)
    return content.getvalue()


def _clean(text: str) -> str:
    """Words in one line, without what XML cannot hold or what would hide or reorder them."""
    return sanitize_line(text)


def _add_parts(parts: Iterable[Part], file: "WordFile") -> None:
    for part in parts:
        file.add_heading(_clean(part.heading), 2)
        for item in part.items:
            file.add_paragraph(_clean(item.text), style="List Bullet")
            for one in item.details:
                file.add_paragraph(_clean(one), style="List Bullet 2")


def _add_statement(one: StatementView, file: "WordFile") -> None:
    paragraph = file.add_paragraph(_clean(one.intro))
    for item in one.items:
        paragraph = file.add_paragraph(_clean(item), style="List Bullet")
    paragraph.add_run(" " + "".join(f"[{number}]" for number in one.numbers)).bold = True
    _add_small(paragraph, f" {one.symbol} {one.status_words}")
    if one.note:
        paragraph.add_run(f" {_clean(one.note)}").bold = True
    for quote in one.quotes:
        _add_quote(quote, file)


def _add_quote(quote: QuoteView, file: "WordFile") -> None:
    """The quoted words, and where they stand."""
    paragraph = file.add_paragraph(style="Quote")
    _add_small(paragraph, f"“{_clean(' … '.join(_list_marked(quote)))}” ")
    place = ", ".join(filter(None, (f"[{quote.number}]", quote.place, *quote.facts)))
    _add_small(paragraph, _clean(place))


def _list_marked(quote: QuoteView) -> Iterator[str]:
    return (one.text for one in quote.stretches if one.marked)


def _add_small(paragraph: "Paragraph", text: str) -> None:
    from docx.shared import Pt

    paragraph.add_run(text).font.size = Pt(SMALL_POINTS)


def _add_works(view: AnswerView, file: "WordFile") -> None:
    if not view.references:
        return
    file.add_heading("Works", 2)
    table = file.add_table(1, len(WORK_COLUMNS), style="Table Grid")
    _fill_row(table.rows[0].cells, WORK_COLUMNS)
    for one in view.references:
        work = ". ".join(filter(None, (one.title, one.publisher, one.remarks)))
        row = (str(one.number), work, one.year, one.design, one.sample, one.depth, one.standing, one.link)
        _fill_row(table.add_row().cells, row)


def _fill_row(cells: Iterable["_Cell"], texts: Iterable[str]) -> None:
    for cell, text in zip(cells, texts, strict=True):
        _add_small(cell.paragraphs[0], _clean(text))
