"""How many people were studied, in the words of the record."""

import re

from wellsourced.clinical.quantities import extract_quantities, normalize_characters
from wellsourced.late import compile_late

_COUNT = r"\d{1,3}(?:[,\s\u2009\u202f]\d{3})+|\d{1,7}"
_PEOPLE = (
    r"(?:patients?|participants?|subjects?|adults?|children|infants?|neonates|adolescents?|women|men|people|persons?"
    r"|individuals?|volunteers?|cases|controls|pregnancies|births|eyes|veterans|residents|students|nurses|physicians)"
)
_FILLER_WORD = r"(?:(?!in\b|of\b|per\b|and\b|or\b|to\b)[\w-]+\s)"
_COUNT_OF_PEOPLE = rf"(?P<n>{_COUNT})\s{_FILLER_WORD}{{0,4}}?{_PEOPLE}\b"
_TOTAL_COUNT = compile_late(
    rf"\b(?:a total of|in total,?|overall,?|altogether,?)\s(?P<said>{_COUNT_OF_PEOPLE})", re.IGNORECASE
)
_ENROLLED_COUNT = compile_late(
    r"\b(?:randomi[sz]ed|enrol+ed|recruited|included|assigned|studied|analy[sz]ed|followed|identified|evaluated)\s"
    rf"(?P<said>{_COUNT_OF_PEOPLE})",
    re.IGNORECASE,
)
_SUBJECT_COUNT = compile_late(
    rf"(?<![\w.])(?P<said>{_COUNT_OF_PEOPLE})[^.;]{{0,60}}?\b(?:were|was|underwent|completed)\b", re.IGNORECASE
)
_POOLED_COUNT = compile_late(
    rf"(?<![\w.])(?P<said>(?:{_COUNT}|\w+)\s(?:\w+\s){{0,3}}?(?:trials?|studies|RCTs?)\s?"
    r"(?:\(|,|with|involving|including|comprising|\s)+\s?(?:a total of\s)?(?:n\s?=\s?)?"
    rf"{_COUNT_OF_PEOPLE})",
    re.IGNORECASE,
)
_N_EQUALS = compile_late(rf"(?<![\w.])(?P<said>[Nn]\s?=\s?(?P<n>{_COUNT}))(?![\d.%]|\s?%)")
_ANY_COUNT = compile_late(rf"(?<![\w.])(?P<said>{_COUNT_OF_PEOPLE})", re.IGNORECASE)

_ARM_BEFORE = compile_late(r"\b(?:each|per|every|both|either)\s(?:\w+\s)?(?:group|arm)s?\b[^.;]{0,30}\Z", re.IGNORECASE)
_ARM_BEHIND = compile_late(
    r"[^.;]{0,30}?\b(?:in|per|to|of)\s(?:each|every|both|either)\s(?:of the\s)?(?:\w+\s)?(?:group|arm)", re.IGNORECASE
)
"""How the size of one arm is told: "in each group, there were 44 patients"."""

_PEOPLE_BEHIND = compile_late(rf"\s{_FILLER_WORD}{{0,3}}?{_PEOPLE}\b", re.IGNORECASE)
_PART_OF_NUMBER = compile_late(r"\b(?:hundred|thousand)\s(?:and\s)?\Z", re.IGNORECASE)

MAX_CHARACTERS = 6_000
"""Characters in which it is looked for."""

MIN_WRITTEN = 13
"""Smaller numbers in words are seldom of people."""


def find_sample(text: str) -> str:
    """The words that state how many were studied; "" when none do, or when the largest of several cannot be told.

    Words that say that it is all of them come first ("a total of 312 women"), then those with a verb of enrolment; of
    "n = 30" and the like the largest, since arms and subgroups are smaller than the whole. What is told of each arm is
    no size of the whole; a number in words is told in digits.
    """
    read = _write_digits(text[:MAX_CHARACTERS])
    for pattern in (_POOLED_COUNT, _TOTAL_COUNT, _ENROLLED_COUNT, _SUBJECT_COUNT, _N_EQUALS, _ANY_COUNT):
        whole = (one for one in pattern.finditer(read) if not _is_of_one_arm(one, read))
        if found := max(whole, key=_matched_size, default=None):
            return " ".join(found["said"].split())
    return ""


def _is_of_one_arm(match: re.Match[str], text: str) -> bool:
    before, behind = text[max(0, match.start() - 60) : match.start()], text[match.end("said") :]
    return bool(_ARM_BEFORE.search(before) or _ARM_BEHIND.match(behind))


def _write_digits(text: str) -> str:
    """The text with larger numbers in words as digits: "Eighty eight patients" is "88 patients"."""
    written = normalize_characters(text)
    for one in reversed(extract_quantities(written)):
        is_part = _PART_OF_NUMBER.search(written[: one.start])
        is_written = one.value >= MIN_WRITTEN and not one.unit and not re.search(r"\d", one.words)
        if is_written and not is_part and _PEOPLE_BEHIND.match(written, one.start + len(one.words)):
            written = f"{written[: one.start]}{one.value:f}{written[one.start + len(one.words) :]}"
    return written


def parse_sample_size(words: str) -> int:
    """The largest number in such words; 0 without one."""
    return max((int(re.sub(r"\D", "", number)) for number in re.findall(_COUNT, words)), default=0)


def _matched_size(match: re.Match[str]) -> int:
    return int(re.sub(r"\D", "", match["n"]))
