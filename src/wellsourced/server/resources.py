"""Resources to look up: the libraries of the server, and what only its owner sees: runs, jobs, the daily quota."""

import asyncio
import logging
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response

from wellsourced.config import GUIDELINES
from wellsourced.config.settings import QuotaSettings
from wellsourced.context import Context
from wellsourced.errors import NotFoundError, WellsourcedError
from wellsourced.events import Emit
from wellsourced.ingest.recipes import RECIPES
from wellsourced.readers.guidelines import read_manifest
from wellsourced.runs import RunHistory
from wellsourced.server import examples, messages
from wellsourced.server.examples import LISTED_REFERENCE, example_of
from wellsourced.server.live_runs import Job, Jobs, JobState
from wellsourced.server.request_limits import DailyUse, Quotas
from wellsourced.server.requests import MAX_KEY_LENGTH, PROBLEMS, OpenContext, ServerSettings, Work, find_owner
from wellsourced.sources.base import DocumentCatalogue, SourceInfo
from wellsourced.types import Answer, Reference, SourceKind, Value

log = logging.getLogger(__name__)

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
    """A recorded answer.

    at           its time, ISO 8601 in UTC
    statements   their number; 0: an abstention
    """

    id: str
    at: str
    question: str
    statements: int


class RunPage(Value):
    """Recorded runs, newest first; `next` is the cursor of the next page, "" on the last."""

    runs: tuple[ListedRun, ...]
    next: str


class RunRecord(Value):
    """A recorded run; `version` is that of wellsourced."""

    id: str
    at: str
    version: str
    answer: Answer


class JobStatus(Value):
    """A job and its progress.

    path    of the request that started it
    begun   time in UTC
    steps   a sentence for each step so far
    """

    key: str
    path: str
    state: JobState
    begun: datetime
    steps: tuple[str, ...]

    @classmethod
    def of(cls, job: Job) -> "JobStatus":
        """Describe a job, without its answer."""
        return cls(key=job.key, path=job.path, state=job.state, begun=job.begun, steps=tuple(job.steps))


class QuotaStatus(Value):
    """The daily quota of this token, and its use today. With a limit of 0 nothing is counted.

    day      the counted day, in UTC
    resets   when the next day begins
    """

    day: str
    resets: datetime
    limits: QuotaSettings
    used: DailyUse


EXAMPLE_RUN = RunRecord(id=examples.EXAMPLE_RUN_ID, at=examples.EXAMPLE_TIME, version="0.1.0", answer=examples.ANSWER)
EXAMPLE_RUNS = RunPage(
    runs=(ListedRun(id=EXAMPLE_RUN.id, at=EXAMPLE_RUN.at, question=examples.ANSWER.question.text, statements=1),),
    next=EXAMPLE_RUN.id,
)
EXAMPLE_JOB = JobStatus(
    key=examples.EXAMPLE_KEY,
    path="/api/v1/ask",
    state="working",
    begun=datetime.fromisoformat(examples.EXAMPLE_TIME),
    steps=("Question read", "87 passages kept of what was found, 3 left out"),
)
EXAMPLE_QUOTA = QuotaStatus(
    day="2026-11-27",
    resets=datetime(2026, 11, 28, tzinfo=UTC),
    limits=QuotaSettings(answers=200, tokens=2_000_000),
    used=DailyUse(answers=12, calls=40, tokens=61_200),
)

own_resources = APIRouter(prefix="/api/v1", responses=PROBLEMS)


def record_answers(request: Request, work: Work[Answer]) -> Work[Answer]:
    """Record the answer of the work among the runs of its owner, as the command line does: not where the setting `runs`
    is off, and never when it is about a patient or may identify a person."""

    async def work_and_record(emit: Emit) -> Answer:
        answer = await work(emit)
        if settings.runs:
            # The answer is given even where recording it fails.
            try:
                await asyncio.to_thread(RunHistory(settings.home).record, answer, owner)
            except (WellsourcedError, OSError) as error:
                log.warning("an answer is not saved to history (%s)", error)
        return answer

    owner, settings = find_owner(request), request.app.state.settings
    return work_and_record


def _open_history(settings: ServerSettings) -> RunHistory:
    return RunHistory(settings.home)


@own_resources.get("/runs", summary="List the recorded runs", responses=example_of(EXAMPLE_RUNS))
async def list_runs(
    request: Request, settings: ServerSettings, limit: PageLimit = 20, cursor: RunCursor = ""
) -> RunPage:
    """The answers of /api/v1/ask to this token, newest first. On this machine, without tokens, those of the command
    line are included. New runs move none to another page."""
    history = _open_history(settings)
    # One more than is shown, which tells whether there is another page.
    found = await asyncio.to_thread(history.list_runs_of, find_owner(request), cursor, limit + 1)
    told = tuple(ListedRun(id=one.id, at=one.at, question=one.question, statements=one.statements) for one in found)
    return RunPage(runs=told[:limit], next=told[limit - 1].id if len(told) > limit else "")


@own_resources.get("/runs/{id}", summary="Read a recorded run", responses=example_of(EXAMPLE_RUN))
async def read_run(id: RunId, request: Request, settings: ServerSettings) -> RunRecord:
    """The whole answer, without the words of what it left out."""
    run = await asyncio.to_thread(_open_history(settings).load, id, find_owner(request))
    return RunRecord(**run._asdict())


@own_resources.delete("/runs/{id}", summary="Delete a recorded run", status_code=204)
async def delete_run(id: RunId, request: Request, settings: ServerSettings) -> Response:
    """Question and answer are deleted from the disk. That a run existed, and when, stays recorded."""
    await asyncio.to_thread(_open_history(settings).delete, id, find_owner(request))
    return Response(status_code=204)


@own_resources.get("/jobs", summary="List the jobs", responses=example_of([EXAMPLE_JOB.model_dump(mode="json")]))
async def list_jobs(request: Request) -> list[JobStatus]:
    """Requests of this token with an Idempotency-Key in the last hour, newest first."""
    jobs: Jobs = request.app.state.jobs
    return [JobStatus.of(job) for job in jobs.list_of(find_owner(request))]


@own_resources.get("/jobs/{key:path}", summary="Follow a job", responses=example_of(EXAMPLE_JOB))
async def read_job(key: JobKey, request: Request) -> JobStatus:
    """Its state and its steps so far. To get its answer, send its request again."""
    jobs: Jobs = request.app.state.jobs
    return JobStatus.of(jobs.find(find_owner(request), key))


@own_resources.delete("/jobs/{key:path}", summary="Stop a job", status_code=204)
async def stop_job(key: JobKey, request: Request) -> Response:
    """Stops the work and forgets its result; a request that waits for it gets 409. Its use so far counts in the
    quota."""
    jobs: Jobs = request.app.state.jobs
    jobs.stop(find_owner(request), key)
    return Response(status_code=204)


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
