"""Whether evidence reports the same study result as a claim, read by rules.

A finding is an outcome, a direction (up, down, different, no difference), how sure it is, and which arm is compared
with which. "Compared with placebo, X reduced pain" agrees with "pain was lower in the X group than with placebo
(p=.01)" and with "pain was higher with placebo"; "pain did not differ between the groups" disagrees with it.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from wellsourced.claims.guard.disagreement import is_disease_name, is_entity_name, is_symbol
from wellsourced.claims.results import tokens as lex
from wellsourced.claims.results.claimed_result import ClaimedResult, Direction, parse_claimed_result, parse_frame
from wellsourced.claims.results.cues import find_result_cues
from wellsourced.claims.results.interpretation import CueInterpretation, interpret_evidence
from wellsourced.claims.results.tokens import ResultToken, split_sentences, tokenize
from wellsourced.medicine.conditions import extract_conditions
from wellsourced.text.lexicon import STOP_WORDS

AgreementLabel = Literal["agrees", "disagrees", "silent"]


class ResultAgreement(NamedTuple):
    """Whether evidence states the finding of a claim.

    supports, refutes   in [0, 1]: the strongest finding of the claimed direction, and of any that excludes it, each as
                        far as the other is not the case; 0 where the claim states no finding
    outcome             share of the claim's words for its outcome that a finding has
    """

    verdict: AgreementLabel
    supports: float = 0.0
    refutes: float = 0.0
    outcome: float = 0.0


def compare_results(claim: str, evidence: str) -> ResultAgreement:
    """Whether the evidence states the claim's finding, denies it, or is silent about it."""
    said = parse_claimed_result(claim)
    if said is None:
        return ResultAgreement("silent")
    told = tokenize(evidence)
    found = list(interpret_evidence(said, told, evidence))
    agrees, opposes = _weigh_directions(said.direction, found)
    supports, refutes = agrees * (1 - opposes), opposes * (1 - agrees)
    verdict = _label_agreement(supports, refutes)
    if verdict != "silent" and _names_only_other_arms(said, told, evidence):
        verdict = "silent"
    return ResultAgreement(verdict, supports, refutes, _highest(one.outcome_share for one in found))


_MIN_SUPPORT = 0.15
"""Support or refutation from which a verdict is given."""
_VAGUE_WEIGHT = 0.5
"""What "they differed" counts for a claim that says how."""


def _label_agreement(supports: float, refutes: float) -> AgreementLabel:
    if max(supports, refutes) < _MIN_SUPPORT or supports == refutes:
        return "silent"
    return "agrees" if supports > refutes else "disagrees"


def _names_only_other_arms(said: ClaimedResult, told: list[ResultToken], text: str) -> bool:
    """Whether the evidence names none of the claim's arms, nor arms by what reports call them, but something else."""
    arms, usual = said.arm | said.comparator | lex.GROUP_STEMS, lex.TREATED_ARM_WORDS | lex.CONTROL_ARM_WORDS
    if not said.arm or any(word.key in arms or word.word in usual for word in told):
        return False
    frames = (parse_frame(sentence, find_result_cues(sentence, text)) for sentence in split_sentences(told, text))
    return any(_is_foreign_word(said, word) for frame in frames if frame for word in frame.arm)


def _is_foreign_word(said: ClaimedResult, word: ResultToken) -> bool:
    known = said.outcome_weights.keys() | lex.GENERIC_OUTCOME_STEMS | lex.GENERIC_ARM_STEMS
    names_nothing = STOP_WORDS | lex.ARM_PREPOSITIONS | lex.FILLER_WORDS
    return word.word[0].isalpha() and word.key not in known and word.word not in names_nothing


def _weigh_directions(direction: Direction, found: Sequence[CueInterpretation]) -> tuple[float, float]:
    """How strongly the claimed direction is stated, and how strongly any that excludes it."""
    agrees, vaguely, opposes = (
        _highest(one.strength for one in found if _relate_directions(direction, one.direction) == relation)
        for relation in (1, 0, -1)
    )
    return max(agrees, _VAGUE_WEIGHT * vaguely), opposes


def _relate_directions(direction: Direction, way: str) -> int:
    """+1 where what is stated is what is claimed, -1 where it excludes it, 0 where it leaves it open."""
    if way == direction or (direction == "differ" and way != "same"):
        return 1
    return 0 if way == "differ" and direction != "same" else -1


def _highest(values: Iterable[float]) -> float:
    return max(values, default=0.0)


# Whether two sentences of different works say opposite things of one matter, read by rules.
#
# Both have to report what was found, of the same drug or procedure, for the same outcome, in people who may have the
# same disease; and each has to deny the other. What only may be, is aimed at or is the case under a condition is no
# report. Where this leaves a doubt, they do not oppose each other.

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
    return found.verdict == "disagrees" and found.outcome >= MIN_OUTCOME_OVERLAP


def _list_diseases(text: str) -> frozenset[str]:
    named = {word.lower()[:8] for word in re.findall(r"[^\W\d_][\w-]+", text) if is_disease_name(word)}
    return frozenset(named | {one.condition for one in extract_conditions(text)})
