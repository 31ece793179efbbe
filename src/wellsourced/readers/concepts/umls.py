"""The tables of a UMLS release (Rich Release Format): MRCONSO, MRDEF, MRREL and MRSTY, each line as it comes.

Columns and their meaning: UMLS Reference Manual, chapter 3 (NLM). The files are under the user's own licence and are
never fetched. Add MRCONSO first: definitions, types and relations count only for concepts that it named.
"""

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from wellsourced.errors import SettingsError
from wellsourced.readers.base import Faulty, File
from wellsourced.readers.concepts.base import (
    Concept,
    CrossReference,
    Definition,
    LeftOut,
    Name,
    Relation,
    Row,
    Rows,
    Scope,
    SemanticType,
    Vocabulary,
    cut_off,
    faulty,
    lines,
    one_line,
)

UMLS = Vocabulary("UMLS")
OF_KNOWN = Vocabulary("UMLS", closed=True)

LANGUAGES = {
    "cs": "CZE",
    "da": "DAN",
    "de": "GER",
    "en": "ENG",
    "es": "SPA",
    "fi": "FIN",
    "fr": "FRE",
    "hu": "HUN",
    "it": "ITA",
    "ja": "JPN",
    "ko": "KOR",
    "nl": "DUT",
    "no": "NOR",
    "pl": "POL",
    "pt": "POR",
    "ru": "RUS",
    "sv": "SWE",
    "tr": "TUR",
    "zh": "CHI",
}
"""ISO 639-1 → the LAT column."""

KEPT = "N"
"""The SUPPRESS column of what is neither obsolete nor withdrawn."""

ABBREVIATIONS = {"AB", "ACR", "AA", "SSN"}
BRANDS = {"BN", "SBD", "BD", "TRD"}
"""Term types (TTY)."""

RELATED = {"CHD": ("is_a", False), "PAR": ("is_a", True), "RN": ("is_narrower_than", False)}
RELATED |= {"RB": ("is_narrower_than", True), "RL": ("is_like", False)}
"""REL where RELA is empty → the predicate, and whether it reads from the first concept to the second."""

CODES = {"MSH": "MESH:", "HPO": "", "DRUGBANK": "", "OMIM": "OMIM:", "NCI": "NCIT:", "RXNORM": "RXCUI:"}
"""Vocabularies whose own codes join other files of the graph, and what goes before their codes."""


class _Atom(NamedTuple):
    """One name of a concept, from one vocabulary; `rank` is lower for one that is rather preferred.

    heading   it is a heading of MeSH, in its own wording
    """

    text: str
    rank: tuple[int, ...]
    scope: Scope
    code: str
    heading: bool


def read_names(path: File, language: str = "en") -> Rows:
    """MRCONSO: the concepts that have a name in the language, their names, and their codes in other vocabularies."""
    lat = _lat(language)
    yield UMLS
    nameless = 0
    for concept, group in groupby(_fields(path, 18), key=lambda one: one[0]):
        atoms: list[_Atom] = []
        for one in group:
            if isinstance(one, Faulty):
                yield one
            elif one[1] == lat and one[16] == KEPT:
                atoms.append(_atom(one))
        if not concept.startswith("line "):
            nameless += not atoms
            yield from _named(f"umls:{concept}", sorted(atoms, key=lambda atom: atom.rank))
    if nameless:
        yield LeftOut(f"concepts without a name in {lat}", nameless)


def _lat(language: str) -> str:
    code = LANGUAGES.get(language.lower()[:2])
    if code is None:
        known = ", ".join(sorted(LANGUAGES))
        raise SettingsError(f"UMLS has no names in the language {language!r}: choose one of {known}.")
    return code


def _atom(fields: list[str]) -> _Atom:
    # NLM marks one string of each concept as the preferred form of the preferred term (TS, STT, ISPREF).
    term, form, preferred, source, kind = fields[2], fields[4], fields[6], fields[11], fields[12]
    scope: Scope = "abbreviation" if kind in ABBREVIATIONS else "brand" if kind in BRANDS else "exact"
    rank = (scope != "exact", term != "P", form != "PF", preferred != "Y", source != "MSH")
    code = f"{CODES[source]}{fields[13]}" if source in CODES and fields[13] not in ("", "NOCODE") else ""
    return _Atom(one_line(fields[14]), tuple(map(int, rank)), scope, code, source == "MSH" and kind == "MH")


def _named(concept: str, atoms: list[_Atom]) -> Iterator[Row]:
    if not atoms:
        return
    yield Concept(concept, atoms[0].text)
    for text, scope in dict.fromkeys((atom.text, atom.scope) for atom in atoms[1:]):
        yield Name(concept, text, scope)
    for code in dict.fromkeys(atom.code for atom in atoms if atom.code):
        yield CrossReference(concept, code)
    for atom in atoms:
        if atom.heading and atom.code:
            yield Concept(atom.code, atom.text, mentioned=True)


def read_definitions(path: File) -> Rows:
    """MRDEF: what the vocabularies say that a concept is."""
    yield OF_KNOWN
    suppressed = 0
    for one in _fields(path, 8):
        if isinstance(one, Faulty):
            yield one
        elif one[6] != KEPT:
            suppressed += 1
        else:
            yield Definition(f"umls:{one[0]}", one_line(one[5]), one[4])
    if suppressed:
        yield LeftOut("suppressed definitions", suppressed)


def read_types(path: File) -> Rows:
    """MRSTY: what sort of thing each concept is."""
    yield OF_KNOWN
    for one in _fields(path, 6):
        yield one if isinstance(one, Faulty) else SemanticType(f"umls:{one[0]}", one[3])


def read_relations(path: File) -> Rows:
    """MRREL: the relations between two concepts that are labelled, each in one direction."""
    yield OF_KNOWN
    left_out: Counter[str] = Counter()
    for one in _fields(path, 16):
        if isinstance(one, Faulty):
            yield one
            continue
        first, _, _, rel, second, _, _, rela, _, _, source, _, _, _, suppress, *_ = one
        predicate, turned = _directed(rel, rela)
        if suppress != KEPT:
            left_out["suppressed relations"] += 1
        elif not predicate:
            left_out["relations without a label"] += 1
        elif turned:
            yield Relation(f"umls:{first}", predicate, f"umls:{second}", source)
        else:
            yield Relation(f"umls:{second}", predicate, f"umls:{first}", source)
    yield from (LeftOut(reason, count) for reason, count in left_out.items())


ACTIVE = {"may_be_treated_by": "may_treat", "may_be_prevented_by": "may_prevent", "treated_by": "treats"}
ACTIVE |= {"contraindicated_with_disease_by": "contraindicated_with_disease"}
AS_THEY_ARE = {"consists_of", "composed_of", "made_of"}


@lru_cache(maxsize=4096)
def _directed(rel: str, rela: str) -> tuple[str, bool]:
    """The predicate, "" for a relation without a label, and whether it reads from the first concept to the second.

    MRREL gives most relations twice, once in each direction, and RELA is what the second is to the first. A label and
    its inverse are told as one, so that a fact counts once: "finding_site_of" becomes "has_finding_site".
    """
    if not rela:
        return RELATED.get(rel, ("", False))
    if rela == "isa":
        return "is_a", False
    if rela == "inverse_isa":
        return "is_a", True
    if rela.startswith("inverse_"):
        return rela.removeprefix("inverse_"), True
    if rela in ACTIVE:
        return ACTIVE[rela], True
    if rela.endswith("_of") and not rela.startswith(("is_", "has_")) and rela not in AS_THEY_ARE:
        return f"has_{rela.removesuffix('_of')}", True
    return rela, False


def _fields(path: File, columns: int) -> Iterator[list[str] | Faulty]:
    """The columns of each line; RRF ends every column with a bar."""
    for number, line in lines(path):
        if isinstance(line, Faulty):
            yield line
            continue
        fields = line.rstrip("\r\n").split("|")
        if len(fields) == columns + 1 and fields[0] and not fields[-1]:
            yield fields
        elif not line.endswith("\n"):
            raise cut_off(path, number)
        elif line.strip():
            wrong = f"it has {len(fields) - 1} columns, and the table has {columns}"
            yield faulty(number, wrong if len(fields) != columns + 1 else "it names no concept, or ends without a bar")
