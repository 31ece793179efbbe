"""Archives (.zip) of files of any kind that can be read: each as if it lay in a folder, and nothing is written."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from wellsourced.errors import UnreadableFile
from wellsourced.readers.base import (
    DocumentReader,
    DocumentStream,
    File,
    InMemoryFile,
    UnreadablePart,
    salvage_documents,
)
from wellsourced.readers.decompressed_file import FILE_LIMIT, MB, RATIO_LIMIT, RECORD_LIMIT
from wellsourced.readers.file_listing import COMPANION_SUFFIXES
from wellsourced.readers.packages.office_parts import MAX_PARTS, ZIP_ERRORS
from wellsourced.types import SourceKind

UNPACK_REMEDY = "Unpack it, and add the files."


def zip_reader(reader_for: Callable[[File], DocumentReader]) -> DocumentReader:
    """The reader of archives, whose files are read by what `reader_for` gives.

    A file that cannot be read is told and costs no other. Hidden files and digests are left out. Raises UnreadableFile
    for an archive that is damaged, has a password, or unpacks to more than any collection of texts.
    """

    @salvage_documents
    def read_zip(path: File, kind: SourceKind) -> DocumentStream:
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

    return read_zip


def _is_shown(name: str) -> bool:
    parts = PurePosixPath(name.replace("\\", "/")).parts
    return not any(part.startswith((".", "__MACOSX")) for part in parts) and not name.lower().endswith(
        COMPANION_SUFFIXES
    )
