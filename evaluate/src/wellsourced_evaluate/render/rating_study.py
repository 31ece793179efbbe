"""What ratings come to, as lines for people."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from wellsourced.app.terminal import format_count, format_decimal, format_range, format_table, sanitize_line

if TYPE_CHECKING:
    from wellsourced_evaluate.rating.rating_study import (
        CriterionFigures,
        PreferenceContrast,
        RaterFigures,
        RatingStudy,
        StudyFigures,
    )
    from wellsourced_evaluate.statistics import PooledShare


def rating_study_lines(study: "RatingStudy") -> Iterator[str]:
    """The raters, all figures, and once more without those who failed quality control."""
    from wellsourced_evaluate.rating.rating_study import NOTES

    for name in study.returned.raters:
        missing = study.returned.missing[name]
        told = [f"{format_count(missing, 'cell')} empty"] if missing else []
        told += [f"failed quality control: {'; '.join(study.failed[name])}"] if name in study.failed else []
        yield sanitize_line(f"{name}: {'; '.join(told) or 'complete'}")
    yield f"\nAll raters ({len(study.everyone.raters)})\n"
    yield from _figures_lines(study.everyone)
    if study.passed:
        yield f"\nWithout those who failed quality control ({len(study.passed.raters)})\n"
        yield from _figures_lines(study.passed)
    elif study.failed:
        yield "Nobody passed quality control."
    if study.key.identical:
        alike = format_count(len(study.key.identical), "question")
        yield f"{alike} had the same answers from all systems, and nobody was asked about them."
    yield from (f"{note[0].upper()}{note[1:]}." for note in NOTES)


def _figures_lines(figures: "StudyFigures") -> Iterator[str]:
    if figures.criteria:
        yield _format_means(figures.criteria)
        yield _format_contrasts(figures.criteria)
    if figures.preferences:
        yield _format_preferences(figures.preferences)
    if figures.agreement:
        yield _format_pairs(figures.agreement)
        if len(figures.raters) > 2:
            yield _format_groups(figures.agreement)


def _format_means(criteria: "Sequence[CriterionFigures]") -> str:
    rows = [
        (one.name, one.better, name, format_decimal(mean.mean), format_range(mean.low, mean.high), f"{mean.cases:,}")
        for one in criteria
        for name, mean in one.means.items()
    ]
    return format_table(rows, ("criterion", "better", "system", "mean", "95 % interval", "questions"))


def _format_contrasts(criteria: "Sequence[CriterionFigures]") -> str:
    rows = []
    for one in criteria:
        for base, other, contrast in one.contrasts:
            gain = contrast.difference
            interval = f"{format_decimal(gain.low)} to {format_decimal(gain.high)}"
            rows.append(
                (
                    one.name,
                    f"{other} - {base}",
                    format_decimal(gain.mean),
                    interval,
                    _format_p(contrast.p),
                )
            )
        rows.append((one.name, f"all, H = {format_decimal(one.groups.h)}", "", "", _format_p(one.groups.p)))
    return format_table(rows, ("criterion", "difference", "mean", "95 % interval", "p"))


def _format_preferences(preferences: "Sequence[PreferenceContrast]") -> str:
    rows = [
        (
            f"{one.one} against {one.other}",
            *map(_format_share, (one.wins, one.ties, one.losses)),
            f"{one.ahead:,}, {one.level:,}, {one.behind:,}",
            _format_p(one.p),
        )
        for one in preferences
    ]
    return format_table(rows, ("preferred", "wins", "ties", "losses", "questions ahead, level, behind", "p"))


def _format_p(p: float | None) -> str:
    return "< 0.001" if p is not None and p < 0.0005 else format_decimal(p)


def _format_share(share: "PooledShare") -> str:
    return f"{share.part:,} of {share.whole:,}: {format_decimal(share.share)} ({format_range(share.low, share.high)})"


def _format_pairs(agreement: "Sequence[RaterFigures]") -> str:
    rows = [
        (
            one.name,
            f"{pair.one} and {pair.other}",
            f"{pair.items:,}",
            *map(format_decimal, (pair.share, pair.kappa, more.weighted_kappa, more.pearson, more.cramers_v)),
        )
        for one in agreement
        for pair, more in zip(one.agreement.pairs, one.pairs, strict=True)
    ]
    return format_table(rows, ("of", "raters", "items", "same", "Cohen's kappa", "weighted", "Pearson", "Cramér's V"))


def _format_groups(agreement: "Sequence[RaterFigures]") -> str:
    rows = [
        (
            one.name,
            f"{one.agreement.complete:,}",
            f"{one.agreement.unanimous:,}",
            format_decimal(one.agreement.fleiss),
            format_decimal(one.agreement.krippendorff),
        )
        for one in agreement
    ]
    return format_table(rows, ("of", "rated by all", "unanimous", "Fleiss' kappa", "Krippendorff's alpha"))
