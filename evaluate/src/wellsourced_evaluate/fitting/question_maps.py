# mypy: disable-error-code="no-untyped-call,no-any-return"
"""Train the matrices by which expected questions are found.

    python -m wellsourced_evaluate.fitting.question_maps [OUT]

Three square matrices on the vectors of MiniLM, which stays as it is: W turns questions, so that those which a line
answers together come near to each other; U turns questions and V the lines, so that a question is near its answer.
Contrastive loss against the whole bank; a question is drawn to all that share a line with it. All start as they are
(identity) and are held there; what is kept is their mean over the second half of the steps. Three minutes on one core.
"""

import argparse
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import normalize

from tools.expected_questions import list_placed_questions
from wellsourced.encoders.minilm import MiniLM
from wellsourced.expected_questions.bank import MAPS_FILE, ExpectedQuestion
from wellsourced.ingest.question_files import lead_under_headings
from wellsourced_evaluate.development_data import PRODUCT

EPOCHS, BATCH, RATE, SEED = 12, 512, 1e-3, 0
TEMPERATURE = 0.05
HELD = 3e-4
"""Weight of the squared distance of each matrix from the identity."""

NEVER = -1e9


def list_companions(questions: Sequence[ExpectedQuestion]) -> list[list[int]]:
    """Of each question those that a line of its answer answers, itself among them; [] of a near miss."""
    answered = defaultdict(set)
    for number, one in enumerate(questions):
        for line in one.lead if one.is_answered else ():
            answered[line].add(number)
    return [sorted(set().union(*(answered[line] for line in one.lead))) if one.is_answered else [] for one in questions]


def contrast(scores: Tensor, wanted: Tensor) -> Tensor:
    """Mean over rows that want something: how much of the softmax falls on what is wanted."""
    rows = wanted.any(1)
    scores, wanted = scores[rows], wanted[rows]
    return (torch.logsumexp(scores, 1) - torch.logsumexp(scores.masked_fill(~wanted, NEVER), 1)).mean()


def train(asked: Tensor, leads: Tensor, companions: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor, Tensor]:
    """(n, width) unit rows of questions and of their lines → W, U, V."""
    torch.manual_seed(SEED)
    same = torch.eye(asked.shape[1])
    of_questions, to_lead, of_lead = matrices = [same.clone().requires_grad_() for _ in range(3)]
    answered = torch.tensor([bool(some) for some in companions])
    sums, steps = [torch.zeros_like(same) for _ in matrices], 0
    optimizer = torch.optim.Adam(matrices, lr=RATE)
    for epoch in range(EPOCHS):
        for batch in torch.randperm(len(asked)).split(BATCH):
            rows = range(len(batch))
            wanted = torch.zeros(len(batch), len(asked), dtype=torch.bool)
            for row, number in zip(rows, batch.tolist(), strict=True):
                wanted[row, companions[number]] = True
            own = wanted[rows, batch]
            wanted[rows, batch] = False
            turned = normalize(asked @ of_questions.T, dim=1)
            scores = turned[batch] @ turned.T / TEMPERATURE
            scores[rows, batch] = NEVER
            loss = contrast(scores, wanted)
            wanted[rows, batch] = own
            near = normalize(asked[batch] @ to_lead.T, dim=1) @ normalize(leads @ of_lead.T, dim=1).T / TEMPERATURE
            loss = loss + contrast(near.masked_fill(~answered, NEVER), wanted)
            loss = loss + HELD * sum(((one - same) ** 2).sum() for one in matrices)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if epoch >= EPOCHS // 2:
                steps += 1
                sums = [total + one.detach() for total, one in zip(sums, matrices, strict=True)]
        print(f"epoch {epoch + 1}: loss of the last batch {loss.item():.3f}", flush=True)
    of_questions, to_lead, of_lead = (total / steps for total in sums)
    return of_questions, to_lead, of_lead


def main() -> None:
    """Train on all questions, and write the matrices in half precision."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", nargs="?", type=Path, default=PRODUCT / "expected_questions" / MAPS_FILE)
    out = parser.parse_args().out
    questions, encoder = list_placed_questions(), MiniLM()
    asked = torch.tensor(encoder.encode([one.text for one in questions]))
    leads = torch.tensor(encoder.encode([lead_under_headings(one) for one in questions]))
    found = train(asked, leads, list_companions(questions))
    names = ("to_question", "to_lead", "of_lead")
    np.savez(out, **{name: one.numpy().astype(np.float16) for name, one in zip(names, found, strict=True)})


if __name__ == "__main__":
    main()
