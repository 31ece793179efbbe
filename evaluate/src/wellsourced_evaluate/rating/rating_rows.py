"""What raters sent back, read with the key: each rating with the system that it is of, and who did not read.

A bad row costs only itself. Quality control is the same question twice, and an answer that is obviously wrong.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced.factcheck.load.answer_rows import RejectedRow, read_rows
from wellsourced_evaluate.rating.questionnaire import LETTERS, RIGHT, WRONG, Criterion, ItemKey, StudyKey

TIE = "tie"
PREFERENCE = "preference"
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
    key: ItemKey
    values: Mapping[tuple[str, str], int]
    preferred: str | None


class ReturnedRatings(NamedTuple):
    """All that came back.

    items      in the order of the files
    rejected   (file, row that cannot be used)
    missing    rater → cells that are empty, in items that were returned and in those that were not
    """

    items: tuple[RatedItem, ...]
    rejected: tuple[tuple[str, RejectedRow], ...]
    missing: Mapping[str, int]

    @property
    def raters(self) -> tuple[str, ...]:
        """Whose ratings there are."""
        return tuple(dict.fromkeys(one.rater for one in self.items))


def read_study_key(path: Path) -> StudyKey:
    """The key of a questionnaire. Raises UnreadableFile."""
    remedy = "Give the file key.json that `wellsourced evaluate questionnaire` wrote."
    try:
        return StudyKey.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise UnreadableFile(path, "it is no key of a questionnaire", remedy) from error


def read_ratings(files: Sequence[Path], key: StudyKey) -> ReturnedRatings:
    """The ratings of all files. A rater is named by the column `rater`, else by the file.

    A row is refused whose form or item the key does not have, that holds what is no rating of the scale, or that rates
    again what the rater has rated otherwise. Raises UnreadableFile for a file that cannot be read, SourceRefused where
    nothing is left.
    """
    known = {(form.id, item.id): item for form in key.forms for item in form.items}
    found: dict[tuple[str, str, str], RatedItem] = {}
    forms: dict[str, str] = {}
    rejected: list[tuple[str, RejectedRow]] = []
    for file in files:
        for number, fields in read_rows(file):
            try:
                if isinstance(fields, str):
                    raise _BadRating(fields)
                item = _read_item(fields, file, known, key, forms)
                if item.values or item.preferred is not None:
                    same = found.setdefault((item.rater, item.key.kind, item.key.question), item)
                    if same != item:
                        raise _BadRating(f"{item.rater} has rated this question otherwise in an earlier row")
            except _BadRating as bad:
                rejected.append((file.name, RejectedRow(number, str(bad))))
    if not found:
        told = f" ({rejected[0][0]}, row {rejected[0][1].row}: {rejected[0][1].reason})" if rejected else ""
        raise SourceRefused(f"No file has a rating that can be used{told}. Give what raters saved, and the key of it.")
    items = tuple(found.values())
    return ReturnedRatings(items, tuple(rejected), dict(_count_missing(items, key, forms)))


class _BadRating(Exception):
    """Why a row cannot be used."""


def _read_item(
    fields: Mapping[str, Any],
    file: Path,
    known: Mapping[tuple[str, str], ItemKey],
    key: StudyKey,
    forms: dict[str, str],
) -> RatedItem:
    said = {_fold(name): _to_cell(value) for name, value in fields.items()}
    form, id = said.get("form", ""), said.get("item", "")
    if (form, id) not in known:
        raise _BadRating(f"the key has no item “{id}” of a form “{form}”" if id else "it has no item")
    item, rater = known[form, id], said.get("rater") or file.name.partition(".")[0] or file.name
    if forms.setdefault(rater, form) != form:
        raise _BadRating(f"{rater} has filled in another form already: raters need different names")
    letters = LETTERS[: len(item.systems)]
    if foreign := next((name for name in said if said[name] and _is_foreign(name, letters, key)), ""):
        raise _BadRating(f"there is nothing to rate as “{foreign}” in this item")
    values = {}
    for letter, system in zip(letters, item.systems, strict=True):
        for criterion in key.criteria.criteria:
            if written := said.get(_fold(f"{letter} {criterion.name}"), ""):
                values[system, criterion.name] = _parse_rating(written, f"{letter} {criterion.name}", criterion)
    return RatedItem(rater, item, values, _parse_preference(said.get(PREFERENCE, ""), item, letters))


def _is_foreign(name: str, letters: str, key: StudyKey) -> bool:
    """Whether a column rates an answer that the item does not have."""
    letter, _, criterion = name.partition(" ")
    rated = {_fold(one.name) for one in key.criteria.criteria}
    return criterion in rated and letter.upper() in set(LETTERS) - set(letters)


def _fold(name: object) -> str:
    return " ".join(str(name).split()).casefold()


def _to_cell(value: object) -> str:
    """A cell without the apostrophe that keeps a spreadsheet from running it."""
    text = "" if value is None else str(value).strip()
    return text[1:] if text.startswith("'") and text[1:].startswith(("=", "+", "-", "@")) else text


def _parse_rating(written: str, column: str, criterion: Criterion) -> int:
    number = _WHOLE_NUMBER.fullmatch(written)
    value = int(number[1]) if number else criterion.low - 1
    if not criterion.low <= value <= criterion.high:
        raise _BadRating(f"{column}: “{written}” is no whole number from {criterion.low} to {criterion.high}")
    return value


def _parse_preference(written: str, item: ItemKey, letters: str) -> str | None:
    if not written:
        return None
    if _fold(written) in TIE_WORDS:
        return ""
    if len(written) == 1 and written.upper() in letters:
        return item.systems[letters.index(written.upper())]
    raise _BadRating(f"{PREFERENCE}: “{written}” is none of {', '.join(letters)} and {TIE}")


def _count_missing(items: Sequence[RatedItem], key: StudyKey, forms: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    """Of each rater, how many cells of the form are empty."""
    cells = {
        form.id: sum(
            len(item.systems) * len(key.criteria.criteria) + bool(key.criteria.preference) for item in form.items
        )
        for form in key.forms
    }
    for rater in dict.fromkeys(one.rater for one in items):
        filled = sum(len(one.values) + (one.preferred is not None) for one in items if one.rater == rater)
        yield rater, cells[forms[rater]] - filled


def find_failures(items: Sequence[RatedItem], key: StudyKey) -> dict[str, tuple[str, ...]]:
    """Rater → why quality control was not passed; nobody who passed it, or returned none of its items."""
    found: dict[str, tuple[str, ...]] = {}
    for rater in dict.fromkeys(one.rater for one in items):
        own = [one for one in items if one.rater == rater]
        if reasons := (*_judge_control(own, key), *_judge_repeat(own, key)):
            found[rater] = reasons
    return found


def _judge_control(items: Sequence[RatedItem], key: StudyKey) -> Iterator[str]:
    """What speaks against a rater in the control question: the wrong answer is preferred, or rated as good."""
    for item in items:
        if item.key.kind != "control":
            continue
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


def _judge_repeat(items: Sequence[RatedItem], key: StudyKey) -> Iterator[str]:
    """What speaks against a rater in the question that was put twice: another preference, or ratings far apart."""
    first = {item.key.question: item for item in items if item.key.kind == "question"}
    for again in items:
        before = first.get(again.key.question)
        if again.key.kind != "repeat" or before is None:
            continue
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
