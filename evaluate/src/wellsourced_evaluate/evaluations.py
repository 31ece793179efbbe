"""Everything that can be evaluated, what each needs, and by which metrics it is measured."""

from importlib.util import find_spec
from typing import Any, NamedTuple

from wellsourced_evaluate.metrics import (
    ANSWER_METRICS,
    CITATION_METRICS,
    MODEL_METRICS,
    OUTPUT_METRICS,
    PREFLIGHT_METRICS,
    RATING_METRICS,
    RETRIEVAL_METRICS,
    SCREENING_METRICS,
    SOURCE_CHECK_METRICS,
    SOURCE_METRICS,
    STUDY_METRICS,
    TEXT_METRICS,
    VERIFICATION_METRICS,
    Metric,
)


class Evaluation(NamedTuple):
    """Something that `wellsourced evaluate` can measure.

    needs     what it is given, as options
    extra     the extra that it needs, "" for none
    packages  what that extra brings, as modules
    """

    name: str
    subject: str
    needs: str
    extra: str
    packages: tuple[str, ...]
    metrics: tuple[Metric, ...]

    @property
    def missing(self) -> tuple[str, ...]:
        """The modules that are not installed."""
        return tuple(package for package in self.packages if find_spec(package) is None)


EVALUATIONS = (
    Evaluation(
        "retrieval", "the search", "--corpus --queries --qrels", "evaluate", ("ir_measures",), RETRIEVAL_METRICS
    ),
    Evaluation("verification", "a judge of support", "--pairs", "", (), VERIFICATION_METRICS),
    Evaluation(
        "summaries",
        "recorded summaries, and the works they rest on",
        "--published",
        "text-metrics",
        ("cer", "nltk", "rouge_score_rs", "sacrebleu", "scipy"),
        (*TEXT_METRICS, *MODEL_METRICS, *SOURCE_METRICS),
    ),
    Evaluation("screening", "the searches of systematic reviews", "--topics", "", (), SCREENING_METRICS),
    Evaluation("sources", "recorded answers of any system, and their URLs", "--answers", "", (), SOURCE_CHECK_METRICS),
    Evaluation("citations", "recorded answers, and what they cite", "--answers", "", (), CITATION_METRICS),
    Evaluation("outputs", "recorded outputs of multiple choice", "--recorded", "", (), OUTPUT_METRICS),
    Evaluation("preflight", "whether passages have to be read in parts", "--rows", "", (), PREFLIGHT_METRICS),
    Evaluation("ratings", "answers, as people rate them", "KEY RATINGS", "evaluate", ("scipy",), RATING_METRICS),
    Evaluation(
        "run",
        "answers of the whole system to questions with known answers",
        "NAME|FILE",
        "",
        (),
        (*ANSWER_METRICS, TEXT_METRICS[0]),
    ),
    Evaluation(
        "contexts",
        "answers by what stands around the passage that answers; by the metrics of run, too",
        "NAME|FILE",
        "",
        (),
        STUDY_METRICS[:3],
    ),
    Evaluation(
        "robustness",
        "answers to the same question in other words; by the metrics of run, too",
        "NAME|FILE",
        "",
        (),
        STUDY_METRICS[3:7],
    ),
    Evaluation(
        "ablation",
        "answers without one of their sources; by the metrics of robustness and run, too",
        "NAME|FILE",
        "",
        (),
        STUDY_METRICS[7:8],
    ),
    Evaluation(
        "uncertainty", "several answers to one question", "NAME|FILE", "evaluate", ("scipy",), STUDY_METRICS[8:]
    ),
)
"""Everything that can be evaluated."""


def evaluation_to_json(one: Evaluation) -> dict[str, Any]:
    """What can be measured, for programs."""
    return {
        "name": one.name,
        "subject": one.subject,
        "needs": one.needs.split(),
        "extra": one.extra or None,
        "missing": list(one.missing),
        "metrics": [metric._asdict() for metric in one.metrics],
    }
