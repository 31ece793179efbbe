"""The detector of identifiers: what rules and tagger find in a text, put together.

The package is the door to it, which loads it with the first text: its forms take a tenth of a second to make.
"""

import re
from collections.abc import Iterator, Sequence

from wellsourced.deidentification import person_names
from wellsourced.deidentification.explicit_identifiers import (
    find_address_tail,
    find_addresses,
    find_ages,
    find_dates,
)
from wellsourced.deidentification.identifiers import (
    COUNTRIES_AND_STATES,
    NOT_NAMES,
    Identifier,
    merge_overlaps,
)
from wellsourced.deidentification.record_numbers import find_contacts, find_record_numbers
from wellsourced.deidentification.tagger import (
    COMMON,
    FOREIGN,
    FREQUENT_SURNAME,
    GIVEN_NAME,
    MEDICAL,
    SURNAME,
    NameTagger,
    load_tagger,
    split_words,
)
from wellsourced.text.lexicon import word_set

_MASK = re.compile(r"\[(?:NAME|ADDRESS|POSTCODE|DATE|AGE|PHONE|EMAIL|SSN|RECORD|ACCOUNT|DEVICE|URL|IP)\]")
_MASK_STAND_INS = {"[NAME]": "Okafor", "[ADDRESS]": "Southgate", "[DATE]": "1/1/01", "[AGE]": "91 yo"}
_MISREAD_NUMBER = re.compile(r"(?<![A-Za-z])(?=[OIl/.-]{0,20}\d)[OIl\d][OIl\d/.-]{2,20}(?![A-Za-z])|(?<= )2l(?=,)")
_TO_DIGITS = str.maketrans("OIl", "011")
_STATE_CODE = re.compile(r"[A-Z]{2,3}")
_X_RAY = re.compile(r"x[- ]rays?", re.IGNORECASE)
_QUANTITY = re.compile(r"\d\s?(?:m[lLgm]|mcg|µg|kg|cm|mm|%|IU|units?|mmol|years?|months?|weeks?|days?|hours?|h)\b")
_NEVER_IDENTIFYING = (
    NOT_NAMES
    | COUNTRIES_AND_STATES
    | {"West", "East", "North", "South", "Central", "Southern", "Northern", "Western", "Eastern", "Sub", "Saharan"}
)
"""Words that make no place or name among themselves."""

_ARTICLES = word_set("a an the my i il la le el der die das ein eine een o un una")


def find_identifiers(text: str) -> list[Identifier]:
    """Every identifier that rules and tagger find, in order, none within another: as `detect_identifiers`."""
    tagger = load_tagger()
    holes = [found.span() for found in _MASK.finditer(text)]
    # What may have stood where a mask stands, as long as the mask: so that its neighbours are read as they were.
    text = _MASK.sub(lambda mask: _MASK_STAND_INS.get(mask.group(), "1" * len(mask.group())), text)
    digits = _MISREAD_NUMBER.sub(_correct_digits, text)
    names = [
        *person_names.find_announced_names(
            text, tagger.is_ordinary_word, lambda word: bool(tagger.look_up(word) & GIVEN_NAME)
        ),
        *person_names.find_given_names(text),
        *person_names.find_chat_writers(text),
        *person_names.find_initials(text),
        *(
            one
            for one in person_names.find_lowercase_candidates(text)
            if not tagger.look_up(text[one.start : one.end]) & (MEDICAL | COMMON | FOREIGN)
        ),
    ]
    names += person_names.find_certain_given_names(
        text, lambda word: tagger.look_up(word) & ~(SURNAME | FREQUENT_SURNAME) == GIVEN_NAME
    )
    places: list[Identifier] = []
    for one in tagger.tag(text):
        if _is_identifying(text, one, tagger):
            (names if one.kind == "name" else places).append(one)
            places.extend(find_address_tail(text, one.end) if one.kind == "address" else ())
    found = (
        *find_dates(digits),
        *find_ages(digits),
        *find_contacts(digits),
        *find_record_numbers(digits),
        *find_addresses(text),
        *places,
        *names,
        *person_names.find_repeated_names(text, names),
    )
    return merge_overlaps(part for one in found for part in _exclude_masks(one, holes, text, tagger))


def _correct_digits(number: re.Match[str]) -> str:
    """A number in which a scanner read O and l for 0 and 1, as it was."""
    return number.group().translate(_TO_DIGITS) if sum(map(str.isdigit, number.group())) > 1 else number.group()


def _exclude_masks(
    one: Identifier, holes: Sequence[tuple[int, int]], text: str, tagger: NameTagger
) -> Iterator[Identifier]:
    """What of an identifier stands outside of masks, without words that stood around what is masked."""
    inside = [(start, end) for start, end in holes if one.start < end and start < one.end]
    if not inside:
        yield one
        return
    edges = [one.start, *(edge for hole in inside for edge in hole), one.end]
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        words = [word.text for word in split_words(text[start:end]) if word.text[0].isalnum()] if start < end else []
        known = (
            len(word) == 1
            or (len(word) < 4 and word.islower())
            or word.title() in _NEVER_IDENTIFYING
            or tagger.is_ordinary_word(word)
            or _STATE_CODE.fullmatch(word)
            for word in words
        )
        if not all(known):
            yield one._replace(start=start, end=end)


def _is_sentence(words: str, parts: Sequence[str], tagger: NameTagger) -> bool:
    """Whether what the tagger took for a place holds an amount, or two small words that are in no address."""
    small = sum(part.islower() and len(part) > 3 and tagger.is_ordinary_word(part) for part in parts)
    return bool(_QUANTITY.search(words)) or small > 1


def _is_identifying(text: str, one: Identifier, tagger: NameTagger) -> bool:
    """Whether what the tagger took for a name or a place is neither a word of medicine nor a country."""
    words = text[one.start : one.end]
    parts = [word.text for word in split_words(words) if word.text[0].isalnum()]
    is_other = _is_no_name if one.kind == "name" else _is_no_place
    return not (
        words.title() in NOT_NAMES
        or text[one.end : one.end + 1].isdigit()
        or person_names.is_eponym(text, words, one.end)
        or _X_RAY.fullmatch(text[max(0, one.start - 2) : one.end])
        or is_other(text, one, parts, tagger)
        or all(
            part.title() in _NEVER_IDENTIFYING or (len(part) > 1 and tagger.is_ordinary_word(part)) for part in parts
        )
    )


def _is_no_name(text: str, one: Identifier, parts: Sequence[str], tagger: NameTagger) -> bool:
    """Whether it is an abbreviation, a word at the beginning of a sentence, or a trade name."""
    words = text[one.start : one.end]
    if words.isupper() and words.isalpha() and len(words) <= 4 and not tagger.look_up(words):
        return True
    return any(part in _ARTICLES for part in parts[:1]) or any(
        part.isdigit() or person_names.is_trade_name(part) for part in parts
    )


def _is_no_place(text: str, one: Identifier, parts: Sequence[str], tagger: NameTagger) -> bool:
    """Whether it is a country, a part of a sentence, or a code of capitals and digits."""
    words = text[one.start : one.end]
    return (
        words.title() in COUNTRIES_AND_STATES
        or _is_sentence(words, parts, tagger)
        or re.fullmatch(r"[A-Z]{2,}\d{1,3}[A-Z]?", words) is not None
    )
