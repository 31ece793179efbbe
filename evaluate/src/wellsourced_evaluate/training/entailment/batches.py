"""Pairs to arrays of token ids, and their order: batches of texts of one length, at random."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.wordpiece import load_bert_uncased

LONGEST_CLAIM, LONGEST = 64, 128
"""Tokens of the claim and of both together, [CLS] and [SEP] included."""

CHUNK = 4096
"""Pairs that are sorted by length together: near enough in length, far enough from the order of the whole."""


class Encoded(NamedTuple):
    """[CLS] claim [SEP] evidence [SEP], the tokens of the first part, and the place of its label in LABELS."""

    ids: tuple[int, ...]
    first: int
    label: int


def encoded(claim: str, evidence: str, label: int = -1, longest: int = LONGEST) -> Encoded:
    """A pair as the model reads it; what is too long loses the end of the evidence."""
    tokenizer = load_bert_uncased()
    claimed = tokenizer.ids(claim, LONGEST_CLAIM)
    said = tokenizer.ids(evidence, longest - len(claimed) + 1)[1:]
    return Encoded((*claimed, *said), len(claimed), label)


def arrays(batch: Sequence[Encoded]) -> dict[str, NDArray[np.int64]]:
    """input_ids, attention_mask and token_type_ids, int64 (pairs, tokens of the longest)."""
    ids = np.zeros((len(batch), max(len(one.ids) for one in batch)), dtype=np.int64)
    mask, kinds = np.zeros_like(ids), np.zeros_like(ids)
    for place, one in enumerate(batch):
        ids[place, : len(one.ids)] = one.ids
        mask[place, : len(one.ids)] = 1
        kinds[place, one.first : len(one.ids)] = 1
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": kinds}


def shuffled(pairs: Sequence[Encoded], size: int, random: Random) -> Iterator[list[Encoded]]:
    """Every pair once, in batches of `size` of like length, in a random order."""
    order = list(range(len(pairs)))
    random.shuffle(order)
    batches: list[list[Encoded]] = []
    for start in range(0, len(order), CHUNK):
        chunk = sorted(order[start : start + CHUNK], key=lambda p: len(pairs[p].ids) + random.random())
        found = [[pairs[p] for p in chunk[i : i + size]] for i in range(0, len(chunk), size)]
        random.shuffle(found)
        batches += found
    yield from batches
