"""The texts that are to be checked: a file, standard input, an address."""

import sys
from pathlib import Path
from typing import NamedTuple

import click

from wellsourced import config
from wellsourced.app.options import is_endless
from wellsourced.checkup.opening import load_text_by_worker
from wellsourced.errors import SettingsError, SourceRefused
from wellsourced.types import Document, SubmittedText

MOST = 50_000_000
"""Bytes of a text: a book with its pictures."""

MARKDOWN = (".md", ".markdown")


class Text(NamedTuple):
    """A text under the name by which it was given; `plain`: its offsets are those of the file."""

    name: str
    document: Document | SubmittedText
    plain: bool


async def texts_of(names: tuple[str, ...], settings: config.Settings) -> list[Text]:
    """All texts, before any is checked. Bad use, with the remedy, for one that cannot be read.

    Raises Unavailable where an address may answer at another time.
    """
    twice = next((name for name in names if names.count(name) > 1), "")
    if twice:
        raise click.UsageError(f"{twice} is given twice.")
    try:
        return [await _text(name, settings) for name in names]
    except (SourceRefused, SettingsError) as error:
        raise click.UsageError(str(error)) from error


def is_address(name: str) -> bool:
    """Whether a text is on the web."""
    return name.lower().startswith(("http://", "https://"))


async def _text(name: str, settings: config.Settings) -> Text:
    if is_address(name):
        async with config.open_client(settings) as client:
            reply = await client.follow(name, limit=MOST)
        return Text(name, await load_text_by_worker(reply.content, reply.url, reply.type), False)
    data = _bytes(name)
    if not data.strip():
        raise click.UsageError(f"{'Standard input' if name == '-' else name} is empty: give a text to check.")
    opened = await load_text_by_worker(data, name)
    return Text(name, opened, isinstance(opened, Document) and opened.text == _decoded(data))


def _bytes(name: str) -> bytes:
    if name == "-":
        data = sys.stdin.buffer.read(MOST + 1)
    else:
        path = Path(name)
        if path.is_dir():
            raise click.UsageError(f"{name} is a folder: name the files in it.")
        if is_endless(name):
            raise click.UsageError(f"{name} is not a regular file: hand it over as `… | wellsourced check -`.")
        try:
            with path.open("rb") as file:
                data = file.read(MOST + 1)
        except OSError as error:
            raise click.UsageError(f"{name} cannot be read: {error.strerror or error}.") from error
    if len(data) > MOST:
        raise click.UsageError(f"{name} has more than {MOST:,} bytes: give the part that is to be checked.")
    return data


def _decoded(data: bytes) -> str:
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n")


def beside(name: str, folder: Path, end: str) -> Path:
    """Where what is made of a text is written: "answer.cleaned.md" for "answer.md"."""
    if is_address(name):
        stem = "".join(letter if letter.isalnum() else "-" for letter in name.partition("://")[2])[:80].strip("-")
    else:
        stem = "text" if name == "-" else Path(name).stem
    return folder / f"{stem}{end}"


def ending(name: str) -> str:
    """Of the cleaned text: Markdown stays Markdown, all else was read into plain text."""
    return ".md" if not is_address(name) and name.lower().endswith(MARKDOWN) else ".txt"
