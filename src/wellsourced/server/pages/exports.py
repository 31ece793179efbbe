"""Files of a run: an answer as text, Markdown or Word, its references for a reference manager, the report on a text."""

from collections.abc import Callable
from typing import Any, NamedTuple

from wellsourced.citations.reference_styles import ReferenceFormat, render_reference_file
from wellsourced.factcheck.checked_text import CheckedText
from wellsourced.factcheck.edited_text import apply_edits
from wellsourced.presentation.answers import build_answer
from wellsourced.presentation.blocks import skip_step
from wellsourced.presentation.check_exports import export_json
from wellsourced.presentation.checks import present_checks
from wellsourced.presentation.html import write_html_page
from wellsourced.presentation.markdown import write_markdown
from wellsourced.presentation.references import number_references
from wellsourced.presentation.terminal import TerminalPage, write_terminal
from wellsourced.presentation.word import write_word_file
from wellsourced.types import Answer


class Export(NamedTuple):
    """A form of file: what it is called, how its name ends, and how it is made."""

    title: str
    ending: str
    media_type: str
    render: Callable[[Any], str | bytes]


def _render_text(answer: Answer) -> str:
    page = TerminalPage(width=100, quotes=True, places=True, receipt=True)
    return write_terminal(build_answer(answer), page, skip_step)


def _render_json(answer: Answer) -> str:
    return answer.model_dump_json(indent=2)


def _render_report(result: CheckedText) -> str:
    return write_html_page(present_checks([result], {}))


def _render_repaired(result: CheckedText) -> str:
    return apply_edits(result.checkup.submitted, result.checkup.edits)


def _references(form: ReferenceFormat) -> Callable[[Answer], str]:
    return lambda answer: render_reference_file(number_references(answer).list_references(), form)


WHOLE: dict[str, Export] = {
    "text": Export("Text with all quotes", ".txt", "text/plain; charset=utf-8", _render_text),
    "markdown": Export(
        "Markdown", ".md", "text/markdown; charset=utf-8", lambda one: write_markdown(build_answer(one))
    ),
    "word": Export(
        "Word",
        ".docx",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        lambda one: write_word_file(build_answer(one)),
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
