"""Bytes → Documents: which reader reads which file, by its name and, for XML, by its outermost element."""

from pathlib import Path

from wellsourced.errors import Unreadable
from wellsourced.readers.base import BYTES_READ, SUFFIXES, Faulty, Reader, files_under
from wellsourced.readers.beir import read_beir
from wellsourced.readers.jats import ROOTS as JATS_ROOTS
from wellsourced.readers.jats import read_jats
from wellsourced.readers.markdown import read_markdown
from wellsourced.readers.medline import ROOTS as MEDLINE_ROOTS
from wellsourced.readers.medline import read_medline
from wellsourced.readers.plain import read_plain
from wellsourced.readers.xml import root_of

__all__ = ["BYTES_READ", "SUFFIXES", "Faulty", "Reader", "files_under", "reader_for"]

READERS: dict[str, Reader] = {
    ".jsonl": read_beir,
    ".jsonl.gz": read_beir,
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".txt": read_plain,
    ".text": read_plain,
    ".nxml": read_jats,
}


def reader_for(path: Path) -> Reader:
    """The reader of this file. Raises Unreadable for a name or a kind of XML that no reader knows."""
    name = path.name.lower()
    for suffix, reader in READERS.items():
        if name.endswith(suffix):
            return reader
    if name.endswith((".xml", ".xml.gz")):
        return _reader_of_xml(path)
    raise Unreadable(path, "no reader knows this kind of file", f"Files that can be read end in {', '.join(SUFFIXES)}.")


def _reader_of_xml(path: Path) -> Reader:
    root = root_of(path)
    if root in MEDLINE_ROOTS:
        return read_medline
    if root in JATS_ROOTS:
        return read_jats
    known = ", ".join(f"<{name}>" for name in (*MEDLINE_ROOTS, *JATS_ROOTS))
    raise Unreadable(path, f"it is <{root}>, which holds no articles", f"XML that can be read begins with {known}.")
