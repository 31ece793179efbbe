"""Sample sizes: how many were studied, in the words of the record."""

import re

_COUNT = r"\d{1,3}(?:[,\s\u2009\u202f]\d{3})+|\d{1,7}"
_PEOPLE = (
    r"(?:patients?|participants?|subjects?|adults?|children|infants?|neonates|adolescents?|women|men|people|persons?"
    r"|individuals?|volunteers?|cases|controls|pregnancies|births|eyes|veterans|residents|students|nurses|physicians)"
)
_WORDS = r"(?:(?!in\b|of\b|per\b|and\b|or\b|to\b)[\w-]+\s)"
_SAID = rf"(?P<n>{_COUNT})\s{_WORDS}{{0,4}}?{_PEOPLE}\b"
_TOTAL = re.compile(rf"\b(?:a total of|in total,?|overall,?|altogether,?)\s(?P<said>{_SAID})", re.IGNORECASE)
_ENROLLED = re.compile(
    r"\b(?:randomi[sz]ed|enrol+ed|recruited|included|assigned|studied|analy[sz]ed|followed|identified|evaluated)\s"
    rf"(?P<said>{_SAID})",
    re.IGNORECASE,
)
_WERE = re.compile(rf"(?<![\w.])(?P<said>{_SAID})[^.;]{{0,60}}?\b(?:were|was|underwent|completed)\b", re.IGNORECASE)
_TRIALS = re.compile(
    rf"(?<![\w.])(?P<said>(?:{_COUNT}|\w+)\s(?:\w+\s){{0,3}}?(?:trials?|studies|RCTs?)\s?"
    r"(?:\(|,|with|involving|including|comprising|\s)+\s?(?:a total of\s)?(?:n\s?=\s?)?"
    rf"{_SAID})",
    re.IGNORECASE,
)
_LETTER = re.compile(rf"(?<![\w.])(?P<said>[Nn]\s?=\s?(?P<n>{_COUNT}))(?![\d.%]|\s?%)")
_PLAIN = re.compile(rf"(?<![\w.])(?P<said>{_SAID})", re.IGNORECASE)

READ = 6_000
"""Characters in which it is looked for."""


def sample_in(text: str) -> str:
    """The words that state how many were studied; "" when none do, or when the largest of several cannot be told.

    Words that say that it is all of them come first ("a total of 312 women"), then those with a verb of enrolment; of
    "n = 30" and the like the largest, since arms and subgroups are smaller than the whole.
    """
    read = text[:READ]
    for pattern in (_TRIALS, _TOTAL, _ENROLLED, _WERE, _LETTER, _PLAIN):
        if found := max(pattern.finditer(read), key=_size, default=None):
            return " ".join(found["said"].split())
    return ""


def size_of(words: str) -> int:
    """The largest number in such words; 0 without one."""
    return max((int(re.sub(r"\D", "", number)) for number in re.findall(_COUNT, words)), default=0)


def _size(match: re.Match[str]) -> int:
    return int(re.sub(r"\D", "", match["n"]))
