"""What a text names of a patient's record: the conditions and limits that it gives, where the record has them."""

from functools import lru_cache
from typing import NamedTuple

from wellsourced.medicine.conditions import ConditionName, find_conditions
from wellsourced.medicine.measurements import Limit, find_limits
from wellsourced.medicine.quantities import find_ranges
from wellsourced.medicine.units import convert
from wellsourced.patients.record import PatientFact, PatientRecord
from wellsourced.patients.words import find_words, load_words, match_words
from wellsourced.text.lexicon import name_set

RECENT_DAYS = 366.0
"""Days for which something is "recent" where a text gives no figure."""

MIN_WARNED_AGE = 40.0
"""Years: a lower bound of age below this tells whom a text is about, and warns of nothing."""

_HIGH_IS_GOOD = frozenset({"eGFR", "creatinine clearance", "LVEF", "platelets", "haemoglobin", "neutrophils"})
DOSED_BY = name_set("""
    pregnancy, breastfeeding, old age, childhood, kidney disease, dialysis, liver disease, cirrhosis, liver failure,
    hyperkalaemia, hypokalaemia, hyponatraemia, long QT, bradycardia, acidosis, thrombocytopenia, neutropenia,
    hypoglycaemia, hypocalcaemia, falls, frailty
""")
"""What a dose or a caution hangs on; having the disease that is treated does not."""


class Match(NamedTuple):
    """Something of the record that a line names: what it is called here, and the record's words."""

    about: str
    words: str


@lru_cache(maxsize=10_000)
def blank_no_warnings(text: str) -> str:
    """The text with blanks for words that only look like a warning: characters keep their places."""
    return load_words("no warning").sub(lambda found: " " * len(found.group()), text)


def find_circumstances(text: str, record: PatientRecord) -> tuple[list[Match], bool]:
    """The conditions and limits that a text names and the record has, and whether it names any at all.

    A text is read item by item; a limit that the record does not reach takes what is named beside it away.
    """
    limits, conditions = find_limits(text), find_conditions(text)
    if not limits and not conditions:
        return [], False
    found: list[Match] = []
    names_any = False
    required = find_words("required", text)
    edges = [0, *(edge for match in load_words("item end").finditer(text) for edge in match.span()), len(text)]
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        own = [
            one for one in limits if start <= one.start < end and _is_warned_limit(one.measure, one.low, one.high, text)
        ]
        named = [one for one in conditions if start <= one.start < end]
        meant = [one for one in named if not _is_effect(text, one, record)]
        # What is treated is whom a line is about, and nothing else.
        names_any = names_any or bool(
            own or meant or any(find_words("before treated", text[: one.start]) for one in named)
        )
        reached = [_find_reached(one, record, required is not None and required.end() <= one.start) for one in own]
        if None in reached:
            found = [one for one in found if one.about not in {limit.measure for limit in own}]
            continue
        found += [one for one in reached if one and one.words]
        found += [Match(one.name, fact.words) for one in meant if (fact := _find_fact(text, one, record))]
    needed = find_words("count needed", text)
    if needed and len({one.about for one in found}) < (2 if (needed["n"] or needed["m"]) in ("two", "2") else 3):
        return [], names_any
    return list(dict.fromkeys(found)), names_any


def _find_reached(limit: Limit, record: PatientRecord, is_required: bool) -> Match | None:
    """The figure of the record that reaches a limit, or misses one that is required; without words where the record has
    no such figure; None where it has another.
    """
    figures = record.find_figures(limit.measure)
    if not figures:
        return Match(limit.measure, "")
    hit = next((one for one in figures if limit.has(one.value) != is_required), None)
    return Match(limit.measure, hit.words) if hit else None


def _is_warned_limit(measure: str, low: float, high: float, text: str) -> bool:
    """Whether a limit marks somebody out: normal kidneys and being an adult do so only where something is forbidden."""
    if measure == "age":
        return high < 19 or low >= MIN_WARNED_AGE
    if measure in _HIGH_IS_GOOD and high == float("inf") and not find_words("required", text):
        return bool(find_words("forbids", blank_no_warnings(text)))
    return True


def _find_fact(text: str, one: ConditionName, record: PatientRecord) -> PatientFact | None:
    """What the record says of a condition that a text names, where severity and time agree."""
    before = text[max(0, one.start - 200) : one.start]
    fact = record.conditions.get(one.name) or (
        record.family.get(one.name) if find_words("before family", before) else None
    )
    if fact is None or find_words("before absent", before):
        return None
    if find_words("before severe", before) and one.name not in record.severe:
        return None
    if find_words("before mild", before) and one.name in record.severe:
        return None
    return fact if _is_in_window(text, one, fact) else None


def _is_in_window(text: str, one: ConditionName, fact: PatientFact) -> bool:
    """Whether an event was within the time that a text gives ("within 3 months", "recent"); one without a time was."""
    if fact.days_ago is None:
        return True
    around = text[one.start : one.end + 60].partition(".")[0]
    span = next((each for each in find_ranges(around) if each.unit in ("day", "week", "month", "year")), None)
    if span and find_words("earlier", around) and not find_words("window", around):
        return fact.days_ago >= (convert(float(span.last.value), span.unit, "day") or 0) * 0.97
    if single := find_words("last", around):
        return fact.days_ago <= (convert(1.03, single["unit"].lower(), "day") or 0)
    if span and find_words("window", around):
        return fact.days_ago <= (convert(1.03 * float(span.last.value), span.unit, "day") or 0)
    return not find_words("before recent", text[: one.start]) or fact.days_ago <= RECENT_DAYS


def _is_effect(text: str, one: ConditionName, record: PatientRecord) -> bool:
    """Whether a condition is what may come of a drug or is treated, and not whom the text is about; what a patient has
    already and a drug may worsen counts.
    """
    before = text[: one.start]
    if find_words("before avoided", before):
        return False
    is_risk = not match_words("own list", text) and bool(match_words("behind risk", text[one.end :]))
    if not is_risk and not find_words("before effect", before):
        return False
    may_worsen = is_risk or any(word in before.lower() for word in ("risk", "caus", "worsen", "precipit"))
    return not (may_worsen and one.name in DOSED_BY and one.name in record.conditions)
