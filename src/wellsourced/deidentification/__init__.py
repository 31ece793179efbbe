"""Who a text is about: what names a person or leads to one, so that it can be masked.

The kinds follow the 18 of the Safe Harbor method (45 CFR 164.514(b)(2)), as far as they stand in text: faces and
fingerprints do not. Doses, laboratory values, eponyms and years stay. Rules know the forms of dates, numbers, addresses
and labelled fields; a small learnt tagger finds names and places in running text (`deidentification/`).

Both miss some, and whatever a person can be known by that is no identifier. A masked text is safer, never anonymous.
"""

from wellsourced.deidentification.identifiers import Identifier, IdentifierKind, replace_identifiers

__all__ = ["Identifier", "IdentifierKind", "detect_explicit_identifiers", "detect_identifiers", "mask_identifiers"]


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
