"""What the tests of readers share: read a file, and see that what comes out is sound."""

import gzip
from collections.abc import Iterator
from pathlib import Path

from wellsourced.readers.base import UnreadablePart
from wellsourced.readers.registry import reader_for
from wellsourced.types import Document, SourceKind

DATA = Path(__file__).parent / "data"


def read(path: Path, kind: SourceKind = "research") -> list[Document | UnreadablePart]:
    items = list(reader_for(path)(path, kind))
    for item in items:
        if isinstance(item, Document):
            assert_sound(item)
    return items


def documents(path: Path, kind: SourceKind = "research") -> list[Document]:
    items = read(path, kind)
    assert not [item for item in items if isinstance(item, UnreadablePart)]
    return [item for item in items if isinstance(item, Document)]


def only(path: Path, kind: SourceKind = "research") -> Document:
    (document,) = documents(path, kind)
    return document


def assert_sound(document: Document) -> None:
    """Sections are in order, inside the text, apart, and begin and end with a word; no foreign line end, no NUL."""
    assert document.reference.id
    assert document.sections
    behind = 0
    for section in document.sections:
        assert behind <= section.start < section.end <= len(document.text)
        words = document.text[section.start : section.end]
        assert words == words.strip()
        behind = section.end
    assert "\r" not in document.text
    assert "\x00" not in document.text


def parts(document: Document) -> list[tuple[str, str]]:
    """(title, words) of every section."""
    return [(section.title, document.text[section.start : section.end]) for section in document.sections]


def written(path: Path, data: str | bytes) -> Path:
    """The file, packed when its name says so."""
    raw = data.encode() if isinstance(data, str) else data
    path.write_bytes(gzip.compress(raw) if path.name.endswith(".gz") else raw)
    return path


def titles(items: list[Document]) -> Iterator[str]:
    return (item.reference.title for item in items)
