"""A passage with what stands around it: the titles it is read under, and the heading line before it."""

from wellsourced.types import Document, Passage

MAX_WITH_HEADING = 2_000
"""Characters a passage may have after its heading line was put before it."""


def text_under_titles(passage: Passage) -> str:
    """The passage's words under the titles that they stand under on the page: how it is found, and how it is judged."""
    return _join_lines(passage.reference.title, passage.section, passage.text)


def words_under_title(passage: Passage, words: str) -> str:
    """Words of the passage under the title of its document, which often alone says what they are about."""
    return _join_lines(passage.reference.title, words)


def _join_lines(*parts: str) -> str:
    return "\n".join(part for part in parts if part)


def extend_to_heading(passage: Passage, document: Document) -> Passage:
    """The passage from its heading line on, when the heading is near enough to be read with it."""
    name = passage.section.rpartition(" › ")[2]
    if not name:
        return passage
    start = document.text.rfind("\n" + name, 0, passage.start) + 1
    section = next((part for part in document.sections if part.start <= passage.start < part.end), None)
    line_end = document.text.find("\n", start)
    if not start or section is None or document.text[line_end : section.start].strip() or passage.end - start > MAX_WITH_HEADING:
        return passage
    span = {"start": start, "text": document.text[start : passage.end], "page": document.page(start, passage.end)}
    return passage.model_copy(update=span)
