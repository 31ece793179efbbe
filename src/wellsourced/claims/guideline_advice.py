"""What a guideline advises on a question of yes or no, sentence by sentence, and only where it speaks of what is asked.

Each test exists because a sentence that failed it was once taken for an answer: advice on some of the question's
people, on another value, on starting where stopping was asked for, on the drug that another is preferred over.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from wellsourced.claims.advice_signs import (
    MAX_TEXT_LENGTH,
    list_advice_signs,
    remove_graded_words,
    split_clauses,
    strip_opening,
)
from wellsourced.claims.yes_no_questions import (
    find_asked_subject,
    names_other_group,
    speaks_of_subject,
    speaks_of_subject_class,
)
from wellsourced.clinical.asked_quantities import find_ranges, find_values, holds_for
from wellsourced.clinical.word_forms import word_beginnings, write_out_abbreviations
from wellsourced.text.sentences import split_sentences
from wellsourced.text.tokens import content_stems, stem_coverage

MIN_CONDITION_COVERAGE = 0.5
"""Share of a condition's words that the question has if it is asked of just that case."""

LEAD_IN_WEIGHT = 0.8
"""How much a sentence counts that does not itself advise but stands under a line that does."""

MAX_SENTENCES = 20
"""Sentences of a text that are read."""

_NUMBER = re.compile(r"(?<![\w.-])\d+(?:\.\d+)?(?![\w.-]\w)")
_CONDITION = re.compile(
    r"\b(?:if|unless|except|provided|as long as|only (?:if|when|for|in|as|after|with))\b(?P<condition>[^.;:,()]+)",
    re.IGNORECASE,
)
_WEAK = re.compile(
    r"\b(?:(?:may|might|can|could) (?:\w+ )?be (?:\w+ )?(?:considered|reasonable|used|useful|beneficial|given)"
    r"|consider)\b"
    r"|\bin selected\b|\bcase[- ]by[- ]case\b|\bindividuali[sz]ed\b",
    re.IGNORECASE,
)
_CELL_END = re.compile(r";\s+(?=[A-Z])|\s+(?:--|–|—)\s+")
_NEED = re.compile(r"\b(?:need\w*|requir\w*|necess\w*|essential|must|mandatory|have to|has to)\b", re.IGNORECASE)
_EVERYBODY = re.compile(r"\b(?:all|every|everyone|everybody|always|any|anyone|each|universal(?:ly)?)\b", re.IGNORECASE)
_ONLY = re.compile(r"\b(?:only|alone|solely|never|enough|sufficient|monotherapy|single)\b", re.IGNORECASE)
_PREFERRED_OVER = re.compile(r"\b(?:over|than|instead of|in place of|compared (?:with|to)|versus|vs)\b", re.IGNORECASE)
_ACTIONS = {
    "stop": re.compile(
        r"\b(?:stop|discontinu|withh|hold|held|ceas|omit|withdr|interrupt|paus|delay|defer)", re.IGNORECASE
    ),
    "start": re.compile(r"\b(?:start|initiat|beg[aiu]n|introduc|add(?:ed|ing)?\b|naive|naïve)", re.IGNORECASE),
    "continue": re.compile(r"\b(?:continu|maintain|kept?\b|resum|restart)", re.IGNORECASE),
}


class GuidelineAdvice(NamedTuple):
    """What a sentence advises on what is asked.

    sign             +1: it says yes, -1: no
    weight           how well it covers the question, in [0, 1]
    is_conditional   whether it holds under a condition that the question does not name, or is only to be considered
    sentence         its words
    """

    sign: int
    weight: float
    is_conditional: bool
    sentence: str


def find_advice(question: str, text: str, above: str = "") -> GuidelineAdvice | None:
    """The advice of that sentence of a text which covers the question best; None where none says yes or no to it.

    above   the titles and lines under which the text stands; the last one may itself advise ("Not recommended:")
    """
    found = list(_read_sentences(question, text[: 10 * MAX_TEXT_LENGTH], above[-MAX_TEXT_LENGTH:]))
    return max(found, key=lambda one: one.weight, default=None)


def _read_sentences(question: str, text: str, above: str) -> Iterator[GuidelineAdvice]:
    asked = -1 if -1 in list_advice_signs(strip_opening(question)) else 1
    last_line = above.rpartition("\n")[2]
    for sentence in _split_advice(text):
        sign = _find_sign(question, sentence)
        own = 1.0 if sign else LEAD_IN_WEIGHT
        sign = sign or next(iter(list_advice_signs(last_line)), 0)
        whole = f"{above}\n{sentence}"
        is_of_action = _is_of_same_action(question, f"{last_line}\n{sentence}")
        if sign and is_of_action and _speaks_of_what_is_asked(question, sentence, whole, sign):
            weight = own * cover_question(question, whole) ** 2
            yield GuidelineAdvice(asked * sign, weight, _is_conditional(question, sentence), sentence)


def _split_advice(text: str) -> Iterator[str]:
    """Its sentences; of a row of a table each cell, under what the row is called."""
    for start, end in split_sentences(text)[:MAX_SENTENCES]:
        first, *others = _CELL_END.split(text[start:end])
        name = first.partition(": ")[0] if ": " in first else ""
        yield from (first, *(f"{name}: {one}" if name else one for one in others))


def _find_sign(question: str, sentence: str) -> int:
    """Which way it advises: all of it, or, where its clauses differ, the one on what is asked; 0 where that is open.

    What is not required may well be given: that counts only where it is asked whether it is needed.
    """
    sentence = sentence if _NEED.search(question) else _NEED.sub(" ", sentence)
    signs = set(list_advice_signs(sentence))
    if len(signs) > 1:
        subject = find_asked_subject(question)
        clauses = (one for one in split_clauses(sentence) if subject & word_beginnings(one))
        signs = {sign for clause in clauses for sign in list_advice_signs(clause)}
    return signs.pop() if len(signs) == 1 else 0


def _speaks_of_what_is_asked(question: str, sentence: str, whole: str, sign: int) -> bool:
    """Advice against a class is advice against its drugs; advice for a class may be for others of them."""
    values = find_values(question)
    is_named = speaks_of_subject(question, whole) or (sign < 0 and speaks_of_subject_class(question, whole))
    if not is_named or names_other_group(question, whole):
        return False
    if values and find_ranges(sentence) and not holds_for(values, sentence):
        return False
    if any(word.search(question) and not word.search(whole) for word in (_EVERYBODY, _ONLY)):
        return False
    return not _prefers_another(question, sentence)


def _is_of_same_action(question: str, sentence: str) -> bool:
    """Whether it does not speak of starting only where stopping or going on is asked for, or the other way round."""
    asked = {name for name, words in _ACTIONS.items() if words.search(question)}
    said = {name for name, words in _ACTIONS.items() if words.search(sentence)}
    if not asked or not said:
        return True
    return bool(asked & said) or ("start" not in asked and "start" not in said)


def _prefers_another(question: str, sentence: str) -> bool:
    """Whether the subject stands there only as what something else is preferred over."""
    before, over, after = (
        sentence.partition(found[0]) if (found := _PREFERRED_OVER.search(sentence)) else (sentence, "", "")
    )
    subject = find_asked_subject(question)
    return bool(over) and bool(subject & word_beginnings(after)) and not subject & word_beginnings(before)


def _is_conditional(question: str, sentence: str) -> bool:
    """Whether it holds under a condition of which the question does not speak, or is only to be considered.

    "Not if the clearance is above 95" speaks of a question that gives a clearance of 110.
    """
    values = find_values(question)
    is_further = any(
        not holds_for(values, condition) and stem_coverage(condition, question) < MIN_CONDITION_COVERAGE
        for condition in (found["condition"] for found in _CONDITION.finditer(sentence))
    )
    return is_further or (_WEAK.search(sentence) is not None and not _WEAK.search(question))


def cover_question(question: str, text: str) -> float:
    """The share of the question's telling words that a text has; 0 where it lacks a number of the question.

    A number stands there too where it lies in a range that the text gives.
    """
    numbers, ranges, values = frozenset(_NUMBER.findall(text)), find_ranges(text), find_values(question)
    for number in _NUMBER.findall(question):
        is_in_range = float(number) in values and any(low <= float(number) <= high for low, high in ranges)
        if number not in numbers and not is_in_range:
            return 0.0
    plain = _NUMBER.sub(" ", remove_graded_words(strip_opening(question)))
    return _cover_words(plain, text) if content_stems(plain) else 1.0


def _cover_words(question: str, text: str) -> float:
    return stem_coverage(write_out_abbreviations(question), write_out_abbreviations(text))
