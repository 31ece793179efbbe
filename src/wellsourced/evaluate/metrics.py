"""What is measured, as values with one spelling, and figures of it: cases first, their mean with its interval second.

A metric that does not apply to a case has no value there (None). It is left out of the mean, and the mean says so.
"""

from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from wellsourced.confidence import bootstrap_mean, bootstrap_share
from wellsourced.errors import SettingsError


class Metric(NamedTuple):
    """Something that is measured of a case.

    name      its one spelling: in tables, in JSON, on the command line
    meaning   what it says, in a phrase
    maximum   its largest possible value; the least is 0
    lower     the lower, the better
    """

    name: str
    meaning: str
    maximum: float = 1.0
    lower: bool = False


RETRIEVAL_METRICS = (
    Metric("nDCG@10", "how far up the relevant documents stand among the first ten"),
    Metric("R@10", "share of the relevant documents that stand among the first ten"),
    Metric("R@100", "share of the relevant documents that stand among the first hundred"),
    Metric("RR@10", "one by the place of the first relevant document, of the first ten"),
)
VERIFICATION_METRICS = (
    Metric("accuracy", "share of the pairs with the known label"),
    Metric("macro_f1", "mean F1 of the labels"),
    Metric("support", "AUROC of supported against the rest"),
    Metric("contradiction", "AUROC of contradicted against the rest"),
    Metric("ece", "mean distance between a score and the share that is supported", lower=True),
    Metric("brier", "mean squared distance between a score and the truth", lower=True),
)
TEXT_METRICS = (
    Metric("ROUGE-L", "F1 of the longest common subsequence of words, without stemming"),
    Metric("METEOR", "words in common, their stems and synonyms counted, and their order"),
    Metric("chrF", "F2 of sequences of up to six characters", maximum=100.0),
    Metric("GoogleBLEU", "share of the sequences of up to four words that are in common"),
    Metric("CharacTER", "edits of characters after shifts of words, by the length of the text", lower=True),
)
MODEL_METRICS = (
    Metric("BERTScore", "F1 of tokens and the most similar ones of the reference, by the model that is named"),
    Metric("BERTScore (MiniLM)", "the same by the model that comes along; not comparable to published ones"),
    Metric("UniEval coherence", "how likely a model says that a summary is coherent with its source"),
    Metric("UniEval consistency", "the same of each sentence: that the source bears it out"),
    Metric("UniEval fluency", "the same of each sentence: that it is fluent"),
    Metric("UniEval relevance", "the same of the summary: that it is relevant to the reference"),
    Metric("UniEval overall", "the mean of the four"),
    Metric("UniEval fact", "consistency by the model that was trained for facts"),
    Metric("COMET", "how good people would rate a text, held against source and reference"),
    Metric("CTC consistency", "how far the tokens of a summary find their like in its source"),
    Metric("CTC relevance", "the same, times how far the reference finds its like in the summary"),
)
SOURCE_METRICS = (
    Metric("source_precision", "share of the works taken as relevant that the review cites"),
    Metric("source_recall", "share of the works that the review cites which were taken as relevant"),
    Metric("candidate_precision", "the same share of all works found, before relevance was judged"),
    Metric("candidate_recall", "the same share of the review's works, before relevance was judged"),
)
CITATION_METRICS = (
    Metric("citation_set_precision", "share of the sets of citations that support their statement (Link-Eval)"),
    Metric("citation_precision", "share of the citations that their statement cannot do without (Link-Eval)"),
    Metric("citation_recall", "share of the valid passages that are cited rightly (Link-Eval)"),
    Metric("statement_correctness", "1 when no two statements clash and all together say the known answer (Link-Eval)"),
    Metric("alce_recall", "share of the statements that their citations support (ALCE)"),
    Metric("alce_precision", "share of the citations that are of use to a statement that is supported (ALCE)"),
    Metric("citation_coverage", "share of the statements that cite anything"),
    Metric("lone_support", "share of the citations that support their statement alone"),
)
RATING_METRICS = (
    Metric("wins", "share of the preferences for one system, of those for one of two or for neither"),
    Metric("ties", "share of the preferences for neither of two systems", lower=True),
    Metric("losses", "share of the preferences for the other system", lower=True),
    Metric("cramers_v", "how far the ratings of one rater tell those of another"),
)

ANSWER_METRICS = (
    Metric("answer_accuracy", "share of the questions answered with the known label; unparsed, abstained, failed: not"),
    Metric("decided_accuracy", "share of the labels that were said which are the known ones"),
    Metric("coverage", "share of the questions to which a label was said"),
    Metric("facts_said", "share of what an answer should say that its statements say"),
    Metric("facts_in_short", "share of what an answer should say that its short answer says"),
    Metric("refusal_precision", "share of the refused questions that cannot be answered"),
    Metric("refusal_recall", "share of the questions that cannot be answered which are refused"),
    Metric("own_source_read", "share of the questions whose own source is among the evidence"),
)

METRICS: Mapping[str, Metric] = {
    one.name: one
    for group in (
        RETRIEVAL_METRICS,
        VERIFICATION_METRICS,
        TEXT_METRICS,
        MODEL_METRICS,
        SOURCE_METRICS,
        CITATION_METRICS,
        RATING_METRICS,
        ANSWER_METRICS,
    )
    for one in group
}
"""Every metric by its spelling."""


def find_metric(name: str) -> Metric:
    """The metric of this spelling. Raises SettingsError, naming the spelling that is likely meant, or all."""
    if name in METRICS:
        return METRICS[name]
    near = [one for one in METRICS if _fold_name(one) == _fold_name(name)]
    remedy = f"It is spelled {near[0]}." if near else f"There are {', '.join(METRICS)}."
    raise SettingsError(f"There is no metric “{name}”. {remedy}")


def _fold_name(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()


class MetricMean(NamedTuple):
    """The mean of a metric over the cases to which it applies; all figures None when it applies to none.

    low, high   95 % interval, of the bootstrap over cases
    cases       to which it applies
    undefined   cases to which it does not, left out
    """

    mean: float | None
    low: float | None
    high: float | None
    cases: int
    undefined: int

    def to_json(self) -> dict[str, Any]:
        """The figures by their names."""
        return self._asdict()


def average_cases(values: Iterable[float | None]) -> MetricMean:
    """The mean of the values that are there, its interval, and how many there are and are not."""
    every = list(values)
    known = np.array([value for value in every if value is not None], dtype=np.float64)
    if not len(known):
        return MetricMean(None, None, None, 0, len(every))
    found = bootstrap_mean(known)
    return MetricMean(found.mean, found.low, found.high, len(known), len(every) - len(known))


class PooledShare(NamedTuple):
    """Parts of all cases together by wholes of all cases together; None and no interval where there is no whole."""

    share: float | None
    low: float | None
    high: float | None
    part: int
    whole: int


def pool_cases(counts: Sequence[tuple[int, int]]) -> PooledShare:
    """The share over (part, whole) of each case; cases are drawn again for its interval."""
    part, whole = (sum(column) for column in zip(*counts, strict=True)) if counts else (0, 0)
    if not whole:
        return PooledShare(None, None, None, part, whole)
    found = bootstrap_share(counts)
    return PooledShare(found.mean, found.low, found.high, part, whole)


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
        "evaluation",
        ("cer", "nltk", "rouge_score_rs", "sacrebleu", "scipy"),
        (*TEXT_METRICS, *MODEL_METRICS, *SOURCE_METRICS),
    ),
    Evaluation("citations", "recorded answers, and what they cite", "--answers", "", (), CITATION_METRICS),
    Evaluation("ratings", "answers, as people rate them", "KEY RATINGS", "evaluate", ("scipy",), RATING_METRICS),
    Evaluation(
        "run", "answers of the whole system to questions with known answers", "NAME|FILE", "", (), ANSWER_METRICS
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
