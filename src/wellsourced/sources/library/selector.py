"""The seam behind which whole documents of a library are selected and counted by their words, on this machine
(word_index) or on another.

What a query means is decided here, once: it is parsed, its headings are checked and expanded, and an engine gets a
tree. The catalogue is the truth. An engine is made from it, can be made again, and names documents by their ids; by
which words a document is found, and under which names, is the same for every engine (word_index/entries.py).
"""

from collections.abc import Callable, Collection, Mapping
from datetime import date
from typing import NamedTuple, Protocol, runtime_checkable

from wellsourced import query_language
from wellsourced.errors import SourceError
from wellsourced.events import Emit
from wellsourced.query_language.query_tree import Everything, MeshHeading, Node, QueryTerm, leaves
from wellsourced.question.vocabulary import Frequencies
from wellsourced.sources.base import HeadingVocabulary
from wellsourced.sources.heading_validation import validate_headings
from wellsourced.sources.library.documents import DocumentStore
from wellsourced.text.dates import DayRange, limit_days
from wellsourced.types import Query

MAX_TRUNCATION_WORDS = 3
"""Words by which a truncated one is ranked: the commonest of those that begin so."""


class DocumentQuery(NamedTuple):
    """Which documents are meant.

    node       the tree (query_language/query_tree.py); Everything for no condition
    narrower   heading, or type of publication, as it is written in the tree → its own name, then all below it. One that
               is not in it has nothing below it. A MeshHeading with `explode` and a QueryTerm of the field "type" mean
               any of these
    since, as_of   the days between which a document may have been published (text.dates: it is meant when its own days
               overlap, so that "2020" is meant by a limit within 2020); a document without a date is in no period
    exclude    ids that are not meant, in any case of letters: the library's, or "pubmed:…", "doi:…", "pmc:…" of a card
    only       ids of the library among which to select; None for all documents
    """

    node: Node = Everything()
    narrower: Mapping[str, Collection[str]] = {}
    since: date | None = None
    as_of: date | None = None
    exclude: tuple[str, ...] = ()
    only: tuple[str, ...] | None = None

    @property
    def period(self) -> DayRange | None:
        """The days in which a document may have been published; None for any, and for none."""
        return limit_days(self.since, self.as_of)


class SelectedDocuments(NamedTuple):
    """The documents that a query means.

    total   how many there are
    ids     of the newest (by the last day on which they may have been published), equal ones in the order of their
            ids; at most as many as were asked for
    words   to rank their passages by: those of subject fields and headings that are not left out, in their order; in
            the place of a pattern the MAX_TRUNCATION_WORDS commonest words of the library that it stands for
    notes   what a reader should know, as phrases without a full stop: filters that were ignored, documents without a
            date or headings and how many
    """

    total: int
    ids: list[str]
    words: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class DocumentSelector(Protocol):
    """The documents of one library, by their words. What every engine must keep:

    * Sets are exact: of the tree, the period and the exclusions, and in `total`. The newest first, equal ones by id.
    * A part of a tree that no record can be held against (a language, a day of entry, Everything) asks for nothing: it
      narrows nothing, adds nothing, leaves nothing out, and is told in the notes.
    * A document without any headings may be taken for one of a heading that its title or text names, except where that
      would leave it out (under an odd number of NOT), and the notes say so.
    * A term that stands for more than 10,000 wordings of the library is refused (SourceRefused), never cut.
    * Words are compared in small letters and without accents, unstemmed; phrases and NEAR within one field, and never
      across two headings, types or authors.
    * It knows every change of the catalogue that was made before it is asked (DocumentStore.list_changes): it brings
      itself up to date first, or, where a reader may not, says in the notes how many changes it lacks.

    Raises SourceUnavailable for what may pass, SourceRefused for what will not, each with a message in words. An outage
    is never an empty result.

    host     the machine that is asked, "host:port", for those that have to know what leaves this one; "" for none
    """

    @property
    def host(self) -> str: ...

    def clear_query(self, query: Query) -> Query:
        """The query as this engine may be asked; one whose host is another machine takes identifiers out, and tells.

        Called before a query is parsed. Words that are to be counted, or corrected, the engine clears itself.
        """
        ...

    async def update(self, emit: Emit) -> None:
        """Take over what has changed in the catalogue since, in steps that can be stopped and go on where they were."""
        ...

    async def select(self, query: DocumentQuery, limit: int) -> SelectedDocuments:
        """The documents that a query means; of at most `limit` the ids, which may be none."""
        ...

    async def count_holding_all(self, words: Collection[str], query: DocumentQuery) -> int:
        """How many of the documents of a query hold all these words, each in whatever form: with the same stem
        (text.tokens.content_stems)."""
        ...

    async def frequencies(self, words: Collection[str]) -> Frequencies:
        """As question.vocabulary.Lexicon; of a word with a hyphen, or of several, how many hold them in a row."""
        ...

    async def spelled_like(self, word: str, limit: int) -> list[tuple[str, int]]:
        """As question.vocabulary.Lexicon: at most so many (word, documents), the likeliest first."""
        ...

    def clear(self) -> None:
        """Forget everything: the next update, or question, makes it again."""
        ...

    def close(self) -> None:
        """Let go of files. Connections are those of the client that the engine was given, who closes it."""
        ...


@runtime_checkable
class SelectingEngine(Protocol):
    """An engine of passages that selects whole documents too; of others the library's folder does."""

    def open_selector(self, catalogue: DocumentStore) -> DocumentSelector: ...


async def read_boolean(query: Query, headings: HeadingVocabulary | None) -> tuple[DocumentQuery, tuple[str, ...]]:
    """What a Boolean query asks of an engine, and the notes on reading it. Raises BadQuery."""
    parsed = query_language.parse_query(query.text)
    notes = list(parsed.notes)
    node, narrower = await _expand_headings(parsed.node, headings, notes.append)
    return limit_query(query)._replace(node=node, narrower=narrower), tuple(notes)


def limit_query(query: Query) -> DocumentQuery:
    """All documents that the dates and exclusions of a query admit: the same rule as text.dates.is_eligible."""
    return DocumentQuery(since=query.since, as_of=query.as_of, exclude=query.exclude)


async def _expand_headings(
    node: Node, headings: HeadingVocabulary | None, note: Callable[[str], None]
) -> tuple[Node, dict[str, list[str]]]:
    """The query with headings that exist, and what stands below each of them and of its types of publication."""
    if headings is None:
        if any(isinstance(leaf, MeshHeading) and leaf.explode for leaf in leaves(node)):
            note("searched without a MeSH vocabulary: headings do not include narrower ones")
        return node, {}
    checked = await validate_headings(node, [headings])
    for told in checked.notes:
        note(told)
    exploded = {leaf.name for leaf in leaves(checked.node) if isinstance(leaf, MeshHeading) and leaf.explode}
    types = {leaf.words for leaf in leaves(checked.node) if isinstance(leaf, QueryTerm) and leaf.field == "type"}
    try:
        named = [(name, await headings.heading(name) or name) for name in sorted(exploded | types)]
        below = {name: await headings.explode(heading) for name, heading in named}
    # The heading itself is still looked for, which finds less and nothing wrong.
    except SourceError as error:
        note(f"{headings.name} could not look up narrower headings ({error.phrase})")
        return checked.node, {}
    return checked.node, {name: [name, *others] for name, others in below.items()}
