"""How the features of a judge become a probability, and on which data that was fitted.

`calibrations.json` is written by wellsourced_evaluate/fitting/calibrations.py (bdac1cd3) and by nobody's hand.
"""

import json
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Literal

from wellsourced.errors import SettingsError
from wellsourced.text.logistic import LogisticModel

Purpose = Literal["relevance", "support"]
"""Does a text bear on a question; does a quote support a claim."""


class Calibration(LogisticModel):
    """A logistic model of features that lie in [0, 1].

    judge       "overlap", or "similarity:" and the name of the encoder
    threshold   probability from which the verdict is "supports": the best balanced accuracy on the fitting half
    fitted_on   the data and the split, in words; yes and no weighed equally, so 0.5 means even odds
    n           pairs in the fitting half
    auroc, accuracy, ece   on the other half, never seen in fitting; accuracy is balanced, ece in 10 equal bins
    """

    purpose: Purpose
    judge: str
    threshold: float
    auroc: float | None = None
    accuracy: float | None = None
    ece: float | None = None

    @property
    def name(self) -> str:
        """Says judge, purpose and which numbers: verdicts of two calibrations are never mixed up."""
        numbers = self.model_dump_json(include={"weights", "intercept", "threshold"})
        return f"{self.judge}/{self.purpose}@{sha256(numbers.encode()).hexdigest()[:8]}"


def load_calibration(purpose: Purpose, judge: str) -> Calibration:
    """The calibration that comes with this package. Raises SettingsError when there is none for that judge."""
    fitted = {known.judge: known for known in read_calibrations("calibrations.json") if known.purpose == purpose}
    if judge not in fitted:
        raise SettingsError(
            f"The judge {judge} is not calibrated for {purpose}. Calibrated judges: {', '.join(sorted(fitted))}."
        )
    return fitted[judge]


@cache
def read_calibrations(file: str) -> tuple[Calibration, ...]:
    """All that one file beside this module holds."""
    content = files(__package__).joinpath(file).read_text(encoding="utf-8")
    return tuple(Calibration.model_validate(row) for row in json.loads(content))
