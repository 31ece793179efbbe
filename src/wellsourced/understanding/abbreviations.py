"""Abbreviations written out, and terms abbreviated: sources may use the one where a question uses the other.

`abbreviations.tsv` lists those that clinical writing uses without explaining them, each with the meaning that
dominates; `ambiguous.tsv` those with several, and the words of a question that tell which one is meant.
"""

import re
from collections.abc import Collection, Iterator, Sequence

from wellsourced.clinical.word_forms import find_abbreviation, known_abbreviations, list_other_abbreviations
from wellsourced.understanding.question_words import (
    QuestionWord,
    TermMeaning,
    corrected_run,
    list_runs,
    term_key,
    term_keys,
)
from wellsourced.understanding.term_tables import TABLE_SOURCE, senses, short_forms

_BRACKETS = re.compile(r"\(([^()\n]{2,40})\)")
_SENTENCE = re.compile(r"[.;:!?]\s")
_SHORT = re.compile(r"[^\W_][\w./+-]*(?: [\w./+-]+)?")


def find_definitions(text: str) -> Iterator[tuple[str, str]]:
    """(short form, long form) of every explanation in a text, in their order, as they stand there."""
    for found in _BRACKETS.finditer(text):
        short = re.split(r"[,;]", found.group(1), maxsplit=1)[0].strip()
        if is_short_form(short) and (long := find_long_form(short, text[: found.start()])):
            yield short, long


def is_short_form(short: str) -> bool:
    """Two to ten characters, at most two words, a letter in it, and a letter or digit first."""
    return 2 <= len(short) <= 10 and any(map(str.isalpha, short)) and _SHORT.fullmatch(short) is not None


def find_long_form(short: str, before: str) -> str:
    """What the short form stands for, of the words that stand before it; "" when none does."""
    sentence = _SENTENCE.split(before)[-1].strip()
    near = " ".join(sentence.split()[-min(len(short) + 5, 2 * len(short)) :])
    begin = _find_long_form_start(short, near)
    long = near[begin:].strip() if begin >= 0 else ""
    return long if len(long) > len(short) and short not in long.split() else ""


def _find_long_form_start(short: str, near: str) -> int:
    """Where the long form begins: the characters of the short form are sought backwards; -1 when one is missing."""
    at = len(near)
    low = near.lower()
    for place in range(len(short) - 1, -1, -1):
        character = short[place].lower()
        if not character.isalnum():
            continue
        at -= 1
        while at >= 0 and (low[at] != character or (place == 0 and at > 0 and low[at - 1].isalnum())):
            at -= 1
        if at < 0:
            return -1
    return at


_ABBREVIATION = re.compile(r"(?=\w*[A-Z]\w*[A-Z])[A-Za-z][\w-]{1,9}")


def is_abbreviation(word: str) -> bool:
    """Whether it is written as an abbreviation is: one word, two capitals or more: "COPD", "eGFR", "HbA1c"."""
    return _ABBREVIATION.fullmatch(word.removesuffix("s")) is not None


def expand_abbreviations(text: str, told: Sequence[QuestionWord]) -> Iterator[TermMeaning]:
    """Abbreviations of the tables, written out and by others of the same, except those that the question explains."""
    explained = {form for short, _ in find_definitions(text) for form in (short, short.removesuffix("s"))}
    whole = f" {term_key(text)} "
    for at, word in enumerate(told):
        short = _find_short(word.corrected)
        others = [one.corrected for place, one in enumerate(told) if place != at]
        meant = "" if short in explained else find_meaning(short, others)
        if meant and f" {term_key(meant)} " not in whole:
            long = _to_plural(meant) if word.corrected.lower() != short.lower() else meant
            shorts = list_other_abbreviations(short) if meant == known_abbreviations().get(short) else ()
            yield TermMeaning(at, at, "abbreviation", (long, *shorts), TABLE_SOURCE)


def _find_short(word: str) -> str:
    """The abbreviation that a word is, or that it is the plural of."""
    return word if word in senses() else find_abbreviation(word) or word.removesuffix("s")


def find_meaning(short: str, others: Collection[str]) -> str:
    """What an abbreviation means beside these words; "" when it may mean several things and nothing tells."""
    beside = {part for word in others for name in term_keys(word) for part in name.split()}
    told = sorted(((len(sense.cues & beside), sense.meaning) for sense in senses().get(short, ())), reverse=True)
    if told and told[0][0] > 0:
        return "" if len(told) > 1 and told[1][0] == told[0][0] else told[0][1]
    return known_abbreviations().get(short, "")


def abbreviate_terms(text: str, told: Sequence[QuestionWord]) -> Iterator[TermMeaning]:
    """Terms of the table in their short form, except where the question has that beside them."""
    for first, last in list_runs(text, told):
        for name in term_keys(corrected_run(told, first, last)):
            short = short_forms().get(name, "")
            if short and not any(short == word.corrected.removesuffix("s") for word in told):
                yield TermMeaning(first, last, "abbreviation", (short, *list_other_abbreviations(short)), TABLE_SOURCE)
                break


def _to_plural(meant: str) -> str:
    return meant if meant.endswith("s") else f"{meant}s"
