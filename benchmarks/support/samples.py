"""Pairs of claim and text that are labelled, and everything that is measured of them."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.calibrate_judges import rows
from wellsourced.encoders.base import TokenEncoder
from wellsourced.judges.claim_features import (
    CachingTextEncoder,
    ClaimMeasurements,
    EncodedClaim,
    EncodedSentence,
    Features,
    encode_claims,
    measure_claim,
)
from wellsourced.judges.feature_judge import (
    encode_sentences,
    measurement_features,
    sentence_features,
    statement_features,
)
from wellsourced.judges.linear_model import Floats
from wellsourced.text.sentences import Span, split_sentences

LABELS = ("supported", "contradicted", "not_enough")
SETS = {"scifact": "SciFact", "evidence_inference": "Evidence Inference", "kqa": "K-QA"}


class Sample(NamedTuple):
    """A claim, a text, what the text says of it, and the places of the sentences that say so, where they are known."""

    id: str
    set: str
    group: str
    claim: str
    text: str
    spans: tuple[Span, ...]
    label: int
    gold: frozenset[int]


class Row(NamedTuple):
    """A sample as it was measured.

    ranked   the features of its sentences, float64 (sentences, features)
    stated   what the text states, by the place of the best sentence: folds differ in little else, and it takes longest
    """

    sample: Sample
    claim: EncodedClaim
    parts: list[EncodedSentence]
    seen: ClaimMeasurements
    ranked: Floats
    stated: dict[int, Features]

    def features(self, bearing: Floats) -> Features:
        """As `text_features`."""
        best = int(np.argmax(bearing))
        if best not in self.stated:
            self.stated[best] = statement_features(self.claim, self.parts, best)
        return measurement_features(self.seen, bearing) | self.stated[best]


# --- reading -------------------------------------------------------------------------------------------------------


def samples(data: Path) -> Iterator[Sample]:
    """All pairs; of SciFact the whole abstracts."""
    folder = data / "verification"
    abstracts = {row["_id"]: row["sentences"] for row in rows(folder / "scifact.corpus.jsonl.gz")}
    for row in rows(folder / "scifact.pairs.jsonl.gz"):
        lines = abstracts[row["doc_id"]]
        text = " ".join(lines)
        spans = tuple(split_sentences(text))
        told = {place for some in row["evidence_sentence_ids"] for place in some}
        yield Sample(
            row["id"], "scifact", row["group"], row["claim"], text, spans, LABELS.index(row["label"]),
            _places(lines, told, spans),
        )  # fmt: skip
    for name in ("evidence_inference", "kqa"):
        for row in rows(folder / f"{name}.pairs.jsonl.gz"):
            spans = tuple(split_sentences(row["evidence"]))
            label = LABELS.index(row["label"])
            yield Sample(
                row["id"], name, f"{name} {row['group']}", row["claim"], row["evidence"], spans, label, frozenset()
            )


def _places(lines: Sequence[str], told: set[int], spans: Sequence[Span]) -> frozenset[int]:
    """Which of our sentences lie mostly in the sentences that were marked; the corpus cuts a few differently."""
    starts = np.cumsum([0, *(len(line) + 1 for line in lines)])
    marked = [(int(starts[place]), int(starts[place]) + len(lines[place])) for place in sorted(told)]
    return frozenset(
        place
        for place, (start, end) in enumerate(spans)
        if sum(max(0, min(end, stop) - max(start, begin)) for begin, stop in marked) * 2 > end - start
    )


def measure(found: Sequence[Sample], encoder: TokenEncoder) -> list[Row]:
    """Every sample as the judge sees it."""
    reader = CachingTextEncoder(encoder, limit=20_000)
    read = encode_claims([sample.claim for sample in found], reader)
    return [_row(sample, read[sample.claim], reader) for sample in found]


def _row(sample: Sample, claim: EncodedClaim, reader: CachingTextEncoder) -> Row:
    parts = encode_sentences(sample.text, sample.spans, reader)
    seen = measure_claim(claim, parts)
    named = sentence_features(claim, parts, seen)
    return Row(sample, claim, parts, seen, np.array([list(one.values()) for one in named]), {})
