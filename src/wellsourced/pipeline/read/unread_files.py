"""What an answer may lack because files of its libraries could not be read, or not whole."""

from collections.abc import Sequence

from wellsourced.errors import NextStep
from wellsourced.sources.base import FileBackedSource, Source
from wellsourced.types import Answer, Gap, Reference
from wellsourced.worker_pool import run_in_worker


async def find_unread_parts(answer: Answer, sources: Sequence[Source]) -> tuple[Gap, ...]:
    """Of an answer, the documents it shows that were read in part; of a refusal, the files that could not be read.

    A file of many documents is left out: its faults say nothing of the one that is shown.
    """
    libraries = [source for source in sources if isinstance(source, FileBackedSource)]
    if answer.abstained:
        return tuple([gap for library in libraries for gap in await run_in_worker(_find_failed_files, library)])
    ids = {*answer.shown_ids}
    shown = {item.passage.reference.id: item.passage.reference for item in answer.evidence if item.passage.id in ids}
    gaps = [await _find_faults(reference, library) for library in libraries for reference in shown.values()]
    return tuple(gap for gap in gaps if gap)


def _find_failed_files(library: FileBackedSource) -> tuple[Gap, ...]:
    failed = sum(file.state == "failed" for file in library.unsettled_files())
    if not failed:
        return ()
    reason = f"{failed:,} file{'' if failed == 1 else 's'} could not be read"
    return (
        Gap(source=library.name, status="incomplete", reason=reason, next_step=NextStep("list faults", library.name)),
    )


async def _find_faults(reference: Reference, library: FileBackedSource) -> Gap | None:
    file = await library.find_file(reference.id)
    if file is None or not file.faulty or file.documents != 1:
        return None
    parts = "1 part" if file.faulty == 1 else f"{file.faulty:,} parts"
    reason = f"{reference.title or reference.id} was read in part: {parts} of it could not be read"
    return Gap(source=library.name, status="incomplete", reason=reason, next_step=NextStep("list faults", library.name))
