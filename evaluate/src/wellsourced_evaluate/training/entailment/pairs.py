"""Generate pairs of claim, evidence and label from the texts of the development data.

    python -m …training.entailment.pairs DATA OUT [--count 220000] [--seed 13] [--with-evidence-documents]

OUT is a `.jsonl` file: claim, evidence, label, kind, document. No labelled pair is read except for the ids of the
documents that labelled pairs are judged against; those documents are left out unless asked for.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

from wellsourced_evaluate.training.entailment.loose import answers, arms, concluding
from wellsourced_evaluate.training.entailment.minimal import Pair, minimal, sentences_of
from wellsourced_evaluate.training.entailment.texts import Neighbours, Weights, documents

MINIMAL, REPORTED = 30_000, 8_000
"""Sentences that are altered, and invented reports, for a count of 220,000."""


def generated(data: Path, count: int, random: Random, held_out: bool = True) -> Iterator[Pair]:
    """Pairs of every kind; `count` sets how many sentences are altered, not how many pairs come out exactly."""
    every = documents(data, held_out)
    weights = Weights(" ".join(one.sentences) for one in every)
    share = count / 220_000
    medical = [one for one in every if one.source != "consumer"]
    consumer = [one for one in every if one.source == "consumer"]
    chosen = sentences_of(medical, int(MINIMAL * share * 0.7), random) + sentences_of(
        consumer, int(MINIMAL * share * 0.3), random
    )
    for document, place in chosen:
        yield from minimal(document, place, weights, random)
    near = Neighbours([f"{one.title} {' '.join(one.sentences)}" for one in medical], weights)
    # Twice: each time in other words, and other halves of the four corners.
    for place in (*range(len(medical)), *range(len(medical))):
        if random.random() < share:
            yield from concluding(medical, place, near, weights, random)
    yield from answers(data, weights, random)
    yield from arms(medical, int(REPORTED * share), random)


def main() -> None:
    """Write the file and say how many pairs of each kind and label are in it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--count", type=int, default=220_000)
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--with-evidence-documents", action="store_true")
    given = parser.parse_args()
    random = Random(given.seed)  # noqa: S311 - nothing secret
    found = list(generated(given.data, given.count, random, not given.with_evidence_documents))
    random.shuffle(found)
    with given.out.open("w", encoding="utf-8") as out:
        for pair in found:
            out.write(json.dumps(pair._asdict(), ensure_ascii=False) + "\n")
    for (kind, label), number in sorted(Counter((p.kind, p.label) for p in found).items()):
        print(f"{kind:18} {label:12} {number}")
    print(len(found), Counter(p.label for p in found))


if __name__ == "__main__":
    main()
