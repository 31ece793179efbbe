"""Bytes → Documents: which reader reads which file, by its name and, for XML, by its outermost element."""

from pathlib import Path

from wellsourced.errors import Unreadable
from wellsourced.readers.abstract import read_abstract, unmarked
from wellsourced.readers.base import (
    BYTES_READ,
    SUFFIXES,
    Deleted,
    Faulty,
    File,
    Held,
    Read,
    Reader,
)
from wellsourced.readers.beir import read_beir
from wellsourced.readers.bookshelf import ROOTS as BOOKSHELF_ROOTS
from wellsourced.readers.bookshelf import read_bookshelf
from wellsourced.readers.concepts import concept_files_under, concept_reader_for
from wellsourced.readers.concepts.base import (
    Concept,
    ConceptReader,
    CrossReference,
    Definition,
    LeftOut,
    Name,
    Redirect,
    Relation,
    SemanticType,
    Vocabulary,
    canonical,
)
from wellsourced.readers.concepts.hpo import hpo_files
from wellsourced.readers.docx import read_docx, read_other_word
from wellsourced.readers.html import read_html
from wellsourced.readers.jats import ROOTS as JATS_ROOTS
from wellsourced.readers.jats import read_jats
from wellsourced.readers.json_lists import read_json
from wellsourced.readers.listing import Listing, beside, list_files, passed_over
from wellsourced.readers.markdown import read_markdown
from wellsourced.readers.markup import decoded, tree_of
from wellsourced.readers.medline import ROOTS as MEDLINE_ROOTS
from wellsourced.readers.medline import read_medline
from wellsourced.readers.medquad import ROOTS as MEDQUAD_ROOTS
from wellsourced.readers.medquad import read_medquad
from wellsourced.readers.one_thread import OneThread, apart
from wellsourced.readers.pdf import read_pdf, read_pdf_whole
from wellsourced.readers.plain import read_plain
from wellsourced.readers.tables import read_table
from wellsourced.readers.web_page import WebPage, charset_of, fetched_page_of, read_web_page
from wellsourced.readers.wikipedia import ROOTS as WIKIPEDIA_ROOTS
from wellsourced.readers.wikipedia import read_wikipedia
from wellsourced.readers.worker import (
    FILE_LIMITS,
    PAGE_LIMITS,
    TEXT_LIMITS,
    WORKERS,
    Limits,
    Work,
    Worker,
    WorkerPool,
    read_apart,
    read_file,
    read_one_file,
    serve,
)
from wellsourced.readers.xml import root_of

__all__ = [
    "BYTES_READ",
    "FILE_LIMITS",
    "PAGE_LIMITS",
    "SUFFIXES",
    "TEXT_LIMITS",
    "WORKERS",
    "Concept",
    "ConceptReader",
    "CrossReference",
    "Definition",
    "Deleted",
    "Faulty",
    "File",
    "Held",
    "LeftOut",
    "Limits",
    "Listing",
    "Name",
    "OneThread",
    "Read",
    "Reader",
    "Redirect",
    "Relation",
    "SemanticType",
    "Vocabulary",
    "WebPage",
    "Work",
    "Worker",
    "WorkerPool",
    "apart",
    "beside",
    "canonical",
    "charset_of",
    "concept_files_under",
    "concept_reader_for",
    "decoded",
    "fetched_page_of",
    "hpo_files",
    "list_files",
    "passed_over",
    "read_abstract",
    "read_apart",
    "read_docx",
    "read_file",
    "read_html",
    "read_jats",
    "read_medline",
    "read_one_file",
    "read_pdf",
    "read_pdf_whole",
    "read_web_page",
    "reader_for",
    "serve",
    "tree_of",
    "unmarked",
]

READERS: dict[str, Reader] = {
    ".jsonl": read_beir,
    ".jsonl.gz": read_beir,
    ".json": read_json,
    ".csv": read_table,
    ".tsv": read_table,
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".txt": read_plain,
    ".text": read_plain,
    ".pdf": read_pdf,
    ".docx": read_docx,
    ".docm": read_other_word,
    ".doc": read_other_word,
    ".html": read_html,
    ".htm": read_html,
}


XML_READERS: dict[str, Reader] = {
    **dict.fromkeys(MEDLINE_ROOTS, read_medline),
    **dict.fromkeys(JATS_ROOTS, read_jats),
    **dict.fromkeys(BOOKSHELF_ROOTS, read_bookshelf),
    **dict.fromkeys(MEDQUAD_ROOTS, read_medquad),
    **dict.fromkeys(WIKIPEDIA_ROOTS, read_wikipedia),
}
"""By the name of the outermost element."""


def reader_for(path: Path) -> Reader:
    """The reader of this file. Raises Unreadable for a name or a kind of XML that no reader knows."""
    name = path.name.lower()
    for suffix, reader in READERS.items():
        if name.endswith(suffix):
            return reader
    if name.endswith(".nxml"):
        return XML_READERS.get(root_of(path), read_jats)
    if name.endswith((".xml", ".xml.gz", ".xml.bz2")):
        return _reader_of_xml(path)
    raise Unreadable(path, "no reader knows this kind of file", f"Files that can be read end in {', '.join(SUFFIXES)}.")


def _reader_of_xml(path: Path) -> Reader:
    root = root_of(path)
    if root in XML_READERS:
        return XML_READERS[root]
    known = ", ".join(f"<{name}>" for name in XML_READERS)
    raise Unreadable(path, f"it is <{root}>, which holds no articles", f"XML that can be read begins with {known}.")
