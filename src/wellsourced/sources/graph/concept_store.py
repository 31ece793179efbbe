# ruff: noqa: S608 - SQL is put together from words of this file alone; whatever comes from outside is a parameter
"""The SQLite file that holds the graph: its tables, how names are compared in it, and how one asks it.

Strings that come back often (predicates, sources) are kept once, in `words`. Every value reaches SQL as a parameter.
"""

import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced.errors import NextStep, NotFoundError, SourceRefused
from wellsourced.storage.private_files import make_private_file
from wellsourced.storage.sqlite_database import (
    JSON_VALUES,
    connect_for_reading,
    connect_sqlite,
    explain_sqlite_errors,
    json_list,
    sqlite_transaction,
)
from wellsourced.text.tokens import tokenize


class ConceptEntry(NamedTuple):
    """A concept: its number in the file, its id, its preferred name ("" for a bare id) and what is known of it."""

    key: int
    id: str
    name: str
    state: int

    @property
    def title(self) -> str:
        """Its name, or its id for want of one."""
        return self.name or self.id


class NamedConcept(NamedTuple):
    """A concept by one of its names."""

    entry: ConceptEntry
    scope: int
    text: str


class ConceptDefinition(NamedTuple):
    """What a source says of a concept in its own words."""

    concept: int
    aspect: str
    source: str
    reference: str
    text: str
    file: int


class Edge(NamedTuple):
    """A relation, with the names of its ends."""

    subject: ConceptEntry
    predicate: str
    object: ConceptEntry
    source: str
    reference: str
    detail: str
    file: int


class GraphContents(NamedTuple):
    """What the graph holds: described concepts, facts (definitions and relations), vocabularies and their releases."""

    concepts: int
    facts: int
    vocabularies: tuple[str, ...]
    releases: tuple[str, ...]


FORMAT = 1
"""Raised whenever what is stored changes so that older graphs must be made anew."""

BARE, MENTIONED, DESCRIBED = range(3)
"""What is known of a concept: its id alone; a name, from somebody's relation; what its own vocabulary says of it."""

SCOPES = ("preferred", "exact", "abbreviation", "brand", "related", "narrow", "broad", "mentioned")
"""How a name relates to its concept, by the number that is stored."""

LAST_SYNONYM_SCOPE = 3
"""The scopes up to this one mean the same thing."""

SCHEMA = """
CREATE TABLE graph (format INTEGER NOT NULL, indexed INTEGER NOT NULL);
CREATE TABLE files (
    key INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
    vocabulary TEXT NOT NULL, released TEXT NOT NULL, language TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('reading', 'read')),
    items INTEGER NOT NULL DEFAULT 0, concepts INTEGER NOT NULL DEFAULT 0, facts INTEGER NOT NULL DEFAULT 0,
    faults INTEGER NOT NULL DEFAULT 0, left_out TEXT NOT NULL DEFAULT '{}'
);
CREATE TABLE words (key INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE concepts (
    key INTEGER PRIMARY KEY, id TEXT NOT NULL COLLATE NOCASE UNIQUE, name TEXT NOT NULL, state INTEGER NOT NULL,
    file INTEGER NOT NULL
);
CREATE INDEX concepts_state ON concepts (state);
CREATE TABLE names (
    key INTEGER PRIMARY KEY AUTOINCREMENT, concept INTEGER NOT NULL, scope INTEGER NOT NULL, text TEXT NOT NULL,
    folded TEXT NOT NULL, initials TEXT NOT NULL, file INTEGER NOT NULL
);
CREATE VIRTUAL TABLE names_text USING fts5 (
    folded, content = 'names', content_rowid = 'key', tokenize = 'porter unicode61'
);
CREATE TABLE definitions (
    key INTEGER PRIMARY KEY, concept INTEGER NOT NULL, aspect INTEGER NOT NULL, source INTEGER NOT NULL,
    reference TEXT NOT NULL, text TEXT NOT NULL, file INTEGER NOT NULL
);
CREATE TABLE types (key INTEGER PRIMARY KEY, concept INTEGER NOT NULL, type INTEGER NOT NULL, file INTEGER NOT NULL);
CREATE TABLE relations (
    key INTEGER PRIMARY KEY, subject INTEGER NOT NULL, predicate INTEGER NOT NULL, object INTEGER NOT NULL,
    source INTEGER NOT NULL, reference TEXT NOT NULL, detail TEXT NOT NULL, file INTEGER NOT NULL
);
CREATE TABLE links (
    key INTEGER PRIMARY KEY, concept INTEGER NOT NULL, other TEXT NOT NULL COLLATE NOCASE, file INTEGER NOT NULL
);
CREATE TABLE redirects (
    key INTEGER PRIMARY KEY, id TEXT NOT NULL COLLATE NOCASE, other TEXT NOT NULL, file INTEGER NOT NULL
);
CREATE INDEX redirects_id ON redirects (id);
"""

INDEXES = {
    "names_folded": "names (folded)",
    "names_initials": "names (initials) WHERE initials <> ''",
    "names_concept": "names (concept)",
    "definitions_concept": "definitions (concept)",
    "types_concept": "types (concept)",
    "relations_subject": "relations (subject)",
    "relations_object": "relations (object)",
    "links_concept": "links (concept)",
    "links_other": "links (other)",
}
"""The indexes that a very large file is read without: sorting all rows at once is faster than placing each."""

IDENTITY_PREFIXES = {"umls", "MESH", "OMIM", "ORPHA", "DOID", "MONDO", "HP", "NCIT", "SNOMEDCT", "DB", "RXCUI", "SYMP"}
"""Prefixes of ids that name one thing; a code of a classification (ICD) names a drawer with many things in it."""

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


class ConceptStore:
    """An open graph; to be used by one thread at a time.

    Raises NotFoundError where there is none, SourceRefused when it is damaged or too new, SourceUnavailable when the
    disk is full or another process holds it for too long.
    """

    def __init__(self, path: Path, *, write: bool = False) -> None:
        self.path = path
        empty = not path.is_file() or not path.stat().st_size
        # Opening it would make an empty file, which would then be a damaged graph.
        if not write and empty:
            raise NotFoundError(f"No concept graph at {path}.", next_step=NextStep("add recipe"))
        if write:
            make_private_file(path)
        with self.explain_errors():
            how = "mode=rwc" if empty else "mode=rw"
            self.sql = connect_sqlite(path, how) if write else connect_for_reading(path).sql
        try:
            with self.explain_errors():
                self._prepare(write)
        # Also on Ctrl-C: an open connection would keep the lock of a graph that nobody uses.
        except BaseException:
            self.sql.close()
            raise

    def _prepare(self, write: bool) -> None:
        if write and not self.sql.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            self.sql.execute("PRAGMA journal_mode = WAL")
            indexes = ";".join(f"CREATE INDEX {name} ON {columns}" for name, columns in INDEXES.items())
            self.sql.executescript(f"BEGIN;{SCHEMA};{indexes};")
            self.sql.execute("INSERT INTO graph VALUES (?, 0)", (FORMAT,))
            self.sql.execute("COMMIT")
        self.sql.execute("PRAGMA synchronous = NORMAL")
        # A build looks up both ends of every relation: with a smaller cache than their index it is four times slower.
        self.sql.execute(f"PRAGMA cache_size = {-(256 if write else 64) * 1024}")
        self.sql.execute(f"PRAGMA query_only = {int(not write)}")
        (found,) = self.sql.execute("SELECT format FROM graph").fetchone()
        if found != FORMAT:
            remedy = "Use the version that made it, or delete and rebuild it."
            raise SourceRefused(f"{self.path}: the graph has format {found}, but this version reads {FORMAT}. {remedy}")

    def close(self) -> None:
        self.sql.close()

    # --- concepts -------------------------------------------------------------------------------------------------

    def find_by_id(self, id: str) -> list[ConceptEntry]:
        """The concept of this id, the successor of one that is no longer used, or those that bear it elsewhere."""
        found = self._fetch_concepts("WHERE c.id = ?", (id,))
        # A bare id may be one that a vocabulary has given up: its successor says more.
        if not found or found[0].state == BARE:
            moved = "WHERE c.id = (SELECT other FROM redirects WHERE id = ? ORDER BY key DESC LIMIT 1)"
            found = self._fetch_concepts(moved, (id,)) or found
        # Last, what others call by this id: several may, and none of them is certain to be it.
        if not found:
            linked = "WHERE c.key IN (SELECT concept FROM links WHERE other = ?) ORDER BY c.id LIMIT 50"
            found = self._fetch_concepts(linked, (id,))
        return found

    def find_by_names(self, names: Collection[str]) -> dict[str, list[NamedConcept]]:
        """Folded name → the concepts that bear it."""
        sql = f"FROM names n JOIN concepts c ON c.key = n.concept WHERE n.folded IN {JSON_VALUES} ORDER BY n.key"
        rows = self.fetch_rows(
            f"SELECT n.folded, c.key, c.id, c.name, c.state, n.scope, n.text {sql}", json_list(names)
        )
        found = defaultdict(list)
        for name, key, id, title, state, scope, text in rows:
            found[name].append(NamedConcept(ConceptEntry(key, id, title, state), scope, text))
        return found

    def find_by_initials(self, letters: str, limit: int) -> list[NamedConcept]:
        """Concepts of which a name of three words or more has these initials, in lower case."""
        sql = "FROM names n JOIN concepts c ON c.key = n.concept WHERE n.initials = ? ORDER BY n.key LIMIT ?"
        return self._fetch_named_concepts(sql, (letters, limit))

    def find_by_text(self, words: Sequence[str], limit: int) -> list[NamedConcept]:
        """Concepts of which a name holds all these words, the best name by BM25 first. Words are data, never syntax."""
        asked = " ".join('"' + word.replace('"', '""') + '"' for word in words)
        if not asked:
            return []
        best = "SELECT rowid AS hit, rank FROM names_text WHERE names_text MATCH ? ORDER BY rank LIMIT ?"
        joined = f"FROM ({best}) JOIN names n ON n.key = hit JOIN concepts c ON c.key = n.concept ORDER BY rank, n.key"
        return self._fetch_named_concepts(joined, (asked, limit))

    def find_equivalents(self, entry: ConceptEntry) -> list[ConceptEntry]:
        """The concepts of other vocabularies that are this one.

        An id that both bear joins two concepts of one name. It joins others only when it is exact: no second concept
        of either vocabulary bears it, and neither end bears a second id of its prefix. So do preferred names of two
        words or more that are the same, and any name of it by which somebody only mentions a concept.
        """
        own = {id.casefold() for id in (entry.id, *self._linked_ids([entry.key])[entry.key])}
        bearers = self._find_bearers(own)
        others = {one.key: one for ones in bearers.values() for one in ones if one.key != entry.key}
        links = self._linked_ids([entry.key, *others])
        found = {one.key: one for one in self._find_namesakes(entry)}
        name = fold_name(entry.name)
        for id, ones in bearers.items():
            of_prefix = Counter(_id_prefix(one.id) for one in ones if one.key != entry.key)
            of_prefix[_id_prefix(entry.id)] += 1
            for one in (one for one in ones if one.key != entry.key):
                # Two concepts of one vocabulary with one id: at least one of them is only near it, and joining both
                # would merge them.
                alone = of_prefix[_id_prefix(one.id)] == 1 == of_prefix[_id_prefix(entry.id)]
                exact = alone and _is_exact_id(id, entry, links) and _is_exact_id(id, one, links)
                if exact or (name and fold_name(one.name) == name):
                    found[one.key] = one
        return sorted(found.values(), key=lambda one: one.id)

    def _linked_ids(self, keys: Sequence[int]) -> dict[int, list[str]]:
        """For each concept the ids that it bears in other vocabularies, as far as such ids name one thing."""
        rows = self.fetch_rows(f"SELECT concept, other FROM links WHERE concept IN {JSON_VALUES}", json_list(keys))
        found: dict[int, list[str]] = {key: [] for key in keys}
        for concept, other in rows:
            # A code of ICD is a drawer: what lies in one is not one thing.
            if _id_prefix(other) in IDENTITY_PREFIXES:
                found[concept].append(other)
        return found

    def _find_bearers(self, ids: Collection[str]) -> dict[str, list[ConceptEntry]]:
        """Id in lower case → the concepts that have it or name it as their own elsewhere; at most a thousand."""
        columns = "c.key, c.id, c.name, c.state"
        linked = (
            f"SELECT l.other, {columns} FROM links l JOIN concepts c ON c.key = l.concept WHERE "
            f"l.other IN {JSON_VALUES}"
        )
        same = f"SELECT c.id, {columns} FROM concepts c WHERE c.id IN {JSON_VALUES}"
        rows = self.fetch_rows(f"{linked} UNION {same} LIMIT 1000", json_list(ids) * 2)
        found: dict[str, list[ConceptEntry]] = defaultdict(list)
        for id, *columns_of in rows:
            found[id.casefold()].append(ConceptEntry(*columns_of))
        return found

    def _find_namesakes(self, entry: ConceptEntry) -> Iterator[ConceptEntry]:
        name = fold_name(entry.name)
        called = [one for one in self.find_by_names([name]).get(name, ()) if one.entry.key != entry.key] if name else []
        yield from (one.entry for one in called if one.entry.state == MENTIONED)
        preferred = {one.entry for one in called if one.scope == 0 and one.entry.state == DESCRIBED and " " in name}
        of_prefix = Counter(_id_prefix(one.id) for one in (*preferred, entry))
        yield from (one for one in preferred if of_prefix[_id_prefix(one.id)] == 1)

    # --- what is said of them ---------------------------------------------------------------------------------------

    def names(self, keys: Sequence[int], limit: int) -> list[NamedConcept]:
        """All names of these concepts, in the order in which they came in."""
        sql = (
            f"FROM names n JOIN concepts c ON c.key = n.concept WHERE n.concept IN {JSON_VALUES} ORDER BY n.key LIMIT ?"
        )
        return self._fetch_named_concepts(sql, (*json_list(keys), limit))

    def definitions(self, keys: Collection[int]) -> list[ConceptDefinition]:
        columns = "d.concept, a.text, s.text, d.reference, d.text, d.file"
        tables = "definitions d JOIN words a ON a.key = d.aspect JOIN words s ON s.key = d.source"
        rows = self.fetch_rows(
            f"SELECT {columns} FROM {tables} WHERE d.concept IN {JSON_VALUES} ORDER BY d.key", json_list(keys)
        )
        return [ConceptDefinition(*row) for row in rows]

    def types(self, keys: Collection[int]) -> list[str]:
        tables = "types t JOIN words w ON w.key = t.type"
        rows = self.fetch_rows(
            f"SELECT DISTINCT w.text FROM {tables} WHERE t.concept IN {JSON_VALUES}", json_list(keys)
        )
        return sorted(text for (text,) in rows)

    def edges(self, keys: Collection[int], limit: int) -> list[Edge]:
        """The relations of these concepts, at most `limit` of each in either direction, as they came in."""
        return [edge for key in keys for end in ("subject", "object") for edge in self._edges(key, end, limit)]

    def _edges(self, key: int, end: str, limit: int) -> list[Edge]:
        columns = "s.key, s.id, s.name, s.state, p.text, o.key, o.id, o.name, o.state, w.text"
        ends = "JOIN concepts s ON s.key = r.subject JOIN concepts o ON o.key = r.object"
        texts = "JOIN words p ON p.key = r.predicate JOIN words w ON w.key = r.source"
        some = f"SELECT * FROM relations WHERE {end} = ? ORDER BY key LIMIT ?"
        sql = f"SELECT {columns}, r.reference, r.detail, r.file FROM ({some}) r {ends} {texts} ORDER BY r.key"
        rows = self.fetch_rows(sql, (key, limit))
        return [Edge(ConceptEntry(*row[:4]), row[4], ConceptEntry(*row[5:9]), *row[9:]) for row in rows]

    def weights(self, keys: Collection[int], enough: int = 10_000) -> dict[int, tuple[bool, int]]:
        """For each concept, whether somebody defines it, and how many relations it has (counted up to `enough`)."""
        defined = "EXISTS (SELECT 1 FROM definitions WHERE concept = c.key)"
        counts = " + ".join(
            f"(SELECT count(*) FROM (SELECT 1 FROM relations WHERE {end} = c.key LIMIT ?))"
            for end in ("subject", "object")
        )
        rows = self.fetch_rows(
            f"SELECT c.key, {defined}, {counts} FROM concepts c WHERE c.key IN {JSON_VALUES}",
            (enough, enough, *json_list(keys)),
        )
        return {key: (bool(has), count) for key, has, count in rows}

    def releases(self, files: Collection[int]) -> list[str]:
        sql = f"SELECT DISTINCT released FROM files WHERE key IN {JSON_VALUES} AND released <> '' ORDER BY released"
        return [released for (released,) in self.fetch_rows(sql, json_list(files))]

    def contents(self) -> GraphContents:
        ((concepts,),) = self.fetch_rows("SELECT count(*) FROM concepts WHERE state = ?", (DESCRIBED,))
        rows = self.fetch_rows("SELECT vocabulary, max(released), sum(facts) FROM files GROUP BY 1 ORDER BY 1")
        released = tuple(one for _, one, _ in rows if one)
        return GraphContents(concepts, sum(facts for *_, facts in rows), tuple(name for name, *_ in rows), released)

    # --- SQL --------------------------------------------------------------------------------------------------------

    def _fetch_concepts(self, condition: str, parameters: tuple[object, ...]) -> list[ConceptEntry]:
        rows = self.fetch_rows(f"SELECT c.key, c.id, c.name, c.state FROM concepts c {condition}", parameters)
        return [ConceptEntry(*row) for row in rows]

    def _fetch_named_concepts(self, sql: str, parameters: tuple[object, ...]) -> list[NamedConcept]:
        rows = self.fetch_rows(f"SELECT c.key, c.id, c.name, c.state, n.scope, n.text {sql}", parameters)
        return [NamedConcept(ConceptEntry(*row[:4]), *row[4:]) for row in rows]

    def fetch_rows(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with self.explain_errors():
            return self.sql.execute(sql, tuple(parameters)).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        with self.explain_errors(), sqlite_transaction(self.sql):
            yield self.sql

    def explain_errors(self) -> AbstractContextManager[None]:
        return explain_sqlite_errors(self.path, "It may not be a graph. If it is yours, delete and rebuild it.")


def _is_exact_id(id: str, entry: ConceptEntry, links: dict[int, list[str]]) -> bool:
    """Whether an id, in lower case, is the concept's own, or the only one of its prefix that it bears."""
    prefix = id.partition(":")[0]
    of_prefix = {other.casefold() for other in links[entry.key] if other.casefold().partition(":")[0] == prefix}
    return entry.id.casefold() == id or of_prefix == {id}


def _id_prefix(id: str) -> str:
    prefix, colon, _ = id.partition(":")
    return prefix if colon else id.rstrip("0123456789")
