"""Facts of a claim that are another's in its source: a figure of another group, animals for patients, another name.

Each is a suspicion: words of the claim beside words of its source, for somebody who reads both. Right claims have them
too, since a paraphrase changes words.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from wellsourced.claims.guard import disagreement
from wellsourced.claims.guard.alignment import AlignmentWord, align_sentences
from wellsourced.claims.guard.disagreement import Disagreement, FactKind
from wellsourced.lazy import lazy_regex
from wellsourced.medicine.quantities import Quantity, extract_quantities
from wellsourced.text.lexicon import word_set
from wellsourced.text.tokens import content_stems, stem_coverage
from wellsourced.text.typography import normalize_characters

MAX_TEXT = 6_000
"""Characters of a source whose figures are read."""

_ROW_END = lazy_regex(r"\n+|(?<=[a-z)\]%\d]\.)\s+(?=[A-Z])|;\s")
_SIDE_END = lazy_regex(
    r"(?:,?\s(?:and|or|whereas|while|but|versus|vs\.?|v/s|compared (?:with|to)|against|than|as opposed to)\s|,\s"
    r"|\s\(|\)\s)",
    re.IGNORECASE,
)
_WINDOW = 7
"""Words on either side of a figure that say of what it is."""

MAX_COUNT = 5
"""Numbers up to which a claim may count for itself."""

GENERAL_STEMS = frozenset(
    content_stems(
        "patients group arm people participants subjects women men children infants study trial year month week day "
        "rate level total mean median percent mg mmol one two three four five six seven eight nine ten use treat"
    )
)
"""Stems that do not tell two places apart."""

_INTERVAL = lazy_regex(r"(?:\bCI\b|\bIQR\b|range|±|\bSD\b|\bp\s?[<>=]|interval)[^;)]{0,30}\Z", re.IGNORECASE)


class FigureContext(NamedTuple):
    """A figure with the words around it.

    stems       of the words beside it; of a row of a table, of the whole row
    row_stems   of the whole sentence or row
    words       those beside it, as printed
    """

    quantity: Quantity
    stems: frozenset[str]
    row_stems: frozenset[str]
    words: str
    is_table: bool


def find_swapped_figures(claim: str, sentences: Sequence[str], source: str) -> Iterator[Disagreement]:
    """Figures that the source has, of something that the claim does not speak of, and another one of what it does."""
    given = list(_list_figures("\n".join(dict.fromkeys([*sentences, source[:MAX_TEXT]]))))
    for said in _list_figures(claim):
        same = [one for one in given if _is_same_figure(one.quantity, said.quantity)]
        others = [
            one
            for one in given
            if one.quantity.unit == said.quantity.unit and not _is_same_figure(one.quantity, said.quantity)
        ]
        if not same or not others or _is_count_or_pair(said.quantity, claim) or is_year_of_name(said.quantity, claim):
            continue
        nearer = [max(others, key=lambda other: _compare_contexts(said, other, one)) for one in same]
        margins = [_compare_contexts(said, other, one) for one, other in zip(same, nearer, strict=True)]
        if min(margins) >= (1 if said.quantity.unit else 2):
            best = nearer[margins.index(min(margins))]
            yield Disagreement("number", said.words, best.words)
            return


_PAIR = lazy_regex(r"\s?(?:versus|vs\.?|v/s|as opposed to|against|compared with|and)\s[\d.,]+", re.IGNORECASE)
_PAIR_BEFORE = lazy_regex(
    r"[\d.,%]+\s?(?:\w+\s)?(?:versus|vs\.?|v/s|as opposed to|against|compared with)\s\Z", re.IGNORECASE
)


def _is_count_or_pair(quantity: Quantity, claim: str) -> bool:
    """A small count, or one of two figures beside each other, of which the words around say nothing."""
    text = normalize_characters(claim)
    if not quantity.unit and abs(quantity.value) <= MAX_COUNT:
        return True
    start = text.find(quantity.words)
    before = text[max(0, start - 24) : start]
    return bool(_PAIR.match(text, start + len(quantity.words)) or _PAIR_BEFORE.search(before))


_PUBLICATION = r"(?:guidelines?|statements?|consensus|standards|recommendations?|update|criteria|classification)"
_NAME_BEHIND = lazy_regex(rf"[^.;()]{{0,60}}\b{_PUBLICATION}\b", re.IGNORECASE)
_NAME_BEFORE = lazy_regex(rf"\b{_PUBLICATION}\b[^.;()]{{0,30}}\(?\s?\Z", re.IGNORECASE)


def is_year_of_name(quantity: Quantity, claim: str) -> bool:
    """The year in a guideline's name: "2022 AHA/ACC guideline", "Standards of Care 2024"."""
    if quantity.unit or not re.fullmatch(r"(?:19|20)\d\d", quantity.words):
        return False
    text = normalize_characters(claim)
    at = text.find(quantity.words)
    return bool(_NAME_BEHIND.match(text, at + 4) or _NAME_BEFORE.search(text[max(0, at - 60) : at]))


def _is_same_figure(one: Quantity, other: Quantity) -> bool:
    return abs(one.value) == abs(other.value)


def _compare_contexts(said: FigureContext, other: FigureContext, own: FigureContext) -> int:
    """By how many words the claim's figure is nearer to the other figure's place than to its own."""
    stems = said.row_stems if other.is_table and own.is_table else said.stems
    with_other, with_own = stems & (other.stems - own.stems), stems & (own.stems - other.stems)
    return len(with_other) - 2 * len(with_own) if with_other else -1


def _list_figures(text: str) -> Iterator[FigureContext]:
    """The figures of a text, each with the words beside it up to the next figure of its kind."""
    for row in _ROW_END.split("\n".join(map(normalize_characters, text.split("\n")))):
        if "respectively" in row:
            continue
        found = [
            one for one in extract_quantities(row) if not _INTERVAL.search(row[max(0, one.start - 40) : one.start])
        ]
        places = [0, *(_find_side_end(row, one, other) for one, other in pairwise(found)), len(row)]
        is_table, all_stems = "|" in row, _telling_stems(row)
        for quantity, start, end in zip(found, places, places[1:], strict=False):
            before, behind = row[start : quantity.start], row[quantity.start + len(quantity.words) : end]
            words = (
                row if is_table else " ".join([*before.split()[-_WINDOW:], quantity.words, *behind.split()[:_WINDOW]])
            )
            yield FigureContext(quantity, _telling_stems(words), all_stems, words.strip(" ,;|-"), is_table)


def _telling_stems(words: str) -> frozenset[str]:
    return frozenset(stem for stem in content_stems(words) if not stem[0].isdigit()) - GENERAL_STEMS


def _find_side_end(row: str, one: Quantity, other: Quantity) -> int:
    start = one.start + len(one.words)
    cut = _SIDE_END.search(row, start, other.start)
    last = None
    while cut:
        last, cut = cut, _SIDE_END.search(row, cut.end() - 1, other.start)
    return last.start() if last else start


_RATE = lazy_regex(
    r"\s?(?:/|per|an?|each|every)\s?(?P<of>dose|day|hour|h|week|month|year|kg|minute|min|l|liter|litre)\b",
    re.IGNORECASE,
)
_RATE_UNITS = {"h": "hour", "min": "minute", "liter": "l", "litre": "l"}
_BY_OR_TO = lazy_regex(
    r"\b(?P<word>by|to)\s(?:about |up to |approximately )?(?:\d[\d.]*\s?(?:-|to)\s?)?\Z", re.IGNORECASE
)


def find_swapped_rates(claim: str, evidence: str) -> Iterator[Disagreement]:
    """ "20 mmol per hour" for "20 mmol per liter", "reduced to 20%" for "reduced by 20%"."""
    said_text, given_text = normalize_characters(claim), normalize_characters(evidence)
    given = extract_quantities(given_text)
    for said in extract_quantities(said_text):
        same = [one for one in given if abs(one.value) == abs(said.value)]
        for find_word in (_find_rate, _find_by_or_to):
            own, others = find_word(said, said_text), {find_word(one, given_text) for one in same} - {""}
            if own and others and own not in others:
                there = next(one for one in same if find_word(one, given_text))
                yield Disagreement("unit", _cut_text(said_text, said), _cut_text(given_text, there))
                return


def _find_rate(quantity: Quantity, text: str) -> str:
    """Of what a quantity is that much: of a dose, of a day."""
    if "/" in quantity.unit:
        return quantity.unit.split("/")[-1]
    found = _RATE.match(text, quantity.start + len(quantity.words))
    return _RATE_UNITS.get(found["of"].lower(), found["of"].lower()) if found else ""


def _find_by_or_to(quantity: Quantity, text: str) -> str:
    """ "by" or "to" before a quantity; "" for neither."""
    if quantity.unit not in ("%", "mg", "year", "kg", "g"):
        return ""
    found = _BY_OR_TO.search(text[max(0, quantity.start - 24) : quantity.start])
    return found["word"].lower() if found else ""


def _cut_text(text: str, quantity: Quantity) -> str:
    end = quantity.start + len(quantity.words)
    return " ".join([*text[: quantity.start].split()[-4:], quantity.words, *text[end:].split()[:5]])


MIN_CLOSENESS = 0.75
"""Share of a claim's words that are the source's, in its order, from which the others stand in the place of others."""

MAX_EXCHANGED = 8
"""Words on either side that stand for each other: of longer stretches it is not known what stands for what."""

_CONNECTIVES = word_set("and but though although however whereas while yet")
"""Words that join two sentences of which each says its own."""

_PRONOUNS = word_set("it they")
"""Words that stand for what the source names."""

_TELLING_WORDS = word_set("not no without may might unless never any all every only some")


def find_swapped_words(claim: str, evidence: str) -> Iterator[Disagreement]:
    """Words of a claim in the place of others of a sentence that it copies."""
    for copy in align_sentences(claim, evidence):
        if copy.closeness < MIN_CLOSENESS:
            continue
        for change in copy.substitutions:
            said, given = change.claim_words, change.evidence_words
            is_dropped = not said and any(word.lower in _TELLING_WORDS for word in given)
            is_joint = {word.lower for word in (*said, *given)} <= _CONNECTIVES
            is_pronoun = bool(said) and {word.lower for word in said} <= _PRONOUNS and not any(map(_denies, given))
            tells = any(word.has_content or _denies(word) for word in (*said, *given))
            is_exchanged = bool(said and given) and tells and not is_joint and not is_pronoun
            if (is_dropped or is_exchanged) and max(len(said), len(given)) <= MAX_EXCHANGED:
                kind: FactKind = "number" if any(word.is_number for word in said) else "condition"
                yield Disagreement(
                    kind,
                    _show_place(copy.claim_words, change.claim_position, len(said)),
                    _show_place(copy.evidence_words, change.evidence_position, len(given)),
                )


def _show_place(words: Sequence[AlignmentWord], start: int, length: int) -> str:
    """The words of a change with two on either side."""
    return " ".join(word.word for word in words[max(0, start - 2) : start + length + 2])


def _denies(word: AlignmentWord) -> bool:
    return word.is_number or word.lower in _TELLING_WORDS


_PIVOT = lazy_regex(
    r"\b(?:(?P<rank>preferred (?:over|to)|superior to|inferior to|rather than|instead of|in place of"
    r"|takes precedence over)"
    r"|(?P<order>followed by|before|after))\b",
    re.IGNORECASE,
)
_SIDE_WORDS = 5
"""Words on either side of "preferred over" that name its two sides."""


def find_swapped_sides(claim: str, evidence: str) -> Iterator[Disagreement]:
    """ "A is preferred over B" where the source prefers B, "A before B" where it begins with B."""
    given = list(_PIVOT.finditer(evidence))
    for said in _PIVOT.finditer(claim):
        left, right = _list_sides(claim, said)
        for other in given:
            if said.group().lower() != other.group().lower():
                continue
            first, second = _list_sides(evidence, other)
            if left & second and right & first and not left & first and not right & second:
                yield Disagreement("role", show_around(claim, said), show_around(evidence, other))
                return


def _list_sides(text: str, pivot: re.Match[str]) -> tuple[frozenset[str], frozenset[str]]:
    """The stems before a pivot and behind it, as far as its clause goes."""
    before, behind = re.split(r"[.;:,]", text[: pivot.start()])[-1], re.split(r"[.;:,]", text[pivot.end() :])[0]
    return (
        _telling_stems(" ".join(before.split()[-_SIDE_WORDS:])),
        _telling_stems(" ".join(behind.split()[:_SIDE_WORDS])),
    )


_ANIMALS = lazy_regex(
    r"\b(?:mice|mouse|murine|rats?|rabbits?|dogs?|canine|pigs?|porcine|piglets?|monkeys?|macaques?|sheep|ovine"
    r"|hamsters?"
    r"|guinea pigs|zebrafish|animals?|in vitro|cell lines?|cadavers?|ex vivo)\b",
    re.IGNORECASE,
)
_PEOPLE = lazy_regex(
    r"\b(?:patients?|people|persons?|men|women|man|woman|adults?|children|infants?|participants|subjects|individuals"
    r"|volunteers|humans?|boys|girls)\b",
    re.IGNORECASE,
)


def find_animals(claim: str, source: str) -> Iterator[Disagreement]:
    """People in the claim, and in the source only animals or cells."""
    said, given = _PEOPLE.search(claim), _ANIMALS.search(source)
    if said and given and not _ANIMALS.search(claim) and not _PEOPLE.search(source):
        yield Disagreement("population", said.group(), given.group())


_OUTCOMES = word_set(
    "mortality survival hospitalization hospitalisation admission relapse remission cure cured "
    "stroke strokes infarction fracture fractures recurrence progression readmission "
    "disability pain quality cost costs sensitivity specificity incidence prevalence toxicity pregnant pregnancy "
    "breastfeeding adults outpatients inpatients surgery elective emergency cardiac "
    "healthy diabetic nondiabetic severe mild moderate acute chronic prophylactic first-line second-line "
    "animals ankle wrist hip knee spine ostial bifurcation children's microscopy events"
)
_NOT_NAMES = word_set("surgery exercise placebo")
_EXAMPLE = lazy_regex(r"\b(?:such as|e\.g\.|like|for example|including|that is|meaning)\b[^.;,]*", re.IGNORECASE)
_WORD = lazy_regex(r"[A-Za-zα-ω][\w-]*\w")


def find_unnamed_names(claim: str, known: str, sentences: Sequence[str]) -> Iterator[Disagreement]:
    """Drugs, diseases, outcomes and people of the claim that are named nowhere."""
    stems = set(content_stems(known)) | set(content_stems(known.replace("-", "")))
    small = known.lower()
    short = set(re.findall(r"\b[A-Z]{2,6}\b", known))
    for word in dict.fromkeys(_WORD.findall(_EXAMPLE.sub(" ", claim))):
        if word.lower() in _NOT_NAMES or any(disagreement.is_abbreviation_of(one, word) for one in short):
            continue
        is_name = (
            (disagreement.is_entity_name(word) and not disagreement.is_symbol(word))
            or disagreement.is_disease_name(word)
            or word.lower() in _OUTCOMES
        )
        if is_name and word.lower()[:5] not in small and not set(content_stems(word)) <= stems:
            nearest = max(sentences, key=lambda one: stem_coverage(claim, one), default="")
            yield Disagreement("drug" if disagreement.is_entity_name(word) else "condition", word, nearest)
            return


SHOWN_WORDS = 6
"""Words on either side of those in question that are shown."""

_LINE_END = lazy_regex(r"\n| … ")


def show_around(text: str, found: re.Match[str]) -> str:
    """The words found, with some on either side of the same line."""
    before = _LINE_END.split(text[: found.start()])[-1].split()
    behind = _LINE_END.split(text[found.end() :])[0].split()
    return " ".join([*before[-SHOWN_WORDS:], found.group(), *behind[:SHOWN_WORDS]])
