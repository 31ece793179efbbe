"""Who says whether an answer meets a criterion: a language model, or a judge of support in its place."""

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import Literal, NamedTuple, Protocol

from wellsourced.config.judges import open_judge
from wellsourced.config.models import open_named_model
from wellsourced.config.settings import Settings
from wellsourced.errors import ModelError, UnparsableReply
from wellsourced.judges.base import Judge, Pair
from wellsourced.models.base import Model
from wellsourced.prompts.probing import GradeCriterion
from wellsourced.types import Turn

GradeOutcome = Literal["met", "unmet", "unparsed", "failed", "unsuited"]
"""Met, not met; a reply that could not be read; no reply at all; a criterion that this grader cannot judge."""

NOTHING_SAID = "(no answer was given)"
"""What a grader is shown of an empty answer."""

MAX_EXPLANATION = 500
"""Characters of an explanation that are kept."""

_STATEMENT = re.compile(
    r"\A(?:the (?:response|answer|assistant|model|completion) )?(?:\w+ly )?"
    r"(?:states?|says?|mentions?|notes?|explains?|indicates?|informs (?:the )?\w+|tells (?:the )?\w+|advises)"
    r"(?: the \w+)? that (?P<claim>\S.*)\Z",
    re.IGNORECASE | re.DOTALL,
)
"""A criterion that is a plain statement: what stands behind “that” is what an answer has to say."""


class CriterionGrade(NamedTuple):
    """What a grader says of one criterion, and why."""

    outcome: GradeOutcome
    explanation: str = ""

    @property
    def is_met(self) -> bool | None:
        """None: there is no grade."""
        return self.outcome == "met" if self.outcome in ("met", "unmet") else None


class Grader(Protocol):
    """Says whether an answer meets a criterion. Raises nothing: what went wrong is the outcome.

    name       tells it from others, the words of its prompt included
    is_model   a language model, as HealthBench's grader is
    """

    is_model: bool

    @property
    def name(self) -> str: ...

    async def grade(self, conversation: Sequence[Turn], answer: str, criterion: str) -> CriterionGrade: ...


class ModelGrader:
    """A language model that is asked one criterion at a time."""

    is_model = True

    def __init__(self, model: Model) -> None:
        self.model = model

    @property
    def name(self) -> str:
        """Names the model and the words of the prompt: another instruction is another grader."""
        asked = sha256(GradeCriterion.instruction().encode()).hexdigest()[:8]
        return f"graded:{self.model.name}@{asked}"

    async def grade(self, conversation: Sequence[Turn], answer: str, criterion: str) -> CriterionGrade:
        """What the model says; a reply without a plain true or false is unparsed, and no reply failed."""
        prompt = GradeCriterion(
            conversation=tuple(conversation), answer=answer.strip() or NOTHING_SAID, criterion=criterion
        )
        try:
            said = await self.model.complete(prompt)
        except UnparsableReply as error:
            return CriterionGrade("unparsed", str(error)[:MAX_EXPLANATION])
        except ModelError as error:
            return CriterionGrade("failed", str(error)[:MAX_EXPLANATION])
        return CriterionGrade("met" if said.criteria_met else "unmet", said.explanation[:MAX_EXPLANATION])


class SupportGrader:
    """A judge of support in the place of a grader: it says whether the answer supports what a criterion wants said.

    Only of criteria that are plain statements (“States that …”): of others it knows nothing. It is not HealthBench's
    grader, which is a language model.
    """

    is_model = False

    def __init__(self, judge: Judge) -> None:
        self.judge = judge

    @property
    def name(self) -> str:
        """Names the judge."""
        return f"support:{self.judge.name}"

    async def grade(self, conversation: Sequence[Turn], answer: str, criterion: str) -> CriterionGrade:  # noqa: ARG002
        """Met where the answer supports the statement of the criterion."""
        claim = extract_statement(criterion)
        if not claim:
            return CriterionGrade("unsuited", "it is no plain statement")
        if not answer.strip():
            return CriterionGrade("unmet", NOTHING_SAID)
        try:
            (verdict,) = await self.judge.judge([Pair(claim, answer)])
        except ModelError as error:
            return CriterionGrade("failed", str(error)[:MAX_EXPLANATION])
        if verdict.label == "unjudged":
            return CriterionGrade("failed", verdict.reason[:MAX_EXPLANATION])
        reason = f"{verdict.label}, {verdict.score:.2f}: {verdict.reason}"
        return CriterionGrade("met" if verdict.label == "supports" else "unmet", reason[:MAX_EXPLANATION])


def extract_statement(criterion: str) -> str:
    """What an answer has to say to meet the criterion; "" where it is no plain statement."""
    found = _STATEMENT.match(criterion.strip())
    if not found:
        return ""
    claim = found["claim"].strip().rstrip(".")
    return claim[:1].upper() + claim[1:] + "."


@asynccontextmanager
async def open_grader(model: str, judge: str, settings: Settings) -> AsyncIterator[Grader]:
    """The language model of this name as grader; without one, the judge of support. Raises SettingsError."""
    if model:
        async with open_named_model(model, settings) as opened:
            yield ModelGrader(opened)
    else:
        async with open_judge(judge, settings) as named:
            yield SupportGrader(named)
