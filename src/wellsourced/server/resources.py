"""Resources to look up: the libraries of the server, and what nobody but their owner sees: runs, jobs, the rest of a
day.
"""

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
from wellsourced.server import examples
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
        description="The Idempotency-Key of the request that began it.",
        examples=[examples.EXAMPLE_KEY],
    ),
]
RunCursor = Annotated[str, Query(pattern="^([0-9a-f]{12})?$", description="`next` of the page before.")]
PageLimit = Annotated[int, Query(ge=1, le=200, description="Of one page, at most.")]


class ListedRun(Value):
    """An answer that was recorded.

    at           when it was given, ISO 8601 in UTC
    statements   how many it made; 0: it was an abstention
    """

    id: str
    at: str
    question: str
    statements: int


class RunPage(Value):
    """Recorded runs, the newest first; `next` is the cursor of the next page, "" on the last."""

    runs: tuple[ListedRun, ...]
    next: str


class RunRecord(Value):
    """A run as it was recorded; `version` is that of wellsourced."""

    id: str
    at: str
    version: str
    answer: Answer


class JobStatus(Value):
    """A job, and how far it is.

    path    of the request that began it
    begun   when, in UTC
    steps   what has happened so far, a sentence each
    """

    key: str
    path: str
    state: JobState
    begun: datetime
    steps: tuple[str, ...]

    @classmethod
    def of(cls, job: Job) -> "JobStatus":
        """What of it is told: nothing of its answer."""
        return cls(key=job.key, path=job.path, state=job.state, begun=job.begun, steps=tuple(job.steps))


class QuotaStatus(Value):
    """What this token may use in a day, and what it has used of it; a limit of 0 is none, and nothing is counted then.

    day      that is counted, in UTC
    resets   when the next begins
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
    """The work, whose answer is kept among the runs of whoever asks, as the command line keeps it: not where the
    setting `runs` is off, and never when it is about a patient or names somebody."""

    async def work_and_record(emit: Emit) -> Answer:
        answer = await work(emit)
        if settings.runs:
            # Recording comes after the answer is there: nothing that goes wrong with it takes the answer away.
            try:
                await asyncio.to_thread(RunHistory(settings.home).record, answer, owner)
            except (WellsourcedError, OSError) as error:
                log.warning("an answer is not kept among the runs (%s); --set runs=false keeps none", error)
        return answer

    owner, settings = find_owner(request), request.app.state.settings
    return work_and_record


def _open_history(settings: ServerSettings) -> RunHistory:
    return RunHistory(settings.home)


@own_resources.get("/runs", summary="List the recorded runs", responses=example_of(EXAMPLE_RUNS))
async def list_runs(
    request: Request, settings: ServerSettings, limit: PageLimit = 20, cursor: RunCursor = ""
) -> RunPage:
    """The answers that /api/v1/ask gave to this token and that were not deleted, the newest first. On this machine
    without a token they are those of the command line, too. What is recorded meanwhile moves no run to another page."""
    history = _open_history(settings)
    # One more than is shown, which tells whether there is another page.
    found = await asyncio.to_thread(history.list_runs_of, find_owner(request), cursor, limit + 1)
    told = tuple(ListedRun(id=one.id, at=one.at, question=one.question, statements=one.statements) for one in found)
    return RunPage(runs=told[:limit], next=told[limit - 1].id if len(told) > limit else "")


@own_resources.get("/runs/{id}", summary="Read a recorded run", responses=example_of(EXAMPLE_RUN))
async def read_run(id: RunId, request: Request, settings: ServerSettings) -> RunRecord:
    """The whole answer as it was given, but for the words of what it left out."""
    run = await asyncio.to_thread(_open_history(settings).load, id, find_owner(request))
    return RunRecord(**run._asdict())


@own_resources.delete("/runs/{id}", summary="Delete a recorded run", status_code=204)
async def delete_run(id: RunId, request: Request, settings: ServerSettings) -> Response:
    """Nothing of what was asked and answered stays on the disk; that there was a run, and when, does."""
    await asyncio.to_thread(_open_history(settings).delete, id, find_owner(request))
    return Response(status_code=204)


@own_resources.get("/jobs", summary="List the jobs", responses=example_of([EXAMPLE_JOB.model_dump(mode="json")]))
async def list_jobs(request: Request) -> list[JobStatus]:
    """The requests of this token that brought an Idempotency-Key in the last hour, the newest first."""
    jobs: Jobs = request.app.state.jobs
    return [JobStatus.of(job) for job in jobs.list_of(find_owner(request))]


@own_resources.get("/jobs/{key:path}", summary="See how far a job is", responses=example_of(EXAMPLE_JOB))
async def read_job(key: JobKey, request: Request) -> JobStatus:
    """Whether it is in work, and what has happened so far. Its answer is had by sending its request again."""
    jobs: Jobs = request.app.state.jobs
    return JobStatus.of(jobs.find(find_owner(request), key))


@own_resources.delete("/jobs/{key:path}", summary="Stop a job", status_code=204)
async def stop_job(key: JobKey, request: Request) -> Response:
    """Work that goes on is stopped, and who waits for it is told so (409); what came of it is forgotten. What was used
    by then counts in the quota."""
    jobs: Jobs = request.app.state.jobs
    jobs.stop(find_owner(request), key)
    return Response(status_code=204)


@own_resources.get("/quota", summary="What is left of the day", responses=example_of(EXAMPLE_QUOTA))
async def read_quota(request: Request) -> QuotaStatus:
    """The settings `quota.answers`, `quota.calls` and `quota.tokens`, and what this token has used of them today."""
    quotas: Quotas = request.app.state.quotas
    used = await asyncio.to_thread(quotas.find_use, find_owner(request))
    return QuotaStatus(day=quotas.today(), resets=quotas.find_end(), limits=quotas.limits, used=used)


class LibrarySummary(Value):
    """A library.

    first, last   years of its oldest and its newest document; 0 when unknown
    licence       of what it was filled with, as far as that is known; "" of files of your own
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
    """Documents of a library, in the order of their ids; `next` is the cursor of the next page, "" on the last."""

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
    """Those that this server searches: what they hold, of which years, and under which licence."""
    return [_summarise(await one.describe()) for one in _find_catalogues(context)]


@libraries.get(
    "/{name}/documents",
    summary="List the documents of a library",
    responses=example_of(DocumentPage(documents=(LISTED_REFERENCE,), next=LISTED_REFERENCE.id)),
)
async def list_documents(
    name: str,
    context: OpenContext,
    limit: Annotated[int, Query(ge=1, le=500, description="Of one page, at most.")] = 100,
    cursor: Annotated[str, Query(max_length=2_000, description="`next` of the page before.")] = "",
) -> DocumentPage:
    """Their references. Who goes from page to page meets each document that stays once, whatever is added meanwhile;
    what is added behind the cursor comes, too. /api/v1/document reads one."""
    library = next((one for one in _find_catalogues(context) if one.name == name), None)
    if library is None:
        raise NotFoundError("This server searches no library of that name: /api/v1/libraries lists them.")
    # One more than is shown, which tells whether there is another page.
    found = await library.list_references(cursor, limit + 1)
    return DocumentPage(documents=tuple(found[:limit]), next=found[limit - 1].id if len(found) > limit else "")


def _find_catalogues(context: Context) -> Iterator[DocumentCatalogue]:
    return (source for source in context.sources if isinstance(source, DocumentCatalogue))


def _summarise(info: SourceInfo) -> LibrarySummary:
    told = {name: getattr(info, name) for name in LibrarySummary.model_fields if name != "licence"}
    return LibrarySummary(**told, licence=_find_licence(info))


def _find_licence(info: SourceInfo) -> str:
    """Of the guidelines as their package says, of what a recipe filled as the recipe does."""
    if info.name == GUIDELINES:
        return read_manifest().licence
    return next((one.licence for one in RECIPES if one.about == info.about), "")
