"""A document in the making: blocks of words go in, a text and the exact spans of its sections come out."""

from wellsourced.types import Section

HEADING_SEPARATOR = " › "
"""Between two headings of a path."""


class DocumentBuilder:
    """Blocks stand a blank line apart. A block of a section may be quoted; what stands outside is only printed.

    Blocks of one section that follow each other directly share a span; a heading between them, or any other block
    outside, ends it. Empty blocks are nothing.
    """

    def __init__(self) -> None:
        self._blocks: list[str] = []
        self._sections: list[Section] = []
        self._length = 0
        self._open = False

    def add_heading(self, words: str) -> None:
        """A block that no passage will ever contain: a heading, or what is not the source's to say."""
        if words := words.strip():
            self._append_block(words)
            self._open = False

    def add_block(self, words: str, section: str = "") -> None:
        """A block that may be quoted, under the path of headings `section`."""
        if not (words := words.strip()):
            return
        start = self._append_block(words)
        if self._open and self._sections[-1].title == section:
            start = self._sections.pop().start
        self._sections.append(Section(title=section, start=start, end=self._length))
        self._open = True

    def _append_block(self, words: str) -> int:
        start = self._length + 2 if self._blocks else 0
        self._blocks.append(words)
        self._length = start + len(words)
        return start

    @property
    def text(self) -> str:
        """All blocks."""
        return "\n\n".join(self._blocks)

    @property
    def sections(self) -> tuple[Section, ...]:
        """Where the blocks that may be quoted stand. Of a text that is a heading alone, the heading."""
        if not self._sections and self._length:
            return (Section(title="", start=0, end=self._length),)
        return tuple(self._sections)


def heading_path(*headings: str) -> str:
    """The path of headings, outermost first; those without words are left out."""
    return HEADING_SEPARATOR.join(heading for heading in headings if heading)
