"""What tells that a unit of a guideline decides a question: features of each unit beside those it stands with, and the
chapters that answer broadly.
"""

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

from wellsourced.claims import question_terms
from wellsourced.claims.advice_signs import list_advice_signs
from wellsourced.claims.question_profile import QuestionProfile
from wellsourced.claims.required_entities import list_missing_terms
from wellsourced.lazy import lazy_regex
from wellsourced.medicine.drugs import find_prescribed_drugs, is_meant
from wellsourced.medicine.study_design import rate_advice
from wellsourced.models.answerability import find_wanted_sorts, load_asked_actions
from wellsourced.models.direct_answers import answers_directly
from wellsourced.models.unit_choice import GrowingAnswer, QuoteCandidate, SectionCandidate
from wellsourced.question.question_types import rate_chapter
from wellsourced.question.requested_quantity import fit_figures, has_asked_figure
from wellsourced.text.passages import (
    branch_below,
    is_below,
    last_heading,
    list_chapters,
    section_weight,
    words_under_title,
)
from wellsourced.text.quotable_spans import QuotableSpan
from wellsourced.types import Passage, Question

LIST_LAYOUTS = frozenset({"item", "row"})

MIN_SCORE_SHARE = 0.001
"""Share of the best unit's score below which no less is told apart."""

_SPEAKS_AGAINST = lazy_regex(
    r"\bcontra-?indicat|\bavoid|\bnot (?:be )?(?:recommended|used?|given)|\bdo not|\bshould not|\bnever|\bharm\b"
    r"|\bexclu|\bcaution|\bno longer|\bstop|\bdiscontinu|\bwithhold",
    re.IGNORECASE,
)
_ASKS_AGAINST = lazy_regex(
    r"\b(?:who|when|what(?! if)|which)\b[^?.,]{0,40}\b(?:not|never|n[o'’]t|can'?t|cannot|shouldn'?t)\b"
    r"|\bcontra-?indicat|\bkeep away|\bavoid|\bsteer clear|\bdangerous\b|\bunsafe\b|\bexclu",
    re.IGNORECASE,
)
_ASKS_OF_OLD = lazy_regex(
    r"\b(?:[7-9]\d|10\d)[\s-]?(?:yo|y/o|years?|yr|[MF]\b)|\bfrail|\belderly|\bolder|\b(?:nursing|care) home",
    re.IGNORECASE,
)
_IS_OF_OLD = lazy_regex(
    r"\bolder\b(?! than)|\belderly|\bfrail|\bgeriatric|(?:≥|>|>=|over) ?(?:6[05]|7[05]|80) ?(?:years|y\b)",
    re.IGNORECASE,
)
_ASKS_LIST = lazy_regex(
    r"\b(?:list|criteria|who|which (?:patients|people|ones|drugs)|what (?:are|all)|each|components?|points for|features"
    r"|contraindications|items|signs|tests|bloods|scores? (?:a )?points?)\b",
    re.IGNORECASE,
)
_ASIDE = lazy_regex(
    r"\W*(?:rationale|example|evidence|supporting|background|note|key trials?|caveat)s?\b", re.IGNORECASE
)
"""How a unit begins that says why, or tells of something beside what is asked."""

_CONDITION = lazy_regex(r"(?:if|for|when|in|patients|adults|those)\b[^.:;]*?(?=,|:|;|$)", re.IGNORECASE)
_FIGURE = lazy_regex(r"\d+(?:\.\d+)?")


class ShownUnit(NamedTuple):
    """A unit that is shown.

    choice     the candidate that it is said in
    statement  number of that candidate, the best one being 0
    place      its number in it
    score      of the unit by itself
    """

    choice: QuoteCandidate
    unit: QuotableSpan
    statement: int
    place: int
    score: float


class AskedThings(NamedTuple):
    """What a question asks for, read once for all units.

    words   its telling words
    clause  those of what asks
    """

    question: str
    asked: QuestionProfile
    words: tuple[question_terms.QuestionTerm, ...]
    clause: tuple[question_terms.QuestionTerm, ...]
    asking: str


def read_asked_things(question: Question, asked: QuestionProfile) -> AskedThings:
    """What a question asks for."""
    words = tuple(question_terms.list_asked_words(question))
    clause = tuple(word for word in words if word.is_asking) or words
    return AskedThings(question.text, asked, words, clause, question_terms.find_asking_clause(question.text))


def asks_for_list(question: str) -> bool:
    """Whether a question is answered by a list: whom, which criteria, the points of a score."""
    return _ASKS_LIST.search(question) is not None


def list_shown_units(chosen: Sequence[QuoteCandidate], choices: Sequence[QuoteCandidate]) -> list[ShownUnit]:
    """The units that are shown of the guideline that answers best.

    chosen   what is shown, best first
    choices  every unit, with its own score
    """
    best = chosen[0].passage.reference.id
    scores = {(one.passage.id, one.unit.spans): one.score for one in choices}
    return [
        ShownUnit(one, part, number, place, scores.get((one.passage.id, part.spans), one.score))
        for number, one in enumerate(chosen)
        if one.passage.reference.id == best
        for place, part in enumerate(one.parts or (one.unit,))
    ]


def describe_units(things: AskedThings, units: Sequence[ShownUnit]) -> list[dict[str, float]]:
    """The features of each unit, beside those with which it is shown."""
    top = max(one.score for one in units)
    texts = [question_terms.read_words(f"{last_heading(one.choice.passage.section)} {one.unit.text}") for one in units]
    distinct = _rate_distinct(things.words, texts)
    return [
        {
            **_place_features(one, top),
            **_word_features(things, one, text),
            **_figure_features(things, one),
            **_advice_features(things, one),
            "distinct": value,
        }
        for one, text, value in zip(units, texts, distinct, strict=True)
    ]


def _rate_distinct(
    words: Sequence[question_terms.QuestionTerm], texts: Sequence[question_terms.TextWords]
) -> list[float]:
    """How much each text has of the words of the question that few of the others have."""
    rated = [0.0] * len(texts)
    for word in words:
        has = [question_terms.has_word(text, word) for text in texts]
        if any(has):
            tells = word.rarity * math.log(len(texts) / sum(has)) / 10
            rated = [value + tells * is_there for value, is_there in zip(rated, has, strict=True)]
    return rated


def _place_features(one: ShownUnit, top: float) -> dict[str, float]:
    return {
        "score": math.log(max(MIN_SCORE_SHARE, one.score / top)) if top else 0.0,
        "is first": float(one.statement == 0),
        "later": math.log1p(one.statement),
        "place": math.log1p(one.place),
        "aside": float(_ASIDE.match(one.unit.own_text) is not None),
    }


def _word_features(things: AskedThings, one: ShownUnit, text: question_terms.TextWords) -> dict[str, float]:
    passage = one.choice.passage
    whole = words_under_title(passage, one.unit.text)
    drug = _is_of_asked_drug(things, one)
    return {
        "coverage": cover_words(things.words, question_terms.read_words(whole)),
        "asking": cover_words(things.clause, text),
        "label": cover_words(things.clause, question_terms.read_words(_find_label(one.unit, passage))),
        "missing terms": float(min(3, len(list_missing_terms(things.asked.terms, whole)))),
        "of other drug": float(drug is False),
        "of old people": float(bool(_ASKS_OF_OLD.search(things.question) and _IS_OF_OLD.search(one.unit.own_text))),
    }


def _figure_features(things: AskedThings, one: ShownUnit) -> dict[str, float]:
    own, asked = one.unit.own_text, things.asked
    wanted = find_wanted_sorts(things.question)
    sorts = sum(sort.figure.search(own) is not None for sort in wanted)
    fit = fit_figures(things.question, *find_figure_condition(one.unit, one.choice.passage))
    actions = [action for action in load_asked_actions() if action.asked.search(things.asking)]
    acted = sum(action.said.search(own) is not None for action in actions)
    return {
        "wanted figure": float(bool(sorts)),
        "more sorts": float(max(0, sorts - 1)),
        "lacks figure": float(bool(wanted) and not sorts),
        "lacks quantity": float(bool(asked.quantities) and not has_asked_figure(asked.quantities, own)),
        "figures": math.log1p(len(_FIGURE.findall(own))),
        "suits figures": float(fit.suits is True),
        "suits closed": float(fit.is_closed),
        "suits not": float(fit.suits is False),
        "action": acted / len(actions) if actions else 0.0,
        "lacks action": float(bool(actions) and not any(action.said.search(one.unit.text) for action in actions)),
    }


def _advice_features(things: AskedThings, one: ShownUnit) -> dict[str, float]:
    label = _find_label(one.unit, one.choice.passage)
    asks_against = things.asked.asks_against or _ASKS_AGAINST.search(things.question) is not None
    is_against = _SPEAKS_AGAINST.search(f"{label} {one.unit.own_text}") is not None
    return {
        "of list": float(asks_for_list(things.question) and one.unit.layout in LIST_LAYOUTS),
        "direct": float(answers_directly(things.asked, one.choice._replace(unit=one.unit, parts=()))),
        "advises": float(bool(list_advice_signs(one.unit.own_text))),
        "against": float(asks_against and is_against),
        "against label": float(asks_against and _SPEAKS_AGAINST.search(label) is not None),
        "not against": float(asks_against and not is_against),
    }


def cover_words(words: Sequence[question_terms.QuestionTerm], text: question_terms.TextWords) -> float:
    """The share of the words that a text has, rare ones counting more."""
    return question_terms.weigh_coverage(words, [question_terms.has_word(text, word) for word in words])


def _find_label(unit: QuotableSpan, passage: Passage) -> str:
    """What says what a unit is about: the heading, the lines above it, what stands before its first colon."""
    return f"{last_heading(passage.section)} {_lines_above(unit)} {unit.own_text.partition(':')[0]}"


def _lines_above(unit: QuotableSpan) -> str:
    return unit.text[: len(unit.text) - len(unit.own_text)]


def find_figure_condition(unit: QuotableSpan, passage: Passage) -> tuple[str, str]:
    """For what a unit holds, and what that stands under.

    A row holds for its cells; a leaf of an algorithm for the steps that lead there; a line of a list for what stands
    before its colon or its first comma.
    """
    own, above = unit.own_text, _lines_above(unit)
    under = f"{last_heading(passage.section)} {above} {_find_column_head(unit, passage)}"
    if unit.layout == "step":
        *steps, last = unit.text.split(" → ")
        before, arrow, _ = last.partition(" -> ")
        return " ; ".join((*steps, *([before] if arrow else []))), under
    if unit.layout == "row":
        return own, under
    head, colon, _ = own.partition(":")
    clause = _CONDITION.match(own)
    return f"{above} ; {head if colon else clause[0] if clause else ''}", under


def _find_column_head(unit: QuotableSpan, passage: Passage) -> str:
    """What the first column is called of the table that a row stands in."""
    if unit.layout != "row":
        return ""
    head = ""
    for line in reversed(passage.text[: unit.spans[-1].start].split("\n")):
        if not line.lstrip().startswith("|"):
            break
        head = line
    return head.strip().strip("|").split("|")[0].strip()


def _is_of_asked_drug(things: AskedThings, one: ShownUnit) -> bool | None:
    """Whether a unit is of a drug that is asked about, or of another one; None where either names none."""
    text = question_terms.read_words(words_under_title(one.choice.passage, one.unit.text))
    if any(word.kind == "drug" and question_terms.has_word(text, word) for word in things.words):
        return True
    asked = find_prescribed_drugs(things.asking) or find_prescribed_drugs(things.question)
    heading = f"{last_heading(one.choice.passage.section)}: {one.unit.text}"
    named = find_prescribed_drugs(one.unit.own_text) or find_prescribed_drugs(heading)
    if not asked or not named:
        return None
    return any(is_meant(drug, wanted) for drug in named for wanted in asked)


# The foremost advice of the chapters that answer a broad question together: "How is gout managed?"
#
# Of each main part of a chapter one thing is said: what is strong before what is weak, what is first line before what
# is an alternative, and of guidelines that do not grade what stands first.


MAX_CHAPTERS = 4
"""Chapters that are opened for one answer."""

MIN_BRANCHES = 3
"""Parts of a chapter from which each is taken as a whole."""

PLAIN_ADVICE = 0.25
"""Rating of advice without a grade."""

MIN_KEY_SHARE = 0.6
"""Share of the rating of the foremost advice of all chapters from which that of another is in the short answer."""


class ChapterAdvice(NamedTuple):
    """What is said of the chapters, one after the other, and what of it is the short answer."""

    chosen: tuple[QuoteCandidate, ...] = ()
    leads: tuple[QuoteCandidate, ...] = ()


def choose_chapter_advice(
    ranked: Sequence[SectionCandidate], chapters: Sequence[str], max_lead_words: int
) -> ChapterAdvice:
    """The foremost advice of chapters, what is done first before what is done later; the best of each leads.

    ranked           sections of what may be said, best first
    max_lead_words   words of the short answer, at most, after its first sentence
    """
    found_in = {chapter: found for chapter in chapters if (found := list_key_advice(ranked, chapter))}
    order = sorted(found_in, key=lambda one: (rate_chapter(one), rate_key_advice(found_in[one][0])), reverse=True)
    opened = [found for found in open_chapters([found_in[one] for one in order]) if found]
    least = MIN_KEY_SHARE * max((rate_key_advice(found[0])[0] for found in opened), default=0.0)
    leads: list[QuoteCandidate] = []
    for place, found in enumerate(opened):
        for advice in found[: 1 if len(opened) > 1 else 2]:
            words = sum(len(one.unit.text.split()) for one in (*leads, advice))
            if (not place or rate_key_advice(advice)[0] >= least) and (not leads or words <= max_lead_words):
                leads.append(advice)
    return ChapterAdvice(tuple(one for found in opened for one in found), tuple(leads))


def list_key_advice(ranked: Sequence[SectionCandidate], chapter: str) -> list[QuoteCandidate]:
    """Of each main part of a chapter its foremost advice, the best first; nothing of parts without any.

    Of a chapter of a part or two, each section is one.
    """
    main = [
        section
        for section in ranked
        if is_below(section.path, chapter) and all(section_weight(path) >= 1 for path in list_chapters(section.path))
    ]
    branches = {section.path: branch_below(section.path, chapter) for section in main}
    is_flat = len(set(branches.values())) < MIN_BRANCHES
    parts: dict[str, list[QuoteCandidate]] = defaultdict(list)
    for section in main:
        parts[section.path if is_flat else branches[section.path]] += section.units
    best = [max(units, key=_rank_advice) for units in parts.values()]
    return sorted((one for one in best if rate_key_advice(one)[0]), key=rate_key_advice, reverse=True)


def _rank_advice(choice: QuoteCandidate) -> tuple[float, float]:
    """Which advice of a part is its foremost: the best of what is graded or comes first, else what stands first."""
    rating, score = rate_key_advice(choice)
    is_rated = rate_advice(choice.unit.own_text) > 0
    return rating, score if is_rated else -choice.passage.start - choice.unit.spans[-1].start


def rate_key_advice(choice: QuoteCandidate) -> tuple[float, float]:
    """How far it is what a reader has to know first, by its words and its heading (`rate_advice`), and its score.

    Of guidelines that do not grade, what tells to do something counts a little.
    """
    rating = rate_advice(f"{last_heading(choice.passage.section)}: {choice.unit.text}")
    return rating or PLAIN_ADVICE * (1 in list_advice_signs(choice.unit.text)), choice.score


def open_chapters(chapters: Sequence[Sequence[QuoteCandidate]]) -> list[list[QuoteCandidate]]:
    """Of several chapters that answer together their foremost advice, as far as the words reach.

    chapters   the advice of each, best first: of each the best is taken before a second of any
    """
    answer = GrowingAnswer()
    for row in zip_longest(*chapters[:MAX_CHAPTERS]):
        for advice in filter(None, row):
            answer.add([advice])
    return [[one for one in advice if any(one is other for other in answer.chosen)] for advice in chapters]
