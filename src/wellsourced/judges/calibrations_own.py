"""Calibrations of one's own: a judge's probabilities fitted to pairs whose labels are known, kept in the user's home.

Platt, 1999: the logit of the probability is stretched and shifted; a stretch of 1/T alone is temperature scaling (Guo
et al., ICML 2017). The order of scores stays what it was.
"""

import json
import math
import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from pydantic import Field, ValidationError

from wellsourced.errors import SettingsError
from wellsourced.judges.base import Judge, Pair
from wellsourced.judges.odds import Odds, odds_of
from wellsourced.private_files import make_missing_folders
from wellsourced.types import Label, Value, Verdict

FARTHEST = 12.0
"""Logits beyond this are as good as certain: a judge that says 0 or 1 has to be moved all the same."""

SUPPORT = "support"
"""The task that is meant where none is named."""


def logit(probability: float) -> float:
    """ln(p / (1 - p)), at most FARTHEST either way."""
    edge = 1 / (1 + math.exp(FARTHEST))
    kept = min(1 - edge, max(edge, probability))
    return math.log(kept / (1 - kept))


class Scale(Value):
    """probability = 1 / (1 + exp(-(slope · logit + intercept))); a slope below 1 makes a judge less sure."""

    slope: float = Field(1.0, gt=0)
    intercept: float = 0.0

    def of(self, probability: float) -> float:
        """The probability as it was fitted, in [0, 1]."""
        return 1 / (1 + math.exp(-(self.slope * logit(probability) + self.intercept)))


class Reached(Value):
    """On pairs that nothing was fitted on; accuracy counts three labels, the others support against the rest."""

    accuracy: float
    auroc: float | None
    ece: float


class Tuning(Value):
    """How a judge is to be read for one task, and on what that was fitted.

    judge         its name before the calibration, with weights and labels
    support       scale of the probability of support; against: of contradiction, None where the judge tells none
    supports, contradicts   thresholds from which the verdict is that
    fitted_on     the files and the split, in words; n: pairs fitted, measured: pairs held out
    """

    judge: str
    task: str = SUPPORT
    support: Scale = Scale()
    against: Scale | None = None
    supports: float = Field(0.5, ge=0, le=1)
    contradicts: float = Field(0.5, ge=0, le=1)
    fitted_on: str = ""
    n: int = 0
    measured: int = 0
    before: Reached | None = None
    after: Reached | None = None

    @property
    def name(self) -> str:
        """Says judge, task and which numbers: verdicts of two calibrations are never mixed up."""
        numbers = self.model_dump_json(include={"support", "against", "supports", "contradicts"})
        return f"{self.judge}/{self.task}@{sha256(numbers.encode()).hexdigest()[:8]}"

    def read(self, odds: Odds) -> Odds:
        """The verdict by these scales and thresholds; what was not judged stays so."""
        verdict = odds.verdict
        if verdict.label == "unjudged":
            return odds
        scaled = self.scaled(odds)
        label = self.label(scaled.verdict.label, scaled.verdict.score, scaled.against)
        return Odds(scaled.verdict.model_copy(update={"label": label}), scaled.against)

    def scaled(self, odds: Odds) -> Odds:
        """The same verdict with both probabilities by these scales, as far as they were told."""
        against = self.against.of(odds.against) if self.against and odds.against is not None else odds.against
        return Odds(odds.verdict.model_copy(update={"score": self.support.of(odds.verdict.score)}), against)

    def label(self, said: Label, score: float, against: float | None) -> Label:
        """What these thresholds make of probabilities; a judge that tells no odds of contradiction is believed it."""
        tells = self.against is not None and against is not None
        if score >= self.supports and (tells or said != "contradicts"):
            return "supports"
        if self.against is not None and against is not None:
            return "contradicts" if against >= self.contradicts else "silent"
        return "contradicts" if said == "contradicts" else "silent"


class CalibratedJudge:
    """Another judge's verdicts, read as a calibration says. An empty text stays silent."""

    def __init__(self, judge: Judge, tuning: Tuning) -> None:
        self.judge_behind, self.tuning = judge, tuning

    @property
    def name(self) -> str:
        """Names judge and calibration."""
        return self.tuning.name

    async def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """One verdict for each pair, in order."""
        return [odds.verdict for odds in await self.weigh(pairs)]

    async def weigh(self, pairs: Sequence[Pair]) -> list[Odds]:
        """One verdict for each pair, in order, with the probability of contradiction where the judge tells it."""
        found = await odds_of(self.judge_behind, pairs)
        return [self.tuning.read(odds) if pair.text.strip() else odds for pair, odds in zip(pairs, found, strict=True)]


class _Rows(Value):
    rows: tuple[Tuning, ...] = ()


class OwnCalibrations(NamedTuple):
    """The file that keeps them, one for each judge and task."""

    path: Path

    def all(self) -> tuple[Tuning, ...]:
        """Every one that was stored. Raises SettingsError for a file that cannot be read."""
        try:
            return _Rows.model_validate({"rows": json.loads(self.path.read_text(encoding="utf-8"))}).rows
        except (FileNotFoundError, NotADirectoryError):
            return ()
        except (OSError, ValueError, ValidationError, RecursionError) as error:
            remedy = "Delete it, and calibrate again with `wellsourced judges calibrate`."
            raise SettingsError(
                f"The calibrations in {self.path} cannot be read ({_first(error)}). {remedy}"
            ) from error

    def find(self, judge: str, task: str = SUPPORT) -> Tuning | None:
        """The one for this judge and task."""
        return next((one for one in self.all() if (one.judge, one.task) == (judge, task)), None)

    def keep(self, tuning: Tuning) -> None:
        """Store it in place of an earlier one for the same judge and task; the file is whole at every instant."""
        key = (tuning.judge, tuning.task)
        rows = [one.model_dump() for one in (*self.all(), tuning) if one is tuning or (one.judge, one.task) != key]
        make_missing_folders(self.path.parent)
        # Made for its owner's eyes only, and renamed when it is written.
        handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=self.path.name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(json.dumps(rows, indent=2, ensure_ascii=False) + "\n")
            Path(name).replace(self.path)
        except BaseException:
            with suppress(OSError):
                Path(name).unlink()
            raise


def _first(error: Exception) -> str:
    return str(error).splitlines()[0]
