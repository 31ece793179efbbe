"""The figures of many checks by who wrote the texts, by kind of question and by kind of source."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from wellsourced.factcheck.verdicts import pool_shares
from wellsourced.types import Checkup, ShareInterval, SourceResolution

Dimension = Literal["system", "kind", "source", "suffix"]
"""
system   who wrote the text          source   what a source is: research, guideline, web … as it was found
kind     of question                 suffix   the last part of the address of a source: gov, org …
"""

DIMENSIONS: Mapping[Dimension, str] = {
    "system": "system",
    "kind": "kind of question",
    "source": "kind of source",
    "suffix": "suffix of the address",
}

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


class Breakdown(NamedTuple):
    """The groups of one dimension, the largest first."""

    dimension: Dimension
    groups: tuple[GroupFigures, ...]


def break_down(checkups: Sequence[Checkup], dimension: Dimension) -> Breakdown:
    """The figures of each group. What nobody named is a group of its own."""
    if dimension in ("source", "suffix"):
        name_source = _source_kind if dimension == "source" else _address_suffix
        parts = _split_sources(checkups, name_source)
        groups = [_measure_group(name, some, SOURCE_FIGURES) for name, some in parts.items()]
    else:
        texts = _group_texts(checkups, lambda one: one.origin.system if dimension == "system" else one.origin.kind)
        groups = [_measure_group(name, some) for name, some in texts.items()]
    return Breakdown(dimension, tuple(sorted(groups, key=lambda one: (-one.texts, -one.sources, one.group))))


def _group_texts(checkups: Iterable[Checkup], name: Callable[[Checkup], str]) -> dict[str, list[Checkup]]:
    groups: dict[str, list[Checkup]] = defaultdict(list)
    for one in checkups:
        groups[name(one) or UNNAMED].append(one)
    return groups


def _split_sources(checkups: Iterable[Checkup], name: Callable[[SourceResolution], str]) -> dict[str, list[Checkup]]:
    """Kind of source → each text that cites one, with its sources of this kind alone."""
    groups: dict[str, list[Checkup]] = defaultdict(list)
    for one in checkups:
        kinds: dict[str, set[str]] = defaultdict(set)
        for resolution in one.traced:
            kinds[name(resolution)].add(resolution.key)
        for kind, keys in kinds.items():
            groups[kind].append(_keep_sources(one, keys))
    return groups


def _keep_sources(checkup: Checkup, keys: set[str]) -> Checkup:
    """The text with these sources alone. Its verdicts stay: they are of all sources, and no figure here counts them."""
    submitted = checkup.submitted
    sources = tuple(one for one in submitted.sources if one.key in keys)
    return checkup.model_copy(
        update={
            "submitted": submitted.model_copy(update={"sources": sources}),
            "traced": tuple(one for one in checkup.traced if one.key in keys),
            "pairings": tuple(one for one in checkup.pairings if one.source in keys),
        }
    )


def _source_kind(resolution: SourceResolution) -> str:
    return resolution.reference.kind if resolution.reference else UNIDENTIFIED


def _address_suffix(resolution: SourceResolution) -> str:
    suffix = resolution.address.suffix if resolution.address else ""
    return f".{suffix}" if suffix else "no address"


def _measure_group(name: str, checkups: Sequence[Checkup], figures: Sequence[str] = ()) -> GroupFigures:
    shares = pool_shares(checkups)
    return GroupFigures(
        name,
        len(checkups),
        sum(len({pair.claim for pair in one.pairings}) if figures else len(one.verdicts) for one in checkups),
        sum(len(one.traced) for one in checkups),
        sum(len(one.submitted.document.text.split()) for one in checkups) / len(checkups),
        {figure: shares[figure] for figure in figures or shares},
    )
