"""Files of a run: an answer as text, Markdown or Word, its references for a reference manager, the report on a text."""

from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from wellsourced.app.render.answer import render_answer
from wellsourced.app.render.references import number_references
from wellsourced.citations.reference_styles import ReferenceFormat, render_reference_file
from wellsourced.factcheck.checked_text import CheckedText
from wellsourced.factcheck.edited_text import apply_edits
from wellsourced.presentation.check_exports import export_json
from wellsourced.presentation.checks import present_checks
from wellsourced.presentation.html import write_html_page
from wellsourced.presentation.terminal import TerminalPage
from wellsourced.server.pages.answer_view import AnswerView, Part, StatementView, view_answer
from wellsourced.text.sanitization import sanitize_line
from wellsourced.types import Answer

if TYPE_CHECKING:
    from docx.document import Document as WordFile
    from docx.table import _Cell
    from docx.text.paragraph import Paragraph


class Export(NamedTuple):
    """A form of file: what it is called, how its name ends, and how it is made."""

    title: str
    ending: str
    media_type: str
    render: Callable[[Any], str | bytes]


def _render_text(answer: Answer) -> str:
    return render_answer(answer, TerminalPage(width=100, quotes=True, places=True, receipt=True))


def _render_json(answer: Answer) -> str:
    return answer.model_dump_json(indent=2)


def _render_report(result: CheckedText) -> str:
    return write_html_page(present_checks([result], {}))


def _render_repaired(result: CheckedText) -> str:
    return apply_edits(result.checkup.submitted, result.checkup.edits)


def _references(form: ReferenceFormat) -> Callable[[Answer], str]:
    return lambda answer: render_reference_file(number_references(answer).list_references(), form)


_SPECIAL = str.maketrans({letter: f"\\{letter}" for letter in "\\`*_[]<>#|~"})


def render_markdown(answer: Answer, *, quotes: bool = True) -> str:
    """The whole answer; without `quotes` the words that statements rest on are left out."""
    return "\n".join(_list_lines(view_answer(answer), quotes)).strip() + "\n"


def escape_markdown(text: str) -> str:
    """Words that mean nothing in Markdown, in one line."""
    return sanitize_line(text).translate(_SPECIAL)


def _list_lines(view: AnswerView, quotes: bool) -> Iterator[str]:
    yield f"# {escape_markdown(view.question)}\n"
    yield from _list_parts(view.before)
    if view.abstained:
        yield f"**No answer is given.** {escape_markdown(view.reason)}\n"
    yield from (f"**{escape_markdown(line)}**\n" for line in view.decision)
    for topic in (view.lead, *view.topics, view.nearest):
        if topic.statements:
            yield f"## {escape_markdown(topic.heading or 'What the sources say')}\n"
            for one in topic.statements:
                yield from _list_statement(one, quotes)
            yield ""
    yield from _list_parts(view.after)
    if view.references:
        yield "## Works\n"
    for work in view.references:
        told = (work.title, work.publisher, work.year, work.depth, work.standing)
        yield f"{work.number}. {escape_markdown('. '.join(filter(None, told)))} {_link(work.link)}".rstrip()
    yield f"\n{escape_markdown(view.summary)}\n\n*{escape_markdown(view.warning)}*"


def _list_parts(parts: Iterable[Part]) -> Iterator[str]:
    for part in parts:
        yield f"## {escape_markdown(part.heading)}\n"
        for item in part.items:
            yield f"- {escape_markdown(item.text)}"
            yield from (f"  - {escape_markdown(one)}" for one in item.details)
        yield ""


def _list_statement(one: StatementView, quotes: bool) -> Iterator[str]:
    # A checked statement needs no word: what stands out are those that were not verified.
    state = "" if one.status in ("verbatim", "verified") else f" *({one.status_words})*"
    note = f" **{escape_markdown(one.note)}**" if one.note else ""
    marks = "".join(f"[{number}]" for number in one.numbers)
    yield f"- {escape_markdown(one.intro)} {marks}{state}{note}" if one.intro else f"- {marks}{state}{note}"
    yield from (f"  - {escape_markdown(item)}" for item in one.items)
    for quote in one.quotes if quotes else ():
        marked = " … ".join(some.text for some in quote.stretches if some.marked)
        yield f"\n  > “{escape_markdown(marked)}” [{quote.number}], {escape_markdown(quote.place)}\n"


def _link(address: str) -> str:
    is_web = address.lower().startswith(("https://", "http://"))
    # An address of another scheme (javascript:, data:) comes from a document and becomes no link.
    return f"<{''.join(address.split()).replace('>', '%3E').replace('<', '%3C')}>" if is_web else ""


SMALL_POINTS = 9
"""Size of the letters of quotes and of the table, in points."""

WORK_COLUMNS = ("No.", "Work", "Year", "Design", "Size", "Read", "Retraction", "Address")


def render_word_file(answer: Answer) -> bytes:
    """The whole answer as a .docx."""
    from docx import Document

    view, file = view_answer(answer), Document()
    file.core_properties.title, file.core_properties.author = sanitize_line(view.question)[:250], "wellsourced"
    file.add_heading(sanitize_line(view.question), 0)
    _add_parts(view.before, file)
    if view.abstained:
        file.add_paragraph().add_run(f"No answer is given. {sanitize_line(view.reason)}").bold = True
    for line in view.decision:
        file.add_paragraph().add_run(sanitize_line(line)).bold = True
    for topic in (view.lead, *view.topics, view.nearest):
        if topic.statements:
            file.add_heading(sanitize_line(topic.heading or "What the sources say"), 2)
        for one in topic.statements:
            _add_statement(one, file)
    _add_parts(view.after, file)
    _add_works(view, file)
    _add_parts((view.receipt,), file)
    file.add_paragraph(sanitize_line(view.summary))
    file.add_paragraph().add_run(sanitize_line(view.warning)).italic = True
    content = BytesIO()
    file.save(content)
    return content.getvalue()


def _add_parts(parts: Iterable[Part], file: "WordFile") -> None:
    for part in parts:
        file.add_heading(sanitize_line(part.heading), 2)
        for item in part.items:
            file.add_paragraph(sanitize_line(item.text), style="List Bullet")
            for one in item.details:
                file.add_paragraph(sanitize_line(one), style="List Bullet 2")


def _add_statement(one: StatementView, file: "WordFile") -> None:
    paragraph = file.add_paragraph(sanitize_line(one.intro))
    for item in one.items:
        paragraph = file.add_paragraph(sanitize_line(item), style="List Bullet")
    paragraph.add_run(" " + "".join(f"[{number}]" for number in one.numbers)).bold = True
    _add_small(paragraph, f" {one.symbol} {one.status_words}")
    if one.note:
        paragraph.add_run(f" {sanitize_line(one.note)}").bold = True
    for quote in one.quotes:
        paragraph = file.add_paragraph(style="Quote")
        marked = " … ".join(one.text for one in quote.stretches if one.marked)
        _add_small(paragraph, f"“{sanitize_line(marked)}” ")
        place = ", ".join(filter(None, (f"[{quote.number}]", quote.place, *quote.facts)))
        _add_small(paragraph, sanitize_line(place))


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
        _add_small(cell.paragraphs[0], sanitize_line(text))


WHOLE: dict[str, Export] = {
    "text": Export("Text with all quotes", ".txt", "text/plain; charset=utf-8", _render_text),
    "markdown": Export("Markdown", ".md", "text/markdown; charset=utf-8", render_markdown),
    "word": Export(
        "Word", ".docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", render_word_file
    ),
    "json": Export("JSON", ".json", "application/json", _render_json),
}
REFERENCES: dict[str, Export] = {
    "ris": Export(
        "References, RIS (Zotero, EndNote)", ".ris", "application/x-research-info-systems", _references("ris")
    ),
    "bibtex": Export("References, BibTeX", ".bib", "application/x-bibtex", _references("bibtex")),
    "csl": Export("References, CSL-JSON", ".csl.json", "application/vnd.citationstyles.csl+json", _references("csl")),
}
CHECKED: dict[str, Export] = {
    "html": Export("The report as one page", ".html", "text/html; charset=utf-8", _render_report),
    "json": Export("JSON", ".json", "application/json", lambda one: export_json([one], {})),
}
REPAIRED: dict[str, Export] = {
    "repaired": Export("The repaired text", ".md", "text/markdown; charset=utf-8", _render_repaired)
}


def list_exports(result: object) -> dict[str, Export]:
    """The files that there are of what a run came to."""
    if isinstance(result, Answer):
        # A file of no references would be empty, and look as if it had failed.
        return WHOLE | (REFERENCES if result.statements or result.found_instead else {})
    if isinstance(result, CheckedText):
        return CHECKED | (REPAIRED if result.checkup.edits else {})
    return {}
