"""Arms ranked over several sets, whose figures cannot be averaged: each has a metric and a difficulty of its own."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from wellsourced_evaluate.questions.report_blocks import ReportBlock, ReportHeading, ReportTable, ReportText
from wellsourced_evaluate.questions.run_tables import QUALITY_METRICS, find_figure
from wellsourced_evaluate.questions.scores import ArmScore


class AverageRanks(NamedTuple):
    """Arm → the mean of its ranks over the sets that all of them have, 1 the best; ties share the mean of their places.

    by_set     set → its metric
    left_out   arms that not every set has
    """

    ranks: Mapping[str, float]
    by_set: Mapping[str, str]
    left_out: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        return {"ranks": dict(self.ranks), "sets": dict(self.by_set), "left_out": list(self.left_out)}


def rank_arms(sets: Mapping[str, Sequence[ArmScore]]) -> AverageRanks | None:
    """The arms that every set has, ranked; None of one set, or where fewer than two arms are in all of them."""
    values: dict[str, dict[str, float]] = {}
    by_set: dict[str, str] = {}
    for name, arms in sets.items():
        quality = next((metric for metric in QUALITY_METRICS if any(find_figure(one, metric) for one in arms)), "")
        if quality:
            by_set[name] = quality
            found = {one.run.arm: find_figure(one, quality) for one in arms}
            values[name] = {arm: one.value for arm, one in found.items() if one and one.value is not None}
    every = list(dict.fromkeys(arm for one in values.values() for arm in one))
    common = [arm for arm in every if all(arm in one for one in values.values())]
    if len(values) < 2 or len(common) < 2:
        return None
    placed = [rank_values({arm: one[arm] for arm in common}) for one in values.values()]
    ranks = {arm: sum(one[arm] for one in placed) / len(placed) for arm in common}
    return AverageRanks(ranks, by_set, tuple(arm for arm in every if arm not in common))


def rank_values(values: Mapping[str, float]) -> dict[str, float]:
    """Name → its place, the largest value first; equal ones share the mean of their places."""
    return {
        name: 1 + sum(other > value for other in values.values()) + (list(values.values()).count(value) - 1) / 2
        for name, value in values.items()
    }


def rank_blocks(found: AverageRanks | None) -> Iterator[ReportBlock]:
    """The average ranks, the best first."""
    if found is None:
        return
    yield ReportHeading(2, f"Average rank over {len(found.by_set):,} sets")
    rows = [(arm, f"{rank:.2f}") for arm, rank in sorted(found.ranks.items(), key=lambda one: one[1])]
    yield ReportTable(("arm", "average rank"), rows)
    sets = ", ".join(f"{name} by {metric}" for name, metric in found.by_set.items())
    yield ReportText(
        f"Of {sets}; 1 is the best, and equal arms "
        "share the mean of their places. A rank says nothing of how far apart arms are."
        + (f" Not in every set, and left out: {', '.join(found.left_out)}." if found.left_out else "")
    )
