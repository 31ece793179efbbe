"""What a draft says of the passages that it was written from: that they lack something is no statement of medicine."""

import re
from typing import NamedTuple

from wellsourced.late import compile_late
from wellsourced.text.tokens import content_stems

_VERBS = (
    r"(?:give|state|say|name|mention|contain|provide|specify|address|cover|report|tell|answer|discuss|describe|offer)"
)
_SHOWN = r"(?:passages?|excerpts?|notes?|(?:sources?|texts?|documents?|materials?) (?:shown|given|provided|here))"
_LACK = compile_late(
    rf"(?:\b(?:the|these|this|those)\s{_SHOWN}\s(?:do(?:es)? not|don't|did not)\s(?:\w+ly\s)?{_VERBS}\b"
    rf"|\b(?:the|these|this|those)\s{_SHOWN}\s{_VERBS}s?\s(?:no|nothing|neither)\b"
    rf"|\b(?:no|none of the|neither of the)\s{_SHOWN}\s{_VERBS}s?\b)",
    re.IGNORECASE,
)
"""That what was shown does not say something; what "the evidence" does not show is a finding, and another thing."""

_CLAUSE_END = compile_late(r"(?:;|(?<=\w)\.|,? –| —)\s+|,\s+(?:but|and|though|although|while|whereas)\s+")

MIN_CONTENT_STEMS = 3
"""Content stems of what is left, below which it says nothing."""


class StatementWithoutTalk(NamedTuple):
    """What a statement says of its matter, "" where it says nothing of it, and what it says is lacking."""

    text: str
    lacking: tuple[str, ...] = ()


def remove_source_talk(text: str) -> StatementWithoutTalk:
    """The statement without the clauses that say that what was shown lacks something, and what that is."""
    if not _LACK.search(text):
        return StatementWithoutTalk(text)
    kept: list[str] = []
    lacking: list[str] = []
    place = 0
    for end in [*_CLAUSE_END.finditer(text), None]:
        clause = text[place : end.start() if end else len(text)]
        if found := _LACK.search(clause):
            lacking.append(clause[found.end() :].strip(" .,;:"))
        else:
            kept.append(clause + (end.group() if end else ""))
        place = end.end() if end else place
    left = re.sub(r"[\s,;–—]+(?:but|and|though|although|while|whereas)?[\s,;–—]*\Z", "", "".join(kept))
    if len(set(content_stems(left))) < MIN_CONTENT_STEMS:
        left = ""
    left = left[:1].upper() + left[1:] if text[:1].isupper() else left
    whole = f"{left}." if left and text.endswith(".") and not left.endswith(".") else left
    return StatementWithoutTalk(whole, tuple(filter(None, lacking)))
