"""Files in the forms that HealthBench is published in (Arora et al., 2025; github.com/openai/simple-evals).

Rubrics: lines of oss_eval.jsonl and of its subsets hard and consensus, a conversation and its criteria each. Votes:
lines of oss_meta_eval.jsonl, a completion, one criterion, and what physicians said of it. Fields that nothing here
needs are passed over; a line that cannot be used refuses the file with its number.
"""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self, TypeVar

from pydantic import ConfigDict, Field, StrictBool, StringConstraints, ValidationError, model_validator

from wellsourced.errors import UnreadableFile
from wellsourced.readers.decompressed_file import iter_lines
from wellsourced.types import Turn, Value
from wellsourced_evaluate.beir import SEED, hash_file
from wellsourced_evaluate.recorded_summaries import refuse_faults

Words = Annotated[str, StringConstraints(strict=True, min_length=1, pattern=r"\S")]

RUBRIC_FORMAT = (
    'A line reads {"prompt_id": "…", "prompt": [{"role": "user", "content": "…"}], "rubrics": [{"criterion": "…", '
    '"points": 5, "tags": ["axis:accuracy"]}], "example_tags": ["theme:…"]}.'
)
VOTE_FORMAT = (
    'A line reads {"prompt": [{"role": "user", "content": "…"}], "completion": "…", "rubric": "…", "category": "…", '
    '"binary_labels": [true, false]}.'
)
COMPLETION_FORMAT = 'A line reads {"prompt_id": "…", "completion": "…"}.'


class PublishedRow(Value):
    """A row as it is published: what is not needed of it is passed over."""

    model_config = ConfigDict(extra="ignore")


class PublishedTurn(PublishedRow):
    """One message of a conversation."""

    role: Literal["user", "assistant"]
    content: Words


class RubricCriterion(PublishedRow):
    """What an answer is graded by. Points below 0 are for a fault: whoever meets it loses them."""

    criterion: Words
    points: Annotated[float, Field(strict=True, allow_inf_nan=False)]
    tags: tuple[Words, ...] = ()

    @model_validator(mode="after")
    def _check_tags(self) -> Self:
        if len(set(self.tags)) < len(self.tags):
            raise ValueError("a tag is named twice")
        return self


class IdealCompletions(PublishedRow):
    """What physicians would have answered."""

    ideal_completion: Words


class RubricCase(PublishedRow):
    """A conversation that ends with what a user says, and the criteria of an answer to it."""

    prompt_id: Words
    prompt: Annotated[tuple[PublishedTurn, ...], Field(min_length=1)]
    rubrics: Annotated[tuple[RubricCriterion, ...], Field(min_length=1)]
    example_tags: tuple[Words, ...] = ()
    ideal_completions_data: IdealCompletions | None = None

    @property
    def key(self) -> str:
        """By which it is told from others."""
        return self.prompt_id

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The conversation."""
        return read_turns(self.prompt)

    @model_validator(mode="after")
    def _check_conversation(self) -> Self:
        if self.prompt[-1].role != "user":
            raise ValueError("its conversation does not end with what a user says")
        if not any(one.points > 0 for one in self.rubrics):
            raise ValueError("no criterion has points above 0, so that there is no score")
        if len(set(self.example_tags)) < len(self.example_tags):
            raise ValueError("a tag is named twice")
        return self


class VotedCompletion(PublishedRow):
    """A completion, a criterion, and whether each of several physicians says that it is met.

    category                   criteria of one kind
    anonymized_physician_ids   who said it, in the same order; none: that is not known
    """

    prompt: Annotated[tuple[PublishedTurn, ...], Field(min_length=1)]
    completion: Words
    rubric: Words
    category: Words
    binary_labels: Annotated[tuple[StrictBool, ...], Field(min_length=1)]
    anonymized_physician_ids: tuple[str, ...] = ()
    prompt_id: str = ""

    @model_validator(mode="after")
    def _check_physicians(self) -> Self:
        if self.anonymized_physician_ids and len(self.anonymized_physician_ids) != len(self.binary_labels):
            raise ValueError("it has not as many physicians as labels")
        return self


class WrittenCompletion(PublishedRow):
    """An answer that somebody gave to a conversation."""

    prompt_id: Words
    completion: str

    @property
    def key(self) -> str:
        """By which it is told from others."""
        return self.prompt_id


RowKind = TypeVar("RowKind", bound=PublishedRow)


class PublishedFile(NamedTuple):
    """What file was read, and how much of it.

    recorded   lines that it has; all are taken, or as many as were drawn with the seed
    """

    name: str
    sha256: str
    recorded: int
    limit: int
    seed: int

    def to_json(self, taken: int) -> dict[str, Any]:
        """What tells two sets apart."""
        return {**self._asdict(), "asked": taken}


class RubricSet(NamedTuple):
    """Conversations with criteria."""

    file: PublishedFile
    cases: tuple[RubricCase, ...]


class VoteSet(NamedTuple):
    """Completions with physicians' votes, by the numbers of their lines."""

    file: PublishedFile
    cases: dict[int, VotedCompletion]


def read_turns(prompt: Sequence[PublishedTurn]) -> tuple[Turn, ...]:
    """The messages as turns of a conversation."""
    return tuple(Turn(role=one.role, text=one.content) for one in prompt)


def read_rubrics(path: Path, limit: int = 0, seed: int = SEED) -> RubricSet:
    """Every conversation of a file; with a limit, so many, drawn with the seed. Raises UnreadableFile."""
    rows = _read_rows(path, RubricCase, RUBRIC_FORMAT)
    drawn = _draw_lines(rows, limit, seed)
    return RubricSet(_describe_file(path, len(rows), limit, seed), tuple(rows[number] for number in drawn))


def read_votes(path: Path, limit: int = 0, seed: int = SEED) -> VoteSet:
    """Every completion of a file with its votes; with a limit, so many, drawn with the seed. Raises UnreadableFile."""
    rows = _read_rows(path, VotedCompletion, VOTE_FORMAT)
    drawn = _draw_lines(rows, limit, seed)
    return VoteSet(_describe_file(path, len(rows), limit, seed), {number: rows[number] for number in drawn})


def read_completions(path: Path, cases: Sequence[RubricCase]) -> dict[str, str]:
    """prompt_id → completion. Raises UnreadableFile where a line cannot be used, or a case of the set has none."""
    found = {row.prompt_id: row.completion for row in _read_rows(path, WrittenCompletion, COMPLETION_FORMAT).values()}
    if lacking := [one.prompt_id for one in cases if one.prompt_id not in found]:
        more = " …" if len(lacking) > 3 else ""
        reason = f"it has no completion for {len(lacking):,} of {len(cases):,} cases ({', '.join(lacking[:3])}{more})"
        raise UnreadableFile(path, reason, COMPLETION_FORMAT)
    return found


def _read_rows(path: Path, kind: type[RowKind], form: str) -> dict[int, RowKind]:
    rows: dict[int, RowKind] = {}
    lines: dict[str, int] = {}
    faults: list[str] = []
    for number, line in iter_lines(path):
        try:
            row = kind.model_validate_json(line)
        except ValidationError as error:
            faults.append(f"line {number}: {_describe_fault(error)}")
            continue
        key = str(getattr(row, "key", ""))
        if key and key in lines:
            faults.append(f"line {number}: the prompt_id “{key}” stands on line {lines[key]} already")
        lines.setdefault(key, number)
        rows[number] = row
    refuse_faults(path, faults)
    if not rows:
        raise UnreadableFile(path, "it holds no line", form)
    return rows


def _describe_fault(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"]))
    told = first["msg"].removeprefix("Value error, ")
    return f"{place}: {told}" if place else told


def _draw_lines(rows: dict[int, RowKind], limit: int, seed: int) -> list[int]:
    every = list(rows)
    return random.Random(seed).sample(every, limit) if 0 < limit < len(every) else every  # noqa: S311


def _describe_file(path: Path, recorded: int, limit: int, seed: int) -> PublishedFile:
    return PublishedFile(path.name, hash_file(path)[:16], recorded, limit, seed)
