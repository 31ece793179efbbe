"""Resources to look up: the sources and libraries of the server, and what only its owner sees: runs, jobs, the daily
quota."""

import asyncio
from collections.abc import Iterator
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from wellsourced.config import GUIDELINES
from wellsourced.config.settings import QuotaSettings
from wellsourced.context import Context
from wellsourced.errors import NotFoundError
from wellsourced.ingest.recipes import RECIPES
from wellsourced.readers.guidelines import read_manifest
from wellsourced.runs.live import LiveRun
from wellsourced.runs.table import RunKind, RunLine, RunState
from wellsourced.server import messages
from wellsourced.server.request_limits import DailyUse
from wellsourced.server.requests import MAX_KEY_LENGTH, PROBLEMS, RequestContext, SentRequest
from wellsourced.sources.base import DocumentCatalogue, SourceInfo
from wellsourced.types import Answer, Reference, SourceKind, Value

RunId = Annotated[
    str, Path(pattern="^[0-9a-f]{12}$", examples=["3f9a2c07d1e4"], description="The id that /api/v1/runs lists.")
]
JobKey = Annotated[
    str, Path(max_length=MAX_KEY_LENGTH, description="The Idempotency-Key of the request that started the job.")
]
RunCursor = Annotated[str, Query(pattern="^([0-9a-f]{12})?$", description="`next` of the previous page.")]
PageLimit = Annotated[int, Query(ge=1, le=200, description="Runs on a page, at most.")]


class ListedRun(Value):
    """A run: something that was asked.

    at           its start, ISO 8601 in UTC
    question     "" where it may identify a person
    statements   their number; 0: no answer
    """

    id: str
    at: str
    kind: RunKind
    state: RunState
    question: str
    statements: int

    @classmethod
    def of(cls, line: RunLine) -> "ListedRun":
        """Describe a line of the history."""
        known = {"kind": line.kind, "state": line.state, "statements": line.statements}
        return cls(id=line.short_id, at=line.begun, question=line.title, **known)


class RunPage(Value):
    """Runs, newest first; `next` is the cursor of the next page, "" on the last."""

    runs: tuple[ListedRun, ...]
    next: str


class RunRecord(ListedRun):
    """A run.

    problem   why it failed
    answer    null where none is recorded
    """

    problem: str
    steps: tuple[str, ...]
    answer: Answer | None


class JobStatus(Value):
    """A job and its progress.

    key     "" where another server was sent it: only its seal is shared
    path    of the request that started it
    run     its id among the runs
    begun   time in UTC
    """

    key: str
    path: str
    run: str
    state: RunState
    begun: datetime
    steps: tuple[str, ...]

    @classmethod
    def of(cls, job: LiveRun) -> "JobStatus":
        """Describe a job, without its answer."""
        known = {"key": job.key, "path": job.stored.path, "run": job.line.short_id, "state": job.state}
        return cls(**known, begun=job.begun, steps=tuple(step.text for step in job.steps))


class QuotaStatus(Value):
    """The daily quota of this token, and its use today. With a limit of 0 nothing is counted.

    day      the counted day, in UTC
    resets   when the next day begins
    """

    day: str
    resets: datetime
    limits: QuotaSettings
    used: DailyUse


resources = APIRouter(prefix="/api/v1", responses=PROBLEMS)


@resources.get("/runs", summary="List the runs", tags=["Runs"])
async def list_runs(sent: SentRequest, limit: PageLimit = 20, cursor: RunCursor = "") -> RunPage:
    """What this token asked, newest first, with runs that still work. On this machine, without tokens, the runs of the
    command line and of assistants are included. New runs move none to another page."""
    if sent.runs.history is None:
        return RunPage(runs=(), next="")
    # One more than is shown, which tells whether there is another page.
    found = await asyncio.to_thread(sent.runs.history.list_runs_of, sent.owner, cursor, limit + 1)
    listed = tuple(map(ListedRun.of, found[:limit]))
    return RunPage(runs=listed, next=listed[-1].id if len(found) > limit else "")


@resources.get("/runs/{id}", summary="Read a run", tags=["Runs"])
async def read_run(id: RunId, sent: SentRequest) -> RunRecord:
    """Its state and its steps so far; and its whole answer, without the words of what it left out."""
    run = await asyncio.to_thread(sent.find_run, id)
    steps, answer = tuple(step.text for step in run.steps), run.result if isinstance(run.result, Answer) else None
    return RunRecord(**dict(ListedRun.of(run.line)), problem=run.problem, steps=steps, answer=answer)


@resources.delete("/runs/{id}", summary="Delete a run", tags=["Runs"], status_code=204)
async def delete_run(id: RunId, sent: SentRequest) -> Response:
    """Question and answer are deleted from the disk; a run that still works is stopped. That an answer was given, and
    when, stays recorded."""
    run = await asyncio.to_thread(sent.find_run, id)
    await asyncio.to_thread(sent.runs.delete, run)
    return Response(status_code=204)


@resources.post("/runs/{id}/stop", summary="Stop a run", tags=["Runs"], status_code=204)
async def stop_run(id: RunId, sent: SentRequest) -> Response:
    """Stops the run, in whichever program or server it works. It may take a second."""
    run = await asyncio.to_thread(sent.find_run, id)
    await asyncio.to_thread(run.stop)
    return Response(status_code=204)


@resources.get("/jobs", summary="List the jobs", tags=["Jobs"])
async def list_jobs(sent: SentRequest) -> list[JobStatus]:
    """Requests of this token with an Idempotency-Key in the last hour, newest first."""
    return list(map(JobStatus.of, await asyncio.to_thread(sent.runs.list_jobs, sent.owner)))


@resources.get("/jobs/{key:path}", summary="Follow a job", tags=["Jobs"])
async def read_job(key: JobKey, sent: SentRequest) -> JobStatus:
    """Its state and its steps so far. To get its answer, send its request again."""
    return JobStatus.of(await asyncio.to_thread(_find_job, sent, key))


@resources.delete("/jobs/{key:path}", summary="Stop a job", tags=["Jobs"], status_code=204)
async def stop_job(key: JobKey, sent: SentRequest) -> Response:
    """Stops the work and forgets its result; a request that waits for it gets 409. Its use so far counts in the
    quota."""
    await asyncio.to_thread(lambda: sent.runs.forget(_find_job(sent, key)))
    return Response(status_code=204)


def _find_job(sent: RequestContext, key: str) -> LiveRun:
    if job := sent.find_job(key):
        return job
    raise NotFoundError(messages.NO_JOB)


@resources.get("/quota", summary="Look up the daily quota", tags=["Quota"])
async def read_quota(sent: SentRequest) -> QuotaStatus:
    """The settings `quota.answers`, `quota.calls` and `quota.tokens`, and the use of this token today."""
    quotas = sent.quotas
    used = await asyncio.to_thread(quotas.find_use, sent.owner)
    return QuotaStatus(day=quotas.today(), resets=quotas.find_end(), limits=quotas.limits, used=used)


class SearchedSource(Value):
    """A source that a question may be put to.

    documents, passages   their number; for a live source as it last reported, 0 when unknown
    first, last   years of its oldest and newest document (0: unknown)
    licence       of its collection, where known; "" for your own files
    """

    name: str
    kind: SourceKind
    documents: int
    passages: int
    live: bool
    first: int
    last: int
    about: str
    licence: str

    @classmethod
    def of(cls, info: SourceInfo) -> "SearchedSource":
        """Describe a source."""
        known = {name: getattr(info, name) for name in cls.model_fields if name != "licence"}
        return cls(**known, licence=_find_licence(info))


class DocumentPage(Value):
    """Documents of a library by their ids. `next` is the cursor of the next page, "" on the last."""

    documents: tuple[Reference, ...]
    next: str


@resources.get("/sources", summary="List the sources", tags=["Sources"])
async def list_sources(sent: SentRequest) -> list[SearchedSource]:
    """All sources that a question may be put to."""
    return [SearchedSource.of(await source.describe()) for source in sent.context.sources]


@resources.get("/libraries", summary="List the libraries", tags=["Sources"])
async def list_libraries(sent: SentRequest) -> list[SearchedSource]:
    """The libraries that this server searches: their size, years and licence."""
    return [SearchedSource.of(await library.describe()) for library in _find_catalogues(sent.context)]


@resources.get("/libraries/{name}/documents", summary="List the documents of a library", tags=["Sources"])
async def list_documents(
    name: Annotated[str, Path(description="Its name, as /api/v1/libraries lists it.")],
    sent: SentRequest,
    limit: Annotated[int, Query(ge=1, le=500, description="Documents on a page, at most.")] = 100,
    cursor: Annotated[str, Query(max_length=2_000, description="`next` of the previous page.")] = "",
) -> DocumentPage:
    """References, page by page. Each document appears once, even while others are added. /api/v1/document reads one."""
    library = next((library for library in _find_catalogues(sent.context) if library.name == name), None)
    if library is None:
        raise NotFoundError(messages.NO_LIBRARY)
    # One more than is shown, which tells whether there is another page.
    found = await library.list_references(cursor, limit + 1)
    return DocumentPage(documents=tuple(found[:limit]), next=found[limit - 1].id if len(found) > limit else "")


def _find_catalogues(context: Context) -> Iterator[DocumentCatalogue]:
    return (source for source in context.sources if isinstance(source, DocumentCatalogue))


def _find_licence(info: SourceInfo) -> str:
    """The licence that the package of the guidelines states, or the recipe that filled a library; "" when unknown."""
    if info.name == GUIDELINES:
        return read_manifest().licence
    return next((recipe.licence for recipe in RECIPES if recipe.about == info.about), "")
