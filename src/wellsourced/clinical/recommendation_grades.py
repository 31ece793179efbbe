"""How strong a recommendation is and how certain its evidence, in the words of those who made it."""

import re
from collections.abc import Sequence
from functools import lru_cache

from wellsourced.late import compile_late

_RECOMMENDATION_CLASS = r"(?:I{1,3}|IV|IIa|IIb|[123][ab]?)"
_COMBINED_GRADE = r"(?i:grade)\s?[12][ABC]\b|\([12][ABC]\)"

_STRENGTH = re.compile(
    rf"""(?ix:
      (?<!NYHA\ )(?<!functional\ )(?<!Killip\ )(?<!Pugh\ )(?<!WHO\ )\bclass(?:\ of\ recommendation)?:?\s
      (?-i:{_RECOMMENDATION_CLASS})\b(?:\s+recommendation)?(?=\s*(?:[,;:)\]/.]|\(|$|recommendation|evidence|LOE|level))
    | \bCOR:?\s(?-i:{_RECOMMENDATION_CLASS})\b
    | \b(?:strong|weak|conditional|moderate|optional|discretionary)\s+recommendations?(?:\s+(?:for|against)\b)?
    | \b(?:strongly|weakly|conditionally)\s+recommend(?:ed|s)?(?:\s+against\b)?
    | \b(?:strength|grade)\ of\ (?:the\ )?recommendation:?\s(?:is\s|was\s)?(?:[A-D]\b|strong|weak|conditional|moderate)
    | \bgrade\s[A-DI]\s(?:recommendation|statement)s?\b | \brecommendation\s(?:grade\s)?\(?grade\s[A-D]\b
    | (?<=\()(?:strong|weak|conditional)(?=,\s?(?:very\ low|low|moderate|high)\))
    ) | {_COMBINED_GRADE}""",
    re.VERBOSE,
)
_CERTAINTY = re.compile(
    rf"""(?ix:
      \b(?:very[ -]low|low|moderate|high)[ -](?:certainty|quality|confidence)\b(?:\s+(?:of\s+)?evidence\b)?
    | \b(?:certainty|quality|confidence)\s+(?:(?:of|in)\s+(?:the\s+)?evidence\s*)?
      (?:was\s|is\s|were\s|as\s|rated\s|judged\s|:\s?)+(?:very\ low|low|moderate|high)\b
    | \b(?:level\ of\ evidence|evidence\ level|LOE):?\s
      (?-i:A|B(?:-N?R)?|C(?:-(?:LD|EO))?|[1-5][abc]?[+-]{{0,2}}|I{{1,3}}|IV|V)(?!\w)
    | \blevel\s(?-i:A|B|C|B-N?R|C-LD|C-EO)\s+evidence\b
    | (?<!Pugh\ )(?-i:\bGrade\s[ABCE])(?=[)\].;])
    | (?:(?<=\(strong,\ )|(?<=\(weak,\ )|(?<=\(conditional,\ ))(?:very\ low|low|moderate|high)(?=\))
    ) | {_COMBINED_GRADE}""",
    re.VERBOSE,
)


_FOREMOST = compile_late(
    r"\b(?:first[- ]line|preferred|cornerstone|mainstay|foundation|all (?:adult )?patients|at a minimum"
    r"|(?:initial|primary) (?:\w+ )?(?:therapy|treatment|resuscitation))\b",
    re.IGNORECASE,
)
"""What comes before anything else."""

_ALTERNATIVE = re.compile(r"\balternatives?\b", re.IGNORECASE)

MAX_FOREMOST = 2
"""Words that say that it comes first, as far as they are counted."""

_STRONG = re.compile(r"\bstrong(?:ly)?\b|\b(?:class|COR):?\s(?-i:I|1)\b|\bgrade\s?[1A]", re.IGNORECASE)
_AGAINST = re.compile(r"\b(?:against|not recommended|should not|avoid(?:ed)?|class III|harm)\b", re.IGNORECASE)


@lru_cache(maxsize=4096)
def rate_advice(text: str) -> float:
    """How far a sentence is what a reader has to know first: strong before weak, what comes first, what is to be done
    before what is not; 0 for what carries no grade and comes first of nothing."""
    strengths = extract_strengths(text)
    graded = 1.0 + any(map(_STRONG.search, strengths)) if strengths else 0.0
    foremost = {found.lower() for found in _FOREMOST.findall(text)}
    rating = graded + min(MAX_FOREMOST, len(foremost)) - bool(foremost and _ALTERNATIVE.search(text))
    return rating / 2 if _AGAINST.search(text) else rating


def extract_strengths(text: str) -> tuple[str, ...]:
    """What a text says of the strength of recommendations ("Class I", "strong recommendation"), each wording once."""
    return _match_wordings(_STRENGTH, text)


def extract_certainties(text: str) -> tuple[str, ...]:
    """What it says of the certainty of evidence ("low certainty", "LOE A"), each wording once."""
    return _match_wordings(_CERTAINTY, text)


def single_wording(words: Sequence[str]) -> str:
    """The one thing that is said, however it is written; "" when nothing is, or several things are."""
    kinds = {" ".join(word.casefold().split()) for word in words}
    return words[0] if len(kinds) == 1 else ""


def _match_wordings(pattern: re.Pattern[str], text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(match.group().strip("() ") for match in pattern.finditer(text)))
