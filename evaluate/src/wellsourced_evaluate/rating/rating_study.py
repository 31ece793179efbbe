"""What ratings come to: means of systems, who is preferred to whom, and how far raters agree.

Questions are the cases. Several ratings of one answer are averaged first, and questions are drawn again for intervals.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations
from statistics import fmean
from typing import Any, NamedTuple

from wellsourced.confidence import wilson_interval
from wellsourced.presentation.wording import format_count, format_decimal
from wellsourced_evaluate.checkups.agreement import GroupAgreement, PairAgreement, compare_group
from wellsourced_evaluate.rating.questionnaire import PREFERENCE, TIE, Questionnaire
from wellsourced_evaluate.rating.rating_rows import RatedItem, ReturnedRatings, find_failures
from wellsourced_evaluate.statistics import (
    ArmContrast,
    Association,
    CaseValues,
    MetricMean,
    PooledShare,
    average_cases,
    contrast_values,
    kruskal_wallis,
    mcnemar_p,
    pearson,
    pool_cases,
    weighted_kappa,
)
from wellsourced_evaluate.tables import Block, Chance, Heading, Interval, Part, Signed, Table, Text

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


class CriterionFigures(NamedTuple):
    """Everything of one criterion; Kruskal and Wallis' test is over the ratings of all systems."""

    better: str
    means: Mapping[str, MetricMean]
    contrasts: tuple[CriterionContrast, ...]
    kruskal_wallis: Association


class PairAssociation(NamedTuple):
    """Two raters over what both rated; the figures that need numbers are None for preferences."""

    agreement: PairAgreement
    weighted_kappa: float | None
    pearson: float | None
    pearson_p: float | None

    def to_json(self) -> dict[str, Any]:
        """All figures by their names."""
        figures = self._asdict()
        return {**figures.pop("agreement")._asdict(), **figures}


class RaterFigures(NamedTuple):
    """How far raters agree on one criterion, or on the preference: all of them, and each two."""

    group: GroupAgreement
    pairs: tuple[PairAssociation, ...]

    def to_json(self) -> dict[str, Any]:
        """Everything by its name."""
        return {**self.group._asdict(), "pairs": self.pairs}


class StudyFigures(NamedTuple):
    """Everything of these raters, by the names of criteria; agreement is on the preference, too."""

    raters: tuple[str, ...]
    questions: int
    criteria: Mapping[str, CriterionFigures]
    preferences: tuple[PreferenceContrast, ...]
    agreement: Mapping[str, RaterFigures]


class RatingStudy(NamedTuple):
    """What came of a study.

    failed    rater → why quality control was not passed
    everyone  of all raters
    passed    of those who passed; None: everybody did, or nobody
    """

    key: Questionnaire
    returned: ReturnedRatings
    failed: Mapping[str, tuple[str, ...]]
    everyone: StudyFigures
    passed: StudyFigures | None

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        missing = self.returned.missing
        return {
            **self.key.model_dump(mode="json", include={"systems", "citations", "seed", "identical"}),
            "raters": {name: {"missing": missing[name], "failed": self.failed.get(name, ())} for name in missing},
            "everyone": self.everyone,
            "passed": self.passed,
            "rejected": self.returned.rejected,
            "notes": NOTES,
        }


def measure_ratings(returned: ReturnedRatings, key: Questionnaire) -> RatingStudy:
    """All figures, with those who failed quality control and without."""
    failed = find_failures(returned.items, key)
    kept = [item for item in returned.items if item.rater not in failed]
    passed = _measure_items(kept, key) if failed and kept else None
    return RatingStudy(key, returned, failed, _measure_items(returned.items, key), passed)


def _measure_items(items: Sequence[RatedItem], key: Questionnaire) -> StudyFigures:
    """The figures of these items; those of quality control are none of the study."""
    own = [item for item in items if item.key.kind == "question"]
    systems = [system.name for system in key.systems]
    raters = tuple(dict.fromkeys(item.rater for item in items))
    criteria = {one.name: one.better for one in key.criteria.criteria}
    preference = [PREFERENCE] if key.criteria.preference else []
    return StudyFigures(
        raters,
        len({item.key.question for item in own}),
        {name: _measure_criterion(own, systems, name, better) for name, better in criteria.items()},
        tuple(_contrast_preferences(own, *pair) for pair in combinations(systems, 2) if preference),
        {name: _compare_raters(own, name) for name in (*criteria, *preference)} if len(raters) > 1 else {},
    )


def _measure_criterion(
    items: Sequence[RatedItem], systems: Sequence[str], criterion: str, better: str
) -> CriterionFigures:
    ratings = {system: {item.key.question: list[int]() for item in items} for system in systems}
    for item in items:
        for (system, name), value in item.values.items():
            if name == criterion:
                ratings[system][item.key.question].append(value)
    means: dict[str, CaseValues] = {
        system: {question: fmean(values) if values else None for question, values in by_question.items()}
        for system, by_question in ratings.items()
    }
    contrasts = [
        CriterionContrast(base, other, contrast_values(means[base], means[other]))
        for base, other in combinations(systems, 2)
    ]
    return CriterionFigures(
        better,
        {system: average_cases(values.values()) for system, values in means.items()},
        tuple(contrasts),
        kruskal_wallis([[*chain(*by_question.values())] for by_question in ratings.values()]),
    )


def _contrast_preferences(items: Sequence[RatedItem], one: str, other: str) -> PreferenceContrast:
    preferred: dict[str, list[str]] = {}
    for item in items:
        if item.preferred is not None:
            preferred.setdefault(item.key.question, []).append(item.preferred)
    counts = [(names.count(one), names.count(""), names.count(other)) for names in preferred.values()]
    wins, ties, losses = (_pool_preferences([(row[place], sum(row)) for row in counts]) for place in range(3))
    nets = [more - less for more, _, less in counts]
    ahead, behind = sum(net > 0 for net in nets), sum(net < 0 for net in nets)
    elsewhere = sum(map(len, preferred.values())) - sum(map(sum, counts))
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
    labels: dict[str, dict[str, str]] = {item.rater: {} for item in items}
    for item in items:
        if name == PREFERENCE and item.preferred is not None:
            labels[item.rater][item.key.question] = item.preferred or TIE
        for (system, criterion), value in item.values.items():
            if criterion == name:
                labels[item.rater][f"{system}\0{item.key.question}"] = str(value)
    group, pairs = compare_group(labels), []
    for pair in group.pairs:
        one, other = labels[pair.one], labels[pair.other]
        both = [(label, other[item]) for item, label in one.items() if item in other]
        numbers = [] if name == PREFERENCE else [(int(first), int(second)) for first, second in both]
        correlation = pearson(numbers)
        pairs.append(PairAssociation(pair, weighted_kappa(numbers), correlation.value, correlation.p))
    return RaterFigures(group, tuple(pairs))


def rating_blocks(study: RatingStudy) -> Iterator[Block]:
    """The raters, all figures, and once more without those who failed quality control."""
    for name, missing in study.returned.missing.items():
        remarks = [f"{format_count(missing, 'cell')} empty"] if missing else []
        remarks += [f"failed quality control: {'; '.join(study.failed[name])}"] if name in study.failed else []
        yield Text(f"{name}: {'; '.join(remarks) or 'complete'}")
    yield Heading(2, f"All raters ({len(study.everyone.raters)})")
    yield from _figure_blocks(study.everyone)
    if study.passed:
        yield Heading(2, f"Without those who failed quality control ({len(study.passed.raters)})")
        yield from _figure_blocks(study.passed)
    elif study.failed:
        yield Text("No rater passed quality control.")
    if study.key.identical:
        alike = format_count(len(study.key.identical), "question")
        yield Text(f"{alike} had the same answers from all systems, and were not asked about.")
    yield from (Text(f"{note[0].upper()}{note[1:]}.") for note in NOTES)


def _figure_blocks(figures: StudyFigures) -> Iterator[Block]:
    if figures.criteria:
        means = [
            (name, one.better, system, mean.mean, Interval(mean.low, mean.high), mean.cases)
            for name, one in figures.criteria.items()
            for system, mean in one.means.items()
        ]
        yield Table(("criterion", "better", "system", "mean", "95 % interval", "questions"), means)
        yield Table(("criterion", "difference", "mean", "95 % interval", "p"), [*_contrast_rows(figures)])
    if figures.preferences:
        rows = [
            (
                f"{one.one} against {one.other}",
                *map(_name_share, (one.wins, one.ties, one.losses)),
                f"{one.ahead:,}, {one.level:,}, {one.behind:,}",
                Chance(one.p),
            )
            for one in figures.preferences
        ]
        yield Table(("preferred", "wins", "ties", "losses", "questions ahead, level, behind", "p"), rows)
    if figures.agreement:
        pairs = [
            (
                name,
                f"{pair.one} and {pair.other}",
                pair.items,
                pair.share,
                pair.kappa,
                weighted,
                r,
                Chance(p),
                pair.cramers_v,
            )
            for name, one in figures.agreement.items()
            for pair, weighted, r, p in one.pairs
        ]
        yield Table(
            ("of", "raters", "items", "same", "Cohen's kappa", "weighted", "Pearson", "its p", "Cramér's V"), pairs
        )
    if len(figures.raters) > 2:
        groups = [
            (name, Part(group.unanimous, group.complete), group.fleiss, group.krippendorff)
            for name, (group, _) in figures.agreement.items()
        ]
        yield Table(("of", "unanimous", "Fleiss' kappa", "Krippendorff's alpha"), groups)


def _contrast_rows(figures: StudyFigures) -> Iterator[tuple[Any, ...]]:
    for name, one in figures.criteria.items():
        for base, other, contrast in one.contrasts:
            mean, low, high, *_ = contrast.difference
            yield name, f"{other} - {base}", Signed(mean), Interval(low, high, signed=True), Chance(contrast.p)
        yield name, f"all, H = {format_decimal(one.kruskal_wallis.value)}", "", "", Chance(one.kruskal_wallis.p)


def _name_share(share: PooledShare) -> str:
    shown = (
        "–" if share.share is None else f"{share.share:.3f} ({format_decimal(share.low)}–{format_decimal(share.high)})"
    )
    return f"{share.part:,} of {share.whole:,}: {shown}"
