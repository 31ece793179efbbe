"""Which reader reads which file: by how its name ends and, for XML, by its outermost element."""

from typing import cast

from wellsourced.errors import SettingsError, UnreadableFile
from wellsourced.plugins import find_plugins
from wellsourced.readers import bookshelf, drug_labels, jats, medline, medlineplus, medquad, wikipedia
from wellsourced.readers.base import READER_NAMES, REFUSED_SUFFIXES, DocumentReader, File, list_suffixes
from wellsourced.readers.csv_tables import read_table
from wellsourced.readers.html_pages import read_html
from wellsourced.readers.json_records import read_json, read_json_lines
from wellsourced.readers.markdown import read_markdown
from wellsourced.readers.packages.docx import read_docx
from wellsourced.readers.packages.epub import read_epub
from wellsourced.readers.packages.pptx import read_pptx
from wellsourced.readers.packages.spreadsheets import read_xlsx
from wellsourced.readers.packages.zip_archives import zip_reader
from wellsourced.readers.pdf.document import read_pdf
from wellsourced.readers.plain_text import read_plain_text
from wellsourced.readers.reference_files import read_bibtex, read_tagged_references
from wellsourced.readers.xml_records import root_name

READERS_BY_SUFFIX: dict[str, DocumentReader] = {
    **dict.fromkeys((".jsonl", ".jsonl.gz"), read_json_lines),
    ".json": read_json,
    **dict.fromkeys((".ris", ".nbib"), read_tagged_references),
    ".bib": read_bibtex,
    **dict.fromkeys((".csv", ".tsv"), read_table),
    **dict.fromkeys((".md", ".markdown"), read_markdown),
    **dict.fromkeys((".txt", ".text"), read_plain_text),
    ".pdf": read_pdf,
    ".docx": read_docx,
    ".epub": read_epub,
    ".zip": zip_reader(lambda file: reader_for(file)),
    ".pptx": read_pptx,
    ".xlsx": read_xlsx,
    **dict.fromkeys((".html", ".htm"), read_html),
}

READERS_BY_ROOT: dict[str, DocumentReader] = {
    **dict.fromkeys(medline.ROOTS, medline.read_medline),
    **dict.fromkeys(jats.ROOTS, jats.read_jats),
    **dict.fromkeys(bookshelf.ROOTS, bookshelf.read_bookshelf),
    **dict.fromkeys(medquad.ROOTS, medquad.read_medquad),
    **dict.fromkeys(drug_labels.ROOTS, drug_labels.read_spl),
    **dict.fromkeys(medlineplus.ROOTS, medlineplus.read_medlineplus),
    **dict.fromkeys(wikipedia.ROOTS, wikipedia.read_wikipedia),
}
"""By the name of the outermost element."""


def reader_for(path: File) -> DocumentReader:
    """The reader of this file. Raises UnreadableFile for a name or a kind of XML that no reader knows."""
    name = path.name.lower()
    for suffix, reader in READERS_BY_SUFFIX.items():
        if name.endswith(suffix):
            return reader
    if name.endswith(".nxml"):
        return READERS_BY_ROOT.get(root_name(path), jats.read_jats)
    if name.endswith((".xml", ".xml.gz", ".xml.bz2")):
        if (root := root_name(path)) in READERS_BY_ROOT:
            return READERS_BY_ROOT[root]
        reason = f"its root <{root}> is not a supported article format"
        known = ", ".join(f"<{name}>" for name in READERS_BY_ROOT)
        raise UnreadableFile(str(path), reason, f"Supported XML starts with {known}.")
    added = find_plugins("reader", READER_NAMES).plugins
    if plugin := next((one for ending, one in added.items() if name.endswith(f".{ending}")), None):
        try:
            return cast("DocumentReader", plugin.load())
        except SettingsError as error:
            raise UnreadableFile(str(path), error.phrase, f"Reinstall {plugin.distribution}, or remove it.") from error
    remedy = f"Supported file types: {', '.join(list_suffixes())}."
    refused = next((why for ending, why in REFUSED_SUFFIXES.items() if name.endswith(ending)), None)
    raise UnreadableFile(str(path), *(refused or ("this file type is not supported", remedy)))
