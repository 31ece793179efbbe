"""Whether two sentences of different works say opposite things of one matter, read by rules.

Both have to report what was found, of the same drug or procedure, for the same outcome, in people who may have the
same disease; and each has to deny the other. What only may be, is aimed at or is the case under a condition is no
report. Where this leaves a doubt, they do not oppose each other.
"""

import re

from wellsourced.claims.guard.entities import is_disease_name, is_entity_name, is_symbol
from wellsourced.claims.results.agreement import compare_results
from wellsourced.clinical.conditions import extract_conditions

MIN_OUTCOME_OVERLAP = 0.5
"""Share of the words for the outcome of each sentence that the other has too."""

MAX_RESULT_WORDS = 80
"""Words of the longest sentence that is compared: a longer one reports several results."""

_CONTROLS = frozenset({"placebo", "sham", "vehicle"})

_REPORTS = re.compile(
    r"\b(?:significan\w+|compared (?:with|to)|versus|vs|than|hazard ratio|odds ratio|p\s?[<=>≤]"
    r"|(?:did|does|do|was|were|is|are) not|failed to"
    r"|no (?:\w+ ){0,2}?(?:differences?|effects?|benefits?|improvements?|reductions?|increases?)"
    r"|(?:not |in)?(?:effective|efficacious|superior|inferior)"
    r"|(?:improve|reduce|increase|decrease|prolong|lower|shorten|prevent|worsen|delay)[ds]|(?:prolong|lower|shorten"
    r"|prevent|worsen|delay)(?:ed|s))\b",
    re.IGNORECASE,
)
"""What tells of a result; a definition ("used to lower cholesterol") does not."""

_LEAVES_OPEN = re.compile(
    r"\b(?:may|might|could|can|cannot|would|should|if|unless|whether|aim(?:s|ed)?|hypothesi\w+|objective|purpose"
    r"|in order to|to (?:determine|assess|evaluate|investigate|compare|examine|test)"
    r"|(?:is|are) (?:used|given|prescribed|needed)"
    r"|unclear|unknown|controversial|conflicting|inconsistent|remains?|further (?:studies|trials|research))\b",
    re.IGNORECASE,
)
"""What leaves open whether it is so, or says when it is."""


def reports_result(sentence: str) -> bool:
    """Whether a sentence says what was found, and of what drug or procedure."""
    return (
        len(sentence.split()) <= MAX_RESULT_WORDS
        and _REPORTS.search(sentence) is not None
        and _LEAVES_OPEN.search(sentence) is None
        and bool(list_interventions(sentence))
    )


def list_interventions(text: str) -> frozenset[str]:
    """The drugs and procedures that a text names, in lower case; what they are compared with is none."""
    found = (word.lower() for word in re.findall(r"[\w-]+", text) if is_entity_name(word) and not is_symbol(word))
    return frozenset(found) - _CONTROLS


def may_be_of_same_people(one: str, other: str) -> bool:
    """Whether two texts may speak of the same people: one names no disease, or both name one that they share."""
    diseases = _list_diseases(one), _list_diseases(other)
    return not all(diseases) or not diseases[0].isdisjoint(diseases[1])


def are_opposite_results(one: str, other: str) -> bool:
    """Whether each of two sentences reports a result that the other denies."""
    if not (reports_result(one) and reports_result(other) and may_be_of_same_people(one, other)):
        return False
    # A result of a drug beside another one, or against another one, says nothing of the drug alone.
    if list_interventions(one) != list_interventions(other):
        return False
    return all(_denies(*pair) for pair in ((one, other), (other, one)))


def _denies(claim: str, sentence: str) -> bool:
    found = compare_results(claim, sentence)
    return found.verdict == "disagrees" and found.features["outcome"] >= MIN_OUTCOME_OVERLAP


def _list_diseases(text: str) -> frozenset[str]:
    named = {word.lower()[:8] for word in re.findall(r"[^\W\d_][\w-]+", text) if is_disease_name(word)}
    return frozenset(named | {one.condition for one in extract_conditions(text)})
