"""What a judge has earned: how often it is right on statements as people and models write them, not fitted on.

`evidence.json` has the judges that come along. It is written by wellsourced_evaluate/fitting/evidence.py and by nobody's
hand; what users measured themselves stands in judges.json of their home.
"""

import json
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Literal

from pydantic import Field, NonNegativeInt, computed_field

from wellsourced.types import Value
from wellsourced.types.documents import ComputedValue

EVIDENCE_FILE = "evidence.json"

CallLabel = Literal["supports", "contradicts"]
"""What a judge can be believed to say; that a text is silent, none is believed."""

MIN_PRECISION, MIN_LOW, MIN_CALLS = 0.95, 0.90, 100
"""Share of its calls that has to be right; the lower bound of its 95 % interval; calls that this is measured on."""

MIN_OTHERS = 1 / 3
"""Share of the statements for which the call would be wrong. Where nearly all are right, whoever nods is precise."""

MIN_TEXTS = 20
"""Different texts that the statements are held against: a hundred statements on one text are one experience."""


class StatementSet(Value):
    """Statements whose label is known, that a judge was measured on and not fitted on.

    sha256       of the file, in hex; the first 16 digits do
    n            statements of it that were put to the judge
    written_by   who wrote them, and why the judge cannot have been fitted on them
    """

    name: str
    sha256: str
    n: NonNegativeInt
    written_by: str = ""

    @property
    def short_name(self) -> str:
        """The file without its endings."""
        return self.name.partition(".")[0]


class CallPrecision(Value):
    """Calls with at least this score: how many there are, and how many of them are right.

    low, high   95 % interval of the share that is right (Wilson, 1927)
    """

    threshold: float = Field(ge=0, le=1)
    calls: NonNegativeInt
    right: NonNegativeInt
    low: float = Field(ge=0, le=1)
    high: float = Field(ge=0, le=1)

    @property
    def precision(self) -> float:
        """The share of the calls that is right; 0 of none."""
        return self.right / self.calls if self.calls else 0.0

    @property
    def is_measured(self) -> bool:
        """Whether there are enough calls to say anything."""
        return self.calls >= MIN_CALLS

    @property
    def is_precise(self) -> bool:
        """Whether whoever believes these calls is rarely wrong, and not by luck."""
        return self.precision >= MIN_PRECISION and self.low >= MIN_LOW


class CallEvidence(ComputedValue):
    """How far a judge can be believed when it says this label.

    known    statements for which it would be right to say so
    others   statements for which it would be wrong
    texts    different texts that they were held against
    steps    a fixed grid of thresholds, the lowest first; of those that make no difference the strictest
    """

    label: CallLabel
    known: NonNegativeInt
    others: NonNegativeInt
    texts: NonNegativeInt
    steps: tuple[CallPrecision, ...]

    # mypy takes the property for a method.
    @computed_field  # type: ignore[prop-decorator]
    @property
    def threshold(self) -> float | None:
        """The score from which the call is believed; None: it is not.

        From the strictest threshold that has MIN_CALLS calls downwards, the last one before the first that is not
        precise: at least MIN_PRECISION of the calls are right, and the 95 % interval of that share ends above MIN_LOW.
        The thresholds are a grid that nobody chose by looking, and they are tried in an order that is fixed: so the
        first failure ends it, and trying many does not make luck likelier (fixed-sequence testing, as in Angelopoulos
        et al., Learn then Test, 2021). To take the best of all would.

        Nothing is believed where less than MIN_OTHERS of the statements are ones that the call would be wrong for, or
        where they are of fewer than MIN_TEXTS texts.
        """
        if self.doubt:
            return None
        found = None
        for step in reversed(self.steps):
            if step.is_measured and not step.is_precise:
                break
            found = step.threshold if step.is_measured else None
        return found

    @property
    def doubt(self) -> str:
        """Why these statements cannot show anything, in words; "" when they can."""
        total = self.known + self.others
        if self.texts < MIN_TEXTS:
            return f"the statements are of {self.texts} different texts, and {MIN_TEXTS} are needed"
        if self.others < MIN_OTHERS * total:
            share = f"{self.others / total:.0%}".replace("%", " %")
            return f"{share} of the statements are ones that it should not call so, and a third is needed"
        return ""

    @property
    def earned_step(self) -> CallPrecision | None:
        """What was measured at the threshold."""
        return next((step for step in self.steps if step.threshold == self.threshold), None)

    @property
    def best_step(self) -> CallPrecision | None:
        """The threshold with the most precise calls, of those with enough calls."""
        return max((step for step in self.steps if step.is_measured), key=lambda step: step.precision, default=None)

    def reached_share(self, step: CallPrecision) -> float:
        """The share of the statements that are so which it calls so."""
        return step.right / self.known if self.known else 0.0


class JudgeEvidence(Value):
    """What a judge was measured on, and what it has earned.

    judge         its name, with weights and calibration: another version has earned nothing
    called        what it is called in settings
    date          when it was measured, YYYY-MM-DD
    fitted_on     files that the judge itself was fitted on, name → sha256: they are no evidence
    contradicts   None where the judge gives contradiction no score
    """

    judge: str
    called: str
    date: str
    sets: tuple[StatementSet, ...]
    supports: CallEvidence
    contradicts: CallEvidence | None = None
    fitted_on: dict[str, str] = Field(default_factory=dict)

    @property
    def has_earned(self) -> bool:
        """Whether anything that it says is believed."""
        return any(one.threshold is not None for one in self.calls)

    @property
    def calls(self) -> tuple[CallEvidence, ...]:
        """What it was measured at saying."""
        return (self.supports, self.contradicts) if self.contradicts else (self.supports,)

    @property
    def n(self) -> int:
        """Statements that it was measured on."""
        return sum(one.n for one in self.sets)

    def find_call(self, label: str) -> CallEvidence | None:
        """What was measured of a label."""
        return next((one for one in self.calls if one.label == label), None)

    @property
    def thresholds_key(self) -> str:
        """A short hash of what is believed from where on: verdicts under other thresholds are other verdicts."""
        return sha256(repr([(one.label, one.threshold) for one in self.calls]).encode()).hexdigest()[:8]


@cache
def load_shipped_evidence() -> tuple[JudgeEvidence, ...]:
    """What the judges that come along have earned."""
    content = files(__package__).joinpath(EVIDENCE_FILE).read_text(encoding="utf-8")
    return tuple(JudgeEvidence.model_validate(row) for row in json.loads(content))
