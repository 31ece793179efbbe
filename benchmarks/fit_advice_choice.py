"""Fit which sentence of guidelines decides a question of yes or no, and say how often that is right; write the weights.

python -m benchmarks.fit_advice_choice HOME [--threshold 0.7] [--out src/wellsourced/models/advice_choice.json]

HOME is the folder of libraries, as for wellsourced --home. The questions are those of clinical_cases that yes or no
would answer: of yes_no.jsonl and of the files of strangers' questions, those among them that no digest answers too. A
choice among readings, or none (conditional logit with an L2 penalty): the sentences that the question's author quotes
are right, what says the contrary is wrong; others that say the same count as neither where they speak of what is asked.
Precision is told with the author of each file left out. The tests of readings were made with these questions in view.
"""

import argparse
import asyncio
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.fit_yes_no import RecordingModel
from benchmarks.report import working
from wellsourced import config
from wellsourced.api import ask
from wellsourced.claims.question_profile import read_question
from wellsourced.claims.yes_no_questions import is_yes_no_question
from wellsourced.context import Context
from wellsourced.models import advice_choice
from wellsourced.models.advice_choice import AdviceModel, DecidingReading, choose_advice, list_deciding_readings
from wellsourced.types import Question

Floats = NDArray[np.float64]

OUT = Path(advice_choice.__file__).with_name("advice_choice.json")
CASES = Path(__file__).parent / "clinical_cases"
FILES = ("yes_no", *(f"questions_blind_{number}" for number in range(1, 8)), "questions_near")
UNSAID = "not said"

GATES = frozenset({"misses case", "misses particular", "holds not", "lacks core drug", "other drug"})
"""Features that no reading has which may decide."""

MIN_SPREAD = 1e-4
"""Spread below which a feature is the same in all that was fitted on."""

RIDGE = 5.0
STEPS = 500
MIN_QUOTED_SHARE = 0.6
"""Share of the quoted words that a sentence has which decides."""

LEVELS = (0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9)
"""Probabilities from which precision and coverage are told."""


class AskedCase(NamedTuple):
    """A question, its right answer ("yes", "no" or "not said"), what may decide it, and what is right.

    marks   of each reading: 1 it decides rightly, 0 it does not, -1 it counts as neither
    """

    id: str
    author: str
    text: str
    answer: str
    readings: tuple[DecidingReading, ...]
    marks: tuple[int, ...]


def list_rows() -> Iterator[dict[str, Any]]:
    """The questions that yes or no would answer, each with its author and its answer."""
    for name in FILES:
        for line in (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            row["author"] = name
            if row.get("kind") in ("near", "off"):
                row["answer"] = UNSAID
            if "answer" in row and is_yes_no_question(row["question"]):
                yield row


def describe_case(row: dict[str, Any], readings: Sequence[DecidingReading]) -> AskedCase:
    """A question with its readings, marked."""
    marks = tuple(mark_reading(row["answer"], row.get("quote", ""), one) for one in readings)
    return AskedCase(row["id"], row["author"], row["question"], row["answer"], tuple(readings), marks)


def mark_reading(answer: str, quote: str, one: DecidingReading) -> int:
    """Whether a reading says what is right, and in the words that are quoted."""
    if answer != ("yes" if one.reading.sign > 0 else "no"):
        return 0
    speaks_of_it = one.features["core own"] >= 0.5 and one.features["all near"] >= 0.35
    if not quote:
        return 1 if one.features["all whole"] >= 0.5 and speaks_of_it and not one.reading.failed else -1
    wanted, said, unit = (list_words(text) for text in (quote, one.reading.words, one.choice.unit.text))
    holds_quote = len(wanted & said) >= MIN_QUOTED_SHARE * len(wanted) and len(wanted & unit) >= 0.9 * len(wanted)
    is_of_quote = len(said) >= 4 and len(wanted & said) >= 0.9 * len(said)
    return 1 if holds_quote or is_of_quote else -1 if speaks_of_it else 0


def list_words(text: str) -> frozenset[str]:
    """Its words, without marks of emphasis."""
    return frozenset(re.findall(r"\w+", text.replace("*", "").lower()))


async def gather_cases(home: Path) -> list[AskedCase]:
    """Every question asked of the guidelines. Raises what `ask` raises."""
    found = []
    rows = list(list_rows())
    async with config.open_context(config.load({"home": str(home), "network.offline": True})) as context:
        for place, row in enumerate(rows):
            working(f"{place} of {len(rows)} questions")
            found.append(describe_case(row, await read_readings(row["question"], context)))
    working("")
    return found


async def read_readings(text: str, context: Context) -> list[DecidingReading]:
    """What may decide a question. Raises what `ask` raises."""
    model = context.model
    recording = RecordingModel(model.judge)  # type: ignore[attr-defined]
    answer = await ask(Question(text=text), replace(context, model=recording))
    terms = read_question(answer.question).terms
    return list_deciding_readings(answer.question, recording.ranked, terms, keeps_unsaid=True)


# --- fitting -------------------------------------------------------------------------------------------------------


def fit_weights(cases: Sequence[AskedCase], threshold: float) -> AdviceModel:
    """Adam on the conditional likelihood, on standardised features; where no reading is right, none is."""
    names = sorted({name for case in cases for one in case.readings for name in one.features} - GATES)
    most = max(len(case.readings) for case in cases)
    values = np.zeros((len(cases), most, len(names)))
    marks = np.full((len(cases), most), -1)
    for row, case in enumerate(cases):
        for column, one in enumerate(case.readings):
            values[row, column] = [one.features[name] for name in names]
            marks[row, column] = case.marks[column]
    there = np.array([[column < len(case.readings) for column in range(most)] for case in cases])
    mean, spread = values[there].mean(axis=0), values[there].std(axis=0)
    spread = np.where(spread < MIN_SPREAD, 1.0, spread)
    scaled = np.where(there[..., None], (values - mean) / spread, 0.0)
    weights, intercept = _climb(scaled, marks)
    kept = {
        name: (round(float(m), 5), round(float(s), 5), round(float(w), 5))
        for name, m, s, w in zip(names, mean, spread, weights, strict=True)
    }
    return AdviceModel(weights=kept, intercept=round(intercept, 5), threshold=threshold)


def _climb(scaled: Floats, marks: NDArray[np.int64]) -> tuple[Floats, float]:
    right = marks == 1
    is_decided = right.any(axis=1)
    beta = np.zeros(scaled.shape[2] + 1)
    beta[-1] = -3.0
    first, second = np.zeros_like(beta), np.zeros_like(beta)
    for step in range(1, STEPS + 1):
        ratings = np.where(marks >= 0, scaled @ beta[:-1] + beta[-1], -1e9)
        top = np.maximum(ratings.max(axis=1), 0)
        parts = np.exp(ratings - top[:, None])
        shares = parts / (parts.sum(axis=1) + np.exp(-top))[:, None]
        wanted = np.where(right, parts, 0.0)
        total = wanted.sum(axis=1, keepdims=True)
        wanted = np.where(is_decided[:, None], wanted / np.where(total > 0, total, 1.0), 0.0)
        gap = shares - wanted
        slope = np.append(np.einsum("ij,ijk->k", gap, scaled) + RIDGE * beta[:-1], gap.sum())
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        beta -= 0.05 * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return beta[:-1], float(beta[-1])


# --- what is told --------------------------------------------------------------------------------------------------


class Decision(NamedTuple):
    """What is said to a case, how likely, and whether a reading that is right, or may be, leads."""

    case: AskedCase
    label: str
    probability: float
    leads_right: bool
    is_conditional: bool


def decide_case(case: AskedCase, model: AdviceModel) -> Decision | None:
    """As in use, whatever the probability; None without readings or against others."""
    chosen = choose_advice([one for one in case.readings if not one.features["misses particular"]], model)
    if chosen is None or chosen.is_contradicted:
        return None
    place = next(place for place, one in enumerate(case.readings) if one is chosen.best)
    label = "yes" if chosen.sign > 0 else "no"
    return Decision(case, label, chosen.probability, case.marks[place] != 0, chosen.best.reading.is_conditional)


def decide_left_out(cases: Sequence[AskedCase]) -> list[Decision]:
    """Each author's questions by what was fitted on the others'."""
    found = []
    for author in sorted({case.author for case in cases}):
        model = fit_weights([case for case in cases if case.author != author], 0.5)
        found += [one for case in cases if case.author == author if (one := decide_case(case, model))]
    return found


def describe_levels(decisions: Sequence[Decision], cases: Sequence[AskedCase]) -> list[str]:
    """Precision and coverage from each level on."""
    answered = sum(case.answer != UNSAID for case in cases)
    unsaid = len(cases) - answered
    lines = []
    for level in LEVELS:
        said = [one for one in decisions if one.probability >= level and not one.is_conditional]
        right = sum(one.label == one.case.answer for one in said)
        quoted = sum(one.leads_right and one.label == one.case.answer for one in said)
        false = sum(one.case.answer == UNSAID for one in said)
        lines.append(
            f"p ≥ {level}: decided {len(said)}, right {right} ({right / max(1, len(said)):.2f}), by the right sentence "
            f"{quoted}; {right / max(1, answered):.2f} of {answered} that digests decide; {false} of {unsaid} others"
        )
    return lines


def estimate_precision(decisions: Sequence[Decision], threshold: float) -> float:
    """By Laplace's rule: a "yes" or "no" counts only by the right sentence."""
    said = [one for one in decisions if one.probability >= threshold and not one.is_conditional]
    right = sum(one.leads_right and one.label == one.case.answer for one in said)
    return (right + 1) / (len(said) + 2)


def main() -> None:
    """Measure, print, and write the weights that were fitted on every question."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fit_advice_choice", description=__doc__)
    parser.add_argument("home", type=Path)
    parser.add_argument("--threshold", type=float, default=0.7, help='probability from which "yes" or "no" is said')
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    write_fit(asyncio.run(gather_cases(options.home.resolve())), options.threshold, options.out)


def write_fit(cases: Sequence[AskedCase], threshold: float, out: Path) -> None:
    """Print what is right with the author left out, and write what was fitted on all."""
    decisions = decide_left_out(cases)
    print("\n".join(describe_levels(decisions, cases)))
    authors = len({case.author for case in cases})
    told = f"{len(cases)} questions of {authors} files; precision is told with the author left out"
    model = fit_weights(cases, threshold).model_copy(
        update={"fitted_on": told, "precision": round(estimate_precision(decisions, threshold), 3)}
    )
    out.write_text(json.dumps(model.model_dump(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
