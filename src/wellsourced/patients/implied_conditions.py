"""Conditions that a patient's figures imply, by published limits: `implied_conditions.tsv`.

A row is a condition, what is measured and its unit, the limit and that of a severe one, whom it holds for, the class of
drugs that explains the figure, and the source of the limits. `measurements.py` has turned US and SI units into it.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from wellsourced.medicine.drugs import DrugMention
from wellsourced.medicine.measurements import ADULT_AGE, GESTATION, Figure
from wellsourced.medicine.quantities import QuantityRange, find_ranges
from wellsourced.patients.words import find_words, load_words
from wellsourced.text.scope import is_own
from wellsourced.text.tables import read_rows


class Person(NamedTuple):
    """Whose figures they are.

    age   in years; None when it is not said
    sex   "female", "male", or "" when it is not said
    """

    age: float | None = None
    sex: str = ""
    is_pregnant: bool = False
    is_past_fertility: bool = False
    drugs: tuple[DrugMention, ...] = ()


class ConditionLimit(NamedTuple):
    """A row of the table; a figure has to lie within `bounds`, and within `severe` too for a severe one."""

    condition: str
    measure: str
    unit: str
    bounds: QuantityRange
    severe: QuantityRange | None
    whom: str
    explained_by: str
    source: str


def derive_conditions(figures: Sequence[Figure], person: Person) -> Iterator[tuple[str, Figure, bool]]:
    """The conditions that figures imply, each with its figure and whether it is severe, by the rows for this person."""
    for figure in figures:
        decided: set[str] = set()
        for row in load_limits():
            if row.measure != figure.measure or row.condition in decided or not _is_for(row, person):
                continue
            decided.add(row.condition)
            if row.bounds.has(figure.value):
                yield row.condition, figure, row.severe is not None and row.severe.has(figure.value)


@cache
def load_limits() -> tuple[ConditionLimit, ...]:
    """The rows of the table."""
    rows = read_rows("wellsourced.patients", "implied_conditions.tsv")
    return tuple(
        ConditionLimit(
            name, measure, unit, find_ranges(bounds)[0], find_ranges(severe)[0] if severe else None, whom, drugs, source
        )
        for name, measure, unit, bounds, severe, whom, drugs, source in rows
    )


def _is_for(row: ConditionLimit, person: Person) -> bool:
    """Whether a limit holds for a person: an adult is who is not known to be a child."""
    if row.explained_by and any(row.explained_by in drug.classes for drug in person.drugs):
        return False
    if row.whom == "adult":
        return person.age is None or person.age >= ADULT_AGE
    if row.whom == "fertile":
        return person.sex == "female" and not person.is_past_fertility
    return row.whom in ("", "other", person.sex) or (row.whom == "pregnant" and person.is_pregnant)


# --- the kidney's function, where only creatinine is given ------------------------------------------------------------

_STAGE_TOPS = {"3": 59.0, "3a": 59.0, "3b": 44.0, "4": 29.0, "5": 14.0}
"""mL/min: the highest whole eGFR of each stage (KDIGO 2024)."""


def estimate_kidney_function(record: str, figures: Sequence[Figure], person: Person) -> tuple[Figure, ...]:
    """eGFR (CKD-EPI 2021) and clearance (Cockcroft-Gault) from creatinine, age, sex and weight, where none is given.

    Without creatinine, the highest eGFR of the stage that the record names. For adults who are not pregnant; a
    creatinine that is still changing misleads, which is said where the estimate is shown.
    """
    known = {one.measure: one for one in figures}
    if "eGFR" in known or "creatinine clearance" in known:
        return ()
    if creatinine := known.get("creatinine"):
        return tuple(_estimate_from_creatinine(creatinine, known.get("weight"), person))
    if stage := find_words("kidney stage", record):
        top = _STAGE_TOPS.get(f"{stage[1] or stage[3]}{(stage[2] or stage[4] or '').lower()}", 59.0)
        return (Figure("eGFR", top, stage.group().strip(" (,")),)
    return ()


def _estimate_from_creatinine(creatinine: Figure, weight: Figure | None, person: Person) -> Iterator[Figure]:
    age, is_woman = person.age, person.sex == "female"
    if age is None or age < ADULT_AGE or not person.sex or person.is_pregnant:
        return
    low, power = (0.7, -0.241) if is_woman else (0.9, -0.302)
    ratio = creatinine.value / low
    rate = 142 * min(ratio, 1) ** power * max(ratio, 1) ** -1.2 * 0.9938**age * (1.012 if is_woman else 1)
    yield Figure("eGFR", float(round(rate)), f"{creatinine.words}: eGFR about {rate:.0f} mL/min by CKD-EPI 2021")
    if weight:
        cleared = (140 - age) * weight.value / (72 * creatinine.value) * (0.85 if is_woman else 1)
        words = f"{creatinine.words}: clearance about {cleared:.0f} mL/min by Cockcroft-Gault"
        yield Figure("creatinine clearance", float(round(cleared)), words)


# --- weeks of a pregnancy ---------------------------------------------------------------------------------------------


def is_after_birth(record: str, start: int) -> bool:
    """Whether a pregnancy that is named at a place is one that ended, or is one of several."""
    return bool(find_words("born", record[max(0, start - 50) : start]))


def find_gestational_age(record: str) -> tuple[Figure, ...]:
    """The weeks of a pregnancy that the record says is now, not that of a birth, nor somebody else's."""
    for match in load_words("gestation").finditer(record):
        weeks = next(filter(None, match.groups()))
        if is_own(record, *match.span()) and not is_after_birth(record, match.start()) and 2 <= int(weeks) <= 43:
            return (Figure(GESTATION, float(weeks), match.group()),)
    return ()
