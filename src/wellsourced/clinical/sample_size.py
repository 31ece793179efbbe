"""How many people were studied, in the words of the record."""

import re

_COUNT = r"\d{1,3}(?:[,\s\u2009\u202f]\d{3})+|\d{1,7}"
_PEOPLE = (
    r"(?:patients?|participants?|subjects?|adults?|children|infants?|neonates|adolescents?|women|men|people|persons?"
    r"|individuals?|volunteers?|cases|controls|pregnancies|births|eyes|veterans|residents|students|nurses|physicians)"
)
_FILLER_WORD = r"(?:(?!in\b|of\b|per\b|and\b|or\b|to\b)[\w-]+\s)"
_COUNT_OF_PEOPLE = rf"(?P<n>{_COUNT})\s{_FILLER_WORD}{{0,4}}?{_PEOPLE}\b"
_TOTAL_COUNT = re.compile(
    rf"\b(?:a total of|in total,?|overall,?|altogether,?)\s(?P<said>{_COUNT_OF_PEOPLE})", re.IGNORECASE
)
_ENROLLED_COUNT = re.compile(
    r"\b(?:randomi[sz]ed|enrol+ed|recruited|included|assigned|studied|analy[sz]ed|followed|identified|evaluated)\s"
    rf"(?P<said>{_COUNT_OF_PEOPLE})",
    re.IGNORECASE,
)
_SUBJECT_COUNT = re.compile(
    rf"(?<![\w.])(?P<said>{_COUNT_OF_PEOPLE})[^.;]{{0,60}}?\b(?:were|was|underwent|completed)\b", re.IGNORECASE
)
_POOLED_COUNT = re.compile(
    rf"(?<![\w.])(?P<said>(?:{_COUNT}|\w+)\s(?:\w+\s){{0,3}}?(?:trials?|studies|RCTs?)\s?"
    r"(?:\(|,|with|involving|including|comprising|\s)+\s?(?:a total of\s)?(?:n\s?=\s?)?"
    rf"{_COUNT_OF_PEOPLE})",
    re.IGNORECASE,
)
_N_EQUALS = re.compile(rf"(?<![\w.])(?P<said>[Nn]\s?=\s?(?P<n>{_COUNT}))(?![\d.%]|\s?%)")
_ANY_COUNT = re.compile(rf"(?<![\w.])(?P<said>{_COUNT_OF_PEOPLE})", re.IGNORECASE)

MAX_CHARACTERS = 6_000
"""Characters in which it is looked for."""


def find_sample(text: str) -> str:
    """The words that state how many were studied; "" when none do, or when the largest of several cannot be told.

    Words that say that it is all of them come first ("a total of 312 women"), then those with a verb of enrolment; of
    "n = 30" and the like the largest, since arms and subgroups are smaller than the whole.
    """
    read = text[:MAX_CHARACTERS]
    for pattern in (_POOLED_COUNT, _TOTAL_COUNT, _ENROLLED_COUNT, _SUBJECT_COUNT, _N_EQUALS, _ANY_COUNT):
        if found := max(pattern.finditer(read), key=_matched_size, default=None):
            return " ".join(found["said"].split())
    return ""


def parse_sample_size(words: str) -> int:
    """The largest number in such words; 0 without one."""
    return max((int(re.sub(r"\D", "", number)) for number in re.findall(_COUNT, words)), default=0)


def _matched_size(match: re.Match[str]) -> int:
    return int(re.sub(r"\D", "", match["n"]))
