"""BEIR corpora: a JSON object a line with `_id`, `title`, `text` (or SciFact's `sentences`) and `metadata`.

Lines of other shapes are read too: a string, or an object that names its parts otherwise.
"""

import base64
import binascii
import hashlib
import json
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, TypeGuard

from wellsourced.citations.links import work_url
from wellsourced.errors import SettingsError, UnreadableFile
from wellsourced.readers import drug_labels, reference_files
from wellsourced.readers.base import (
    DocumentStream,
    File,
    InMemoryFile,
    InvalidRecord,
    UnreadablePart,
    build_documents,
    file_id,
    normalize_line_ends,
    salvage_documents,
)
from wellsourced.readers.decompressed_file import MB, iter_lines, read_whole_text
from wellsourced.readers.document_builder import build_reference, parse_iso_date, split_labelled_sections
from wellsourced.readers.html_pages import READERS_BY_TYPE
from wellsourced.text.typography import remove_break_marks
from wellsourced.types import Document, ReadingDepth, Reference, SourceKind

WEB_PAGE_KINDS: tuple[SourceKind, ...] = ("consumer", "web", "wiki", "own")

TEXT_KEYS = ("text", "content", "abstract", "body", "passage")
"""What people call the text of an object, the likeliest first."""

LINE_REMEDY = "Fix the line and add the file again."


@salvage_documents
def read_json_lines(path: File, kind: SourceKind) -> DocumentStream:
    """A document a line. Its id is the line's `_id` or `id` as it stands, so that relevance judgements keep fitting.

    A line without one (a string, say) gets the hash of its words, so that equal lines are one document. Of two lines
    with one id the first counts. Remembers the ids; beside that, one line at a time is held.
    """
    lines = ((f"line {number}", _parse_line(line)) for number, line in iter_lines(path))
    return build_documents(lines, partial(_build_document, kind=kind), LINE_REMEDY)


def _normalize_row(value: object) -> dict[str, Any]:
    """The value as BEIR would have it: with `_id`, `text` and `metadata`. Raises InvalidRecord for what is no row."""
    if isinstance(value, InvalidRecord):
        raise value
    if isinstance(value, str):
        value = {"text": value}
    if not isinstance(value, dict):
        raise InvalidRecord("it is not a JSON object")
    if "_id" in value:
        return value
    name = next((name for name in TEXT_KEYS if value.get(name)), "text")
    others = {key: part for key, part in value.items() if key not in ("id", "title", "sentences", "metadata", name)}
    row = {key: value[key] for key in ("title", "sentences") if key in value}
    row |= {"metadata": value.get("metadata") or others}
    if name in value or "sentences" not in value:
        row["text"] = value.get(name)
    if value.get("id") is not None:
        return {"_id": value["id"], **row}
    words = json.dumps([row.get("title"), row.get("text"), row.get("sentences")], ensure_ascii=True)
    return {"_id": "words:" + hashlib.sha256(words.encode()).hexdigest()[:20], **row}


def _parse_line(line: bytes) -> object:
    try:
        return parse_json(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        return InvalidRecord(f"it is not UTF-8 text: invalid byte at column {error.start + 1}")
    except InvalidRecord as fault:
        return fault


def parse_json(text: str) -> object:
    """What a JSON text says. Raises InvalidRecord for what is no JSON, or no text."""
    try:
        value: object = json.loads(text)
        if "\\ud" in text or "\\uD" in text:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidRecord("it contains half a surrogate pair") from error
    except (ValueError, RecursionError) as error:
        raise InvalidRecord(f"it is not JSON ({error})") from error
    return value


def _build_document(value: object, *, kind: SourceKind) -> Document:
    """A document of a value, which may be an InvalidRecord, to be raised."""
    row = _normalize_row(value)
    title, body = _get_string(row, "title"), _body_text(row)
    if not title and not body:
        raise InvalidRecord("it has neither title nor text")
    lead = f"{title}\n\n" if title and body else ""
    text = lead + body if body else title
    reference = _build_row_reference(row, title, kind)
    return Document(reference=reference, text=text, sections=split_labelled_sections(text, len(lead)))


def _get_string(row: Mapping[str, Any], key: str) -> str:
    value = row.get(key, "")
    if value is not None and not isinstance(value, str):
        raise InvalidRecord(f"its {key} is not a string")
    return remove_break_marks(normalize_line_ends(value or "")).strip()


def _body_text(row: Mapping[str, Any]) -> str:
    sentences = row.get("sentences")
    if "text" in row or not isinstance(sentences, list):
        return _get_string(row, "text")
    if not all(isinstance(sentence, str) for sentence in sentences):
        raise InvalidRecord("its sentences are not strings")
    return remove_break_marks(normalize_line_ends(" ".join(sentence.strip() for sentence in sentences))).strip()


def _build_row_reference(row: Mapping[str, Any], title: str, kind: SourceKind) -> Reference:
    id, metadata = row.get("_id"), row.get("metadata") or {}
    if isinstance(id, bool) or not isinstance(id, str | int) or not str(id).strip():
        raise InvalidRecord("it has no _id")
    if not isinstance(metadata, dict):
        raise InvalidRecord("its metadata is not a JSON object")
    depth: ReadingDepth = "full text"
    if metadata.get("partial"):
        depth = "excerpt"
    elif metadata.get("pmid") or kind == "research":
        depth = "abstract"
    elif metadata.get("url") and kind in WEB_PAGE_KINDS:
        depth = "web page"
    reference = build_reference(metadata, id=str(id), title=title, kind=kind, depth=depth)
    pmid = str(metadata.get("pmid") or "")
    if pmid.isdecimal() and not reference.url:
        return reference.model_copy(update={"url": work_url(pmid=pmid)})
    return reference


MAX_JSON_CHARS = 64 * MB
"""Characters of one file: as values they take up to ten times as much memory, and lines (.jsonl) take none."""

ACCEPTED_SHAPES = 'Write it as ["a text", …] or [{"text": "…", "id": "…", "title": "…", "url": "…", "year": 2020}, …].'


@salvage_documents
def read_json(path: File, kind: SourceKind) -> DocumentStream:
    """A document for each string, or each object with a text (or content, abstract, body, passage).

    Drug labels of openFDA, FHIR's DocumentReference and works in CSL-JSON are read by what they are.

    An object may give id, title, url, doi, year or date, authors and journal, in itself or in its `metadata`. Without
    an id, the hash of its words is one, so that equal texts are one document.
    Raises UnreadableFile, showing what can be read, for JSON of any other shape.
    """
    if drug_labels.is_openfda(path):
        yield from drug_labels.read_openfda(path, kind)
        return
    text = read_whole_text(path)
    if len(text) > MAX_JSON_CHARS:
        reason = f"it is larger than {MAX_JSON_CHARS // MB} MB"
        raise UnreadableFile(str(path), reason, "Write one object per line, as .jsonl.")
    try:
        value = parse_json(text)
    except InvalidRecord as fault:
        raise UnreadableFile(str(path), str(fault), ACCEPTED_SHAPES) from fault
    if _is_resource(value):
        yield from _read_resources(path, value, kind)
        return
    if reference_files.is_csl(value):
        yield from reference_files.read_csl(value, kind)
        return
    if (items := _find_items(value)) is None:
        raise UnreadableFile(str(path), "it is not a list of texts", ACCEPTED_SHAPES)
    places = ((f"item {number}", item) for number, item in enumerate(items, 1))
    yield from build_documents(places, partial(_build_document, kind=kind), "Fix it and add the file again.")


def _find_items(value: object) -> list[object] | None:
    """The one list of texts or objects in a value; None when there is none, or more than one."""
    if isinstance(value, dict) and any(isinstance(value.get(name), str) for name in TEXT_KEYS):
        return [value]
    lists = [value] if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []
    found = [one for one in lists if isinstance(one, list) and any(isinstance(o, str) or _holds_text(o) for o in one)]
    return found[0] if len(found) == 1 else None


def _holds_text(value: object) -> bool:
    """Whether it can be a document: one of a title alone is one, in a list of others."""
    return isinstance(value, dict) and any(isinstance(value.get(name), str) for name in (*TEXT_KEYS, "title"))


# --- FHIR ------------------------------------------------------------------------------------------------------------
#
# Clinical documents (R4 and R5): the texts that a DocumentReference, or a Bundle of them, carries. Each attachment is
# read by the reader of its content type. Who the document is about is not put into its reference.

Resource = Mapping[str, Any]

DOCUMENT_REMEDY = "Save the document as a file of its own and add that."


def _is_resource(value: object) -> TypeGuard[Resource]:
    """Whether a value of JSON is a resource of FHIR."""
    return isinstance(value, dict) and isinstance(value.get("resourceType"), str)


def _read_resources(path: File, resource: Resource, kind: SourceKind) -> DocumentStream:
    """A document for each attachment with its text; resources of other types in a Bundle are passed over.

    Raises UnreadableFile for a resource that carries no documents.
    """
    references = list(_find_references(resource))
    if not references:
        reason = f"its resource {resource['resourceType'][:40]} carries no document"
        raise UnreadableFile(str(path), reason, "Export DocumentReference resources, or a Bundle of them.")
    for number, reference in enumerate(references, 1):
        yield from _read_reference(path, reference, number, kind)


def _find_references(resource: Resource) -> Iterator[Resource]:
    if resource["resourceType"] == "DocumentReference":
        yield resource
    elif resource["resourceType"] == "Bundle":
        for entry in _list_objects(resource.get("entry")):
            if _is_resource(inner := entry.get("resource")):
                yield from _find_references(inner)


def _read_reference(path: File, resource: Resource, number: int, kind: SourceKind) -> DocumentStream:
    name = str(resource.get("id") or "")
    attachments = [content.get("attachment") for content in _list_objects(resource.get("content"))]
    for place, attachment in enumerate(attachments, 1):
        where = f"document {name or number}" + (f", attachment {place}" if len(attachments) > 1 else "")
        if not isinstance(attachment, dict):
            yield UnreadablePart(where, "it has no attachment", DOCUMENT_REMEDY)
            continue
        id = f"fhir:DocumentReference/{name}" if name else f"{file_id(path)}-{number}"
        record = _build_resource_reference(resource, attachment, id if place == 1 else f"{id}/{place}", kind)
        try:
            for item in _read_attachment(attachment, where, kind):
                if isinstance(item, Document):
                    title = record.title or item.reference.title
                    item = item.model_copy(update={"reference": record.model_copy(update={"title": title})})
                yield item
        except UnreadableFile as error:
            yield UnreadablePart(where, error.reason, error.remedy)
        except SettingsError as error:
            yield UnreadablePart(where, error.phrase, DOCUMENT_REMEDY)


def _read_attachment(attachment: Resource, where: str, kind: SourceKind) -> DocumentStream:
    type = str(attachment.get("contentType") or "").partition(";")[0].strip().lower()
    data, url = attachment.get("data"), str(attachment.get("url") or "")
    if not isinstance(data, str) or not data:
        reason = f"its text is not in the file but at {url[:200]}" if url else "it has no text"
        yield UnreadablePart(where, reason, DOCUMENT_REMEDY)
        return
    if (read := READERS_BY_TYPE.get(type)) is None:
        yield UnreadablePart(where, f"documents of type {type[:60] or 'unknown'} are not read", DOCUMENT_REMEDY)
        return
    try:
        content = base64.b64decode("".join(data.split()), validate=True)
    except binascii.Error:
        yield UnreadablePart(where, "its data is not base64", "Export the document again.")
        return
    yield from read(InMemoryFile(where, content), kind)


def _build_resource_reference(resource: Resource, attachment: Resource, id: str, kind: SourceKind) -> Reference:
    titles = (attachment.get("title"), resource.get("description"), *_concept_names(resource.get("type")))
    authors = (author.get("display") for author in _list_objects(resource.get("author")))
    custodian = resource.get("custodian")
    return Reference(
        id=id,
        title=next((" ".join(title.split()) for title in titles if isinstance(title, str) and title.strip()), ""),
        kind=kind,
        organisation=str(custodian.get("display") or "") if isinstance(custodian, dict) else "",
        published=parse_iso_date(resource.get("date") or attachment.get("creation")),
        authors=tuple(name for name in authors if isinstance(name, str) and name),
        depth="record",
    )


def _concept_names(concept: object) -> Iterator[object]:
    """The words of a CodeableConcept: its text, else what its codings are called."""
    if isinstance(concept, dict):
        yield concept.get("text")
        yield from (coding.get("display") for coding in _list_objects(concept.get("coding")))


def _list_objects(value: object) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
