"""Exchanging: who was compared with whom, in each other's place."""

import random
import re

from wellsourced.evaluate.altering import first_applicable, replace_once

_SIDE = r"(?:[\w-]+ ){0,2}?[\w-]+"
_STAYS = r"(?!\b(?:the|a|an|those|that|it|this|other|control|expected|previous\w*|either|all|both|any)\b)"


def _swap_sides(match: re.Match[str], _: random.Random) -> str:
    """The two named parts of a match in each other's place."""
    (one, end), (start, last) = match.span("a"), match.span("b")
    at, text = match.start(), match.group()
    one, end, start, last = one - at, end - at, start - at, last - at
    return text[:one] + text[start:last] + text[end:start] + text[one:end] + text[last:]


_COMPARATIVE = (
    r"\b(?:more|less|fewer|higher|lower|greater|smaller|larger|longer|shorter|better|worse|superior|inferior"
    r"|(?:increas|decreas|reduc|improv|worsen|rais|ris)\w*)\b"
)
_AGAINST = r"(?:than|compared (?:with|to)|versus|vs\.?)"
_ENDS = r"(?=[,.;)]|$| \(| group| patients)"
_SIDED = first_applicable(
    replace_once(
        rf"\b(?:in|with|for|among) (?:the )?(?P<a>{_STAYS}{_SIDE}) (?:group )?{_AGAINST}"
        rf" (?:in|with|for|among) (?:the )?(?P<b>{_STAYS}{_SIDE}){_ENDS}",
        _swap_sides,
    ),
    replace_once(
        rf"(?:^|[,;] )(?:The )?(?P<a>{_STAYS}{_SIDE}) (?:was|were|is|are)"
        rf" (?:\w+ )?(?:(?:superior|inferior) to|(?:higher|lower|better|worse|more \w+|less \w+"
        rf"|greater) than) (?P<b>{_STAYS}{_SIDE})(?=[,.;)]|$| in| for| at)",
        _swap_sides,
    ),
    replace_once(
        rf"\b(?:[Tt]he|in) (?P<a>[\w-]+) (?:group|arm) {_AGAINST} (?:in )?(?:the )?(?P<b>[\w-]+)"
        rf" (?:group|arm)",
        _swap_sides,
    ),
    replace_once(
        rf"\b[Tt]he (?P<a>intervention|treatment|experimental|active|study)\b.{{1,40}}\b{_AGAINST}"
        rf" (?:in )?(?:the )?(?P<b>control|placebo|sham|comparison)\b",
        _swap_sides,
    ),
)
_ONE_NUMBER = r"(?<![\w.·,±/–-])(?<!± )(?<! of )\d+(?:[.·]\d+)?(?!\w|[.·]\d)"
_VALUES = first_applicable(
    replace_once(
        rf"(?P<a>{_ONE_NUMBER})%? (?:versus|vs\.?) (?P<b>{_ONE_NUMBER})(?!%? ?(?:[±/–\[(-]|of\b))", _swap_sides
    ),
    replace_once(
        rf"(?:(?<=ed )|(?<=ase )|(?<=ion ))from (?P<a>{_ONE_NUMBER}) ?(?:%|[a-zA-Z]{{1,5}})? ?to (?P<b>{_ONE_NUMBER})",
        _swap_sides,
    ),
)
_NO_SIDES = re.compile(r"\b(?:no|not|similar|neither|nor|comparable|between|equal|ranged|range)\b")


def swap_roles(sentence: str, chance: random.Random) -> str:
    """Who was compared with whom, or two values, in each other's place; nothing where neither side had more."""
    if not re.search(_COMPARATIVE, sentence) or _NO_SIDES.search(sentence):
        return ""
    return first_applicable(_SIDED, _SIDED, _VALUES)(sentence, chance)
