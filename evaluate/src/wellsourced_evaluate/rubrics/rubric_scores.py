"""HealthBench's scores, as its authors' code computes them (Arora et al., 2025; simple-evals, healthbench_eval.py).

Of an example: the points of the criteria that are met, those below 0 too, by the sum of the points above 0. Of a tag
of the example: the same score; of a tag of criteria: the score of the criteria that have it, where any has points above
0. Of a set: the mean over examples, clipped to [0, 1], and the standard deviation of that over 1,000 resamples.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from wellsourced.confidence import SEED, MeasureValues, batch_shapes
from wellsourced_evaluate.rubrics.rubric_files import RubricCase, RubricCriterion

RESAMPLES = 1_000
"""As published."""

TagKind = Literal["example", "criteria"]
"""Whether a tag is one of conversations (a theme), or of criteria (an axis, a cluster)."""


class TagName(NamedTuple):
    """A tag, and of what it is one."""

    name: str
    kind: TagKind


class CaseScore(NamedTuple):
    """The scores of one conversation.

    score     HealthBench's; None: a criterion has no grade, so that nobody knows it
    partial   the same of the criteria that have one; None: none with points above 0 has
    lowest    what it would be if every criterion without a grade went against the answer; `highest`: for it
    tags      scores by tag, None likewise; a tag of criteria that have no points above 0 is not there
    """

    score: float | None
    partial: float | None
    lowest: float
    highest: float
    tags: Mapping[TagName, float | None]


class ClippedMean(NamedTuple):
    """The mean over conversations, clipped to [0, 1]; all figures None when there is none.

    low, high       95 % interval: percentiles of the bootstrap over conversations; None where all
                    scores are alike, of which a bootstrap knows nothing
    bootstrap_std   standard deviation of the bootstrap's clipped means
    undefined       conversations without a score, left out
    """

    mean: float | None
    low: float | None
    high: float | None
    bootstrap_std: float | None
    cases: int
    undefined: int


def score_criteria(criteria: Sequence[RubricCriterion], met: Sequence[bool]) -> float | None:
    """Points that were reached by points that could be; None where none could be."""
    possible = sum(one.points for one in criteria if one.points > 0)
    if not possible:
        return None
    return sum(one.points for one, is_met in zip(criteria, met, strict=True) if is_met) / possible


def score_case(case: RubricCase, met: Sequence[bool | None]) -> CaseScore:
    """The scores of a conversation; None: a criterion has no grade."""
    graded = [(one, is_met) for one, is_met in zip(case.rubrics, met, strict=True) if is_met is not None]
    partial = score_criteria([one for one, _ in graded], [is_met for _, is_met in graded])
    against, favour = (
        [(one.points < 0) == is_against if is_met is None else is_met for one, is_met in _pair_grades(case, met)]
        for is_against in (True, False)
    )
    score = partial if len(graded) == len(met) else None
    tags: dict[TagName, float | None] = {TagName(tag, "example"): score for tag in case.example_tags}
    return CaseScore(
        score,
        partial,
        score_criteria(case.rubrics, against) or 0.0,
        score_criteria(case.rubrics, favour) or 0.0,
        tags | _score_tags(case, met),
    )


def _pair_grades(case: RubricCase, met: Sequence[bool | None]) -> list[tuple[RubricCriterion, bool | None]]:
    return list(zip(case.rubrics, met, strict=True))


def _score_tags(case: RubricCase, met: Sequence[bool | None]) -> dict[TagName, float | None]:
    by_tag: dict[str, list[tuple[RubricCriterion, bool | None]]] = defaultdict(list)
    for one, is_met in _pair_grades(case, met):
        for tag in one.tags:
            by_tag[tag].append((one, is_met))
    found: dict[TagName, float | None] = {}
    for tag, items in by_tag.items():
        if any(one.points > 0 for one, _ in items):
            known = [is_met for _, is_met in items if is_met is not None]
            is_whole = len(known) == len(items)
            found[TagName(tag, "criteria")] = score_criteria([one for one, _ in items], known) if is_whole else None
    return found


def average_scores(values: Sequence[float | None]) -> ClippedMean:
    """The mean of the scores that are there, as HealthBench gives it, with its interval."""
    known = np.array([value for value in values if value is not None], dtype=np.float64)
    undefined = len(values) - len(known)
    if not len(known):
        return ClippedMean(None, None, None, None, 0, undefined)
    means = _resample_means(known)
    mean, std = float(np.clip(known.mean(), 0, 1)), float(means.std())
    if bool((known == known[0]).all()):
        return ClippedMean(mean, None, None, std, len(known), undefined)
    low, high = np.percentile(means, (2.5, 97.5))
    return ClippedMean(mean, float(low), float(high), std, len(known), undefined)


def _resample_means(values: MeasureValues) -> MeasureValues:
    rng = np.random.default_rng(SEED)
    drawn = [values[rng.integers(0, len(values), shape)].mean(axis=1) for shape in batch_shapes(RESAMPLES, len(values))]
    means: MeasureValues = np.clip(np.concatenate(drawn), 0, 1)
    return means


def average_tags(scores: Sequence[CaseScore]) -> dict[TagName, ClippedMean]:
    """The mean of each tag over the conversations that have it, the worst first."""
    values: dict[TagName, list[float | None]] = defaultdict(list)
    for one in scores:
        for tag, score in one.tags.items():
            values[tag].append(score)
    means = {tag: average_scores(some) for tag, some in values.items()}
    return dict(sorted(means.items(), key=lambda pair: (pair[1].mean is None, pair[1].mean or 0.0, pair[0])))


def scores_to_json(one: CaseScore) -> dict[str, Any]:
    """The scores of a conversation, for programs."""
    return {
        **{name: getattr(one, name) for name in ("score", "partial", "lowest", "highest")},
        "tags": {tag.name: score for tag, score in one.tags.items()},
    }
