"""Is a library what was read, and are the files what they were when they were read?"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple

from wellsourced.errors import UnreadableFile
from wellsourced.events import Emit, FileVerified, ignore_event
from wellsourced.ingest.fingerprints import hash_file, stamp_file
from wellsourced.sources.base import FileState, IncrementalIndex
from wellsourced.storage.ingestion_progress import ProgressMeter


class LibraryVerification(NamedTuple):
    """What was compared and what is not as it was.

    same                files that are as they were read
    changed, missing    files that are not
    unsettled           files that were not read to their end
    unsearchable        documents whose passages are not in the search index as they should be
    damaged             documents whose words are no longer what was stored
    """

    same: int
    changed: tuple[str, ...]
    missing: tuple[str, ...]
    unsettled: tuple[str, ...]
    unsearchable: tuple[str, ...]
    damaged: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        """Whether everything is as it was."""
        return not any(self[1:])


async def verify_library(library: IncrementalIndex, emit: Emit = ignore_event) -> LibraryVerification:
    """Hash every file that the library was filled from again, and look through all that it holds; change nothing."""
    # Documents that came without a file, as the guidelines do, are filed under a name that is no path.
    known = [file for file in library.files() if Path(file.path).is_absolute()]
    files = [file for file in known if file.state == "done" and file.sha256]
    meter = ProgressMeter(emit, sum(file.size for file in files), "verifying")
    found: dict[str, list[str]] = {"same": [], "changed": [], "missing": []}
    for file in files:
        outcome = await asyncio.to_thread(_compare_file, file, meter.set_position)
        found[outcome].append(file.path)
        emit(FileVerified(path=Path(file.path), found=outcome))
        meter.finish_file(file.size)
    meter.report()
    unsettled = tuple(file.path for file in known if file not in files)
    unsearchable, damaged = await library.find_unsearchable(), await library.find_damaged()
    changed, missing = tuple(found["changed"]), tuple(found["missing"])
    return LibraryVerification(len(found["same"]), changed, missing, unsettled, tuple(unsearchable), tuple(damaged))


def _compare_file(file: FileState, heard: Callable[[int], None]) -> Literal["same", "changed", "missing"]:
    path = Path(file.path)
    try:
        # By its bytes, whatever its size and time say: a disk may have changed them without a word.
        if stamp_file(path).size != file.size:
            return "changed"
        return "same" if hash_file(path, heard) == file.sha256 else "changed"
    except (UnreadableFile, OSError):
        return "missing"
