"""How far those agree who labelled the same items: shares, and what is left of them beyond chance (kappa).

Who labelled may be two judges, a judge and people, or people among themselves, who wrote on sheets (`annotation.py`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced.factcheck.load.row_files import RejectedRow, read_rows
from wellsourced.readers.base import File
from wellsourced_evaluate.checkups.annotation import CODES, AnnotationKey, parse_code
from wellsourced_evaluate.statistics import cohen_kappa, fleiss_kappa, krippendorff_alpha, pool_cases

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
    found = pool_cases([(int(first[item] == second[item]), 1) for item in both])
    kappa = cohen_kappa([(first[item], second[item]) for item in both])
    return PairAgreement(one, other, len(both), same, found.share, found.low, found.high, kappa)


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


# --- sheets that people filled in ---------------------------------------------------------------------------------

MAJORITY = "majority"
JUDGE = "judge"


class RaterSheets(NamedTuple):
    """What was written, by rater, as verdicts; the rows of each file that say nothing that can be used."""

    raters: Mapping[str, Labels]
    rejected: tuple[tuple[str, RejectedRow], ...]
    empty: Mapping[str, tuple[str, ...]]


class RaterStudy(NamedTuple):
    """Agreement of the raters, and of the judge with them.

    raters     among themselves
    judge      with each rater, and last with the majority
    ties       items on which the raters came out level: they have no majority
    table      (label of the majority, label of the judge) → items
    """

    raters: GroupAgreement
    judge: tuple[PairAgreement, ...]
    ties: tuple[str, ...]
    table: Mapping[tuple[str, str], int]


def read_keys(file: File) -> tuple[AnnotationKey, ...]:
    """The key of a sheet. Raises UnreadableFile."""
    remedy = "Give the file NAME.key.jsonl that `wellsourced checkup sheet` wrote."
    keys = []
    for row, fields in read_rows(file):
        try:
            if isinstance(fields, str):
                raise UnreadableFile(str(file), f"row {row}: {fields}", remedy)
            keys.append(AnnotationKey.model_validate(fields))
        except ValidationError as error:
            raise UnreadableFile(str(file), f"row {row} is no key of an item", remedy) from error
    if not keys:
        raise UnreadableFile(str(file), "it is empty", remedy)
    return tuple(keys)


def read_sheets(files: Sequence[File], keys: Sequence[AnnotationKey]) -> RaterSheets:
    """What the raters wrote. A rater is named by the column `rater`, else by the file.

    A code that is none, an item that the key does not have and a second, other code for an item are told, row by row;
    an item without a code is `empty`. Raises UnreadableFile for a file that cannot be read, SourceRefused where nothing
    is left to compare.
    """
    known = {key.id for key in keys}
    raters: dict[str, dict[str, str]] = {}
    rejected: list[tuple[str, RejectedRow]] = []
    for file in files:
        for row, fields in read_rows(file):
            reason = fields if isinstance(fields, str) else _add_label(fields, Path(str(file)), known, raters)
            if reason:
                rejected.append((Path(str(file)).name, RejectedRow(row, reason)))
    if not any(raters.values()):
        told = f" ({rejected[0][0]}, row {rejected[0][1].row}: {rejected[0][1].reason})" if rejected else ""
        raise SourceRefused(f"No sheet has a code that can be used{told}: write {', '.join(CODES.values())}.")
    empty = {name: tuple(id for id in sorted(known) if id not in labels) for name, labels in raters.items()}
    return RaterSheets(raters, tuple(rejected), empty)


def _add_label(fields: Mapping[str, object], file: Path, known: set[str], raters: dict[str, dict[str, str]]) -> str:
    """Put a row where it belongs; why it cannot be, "" when it can, or says nothing."""
    said = {str(name).strip().lower(): str(value or "").strip() for name, value in fields.items()}
    id, written = said.get("id", ""), said.get("label", "")
    labels = raters.setdefault(said.get("rater") or _file_stem(file), {})
    if id not in known:
        return f"there is no item “{id}” in the key" if id else "it has no id"
    if not written:
        return ""
    label = parse_code(written)
    if label is None:
        return f"“{written}” is none of {', '.join(CODES.values())}"
    if labels.get(id, label) != label:
        return f"item {id} has another code in an earlier row"
    labels[id] = label
    return ""


def _file_stem(file: Path) -> str:
    return file.name.partition(".")[0] or file.name


def measure_agreement(sheets: RaterSheets, keys: Sequence[AnnotationKey], *, binary: bool) -> RaterStudy:
    """How far the raters agree, and the judge with them.

    binary   supported or not, as the paper has it: what is contradicted is not supported
    """
    raters = {name: _fold_labels(labels, binary) for name, labels in sheets.raters.items()}
    judged = _fold_labels({key.id: key.label for key in keys}, binary)
    majority, ties = find_majority(raters)
    with_each = [compare_raters(JUDGE, name, judged, labels) for name, labels in raters.items()]
    table: dict[tuple[str, str], int] = {}
    for id, label in majority.items():
        table[label, judged[id]] = table.get((label, judged[id]), 0) + 1
    with_majority = compare_raters(JUDGE, MAJORITY, judged, majority)
    return RaterStudy(compare_group(raters), (*with_each, with_majority), ties, table)


def _fold_labels(labels: Labels, binary: bool) -> dict[str, str]:
    return {id: "silent" if binary and label != "supports" else label for id, label in labels.items()}
