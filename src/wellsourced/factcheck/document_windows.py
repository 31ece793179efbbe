"""A long document in parts that a judge can read, and which of them a claim is put to."""

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from math import log

from wellsourced.text.passages import cut_passages
from wellsourced.text.sentences import Span
from wellsourced.text.tokens import content_stems
from wellsourced.types import Document

MARGIN = 1_000
"""Characters before and behind words that stand in no part, or in two."""


class DocumentWindows:
    """The parts of a document, each whole sentences, short sections together with their headings.

    most   parts that a claim is put to, at most
    """

    def __init__(self, document: Document, limit: int, most: int) -> None:
        self.text, self.max_parts = document.text, most
        whole = _trim_span(document.text)
        if whole.end - whole.start <= limit:
            self.spans: Sequence[Span] = [whole] if whole.start < whole.end else []
        else:
            self.spans = _pack_spans([Span(part.start, part.end) for part in cut_passages(document, limit)], limit)

    def best_parts(self, claim: str) -> list[Span]:
        """The parts that share most of the claim's words, rare ones above all, in the order of the document.

        A document of few parts is put to the judge whole. A part without a word of the claim is never put to it; where
        no part has any, the first one is, so that every claim has a verdict of the judge.
        """
        if len(self.spans) <= self.max_parts:
            return [*self.spans]
        scores = self._score_parts(claim)
        ranked = sorted(range(len(scores)), key=lambda at: (-scores[at], at))[: self.max_parts]
        return [self.spans[at] for at in sorted(ranked) if scores[at]] or [self.spans[0]]

    def part_around(self, start: int, end: int) -> Span:
        """The part in which words stand; what lies between parts is shown with as much around it."""
        part = next((span for span in self.spans if span.start <= start and end <= span.end), None)
        return part or Span(max(0, start - MARGIN), min(len(self.text), end + MARGIN))

    def _score_parts(self, claim: str) -> list[float]:
        asked = sorted(set(content_stems(claim)))
        weights = {
            stem: log(1 + len(self.spans) / self._stem_counts[stem]) for stem in asked if self._stem_counts[stem]
        }
        return [sum(weight for stem, weight in weights.items() if stem in had) for had in self._part_stems]

    @cached_property
    def _part_stems(self) -> list[frozenset[str]]:
        return [frozenset(content_stems(self.text[start:end])) for start, end in self.spans]

    @cached_property
    def _stem_counts(self) -> Counter[str]:
        """In how many parts a stem stands."""
        return Counter(stem for had in self._part_stems for stem in had)


def _pack_spans(spans: Sequence[Span], limit: int) -> list[Span]:
    """Neighbours together, as far as the limit allows: every part of a judge's work costs a call."""
    found: list[Span] = []
    for span in spans:
        if found and span.end - found[-1].start <= limit:
            found[-1] = Span(found[-1].start, span.end)
        else:
            found.append(span)
    return found


def _trim_span(text: str) -> Span:
    start = len(text) - len(text.lstrip())
    return Span(start, max(start, len(text.rstrip())))
