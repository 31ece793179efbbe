"""Whether a text speaks of a word of a question: in any form, in short or written out, or by another word for it."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from wellsourced.claims.guard.entities import is_abbreviation_of, is_disease_name
from wellsourced.claims.word_matches import AskedWord, TextWords, is_misspelled
from wellsourced.clinical.conditions import list_condition_expressions
from wellsourced.clinical.word_forms import UNKNOWN_RARITY, known_abbreviations, word_beginnings
from wellsourced.text.tables import read_rows
from wellsourced.text.tokens import content_stems

MIN_SHARED_LETTERS = 6
"""Letters of a word that a longer word of a text may end in: "eclampsia" in "preeclampsia"."""

MIN_INITIALS = 3
"""Words of a question that a text may name by their initials alone: "PPH"."""

MAX_LONG_FORM_WORDS = 8
"""Words before brackets that what stands in them may be short for."""

_WORD = re.compile(r"[^\W\d_][\w'’]*")

_SPELLINGS = (("ae", "e"), ("oe", "e"), ("our", "or"), ("ys", "yz"), ("is", "iz"))
"""British and American, in stems."""

_CAPITALS = re.compile(r"\b(?=\w*[A-Z]\w?[A-Z])[A-Za-z]{2,6}\b")
"""What is written as an abbreviation is, in a text: "PPH", "HRQoL"."""

_BRACKETS = re.compile(r"\((?P<short>\w[\w-]{1,9})\)")

_GREEK = {"a": "[aα]", "b": "[bβ]", "g": "[gγ]", "d": "[dδ]", "k": "[kκ]", "A": "[Aα]", "B": "[Bβ]"}
"""Letters of abbreviations that may be Greek: "NFkB", "IL1B"."""


def speaks_of(text: TextWords, word: AskedWord) -> bool:
    """Whether a text has a word itself, in another form or spelling, written out whole, or another word for it."""
    if word.stem in text.stems or _fold_spelling(word.stem) in _fold_stems(text.stems):
        return True
    if not load_same_stems().get(word.stem, frozenset()).isdisjoint(text.stems):
        return True
    if any(reading and reading <= text.beginnings for reading in word.readings):
        return True
    if word.expression and word.expression.search(text.text):
        return True
    if sum(letter.isupper() for letter in word.text) > 1:
        return _is_in_short(word.text.removesuffix("s"), text.text)
    if word_beginnings(word.text) and word_beginnings(word.text) <= text.beginnings:
        return True
    if any(re.search(one, text.text, re.IGNORECASE) for one in list_condition_expressions(word.text)):
        return True
    return _is_ending(word.text.lower(), text) or _is_typed_wrong(word, text)


def list_named_in_short(question: str, text: str) -> Iterator[str]:
    """The words of a question, in small letters, that a text names by their initials, "PPH" for postpartum haemorrhage,
    or by what the question has in brackets behind them; and what it has there, where the text has those words."""
    capitals = {one.removesuffix("s").upper() for one in _CAPITALS.findall(text)}
    for short, run in _list_initials(question):
        if short in capitals:
            yield from run
    stems = frozenset(content_stems(text))
    for short, long in list_definitions(question):
        if _is_in_short(short.removesuffix("s"), text):
            yield from long
        elif stems.issuperset(content_stems(" ".join(long))):
            yield short.lower()


def list_definitions(question: str) -> Iterator[tuple[str, frozenset[str]]]:
    """What a question has in brackets behind the words that it is short for, and these: "stem cells (MSC)"."""
    for found in _BRACKETS.finditer(question):
        before = question[: found.start()].replace("-", " ").split()[-MAX_LONG_FORM_WORDS:]
        for count in range(1, len(before) + 1):
            if is_abbreviation_of(found["short"], " ".join(before[-count:])):
                yield found["short"], frozenset(one.lower() for one in before[-count:])
                break


def _is_in_short(short: str, text: str) -> bool:
    """Whether a text has an abbreviation, hyphened or in Greek letters as well ("NF-κB"), or written out."""
    letters = "[-‐–]?".join(_GREEK.get(one, re.escape(one)) for one in short if one.isalnum())
    return re.search(rf"(?<!\w){letters}s?(?!\w)", text) is not None or _is_written_out(short, text)


def _is_written_out(short: str, text: str) -> bool:
    """Whether a text has words of four letters and more that begin with the letters of an unknown abbreviation, and its
    figures behind them: "toll-like receptor 7"."""
    if short in known_abbreviations() or not short.isalnum() or len(short) < MIN_INITIALS or short[1:].islower():
        return False
    words = [one if one.isdigit() else r"\bof" if one == "o" else rf"\b{one}[a-z]{{3,}}" for one in short]
    return re.search(r"[\s-]+(?:of |and |the )?".join(words), text, re.IGNORECASE) is not None


def _is_ending(word: str, text: TextWords) -> bool:
    return len(word) >= MIN_SHARED_LETTERS and any(one.endswith(word) for one in text.words)


def _is_typed_wrong(word: AskedWord, text: TextWords) -> bool:
    """Whether it is nearly a word of the text and none that is known: "hyperkalemia" is not "hypokalemia"."""
    is_known = word.rarity != UNKNOWN_RARITY or word.kind in ("disease", "drug") or is_disease_name(word.text)
    return not is_known and is_misspelled(word.text.lower(), text.words)


def _list_initials(question: str) -> Iterator[tuple[str, frozenset[str]]]:
    """The initials of words that stand together in a question, and those words."""
    words = _WORD.findall(question.replace("-", " "))
    for first in range(len(words)):
        for count in (2, 3, 4, 5):
            run = words[first : first + count]
            if len(run) == count:
                yield "".join(one[0] for one in run).upper(), frozenset(one.lower() for one in run)


@cache
def load_same_stems() -> dict[str, frozenset[str]]:
    """Stem → the stems of all words that mean the same."""
    found: dict[str, frozenset[str]] = {}
    for kind, words in read_rows("wellsourced.models.abstention", "asked_subjects.tsv"):
        if kind == "same":
            stems = frozenset(content_stems(words))
            found.update({stem: stems | found.get(stem, frozenset()) for stem in stems})
    return found


@lru_cache(maxsize=4096)
def _fold_stems(stems: frozenset[str]) -> frozenset[str]:
    return frozenset(map(_fold_spelling, stems))


def _fold_spelling(stem: str) -> str:
    for british, american in _SPELLINGS:
        stem = stem.replace(british, american)
    return stem
