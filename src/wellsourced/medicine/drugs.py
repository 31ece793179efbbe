"""Drugs and their classes, as records and guidelines name them (`drug_classes.tsv`).

A row is a class, the wider classes it belongs to, the words that name the class, and its members. Members are told by
the stems of International Nonproprietary Names where these are unambiguous; classes are common knowledge of medicine.
"""

import re
from functools import cache, lru_cache
from typing import NamedTuple

from wellsourced.lazy import lazy_regex
from wellsourced.text.tables import read_rows


class DrugMention(NamedTuple):
    """A drug or a class of drugs that a text names.

    drug      the drug in lower case ("lisinopril"); "" when a class is named
    classes   what it belongs to, the wider classes included; of a class itself too
    words     as the text writes it; start is where
    """

    drug: str
    classes: frozenset[str]
    words: str
    start: int

    @property
    def end(self) -> int:
        """Where the words end."""
        return self.start + len(self.words)

    @property
    def own_class(self) -> str:
        """The narrowest class of it."""
        return max(self.classes, key=lambda name: (len(list_wider_classes(name)), name), default="")


@lru_cache(maxsize=20_000)
def find_drugs(text: str) -> tuple[DrugMention, ...]:
    """The drugs and classes that a text names, in order; the longest name where several begin at one place."""
    found = sorted(
        (
            (match.start(), -match.end(), name, "" if is_class else match.group().lower(), match.group())
            for place in _compile_names().finditer(text)
            for name, is_class, pattern in _load_names()
            if (match := pattern.match(text, place.start()))
        ),
        key=lambda one: one[:2],
    )
    mentions: list[DrugMention] = []
    for start, _, name, drug, words in found:
        if mentions and start < mentions[-1].end:
            # One name in two rows belongs to both classes; a shorter name within a longer one is none of its own.
            if words == mentions[-1].words and drug:
                mentions[-1] = mentions[-1]._replace(classes=mentions[-1].classes | list_wider_classes(name))
            continue
        mentions.append(DrugMention(drug, list_wider_classes(name), words, start))
    return tuple(mentions)


def is_meant(named: DrugMention, drug: DrugMention) -> bool:
    """Whether a text that names the first speaks of the second: of itself, its class, or a member of that class."""
    if named.drug and drug.drug:
        return _stem(named.drug) == _stem(drug.drug)
    if not named.drug:
        # A class that is named means its members; a member means its class only where that is what is asked about.
        return named.own_class in drug.classes or (not drug.drug and drug.own_class in named.classes)
    return drug.own_class in named.classes


def covers_drug(named: DrugMention, drug: DrugMention) -> bool:
    """Whether all of the second lies in the first: a drug in its class, and not a class in one of its members."""
    return is_meant(named, drug) and bool(drug.drug or named.own_class in drug.classes)


def names_class_of(text: str, drug: DrugMention) -> bool:
    """Whether a text names a class of a drug; of a class also one that it belongs to, or a member."""
    return any(
        pattern.search(text)
        for name, is_class, pattern in _load_names()
        if (is_class and name in drug.classes) or (not drug.drug and drug.own_class in list_wider_classes(name))
    )


def list_class_expressions(word: str) -> list[str]:
    """Expressions for the classes that a drug belongs to; [] for any other word."""
    classes = frozenset(name for one in find_drugs(word) for name in one.classes)
    if not classes:
        return []
    return [pattern.pattern for name, is_class, pattern in _load_names() if is_class and name in classes]


@cache
def known_drug_words() -> frozenset[str]:
    """Names of drugs of one word, generic ones and brands, in lower case: our tables, and DrugBank's names."""
    listed = {name for (name,) in read_rows("wellsourced.medicine", "generic_names.txt")}
    names = (name for one in load_listed_drugs() for name in (one.name, *one.others, *one.brands))
    return frozenset(name.lower() for name in names if " " not in name) | listed


def _stem(drug: str) -> str:
    """Spanish, French, German and English names of one drug end differently: "warfarina" is warfarin."""
    plain = drug.translate(str.maketrans("áéíóú", "aeiou"))
    return re.sub(r"(?:[aeo]|ate|ato)$", "", plain.split("/")[0].split("-")[0])


@cache
def _load_names() -> list[tuple[str, bool, re.Pattern[str]]]:
    """The class, whether the pattern names it and not a member, and the pattern."""
    names = []
    for name, _, words, members in read_rows("wellsourced.medicine", "drug_classes.tsv"):
        for is_class, expression in ((True, words), (False, members)):
            if expression:
                names.append((name, is_class, lazy_regex(rf"(?<![\w-])(?:{expression})(?!\w)", re.IGNORECASE)))
    return names


@cache
def _compile_names() -> re.Pattern[str]:
    """Every name of a drug or a class: most texts have none, and are read once."""
    rows = read_rows("wellsourced.medicine", "drug_classes.tsv")
    every = "|".join(expression for _, _, *named in rows for expression in named if expression)
    return re.compile(rf"(?<![\w-])(?:{every})(?!\w)", re.IGNORECASE)


@cache
def _load_wider_classes() -> dict[str, str]:
    return {row[0]: row[1] for row in read_rows("wellsourced.medicine", "drug_classes.tsv")}


@cache
def list_wider_classes(name: str) -> frozenset[str]:
    """A class with all classes that it belongs to."""
    above = filter(None, _load_wider_classes().get(name, "").split(", "))
    return frozenset({name}).union(*map(list_wider_classes, above))


# --- brands ---

MIN_SMALL_LETTERS = 6
"""Letters from which a brand counts in small letters, too: a shorter one may be a word of the language."""


@lru_cache(maxsize=1_000)
def find_prescribed_drugs(text: str) -> tuple[DrugMention, ...]:
    """The drugs and classes that a text names, in order; a brand with each of its drugs, in the words of the text."""
    found = list(find_drugs(text))
    for match in _compile_brands().finditer(text):
        words = match.group()
        # A short brand in small letters may be a word of the language.
        if words.islower() and len(words) < MIN_SMALL_LETTERS:
            continue
        # Generic names first: where one stands, a brand inside it is not meant.
        if not any(one.start < match.end() and match.start() < one.end for one in found):
            inside = find_drugs(find_generic(words).replace("-", " / "))
            found += [one._replace(words=words, start=match.start()) for one in inside]
    return tuple(sorted(found, key=lambda one: one.start))


def find_generic(brand: str) -> str:
    """The generic name of a brand, in whatever letters; "" for what is none."""
    return _load_generics().get(brand.casefold(), "")


@cache
def _load_generics() -> dict[str, str]:
    return {brand.casefold(): one.name for one in load_listed_drugs() for brand in one.brands}


@cache
def _compile_brands() -> re.Pattern[str]:
    names = sorted(_load_generics(), key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, names))})(?!\w)", re.IGNORECASE)


class ListedDrug(NamedTuple):
    """A row of `drugs.tsv`: a drug, its other generic names, and brands that are this drug wherever they are sold."""

    name: str
    others: tuple[str, ...]
    brands: tuple[str, ...]


@cache
def load_listed_drugs() -> tuple[ListedDrug, ...]:
    """The drugs of the table with their names; which class each is of is told by `find_drugs`."""
    return tuple(
        ListedDrug(name, tuple(filter(None, others.split("|"))), tuple(filter(None, brands.split("|"))))
        for name, others, brands in read_rows("wellsourced.medicine", "drugs.tsv")
    )


@cache
def list_class_members(name: str) -> tuple[str, ...]:
    """The drugs of the table that are of a class."""
    patterns = [found for row, is_class, found in _load_names() if not is_class and name in list_wider_classes(row)]
    return tuple(one.name for one in load_listed_drugs() if any(pattern.search(one.name) for pattern in patterns))
