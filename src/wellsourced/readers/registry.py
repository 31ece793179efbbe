"""Which reader reads which file: by how its name ends and, for XML, by its outermost element; and archives of any."""

import io
import zipfile
from pathlib import Path, PurePosixPath
from typing import cast

from wellsourced.errors import SettingsError, UnreadableFile
from wellsourced.plugins import find_plugins
from wellsourced.readers import bookshelf, drug_labels, jats, medline, patient_pages, wikipedia
from wellsourced.readers.base import (
    READER_NAMES,
    REFUSED_SUFFIXES,
    DocumentReader,
    DocumentStream,
    File,
    InMemoryFile,
    UnreadablePart,
    list_suffixes,
    salvage_documents,
)
from wellsourced.readers.csv_tables import read_table
from wellsourced.readers.decompressed_file import FILE_LIMIT, MB, RATIO_LIMIT, RECORD_LIMIT
from wellsourced.readers.file_listing import COMPANION_SUFFIXES
from wellsourced.readers.html_pages import read_html
from wellsourced.readers.json_records import read_json, read_json_lines
from wellsourced.readers.markdown import read_markdown
from wellsourced.readers.packages.docx import read_docx
from wellsourced.readers.packages.epub import read_epub
from wellsourced.readers.packages.office_parts import MAX_PARTS, ZIP_ERRORS
from wellsourced.readers.packages.pptx import read_pptx
from wellsourced.readers.packages.spreadsheets import read_xlsx
from wellsourced.readers.pdf.document import read_pdf
from wellsourced.readers.plain_text import read_plain_text
from wellsourced.readers.reference_files import read_bibtex, read_tagged_references
from wellsourced.readers.xml_records import root_name
from wellsourced.types import SourceKind

UNPACK_REMEDY = "Unpack it, and add the files."


@salvage_documents
def read_zip(path: File, kind: SourceKind) -> DocumentStream:
    """The files of an archive, each as if it lay in a folder; nothing is written.

    A file that cannot be read is told and costs no other. Hidden files and digests are left out. Raises UnreadableFile
    for an archive that is damaged, has a password, or unpacks to more than any collection of texts.
    """
    try:
        place = path.resolve() if isinstance(path, Path) else path.name
        with zipfile.ZipFile(path if isinstance(path, Path) else io.BytesIO(path.data)) as archive:
            listed = [one for one in archive.infolist() if not one.is_dir() and _is_shown(one.filename)]
            packed = sum(one.compress_size for one in archive.infolist())
            unpacked = sum(one.file_size for one in listed)
            if len(listed) > MAX_PARTS or unpacked > max(RECORD_LIMIT, RATIO_LIMIT * packed):
                reason = f"it unpacks to more than {RATIO_LIMIT} times its size, or to over {MAX_PARTS:,} files"
                raise UnreadableFile(str(path), reason, "If you trust it, unpack it and add the files.")
            for one in listed:
                if one.file_size > FILE_LIMIT:
                    yield UnreadablePart(one.filename, f"it is larger than {FILE_LIMIT // MB} MB", "Split it.")
                    continue
                try:
                    if one.filename.lower().endswith(".zip"):
                        raise UnreadableFile(one.filename, "it is an archive in an archive", UNPACK_REMEDY)
                    # Not more of it than was announced: what is read stops there, and its checksum is wrong.
                    file = InMemoryFile(f"{place}/{one.filename}", archive.read(one))
                    for item in reader_for(file)(file, kind):
                        if isinstance(item, UnreadablePart):
                            yield item._replace(where=f"{one.filename}: {item.where}")
                        else:
                            yield item
                except UnreadableFile as error:
                    yield UnreadablePart(one.filename, error.reason, error.remedy)
    except ZIP_ERRORS as error:
        raise UnreadableFile(str(path), f"it is damaged, or has a password ({error})", UNPACK_REMEDY) from error


def _is_shown(name: str) -> bool:
    parts = PurePosixPath(name.replace("\\", "/")).parts
    return not any(part.startswith((".", "__MACOSX")) for part in parts) and not name.lower().endswith(
        COMPANION_SUFFIXES
    )


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
    ".zip": read_zip,
    ".pptx": read_pptx,
    ".xlsx": read_xlsx,
    **dict.fromkeys((".html", ".htm"), read_html),
}

READERS_BY_ROOT: dict[str, DocumentReader] = {
    **dict.fromkeys(medline.ROOTS, medline.read_medline),
    **dict.fromkeys(jats.ROOTS, jats.read_jats),
    **dict.fromkeys(bookshelf.ROOTS, bookshelf.read_bookshelf),
    **dict.fromkeys(patient_pages.MEDQUAD_ROOTS, patient_pages.read_medquad),
    **dict.fromkeys(drug_labels.ROOTS, drug_labels.read_spl),
    **dict.fromkeys(patient_pages.TOPIC_ROOTS, patient_pages.read_medlineplus),
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
