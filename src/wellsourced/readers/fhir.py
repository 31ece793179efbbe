"""Clinical documents in FHIR (R4 and R5): the texts that a DocumentReference, or a Bundle of them, carries.

Each attachment is read by the reader of its content type. Who the document is about is not put into its reference.
"""

import base64
import binascii
from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

from wellsourced.errors import SettingsError, UnreadableFile
from wellsourced.readers.base import DocumentStream, File, InMemoryFile, UnreadablePart, file_id
from wellsourced.readers.document_builder import parse_iso_date
from wellsourced.readers.html_pages import READERS_BY_TYPE
from wellsourced.types import Document, Reference, SourceKind

Resource = Mapping[str, Any]

REMEDY = "Save the document as a file of its own and add that."


def is_resource(value: object) -> TypeGuard[Resource]:
    """Whether a value of JSON is a resource of FHIR."""
    return isinstance(value, dict) and isinstance(value.get("resourceType"), str)


def read_resources(path: File, resource: Resource, kind: SourceKind) -> DocumentStream:
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
        for entry in _list(resource.get("entry")):
            if is_resource(inner := entry.get("resource")):
                yield from _find_references(inner)


def _read_reference(path: File, resource: Resource, number: int, kind: SourceKind) -> DocumentStream:
    name = str(resource.get("id") or "")
    attachments = [content.get("attachment") for content in _list(resource.get("content"))]
    for place, attachment in enumerate(attachments, 1):
        where = f"document {name or number}" + (f", attachment {place}" if len(attachments) > 1 else "")
        if not isinstance(attachment, dict):
            yield UnreadablePart(where, "it has no attachment", REMEDY)
            continue
        id = f"fhir:DocumentReference/{name}" if name else f"{file_id(path)}-{number}"
        record = _build_reference(resource, attachment, id if place == 1 else f"{id}/{place}", kind)
        try:
            for item in _read_attachment(attachment, where, kind):
                if isinstance(item, Document):
                    title = record.title or item.reference.title
                    item = item.model_copy(update={"reference": record.model_copy(update={"title": title})})
                yield item
        except UnreadableFile as error:
            yield UnreadablePart(where, error.reason, error.remedy)
        except SettingsError as error:
            yield UnreadablePart(where, error.phrase, REMEDY)


def _read_attachment(attachment: Resource, where: str, kind: SourceKind) -> DocumentStream:
    type = str(attachment.get("contentType") or "").partition(";")[0].strip().lower()
    data, url = attachment.get("data"), str(attachment.get("url") or "")
    if not isinstance(data, str) or not data:
        reason = f"its text is not in the file but at {url[:200]}" if url else "it has no text"
        yield UnreadablePart(where, reason, REMEDY)
        return
    if (read := READERS_BY_TYPE.get(type)) is None:
        yield UnreadablePart(where, f"documents of type {type[:60] or 'unknown'} are not read", REMEDY)
        return
    try:
        content = base64.b64decode("".join(data.split()), validate=True)
    except binascii.Error:
        yield UnreadablePart(where, "its data is not base64", "Export the document again.")
        return
    yield from read(InMemoryFile(where, content), kind)


def _build_reference(resource: Resource, attachment: Resource, id: str, kind: SourceKind) -> Reference:
    titles = (attachment.get("title"), resource.get("description"), *_names(resource.get("type")))
    authors = (author.get("display") for author in _list(resource.get("author")))
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


def _names(concept: object) -> Iterator[object]:
    """The words of a CodeableConcept: its text, else what its codings are called."""
    if isinstance(concept, dict):
        yield concept.get("text")
        yield from (coding.get("display") for coding in _list(concept.get("coding")))


def _list(value: object) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
