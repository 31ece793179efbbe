"""Answers to conversations that HealthBench grades by criteria (Arora et al., 2025), as an eval log of inspect_ai.

The grading is that of inspect_evals: a log has each conversation with its criteria and what was answered, unscored, and
`inspect_ai.score(log, healthbench_scorer(…))` does the rest. Files are read as they are published, a line a
conversation; `--answers` is {"prompt_id": "…", "completion": "…"} in each line.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from wellsourced.api import ask
from wellsourced.context import Context
from wellsourced.errors import UnreadableFile, WellsourcedError
from wellsourced.types import Answer, Question, Turn
from wellsourced_evaluate.inspect_logs.log_export import require_inspect
from wellsourced_evaluate.questions.answer_marks import join_texts
from wellsourced_evaluate.recorded_rows import RecordedFile, RecordedRow, Words, read_recorded

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample

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

    prompt_id: Words
    prompt: Annotated[tuple[ConversationTurn, ...], Field(min_length=1)]
    rubrics: Annotated[tuple[RubricCriterion, ...], Field(min_length=1)]
    example_tags: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _check_conversation(self) -> Self:
        if self.prompt[-1].role != "user":
            raise ValueError("its conversation does not end with what a user says")
        return self

    @property
    def question(self) -> Question:
        """What the user says last, knowing what was said before."""
        before = tuple(Turn(role=turn.role, text=turn.content) for turn in self.prompt[:-1])
        return Question(text=self.prompt[-1].content, history=before)


class WrittenCompletion(RecordedRow):
    """An answer that somebody gave to a conversation."""

    prompt_id: Words
    completion: str


class GivenAnswer(NamedTuple):
    """What was answered, or why nothing was: an error is shown as such, and graded as silence."""

    text: str
    error: str = ""


def _list_prompt_id(row: RubricCase | WrittenCompletion) -> list[tuple[str, str]]:
    return [(f"the prompt_id “{row.prompt_id}”", row.prompt_id)]


def read_rubrics(path: Path, limit: int = 0) -> RecordedFile[RubricCase]:
    """Every conversation of a file; with a limit, so many, drawn with a fixed seed. Raises UnreadableFile."""
    return read_recorded(path, RubricCase, limit, _list_prompt_id)


def read_completions(path: Path, cases: Sequence[RubricCase]) -> Mapping[str, GivenAnswer]:
    """prompt_id → answer. Raises UnreadableFile where a line cannot be used, or a case has none."""
    rows = read_recorded(path, WrittenCompletion, keys=_list_prompt_id).rows
    found = {row.prompt_id: GivenAnswer(row.completion) for row in rows}
    if lacking := [case.prompt_id for case in cases if case.prompt_id not in found]:
        reason = f"it has no completion for {len(lacking):,} of {len(cases):,} cases ({', '.join(lacking[:3])} …)"
        raise UnreadableFile(path, reason, 'A line reads {"prompt_id": "…", "completion": "…"}.')
    return found


async def answer_cases(
    cases: Sequence[RubricCase], context: Context, say: Callable[[int, int], None]
) -> Mapping[str, GivenAnswer]:
    """What this system answers to each conversation."""
    found: dict[str, GivenAnswer] = {}
    for place, case in enumerate(cases):
        say(place, len(cases))
        found[case.prompt_id] = await _answer_case(case, lambda question: ask(question, context))
    return found


async def _answer_case(case: RubricCase, put: Callable[[Question], Awaitable[Answer]]) -> GivenAnswer:
    try:
        return GivenAnswer(join_answer(await put(case.question)))
    except WellsourcedError as error:
        return GivenAnswer("", str(error))


def join_answer(given: Answer) -> str:
    """An answer as its reader meets it: what to do first in an emergency, then what is said, or why nothing is."""
    advice = given.emergency.advice if given.emergency else ""
    return "\n".join(filter(None, (advice, join_texts(given.statements) or given.reason)))


def write_rubric_log(data: RecordedFile[RubricCase], answers: Mapping[str, GivenAnswer], arm: str, path: Path) -> None:
    """Write conversations with their answers as an unscored log. Raises SettingsError without inspect_ai."""
    require_inspect()
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSpec, EvalStats, write_eval_log

    now = datetime.now(UTC).isoformat()
    ids: list[str | int] = [case.prompt_id for case in data.rows]
    log = EvalLog(
        status="success",
        eval=EvalSpec(
            created=now,
            task="inspect_evals/healthbench",
            task_display_name=f"{data.file}: {arm}",
            model=f"wellsourced/{arm}",
            dataset=EvalDataset(name=data.file, samples=len(ids), sample_ids=ids, shuffled=False),
            config=EvalConfig(epochs=1),
            metadata={"sha256": data.sha256, "recorded": data.recorded},
        ),
        stats=EvalStats(started_at=now, completed_at=now),
        samples=[_build_sample(case, answers[case.prompt_id], arm) for case in data.rows],
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_eval_log(log, str(path))


def _build_sample(case: RubricCase, answer: GivenAnswer, arm: str) -> "EvalSample":
    from inspect_ai.log import EvalSample
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, ModelOutput

    kinds: dict[str, Any] = {"user": ChatMessageUser, "assistant": ChatMessageAssistant}
    messages = [kinds[turn.role](content=turn.content) for turn in case.prompt]
    shared = [tag for tag in case.example_tags if tag.startswith(SHARED_TAGS)]
    rubrics = [{**rubric.model_dump(), "tags": [*rubric.tags, *shared]} for rubric in case.rubrics]
    return EvalSample(
        id=case.prompt_id,
        epoch=1,
        input=messages,
        target="",
        messages=[*messages, ChatMessageAssistant(content=answer.text)],
        output=ModelOutput.from_content(f"wellsourced/{arm}", answer.text),
        metadata={
            "prompt_id": case.prompt_id,
            "conversation": [turn.model_dump() for turn in case.prompt],
            "rubrics": rubrics,
            "example_tags": list(case.example_tags),
            "error": answer.error or None,
        },
    )
