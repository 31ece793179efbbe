"""The figures of many checks by who wrote the texts, by kind of question and by kind of source."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from wellsourced.factcheck.verdicts import MEASURES, pool_shares
from wellsourced.types import Checkup, ShareInterval, SourceResolution
from wellsourced_evaluate.group_tests import GroupedValue

Dimension = Literal["system", "kind", "source", "suffix"]
"""
system   who wrote the text          source   what a source is: research, guideline, web … as it was found
kind     of question                 suffix   the last part of the address of a source: gov, org …
"""

SOURCE_DIMENSIONS = ("source", "suffix")

UNNAMED = "not named"
UNIDENTIFIED = "not found"

SOURCE_FIGURES = (
    "source validity",
    "source validity, strict",
    "unused sources",
    "pairing precision",
    "sources found",
    "sources misattributed",
    "sources unmatched",
    "sources invented",
    "sources unreachable",
    "sources retracted",
)
"""Figures of sources and pairs: those that a part of the sources of a text has, too."""


class GroupFigures(NamedTuple):
    """One group.

    texts, statements, sources   that belong to it; of a kind of source, the texts that cite one
    words                        mean number of words of a text
    shares                       the figures, by their names; intervals draw whole texts again
    """

    group: str
    texts: int
    statements: int
    sources: int
    words: float
    shares: Mapping[str, ShareInterval]


def break_down(checkups: Sequence[Checkup], dimension: Dimension) -> list[GroupFigures]:
    """The figures of each group, the largest first. What nobody named is a group of its own."""
    groups: dict[str, list[Checkup]] = defaultdict(list)
    for checkup in checkups:
        for name, part in _split_checkup(checkup, dimension):
            groups[name].append(part)
    found = [_measure_group(name, some, dimension in SOURCE_DIMENSIONS) for name, some in groups.items()]
    return sorted(found, key=lambda one: (-one.texts, -one.sources, one.group))


def list_support(checkups: Sequence[Checkup], dimension: Dimension) -> list[GroupedValue]:
    """The share of supported statements of each text with its group, for tests between groups; none of one group."""
    rows = [
        GroupedValue(group=name, value=sum(marks) / len(marks))
        for checkup in checkups
        for name, part in _split_checkup(checkup, dimension)
        if (marks := MEASURES["statement support"](part))
    ]
    return rows if len({row.group for row in rows}) > 1 else []


def _split_checkup(checkup: Checkup, dimension: Dimension) -> Iterator[tuple[str, Checkup]]:
    """(group, text): of a kind of source, the text with its sources of this kind alone."""
    if dimension not in SOURCE_DIMENSIONS:
        yield getattr(checkup.origin, dimension) or UNNAMED, checkup
        return
    kinds: dict[str, set[str]] = defaultdict(set)
    for resolution in checkup.traced:
        kinds[_name_source(resolution, dimension)].add(resolution.key)
    for kind, keys in kinds.items():
        cited = tuple(one for one in checkup.submitted.sources if one.key in keys)
        # Its verdicts stay: they are of all sources, and no figure of sources counts them.
        yield (
            kind,
            checkup.model_copy(
                update={
                    "submitted": checkup.submitted.model_copy(update={"sources": cited}),
                    "traced": tuple(one for one in checkup.traced if one.key in keys),
                    "pairings": tuple(one for one in checkup.pairings if one.source in keys),
                }
            ),
        )


def _name_source(resolution: SourceResolution, dimension: Dimension) -> str:
    if dimension == "source":
        return resolution.reference.kind if resolution.reference else UNIDENTIFIED
    suffix = resolution.address.suffix if resolution.address else ""
    return f".{suffix}" if suffix else "no address"


def _measure_group(name: str, checkups: Sequence[Checkup], of_sources: bool) -> GroupFigures:
    shares = pool_shares(checkups)
    return GroupFigures(
        name,
        len(checkups),
        sum(len({pair.claim for pair in one.pairings}) if of_sources else len(one.verdicts) for one in checkups),
        sum(len(one.traced) for one in checkups),
        sum(len(one.submitted.document.text.split()) for one in checkups) / len(checkups),
        {figure: shares[figure] for figure in (SOURCE_FIGURES if of_sources else shares)},
    )
