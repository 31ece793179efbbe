"""Files of a run: an answer as text, Markdown or Word, its references for a reference manager, the report on a text."""

from collections.abc import Callable
from textwrap import shorten
from typing import Any, NamedTuple
from unicodedata import normalize

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
from wellsourced.runs.live import LiveRun
from wellsourced.text.sanitization import sanitize_text
from wellsourced.types import Answer

MAX_NAME_LENGTH = 60


class Export(NamedTuple):
    """A form of file: what it is called, how its name ends, and how it is made."""

    title: str
    ending: str
    media_type: str
    render: Callable[[Any], str | bytes]


def _render_text(answer: Answer) -> str:
    page, shown = TerminalPage(width=100, quotes=True, places=True, receipt=True), build_answer(answer)
    return f"{sanitize_text(shown.title)}\n\n{write_terminal(shown, page, skip_step)}"


def _render_repaired(result: CheckedText) -> str:
    return apply_edits(result.checkup.submitted, result.checkup.edits)


def _references(title: str, ending: str, media_type: str, form: ReferenceFormat) -> Export:
    return Export(
        title, ending, media_type, lambda given: render_reference_file(number_references(given).list_references(), form)
    )


MARKDOWN_TYPE = "text/markdown; charset=utf-8"
WORD_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

WHOLE = {
    "text": Export("Text with all quotes", ".txt", "text/plain; charset=utf-8", _render_text),
    "markdown": Export("Markdown", ".md", MARKDOWN_TYPE, lambda given: write_markdown(build_answer(given))),
    "word": Export("Word", ".docx", WORD_TYPE, lambda given: write_word_file(build_answer(given))),
    "json": Export("JSON", ".json", "application/json", lambda given: given.model_dump_json(indent=2)),
}
REFERENCES = {
    "ris": _references("References, RIS (Zotero, EndNote)", ".ris", "application/x-research-info-systems", "ris"),
    "bibtex": _references("References, BibTeX", ".bib", "application/x-bibtex", "bibtex"),
    "csl": _references("References, CSL-JSON", ".csl.json", "application/vnd.citationstyles.csl+json", "csl"),
}
CHECKED = {
    "html": Export(
        "The report as one page",
        ".html",
        "text/html; charset=utf-8",
        lambda given: write_html_page(present_checks([given], {})),
    ),
    "json": Export("JSON", ".json", "application/json", lambda given: export_json([given], {})),
}
REPAIRED = {"repaired": Export("The repaired text", ".md", MARKDOWN_TYPE, _render_repaired)}


def name_file(run: LiveRun, export: Export) -> str:
    """The name of a file after what was asked and the day: "how-is-gout-treated-2026-11-29.docx"."""
    plain = normalize("NFKD", run.title).encode("ascii", "ignore").decode().lower()
    words = "".join(letter if letter.isalnum() else " " for letter in plain)
    name = shorten(words, MAX_NAME_LENGTH, placeholder="").replace(" ", "-")
    return f"{name or run.kind}-{run.begun:%Y-%m-%d}{export.ending}"


def list_exports(result: object) -> dict[str, Export]:
    """The files that there are of what a run came to."""
    if isinstance(result, Answer):
        # A file of no references would be empty, and look as if it had failed.
        return WHOLE | (REFERENCES if result.statements or result.found_instead else {})
    if isinstance(result, CheckedText):
        return CHECKED | (REPAIRED if result.checkup.edits else {})
    return {}
