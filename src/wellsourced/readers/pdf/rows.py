"""Words that stand on one height of a page, and how far each run of them reaches."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from wellsourced.readers.pdf.words import PdfWord


def group_rows(words: Sequence[PdfWord]) -> list[list[PdfWord]]:
    """Words that stand on one height across the whole page, from the top down, each row from left to right."""
    found: list[list[PdfWord]] = []
    for word in sorted(words, key=lambda word: (-(word.bottom + word.top) / 2, word.left)):
        if found:
            # A footnote mark or an index overlaps its line by more than half; the next line does not.
            tallest = max(found[-1][-4:], key=lambda one: one.size)
            overlap = min(tallest.top, word.top) - max(tallest.bottom, word.bottom)
            if overlap > 0.6 * min(tallest.top - tallest.bottom, word.top - word.bottom):
                found[-1].append(word)
                continue
        found.append([word])
    return [sorted(row, key=lambda word: word.left) for row in found]


def split_runs(row: Sequence[PdfWord], ems: float, least: float = 0.0) -> Iterator[Sequence[PdfWord]]:
    """Words of a row without a white between them of more than so many ems, or `least` points."""
    start = 0
    for number, (one, next_) in enumerate(pairwise(row), 1):
        if next_.left - one.right > max(ems * one.size, least):
            yield row[start:number]
            start = number
    yield row[start:]


def line_text(words: Sequence[PdfWord]) -> str:
    return " ".join(word.text for word in words)
