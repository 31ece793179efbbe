"""The figures of many checks by file, by who wrote the texts, by kind of question and by kind of source."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, get_args

from wellsourced.factcheck.pages.addresses import AddressCounts, count_addresses
from wellsourced.factcheck.verdicts import MEASURES, pool_shares
from wellsourced.types import Checkup, EditAction, ShareInterval, SourceResolution
from wellsourced_evaluate.checkups.stored_runs import NamedCheckup
from wellsourced_evaluate.group_tests import GroupedValue, TestResult, list_tests
from wellsourced_evaluate.statistics import PooledShare, pool_cases

Dimension = Literal["system", "kind", "file", "source", "suffix"]
"""
system   who wrote the text          source   what a source is: research, guideline, web … as it was found
kind     of question                 suffix   the last part of the address of a source: gov, org …
file     of stored checks: the same texts with other statements, another judge, or answers to other questions
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


class GroupTests(NamedTuple):
    """What the groups were tested by, the values, and the tests."""

    by: str
    rows: Sequence[GroupedValue]
    tests: Sequence[TestResult]


class GroupFigures(NamedTuple):
    """One group.

    texts, statements, sources   that belong to it; of a kind of source, the texts that cite one
    words                        mean number of words of a text
    shares                       the figures, by their names; intervals draw whole texts again
    addresses                    of its sources, counted as in the URL analysis
    edits                        what became of the sentences that did not stand, as far as the texts were repaired
    """

    group: str
    texts: int
    statements: int
    sources: int
    words: float
    shares: Mapping[str, ShareInterval]
    addresses: AddressCounts
    edits: Mapping[EditAction, PooledShare]


def group_checkups(checkups: Sequence[NamedCheckup], dimension: Dimension) -> dict[str, list[NamedCheckup]]:
    """The checkups of each group; of a kind of source, each with its sources of this kind alone.

    What nobody named is a group of its own.
    """
    groups: dict[str, list[NamedCheckup]] = defaultdict(list)
    for one in checkups:
        if dimension in SOURCE_DIMENSIONS:
            for kind, part in _split_sources(one.checkup, dimension):
                groups[kind].append(one._replace(checkup=part))
        else:
            name = one.file if dimension == "file" else getattr(one.checkup.origin, dimension)
            groups[name or UNNAMED].append(one)
    return groups


def break_down(groups: Mapping[str, Sequence[NamedCheckup]], dimension: Dimension) -> list[GroupFigures]:
    """The figures of each group, the largest first."""
    found = [
        _measure_group(name, [one.checkup for one in some], dimension in SOURCE_DIMENSIONS)
        for name, some in groups.items()
    ]
    return sorted(found, key=lambda one: (-one.texts, -one.sources, one.group))


def compare_groups(groups: Mapping[str, Sequence[NamedCheckup]], dimension: Dimension) -> list[GroupTests]:
    """Tests between groups by what of their texts is supported; none of one group, or of sources.

    A text that stands in two files is one case there, and its statements are tested too, each by itself.
    """
    if dimension in SOURCE_DIMENSIONS:
        return []
    is_paired, support = dimension == "file", MEASURES["statement support"]
    marks = [
        (name, one.text_id, found) for name, some in groups.items() for one in some if (found := support(one.checkup))
    ]
    texts = [
        GroupedValue(group=name, value=sum(found) / len(found), case=text * is_paired) for name, text, found in marks
    ]
    statements = [
        GroupedValue(group=name, value=float(mark)) for name, _, found in marks for mark in found if is_paired
    ]
    return [
        GroupTests(by, rows, [*list_tests(rows)])
        for by, rows in (
            ("share of supported statements of each text", texts),
            ("each statement by itself", statements),
        )
        if len({row.group for row in rows}) > 1
    ]


def _split_sources(checkup: Checkup, dimension: Dimension) -> Iterator[tuple[str, Checkup]]:
    """(kind of source, the text with its sources of this kind alone)."""
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
        count_addresses([found.address for one in checkups for found in one.traced if found.address]),
        _count_edits(checkups),
    )


def _count_edits(checkups: Sequence[Checkup]) -> dict[EditAction, PooledShare]:
    """Action → its share of the sentences that did not stand; {} where no text was repaired."""
    actions = [[edit.action for edit in one.edits] for one in checkups if one.edits]
    return {
        name: pool_cases([(some.count(name), len(some)) for some in actions])
        for name in (get_args(EditAction) if actions else ())
    }
