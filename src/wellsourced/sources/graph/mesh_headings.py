"""MeSH in the graph: which heading a term names, and what stands below it.

Three things may be known. MeSH itself (its XML): every heading, in its own wording, with its places in the trees. UMLS:
every heading in its own wording, and MeSH's relations. Open vocabularies (DO, Mondo): which of their concepts bear an
id of MeSH. Then a heading is known to exist and its wording is not: of 5,973 concepts of both that bear one id of a
heading, 76 % have a preferred name that MeSH knows, and a synonym of DO is one in 24 %.
"""

from collections.abc import Collection, Iterator, Sequence

from wellsourced.sources.graph.concept_lookup import ConceptLookup, differs_by_case
from wellsourced.sources.graph.concept_store import ConceptEntry, NamedConcept
from wellsourced.sources.graph.name_forms import fold_name, name_variants
from wellsourced.sources.graph.schema import BARE, MENTIONED
from wellsourced.storage.sqlite_database import json_list

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
