"""The events that a run emits as it happens. A terminal, a web page, a log or an evaluation listens to them.

A question emits EmergencyDetected (if there are signs of one), QuestionFramed, SearchPlanned, SourceSearched (for each
attempt), PassagesRead, AnswerDrafted, AnswerChecked and AnswerCompleted; in between, Disclosure (before words go to a
host for the first time), ModelCalled (for each call to a language model) and DraftProgress. An ingestion emits
FileRead, FileSkipped or FileFailed for each file, Progress (often) and IngestionCompleted. A download emits
FileDownloaded for each file and Progress.
"""

from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path
from typing import Literal

from wellsourced.errors import NextStep
from wellsourced.types import Answer, Attempt, Emergency, Evidence, Omission, Plan, Question, Statement, Value


class Event(Value):
    """One thing that happened."""


class EmergencyDetected(Event):
    """Signs of an emergency were seen; emitted before anything else is done."""

    emergency: Emergency


class ModelCalled(Event):
    """A language model was asked something, and answered, or failed.

    prompt         the kind of prompt, by the name of its class
    key            hash of model, settings, instruction and inputs: the same for the same call
    started, ended   seconds since the question was taken up
    depth          1 more than the deepest call that had ended when it began: how many have waited for each other
    requests       sent for it: more than one where a reply did not come, was cut off, or could not be read
    repaired       the first reply was cut off or could not be read, and it was asked again
    error          "" when it answered
    """

    prompt: str
    model: str
    key: str
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = 0.0
    started: float = 0.0
    ended: float = 0.0
    depth: int = 1
    cached: bool = False
    requests: int = 1
    repaired: bool = False
    error: str = ""


class Disclosure(Event):
    """Words are about to leave this machine: the first time that they go to a host, and each time if all is shown.

    host        who will have them
    to          what they are for: "openai:gpt-5", "pubmed"
    concealed   the kinds of identifiers that they are sent without, with numbers; "" for none
    words       what goes, as it goes; "" unless the user wants to see it
    """

    host: str
    to: str
    concealed: str = ""
    words: str = ""


class DraftProgress(Event):
    """A draft as far as it is written; nobody has checked it."""

    text: str


class QuestionFramed(Event):
    """The question as it will be answered."""

    question: Question


class SearchPlanned(Event):
    """Where will be searched, in which order."""

    plan: Plan


class SourceSearched(Event):
    """One source was asked and answered, or failed."""

    attempt: Attempt


class PassagesRead(Event):
    """What was kept of what a tier found, and what was left out."""

    tier: str
    evidence: tuple[Evidence, ...]
    dropped: tuple[Omission, ...]


class AnswerDrafted(Event):
    """Statements that nobody has checked yet: to be shown as a draft or not at all."""

    statements: tuple[Statement, ...]


class AnswerChecked(Event):
    """The statements that stand."""

    statements: tuple[Statement, ...]
    dropped: tuple[Omission, ...]


class AnswerCompleted(Event):
    """The end of the path."""

    answer: Answer


class FileRead(Event):
    """A file's documents are stored and can be searched by word."""

    path: Path
    documents: int
    passages: int


class FileSkipped(Event):
    """A file is as it was when it was last read: nothing was done."""

    path: Path


class FileFailed(Event):
    """A file, or a part of it, cannot be read; everything else went in.

    transient   it is tried again with the next run, also when the file stays as it is
    next_step   what to do before the remedy
    """

    path: Path
    reason: str
    remedy: str
    transient: bool = False
    next_step: NextStep | None = None


class FileDownloaded(Event):
    """A file is here, whole, and as its publisher says where the publisher says it; `kept`: it was here before."""

    path: Path
    url: str
    bytes: int
    kept: bool


class Progress(Event):
    """How far a long piece of work is.

    done, total   of `unit`; total 0 when it cannot be known yet
    rate          units a second since this work began
    task          "waiting": another process does the work, and this one goes on when it is done
    """

    task: Literal[
        "reading", "indexing", "embedding", "downloading", "unpacking", "verifying", "waiting", "writing", "copying"
    ]
    done: int
    total: int
    unit: Literal["bytes", "documents", "passages", "sections", "questions"]
    documents: int = 0
    passages: int = 0
    rate: float = 0.0


class IngestionCompleted(Event):
    """The end of an ingestion: what came of its files. Those of several add up.

    files     read, `partial` of them not whole; `failed` gave nothing, `skipped` were as before
    """

    files: int = 0
    skipped: int = 0
    failed: int = 0
    documents: int = 0
    passages: int = 0
    removed: int = 0
    partial: int = 0

    def __add__(self, other: "IngestionCompleted") -> "IngestionCompleted":
        counts = {name: count + getattr(other, name) for name, count in self}
        return IngestionCompleted.model_validate(counts)


Emit = Callable[[Event], None]
"""What a step calls with an event when something has happened. It returns at once and never raises."""


def ignore_event(event: Event) -> None:
    """Do nothing with an event."""


DISCLOSURE_LISTENER: ContextVar[Emit] = ContextVar("disclosures", default=ignore_event)
"""Receive every Disclosure, also one that belongs to no question: the terminal sets it."""
