"""Everything that a question needs (sources, model, judges, policies), opened once by `config`; and how many run at a
time.
"""

import asyncio
import ctypes
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from wellsourced.encoders.base import Encoder
from wellsourced.expected_questions.matching import AnswerMatcher
from wellsourced.judges.base import Judge
from wellsourced.models.base import Model
from wellsourced.planners.base import Planner
from wellsourced.policy import Budget, CheckPolicy, CondensePolicy, FramePolicy, Policy, ReadPolicy, WritePolicy
from wellsourced.privacy import PhiPolicy
from wellsourced.question.understanding import (
    EmergencyDetector,
    LiteralUnderstanding,
    RuleEmergencyDetector,
    Understanding,
)
from wellsourced.sources.base import RetractionRegistry, Source
from wellsourced.types import Gap, LineToCheck

if TYPE_CHECKING:
    from wellsourced.controls.record import JudgeControls


def trim_heap() -> None:
    """Give memory that was freed back to the system, where the C library can (glibc); elsewhere nothing is done.

    It keeps what is freed between what is still used, in a heap for each thread: after 200 questions that is hundreds
    of megabytes. Takes some milliseconds, without Python's lock.
    """
    if trim := _find_malloc_trim():
        trim(0)


@cache
def _find_malloc_trim() -> Callable[[int], int] | None:
    if not sys.platform.startswith("linux"):
        return None
    try:
        found: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):
        return None
    return found


MAX_QUESTIONS_WITHOUT_MODEL = 4
"""Questions in work at once that no language model takes part in: they compute, and more would only share the time."""

MAX_QUESTIONS_WITH_MODEL = 16
"""Questions in work at once that wait for a language model most of the time."""

MAX_SEARCHES_PER_SOURCE = 4
"""Searches of one live source, or look-ups in one registry, that are under way at once."""

QUESTIONS_BEFORE_TRIM = 32
"""After so many questions, as soon as none is in work, memory is given back to the system."""


class Limiter:
    """The queues of one context: first come, first served. Time limits begin with a question's turn, not before."""

    def __init__(self) -> None:
        # Of each event loop its own: what waits in one cannot be woken by another.
        self._semaphores: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, int], asyncio.Semaphore]] = (
            WeakKeyDictionary()
        )
        self._in_work = self._answered_count = 0

    @asynccontextmanager
    async def admit_question(self, at_once: int, seconds: float | None = None) -> AsyncGenerator[None, None]:
        """Be one of the questions in work.

        at_once   questions in work at the same time
        seconds   how long it may wait for its turn; after that it goes on without one, to say that its time is over
        """
        line = self._find_semaphore("questions", at_once)
        try:
            await asyncio.wait_for(line.acquire(), seconds)
        # It goes on without a turn, in order to say that its time is over, which costs nothing.
        except TimeoutError:
            yield
            return
        self._in_work += 1
        try:
            yield
        finally:
            line.release()
            self._in_work -= 1
            self._answered_count += 1
            # Only when idle: trimming while questions compute would slow them for memory that they take back at once.
            if not self._in_work and self._answered_count >= QUESTIONS_BEFORE_TRIM:
                self._answered_count = 0
                asyncio.get_running_loop().run_in_executor(None, trim_heap)

    @asynccontextmanager
    async def admit_search(self, source: str) -> AsyncGenerator[None, None]:
        """Be one of the searches of a live source, or of the look-ups in a registry, that are under way."""
        async with self._find_semaphore(f"source {source}", MAX_SEARCHES_PER_SOURCE):
            yield

    def _find_semaphore(self, name: str, at_once: int) -> asyncio.Semaphore:
        lines = self._semaphores.setdefault(asyncio.get_running_loop(), {})
        return lines.setdefault((name, at_once), asyncio.Semaphore(at_once))


@dataclass(frozen=True)
class Context:
    """Everything that a question needs: an implementation for each seam, and the policies.

    sources     what can be searched; a plan names them by `source.name`
    model       who writes; `has_model` says whether it is a language model
    assistant   who judges relevance, names keywords, checks: the model itself unless another is named; None: as model
    sees_patient   whether the user allowed the model, and the assistant, to see a patient's text
    outbound    whether anything of a question may leave this machine: a live source, a model of a provider
    phi         what becomes of identifiers of a patient in anything that leaves this machine
    setup_gaps   what should have been there and is not, as gaps that every answer shows
    unset_sources   of these, the sources that are only searched when their turn comes, and lack a setting
    left_out    sources that are searched as a rule and are not, since others were named
    planner     which source is asked what
    understanding   what the words of a question mean, without a model
    emergency_detector   who looks for signs of an emergency, before anything is searched
    reranker    judges which passages stand first, before any is read; None: the order of the sources, fused
    encoder     by whose vectors sections are compared with a question; None: by words alone
    controls    puts statements whose verdict is known into the calls of models that judge; None: they are not checked
    support_judge   judges whether a quote supports a statement
    patient_lines  lines of documents to check for the patient; a model that may see the patient is told
    expected_questions   who finds the expected questions of libraries that are asked; None: nobody does
    registries  who is asked, before anything is read, which works were withdrawn; none: what the records themselves say
    limiter   who of those that use this context is in work, and who waits
    """

    sources: tuple[Source, ...]
    model: Model
    support_judge: Judge
    planner: Planner
    understanding: Understanding = field(default_factory=LiteralUnderstanding)
    emergency_detector: EmergencyDetector = field(default_factory=RuleEmergencyDetector)
    reranker: Judge | None = None
    encoder: Encoder | None = None
    policy: Policy = field(default_factory=Policy)
    assistant: Model | None = None
    controls: "JudgeControls | None" = None
    has_model: bool = False
    sees_patient: bool = False
    outbound: bool = False
    phi: PhiPolicy = "mask"
    frame: FramePolicy = field(default_factory=FramePolicy)
    read: ReadPolicy = field(default_factory=ReadPolicy)
    condense: CondensePolicy = field(default_factory=CondensePolicy)
    write: WritePolicy = field(default_factory=WritePolicy)
    check: CheckPolicy = field(default_factory=CheckPolicy)
    budget: Budget = field(default_factory=Budget)
    setup_gaps: tuple[Gap, ...] = ()
    unset_sources: frozenset[str] = frozenset()
    left_out: tuple[str, ...] = ()
    patient_lines: tuple[LineToCheck, ...] = ()
    expected_questions: AnswerMatcher | None = None
    registries: tuple[RetractionRegistry, ...] = ()
    limiter: Limiter = field(default_factory=Limiter, compare=False)

    @property
    def judging_model(self) -> Model:
        """Who is asked what needs judgement rather than words of an answer."""
        return self.assistant or self.model

    @property
    def has_llm_screening(self) -> bool:
        """Whether a language model judges what was found."""
        return self.has_model and self.read.relevance in ("model", "tier")

    @property
    def writes_from_all(self) -> bool:
        """Whether a language model writes from all that was found: nobody says before what of it is relevant."""
        return self.has_model and self.read.relevance == "none"

    @property
    def max_concurrent_questions(self) -> int:
        """Questions that are in work at the same time."""
        return self.policy.concurrent_questions or (
            MAX_QUESTIONS_WITH_MODEL if self.has_model else MAX_QUESTIONS_WITHOUT_MODEL
        )

    def find_source(self, name: str) -> Source:
        """The source of that name. Raises KeyError: a plan only names what the context holds."""
        return {source.name: source for source in self.sources}[name]
