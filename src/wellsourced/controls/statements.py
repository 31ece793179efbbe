"""Statements whose right verdict is known, put among those that a language model judges, in the same call: who calls a
planted error right, or refuses what the passages say, has not read them, and the verdicts of that call do not count.

Where many people annotate, such items are known as gold questions (Downs and others, CHI 2010); programmatic gold makes
them by rule from right data, with errors of known kinds, as here (Oleson and others, AAAI workshop on human
computation, 2011). A small change that makes another label of an input is a contrast set (Gardner and others, Findings
of EMNLP 2020).

    the passages of a call → sentences and cells that stand alone → one or two as they are, and one or two with one
    thing altered, of which it is proven that the passages do not say it

Where nothing can be altered with proof, there are none. The same passages give the same controls.
"""

import random
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cache, cached_property, lru_cache
from hashlib import sha256
from itertools import islice
from typing import NamedTuple

from wellsourced.lazy import lazy_regex
from wellsourced.medicine.drugs import find_drugs
from wellsourced.medicine.quantities import QuantityRange, extract_quantities, find_ranges, parse_digits
from wellsourced.medicine.units import convert
from wellsourced.text.blocks import NO_HEADER, Block, ancestors, find_blocks
from wellsourced.text.languages import detect_language
from wellsourced.text.lexicon import IMPERATIVES
from wellsourced.text.sentences import CELL_SEPARATOR, has_back_reference, is_prose, split_sentences
from wellsourced.text.tables import read_alternatives, read_rows
from wellsourced.text.tokens import content_stems
from wellsourced.types import short_key

MAX_SHARE = 0.15
"""Of the characters of a call that more than two controls may take."""

REPLY_CHARS = 260
"""Characters that a verdict takes in a reply beside the words that it copies, and a claim beside its text."""

MAX_BASES = 40
"""Sentences and cells of a call that are looked at; of a long article some."""

MIN_WORDS, MAX_WORDS, MAX_LONG = 7, 40, 60
"""Words of a sentence that can be understood and is cheap; of one that is altered."""

MAX_CELL_WORDS, MAX_VALUE_WORDS = 12, 2
"""Words of a cell, and of a label; of a cell without a figure that is a value, and no sentence."""

MAX_LABEL_WORDS = 10
"""Words of a line above a list that is its title, and no sentence."""

MAX_SIBLINGS = 12
"""Cells of other rows that one may be exchanged for: a table may have hundreds."""

MAX_HEADINGS = 2
"""Headings that a statement is given."""

NAMED_KINDS = frozenset({"figure", "drug", "route", "population", "strength", "row"})
"""Errors that no line above can make true."""

RIGHT = "right"
"""What is altered of a statement that stands as it is."""


class Place(NamedTuple):
    """What a call shows of one source: its words, and the titles that they stand under."""

    text: str
    title: str = ""
    section: str = ""


class Control(NamedTuple):
    """A statement whose verdict is known.

    kind       what was altered: "figure", "negation" …; RIGHT where nothing was
    place      position of the place that it is made from
    base       the words that it is made from
    """

    text: str
    kind: str
    place: int
    base: str

    @property
    def is_right(self) -> bool:
        """Whether the place says it."""
        return self.kind == RIGHT

    @property
    def key(self) -> str:
        """As claims have it."""
        return short_key(self.text)


class Base(NamedTuple):
    """Words of a place that say something by themselves, or behind the headings and labels that they stand under.

    is_whole   whether it can be understood alone, and may be repeated
    is_own     whether it hangs on no line above; else only NAMED_KINDS of it may be altered
    siblings   of a cell: those of its column that belong to other labels
    """

    lead: str
    words: str
    place: int
    is_whole: bool = True
    is_own: bool = True
    siblings: tuple[str, ...] = ()

    def say(self, words: str) -> str:
        """A statement of these words in place of its own."""
        return f"{self.lead}: {words.rstrip('.')}." if self.lead else words


def make_controls(
    claims: Sequence[str], places: Sequence[Place], question: str = "", call_chars: int = 0
) -> tuple[Control, ...]:
    """One altered and one right; a second altered one, then a second right one, as long as they take MAX_SHARE.

    claims      what the call judges: no control says the same
    call_chars  characters of the call without controls, its reply accounted for by the claims
    """
    shown = CallWords(places, question)
    if not shown.words.strip() or detect_language(shown.words[:2_000]) != "en":
        return ()
    seed = sha256("\n".join((question, *(one.text for one in places))).encode(errors="replace")).digest()
    chance = random.Random(seed)  # noqa: S311 - reproducible, and no secret
    every = {base.say(base.words): base for at, place in enumerate(places) for base in list_bases(place, at)}
    bases = sorted(chance.sample(list(every.values()), len(every)), key=lambda one: not one.is_whole)[:MAX_BASES]
    right = [Control(one.say(one.words), RIGHT, one.place, one.words) for one in bases if one.is_whole]
    altered = [control for base in bases for control in alter_base(base, shown, chance)]
    pools = {True: _shuffle_short(right, chance), False: _choose_kinds(altered, chance)}
    taken = {" ".join(one.split()).casefold() for one in claims}
    total = call_chars + sum(len(one) + REPLY_CHARS for one in claims)
    made: list[Control] = []
    for is_right in (False, True, False, True):
        used = {one.base for one in made}
        fresh = (one for one in pools[is_right] if one.base not in used and one.text.casefold() not in taken)
        control = next((one for one in fresh if is_right or one.kind not in {two.kind for two in made}), None)
        if control is None:
            # Without an altered one, nothing tells who says yes to everything.
            if not made:
                return ()
            continue
        cost = sum(2 * len(one.text) + REPLY_CHARS for one in (*made, control))
        if len(made) > 1 and cost > MAX_SHARE * (total + cost):
            break
        made.append(control)
    chance.shuffle(made)
    return tuple(made)


def _shuffle_short(controls: Sequence[Control], chance: random.Random) -> list[Control]:
    """The shorter half, in any order: a control costs what it has words."""
    short = sorted(controls, key=lambda one: len(one.text))[: (len(controls) + 1) // 2]
    return chance.sample(short, len(short))


def _choose_kinds(altered: Sequence[Control], chance: random.Random) -> list[Control]:
    """Some of each kind, the kinds in any order: figures are in most sentences, and the others would not have their
    turn."""
    piles: dict[str, list[Control]] = {}
    for one in altered:
        piles.setdefault(one.kind, []).append(one)
    kinds = sorted(piles)
    return [one for kind in chance.sample(kinds, len(kinds)) for one in _shuffle_short(piles[kind], chance)]


# --- what stands alone ---------------------------------------------------------------------------------------------

_LEANING = lazy_regex(
    r"\b(?:this|these|those|such|former|latter|respectively|we|our|us|here|herein|aforementioned|following)\b"
    r"|^(?-i:(?:[A-Z]{6,}|Conclusions? and Relevance|Importance) (?=[A-Z][a-z]))"
    r"|\b(?:see|figures?|fig|tables?|et al|above|below)\b(?! \d)|\[\d|\bas (?:above|below|described)\b|\?|https?:",
    re.IGNORECASE,
)
"""What means nothing, or something else, without the words around it."""

_BROKEN = lazy_regex(r"(?:[:,;(]|\b(?:and|or|OR|AND|as|with|of))$|[?\n]|https?:")
"""What is no sentence, or a part of one."""


def list_bases(place: Place, at: int = 0) -> Iterator[Base]:
    """The sentences of a place; its cells, each under its heading, beside those of its column."""
    blocks = find_blocks(place.text)
    yield from _list_cells(place, at, blocks)
    for block in blocks:
        for number, (start, end) in enumerate(split_sentences(place.text, *block.span) if block.kind != "row" else ()):
            words = place.text[start:end]
            if MIN_WORDS <= (length := len(words.split())) <= MAX_LONG and _is_closed(words):
                # What hangs on a line above it means what that line says: "Avoid:", "administered as".
                is_own = block.parent is None and block.kind != "step" and is_prose(words) and ": " not in words
                # In a guideline, what comes after a first sentence may hold of what that one names alone.
                is_alone = is_own and (number == 0 or not place.section) and not has_back_reference(words)
                is_whole = is_alone and length <= MAX_WORDS and not _LEANING.search(words)
                # An item may hold under the line above its list alone: "4. Advanced CKD".
                label = _label_list(place.text, start) if block.kind == "item" else ""
                is_title = len(label.split()) <= MAX_LABEL_WORDS
                is_new = is_title and label.casefold() not in place.section.casefold()
                lead = ": ".join(filter(None, (_name_scope(place, words), label if is_new else "")))
                yield Base(lead, words, at, is_whole and is_title, is_own)


_ITEM_SIGN = lazy_regex(r"\s*(?:(?P<bullet>[-*•])|\(?(?:\d{1,2}|[a-z])[.)])\s+")


def _label_list(text: str, start: int) -> str:
    """The line above the list that an item is in, without marks; "" where there is none."""
    *above, own = text[:start].split("\n")
    is_bullet = bool((sign := _ITEM_SIGN.match(own)) and sign["bullet"])
    for line in reversed(above):
        sign = _ITEM_SIGN.match(line)
        # A row of a table introduces nothing.
        if CELL_SEPARATOR in line:
            return ""
        # A numbered line above bullets is their title.
        if line.strip() and not (sign and (sign["bullet"] or not is_bullet)):
            return line[sign.end() if sign else 0 :].strip("#*:. ")
    return ""


def _name_scope(place: Place, words: str) -> str:
    """The headings that say of whom or what something is said, as far as the words and the title do not."""
    told = f"{place.title} {words}".casefold()
    parts = [part for part in place.section.split(" › ") if part and part.casefold() not in told]
    return ": ".join(parts[-MAX_HEADINGS:])


def _list_cells(place: Place, at: int, blocks: Sequence[Block]) -> Iterator[Base]:
    """The cells of tables, each behind the label of its row. A head with a figure in it may be a row itself."""
    columns: dict[tuple[int, int], list[tuple[str, str, str]]] = {}
    for position, block in enumerate(blocks):
        head = next((one for one in reversed([*ancestors(blocks, position)]) if blocks[one].kind == "row"), None)
        if block.kind != "row" or head is None:
            continue
        names, own = ([place.text[slice(*cell)] for cell in blocks[one].cells] for one in (head, position))
        for column in range(1, len(own)):
            name = "" if names[column] == NO_HEADER else names[column]
            if _is_cell(own[0]) and _is_cell(own[column]) and not any(map(str.isdecimal, name)):
                # "15-29" says nothing without the head of its column.
                label = own[0] if re.search(r"[A-Za-z]{3}", own[0]) else f"{names[0]} {own[0]}"
                columns.setdefault((head, column), []).append((label, name, own[column].rstrip(".")))
    for (head, _), cells in columns.items():
        # What another column says may be the condition: "< 8 hours" of a dose.
        is_pair = len(blocks[head].cells) == 2
        labels = [label.casefold() for label, _, _ in cells]
        # The line above a table may say of whom it holds: "Adults".
        above = place.text[: blocks[head].span.start].rstrip().rpartition("\n")[2]
        title = "" if CELL_SEPARATOR in above or above.endswith(".") else above.strip("#*:- ")
        is_title = len(title.split()) <= MAX_LABEL_WORDS
        title = title if is_title and title.casefold() not in place.section.casefold() else ""
        for label, name, says in cells:
            # Of two rows of one name nobody can say which is meant.
            if labels.count(label.casefold()) == 1:
                lead = ": ".join(filter(None, (_name_scope(place, f"{label} {says}"), title, label, name)))
                others = (other for row, _, other in cells if _differ(label, row) and _differ(says, other))
                # A longer cell may be what is done under a condition that stands in another column.
                has_figure = any(map(str.isdecimal, says))
                is_value = is_pair and is_title and (has_figure or len(says.split()) <= MAX_VALUE_WORDS)
                yield Base(
                    lead, says, at, is_whole=is_value, siblings=tuple(islice(filter(_is_telling, others), MAX_SIBLINGS))
                )


def _is_closed(words: str) -> bool:
    return words.count("(") == words.count(")") and not _BROKEN.search(words)


def _is_cell(words: str) -> bool:
    is_short = 0 < len(words.split()) <= MAX_CELL_WORDS and any(letter.isalnum() for letter in words)
    return is_short and _is_closed(words) and not _LEANING.search(words)


def _is_telling(words: str) -> bool:
    """Whether a cell names a figure or a drug, which is not so of two rows at once."""
    return any(map(str.isdecimal, words)) or bool(find_drugs(words))


@lru_cache(maxsize=2_000)
def _read_ranges(words: str) -> tuple[QuantityRange, ...]:
    # Each cell of a column is compared with every other one.
    return tuple(find_ranges(words))


def _differ(one: str, other: str) -> bool:
    """Whether two labels, or what is said beside them, cannot be the same: figures apart, or all of the words."""
    ranges = [(a, b) for a in _read_ranges(one) for b in _read_ranges(other) if a.unit == b.unit]
    if any(a.low <= b.high and b.low <= a.high for a, b in ranges):
        return False
    figures, others = (set(re.findall(r"\d+(?:\.\d+)?", words)) for words in (one, other))
    if figures and others:
        return not figures & others
    return not set(content_stems(one)) & set(content_stems(other))


# --- what is altered -----------------------------------------------------------------------------------------------


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
    def other_drugs(self) -> list[str]:
        """Drugs that have no class in common with any that is named."""
        classes = {own for one in find_drugs(self.words) for own in one.classes}
        return [name for name in UNRELATED_DRUGS if not any(one.classes & classes for one in find_drugs(name))]

    def has(self, words: str) -> bool:
        """Whether the words stand anywhere, or others of the same class of people or of routes."""
        alike = [pattern for pattern in _load_classes() if pattern.search(words.casefold())]
        plain = re.search(rf"(?<!\w){re.escape(words.casefold())}(?!\w)", self.folded)
        return bool(plain) or any(pattern.search(self.folded) for pattern in alike)

    def has_value(self, value: Decimal, unit: str) -> bool:
        """Whether a quantity is one that stands anywhere, in any unit, or lies in a range or beyond a bound."""
        for one in self.ranges:
            told = convert(float(value), unit, one.unit) if one.unit != unit else float(value)
            if told is not None and (one.has(told) or (one.is_value and abs(told - one.low) < NEAR * one.low)):
                return True
        return value in self.values


FULL = 100
"""Per cent that nothing exceeds."""

NEAR = 0.02
"""Share of a value that rounding explains."""

UNRELATED_DRUGS = ("amiodarone", "carbamazepine", "digoxin", "furosemide", "levothyroxine", "metformin", "omeprazole")
"""Some of these are what no source of a call speaks of."""

_INCLUSIVE = lazy_regex(
    r"\b(?:all|any|every|each|both|including|includes?|regardless|irrespective|either|whatever|also|even"
    r"|with or without)\b",
    re.IGNORECASE,
)
"""Where these stand, what is said holds of others than are named."""

_NEGATION = lazy_regex(
    r"\b(?:no|not|nothing|nobody|never|neither|nor|none|cannot|without|fail\w*|lack\w*|absen\w+|un(?:likely|necessary|clear|changed)"
    r"|contraindicat\w+|avoid\w*|against|rarely|only|unless|except|rather)\b|n't\b",
    re.IGNORECASE,
)


_DENIED = lazy_regex(
    r"\b(?:no|not|without|nor|neither|except|excluding|rather than) \Z|\b(?:against|avoid\w*|not recommend\w*)\b",
    re.IGNORECASE,
)
_ARTICLE = lazy_regex(r"\ban? \Z")


def alter_base(base: Base, shown: CallWords, chance: random.Random) -> Iterator[Control]:
    """Each way in which one thing of it can be altered, so that the passages do not say it."""
    found = [
        *(("row", words) for words in base.siblings),
        *_alter_by_words(base.words, shown),
        *_negate(base.words),
        *_alter_figures(base.words, shown, chance),
        *_exchange_drugs(base.words, shown, chance),
    ]
    for kind, words in found:
        is_said = len(words.split()) >= MIN_WORDS and " ".join(words.casefold().rstrip(".").split()) in shown.folded
        if not is_said and (base.is_own or kind in NAMED_KINDS):
            yield Control(base.say(words), kind, base.place, base.words)


def _alter_by_words(text: str, shown: CallWords) -> Iterator[tuple[str, str]]:
    """Words that turn a statement round, or make another of it, by the table; one of a kind, or it is not certain."""
    negations = len(_NEGATION.findall(text))
    is_inclusive = bool(_INCLUSIVE.search(text))
    for kind, exchanges in _load_words().items():
        found = [(match, replacement) for pattern, replacement in exchanges for match in pattern.finditer(text)]
        # "Conditionally recommended (conditional, low certainty)" says it twice, and strongly in one place is wrong.
        if not found or (len(found) > 1 and kind != "strength"):
            continue
        match, replacement = found[0]
        new = match.expand(replacement)
        figure = re.match(r"\s*[\d.,]*\d", text[match.end() :])
        is_certain = {
            "negation": negations <= bool(_NEGATION.search(match.group())),
            "direction": not negations,
            "quantifier": not negations and not re.search(r"\b(?:may|might|could|can)\b", text),
            # A number may be a bound on the other side, too, somewhere else: what holds there may be the same.
            "bound": not (is_inclusive or negations) and bool(figure and shown.folded.count(figure[0].strip()) == 1),
            # What is denied of one may be true of another: "no severe pain", "against it in adults", "no IV potassium".
            "population": not (is_inclusive or _DENIED.search(text[: match.start()])) and not shown.has(new.strip()),
            "route": not (is_inclusive or negations) and not shown.has(new.strip()),
        }
        if is_certain.get(kind, True):
            before = _ARTICLE.sub("an " if new[0] in "aeiou" else "a ", text[: match.start()])
            yield kind, before + (new.capitalize() if match.start() == 0 else new) + text[match.end() :]


_MAIN_VERB = lazy_regex(r"\b(is|are|was|were|should|can|will|has|have)\b (?!to |also )(?=(?P<next>[\w-]+))")
_MODAL = lazy_regex(r"\b(?:should|must|may|can|is|are|was|were)\b")
"""What makes a noun of the first word: "Transition to oral drugs should occur"."""

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
    is_order = first in IMPERATIVES and first not in ("Always", "Never", "Do", "Avoid") and ":" not in text
    if is_order and not _MODAL.search(rest):
        yield "negation", f"Do not {first.lower()} {rest}"


_CHANGE = lazy_regex(
    r"\b(?:increas|decreas|reduc|rais|lower|titrat|doubl|halv)\w*[^.;]*?\d[^.;]*? to \d", re.IGNORECASE
)

_FACTORS = (Decimal(2), Decimal("0.5"), Decimal(3), Decimal("1.5"), Decimal("0.25"), Decimal(5))

_PRINTED = lazy_regex(
    r"(?P<number>\d+(?:[.·]\d+)?)(?:(?P<gap>\s?(?:-|–|to)\s?)(?P<high>\d+(?:[.·]\d+)?))?(?P<space>[ -]?)"
    r"(?P<unit>%|[a-zA-Zµ]+)(?P<rest>(?:/[\wµ.]+)*)"
)
_PART_OF_FIGURE = lazy_regex(
    r"(?:\w|\d[./–·(-]|[A-Z]-)$|(?:CI|[=≈±<>≤≥]|\b[pPnN]|ratio|than|least|most|to|over|above|below|under|within|exceeding|up)"
    r"\W*$"
)
_PART_OF_FIGURE_BEHIND = lazy_regex(
    r"\s*(?:CI\b|confidence|or (?:more|less|older|above|below)|and (?:older|above)|\+)|[-/]"
)
"""Beside these a number is a statistic, or a bound, of which another one may be true as well."""


def _alter_figures(text: str, shown: CallWords, chance: random.Random) -> Iterator[tuple[str, str]]:
    """A figure with a unit, or a range, that is another one, which stands nowhere. Of a change from one to another,
    each would give the other away."""
    for match in _PRINTED.finditer(text) if not _CHANGE.search(text) else ():
        before, behind = text[: match.start()], text[match.end() :]
        if _PART_OF_FIGURE.search(before) or _PART_OF_FIGURE_BEHIND.match(behind):
            continue
        known = [one for one in find_ranges(match.group()) if one.unit]
        if len(known) != 1 or known[0].first.comparator or (match["number"][0] == "0" and match["number"].isdecimal()):
            continue
        first, last = match["number"], match["high"] or match["number"]
        for factor in chance.sample(_FACTORS, len(_FACTORS)):
            low, high = (_multiply(one, factor) for one in (first, last))
            if not low or not high or (known[0].unit == "%" and parse_digits(high) >= FULL):
                continue
            is_apart = parse_digits(high) < parse_digits(first) or parse_digits(low) > parse_digits(last)
            if is_apart and not any(shown.has_value(parse_digits(one), known[0].unit) for one in (low, high)):
                printed = f"{low}{match['gap']}{high}" if match["high"] else low
                yield "figure", f"{before}{printed}{text[match.start('space') :]}"
                break


def _multiply(number: str, factor: Decimal) -> str:
    """The product as it would be printed; "" where it has more digits than such figures have."""
    value = parse_digits(number) * factor
    digits = f"{value.normalize():f}"
    places = len(digits.partition(".")[2])
    return digits if value and places <= len(number.replace("·", ".").partition(".")[2]) + (value < 10) else ""


_JOINED_BEHIND = lazy_regex(r" ?[(/+-]|,? (?:and|or|plus) | stage|, ")


def _exchange_drugs(text: str, shown: CallWords, chance: random.Random) -> Iterator[tuple[str, str]]:
    """A drug for another one, of which nobody speaks."""
    # What is denied of one may be true of any other.
    for drug in find_drugs(text) if shown.other_drugs and not _NEGATION.search(text) else ():
        before, behind = text[: drug.start], text[drug.start + len(drug.words) :]
        is_part = before[-1:] in ("/", "-", "+", "(") or _JOINED_BEHIND.match(behind)
        if drug.drug and not is_part and text.casefold().count(drug.words.casefold()) == 1:
            new = chance.choice(shown.other_drugs)
            yield "drug", f"{before}{new.capitalize() if drug.words[0].isupper() else new}{behind}"


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
