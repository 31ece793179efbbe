"""MeSH in the graph: which heading a term names, and what stands below it.

Three things may be known. MeSH itself (its XML): every heading, in its own wording, with its places in the trees. UMLS:
every heading in its own wording, and MeSH's relations. Open vocabularies (DO, Mondo): which of their concepts bear an
id of MeSH. Then a heading is known to exist and its wording is not: of 5,973 concepts of both that bear one id of a
heading, 76 % have a preferred name that MeSH knows, and a synonym of DO is one in 24 %.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from wellsourced.sources.graph.lookup import Lookup, differs_by_case
from wellsourced.sources.graph.schema import BARE, MENTIONED
from wellsourced.sources.graph.store import Called, Entry
from wellsourced.sources.graph.terms import folded, variants

MOST, OPEN = 5_000, 2_000
"""What stands below one heading, at most: in MeSH, and in a vocabulary of which most concepts are no headings."""

TURNED = 8
"""Words of the longest term that is turned around."""

PLACES = """
    WITH own (key) AS (
        SELECT ?1 UNION SELECT c.key FROM links l JOIN concepts c ON c.id = l.other
        WHERE l.concept = ?1 AND l.other >= 'MESH:D' AND l.other < 'MESH:E'
    ) SELECT other FROM links WHERE concept IN own AND other >= 'MESH_TREE:' AND other < 'MESH_TREE;'
"""
"""The places of a concept, or of the heading whose id it bears."""

BELOW = """
    SELECT c.name, length(l.other) - length(replace(l.other, '.', '')) AS dots FROM links l
    JOIN concepts c ON c.key = l.concept WHERE l.other > ? AND l.other < ? AND c.name <> ''
"""
COMPLETE = """
    SELECT EXISTS (SELECT 1 FROM files WHERE vocabulary IN ('MeSH', 'UMLS') AND state = 'read' AND concepts > 0)
    AND EXISTS (SELECT 1 FROM concepts WHERE id >= 'MESH:D' AND id < 'MESH:E' AND state >= ?)
"""
KINDS = """
    WITH RECURSIVE kinds (key) AS (
        SELECT value FROM json_each(?1) UNION SELECT r.subject FROM kinds k JOIN relations r ON r.object = k.key
        WHERE r.predicate = (SELECT key FROM words WHERE text = 'is_a')
        AND (?2 = '' OR r.source = (SELECT key FROM words WHERE text = ?2)) LIMIT ?3
    ) SELECT c.key, c.id, c.name, c.state FROM kinds k JOIN concepts c ON c.key = k.key
"""
"""SQLite takes what it found first as the next to go on from: the nearest come first, and the limit costs no detour."""

LINKED = """
    SELECT l.concept, l.other, ifnull(c.name, '') FROM links l LEFT JOIN concepts c ON c.id = l.other
    WHERE l.concept IN (SELECT value FROM json_each(?)) AND l.other >= 'MESH:D' AND l.other < 'MESH:E'
"""


class MeSH:
    """Looks up headings; to be used by one thread at a time."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup, self._store = lookup, lookup.store

    def complete(self) -> bool:
        """Whether all of MeSH is here: only then what is not found does not exist."""
        return bool(self._rows(COMPLETE, MENTIONED)[0][0])

    def heading(self, term: str) -> str:
        """The heading that a term names; in the words of whoever knows its id where its own are not known."""
        entry = self._entry(term)
        return self._names([entry])[entry.key] if entry else ""

    def explode(self, term: str) -> list[str]:
        """The heading that a term names and all below it, the nearest first, each once."""
        if (entry := self._entry(term)) is None:
            return []
        heading = self._names([entry])[entry.key]
        places = [place for (place,) in self._rows(PLACES, entry.key)]
        names = self._in_trees(places) if places else self._in_relations(entry)
        once: dict[str, str] = {}
        for name in (heading, *names):
            once.setdefault(folded(name), name)
        return list(once.values())

    def _entry(self, term: str) -> Entry | None:
        """The concept of a heading: MeSH's own before one that bears its id, the term as it stands before others."""
        forms = list(_forms(term))
        known = self._lookup.store.by_names(forms)
        for form in forms:
            called = [one for one in known.get(form, ()) if not differs_by_case(term, one.text)]
            if entry := self._best(called, term):
                return entry
        return None

    def _best(self, called: Sequence[Called], term: str) -> Entry | None:
        ranked = self._lookup.ranked(called, term) if called else []
        own = [one for one in ranked if _is_heading(one.id) and one.state != BARE]
        if own:
            return own[0]
        bearing = self._names(ranked)
        return next((one for one in ranked if one.key in bearing), None)

    def _names(self, entries: Collection[Entry]) -> dict[int, str]:
        """Concept → the heading that it is. One that bears several ids of headings is none of them."""
        found = {one.key: one.name for one in entries if _is_heading(one.id)}
        linked: dict[int, dict[str, str]] = {}
        for concept, other, name in self._rows(LINKED, _listed(one.key for one in entries)):
            linked.setdefault(concept, {})[other.upper()] = name
        for one in entries:
            ids = linked.get(one.key, {})
            if one.key not in found and len(ids) == 1:
                found[one.key] = next(iter(ids.values())) or one.name
        return {key: name for key, name in found.items() if name}

    def _in_trees(self, places: Sequence[str]) -> list[str]:
        """By the numbers of the trees, in all places at once, as PubMed explodes; no heading comes by another's."""
        found: dict[str, int] = {}
        for place in places:
            # "/" is the character behind ".": what lies between is what begins with the number and a dot.
            for name, dots in self._rows(BELOW, f"{place}.", f"{place}/"):
                depth = dots - place.count(".")
                found[name] = min(depth, found.get(name, depth))
        return sorted(found, key=lambda name: (found[name], name))[:MOST]

    def _in_relations(self, entry: Entry) -> list[str]:
        """By relations; MeSH's own where UMLS gave them, since other vocabularies put other things below."""
        keys = [entry.key, *(one.key for one in self._store.joined(entry))]
        source = "MSH" if self._rows("SELECT 1 FROM words WHERE text = 'MSH'") else ""
        entries = [Entry(*row) for row in self._rows(KINDS, _listed(keys), source, OPEN)][len(keys) :]
        names = self._names(entries)
        return [name for one in entries if (name := names.get(one.key, one.name))]

    def _rows(self, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
        with self._store.plainly():
            return self._store.sql.execute(sql, parameters).fetchall()


def _forms(term: str) -> Iterator[str]:
    """The term as it stands, in the singular and the plural, then turned around wherever a comma may have stood.

    Folded, "Diabetes Mellitus, Type 2" has the words of "type 2 diabetes mellitus" in another order, and begins
    elsewhere.
    """
    seen: set[str] = set()
    words = folded(term).split()
    for first in range(len(words) if len(words) <= TURNED else 1):
        turned = " ".join(words[first:] + words[:first])
        forms = variants(turned) if first else variants(term)
        yield from (form for form in forms if form not in seen)
        seen.update(forms)


def _is_heading(id: str) -> bool:
    return id.upper().startswith("MESH:D")


def _listed(keys: Iterable[int]) -> str:
    return f"[{','.join(map(str, keys))}]"
