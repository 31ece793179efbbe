"""Window: what a model reads of a work is a slice of it too, only a bigger one: an abstract is read whole."""

from collections.abc import Sequence

from wellsourced.types import Document, Evidence, Passage


def show_short_works_whole(read: Sequence[tuple[Evidence, Document]], whole: int) -> list[Evidence]:
    """The evidence, best first; of a work with no more than `whole` characters one piece, which is all of its text.

    That piece is as relevant as the best passage of the work, and stands in its place.
    """
    widest: dict[str, Evidence] = {}
    for item, document in read:
        passage = item.passage
        if len(document.text) <= whole:
            passage = whole_document_passage(document, passage)
        known = widest.get(passage.id)
        if known is None or item.relevance > known.relevance:
            widest[passage.id] = item.model_copy(update={"passage": passage})
    return sorted(widest.values(), key=lambda item: (-item.relevance, item.passage.id))


def whole_document_passage(document: Document, passage: Passage) -> Passage:
    """The whole text of a passage's document as one passage, white space at its ends left out."""
    text = document.text.strip()
    start = document.text.index(text)
    return passage.model_copy(
        update={
            "text": text,
            "start": start,
            "end": start + len(text),
            "section": "",
            "page": document.page(start, start + len(text)),
            "stands_for_document": False,
        }
    )
