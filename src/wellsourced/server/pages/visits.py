"""What a page needs of the server and of its visitor: the context, the runs that he may see, where new ones begin."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from datetime import datetime
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.responses import RedirectResponse, Response
from starlette.exceptions import HTTPException

from wellsourced.config import Settings
from wellsourced.context import Context
from wellsourced.errors import NotFoundError, WellsourcedError
from wellsourced.events import Emit
from wellsourced.run_table import RunLine
from wellsourced.runs import RunHistory
from wellsourced.server.live_runs import NO_ORIGIN, LiveRun, LiveRuns, RunKind, RunOrigin
from wellsourced.server.requests import find_owner
from wellsourced.types import Answer

TITLE_LENGTH = 150

PROMPTS_FOLDER = "prompts"

OWNER_LENGTH = 16
"""Letters of the digest of a token by which files are called."""

NOT_KEPT = "Not kept on the disk, since {}: it is gone when the server stops."

NAMES_SOMEBODY = "the question, or a document of your own that was read for it, seems to name somebody"

Work = Callable[[Emit], Coroutine[object, object, object]]


class Visit:
    """What a page needs of the server, and who it is for.

    owner     of the runs that this visitor may see: made from the token, "" on this machine
    flags     what the server was started with, before the settings files
    reopen_context   opens the libraries anew, after one came or went
    prompts   the file of the visitor's own words for prompts, whether it is there or not
    history   the runs that are kept on the disk, each of its owner; None where none are
    """

    def __init__(self, request: Request) -> None:
        self.context: Context = request.app.state.context
        self.settings: Settings = request.app.state.settings
        self.flags: dict[str, Any] = request.app.state.flags
        self.reopen_context: Callable[[], Awaitable[None]] = request.app.state.reopen_context
        self.runs: LiveRuns = request.app.state.runs
        self.tokens: tuple[str, ...] = request.app.state.access.tokens
        # Made from the token and not the token itself: it is the name of files and rows on the disk.
        self.owner = find_owner(request)
        self.is_at_home = not self.owner
        self.prompts = self.settings.home / PROMPTS_FOLDER / f"{self.owner[:OWNER_LENGTH] or 'this-machine'}.toml"
        self.history = RunHistory(self.settings.home) if self.settings.runs else None

    def find_run(self, id: str) -> LiveRun:
        """A run of this visitor: of this server, or one that is kept. Raises HTTPException for none."""
        run = self.look_up_run(id)
        if run is None:
            raise HTTPException(404, "There is no such run here: it was deleted, or the server was started anew since.")
        return run

    def look_up_run(self, id: str) -> LiveRun | None:
        """A run of this visitor; None for "", and for one that is gone."""
        return self.runs.find(id, self.owner) or (self._open_kept_run(id) if id else None)

    def _open_kept_run(self, id: str) -> LiveRun | None:
        if self.history is None:
            return None
        try:
            kept = self.history.load(id, self.owner)
        except NotFoundError:
            return None
        asked = kept.answer.question.asked or kept.answer.question.text
        return LiveRun(
            kept.id,
            self.owner,
            "question",
            shorten_title(asked),
            datetime.fromisoformat(kept.at),
            state="finished",
            result=kept.answer,
            kept=kept.id,
        )

    def list_kept_runs(self) -> list[RunLine]:
        """The runs that are kept and not among those of this server, the newest first."""
        if self.history is None:
            return []
        # A run that is live and kept would be listed twice.
        shown = {run.kept for run in self.runs.list_of(self.owner)}
        return [one for one in self.history.list_runs_of(self.owner) if one.id not in shown]

    def delete_run(self, run: LiveRun) -> None:
        """Forget a run, here and on the disk."""
        self.runs.delete(run)
        # Also from the disk: who deletes a question wants nothing of it to stay.
        if run.kept and self.history:
            self.history.delete(run.kept, self.owner)

    def require_home(self) -> None:
        """Raises HTTPException for a visitor from elsewhere: files and settings are those of this machine."""
        if not self.is_at_home:
            raise HTTPException(403, "This is done on the machine of the server alone.")


PageVisit = Annotated[Visit, Depends(Visit)]


def shorten_title(text: str) -> str:
    """What was asked, in a line."""
    line = " ".join(text.split())
    return line if len(line) <= TITLE_LENGTH else f"{line[:TITLE_LENGTH]}…"


def begin(visit: Visit, kind: RunKind, title: str, work: Work, origin: RunOrigin = NO_ORIGIN) -> Response:
    """Begin a run, and lead to its page; an answer is kept on the disk as far as it may be."""

    async def work_and_keep(emit: Emit) -> object:
        result = await work(emit)
        # Kept in a thread, and before the run ends, so that its page can say under which id it is.
        if isinstance(result, Answer) and visit.history:
            run.kept, run.not_kept = await asyncio.to_thread(_keep, result, visit.history, visit.owner)
        return result

    run = visit.runs.start(visit.owner, kind, shorten_title(title), work_and_keep, origin)
    return RedirectResponse(f"/runs/{run.id}", 303)


def _keep(answer: Answer, history: RunHistory, owner: str) -> tuple[str, str]:
    """The id under which an answer is kept; or why it is not, which takes the answer from nobody."""
    try:
        id = history.record(answer, owner)
    # A full disk costs the record and not the answer, which was paid for.
    except (WellsourcedError, OSError) as error:
        return "", f"This answer is not kept on the disk: {error}"
    return id, "" if id else NOT_KEPT.format("it is about a patient" if answer.question.patient else NAMES_SOMEBODY)
