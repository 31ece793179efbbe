"""Given: documents that the question names, opened where they lie, in place of a search."""

from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.errors import SourceError
from wellsourced.kit import Context
from wellsourced.sources.base import Source
from wellsourced.stages.search import Candidate
from wellsourced.text.passages import cut_passages
from wellsourced.text.works import possible_ids
from wellsourced.types import Document, Gap
from wellsourced.worker_pool import run_in_worker


class NamedDocuments(NamedTuple):
    """Every passage of the documents, in their order; those that no source holds, as gaps."""

    candidates: tuple[Candidate, ...] = ()
    gaps: tuple[Gap, ...] = ()


async def open_named_documents(ids: Sequence[str], kit: Context) -> NamedDocuments:
    """The documents of these ids. An id may be written as people write it: “PMID 31234567”, a DOI with its address."""
    candidates: list[Candidate] = []
    gaps: list[Gap] = []
    for id in dict.fromkeys(ids):
        source, document = await _open_anywhere(id, kit)
        if source and document:
            candidates += (Candidate(passage, source.name) for passage in await run_in_worker(cut_passages, document))
        else:
            names = ", ".join(one.name for one in kit.sources) or "no source"
            reason = f"no document of this id could be opened; {names} was asked for it"
            gaps.append(Gap(source=id, status="failed", reason=reason))
    return NamedDocuments(tuple(candidates), tuple(gaps))


async def _open_anywhere(id: str, kit: Context) -> tuple[Source | None, Document | None]:
    for source in kit.sources:
        for written in dict.fromkeys((id, *possible_ids(id))):
            try:
                return source, await source.open(written)
            except SourceError:
                continue
    return None, None
