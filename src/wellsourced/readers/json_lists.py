"""JSON files: a list of texts, or of objects that hold one each."""

from wellsourced.errors import UnreadableFile
from wellsourced.readers.base import MB, DocumentStream, File, read_whole_text, salvage_documents
from wellsourced.readers.beir import TEXT_KEYS, InvalidRecord, build_documents, parse_json
from wellsourced.types import SourceKind

MAX_JSON_CHARS = 64 * MB
"""Characters of one file: as values they take up to ten times as much memory, and lines (.jsonl) take none."""

ACCEPTED_SHAPES = (
    'Readable are ["a text", …], [{"text": "…", "id": "…", "title": "…", "url": "…", "year": 2020}, …], and an object'
    " that holds one such list."
)


@salvage_documents
def read_json(path: File, kind: SourceKind) -> DocumentStream:
    """A document for each string, or each object with a text (or content, abstract, body, passage).

    An object may give id, title, url, doi, year or date, authors and journal, in itself or in its `metadata`. Without
    an id, the hash of its words is one, so that equal texts are one document.
    Raises Unreadable, showing what can be read, for JSON of any other shape.
    """
    text = read_whole_text(path)
    if len(text) > MAX_JSON_CHARS:
        raise UnreadableFile(
            str(path), f"it is larger than {MAX_JSON_CHARS // MB} MB", "Write one object a line, as .jsonl."
        )
    try:
        items = _find_items(parse_json(text))
    except InvalidRecord as fault:
        raise UnreadableFile(str(path), str(fault), ACCEPTED_SHAPES) from fault
    if items is None:
        raise UnreadableFile(str(path), "it is no list of texts", ACCEPTED_SHAPES)
    places = ((f"item {number}", item) for number, item in enumerate(items, 1))
    return build_documents(places, kind, "Mend it and add the file again.")


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
