"""The common part of live sources: translate a query, relax it before it fetches, choose passages, remember
documents.
"""

import asyncio
import re
from abc import abstractmethod
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from itertools import zip_longest
from typing import NamedTuple

from wellsourced import query_language
from wellsourced.citations.links import possible_ids
from wellsourced.errors import NotFoundError, SourceError
from wellsourced.http import Client
from wellsourced.query_language.query_tree import SUBJECT_FIELDS, And, MeshHeading, Near, Node, Not, Or, QueryTerm
from wellsourced.sources.base import SearchResult, SourceInfo
from wellsourced.sources.service_answers import MAX_QUERY_CHARACTERS
from wellsourced.text.dates import is_eligible
from wellsourced.text.lexicon import STOP_WORDS
from wellsourced.text.passages import cut_passages
from wellsourced.text.tokens import content_stems, tokenize
from wellsourced.types import Document, Hit, Passage, Query, QueryKind, SourceKind

ENOUGH_RECORDS = 5
"""When fewer records have all words of a question, those that have some of them are asked for as well."""


class LiveSource:
    """A source on the network; `about`, `kind` and `asks` are what its SourceInfo says, for which it is not asked.

    It remembers `max_recent` documents, so that opening what it just found costs no request.
    """

    name: str
    about: str
    kind: SourceKind = "research"
    asks: tuple[QueryKind, ...] = ("text", "boolean")
    max_recent = 2_000

    def __init__(self, client: Client, url: str = "") -> None:
        self._client, self._url = client, url.rstrip("/")
        self._recent: OrderedDict[str, Document] = OrderedDict()

    async def describe(self) -> SourceInfo:
        return SourceInfo(self.name, self.kind, about=self.about, live=True, asks=self.asks)

    async def open(self, document_id: str) -> Document:
        """The document of an id, however it is written, as it was last fetched. Raises NotFoundError."""
        given, *others = possible_ids(document_id)
        if known := self._recent.get(document_id):
            return known
        try:
            document = await self.fetch_document(given)
        except NotFoundError:
            if not others:
                raise
            document = await self.fetch_document(others[0])
        self.remember([document])
        return document

    @abstractmethod
    async def fetch_document(self, document_id: str) -> Document:
        """The document of an id. Raises NotFoundError."""

    def remember(self, documents: Iterable[Document]) -> None:
        """Keep documents that were fetched just now."""
        for document in documents:
            self._recent[document.reference.id] = document
            self._recent.move_to_end(document.reference.id)
        while len(self._recent) > self.max_recent:
            self._recent.popitem(last=False)


class RelaxingSource(LiveSource):
    """A live source that takes Boolean expressions in its own language, and says how many records it has.

    Of keywords, the count is asked first, and the least important are dropped until there are enough records. What was
    dropped, and what the language cannot say, is told as a note.

    service         what messages call it
    any_word        how a word is asked for where any of several is enough
    max_documents   documents fetched for one search, at most, however many hits are asked for
    """

    service: str
    any_word: str
    max_documents: int | None = None

    async def search(self, query: Query, limit: int) -> SearchResult:
        """Passages of the records that the service finds most relevant."""
        if limit < 1:
            return SearchResult([])
        notes = list(self.translate(query.text).notes) if query.kind == "boolean" else []
        most = min(limit, self.max_documents or limit)
        few = min(ENOUGH_RECORDS, most) if query.any_word else 1
        asked = await relax_query(query, self.count, few)
        total, documents = await self.fetch_documents(self.build_expression(asked.query), query, most, notes)
        if relaxation := asked.describe_relaxation(self.service, total):
            notes.append(relaxation)
        # Only where few records have all words: any word alone finds thousands that are not meant.
        weaker = self.build_any_word_expression(query) if query.any_word else ""
        if weaker and total < few:
            documents += await self._fetch_weaker(weaker, query, most, documents, notes)
        self.remember(documents)
        return SearchResult(await asyncio.to_thread(build_hits, documents, query, limit), tuple(notes))

    async def _fetch_weaker(
        self, expression: str, query: Query, most: int, found: Sequence[Document], notes: list[str]
    ) -> list[Document]:
        """Records that have only some of the words, without those that were found already."""
        try:
            _, others = await self.fetch_documents(expression, query, most, notes)
        # What the strict search found stands: the wider one was only to add to it.
        except SourceError as error:
            if not found:
                raise
            notes.append(error.phrase)
            return []
        known = {document.reference.id for document in found}
        more = [document for document in others if document.reference.id not in known]
        if more:
            have = f"{self.service} has {len(found)} with all words of the question"
            notes.append(f"{have}; {len(more)} more have some of them")
        return more

    @abstractmethod
    async def count(self, query: Query) -> int:
        """How many records match; nothing is fetched but their number."""

    @abstractmethod
    async def fetch_documents(
        self, expression: str, query: Query, limit: int, notes: list[str]
    ) -> tuple[int, list[Document]]:
        """How many match, and the first of them; what is to be told of them is added to `notes`."""

    @abstractmethod
    def translate(self, expression: str) -> query_language.TranslatedQuery:
        """A Boolean expression in the service's language. Raises BadQuery for one that cannot be read."""

    @abstractmethod
    def build_expression(self, query: Query) -> str:
        """What is asked: a Boolean expression; of a question all its content words; of terms each as a phrase."""

    def build_any_word_expression(self, query: Query) -> str:
        """Any content word of a question; "" for any other query, and for a single word."""
        words = self.content_words(query.text) if query.kind == "text" and len(query.terms) == 1 else []
        return " OR ".join(map(self.any_word.format, words)) if len(words) > 1 else ""

    def content_words(self, text: str) -> list[str]:
        """Its words, without those that mean nothing to a search, among them "not"."""
        words = dict.fromkeys(tokenize(text[:MAX_QUERY_CHARACTERS]))
        return [word for word in words if word not in STOP_WORDS | {"not"}]


class RelaxedQuery(NamedTuple):
    """The strongest form of a query that finds enough, and what it lost on the way.

    full      records that match all of its terms
    dropped   terms that were let go, the more important first; () for a query that stands as it was
    """

    query: Query
    full: int = 0
    dropped: tuple[str, ...] = ()

    def describe_relaxation(self, title: str, found: int) -> str:
        """What a reader should know of it, where `found` records match what is left; "" when that helped nobody."""
        if not self.dropped or 0 < found <= self.full:
            return ""
        wanted, dropped = (
            ", ".join(terms) for terms in (self.query.terms + self.dropped, [f"“{term}”" for term in self.dropped])
        )
        return (
            f"{title} has {_format_count(self.full)} with all of: {wanted}; without {dropped} it has "
            f"{_format_count(found)}"
        )


async def relax_query(query: Query, count: Callable[[Query], Awaitable[int]], few: int) -> RelaxedQuery:
    """Drop as few of the terms as leave at least `few` records, the least important first; nothing is fetched.

    Of keywords alone: a question in its own words and a Boolean expression stand as they are. With fewer terms there
    are never fewer records, so the counts are searched by halves: at most one for each term but one, since the most
    important term is taken however many have it. Raises as `count` does.
    """
    if query.kind != "text" or len(query.terms) < 2:
        return RelaxedQuery(query)
    full = await count(query)
    if full >= few:
        return RelaxedQuery(query, full)
    weaker = list(query.relaxations())
    enough, tried = len(weaker) - 1, 0
    while tried < enough:
        middle = (tried + enough) // 2
        if await count(weaker[middle]) >= few:
            enough = middle
        else:
            tried = middle + 1
    return RelaxedQuery(weaker[enough], full, query.terms[len(weaker[enough].terms) :])


def _format_count(count: int) -> str:
    return f"{count:,}" if count else "nothing"


def build_hits(documents: Sequence[Document], query: Query, limit: int) -> list[Hit]:
    """Passages of documents that a source ranked, best first, at most `limit`; what the query excludes is left out.

    Every document gives its best passage before any gives a second one; of one document, the passages that share more
    of the query's words come first. The score is 1 / place in the list.
    """
    wanted = frozenset(content_stems(query.text))
    # Document by document in turn: a long article must not fill the list before a second work is heard.
    eligible = (document for document in documents if is_eligible(query, document.reference))
    rounds = zip_longest(*(_rank_passages(document, wanted) for document in eligible))
    passages = [passage for round_ in rounds for passage in round_ if passage is not None]
    return [Hit(passage=passage, score=1 / place) for place, passage in enumerate(passages[:limit], start=1)]


def _rank_passages(document: Document, wanted: frozenset[str]) -> list[Passage]:
    return sorted(cut_passages(document), key=lambda passage: -len(wanted.intersection(content_stems(passage.text))))


EUROPE_PMC_FIELD = re.compile(r"(?<![\w\"])[A-Z][A-Z_]+:(?=[\w\"(\[])")
"""A field as Europe PMC itself writes it: TITLE_ABS:gout."""


def translate_for_pubmed(expression: str) -> query_language.TranslatedQuery:
    """For PubMed: an expression that it understands as it was typed; one of Ovid, of several lines or with a fault in
    its own language, repaired. What was repaired, or cannot be said, is told. Raises BadQuery.
    """
    parsed = query_language.parse_query(expression)
    repaired = query_language.list_repairs(parsed)
    # PubMed reads its own language best: what it understands as it stands is not rewritten by us.
    if query_language.detect_dialect(expression) == "pubmed" and not repaired and "\n" not in expression.strip():
        return query_language.TranslatedQuery(expression.strip())
    written = query_language.write_pubmed_query(parsed.node)
    return query_language.TranslatedQuery(written.text, (*repaired, *written.notes))


def translate_for_europe_pmc(expression: str) -> query_language.TranslatedQuery:
    """For Europe PMC, in its own language; an expression with fields of that goes out as it was typed."""
    if EUROPE_PMC_FIELD.search(expression):
        return query_language.TranslatedQuery(expression.strip())
    parsed = query_language.parse_query(expression)
    written = query_language.write_europe_pmc_query(parsed.node)
    return query_language.TranslatedQuery(written.text, (*query_language.list_repairs(parsed), *written.notes))


def required_words(expression: str) -> str:
    """For a service that knows no expressions: the words that have to be there, of alternatives the first.

    What is left out, and what narrows by date, language or type, has no words.
    """
    return " ".join(dict.fromkeys(_node_words(query_language.parse_query(expression).node).split()))


def _node_words(node: Node) -> str:
    match node:
        case QueryTerm():
            return re.sub(r"[*?#]", " ", node.words) if node.field in SUBJECT_FIELDS else ""
        case MeshHeading():
            return node.name.replace(",", " ")
        case And() | Near():
            return " ".join(filter(None, map(_node_words, node.parts)))
        case Or():
            # Half a word finds nothing there: an alternative that is written out comes first.
            whole = sorted(node.parts, key=_has_truncated_word)
            return next(filter(None, map(_node_words, whole)), "")
        case Not():
            return _node_words(node.kept)
    return ""


def _has_truncated_word(node: Node) -> bool:
    return any(
        isinstance(leaf, QueryTerm) and (leaf.truncated or "*" in leaf.words) for leaf in query_language.leaves(node)
    )
