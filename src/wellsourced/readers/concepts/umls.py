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
from wellsourced.readers.base import File, UnreadablePart
from wellsourced.readers.concepts import base as rows
from wellsourced.readers.concepts.base import collapse_whitespace, read_columns

UMLS = rows.Vocabulary("UMLS")
UMLS_CLOSED = rows.Vocabulary("UMLS", closed=True)

_LANGUAGE_CODES_TEXT = """
    cs:CZE da:DAN de:GER en:ENG es:SPA fi:FIN fr:FRE hu:HUN it:ITA ja:JPN
    ko:KOR nl:DUT no:NOR pl:POL pt:POR ru:RUS sv:SWE tr:TUR zh:CHI
"""
LANGUAGE_CODES = dict(pair.split(":") for pair in _LANGUAGE_CODES_TEXT.split())
"""ISO 639-1 → the LAT column."""

NOT_SUPPRESSED = "N"
"""The SUPPRESS column of what is neither obsolete nor withdrawn."""

ABBREVIATION_TYPES = {"AB", "ACR", "AA", "SSN"}
BRAND_TYPES = {"BN", "SBD", "BD", "TRD"}
"""Term types (TTY)."""

REL_PREDICATES = {"CHD": ("is_a", False), "PAR": ("is_a", True), "RN": ("is_narrower_than", False)}
REL_PREDICATES |= {"RB": ("is_narrower_than", True), "RL": ("is_like", False)}
"""REL where RELA is empty → the predicate, and whether it reads from the first concept to the second."""

CODE_PREFIXES = {"MSH": "MESH:", "HPO": "", "DRUGBANK": "", "OMIM": "OMIM:", "NCI": "NCIT:", "RXNORM": "RXCUI:"}
"""Vocabularies whose own codes join other files of the graph, and what goes before their codes."""


class _Atom(NamedTuple):
    """One name of a concept, from one vocabulary; `rank` is lower for one that is rather preferred.

    is_heading   it is a heading of MeSH, in its own wording
    """

    text: str
    rank: tuple[int, ...]
    scope: rows.Scope
    code: str
    is_heading: bool


def read_names(path: File, language: str = "en") -> rows.GraphRows:
    """MRCONSO: the concepts that have a name in the language, their names, and their codes in other vocabularies."""
    lat = LANGUAGE_CODES.get(language.lower()[:2])
    if lat is None:
        known = ", ".join(sorted(LANGUAGE_CODES))
        raise SettingsError(f"UMLS has no names in the language {language!r}. Choose one of {known}.")
    yield UMLS
    nameless = 0
    for concept, group in groupby(read_columns(path, 18, "|"), key=lambda line: line[1][0]):
        atoms: list[_Atom] = []
        for _, one in group:
            if isinstance(one, UnreadablePart):
                yield one
            elif one[1] == lat and one[16] == NOT_SUPPRESSED:
                atoms.append(_build_atom(one))
        if not concept.startswith("line "):
            nameless += not atoms
            yield from _concept_rows(f"umls:{concept}", sorted(atoms, key=lambda atom: atom.rank))
    if nameless:
        yield rows.SkippedRows(f"concepts without a name in {lat}", nameless)


def _build_atom(fields: list[str]) -> _Atom:
    # NLM marks one string of each concept as the preferred form of the preferred term (TS, STT, ISPREF).
    term, form, preferred, source, kind = fields[2], fields[4], fields[6], fields[11], fields[12]
    scope: rows.Scope = "abbreviation" if kind in ABBREVIATION_TYPES else "brand" if kind in BRAND_TYPES else "exact"
    rank = (scope != "exact", term != "P", form != "PF", preferred != "Y", source != "MSH")
    has_code = source in CODE_PREFIXES and fields[13] not in ("", "NOCODE")
    code = f"{CODE_PREFIXES[source]}{fields[13]}" if has_code else ""
    return _Atom(collapse_whitespace(fields[14]), tuple(map(int, rank)), scope, code, source == "MSH" and kind == "MH")


def _concept_rows(concept: str, atoms: list[_Atom]) -> Iterator[rows.GraphRow]:
    if not atoms:
        return
    yield rows.Concept(concept, atoms[0].text)
    for text, scope in dict.fromkeys((atom.text, atom.scope) for atom in atoms[1:]):
        yield rows.ConceptName(concept, text, scope)
    for code in dict.fromkeys(atom.code for atom in atoms if atom.code):
        yield rows.CrossReference(concept, code)
    for atom in atoms:
        if atom.is_heading and atom.code:
            yield rows.Concept(atom.code, atom.text, mentioned=True)


def read_definitions(path: File) -> rows.GraphRows:
    """MRDEF: what the vocabularies say that a concept is."""
    yield UMLS_CLOSED
    suppressed = 0
    for _, one in read_columns(path, 8, "|"):
        if isinstance(one, UnreadablePart):
            yield one
        elif one[6] != NOT_SUPPRESSED:
            suppressed += 1
        else:
            yield rows.Definition(f"umls:{one[0]}", collapse_whitespace(one[5]), one[4])
    if suppressed:
        yield rows.SkippedRows("suppressed definitions", suppressed)


def read_types(path: File) -> rows.GraphRows:
    """MRSTY: what sort of thing each concept is."""
    yield UMLS_CLOSED
    for _, one in read_columns(path, 6, "|"):
        yield one if isinstance(one, UnreadablePart) else rows.SemanticType(f"umls:{one[0]}", one[3])


def read_relations(path: File) -> rows.GraphRows:
    """MRREL: the relations between two concepts that are labelled, each in one direction."""
    yield UMLS_CLOSED
    left_out: Counter[str] = Counter()
    for _, one in read_columns(path, 16, "|"):
        if isinstance(one, UnreadablePart):
            yield one
            continue
        first, _, _, rel, second, _, _, rela, _, _, source, _, _, _, suppress, *_ = one
        predicate, turned = _predicate_and_direction(rel, rela)
        if suppress != NOT_SUPPRESSED:
            left_out["suppressed relations"] += 1
        elif not predicate:
            left_out["relations without a label"] += 1
        elif turned:
            yield rows.Relation(f"umls:{first}", predicate, f"umls:{second}", source)
        else:
            yield rows.Relation(f"umls:{second}", predicate, f"umls:{first}", source)
    yield from (rows.SkippedRows(reason, count) for reason, count in left_out.items())


ACTIVE_PREDICATES = {"may_be_treated_by": "may_treat", "may_be_prevented_by": "may_prevent", "treated_by": "treats"}
ACTIVE_PREDICATES |= {"contraindicated_with_disease_by": "contraindicated_with_disease"}
UNTURNED_PREDICATES = {"consists_of", "composed_of", "made_of"}


@lru_cache(maxsize=4096)
def _predicate_and_direction(rel: str, rela: str) -> tuple[str, bool]:
    """The predicate, "" for a relation without a label, and whether it reads from the first concept to the second.

    MRREL gives most relations twice, once in each direction, and RELA is what the second is to the first. A label and
    its inverse are told as one, so that a fact counts once: "finding_site_of" becomes "has_finding_site".
    """
    if not rela:
        return REL_PREDICATES.get(rel, ("", False))
    if rela == "isa":
        return "is_a", False
    if rela == "inverse_isa":
        return "is_a", True
    if rela.startswith("inverse_"):
        return rela.removeprefix("inverse_"), True
    if rela in ACTIVE_PREDICATES:
        return ACTIVE_PREDICATES[rela], True
    if rela.endswith("_of") and not rela.startswith(("is_", "has_")) and rela not in UNTURNED_PREDICATES:
        return f"has_{rela.removesuffix('_of')}", True
    return rela, False
