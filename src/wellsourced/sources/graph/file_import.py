"""One file of a vocabulary on its way into the graph: read and stored batch by batch, each one transaction."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced.errors import UnreadableFile
from wellsourced.readers.base import UnreadablePart
from wellsourced.readers.concepts.base import (
    Concept,
    ConceptName,
    CrossReference,
    Definition,
    Redirect,
    Relation,
    SemanticType,
    SkippedRows,
    Vocabulary,
)
from wellsourced.sources.graph.concept_store import (
    BARE,
    DESCRIBED,
    MENTIONED,
    SCOPES,
    ConceptStore,
    fold_name,
    initials,
)

BATCH_ROWS = 100_000
"""Rows that are read, stored or removed at a time."""

UNKNOWN_ENDS = "relations with an unknown end, or with one name at both ends"
UNKNOWN_CONCEPT = "definitions and types of unknown concepts"


class VocabularyFile(NamedTuple):
    """A file as the graph knows it, or as it lies on the disk (then without a key).

    items   rows of its reader that are stored
    """

    key: int
    path: str
    size: int
    mtime_ns: int
    language: str
    state: str = "reading"
    items: int = 0
    concepts: int = 0
    facts: int = 0
    faults: int = 0
    left_out: str = "{}"

    def is_same_as(self, other: "VocabularyFile") -> bool:
        """Whether both are the same bytes, read in the same way."""
        return self[1:5] == other[1:5]


def stat_vocabulary_file(path: Path, language: str) -> VocabularyFile:
    """The file as it lies on the disk. Raises UnreadableFile."""
    try:
        found = path.stat()
    except FileNotFoundError as error:
        raise UnreadableFile(path, "no such file or folder", "Check the spelling.") from error
    except OSError as error:
        raise UnreadableFile(path, f"it cannot be opened ({error.strerror})", "Check its permissions.") from error
    return VocabularyFile(0, str(path.resolve()), found.st_size, found.st_mtime_ns, language)


MENTIONED_SCOPE = SCOPES.index("mentioned")

SELECT_CONCEPT = "SELECT key, ?, ?, ?, ?, ? FROM concepts WHERE id = ?"
INSERT_NAMES = f"INSERT INTO names (concept, scope, text, folded, initials, file) {SELECT_CONCEPT}"
INSERT_DEFINITIONS = f"INSERT INTO definitions (concept, aspect, source, reference, text, file) {SELECT_CONCEPT}"
INSERT_TYPES = "INSERT INTO types (concept, type, file) SELECT key, ?, ? FROM concepts WHERE id = ?"
INSERT_LINKS = "INSERT INTO links (concept, other, file) SELECT key, ?, ? FROM concepts WHERE id = ?"
INSERT_CONCEPTS = (
    "INSERT INTO concepts (id, name, state, file) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE"
    " SET name = excluded.name, state = excluded.state, file = excluded.file WHERE excluded.state > state"
)
INSERT_RELATIONS = (
    "INSERT INTO relations (subject, predicate, object, source, reference, detail, file)"
    " SELECT s.key, ?, o.key, ?, ?, ?, ? FROM concepts s, concepts o WHERE s.id = ? AND o.id = ?"
)
INSERT_KNOWN_RELATIONS = f"{INSERT_RELATIONS} AND s.state = 2 AND o.state = 2 AND s.name <> o.name COLLATE NOCASE"
SELECT_NAMED_CONCEPT = (
    "INSERT INTO names (concept, scope, text, folded, initials, file) SELECT key, ?, ?, ?, '', ? FROM concepts"
)
INSERT_MENTIONS = f"{SELECT_NAMED_CONCEPT} WHERE id = ? AND state = 1"


class FileImport:
    """One file on its way into the graph."""

    def __init__(self, store: ConceptStore, state: VocabularyFile, vocabulary: Vocabulary, rows: Iterator[Any]) -> None:
        self.store, self.state, self.vocabulary = store, state, vocabulary
        self.faults: list[UnreadablePart] = []
        self._rows = rows
        self._skipped_rows = 0
        self._word_keys: dict[str, int] = {}

    def import_batch(self) -> bool:
        """Read and store one batch; whether there may be more. Raises UnreadableFile where the file breaks off.

        What is stored already is read over. Rows before the place where it breaks off are stored first.
        """
        if self._skipped_rows < self.state.items:
            rows, broken = self._read_rows(min(BATCH_ROWS, self.state.items - self._skipped_rows))
            self._skipped_rows += len(rows)
        else:
            rows, broken = self._read_rows(BATCH_ROWS)
            self._store_rows(rows, final=not rows and not broken)
            self._skipped_rows = self.state.items
        if broken:
            raise broken
        return bool(rows)

    def _read_rows(self, number: int) -> tuple[list[Any], UnreadableFile | None]:
        taken: list[Any] = []
        try:
            for row in islice(self._rows, number):
                taken.append(row)  # noqa: PERF402 - what came before a fault must not be lost with it
        except UnreadableFile as error:
            return taken, error
        return taken, None

    def _store_rows(self, rows: Sequence[Any], *, final: bool) -> None:
        kinds: dict[type, list[Any]] = defaultdict(list)
        for row in rows:
            kinds[type(row)].append(row)
        left_out = Counter(json.loads(self.state.left_out))
        left_out.update({one.reason: one.rows for one in kinds[SkippedRows]})
        try:
            with self.store.transaction() as sql:
                self._insert_concepts(kinds[Concept], kinds[Relation])
                self._insert_names(kinds[Concept], kinds[ConceptName])
                left_out[UNKNOWN_CONCEPT] += self._insert_texts(kinds[Definition], kinds[SemanticType])
                left_out[UNKNOWN_ENDS] += self._insert_relations(kinds[Relation])
                file = self.state.key
                sql.executemany(INSERT_LINKS, ((one.other, file, one.concept) for one in kinds[CrossReference]))
                redirects = ((one.id, one.to, file) for one in kinds[Redirect])
                sql.executemany("INSERT INTO redirects (id, other, file) VALUES (?, ?, ?)", redirects)
                state = self._count_rows(rows, kinds, left_out, final=final)
                changes = "state = ?, items = ?, concepts = ?, facts = ?, faults = ?, left_out = ?"
                sql.execute(f"UPDATE files SET {changes} WHERE key = ?", (*state[5:], state.key))  # noqa: S608
        except BaseException:
            # Words that were numbered in a transaction that did not come to pass have no number.
            self._word_keys.clear()
            raise
        self.state = state
        self.faults += kinds[UnreadablePart]

    def _count_rows(
        self, rows: Sequence[Any], kinds: dict[type, list[Any]], left_out: Counter[str], *, final: bool
    ) -> VocabularyFile:
        before = self.state
        facts = len(kinds[Definition]) + len(dict.fromkeys(kinds[Relation]))
        dropped = sum(left_out[one] for one in (UNKNOWN_ENDS, UNKNOWN_CONCEPT))
        dropped -= sum(json.loads(before.left_out).get(one, 0) for one in (UNKNOWN_ENDS, UNKNOWN_CONCEPT))
        return before._replace(
            state="read" if final else "reading",
            items=before.items + len(rows),
            concepts=before.concepts + sum(not one.mentioned for one in kinds[Concept]),
            facts=before.facts + max(0, facts - dropped),
            faults=before.faults + len(kinds[UnreadablePart]),
            left_out=json.dumps(+left_out),
        )

    def _insert_concepts(self, concepts: Iterable[Concept], relations: Iterable[Relation]) -> None:
        file = self.state.key
        rows = ((one.id, one.name, MENTIONED if one.mentioned else DESCRIBED, file) for one in concepts)
        self.store.sql.executemany(INSERT_CONCEPTS, rows)
        if not self.vocabulary.closed:
            ends = dict.fromkeys(end for one in relations for end in (one.subject, one.object))
            self.store.sql.executemany(INSERT_CONCEPTS, ((id, "", BARE, file) for id in ends))

    def _insert_names(self, concepts: Sequence[Concept], names: Iterable[ConceptName]) -> None:
        file = self.state.key
        rows = dict.fromkeys([(one.id, 0, one.name) for one in concepts if not one.mentioned])
        rows |= dict.fromkeys((one.concept, SCOPES.index(one.scope), one.text) for one in names)
        seen: set[tuple[str, str]] = set()
        for_sql = []
        for id, scope, text in rows:
            key = fold_name(text)
            # Of names that differ in case or hyphens alone, the first is kept.
            if key and (id, key) not in seen:
                seen.add((id, key))
                for_sql.append((scope, text, key, initials(text) if scope <= 1 else "", file, id))
        self.store.sql.executemany(INSERT_NAMES, for_sql)
        mentions = dict.fromkeys((one.id, one.name) for one in concepts if one.mentioned)
        self.store.sql.executemany(
            INSERT_MENTIONS,
            ((MENTIONED_SCOPE, text, key, file, id) for id, text in mentions if (key := fold_name(text))),
        )

    def _insert_texts(self, definitions: Sequence[Definition], types: Sequence[SemanticType]) -> int:
        """Stores them; the number of those whose concept is not known."""
        sql, file = self.store.sql, self.state.key
        said = sql.executemany(
            INSERT_DEFINITIONS,
            (
                (self._word_key(one.aspect), self._word_key(one.source), one.reference, one.text, file, one.concept)
                for one in definitions
            ),
        ).rowcount
        typed = sql.executemany(INSERT_TYPES, ((self._word_key(one.name), file, one.concept) for one in types)).rowcount
        return len(definitions) + len(types) - max(0, said) - max(0, typed)

    def _insert_relations(self, relations: Sequence[Relation]) -> int:
        """Stores them, each once; the number of those that are left out for their ends."""
        # MRREL gives one relation of two concepts for each pair of their names, in a row.
        once = dict.fromkeys(relations)
        file, word = self.state.key, self._word_key
        done = self.store.sql.executemany(
            INSERT_KNOWN_RELATIONS if self.vocabulary.closed else INSERT_RELATIONS,
            (
                (word(predicate), word(source), reference, detail, file, subject, object)
                for subject, predicate, object, source, reference, detail in once
            ),
        )
        return len(once) - max(0, done.rowcount)

    def _word_key(self, text: str) -> int:
        key = self._word_keys.get(text)
        if key is None:
            sql = self.store.sql
            sql.execute("INSERT INTO words (text) VALUES (?) ON CONFLICT DO NOTHING", (text,))
            (key,) = sql.execute("SELECT key FROM words WHERE text = ?", (text,)).fetchone()
            self._word_keys[text] = key
        return int(key)
