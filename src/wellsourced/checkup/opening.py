"""Bytes → the text that is checked, with its links and raised numbers in it: where a text cites is what matters here.

The readers make texts to be quoted, and leave addresses and marks out. Here a link reads `[words](address)`, a raised
number `[3]`, a footnote `[^3]` with its text at the end.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from wellsourced.checkup.answers import submitted_answer
from wellsourced.checkup.opening_docx import marked_docx
from wellsourced.checkup.opening_html import marked_html
from wellsourced.errors import Unreadable
from wellsourced.readers import TEXT_LIMITS, Held, Work, decoded, read_apart, read_docx, read_pdf_whole
from wellsourced.readers.base import FILE_LIMIT, MB, Read, encoding_of, file_id, file_title, plain, printable
from wellsourced.types import Answer, Document, Reference, Submitted, Value

LONGEST = 20 * MB
"""Characters of a text that is checked: a book of three hundred pages has one million."""

WORD = b"PK\x03\x04"
OLD_WORD = b"\xd0\xcf\x11\xe0"
MARKUP = re.compile(rb"\s*(?:<!doctype\s+html|<html\b|<\?xml[^>]{0,200}\?>\s*<!?(?:doctype\s+)?html)", re.IGNORECASE)
TITLED = re.compile(r"\s*#[ \t]+([^\n]{3,200})")


class OpenedText(Value):
    """What a file that is to be checked holds: a document, or an answer of ours that is taken apart already."""

    content: Document | Submitted


async def open_text_by_worker(data: bytes, name: str, type: str = "") -> Document | Submitted:
    """As `open_text`, and `open_answer` before it, by a worker with limits: nothing of it is parsed in this process.

    Raises Unreadable, also for what needs more memory or time than a text may take; SettingsError.
    """
    given = {"name": printable(name), "type": type}
    work = Work("text", given, data, name, remedy="Check it in parts, or save it as plain text.")
    return OpenedText.model_validate_json(await read_apart(work, TEXT_LIMITS)).content


def opened_text_of(given: Mapping[str, Any], data: bytes) -> OpenedText:
    """The text in these bytes: inside the worker."""
    name, type = given["name"], given["type"]
    answer = None if type else open_answer(data, name)
    return OpenedText(content=answer or open_text(data, name, type))


def open_text(data: bytes, name: str, type: str = "") -> Document:
    """The text of a file or of a server's answer: PDF, Word, HTML, Markdown or plain text.

    name   what it is called, or its address; its ending counts where its first bytes say nothing
    type   what a server said it is: "text/html; charset=utf-8"

    Raises Unreadable for what is no text, or none that can be read; SettingsError where a package is not installed.
    """
    if len(data) > FILE_LIMIT:
        raise Unreadable(name, f"it is larger than {FILE_LIMIT // MB} MB", "Check it in parts.")
    if not data.strip():
        raise Unreadable(name, "it is empty", "Name a file that holds a text.")
    held = Held(name, data)
    if data[:1024].lstrip().startswith(b"%PDF-"):
        return _only(held, read_pdf_whole(held, "own"))
    if data[:4] in (WORD, OLD_WORD):
        return _word(held)
    if _is_html(data, name, type):
        return _made(held, marked_html(held, _charset(type)))
    return _made(held, _decoded(held))


def open_answer(data: bytes, name: str) -> Submitted | None:
    """An answer that `ask --json` wrote, taken apart along its own joints; None for every other text."""
    if len(data) > FILE_LIMIT or not data.lstrip().startswith(b"{") or b'"statements"' not in data:
        return None
    held = Held(name, data)
    answer = _answer(_decoded(held))
    return submitted_answer(answer, file_id(held)) if answer else None


def _answer(text: str) -> Answer | None:
    try:
        return Answer.model_validate(json.loads(text))
    except (ValueError, RecursionError, ValidationError):
        return None


def _is_html(data: bytes, name: str, type: str) -> bool:
    if type:
        return "html" in type.lower() or (MARKUP.match(data[:2048]) is not None and "text/" not in type.lower())
    return (
        name.lower().rpartition("?")[0].endswith((".html", ".htm"))
        or name.lower().endswith((".html", ".htm"))
        or MARKUP.match(data[:2048]) is not None
    )


def _charset(type: str) -> str:
    found = re.search(r"charset=[\"']?([\w.:-]{1,40})", type, re.IGNORECASE)
    return found[1] if found else ""


def _decoded(held: Held) -> str:
    """Text as it is: UTF-8, UTF-16, else what an old program may have written in Latin script."""
    if encoding_of(held.data) == "utf-8" and b"\x00" in held.data[:4096]:
        raise Unreadable(held.name, "it is no text", "Save it as PDF, Word, HTML, Markdown or plain text.")
    try:
        return plain(held.data.decode(encoding_of(held.data)).removeprefix("\ufeff"))
    except UnicodeDecodeError:
        if sum(byte < 32 and byte not in (9, 10, 12, 13) for byte in held.data[:4096]) > 8:
            raise Unreadable(
                held.name, "it is no text", "Save it as PDF, Word, HTML, Markdown or plain text."
            ) from None
        return decoded(held)


def _word(held: Held) -> Document:
    # The reader comes first: it refuses what unpacks to too much, and what declares entities.
    _only(held, read_docx(held, "own"))
    return _only(held, read_docx(Held(held.name, marked_docx(held.data)), "own"))


def _only(held: Held, read: Read) -> Document:
    document = next((one for one in read if isinstance(one, Document)), None)
    if document is None or not document.text.strip():
        raise Unreadable(held.name, "it holds no text", "Name a file that holds a text.")
    return _bounded(held, document)


def _made(held: Held, text: str) -> Document:
    if not text.strip():
        raise Unreadable(held.name, "it holds no text", "Name a file that holds a text.")
    titled = TITLED.match(text)
    title = titled[1].strip(" #*") if titled else file_title(held)
    return _bounded(held, Document(reference=Reference(id=file_id(held), title=title), text=text))


def _bounded(held: Held, document: Document) -> Document:
    if len(document.text) > LONGEST:
        raise Unreadable(held.name, f"its text has more than {LONGEST:,} characters", "Check it in parts.")
    return document
