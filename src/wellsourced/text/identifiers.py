"""Who a text is about: what names a person or leads to one, so that it can be masked.

The kinds follow the 18 of the Safe Harbor method (45 CFR 164.514(b)(2)), as far as they stand in text: faces and
fingerprints do not. Doses, laboratory values, eponyms and years stay. Rules know the forms of dates, numbers, addresses
and labelled fields; a small learnt tagger finds names and places in running text (`deidentification/`).

Both miss some, and whatever a person can be known by that is no identifier. A masked text is safer, never anonymous.
"""

from collections.abc import Iterator

from wellsourced.text.deidentification.addresses import find_addresses, find_small_towns
from wellsourced.text.deidentification.contacts import find_contacts
from wellsourced.text.deidentification.dates import find_ages, find_dates
from wellsourced.text.deidentification.features import COMMON, FOREIGN, MEDICAL
from wellsourced.text.deidentification.numbers import find_numbers
from wellsourced.text.deidentification.person_names import (
    find_again,
    find_announced,
    find_given,
    find_small,
    is_eponym,
)
from wellsourced.text.deidentification.spans import Identifier, Kind, merge_overlaps
from wellsourced.text.deidentification.tagger import Tagger, load_tagger
from wellsourced.text.names import COUNTRIES, GIVEN, NO_NAMES

__all__ = ["Identifier", "Kind", "identifiers", "masked"]

_ORDINARY = MEDICAL | COMMON | FOREIGN


def identifiers(text: str) -> list[Identifier]:
    """Every identifier that rules and tagger find, in order, none within another.

    A name that is found once ("Mrs Okafor") is found wherever it stands, also without its title.
    """
    tagger = load_tagger()
    names = [*find_announced(text), *find_given(text), *_small_names(text, tagger)]
    places = []
    for kind, start, end in tagger.tag(text):
        one = Identifier(kind, start, end)
        if _identifies(text, one):
            (names if kind == "name" else places).append(one)
    return merge_overlaps(
        (
            *find_dates(text),
            *find_ages(text),
            *find_contacts(text),
            *find_numbers(text),
            *find_addresses(text),
            *(one for one in find_small_towns(text) if not tagger.look_up(text[one.start : one.end]) & _ORDINARY),
            *places,
            *names,
            *find_again(text, names),
        )
    )


def masked(text: str) -> str:
    """The text with each identifier replaced by its kind: "[NAME]", "[DATE]" …; a masked text stays as it is."""
    parts, end = [], 0
    for found in identifiers(text):
        parts += [text[end : found.start], f"[{found.kind.upper()}]"]
        end = found.end
    return "".join((*parts, text[end:]))


def _small_names(text: str, tagger: Tagger) -> Iterator[Identifier]:
    """Names in small letters behind a title or a word of kinship: given names, and words that no dictionary knows."""
    for word, start, end, titled in find_small(text):
        known = tagger.look_up(word)
        if word.title() in GIVEN or (titled and word.islower() and not known & _ORDINARY):
            yield Identifier("name", start, end)


def _identifies(text: str, one: Identifier) -> bool:
    """Whether what the tagger took for a name or a place is neither a word of medicine nor a country."""
    words = text[one.start : one.end]
    if one.kind == "name":
        return not (words.title() in NO_NAMES or is_eponym(text, words, one.end))
    return words.title() not in COUNTRIES | NO_NAMES
