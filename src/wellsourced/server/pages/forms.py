"""What comes with the form of a page, and the run that it begins."""

from collections.abc import Mapping
from typing import NamedTuple

from fastapi import Request
from fastapi.responses import RedirectResponse, Response
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartParser

from wellsourced.runs.live import NO_ORIGIN, LiveRun, RunOrigin, Work
from wellsourced.runs.table import RunKind
from wellsourced.server.access import MAX_BODY_BYTES
from wellsourced.server.requests import RequestContext
from wellsourced.types import Question

TITLE_LENGTH = 150


def begin(
    visit: RequestContext,
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
    charged = visit.charge_quota(work, patience=None)
    line = " ".join(title.split())
    title = line if len(line) <= TITLE_LENGTH else f"{line[:TITLE_LENGTH]}…"
    run = LiveRun(kind, title, visit.runs.recorder, visit.owner, "page", is_private, question, origin)
    visit.start_run(run, charged)
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


async def read_files(form: FormData, name: str) -> list[SentFile]:
    """Read the files of a field, without the folders of their names."""
    sent = [one for one in form.getlist(name) if isinstance(one, UploadFile) and one.filename]
    return [
        SentFile((one.filename or "").replace("\\", "/").rpartition("/")[2] or "file", await one.read()) for one in sent
    ]
