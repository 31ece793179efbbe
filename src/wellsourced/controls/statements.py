"""Statements whose right verdict is known, put among those that a language model judges, in the same call: who calls a
planted error right, or refuses what the passages say, has not read them, and the verdicts of that call do not count.

Where many people annotate, such items are known as gold questions: mixed unmarked among the others, they tell careless
workers from careful ones (Downs, Holbrook, Sheng and Cranor, CHI 2010; Le, Edmonds, Hester and Biewald, SIGIR workshop
on crowdsourcing, 2010). Programmatic gold (Oleson and others, AAAI workshop on human computation, 2011) makes them by
rule from right data, with errors of known kinds, as here. A small change that makes another label of an input is a
contrast set (Gardner and others, Findings of EMNLP 2020); to list abilities and test each is CheckList (Ribeiro and
others, ACL 2020).

    the passages of a call → sentences and cells that stand alone → one or two as they are, or in words that mean the
    same, and one or two with one thing altered, of which it is proven that the passages do not say it

Where nothing can be altered with proof, there are none. The same passages give the same controls.
"""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import cache, cached_property
from hashlib import sha256
from typing import NamedTuple

from wellsourced.lazy import lazy_regex
from wellsourced.medicine.conditions import find_conditions
from wellsourced.medicine.drugs import DrugMention, find_drugs, list_class_members
from wellsourced.medicine.quantities import QuantityRange, extract_quantities, find_ranges, parse_digits
from wellsourced.medicine.units import convert
from wellsourced.text.blocks import NO_HEADER, Block, find_blocks
from wellsourced.text.languages import detect_language
from wellsourced.text.lexicon import IMPERATIVES
from wellsourced.text.sentences import has_back_reference, is_prose, split_sentences
from wellsourced.text.tables import read_alternatives, read_rows
from wellsourced.text.tokens import content_stems
from wellsourced.types import short_key

MAX_SHARE = 0.15
"""Of the tokens of a call that more than two controls may take."""

REPLY_CHARS = 260
"""Characters that a verdict takes in a reply beside the words that it copies, and a claim beside its text."""

MAX_BASES = 60
"""Sentences and rows of a call that are looked at; of a long article some."""

MIN_WORDS, MAX_WORDS = 7, 40
"""Words of a statement that can be understood and is cheap."""

MAX_LONG = 60
"""Words of a sentence that is altered where no shorter one can be."""

MAX_CELL_WORDS = 12
"""Words of a cell, and of a label."""

MAX_VALUE_WORDS = 2
"""Words of a cell without a figure that is a value, and no sentence."""

MAX_HEADINGS = 2
"""Headings that a statement is given."""

LIKENESS = 0.5
"""Share of their stems from which two cells, or two labels, may say the same."""


class Place(NamedTuple):
    """What a call shows of one source: its words, and the titles that they stand under."""

    text: str
    title: str = ""
    section: str = ""


class Control(NamedTuple):
    """A statement whose verdict is known.

    is_right   whether the place says it; else one thing in it is altered
    kind       what was altered: "figure", "negation" …; of a right one "verbatim" or "reworded"
    place      position of the place that it is made from
    base       the words that it is made from
    """

    text: str
    is_right: bool
    kind: str
    place: int
    base: str

    @property
    def key(self) -> str:
        """As claims have it."""
        return short_key(self.text)


class Base(NamedTuple):
    """Words of a place that say something by themselves, or behind the headings and labels that they stand under.

    is_whole   whether it can be understood alone, and may be repeated; else it may only be altered
    siblings   of a cell or an item with a label: the kind of error, and what belongs to another label
    kinds      the only kinds in which it can be altered with proof; none: every kind
    """

    lead: str
    words: str
    place: int
    is_whole: bool = True
    siblings: tuple[tuple[str, str], ...] = ()
    kinds: frozenset[str] = frozenset()

    def say(self, words: str) -> str:
        """A statement of these words in place of its own."""
        return f"{self.lead}: {words.rstrip('.')}." if self.lead else words

    def build(self, words: str, kind: str, *, is_right: bool) -> Control:
        """A control of these words."""
        return Control(self.say(words), is_right, kind, self.place, self.say(self.words))


NAMED_KINDS = frozenset({"figure", "unit", "drug", "route", "population", "condition", "strength"})
"""Errors that no line above can make true."""


def make_controls(
    claims: Sequence[str], places: Sequence[Place], question: str = "", call_chars: int = 0
) -> tuple[Control, ...]:
    """One right and one altered; a second altered one, then a second right one, as long as they take MAX_SHARE.

    claims      what the call judges: no control says the same
    call_chars  characters of the call without controls, its reply accounted for by the claims
    """
    shown = CallWords(places, question)
    if not shown.words.strip() or detect_language(shown.words[:2_000]) != "en":
        return ()
    seed = sha256("\n".join((question, *(one.text for one in places))).encode(errors="replace")).digest()
    chance = random.Random(seed)  # noqa: S311 - reproducible, and no secret
    bases = _sample_bases(places, chance)
    right = _pick_by_kind([repeat_base(one) for one in bases if one.is_whole], chance)
    altered = [
        one
        for is_whole in (True, False)
        for one in _pick_by_kind(
            [two for base in bases if base.is_whole == is_whole for two in alter_base(base, shown, chance)], chance
        )
    ]
    taken = {" ".join(one.split()).casefold() for one in claims}
    total = call_chars + sum(len(one) + REPLY_CHARS for one in claims)
    made: list[Control] = []
    for kind, pool in (("altered", altered), ("right", right), ("altered", altered), ("right", right)):
        used = {one.base for one in made}
        fresh = (one for one in pool if one.base not in used and one.text.casefold() not in taken)
        control = next((one for one in fresh if one.kind not in {two.kind for two in made if not two.is_right}), None)
        if control is None:
            # Without an altered one, nothing tells who says yes to everything.
            if kind == "altered" and not made:
                return ()
            continue
        cost = sum(2 * len(one.text) + REPLY_CHARS for one in (*made, control))
        if len(made) > 1 and cost > MAX_SHARE * (total + cost):
            break
        made.append(control)
    chance.shuffle(made)
    return tuple(made)


def _pick_by_kind(found: Sequence[Control], chance: random.Random) -> list[Control]:
    """In an order in which every kind has its turn, whatever it is made of: figures are in most sentences."""
    piles: dict[str, list[Control]] = {}
    for one in found:
        piles.setdefault(one.kind, []).append(one)
    kinds = sorted(piles)
    chance.shuffle(kinds)
    # Nearly every statement names a condition: the others would hardly have their turn.
    kinds.sort(key=lambda kind: kind == "condition")
    for kind in kinds:
        pile = sorted(piles[kind], key=lambda one: len(one.text))
        # The shorter half: a control costs what it has words.
        piles[kind] = pile[: (len(pile) + 1) // 2]
        chance.shuffle(piles[kind])
    return [
        pile[at]
        for at in range(max(map(len, piles.values()), default=0))
        for kind in kinds
        if at < len(pile := piles[kind])
    ]


# --- what stands alone ---------------------------------------------------------------------------------------------

_LEANING = lazy_regex(
    r"\b(?:this|these|those|such|former|latter|respectively|we|our|us|here|herein|aforementioned|following)\b"
    r"|^(?-i:(?:[A-Z]{6,}|Conclusions? and Relevance|Importance) (?=[A-Z][a-z]))"
    r"|\b(?:see|figures?|fig|tables?|et al|above|below)\b(?! \d)|\[\d|\bas (?:above|below|described)\b|\?|https?:",
    re.IGNORECASE,
)
"""What means nothing, or something else, without the words around it."""

_SHOUTED_LABEL = lazy_regex(r"^[A-Z][A-Z &/]{4,40}: (?=[A-Z])")
_OPEN_END = lazy_regex(r"(?:[:,;(]|\b(?:and|or|OR|AND|as|with|of))$")


def _sample_bases(places: Sequence[Place], chance: random.Random) -> list[Base]:
    """At most MAX_BASES of all places, each text once, those that stand alone first."""
    every = {one.say(one.words): one for at, place in enumerate(places) for one in list_bases(place, at)}
    found = sorted(chance.sample(list(every.values()), len(every)), key=lambda one: not one.is_whole)
    return found[:MAX_BASES]


def list_bases(place: Place, at: int = 0) -> Iterator[Base]:
    """The sentences of a place; its cells and items with a label, each under its heading, beside its neighbours."""
    blocks = find_blocks(place.text)
    cells = [one for number in range(len(blocks)) for one in _read_cells(place.text, blocks, number)]
    for cell in cells:
        others = [one for one in cells if one.group == cell.group and one is not cell]
        # Of two rows of one name nobody can say which is meant.
        if all(one.label.casefold() != cell.label.casefold() for one in others):
            scope = _name_scope(place, f"{cell.label} {cell.says}", with_last=True)
            lead = ": ".join(filter(None, (scope, cell.label, cell.column)))
            swapped = (one.says for one in others if _differ(cell.label, one.label) and _differ(cell.says, one.says))
            siblings = tuple((cell.group[0], says) for says in swapped if _list_subjects(says))
            # A longer cell may be what is done under a condition that stands in another column.
            is_value = len(cell.says.split()) <= MAX_VALUE_WORDS or re.search(r"\d", cell.says)
            yield Base(lead, cell.says, at, is_whole=bool(is_value), siblings=siblings)
    for block in blocks:
        # What hangs on a line above it means what that line says: "Avoid:", "administered as".
        is_own = block.parent is None and block.kind != "step"
        sentences = split_sentences(place.text, *block.span) if block.kind != "row" else []
        for number, (start, end) in enumerate(sentences):
            words = _SHOUTED_LABEL.sub("", place.text[start:end])
            if MIN_WORDS <= (length := len(words.split())) <= MAX_LONG and _is_closed(words):
                is_prosaic = is_prose(words) and ": " not in words
                scope = _name_scope(place, words, with_last=not is_prosaic)
                # In a guideline, what comes after a first sentence may hold of what that one names alone.
                is_first = number == 0 or not place.section
                is_alone = is_own and is_first and is_prosaic and not has_back_reference(words)
                is_whole = is_alone and length <= MAX_WORDS and not _LEANING.search(words)
                yield Base(scope, words, at, is_whole, kinds=frozenset() if is_own and is_prosaic else NAMED_KINDS)


def _name_scope(place: Place, words: str, *, with_last: bool) -> str:
    """The headings that say of whom or what something is said, as far as the words and the title do not; the last one
    where asked."""
    parts, told = [part for part in place.section.split(" › ") if part], f"{place.title} {words}".casefold()
    kept = [
        part
        for number, part in enumerate(parts, 1)
        if (with_last and number == len(parts)) or any(name not in told for name in _list_subjects(part))
    ]
    return ": ".join(kept[-MAX_HEADINGS:])


def _list_subjects(words: str) -> set[str]:
    """Figures, drugs, conditions and classes of people that words name."""
    named = {one.words for one in find_drugs(words)} | {one.words for one in find_conditions(words)}
    named |= set(re.findall(r"\d[\d.]*", words))
    people = {match.group() for pattern in _load_classes() for match in pattern.finditer(words.casefold())}
    return {name.casefold() for name in named} | people


class LabelledCell(NamedTuple):
    """What a table, or a list of items with labels, says beside a label.

    group   which table and column, or which list: the kind of error that it is to take a neighbour's, and numbers
    """

    group: tuple[str, int, int]
    label: str
    column: str
    says: str


def _read_cells(text: str, blocks: Sequence[Block], position: int) -> Iterator[LabelledCell]:
    """Those of a row or an item. A head with a figure in it may be a row itself."""
    block = blocks[position]
    if block.kind == "item" and block.parent is None:
        label, _, says = text[slice(*block.span)].partition(": ")
        # What is a sentence by itself may be true beside any label.
        if _is_cell(label) and _is_cell(says):
            yield LabelledCell(("branch", 0, 0), label, "", says.rstrip("."))
    if block.kind == "row" and (head := _find_head(blocks, position)) != position:
        names, own = ([text[slice(*cell)] for cell in blocks[one].cells] for one in (head, position))
        for column in range(1, len(own)):
            name = "" if names[column] == NO_HEADER else names[column]
            if _is_cell(own[0]) and _is_cell(own[column]) and not re.search(r"\d", name):
                # "15-29" says nothing without the head of its column.
                label = own[0] if re.search(r"[A-Za-z]{3}", own[0]) else f"{names[0]} {own[0]}"
                yield LabelledCell(("row", head, column), label, name, own[column].rstrip("."))


def _find_head(blocks: Sequence[Block], position: int) -> int:
    """The first row of the table of a row: itself where it begins one."""
    parent = blocks[position].parent
    while parent is not None and blocks[parent].kind == "row":
        position, parent = parent, blocks[parent].parent
    return position


def _is_closed(words: str) -> bool:
    return (
        words.count("(") == words.count(")") and not _OPEN_END.search(words) and not re.search(r"[?\n]|https?:", words)
    )


def _is_cell(words: str) -> bool:
    is_short = 0 < len(words.split()) <= MAX_CELL_WORDS and any(letter.isalnum() for letter in words)
    return is_short and _is_closed(words) and not _LEANING.search(words)


def _differ(one: str, other: str) -> bool:
    """Whether two labels, or what is said beside them, cannot be the same: figures apart, or most of the words."""
    if any(
        a.unit == b.unit and a.low <= b.high and b.low <= a.high for a in find_ranges(one) for b in find_ranges(other)
    ):
        return False
    figures, others = (set(re.findall(r"\d+(?:\.\d+)?", words)) for words in (one, other))
    if figures and others:
        return not figures & others
    stems, other_stems = set(content_stems(one)), set(content_stems(other))
    is_like = len(stems & other_stems) > LIKENESS * min(len(stems), len(other_stems))
    return not is_like and one.casefold() != other.casefold()


# --- right ones ----------------------------------------------------------------------------------------------------


def repeat_base(base: Base) -> Control:
    """The words as they stand, or with signs and abbreviations written out."""
    words = base.words
    for pattern, replacement in _load_words()["reworded"]:
        words = pattern.sub(replacement, words)
    return base.build(words, "verbatim" if words == base.words else "reworded", is_right=True)


# --- altered ones --------------------------------------------------------------------------------------------------


class CallWords:
    """All words of a call, against which every alteration is held: what stands anywhere may be true of anything."""

    def __init__(self, places: Sequence[Place], question: str) -> None:
        parts = [part for one in places for part in (one.title, one.section, one.text)]
        self.words = "\n".join((question, *parts))
        self.folded = " ".join(self.words.casefold().split())

    @cached_property
    def ranges(self) -> list[QuantityRange]:
        return find_ranges(self.words)

    @cached_property
    def values(self) -> set[Decimal]:
        return {one.value for one in extract_quantities(self.words)}

    @cached_property
    def classes(self) -> frozenset[str]:
        """Of drugs, those that are named as classes, with the wider ones of all that is named."""
        named = (one for one in find_drugs(self.words))
        return frozenset(name for one in named for name in (one.classes - {one.own_class} if one.drug else one.classes))

    def has(self, words: str) -> bool:
        """Whether the words stand anywhere, or others of the same class of people or of routes."""
        alike = [pattern for pattern in _load_classes() if pattern.search(words.casefold())]
        plain = re.search(rf"(?<!\w){re.escape(words.casefold())}(?!\w)", self.folded)
        return bool(plain) or any(pattern.search(self.folded) for pattern in alike)

    def has_in_range(self, value: Decimal, unit: str) -> bool:
        """Whether a quantity is one that stands anywhere, in any unit, or lies in a range or beyond a bound."""
        for one in self.ranges:
            told = convert(float(value), unit, one.unit) if one.unit != unit else float(value)
            if told is not None and (one.has(told) or (one.is_value and abs(told - one.low) < NEAR * one.low)):
                return True
        return False


FULL = 100
"""Per cent that nothing exceeds."""

NEAR = 0.02
"""Share of a value that rounding explains."""

_INCLUSIVE = lazy_regex(
    r"\b(?:all|any|every|each|both|including|includes?|regardless|irrespective|either|whatever|also|even"
    r"|with or without)\b",
    re.IGNORECASE,
)
"""Where these stand, what is said holds of others than are named."""

_NEGATION = lazy_regex(
    r"\b(?:no|not|never|neither|nor|none|cannot|without|fail\w*|lack\w*|absen\w+|un(?:likely|necessary|clear|changed)"
    r"|contraindicat\w+|avoid\w*|against|rarely|only|unless|except|rather)\b|n't\b",
    re.IGNORECASE,
)


def alter_base(base: Base, shown: CallWords, chance: random.Random) -> Iterator[Control]:
    """Each way in which one thing of it can be altered, so that the passages do not say it."""
    found = [
        *base.siblings,
        *_alter_by_words(base.words, shown),
        *_negate(base.words),
        *_alter_quantities(base.words, shown, chance),
        *_exchange_names(base.words, shown, chance),
    ]
    for kind, words in found:
        is_said = len(words.split()) >= MIN_WORDS and " ".join(words.casefold().rstrip(".").split()) in shown.folded
        if not is_said and (not base.kinds or kind in base.kinds):
            yield base.build(words, kind, is_right=False)


def _alter_by_words(text: str, shown: CallWords) -> Iterator[tuple[str, str]]:
    """Words that turn a statement round, or make another of it, by the table; one of a kind, or it is not certain."""
    negations = len(_NEGATION.findall(text))
    is_inclusive = bool(_INCLUSIVE.search(text))
    for kind, exchanges in _load_words().items():
        found = [(match, replacement) for pattern, replacement in exchanges for match in pattern.finditer(text)]
        if kind == "reworded" or len(found) != 1:
            continue
        match, replacement = found[0]
        new = match.expand(replacement)
        altered = text[: match.start()] + (new.capitalize() if match.start() == 0 else new) + text[match.end() :]
        is_certain = {
            "negation": negations <= bool(_NEGATION.search(match.group())),
            "direction": not negations,
            "quantifier": not negations and not re.search(r"\b(?:may|might|could|can)\b", text),
            "bound": not is_inclusive and not negations and not _has_other_side(text, match, shown),
            "population": not is_inclusive and not shown.has(new.strip()),
            "route": not is_inclusive and not shown.has(new.strip()),
        }
        if is_certain.get(kind, True):
            yield kind, altered


def _has_other_side(text: str, match: re.Match[str], shown: CallWords) -> bool:
    """Whether a number is a bound on the other side, too, anywhere: what holds there may be the same."""
    number = re.match(r"\s*([\d.,]*\d)", text[match.end() :])
    bounds = [one for one in shown.ranges if number and number[1] in one.first.words]
    return number is None or len({one.first.side or "value" for one in bounds}) > 1


_MAIN_VERB = lazy_regex(r"\b(is|are|was|were|should|can|will|has|have)\b (?=(?P<next>[\w-]+))")
_SUBCLAUSE = lazy_regex(
    r"\b(?:that|which|who|whose|whom|if|when|while|although|though|because|whether|where|unless|until|than|as|since|once"
    r"|despite)\b|[,;:]",
    re.IGNORECASE,
)
_VAGUE = lazy_regex(
    r"\b(?:all|any|every|each|both|some|most|many|few|several|usually|often|sometimes|typically|generally|commonly|may"
    r"|might|could|either|possibl\w+|likely|probabl\w+|about|approximately|there|but|mainly|mostly|especially)\b",
    re.IGNORECASE,
)
"""Where these stand, it is not certain what a negation denies."""


def _negate(text: str) -> Iterator[tuple[str, str]]:
    """A plain assertion, or an order, denied."""
    if _NEGATION.search(text) or _VAGUE.search(text):
        return
    verb = _MAIN_VERB.search(text)
    if verb and not _SUBCLAUSE.search(text, 0, verb.start()):
        is_participle = verb["next"] in ("been", "shown") or verb["next"].endswith("ed")
        if verb[1] not in ("has", "have") or is_participle:
            yield "negation", f"{text[: verb.end(1)]} not{text[verb.end(1) :]}"
    first, _, rest = text.partition(" ")
    if first in IMPERATIVES and first not in ("Always", "Never", "Do", "Avoid") and ":" not in text:
        yield "negation", f"Do not {first.lower()} {rest}"


# --- quantities ---

_FACTORS = (Decimal(2), Decimal("0.5"), Decimal(3), Decimal("1.5"), Decimal("0.25"), Decimal(5))

_OTHER_UNITS = {
    "mg": "g", "g": "mg", "mcg": "mg", "µg": "mg", "hours": "days", "hour": "day", "days": "weeks", "day": "week",
    "weeks": "months", "week": "month", "months": "years", "month": "year", "years": "months", "minutes": "hours",
}  # fmt: skip

_PRINTED = lazy_regex(
    r"(?P<number>\d+(?:[.·]\d+)?)(?:(?P<gap>\s?(?:-|–|to)\s?)(?P<high>\d+(?:[.·]\d+)?))?(?P<space>[ -]?)"
    r"(?P<unit>%|[a-zA-Zµ]+)(?P<rest>(?:/[\wµ.]+)*)"
)
_PART_OF_FIGURE = lazy_regex(r"(?:\w|\d[./–·(-])$")
_STATISTIC = lazy_regex(
    r"(?:CI|[=≈±<>≤≥]|\b[pPnN]|ratio|than|least|most|to|over|above|below|under|within|exceeding|up)\W*$"
)
_STATISTIC_BEHIND = lazy_regex(r"\s*(?:CI\b|confidence|or (?:more|less|older|above|below)|and (?:older|above)|\+)|[-/]")


def _alter_quantities(text: str, shown: CallWords, chance: random.Random) -> Iterator[tuple[str, str]]:
    """A figure with a unit, or a range, that is another one; or the same figure in a unit that makes it another."""
    for match in _PRINTED.finditer(text):
        first, last = match["number"], match["high"] or match["number"]
        before, behind = text[: match.start()], text[match.end() :]
        if _PART_OF_FIGURE.search(before) or _STATISTIC.search(before) or _STATISTIC_BEHIND.match(behind):
            continue
        known = [one for one in find_ranges(match.group()) if one.unit]
        if len(known) != 1 or known[0].first.comparator or re.fullmatch(r"0\d*", first):
            continue
        for factor in chance.sample(_FACTORS, len(_FACTORS)):
            low, high = (_multiply(one, factor) for one in (first, last))
            if low and high and _is_other(low, high, match, known[0].unit, shown):
                printed = f"{low}{match['gap']}{high}" if match["high"] else low
                yield "figure", f"{before}{printed}{text[match.start('space') :]}"
                break
        other = _OTHER_UNITS.get(match["unit"], "")
        read = extract_quantities(f"{first} {other}{match['rest']}")
        if other and read and not shown.has_in_range(read[0].value, read[0].unit):
            yield "unit", f"{text[: match.start('unit')]}{other}{text[match.end('unit') :]}"


def _is_other(low: str, high: str, match: re.Match[str], unit: str, shown: CallWords) -> bool:
    """Whether a value, or range, lies apart from the one that is printed, and is nobody's."""
    first, last = parse_digits(match["number"]), parse_digits(match["high"] or match["number"])
    if not (parse_digits(high) < first or parse_digits(low) > last) or (unit == "%" and parse_digits(high) >= FULL):
        return False
    values = [parse_digits(one) for one in (low, high)]
    return not any(one in shown.values or shown.has_in_range(one, unit) for one in values)


def _multiply(number: str, factor: Decimal) -> str:
    """The product as it would be printed; "" where it has more digits than such figures have."""
    value = parse_digits(number) * factor
    digits = f"{value.normalize():f}"
    places = len(digits.partition(".")[2])
    return digits if value and places <= len(number.replace("·", ".").partition(".")[2]) + (value < 10) else ""


# --- names ---

_UNRELATED_DRUGS = ("amiodarone", "carbamazepine", "digoxin", "furosemide", "levothyroxine", "metformin", "omeprazole")
_UNRELATED_CONDITIONS = ("asthma", "endometriosis", "epilepsy", "glaucoma", "hypothyroidism", "migraine", "psoriasis")
"""Some of these are what no source of a call speaks of."""

_DENIAL = lazy_regex(r"\b(?:no|not|never|without|cannot|none|nor|neither)\b|n't\b", re.IGNORECASE)
_JOINED_BEHIND = lazy_regex(r" ?[(/+-]|,? (?:and|or|plus) | stage|, ")


def _exchange_names(text: str, shown: CallWords, chance: random.Random) -> Iterator[tuple[str, str]]:
    """A drug, or a condition, for another one of which nobody speaks."""
    # What is denied of one may be true of any other.
    if _DENIAL.search(text):
        return
    drugs = [("drug", one.words, one.start, _list_other_drugs(one, shown)) for one in find_drugs(text) if one.drug]
    others = [name for name in _UNRELATED_CONDITIONS if name not in shown.folded]
    found = [] if _INCLUSIVE.search(text) else find_conditions(text)
    for kind, words, start, names in (*drugs, *(("condition", one.words, one.start, others) for one in found)):
        before, behind = text[:start], text[start + len(words) :]
        is_part = before[-1:] in ("/", "-", "+", "(") or _JOINED_BEHIND.match(behind)
        if names and not is_part and text.casefold().count(words.casefold()) == 1:
            new = chance.choice(names)
            yield kind, f"{before}{new.capitalize() if words[0].isupper() else new}{behind}"


def _list_other_drugs(drug: DrugMention, shown: CallWords) -> list[str]:
    """Those of its class that nobody names, nor the class; else such as no class that is named has."""
    alike = () if drug.classes & shown.classes else list_class_members(drug.own_class)
    for names in (alike, _UNRELATED_DRUGS):
        unknown = [name for name in names if name not in shown.folded]
        classes = {name: frozenset[str]().union(*(one.classes for one in find_drugs(name))) for name in unknown}
        if found := [name for name in unknown if not classes[name] & shown.classes]:
            return found
    return []


@cache
def _load_words() -> dict[str, list[tuple[re.Pattern[str], str]]]:
    """Kind → what is exchanged for what, by `control_words.tsv`, in which "_" is a blank."""
    found: dict[str, list[tuple[re.Pattern[str], str]]] = {}
    for kind, expression, replacement in read_rows("wellsourced.controls", "control_words.tsv"):
        found.setdefault(kind, []).append((re.compile(expression), replacement.replace("_", " ")))
    return found


@cache
def _load_classes() -> list[re.Pattern[str]]:
    """The words of each class of people and of routes."""
    rows = read_alternatives("wellsourced.medicine", "doses.tsv")
    return [re.compile(rf"\b(?:{words})(?!\w)") for words in rows.values()]


def has_kind(kind: str, claim: str, texts: Sequence[str]) -> bool:
    """Whether an error of this kind could stand in a claim about these texts."""
    if kind in ("row", "branch"):
        return any(block.kind in ("row", "item") for text in texts for block in find_blocks(text))
    found: dict[str, Callable[[], object]] = {
        "figure": lambda: re.search(r"\d", claim),
        "unit": lambda: any(one.unit for one in extract_quantities(claim)),
        "drug": lambda: find_drugs(claim),
        "condition": lambda: find_conditions(claim),
        "negation": lambda: True,
    }
    by_words = any(pattern.search(claim) for pattern, _ in _load_words().get(kind, ()))
    return by_words or bool(found.get(kind, bool)())
