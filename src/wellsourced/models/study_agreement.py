"""Which sentences of studies answer best: those that studies agree on, that take up the question and are short."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from wellsourced.claims.required_entities import RequiredEntity, list_missing_terms
from wellsourced.models.unit_choice import QuoteCandidate
from wellsourced.text.passages import text_under_titles
from wellsourced.text.tokens import content_stems

AGREEMENT_WEIGHT = 1.0
"""What it adds at most that other studies say the same of what the question asks about."""

AGREEING_STEMS = 6
"""Words of a sentence, the commonest of them, by which its agreement is told."""

AGREEING_SENTENCES = 30
"""Sentences, the best, that are looked at for what studies agree on."""

MAX_REPETITION = 0.5
"""What it adds at most that a sentence has the words of the question."""

LENGTH_PENALTY = 0.5
"""What it takes at most that a sentence is long: nothing at 25 words, all of it at 65."""

SELF_REFERENCE_FACTOR = 0.8
"""What remains for a sentence on the paper itself ("This review discusses …", "the results presented here")."""

_SELF_REFERENCE = re.compile(
    r"\b(?:presented here|towards? this|(?:this|present|current) (?:study|review|paper|article|work)"
    r"|we (?:describe|present|report|discuss|review|used|performed)|here,? we)\b",
    re.IGNORECASE,
)

DIRECTION_FACTOR = 0.4
"""What remains for a sentence that says where more is to be found, or where a trial is registered."""

_DIRECTION = re.compile(
    r"\bsupplementary (?:information|data|materials?)\b|\bavailable (?:at|from|on|online|for download)\b"
    r"|\bavailability and implementation\b|\btrial registration\b|\bregistered (?:at|with|under)\b",
    re.IGNORECASE,
)

MISSING_NAME_FACTOR = 0.5
"""What remains for each drug or the like that the question names and the study does not: it is on another one."""

_ASKS_FOR_THING = re.compile(r"(?:which|what|who|whom|whose|where|when|how (?:many|much|often|long))\b", re.IGNORECASE)


def asks_for_thing(question: str) -> bool:
    """Whether a question opens by asking for a name, a place, a time or a number ("Which gene …")."""
    return _ASKS_FOR_THING.match(question.strip()) is not None


def is_of_study(choice: QuoteCandidate) -> bool:
    """Whether a unit is a sentence of a research abstract or paper."""
    return choice.passage.reference.kind == "research"


def weigh_studies(
    question: str, choices: Sequence[QuoteCandidate], names: Sequence[RequiredEntity] = ()
) -> list[QuoteCandidate]:
    """The candidates, best first, those of studies weighed anew among themselves.

    names   the drugs and the like that the question names

    The best of them scores as the best of them did before, so that they stand to guidelines as they stood; what is not
    of a study keeps its score. The weights were fitted on one half of BioASQ's development questions.
    """
    studies = [one for one in choices if is_of_study(one)]
    if not studies:
        return list(choices)
    asked = frozenset(content_stems(question))
    agreement = measure_agreement(asked, sorted(studies, key=lambda one: -one.score)[:AGREEING_SENTENCES])
    weighed = [
        one._replace(score=one.score * _fitness(one, asked, agreement) * _share_on_subject(one, names))
        for one in studies
    ]
    before, after = max(one.score for one in studies), max(one.score for one in weighed)
    scale = before / after if after else 1.0
    others = [one for one in choices if not is_of_study(one)]
    every = [*(one._replace(score=one.score * scale) for one in weighed), *others]
    return sorted(every, key=lambda one: (-one.score, one.passage.id, one.unit.spans))


def weigh_works(choices: Iterable[QuoteCandidate]) -> Mapping[str, float]:
    """Study → the score of the best of its sentences."""
    works: dict[str, float] = defaultdict(float)
    for one in choices:
        works[one.passage.reference.id] = max(works[one.passage.reference.id], one.score)
    return works


def measure_agreement(asked: frozenset[str], choices: Sequence[QuoteCandidate]) -> Mapping[str, float]:
    """Word that the question lacks → the share of the studies that say it, each by how well it answers, 0 … 1."""
    said: dict[str, dict[str, float]] = defaultdict(dict)
    for one in choices:
        home = one.passage.reference.id
        for stem in frozenset(content_stems(one.unit.text)) - asked:
            said[stem][home] = max(said[stem].get(home, 0.0), one.score)
    whole = sum(weigh_works(choices).values())
    return {stem: sum(homes.values()) / whole for stem, homes in said.items()} if whole else {}


def _fitness(choice: QuoteCandidate, asked: frozenset[str], agreement: Mapping[str, float]) -> float:
    stems = frozenset(content_stems(choice.unit.text))
    shared = sorted((agreement.get(stem, 0.0) for stem in stems - asked), reverse=True)[:AGREEING_STEMS]
    words = len(choice.unit.text.split())
    value = 1 + AGREEMENT_WEIGHT * sum(shared) / AGREEING_STEMS
    value *= 1 + MAX_REPETITION * (len(asked & stems) / len(asked) if asked else 1.0)
    value *= DIRECTION_FACTOR if _DIRECTION.search(choice.unit.text) else 1.0
    value *= SELF_REFERENCE_FACTOR if _SELF_REFERENCE.search(choice.unit.text) else 1.0
    return value * (1 - LENGTH_PENALTY * min(1.0, max(0.0, (words - 25) / 40)))


def _share_on_subject(choice: QuoteCandidate, names: Sequence[RequiredEntity]) -> float:
    missing = list_missing_terms(names, text_under_titles(choice.passage))
    return float(pow(MISSING_NAME_FACTOR, len(missing)))
