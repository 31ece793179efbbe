"""Which way a result points, as far as plain words tell: whether a text states the result that a claim states.

"Compared with placebo, X reduced pain" agrees with "pain was lower in the X group" and with "pain was higher with
placebo"; "pain did not differ between the groups" excludes it. It is one measure among others: whether a text supports
a claim, nobody is to conclude from it alone.
"""

import re
from collections.abc import Iterator
from typing import Literal

from wellsourced.lazy import lazy_regex
from wellsourced.text.lexicon import word_set
from wellsourced.text.sentences import split_sentences
from wellsourced.text.tables import read_word_lists
from wellsourced.text.tokens import content_stems
from wellsourced.text.typography import BOUND_SIGN, normalize_bound_sign

Direction = Literal["up", "down", "same", "differ", ""]
"""What became of an outcome; "differ": not said which way, "": nothing is said of it."""

_LISTS = {kind: frozenset(words) for kind, words in read_word_lists("wellsourced.compare", "results.tsv").items()}
_UP, _DOWN, _BETTER, _WORSE = (_LISTS[kind] for kind in ("increase", "decrease", "improvement", "worsening"))
_VAGUE = _LISTS["difference"] | word_set("significant significantly significance statistically")
_SAME, _HARMS = _LISTS["equivalence"], _LISTS["harm stems"]
_GENERIC = _LISTS["generic arm stems"] | _LISTS["generic outcome stems"]
_TREATED, _CONTROL = (frozenset(content_stems(" ".join(_LISTS[kind]))) for kind in ("treated arm", "control arm"))

_WORD = re.compile(r"[^\W_]+")
_DENIAL = lazy_regex(
    r"\b(?:no|not|nor|neither|never|non|n't|without|fail\w*|unable)\b(?:[ -]\S+){0,8}?[ -](?:significan\w*|differ\w*"
    r"|effects?|affect\w*|chang\w*|improv\w*|associat\w*|influenc\w*|impact\w*|advantag\w*|benefit\w*|meaningful\w*"
    r"|superior\w*|better|worse|higher|lower|greater|less|more|correlat\w*|relat\w*)"
    r"|\b(?:trends?|tend(?:ed|ency)|numerically|almost|borderline|nearly) ",
    re.IGNORECASE,
)
_P_VALUE = lazy_regex(rf"\bp(?:[ -]?values?)?\s*(?:for \w+ )?({BOUND_SIGN}|[<>=≤≥]+)\s*0?[.·](\d+)", re.IGNORECASE)
_COMPARED = lazy_regex(
    r"\b(?:than|compared (?:with|to)|versus|vs\.?|relative to|as against|in comparison (?:with|to))\b", re.IGNORECASE
)
_CLAUSE_END = lazy_regex(r";|\b(?:but|whereas|while|although|though|however)\b", re.IGNORECASE)
_FINDING = lazy_regex(
    r"\b(?:significantly (?:increased|decreased|improved|reduced|higher|lower|worse\w*)"
    r"|(?:made )?no significant (?:difference|effect)(?: (?:to|in|on))?)\b",
    re.IGNORECASE,
)
_VERB = lazy_regex(r"\b(?:significantly|made|had|did|increased|decreased|reduced|improved)\b", re.IGNORECASE)
SIGNIFICANT = 0.05
LEADING = 12
"""Characters from the beginning within which "compared with" names the comparator first."""

MAX_SIDE = 8
"""Words behind "than" that name a side."""

NEAR_BEST = 0.8
"""Share of the best clause's words for the outcome from which another clause counts, too."""

VAGUE = 0.3
"""What "they differed" counts for a claim that says how."""


def measure_agreement(claim: str, text: str) -> float:
    """In [-1, 1]: how far the clauses that speak of a claim's outcome say what it says became of it; 0: nothing tells.

    Only a claim that says what was found of one thing compared with another states a result: "compared with placebo, X
    significantly reduced pain". Of other claims plain words tell nothing: AUROC .5 on statements of four authors.
    """
    found = _FINDING.search(claim)
    if not found or not _COMPARED.search(claim):
        return 0.0
    said, outcome = read_direction(found.group()), claim[found.end() :]
    wanted = set(content_stems(outcome)) - _GENERIC or set(content_stems(outcome))
    if not said or not wanted:
        return 0.0
    naming = frozenset(_WORD.findall(outcome.lower()))
    arms = _read_arms(claim)
    rated = []
    for clause in _list_clauses(text):
        share = len(wanted.intersection(content_stems(clause))) / len(wanted)
        direction = _turn(read_direction(clause, naming), clause, *arms) if share else ""
        if direction:
            rated.append((share, _relate(said, direction)))
    best = max((share for share, _ in rated), default=0.0)
    near = [agreement for share, agreement in rated if share >= NEAR_BEST * best]
    return best**0.5 * sum(near) / len(near) if near else 0.0


def read_direction(text: str, naming: frozenset[str] = frozenset()) -> Direction:
    """What a clause says became of something; words of `naming` name an outcome ("weight loss") and tell nothing."""
    values = [(normalize_bound_sign(sign), float(f"0.{digits}")) for sign, digits in _P_VALUE.findall(text)]
    sure = [value < SIGNIFICANT or (sign in "<≤" and value == SIGNIFICANT) for sign, value in values]
    if _DENIAL.search(text) or (values and not any(sure)):
        return "same"
    is_harm = not _HARMS.isdisjoint(content_stems(text))
    sign, at, is_vague = 0, 0, any(sure)
    for place, word in enumerate(_WORD.findall(text.lower())):
        if word in _SAME:
            return "same"
        rises = word in _UP or word in (_WORSE if is_harm else _BETTER)
        falls = word in _DOWN or word in (_BETTER if is_harm else _WORSE)
        is_vague = is_vague or word in _VAGUE
        if word in naming or not (rises or falls):
            continue
        # "A greater reduction": both signs together; what stands further on is another finding.
        if not sign or place - at <= 3:
            sign, at = (sign or 1) * (1 if rises else -1), place
    if sign:
        return "up" if sign > 0 else "down"
    return "differ" if is_vague else ""


def _relate(said: Direction, direction: Direction) -> float:
    if direction == said or (said == "differ" and direction != "same"):
        return 1.0
    return VAGUE if direction == "differ" and said != "same" else -1.0


def _list_clauses(text: str) -> Iterator[str]:
    for start, end in split_sentences(text):
        yield from _CLAUSE_END.split(text[start:end])


def _read_arms(claim: str) -> tuple[frozenset[str], frozenset[str]]:
    """The stems that only the arm of a claim has, and those that only its comparator has."""
    pivot = _COMPARED.search(claim)
    if not pivot:
        return frozenset(), frozenset()
    arm, comparator = claim[: pivot.start()], re.split(r"[,;.(]", claim[pivot.end() :])[0]
    if pivot.start() < LEADING:
        comparator, _, rest = claim[pivot.end() :].partition(", ")
        verb = _VERB.search(rest)
        arm = rest[: verb.start()] if verb else rest
    one, other = (frozenset(content_stems(words)) - _GENERIC for words in (arm, comparator))
    return one - other, other - one


def _turn(direction: Direction, clause: str, arm: frozenset[str], comparator: frozenset[str]) -> Direction:
    """The direction as it is of the claim's arm: "higher with placebo than with X" is lower with X."""
    if direction not in ("up", "down"):
        return direction
    pivot = _COMPARED.search(clause)
    first, second = (clause[: pivot.start()], clause[pivot.end() :]) if pivot else (clause, "")
    behind = " ".join(re.split(r"[,;]", second)[0].split()[:MAX_SIDE])
    ours, theirs = (_count_sides(words, arm, comparator) for words in (first, behind))
    is_turned = theirs[0] > theirs[1] or (theirs[0] == theirs[1] and ours[1] > ours[0])
    if not pivot:
        is_turned = ours[1] > 0 == ours[0]
    return direction if not is_turned else "down" if direction == "up" else "up"


def _count_sides(words: str, arm: frozenset[str], comparator: frozenset[str]) -> tuple[int, int]:
    stems = set(content_stems(words))
    return len(stems & arm) + bool(stems & _TREATED), len(stems & comparator) + bool(stems & _CONTROL)
