"""The seam behind which the passages of a library are found, on this machine (embedded_engine) or on another.

The catalogue is the truth: texts, hashes, sections, and what is still to be indexed. An engine is made from it and can
be made again. It names passages by their ids, and words are only ever cut from the catalogue at the place that the id
says, so that an engine that is damaged, behind, or somebody else's can spoil a rank and no quote.
"""

from collections.abc import Callable, Collection, Sequence
from datetime import date
from hashlib import blake2b
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.base import Vectors
from wellsourced.errors import SettingsError
from wellsourced.text.dates import DayRange, day_range, limit_days
from wellsourced.text.passages import cut_index_passages, search_text
from wellsourced.types import Document, Query


class PassageFilter(NamedTuple):
    """What may be found, decided before anything is ranked. Empty means anything; `only` are ids of documents.

    The rule of text.dates.is_eligible, but for exclusions by a DOI, PMID or PMC id.
    """

    since: date | None = None
    as_of: date | None = None
    exclude: tuple[str, ...] = ()
    only: tuple[str, ...] = ()

    @property
    def period(self) -> DayRange | None:
        """The days in which a document may have been published; None for any, and for none."""
        return limit_days(self.since, self.as_of)


class NewPassage(NamedTuple):
    """A passage to be indexed.

    id              says where it is: "doi:10.1161/…#120-480" (types.Passage.id)
    document_hash   of its document as the catalogue has it, 64 bits with a sign; what is found is compared with it
    days            of publication, as yyyymmdd (text/dates.py): it is found where the two ranges overlap
    searched        the words it is found by (text.passages.search_text); no engine needs to give them back
    """

    id: str
    document_hash: int
    days: DayRange
    searched: str

    @property
    def document_id(self) -> str:
        return self.id.rpartition("#")[0]

    @property
    def text_hash(self) -> int:
        """Tells whether the words that it is found by have changed: 64 bits with a sign."""
        return int.from_bytes(blake2b(self.searched.encode(), digest_size=8).digest(), "big", signed=True)


def cut_document(document: Document, hash: int) -> list[NewPassage]:
    """The passages of a document, stored under this hash, as they are indexed."""
    days = day_range(document.reference.published)
    return [
        NewPassage(passage.id, hash, days, search_text(document, passage)) for passage in cut_index_passages(document)
    ]


class IndexedPassage(NamedTuple):
    """A passage that an engine holds, by its id and the hash of the document that it was cut from.

    number   by which the engine that gave it finds it again sooner; 0 where it has none, or somebody else asks
    """

    id: str
    document_hash: int
    number: int = 0

    @property
    def document_id(self) -> str:
        return self.id.rpartition("#")[0]

    @property
    def place(self) -> tuple[int, int]:
        """Where it begins and ends in the text of its document; (0, 0), which is nowhere, for an id that is damaged."""
        start, _, end = self.id.rpartition("#")[2].partition("-")
        return (int(start), int(end)) if start.isdecimal() and end.isdecimal() else (0, 0)


class ScoredPassage(NamedTuple):
    """A passage that was found, and its score; higher is better."""

    passage: IndexedPassage
    score: float


class Ranking(NamedTuple):
    """What was found, best first.

    notes   what is missing in it and why, as phrases for whoever reads the answer: "2 of 5 shards did not answer"
    """

    passages: list[ScoredPassage]
    notes: tuple[str, ...] = ()


class PassageCounts(NamedTuple):
    """Passages that can be found by their words, and those of them that have a vector."""

    passages: int
    vectors: int


class PassageFinder(Protocol):
    """The passages of one library, for readers and for its one writer.

    Any number of readers search at any time, in other processes too; there is one writer, who holds the library's
    lock. What every engine must keep:

    * What a method that writes has returned from is durable, and is found by every search that begins after the next
      `refresh` of the one who searches. An engine that needs a moment for that waits for it before it returns.
    * Writing is idempotent. Of a method that raised, or was cut off, any part may have happened to any document; the
      catalogue still has these documents as pending, and calls again with the same ones. Nothing else has changed.
      So a replacement has to delete by document, whatever passages it has, and never by what it believes is there.
    * Filters hold exactly, before anything is ranked: what is left out may not push out what is not.
    * Equal scores are in the order of ids, also at the edge of a list: which of two equal passages is found is never
      chance.
    * Nothing that could not be asked is missing in silence: an engine that answers only in part says so in the notes
      of a ranking; in any other method it raises.

    Raises SourceUnavailable for what may pass (no connection, a time-out, a full disk, too many requests; after its own
    retries), SourceRefused for what will not (a damaged index, another version or mapping, somebody else's index, a
    bad key), with a message in words, and the next step where there is one. Never returns an empty result instead.

    host   the machine that is asked, "host:port", for those that have to know what leaves this one; "" for none
    """

    @property
    def host(self) -> str: ...

    def clear_query(self, query: Query) -> Query:
        """The query as this engine may be asked; one whose host is another machine takes identifiers out, and tells.

        Called once for each search, before its vector is computed: `client.exit` of the client that a remote engine is
        given has `clear_query` and `disclose`. Raises PersonalDataError, and then nothing is asked.
        """
        ...

    async def rank_by_words(self, text: str, also: str, wanted: PassageFilter, limit: int) -> Ranking:
        """The best passages by BM25 (k1 1.2, b .75), of the words that `bm25_index.weigh_words` makes of the texts.

        The texts are words, never a syntax; those of `also` count for less. Passages are analysed by
        `bm25_index.analyze_words` or what gives the same words. A factor common to all scores does not matter.
        """
        ...

    async def rank_by_vector(self, vector: NDArray[np.float32], wanted: PassageFilter, limit: int) -> Ranking:
        """The passages whose vectors point most nearly the same way as this unit vector; scores are cosines.

        It may be approximate where there are many, not where there are few. None without vectors.
        """
        ...

    async def load_vectors(self, passages: Sequence[IndexedPassage]) -> dict[str, NDArray[np.float32]]:
        """By id, the vectors of those of these passages that are here and have one, in half precision or better."""
        ...

    async def prepare(self) -> None:
        """Make ready to be written: make what is missing, check what is there. Called by the one writer."""
        ...

    async def replace(self, document_ids: Collection[str], passages: Sequence[NewPassage]) -> None:
        """Store passages in place of all that these documents have. Passages with the same words keep their vector.

        document_ids   also those of documents that have no passages here, and of those that get none: they are gone
        passages       may be of documents that are not named, which have none here
        """
        ...

    async def add_vectors(self, passages: Sequence[IndexedPassage], vectors: Vectors) -> None:
        """Store unit vectors, a row for each passage, except of those that are gone or of another document hash."""
        ...

    async def drop_vectors(self, encoder: str = "") -> None:
        """Forget all vectors: those that come next are this encoder's, perhaps of another width."""
        ...

    async def list_unencoded(
        self, after: IndexedPassage | None, limit: int, only: Collection[str] = ()
    ) -> list[IndexedPassage]:
        """At most so many passages without a vector, in an order of the engine's own, from behind this one on.

        only   ids of documents, if not all count
        """
        ...

    async def count(self) -> PassageCounts:
        """Counted without looking at each. It tells whether the engine is behind the catalogue, or ahead of it."""
        ...

    async def count_by_document(self) -> dict[str, tuple[int, int]]:
        """id → (hash, passages that can be found) of every document that has passages here; -1 where hashes differ."""
        ...

    async def drop(self, *, vectors: bool) -> None:
        """Delete what is here, also what cannot be opened.

        vectors   also the vectors; else those that can be read are kept for passages that come again
        """
        ...

    def refresh(self) -> None:
        """Have the next search see what others have written. Takes no time."""
        ...

    def close(self) -> None:
        """Let go of files. Connections are those of the client that the engine was given, who closes it."""
        ...


class EngineAddress(NamedTuple):
    """Where the passages of a library are, as its catalogue says.

    url       "opensearch://search.example:9200/index", without credentials; "" for this machine
    library   the library's name, for messages
    owner     the library's own mark, 32 hexadecimal digits: an engine keeps it, and refuses one that has another's
    encoder   whose vectors the passages have; "" for none. An engine with another's is not written to
    """

    url: str
    library: str
    owner: str
    encoder: str = ""


OpenEngine = Callable[[EngineAddress], PassageFinder]
"""Opens an engine that is not on this machine, without asking anybody anything yet. Raises SettingsError for a scheme
that nobody knows."""


def refuse_engines(address: EngineAddress) -> PassageFinder:
    """Open no engine: for those who were given no connection to any."""
    raise SettingsError(f"The library {address.library} is searched at {address.url}, which is not connected here.")
