"""The words of an order that its reader may not know, and the signs of a prescription with their meaning, found without
a language model.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from pydantic import NonNegativeInt

from wellsourced.claims.guard.disagreement import is_entity_name, is_symbol
from wellsourced.medicine.conditions import extract_conditions
from wellsourced.medicine.drugs import known_drug_words
from wellsourced.medicine.quantities import QuantityRange, find_ranges
from wellsourced.medicine.word_forms import is_medical_abbreviation, is_medical_term
from wellsourced.text.sentences import split_sentences
from wellsourced.text.tables import read_alternatives, read_rows
from wellsourced.types import Question, Value
from wellsourced.understanding.base import Understanding

MAX_PART_CHARS = 2_000
"""Characters of an order that are understood at once; it is cut at lines."""

KEYWORDS_PER_PART = 24
"""Words and terms of each part that are looked at, the most important first."""

MAX_TERM_WORDS = 4
"""Words of the longest term."""

BRIEF_TERM_LETTERS = 3
"""Letters of a term, at most, that comes after all others."""

_WORD = re.compile(r"\w+(?:[-'’]\w+)*")
_PARTS = {part: words for (part,), words in read_alternatives("wellsourced.explain", "order_words.tsv").items()}
_HEAD = re.compile(rf"(?:{_PARTS['head']})", re.IGNORECASE)
"""How the name of a test or a treatment ends: "panel", "x-ray"."""
_ANALYTE = re.compile(rf"(?<![\w-])(?:{_PARTS['analyte']})(?![\w-])", re.IGNORECASE)
_DISEASE = re.compile(rf"(?<![\w-])(?:{_PARTS['disease']})(?![\w-])", re.IGNORECASE)
_NO_PART = re.compile(rf"(?:{_PARTS['no part']})|.*\d.*|\w", re.IGNORECASE)
"""What stands before a name and is no part of it."""

MIN_DRUG_LETTERS = 4
"""Letters of the shortest word that is known as a drug wherever it stands."""

_TERM_KINDS = frozenset({"abbreviation", "brand", "synonym"})
"""Words that mean something else are terms; lay terms are what everybody says."""


class _TermCandidate(NamedTuple):
    """A term, its place in the part, and how early the understanding names it: 0 first."""

    start: int
    end: int
    rank: int


async def find_terms_by_rule(order: str, understanding: Understanding, limit: int) -> tuple[str, ...]:
    """At most `limit` terms, verbatim, the most important first: drugs, tests, abbreviations, words of medicine.

    What is important the understanding says: what is rare in its libraries, and what it knows as a term. The signs of a
    prescription are none.
    """
    found: dict[str, tuple[str, int]] = {}
    for part in _split_order(order):
        for one in _drop_overlapping(await _find_candidates(part, understanding)):
            term = part[one.start : one.end]
            found.setdefault(term.casefold(), (term, one.rank))
    # A long word says more of what is given and why, which is what its reader wants to know.
    ranked = sorted(found.values(), key=lambda term: (len(term[0]) <= BRIEF_TERM_LETTERS, term[1]))
    return tuple(term for term, _ in ranked[:limit])


async def read_long_forms(order: str, understanding: Understanding) -> dict[str, str]:
    """Abbreviation, as the order writes it → what it stands for there, as the words beside it tell."""
    found: dict[str, str] = {}
    for part in _split_order(order):
        for one in await understanding.find_expansions(Question(text=part)):
            if one.kind == "abbreviation" and len(one.meant) > len(one.said):
                found.setdefault(one.said, one.meant)
    return found


# The signs of a prescription (PO, BID, "10 mg", "q8h") in plain words: `prescribing_signs.tsv`.
#
# They are conventions of writing, as the names of units are: their words are the program's, need no source, and are
# told as that. What may mean several things is put into words only where the order writes it as a sign: "class IV" is
# none, and "AC" one only beside a dose. The first column of `prescribing_signs.tsv` says in which letters a sign is
# one: in "any", in "capitals", or as written and only in an order with a dose ("dosed").


_UNITS = {
    "mg": "milligrams", "mcg": "micrograms", "g": "grams", "ml": "millilitres", "u": "units",
    "iu": "international units", "meq": "milliequivalents", "mmol": "millimoles", "puff": "puffs", "drop": "drops",
    "tablet": "tablets", "capsule": "capsules",
}  # fmt: skip
_IS_NO_SINGLE_DOSE = re.compile(
    r"\b(?:divided|in (?:two|three|four|\d) doses|total|per (?:day|hour|minute)|infusion|drip|over \d|continuous\w*"
    r"|max\w*|not to exceed|up to|at most|a day|limit|diet|restrict\w*|intake)\b",
    re.IGNORECASE,
)
"""Beside a dose: it is one of a day, an hour, or the most that is given."""

_NUMERAL_BEFORE = re.compile(
    r"\b(?:stage|class|grade|type|phase|factor|level|nerve|NYHA|part|figure|group)\W+$", re.IGNORECASE
)
"""Behind it "IV" is four."""


class PrescribingSign(Value):
    """A sign of a prescription, verbatim: order[start:end] == sign; and what it means, in plain words."""

    sign: str
    start: NonNegativeInt
    end: NonNegativeInt
    meaning: str


class _SignRow(NamedTuple):
    """How a sign is written, what it means, and whether it is one only in an order that has a dose."""

    pattern: re.Pattern[str]
    meaning: str
    wants_dose: bool


def find_prescribing_signs(order: str) -> tuple[PrescribingSign, ...]:
    """The signs and doses of an order, in order; one that stands several times at its first place."""
    first: dict[str, PrescribingSign] = {}
    for one in locate_prescribing_signs(order):
        first.setdefault(one.sign.casefold(), one)
    return tuple(first.values())


def locate_prescribing_signs(order: str) -> list[PrescribingSign]:
    """Every place of every sign and dose, in order; of two that overlap the longer one."""
    kept: list[PrescribingSign] = []
    for one in sorted((*_match_signs(order), *_match_doses(order)), key=lambda one: (one.start - one.end, one.start)):
        if all(one.end <= other.start or other.end <= one.start for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda one: one.start)


def _match_signs(order: str) -> Iterator[PrescribingSign]:
    has_dose = any(_find_doses(order))
    for row in _load_rows():
        if row.wants_dose and not has_dose:
            continue
        for found in row.pattern.finditer(order):
            if not _NUMERAL_BEFORE.search(order[: found.start()]):
                # A full stop behind "BID" ends the sentence, behind "b.i.d." the sign.
                sign = found[0].removesuffix(".") if found[0].count(".") == 1 else found[0]
                start, meaning = found.start(), found.expand(row.meaning)
                yield PrescribingSign(sign=sign, start=start, end=start + len(sign), meaning=meaning)


def _match_doses(order: str) -> Iterator[PrescribingSign]:
    for start, end in split_sentences(order):
        sentence = order[start:end]
        if not _IS_NO_SINGLE_DOSE.search(sentence):
            for one in _find_doses(sentence):
                first, last = one.first.printed[0], one.last.printed[1]
                yield PrescribingSign(
                    sign=sentence[first:last], start=start + first, end=start + last, meaning=_describe_dose(one)
                )


def _find_doses(text: str) -> Iterator[QuantityRange]:
    """The amounts, and ranges of amounts, that may be doses; a bound is none."""
    for one in find_ranges(text):
        is_bound = one.first is one.last and not one.is_value
        if one.unit.removesuffix("/kg") in _UNITS and one.first.words[0].isdigit() and not is_bound:
            yield one


def _describe_dose(one: QuantityRange) -> str:
    amount = " to ".join(f"{end.value:f}" for end in dict.fromkeys((one.first, one.last)))
    unit = _UNITS[one.unit.removesuffix("/kg")]
    if amount == "1":
        unit = unit.removesuffix("s")
    return f"{amount} {unit}{' for each kilogram of body weight,' if one.unit.endswith('/kg') else ''} each time"


@cache
def _load_rows() -> tuple[_SignRow, ...]:
    return tuple(
        _SignRow(
            re.compile(rf"(?<![\w/-])(?:{words})(?![\w/-])", re.IGNORECASE if kind == "any" else 0),
            meaning,
            kind == "dosed",
        )
        for kind, words, meaning in read_rows("wellsourced.explain", "prescribing_signs.tsv")
    )


async def _find_candidates(part: str, understanding: Understanding) -> list[_TermCandidate]:
    question = Question(text=part)
    keywords = await understanding.extract_keywords(question, KEYWORDS_PER_PART)
    known = [one.said for one in await understanding.find_expansions(question) if one.kind in _TERM_KINDS]
    rank = {word.casefold(): place for place, keyword in enumerate(keywords) for word in _WORD.findall(keyword)}
    hard = [keyword for keyword in keywords if any(is_medical_term(word) for word in _WORD.findall(keyword))]
    signs = [(one.start, one.end) for one in locate_prescribing_signs(part)]
    # Where all is in capitals, no word is an abbreviation.
    shouted = part.isupper() and len(part.split()) > 3
    short = [word for word in _WORD.findall(part) if is_medical_abbreviation(word) and not shouted]
    return [
        _TermCandidate(*place, min(rank.get(word.casefold(), KEYWORDS_PER_PART) for word in _WORD.findall(term)))
        for term in dict.fromkeys((*known, *hard, *_medical_word_runs(part), *short, *_names_and_tests(part)))
        if len(_WORD.findall(term)) in range(1, MAX_TERM_WORDS + 1)
        if (place := locate_term(term, part)) and not any(start < place[1] and place[0] < end for start, end in signs)
    ]


def _names_and_tests(part: str) -> Iterator[str]:
    """Drugs, germs and diseases that are known, what is measured, what ends as tests do: "lipid panel"."""
    yield from (found.group() for known in (_ANALYTE, _DISEASE) for found in known.finditer(part))
    for one in extract_conditions(part):
        behind = re.search(rf"(?<!\w){re.escape(one.words)} ([\w-]+)", part)
        yield behind.group() if behind and is_medical_term(behind[1]) else one.words
    words = list(_WORD.finditer(part))
    for at, word in enumerate(words):
        is_drug = _is_name(word.group())
        if not is_drug and not _HEAD.fullmatch(word.group()):
            continue
        first = at
        while first and at - first < MAX_TERM_WORDS - 2 and _continues_name(part, words[first - 1], words[first]):
            first -= 1
        if is_drug and not all(_is_name(one.group()) or _ANALYTE.fullmatch(one.group()) for one in words[first:at]):
            first = at
        if is_drug or first < at:
            yield part[words[first].start() : word.end()]


def _continues_name(part: str, before: re.Match[str], word: re.Match[str]) -> bool:
    beside = part[before.end() : word.start()] == " "
    return beside and not _NO_PART.fullmatch(before.group()) and not _HEAD.fullmatch(before.group())


def _is_name(word: str) -> bool:
    """Whether it is the name of a drug, or of a germ or a procedure, wherever it stands."""
    is_known = word.casefold() in known_drug_words() or (is_entity_name(word) and not is_symbol(word))
    return len(word) >= MIN_DRUG_LETTERS and is_known


def _medical_word_runs(part: str) -> Iterator[str]:
    """Words of medicine, those that stand side by side as one: "transthoracic echocardiogram"."""
    run: list[re.Match[str]] = []
    for word in _WORD.finditer(part):
        beside = bool(run) and part[run[-1].end() : word.start()] == " " and len(run) < MAX_TERM_WORDS
        if run and not (beside and is_medical_term(word.group())):
            yield part[run[0].start() : run[-1].end()]
            run = []
        if is_medical_term(word.group()):
            run.append(word)
    if run:
        yield part[run[0].start() : run[-1].end()]


def is_known_term(term: str) -> bool:
    """Whether it is a disease or an analyte that rules know, and so nobody's name: "melena"."""
    return bool(_DISEASE.fullmatch(term) or _ANALYTE.fullmatch(term))


def locate_term(term: str, text: str, flags: int = re.IGNORECASE) -> tuple[int, int] | None:
    """Where a term stands first, as a whole; any white space may part its words."""
    words = r"\s+".join(map(re.escape, term.split()))
    found = re.search(rf"(?<!\w){words}(?!\w)", text, flags)
    return found.span() if found else None


def _drop_overlapping(candidates: Sequence[_TermCandidate]) -> list[_TermCandidate]:
    kept: list[_TermCandidate] = []
    for one in sorted(candidates, key=lambda one: (one.start - one.end, one.start)):
        if all(one.end <= other.start or other.end <= one.start for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda one: (one.rank, one.start))


def _split_order(order: str) -> Iterator[str]:
    part = ""
    for line in order.splitlines(keepends=True):
        if part and len(part) + len(line) > MAX_PART_CHARS:
            yield part
            part = ""
        part += line
    if part.strip():
        yield part
