"""Which number belongs to which group: "12% with aspirin, 18% with placebo" has the words of its opposite too."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from wellsourced.claims.guard.disagreement import Disagreement
from wellsourced.claims.guard.negation import stem
from wellsourced.claims.guard.respective_figures import compare_respective_figures
from wellsourced.clinical.ages import AgeRange, extract_age_ranges
from wellsourced.text.lexicon import STOP_WORDS, word_set
from wellsourced.text.sentences import split_sentences

MAX_GROUP_NUMBERS = 12
"""Numbers of a text whose groups are looked at: a bound for hostile texts."""

MAX_SENTENCE_LENGTH = 2_000
"""Characters of a sentence that are read."""

_NUMBER = r"(?<![\w.,·])(?P<number>\d+(?:[.,·]\d+)*\s?%?)"
_BRACKETS = r"(?:\s?\([^()]{0,60}\))?"
_RECEIVING = r"(?:those |patients |participants |people |women |men )?(?:given |receiving |treated with |taking |on )?"
_GROUP_NAME = r"(?P<arm>[A-Za-z][\w-]*(?: [a-z][\w-]*)?)"
_NUMBER_THEN_GROUP = re.compile(rf"{_NUMBER}{_BRACKETS} (?:in|with|for|among|on) (?:the )?{_RECEIVING}{_GROUP_NAME}")
_GROUP_THEN_NUMBER = re.compile(rf"\b{_GROUP_NAME} \((?:n ?= ?)?{_NUMBER}[^()]{{0,60}}\)")
_TWO_NUMBERS = re.compile(rf"{_NUMBER}{_BRACKETS} (?:and|v(?:ersu)?s\.?) {_NUMBER.replace('number', 'second')}")
_TWO_NAMES = re.compile(
    r"\b(?:in|with|for|among|on|of|between) (?:the )?(?P<arm>[A-Za-z][\w-]*)(?: group| arm)? and (?:the )?"
    r"(?P<other>[A-Za-z][\w-]*)"
)
_ERROR_BEHIND = re.compile(r"\s?(?:±|\+/?-)\s?\d+(?:[.·]\d+)?")
_RESPECTIVELY = re.compile(r"\brespectively\b", re.IGNORECASE)
_GENERAL_WORDS = STOP_WORDS | word_set(
    "group groups arm arms patient patients participants people those given receiving treated taking total all both "
    "first second year years month months week weeks day days trial trials study studies follow-up baseline"
)


class GroupNumber(NamedTuple):
    """A number as it is printed, but for blanks, and what the words name to which it belongs."""

    number: str
    group: frozenset[str]
    words: str


def compare_group_numbers(claim: str, evidence: str) -> Iterator[Disagreement]:
    """Numbers that belong to another group in the evidence, where that has another number for the claim's group."""
    yield from compare_respective_figures(claim, evidence)
    said = _extract_group_numbers(claim)
    if not said:
        return
    given = _extract_group_numbers(evidence)
    for one in said:
        same = [other for other in given if other.number == one.number]
        own = [other for other in given if other.group & one.group]
        if same and own and not any(other.group & one.group for other in same):
            yield Disagreement("number", one.words, same[0].words)


def _extract_group_numbers(text: str) -> list[GroupNumber]:
    found = [
        one
        for start, end in split_sentences(text)
        for one in _extract_from_sentence(text[start : min(end, start + MAX_SENTENCE_LENGTH)])
    ]
    return [one for one in found if one.group][:MAX_GROUP_NUMBERS]


def _extract_from_sentence(sentence: str) -> Iterator[GroupNumber]:
    if _RESPECTIVELY.search(sentence):
        yield from _pair_respectively(sentence)
        return
    for pattern in (_NUMBER_THEN_GROUP, _GROUP_THEN_NUMBER):
        for match in pattern.finditer(sentence):
            yield _build_group_number(match["number"], match["arm"])


def _pair_respectively(sentence: str) -> Iterator[GroupNumber]:
    """ "12% and 18% with aspirin and clopidogrel, respectively": the first belongs to the first."""
    plain = _ERROR_BEHIND.sub("", sentence)
    numbers, names = _TWO_NUMBERS.search(plain), _TWO_NAMES.search(plain)
    if numbers and names:
        yield _build_group_number(numbers["number"], names["arm"])
        yield _build_group_number(numbers["second"], names["other"])


def _build_group_number(number: str, arm: str) -> GroupNumber:
    told = [word for word in re.findall(r"\w+(?:-\w+)*", arm.lower()) if word not in _GENERAL_WORDS]
    plain = number.replace("·", ".").replace(",", "").replace(" ", "")
    return GroupNumber(plain, frozenset(stem(word) for word in told), f"{number.strip()} with {' '.join(told)}")


MAX_EVIDENCE_LENGTH = 20_000
"""Characters of evidence that are read: a bound for hostile texts."""

_WOMEN = re.compile(r"\b(?:women|woman|girls?|females?|mothers?)\b", re.IGNORECASE)
_MEN = re.compile(r"\b(?:men|man|boys?|males?|fathers?)\b", re.IGNORECASE)


def compare_populations(claim: str, evidence: str) -> Iterator[Disagreement]:
    """Ages, or a sex, of the claim with which nothing that the evidence speaks of has anything in common.

    Where the evidence names no age, or no sex, nothing is said of it.
    """
    read = evidence[:MAX_EVIDENCE_LENGTH]
    asked = list(extract_age_ranges(claim))
    told = list(extract_age_ranges(read)) if asked else []
    if told and not any(ages_overlap(one, other) for one in asked for other in told):
        yield Disagreement("population", asked[0].words, told[0].words)
    for own, other in ((_WOMEN, _MEN), (_MEN, _WOMEN)):
        said = own.search(claim)
        if said and not other.search(claim) and not own.search(read) and (found := other.search(read)):
            yield Disagreement("population", said.group(), found.group())


def ages_overlap(one: AgeRange, other: AgeRange) -> bool:
    """Whether two ranges of age have more than an end in common: children and adults have not."""
    return one.low < other.high and other.low < one.high
