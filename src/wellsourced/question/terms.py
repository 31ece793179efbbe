"""Which words of a question a text has: in any form, written out or in short, by a brand or a meaning, misspelled.

A word is weighed by its rarity (`question/word_rarity.py`), so that a missing "pacemaker" counts and a missing
"patient" does not.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from wellsourced.lazy import lazy_regex
from wellsourced.medicine import word_forms
from wellsourced.medicine.conditions import extract_conditions, list_wider_expressions
from wellsourced.medicine.drugs import find_generic, known_drug_words, list_class_expressions
from wellsourced.medicine.name_forms import is_disease_name, is_entity_name
from wellsourced.question import word_rarity
from wellsourced.text.tokens import content_stems, edit_distance, stem_words, tokenize
from wellsourced.types import Question

MIN_MISSPELLED_LETTERS = 5
"""Letters of the shortest word that a misspelled one is known as."""

LONG_LETTERS = 8
"""Letters of a word from which two edits are one misspelling."""

MIN_PART_LETTERS = 5
"""Letters of a word that a longer one is made of."""

INITIALS = range(2, 6)
"""Letters of an abbreviation that is known by words which begin with them."""

_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_ASKS = re.compile(
    r"\b(?:wh(?:at|en|ich|o|ere|y)|how|does|do|should|can|is|are|need|dose|dosing|regimen|schedule|ok|role)\b",
    re.IGNORECASE,
)
_BREAK = re.compile(r"(?<=[?!])\s+|(?<=[^\W_]{2}[.:])\s+|\s+[-–—]+\s+")
"""Where a clause ends, whether the next one begins with a capital or not."""

_WITHIN = re.compile(r"[\w,] $")
"""What stands before a word within a clause."""

_LEANS = re.compile(r"\b(?:it|them|this|that|these|one)\b", re.IGNORECASE)
"""What asks of a drug that was named before: "When does it go back on?" """

_IDLE = frozenset(
    content_stems(
        "hi hello please pls thanks pt pts guy lady chap gentleman man woman male female yo today tonight tomorrow "
        "yesterday morning evening monday tuesday wednesday thursday friday saturday sunday week month day hour minute "
        "year ago now just still already want wants wanted like know tell ask say said think thing things way okay ok "
        "really actually quite pretty bit lot due back next last first second third one two three four five six seven "
        "eight nine ten mg kg ml mcg mmol units unit per hrs hr min mins wk wks yr yrs number value level figure "
        "cutoff "
        "cutoffs threshold point points dose doses dosing much many big high low long soon often fast exactly please "
        "team boss registrar consultant colleague nurse ward clinic call called count counts make makes mean means use "
        "using thinking bring hit hits allow allowed remind work worth sure let lets put puts keep keeps kept"
    )
)
"""Stems that say nothing of what is asked about, or are its kind of figure, which is looked at by itself."""


class QuestionTerm(NamedTuple):
    """A telling word of a question.

    text      as it is written
    stems     its stems, and those of what it means
    rarity    from 0 upwards
    is_asking whether it stands in what asks, not in the story before it
    kind      "drug", "disease", "short" (an abbreviation) or ""
    is_proper whether it is written like a name, within a clause: "Watchman"
    readings  further words that it is understood as, each a set of beginnings, any of which does
    """

    text: str
    stem: str
    rarity: float
    is_asking: bool
    kind: str
    is_proper: bool = False
    readings: tuple[frozenset[str], ...] = ()
    expression: re.Pattern[str] | None = None


class TextWords(NamedTuple):
    """The words of a text, as words of a question are held against them."""

    text: str
    stems: frozenset[str]
    beginnings: frozenset[str]
    words: frozenset[str]


@lru_cache(maxsize=20_000)
def read_words(text: str) -> TextWords:
    """The words of a text."""
    words, written = tokenize(text), word_forms.write_out_abbreviations(text)
    stems = stem_words(words)
    beginnings = word_rarity.cut_beginnings(stems if written == text else content_stems(written))
    return TextWords(text, frozenset(stems), beginnings, frozenset(words))


def find_asking_clause(text: str) -> str:
    """What asks: the last clause that does, with as many before it as it takes to tell of what."""
    clauses = [one for one in _BREAK.split(text) if one.strip()] or [text]
    asking = [place for place, one in enumerate(clauses) if one.rstrip().endswith("?")]
    asking = asking or [place for place, one in enumerate(clauses) if _ASKS.search(one)]
    last = asking[-1] if asking else len(clauses) - 1
    first = last
    while first and not any(_is_telling(stem) for stem in content_stems(" ".join(clauses[first : last + 1]))):
        first -= 1
    return " ".join(clauses[first : last + 1])


def _is_telling(stem: str) -> bool:
    return stem not in _IDLE and stem not in word_rarity.GENERIC_STEMS and not stem[0].isdecimal()


def list_asked_words(question: Question) -> list[QuestionTerm]:
    """The telling words of a question, each once, in order."""
    asking = find_asking_clause(question.text)
    clause, leans = set(content_stems(asking)), _LEANS.search(asking) is not None
    found: dict[str, QuestionTerm] = {}
    for match in _WORD.finditer(question.text):
        for part in match[0].split("-"):
            term = _read_term(part)
            if term is None or term.stem in found:
                continue
            is_proper = part[0].isupper() and bool(_WITHIN.search(question.text[: match.start()]))
            found[term.stem] = term._replace(
                is_asking=term.stem in clause or (leans and term.kind == "drug"),
                is_proper=is_proper,
                readings=(*_list_expansions(part, question), *term.readings),
            )
    return list(found.values())


def list_terms(text: str) -> list[QuestionTerm]:
    """The telling words of a text, each once, in order, as they are by themselves."""
    parts = (part for match in _WORD.finditer(text) for part in match[0].split("-"))
    terms = [term for part in parts if (term := _read_term(part))]
    return list({term.stem: term for term in reversed(terms)}.values())[::-1]


@lru_cache(maxsize=16_384)
def _read_term(word: str) -> QuestionTerm | None:
    """A word by itself; None where it says nothing."""
    stems = content_stems(word) if len(word) > 1 else []
    if not stems or not _is_telling(stems[0]):
        return None
    rarity, readings = word_rarity.rate_rarity(stems[0]), tuple(_list_readings(word))
    return QuestionTerm(word, stems[0], rarity, False, _find_kind(word), False, readings, _compile_expression(word))


def _find_kind(word: str) -> str:
    if word.lower() in known_drug_words() or (is_entity_name(word) and not word.isupper()):
        return "drug"
    if is_disease_name(word) or (not word.isupper() and extract_conditions(word)):
        return "disease"
    return "short" if sum(letter.isupper() for letter in word) > 1 else ""


def _list_expansions(word: str, question: Question) -> list[frozenset[str]]:
    """What it is understood as in a question."""
    said = word.casefold()
    return [word_rarity.word_beginnings(one.meant) for one in question.expansions if said in tokenize(one.said)]


def _list_readings(word: str) -> Iterator[frozenset[str]]:
    """What it is as a brand, and written out."""
    if generic := find_generic(word):
        yield word_rarity.word_beginnings(generic)
    if short := _find_short(word):
        yield word_rarity.word_beginnings(word_forms.known_abbreviations()[short])


def _find_short(word: str) -> str:
    """The abbreviation that a word is, in small letters too; "" where it is none."""
    return word_forms.find_abbreviation(word) or word_forms.find_abbreviation(word.upper())


def _compile_expression(word: str) -> re.Pattern[str] | None:
    """How a text speaks of an abbreviation in words that begin with its letters or by another one of the same thing, of
    a drug by its classes, or of a disease by what it belongs to.
    """
    options = [*list_class_expressions(word), *list_wider_expressions(word)]
    options += list_class_expressions(find_generic(word))
    if word.isupper() and len(word) in INITIALS:
        options.append(r"(?:[\s-]|\band\b|\bof\b)+".join(rf"\b{letter}[a-z]+" for letter in word))
    options += [rf"(?-i:\b{re.escape(other)}s?\b)" for other in word_forms.list_other_abbreviations(_find_short(word))]
    # Most are never searched for: the word itself stands there.
    return lazy_regex("|".join(options), re.IGNORECASE) if options else None


def has_word(text: TextWords, word: QuestionTerm) -> bool:
    """Whether a text has a word of a question in any way."""
    if word.stem in text.stems or (
        word_rarity.word_beginnings(word.text) and word_rarity.word_beginnings(word.text) <= text.beginnings
    ):
        return True
    if any(reading and len(reading & text.beginnings) * 2 >= len(reading) for reading in word.readings):
        return True
    if word.expression and word.expression.search(text.text):
        return True
    small = word.text.lower()
    # It may begin or end with a word of the text: "urosepsis" with sepsis, "rebleed" with bleed.
    parts = {part for size in range(MIN_PART_LETTERS, len(small)) for part in (small[:size], small[-size:])}
    return word.kind != "short" and (is_misspelled(small, text.words) or not text.words.isdisjoint(parts))


def is_misspelled(word: str, words: frozenset[str]) -> bool:
    """Whether a word is nearly one of these, and begins like it."""
    if len(word) < MIN_MISSPELLED_LETTERS or (word.endswith(("s", "ed", "ing")) and len(word) < LONG_LETTERS):
        return False
    most = 2 if len(word) >= LONG_LETTERS else 1
    return any(
        abs(len(one) - len(word)) <= most and one[:2] == word[:2] and edit_distance(word, one) <= most
        for one in words
        if len(one) >= MIN_MISSPELLED_LETTERS
    )


def weigh_coverage(words: Sequence[QuestionTerm], has: Sequence[bool]) -> float:
    """The share of the words that is there, rare ones counting more; 1 where there are none."""
    every = sum(word.rarity for word in words)
    return sum(word.rarity for word, is_there in zip(words, has, strict=True) if is_there) / every if every else 1.0
