"""Arms: which number belongs to which group. "12% with aspirin, 18% with placebo" has the words of its opposite too."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from wellsourced.text.guard.kinds import Disagreement
from wellsourced.text.guard.reading import stem
from wellsourced.text.lexicon import STOP_WORDS, word_set
from wellsourced.text.sentences import sentences

ARMS = 12
"""Numbers of a text whose groups are looked at: a bound for hostile texts."""

LONGEST = 2_000
"""Characters of a sentence that are read."""

_NUMBER = r"(?<![\w.,·])(?P<number>\d+(?:[.,·]\d+)*\s?%?)"
_BESIDE = r"(?:\s?\([^()]{0,60}\))?"
_GIVEN = r"(?:those |patients |participants |people |women |men )?(?:given |receiving |treated with |taking |on )?"
_NAME = r"(?P<arm>[A-Za-z][\w-]*(?: [a-z][\w-]*)?)"
_BEHIND = re.compile(rf"{_NUMBER}{_BESIDE} (?:in|with|for|among|on) (?:the )?{_GIVEN}{_NAME}")
_BEFORE = re.compile(rf"\b{_NAME} \((?:n ?= ?)?{_NUMBER}[^()]{{0,60}}\)")
_TWO_NUMBERS = re.compile(rf"{_NUMBER}{_BESIDE} (?:and|v(?:ersu)?s\.?) {_NUMBER.replace('number', 'second')}")
_TWO_NAMES = re.compile(
    r"\b(?:in|with|for|among|on|of|between) (?:the )?(?P<arm>[A-Za-z][\w-]*)(?: group| arm)? and (?:the )?"
    r"(?P<other>[A-Za-z][\w-]*)"
)
_RESPECTIVELY = re.compile(r"\brespectively\b", re.IGNORECASE)
_GENERAL = STOP_WORDS | word_set(
    "group groups arm arms patient patients participants people those given receiving treated taking total all both "
    "first second year years month months week weeks day days trial trials study studies follow-up baseline"
)


class Attached(NamedTuple):
    """A number as it is printed, but for blanks, and what the words name to which it belongs."""

    number: str
    arm: frozenset[str]
    words: str


def misattached(claim: str, evidence: str) -> Iterator[Disagreement]:
    """Numbers that belong to another group in the evidence, where that has another number for the claim's group."""
    said = _attached(claim)
    if not said:
        return
    given = _attached(evidence)
    for one in said:
        same = [other for other in given if other.number == one.number]
        own = [other for other in given if other.arm & one.arm]
        if same and own and not any(other.arm & one.arm for other in same):
            yield Disagreement("number", one.words, same[0].words)


def _attached(text: str) -> list[Attached]:
    found = [one for start, end in sentences(text) for one in _in_sentence(text[start : min(end, start + LONGEST)])]
    return [one for one in found if one.arm][:ARMS]


def _in_sentence(sentence: str) -> Iterator[Attached]:
    if _RESPECTIVELY.search(sentence):
        yield from _in_turn(sentence)
        return
    for pattern in (_BEHIND, _BEFORE):
        for match in pattern.finditer(sentence):
            yield _named(match["number"], match["arm"])


def _in_turn(sentence: str) -> Iterator[Attached]:
    """ "12% and 18% with aspirin and clopidogrel, respectively": the first belongs to the first."""
    numbers, names = _TWO_NUMBERS.search(sentence), _TWO_NAMES.search(sentence)
    if numbers and names:
        yield _named(numbers["number"], names["arm"])
        yield _named(numbers["second"], names["other"])


def _named(number: str, arm: str) -> Attached:
    told = [word for word in re.findall(r"\w+(?:-\w+)*", arm.lower()) if word not in _GENERAL]
    plain = number.replace("·", ".").replace(",", "").replace(" ", "")
    return Attached(plain, frozenset(stem(word) for word in told), f"{number.strip()} with {' '.join(told)}")
