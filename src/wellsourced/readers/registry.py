"""Which reader reads which file: by how its name ends and, for XML, by its outermost element."""

from pathlib import Path

from wellsourced.errors import UnreadableFile
from wellsourced.readers.base import SUFFIXES, DocumentReader
from wellsourced.readers.csv_tables import read_table
from wellsourced.readers.docx import read_docx, refuse_other_word
from wellsourced.readers.html.main_text import read_html
from wellsourced.readers.jats.articles import ROOTS as JATS_ROOTS
from wellsourced.readers.jats.articles import read_jats
from wellsourced.readers.jats.bookshelf import ROOTS as BOOKSHELF_ROOTS
from wellsourced.readers.jats.bookshelf import read_bookshelf
from wellsourced.readers.json_records import read_json, read_json_lines
from wellsourced.readers.markdown import read_markdown
from wellsourced.readers.medline.documents import ROOTS as MEDLINE_ROOTS
from wellsourced.readers.medline.documents import read_medline
from wellsourced.readers.medquad import ROOTS as MEDQUAD_ROOTS
from wellsourced.readers.medquad import read_medquad
from wellsourced.readers.pdf.document import read_pdf
from wellsourced.readers.plain_text import read_plain_text
from wellsourced.readers.wikipedia import ROOTS as WIKIPEDIA_ROOTS
from wellsourced.readers.wikipedia import read_wikipedia
from wellsourced.readers.xml_records import root_name

READERS_BY_SUFFIX: dict[str, DocumentReader] = {
    ".jsonl": read_json_lines,
    ".jsonl.gz": read_json_lines,
    ".json": read_json,
    ".csv": read_table,
    ".tsv": read_table,
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".txt": read_plain_text,
    ".text": read_plain_text,
    ".pdf": read_pdf,
    ".docx": read_docx,
    ".docm": refuse_other_word,
    ".doc": refuse_other_word,
    ".html": read_html,
    ".htm": read_html,
}


READERS_BY_ROOT: dict[str, DocumentReader] = {
    **dict.fromkeys(MEDLINE_ROOTS, read_medline),
    **dict.fromkeys(JATS_ROOTS, read_jats),
    **dict.fromkeys(BOOKSHELF_ROOTS, read_bookshelf),
    **dict.fromkeys(MEDQUAD_ROOTS, read_medquad),
    **dict.fromkeys(WIKIPEDIA_ROOTS, read_wikipedia),
}
"""By the name of the outermost element."""


def reader_for(path: Path) -> DocumentReader:
    """The reader of this file. Raises UnreadableFile for a name or a kind of XML that no reader knows."""
    name = path.name.lower()
    for suffix, reader in READERS_BY_SUFFIX.items():
        if name.endswith(suffix):
            return reader
    if name.endswith(".nxml"):
        return READERS_BY_ROOT.get(root_name(path), read_jats)
    if name.endswith((".xml", ".xml.gz", ".xml.bz2")):
        return _xml_reader_for(path)
    raise UnreadableFile(
        path, "no reader knows this kind of file", f"Files that can be read end in {', '.join(SUFFIXES)}."
    )


def _xml_reader_for(path: Path) -> DocumentReader:
    root = root_name(path)
    if root in READERS_BY_ROOT:
        return READERS_BY_ROOT[root]
    known = ", ".join(f"<{name}>" for name in READERS_BY_ROOT)
    raise UnreadableFile(path, f"it is <{root}>, which holds no articles", f"XML that can be read begins with {known}.")
