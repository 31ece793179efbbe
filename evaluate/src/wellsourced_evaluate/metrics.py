"""What can be evaluated, and the metrics, each with one spelling: `metrics.tsv` has a row for each.

A metric that does not apply to a case has no value there (None). It is left out of the mean, and the mean says so.
"""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any, NamedTuple

from wellsourced.errors import SettingsError
from wellsourced.text.tables import read_rows


class Metric(NamedTuple):
    """Something that is measured of a case.

    name      its one spelling: in tables, in JSON, on the command line
    meaning   what it says, in a phrase
    maximum   its largest possible value, None where there is none; the least is 0
    lower     the lower, the better; None: neither is better
    """

    name: str
    meaning: str
    maximum: float | None = 1.0
    lower: bool | None = False

    @property
    def range(self) -> str:
        """Between which values it lies, in words."""
        return "from 0" if self.maximum is None else f"0–{self.maximum:g}"


class Evaluation(NamedTuple):
    """Something that `wellsourced evaluate` can measure.

    needs     what it is given, as options
    groups    of metrics
    extra     the extra that it needs, "" for none; `packages` are the modules which that brings
    """

    name: str
    subject: str
    needs: str
    groups: tuple[str, ...]
    extra: str = ""
    packages: tuple[str, ...] = ()

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """By which it is measured."""
        return tuple(dict.fromkeys(metric for group in self.groups for metric in list_metrics(group)))

    @property
    def missing(self) -> tuple[str, ...]:
        """The modules that are not installed."""
        return tuple(package for package in self.packages if find_spec(package) is None)

    def to_json(self) -> dict[str, Any]:
        """What can be measured, for programs."""
        return {
            **{"name": self.name, "subject": self.subject, "needs": self.needs.split(), "extra": self.extra or None},
            **{"missing": list(self.missing), "metrics": [metric._asdict() for metric in self.metrics]},
        }


_ROWS = read_rows("wellsourced_evaluate", "metrics.tsv")
_IS_LOWER_BETTER = {"lower": True, "higher": False, "neither": None}

METRICS: Mapping[str, Metric] = {
    name: Metric(name, meaning, None if maximum == "–" else float(maximum), _IS_LOWER_BETTER[better])
    for _, name, maximum, better, meaning in _ROWS
}
"""Every metric by its spelling."""


def list_metrics(group: str) -> tuple[Metric, ...]:
    """The metrics of a group, in the order of the table."""
    return tuple(METRICS[name] for groups, name, *_ in _ROWS if group in groups.split())


RETRIEVAL_METRICS = list_metrics("retrieval")
TEXT_METRICS = list_metrics("text")
CITATION_METRICS = list_metrics("citations")

_WHOLE = "answers of the whole system to questions with known answers"
_CONTEXTS = "answers by what is around the passage that answers; by the metrics of run, too"
_WORDS = "answers to the same question in other words; by the metrics of run, too"
_WITHOUT = "answers without one of their sources; by the metrics of robustness and run, too"
_SUMMARIES = ("text", "sources")

EVALUATIONS = (
    Evaluation("retrieval", "the search", "--corpus --queries --qrels", ("retrieval",)),
    Evaluation("verification", "a judge of support", "--pairs", ("verification",)),
    Evaluation(
        *("summaries", "recorded summaries, and the works they rest on", "--published", _SUMMARIES),
        *("text-metrics", ("cer", "nltk", "rouge_score_rs", "sacrebleu")),
    ),
    Evaluation("citations", "recorded answers, and what they cite", "--answers", ("citations",)),
    Evaluation("outputs", "recorded outputs of multiple choice", "--recorded", ("outputs",)),
    Evaluation("preflight", "whether passages have to be read in parts", "--rows", ("preflight",)),
    Evaluation("ratings", "answers, as people rate them", "KEY RATINGS", ("ratings",)),
    Evaluation("run", _WHOLE, "NAME|FILE", ("answers",)),
    Evaluation("contexts", _CONTEXTS, "NAME|FILE", ("contexts",)),
    Evaluation("robustness", _WORDS, "NAME|FILE", ("robustness",)),
    Evaluation("ablation", _WITHOUT, "NAME|FILE", ("ablation",)),
    Evaluation("uncertainty", "several answers to one question", "NAME|FILE", ("uncertainty",)),
)
"""Everything that can be evaluated; scipy, scikit-learn and ir-measures come with this package."""


def find_metric(name: str) -> Metric:
    """The metric of this spelling. Raises SettingsError, naming the spelling that is likely meant, or all."""
    if name in METRICS:
        return METRICS[name]
    near = [known for known in METRICS if _fold_name(known) == _fold_name(name)]
    remedy = f"It is spelled {near[0]}." if near else f"There are {', '.join(METRICS)}."
    raise SettingsError(f"No metric “{name}”. {remedy}")


def _fold_name(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()
