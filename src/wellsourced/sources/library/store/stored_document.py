"""A document as a library stores it: five strings, and a hash that shows damage."""

import json
from collections.abc import Iterable
from hashlib import blake2b
from typing import NamedTuple, Self

from wellsourced.types import Document, Reference, Section, printed_pages


class StoredDocument(NamedTuple):
    """A document as it is stored. `hash` is of all that follows it, so that damage is seen; `pages` is "" for none."""

    id: str
    hash: int
    reference: str
    sections: str
    digest: str
    text: str
    pages: str = ""

    @classmethod
    def from_document(cls, document: Document) -> Self:
        sections = json.dumps([[s.title, s.start, s.end] for s in document.sections], ensure_ascii=False)
        card = document.reference.model_dump_json(exclude_defaults=True, exclude={"year"})
        pages = json.dumps(document.pages) if document.pages else ""
        parts = (card, sections, document.digest, document.text, pages)
        return cls(document.reference.id, _hash_parts(parts), *parts)

    @property
    def is_sound(self) -> bool:
        """Whether it is what was stored."""
        # Damage may have made bytes, or a number, of a text.
        return all(isinstance(part, str) for part in self[2:]) and _hash_parts(self[2:]) == self.hash

    def to_reference(self) -> Reference:
        return Reference.model_validate_json(self.reference)

    def to_document(self) -> Document:
        sections = tuple(Section(title=title, start=start, end=end) for title, start, end in json.loads(self.sections))
        text, digest, pages = self.text, self.digest, self._page_starts()
        return Document(reference=self.to_reference(), text=text, sections=sections, digest=digest, pages=pages)

    def printed_page(self, start: int, end: int) -> str:
        """The printed page of a span, as Document.page."""
        return printed_pages(self._page_starts(), start, end)

    def _page_starts(self) -> tuple[int, ...]:
        return tuple(json.loads(self.pages)) if self.pages else ()


def _hash_parts(parts: Iterable[str]) -> int:
    *first, pages = parts
    digest = blake2b(digest_size=8)
    # Without pages it is the hash of the first format, so that the documents of an older library stay what they are.
    for part in (*first, pages) if pages else first:
        # The length keeps two parts from passing for two others that read the same in a row.
        encoded = part.encode()
        digest.update(len(encoded).to_bytes(8, "big") + encoded)
    return int.from_bytes(digest.digest(), "big", signed=True)
