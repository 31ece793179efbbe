"""The problems of a patient that are searched for: names of `searched_problems.tsv`, never words of the record.

A row is how pressing a problem is, what it is searched for as, the conditions of the record that it is, of which
others one must be there too, and how a record may write it besides. The first row that holds takes its conditions: in
a patient with cirrhosis who vomits blood the problem is variceal bleeding, and neither of the two alone. A measure in
braces stands for its figure: "{potassium}"; a row whose figure is not known does not hold.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal, NamedTuple, cast

from wellsourced.clinical.warned_conditions import find_conditions, wider_conditions
from wellsourced.recommend.event_times import find_days_ago
from wellsourced.recommend.patient_record import MAX_RECORD_CHARS, PatientFact, PatientRecord, is_denied
from wellsourced.text.tables import read_rows

MAX_ACUTE_DAYS = 14.0
"""Days after which what happened is no longer what a patient presents with."""

Pressure = Literal["acute", "chronic", "minor"]

_OVER = re.compile(
    r"\b(?:previous(?:ly)?|prior|past|history of|h/o|hx of|PMHx?|known|after (?:an?|his|her)|(?:in|since) "
    r"(?:19|20)\d\d|(?:recurrent|last) \w+ in (?:19|20)\d\d|years? ago|months? ago|post|resolved|prevent\w*)\b",
    re.IGNORECASE,
)
_TAKING = "taking "


class Problem(NamedTuple):
    """A problem of a patient.

    words      what it is searched for as
    pressure   acute: what the patient presents with; minor: it is searched for where nothing else is known
    """

    words: str
    pressure: Pressure


class _ProblemRow(NamedTuple):
    pressure: Pressure
    words: str
    conditions: frozenset[str]
    others: tuple[str, ...]
    pattern: re.Pattern[str] | None

    @property
    def taken_conditions(self) -> frozenset[str]:
        """The conditions that it stands for: a later row on one of them says nothing new."""
        named = {*self.conditions, *self.others, *(one.name for one in find_conditions(self.words))}
        return frozenset(named | {wider for name in named for wider in wider_conditions(name)})


def find_problems(text: str, record: PatientRecord) -> tuple[Problem, ...]:
    """What a record says that its patient has: what is acute as pressing as the table has it, then the chronic and the
    minor in the order in which they are told.
    """
    found: list[tuple[int, int, Problem]] = []
    taken: set[str] = set()
    for number, row in enumerate(_load_rows()):
        if row.conditions and row.conditions <= taken:
            continue
        at = _find_place(row, text[:MAX_RECORD_CHARS], record)
        words = _fill_in(row.words, record)
        if at is None or not words or (not row.conditions and _is_told(row, taken)):
            continue
        found.append(
            (_ORDER.index(row.pressure), number if row.pressure == "acute" else at, Problem(words, row.pressure))
        )
        taken |= row.taken_conditions
    return tuple(problem for _, _, problem in sorted(found))


_ORDER: tuple[Pressure, ...] = ("acute", "chronic", "minor")


def _fill_in(words: str, record: PatientRecord) -> str:
    """The words with the figures that they ask for; "" where one is not known."""
    for measure in re.findall(r"\{([\w ]+)\}", words):
        figures = record.find_figures(measure)
        words = words.replace(f"{{{measure}}}", f"{figures[0].value:g}") if figures else ""
    return words


def _is_told(row: _ProblemRow, taken: set[str]) -> bool:
    named = {one.name for one in find_conditions(row.words)}
    return bool(named) and named <= taken


def _find_place(row: _ProblemRow, text: str, record: PatientRecord) -> int | None:
    """Where a record tells of a problem; None where it does not, or tells that it is over."""
    places = [
        match.start()
        for match in (row.pattern.finditer(text) if row.pattern else ())
        if not is_denied(text, match.start(), match.end())
        and not (row.pressure == "acute" and _is_over(text, match.start(), match.end()))
    ]
    if any(_has(other, record) for other in row.others) or not row.others:
        facts = [record.conditions[name] for name in row.conditions if name in record.conditions]
        places += [_place_fact(text, fact) for fact in facts if not (row.pressure == "acute" and _is_past(fact))]
    return min(places, default=None)


def _has(other: str, record: PatientRecord) -> bool:
    if other.startswith(_TAKING):
        return any(drug.drug == other.removeprefix(_TAKING) for drug in record.current_drugs)
    return other in record.conditions


def _is_past(fact: PatientFact) -> bool:
    return bool(_OVER.search(fact.words)) or (fact.days_ago is not None and fact.days_ago > MAX_ACUTE_DAYS)


def _is_over(text: str, start: int, end: int) -> bool:
    days = find_days_ago(text, start, end)
    before = re.split(r"[.;,\n]", text[max(0, start - 40) : start])[-1]
    behind = re.split(r"[.;,\n]", text[end : end + 25])[0]
    return bool(_OVER.search(f"{before}|{behind}")) or (days is not None and days > MAX_ACUTE_DAYS)


def _place_fact(text: str, fact: PatientFact) -> int:
    """Where a fact is told: where its name stands, or its words; behind everything where figures alone say it."""
    named = [one.start for one in find_conditions(text) if fact.name in (one.name, *one.wider)]
    at = text.find(fact.words)
    return min(named, default=at if at >= 0 else len(text))


@cache
def _load_rows() -> tuple[_ProblemRow, ...]:
    return tuple(_read_table())


def _read_table() -> Iterator[_ProblemRow]:
    for pressure, words, conditions, others, pattern in read_rows("wellsourced.recommend", "searched_problems.tsv"):
        yield _ProblemRow(
            cast(Pressure, pressure),
            words,
            frozenset(filter(None, conditions.split("|"))),
            tuple(filter(None, others.split("|"))),
            re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE) if pattern else None,
        )
