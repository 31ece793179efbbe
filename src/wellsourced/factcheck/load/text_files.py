"""Bytes → the text that is checked, with its links and raised numbers in it: where a text cites is what matters here.

The readers make texts to be quoted, and leave addresses and marks out. Here a link reads `[words](address)`, a raised
number `[3]`, a footnote `[^3]` with its text at the end.
"""

import json
import re
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any
from urllib.parse import urljoin

from pydantic import ValidationError

from wellsourced.citations.reference_styles import render_reference
from wellsourced.claims.extraction import strip_citation_markers
from wellsourced.errors import UnreadableFile
from wellsourced.lazy import lazy_regex
from wellsourced.readers.base import InMemoryFile, file_id, file_title, normalize_line_ends, replace_surrogates
from wellsourced.readers.decompressed_file import FILE_LIMIT, MB, detect_encoding
from wellsourced.readers.html_pages import parse_charset
from wellsourced.readers.html_text import HtmlLine, HtmlText, element_words, prune_tree, raise_styled_text
from wellsourced.readers.html_tree import decode_page, parse_html_tree
from wellsourced.readers.packages.docx import read_docx_with_links
from wellsourced.readers.pdf.document import read_pdf_with_references
from wellsourced.readers.worker.limits import TEXT_LIMITS
from wellsourced.readers.worker.process import WorkerJob, run_in_worker_process
from wellsourced.readers.xml_records import Element
from wellsourced.text.urls import escape_address
from wellsourced.types import Answer, CitedSource, Claim, Document, Reference, SubmittedText, Value

MAX_CHARACTERS = 20 * MB
"""Characters of a text that is checked: a book of three hundred pages has one million."""

DOCX_SIGNATURE = b"PK\x03\x04"
DOC_SIGNATURE = b"\xd0\xcf\x11\xe0"
HTML_OPENING = re.compile(
    rb"\s*(?:<!doctype\s+html|<html\b|<\?xml[^>]{0,200}\?>\s*<!?(?:doctype\s+)?html)", re.IGNORECASE
)
TITLE_LINE = re.compile(r"\s*#[ \t]+([^\n]{3,200})")


class LoadedText(Value):
    """What a file that is to be checked holds: a document, or an answer of ours that is taken apart already."""

    content: Document | SubmittedText


async def load_text_by_worker(data: bytes, name: str, type: str = "") -> Document | SubmittedText:
    """As `load_text`, and `load_answer` before it, by a worker with limits: nothing of it is parsed in this process.

    Raises UnreadableFile, also for what needs more memory or time than a text may take; SettingsError.
    """
    given = {"name": replace_surrogates(name), "type": type}
    work = WorkerJob("text", given, data, name, remedy="Check it in parts, or save it as plain text.")
    return LoadedText.model_validate_json(await run_in_worker_process(work, TEXT_LIMITS)).content


def load_text_in_worker(given: Mapping[str, Any], data: bytes) -> LoadedText:
    """The text in these bytes: inside the worker."""
    name, type = given["name"], given["type"]
    # What a server sends is a page, even where it is JSON of our form.
    answer = None if type else load_answer(data, name)
    return LoadedText(content=answer or load_text(data, name, type))


def load_text(data: bytes, name: str, type: str = "") -> Document:
    """The text of a file or of a server's answer: PDF, Word, HTML, Markdown or plain text.

    name   what it is called, or its address; its ending counts where its first bytes say nothing
    type   what a server said it is: "text/html; charset=utf-8"

    Raises UnreadableFile for what is no text, or none that can be read; SettingsError where a package is not installed.
    """
    if len(data) > FILE_LIMIT:
        raise UnreadableFile(name, f"it is larger than {FILE_LIMIT // MB} MB", "Check it in parts.")
    if not data.strip():
        raise UnreadableFile(name, "it is empty", "Name a file with text.")
    held = InMemoryFile(name, data)
    # First bytes before names: chats and mail programs rename what is attached.
    if data[:1024].lstrip().startswith(b"%PDF-"):
        return _require_document(held, read_pdf_with_references(held, "own"))
    if data[:4] in (DOCX_SIGNATURE, DOC_SIGNATURE):
        return _require_document(held, read_docx_with_links(held, "own"))
    if _is_html(data, name, type):
        return _build_document(held, mark_html(held, parse_charset(type)))
    return _build_document(held, _decode_text(held))


PARAGRAPH_BREAK = "\n\n"


def convert_answer(answer: Answer, id: str = "answer") -> SubmittedText:
    """The answer as a text, taken apart along its own joints: nothing is read out of words that it says outright.

    The text has the statements, a paragraph each, with the numbers of their sources, and the list of these.
    """
    cites = _cited_works(answer)
    numbers = {one: str(number) for number, one in enumerate(dict.fromkeys(one for its in cites for one in its), 1)}
    text = ""
    claims: list[Claim] = []
    for statement, its in zip(answer.statements, cites, strict=True):
        keys = tuple(numbers[one] for one in its)
        words = statement.text.strip()
        claim = Claim(
            number=len(claims),
            text=strip_citation_markers(words) or words,
            start=len(text),
            end=len(text) + len(words),
            cites=keys,
        )
        claims.append(claim)
        marks = f" [{', '.join(keys)}]" if keys else ""
        text += f"{words}{marks}{PARAGRAPH_BREAK}"
    sources, text, other = _append_references(text, numbers)
    notes = ("the answer has no statement",) if not claims else () if sources else ("the text names no source",)
    document = Document(reference=Reference(id=id, title=answer.question.text), text=text.rstrip())
    return SubmittedText(document=document, claims=tuple(claims), sources=sources, other=other, notes=notes)


def _cited_works(answer: Answer) -> list[tuple[Reference, ...]]:
    references = {one.passage.id: one.passage.reference for one in answer.evidence}
    first = {one.id: one for one in references.values()}
    return [
        tuple(dict.fromkeys(first[references[citation.passage_id].id] for citation in statement.citations))
        for statement in answer.statements
    ]


def _append_references(
    text: str, numbers: dict[Reference, str]
) -> tuple[tuple[CitedSource, ...], str, tuple[tuple[int, int], ...]]:
    """(the sources, the text with their list behind it, where the heading of the list stands)."""
    if not numbers:
        return (), text, ()
    heading = (len(text), len(text) + len("References"))
    text += f"References{PARAGRAPH_BREAK}"
    sources = []
    for reference, number in numbers.items():
        entry = f"{number}. {render_reference(reference, 'vancouver')}"
        sources.append(_build_cited(reference, number, entry, len(text)))
        text += f"{entry}\n"
    return tuple(sources), text, (heading,)


def _build_cited(reference: Reference, number: str, entry: str, start: int) -> CitedSource:
    said = {name: getattr(reference, name) for name in ("url", "doi", "pmid", "pmcid", "title", "authors", "journal")}
    end, year = start + len(entry), str(reference.year or "")
    return CitedSource(key=number, written=entry, start=start, end=end, marks=(number,), year=year, **said)


def load_answer(data: bytes, name: str) -> SubmittedText | None:
    """An answer that `ask --json` wrote, taken apart along its own joints; None for every other text."""
    if len(data) > FILE_LIMIT or not data.lstrip().startswith(b"{") or b'"statements"' not in data:
        return None
    held = InMemoryFile(name, data)
    text = _decode_text(held)
    try:
        answer = Answer.model_validate(json.loads(text))
    except (ValueError, RecursionError, ValidationError):
        return None
    return convert_answer(answer, file_id(held))


def _is_html(data: bytes, name: str, type: str) -> bool:
    opens = HTML_OPENING.match(data[:2048]) is not None
    if type:
        return "html" in type.lower() or (opens and "text/" not in type.lower())
    return opens or any(one.endswith((".html", ".htm")) for one in (name.lower(), name.lower().rpartition("?")[0]))


def _decode_text(held: InMemoryFile) -> str:
    """Text as it is: UTF-8, UTF-16, else what an old program may have written in Latin script."""
    no_text = UnreadableFile(held.name, "it is not a text", "Save it as PDF, Word, HTML, Markdown or plain text.")
    if detect_encoding(held.data) == "utf-8" and b"\x00" in held.data[:4096]:
        raise no_text
    try:
        return normalize_line_ends(held.data.decode(detect_encoding(held.data)).removeprefix("\ufeff"))
    except UnicodeDecodeError:
        if sum(byte < 32 and byte not in (9, 10, 12, 13) for byte in held.data[:4096]) > 8:
            raise no_text from None
        return decode_page(held)[0]


def _require_document(held: InMemoryFile, read: Iterable[object]) -> Document:
    document = next((one for one in read if isinstance(one, Document)), None)
    if document is None or not document.text.strip():
        raise UnreadableFile(held.name, "it contains no text", "Name a file with text.")
    if len(document.text) > MAX_CHARACTERS:
        raise UnreadableFile(held.name, f"its text has more than {MAX_CHARACTERS:,} characters", "Check it in parts.")
    return document


def _build_document(held: InMemoryFile, text: str) -> Document:
    titled = TITLE_LINE.match(text)
    title = titled[1].strip(" #*") if titled else file_title(held)
    return _require_document(held, [Document(reference=Reference(id=file_id(held), title=title), text=text)])


# --- marks of reference in HTML


RAISED_NUMBERS = lazy_regex(r"\s*[\[(]?\s*(\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,20})\s*[\])]?\s*,?\s*")


def mark_html(held: InMemoryFile, charset: str = "") -> str:
    """The page's words as its reader has them, with `[words](address)` for links and "## " before headings.

    Raises UnreadableFile.
    """
    tree = parse_html_tree(held, decode_page(held, charset)[0])
    base = next(iter(tree.xpath("//base/@href") or tree.xpath("//link[@rel='canonical']/@href")), "")
    if not base and held.name.startswith(("http://", "https://")):
        base = held.name
    raise_styled_text(tree)
    prune_tree(tree)
    blocks = HtmlText(tree, partial(_LinkedLine, str(base))).blocks(tree)
    return "\n\n".join(f"{'#' * block.level} {block.text}".strip() for block in blocks)


class _LinkedLine(HtmlLine):
    """A line with the addresses of its links, which begin where `base` says."""

    def __init__(self, base: str) -> None:
        super().__init__()
        self._base = base

    def write_element(self, element: Element) -> None:
        link = element if element.tag == "a" else element.find(".//a") if element.tag == "sup" else None
        words = "" if link is None else " ".join(element_words(element).split())
        target = "" if link is None or not words else self._find_target(link)
        numbers = RAISED_NUMBERS.fullmatch(words)
        # A link to a place on the same page, under a number, leads to its list of references.
        if link is not None and numbers and (element.tag == "sup" or target or link.get("href", "").startswith("#")):
            self.write(f"[{numbers[1]}]({target})" if target else f"[{numbers[1]}]")
        elif target and element.tag == "a":
            shown = words.replace("[", "(").replace("]", ")")
            self.write(target if words == target else f"[{shown}]({target})")
        else:
            super().write_element(element)

    def _find_target(self, link: Element) -> str:
        """The address that a link leads to; "" for a place on the same page and for what is no page."""
        written = link.get("href", "").strip()
        if not written or written.startswith("#"):
            return ""
        try:
            address = urljoin(self._base, written)
        except ValueError:
            address = written
        is_page = address.startswith(("http://", "https://", "ftp://", "file://"))
        return escape_address(address) if is_page else ""
