"""Whole documents of a library selected and counted on OpenSearch: a Boolean tree becomes one query of the server.

The server gets the words of each document unstemmed and in their order, as the embedded index has them, in a third
index. It is made when somebody first asks, from the catalogue's list of changes; each change is written under its
number, so that of two machines that write the same document at once the later change stays.
"""

import asyncio
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import permutations, product
from typing import NamedTuple, Protocol

from wellsourced.errors import PersonalDataError, SourceRefused
from wellsourced.events import Emit, Progress, ignore_event
from wellsourced.query_language.query_tree import And, Node, Or
from wellsourced.question.vocabulary import Frequencies
from wellsourced.sources.library.documents import DocumentChange, DocumentStore
from wellsourced.sources.library.opensearch.cluster import BulkAction, Cluster, Json
from wellsourced.sources.library.opensearch.index import EVERYTHING, AliasedIndex, LibraryIndex, build_period, make_key
from wellsourced.sources.library.selector import DocumentQuery, SelectedDocuments
from wellsourced.sources.library.word_index.boolean import (
    MAX_WORDINGS,
    NoteHandler,
    TreeMatcher,
    Wording,
    ignore_note,
    literal_term,
    shared_columns,
)
from wellsourced.sources.library.word_index.entries import (
    SEPARATOR,
    WORD_FIELDS,
    WordIndexEntry,
    build_entry,
    possible_identities,
    strip_accents,
)
from wellsourced.sources.library.word_index.selection import find_neighbours, find_word_forms, list_ranking_words
from wellsourced.text.dates import NO_DAYS, DayRange
from wellsourced.types import Query

MAX_CHANGES = 2_000
"""Changes that are taken over at a time, and then remembered."""

MAX_CLAUSES = 1_000
"""Phrases of a query: a server takes 1,024, unless it is told otherwise."""

MAX_ORDERED_PARTS = 4
"""Terms near each other, of unequal lengths, that are looked for in each order."""

PAGE = 10_000
"""Documents of one answer."""

BEGINNINGS_AT_ONCE = 60
"""Beginnings of words in one expression, which may have a thousand letters."""

UNTAGGED = "/"
"""The tag of a document that has no heading."""

NOTHING: Json = {"match_none": {}}

_TOKEN = re.compile(rf"[^\W_]+|{SEPARATOR}")


class QueryClearer(Protocol):
    """The engine that these documents are of: which machine is asked, and how a query may leave."""

    host: str

    def clear_query(self, query: Query) -> Query: ...


class OpenSearchSelector:
    """The documents of one library; what it promises is in selector.DocumentSelector."""

    def __init__(self, index: LibraryIndex, catalogue: DocumentStore, engine: QueryClearer) -> None:
        self._index, self._catalogue, self._engine = index, catalogue, engine
        self._lock = asyncio.Lock()
        self._is_cleared = False

    @property
    def host(self) -> str:
        return self._engine.host

    def clear_query(self, query: Query) -> Query:
        return self._engine.clear_query(query)

    def clear(self) -> None:
        self._is_cleared = True

    def close(self) -> None:
        """Nothing is open."""

    async def update(self, emit: Emit = ignore_event) -> None:
        async with self._lock:
            if self._is_cleared:
                await self._index.delete()
            state, self._is_cleared = await self._index.find(), False
            state = state or await self._index.make_ready()
            known, done = DocumentChange(*state.meta.get("change", (0, ""))), 0
            while known != (last := await asyncio.to_thread(self._catalogue.last_change)):
                changes = await asyncio.to_thread(self._catalogue.list_changes, known.number, MAX_CHANGES)
                # Where the last change is another than it was, so is the catalogue: a copy of an earlier day.
                if known.number and changes[:1] != [known]:
                    await self._index.delete()
                    state, known = await self._index.make_ready(), DocumentChange(0, "")
                    continue
                state, known = await self._take_over(state, changes), changes[-1]
                done += len(changes)
                total = done + last.number - known.number
                emit(Progress(task="indexing", done=done, total=total, unit="documents", documents=done))

    async def _take_over(self, state: AliasedIndex, changes: Sequence[DocumentChange]) -> AliasedIndex:
        numbers = {change.id: change.number for change in changes}
        records = (await asyncio.to_thread(self._catalogue.load_documents, numbers.keys())).records
        target = {id: {"_id": make_key(id), "version": n, "version_type": "external_gte"} for id, n in numbers.items()}
        await self._index.cluster.write(
            BulkAction({"index": target[id]}, _build_row(build_entry(records[id])))
            if id in records
            else BulkAction({"delete": target[id]})
            for id in numbers
        )
        # What is remembered can be found: whoever is killed before takes it over again.
        await self._index.cluster.refresh()
        return await self._index.remember(state, {}, change=[*changes[-1]])

    async def select(self, query: DocumentQuery, limit: int) -> SelectedDocuments:
        notes: list[str] = []
        matcher = await self._open_matcher(query.narrower, notes.append)

        def read() -> tuple[Json, tuple[str, ...]]:
            return matcher.build_query(query.node, query), tuple(list_ranking_words(query.node, matcher.words))

        built, words = await asyncio.to_thread(read)
        body: Json = {"query": built, "sort": [{"latest": "desc"}, {"id": "asc"}], "track_total_hits": True}
        ids: list[str] = []
        while True:
            page = {**body, "size": min(limit - len(ids), PAGE)}
            answer = await self._index.cluster.search(page, partial=False)
            ids += [hit["sort"][1] for hit in answer.hits]
            if len(answer.hits) < PAGE or len(ids) >= limit:
                return SelectedDocuments(answer.total, ids, words, tuple(dict.fromkeys(notes)))
            body["search_after"] = answer.hits[-1]["sort"]

    async def count_holding_all(self, words: Collection[str], query: DocumentQuery) -> int:
        matcher = await self._open_matcher(query.narrower)

        def build() -> Json:
            forms = [find_word_forms(word, matcher.words) for word in sorted(words)]
            return matcher.build_query(
                And((query.node, *(Or(tuple(map(literal_term, some))) for some in forms))), query
            )

        return (await self._index.cluster.count_each([await asyncio.to_thread(build)]))[0]

    async def frequencies(self, words: Collection[str]) -> Frequencies:
        asked = self._clear_words(words)
        matcher = await self._open_matcher({})
        queries = [matcher.build_query(literal_term(word), DocumentQuery()) for word in asked]
        total, *counts = await self._index.cluster.count_each([EVERYTHING, *queries])
        return Frequencies(total, {word: count for word, count in zip(asked, counts, strict=True) if count})

    async def spelled_like(self, word: str, limit: int) -> list[tuple[str, int]]:
        if not self._clear_words([word]):
            return []
        words = (await self._open_matcher({})).words
        return await asyncio.to_thread(find_neighbours, strip_accents(word), words, limit)

    def _clear_words(self, words: Collection[str]) -> list[str]:
        """Those of these words that may leave this machine."""
        if not self.host or not words:
            return [*words]
        try:
            kept = set(self.clear_query(Query(terms=tuple(words))).terms)
        except PersonalDataError:
            return []
        return [word for word in words if word in kept]

    async def _open_matcher(
        self, narrower: Mapping[str, Collection[str]], note: NoteHandler = ignore_note
    ) -> "QueryBuilder":
        await self.update()
        undated = {"term": {"latest": NO_DAYS.latest}}
        counts = await self._index.cluster.count_each([{"term": {"tags": UNTAGGED}}, undated])
        return QueryBuilder(ServerWords(self._index.cluster, asyncio.get_running_loop()), narrower, note, *counts)


class ServerWords(NamedTuple):
    """The words of the library on the server: boolean.LibraryWords, for threads beside the loop."""

    cluster: Cluster
    loop: asyncio.AbstractEventLoop

    def words_like(self, beginnings: Collection[str], pattern: str = "") -> Iterator[tuple[str, int]]:
        some = [*beginnings]
        for start in range(0, len(some), BEGINNINGS_AT_ONCE):
            meant = pattern.replace(r"\w", ".") or f"({'|'.join(some[start : start + BEGINNINGS_AT_ONCE])}).*"
            # One more than a term may stand for, so that there being more is seen.
            counted = {"terms": {"field": "words", "include": meant, "size": MAX_WORDINGS + 1}}
            body: Json = {"size": 0, "query": {"regexp": {"words": meant}}, "aggs": {"words": counted}}
            search = self.cluster.search(body, partial=False)
            yield from asyncio.run_coroutine_threadsafe(search, self.loop).result().buckets

    def count_documents(self, words: Collection[str]) -> dict[str, int]:
        counting = self.cluster.count_each([{"term": {"words": word}} for word in words])
        counts = asyncio.run_coroutine_threadsafe(counting, self.loop).result()
        return {word: count for word, count in zip(words, counts, strict=True) if count}


class QueryBuilder(TreeMatcher[Json]):
    """Writes a tree in the server's language."""

    def __init__(
        self,
        words: ServerWords,
        narrower: Mapping[str, Collection[str]],
        note: NoteHandler,
        untagged: int,
        undated: int,
    ) -> None:
        super().__init__(words, narrower, note)
        self.words, self.untagged, self.undated, self._clauses = words, untagged, undated, 0

    def build_query(self, node: Node, limits: DocumentQuery) -> Json:
        """What finds the documents of a tree that dates and exclusions admit. Raises SourceRefused."""
        excluded = [name for id in limits.exclude for name in possible_identities(id)[:1]]
        period, only = limits.period, limits.only
        meant = [
            self.find_node(node),
            None if period is None else self.match_period(period),
            None if only is None else {"terms": {"id": [*only]}},
        ]
        return self.leave_out(self.match_all(meant), {"terms": {"identities": excluded}})

    def match_all(self, sets: Sequence[Json | None]) -> Json | None:
        some = [one for one in sets if one is not None]
        return {"bool": {"filter": some}} if len(some) > 1 else some[0] if some else None

    def match_any(self, sets: Sequence[Json | None]) -> Json | None:
        flat = [part for one in sets if one is not None for part in one.get("bool", {}).get("should", [one])]
        # Single words, however many, are one clause for each column.
        listed: dict[str, list[str]] = defaultdict(list)
        for part in flat:
            for column, values in part.get("terms", {}).items():
                listed[column] += values
        joined = [part for part in flat if "terms" not in part]
        joined += [{"terms": {column: values}} for column, values in listed.items()]
        return {"bool": {"should": joined}} if len(joined) > 1 else joined[0] if joined else None

    def leave_out(self, kept: Json | None, left_out: Json) -> Json:
        return {"bool": {"filter": [kept or EVERYTHING], "must_not": [left_out]}}

    def match_wordings(self, wordings: Sequence[Wording]) -> Json:
        single: dict[str, list[str]] = defaultdict(list)
        clauses: list[Json] = []
        for words, columns, is_prefix in dict.fromkeys(wordings):
            # All words of a document are in one field too: of six questions one is left.
            for column in ("words",) if len(words) == 1 and columns == WORD_FIELDS else columns:
                if len(words) > 1:
                    text = {"query": " ".join(words)}
                    phrase = {"match_phrase": {column: text}}
                    # Every word that begins so counts, however many there are.
                    begun = {"match_phrase_prefix": {column: {**text, "max_expansions": 2**31 - 1}}}
                    clauses.append(begun if is_prefix else phrase)
                elif is_prefix:
                    clauses.append({"prefix": {column: words[0]}})
                else:
                    single[column].append(words[0])
        return self._join(clauses + [{"terms": {column: some}} for column, some in single.items()])

    def _join(self, clauses: Sequence[Json]) -> Json:
        self._clauses += sum("terms" not in one for one in clauses)
        self._check(self._clauses, MAX_CLAUSES, "phrases")
        return self.match_any(clauses) or NOTHING

    def _check(self, count: int, most: int, what: str) -> None:
        if count > most:
            remedy = "Write more of the letters of truncated words, or split the query."
            raise SourceRefused(f"The query has more than {most:,} {what} on {self.words.cluster.place}. {remedy}")

    def match_near(self, parts: Sequence[Sequence[Wording]], distance: int) -> Json:
        return self._join(
            [
                {"intervals": {column: near}}
                for chosen in product(*map(self._group, parts))
                if (near := _place_near(chosen, distance))
                for column in shared_columns([group.first for group in chosen])
            ]
        )

    def _group(self, wordings: Sequence[Wording]) -> list["IntervalGroup"]:
        """Alternatives that may stand for each other: of one length, in the same columns."""
        groups: dict[tuple[int, tuple[str, ...]], list[Wording]] = defaultdict(list)
        for wording in dict.fromkeys(wordings):
            groups[len(wording.words), wording.columns].append(wording)
            if wording.is_prefix:
                self._check(len([*self.words.words_like(wording.words[-1:])]), MAX_CLAUSES, "words near others")
        for some in groups.values():
            self._clauses += len(some)
        return [IntervalGroup(some[0], {"any_of": {"intervals": [*map(_interval, some)]}}) for some in groups.values()]

    def match_headings(self, headings: Sequence[str], qualifiers: Sequence[str]) -> Json:
        tags = [f"{name}/{one}" for name in headings for one in qualifiers] if qualifiers else [*headings]
        return {"terms": {"tags": tags}}

    def match_qualifier(self, qualifier: str) -> Json:
        return {"term": {"tags": f"/{qualifier}"}}

    def match_untagged(self) -> Json:
        return {"term": {"tags": UNTAGGED}}

    def match_identities(self, identities: Sequence[str]) -> Json:
        return {"terms": {"identities": [*identities]}}

    def match_period(self, period: DayRange) -> Json:
        return {"bool": {"filter": build_period(period)}}


class IntervalGroup(NamedTuple):
    """Wordings of one length and in the same columns, one of them, and where any of them stands."""

    first: Wording
    source: Json


def _place_near(chosen: Iterable[IntervalGroup], distance: int) -> Json | None:
    """Where these stand so near each other that between the end of the first and the beginning of the last are no more
    words than that; None for nowhere.

    The server counts the words that are in none of them, so that those in the middle have to be taken off.
    """
    some = [*{repr(one.source): one for one in chosen}.values()]
    lengths = [len(one.first.words) for one in some]
    if len(set(lengths)) == 1 or len(some) < 3 or len(some) > MAX_ORDERED_PARTS:
        orders, ordered = [some], False
    else:
        orders, ordered = [[*order] for order in permutations(some)], True
    near = []
    for order in orders:
        gaps = distance - sum(len(one.first.words) for one in order[1:-1])
        if gaps >= 0:
            sources = [one.source for one in order]
            near.append({"all_of": {"ordered": ordered, "max_gaps": gaps, "intervals": sources}})
    return {"any_of": {"intervals": near}} if near else None


def _interval(wording: Wording) -> Json:
    *words, last = wording.words
    if not wording.is_prefix:
        return {"match": {"query": " ".join(wording.words), "ordered": True, "max_gaps": 0}}
    begun = {"wildcard": {"pattern": f"{last}*", "max_expansions": MAX_CLAUSES}}
    before = [{"match": {"query": word}} for word in words]
    return {"all_of": {"ordered": True, "max_gaps": 0, "intervals": [*before, begun]}} if words else begun


def _build_row(entry: WordIndexEntry) -> Json:
    columns = {name: _TOKEN.findall(strip_accents(words)) for name, words in zip(WORD_FIELDS, entry.words, strict=True)}
    tags = {tag for one in entry.tags for tag in (one.heading, f"{one.heading}/{one.qualifier}", f"/{one.qualifier}")}
    return {
        "id": entry.id,
        "earliest": entry.days.earliest,
        "latest": entry.days.latest,
        "identities": sorted(entry.identities),
        "tags": sorted(tags - {UNTAGGED}) or [UNTAGGED],
        "words": sorted({word for words in columns.values() for word in words} - {SEPARATOR}),
        **{name: " ".join(words) for name, words in columns.items()},
    }
