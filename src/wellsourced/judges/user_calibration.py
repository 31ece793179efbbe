"""Calibrations of one's own: a judge's probabilities fitted to pairs whose labels are known.

Platt, 1999: the logit of the probability is stretched and shifted; a stretch of 1/T alone is temperature scaling (Guo
et al., ICML 2017). The order of scores stays what it was.
"""

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from pydantic import Field, ValidationError

from wellsourced.errors import NextStep, SettingsError
from wellsourced.judges.base import Judge, Pair, ScoredVerdict, ScoringJudge, score_pairs
from wellsourced.judges.evidence import JudgeEvidence
from wellsourced.storage.private_files import write_private_file
from wellsourced.text.logistic import log_odds, sigmoid
from wellsourced.types import Value, VerdictLabel

MAX_LOGIT = 12.0
"""Logits beyond this are as good as certain: a judge that says 0 or 1 has to be moved all the same."""


def hash_claim(claim: str) -> str:
    """Which claim it is, whatever its case and spaces: 16 digits in hex, from which nobody reads what it says."""
    return sha256(" ".join(claim.split()).casefold().encode()).hexdigest()[:16]


DEFAULT_TASK = "support"
"""The task that is meant where none is named."""


def logit(probability: float) -> float:
    """ln(p / (1 - p)), at most MAX_LOGIT either way."""
    return log_odds(probability, sigmoid(-MAX_LOGIT))


class LogitScale(Value):
    """probability = 1 / (1 + exp(-(slope · logit + intercept))); a slope below 1 makes a judge less sure."""

    slope: float = Field(1.0, gt=0)
    intercept: float = 0.0

    def apply(self, probability: float) -> float:
        """The probability as it was fitted, in [0, 1]."""
        return sigmoid(self.slope * logit(probability) + self.intercept)


class CalibrationFigures(Value):
    """On pairs that nothing was fitted on; accuracy counts three labels, the others support against the rest."""

    accuracy: float
    auroc: float | None
    ece: float


class UserCalibration(Value):
    """How a judge is to be read for one task, and on what that was fitted.

    judge         its name before the calibration, with weights and labels
    support       scale of the probability of support; against: of contradiction, None where the judge tells none
    supports, contradicts   thresholds from which the verdict is that
    fitted_on     the files and the split, in words; n: pairs fitted, measured: pairs held out
    fitted_claims   hashes of the claims that were fitted, see hash_claim: on these nothing is earned
    """

    judge: str
    task: str = DEFAULT_TASK
    support: LogitScale = LogitScale()
    against: LogitScale | None = None
    supports: float = Field(0.5, ge=0, le=1)
    contradicts: float = Field(0.5, ge=0, le=1)
    fitted_on: str = ""
    fitted_claims: tuple[str, ...] = ()
    n: int = 0
    measured: int = 0
    before: CalibrationFigures | None = None
    after: CalibrationFigures | None = None

    @property
    def name(self) -> str:
        """Says judge, task and which numbers: verdicts of two calibrations are never mixed up."""
        numbers = self.model_dump_json(include={"support", "against", "supports", "contradicts"})
        return f"{self.judge}/{self.task}@{sha256(numbers.encode()).hexdigest()[:8]}"

    def apply(self, odds: ScoredVerdict) -> ScoredVerdict:
        """The verdict by these scales and thresholds; what was not judged stays so."""
        verdict = odds.verdict
        if verdict.label == "unjudged":
            return odds
        scaled = self.rescale(odds)
        label = self.choose_label(scaled.verdict.label, scaled.verdict.score, scaled.against)
        return ScoredVerdict(scaled.verdict.model_copy(update={"label": label}), scaled.against)

    def rescale(self, odds: ScoredVerdict) -> ScoredVerdict:
        """The same verdict with both probabilities by these scales, as far as they were told."""
        against = self.against.apply(odds.against) if self.against and odds.against is not None else odds.against
        return ScoredVerdict(odds.verdict.model_copy(update={"score": self.support.apply(odds.verdict.score)}), against)

    def choose_label(self, said: VerdictLabel, score: float, against: float | None) -> VerdictLabel:
        """What these thresholds make of probabilities; a judge that tells no odds of contradiction is believed it."""
        tells = self.against is not None and against is not None
        if score >= self.supports and (tells or said != "contradicts"):
            return "supports"
        if self.against is not None and against is not None:
            return "contradicts" if against >= self.contradicts else "silent"
        return "contradicts" if said == "contradicts" else "silent"


class CalibratedJudge(ScoringJudge):
    """Another judge's verdicts, read as a calibration says. An empty text stays silent."""

    def __init__(self, judge: Judge, tuning: UserCalibration) -> None:
        self.judge_behind, self.calibration = judge, tuning

    @property
    def name(self) -> str:
        return self.calibration.name

    async def score(self, pairs: Sequence[Pair]) -> list[ScoredVerdict]:
        found = await score_pairs(self.judge_behind, pairs)
        return [
            self.calibration.apply(odds) if pair.text.strip() else odds for pair, odds in zip(pairs, found, strict=True)
        ]


class JudgeRecords(Value):
    """Everything in the file: one calibration for each judge and task, what each judge was measured on last."""

    calibrations: tuple[UserCalibration, ...] = ()
    evidence: tuple[JudgeEvidence, ...] = ()


class JudgeRecordFile(NamedTuple):
    """The file, which is whole at every instant and for its owner's eyes only."""

    path: Path

    def load(self) -> JudgeRecords:
        """All that was stored. Raises SettingsError for a file that cannot be read."""
        try:
            found = json.loads(self.path.read_text(encoding="utf-8"))
            # Up to 2026-11 there were calibrations alone, in a list.
            return JudgeRecords.model_validate({"calibrations": found} if isinstance(found, list) else found)
        except (FileNotFoundError, NotADirectoryError):
            return JudgeRecords()
        except (OSError, ValueError, ValidationError, RecursionError) as error:
            reason = str(error).splitlines()[0]
            raise SettingsError(
                f"The measurements of judges in {self.path} cannot be read ({reason}). Delete the file, calibrate "
                "the judges "
                "and measure them again.",
                next_step=NextStep("calibrate judge"),
            ) from error

    def find_calibration(self, judge: str, task: str = DEFAULT_TASK) -> UserCalibration | None:
        """The one for this judge and task."""
        return next((one for one in self.load().calibrations if (one.judge, one.task) == (judge, task)), None)

    def store_calibration(self, tuning: UserCalibration) -> None:
        """Store it in place of an earlier one for the same judge and task."""
        key = (tuning.judge, tuning.task)
        known = self.load()
        kept = (one for one in known.calibrations if (one.judge, one.task) != key)
        self._write(known.model_copy(update={"calibrations": (*kept, tuning)}))

    def find_evidence(self, judge: str) -> JudgeEvidence | None:
        """What this very judge was measured on last."""
        return next((one for one in self.load().evidence if one.judge == judge), None)

    def store_evidence(self, evidence: JudgeEvidence) -> None:
        """Store it in place of what the same judge was measured on before."""
        known = self.load()
        kept = (one for one in known.evidence if one.judge != evidence.judge)
        self._write(known.model_copy(update={"evidence": (*kept, evidence)}))

    def remove_evidence(self, called: str) -> None:
        """Forget what a judge was measured on that is there no longer, by what it was called."""
        known = self.load()
        kept = tuple(one for one in known.evidence if one.called != called)
        if kept != known.evidence:
            self._write(known.model_copy(update={"evidence": kept}))

    def _write(self, records: JudgeRecords) -> None:
        write_private_file(self.path, records.model_dump_json(indent=2) + "\n")
