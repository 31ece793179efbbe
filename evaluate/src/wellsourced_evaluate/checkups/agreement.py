"""How far those agree who labelled the same items: shares, and what is left of them beyond chance (kappa).

Who labelled may be two judges, a judge and people, or people among themselves.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, zip_longest
from types import MappingProxyType
from typing import Any, NamedTuple

from wellsourced.presentation.wording import format_count, format_decimal
from wellsourced_evaluate.statistics import cohen_kappa, cramers_v, fleiss_kappa, krippendorff_alpha, pool_cases
from wellsourced_evaluate.tables import Block, Interval, Part, Table, Text, tabulate

JUDGE, MAJORITY = "judge", "majority"

Labels = Mapping[str, str]
"""Item → label, as one rater gave it."""


class PairAgreement(NamedTuple):
    """Two who labelled the same items.

    items   that both labelled
    share   of these that have the same label, with its 95 % bootstrap interval; None of no item
    kappa   Cohen's: chance would give each label as often as either of the two did; beside it Cramér's V
    """

    one: str
    other: str
    items: int
    same: int
    share: float | None
    low: float | None
    high: float | None
    kappa: float | None
    cramers_v: float | None


class GroupAgreement(NamedTuple):
    """Several who labelled the same items.

    pairs           every two of them
    mean_share      mean of their shares of agreement
    complete        items that all of them labelled
    unanimous       of these, with one label
    fleiss          kappa over the complete items: chance would give each label as often as all together did
    krippendorff    alpha, nominal, over all items that two or more labelled
    """

    pairs: tuple[PairAgreement, ...]
    mean_share: float | None
    complete: int
    unanimous: int
    fleiss: float | None
    krippendorff: float | None


class Floor(NamedTuple):
    """A label, and the share of the items that have it."""

    label: str
    share: float


class RaterStudy(NamedTuple):
    """Agreement of raters, and of a judge with them.

    raters     among themselves
    judge      with each rater, and last with the majority
    ties       items on which the raters came out level: they have no majority
    majority   item → its label; judged: item → the judge's
    """

    raters: GroupAgreement
    judge: tuple[PairAgreement, ...]
    ties: tuple[str, ...]
    majority: Labels
    judged: Labels

    @property
    def floor(self) -> Floor | None:
        """What always saying the majority's commonest label would agree to; None where no item has a majority."""
        counts = Counter(self.majority.values()).most_common(1)
        return Floor(counts[0][0], counts[0][1] / len(self.majority)) if counts else None

    def cross_table(self) -> Mapping[tuple[str, str], int]:
        """(label of the majority, label of the judge) → items."""
        return Counter((label, self.judged[item]) for item, label in self.majority.items() if item in self.judged)


def compare_raters(one: str, other: str, first: Labels, second: Labels) -> PairAgreement:
    """How far two agree, over the items that both labelled."""
    both = [(label, second[item]) for item, label in first.items() if item in second]
    same = [int(label == its) for label, its in both]
    found = pool_cases([(case, 1) for case in same])
    beyond = cohen_kappa(both), cramers_v(both)
    return PairAgreement(one, other, len(both), sum(same), found.share, found.low, found.high, *beyond)


def compare_group(raters: Mapping[str, Labels]) -> GroupAgreement:
    """How far several agree, over the items that each two, or all, labelled."""
    pairs = tuple(compare_raters(a, b, raters[a], raters[b]) for a, b in combinations(raters, 2))
    shares = [one.share for one in pairs if one.share is not None]
    votes = [*_list_votes(raters).values()]
    complete = [one for one in votes if len(one) == len(raters)]
    return GroupAgreement(
        pairs,
        sum(shares) / len(shares) if shares else None,
        len(complete),
        sum(len(set(one)) == 1 for one in complete),
        fleiss_kappa(complete),
        krippendorff_alpha(votes),
    )


def find_majority(raters: Mapping[str, Labels]) -> tuple[dict[str, str], tuple[str, ...]]:
    """The label of each item that more raters gave than any other, and the items for which two came out level."""
    labels: dict[str, str] = {}
    ties: list[str] = []
    for item, votes in _list_votes(raters).items():
        (label, most), *others = Counter(votes).most_common(2)
        if others and others[0][1] == most:
            ties.append(item)
        else:
            labels[item] = label
    return labels, tuple(ties)


def _list_votes(raters: Mapping[str, Labels]) -> dict[str, list[str]]:
    """Item → its labels, in the order of the raters."""
    votes: dict[str, list[str]] = {}
    for labels in raters.values():
        for item, label in labels.items():
            votes.setdefault(item, []).append(label)
    return votes


def compare_with_raters(
    judge: str, judged: Labels, raters: Mapping[str, Labels], known: Labels = MappingProxyType({})
) -> RaterStudy:
    """How far raters agree among themselves, and a judge with each of them and with their majority.

    known   labels of which it is known what the majority said; they count more than the raters' here
    """
    majority, ties = find_majority(raters)
    majority |= known
    others = [*raters.items(), (MAJORITY, majority)]
    pairs = tuple(compare_raters(judge, name, judged, labels) for name, labels in others)
    return RaterStudy(compare_group(raters), pairs, ties, majority, judged)


def compare_with_votes(
    judge: str, judged: Labels, votes: Mapping[str, Sequence[str]], known: Labels = MappingProxyType({})
) -> RaterStudy | None:
    """The same where each item has its votes, a rater in each place; None where nobody said anything."""
    places = zip_longest(*votes.values())
    raters = {
        f"rater {place}": {item: vote for item, vote in zip(votes, said, strict=True) if vote is not None}
        for place, said in enumerate(places, 1)
    }
    return compare_with_raters(judge, judged, raters, known) if raters or known else None


def agreement_blocks(study: RaterStudy, noun: str, words: Mapping[Any, str]) -> Iterator[Block]:
    """Agreement of each two, of all raters, and of who says one label always.

    noun    what an item is
    words   label → how it is said
    """
    raters = study.raters
    yield agreement_table((*raters.pairs, *study.judge))
    if raters.pairs:
        mean, fleiss, alpha = map(format_decimal, (raters.mean_share, raters.fleiss, raters.krippendorff))
        yield Text(f"Raters: mean {mean}; {raters.unanimous:,} of {raters.complete:,} unanimous.")
        yield Text(f"Fleiss' kappa {fleiss} over what all labelled; Krippendorff's alpha {alpha} over all.")
    if floor := study.floor:
        yield Text(f"Floor: always “{words[floor.label]}” agrees with the majority in {floor.share:.3f}.")
    if study.ties:
        yield Text(f"No majority, since raters come out level: {format_count(len(study.ties), noun)}.")


def agreement_table(pairs: Iterable[PairAgreement]) -> Table:
    """A row for each two."""
    return tabulate(
        pairs,
        {
            "who": lambda pair: f"{pair.one} and {pair.other}",
            "the same": lambda pair: Part(pair.same, pair.items),
            "share": lambda pair: pair.share,
            "95 % interval": lambda pair: Interval(pair.low, pair.high),
            "Cohen's kappa": lambda pair: pair.kappa,
            "Cramér's V": lambda pair: pair.cramers_v,
        },
    )
