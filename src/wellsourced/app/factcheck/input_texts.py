"""The texts that are to be checked: a file, standard input, an address."""

import sys
from pathlib import Path
from typing import NamedTuple

import click

from wellsourced import config
from wellsourced.app.options import is_endless
from wellsourced.errors import SettingsError, SourceRefused
from wellsourced.factcheck.load.text_files import load_text_by_worker
from wellsourced.types import Document, SubmittedText

MAX_TEXT_BYTES = 50_000_000
"""Bytes of a text: a book with its pictures."""

MARKDOWN_ENDINGS = (".md", ".markdown")


class InputText(NamedTuple):
    """A text under the name by which it was given; `plain`: its offsets are those of the file."""

    name: str
    document: Document | SubmittedText
    has_file_offsets: bool


async def read_texts(names: tuple[str, ...], settings: config.Settings) -> list[InputText]:
    """All texts, before any is checked. Bad use, with the remedy, for one that cannot be read.

    Raises SourceUnavailable where an address may answer at another time.
    """
    twice = next((name for name in names if names.count(name) > 1), "")
    if twice:
        raise click.UsageError(f"{twice} is given twice.")
    try:
        return [await _read_text(name, settings) for name in names]
    except (SourceRefused, SettingsError) as error:
        raise click.UsageError(str(error)) from error


def is_address(name: str) -> bool:
    """Whether a text is on the web."""
    return name.lower().startswith(("http://", "https://"))


async def _read_text(name: str, settings: config.Settings) -> InputText:
    if is_address(name):
        async with config.open_client(settings) as client:
            reply = await client.follow(name, limit=MAX_TEXT_BYTES)
        return InputText(name, await load_text_by_worker(reply.content, reply.url, reply.type), False)
    data = _read_bytes(name)
    if not data.strip():
        raise click.UsageError(f"{'Standard input' if name == '-' else name} is empty: give a text to check.")
    opened = await load_text_by_worker(data, name)
    return InputText(name, opened, isinstance(opened, Document) and opened.text == _decode_text(data))


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


def _decode_text(data: bytes) -> str:
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n")


def output_path(name: str, folder: Path, end: str) -> Path:
    """Where what is made of a text is written: "answer.cleaned.md" for "answer.md"."""
    if is_address(name):
        stem = "".join(letter if letter.isalnum() else "-" for letter in name.partition("://")[2])[:80].strip("-")
    else:
        stem = "text" if name == "-" else Path(name).stem
    return folder / f"{stem}{end}"


def cleaned_ending(name: str) -> str:
    """Of the cleaned text: Markdown stays Markdown, all else was read into plain text."""
    return ".md" if not is_address(name) and name.lower().endswith(MARKDOWN_ENDINGS) else ".txt"
