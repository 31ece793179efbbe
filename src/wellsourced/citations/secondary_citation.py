"""Whether a sentence reports a finding of its own work, or one of somebody else's."""

import re

_NUMBERS = r"\d{1,3}(?:\s?[,;–—-]\s?\d{1,3}){0,12}"
_NUMBER_MARKER = re.compile(rf"\[\s?(?:refs?\.?\s|see\s)?{_NUMBERS}\s?\]", re.IGNORECASE)
_RANGE_BEFORE = re.compile(
    r"(?:\b(?:CI|IQR|range|interval|median|mean|aged?|between|OR|RR|HR)\b[^.;]{0,25}|[=:~]\s?)\Z", re.I
)
"""What stands before figures in brackets that are a range, not a mark."""

_SURNAME = r"[A-ZÀ-ÖØ-Þ][\w'’-]+"
_YEAR = r"(?:19|20)\d\d[a-z]?"
_AUTHOR_MENTIONS = (
    re.compile(rf"\([^()]{{0,80}}?\b{_SURNAME}(?:\s(?:et\sal\.?|and|&)\s?[^()]{{0,40}}?)?,?\s{_YEAR}\b[^()]{{0,80}}\)"),
    re.compile(rf"\b{_SURNAME}\s(?:et\sal\.?|and\s(?:colleagues|co-?workers)\b)(?:,?\s\(?{_YEAR}\b\)?)?"),
    re.compile(rf"\b{_SURNAME}\s(?:and|&)\s{_SURNAME},?\s\(?{_YEAR}\b\)?"),
    re.compile(rf"\b{_SURNAME}\s\({_YEAR}\)"),
)
_WORK_NOUN = (
    r"(?:meta-?analys[ie]s|stud(?:y|ies)|trials?|reviews?|reports?|surve(?:y|ys)|cohorts?|authors|investigators)"
)
_REPORTED_WORKS = (
    re.compile(rf"\b{_WORK_NOUN}\s(?:conducted\s|published\s|performed\s|done\s)?by\s(?:{_SURNAME}|the\s{_SURNAME})"),
    re.compile(
        rf"\b(?:previous|earlier|prior|other|several|some|many|past|published|recent)\s(?:[\w-]+\s){{0,3}}?{_WORK_NOUN}\s"
        r"(?:have\s|had\s|has\s|also\s)*(?:show|found|report|suggest|demonstrat|conclud|indicat|observ|document|confirm)\w*",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:as|was|were|been)\s(?:previously\s|also\s)?(?:reported|described|shown|demonstrated|reviewed)\s"
        r"(?:previously|elsewhere|earlier|by\s(?!us\b|our\b))",
        re.IGNORECASE,
    ),
    re.compile(rf"\baccording\sto\s(?:an?|the)\s(?:[\w-]+\s){{0,3}}?{_WORK_NOUN}\b", re.IGNORECASE),
)
MAX_SENTENCE_LENGTH = 2_000
"""Characters of a sentence that are read: a bound for hostile texts."""


def find_secondary_citation(sentence: str) -> str:
    """The words by which a sentence says that it has this from another work; "" when it does not.

    "[12]", "(Smith et al., 2019)", "a meta-analysis by Jones", "as reported by", "previous trials have shown". Figures
    after a stop or in round brackets are none: intervals, counts and lists look like them.
    """
    text = sentence[:MAX_SENTENCE_LENGTH]
    for mark in _NUMBER_MARKER.finditer(text):
        if not _RANGE_BEFORE.search(text[max(0, mark.start() - 40) : mark.start()]):
            return mark.group()
    found = next((match for pattern in (*_AUTHOR_MENTIONS, *_REPORTED_WORKS) if (match := pattern.search(text))), None)
    return found.group() if found else ""
