"""What raters sent back, read with the key: each rating with the system that it is of, and who did not read.

Quality control is the same question twice, and an answer that is obviously wrong.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from wellsourced.errors import UnreadableFile
from wellsourced_evaluate.checkups.rater_files import RejectedLine, fold_words, read_rater_rows, refuse_empty
from wellsourced_evaluate.pair_sets.base import UnusableLine
from wellsourced_evaluate.rating.questionnaire import (
    LETTERS,
    PREFERENCE,
    RIGHT,
    TIE,
    WRONG,
    Criterion,
    FormItem,
    Questionnaire,
)

TIE_WORDS = frozenset({TIE, "ties", "none", "neither", "both", "no difference", "="})

MAX_DRIFT = 0.25
"""How far ratings of the same answers may lie apart on the average, as a part of the scale: one step of five."""

_WHOLE_NUMBER = re.compile(r"(-?\d{1,2})(?:[.,]0)?")


class RatedItem(NamedTuple):
    """What one rater said of one item.

    values      (system, criterion) → rating, as far as there is one
    preferred   the system whose answer the rater would rather have; "" for none of them; None: it is not said
    """

    rater: str
    key: FormItem
    values: Mapping[tuple[str, str], int]
    preferred: str | None


class ReturnedRatings(NamedTuple):
    """All that came back.

    items      in the order of the files
    rejected   rows that cannot be used
    missing    rater → cells that are empty, in items that were returned and in those that were not
    """

    items: tuple[RatedItem, ...]
    rejected: tuple[RejectedLine, ...]
    missing: Mapping[str, int]


def read_study_key(path: Path) -> Questionnaire:
    """The key of a questionnaire. Raises UnreadableFile."""
    remedy = "Give the file key.json that `wellsourced evaluate questionnaire` wrote."
    try:
        return Questionnaire.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise UnreadableFile(path, "it is not the key of a questionnaire", remedy) from error


def read_ratings(files: Sequence[Path], key: Questionnaire) -> ReturnedRatings:
    """The ratings of all files (`read_rater_rows`).

    A row is rejected whose form or item the key does not have, that holds what is no rating of the scale, or that rates
    again what the rater has rated otherwise. Raises UnreadableFile for a file that cannot be read, SourceRefused where
    nothing is left.
    """
    known = {(form.id, item.id): item for form in key.forms for item in form.items}
    found: dict[tuple[str, str, str], RatedItem] = {}
    forms: dict[str, str] = {}

    def take(rater: str, cells: Mapping[str, str]) -> None:
        form, id = cells.get("form", ""), cells.get("item", "")
        if (form, id) not in known:
            raise UnusableLine(f"the key has no item “{id}” of a form “{form}”" if id else "it has no item")
        if forms.setdefault(rater, form) != form:
            raise UnusableLine(f"{rater} has filled in another form already: raters need different names")
        item = _read_item(rater, cells, known[form, id], key)
        if item.values or item.preferred is not None:
            same = found.setdefault((rater, item.key.kind, item.key.question), item)
            if same != item:
                raise UnusableLine(f"{rater} has rated this question otherwise in an earlier row")

    rejected = read_rater_rows(files, take)
    if not found:
        raise refuse_empty("file has a rating", rejected, ". Give what raters saved, and the key of it.")
    filled: Counter[str] = Counter()
    for item in found.values():
        filled[item.rater] += len(item.values) + (item.preferred is not None)
    cells = {form.id: sum(_count_cells(item, key) for item in form.items) for form in key.forms}
    missing = {rater: cells[forms[rater]] - number for rater, number in filled.items()}
    return ReturnedRatings(tuple(found.values()), rejected, missing)


def _count_cells(item: FormItem, key: Questionnaire) -> int:
    asked = sum(len(item.list_criteria(key.criteria, place)) for place in range(len(item.systems)))
    return asked + bool(key.criteria.preference)


def _read_item(rater: str, cells: Mapping[str, str], item: FormItem, key: Questionnaire) -> RatedItem:
    letters, values = LETTERS[: len(item.systems)], {}
    for place, letter in enumerate(LETTERS):
        for criterion in key.criteria.criteria:
            column = f"{letter} {criterion.name}"
            written = cells.get(fold_words(column))
            if written and (letter not in letters or criterion not in item.list_criteria(key.criteria, place)):
                raise UnusableLine(f"there is nothing to rate as “{fold_words(column)}” in this item")
            if written:
                values[item.systems[place], criterion.name] = _parse_rating(written, column, criterion)
    return RatedItem(rater, item, values, _parse_preference(cells.get(PREFERENCE, ""), item, letters))


def _parse_rating(written: str, column: str, criterion: Criterion) -> int:
    number = _WHOLE_NUMBER.fullmatch(written)
    if not number or not criterion.low <= int(number[1]) <= criterion.high:
        raise UnusableLine(f"{column}: “{written}” is not a whole number from {criterion.low} to {criterion.high}")
    return int(number[1])


def _parse_preference(written: str, item: FormItem, letters: str) -> str | None:
    if not written:
        return None
    if fold_words(written) in TIE_WORDS:
        return ""
    if len(written) == 1 and written.upper() in letters:
        return item.systems[letters.index(written.upper())]
    raise UnusableLine(f"{PREFERENCE}: “{written}” is none of {', '.join(letters)} and {TIE}")


def find_failures(items: Sequence[RatedItem], key: Questionnaire) -> dict[str, tuple[str, ...]]:
    """Rater → why quality control was not passed; nobody who passed it, or returned none of its items."""
    first = {(item.rater, item.key.question): item for item in items if item.key.kind == "question"}
    found: dict[str, list[str]] = defaultdict(list)
    for item in items:
        if item.key.kind == "control":
            found[item.rater] += _judge_control(item, key)
    for item in items:
        before = first.get((item.rater, item.key.question))
        if item.key.kind == "repeat" and before:
            found[item.rater] += _judge_repeat(before, item, key)
    return {rater: tuple(reasons) for rater, reasons in found.items() if reasons}


def _judge_control(item: RatedItem, key: Questionnaire) -> Iterator[str]:
    """What speaks against a rater in the control question: the wrong answer is preferred, or rated as good."""
    if item.preferred == WRONG:
        yield "preferred the wrong answer of the control question"
    elif item.preferred == "":
        yield "saw no difference between the right and the wrong answer of the control question"
    gains = [
        (item.values[RIGHT, one.name] - item.values[WRONG, one.name]) * (1 if one.better == "higher" else -1)
        for one in key.criteria.criteria
        if (RIGHT, one.name) in item.values and (WRONG, one.name) in item.values
    ]
    if gains and sum(gains) <= 0:
        yield "rated the wrong answer of the control question as good as the right one"


def _judge_repeat(before: RatedItem, again: RatedItem, key: Questionnaire) -> Iterator[str]:
    """What speaks against a rater in the question that was put twice: another preference, or ratings far apart."""
    if before.preferred and again.preferred and before.preferred != again.preferred:
        yield "preferred another answer when a question was put again with the answers exchanged"
    steps = {one.name: one.high - one.low for one in key.criteria.criteria}
    drifts = [
        abs(value - before.values[cell]) / steps[cell[1]]
        for cell, value in again.values.items()
        if cell in before.values
    ]
    if drifts and sum(drifts) / len(drifts) > MAX_DRIFT:
        yield "rated the same answers far apart when a question was put again"
