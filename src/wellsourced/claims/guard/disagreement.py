"""The kinds of facts that the guard compares, a disagreement on one of them, and what tells them: words that exclude
each other, names of drugs and diseases.
"""

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Literal, NamedTuple, cast

from wellsourced.medicine.drugs import known_drug_words
from wellsourced.medicine.measurements import extract_age_ranges
from wellsourced.text.lexicon import word_set
from wellsourced.text.tables import read_rows, read_word_lists

FactKind = Literal[
    "number", "unit", "percentage", "dose", "interval", "p-value", "time", "comparator", "negation", "direction",
    "role", "population", "drug", "condition", "strength",
]  # fmt: skip

QUANTITY_KINDS: frozenset[FactKind] = frozenset(
    {"number", "unit", "percentage", "dose", "interval", "p-value", "time", "comparator"}
)
"""Kinds that are told by numbers and their units."""

REVERSAL_KINDS: frozenset[FactKind] = frozenset({"negation", "direction", "role"})
"""Kinds in which the text says the opposite; in all others it only does not say so."""


class Disagreement(NamedTuple):
    """A fact that the claim changes: the words on each side; `evidence` is "" where it has nothing of the kind.

    number, unit, percentage, dose, interval, p-value, comparator   a quantity, and of what
    time         how long, when or how often
    negation     denied on one side
    direction    the opposite of a word, such as "increased" for "reduced"
    role         two that change places: what was better than what
    population   others than those who were studied
    drug         another drug, gene, germ or procedure in the same place
    condition    another disease, or the same of another organ
    strength     "causes" for "is associated with", "all" for "some"
    """

    kind: FactKind
    claim: str
    evidence: str

    def describe(self, claim: str, evidence: str) -> str:
        """The disagreement in words, in which the two sides are called so."""
        there = f"“{self.evidence}”" if self.evidence else "nothing"
        return f"the {self.kind} differs: “{self.claim}” in the {claim}, {there} in the {evidence}"


CONTRASTS_FILE = "contrasts.tsv"
"""Rows of kind, tab, words: the sides of one axis, parted by colons."""


def _load_places() -> dict[str, list[tuple[FactKind, int, int]]]:
    """Word → kind, axis and side of each place where it stands."""
    table: dict[str, list[tuple[FactKind, int, int]]] = {}
    for axis, (kind, sides) in enumerate(read_rows("wellsourced.claims.guard", CONTRASTS_FILE)):
        for side, words in enumerate(sides.split(":")):
            for word in words.split():
                table.setdefault(word, []).append((cast(FactKind, kind), axis, side))
    return table


_PLACES_BY_WORD = _load_places()


def find_contrast(one: str, other: str) -> FactKind | None:
    """The kind of an axis on which two small words stand in different places; None where they share none."""
    places = _PLACES_BY_WORD.get(other, ())
    for kind, axis, side in _PLACES_BY_WORD.get(one, ()):
        if any(there == axis and place != side for _, there, place in places):
            return kind
    return None


def has_contrast(word: str) -> bool:
    """Whether a small word stands on an axis: others exclude it."""
    return word in _PLACES_BY_WORD


def is_population_word(word: str) -> bool:
    """Whether a small word names some people or animals, and not others."""
    return any(kind == "population" for kind, _, _ in _PLACES_BY_WORD.get(word, ()))


# Names of drugs and diseases, by their endings (stems of the WHO's nonproprietary names) and by lists.
#
# `disease_names.txt`, names of one word that their endings do not tell ("eclampsia", "anaphylaxis"), is made by
# tools/disease_names.py from the Disease Ontology (CC0) and from the topics of MedQuAD (CC BY 4.0).

_NAMES = read_word_lists("wellsourced.claims.guard", "entities.tsv")
"""Kind → words: "ending" of drugs' names; "name" of what no table of drugs has: substances, germs, procedures."""

_DRUG_ENDINGS, _ENTITY_NAMES = _NAMES["ending"], frozenset(_NAMES["name"])
_PROCEDURE = re.compile(r".{3,}(?:ectomy|oscopy|otomy|ostomy|plasty|therapy|centesis|puncture|tripsy|desis)")
_SYMBOL = re.compile(r"[A-Z][A-Z0-9]{1,6}(?:[a-z]|\d)?|[a-z]{1,2}[A-Z]{2,5}\d*|[A-Z][a-z]{2}\d{1,2}|p\d{2}")
_NOT_SYMBOLS = word_set(
    "CI OR HR RR SD SE IQR SEM ANOVA USA UK EU OF THE AND IN TO WITH FOR NO NOT WAS WERE II III IV VI VII VIII IX "
    "BMI MD RCT RCTS DNA RNA"
)


def is_entity_name(word: str) -> bool:
    """Whether a word, as printed, is the name of a drug, a germ, a gene or a procedure."""
    small = word.lower()
    is_drug = len(small) > 4 and (small in known_drug_words() or (len(small) > 5 and small.endswith(_DRUG_ENDINGS)))
    return is_drug or small in _ENTITY_NAMES or bool(_PROCEDURE.fullmatch(small)) or is_symbol(word)


def is_symbol(word: str) -> bool:
    """Whether a word is an abbreviation or the symbol of a gene, by its capitals."""
    return word not in _NOT_SYMBOLS and _SYMBOL.fullmatch(word) is not None


def is_abbreviation_of(short: str, words: str) -> bool:
    """Whether a word is made of letters of others, in their order, its first being theirs: "MRI", "HbA1c", "BP"."""
    letters, rest = re.sub(r"\W|\d", "", short).lower().removesuffix("s"), iter(words.lower())
    return letters[:1] == words[:1].lower() != "" and all(letter in rest for letter in letters)


_DISEASE = re.compile(
    r".{3,}(?:itis|osis|oses|omas?|a?emia|opathy|opathies|algia|penia|plegia|phobia|ectasis|uria|megaly|rrhoea|rrhea)"
)
_NOT_DISEASES = word_set(
    "diagnosis hypnosis metamorphosis anastomosis diploma mitosis meiosis apoptosis prognosis purposes doses poses "
    "loses closes supposes exposes imposes proposes chooses glucoses megadoses overdoses"
)


def is_disease_name(word: str) -> bool:
    """Whether a word ends as the names of diseases do."""
    small = word.lower()
    return _DISEASE.fullmatch(small) is not None and small not in _NOT_DISEASES


_PREFIX = re.compile(r"(?:pre|post|peri|non|hyper|hypo|neuro|pseudo|pan|poly|para)(?=\w{5})")
_STEM_LETTERS = (5, 7)
"""Letters of a disease's name, at least and at most, by which it is known as a noun and as an adjective."""

_ENDING_LETTERS = 3
"""Letters at its end that a name changes: "eclampsia", "eclamptic"; a short name changes none."""


def is_listed_disease(word: str) -> bool:
    """Whether a word is a listed disease, in either spelling, in the plural or with a hyphen: "pre-eclampsia"."""
    name = fold_name(word)
    return name in _load_disease_names() or name.removesuffix("s") in _load_disease_names()


def fold_name(word: str) -> str:
    """A disease's name as it is listed: in American spelling and small letters, without hyphens."""
    return re.sub("ae(?=[a-z])|oe(?=[a-z])", "e", word.lower().replace("-", ""))


def compile_disease(name: str) -> re.Pattern[str]:
    """How a text writes the name of a listed disease, in either spelling, hyphened or not, as noun or adjective."""
    bare = fold_name(name).removesuffix("s")
    prefix = found[0] if (found := _PREFIX.match(bare)) else ""
    rest = bare[len(prefix) :]
    least, most = _STEM_LETTERS
    stem = rest[: max(least, min(most, len(rest) - _ENDING_LETTERS))]
    return re.compile(r"\b" + re.sub("e", "[ao]?e", f"{prefix}-?{stem}" if prefix else stem), re.IGNORECASE)


@cache
def _load_disease_names() -> frozenset[str]:
    return frozenset(files(__package__).joinpath("disease_names.txt").read_text(encoding="utf-8").split())


MAX_EVIDENCE_LENGTH = 20_000
"""Characters of evidence that are read: a bound for hostile texts."""

_WOMEN = re.compile(r"\b(?:women|woman|girls?|females?|mothers?)\b", re.IGNORECASE)
_MEN = re.compile(r"\b(?:men|man|boys?|males?|fathers?)\b", re.IGNORECASE)


def compare_populations(claim: str, evidence: str) -> Iterator[Disagreement]:
    """Ages, or a sex, of the claim with which nothing that the evidence speaks of has anything in common.

    Where the evidence names no age, or no sex, nothing is said of it.
    """
    read = evidence[:MAX_EVIDENCE_LENGTH]
    asked = extract_age_ranges(claim)
    told = extract_age_ranges(read) if asked else []
    if told and not any(one.overlaps(other) for one in asked for other in told):
        yield Disagreement("population", asked[0].words, told[0].words)
    for own, other in ((_WOMEN, _MEN), (_MEN, _WOMEN)):
        said = own.search(claim)
        if said and not other.search(claim) and not own.search(read) and (found := other.search(read)):
            yield Disagreement("population", said.group(), found.group())
