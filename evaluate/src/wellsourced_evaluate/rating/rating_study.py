"""What ratings come to: means of systems, who is preferred to whom, and how far raters agree.

Questions are the cases. Several ratings of one answer are averaged first, and questions are drawn again for intervals.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from wellsourced.confidence import wilson_interval
from wellsourced_evaluate.checkups.agreement import GroupAgreement, Labels, compare_group, mcnemar_p
from wellsourced_evaluate.paired_tests import ArmContrast, CaseValues, contrast_values
from wellsourced_evaluate.rating.association import (
    GroupsTest,
    cramers_v,
    kruskal_wallis,
    pearson_r,
    weighted_kappa,
)
from wellsourced_evaluate.rating.questionnaire import StudyKey
from wellsourced_evaluate.rating.rating_controls import find_failures
from wellsourced_evaluate.rating.rating_rows import PREFERENCE, TIE, RatedItem, ReturnedRatings
from wellsourced_evaluate.statistics import MetricMean, PooledShare, average_cases, pool_cases

NOTES = (
    "intervals are 95 %, of the bootstrap over questions (of a share of none or of all: Wilson's)",
    "p are given as they are, without a correction for how many there are",
    "Kruskal and Wallis' test takes every rating as independent; Wilcoxon's compares systems question by question",
    "the sign test counts the questions on which more raters preferred the one than the other",
)


class PreferenceContrast(NamedTuple):
    """One system against another, by what raters preferred.

    wins, ties, losses      of `one`, as shares of the preferences that are for one of the two, or for none
    elsewhere               preferences for a third system: they say nothing of these two
    ahead, level, behind    questions on which more, as many, fewer raters preferred `one`
    p                       of the sign test over questions, two-sided
    """

    one: str
    other: str
    wins: PooledShare
    ties: PooledShare
    losses: PooledShare
    elsewhere: int
    ahead: int
    level: int
    behind: int
    p: float


class CriterionContrast(NamedTuple):
    """Two systems by one criterion, question by question."""

    base: str
    other: str
    contrast: ArmContrast


class PairAssociation(NamedTuple):
    """Two raters over what both rated; the figures that need numbers are None for preferences."""

    one: str
    other: str
    weighted_kappa: float | None
    pearson: float | None
    cramers_v: float | None


class CriterionFigures(NamedTuple):
    """Everything of one criterion."""

    name: str
    better: str
    means: Mapping[str, MetricMean]
    contrasts: tuple[CriterionContrast, ...]
    groups: GroupsTest


class RaterFigures(NamedTuple):
    """How far raters agree on one criterion, or on the preference."""

    name: str
    agreement: GroupAgreement
    pairs: tuple[PairAssociation, ...]


class StudyFigures(NamedTuple):
    """Everything of these raters."""

    raters: tuple[str, ...]
    questions: int
    criteria: tuple[CriterionFigures, ...]
    preferences: tuple[PreferenceContrast, ...]
    agreement: tuple[RaterFigures, ...]


class RatingStudy(NamedTuple):
    """What came of a study.

    failed    rater → why quality control was not passed
    everyone  of all raters
    passed    of those who passed; None: everybody did, or nobody
    """

    key: StudyKey
    returned: ReturnedRatings
    failed: Mapping[str, tuple[str, ...]]
    everyone: StudyFigures
    passed: StudyFigures | None


def measure_ratings(returned: ReturnedRatings, key: StudyKey) -> RatingStudy:
    """All figures, with those who failed quality control and without. Raises SettingsError without scipy."""
    failed = find_failures(returned.items, key)
    kept = [one for one in returned.items if one.rater not in failed]
    passed = _measure_items(kept, key) if failed and kept else None
    return RatingStudy(key, returned, failed, _measure_items(returned.items, key), passed)


def _measure_items(items: Sequence[RatedItem], key: StudyKey) -> StudyFigures:
    """The figures of these items; those of quality control are none of the study."""
    own = [one for one in items if one.key.kind == "question"]
    systems = [one.name for one in key.systems]
    criteria = []
    for criterion in key.criteria.criteria:
        by_system = {name: _average_questions(own, name, criterion.name) for name in systems}
        ratings = [
            [one.values[cell] for one in own if (cell := (name, criterion.name)) in one.values] for name in systems
        ]
        groups = kruskal_wallis(ratings)
        contrasts = [
            CriterionContrast(base, other, contrast_values(by_system[base], by_system[other]))
            for base, other in combinations(systems, 2)
        ]
        means = {name: average_cases(values.values()) for name, values in by_system.items()}
        criteria.append(CriterionFigures(criterion.name, criterion.better, means, tuple(contrasts), groups))
    preferences = [_contrast_preferences(own, one, other) for one, other in combinations(systems, 2)]
    raters = tuple(dict.fromkeys(one.rater for one in items))
    return StudyFigures(
        raters,
        len({one.key.question for one in own}),
        tuple(criteria),
        tuple(preferences) if key.criteria.preference else (),
        tuple(_compare_raters(own, name) for name in _list_rated(key)) if len(raters) > 1 else (),
    )


def _list_rated(key: StudyKey) -> tuple[str, ...]:
    return (*(one.name for one in key.criteria.criteria), *([PREFERENCE] if key.criteria.preference else []))


def _average_questions(items: Sequence[RatedItem], system: str, criterion: str) -> CaseValues:
    """Question → mean of its ratings; None where nobody rated it."""
    found: dict[str, list[int]] = {one.key.question: [] for one in items}
    for one in items:
        if (system, criterion) in one.values:
            found[one.key.question].append(one.values[system, criterion])
    return {question: sum(values) / len(values) if values else None for question, values in found.items()}


def _contrast_preferences(items: Sequence[RatedItem], one: str, other: str) -> PreferenceContrast:
    said: dict[str, list[str]] = {}
    for item in items:
        if item.preferred is not None:
            said.setdefault(item.key.question, []).append(item.preferred)
    counts = [(names.count(one), names.count(""), names.count(other)) for names in said.values()]
    wins, ties, losses = (_pool_preferences([(row[place], sum(row)) for row in counts]) for place in range(3))
    nets = [more - less for more, _, less in counts]
    ahead, behind = sum(net > 0 for net in nets), sum(net < 0 for net in nets)
    elsewhere = sum(map(len, said.values())) - sum(map(sum, counts))
    # McNemar's exact test is the sign test of the cases that differ.
    p = mcnemar_p(ahead, behind)
    return PreferenceContrast(one, other, wins, ties, losses, elsewhere, ahead, len(nets) - ahead - behind, behind, p)


def _pool_preferences(counts: Sequence[tuple[int, int]]) -> PooledShare:
    """The share with its interval; of none and of all Wilson's over questions, since a bootstrap sees a point."""
    found = pool_cases(counts)
    if found.share not in (0.0, 1.0):
        return found
    questions = sum(whole > 0 for _, whole in counts)
    edge = wilson_interval(questions if found.share else 0, questions)
    return found._replace(low=edge.low, high=edge.high)


def _compare_raters(items: Sequence[RatedItem], name: str) -> RaterFigures:
    """Agreement on a criterion, an answer each, or on the preference, a question each."""
    labels: dict[str, dict[str, str]] = {one.rater: {} for one in items}
    for one in items:
        if name == PREFERENCE and one.preferred is not None:
            labels[one.rater][one.key.question] = one.preferred or TIE
        for (system, criterion), value in one.values.items():
            if criterion == name:
                labels[one.rater][f"{system}\0{one.key.question}"] = str(value)
    pairs = [_associate_raters(one, other, labels, name) for one, other in combinations(labels, 2)]
    return RaterFigures(name, compare_group(labels), tuple(pairs))


def _associate_raters(one: str, other: str, labels: Mapping[str, Labels], name: str) -> PairAssociation:
    pairs = [(label, labels[other][item]) for item, label in labels[one].items() if item in labels[other]]
    if name == PREFERENCE:
        return PairAssociation(one, other, None, None, cramers_v(pairs))
    numbers = [(int(first), int(second)) for first, second in pairs]
    return PairAssociation(one, other, weighted_kappa(numbers), pearson_r(numbers), cramers_v(pairs))


def study_to_json(study: RatingStudy) -> dict[str, Any]:
    """Everything, for programs."""
    returned = study.returned
    return {
        "systems": [one.model_dump() for one in study.key.systems],
        "citations": study.key.citations,
        "seed": study.key.seed,
        "identical": list(study.key.identical),
        "raters": {
            name: {"missing": returned.missing[name], "failed": list(study.failed.get(name, ()))}
            for name in returned.raters
        },
        "everyone": _figures_to_json(study.everyone),
        "passed": _figures_to_json(study.passed) if study.passed else None,
        "rejected": [{"file": name, **one._asdict()} for name, one in returned.rejected],
        "notes": list(NOTES),
    }


def _figures_to_json(figures: StudyFigures) -> dict[str, Any]:
    return {
        "raters": list(figures.raters),
        "questions": figures.questions,
        "criteria": {
            one.name: {
                "better": one.better,
                "means": {name: mean.to_json() for name, mean in one.means.items()},
                "contrasts": [
                    {
                        "base": base,
                        "other": other,
                        **contrast._asdict(),
                        "difference": contrast.difference.to_json(),
                    }
                    for base, other, contrast in one.contrasts
                ],
                "kruskal_wallis": one.groups._asdict(),
            }
            for one in figures.criteria
        },
        "preferences": [
            {
                **one._asdict(),
                **{name: getattr(one, name)._asdict() for name in ("wins", "ties", "losses")},
            }
            for one in figures.preferences
        ],
        "agreement": {
            one.name: {
                "pairs": [
                    {**pair._asdict(), **more._asdict()}
                    for pair, more in zip(one.agreement.pairs, one.pairs, strict=True)
                ],
                **{name: value for name, value in one.agreement._asdict().items() if name != "pairs"},
            }
            for one in figures.agreement
        },
    }
