"""Answers to conversations that HealthBench grades by criteria (Arora et al., 2025), as an eval log of inspect_ai.

The log is unscored: the grading is that of inspect_evals, by `inspect_ai.score(log, healthbench_scorer(…))`.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from wellsourced.api import ask
from wellsourced.context import Context
from wellsourced.types import Question, Turn
from wellsourced_evaluate.questions.answer_marks import join_texts
from wellsourced_evaluate.recorded_rows import RecordedFile, RecordedRow, Words

SHARED_TAGS = ("theme:", "physician_agreed_category:")
"""Tags of a conversation that inspect_evals looks for at each of its criteria."""


class ConversationTurn(RecordedRow):
    """One message of a conversation."""

    role: Literal["user", "assistant"]
    content: Words


class RubricCriterion(RecordedRow):
    """What an answer is graded by. Points below 0 are for a fault: whoever meets it loses them."""

    criterion: Words
    points: Annotated[float, Field(strict=True, allow_inf_nan=False)]
    tags: tuple[str, ...] = ()


class RubricCase(RecordedRow):
    """A conversation that ends with what a user says, and the criteria of an answer to it."""

    id: Words = Field(alias="prompt_id")
    prompt: Annotated[tuple[ConversationTurn, ...], Field(min_length=1)]
    rubrics: Annotated[tuple[RubricCriterion, ...], Field(min_length=1)]
    example_tags: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _check_conversation(self) -> Self:
        if self.prompt[-1].role != "user":
            raise ValueError("its conversation does not end with what a user says")
        return self


class WrittenCompletion(RecordedRow):
    """An answer that somebody gave to a conversation."""

    id: Words = Field(alias="prompt_id")
    completion: str


async def answer_case(case: RubricCase, context: Context) -> str:
    """What this system says, as its reader meets it: what to do first in an emergency, what is said, or why not."""
    before = tuple(Turn(role=turn.role, text=turn.content) for turn in case.prompt[:-1])
    given = await ask(Question(text=case.prompt[-1].content, history=before), context)
    advice = given.emergency.advice if given.emergency else ""
    return "\n".join(filter(None, (advice, join_texts(given.statements) or given.reason)))


def write_rubric_log(
    data: RecordedFile[RubricCase], answers: Mapping[str, str], errors: Mapping[str, str], arm: str, path: Path
) -> None:
    """Write conversations with their answers as an unscored log; it needs inspect_ai.

    An error is shown as such, and graded as silence.
    """
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec, write_eval_log
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, ModelOutput

    kinds: dict[str, Any] = {"user": ChatMessageUser, "assistant": ChatMessageAssistant}
    spec = EvalSpec(
        created=datetime.now(UTC).isoformat(),
        task="inspect_evals/healthbench",
        task_display_name=f"{data.file}: {arm}",
        model="none/none",  # nobody is asked again: inspect_ai opens the model that it finds here
        dataset=EvalDataset(name=data.file, samples=len(data.rows), sample_ids=[case.id for case in data.rows]),
        config=EvalConfig(epochs=1),
        metadata={"sha256": data.sha256, "recorded": data.recorded},
    )
    samples = []
    for case in data.rows:
        messages = [kinds[turn.role](content=turn.content) for turn in case.prompt]
        metadata = case.model_dump(mode="json", by_alias=True) | {"error": errors.get(case.id)}
        metadata["conversation"] = metadata.pop("prompt")
        for rubric in metadata["rubrics"]:
            rubric["tags"] += [tag for tag in case.example_tags if tag.startswith(SHARED_TAGS)]
        sample = EvalSample(id=case.id, epoch=1, input=messages, target="", metadata=metadata)
        sample.messages = [*messages, ChatMessageAssistant(content=answers[case.id])]
        sample.output = ModelOutput.from_content(arm, answers[case.id])
        samples.append(sample)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_eval_log(EvalLog(status="success", eval=spec, samples=samples), str(path))
