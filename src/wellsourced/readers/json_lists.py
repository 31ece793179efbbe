"""JSON files: a list of texts, or of objects that hold one each."""

from wellsourced.errors import Unreadable
from wellsourced.readers.base import MB, File, Read, salvaging, whole
from wellsourced.readers.beir import BODY, Unfit, documents_of, parsed
from wellsourced.types import Kind

LIMIT = 64 * MB
"""Characters of one file: as values they take up to ten times as much memory, and lines (.jsonl) take none."""

ACCEPTED = (
    'Readable are ["a text", …], [{"text": "…", "id": "…", "title": "…", "url": "…", "year": 2020}, …], and an object'
    " that holds one such list."
)


@salvaging
def read_json(path: File, kind: Kind) -> Read:
    """A document for each string, or each object with a text (or content, abstract, body, passage).

    An object may give id, title, url, doi, year or date, authors and journal, in itself or in its `metadata`. Without
    an id, the hash of its words is one, so that equal texts are one document.
    Raises Unreadable, showing what can be read, for JSON of any other shape.
    """
    text = whole(path)
    if len(text) > LIMIT:
        raise Unreadable(str(path), f"it is larger than {LIMIT // MB} MB", "Write one object a line, as .jsonl.")
    try:
        items = _items(parsed(text))
    except Unfit as fault:
        raise Unreadable(str(path), str(fault), ACCEPTED) from fault
    if items is None:
        raise Unreadable(str(path), "it is no list of texts", ACCEPTED)
    places = ((f"item {number}", item) for number, item in enumerate(items, 1))
    return documents_of(places, kind, "Mend it and add the file again.")


def _items(value: object) -> list[object] | None:
    """The one list of texts or objects in a value; None when there is none, or more than one."""
    if isinstance(value, dict) and any(isinstance(value.get(name), str) for name in BODY):
        return [value]
    lists = [value] if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []
    found = [one for one in lists if isinstance(one, list) and any(isinstance(o, str) or _holds_text(o) for o in one)]
    return found[0] if len(found) == 1 else None


def _holds_text(value: object) -> bool:
    """Whether it can be a document: one of a title alone is one, in a list of others."""
    return isinstance(value, dict) and any(isinstance(value.get(name), str) for name in (*BODY, "title"))
