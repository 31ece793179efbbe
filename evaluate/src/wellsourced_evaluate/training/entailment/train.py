# mypy: disable-error-code="untyped-decorator,no-any-return"
"""Train the cross-encoder on pairs.

    python -m …training.entailment.train PAIRS OUT --weights model.safetensors [--minutes 40 | --epochs 1] [--resume]

PAIRS is the file of `pairs.py` (or of `labelled.py`), --weights the encoder of all-MiniLM-L6-v2 or a checkpoint of an
earlier stage. With --minutes the learning rate falls to nothing when the time is over, however far the pairs have been
read; with --epochs runs can be repeated to the digit. A checkpoint is written every 500 steps.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

import torch
from safetensors.torch import save_file
from torch import Tensor
from torch.nn import functional

from wellsourced_evaluate.training.entailment.batches import LONGEST, Encoded, arrays, encoded, shuffled
from wellsourced_evaluate.training.entailment.bert import LABELS, Entailment, as_inputs, from_checkpoint, from_encoder
from wellsourced_evaluate.training.entailment.texts import rows
from wellsourced_evaluate.training.entailment.together import agreed, average, join, place

WARM, SMOOTH, CLIP, DECAY = 0.06, 0.05, 1.0, 0.01
CHECKED = 768
"""Pairs that are kept back and looked at with every checkpoint, at most; a twentieth of few."""


class Plan(NamedTuple):
    """How long and how fast: either minutes or epochs ends the run."""

    rate: float
    size: int
    epochs: int
    minutes: float | None
    seed: int
    frozen: int = 0
    every: int = 100


def run(
    model: Entailment, pairs: Sequence[Encoded], plan: Plan, out: Path | None = None, resume: bool = False
) -> Entailment:
    """The model, trained; with `out`, checkpoints are kept there and a run cut short goes on from the last one."""
    torch.manual_seed(plan.seed)
    freeze(model, plan.frozen)
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=plan.rate, weight_decay=DECAY)
    spared = min(CHECKED, len(pairs) // 20) if out else 0
    kept, used = list(pairs[:spared]), pairs[spared:]
    done, before = _resumed(model, optimizer, out) if resume and out else (0, 0.0)
    total = plan.epochs * -(-len(used) // plan.size)
    began = time.monotonic() - before
    for step, batch in enumerate(_batches(used, plan)):
        if step < done:
            continue
        share = agreed((time.monotonic() - began) / (60 * plan.minutes)) if plan.minutes else step / total
        if share >= 1:
            break
        loss = _step(model, optimizer, batch, plan.rate * min(share / WARM, (1 - share) / (1 - WARM)))
        if out and step % 20 == 0:
            print(f"step {step}, {share:.2f} done, loss {loss:.3f}", flush=True)
        if out and place()[0] == 0 and step % plan.every == plan.every - 1:
            minutes = (time.monotonic() - began) / 60
            print(
                f"step {step + 1}, {minutes:.1f} min, loss {loss:.3f}, kept back {_accuracy(model, kept):.3f}",
                flush=True,
            )
            _save(model, optimizer, out, step + 1, 60 * minutes)
    return model.eval()


def freeze(model: Entailment, layers: int) -> None:
    """Keep the word vectors and, from 1 on, the other embeddings and so many layers as they are.

    On a processor the gradient of the word vectors costs more than it brings at this scale.
    """
    model.embeddings["word_embeddings"].weight.requires_grad_(False)
    if layers:
        model.embeddings.requires_grad_(False)
        model.encoder["layer"][:layers].requires_grad_(False)


def _batches(pairs: Sequence[Encoded], plan: Plan) -> Iterator[list[Encoded]]:
    random = Random(plan.seed)  # noqa: S311 - nothing secret
    for _ in range(plan.epochs):
        yield from shuffled(pairs, plan.size, random)


def _step(model: Entailment, optimizer: torch.optim.Optimizer, batch: Sequence[Encoded], rate: float) -> float:
    model.train()
    rank, number = place()
    batch = batch[rank::number] or batch[:1]
    for group in optimizer.param_groups:
        group["lr"] = rate
    labels = torch.tensor([one.label for one in batch])
    loss = functional.cross_entropy(logits(model, batch), labels, label_smoothing=SMOOTH)
    loss.backward()
    average(model.parameters())
    torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return float(loss.detach())


def logits(model: Entailment, batch: Sequence[Encoded]) -> Tensor:
    """Float32 logits (pairs, 3), computed in bfloat16, which doubles the speed of recent processors."""
    inputs = {name: torch.from_numpy(values) for name, values in arrays(batch).items()}
    with torch.autocast("cpu", torch.bfloat16):
        return model(*as_inputs(inputs)).float()


@torch.no_grad()
def probabilities(model: Entailment, pairs: Sequence[Encoded], size: int = 64) -> Tensor:
    """Float32 (pairs, 3), in the order of the pairs."""
    model.eval()
    order = sorted(range(len(pairs)), key=lambda p: len(pairs[p].ids))
    found = torch.zeros(len(pairs), len(LABELS))
    for start in range(0, len(order), size):
        places = order[start : start + size]
        found[places] = logits(model, [pairs[p] for p in places]).softmax(-1)
    return found


def _accuracy(model: Entailment, pairs: Sequence[Encoded]) -> float:
    guessed = probabilities(model, pairs).argmax(1)
    return float((guessed == torch.tensor([one.label for one in pairs])).float().mean())


def _save(model: Entailment, optimizer: torch.optim.Optimizer, out: Path, step: int, seconds: float) -> None:
    out.mkdir(parents=True, exist_ok=True)
    save_file(model.state_dict(), out / "model.safetensors")
    # The state of the optimiser is only ever read back by this script, with weights_only.
    torch.save({"optimizer": optimizer.state_dict(), "step": step, "seconds": seconds}, out / "optimizer.pt")


def _resumed(model: Entailment, optimizer: torch.optim.Optimizer, out: Path) -> tuple[int, float]:
    """Steps and seconds already done."""
    if not (out / "optimizer.pt").exists():
        return 0, 0.0
    model.load_state_dict(from_checkpoint(out / "model.safetensors").state_dict())
    state = torch.load(out / "optimizer.pt", weights_only=True)
    optimizer.load_state_dict(state["optimizer"])
    return state["step"], state["seconds"]


def read(path: Path) -> list[Encoded]:
    """The pairs of a file, encoded."""
    return [encoded(row["claim"], row["evidence"], LABELS.index(row["label"])) for row in rows(path)]


def started(weights: Path) -> Entailment:
    """A model from the weights of the encoder or from a checkpoint of this script."""
    try:
        return from_checkpoint(weights)
    except RuntimeError:
        return from_encoder(weights)


def main() -> None:
    """Train and keep the last checkpoint."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--size", type=int, default=32)
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--frozen", type=int, default=0, help="lower layers that are not trained")
    parser.add_argument("--longest", type=int, default=LONGEST, help="tokens; longer pairs are left out")
    parser.add_argument("--rank", type=int, default=0)
    parser.add_argument("--of", type=int, default=1)
    parser.add_argument("--meet", type=Path)
    parser.add_argument("--resume", action="store_true")
    given = parser.parse_args()
    plan = Plan(given.rate, given.size, given.epochs, given.minutes, given.seed, given.frozen)
    join(given.rank, given.of, given.meet)
    pairs = [pair for pair in read(given.pairs) if len(pair.ids) <= given.longest]
    model = run(started(given.weights), pairs, plan, given.out, given.resume)
    if given.rank == 0:
        save_file(model.state_dict(), given.out / "model.safetensors")


if __name__ == "__main__":
    main()
