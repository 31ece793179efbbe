"""Which number belongs to which group: "12% with aspirin, 18% with placebo" has the words of its opposite too, and
"respectively" parts figures from what they are of.
"""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import islice, pairwise
from typing import NamedTuple

from wellsourced.claims.guard.disagreement import Disagreement
from wellsourced.claims.guard.negation import stem
from wellsourced.lazy import lazy_regex
from wellsourced.medicine.ages import AgeRange, extract_age_ranges
from wellsourced.medicine.quantities import Quantity, extract_quantities, normalize_characters
from wellsourced.medicine.units import CANONICAL_UNITS
from wellsourced.text.lexicon import STOP_WORDS, word_set
from wellsourced.text.sentences import split_sentences
from wellsourced.text.tokens import content_stems

MAX_GROUP_NUMBERS = 12
"""Numbers of a text whose groups are looked at: a bound for hostile texts."""

MAX_SENTENCE_LENGTH = 2_000
"""Characters of a sentence that are read."""

_NUMBER = r"(?<![\w.,·])(?P<number>\d+(?:[.,·]\d+)*\s?%?)"
_BRACKETS = r"(?:\s?\([^()]{0,60}\))?"
_RECEIVING = r"(?:those |patients |participants |people |women |men )?(?:given |receiving |treated with |taking |on )?"
_GROUP_NAME = r"(?P<arm>[A-Za-z][\w-]*(?: [a-z][\w-]*)?)"
_NUMBER_THEN_GROUP = re.compile(rf"{_NUMBER}{_BRACKETS} (?:in|with|for|among|on) (?:the )?{_RECEIVING}{_GROUP_NAME}")
_GROUP_THEN_NUMBER = re.compile(rf"\b{_GROUP_NAME} \((?:n ?= ?)?{_NUMBER}[^()]{{0,60}}\)")
_TWO_NUMBERS = re.compile(rf"{_NUMBER}{_BRACKETS} (?:and|v(?:ersu)?s\.?) {_NUMBER.replace('number', 'second')}")
_TWO_NAMES = re.compile(
    r"\b(?:in|with|for|among|on|of|between) (?:the )?(?P<arm>[A-Za-z][\w-]*)(?: group| arm)? and (?:the )?"
    r"(?P<other>[A-Za-z][\w-]*)"
)
_ERROR_BEHIND = re.compile(r"\s?(?:±|\+/?-)\s?\d+(?:[.·]\d+)?")
_RESPECTIVELY = re.compile(r"\brespectively\b", re.IGNORECASE)
_GENERAL_WORDS = STOP_WORDS | word_set(
    "group groups arm arms patient patients participants people those given receiving treated taking total all both "
    "first second year years month months week weeks day days trial trials study studies follow-up baseline"
)


class GroupNumber(NamedTuple):
    """A number as it is printed, but for blanks, and what the words name to which it belongs."""

    number: str
    group: frozenset[str]
    words: str


# Rows such as "at 1, 3 and 6 months (baseline 12 vs. 14 vs. 15 vs. 16, respectively)": which figure is whose.
#
# Where a row can be read in two ways, nothing is told of it: a false alarm is worse than a miss.

MAX_LISTED = 8
"""Things of a list that are paired with figures."""

MAX_NAME_WORDS = 4
_DIGITS = r"(?:\d{1,3}(?:,\d{3})+|\d*\.?\d+)"
_FIGURE = (
    rf"(?:[A-Za-z]{{1,4}}\s?[=:]\s?)?(?:[<>≤≥=~]\s?)?(?<![\w.-])(?P<value>{_DIGITS})(?![\w.]*\d)"
    r"(?:\s?(?:%|per\s?cent|(?!(?:and|or|vs|versus|to|in|with|for|v)\b)[A-Za-zµ]{1,8}(?:/[A-Za-z]{1,4})?)(?!\w))?"
    rf"(?:\s?(?:±|\+/-)\s?{_DIGITS}\s?%?)?(?:\s?\([^()]{{0,60}}\)|\s?\[[^\[\]]{{0,60}}\])?"
)
_ONE_FIGURE = lazy_regex(_FIGURE)
_FIGURE_JOINER = lazy_regex(r"\s?(?:,\s?(?:and|or|vs\.?|versus)?|;|/|and|or|vs\.?|versus|v\.)\s?")
_TIME_UNITS = frozenset({"year", "month", "week", "day", "hour", "minute"})
_BASELINE = lazy_regex(r"\bbaseline\b[^,;()\d]{0,20}\Z", re.IGNORECASE)
_NAME_JOINER = r"(?:,\s?(?:and|or|vs\.?|versus)\s|,\s|\s(?:and|or|vs\.?|versus|&)\s)"
_NAME = rf"[A-Za-z][\w+/-]*(?:\s[A-Za-z][\w+/-]*){{0,{MAX_NAME_WORDS + 4}}}(?:\s?\([^()]{{0,30}}\))?"
_NAMES = lazy_regex(rf"{_NAME}(?:{_NAME_JOINER}{_NAME})+")
_NAME_PARTS = lazy_regex(_NAME_JOINER)
_NAME_ENDS = STOP_WORDS | word_set(
    "was were had has have is are respectively compared versus after before during without within between received "
    "showed experienced underwent developed occurred increased decreased improved using given treated"
)
_GENERAL_IN_LISTS = word_set(
    "group groups arm arms patient patients participants people subjects women men infants children "
    "rate rates mean median"
)
_CUT = lazy_regex(r",\s|;\s|\s\(|\)\s|\s(?:and|or|to|whereas|while|but|versus|vs\.?|against|with)\s", re.IGNORECASE)
_COMPARED = lazy_regex(
    r"\b(?:than|compared|comparison|versus|vs|against|relative to|unlike|instead|rather|differ\w*|from|except|over"
    r"|without|not|no|neither)\b",
    re.IGNORECASE,
)


class ListedThing(NamedTuple):
    """One of a list, to which a figure belongs: a time, or what its words name."""

    words: str
    stems: frozenset[str]
    time: tuple[Decimal, str] | None = None


class RespectiveFigures(NamedTuple):
    """A row of figures, each with the thing of a list in the same place."""

    values: tuple[Decimal, ...]
    things: tuple[ListedThing, ...]


class _Series(NamedTuple):
    values: tuple[Decimal, ...]
    unit: str
    start: int
    end: int


def compare_respective_figures(claim: str, evidence: str) -> Iterator[Disagreement]:
    """Figures that a claim gives one thing of a list, and its source another in the same row."""
    if not _RESPECTIVELY.search(evidence) or _RESPECTIVELY.search(claim):
        return
    rows, others = read_respective_figures(evidence)
    known = {value for row in rows for value in row.values} - others
    figures = list(_list_contexts(normalize_characters(claim), known))
    misplaced = [found for value, context in figures if (found := _find_misplaced(value, context, rows))]
    said = {value for value, _ in figures}
    wrong = {value for value, *_ in misplaced}
    for _, right, shown in misplaced:
        # Where the claim has the figure of that thing as well, both are exchanged, or only the order was read wrongly.
        if right not in said or right in wrong:
            yield Disagreement("number", *shown)


def read_respective_figures(text: str) -> tuple[list[RespectiveFigures], frozenset[Decimal]]:
    """The rows of a text that can be read in one way, and the figures that stand elsewhere in it, too."""
    rows: list[RespectiveFigures] = []
    others: set[Decimal] = set()
    for sentence in dict.fromkeys(text[start:end] for start, end in split_sentences(text)):
        plain = normalize_characters(sentence[:MAX_SENTENCE_LENGTH])
        found = list(_read_rows(plain)) if _RESPECTIVELY.search(plain) else []
        rows += found
        paired = [value for row in found for value in row.values]
        for quantity in extract_quantities(plain):
            value = abs(quantity.value)
            if value in paired:
                paired.remove(value)
            else:
                others.add(value)
    return rows, frozenset(others)


def _find_misplaced(
    value: Decimal, context: str, rows: Sequence[RespectiveFigures]
) -> tuple[Decimal, Decimal, tuple[str, str]] | None:
    """A figure beside the name of another thing than its own: with that thing's figure, and the words of both."""
    if _COMPARED.search(context):
        return None
    stems = frozenset(content_stems(context))
    times = {(abs(one.value), one.unit) for one in extract_quantities(context)}
    own = [row for row in rows if value in row.values]
    named = [[at for at, thing in enumerate(row.things) if _is_named(thing, stems, times)] for row in own]
    if not own or any(len(at) != 1 or row.values[at[0]] == value for row, at in zip(own, named, strict=True)):
        return None
    row, at = own[0], named[0][0]
    there, said, right = row.things[row.values.index(value)].words, row.things[at].words, row.values[at]
    return value, right, (f"{said}: {value:f}", f"{there}: {value:f}, {said}: {right:f}")


def _is_named(thing: ListedThing, stems: frozenset[str], times: set[tuple[Decimal, str]]) -> bool:
    return thing.time in times if thing.time else bool(thing.stems) and thing.stems <= stems


def _list_contexts(claim: str, known: set[Decimal]) -> Iterator[tuple[Decimal, str]]:
    """The figures of a claim that are in a row, each with the words that can only be about it."""
    every = extract_quantities(claim)
    cuts = [one for one in every if one.unit not in _TIME_UNITS or abs(one.value) in known]
    if not cuts:
        return
    sides = [_cut_between(claim, one, other) for one, other in pairwise(cuts)]
    starts = [0, *(start for _, start in sides)]
    ends = [*(end for end, _ in sides), len(claim)]
    for quantity, start, end in zip(cuts, starts, ends, strict=True):
        if abs(quantity.value) in known:
            yield abs(quantity.value), claim[start:end]


def _cut_between(claim: str, one: Quantity, other: Quantity) -> tuple[int, int]:
    """Where the words about a figure end, and those about the next begin; what no joiner parts is about neither."""
    start = one.start + len(one.words)
    found = list(_CUT.finditer(claim, start, other.start))
    return (found[-1].start(), found[-1].start()) if found else (start, other.start)


def _read_rows(sentence: str) -> Iterator[RespectiveFigures]:
    series = list(_list_series(sentence))
    times = [one for one in series if one.unit in _TIME_UNITS]
    figures = [one for one in series if one not in times] or series
    lists = [_list_times(one) for one in times if one not in figures] + list(_list_names(sentence, series))
    for row in figures:
        fitting = [things for things in lists if len(things) == len(row.values)]
        if not fitting and _BASELINE.search(sentence[: row.start]):
            before = ListedThing("baseline", frozenset(content_stems("baseline")))
            fitting = [(before, *things) for things in lists if len(things) + 1 == len(row.values)]
        if len(fitting) == 1:
            yield RespectiveFigures(row.values, fitting[0])


def _list_series(sentence: str) -> Iterator[_Series]:
    """Two figures or more that are listed."""
    run: list[re.Match[str]] = []
    for figure in _ONE_FIGURE.finditer(sentence):
        if run and not _FIGURE_JOINER.fullmatch(sentence, run[-1].end(), figure.start()):
            yield from _build_series(run)
            run = []
        run.append(figure)
    yield from _build_series(run)


def _build_series(run: Sequence[re.Match[str]]) -> Iterator[_Series]:
    if 2 <= len(run) <= MAX_LISTED:
        values = tuple(Decimal(one["value"].replace(",", "")).normalize() for one in run)
        word = run[-1].group().split()[-1]
        if len(set(values)) == len(values):
            yield _Series(values, CANONICAL_UNITS.get(word, ""), run[0].start(), run[-1].end())


def _list_times(series: _Series) -> tuple[ListedThing, ...]:
    return tuple(
        ListedThing(f"{value:f} {series.unit}{'' if value == 1 else 's'}", frozenset(), (value, series.unit))
        for value in series.values
    )


def _list_names(sentence: str, series: Sequence[_Series]) -> Iterator[tuple[ListedThing, ...]]:
    """Enumerations of names, each name without the words before and behind it that join it to the sentence."""
    for found in _NAMES.finditer(sentence):
        if any(one.start < found.start() < one.end for one in series):
            continue
        parts = _NAME_PARTS.split(found.group())
        things = [_build_name(part, is_first=at == 0, is_last=at == len(parts) - 1) for at, part in enumerate(parts)]
        if all(thing.stems for thing in things) and len({thing.stems for thing in things}) == len(things) <= MAX_LISTED:
            yield tuple(things)


def _build_name(part: str, *, is_first: bool, is_last: bool) -> ListedThing:
    words = re.findall(r"[\w+/-]+", part)
    if is_first:
        ends = [at for at, word in enumerate(words) if word.lower() in _NAME_ENDS]
        words = words[ends[-1] + 1 :] if ends else words
        words = words[-MAX_NAME_WORDS:]
    elif words and words[0].lower() in _NAME_ENDS:
        words = words[1:]
    if is_last:
        words = words[: next((at for at, word in enumerate(words) if word.lower() in _NAME_ENDS), len(words))]
    told = [word for word in words if word.lower() not in _GENERAL_IN_LISTS]
    return ListedThing(" ".join(words), frozenset(content_stems(" ".join(told))))


def compare_group_numbers(claim: str, evidence: str) -> Iterator[Disagreement]:
    """Numbers that belong to another group in the evidence, where that has another number for the claim's group."""
    yield from compare_respective_figures(claim, evidence)
    said = _extract_group_numbers(claim)
    if not said:
        return
    given = _extract_group_numbers(evidence)
    for one in said:
        same = [other for other in given if other.number == one.number]
        own = [other for other in given if other.group & one.group]
        if same and own and not any(other.group & one.group for other in same):
            yield Disagreement("number", one.words, same[0].words)


def _extract_group_numbers(text: str) -> list[GroupNumber]:
    sentences = (text[start : min(end, start + MAX_SENTENCE_LENGTH)] for start, end in split_sentences(text))
    found = (one for sentence in sentences for one in _extract_from_sentence(sentence) if one.group)
    return list(islice(found, MAX_GROUP_NUMBERS))


def _extract_from_sentence(sentence: str) -> Iterator[GroupNumber]:
    if _RESPECTIVELY.search(sentence):
        yield from _pair_respectively(sentence)
        return
    for pattern in (_NUMBER_THEN_GROUP, _GROUP_THEN_NUMBER):
        for match in pattern.finditer(sentence):
            yield _build_group_number(match["number"], match["arm"])


def _pair_respectively(sentence: str) -> Iterator[GroupNumber]:
    """ "12% and 18% with aspirin and clopidogrel, respectively": the first belongs to the first."""
    plain = _ERROR_BEHIND.sub("", sentence)
    numbers, names = _TWO_NUMBERS.search(plain), _TWO_NAMES.search(plain)
    if numbers and names:
        yield _build_group_number(numbers["number"], names["arm"])
        yield _build_group_number(numbers["second"], names["other"])


def _build_group_number(number: str, arm: str) -> GroupNumber:
    told = [word for word in re.findall(r"\w+(?:-\w+)*", arm.lower()) if word not in _GENERAL_WORDS]
    plain = number.replace("·", ".").replace(",", "").replace(" ", "")
    return GroupNumber(plain, frozenset(stem(word) for word in told), f"{number.strip()} with {' '.join(told)}")


MAX_EVIDENCE_LENGTH = 20_000
"""Characters of evidence that are read: a bound for hostile texts."""

_WOMEN = re.compile(r"\b(?:women|woman|girls?|females?|mothers?)\b", re.IGNORECASE)
_MEN = re.compile(r"\b(?:men|man|boys?|males?|fathers?)\b", re.IGNORECASE)


def compare_populations(claim: str, evidence: str) -> Iterator[Disagreement]:
    """Ages, or a sex, of the claim with which nothing that the evidence speaks of has anything in common.

    Where the evidence names no age, or no sex, nothing is said of it.
    """
    read = evidence[:MAX_EVIDENCE_LENGTH]
    asked = list(extract_age_ranges(claim))
    told = list(extract_age_ranges(read)) if asked else []
    if told and not any(ages_overlap(one, other) for one in asked for other in told):
        yield Disagreement("population", asked[0].words, told[0].words)
    for own, other in ((_WOMEN, _MEN), (_MEN, _WOMEN)):
        said = own.search(claim)
        if said and not other.search(claim) and not own.search(read) and (found := other.search(read)):
            yield Disagreement("population", said.group(), found.group())


def ages_overlap(one: AgeRange, other: AgeRange) -> bool:
    """Whether two ranges of age have more than an end in common: children and adults have not."""
    return one.low < other.high and other.low < one.high
