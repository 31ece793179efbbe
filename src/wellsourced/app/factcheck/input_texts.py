"""The texts that are to be checked: a file, standard input, an address."""

import sys
from pathlib import Path
from typing import NamedTuple

import click

from wellsourced import config
from wellsourced.app.options import is_endless
from wellsourced.errors import SettingsError, SourceRefused
from wellsourced.factcheck.check import text_to_document
from wellsourced.factcheck.load.answer_rows import compose_answer_text, holds_rows, read_answer_rows
from wellsourced.factcheck.load.text_files import load_text_by_worker
from wellsourced.presentation.wording import format_count
from wellsourced.text.sanitization import sanitize_line
from wellsourced.types import Document, SubmittedText, TextOrigin

MAX_TEXT_BYTES = 50_000_000
"""Bytes of a text: a book with its pictures."""

ROW_SEPARATOR = "#"
"""Between the name of a file of answers and the id, or the number, of one of them."""

MARKDOWN_ENDINGS = (".md", ".markdown")


class InputText(NamedTuple):
    """A text under the name by which it was given.

    has_file_offsets   its offsets are those of the file
    origin             who wrote it, and in reply to what, where that is known
    notes              what its reader should know of how it was had
    """

    name: str
    document: Document | SubmittedText
    has_file_offsets: bool = False
    origin: TextOrigin = TextOrigin()
    notes: tuple[str, ...] = ()


async def read_texts(names: tuple[str, ...], settings: config.Settings) -> list[InputText]:
    """All texts, before any is checked. Bad use, with the remedy, for one that cannot be read.

    Raises SourceUnavailable where an address may answer at another time.
    """
    twice = next((name for name in names if names.count(name) > 1), "")
    if twice:
        raise click.UsageError(f"{twice} is given twice.")
    try:
        return [text for name in names for text in await _read_named(name, settings)]
    except (SourceRefused, SettingsError) as error:
        raise click.UsageError(str(error)) from error


def is_address(name: str) -> bool:
    """Whether a text is on the web."""
    return name.lower().startswith(("http://", "https://"))


async def fetch_text(address: str, settings: config.Settings, limit: int = MAX_TEXT_BYTES) -> Document | SubmittedText:
    """The page at an address, fetched behind the guard against private ones, and read by a worker.

    Raises SourceUnavailable, SourceRefused, UnreadableFile, SettingsError.
    """
    async with config.open_client(settings) as client:
        reply = await client.follow(address, limit=limit)
    return await load_text_by_worker(reply.content, reply.url, reply.type)


async def _read_named(name: str, settings: config.Settings) -> list[InputText]:
    if is_address(name):
        return [InputText(name, await fetch_text(name, settings))]
    data = _read_bytes(name)
    if not data.strip():
        raise click.UsageError(f"{'Standard input' if name == '-' else name} is empty: give a text to check.")
    if holds_rows(name, data):
        return _read_rows(name, data)
    opened = await load_text_by_worker(data, name)
    if isinstance(opened, SubmittedText):
        origin = TextOrigin(question=opened.document.reference.title, system="wellsourced")
        return [InputText(name, opened, origin=origin)]
    return [InputText(name, opened, opened.text == data.decode("utf-8-sig", "replace").replace("\r\n", "\n"))]


def _read_rows(name: str, data: bytes) -> list[InputText]:
    """The answers in a file of rows; what cannot be used of it is said, row by row."""
    rows, rejected = read_answer_rows(name, data)
    if rejected:
        read = format_count(len(rows) + len(rejected), "row")
        told = f"{name}: {read}, {format_count(len(rows), 'answer')}, {len(rejected)} left out"
        click.echo(sanitize_line(told), err=True)
    for one in rejected:
        click.echo(sanitize_line(f"  row {one.row}: {one.reason}"), err=True)
    return [
        InputText(f"{name}{ROW_SEPARATOR}{row.name}", text_to_document(compose_answer_text(row)), origin=row.origin)
        for row in rows
    ]


def _read_bytes(name: str) -> bytes:
    if name == "-":
        data = sys.stdin.buffer.read(MAX_TEXT_BYTES + 1)
    else:
        path = Path(name)
        if path.is_dir():
            raise click.UsageError(f"{name} is a folder: name the files in it.")
        if is_endless(name):
            raise click.UsageError(f"{name} is not a regular file: hand it over as `… | wellsourced check -`.")
        try:
            with path.open("rb") as file:
                data = file.read(MAX_TEXT_BYTES + 1)
        except OSError as error:
            raise click.UsageError(f"{name} cannot be read: {error.strerror or error}.") from error
    if len(data) > MAX_TEXT_BYTES:
        raise click.UsageError(f"{name} has more than {MAX_TEXT_BYTES:,} bytes: give the part that is to be checked.")
    return data


def output_path(name: str, folder: Path, end: str) -> Path:
    """Where what is made of a text is written: "answer.cleaned.md" for "answer.md"."""
    if is_address(name):
        stem = "".join(letter if letter.isalnum() else "-" for letter in name.partition("://")[2])[:80].strip("-")
    else:
        stem = "text" if name == "-" else Path(name).stem
        if holds_rows(name.rpartition(ROW_SEPARATOR)[0], b""):
            row = name.rpartition(ROW_SEPARATOR)[2]
            stem += "-" + "".join(letter if letter.isalnum() else "-" for letter in row)[:80]
    return folder / f"{stem}{end}"


def cleaned_ending(name: str) -> str:
    """Of the cleaned text: Markdown stays Markdown, all else was read into plain text."""
    return ".md" if not is_address(name) and name.lower().endswith(MARKDOWN_ENDINGS) else ".txt"
