"""Two runs over the same queries: what differs, and whether chance could have done it."""

from collections.abc import Mapping
from typing import NamedTuple

from wellsourced.confidence import randomisation_test
from wellsourced.errors import SourceRefused
from wellsourced_evaluate.run_file import RetrievalRun
from wellsourced_evaluate.statistics import TIE_TOLERANCE, ArmContrast, contrast_values


class RunComparison(NamedTuple):
    """A run against an earlier one, its base.

    queries    that are compared; `left_out` failed in one of the two
    unlike     what differs between the two, in words
    contrasts  measure → what differs, with the p of the randomisation test
    changes    query → difference of the first measure, where there is one, the largest gain first
    """

    base: RetrievalRun
    queries: int
    left_out: int
    unlike: tuple[str, ...]
    contrasts: Mapping[str, ArmContrast]
    changes: Mapping[str, float]


def compare_runs(ours: RetrievalRun, base: RetrievalRun) -> RunComparison:
    """Each measure that both have, query by query. Raises SourceRefused when the two were asked different things."""
    require_same_topics(ours, base)
    both = [q for q, one in ours.results.items() if one.measures and base.results[q].measures]
    if not both:
        raise SourceRefused(f"There is nothing to compare with {base.path}: every query failed in one of the runs.")
    names = [name for name in ours.results[both[0]].measures if name in base.results[both[0]].measures]
    columns = [[{q: run.results[q].measures[name] for q in both} for run in (base, ours)] for name in names]
    contrasts = {
        name: contrast_values(its, mine, randomisation_test) for name, (its, mine) in zip(names, columns, strict=True)
    }
    gains = {q: ours.results[q].measures[names[0]] - base.results[q].measures[names[0]] for q in both}
    by_gain = sorted(gains.items(), key=lambda one: (-one[1], one[0]))
    changes = {q: gain for q, gain in by_gain if abs(gain) > TIE_TOLERANCE}
    unlike = tuple(ours.header.describe_differences(base.header))
    return RunComparison(base, len(both), len(ours.results) - len(both), unlike, contrasts, changes)


def require_same_topics(ours: RetrievalRun, base: RetrievalRun) -> None:
    """Raise SourceRefused when two runs were asked other queries, or were judged by other files."""
    mine, its = ours.results.keys(), base.results.keys()
    if mine != its:
        remedy = "Measure both with the same --queries, --qrels and --limit, to the end."
        counts = f"{len(its):,} queries, the other has {len(mine):,}, and {len(mine & its):,} are of both"
        raise SourceRefused(f"{base.path} cannot be compared with {ours.path}: it has {counts}. {remedy}")
    if ours.header.topics.get("qrels_sha256") != base.header.topics.get("qrels_sha256"):
        remedy = "Measure both with the same --qrels."
        raise SourceRefused(
            f"{base.path} cannot be compared with {ours.path}: its queries were judged by another file. {remedy}"
        )
