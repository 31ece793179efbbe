"""The program that reads foreign bytes: `python -m wellsourced.reading_worker`, started by `readers.worker` alone.

What it can do stands in TASKS. It is started without the user's environment, and reads what it is told to on its
standard input.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from wellsourced.readers.base import DocumentStream
from wellsourced.readers.html_pages import WebPage, read_web_page
from wellsourced.readers.registry import reader_for
from wellsourced.readers.worker.serving import serve_requests


def read_file(given: Mapping[str, Any], data: bytes) -> DocumentStream:
    """What the reader of a file gives: documents, faults, deletions."""
    path = Path(os.fsdecode(data))
    yield from reader_for(path)(path, given["kind"])


def read_page(given: Mapping[str, Any], data: bytes) -> Iterator[bytes]:
    """The document of a page that was fetched."""
    yield read_web_page(WebPage.model_validate(given), data).model_dump_json().encode()


def read_cited_page(given: Mapping[str, Any], data: bytes) -> Iterator[bytes]:
    """The document of a page that a text cites, and what the page shows besides."""
    from wellsourced.factcheck.pages.cited_page import parse_cited_page

    yield parse_cited_page(given, data).model_dump_json().encode()


def load_text(given: Mapping[str, Any], data: bytes) -> Iterator[bytes]:
    """The text of a file that is to be checked."""
    from wellsourced.factcheck.load.text_files import load_text_in_worker

    yield load_text_in_worker(given, data).model_dump_json().encode()


def read_claims(given: Mapping[str, Any], data: bytes) -> Iterator[bytes]:  # noqa: ARG001 (every task is given both)
    """The statements and the sources of a document."""
    from wellsourced.factcheck.load.decomposition import decompose_text
    from wellsourced.types import Document

    yield decompose_text(Document.model_validate_json(data)).model_dump_json().encode()


def locate_quote(given: Mapping[str, Any], data: bytes) -> Iterator[bytes]:
    """Where a quote stands on a page of a PDF."""
    from wellsourced.readers.pdf.printed_page import locate_quote_in_worker

    yield locate_quote_in_worker(given, data).model_dump_json().encode()


def draw_page(given: Mapping[str, Any], data: bytes) -> Iterator[bytes]:
    """The picture of a page of a PDF."""
    from wellsourced.readers.pdf.printed_page import draw_page_in_worker

    yield draw_page_in_worker(given, data)


TASKS: dict[str, Callable[[Mapping[str, Any], bytes], Iterable[Any]]] = {
    "file": read_file,
    "page": read_page,
    "cited page": read_cited_page,
    "text": load_text,
    "claims": read_claims,
    "located quote": locate_quote,
    "drawn page": draw_page,
}

if __name__ == "__main__":
    serve_requests(TASKS)
