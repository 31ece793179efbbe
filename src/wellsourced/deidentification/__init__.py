"""Who a text is about: what names a person or leads to one, so that it can be masked.

The kinds follow the 18 of the Safe Harbor method (45 CFR 164.514(b)(2)), as far as they stand in text: faces and
fingerprints do not. Doses, laboratory values, eponyms and years stay. Rules know the forms of dates, numbers, addresses
and labelled fields; a small learnt tagger finds names and places in running text (`deidentification/`).

Both miss some, and whatever a person can be known by that is no identifier. A masked text is safer, never anonymous.
"""

import re
from datetime import date

from wellsourced.deidentification.identifiers import Identifier, IdentifierKind, merge_overlaps, replace_identifiers

__all__ = [
    "Identifier",
    "IdentifierKind",
    "detect_explicit_identifiers",
    "detect_identifiers",
    "mask_birth_dates",
    "mask_identifiers",
]

_YEAR = re.compile(r"(?:19|20)\d\d")

MAX_TOLD_AGE = 89
"""Years; of whoever is older the year of birth identifies, too (45 CFR 164.514)."""


def detect_identifiers(text: str) -> list[Identifier]:
    """Every identifier that rules and tagger find, in order, none within another.

    A name that is found once ("Mrs Okafor") is found wherever it stands, also without its title.
    """
    # Who only asks for help or for the settings does not wait for it.
    from wellsourced.deidentification.detector import find_identifiers

    return find_identifiers(text)


def detect_explicit_identifiers(text: str) -> list[Identifier]:
    """Those alone that a label, a title or their form makes certain: for words that are about literature."""
    from wellsourced.deidentification.explicit_identifiers import find_explicit_identifiers

    return find_explicit_identifiers(text)


def mask_identifiers(text: str) -> str:
    """The text with each identifier replaced by its kind: "[NAME]", "[DATE]" …; a masked text stays as it is."""
    return replace_identifiers(text, detect_identifiers(text), lambda kind, _: f"[{kind.upper()}]")


def mask_birth_dates(text: str) -> str:
    """The text with the year alone of each date of birth, from which a dose may hang on the age; else "[DATE]"."""
    from wellsourced.deidentification.explicit_identifiers import find_birth_dates

    def write_year(_: IdentifierKind, words: str) -> str:
        year = _YEAR.search(words)
        is_telling = year and date.today().year - int(year.group()) <= MAX_TOLD_AGE
        return year.group() if year and is_telling else "[DATE]"

    return replace_identifiers(text, merge_overlaps(find_birth_dates(text)), write_year)
