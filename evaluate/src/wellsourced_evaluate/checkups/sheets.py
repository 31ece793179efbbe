"""Pairs of a statement and a source for people to judge, and what they wrote of them (SourceCheckup: experts).

A sheet shows of each source the part that speaks of the statement, without what the judge said of it; the key, which
is not for raters, says what was.
"""

import random
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import ValidationError

from wellsourced.errors import UnreadableFile
from wellsourced.factcheck.load.answer_rows import read_rows
from wellsourced.factcheck.pairing import DocumentWindows
from wellsourced.factcheck.verdicts import was_read
from wellsourced.readers.base import File
from wellsourced.text.sentences import Span
from wellsourced.types import CitedSource, ClaimSourceVerdict, Document, Value, VerdictLabel, short_key
from wellsourced_evaluate.checkups.agreement import JUDGE, Labels, RaterStudy, compare_with_raters
from wellsourced_evaluate.checkups.rater_files import RejectedLine, read_rater_rows, refuse_empty, render_csv
from wellsourced_evaluate.checkups.stored_runs import NamedCheckup
from wellsourced_evaluate.pair_sets.base import UnusableLine

PART_LENGTH = 1_500
"""Characters of a source that a sheet shows."""

CODES: Mapping[VerdictLabel, str] = {
    "supports": "supported",
    "contradicts": "contradicted",
    "silent": "not supported",
}
"""What is written on a sheet for each verdict."""

CODE_SYNONYMS: Mapping[str, VerdictLabel] = {
    **{code: label for label, code in CODES.items()},
    **{label: label for label in CODES},
    **dict.fromkeys(("s", "yes", "y", "1", "support"), "supports"),
    **dict.fromkeys(("c", "contradict", "refuted", "-1"), "contradicts"),
    **dict.fromkeys(("n", "no", "0", "unsupported", "not enough", "not_enough", "neither"), "silent"),
}

EMPTY_COLUMNS = ("label", "reason", "rater")
"""What raters fill in."""

KEY_REMEDY = "Give the file NAME.key.jsonl that `wellsourced checkup sheet` wrote."


class AnnotationItem(NamedTuple):
    """A pair that somebody is to judge, as a row of the sheet.

    id       of the words of the statement and of the source: the same in every run
    source   as the text names it
    part     of the source, with its words on the statement
    """

    id: str
    question: str
    statement: str
    source: str
    address: str
    part: str


class AnnotationKey(Value):
    """What the judge said of an item, and where in which checkup it is."""

    id: str
    label: VerdictLabel
    judge: str
    text: str
    statement: int
    source: str


class AnnotationSheet(NamedTuple):
    """The items in the order in which they are shown, and their key.

    partial   items whose source is not at hand: only the words are shown that the judge named
    """

    items: tuple[AnnotationItem, ...]
    keys: tuple[AnnotationKey, ...]
    partial: int


def draw_sheet(
    stored: Sequence[NamedCheckup], count: int, seed: int, labels: Sequence[VerdictLabel] = ()
) -> AnnotationSheet:
    """So many pairs of these checkups, drawn and put in an order by chance; 0: all of them.

    labels   only pairs of which the judge said so; (): of which it said anything

    Pairs of sources without words, and those that nobody judged, are not drawn. A pair that comes twice counts once.
    """
    found: dict[str, tuple[NamedCheckup, CitedSource, ClaimSourceVerdict]] = {}
    for one in stored:
        cited = {source.key: source for source in one.checkup.submitted.sources}
        for pair in one.checkup.pairings:
            if was_read(pair) and pair.verdict.label in (labels or CODES):
                claim, source = one.checkup.submitted.claims[pair.claim], cited[pair.source]
                words = f"{claim.text}\0{source.url or source.written}"
                id = "".join(short_key(f"{part}\0{words}") for part in ("one", "two"))
                found.setdefault(id, (one, source, pair))
    order = random.Random(seed)  # noqa: S311 - a draw that can be repeated, no secret
    ids = order.sample(sorted(found), min(count or len(found), len(found)))
    drawn = [(id, *found[id]) for id in ids]
    return AnnotationSheet(
        tuple(_build_item(*one) for one in drawn),
        tuple(make_key(id, one.name, one.checkup.judge, pair) for id, one, _, pair in drawn),
        sum(pair.source not in one.documents for _, one, _, pair in drawn),
    )


def make_key(id: str, text: str, judge: str, pair: ClaimSourceVerdict) -> AnnotationKey:
    """The key of an item that is this pair of a text."""
    label = pair.verdict.label
    return AnnotationKey(id=id, label=label, judge=judge, text=text, statement=pair.claim, source=pair.source)


def _build_item(id: str, one: NamedCheckup, cited: CitedSource, pair: ClaimSourceVerdict) -> AnnotationItem:
    checkup = one.checkup
    statement = checkup.submitted.claims[pair.claim].text
    work = next((found.reference for found in checkup.traced if found.key == pair.source and found.reference), None)
    document = one.documents.get(pair.source)
    return AnnotationItem(
        id,
        checkup.origin.question,
        statement,
        (work.title if work else "") or cited.title or cited.written,
        cited.url or (work.url if work else ""),
        _find_part(document, statement, pair) if document else pair.quote,
    )


def _find_part(document: Document, statement: str, pair: ClaimSourceVerdict) -> str:
    """The part of a source with its words on the statement: as long where the judge named words as where it did not."""
    windows = DocumentWindows(document, PART_LENGTH, 1)
    best = [windows.part_around(pair.start, pair.end)] if pair.quote else windows.best_parts(statement)
    start, end = best[0] if best else Span(0, 0)
    return document.text[start:end]


def render_sheet(sheet: AnnotationSheet) -> str:
    """The sheet as a table: a row for each item, with empty cells for raters."""
    header = (*AnnotationItem._fields, *EMPTY_COLUMNS)
    return render_csv(header, [(*item, *[""] * len(EMPTY_COLUMNS)) for item in sheet.items])


# --- what people wrote -------------------------------------------------------------------------------------------


class RaterSheets(NamedTuple):
    """What was written, by rater, as verdicts; the rows that say nothing that can be used; what each left empty."""

    raters: Mapping[str, Labels]
    rejected: tuple[RejectedLine, ...]
    empty: Mapping[str, tuple[str, ...]]


def read_keys(file: File) -> tuple[AnnotationKey, ...]:
    """The key of a sheet. Raises UnreadableFile."""
    keys = []
    for row, fields in read_rows(file):
        try:
            keys.append(AnnotationKey.model_validate(fields))
        except ValidationError as error:
            reason = fields if isinstance(fields, str) else "it is not the key of an item"
            raise UnreadableFile(str(file), f"row {row}: {reason}", KEY_REMEDY) from error
    if not keys:
        raise UnreadableFile(str(file), "it is empty", KEY_REMEDY)
    return tuple(keys)


def read_sheets(files: Sequence[File], keys: Sequence[AnnotationKey]) -> RaterSheets:
    """What the raters wrote (`read_rater_rows`).

    A code that is none, an item that the key does not have and a second, other code for an item are rejected, row by
    row; an item without a code is `empty`. Raises UnreadableFile for a file that cannot be read, SourceRefused where
    nothing is left to compare.
    """
    known = {key.id for key in keys}
    raters: dict[str, dict[str, str]] = {}

    def take(rater: str, cells: Mapping[str, str]) -> None:
        id, written = cells.get("id", ""), cells.get("label", "")
        labels = raters.setdefault(rater, {})
        if id not in known:
            raise UnusableLine(f"the key has no item “{id}”" if id else "it has no id")
        label = parse_code(written)
        if written and label is None:
            raise UnusableLine(f"“{written}” is none of {', '.join(CODES.values())}")
        if label and labels.setdefault(id, label) != label:
            raise UnusableLine(f"item {id} has another code in an earlier row")

    rejected = read_rater_rows(files, take)
    if not any(raters.values()):
        raise refuse_empty("sheet has a code", rejected, f": write {', '.join(CODES.values())}.")
    empty = {name: tuple(id for id in sorted(known) if id not in labels) for name, labels in raters.items()}
    return RaterSheets(raters, rejected, empty)


def parse_code(written: str) -> VerdictLabel | None:
    """The verdict that somebody wrote on a sheet; None for what is none."""
    return CODE_SYNONYMS.get(" ".join(written.lower().replace("_", " ").split()).strip(" ."))


def measure_agreement(sheets: RaterSheets, keys: Sequence[AnnotationKey], *, binary: bool) -> RaterStudy:
    """How far the raters agree, and the judge with them.

    binary   supported or not, as the paper has it: what is contradicted is not supported
    """

    def fold(labels: Labels) -> Labels:
        return {id: "silent" if binary and label != "supports" else label for id, label in labels.items()}

    judged = fold({key.id: key.label for key in keys})
    return compare_with_raters(JUDGE, judged, {name: fold(labels) for name, labels in sheets.raters.items()})


def agreement_to_json(sheets: RaterSheets, study: RaterStudy) -> dict[str, Any]:
    """Everything, for programs."""
    return {
        "raters": {
            name: {"labelled": len(labels), "missing": sheets.empty[name]} for name, labels in sheets.raters.items()
        },
        **study.raters._asdict(),
        "judge": study.judge,
        "ties": study.ties,
        "table": [
            {"majority": one, "judge": other, "items": n} for (one, other), n in sorted(study.cross_table().items())
        ],
        "rejected": sheets.rejected,
    }
