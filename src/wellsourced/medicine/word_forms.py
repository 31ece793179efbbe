"""Abbreviations with what they mean, and which words a reader without training will not know."""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from wellsourced.lazy import lazy_regex
from wellsourced.text.abbreviations import find_definitions
from wellsourced.text.lexicon import word_set
from wellsourced.text.tables import read_alternatives, read_rows
from wellsourced.text.tokens import tokenize

_WORD = re.compile(r"\b[a-z]?[A-Z][\w/-]*[A-Z0-9]\w*\b")


class AbbreviationSense(NamedTuple):
    """What an abbreviation may mean, and how words begin that tell so; without any, what it means unless others do."""

    meaning: str
    cues: tuple[str, ...]


@cache
def load_senses() -> Mapping[str, tuple[AbbreviationSense, ...]]:
    """Abbreviation, as it is written → what it may mean (`abbreviations.tsv`)."""
    found: dict[str, tuple[AbbreviationSense, ...]] = {}
    for short, meaning, cues in read_rows("wellsourced.medicine", "abbreviations.tsv"):
        found[short] = (*found.get(short, ()), AbbreviationSense(meaning, tuple(_fold_vowels(cues).split())))
    return found


@cache
def known_abbreviations() -> Mapping[str, str]:
    """Abbreviation, as it is written → what it means where nothing speaks against it; none of those that need words
    beside them to tell."""
    return {short: one.meaning for short, senses in load_senses().items() for one in senses if not one.cues}


@cache
def list_ambiguous_abbreviations() -> frozenset[str]:
    """Those that mean nothing by themselves."""
    return frozenset(load_senses()) - frozenset(known_abbreviations())


MIN_CUE_PREFIX = 4
"""Letters from which a cue is the beginning of a word, and not a whole one."""

NEAR_CHARACTERS = 300
"""Characters before and behind an abbreviation in which words tell what it means."""


def find_meaning(short: str, beside: str) -> str:
    """What an abbreviation means beside these words; "" when it may mean several things and they do not tell."""
    senses = load_senses().get(short, ())
    if not any(one.cues for one in senses):
        return known_abbreviations().get(short, "")
    words = sorted({_fold_vowels(word) for word in tokenize(beside)} - {short.lower()})
    told = sorted(((sum(_is_told(cue, words) for cue in one.cues), one.meaning) for one in senses), reverse=True)
    if told and told[0][0] > 0:
        return "" if len(told) > 1 and told[1][0] == told[0][0] else told[0][1]
    return known_abbreviations().get(short, "")


def _is_told(cue: str, words: Sequence[str]) -> bool:
    """Whether a cue is among sorted words, or one of them begins with it."""
    place = bisect_left(words, cue)
    first = words[place] if place < len(words) else ""
    return first == cue or (len(cue) >= MIN_CUE_PREFIX and first.startswith(cue))


def _fold_vowels(text: str) -> str:
    return text.replace("ae", "e").replace("oe", "e")


def read_abbreviation(short: str, text: str, at: int = 0) -> str:
    """What an abbreviation means that a text has at a place: as the text explains it, else as the words beside it tell;
    "" where neither does."""
    explained = _find_explanations(text).get(short)
    if explained or short not in load_senses():
        return explained or ""
    return find_meaning(short, text[max(0, at - NEAR_CHARACTERS) : at + len(short) + NEAR_CHARACTERS])


@lru_cache(maxsize=256)
def _find_explanations(text: str) -> Mapping[str, str]:
    return dict(find_definitions(text))


@cache
def _shorts_of() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for short, senses in load_senses().items():
        for one in senses:
            found[one.meaning.lower()] = (*found.get(one.meaning.lower(), ()), short)
    return found


@cache
def _shorts_in_any_letters() -> Mapping[str, str]:
    """Those that are no word in small letters, by these: "hba1c" → "HbA1c"; "all" and "aids" are words."""
    # "all" and "aids" are words as well as ALL and AIDS: an abbreviation of capitals alone is only known in capitals.
    return {short.lower(): short for short in known_abbreviations() if not (short.isalpha() and short.isupper())}


def find_abbreviation(word: str) -> str:
    """The abbreviation that a word is, as the table writes it; "" where it is none, or means several things."""
    return word if word in known_abbreviations() else _shorts_in_any_letters().get(word.lower(), "")


def list_other_abbreviations(short: str) -> tuple[str, ...]:
    """The other abbreviations of what one stands for: A1C for HbA1c, NOAC for DOAC."""
    return tuple(other for other in list_abbreviations(known_abbreviations().get(short, "")) if other != short)


def list_abbreviations(meaning: str) -> tuple[str, ...]:
    """The abbreviations of what has these words, those that mean other things too among them."""
    return _shorts_of().get(meaning.lower(), ())


def write_out_abbreviations(text: str) -> str:
    """The text with its abbreviations written out where their meaning is plain: "DKA" as "diabetic ketoacidosis"."""
    return _WORD.sub(lambda word: read_abbreviation(word[0], text, word.start()) or word[0], text)


_PARTS = {part: words for (part,), words in read_alternatives("wellsourced.medicine", "medical_terms.tsv").items()}
_CONDITION_NAME = lazy_regex(rf"\w{{2,}}(?:{_PARTS['condition ending']})s?", re.IGNORECASE)
_PROCEDURE_NAME = lazy_regex(rf"\w{{2,}}(?:{_PARTS['procedure ending']})s?", re.IGNORECASE)
_DRUG_NAME = lazy_regex(rf"\w{{3,}}(?:{_PARTS['drug stem']})", re.IGNORECASE)
_MEDICAL_WORD = lazy_regex(
    rf"(?:(?:{_PARTS['root']})\w{{2,}}|\w{{3,}}(?:{_PARTS['drug stem']})"
    rf"|\w{{2,}}(?:{'|'.join(_PARTS[kind] for kind in ('condition ending', 'procedure ending', 'ending'))})s?)",
    re.IGNORECASE,
)

_EVERYDAY_WORDS = word_set(
    """abandoned accept alone antibiotic antibiotics anyone avoid avoided bone cardiac centigram
    chromosome chronicle concept condone diagnosis done entering everyone except gone gram grams hygiene
    hypothesis intercept kilogram kilograms lesson mason medicine microgram micrograms milligram milligrams none
    person phone poison program programs reason routine season someone stone telegram
    telephone tone undone vaccine zone"""
)
_ABBREVIATION = lazy_regex(r"[A-Z][A-Za-z]{0,3}[A-Z][A-Za-z0-9]{0,3}s?")
_EVERYDAY_ABBREVIATIONS = word_set(
    """AM PM MD RN DO NP PA DOB MRN ID NHS USA UK EU GP OK TV ML MG KG CM MM HR MIN NO NOT AND OR THE FOR IF TO OF IN ON
    AT BE IS PT NAME DATE DR MR MRS MS II III IV VI VII VIII IX XI XII PDF FAX TEL ICD"""
)


def is_medical_term(word: str) -> bool:
    """Whether a word is made as medical words are: its root, its ending, the stem of a drug's name."""
    return word.casefold() not in _EVERYDAY_WORDS and len(word) > 4 and _MEDICAL_WORD.fullmatch(word) is not None


_NO_CONDITIONS = frozenset(_PARTS["no condition"].split("|"))
_HEADS = {kind: frozenset(_PARTS[f"{kind} head"].split("|")) for kind in ("condition", "procedure", "test")}


def find_term_kind(term: str) -> str:
    """Whether a term of a table names a condition, a procedure or a test, as its last word tells; "" for none."""
    last = term.lower().split()[-1]
    return next((kind for kind, heads in _HEADS.items() if last in heads or last.removesuffix("s") in heads), "")


def is_condition_name(word: str) -> bool:
    """Whether a word ends as the names of conditions do: "bronchiolitis", "uraemia"."""
    return word.casefold() not in _EVERYDAY_WORDS | _NO_CONDITIONS and _CONDITION_NAME.fullmatch(word) is not None


def is_procedure_name(word: str) -> bool:
    """Whether a word ends as the names of tests and operations do: "cystoscopy", "vertebroplasty"."""
    return word.casefold() not in _EVERYDAY_WORDS and _PROCEDURE_NAME.fullmatch(word) is not None


def is_drug_name(word: str) -> bool:
    """Whether a word ends as the names of drugs do: "metformin", "lisinopril"."""
    return word.casefold() not in _EVERYDAY_WORDS and _DRUG_NAME.fullmatch(word) is not None


def is_medical_abbreviation(word: str) -> bool:
    """Whether it is written as a medical abbreviation is: "COPD", "eGFR", "HbA1c" (not "PM" and "kg")."""
    # "eGFR" begins with a small letter, and is an abbreviation.
    letters = word.removeprefix("e")
    return (
        _ABBREVIATION.fullmatch(letters) is not None and word.removesuffix("s").upper() not in _EVERYDAY_ABBREVIATIONS
    )
