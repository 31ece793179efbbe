"""Other names of drugs and of what people name in everyday words, as questions are understood by them.

`drugs.tsv` (name, other names, brands), which `drugs.py` reads; `abbreviations.tsv`, which `word_forms.py` reads;
`lay_terms.tsv` and `clinician_terms.tsv` (what clinicians say for short), which are read here.
"""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from wellsourced.medicine.drugs import load_listed_drugs
from wellsourced.medicine.word_forms import known_abbreviations, load_senses
from wellsourced.text.tables import read_rows
from wellsourced.text.tokens import tokenize
from wellsourced.types import ExpansionKind


def term_key(term: str) -> str:
    """As terms are compared: lower case, no accents, hyphens or possessives. "Crohn's Disease" → "crohn disease"."""
    return " ".join(word.removesuffix("'s") for word in tokenize(term))


def term_keys(term: str) -> list[str]:
    """The key of a term, then those with the last word in the singular, as far as spelling tells."""
    name = term_key(term)
    if not name.endswith("s") or name.endswith(("ss", "us", "is")) or len(name) < 4:
        return [name]
    if name.endswith("ies"):
        return [name, f"{name[:-3]}y"]
    if name.endswith(("ses", "xes", "ches", "shes")):
        return [name, name[:-1], name[:-2], f"{name[:-2]}is"]
    return [name, name[:-1]]


class ListedTerm(NamedTuple):
    """What a term of a question means besides, the likeliest first, and in which way it says so."""

    kind: ExpansionKind
    meanings: tuple[str, ...]


@cache
def listed_terms() -> Mapping[str, ListedTerm]:
    """Key of a brand, of a lay or a clinician's word, and of a drug with two names → what it means besides."""
    terms: dict[str, ListedTerm] = {}
    for said, meant in read_rows("wellsourced.medicine", "clinician_terms.tsv"):
        terms[term_key(said)] = ListedTerm("synonym", (meant,))
    for one in load_listed_drugs():
        terms |= {term_key(other): ListedTerm("synonym", (one.name,)) for other in one.others}
        terms |= {term_key(one.name): ListedTerm("synonym", (other,)) for other in one.others[:1]}
    for said, meant in read_rows("wellsourced.medicine", "lay_terms.tsv"):
        terms[term_key(said)] = ListedTerm("lay term", (meant,))
    for one in load_listed_drugs():
        terms |= {term_key(brand): ListedTerm("brand", (one.name, *one.others[:1])) for brand in one.brands}
    return terms


@cache
def short_forms() -> Mapping[str, str]:
    """Key of a long form → its abbreviation, where that means nothing else."""
    return {term_key(meant): short for short, meant in reversed(list(known_abbreviations().items()))}


@cache
def table_words() -> frozenset[str]:
    """Every word of the tables: real words, whatever a library holds."""
    terms = [*listed_terms(), *(meant for one in listed_terms().values() for meant in one.meanings)]
    terms += [part for short, senses in load_senses().items() for part in (short, *(one.meaning for one in senses))]
    return frozenset(word for term in terms for word in term_key(term).split())
