"""The words of an order that its reader may not know, and the signs of a prescription with their meaning, found without
a language model.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from pydantic import NonNegativeInt

from wellsourced.medicine.conditions import extract_conditions
from wellsourced.medicine.drugs import known_drug_words
from wellsourced.medicine.name_forms import is_entity_name, is_symbol
from wellsourced.medicine.quantities import QuantityRange, find_ranges
from wellsourced.medicine.word_forms import is_medical_abbreviation, is_medical_term
from wellsourced.patients.words import find_words, read_words
from wellsourced.question.understanding import Understanding
from wellsourced.question.word_rarity import GENERIC_STEMS, load_ordinary_stems
from wellsourced.text.record_lines import join_wrapped_lines
from wellsourced.text.sentences import split_sentences
from wellsourced.text.tables import read_rows
from wellsourced.text.tokens import content_stems
from wellsourced.types import Question, Value

MAX_PART_CHARS = 2_000
"""Characters of an order that are understood at once; it is cut at lines."""

KEYWORDS_PER_PART = 24
"""Words and terms of each part that are looked at, the most important first."""

MAX_TERM_WORDS = 4
"""Words of the longest term."""

BRIEF_TERM_LETTERS = 3
"""Letters of a term, at most, that comes after all others."""

_WORD = re.compile(r"\w+(?:[-'’]\w+)*")
_HEAD = re.compile(rf"(?:{read_words('order head')})", re.IGNORECASE)
"""How the name of a test or a treatment ends: "panel", "x-ray"."""
_ANALYTE = re.compile(rf"(?<![\w-])(?:{read_words('order analyte')})(?![\w-])", re.IGNORECASE)
_DISEASE = re.compile(rf"(?<![\w-])(?:{read_words('order disease')})(?![\w-])", re.IGNORECASE)
_NO_PART = re.compile(rf"(?:{read_words('order no part')})|.*\d.*|\w", re.IGNORECASE)
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


# The signs of a prescription (PO, BID, "10 mg", "q8h") in plain words: `order_abbreviations.tsv`.
#
# A row has in which letters a sign is one (in "any", in "capitals", or as written and only in an order with a dose:
# "dosed"), how it is written, its meaning in our words, what it tells ("when", "how", "food", "duration"), and whether
# the NHS lists it (`ABBREVIATIONS_SOURCE`) or it is common usage. What may mean several things is put into words only
# where the order writes it as a sign: "class IV" is none, and "AC" one only beside a dose.

ABBREVIATIONS_SOURCE = (
    "NHS, Abbreviations commonly found in medical records, https://www.nhs.uk/nhs-app/nhs-app-help-and-support/"
    "health-records-in-the-nhs-app/abbreviations-commonly-found-in-medical-records/"
)


_UNITS = {
    "mg": "milligrams", "mcg": "micrograms", "g": "grams", "ml": "millilitres", "u": "units",
    "iu": "international units", "meq": "milliequivalents", "mmol": "millimoles", "puff": "puffs", "drop": "drops",
    "tablet": "tablets", "capsule": "capsules",
}  # fmt: skip


class PrescribingSign(Value):
    """A sign of a prescription, verbatim: order[start:end] == sign; and what it means, in plain words.

    tells    what it tells: "when", "how", "food", "duration", "dose", "other"
    source   the list of abbreviations that has it; "" for common usage
    """

    sign: str
    start: NonNegativeInt
    end: NonNegativeInt
    meaning: str
    tells: str = "other"
    source: str = ""


class _SignRow(NamedTuple):
    """How a sign is written, what it means and tells, whose list has it; whether it is one only beside a dose."""

    pattern: re.Pattern[str]
    meaning: str
    tells: str
    source: str
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
            if not find_words("before numeral", order[: found.start()]):
                # A full stop behind "BID" ends the sentence, behind "b.i.d." the sign.
                sign = found[0].removesuffix(".") if found[0].count(".") == 1 else found[0]
                start, meaning = found.start(), found.expand(row.meaning)
                end = start + len(sign)
                yield PrescribingSign(
                    sign=sign, start=start, end=end, meaning=meaning, tells=row.tells, source=row.source
                )


def _match_doses(order: str) -> Iterator[PrescribingSign]:
    for start, end in split_sentences(order):
        sentence = order[start:end]
        if not find_words("no single dose", sentence):
            for one in _find_doses(sentence):
                first, last = one.first.printed[0], one.last.printed[1]
                yield PrescribingSign(
                    sign=sentence[first:last],
                    start=start + first,
                    end=start + last,
                    meaning=_describe_dose(one),
                    tells="dose",
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
            tells,
            ABBREVIATIONS_SOURCE if source == "NHS" else "",
            kind == "dosed",
        )
        for kind, words, meaning, tells, source in read_rows("wellsourced.orders", "order_abbreviations.tsv")
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


# What is asked about an order and the order itself says.


class OrderSentence(Value):
    """A sentence of the order, verbatim: order[start:end] == text."""

    text: str
    start: NonNegativeInt
    end: NonNegativeInt


MAX_OWN_SENTENCES = 3
"""Sentences of the order that are shown as an answer."""

_KINDS = ("food", "duration", "when", "dose", "how")
"""What a question asks for, as signs tell it."""


def find_order_sentences(order: str, asked: str) -> tuple[OrderSentence, ...]:
    """The sentences of an order that have what is asked: a sign that tells it, and the words of the question.

    Of a question that names a word of the order, the sentences with that word; else those with a sign of its kind.
    """
    kinds = {kind for kind in _KINDS if find_words(f"asks {kind}", asked)}
    # How something is taken is when and how much of it as well.
    kinds |= {"when", "dose"} if "how" in kinds else set()
    stems = set(content_stems(asked)) - GENERIC_STEMS
    signs = locate_prescribing_signs(order)
    found: list[tuple[bool, int, OrderSentence]] = []
    lines = [(first, order[first:last]) for first, last in join_wrapped_lines(order)]
    for start, end in ((first + one.start, first + one.end) for first, line in lines for one in split_sentences(line)):
        text = order[start:end]
        inside = [one for one in signs if start <= one.start < end]
        said = set(content_stems(" ".join((text, *(one.meaning for one in inside)))))
        tells = bool(kinds & {one.tells for one in inside}) or ("food" in kinds and bool(find_words("asks food", text)))
        if tells or (not kinds and stems & said):
            left = start + len(text) - len(text.lstrip())
            words = text.strip()
            found.append((tells, len(stems & said), OrderSentence(text=words, start=left, end=left + len(words))))
    most = max((shared for _, shared, _ in found), default=0)
    kept = [one for _, shared, one in found if shared == most]
    return tuple(kept[:MAX_OWN_SENTENCES])


def find_unknown_words(order: str, terms: Sequence[str]) -> tuple[str, ...]:
    """The words of an order, each once, that are none of everyday English, in no sign and in none of these terms."""
    known = {word.casefold() for term in terms for word in _WORD.findall(term)}
    signs = [(one.start, one.end) for one in locate_prescribing_signs(order)]
    words = [
        one for one in _WORD.finditer(order) if not any(start < one.end() and one.start() < end for start, end in signs)
    ]
    telling = [one[0] for one in words if len(one[0]) > 1 and one[0][:2].isalpha() and one[0].casefold() not in known]
    ordinary = load_ordinary_stems()
    return tuple(
        dict.fromkeys(one for one in telling if is_medical_abbreviation(one) or set(content_stems(one)) - ordinary)
    )


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
