"""Bytes → Documents: a module or a folder for each file format, and the table of which reader reads which file. A
reader opens no connection and judges nothing; text that is only cleaned or split belongs to text/."""

from pathlib import Path

from wellsourced.errors import UnreadableFile
from wellsourced.readers.abstract import parse_abstract, strip_markup
from wellsourced.readers.base import (
    BYTES_READ,
    SUFFIXES,
    DeletedDocuments,
    DocumentReader,
    DocumentStream,
    File,
    InMemoryFile,
    UnreadablePart,
)
from wellsourced.readers.concepts import concept_reader_for, list_concept_files
from wellsourced.readers.concepts.base import (
    Concept,
    ConceptName,
    ConceptReader,
    CrossReference,
    Definition,
    Redirect,
    Relation,
    SemanticType,
    SkippedRows,
    Vocabulary,
    canonical_id,
)
from wellsourced.readers.concepts.hpo import hpo_files
from wellsourced.readers.csv_tables import read_table
from wellsourced.readers.docx import read_docx, refuse_other_word
from wellsourced.readers.file_listing import FileListing, companion_files, list_files, list_unknown_files
from wellsourced.readers.html.main_text import read_html
from wellsourced.readers.html.page_tree import decode_page, parse_html_tree
from wellsourced.readers.html.web_page import WebPage, parse_charset, read_fetched_page, read_web_page
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
from wellsourced.readers.pdf import read_pdf, read_pdf_with_references
from wellsourced.readers.plain_text import read_plain_text
from wellsourced.readers.reader_thread import ReaderThread, run_in_reader_thread
from wellsourced.readers.wikipedia import ROOTS as WIKIPEDIA_ROOTS
from wellsourced.readers.wikipedia import read_wikipedia
from wellsourced.readers.worker import (
    FILE_LIMITS,
    PAGE_LIMITS,
    SHARED_POOL,
    TEXT_LIMITS,
    Worker,
    WorkerJob,
    WorkerLimits,
    WorkerPool,
    read_file_items,
    run_in_worker_process,
    serve_requests,
    stream_file,
)
from wellsourced.readers.xml_records import root_name

__all__ = [
    "BYTES_READ",
    "FILE_LIMITS",
    "PAGE_LIMITS",
    "SHARED_POOL",
    "SUFFIXES",
    "TEXT_LIMITS",
    "Concept",
    "ConceptName",
    "ConceptReader",
    "CrossReference",
    "Definition",
    "DeletedDocuments",
    "DocumentReader",
    "DocumentStream",
    "File",
    "FileListing",
    "InMemoryFile",
    "ReaderThread",
    "Redirect",
    "Relation",
    "SemanticType",
    "SkippedRows",
    "UnreadablePart",
    "Vocabulary",
    "WebPage",
    "Worker",
    "WorkerJob",
    "WorkerLimits",
    "WorkerPool",
    "canonical_id",
    "companion_files",
    "concept_reader_for",
    "decode_page",
    "hpo_files",
    "list_concept_files",
    "list_files",
    "list_unknown_files",
    "parse_abstract",
    "parse_charset",
    "parse_html_tree",
    "read_docx",
    "read_fetched_page",
    "read_file_items",
    "read_html",
    "read_jats",
    "read_medline",
    "read_pdf",
    "read_pdf_with_references",
    "read_web_page",
    "reader_for",
    "run_in_reader_thread",
    "run_in_worker_process",
    "serve_requests",
    "stream_file",
    "strip_markup",
]

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
