"""The request of a page: its context, the runs its visitor may see, and what comes with its form."""

from collections.abc import Mapping
from typing import Annotated, NamedTuple

from fastapi import Depends, Request
from fastapi.responses import RedirectResponse, Response
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartParser

from wellsourced.runs.live import NO_ORIGIN, LiveRun, RunOrigin, Work
from wellsourced.runs.table import RunKind
from wellsourced.server.access import MAX_BODY_BYTES
from wellsourced.server.pages import messages
from wellsourced.server.requests import RequestContext
from wellsourced.types import Question

TITLE_LENGTH = 150

PROMPTS_FOLDER = "prompts"

OWNER_LENGTH = 16
"""Letters of the digest of a token in the names of files."""


class VisitorContext(RequestContext):
    """What a page needs of the server, and its visitor.

    prompts   the file of the visitor's own words for prompts, which need not exist
    """

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.is_at_home = not self.owner
        self.prompts = self.settings.home / PROMPTS_FOLDER / f"{self.owner[:OWNER_LENGTH] or 'this-machine'}.toml"

    async def reopen_context(self) -> None:
        """Reopen the libraries after one was added or deleted."""
        await self.request.app.state.reopen_context()

    def find_run(self, id: str) -> LiveRun:
        """A run of this visitor, live or saved. Raises HTTPException for none."""
        run = self.look_up_run(id)
        if run is None:
            raise HTTPException(404, messages.RUN_GONE)
        return run

    def look_up_run(self, id: str) -> LiveRun | None:
        """A run of this visitor; None for "", and for one that was deleted."""
        return self.runs.find(id, self.owner)

    def require_home(self) -> None:
        """Raise HTTPException for a visitor from elsewhere: files and settings are those of this machine."""
        if not self.is_at_home:
            raise HTTPException(403, messages.OPERATOR_ONLY)


PageContext = Annotated[VisitorContext, Depends(VisitorContext)]


def shorten_title(text: str) -> str:
    """Shorten a question to one line."""
    line = " ".join(text.split())
    return line if len(line) <= TITLE_LENGTH else f"{line[:TITLE_LENGTH]}…"


def begin(
    visit: VisitorContext,
    kind: RunKind,
    title: str,
    work: Work[object],
    origin: RunOrigin = NO_ORIGIN,
    *,
    question: Question | None = None,
    is_private: bool = False,
) -> Response:
    """Start a run, and lead to its page; an answer is saved to history where it may be.

    question     whose words say whether the run may be written down
    is_private   nothing of it may be written down, whatever its words
    """
    # First the quota: a run that is not admitted must not push out another.
    visit.quotas.admit(visit.owner)
    recorder, title = visit.runs.recorder, shorten_title(title)
    run = LiveRun(kind, title, recorder, visit.owner, "page", is_private, question, origin)
    visit.runs.start(run, lambda emit: work(visit.quotas.count_calls(visit.owner, emit)))
    return RedirectResponse(f"/runs/{run.id}", 303)


MAX_FIELDS = 500
"""Each source to choose from is one."""

# An uploaded file stays in memory: it may be a patient's, and beyond this size it would be written to /tmp.
MultiPartParser.spool_max_size = MAX_BODY_BYTES


class SentFile(NamedTuple):
    """A file of a form: its name and its bytes."""

    name: str
    content: bytes


async def read_form(request: Request, max_files: int = 1) -> FormData:
    """Read the form of a request; AccessControl limits its size."""
    return await request.form(max_files=max_files, max_fields=MAX_FIELDS, max_part_size=MAX_BODY_BYTES)


def read_field(form: Mapping[str, object], name: str) -> str:
    """Read the text of a field, with its line ends made uniform; "" for none."""
    value = form.get(name)
    return value.replace("\r\n", "\n").strip() if isinstance(value, str) else ""


async def read_file(form: FormData, name: str) -> SentFile | None:
    """Read a file, without the folders of its name; None where none was chosen."""
    return next(iter(await read_files(form, name)), None)


async def read_files(form: FormData, name: str) -> list[SentFile]:
    """Read the files of a field, without the folders of their names."""
    sent = [one for one in form.getlist(name) if isinstance(one, UploadFile) and one.filename]
    return [
        SentFile((one.filename or "").replace("\\", "/").rpartition("/")[2] or "file", await one.read()) for one in sent
    ]
