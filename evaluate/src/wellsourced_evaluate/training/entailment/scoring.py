"""From windows to one judgement of a labelled item, and the baselines that a model has to beat."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.base import Encoder
from wellsourced_evaluate.training.entailment.labelled import Item, windows
from wellsourced_evaluate.training.entailment.texts import rows, stems

Floats = NDArray[np.float64]
Told = tuple[float, float, float]
"""Probabilities in the order contradicted, not_enough, supported."""


class Judged(NamedTuple):
    """What a model says of an item: of the whole, and of every single sentence of its evidence."""

    id: str
    whole: Told
    sentences: tuple[Told, ...]


def asked(every: Sequence[Item]) -> list[tuple[str, str]]:
    """Claim and window of every window of every item, in order."""
    return [(item.claim, text) for item in every for _, text in windows(item)]


def judged(every: Sequence[Item], told: Floats) -> list[Judged]:
    """Probabilities (windows, 3) of `asked`, put together item by item."""
    found, start = [], 0
    for item in every:
        places = [where for where, _ in windows(item)]
        own = told[start : start + len(places)]
        start += len(places)
        single = {where[0]: tuple(row) for where, row in zip(places, own, strict=True) if len(where) == 1}
        # A sentence that stands twice in a text was asked about once.
        spare = (0.0, 1.0, 0.0)
        sentences = tuple(single.get(p, spare) for p in range(len(item.sentences)))
        found.append(Judged(item.id, pooled(own), sentences))
    return found


def pooled(told: Floats) -> Told:
    """Of the windows (n, 3): the strongest support, the strongest contradiction, the weakest silence; sum 1."""
    strongest = np.array([told[:, 0].max(), told[:, 1].min(), told[:, 2].max()])
    contradicted, silent, supported = strongest / strongest.sum()
    return float(contradicted), float(silent), float(supported)


def write(found: Iterable[Judged], out: Path) -> None:
    """One line for each item: id, the three probabilities, and those of its sentences."""
    with out.open("w", encoding="utf-8") as opened:
        for one in found:
            named = dict(
                zip(("contradicted", "not_enough", "supported"), (round(p, 5) for p in one.whole), strict=True)
            )
            row = {"id": one.id, **named, "sentences": [[round(p, 5) for p in told] for told in one.sentences]}
            opened.write(json.dumps(row) + "\n")


def read(path: Path) -> dict[str, Judged]:
    """What `write` wrote, by id."""
    return {
        row["id"]: Judged(
            row["id"], (row["contradicted"], row["not_enough"], row["supported"]), tuple(map(tuple, row["sentences"]))
        )
        for row in rows(path)
    }


def overlaps(every: Sequence[Item]) -> Mapping[str, tuple[float, ...]]:
    """For each item: the share of the claim's stems in each sentence, then in the whole text."""
    found = {}
    for item in every:
        wanted = set(stems(item.claim))
        texts = [*item.sentences, " ".join(item.sentences)]
        found[item.id] = tuple(len(wanted & set(stems(t))) / max(1, len(wanted)) for t in texts)
    return found


def cosines(every: Sequence[Item], encoder: Encoder) -> Mapping[str, tuple[float, ...]]:
    """For each item: the cosine of claim and each sentence."""
    texts = sorted({text for item in every for text in (item.claim, *item.sentences)})
    place = {text: number for number, text in enumerate(texts)}
    vectors = encoder.encode(texts)
    return {i.id: tuple(float(vectors[place[i.claim]] @ vectors[place[s]]) for s in i.sentences) for i in every}
