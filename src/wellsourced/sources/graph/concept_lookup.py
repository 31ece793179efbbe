"""From terms to concepts: by id, by name, by words in common, by initials; what there is to read on one; and MeSH
headings.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from wellsourced.readers.concepts.base import canonical_id
from wellsourced.sources.graph.concept_page import ConceptData, ConceptPage, build_concept_page, synonyms
from wellsourced.sources.graph.concept_store import (
    BARE,
    LAST_SYNONYM_SCOPE,
    MENTIONED,
    ConceptEntry,
    ConceptStore,
    NamedConcept,
    fold_name,
    initials,
    is_abbreviation,
    name_variants,
)
from wellsourced.storage.sqlite_database import json_list
from wellsourced.text.lexicon import STOP_WORDS, word_set
from wellsourced.types import Query

MAX_CONCEPTS = 3
"""Concepts that one query may be about."""

MAX_NAMES = 1_000
"""Names of a concept, joined ones included, that are looked through."""

MAX_RELATIONS = 5_000
"""Relations of a concept, in either direction, that its document holds."""

MIN_ABBREVIATION_LETTERS = 4
"""Letters of the shortest abbreviation that is looked for among initials; three are anybody's: HIV is also the
"hypoplasia of the inferior vermis"."""

MAX_CANDIDATES = 50
"""Names that a full-text search brings up."""

MAX_QUERY_WORDS = 400
"""Words of a query in which terms are looked for."""

MAX_TERM_WORDS = 8
"""Words of the longest term that is looked for within a text."""

GENERAL_WORDS = word_set("""
    abnormality age adult adults adverse benefit best care case cases cause causes caused child children
    clinical common complication complications condition conditions control cure dangerous day days diagnosis
    difference disease diseases disorder disorders dose drug drugs effect effects effective efficacy evidence
    factor factors first function gene genes good group health heart help high human important increase index
    level levels life line long low male management mechanism medication medications medicine method men mild
    mode moderate new normal old onset option options patient patients people person pharmacotherapy phenotype
    physician population prevention procedure prognosis quality question rate reaction recommended recurrent
    related result results risk role safe severe severity side sign signs stage standard study symptom
    symptoms syndrome syndromes system target term test tests therapies therapy time treat treated treatment
    treatments trial type use used woman women work year years
""")
"""Words that many questions hold and none is about; as terms of their own they still find what they name."""

BOOLEAN_OPERATORS = {"AND", "OR", "NOT"}
"""Words of Boolean queries, which are written as abbreviations are."""

_WORD = re.compile(r"\w[\w'’]*(?:[-–]\w[\w'’]*)*")


class ConceptMatch(NamedTuple):
    """What a term names.

    how      by which way it was found: "text" and "initials" are guesses, the others are not
    equivalents   the concepts of other vocabularies that are this one
    others   further concepts that the term names, the likeliest first
    """

    concept: ConceptEntry
    how: Literal["id", "name", "synonym", "text", "initials"]
    equivalents: tuple[ConceptEntry, ...] = ()
    others: tuple[ConceptEntry, ...] = ()

    @property
    def keys(self) -> list[int]:
        """The concept and those joined to it, as the store numbers them."""
        return [self.concept.key, *(one.key for one in self.equivalents)]


class ConceptLookup:
    """Looks up in a store; to be used by one thread at a time."""

    def __init__(self, store: ConceptStore) -> None:
        self.store = store

    def find(self, term: str) -> ConceptMatch | None:
        """The concept that a term or an id names; None when nobody knows it."""
        if not fold_name(term):
            return None
        return (
            self._find_by_id(term)
            or self._find_by_name(term)
            or self._find_by_text(term)
            or self._find_by_initials(term)
        )

    def _find_by_id(self, term: str) -> ConceptMatch | None:
        # Ids have a prefix, but for DrugBank's, which people write as they are.
        if ":" not in term and not re.fullmatch(r"DB\d{5}", term.strip(), re.IGNORECASE):
            return None
        id = canonical_id(term)
        entries = [one for one in self.store.find_by_id(id) if one.state != BARE]
        return self._build_match([NamedConcept(one, 0, one.name) for one in entries], "id", id) if entries else None

    def _find_by_name(self, term: str) -> ConceptMatch | None:
        forms = name_variants(term)
        known = self.store.find_by_names(forms)
        for form in forms:
            if called := [one for one in known.get(form, ()) if not differs_by_case(term, one.text)]:
                found = self._build_match(called, "synonym", term)
                # A preferred name is what the vocabulary itself calls the concept; any other may be somebody's wider
                # use.
                preferred = any(one.entry == found.concept and one.scope == 0 for one in called)
                return found._replace(how="name") if preferred else found
        return None

    def _find_by_text(self, term: str) -> ConceptMatch | None:
        called = self.store.find_by_text(fold_name(term).split()[:MAX_TERM_WORDS], MAX_CANDIDATES)
        if is_abbreviation(term.strip()):
            # The index stems, and "PE" is not the stem of "pes".
            called = [one for one in called if term.strip() in one.text.split()]
        if not called:
            return None
        # Of the names that hold all the words, those that hold least besides.
        sizes = [len(fold_name(one.text).split()) for one in called]
        return self._build_match(
            [one for one, size in zip(called, sizes, strict=True) if size == min(sizes)], "text", term
        )

    def _find_by_initials(self, term: str) -> ConceptMatch | None:
        """Only when all that these initials stand for is one concept, or one name: else they would be a guess."""
        letters = term.strip()
        if not is_abbreviation(letters) or len(letters) < MIN_ABBREVIATION_LETTERS:
            return None
        called = self.store.find_by_initials(letters.lower(), MAX_CANDIDATES)
        found = self._build_match(called, "initials", term) if called else None
        one_name = len({fold_name(one.text) for one in called}) == 1
        return found if found and (one_name or not found.others) else None

    def _build_match(
        self, called: Sequence[NamedConcept], how: Literal["id", "synonym", "text", "initials"], term: str
    ) -> ConceptMatch:
        """The best of these concepts: called so first of all, then defined ones, then the best connected."""
        best, *others = self.rank_concepts(called, term)
        joined = self.store.find_equivalents(best)
        return ConceptMatch(best, how, tuple(joined), tuple(one for one in others if one not in joined))

    def rank_concepts(self, called: Sequence[NamedConcept], term: str) -> list[ConceptEntry]:
        """The concepts that are called so, the likeliest first."""
        weights = self.store.weights({one.entry.key for one in called})
        short = term.strip() if is_abbreviation(term.strip()) else ""
        spelled = self._concepts_with_initials(called, short) if short else set()

        def order(one: NamedConcept) -> tuple[object, ...]:
            # "ALL" is not everything, but what it abbreviates; of two leukaemias, the one with these initials.
            case, letters = short and one.text != short, short and one.entry.key not in spelled
            defined, relations = weights[one.entry.key]
            way = (case, one.scope > LAST_SYNONYM_SCOPE, one.scope > 0, letters)
            return *way, -one.entry.state, not defined, -relations, one.entry.id

        return list(dict.fromkeys(one.entry for one in sorted(called, key=order)))

    def _concepts_with_initials(self, called: Sequence[NamedConcept], short: str) -> set[int]:
        names = self.store.names([one.entry.key for one in called], MAX_NAMES)
        return {one.entry.key for one in names if initials(one.text) == short.lower()}

    def find_synonyms(self, term: str, limit: int) -> list[str]:
        """Other names of what a term names; none when the term was only found among the words of longer names."""
        found = self.find(term)
        if found is None or found.how == "text":
            return []
        return synonyms(found.concept, self.store.names(found.keys, MAX_NAMES), name_variants(term))[:limit]

    def build_pages(self, query: Query) -> list[ConceptPage]:
        """The documents of the concepts that a query names, each concept once."""
        found = self._find_in_terms(query.terms) if query.kind == "term" else self._find_in_text(query.text)
        entries: list[ConceptEntry] = []
        for one in found:
            # Concepts of two vocabularies that are one would give the same page twice.
            if not any(one == seen or one in self.store.find_equivalents(seen) for seen in entries):
                entries.append(one)
            if len(entries) == MAX_CONCEPTS:
                break
        return [self.build_page(one) for one in entries]

    def _find_in_terms(self, terms: Iterable[str]) -> Iterator[ConceptEntry]:
        for term in terms:
            if found := self.find(term):
                yield found.concept

    def _find_in_text(self, text: str) -> Iterator[ConceptEntry]:
        """What the longest names in a text name, the longest first; none overlaps another."""
        words = list(_WORD.finditer(text))[:MAX_QUERY_WORDS]
        terms = {
            (first, last): text[words[first].start() : words[last].end()]
            for first in range(len(words))
            for last in range(first, min(first + MAX_TERM_WORDS, len(words)))
        }
        known = self.store.find_by_names(
            {form for term in terms.values() if _is_specific(term) for form in name_variants(term)}
        )
        taken: set[int] = set()
        for first, last in sorted(terms, key=lambda span: (span[0] - span[1], -len(terms[span]), span)):
            inside = set(range(first, last + 1))
            # "type 2 diabetes" is not also "diabetes": the longest name takes its words.
            if not inside & taken and (entry := self._match_term(terms[first, last], known)):
                taken |= inside
                yield entry

    def _match_term(self, term: str, known: dict[str, list[NamedConcept]]) -> ConceptEntry | None:
        if not _is_specific(term):
            return None
        for form in name_variants(term):
            if called := [one for one in known.get(form, ()) if _has_same_case(term, one.text)]:
                return self.rank_concepts(called, term)[0]
        found = self._find_by_initials(term)
        return found.concept if found else None

    def build_page(self, entry: ConceptEntry) -> ConceptPage:
        joined = self.store.find_equivalents(entry)
        keys = [entry.key, *(one.key for one in joined)]
        names, types = self.store.names(keys, MAX_NAMES), self.store.types(keys)
        said, edges = self.store.definitions(keys), self.store.edges(keys, MAX_RELATIONS)
        releases = self.store.releases({one.file for one in said} | {edge.file for edge in edges})
        return build_concept_page(ConceptData(entry, joined, names, said, types, edges, releases))


def _is_specific(term: str) -> bool:
    """Whether a term can be what a text is about: no number, and no word that stands in every question."""
    words = term.split()
    if len(words) > 1:
        # A name does not begin or end with "of the"; what does is a piece cut out of a sentence.
        return not _is_stop_word(words[0]) and not _is_stop_word(words[-1])
    if is_abbreviation(term):
        return term not in BOOLEAN_OPERATORS
    name = fold_name(term)
    return len(name) > 2 and name not in STOP_WORDS and name not in GENERAL_WORDS and not name.isdecimal()


def _is_stop_word(word: str) -> bool:
    # The A of "vitamin A" is no article.
    return word.lower() in STOP_WORDS and not (len(word) == 1 and word.isupper())


def differs_by_case(term: str, name: str) -> bool:
    """Whether both are abbreviations of different things: the eGFR is no EGFR."""
    mixed = is_abbreviation(term.strip()) and term.strip() != term.strip().upper()
    return mixed and is_abbreviation(name) and name not in (term.strip(), term.strip().removesuffix("s"))


def _has_same_case(term: str, name: str) -> bool:
    """Within a text, an abbreviation is one only in its own case: "all" is not ALL, "cap" is not CAP."""
    return term == name or not is_abbreviation(name) or (is_abbreviation(term) and term.rstrip("s") == name)


# MeSH in the graph: which heading a term names, and what stands below it.
#
# Three things may be known. MeSH itself (its XML): every heading, in its own wording, with its places in the trees.
# UMLS: every heading in its own wording, and MeSH's relations. Open vocabularies (DO, Mondo): which of their concepts
# bear an id of MeSH. Then a heading is known to exist and its wording is not: of 5,973 concepts of both that bear one
# id of a heading, 76 % have a preferred name that MeSH knows, and a synonym of DO is one in 24 %.


MAX_MESH_HEADINGS, MAX_OPEN_CONCEPTS = 5_000, 2_000
"""What stands below one heading, at most: in MeSH, and in a vocabulary of which most concepts are no headings."""

MAX_ROTATED_WORDS = 8
"""Words of the longest term that is turned around."""

TREE_NUMBERS_SQL = """
    WITH own (key) AS (
        SELECT ?1 UNION SELECT c.key FROM links l JOIN concepts c ON c.id = l.other
        WHERE l.concept = ?1 AND l.other >= 'MESH:D' AND l.other < 'MESH:E'
    ) SELECT other FROM links WHERE concept IN own AND other >= 'MESH_TREE:' AND other < 'MESH_TREE;'
"""
"""The places of a concept, or of the heading whose id it bears."""

BELOW_SQL = """
    SELECT c.name, length(l.other) - length(replace(l.other, '.', '')) AS dots FROM links l
    JOIN concepts c ON c.key = l.concept WHERE l.other > ? AND l.other < ? AND c.name <> ''
"""
IS_COMPLETE_SQL = """
    SELECT EXISTS (SELECT 1 FROM files WHERE vocabulary IN ('MeSH', 'UMLS') AND state = 'read' AND concepts > 0)
    AND EXISTS (SELECT 1 FROM concepts WHERE id >= 'MESH:D' AND id < 'MESH:E' AND state >= ?)
"""
KINDS_SQL = """
    WITH RECURSIVE kinds (key) AS (
        SELECT value FROM json_each(?1) UNION SELECT r.subject FROM kinds k JOIN relations r ON r.object = k.key
        WHERE r.predicate = (SELECT key FROM words WHERE text = 'is_a')
        AND (?2 = '' OR r.source = (SELECT key FROM words WHERE text = ?2)) LIMIT ?3
    ) SELECT c.key, c.id, c.name, c.state FROM kinds k JOIN concepts c ON c.key = k.key
"""
"""SQLite takes what it found first as the next to go on from: the nearest come first, and the limit costs no detour."""

LINKED_HEADINGS_SQL = """
    SELECT l.concept, l.other, ifnull(c.name, '') FROM links l LEFT JOIN concepts c ON c.id = l.other
    WHERE l.concept IN (SELECT value FROM json_each(?)) AND l.other >= 'MESH:D' AND l.other < 'MESH:E'
"""


class GraphMesh:
    """Looks up headings; to be used by one thread at a time."""

    def __init__(self, lookup: ConceptLookup) -> None:
        self._lookup, self._store = lookup, lookup.store

    def is_complete(self) -> bool:
        """Whether all of MeSH is here: only then what is not found does not exist."""
        return bool(self._store.fetch_rows(IS_COMPLETE_SQL, (MENTIONED,))[0][0])

    def heading(self, term: str) -> str:
        """The heading that a term names; in the words of whoever knows its id where its own are not known."""
        entry = self._find_concept(term)
        return self._heading_names([entry])[entry.key] if entry else ""

    def explode(self, term: str) -> list[str]:
        """The heading that a term names and all below it, the nearest first, each once."""
        if (entry := self._find_concept(term)) is None:
            return []
        heading = self._heading_names([entry])[entry.key]
        places = [place for (place,) in self._store.fetch_rows(TREE_NUMBERS_SQL, (entry.key,))]
        # Trees are what PubMed itself explodes by; relations are all there is without MeSH's own XML.
        names = self._find_in_trees(places) if places else self._find_in_relations(entry)
        once: dict[str, str] = {}
        for name in (heading, *names):
            once.setdefault(fold_name(name), name)
        return list(once.values())

    def _find_concept(self, term: str) -> ConceptEntry | None:
        """The concept of a heading: MeSH's own before one that bears its id, the term as it stands before
        others."""
        forms = list(_heading_forms(term))
        known = self._lookup.store.find_by_names(forms)
        for form in forms:
            called = [one for one in known.get(form, ()) if not differs_by_case(term, one.text)]
            if entry := self._choose_concept(called, term):
                return entry
        return None

    def _choose_concept(self, called: Sequence[NamedConcept], term: str) -> ConceptEntry | None:
        ranked = self._lookup.rank_concepts(called, term) if called else []
        own = [one for one in ranked if _is_heading(one.id) and one.state != BARE]
        if own:
            return own[0]
        bearing = self._heading_names(ranked)
        return next((one for one in ranked if one.key in bearing), None)

    def _heading_names(self, entries: Collection[ConceptEntry]) -> dict[int, str]:
        """Concept → the heading that it is. One that bears several ids of headings is none of them."""
        found = {one.key: one.name for one in entries if _is_heading(one.id)}
        linked: dict[int, dict[str, str]] = {}
        keys = json_list([one.key for one in entries])
        for concept, other, name in self._store.fetch_rows(LINKED_HEADINGS_SQL, keys):
            linked.setdefault(concept, {})[other.upper()] = name
        for one in entries:
            ids = linked.get(one.key, {})
            if one.key not in found and len(ids) == 1:
                found[one.key] = next(iter(ids.values())) or one.name
        return {key: name for key, name in found.items() if name}

    def _find_in_trees(self, places: Sequence[str]) -> list[str]:
        """By the numbers of the trees, in all places at once, as PubMed explodes; no heading comes by another's."""
        found: dict[str, int] = {}
        for place in places:
            # "/" is the character behind ".": what lies between is what begins with the number and a dot.
            for name, dots in self._store.fetch_rows(BELOW_SQL, (f"{place}.", f"{place}/")):
                depth = dots - place.count(".")
                found[name] = min(depth, found.get(name, depth))
        return sorted(found, key=lambda name: (found[name], name))[:MAX_MESH_HEADINGS]

    def _find_in_relations(self, entry: ConceptEntry) -> list[str]:
        """By relations; MeSH's own where UMLS gave them, since other vocabularies put other things below."""
        keys = [entry.key, *(one.key for one in self._store.find_equivalents(entry))]
        source = "MSH" if self._store.fetch_rows("SELECT 1 FROM words WHERE text = 'MSH'") else ""
        rows = self._store.fetch_rows(KINDS_SQL, (*json_list(keys), source, MAX_OPEN_CONCEPTS))
        entries = [ConceptEntry(*row) for row in rows[len(keys) :]]
        names = self._heading_names(entries)
        return [name for one in entries if (name := names.get(one.key, one.name))]


def _heading_forms(term: str) -> Iterator[str]:
    """The term as it stands, in the singular and the plural, then turned around wherever a comma may have stood.

    Folded, "Diabetes Mellitus, Type 2" has the words of "type 2 diabetes mellitus" in another order, and begins
    elsewhere.
    """
    seen: set[str] = set()
    words = fold_name(term).split()
    # Each turn is a look-up, and no heading of MeSH is turned around a longer name.
    for first in range(len(words) if len(words) <= MAX_ROTATED_WORDS else 1):
        turned = " ".join(words[first:] + words[:first])
        forms = name_variants(turned) if first else name_variants(term)
        yield from (form for form in forms if form not in seen)
        seen.update(forms)


def _is_heading(id: str) -> bool:
    return id.upper().startswith("MESH:D")
