"""A text as terms that can be compared: what is the same in two spellings, or in two units, is told by one key."""

import math
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from wellsourced.compare.words import POSITIVE_FORMS, find_direction, is_population_word, stem
from wellsourced.medicine.drugs import known_drug_words
from wellsourced.medicine.name_forms import is_abbreviation_of, is_entity_name, is_symbol
from wellsourced.medicine.quantities import parse_digits
from wellsourced.medicine.units import CANONICAL_UNITS, convert
from wellsourced.medicine.word_forms import known_abbreviations
from wellsourced.text.lexicon import NUMBER_WORDS, TENS
from wellsourced.text.tables import read_rows
from wellsourced.text.typography import BOUND_SIGN, normalize_bound_sign

TermClass = Literal[
    "figure", "unit", "comparator", "approximation", "negation", "condition", "quantity word", "certainty",
    "direction", "name", "word", "light word",
]  # fmt: skip

MAX_TERMS = 240
"""Of one text that are compared: a bound for hostile texts."""

_MAX_PHRASE_WORDS = 6
_MAX_ABBREVIATED_WORDS = 8
_MAX_ABBREVIATED_TEXT = 10_000
"""Words of a text whose own abbreviations are read."""


class Term(NamedTuple):
    """A word, a number, a sign or a fixed phrase of a text, at its place.

    key     what it is compared by; two terms with one key say the same
    clause  how many commas, brackets and the like stand before it
    depth   how many brackets are open around it
    """

    key: str
    kind: TermClass
    start: int
    end: int
    clause: int
    depth: int


class _Piece(NamedTuple):
    """A word as printed, in lower case where it is no abbreviation."""

    word: str
    printed: str
    start: int
    end: int
    clause: int
    depth: int


_TOKEN = re.compile(
    r"(?P<digits>(?:(?<![\w)%\]–-])[-−](?=[\d.]))?"
    r"(?:\d{1,3}(?:,\d{3})+(?!\d)(?:[.·]\d+)?|\d+(?:[.·]\d+)?|(?<![\w.])[.·]\d+)|⁻?[⁰¹²³⁴-⁹]+)"
    rf"|(?P<bound>{BOUND_SIGN})"
    r"|(?P<word>[^\W\d_](?:\*\*(?=[a-z]))?[^\W_⁰¹²³⁴-⁹]*(?:['’][^\W\d_]{1,2}(?![^\W_]))?)"
    r"|(?P<sign>=<|=>|[≤≥=~≈%°])"
    r"|(?P<per>/)|(?P<open>[(\[])|(?P<close>[)\]])|(?P<mark>[,;:.|?!\n→•]|-{1,2}>|--)"
)
_PREFIXED = re.compile(
    r"(?:non|anti|pre|post|hyper|hypo|under|over|re|co|sub|inter|intra|multi|semi|peri|brady|tachy|on|off)"
)
_NON = re.compile(r"non-?(?=[a-z]{4})")
_NOT_NON = frozenset({"nonetheless", "nonsense", "nonsteroidal"})
_NOT_UNITS = frozenset({"HR", "H", "M", "S", "D", "G", "L"})
_NOT_DIRECTIONS = frozenset(
    {"sensitive", "sensitivity", "resistant", "resistance", "loss", "losses", "benefit", "benefits"}
)
_LOOSE_PREFIX = re.compile(r"pre|post|over|under")
_TURNED_WORD = re.compile(
    r"\A(?:pre|post|over|under)(?:estim|dos|weight|treat|diagnos|operat|menopaus|prandial|natal|partum|load|expos|hydrat"
    r"|nutri|nourish|interven|test|transplant|procedur|surg|ductal|synap|ganglion|menstru|puberta|coital|report|correct)"
)
"""Words that their prefix turns round: "overestimate" and "underestimate"; not "undergo" or "prevent"."""

_ANSWER = re.compile(r"\W*(?:yes|no|maybe)\s?[,:;.–—-]", re.IGNORECASE)
_ROMAN_NUMERALS = {"II": "2", "III": "3", "VI": "6", "VII": "7", "VIII": "8", "IX": "9"}
_SPELLING = re.compile(r"ae|oe|is(?=(?:e|ed|es|ing|ation|ations)\Z)|ys(?=(?:e|ed|es|ing)\Z)|our(?=s?\Z|ed\Z|al)|ph")
_SPELLED = {"ae": "e", "oe": "e", "is": "iz", "ys": "yz", "our": "or", "ph": "f"}


def read_terms(
    text: str, abbreviations: "Abbreviations | None" = None, spelled: frozenset[str] = frozenset()
) -> list[Term]:
    """The terms of a text, in order, at most MAX_TERMS; articles and other words that say nothing are left out.

    `spelled` are keys of abbreviations whose long form is read word by word.

    So are "Yes,", "No:" and "Maybe:" at its beginning, which answer a question.
    """
    pieces = _read_pieces(text)
    if _ANSWER.match(text):
        pieces = pieces[1:]
    short = abbreviations or {}
    found: list[Term] = []
    at = 0
    while at < len(pieces) and len(found) < MAX_TERMS:
        count, key, kind = _match_phrase(pieces, at, short, spelled)
        first, last = pieces[at], pieces[at + count - 1]
        if key:
            _append_term(found, Term(key, kind, first.start, last.end, first.clause, first.depth))
        elif not count or kind == "word":
            for term in _build_terms(first):
                _append_term(found, term)
        at += max(count, 1)
    return _hoist_bounds(_join_ranges(text, found))


def _append_term(found: list[Term], term: Term) -> None:
    """Add a term; an abbreviation in brackets behind its own words is the same term."""
    if found and found[-1].key == term.key and term.depth > found[-1].depth and term.kind in ("word", "name"):
        found[-1] = found[-1]._replace(end=term.end)
    else:
        found.append(term)


_RANGE = re.compile(r"\s?(?:[-–—−‐‑]{1,2}|to)\s?")
_RANGE_AND = re.compile(r"\s?and\s?")


def _join_ranges(text: str, terms: Sequence[Term]) -> list[Term]:
    """ "24-48", "24 to 48" and "between 24 and 48" as one figure; not "from 24 to 48", which may be a change."""
    found: list[Term] = []
    for term in terms:
        before = found[-1] if found else None
        if before and before.key[0] == term.key[0] == "#" and "-" not in before.key[1:]:
            gap, ahead = text[before.end : term.start], text[max(0, before.start - 8) : before.start].lower()
            joins = _RANGE.fullmatch(gap) and not (gap.strip() == "to" and ahead.endswith("from "))
            if joins or (_RANGE_AND.fullmatch(gap) and ahead.endswith("between ")):
                found[-1] = before._replace(key=f"{before.key}-{term.key[1:].removeprefix('-')}", end=term.end)
                continue
        found.append(term)
    return found


def _hoist_bounds(terms: Sequence[Term]) -> list[Term]:
    """ "two or more" as "at least two": a bound behind its number stands before it, or is dropped beside "≥"."""
    found: list[Term] = []
    for at, term in enumerate(terms):
        bounded = term.key in ("≥", "≤") and not (at + 1 < len(terms) and terms[at + 1].kind == "figure")
        place = len(found)
        while bounded and place and found[place - 1].kind in ("unit", "figure") and len(found) - place < 3:
            place -= 1
        if place == len(found) or not (place and found[place - 1].kind == "comparator"):
            found.insert(place, term)
    return found


def _read_pieces(text: str, limit: int = 3 * MAX_TERMS) -> list[_Piece]:
    found: list[_Piece] = []
    clause = depth = 0
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "mark":
            clause += 1
        elif kind == "open":
            clause, depth = clause + 1, depth + 1
        elif kind == "close":
            clause, depth = clause + 1, max(0, depth - 1)
        else:
            found.append(_build_piece(match, clause, depth))
            if len(found) > limit:
                break
    return _join_prefixes(text, found)


_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def normalize_number(digits: str) -> str:
    """ "1,000" is 1000, ".05" is 0.05, "8.0" is 8, "⁹" is 9: a power may be printed raised or behind "^"."""
    plain = digits.translate(_RAISED).replace("−", "-")
    return f"{'-' * plain.startswith('-')}{parse_digits(plain.lstrip('-')):f}"


def read_number_words(words: Sequence[str]) -> tuple[int, int]:
    """How many words are one number, and its value: "sixty nine", "one hundred and seventy nine"."""
    total = part = count = 0
    before = ""
    for at, word in enumerate(words):
        opens = before in ("", "hundred", "and", "thousand")
        if word in TENS and opens:
            part += TENS[word]
        elif word in NUMBER_WORDS and (opens or (before in TENS and NUMBER_WORDS[word] < 10)):
            part += NUMBER_WORDS[word]
        elif word == "hundred" and 0 < part < 10:
            part *= 100
        elif word == "thousand" and part:
            total, part = 1000 * part, 0
        elif word == "and" and before in ("hundred", "thousand"):
            before = word
            continue
        else:
            break
        before, count = word, at + 1
    return count, total + part


def parse_figure(key: str) -> tuple[Decimal, ...]:
    """The numbers of a figure's key: one, or the two ends of a range; () when it has none, such as "freq 2"."""
    match = re.fullmatch(r"#(-?[\d.]+)(?:-(-?[\d.]+))?", key)
    try:
        return tuple(Decimal(number) for number in match.groups() if number) if match else ()
    except InvalidOperation:
        return ()


def is_same_quantity(one: str, unit: str, other: str, other_unit: str) -> bool:
    """Whether two figures are equal in units of one kind: 15 mm and 1.5 cm, 14 days and 2 weeks."""
    ours, theirs = parse_figure(one), parse_figure(other)
    units = (unit.removeprefix("unit "), other_unit.removeprefix("unit "))
    converted = [convert(float(number), *units) for number in ours] if all(units) else []
    return len(ours) == len(theirs) == len(converted) > 0 and all(
        a is not None and math.isclose(a, b) for a, b in zip(converted, map(float, theirs), strict=True)
    )


def _build_piece(match: re.Match[str], clause: int, depth: int) -> _Piece:
    printed = match.group()
    plain = printed.replace("’", "'").replace("*", "")
    if match["digits"]:
        word = normalize_number(printed)
    elif match["bound"]:
        word = normalize_bound_sign(printed)
    elif match["per"] or plain.lower().endswith("n't"):
        word = "per" if match["per"] else "not"
    else:
        printed = plain.partition("'")[0]
        word = printed.lower()
    return _Piece(word, printed, *match.span(), clause, depth)


def _join_prefixes(text: str, pieces: list[_Piece]) -> list[_Piece]:
    """ "non-cardiac" as "noncardiac", "off-pump" as "offpump"."""
    found: list[_Piece] = []
    for piece in pieces:
        before = found[-1] if found else None
        joined = (
            before is not None
            and text[before.end : piece.start] in ("-", "‐", "‑")
            and _PREFIXED.fullmatch(before.word)
            and piece.word[0].isalpha()
        )
        if before is not None and joined:
            found[-1] = before._replace(
                word=before.word + piece.word, printed=before.printed + piece.printed, end=piece.end
            )
        else:
            found.append(piece)
    return found


def _build_terms(piece: _Piece) -> Iterator[Term]:
    """The term of a piece; of a word with a negation in it that, and the word without."""
    place = (piece.start, piece.end, piece.clause, piece.depth)
    word, printed = piece.word, piece.printed
    if word not in _NOT_NON and (word in POSITIVE_FORMS or _NON.match(word)):
        yield Term("not", "negation", *place)
        word = printed = POSITIVE_FORMS.get(word) or _NON.sub("", word)
    key, kind = _classify_word(word, printed)
    yield Term(key, kind, *place)


@lru_cache(maxsize=20_000)
def _classify_word(word: str, printed: str) -> tuple[str, TermClass]:
    """The key and the class of a word."""
    word = word.removesuffix("ally") if word.endswith("ically") else word
    # Figures before all else: "2" may be written as a digit, a word or a Roman numeral.
    if word[0].isdigit() or word[0] == "-":
        return f"#{word}", "figure"
    if word in NUMBER_WORDS or word in TENS:
        return f"#{NUMBER_WORDS.get(word) or TENS.get(word) or 0}", "figure"
    if printed in _ROMAN_NUMERALS:
        return f"#{_ROMAN_NUMERALS[printed]}", "figure"
    unit = CANONICAL_UNITS.get(printed) or CANONICAL_UNITS.get(word)
    # "HR" and "M" in capitals are a hazard ratio and a letter; in small letters they are hours and metres.
    if unit and printed not in _NOT_UNITS:
        return f"unit {unit}", "unit"
    found = None if word in _NOT_DIRECTIONS else find_direction(word)
    # "overestimate" turns a direction round, "undergo" does not.
    if found and (found[0].startswith("axis") or not _LOOSE_PREFIX.match(word) or _TURNED_WORD.search(word)):
        return f"{found[0]}{'+' if found[1] > 0 else '-'}", "direction"
    plain = stem(_SPELLING.sub(lambda match: _SPELLED[match.group()], word))
    if (
        (len(word) > 3 and word in known_drug_words())
        or is_entity_name(printed)
        or is_population_word(word)
        or (len(word) == 1 and printed.isupper())
    ):
        return plain, "name"
    return plain, "word"


Abbreviations = dict[tuple[str, ...], str]
"""Words in lower case → the key of what they stand for."""

_CLASSES: dict[str, TermClass] = {
    "neg": "negation", "comparator": "comparator", "approx": "approximation", "condition": "condition",
    "quantity": "quantity word", "certainty": "certainty", "figure": "figure", "unit": "unit", "word": "word",
    "direction": "direction", "light": "light word",
}  # fmt: skip


@cache
def _load_phrases() -> dict[tuple[str, ...], tuple[str, TermClass | None]]:
    """Words → the key and the class of what they say; the class is None for what says nothing."""
    phrases: dict[tuple[str, ...], tuple[str, TermClass | None]] = {}
    for short, words in known_abbreviations().items():
        key = f"short {short.lower()}"
        phrases[(short.lower(),)] = (key, "name")
        phrases[tuple(re.findall(r"[^\W_]+", words.lower()))] = (key, "name")
    for kind, given, written in read_rows("wellsourced.compare", "terms.tsv"):
        key = _classify_word(given[1:], given[1:])[0] if given[0] == "=" else given
        for phrase in written.split(" | "):
            phrases[tuple(phrase.split())] = (key, _CLASSES.get(kind))
    return phrases


def _match_phrase(
    pieces: Sequence[_Piece], at: int, short: Abbreviations, spelled: frozenset[str]
) -> tuple[int, str, TermClass]:
    """How many pieces from a place on are one phrase, its key ("" when it says nothing) and class; 0 for none."""
    phrases = _load_phrases()
    words = tuple(piece.word for piece in pieces[at : at + _MAX_PHRASE_WORDS])
    numbers = read_number_words(words)
    # A number in several words before any phrase: "one hundred" has words that are phrases of their own.
    if numbers[0] > 1:
        return numbers[0], f"#{numbers[1]}", "figure"
    # The longest phrase first: "no more than" is none of "no".
    for count in range(len(words), 0, -1):
        part = words[:count]
        if part in short and not (count > 1 and short[part] in spelled):
            return count, short[part], "name"
        if part not in phrases:
            continue
        key, kind = phrases[part]
        if count > 1 and key in spelled:
            continue
        if count == 1 and kind is None and _is_label(pieces, at):
            continue
        if count == 1 and key.startswith("short ") and not any(map(str.isupper, pieces[at].printed)):
            continue
        # "over 70" bounds a figure, "over time" does not.
        if kind == "comparator" and not _has_number_beside(pieces, at, count, part):
            if part in (("by",), ("to",)):
                return 1, "", "approximation"
            continue
        if kind == "approximation" and not _is_figure(pieces, at + count):
            return count, "", "approximation"
        if kind is None:
            return count, "", "approximation"
        return count, key, kind
    return 0, "", "word"


def _is_label(pieces: Sequence[_Piece], at: int) -> bool:
    """Whether a word that says nothing is a name in capitals: the "A" of "group A", not of "A trial"."""
    printed = pieces[at].printed
    begins = at == 0 or pieces[at - 1].clause != pieces[at].clause
    return printed.isupper() and (len(printed) > 1 or (printed == "A" and not begins))


def _is_figure(pieces: Sequence[_Piece], at: int) -> bool:
    if at >= len(pieces) or at < 0:
        return False
    word = pieces[at].word
    return word[0].isdigit() or word[0] == "-" or word in NUMBER_WORDS or word in TENS


_SIGNS = frozenset("<>≤≥⩽⩾")


def _has_number_beside(pieces: Sequence[_Piece], at: int, count: int, words: tuple[str, ...]) -> bool:
    """Whether a comparator has a number to bound: "over 70", "two or more"; not "over time"."""
    if words[0][0] in _SIGNS or words[0] in ("or", "and"):
        return words[0][0] in _SIGNS or any(_is_figure(pieces, at - step) for step in (1, 2, 3, 4))
    if words in (("by",), ("to",)):
        return _is_figure(pieces, at + 1) and not _is_figure(pieces, at - 1)
    articles = 1 if at + count < len(pieces) and pieces[at + count].word in ("a", "an", "the", "of") else 0
    return _is_figure(pieces, at + count + articles) or (articles > 0 and words[0] in ("at", "up", "more", "less"))


def find_abbreviations(*texts: str) -> Abbreviations:
    """What the texts shorten themselves: "wash-out interval (WOI)"; the words and the letters get one key."""
    found: Abbreviations = {}
    for text in texts:
        pieces = _read_pieces(text, _MAX_ABBREVIATED_TEXT)
        for at, piece in enumerate(pieces):
            before = pieces[max(0, at - _MAX_ABBREVIATED_WORDS) : at]
            if not is_symbol(piece.printed) or not before or piece.depth <= before[-1].depth:
                continue
            words = _find_long_form(piece.printed, [one.word for one in before])
            if words:
                found[words] = found[(piece.word,)] = f"short {piece.word}"
    return found


def _find_long_form(short: str, before: list[str]) -> tuple[str, ...]:
    """The last words before a bracket that the letters in it stand for; () for none."""
    letters = re.sub(r"\W|\d", "", short).lower()
    initial = len(letters.removesuffix("s"))
    if initial < 2:
        return ()
    # As many words as letters first; then more, since small words lend none; then fewer, for compounds.
    for count in (initial, *range(initial + 1, len(before) + 1), *range(initial - 1, 1, -1)):
        words = before[-count:]
        if 1 < count <= len(before) and is_abbreviation_of(short, " ".join(words)) and words[0][0] == letters[0]:
            return tuple(words)
    return ()
