"""A file as the readers give it, and what can be asked of it: words in one block, cells paired with headers."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path

from wellsourced.readers.base import UnreadablePart
from wellsourced.readers.registry import reader_for
from wellsourced.types import Document

# Forms of one character that mean the same in print: kept or replaced by a reader, both are right.
_SAME = str.maketrans({"\u00ad": None, "\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl",
                       "\u00b5": "μ", "\u00a0": " ", "\u2009": " ", "\u202f": " "})  # fmt: skip


@dataclass(frozen=True)
class AsRead:
    """The documents of one file and what could not be read of it, in words."""

    documents: tuple[Document, ...]
    faults: tuple[str, ...]

    @cached_property
    def text(self) -> str:
        """All texts, a blank line between two documents; soft hyphens and ligatures are resolved."""
        return "\n\n".join(document.text for document in self.documents).translate(_SAME)

    @cached_property
    def blocks(self) -> list[str]:
        """Paragraphs: what stands between blank lines, its line breaks as spaces."""
        return [" ".join(block.split()) for block in re.split(r"\n\s*\n", self.text)]

    def says(self, words: str) -> bool:
        """Whether a block has these words, unbroken."""
        return any(words in block for block in self.blocks)

    def matches(self, pattern: str) -> bool:
        """Whether a block has what the expression describes."""
        return any(re.search(pattern, block) for block in self.blocks)

    def count(self, words: str) -> int:
        """How often the words stand in the text."""
        return sum(block.count(words) for block in self.blocks)

    def pairs(self, row: str, header: str, value: str) -> bool:
        """Whether the table says, on one line and to somebody who sees no other row, that the row has this value there.

        Two forms are clear. With names: "Drug: Colchicine; Dose: 500 μg" (the value follows its header and a colon, the
        row's name is on the same line). With bars: "Drug | Dose" as the first line of bars in a block, and "Colchicine
        | 500 μg" below, as many cells before the value as before its header: what spans rows or columns is repeated.
        """
        return any(
            _named(line, row, header, value) or _barred(head, line, row, header, value)
            for head, line in self._table_lines()
        )

    def prints_row(self, *cells: str) -> bool:
        """Whether the cells of a row stand on one line or in one block, in order, with but signs between them."""
        gap = r"[\s|;:•\-–.\[\]^*]*"
        pattern = gap.join(gap.join(re.escape(word) for word in cell.split()) for cell in cells)
        return any(re.search(pattern, line) for line in [*self.text.splitlines(), *self.blocks])

    def shows(self, row: str, header: str, value: str) -> bool:
        """Whether columns stand as printed: the value, line by line, right below its header and in its row."""
        lines = self.text.splitlines()
        return any(
            _stands_below(lines, number, place, value)
            and _is_headed(lines[max(0, number - 60) : number], place, header)
            for number, line in enumerate(lines)
            if re.search(rf"(?:^|\s\s){re.escape(row)}(?:\s\s|$)", line)
            for place in _column_starts(line)
        )

    def _table_lines(self) -> Iterator[tuple[list[str], str]]:
        """Each line with the lines that precede it in its block, the first of which may be headers."""
        for block in re.split(r"\n\s*\n", self.text):
            lines = block.splitlines()
            for number, line in enumerate(lines):
                yield lines[:number], line


def read(path: Path) -> AsRead:
    """Read a file as `library add` does, without a library."""
    return _read(path)


@lru_cache(maxsize=64)
def _read(path: Path) -> AsRead:
    parts = list(reader_for(path)(path, "own"))
    documents = tuple(part for part in parts if isinstance(part, Document))
    return AsRead(
        documents, tuple(f"{part.where}: {part.reason}" for part in parts if isinstance(part, UnreadablePart))
    )


def offsets_hold(document: Document) -> bool:
    """Whether sections lie in order within the text, do not overlap, and begin and end with words."""
    spans = [(section.start, section.end) for section in document.sections]
    inside = all(0 <= start < end <= len(document.text) for start, end in spans)
    whole = all(document.text[start:end] == document.text[start:end].strip() for start, end in spans)
    return bool(spans) and inside and whole and all(first[1] <= second[0] for first, second in pairwise(spans))


def _column_starts(line: str) -> list[int]:
    return [match.end() for match in re.finditer(r"^\s*|\s{2,}", line) if match.end() < len(line)]


def _stands_below(lines: list[str], number: int, place: int, value: str) -> bool:
    """Whether the cell that begins at this place of the line, and its lines below, hold the value's words."""
    words = value.split()
    for line in lines[number : number + 8]:
        start = next((start for start in _column_starts(line) if abs(start - place) <= 2), None)
        if start is None:
            return False
        cell = re.split(r"\s{2,}", line[start:])[0].split()
        if cell != words[: len(cell)]:
            return False
        words = words[len(cell) :]
        if not words:
            return True
    return False


def _is_headed(lines: list[str], place: int, header: str) -> bool:
    return any(
        abs(start - place) <= 2 and line.startswith(header, start) for line in lines for start in _column_starts(line)
    )


_MARK = r"\s?(?:\^?\[\w\]|\^\w|ᵃ)?"


def _loose(words: str) -> str:
    """An expression for words with any white space, or the sign of a list or line break, between them."""
    return r"[\s;,/•\-–]+".join(re.escape(word) for word in words.split())


def _named(line: str, row: str, header: str, value: str) -> bool:
    if not re.search(rf"(?<!\w){_loose(row)}(?!\w)", line):
        return False
    return re.search(rf"(?<!\w){_loose(header)}{_MARK}: {_loose(value)}(?!\w)", line) is not None


def _barred(head: list[str], line: str, row: str, header: str, value: str) -> bool:
    cells = [cell.strip() for cell in line.split("|")]
    if len(cells) < 2 or not re.fullmatch(_loose(row), cells[0]):
        return False
    places = {place for place, cell in enumerate(cells) if re.search(rf"(?<!\w){_loose(value)}(?!\w)", cell)}
    tops = [[name.strip() for name in above.split("|")] for above in head if "|" in above]
    whole = _headed_places(tops[0], header) if tops else set()
    if whole or ": " not in header or len(tops) < 2:
        return bool(places & whole)
    # A head of two rows, its parts below each other.
    first, second = header.split(": ", 1)
    return bool(places & _headed_places(tops[0], first) & _headed_places(tops[1], second))


def _headed_places(names: list[str], header: str) -> set[int]:
    return {place for place, name in enumerate(names) if re.fullmatch(_loose(header) + _MARK, name)}
