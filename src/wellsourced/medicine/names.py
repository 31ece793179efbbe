"""Names of drugs, conditions, tests and procedures: which of them a text has, and by which others each is known.

    find_names(question) → of each: mentions(document, name), list_names(name), list_members(name)

The tables: `drugs.tsv` (name, other names, brands) and `drug_classes.tsv`, which `drugs.py` reads;
`conditions.tsv`, which `conditions.py` reads; `abbreviations.tsv`, which `word_forms.py` reads; `names.tsv` (kind,
name, other names), `lay_terms.tsv` and `clinician_terms.tsv` (what clinicians say for short), which are read here.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Literal, NamedTuple, cast

from wellsourced.medicine.conditions import find_conditions, list_wider_expressions, names_condition
from wellsourced.medicine.drugs import (
    find_drugs,
    find_prescribed_drugs,
    known_drug_words,
    list_class_members,
    load_listed_drugs,
    names_class_of,
)
from wellsourced.medicine.word_forms import (
    find_term_kind,
    is_condition_name,
    is_procedure_name,
    known_abbreviations,
    list_abbreviations,
    load_senses,
    read_abbreviation,
    write_out_abbreviations,
)
from wellsourced.text.tables import read_rows
from wellsourced.text.tokens import tokenize
from wellsourced.types import ExpansionKind

NameKind = Literal["drug", "class", "condition", "test", "procedure"]

MAX_NAME_WORDS = 6
"""Words of the longest name that is looked for."""

MIN_PHRASE_WORDS = 4
"""Words of a name from which a text may have them in another order: "prophylaxis of spontaneous bacterial …"."""

_WORD = re.compile(r"\w+(?:['’/+-]\w+)*")


class MedicalName(NamedTuple):
    """A place in a text that names something medical.

    name    by which the tables know it: the generic name of a brand, the clinical term of a lay one
    words   as the text writes it; start is where
    """

    kind: NameKind
    name: str
    words: str
    start: int

    @property
    def end(self) -> int:
        """Where the words end."""
        return self.start + len(self.words)


def find_names(text: str) -> tuple[MedicalName, ...]:
    """The drugs, classes, conditions, tests and procedures that a text names; of names that overlap the longest.

    An abbreviation of several meanings is one where the text tells which it is.
    """
    found = [*_find_drug_names(text), *_find_listed_names(text)]
    found += [MedicalName("condition", one.name, one.words, one.start) for one in find_conditions(text)]
    kept: list[MedicalName] = []
    for one in sorted(found, key=lambda one: -len(one.words)):
        if not any(other.start < one.end and one.start < other.end for other in kept):
            kept.append(one)
    return tuple(sorted(kept, key=lambda one: one.start))


def mentions(text: str, name: MedicalName) -> bool:
    """Whether a text speaks of what is named: by any of its names, by its class, or by one of its kind."""
    folded = _fold_text(text)
    words = frozenset(folded.split())
    for key in _list_keys(name):
        parts = key.split()
        if f" {key} " in folded or (len(parts) >= MIN_PHRASE_WORDS and words.issuperset(parts)):
            return True
    if name.kind in ("drug", "class"):
        return any(names_class_of(text, drug) for drug in find_prescribed_drugs(name.words) or find_drugs(name.name))
    asked = {one.name for one in find_conditions(f"{name.name}, {name.words}")}
    wider = (expression for word in _WORD.findall(name.words) for expression in list_wider_expressions(word))
    return names_condition(text, asked) or any(re.search(one, text, re.IGNORECASE) for one in wider)


@lru_cache(maxsize=1_000)
def _list_keys(name: MedicalName) -> frozenset[str]:
    """How a text names it, in the form in which names are compared; abbreviations are written out there."""
    members = (one for member in list_members(name) for one in (member, *_load_names()[1].get(member, ())))
    names = (one for one in (name.words, *list_names(name), *members) if one not in load_senses())
    return frozenset(map(_fold, names))


def list_names(name: MedicalName) -> tuple[str, ...]:
    """The names of the same thing, its own first: generic names, brands, abbreviations, lay words."""
    others = _load_names()[1].get(name.name, ())
    shorts = (short for one in (name.name, *others) for short in list_abbreviations(one))
    return tuple(dict.fromkeys((name.name, *others, *shorts)))


def list_members(name: MedicalName) -> tuple[str, ...]:
    """The drugs of a class that the tables name; () of what is no class."""
    return tuple(
        member for one in find_drugs(name.words) if not one.drug for member in list_class_members(one.own_class)
    )


def _find_drug_names(text: str) -> Iterator[MedicalName]:
    for one in find_prescribed_drugs(text):
        name = _load_names()[0].get(_fold(one.words), one.drug or one.own_class)
        yield MedicalName("drug" if one.drug else "class", name, one.words, one.start)
    for match in _WORD.finditer(text):
        if match.group().lower() in known_drug_words():
            name = _load_names()[0].get(_fold(match.group()), match.group().lower())
            yield MedicalName("drug", name, match.group(), match.start())


def _find_listed_names(text: str) -> Iterator[MedicalName]:
    """Runs of words that the tables list, and words that are made as names of conditions and of procedures are."""
    words = list(_WORD.finditer(text))
    for at, first in enumerate(words):
        for last in words[at : at + MAX_NAME_WORDS]:
            run = text[first.start() : last.end()]
            meant = read_abbreviation(run.removesuffix("s"), text, first.start()) if first is last else ""
            name = _load_names()[0].get(_fold(meant or run), meant)
            if kind := _find_listed_kind(name) or (_find_made_kind(run) if first is last else None):
                yield MedicalName(kind, name or run.lower(), run, first.start())


@lru_cache(maxsize=4096)
def _find_listed_kind(name: str) -> NameKind | None:
    """What a name of the tables is of: as they say, or as its last word is made; None for what is none of these."""
    if not name or name in _load_kinds() or any(one.words == name for one in find_conditions(name)):
        return _load_kinds().get(name, "condition") if name else None
    if drugs := [one for one in find_prescribed_drugs(name) if one.words == name]:
        return "drug" if drugs[0].drug else "class"
    return cast(NameKind | None, find_term_kind(name) or _find_made_kind(name.split()[-1]))


def _find_made_kind(word: str) -> NameKind | None:
    """Whether a word is made as names of conditions or of procedures are."""
    return "condition" if is_condition_name(word) else "procedure" if is_procedure_name(word) else None


@cache
def _load_kinds() -> Mapping[str, NameKind]:
    """Name → what it is of, of those that tables tell."""
    listed = {name: cast(NameKind, kind) for kind, name, _ in read_rows("wellsourced.medicine", "names.tsv")}
    return listed | {one.name: "drug" for one in load_listed_drugs()}


@cache
def _load_names() -> tuple[Mapping[str, str], Mapping[str, tuple[str, ...]]]:
    """Key of any name → the one by which the tables know it; that → all of its names."""
    rows = [(name, *others.split("|")) for _, name, others in read_rows("wellsourced.medicine", "names.tsv")]
    rows += [(one.name, *one.others, *one.brands) for one in load_listed_drugs()]
    rows += [(meant, said) for said, meant in read_rows("wellsourced.medicine", "lay_terms.tsv")]
    rows += [(meant, said) for said, meant in read_rows("wellsourced.medicine", "clinician_terms.tsv")]
    rows += [(meant,) for meant in known_abbreviations().values()]
    known: dict[str, str] = {}
    names: dict[str, tuple[str, ...]] = {}
    for first, *others in rows:
        name = known.setdefault(_fold(first), first)
        for one in (first, *filter(None, others)):
            if known.setdefault(_fold(one), name) == name:
                names[name] = (*names.get(name, ()), one)
    return known, names


@lru_cache(maxsize=256)
def _fold_text(text: str) -> str:
    return f" {_fold(write_out_abbreviations(text))} "


def _fold(term: str) -> str:
    """As names are compared: small letters, no hyphens or possessives, American spelling, the singular."""
    return " ".join(map(_fold_word, tokenize(term)))


@lru_cache(maxsize=20_000)
def _fold_word(word: str) -> str:
    plain = word.removesuffix("'s").replace("ae", "e").replace("oe", "e").replace("our", "or").replace("isat", "izat")
    return plain.removesuffix("s") if len(plain) > 4 and not plain.endswith(("ss", "us", "is")) else plain


# --- as questions are understood by them -----------------------------------------------------------------------------


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
    return frozenset(term_key("\n".join(terms)).split())
