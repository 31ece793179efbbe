"""Whether what would be shown of a guideline answers the question, or only stands near it: a model of many features.

What a guideline says is near every question on its disease. A near miss is told by what it lacks: the words of what is
asked, the rare ones above all, the drug or the people that are named, and a figure of the sort that is asked for in
the words that speak of what is asked. `answerability.json` is written by benchmarks/fit_answerability.py (eb43d2cc).
"""

import math
import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from wellsourced.claims.question_profile import QuestionProfile, asks_what_to_do
from wellsourced.claims.question_terms import (
    QuestionTerm,
    TextWords,
    find_asking_clause,
    has_word,
    list_asked_words,
    read_words,
    weigh_coverage,
)
from wellsourced.claims.required_entities import list_missing_terms
from wellsourced.lazy import lazy_regex
from wellsourced.medicine.drugs import DrugMention, find_prescribed_drugs, is_meant
from wellsourced.medicine.word_forms import UNKNOWN_RARITY, load_digest_counts
from wellsourced.models.unit_choice import QuoteCandidate, read_titled
from wellsourced.question.requested_quantity import has_asked_figure, holds_for
from wellsourced.text import logistic
from wellsourced.text.passages import last_heading, words_under_title
from wellsourced.text.tables import read_alternatives, read_rows
from wellsourced.types import Question, Value

MAX_LOG_ODDS = 6.0
"""Log-odds beyond which no more is told apart."""

MAX_UNITS = 60
"""Units of a guideline, the best, that are held against the question one by one."""


SPOT_LENGTH = 110
"""Characters before and after a figure that speak of what it is of."""

MAX_SPOTS = 60
"""Figures that are looked at."""

OTHER_DRUG_SHARE = 1 / 3
"""What remains of what stands around a figure that another drug is named before."""


class FigureSort(NamedTuple):
    """A sort of figure: how a question asks for it, and how it is written."""

    name: str
    asked: re.Pattern[str]
    figure: re.Pattern[str]


class AskedAction(NamedTuple):
    """Something that is done, which a figure may be of: how a question speaks of it, and a source."""

    name: str
    asked: re.Pattern[str]
    said: re.Pattern[str]


@cache
def load_asked_actions() -> tuple[AskedAction, ...]:
    """To stop, to restart, to remove, …: "how many days before the drain comes out?" is not answered by its placing."""
    return tuple(
        AskedAction(name, lazy_regex(asked, re.IGNORECASE), lazy_regex(said, re.IGNORECASE))
        for name, asked, said in read_rows("wellsourced.models", "asked_actions.tsv")
    )


@cache
def load_figure_sorts() -> tuple[FigureSort, ...]:
    """Every sort that is told apart: wider ones than those that rank units, since who asks in haste names no sort."""
    patterns = {
        key: lazy_regex(words, re.IGNORECASE)
        for key, words in read_alternatives("wellsourced.models", "figure_sorts.tsv").items()
    }
    names = dict.fromkeys(name for name, _ in patterns)
    return tuple(FigureSort(name, patterns[name, "asked"], patterns[name, "figure"]) for name in names)


def describe_answer(
    question: Question, asked: QuestionProfile, chosen: Sequence[QuoteCandidate], choices: Sequence[QuoteCandidate]
) -> dict[str, float]:
    """The features of what would be shown of the guideline that answers best.

    chosen    what would be shown, best first, at least one of a guideline
    choices   all that was read, best first
    """
    best = chosen[0].passage
    home = [one for one in chosen if one.passage.reference.id == best.reference.id]
    read = [one for one in choices if one.passage.reference.id == best.reference.id]
    others = [one for one in choices if one.passage.reference.id != best.reference.id]
    shown, lead, everything = (read_words(read_titled(some)) for some in (home, chosen[:1], read))
    words = list_asked_words(question)
    return {
        **_relevance_features(chosen, home, read, others),
        **_word_features(words, shown, lead, everything),
        **_unit_features(question.text, words, home, read),
        **_figure_features(question.text, words, home),
        **_term_features(asked, shown.text, everything.text),
        **_type_features(question.text, asked, chosen),
    }


def _relevance_features(
    chosen: Sequence[QuoteCandidate],
    home: Sequence[QuoteCandidate],
    read: Sequence[QuoteCandidate],
    others: Sequence[QuoteCandidate],
) -> dict[str, float]:
    best = max(one.relevance for one in read)
    rival = max((one.relevance for one in others), default=0.0)
    sections = {one.passage.id: one.relevance for one in read}
    return {
        "relevance": log_odds(best),
        "lead relevance": log_odds(chosen[0].relevance),
        "likeness": log_odds(max(one.likeness for one in home)),
        "lead likeness": log_odds(chosen[0].likeness),
        "read likeness": log_odds(max(one.likeness for one in read)),
        # Without another guideline the rival is nobody: bounded, so that this does not tell more than a poor one
        # would.
        "margin": log_odds(best) - max(-4.0, log_odds(rival)),
        "rest": log_odds(min(0.99, sum(sorted(sections.values())[:-1]))),
        "shown sections": math.log1p(len({one.passage.id for one in home})),
        "expected": log_odds(max(one.answers for one in read)),
        "near miss": log_odds(max(one.near_miss for one in read)),
    }


def _word_features(
    words: Sequence[QuestionTerm], shown: TextWords, lead: TextWords, everything: TextWords
) -> dict[str, float]:
    in_shown = [has_word(shown, word) for word in words]
    in_lead = [has_word(lead, word) for word in words]
    in_read = [one or has_word(everything, word) for one, word in zip(in_shown, words, strict=True)]
    asking = [number for number, word in enumerate(words) if word.is_asking]
    clause = [words[number] for number in asking]
    lacking = [word for word, one in zip(words, in_shown, strict=True) if not one]
    unread = [word for word, one in zip(words, in_read, strict=True) if not one]
    known = load_digest_counts()
    return {
        "words": math.log1p(len(words)),
        "asking words": math.log1p(len(clause)),
        "coverage": weigh_coverage(words, in_shown),
        "lead coverage": weigh_coverage(words, in_lead),
        "read coverage": weigh_coverage(words, in_read),
        "asking coverage": weigh_coverage(clause, [in_shown[number] for number in asking]),
        "asking lead coverage": weigh_coverage(clause, [in_lead[number] for number in asking]),
        "asking read coverage": weigh_coverage(clause, [in_read[number] for number in asking]),
        "lacks": float(min(4, len(lacking))),
        "lacks asking": float(min(3, sum(word.is_asking for word in lacking))),
        "lacks rarest": max((word.rarity for word in lacking), default=0.0),
        "lacks rarest asking": max((word.rarity for word in lacking if word.is_asking), default=0.0),
        "lacks drug": float(any(word.kind == "drug" for word in lacking)),
        "lacks asked drug": float(any(word.kind == "drug" and word.is_asking for word in lacking)),
        "lacks disease": float(any(word.kind == "disease" for word in lacking)),
        "lacks short": float(any(word.kind == "short" for word in lacking)),
        "lacks known": float(min(3, sum(word.stem in known for word in lacking if word.is_asking))),
        "lacks unknown": float(min(3, sum(word.stem not in known for word in lacking if word.is_asking))),
        "unread": float(min(4, len(unread))),
        "unread asking": float(min(3, sum(word.is_asking for word in unread))),
        "unread drug": float(any(word.kind == "drug" for word in unread)),
        "unread disease": float(any(word.kind == "disease" for word in unread)),
        "unread rarest": max((word.rarity for word in unread), default=0.0),
        "unread unknown": float(min(3, sum(word.stem not in known for word in unread))),
        "unread strange": float(min(2, sum(word.is_asking and word.rarity == UNKNOWN_RARITY for word in unread))),
        "unread proper": float(min(2, sum(word.is_asking and word.is_proper for word in unread))),
        "unread known": float(min(3, sum(word.stem in known for word in unread))),
    }


class _RatedUnit(NamedTuple):
    """How much of the question a unit has, its headings included and by itself, and its sorts of figures."""

    coverage: float
    asking: float
    own_asking: float
    sorts: frozenset[str]
    is_named: bool
    is_shown: bool


def _unit_features(
    question: str, words: Sequence[QuestionTerm], home: Sequence[QuoteCandidate], read: Sequence[QuoteCandidate]
) -> dict[str, float]:
    """How much of what is asked the best unit has, and the best one that has a figure of the sort that is asked for."""
    clause = [word for word in words if word.is_asking]
    names = [word for word in words if word.kind == "drug"]
    units = {(one.passage.id, part.spans): (one, part, True) for one in home for part in one.parts or (one.unit,)}
    # What is shown has the first say on a unit; what was only read is added behind it.
    for one in read[:MAX_UNITS]:
        units.setdefault((one.passage.id, one.unit.spans), (one, one.unit, False))
    rated = []
    for one, part, is_shown in units.values():
        said = "\n".join((part.text, *one.expected))
        own = read_words(f"{last_heading(one.passage.section)} {said}")
        whole = read_words(words_under_title(one.passage, said))
        sorts = frozenset(sort.name for sort in load_figure_sorts() if sort.figure.search(part.text))
        had = [has_word(whole, word) for word in words]
        rated.append(
            _RatedUnit(
                weigh_coverage(words, had),
                weigh_coverage(clause, [one for one, word in zip(had, words, strict=True) if word.is_asking]),
                weigh_coverage(clause, [has_word(own, word) for word in clause]),
                sorts,
                all(has_word(own, word) for word in names),
                is_shown,
            )
        )
    wanted = frozenset(sort.name for sort in find_wanted_sorts(question))
    shown = [one for one in rated if one.is_shown]
    fitting = [one for one in shown if not wanted or wanted & one.sorts]
    read_fitting = [one for one in rated if not wanted or wanted & one.sorts]
    best = max(rated, key=lambda one: (one.own_asking, one.coverage))
    return {
        **{f"asks {sort.name}": float(sort.name in wanted) for sort in load_figure_sorts()},
        "asks figure": float(bool(wanted)),
        "has sort": float(bool(fitting)) if wanted else 0.0,
        "unit coverage": max(one.coverage for one in shown),
        "unit asking": max(one.asking for one in shown),
        "unit own asking": max(one.own_asking for one in shown),
        "figure coverage": max((one.coverage for one in fitting), default=0.0),
        "figure asking": max((one.asking for one in fitting), default=0.0),
        "figure own asking": max((one.own_asking for one in fitting), default=0.0),
        "figure gap": best.own_asking - max((one.own_asking for one in read_fitting), default=0.0),
        "best lacks figure": float(bool(wanted) and not wanted & best.sorts),
        "figure of drug": float(bool(wanted) and bool(names) and any(one.is_named for one in fitting)),
        "no figure of drug": float(bool(wanted) and bool(names) and not any(one.is_named for one in fitting)),
        "shown gap": max(one.own_asking for one in rated) - max(one.own_asking for one in shown),
    }


def find_wanted_sorts(question: str) -> list[FigureSort]:
    """The sorts of figures that are asked for: in what asks, or else anywhere."""
    clause = find_asking_clause(question)
    found = [sort for sort in load_figure_sorts() if sort.asked.search(clause)]
    # What asks says which figure; only where it names no sort does the rest of the message.
    return found or [sort for sort in load_figure_sorts() if sort.asked.search(question)]


def _figure_features(question: str, words: Sequence[QuestionTerm], home: Sequence[QuoteCandidate]) -> dict[str, float]:
    """How much of what is asked stands around a single figure of the sort that is asked for, or in a single unit."""
    clause = [word for word in words if word.is_asking]
    asking = find_asking_clause(question)
    wanted = find_wanted_sorts(question)
    actions = [action for action in load_asked_actions() if wanted and action.asked.search(asking)]
    best_clause = best_all = best_drug = best_act = best_joint = 0.0
    drugs = [word for word in clause if word.kind == "drug"]
    # A drug that is asked about, before those that somebody takes besides.
    asked_drugs = find_prescribed_drugs(asking) or (find_prescribed_drugs(question) if drugs else ())
    best_own, is_own = 0.0, False
    for text, heading, before in _list_spots(home, wanted):
        near = read_words(f"{heading} {text}")
        had = {word.stem: has_word(near, word) for word in words}
        coverage = weigh_coverage(clause, [had[word.stem] for word in clause])
        acted = sum(action.said.search(text) is not None for action in actions) / (len(actions) or 1)
        named = weigh_coverage(drugs, [had[word.stem] for word in drugs])
        best_clause = max(best_clause, coverage)
        best_all = max(best_all, weigh_coverage(words, [had[word.stem] for word in words]))
        best_drug = max(best_drug, named)
        best_act = max(best_act, acted)
        own = _is_of_drug(asked_drugs, f"{heading}: {before}", text)
        best_own = max(best_own, own * coverage)
        is_own = is_own or own == 1.0
        best_joint = max(best_joint, coverage * (acted if actions else 1.0) * named * own)
    return {
        "spot asking": best_clause,
        "spot coverage": best_all,
        # Halfway where nothing is asked of the kind: neither had nor lacking.
        "spot drug": best_drug if drugs else 0.5,
        "spot lacks drug": 1.0 - best_drug if drugs else 0.0,
        "spot own": best_own,
        "spot of other drug": float(bool(asked_drugs) and not is_own),
        "asks action": float(bool(actions)),
        "spot action": best_act if actions else 0.5,
        "spot lacks action": 1.0 - best_act if actions else 0.0,
        "spot joint": best_joint,
        "figure and action": best_joint if wanted and actions else 0.5,
        **{f"asks to {action.name}": float(action in actions) for action in load_asked_actions()},
    }


def _list_spots(home: Sequence[QuoteCandidate], wanted: Sequence[FigureSort]) -> list[tuple[str, str, str]]:
    """What stands around each figure of a sort that is wanted, its heading, and what stands before it in its unit;
    where none is wanted, each unit."""
    spots = []
    for one in home:
        heading = last_heading(one.passage.section)
        for part in one.parts or (one.unit,):
            text = part.text
            if not wanted:
                spots.append((text, heading, text))
            places = sorted({found.start() for sort in wanted for found in sort.figure.finditer(text)})
            spots += [
                (text[max(0, place - SPOT_LENGTH) : place + SPOT_LENGTH], heading, text[:place]) for place in places
            ]
    return spots[:MAX_SPOTS]


def _is_of_drug(asked: Sequence[DrugMention], before: str, around: str) -> float:
    """1 where the drug that is named last before a figure, or around it, is one that is asked about; else a third.

    Where none is asked about or none is named, 1.
    """
    # A figure belongs to the drug that is named last before it.
    named = find_prescribed_drugs(before)[-1:] or find_prescribed_drugs(around)
    if not asked or not named:
        return 1.0
    return 1.0 if any(is_meant(one, drug) for one in named for drug in asked) else OTHER_DRUG_SHARE


_TERM_GROUPS = {
    "name": "name", "condition": "condition", "population": "population", "route": "other",
    "property": "other", "analyte": "other", "site": "other", "test": "other", "setting": "other", "edition": "edition",
}  # fmt: skip


_KIDNEYS = lazy_regex(
    r"\bcr(?:eat\w*)? ?cl|\bcreat\w* clearance|\b(?:renal|kidney) (?:fail|impair|dysf)|\beGFR\b|\bdialysis",
    re.IGNORECASE,
)
_RENAL = lazy_regex(r"renal|kidney|GFR|CrCl|creatinine|dialysis|\bCKD|\bESRD", re.IGNORECASE)
"""How a question and a text speak of kidneys that do not clear a drug."""


def _term_features(asked: QuestionProfile, shown: str, read: str) -> dict[str, float]:
    """What it names that is not spoken of, by its kind: where it would be shown, and anywhere in what was read."""
    groups = dict.fromkeys(_TERM_GROUPS.values())
    found = {f"{where} {group}": 0.0 for where in ("missing", "nowhere") for group in groups}
    # "CrCl 20" and "renal impairment" name one thing in words that share no stem.
    found["missing kidneys"] = float(_KIDNEYS.search(asked.wordings[0]) is not None and not _RENAL.search(shown))
    for where, text in (("missing", shown), ("nowhere", read)):
        for term in list_missing_terms(asked.terms, text):
            if group := _TERM_GROUPS.get(term.kind):
                found[f"{where} {group}"] = 1.0
    return found


def _type_features(question: str, asked: QuestionProfile, chosen: Sequence[QuoteCandidate]) -> dict[str, float]:
    """What is asked for, and whether the best unit has it."""
    best = chosen[0]
    has_figure = has_asked_figure(asked.quantities, best.unit.own_text)
    holds = [holds_for(asked.values, one.unit.text) for one in chosen[:3]]
    return {
        "figure": (1.0 if has_figure else -1.0) if asked.quantities else 0.0,
        "what to do": float(asks_what_to_do(asked)),
        "types": float(bool(asked.types)),
        "parts": float(asked.asks_parts),
        "definition": float(asked.is_definition),
        "alternatives": float(bool(asked.alternatives)),
        "values": math.log1p(len(asked.values)),
        "holds": float(True in holds),
        "holds not": float(False in holds and True not in holds),
        "names": float(min(3, len(asked.names))),
        "question words": math.log(1 + len(question.split())),
        "sentences": float(min(4, len(re.findall(r"[.?!](?:\s|$)", question)))),
    }


def log_odds(probability: float) -> float:
    """Of a probability, within bounds."""
    return max(-MAX_LOG_ODDS, min(MAX_LOG_ODDS, logistic.log_odds(probability, 1e-6)))


class AnswerabilityModel(Value):
    """Two models of the same features.

    answers    that what would be shown answers
    belongs    that the question is one that these guidelines are for, answered there or not: no study's
    sure       probability of the first from which it is shown as an answer
    fitted_on  the questions, in words; n of them
    """

    answers: logistic.LogisticModel
    belongs: logistic.LogisticModel
    sure: float = 0.5
    fitted_on: str = ""
    n: int = 0


@cache
def load_answerability_model() -> AnswerabilityModel:
    """What comes with this package."""
    return logistic.read_fitted(AnswerabilityModel, "wellsourced.models", "answerability.json")
