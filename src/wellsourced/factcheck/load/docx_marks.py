"""Word files → the same file with its links, raised numbers and notes written out as words, for a reader of words."""

import io
import re
from collections.abc import Iterator
from typing import Any

from wellsourced.errors import SettingsError
from wellsourced.factcheck.load.html_marks import UNIT_BEFORE_POWER, escape_address

Element = Any
"""python-docx's, which are lxml's with more to them."""

WORD_NAMESPACE = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
RELATIONS_NAMESPACE = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
RAISED_NUMBERS = re.compile(r"\s*\[?(\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,20})\]?\s*,?\s*")
NOTE_TAGS = {"footnoteReference": ("footnotes", ""), "endnoteReference": ("endnotes", "e")}
HYPERLINK_FIELD = re.compile(r"HYPERLINK\s+\"([^\"]{1,2000})\"")


def mark_docx(data: bytes) -> bytes:
    """The file with `[words](address)` for its links, `[3]` for raised numbers, `[^3]` for notes, put at its end.

    To be called for a file that the reader of Word files has accepted: it has looked for what would fill the memory.
    Raises SettingsError when python-docx is not installed.
    """
    try:
        import docx
    except ImportError as error:
        raise SettingsError("Word files need python-docx: pip install 'wellsourced[documents]'") from error
    word = docx.Document(io.BytesIO(data))
    body = word.element.body
    for link in list(body.iter(f"{WORD_NAMESPACE}hyperlink")):
        relation = word.part.rels.get(link.get(f"{RELATIONS_NAMESPACE}id", ""))
        if relation is not None and relation.is_external:
            _wrap_link(list(link.iter(f"{WORD_NAMESPACE}t")), str(relation.target_ref))
    for field in list(body.iter(f"{WORD_NAMESPACE}fldSimple")):
        if found := HYPERLINK_FIELD.search(field.get(f"{WORD_NAMESPACE}instr", "")):
            _wrap_link(list(field.iter(f"{WORD_NAMESPACE}t")), found[1])
    for paragraph in body.iter(f"{WORD_NAMESPACE}p"):
        _mark_raised_numbers(paragraph)
    for note in list(_mark_notes(word, body)):
        word.add_paragraph(note)
    file = io.BytesIO()
    word.save(file)
    return file.getvalue()


def _wrap_link(texts: list[Element], address: str) -> None:
    words = "".join(one.text or "" for one in texts)
    if not words.strip() or not re.match(r"(?:https?|ftp|file)://", address):
        return
    if words.strip().rstrip("/") == address.rstrip("/"):
        return
    texts[0].text = f"[{texts[0].text or ''}"
    texts[-1].text = f"{texts[-1].text or ''}]({escape_address(address)})"


def _mark_raised_numbers(paragraph: Element) -> None:
    """Raised numbers after a word or a stop become marks; runs that follow each other are one."""
    before = ""
    raised: list[Element] = []
    for run in [*paragraph.iter(f"{WORD_NAMESPACE}r"), None]:
        align = None if run is None else run.find(f"{WORD_NAMESPACE}rPr/{WORD_NAMESPACE}vertAlign")
        up = align is not None and align.get(f"{WORD_NAMESPACE}val") == "superscript"
        texts = [] if run is None else list(run.iter(f"{WORD_NAMESPACE}t"))
        if up and texts:
            raised += texts
            continue
        if raised:
            words = "".join(one.text or "" for one in raised)
            found = RAISED_NUMBERS.fullmatch(words)
            # A raised number behind a unit is a power ("kg/m²"), and one that nothing stands before is a note's own
            # mark.
            if found and before.strip() and not UNIT_BEFORE_POWER.search(before[-12:]):
                raised[0].text = f"[{found[1]}]"
                for one in raised[1:]:
                    one.text = ""
            before, raised = before + words, []
        before += "".join(one.text or "" for one in texts)


def _mark_notes(word: Any, body: Element) -> Iterator[str]:
    """A mark in the place of every reference to a note; the notes, as definitions of Markdown."""
    for tag, (part, letter) in NOTE_TAGS.items():
        words = _read_notes(word, part)
        for reference in list(body.iter(f"{WORD_NAMESPACE}{tag}")):
            id = reference.get(f"{WORD_NAMESPACE}id", "")
            if not words.get(id):
                continue
            text = reference.makeelement(f"{WORD_NAMESPACE}t", {})
            text.text = f"[^{letter}{id}]"
            reference.getparent().replace(reference, text)
            yield f"[^{letter}{id}]: {words.pop(id)}"
            words[id] = ""


def _read_notes(word: Any, name: str) -> dict[str, str]:
    """Id of a note → its words."""
    from lxml import etree

    inside = (one for one in word.part.rels.values() if not one.is_external)
    part = next((one.target_part for one in inside if one.reltype.endswith(f"/{name}")), None)
    if part is None:
        return {}
    root = etree.fromstring(part.blob, etree.XMLParser(resolve_entities=False, no_network=True))
    notes = {}
    for note in root:
        words = " ".join("".join(text.text or "" for text in note.iter(f"{WORD_NAMESPACE}t")).split())
        links = [
            part.rels[link.get(f"{RELATIONS_NAMESPACE}id")].target_ref
            for link in note.iter(f"{WORD_NAMESPACE}hyperlink")
            if link.get(f"{RELATIONS_NAMESPACE}id") in part.rels
        ]
        own = [link for link in links if link not in words]
        notes[note.get(f"{WORD_NAMESPACE}id", "")] = " ".join([words, *own]).strip()
    return notes
