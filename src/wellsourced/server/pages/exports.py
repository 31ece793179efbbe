"""An answer as a file: whole, to read, or its references for a reference manager."""

from collections.abc import Callable
from typing import NamedTuple

from wellsourced.app.render.answer import render_answer
from wellsourced.app.render.references import number_references
from wellsourced.app.terminal import TerminalPage
from wellsourced.citations.reference_files import ReferenceFormat, render_reference_file
from wellsourced.types import Answer


class Export(NamedTuple):
    """A form of file: what it is called, how its name ends, and how it is made."""

    title: str
    ending: str
    media_type: str
    render: Callable[[Answer], str]


def _render_text(answer: Answer) -> str:
    return render_answer(answer, TerminalPage(width=100, quotes=True, places=True, receipt=True))


def _render_json(answer: Answer) -> str:
    return answer.model_dump_json(indent=2)


def _references(form: ReferenceFormat) -> Callable[[Answer], str]:
    return lambda answer: render_reference_file(number_references(answer).list_references(), form)


EXPORTS: dict[str, Export] = {
    "text": Export("Text with all quotes", ".txt", "text/plain; charset=utf-8", _render_text),
    "json": Export("JSON", ".json", "application/json", _render_json),
    "ris": Export(
        "References, RIS (Zotero, EndNote)", ".ris", "application/x-research-info-systems", _references("ris")
    ),
    "bibtex": Export("References, BibTeX", ".bib", "application/x-bibtex", _references("bibtex")),
    "csl": Export("References, CSL-JSON", ".csl.json", "application/vnd.citationstyles.csl+json", _references("csl")),
}
