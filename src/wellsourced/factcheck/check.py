"""A whole check of one text: taken apart, its sources found, judged, repaired, with what it takes handed in."""

from datetime import date
from pathlib import Path
from typing import NamedTuple

from wellsourced.events import Emit, ignore_event
from wellsourced.factcheck.load.decomposition import decompose_by_model, decompose_by_worker
from wellsourced.factcheck.pairing import JudgingOptions
from wellsourced.factcheck.resolve.base import Tracer
from wellsourced.factcheck.run import Scope, run_checkup
from wellsourced.factcheck.run_store import open_run_store
from wellsourced.judges.base import Judge
from wellsourced.models.base import Model
from wellsourced.types import Checkup, Document, Gap, Reference, SubmittedText


class CheckContext(NamedTuple):
    """What a check takes, opened.

    model    a language model, which takes the text apart and edits; None: both are done by rule
    folder   of the stores, a file for each text
    missing  what should have been asked and cannot be
    """

    tracer: Tracer
    judge: Judge
    folder: Path
    model: Model | None = None
    manner: JudgingOptions = JudgingOptions()
    missing: tuple[Gap, ...] = ()

    @property
    def name(self) -> str:
        """What changes verdicts: who looks, who judges, and how."""
        return f"{self.tracer.name}\n{self.judge.name}\n{self.manner}"


class CheckOptions(NamedTuple):
    """What is wanted.

    scope    the sources that a statement is put to: all of the text, or those whose marks it bears
    repair   whether what does not stand is edited or removed
    resume   whether a run that came to its end is shown again
    fresh    whether a run that was stopped begins anew
    """

    scope: Scope = "all"
    repair: bool = False
    resume: bool = False
    fresh: bool = False


def text_to_document(text: str) -> Document:
    """Plain text, or Markdown, as a document."""
    return Document(reference=Reference(id="text:", title=""), text=text)


async def check_document(
    text: Document | SubmittedText,
    tools: CheckContext,
    wish: CheckOptions | None = None,
    *,
    emit: Emit = ignore_event,
    as_of: date | None = None,
) -> Checkup:
    """The checkup of a text; see `run_checkup`. Each verdict is stored as soon as it is known.

    text   one that is taken apart already stays as it is
    """
    wish = wish or CheckOptions()
    submitted = text if isinstance(text, SubmittedText) else await decompose_by_worker(text)
    if tools.model and not isinstance(text, SubmittedText):
        submitted = await decompose_by_model(tools.model, submitted)
    notes = [f"{gap.source} was not asked: {gap.reason}" for gap in tools.missing if gap.status == "failed"]
    submitted = submitted.model_copy(update={"notes": (*submitted.notes, *notes)})
    store = open_run_store(tools.folder, submitted, tools.name, resume=wish.resume, fresh=wish.fresh)
    try:
        return await run_checkup(
            submitted,
            tools.tracer,
            tools.judge,
            model=tools.model,
            store=store,
            emit=emit,
            scope=wish.scope,
            repair=wish.repair,
            manner=tools.manner,
            as_of=as_of,
        )
    finally:
        store.close()
