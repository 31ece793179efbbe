"""Resources to look up: the libraries of the server, and what only its owner sees: runs, jobs, the daily quota."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from wellsourced.config import GUIDELINES
from wellsourced.config.settings import QuotaSettings
from wellsourced.context import Context
from wellsourced.errors import NotFoundError
from wellsourced.ingest.recipes import RECIPES
from wellsourced.readers.guidelines import read_manifest
from wellsourced.runs.live import LiveRun
from wellsourced.runs.table import RunKind, RunLine, RunState
from wellsourced.server import examples, messages
from wellsourced.server.examples import LISTED_REFERENCE, example_of
from wellsourced.server.request_limits import DailyUse, Quotas
from wellsourced.server.requests import MAX_KEY_LENGTH, PROBLEMS, OpenContext, find_owner
from wellsourced.server.run_registry import LiveRuns
from wellsourced.sources.base import DocumentCatalogue, SourceInfo
from wellsourced.types import Answer, Reference, SourceKind, Value

RunId = Annotated[str, Path(pattern="^[0-9a-f]{12}$", examples=[examples.EXAMPLE_RUN_ID])]
JobKey = Annotated[
    str,
    Path(
        max_length=MAX_KEY_LENGTH,
        description="The Idempotency-Key of the request that started the job.",
        examples=[examples.EXAMPLE_KEY],
    ),
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


class RunRecord(Value):
    """A run.

    at        its start, ISO 8601 in UTC
    problem   why it failed
    answer    null where none is recorded
    """

    id: str
    at: str
    kind: RunKind
    state: RunState
    problem: str
    steps: tuple[str, ...]
    answer: Answer | None


class JobStatus(Value):
    """A job and its progress.

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
        known = {"key": job.key, "path": job.path, "run": job.line.short_id, "state": job.state}
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


EXAMPLE_STEPS = ("Question read", "87 passages kept of what was found, 3 left out")
EXAMPLE_RUN = RunRecord(
    id=examples.EXAMPLE_RUN_ID,
    at=examples.EXAMPLE_TIME,
    kind="question",
    state="finished",
    problem="",
    steps=EXAMPLE_STEPS,
    answer=examples.ANSWER,
)
EXAMPLE_LINE = ListedRun(
    id=EXAMPLE_RUN.id,
    at=EXAMPLE_RUN.at,
    kind="question",
    state="finished",
    question=examples.ANSWER.question.text,
    statements=1,
)
EXAMPLE_RUNS = RunPage(runs=(EXAMPLE_LINE,), next=EXAMPLE_RUN.id)
EXAMPLE_JOB = JobStatus(
    key=examples.EXAMPLE_KEY,
    path="/api/v1/ask",
    run=examples.EXAMPLE_RUN_ID,
    state="running",
    begun=datetime.fromisoformat(examples.EXAMPLE_TIME),
    steps=EXAMPLE_STEPS,
)
EXAMPLE_QUOTA = QuotaStatus(
    day="2026-11-27",
    resets=datetime(2026, 11, 28, tzinfo=UTC),
    limits=QuotaSettings(answers=200, tokens=2_000_000),
    used=DailyUse(answers=12, calls=40, tokens=61_200),
)

own_resources = APIRouter(prefix="/api/v1", responses=PROBLEMS)


def find_runs(request: Request) -> LiveRuns:
    """The runs of this server and its home."""
    runs: LiveRuns = request.app.state.runs
    return runs


OwnRuns = Annotated[LiveRuns, Depends(find_runs)]


@own_resources.get("/runs", summary="List the runs", responses=example_of(EXAMPLE_RUNS))
async def list_runs(request: Request, runs: OwnRuns, limit: PageLimit = 20, cursor: RunCursor = "") -> RunPage:
    """What this token asked, newest first, with runs that still work. On this machine, without tokens, the runs of the
    command line and of assistants are included. New runs move none to another page."""
    if runs.history is None:
        return RunPage(runs=(), next="")
    # One more than is shown, which tells whether there is another page.
    found = await asyncio.to_thread(runs.history.list_runs_of, find_owner(request), cursor, limit + 1)
    listed = tuple(map(ListedRun.of, found[:limit]))
    return RunPage(runs=listed, next=listed[-1].id if len(found) > limit else "")


@own_resources.get("/runs/{id}", summary="Read a run", responses=example_of(EXAMPLE_RUN))
async def read_run(id: RunId, request: Request, runs: OwnRuns) -> RunRecord:
    """Its state and its steps so far; and its whole answer, without the words of what it left out."""
    run = await asyncio.to_thread(_find_run, runs, id, find_owner(request))
    return RunRecord(
        id=run.line.short_id,
        at=run.line.begun,
        kind=run.kind,
        state=run.state,
        problem=run.problem,
        steps=tuple(step.text for step in run.steps),
        answer=run.result if isinstance(run.result, Answer) else None,
    )


def _find_run(runs: LiveRuns, id: str, owner: str) -> LiveRun:
    if run := runs.find(id, owner):
        return run
    raise NotFoundError(messages.NO_RUN)


@own_resources.delete("/runs/{id}", summary="Delete a run", status_code=204)
async def delete_run(id: RunId, request: Request, runs: OwnRuns) -> Response:
    """Question and answer are deleted from the disk; a run that still works is stopped. That an answer was given, and
    when, stays recorded."""
    run = await asyncio.to_thread(_find_run, runs, id, find_owner(request))
    runs.delete(run)
    return Response(status_code=204)


@own_resources.post("/runs/{id}/stop", summary="Stop a run", status_code=204)
async def stop_run(id: RunId, request: Request, runs: OwnRuns) -> Response:
    """Stops the run, in whichever program of this machine it works. It may take a second."""
    run = await asyncio.to_thread(_find_run, runs, id, find_owner(request))
    await asyncio.to_thread(run.stop)
    return Response(status_code=204)


@own_resources.get("/jobs", summary="List the jobs", responses=example_of([EXAMPLE_JOB.model_dump(mode="json")]))
async def list_jobs(request: Request, runs: OwnRuns) -> list[JobStatus]:
    """Requests of this token with an Idempotency-Key in the last hour, newest first."""
    return [JobStatus.of(job) for job in runs.list_jobs(find_owner(request))]


@own_resources.get("/jobs/{key:path}", summary="Follow a job", responses=example_of(EXAMPLE_JOB))
async def read_job(key: JobKey, request: Request, runs: OwnRuns) -> JobStatus:
    """Its state and its steps so far. To get its answer, send its request again."""
    return JobStatus.of(_find_job(runs, key, request))


@own_resources.delete("/jobs/{key:path}", summary="Stop a job", status_code=204)
async def stop_job(key: JobKey, request: Request, runs: OwnRuns) -> Response:
    """Stops the work and forgets its result; a request that waits for it gets 409. Its use so far counts in the
    quota."""
    runs.forget(_find_job(runs, key, request))
    return Response(status_code=204)


def _find_job(runs: LiveRuns, key: str, request: Request) -> LiveRun:
    if job := runs.find_job(find_owner(request), key):
        return job
    raise NotFoundError(messages.NO_JOB)


@own_resources.get("/quota", summary="Look up the daily quota", responses=example_of(EXAMPLE_QUOTA))
async def read_quota(request: Request) -> QuotaStatus:
    """The settings `quota.answers`, `quota.calls` and `quota.tokens`, and the use of this token today."""
    quotas: Quotas = request.app.state.quotas
    used = await asyncio.to_thread(quotas.find_use, find_owner(request))
    return QuotaStatus(day=quotas.today(), resets=quotas.find_end(), limits=quotas.limits, used=used)


class LibrarySummary(Value):
    """A library.

    first, last   years of its oldest and newest document (0: unknown).

    licence       of its collection, where known; "" for your own files
    """

    name: str
    kind: SourceKind
    documents: int
    passages: int
    first: int
    last: int
    licence: str
    about: str


class DocumentPage(Value):
    """Documents of a library by their ids. `next` is the cursor of the next page, "" on the last."""

    documents: tuple[Reference, ...]
    next: str


EXAMPLE_LIBRARY = LibrarySummary(
    name="guidelines",
    kind="guideline",
    documents=87,
    passages=3_500,
    first=2012,
    last=2026,
    licence="MIT",
    about="Guideline digests by the project open-medicine",
)

libraries = APIRouter(prefix="/api/v1/libraries", responses=PROBLEMS)


@libraries.get("", summary="List the libraries", responses=example_of([EXAMPLE_LIBRARY.model_dump(mode="json")]))
async def list_libraries(context: OpenContext) -> list[LibrarySummary]:
    """The libraries that this server searches: their size, years and licence."""
    return [_summarise(await one.describe()) for one in _find_catalogues(context)]


@libraries.get(
    "/{name}/documents",
    summary="List the documents of a library",
    responses=example_of(DocumentPage(documents=(LISTED_REFERENCE,), next=LISTED_REFERENCE.id)),
)
async def list_documents(
    name: str,
    context: OpenContext,
    limit: Annotated[int, Query(ge=1, le=500, description="Documents on a page, at most.")] = 100,
    cursor: Annotated[str, Query(max_length=2_000, description="`next` of the previous page.")] = "",
) -> DocumentPage:
    """References, page by page. Each document appears once, even while others are added. /api/v1/document reads one."""
    library = next((one for one in _find_catalogues(context) if one.name == name), None)
    if library is None:
        raise NotFoundError(messages.NO_LIBRARY)
    # One more than is shown, which tells whether there is another page.
    found = await library.list_references(cursor, limit + 1)
    return DocumentPage(documents=tuple(found[:limit]), next=found[limit - 1].id if len(found) > limit else "")


def _find_catalogues(context: Context) -> Iterator[DocumentCatalogue]:
    return (source for source in context.sources if isinstance(source, DocumentCatalogue))


def _summarise(info: SourceInfo) -> LibrarySummary:
    told = {name: getattr(info, name) for name in LibrarySummary.model_fields if name != "licence"}
    return LibrarySummary(**told, licence=_find_licence(info))


def _find_licence(info: SourceInfo) -> str:
    """The licence that the package of the guidelines states, or the recipe that filled a library; "" when unknown."""
    if info.name == GUIDELINES:
        return read_manifest().licence
    return next((one.licence for one in RECIPES if one.about == info.about), "")
