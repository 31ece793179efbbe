"""Fit which one or two sentences of studies lead a short answer, and say how near they come; write the weights.

python -m benchmarks.fit_study_leads DATA HOME [--questions 0] [--factoid 1.5] [--list 2] [--out …]

DATA is the folder of the development data; HOME has the library `research` of benchmarks/short_answers.py. Of the
questions that an abstract answers, the half that is tuned on is asked, of the library alone; every short answer that
might lead is compared with those of the experts. What is sought is the highest ROUGE-L F1 that is to be expected when
the answers are drawn by their weights; for a factoid, whether its answer is named counts besides, and where a list is
asked for, the share of its items. Five folds by group.
"""

import argparse
import asyncio
import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.corpora import Row
from benchmarks.fit_yes_no import RecordingModel
from benchmarks.report import working
from benchmarks.short_answers import contains_any, draw_questions, list_names, score_overlap
from wellsourced import config
from wellsourced.api import ask
from wellsourced.context import Context
from wellsourced.models import study_leads
from wellsourced.models.extractive import ExtractiveModel
from wellsourced.models.study_agreement import is_of_study
from wellsourced.models.study_leads import StudyLeadModel, describe_leads
from wellsourced.models.unit_choice import QuoteCandidate
from wellsourced.types import Question

Floats = NDArray[np.float64]

OUT = Path(study_leads.__file__).with_name("study_lead_weights.json")
FOLDS = 5
RIDGE = 4.0
"""2 and 8 are within .01 of it."""

STEPS = 400
STEP = 0.03
"""Of Adam's method (Kingma and Ba, 2015)."""

MEMORY = (0.9, 0.999)
FREE = frozenset({"score"})
"""Features whose weight is not held back: how the sentences stood before."""

HELD_BACK_LITTLE = 0.02


class LeadCase(NamedTuple):
    """A question, and of every short answer to it that might lead what is known, what it reaches and what it says.

    names    of the features
    values   float (answers, features)
    rouge    ROUGE-L F1 of each
    named    whether each names the answer of a factoid; () for other questions
    listed   the share of the items asked for that each names; () where no list is asked for
    usual    what was said to it when it was asked: ROUGE-L F1, and whether it names the answer
    """

    group: str
    names: tuple[str, ...]
    values: Floats
    rouge: Floats
    named: Floats
    usual: tuple[float, float]
    listed: Floats = np.array([])


class Gains(NamedTuple):
    """What it adds to ROUGE-L F1 that a factoid's answer is named, and every item of a list."""

    factoid: float = 1.5
    listed: float = 2.0


# --- questions -----------------------------------------------------------------------------------------------------


async def ask_rows(home: Path, asked: Sequence[Row]) -> list[LeadCase]:
    """Every question that studies answer, asked of the library alone. Raises what `ask` raises."""
    settings = config.load({"home": str(home), "network.offline": True, "policy.tiers": "research"})
    found = []
    async with config.open_context(settings) as context:
        for place, row in enumerate(asked):
            working(f"{place} of {len(asked)} questions")
            if (case := await describe_row(row, context)) is not None:
                found.append(case)
    working("")
    return found


async def describe_row(row: Row, context: Context) -> LeadCase | None:
    """What might lead the answer to one question; None where it abstains. Raises what `ask` raises."""
    assert isinstance(context.model, ExtractiveModel)
    recording = RecordingModel(context.model.judge)
    answer = await ask(Question(text=row["question"]), replace(context, model=recording))
    studies = [one for one in recording.ranked if is_of_study(one)]
    return None if answer.abstained or not studies else build_case(row, answer.tldr, studies)


def build_case(row: Row, said: str, studies: Sequence[QuoteCandidate]) -> LeadCase:
    """What is known of each short answer, and how near it comes to those of the experts."""
    described = describe_leads(row["question"], studies, most=2)
    texts = [lead.text for lead, _ in described]
    names, ideal = list_names(row), row["ideal_answer"]
    return LeadCase(
        group=row["group"],
        names=tuple(described[0][1]),
        values=np.array([list(features.values()) for _, features in described]),
        rouge=np.array([score_overlap(text, ideal) for text in texts]),
        named=np.array([float(contains_any(text, names)) for text in texts if names]),
        usual=(score_overlap(said, ideal), float(contains_any(said, names))),
        listed=np.array([share_listed(row, text) for text in texts if row["type"] == "list"]),
    )


def share_listed(row: Row, text: str) -> float:
    """The share of the items of a list that a text names, each in any way in which it may be written."""
    return float(np.mean([contains_any(text, names) for names in row["answer"]]))


# --- fitting -------------------------------------------------------------------------------------------------------


def fit_weights(cases: Sequence[LeadCase], gains: Gains) -> StudyLeadModel:
    """The weights by which the expected reward is highest, held back by an L2 penalty on standardised features."""
    names = cases[0].names
    every = np.concatenate([one.values for one in cases])
    mean, spread = every.mean(axis=0), every.std(axis=0) + 1e-9
    most = max(len(one.rouge) for one in cases)
    values = np.zeros((len(cases), most, len(names)))
    rewards, absent = np.zeros((len(cases), most)), np.full((len(cases), most), -1e9)
    for place, one in enumerate(cases):
        count = len(one.rouge)
        scaled = np.clip((one.values - mean) / spread, -study_leads.MAX_SPREADS, study_leads.MAX_SPREADS)
        values[place, :count], absent[place, :count] = scaled, 0
        rewards[place, :count] = one.rouge + _weigh_naming(one, gains)
    held = RIDGE * np.array([HELD_BACK_LITTLE if name in FREE else 1.0 for name in names])
    weights = _ascend(values, rewards, absent, held)
    columns = zip(names, mean, spread, weights, strict=True)
    return StudyLeadModel(weights={name: (round(m, 5), round(s, 5), round(w, 5)) for name, m, s, w in columns})


def _weigh_naming(case: LeadCase, gains: Gains) -> Floats | float:
    """What is added for what each answer names."""
    if len(case.named):
        return gains.factoid * case.named
    return gains.listed * case.listed if len(case.listed) else 0.0


def _ascend(values: Floats, rewards: Floats, absent: Floats, held: Floats) -> Floats:
    """Adam's method on the expected reward of answers that are drawn by their weights (softmax)."""
    weights = np.zeros(values.shape[2])
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        sums = values @ weights + absent
        shares = np.exp(sums - sums.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        gains = shares * (rewards - (shares * rewards).sum(axis=1, keepdims=True))
        slope = np.einsum("qa,qaf->f", gains, values) - held * weights
        first = MEMORY[0] * first + (1 - MEMORY[0]) * slope
        second = MEMORY[1] * second + (1 - MEMORY[1]) * slope**2
        scale = np.sqrt(second / (1 - MEMORY[1] ** step)) + 1e-9
        weights = weights + STEP * first / (1 - MEMORY[0] ** step) / scale
    return weights


def find_fold(group: str) -> int:
    """The fold that all questions of a group are in."""
    return hashlib.sha256(group.encode()).digest()[1] % FOLDS


def choose_by_folds(cases: Sequence[LeadCase], gains: Gains) -> list[int]:
    """For each case the answer that the model chooses which was fitted on the other folds."""
    folds = [find_fold(one.group) for one in cases]
    models = [
        fit_weights([one for one, at in zip(cases, folds, strict=True) if at != fold], gains) for fold in range(FOLDS)
    ]
    return [_choose(models[fold], one) for one, fold in zip(cases, folds, strict=True)]


def _choose(model: StudyLeadModel, case: LeadCase) -> int:
    return int(np.argmax([model.score(dict(zip(case.names, row, strict=True))) for row in case.values]))


def describe_choices(cases: Sequence[LeadCase], chosen: Sequence[int]) -> list[str]:
    """How near the chosen answers come, beside those that were given and the nearest there are."""
    each = list(zip(cases, chosen, strict=True))
    factoids = [(one.named[at], one.usual[1], one.named.max()) for one, at in each if len(one.named)]
    listed = [(one.listed[at], one.listed.max()) for one, at in each if len(one.listed)]
    rouge = np.array([(one.rouge[at], one.usual[0], one.rouge.max()) for one, at in each]).mean(axis=0)
    named = np.array(factoids).mean(axis=0)
    lines = [
        f"questions {len(cases)}, of these factoids {len(factoids)}",
        f"ROUGE-L F1 {rouge[0]:.3f}, as answered {rouge[1]:.3f}, at best {rouge[2]:.3f}",
        f"factoid answers contained {named[0]:.3f}, as answered {named[1]:.3f}, at best {named[2]:.3f}",
    ]
    if listed:
        items = np.mean(listed, axis=0)
        lines.append(f"share of a list's items named {items[0]:.3f}, at best {items[1]:.3f}")
    return lines


def main() -> None:
    """Measure by folds, print, and write the weights that were fitted on every question of the half."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fit_study_leads", description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("home", type=Path)
    parser.add_argument("--questions", type=int, default=0, help="drawn with a fixed seed; 0: all (default)")
    parser.add_argument("--factoid", type=float, default=1.5, help="what it adds that a factoid's answer is named")
    parser.add_argument("--list", type=float, default=2.0, help="what it adds that every item of a list is named")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    asked = draw_questions(options.data / "qa/bioasq.jsonl.gz", options.questions, "tune")
    cases = asyncio.run(ask_rows(options.home.resolve(), asked))
    gains = Gains(options.factoid, options.list)
    print("\n".join(describe_choices(cases, choose_by_folds(cases, gains))))
    told = f"{len(cases)} questions of BioASQ, the half that is tuned on"
    fitted = fit_weights(cases, gains).model_copy(update={"fitted_on": told})
    options.out.write_text(json.dumps(fitted.model_dump(), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
