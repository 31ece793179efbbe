"""The texts that are to be checked, under the names by which they were given: a file, rows of answers, an address."""

from pathlib import Path
from typing import NamedTuple

from wellsourced.factcheck.check import text_to_document
from wellsourced.factcheck.load.answer_rows import RejectedRow, compose_answer_text, holds_rows, read_answer_rows
from wellsourced.factcheck.load.text_files import load_text_by_worker
from wellsourced.http import Client
from wellsourced.types import Document, SubmittedText, TextOrigin

MAX_TEXT_BYTES = 50_000_000
"""Bytes of a text: a book with its pictures."""

ROW_SEPARATOR = "#"
"""Between the name of a file of answers and the id, or the number, of one of them."""

MARKDOWN_ENDINGS = (".md", ".markdown")


class InputText(NamedTuple):
    """A text under the name by which it was given.

    origin   who wrote it, and in reply to what, where that is known
    notes    what its reader should know of how it was had
    """

    name: str
    document: Document | SubmittedText
    origin: TextOrigin = TextOrigin()
    notes: tuple[str, ...] = ()


class InputFile(NamedTuple):
    """The texts of a file: one, or an answer in each of its rows but those that cannot be used."""

    texts: tuple[InputText, ...]
    rejected: tuple[RejectedRow, ...] = ()


def is_address(name: str) -> bool:
    """Whether a text is on the web."""
    return name.lower().startswith(("http://", "https://"))


async def fetch_text(address: str, client: Client, limit: int = MAX_TEXT_BYTES) -> Document | SubmittedText:
    """The page at an address, fetched behind the guard against private ones, and read by a worker.

    Raises SourceUnavailable, SourceRefused, UnreadableFile, SettingsError.
    """
    reply = await client.follow(address, limit=limit)
    return await load_text_by_worker(reply.content, reply.url, reply.type)


async def read_input_file(name: str, data: bytes) -> InputFile:
    """The texts in a file, read by a worker. Raises UnreadableFile, SettingsError."""
    if holds_rows(name, data):
        rows, rejected = read_answer_rows(name, data)
        texts = [
            InputText(f"{name}{ROW_SEPARATOR}{row.name}", text_to_document(compose_answer_text(row)), origin=row.origin)
            for row in rows
        ]
        return InputFile(tuple(texts), rejected)
    loaded = await load_text_by_worker(data, name)
    if isinstance(loaded, SubmittedText):
        origin = TextOrigin(question=loaded.document.reference.title, system="wellsourced")
        return InputFile((InputText(name, loaded, origin=origin),))
    return InputFile((InputText(name, loaded),))


def output_path(name: str, folder: Path, end: str) -> Path:
    """Where what is made of a text is written: "answer.cleaned.md" for "answer.md"."""
    if is_address(name):
        stem = _to_file_name(name.partition("://")[2]).strip("-")
    else:
        stem = "text" if name == "-" else Path(name).stem
        if holds_rows(name.rpartition(ROW_SEPARATOR)[0], b""):
            stem += f"-{_to_file_name(name.rpartition(ROW_SEPARATOR)[2])}"
    return folder / f"{stem}{end}"


def _to_file_name(words: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in words)[:80]


def cleaned_ending(name: str) -> str:
    """Of the cleaned text: Markdown stays Markdown, all else was read into plain text."""
    return ".md" if not is_address(name) and name.lower().endswith(MARKDOWN_ENDINGS) else ".txt"
