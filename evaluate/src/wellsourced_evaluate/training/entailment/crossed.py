"""Stage 2 by folds: fine-tune on the labelled pairs of the other folds (or sets), judge those left out.

    python -m …training.entailment.crossed DATA CHECKPOINT OUT.jsonl [--folds 3 | --leave SET] [--epochs 3]

OUT holds the probabilities of every pair from a model that saw neither its document nor its claim; with --leave, from
one that saw no pair of its set. With --generated some pairs of stage 1 are mixed in, against forgetting.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from random import Random

from safetensors.torch import save_file

from wellsourced_evaluate.training.entailment.batches import Encoded, encoded
from wellsourced_evaluate.training.entailment.bert import LABELS, Entailment, from_checkpoint
from wellsourced_evaluate.training.entailment.labelled import SETS, Item, fold, items, training_pairs
from wellsourced_evaluate.training.entailment.scoring import Judged, asked, judged, write
from wellsourced_evaluate.training.entailment.texts import rows
from wellsourced_evaluate.training.entailment.train import Plan, probabilities, run

SEED = 13


def tuned(checkpoint: Path, seen: Sequence[Item], mixed: Sequence[Encoded], plan: Plan) -> Entailment:
    """The checkpoint, trained further on the labelled pairs and those mixed in."""
    pairs = [encoded(p.claim, p.evidence, LABELS.index(p.label)) for p in training_pairs(seen)]
    return run(from_checkpoint(checkpoint), [*pairs, *mixed], plan)


def told(model: Entailment, unseen: Sequence[Item]) -> list[Judged]:
    """What the model says of items."""
    pairs = [encoded(claim, text) for claim, text in asked(unseen)]
    return judged(unseen, probabilities(model, pairs).double().numpy())


def parts(every: Sequence[Item], folds: int, left: Sequence[str]) -> list[tuple[list[Item], list[Item]]]:
    """Seen and unseen items of every run."""
    if left:
        return [([i for i in every if i.set != name], [i for i in every if i.set == name]) for name in left]
    return [
        ([i for i in every if fold(i, folds) != n], [i for i in every if fold(i, folds) == n]) for n in range(folds)
    ]


def main() -> None:
    """Write what is said of pairs that were left out; with --keep, train on all and keep the model instead."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--leave", action="append", default=[], choices=SETS)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--rate", type=float, default=4e-5)
    parser.add_argument("--generated", type=Path)
    parser.add_argument("--mixed", type=int, default=2000)
    parser.add_argument("--frozen", type=int, default=0)
    parser.add_argument("--only", type=int, help="one fold, so that several processes share the work")
    parser.add_argument("--keep", action="store_true")
    given = parser.parse_args()
    every, mixed = items(given.data), []
    if given.generated:
        drawn = Random(SEED).sample(list(rows(given.generated)), given.mixed)  # noqa: S311 - nothing secret
        mixed = [encoded(r["claim"], r["evidence"], LABELS.index(r["label"])) for r in drawn]
    plan = Plan(given.rate, 16, given.epochs, None, SEED, given.frozen)
    if given.keep:
        save_file(tuned(given.checkpoint, every, mixed, plan).state_dict(), given.out)
        return
    found: list[Judged] = []
    runs = parts(every, given.folds, given.leave)
    for seen, unseen in runs if given.only is None else [runs[given.only]]:
        found += told(tuned(given.checkpoint, seen, mixed, plan), unseen)
        write(found, given.out)
        print(len(found), "of", len(every), flush=True)


if __name__ == "__main__":
    main()
