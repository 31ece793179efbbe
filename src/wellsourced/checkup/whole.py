"""A whole check of one text: taken apart, its sources found, judged, repaired, with what it takes handed in."""

from datetime import date
from pathlib import Path
from typing import NamedTuple

from wellsourced.checkup.base import Tracer
from wellsourced.checkup.pairing import Manner
from wellsourced.checkup.reading import take_apart_by, take_apart_by_worker
from wellsourced.checkup.run import Scope, check_up
from wellsourced.checkup.store import open_store
from wellsourced.events import Tell, unheard
from wellsourced.judges.base import Judge
from wellsourced.models.base import Model
from wellsourced.types import Checkup, Document, Gap, Reference, Submitted


class Tools(NamedTuple):
    """What a check takes, opened.

    model    a language model, which takes the text apart and edits; None: both are done by rule
    folder   of the stores, a file for each text
    missing  what should have been asked and cannot be
    """

    tracer: Tracer
    judge: Judge
    folder: Path
    model: Model | None = None
    manner: Manner = Manner()
    missing: tuple[Gap, ...] = ()

    @property
    def name(self) -> str:
        """What changes verdicts: who looks, who judges, and how."""
        return f"{self.tracer.name}\n{self.judge.name}\n{self.manner}"


class Wish(NamedTuple):
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


def as_document(text: str) -> Document:
    """Plain text, or Markdown, as a document."""
    return Document(reference=Reference(id="text:", title=""), text=text)


async def check_document(
    text: Document | Submitted,
    tools: Tools,
    wish: Wish | None = None,
    *,
    tell: Tell = unheard,
    as_of: date | None = None,
) -> Checkup:
    """The checkup of a text; see `check_up`. Each verdict is stored as soon as it is known.

    text   one that is taken apart already stays as it is
    """
    wish = wish or Wish()
    submitted = text if isinstance(text, Submitted) else await take_apart_by_worker(text)
    if tools.model and not isinstance(text, Submitted):
        submitted = await take_apart_by(tools.model, submitted)
    notes = [f"{gap.source} was not asked: {gap.reason}" for gap in tools.missing if gap.status == "failed"]
    submitted = submitted.model_copy(update={"notes": (*submitted.notes, *notes)})
    store = open_store(tools.folder, submitted, tools.name, resume=wish.resume, fresh=wish.fresh)
    try:
        return await check_up(
            submitted,
            tools.tracer,
            tools.judge,
            model=tools.model,
            store=store,
            tell=tell,
            scope=wish.scope,
            repair=wish.repair,
            manner=tools.manner,
            as_of=as_of,
        )
    finally:
        store.close()
