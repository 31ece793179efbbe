"""A document in the making: blocks of words go in, a text and the exact spans of its sections come out."""

from wellsourced.types import Document, Reference, Section

HEADING_SEPARATOR = " › "
"""Between two headings of a path."""


class DocumentBuilder:
    """Blocks stand a blank line apart. A block of a section may be quoted; what stands outside is only printed.

    Blocks of one section that follow each other directly share a span; a heading between them, or any other block
    outside, ends it. Empty blocks are nothing. What adds a block returns the offset at which its words begin.
    """

    def __init__(self) -> None:
        self._blocks: list[str] = []
        self._sections: list[Section] = []
        self._headings: list[tuple[int, str]] = []
        self._length = 0
        self._open = False

    def add_heading(self, words: str) -> int:
        """A block that no passage will ever contain: a heading, or what is not the source's to say."""
        if not (words := words.strip()):
            return self._length
        self._open = False
        return self._append_block(words)

    def open_section(self, heading: str, level: int, label: str | None = None) -> None:
        """A heading of a level, 1 the highest. In the paths of sections it is called `label`; "" leaves it out."""
        self.add_heading(heading)
        path = [(above, words) for above, words in self._headings if above < level]
        self._headings = [*path, (level, heading if label is None else label)]

    def close_sections(self) -> None:
        """What follows stands under no heading."""
        self._headings = []

    def add_block(self, words: str, section: str | None = None) -> int:
        """A block that may be quoted, under a path of headings: `section`, or that of the sections that are open."""
        if not (words := words.strip()):
            return self._length
        title = heading_path(*(heading for _, heading in self._headings)) if section is None else section
        begin = start = self._append_block(words)
        # Blocks that follow each other may be quoted across their edge; a heading between them ended the span.
        if self._open and self._sections[-1].title == title:
            start = self._sections.pop().start
        self._sections.append(Section(title=title, start=start, end=self._length))
        self._open = True
        return begin

    def _append_block(self, words: str) -> int:
        start = self._length + 2 if self._blocks else 0
        self._blocks.append(words)
        self._length = start + len(words)
        return start

    @property
    def is_empty(self) -> bool:
        """Whether no block holds any words."""
        return not self._blocks

    @property
    def text(self) -> str:
        return "\n\n".join(self._blocks)

    @property
    def sections(self) -> tuple[Section, ...]:
        """Where the blocks that may be quoted stand. Of a text that is a heading alone, the heading."""
        if not self._sections and self._length:
            return (Section(title="", start=0, end=self._length),)
        return tuple(self._sections)

    def build(self, reference: Reference, digest: str = "", pages: tuple[int, ...] = ()) -> Document:
        return Document(reference=reference, text=self.text, sections=self.sections, digest=digest, pages=pages)


def heading_path(*headings: str) -> str:
    """The path of headings, outermost first; those without words are left out."""
    return HEADING_SEPARATOR.join(heading for heading in headings if heading)
