"""What every live source does with the records that it fetched: cut them, choose passages, remember the documents."""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from wellsourced.text.dates import admits
from wellsourced.text.passages import cut
from wellsourced.text.tokens import stems
from wellsourced.types import Document, Hit, Passage, Query

REMEMBERED = 2_000
"""Documents that a live source keeps in memory, so that opening what it just found costs no request."""


class Remembered:
    """The documents that were fetched last, by their ids."""

    def __init__(self, size: int = REMEMBERED) -> None:
        self._documents: OrderedDict[str, Document] = OrderedDict()
        self._size = size

    def keep(self, documents: Iterable[Document]) -> None:
        """These were fetched just now."""
        for document in documents:
            self._documents[document.reference.id] = document
            self._documents.move_to_end(document.reference.id)
        while len(self._documents) > self._size:
            self._documents.popitem(last=False)

    def get(self, document_id: str) -> Document | None:
        """The document, if it is still remembered."""
        return self._documents.get(document_id)


def hits_of(documents: Sequence[Document], query: Query, limit: int) -> list[Hit]:
    """Passages of documents that a source ranked, best first, at most `limit`; what the query excludes is left out.

    Every document gives its best passage before any gives a second one; of one document, the passages that share more
    of the query's words come first. The score is 1 / place in the list.
    """
    wanted = frozenset(stems(query.text))
    rounds = zip_longest(*(_best_first(document, wanted) for document in _admitted(documents, query)))
    passages = [passage for round_ in rounds for passage in round_ if passage is not None]
    return [Hit(passage=passage, score=1 / place) for place, passage in enumerate(passages[:limit], start=1)]


def _admitted(documents: Sequence[Document], query: Query) -> list[Document]:
    return [document for document in documents if admits(query, document.reference)]


def _best_first(document: Document, wanted: frozenset[str]) -> list[Passage]:
    return sorted(cut(document), key=lambda passage: -len(wanted.intersection(stems(passage.text))))
