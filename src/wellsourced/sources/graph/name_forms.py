"""Names as they are compared: in one case, without hyphens, accents and possessives; plurals and initials."""

import re

from wellsourced.text.tokens import tokenize

SMALL_WORDS = {"a", "an", "and", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"}
"""Words that initials leave out."""

MAX_ABBREVIATION_LETTERS = 8
"""Letters of the longest abbreviation."""


def fold_name(name: str) -> str:
    """ "Alzheimer's Disease" → "alzheimer disease", "Beta-blocker" → "beta blocker"; "" for what holds no word."""
    return " ".join(word.removesuffix("'s") for word in tokenize(name))


def name_variants(term: str) -> list[str]:
    """The folded term, then with its last word in the singular and in the plural, as far as spelling tells."""
    name = fold_name(term)
    # An abbreviation has no plural that could be told from another one: "MS" is not the plural of "M".
    if len(name) < 4:
        return [name] if name else []
    forms = [name, *_singulars(name), *_plurals(name)]
    return list(dict.fromkeys(form for form in forms if form))


def _singulars(name: str) -> list[str]:
    if name.endswith("ies"):
        return [f"{name[:-3]}y"]
    # "diseases", "indexes" and "diagnoses" end alike: all three singulars are tried, and only real names are found.
    if name.endswith(("ses", "xes", "ches", "shes")):
        return [name[:-1], name[:-2], f"{name[:-2]}is"]
    return [name[:-1]] if name.endswith("s") and not name.endswith(("ss", "us", "is")) else []


def _plurals(name: str) -> list[str]:
    if name.endswith("y") and name[-2] not in "aeiou ":
        return [f"{name[:-1]}ies"]
    if name.endswith("sis"):
        return [f"{name[:-2]}es"]
    if name.endswith(("ss", "us", "x", "ch", "sh")):
        return [f"{name}es"]
    return [] if name.endswith("s") else [f"{name}s"]


def initials(name: str) -> str:
    """ "Chronic obstructive pulmonary disease" → "copd"; "" for names of less than three words or with a number."""
    letters = [word for word in fold_name(name).split() if word not in SMALL_WORDS]
    # Two initials are shared by too many names to say anything.
    if not 3 <= len(letters) <= MAX_ABBREVIATION_LETTERS or not all(word.isalpha() for word in letters):
        return ""
    return "".join(word[0] for word in letters)


def is_abbreviation(term: str) -> bool:
    """Whether it is written as an abbreviation is: one word, two capitals or more: "COPD", "eGFR", "HbA1c"."""
    return 2 <= len(term) <= MAX_ABBREVIATION_LETTERS and re.fullmatch(r"\w*[A-Z]\w*[A-Z][\w-]*", term) is not None
