"""Figures of the answers of one arm, and the scores of one case behind those of exact answers, quotes and references.

BioASQ's measures of task b are the official ones (Balikas et al., 2013; version of BioASQ 5): letters are compared
without their case, nothing else is forgiven. Those of snippets count characters; F1 is official since BioASQ 9. Mean
average precision is left out, since by that definition it can exceed 1. No library for ROUGE-SU4 is kept up to date.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from wellsourced.confidence import bootstrap_share, wilson_interval
from wellsourced_evaluate.questions.answer_marks import ExactMark, GoldSpan, QuotedSpan
from wellsourced_evaluate.statistics import average_cases, bootstrap_mean

if TYPE_CHECKING:
    from rouge_score_rs.rouge_scorer import RougeScorer

MAX_CANDIDATES = 5
"""Of a factoid: what comes after them does not count."""

MAX_LISTED = 100
"""Members of a list that may be submitted, as BioASQ allows."""

ROUGE_PARTS = {
    "ROUGE-2": ("rouge2", "fmeasure"),
    "ROUGE-2-recall": ("rouge2", "recall"),
    "ROUGE-L": ("rougeL", "fmeasure"),
}
"""Metric → how the library calls it, and its part."""

CaseCounts = Sequence[tuple[int, int]]
"""(part, whole) of each case."""

CaseMetrics = Mapping[str, float | None]
"""Metric → its value for one case; None, or nothing: it does not apply."""


class AnswerFigure(NamedTuple):
    """A share, or a mean over cases, as `wellsourced evaluate list` spells it.

    low, high   95 % interval: bootstrap over cases; Wilson's where all cases are alike, of which a bootstrap knows
                nothing
    part, of    what it is a share of, in things; of a mean the cases to which it applies, and all of them
    cases       over so many cases it is a mean, each of its own share or number; 0: it is a share of all things
    floor       what is reached without reading anything; None: nobody knows one
    floor_name  how that is reached
    """

    metric: str
    value: float | None
    low: float | None
    high: float | None
    part: int
    of: int
    floor: float | None = None
    floor_name: str = ""
    cases: int = 0

    @property
    def standing(self) -> str:
        """Where the interval lies: "below" the floor, "above" it, or around it: "no significant difference"."""
        if self.floor is None or self.low is None or self.high is None:
            return ""
        return "below" if self.high < self.floor else "above" if self.low > self.floor else "no significant difference"

    @property
    def margin(self) -> float:
        """How far above its floor; what has none comes last."""
        return float("inf") if self.value is None or self.floor is None else self.value - self.floor

    def to_json(self) -> dict[str, Any]:
        """Everything by its name, and where it is beside its floor."""
        return {**self._asdict(), "standing": self.standing}


def measure_share(metric: str, counts: CaseCounts, floor: float | None = None, floor_name: str = "") -> AnswerFigure:
    """The figure over (part, whole) of each case; Wilson's interval where all cases are alike."""
    part, of = sum(part for part, _ in counts), sum(whole for _, whole in counts)
    if not of:
        return AnswerFigure(metric, None, None, None, 0, 0, floor, floor_name)
    # Of cases, also where several facts of one are counted: they do not come independently.
    cases = sum(whole > 0 for _, whole in counts)
    found = wilson_interval(cases if part else 0, cases) if part in (0, of) else bootstrap_share(counts)
    return AnswerFigure(metric, found.mean, found.low, found.high, part, of, floor, floor_name)


def mean_figures(names: Sequence[str], scored: Sequence[CaseMetrics]) -> list[AnswerFigure]:
    """The mean of each metric over the cases to which it applies (`part`), of all of them (`of`)."""
    means = {name: average_cases(case.get(name) for case in scored) for name in names}
    return [
        AnswerFigure(name, mean.mean, mean.low, mean.high, mean.cases, mean.cases + mean.undefined)
        for name, mean in means.items()
    ]


def mean_counts(metric: str, counts: Iterable[tuple[int, int]], *, per_thing: bool = False) -> AnswerFigure:
    """The mean over cases of part by whole, or of the part alone; a case of which nothing was judged has none."""
    known = [(part, whole) for part, whole in counts if whole]
    # Where less is better, silence is the best: this is said, and is nothing to beat.
    silence = "" if per_thing else "silence has 0"
    if not known:
        return AnswerFigure(metric, None, None, None, 0, 0, None, silence)
    values = np.array([part / whole if per_thing else part for part, whole in known], dtype=np.float64)
    part, of = (sum(column) for column in zip(*known, strict=True))
    first, n = float(values[0]), len(values)
    is_alike = first in (0.0, 1.0) and bool((values == first).all())
    found = wilson_interval(n if first else 0, n) if is_alike else bootstrap_mean(values)
    return AnswerFigure(metric, *found, part, of, None, silence, n)


def score_factoid(exact: Sequence[ExactMark], candidates: Sequence[str]) -> CaseMetrics:
    """Strict: the first candidate is a synonym; lenient: one of five is; MRR: one by the place of the first that is."""
    names = {name.casefold() for thing in exact for name in thing.synonyms}
    right = [candidate.casefold() in names for candidate in candidates[:MAX_CANDIDATES]]
    place = right.index(True) + 1 if True in right else 0
    ranked = 1 / place if place else 0.0
    return {"strict_accuracy": float(place == 1), "lenient_accuracy": float(place > 0), "MRR": ranked}


def score_list(exact: Sequence[ExactMark], candidates: Sequence[str]) -> CaseMetrics:
    """Precision, recall and F1 of the members that are named; a member that was met counts once."""
    left = [{name.casefold() for name in thing.synonyms} for thing in exact]
    named = candidates[:MAX_LISTED]
    for candidate in named:
        if hit := next((names for names in left if candidate.casefold() in names), None):
            left.remove(hit)
    met = len(exact) - len(left)
    precision, recall = met / len(named) if named else 0.0, met / len(exact)
    f1 = 2 * precision * recall / (precision + recall) if met else 0.0
    return {"list_precision": precision, "list_recall": recall, "list_f1": f1}


def score_quotes(quotes: Sequence[QuotedSpan], gold: Sequence[GoldSpan]) -> CaseMetrics:
    """Precision, recall and F1 of the characters that are quoted; precision None where nothing is quoted.

    Evidence that is in no document that is held counts for recall: it cannot be met.
    """
    said = {(one.document, at) for one in quotes for at in range(one.start, one.end)}
    marked = {(one.document, one.start + at) for one in gold if one.start is not None for at in range(one.characters)}
    lost = sum(characters for _, characters in {(one.document, one.characters) for one in gold if one.start is None})
    met, wanted = len(said & marked), len(marked) + lost
    return {
        "snippet_precision": met / len(said) if said and gold else None,
        "snippet_recall": met / wanted if wanted else None,
        "snippet_f1": 2 * met / (len(said) + wanted) if wanted else None,
    }


def score_references(references: Sequence[str], text: str) -> CaseMetrics:
    """ROUGE of a text against the references, the best of several; 0 of no text, {} where no library counts it."""
    rouge = load_rouge()
    if rouge is None:
        return {}
    scored = [rouge.score(reference, text) for reference in references] if text.strip() else []
    return {
        metric: max((float(getattr(score[name], part)) for score in scored), default=0.0)
        for metric, (name, part) in ROUGE_PARTS.items()
    }


@cache
def load_rouge() -> "RougeScorer | None":
    """What counts ROUGE, without stemming; None when it is not installed."""
    try:
        from rouge_score_rs.rouge_scorer import RougeScorer
    except ImportError:
        return None
    return RougeScorer(["rouge2", "rougeL"], use_stemmer=False)
