"""Is a library what was read, and are the files what they were when they were read?"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from wellsourced.errors import Unreadable
from wellsourced.events import FileChecked, Tell, unheard
from wellsourced.ingest.disk import sha256, stamp
from wellsourced.ingest.meter import Meter
from wellsourced.sources.base import FileState, Shelf


class Verifiable(Shelf, Protocol):
    """A shelf that can compare what it holds with what it was given.

    `verify` gives ids of documents whose passages cannot be searched as they should, `damaged` of those whose words
    are no longer what was stored.
    """

    async def verify(self) -> list[str]: ...

    async def damaged(self) -> list[str]: ...


class Verified(NamedTuple):
    """What was compared and what is not as it was.

    same                files that are as they were read
    changed, missing    files that are not
    unsettled           files that were not read to their end
    unsearchable        documents whose passages are not in the search tables as they should be
    damaged             documents whose words are no longer what was stored
    """

    same: int
    changed: tuple[str, ...]
    missing: tuple[str, ...]
    unsettled: tuple[str, ...]
    unsearchable: tuple[str, ...]
    damaged: tuple[str, ...]

    @property
    def sound(self) -> bool:
        """Whether everything is as it was."""
        return not any(self[1:])


async def verify(library: Verifiable, tell: Tell = unheard) -> Verified:
    """Hash every file that the library was filled from again, and look through all that it holds; change nothing."""
    known = [file for file in library.files() if Path(file.path).is_absolute()]
    files = [file for file in known if file.state == "done" and file.sha256]
    meter = Meter(tell, sum(file.size for file in files), "verifying")
    found: dict[str, list[str]] = {"same": [], "changed": [], "missing": []}
    for file in files:
        outcome = await asyncio.to_thread(_compared, file, meter.at)
        found[outcome].append(file.path)
        tell(FileChecked(path=Path(file.path), found=outcome))
        meter.end(file.size)
    meter.say()
    unsettled = tuple(file.path for file in known if file not in files)
    unsearchable, damaged = await library.verify(), await library.damaged()
    changed, missing = tuple(found["changed"]), tuple(found["missing"])
    return Verified(len(found["same"]), changed, missing, unsettled, tuple(unsearchable), tuple(damaged))


def _compared(file: FileState, heard: Callable[[int], None]) -> Literal["same", "changed", "missing"]:
    path = Path(file.path)
    try:
        # By its bytes, whatever its size and time say: a disk may have changed them without a word.
        if stamp(path).size != file.size:
            return "changed"
        return "same" if sha256(path, heard) == file.sha256 else "changed"
    except (Unreadable, OSError):
        return "missing"
