"""How far those agree who labelled the same items: shares, and what is left of them beyond chance (kappa).

Observed agreement beyond chance, of what was to be had beyond chance: (observed - expected) / (1 - expected). The
coefficients differ in what chance would do. None where that says nothing: no item, or one label throughout.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import comb
from typing import NamedTuple

from wellsourced.confidence import bootstrap_share

Labels = Mapping[str, str]
"""Item → label, as one rater gave it."""


class PairAgreement(NamedTuple):
    """Two who labelled the same items.

    items   that both labelled
    share   of these that have the same label, with its 95 % bootstrap interval; None of no item
    kappa   Cohen's: chance would give each label as often as either of the two did
    """

    one: str
    other: str
    items: int
    same: int
    share: float | None
    low: float | None
    high: float | None
    kappa: float | None


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


class MajorityLabels(NamedTuple):
    """Item → the label that more raters gave than any other; the items for which two came out level have none."""

    labels: dict[str, str]
    ties: tuple[str, ...]


def compare_raters(one: str, other: str, first: Labels, second: Labels) -> PairAgreement:
    """How far two agree, over the items that both labelled."""
    both = [item for item in first if item in second]
    same = sum(first[item] == second[item] for item in both)
    found = bootstrap_share([(int(first[item] == second[item]), 1) for item in both])
    share, low, high = (found.mean, found.low, found.high) if both else (None, None, None)
    kappa = cohen_kappa([(first[item], second[item]) for item in both])
    return PairAgreement(one, other, len(both), same, share, low, high, kappa)


def compare_group(raters: Mapping[str, Labels]) -> GroupAgreement:
    """How far several agree, over the items that each two, or all, labelled."""
    pairs = tuple(compare_raters(a, b, raters[a], raters[b]) for a, b in combinations(raters, 2))
    shares = [one.share for one in pairs if one.share is not None]
    items = list(dict.fromkeys(item for labels in raters.values() for item in labels))
    votes = [[labels[item] for labels in raters.values() if item in labels] for item in items]
    complete = [one for one in votes if len(one) == len(raters)]
    return GroupAgreement(
        pairs,
        sum(shares) / len(shares) if shares else None,
        len(complete),
        sum(len(set(one)) == 1 for one in complete),
        fleiss_kappa(complete),
        krippendorff_alpha(votes),
    )


def find_majority(raters: Mapping[str, Labels]) -> MajorityLabels:
    """The label of each item that most gave; an item of two labels that are level is a tie."""
    labels: dict[str, str] = {}
    ties: list[str] = []
    for item in dict.fromkeys(item for given in raters.values() for item in given):
        (label, most), *others = Counter(given[item] for given in raters.values() if item in given).most_common()
        if others and others[0][1] == most:
            ties.append(item)
        else:
            labels[item] = label
    return MajorityLabels(labels, tuple(ties))


def cohen_kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Two raters (Cohen, 1960): expected = Σ over labels of share by the one · share by the other."""
    if not pairs:
        return None
    first, second = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    observed = sum(one == other for one, other in pairs) / len(pairs)
    expected = sum(first[label] * second[label] for label in first) / len(pairs) ** 2
    return _beyond_chance(observed, expected)


def fleiss_kappa(votes: Sequence[Sequence[str]]) -> float | None:
    """Several raters, each item labelled by as many (Fleiss, 1971): expected = Σ over labels of its share squared.

    Raises ValueError for items with unequal numbers of labels.
    """
    if not votes or len(votes[0]) < 2:
        return None
    raters = len(votes[0])
    if any(len(one) != raters for one in votes):
        raise ValueError("every item needs as many labels")
    observed = sum(_agreeing_pairs(one) for one in votes) / (len(votes) * comb(raters, 2))
    totals = Counter(label for one in votes for label in one)
    expected = sum((count / (len(votes) * raters)) ** 2 for count in totals.values())
    return _beyond_chance(observed, expected)


def krippendorff_alpha(votes: Sequence[Sequence[str]]) -> float | None:
    """Any number of raters, and items that some did not label (Krippendorff, 2004), for labels without an order.

    Every item weighs as it has labels; chance draws two labels out of all, without putting the first back.
    """
    usable = [one for one in votes if len(one) > 1]
    totals = Counter(label for one in usable for label in one)
    labels = totals.total()
    if not labels:
        return None
    observed = sum(2 * _agreeing_pairs(one) / (len(one) - 1) for one in usable) / labels
    expected = sum(count * (count - 1) for count in totals.values()) / (labels * (labels - 1))
    return _beyond_chance(observed, expected)


def _agreeing_pairs(votes: Sequence[str]) -> int:
    """Of one item, pairs of raters who gave the same label."""
    return sum(comb(count, 2) for count in Counter(votes).values())


def _beyond_chance(observed: float, expected: float) -> float | None:
    # Where all gave one label, there was nothing to agree on beyond chance.
    return None if expected >= 1 else (observed - expected) / (1 - expected)


def mcnemar_p(only_one: int, only_other: int) -> float:
    """How often chance alone would part two yes-or-no columns as far: exact binomial, two-sided (McNemar, 1947)."""
    n, least = only_one + only_other, min(only_one, only_other)
    return min(1.0, 2 * sum(comb(n, k) for k in range(least + 1)) / (1 << n))
