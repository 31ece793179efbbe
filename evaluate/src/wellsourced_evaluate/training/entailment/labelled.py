"""The labelled pairs of the development data: whole, in windows, as training pairs, and in folds by evidence document.

    python -m …training.entailment.labelled DATA OUT [--without SET]

writes the training pairs of stage 2 as `train.py` reads them.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from wellsourced_evaluate.training.entailment.minimal import NOT_ENOUGH, SUPPORTED, Pair
from wellsourced_evaluate.training.entailment.texts import cut, rows, stems

SETS = ("scifact", "evidence_inference", "kqa")
WIDTHS = {"scifact": (1, 2), "evidence_inference": (1, 99), "kqa": (1, 2)}
"""Sentences of the windows that an evidence text is read in; 99 is the whole."""


class Item(NamedTuple):
    """A labelled claim and its evidence.

    rationales   places of the sentences that carry the label, group by group (SciFact only)
    group        what has to stay in one fold: all that shares a document or a claim
    """

    id: str
    set: str
    claim: str
    sentences: tuple[str, ...]
    label: str
    rationales: tuple[tuple[int, ...], ...]
    group: str


def items(data: Path) -> list[Item]:
    """Every labelled pair of the three sets."""
    corpus = {row["_id"]: row["sentences"] for row in rows(data / "verification/scifact.corpus.jsonl.gz")}
    found = list(rows(data / "verification/scifact.pairs.jsonl.gz"))
    group = _linked([(row["doc_id"], row["group"]) for row in found])
    every = [
        Item(
            r["id"],
            "scifact",
            r["claim"],
            tuple(corpus[r["doc_id"]]),
            r["label"],
            _rationales(r),
            f"sf-{group[r['doc_id']]}",
        )
        for r in found
    ]
    for name in SETS[1:]:
        every += [
            Item(
                r["id"],
                name,
                r["claim"],
                cut(r["evidence"]) or (r["evidence"],),
                r["label"],
                (),
                f"{name}-{r['group']}",
            )
            for r in rows(data / f"verification/{name}.pairs.jsonl.gz")
        ]
    return every


def _rationales(row: dict[str, object]) -> tuple[tuple[int, ...], ...]:
    groups = row["evidence_sentence_ids"]
    return tuple(tuple(group) for group in groups)  # type: ignore[attr-defined]


def _linked(links: Sequence[tuple[str, str]]) -> dict[str, str]:
    """The first of every pair to a name of its cluster: what is linked directly or through others has one name."""
    parent: dict[str, str] = {}

    def root(one: str) -> str:
        while parent.setdefault(one, one) != one:
            one = parent[one]
        return one

    for one, other in links:
        parent[root(f"d{one}")] = root(f"g{other}")
    return {one: root(f"d{one}") for one, _ in links}


def fold(item: Item, folds: int) -> int:
    """The fold of an item, by a hash of its group."""
    return int(sha256(item.group.encode()).hexdigest()[:8], 16) % folds


def windows(item: Item) -> Iterator[tuple[tuple[int, ...], str]]:
    """Places and text of the windows of its evidence, each text once."""
    seen: set[str] = set()
    for width in WIDTHS[item.set]:
        for start in range(max(1, len(item.sentences) - width + 1)):
            places = tuple(range(start, min(start + width, len(item.sentences))))
            text = " ".join(item.sentences[p] for p in places)
            if text not in seen:
                seen.add(text)
                yield places, text


def training_pairs(every: Sequence[Item]) -> Iterator[Pair]:
    """Pairs of stage 2: windows that carry the label, and windows of the same texts that do not."""
    for item in every:
        makers = {"scifact": _of_abstract, "evidence_inference": _of_span, "kqa": _of_answer}
        yield from makers[item.set](item)


def _pair(item: Item, places: Sequence[int], label: str) -> Pair:
    return Pair(item.claim, " ".join(item.sentences[p] for p in places), label, item.set, item.group)


def _by_overlap(item: Item) -> list[int]:
    """Places of the sentences, those with most of the claim's stems first."""
    wanted = set(stems(item.claim))
    return sorted(range(len(item.sentences)), key=lambda p: -len(wanted & set(stems(item.sentences[p]))))


def _of_abstract(item: Item) -> Iterator[Pair]:
    inside = {place for group in item.rationales for place in group}
    for group in item.rationales:
        yield _pair(item, group, item.label)
        near = sorted({*group, max(0, min(group) - 1)})
        yield _pair(item, near, item.label)
    outside = [p for p in _by_overlap(item) if not {p - 1, p, p + 1} & inside]
    for place in outside[: 1 if inside else 2]:
        yield _pair(item, [place], NOT_ENOUGH)
    if not inside:
        for one, other in list(pairwise(range(len(item.sentences))))[-1:]:
            yield _pair(item, [one, other], NOT_ENOUGH)


def _of_span(item: Item) -> Iterator[Pair]:
    yield _pair(item, range(len(item.sentences)), item.label)
    if len(item.sentences) > 1:
        yield _pair(item, range((len(item.sentences) + 1) // 2), item.label)


def _of_answer(item: Item) -> Iterator[Pair]:
    best = _by_overlap(item)
    around = sorted({best[0], *best[1:2]})
    yield _pair(item, around, item.label)
    yield _pair(item, range(max(0, best[0] - 1), min(len(item.sentences), best[0] + 2)), item.label)
    if item.label == SUPPORTED and len(best) > 3:
        yield _pair(item, [best[-1]], NOT_ENOUGH)


def write(pairs: Sequence[Pair], out: Path) -> None:
    """As `pairs.py` writes them."""
    with out.open("w", encoding="utf-8") as opened:
        for pair in pairs:
            opened.write(json.dumps(pair._asdict(), ensure_ascii=False) + "\n")


def main() -> None:
    """Write the training pairs of all sets but those left out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--without", action="append", default=[], choices=SETS)
    given = parser.parse_args()
    write(list(training_pairs([i for i in items(given.data) if i.set not in given.without])), given.out)


if __name__ == "__main__":
    main()
