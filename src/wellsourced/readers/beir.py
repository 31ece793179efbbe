"""BEIR corpora: a JSON object a line with `_id`, `title`, `text` (or SciFact's `sentences`) and `metadata`.

Lines of other shapes are read too: a string, or an object that names its parts otherwise.
"""

import hashlib
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wellsourced.readers.base import RECORD_LIMIT, Faulty, File, Read, Unpacked, catalogued, plain, salvaging
from wellsourced.types import Depth, Document, Kind, Reference, Section

LABEL = re.compile(r"(?:^|(?<=[.?!)\]] )|(?<=\n))([A-Z][A-Z0-9 /&,'’()-]{1,70}):\s+")
"""How the label of a part of a structured abstract stands: in capitals, at the start or behind a sentence."""

LABELLING = re.compile(
    r"\b(ABSTRACT|AIMS?|ANALYSIS|BACKGROUND|CASE|CONCLUSIONS?|CONTEXT|COVERED|DESIGN|DISCUSSION|EVIDENCE|FINDINGS|FUNDING"
    r"|HYPOTHESIS|IMPACT|IMPLICATIONS|IMPORTANCE|INTERPRETATION|INTERVENTIONS?|INTRODUCTION|LIMITATIONS|MEASURE(MENT)?S"
    r"|METHOD(OLOGY|S)?|OBJECTIVES?|OPINION|OUTCOMES?|PARTICIPANTS|PATIENTS?|POPULATION|PROBLEM|PROCEDURE|PURPOSES?"
    r"|QUESTION|RATIONALE|REGISTRATION|RELEVANCE|RESULTS?|SAMPLE|SETTINGS?|SIGNIFICANCE|SOURCES|SUBJECTS|SUMMARY"
    r"|SYNTHESIS|UNLABELLED)\b"
)
"""One of these makes it a label; without, it may be a gene, a drug or a diagnosis that its sentence cannot spare."""

PAGES: tuple[Kind, ...] = ("consumer", "web", "wiki", "own")


BODY = ("text", "content", "abstract", "body", "passage")
"""What people call the text of an object, the likeliest first."""

MENDED = "Mend the line and add the file again."


@salvaging
def read_beir(path: File, kind: Kind) -> Read:
    """A document a line. Its id is the line's `_id` or `id` as it stands, so that relevance judgements keep fitting.

    A line without one (a string, say) gets the hash of its words, so that equal lines are one document. Of two lines
    with one id the first counts. Remembers the ids; beside that, one line at a time is held.
    """
    return documents_of(((f"line {number}", _value(line)) for number, line in _lines(path)), kind, MENDED)


def documents_of(values: Iterable[tuple[str, object]], kind: Kind, remedy: str) -> Read:
    """A document for each (where it stands, value), and a Faulty for each that is none; a value may be an Unfit."""
    seen: set[str] = set()
    for where, value in values:
        try:
            document = _document(row_of(value), kind)
            if document.reference.id not in seen:
                seen.add(document.reference.id)
                yield document
            elif not document.reference.id.startswith(BY_WORDS):
                raise Unfit(f"the id {document.reference.id[:80]!r} is already that of an earlier line")
        except Unfit as fault:
            yield Faulty(where, str(fault), remedy)


BY_WORDS = "words:"
"""How the id of a row without one begins."""


def row_of(value: object) -> dict[str, Any]:
    """The value as BEIR would have it: with `_id`, `text` and `metadata`. Raises Unfit for what is no row."""
    if isinstance(value, Unfit):
        raise value
    if isinstance(value, str):
        value = {"text": value}
    if not isinstance(value, dict):
        raise Unfit("it is not a JSON object")
    if "_id" in value:
        return value
    name = next((name for name in BODY if value.get(name)), "text")
    others = {key: part for key, part in value.items() if key not in ("id", "title", "sentences", "metadata", name)}
    row = {key: value[key] for key in ("title", "sentences") if key in value}
    row |= {"metadata": value.get("metadata") or others}
    if name in value or "sentences" not in value:
        row["text"] = value.get(name)
    return {"_id": value["id"] if value.get("id") is not None else _by_words(row), **row}


def _by_words(row: Mapping[str, Any]) -> str:
    words = json.dumps([row.get("title"), row.get("text"), row.get("sentences")], ensure_ascii=True)
    return BY_WORDS + hashlib.sha256(words.encode()).hexdigest()[:20]


class Unfit(ValueError):
    """What is wrong with a line."""


def _lines(path: File) -> Iterator[tuple[int, bytes]]:
    """(number from 1, line) of every line that is not blank."""
    with Unpacked(path, RECORD_LIMIT) as unpacked, io.BufferedReader(unpacked, 1 << 18) as file:
        for number, line in enumerate(file, 1):
            unpacked.renew()
            if line.strip():
                yield number, line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line


def _value(line: bytes) -> object:
    try:
        return parsed(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        return Unfit(f"it is not UTF-8 text: the byte at column {error.start + 1} fits no character")
    except Unfit as fault:
        return fault


def parsed(text: str) -> object:
    """What a JSON text says. Raises Unfit for what is no JSON, or no text."""
    try:
        value: object = json.loads(text)
        if "\\ud" in text or "\\uD" in text:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise Unfit("it holds half a surrogate pair, which is valid JSON and no text") from error
    except (ValueError, RecursionError) as error:
        raise Unfit(f"it is not JSON ({error})") from error
    return value


def _document(row: dict[str, Any], kind: Kind) -> Document:
    title, body = _string(row, "title"), _body(row)
    if not title and not body:
        raise Unfit("it has neither title nor text")
    lead = f"{title}\n\n" if title and body else ""
    text = lead + body if body else title
    return Document(reference=_reference(row, title, kind), text=text, sections=_sections(text, len(lead)))


def _string(row: Mapping[str, Any], key: str) -> str:
    value = row.get(key, "")
    if value is not None and not isinstance(value, str):
        raise Unfit(f"its {key} is not a string")
    return plain(value or "").strip()


def _body(row: Mapping[str, Any]) -> str:
    sentences = row.get("sentences")
    if "text" in row or not isinstance(sentences, list):
        return _string(row, "text")
    if not all(isinstance(sentence, str) for sentence in sentences):
        raise Unfit("its sentences are not strings")
    return plain(" ".join(sentence.strip() for sentence in sentences)).strip()


def _reference(row: Mapping[str, Any], title: str, kind: Kind) -> Reference:
    id, metadata = row.get("_id"), row.get("metadata") or {}
    if isinstance(id, bool) or not isinstance(id, str | int) or not str(id).strip():
        raise Unfit("it has no _id")
    if not isinstance(metadata, dict):
        raise Unfit("its metadata is not a JSON object")
    depth = _depth(metadata, kind)
    reference = catalogued(metadata, id=str(id), title=title, kind=kind, depth=depth)
    pmid = str(metadata.get("pmid") or "")
    if pmid.isdecimal() and not reference.url:
        return reference.model_copy(update={"url": f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/"})
    return reference


def _depth(metadata: Mapping[str, Any], kind: Kind) -> Depth:
    if metadata.get("partial"):
        return "excerpt"
    if metadata.get("pmid") or kind == "research":
        return "abstract"
    return "web page" if metadata.get("url") and kind in PAGES else "full text"


def _sections(text: str, start: int) -> tuple[Section, ...]:
    """The parts of a structured abstract, each behind its label; without labels, all of it as one part."""
    if ":" not in text:
        return (Section(title="", start=start, end=len(text)),)
    sections, title = [], ""
    for label in LABEL.finditer(text, start):
        if not LABELLING.search(label[1]):
            continue
        sections.append((title, start, label.start()))
        title, start = "" if label[1] == "UNLABELLED" else label[1].strip(), label.end()
    sections.append((title, start, len(text)))
    spans = ((title, start, start + len(text[start:end].rstrip())) for title, start, end in sections)
    return tuple(Section(title=title, start=start, end=end) for title, start, end in spans if end > start)
