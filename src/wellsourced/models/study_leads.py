"""Which one or two sentences of studies answer at once, by what is known of each and of both together, and which name
what is asked for.

`study_lead_weights.json` is written by benchmarks/fit_study_leads.py (eb43d2cc) and by nobody's hand.
"""

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations, pairwise
from typing import NamedTuple, TypeVar

from wellsourced.citations.markers import find_secondary_citation
from wellsourced.claims.question_profile import asks_for_definition
from wellsourced.claims.yes_no_questions import is_yes_no_question
from wellsourced.models.study_agreement import AGREEING_SENTENCES, AGREEING_STEMS, measure_agreement, weigh_works
from wellsourced.models.unit_choice import MAX_OVERLAP, QuoteCandidate, stem_overlap
from wellsourced.models.unit_fitness import DEFINING_WORDS
from wellsourced.question.question_types import names_another_thing, share_of_things_named
from wellsourced.text.logistic import read_fitted
from wellsourced.text.quotable_spans import find_quotable_spans
from wellsourced.text.tokens import content_stems
from wellsourced.types import Value

LEADING_UNITS = 12
"""Sentences of studies, the best, of which one may lead."""

PAIRED_UNITS = 6
"""Of these, the best, of which two may lead together; one and its neighbour in the abstract may wherever they stand."""

AGREEING_PHRASES = 4
"""Pairs of words, the commonest in other studies, by which an answer's agreement is told."""

LIKENESS_EXPONENT = 3
"""How much more the better sentences count with which an answer is compared."""

USUAL_WORDS = 25
"""Words of a short answer from which its length is measured."""

OPENING_WORDS = 6
"""Words of a sentence that open it."""

MAX_COUNT = 3
"""Brackets of a sentence that are counted."""

MAX_SPREADS = 4.0
"""Spreads from the mean beyond which a feature counts no more."""

_ABBREVIATION = re.compile(r"\b[A-Z]{2,}[A-Za-z]?\d?\b")
_BRACKET = re.compile(r"\([^)]*\)")
_NAME_LIKE = re.compile(r"\b(?:[A-Za-z]*\d[\w-]*|[A-Z]{2,}[\w-]*|[a-z]+[A-Z]\w*)\b")
"""What looks like the name of a gene, a drug in development, a trial: figures, or capitals within."""

_ASKS_FOR_ANY = re.compile(
    r"^\W*(?:(?:in|on|of|for|from|by|to|with|at) )?"
    r"(?:which|what|who|whom|whose|where|when|how (?:many|much|often|long))\b",
    re.IGNORECASE,
)
_ENDS_ASKING = re.compile(r"\b(?:which|what)(?: [\w/-]+){1,3}\W*$", re.IGNORECASE)
"""What asks at its end: "Risdiplam is used for which disease?" """

_ASKS_FOR_SEVERAL = re.compile(
    r"\b(?:which|what)(?: are|(?: [\w-]+){0,2} (?!\w*(?:ss|us|is)\b)"
    r"(?!(?:encod|inhibit|caus|produc|regulat|bind|cataly[sz]|affect|induc|mediat|contain|express|activat|target|control"
    r"|promot|prevent|predict|interact|degrad|represent|belong|lead|occur|mean|refer|stand|mak|becom|play|need|requir|us"
    r"|treat|help|describ|detect|compris|includ|form|act|work|do|ha|wa|block|bear|carri|give|take|show|underli|trigger"
    r"|modulat|phosphorylat|recogni[sz]|secret|synthesi[sz]|transport|stimulat|suppress|accompani|characteri[sz]|provid"
    r"|increas|decreas|reduc|develop|design|manufactur|own|measur|diagnos)e?s\b)\w+s\b)",
    re.IGNORECASE,
)
"""A noun in the plural; "which gene encodes" asks for one."""

WEIGHED_APART = {
    "one thing": ("pair", "length"),
    "definition": ("pair", "length", "defines", "first", "opening"),
    "yes or no": ("pair", "length", "coverage", "consensus"),
}
"""Kind of question → the features that count otherwise there."""

Phrase = tuple[str, str]
K = TypeVar("K")


class Lead(NamedTuple):
    """A short answer: one sentence, or two in reading order."""

    units: tuple[QuoteCandidate, ...]

    @property
    def text(self) -> str:
        """What it says."""
        return " ".join(one.unit.text for one in self.units)


class ComparedSentence(NamedTuple):
    """A sentence that short answers are compared with: its work, its stems, and how much it counts."""

    work: str
    stems: frozenset[str]
    weight: float


class LeadContext(NamedTuple):
    """What all short answers to one question are described by.

    kinds      of WEIGHED_APART, those that the question is of
    stems      content stems of the question
    best       score of the best sentence
    others     the best sentences
    agreement  stem that the question lacks → the share of the studies that say it
    phrases    two stems that stand together → the share of the studies that say them, where more than one does
    """

    question: str
    kinds: frozenset[str]
    stems: frozenset[str]
    best: float
    others: tuple[ComparedSentence, ...]
    agreement: Mapping[str, float]
    phrases: Mapping[Phrase, float]


class StudyLeadModel(Value):
    """How the features of a short answer become its score.

    weights    feature → its mean and spread in what was fitted on, and its weight per spread
    fitted_on  the questions, in words
    """

    weights: dict[str, tuple[float, float, float]]
    fitted_on: str = ""

    def score(self, described: Mapping[str, float]) -> float:
        """How well it would lead, beside others to the same question. Raises KeyError for a missing feature."""
        return math.fsum(
            max(-MAX_SPREADS, min(MAX_SPREADS, (described[name] - mean) / spread)) * weight
            for name, (mean, spread, weight) in self.weights.items()
        )


@cache
def load_study_lead_model() -> StudyLeadModel:
    """What comes with this package."""
    return read_fitted(StudyLeadModel, "wellsourced.models", "study_lead_weights.json")


def choose_study_leads(
    question: str, studies: Sequence[QuoteCandidate], most: int, model: StudyLeadModel | None = None
) -> tuple[QuoteCandidate, ...]:
    """The one or two sentences of studies, in reading order, that answer best at once; () where there are none.

    studies   sentences, best first
    """
    fitted = model or load_study_lead_model()
    described = describe_leads(question, studies, most)
    return max(described, key=lambda each: fitted.score(each[1]))[0].units if described else ()


def rank_study_leads(
    question: str, studies: Sequence[QuoteCandidate], model: StudyLeadModel | None = None
) -> list[QuoteCandidate]:
    """The best sentences of studies, by how well each would lead alone, best first.

    studies   sentences, best first
    """
    fitted = model or load_study_lead_model()
    described = describe_leads(question, studies, 1)
    return [lead.units[0] for lead, _ in sorted(described, key=lambda each: -fitted.score(each[1]))]


def promote_leads(choices: Sequence[QuoteCandidate], leads: Sequence[QuoteCandidate]) -> list[QuoteCandidate]:
    """The candidates, those that lead before all others and as good as the best."""
    best = max((one.score for one in choices), default=0.0)
    return [*(one._replace(score=best) for one in leads), *(one for one in choices if one not in leads)]


def describe_leads(question: str, studies: Sequence[QuoteCandidate], most: int) -> list[tuple[Lead, dict[str, float]]]:
    """Every short answer that may be given, and its features."""
    # What a sentence has from another work is not the finding of this one.
    studies = [one for one in studies if not find_secondary_citation(one.unit.text)] or studies
    if not studies or most < 1:
        return []
    context = _read_context(question, studies)
    leads = _list_leads(studies, most)
    units = {id(one): _describe_unit(one, context) for lead in leads for one in lead.units}
    return [(lead, _describe_lead(lead, [units[id(one)] for one in lead.units], context)) for lead in leads]


def _list_leads(studies: Sequence[QuoteCandidate], most: int) -> list[Lead]:
    """The best sentences alone, and if two may lead, pairs of them that do not say the same."""
    leads = [Lead((one,)) for one in studies[:LEADING_UNITS]]
    if most < 2:
        return leads
    compared = studies[:AGREEING_SENTENCES]
    stems = [frozenset(content_stems(one.unit.own_text)) for one in compared]
    places = _number_units(compared)
    for first, second in combinations(range(len(compared)), 2):
        one, other = compared[first], compared[second]
        distance = places[second] - places[first] if one.passage.id == other.passage.id else 0
        is_near = first < LEADING_UNITS and abs(distance) == 1
        if (second < PAIRED_UNITS or is_near) and stem_overlap(stems[first], stems[second]) < MAX_OVERLAP:
            leads.append(Lead((other, one) if distance < 0 else (one, other)))
    return leads


def _number_units(choices: Sequence[QuoteCandidate]) -> list[int]:
    """Of each sentence which one of its passage it is, of those that can be shown."""
    passages = {one.passage.id: one.passage for one in choices}
    units = {id: [unit.spans for unit in find_quotable_spans(passage)] for id, passage in passages.items()}
    return [units[one.passage.id].index(one.unit.spans) for one in choices]


def _read_context(question: str, studies: Sequence[QuoteCandidate]) -> LeadContext:
    stems = frozenset(content_stems(question))
    best = max(one.score for one in studies) or 1.0
    top = studies[:AGREEING_SENTENCES]
    others = tuple(
        ComparedSentence(
            one.passage.reference.id, frozenset(content_stems(one.unit.text)), (one.score / best) ** LIKENESS_EXPONENT
        )
        for one in top
    )
    kinds = _find_kinds(question)
    return LeadContext(question, kinds, stems, best, others, measure_agreement(stems, top), _measure_phrases(top))


def asks_for_one_thing(question: str) -> bool:
    """Whether it asks for one name, place, time or number, and for no definition."""
    is_open = not asks_for_definition(question) and bool(_ASKS_FOR_ANY.match(question) or _ENDS_ASKING.search(question))
    return is_open and not _ASKS_FOR_SEVERAL.search(question)


def _find_kinds(question: str) -> frozenset[str]:
    kinds = {
        "one thing": asks_for_one_thing(question),
        "definition": asks_for_definition(question),
        "yes or no": is_yes_no_question(question),
    }
    return frozenset(kind for kind, holds in kinds.items() if holds)


def _measure_phrases(choices: Sequence[QuoteCandidate]) -> Mapping[Phrase, float]:
    """Two stems that stand together → the share of the studies that say them, by score, where more than one does."""
    said: dict[Phrase, dict[str, float]] = defaultdict(dict)
    for one in choices:
        home = one.passage.reference.id
        for phrase in _list_phrases(one.unit.text):
            said[phrase][home] = max(said[phrase].get(home, 0.0), one.score)
    whole = math.fsum(weigh_works(choices).values()) or 1.0
    return {phrase: math.fsum(homes.values()) / whole for phrase, homes in said.items() if len(homes) > 1}


def _list_phrases(text: str) -> frozenset[Phrase]:
    return frozenset(pairwise(content_stems(text)))


# --- what is known of a sentence and of a short answer --------------------------------------------------------------


def _describe_unit(choice: QuoteCandidate, context: LeadContext) -> dict[str, float]:
    """The features of a sentence, which a pair has on the average.

    Its words of conclusion and its part of the abstract are none of them: by ROUGE-L alone they would count against it.
    """
    text = choice.unit.text
    new = frozenset(content_stems(text)) - context.stems
    opening = frozenset(content_stems(" ".join(text.split()[:OPENING_WORDS])))
    return {
        "score": math.log(max(choice.score, 1e-6) / context.best),
        "likeness": choice.likeness,
        "relevance": choice.relevance,
        "agreement": _mean_of_best(context.agreement, new, AGREEING_STEMS),
        "first": float(choice.unit.spans[0].start == 0),
        "opening": float(bool(opening & context.stems)),
        "defines": float(DEFINING_WORDS.search(text) is not None),
        "brackets": float(min(MAX_COUNT, text.count("("))),
    }


def _mean_of_best(shares: Mapping[K, float], keys: frozenset[K], count: int) -> float:
    return sum(sorted((shares.get(key, 0.0) for key in keys), reverse=True)[:count]) / count


def _describe_lead(lead: Lead, units: Sequence[Mapping[str, float]], context: LeadContext) -> dict[str, float]:
    """The features of a short answer."""
    is_pair = float(len(lead.units) > 1)
    length = math.log(max(1, len(lead.text.split())) / USUAL_WORDS)
    described = {
        **{name: sum(one[name] for one in units) / len(units) for name in units[0]},
        "least score": min(one["score"] for one in units),
        "best": float(any(one["score"] >= 0 for one in units)),
        "pair": is_pair,
        "pair of one abstract": float(bool(is_pair) and len({one.passage.id for one in lead.units}) == 1),
        "length": length,
        "length squared": length * length,
        **_compare_words(lead, context),
        **_describe_names(lead.text, context.question),
    }
    apart = {
        f"{kind}: {name}": described[name] if kind in context.kinds else 0.0
        for kind, names in WEIGHED_APART.items()
        for name in names
    }
    return described | apart


def _compare_words(lead: Lead, context: LeadContext) -> dict[str, float]:
    """What words a short answer has in common with the question, and with what other studies say."""
    parts = [frozenset(content_stems(one.unit.text)) for one in lead.units]
    stems, asked = frozenset[str]().union(*parts), context.stems
    phrases = _list_phrases(lead.text)
    of_question = frozenset(phrase for phrase in phrases if asked.issuperset(phrase))
    homes = {one.passage.reference.id for one in lead.units}
    likenesses = [
        (other.weight, 2 * len(stems & other.stems) / (len(stems) + len(other.stems)))
        for other in context.others
        if other.work not in homes and other.stems
    ]
    weight = math.fsum(each for each, _ in likenesses)
    return {
        "coverage": len(asked & stems) / max(1, len(asked)),
        "precision": len(asked & stems) / max(1, len(stems)),
        "new words": math.log(1 + len(stems - asked)),
        "asked phrases": len(of_question) / max(1, len(_list_phrases(context.question))),
        "consensus": math.fsum(each * likeness for each, likeness in likenesses) / weight if weight else 0.0,
        "nearest": max((likeness for _, likeness in likenesses), default=0.0),
        "commonest": _mean_of_best(context.agreement, stems - asked, 1),
        "phrases": _mean_of_best(context.phrases, phrases - of_question, AGREEING_PHRASES),
        "overlap": stem_overlap(parts[0], parts[-1]) if len(parts) > 1 else 0.0,
    }


def _describe_names(text: str, question: str) -> dict[str, float]:
    """What a short answer names that the question does not."""
    asked = question.casefold()
    names = {name for name in _NAME_LIKE.findall(text) if name.casefold() not in asked}
    explained = {name for bracket in _BRACKET.findall(text) for name in _ABBREVIATION.findall(bracket)}
    bare = {name for name in _ABBREVIATION.findall(text) if name not in question} - explained
    return {
        "names": math.log(1 + len(names)),
        "unexplained abbreviations": math.log(1 + len(bare)),
        "things named": share_of_things_named(question, text),
    }


# A short sentence more, where one thing is asked for and a study names another such thing than the short answer does.
#
# On 259 of BioASQ's questions that are tuned on, with weights that were fitted on others (five folds), it names the
# answers of .65 and not .61 of 162 factoids and .50 and not .46 of a list's items, in 1.3 words more; ROUGE-L stays.
# Where the sentence need not name such a thing, or may be longer, it takes more words and brings no more.


MAX_SENTENCE_WORDS = 20
"""Words of the sentence."""

MAX_WORDS = 70
"""Words of the short answer with it."""


def add_naming_sentence(
    question: str, leads: Sequence[QuoteCandidate], studies: Sequence[QuoteCandidate]
) -> tuple[QuoteCandidate, ...]:
    """The short answer, and after it the first short sentence that names what it does not name yet; or none.

    studies   sentences, by how well each would lead, best first
    """
    if not leads or not asks_for_one_thing(question):
        return tuple(leads)
    said = " ".join(one.unit.text for one in leads)
    more = (one for one in studies if one not in leads and _is_short(one, said) and _is_new(question, one, said))
    return (*leads, *list(more)[:1])


def _is_short(choice: QuoteCandidate, said: str) -> bool:
    words = len(choice.unit.text.split())
    return words <= MAX_SENTENCE_WORDS and words + len(said.split()) <= MAX_WORDS


def _is_new(question: str, choice: QuoteCandidate, said: str) -> bool:
    text = choice.unit.text
    overlap = stem_overlap(frozenset(content_stems(text)), frozenset(content_stems(said)))
    return overlap < MAX_OVERLAP and names_another_thing(question, text, said)
