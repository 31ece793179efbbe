"""A dose by weight worked out for the patient: the source's own rule times the weight in the record, up to its maximum.

It is arithmetic and no statement of a source, and says so. Nothing is worked out where a text has several rules, a rate
for each hour or day, or where the record has no weight or two that differ.
"""

import re
from collections.abc import Iterator, Sequence

from wellsourced.recommend.patient_record import PatientRecord
from wellsourced.types import Statement

_UNIT = r"(?P<unit>mg|mcg|µg|g|units?|IU|mL)"
_RULE = re.compile(rf"(?P<rate>\d+(?:\.\d+)?)\s?{_UNIT}\s?/\s?kg\b(?P<each>\s?/|\s?per\b)?", re.IGNORECASE)
_RANGE_BEFORE = re.compile(r"\d\s?(?:[-–—]{1,2}|to)\s?$")
_ASKED = re.compile(r"\bdos(?:e|es|age|ages|ing)\b|\bhow (?:much|many)\b", re.IGNORECASE)


def work_out_doses(question: str, statements: Sequence[Statement], record: PatientRecord) -> Iterator[str]:
    """A sentence for each leading statement that gives one dose by weight, where the question asks for a dose."""
    weights = {one.value: one.words for one in record.find_figures("weight")}
    if len(weights) != 1 or not _ASKED.search(question):
        return
    (weight, words), *_ = weights.items()
    for statement in statements:
        rules = list(_RULE.finditer(statement.text))
        if statement.lead and len(rules) == 1 and not rules[0]["each"] and not _is_range(statement.text, rules[0]):
            yield _describe_dose(statement.text, rules[0], weight, words)


def _is_range(text: str, rule: re.Match[str]) -> bool:
    return bool(_RANGE_BEFORE.search(text[: rule.start()]))


def _describe_dose(text: str, rule: re.Match[str], weight: float, words: str) -> str:
    unit, dose = rule["unit"], round(float(rule["rate"]) * weight, 2)
    behind = re.split(r"[;]|\.\s", text[rule.end() :])[0]
    most = re.search(
        rf"\bmax(?:imum)?\b[^\d;]{{0,30}}(?P<most>\d+(?:\.\d+)?)\s?{re.escape(unit)}\b", behind, re.IGNORECASE
    )
    told = f"{rule['rate']} {unit}/kg × {weight:g} kg (“{words}”) = {dose:g} {unit}"
    if most and float(most["most"]) < dose:
        told += f", above the maximum of {most['most']} {unit}, which then holds"
    elif most:
        told += f", below the maximum of {most['most']} {unit}"
    return f"worked out here and not said by the source: {told}"
