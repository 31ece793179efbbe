"""What raters are asked of every answer, read from a TOML file."""

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, ValidationError, model_validator

from wellsourced.errors import UnreadableFile
from wellsourced.types import Value

DEFAULT_CRITERIA_FILE = "default_criteria.toml"
MAX_STEPS = 11
REMEDY = "Take the file criteria.toml that `wellsourced evaluate questionnaire` writes as a pattern."

Line = Annotated[str, Field(min_length=1, max_length=500)]


class Criterion(Value):
    """Something of which every answer is rated, on a scale of whole numbers from `low` to `high`."""

    name: Annotated[str, Field(pattern=r"^\w[\w -]{0,39}$")]
    ask: Line
    low: int = 1
    high: int = 5
    low_means: Line
    high_means: Line
    better: Literal["higher", "lower"] = "higher"

    @model_validator(mode="after")
    def _require_a_scale(self) -> Self:
        if not 1 <= self.high - self.low < MAX_STEPS or self.low < -99 or self.high > 99:
            raise ValueError(f"a scale has 2 to {MAX_STEPS} steps, from low to high")
        return self


class PreferenceQuestion(Value):
    """Which answer a rater would rather have, and what it is called to have none."""

    ask: Line
    tie: Line


class ControlQuestion(Value):
    """A question with an answer that everybody knows to be right and one that is obviously wrong."""

    question: Line
    right: Annotated[str, Field(min_length=1, max_length=5_000)]
    wrong: Annotated[str, Field(min_length=1, max_length=5_000)]


class RatingCriteria(Value):
    """Everything that a questionnaire asks; a preference or a control that is None is not asked for."""

    title: Line
    instructions: Annotated[str, Field(max_length=5_000)] = ""
    criteria: Annotated[tuple[Criterion, ...], Field(max_length=20)] = ()
    preference: PreferenceQuestion | None = None
    control: ControlQuestion | None = None

    @model_validator(mode="after")
    def _require_something_to_ask(self) -> Self:
        names = [one.name.casefold() for one in self.criteria]
        if len(set(names)) < len(names):
            raise ValueError("two criteria have the same name")
        if not names and not self.preference:
            raise ValueError("it asks for nothing: no criteria, and no preference")
        return self


def read_default_criteria() -> str:
    """The text of the criteria that come with the package."""
    return files("wellsourced_evaluate.rating").joinpath(DEFAULT_CRITERIA_FILE).read_text(encoding="utf-8")


def read_criteria(path: Path | None) -> tuple[RatingCriteria, str]:
    """The criteria of a file, or those of the package, and the text that they stand in. Raises UnreadableFile."""
    try:
        text = path.read_text(encoding="utf-8") if path else read_default_criteria()
        return RatingCriteria.model_validate(tomllib.loads(text)), text
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise UnreadableFile(path or "", f"{place}: {first['msg']}" if place else first["msg"], REMEDY) from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UnreadableFile(path or "", f"it is no TOML that can be read ({error})", REMEDY) from error
