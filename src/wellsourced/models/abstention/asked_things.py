"""The thing that a question asks about, by its place: "Does hypnosis relieve …", "Is erythropoietin effective …".

What does something, or is used or judged, has to be spoken of, however common its name is. A thing in several words is
spoken of where one of them stands: who asks of vitamin D supplementation is answered by what says vitamin D.
"""

import re
from collections.abc import Iterator

from wellsourced.text.tokens import content_stems

MAX_WORDS = 4
"""Words of a thing, at most: a longer run is a clause."""

_NOBODY = re.compile(
    r"(?:i|we|you|they|he|she|it|my|our|your|his|her|their|this|that|these|those|there|all|any|most|many|some|people|men"
    r"|women|kids|children|babies|adults|doctors?|patients?|which|what|who|how|not|always|only|being)\b",
    re.IGNORECASE,
)
"""What stands where a thing does and is none, or is whom it is asked for."""

_DOES = re.compile(
    r"(?:^|[:,;.?] )(?:is|are|was|were|do|does|did|can|could|will|would|may|might|should|has|have) (?:the |an? )?"
    r"(?P<what>[\w' -]+)",
    re.IGNORECASE,
)

_OF = re.compile(
    r"\b(?:effects?|efficacy|effectiveness|safety|impact|influence|role|use|benefits?|value|place) of (?:the |an? )?"
    r"(?P<what>[\w' -]+?) (?:on|in|for|against|as|during|after|before)\b",
    re.IGNORECASE,
)

_RELATION = re.compile(r"(?:in|on|of|for|with|to|by|at|from|and|or|than|between|during|after|before|a|an|the)", re.I)
"""Words that no thing has within it."""

_PREDICATE = frozenset(
    content_stems(
        "effective efficacious effectively useful beneficial helpful safe safely superior better worse harmful used "
        "indicated recommended approved active help helps improve increase decrease reduce lower raise prevent protect "
        "avoid cause induce trigger enhance inhibit suppress ameliorate alleviate relieve treat cure stop slow delay "
        "affect alter change influence contribute promote modulate regulate associated linked related work benefit "
        "attenuate facilitate hold needed necessary justified feasible"
    )
)
"""Stems of what is said or asked of a thing, with which its name ends."""


def list_asked_things(question: str) -> Iterator[tuple[str, ...]]:
    """The words of each thing that a question asks about."""
    for found in _DOES.finditer(question):
        yield from _cut_name(found["what"].split(), needs_predicate=True)
    for found in _OF.finditer(question):
        yield from _cut_name(found["what"].split(), needs_predicate=False)


def _cut_name(words: list[str], *, needs_predicate: bool) -> Iterator[tuple[str, ...]]:
    """The words as far as a predicate, where they are a name."""
    name: list[str] = []
    for word in words[: MAX_WORDS + 1]:
        if not _PREDICATE.isdisjoint(content_stems(word)) and name:
            break
        if _RELATION.fullmatch(word):
            return
        name.append(word)
    else:
        if needs_predicate or len(words) > MAX_WORDS:
            return
    if name and not _NOBODY.match(name[0]):
        yield tuple(part for word in name for part in word.split("-") if part)
