"""Fit which unit of what is shown of a guideline decides a question; print how well, with an author left out.

    python -m benchmarks.fit_short_answer HOME FILE … [--keep FOLDER] [--write]

FILE has questions that the digests answer, a JSON object a line (benchmarks/clinical_cases/questions_*.jsonl, or
facts): `question`, `facts` with a `pattern` each, and `lead`, the deciding words, where it has them. A file is taken
for one author. Each is asked of HOME, a folder of libraries. --keep has what was shown, for a second fit: read none but
your own.

A unit is chosen by the softmax over the ratings of all that is shown for a question; one counts as far as it has the
deciding words and facts. Weights are drawn towards EXPECTED, since there are few questions for so many features.
"""

import argparse
import asyncio
import hashlib
import json
import pickle
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize  # type: ignore[import-untyped]

from benchmarks.clinical_cases.guideline_answers import read_cases
from wellsourced import config
from wellsourced.api import ask
from wellsourced.claims.question_profile import read_question
from wellsourced.context import Context
from wellsourced.models.base import Prompt, R
from wellsourced.models.extractive import ExtractiveModel, draft_statements
from wellsourced.models.unit_features import (
    AskedThings,
    ShownUnit,
    describe_units,
    list_shown_units,
    read_asked_things,
)
from wellsourced.models.unit_selection import ShortAnswerModel, select_leading_units
from wellsourced.prompts.writing import WriteAnswer
from wellsourced.types import Question

Floats = NDArray[np.float64]

WEIGHTS = Path(__file__).parents[1] / "src/wellsourced/models/unit_weights.json"

PENALTY = 40.0
"""Of the squared distance of the weights, of standardised features, from those expected."""

EXPECTED = {
    "score": 1.5,
    "is first": 0.5,
    "later": -0.4,
    "place": -0.4,
    "distinct": 1.0,
    "suits figures": 1.5,
    "suits closed": 1.5,
    "suits not": -1.5,
    "of old people": 1.0,
    "against": 1.5,
    "against label": 1.0,
    "not against": -1.5,
    "of other drug": -1.0,
    "missing terms": -0.5,
    "aside": -1.0,
    "of list": 1.0,
}
"""Weights by judgement, of what counts or is too rare in the questions to be fitted."""

LEADS = 2
"""Statements that may lead: the default of `policy.leads`."""


class ShownCase(NamedTuple):
    """What is shown for a question, and how much of what decides each unit has.

    gains   float (units,): 1 for the deciding words, and the share of the facts
    """

    author: str
    row: dict[str, Any]
    things: AskedThings
    units: list[ShownUnit]
    features: list[dict[str, float]]
    gains: Floats


class _ListeningModel(ExtractiveModel):
    """Remembers what it was asked to write from."""

    async def complete(self, prompt: Prompt[R]) -> R:
        self.prompt = prompt
        return await super().complete(prompt)


async def show_case(row: dict[str, Any], author: str, context: Context, judge: Any) -> ShownCase | None:
    """Ask a question, and describe what is shown; None where it is refused, or answered by no guideline."""
    model = _ListeningModel(judge)
    answer = await ask(Question(text=row["question"]), replace(context, model=model))
    prompt = getattr(model, "prompt", None)
    if answer.abstained or not isinstance(prompt, WriteAnswer):
        return None
    asked = read_question(prompt.question)
    choices = await model.rank_units(prompt, asked)
    _, chosen = draft_statements(prompt, asked, choices)
    return build_case(row, author, prompt.question, chosen, choices)


def build_case(
    row: dict[str, Any], author: str, question: Question, chosen: Sequence[Any], choices: Sequence[Any]
) -> ShownCase | None:
    """Describe what is shown; None where no guideline is."""
    if not chosen or chosen[0].passage.reference.kind != "guideline":
        return None
    things = read_asked_things(question, read_question(question))
    units = list_shown_units(chosen, choices)
    return ShownCase(author, row, things, units, describe_units(things, units), rate_gains(row, units))


def rate_gains(row: Mapping[str, Any], units: Sequence[ShownUnit]) -> Floats:
    """How much of what decides each unit has."""
    lead = [re.compile(row["lead"], re.IGNORECASE)] if row.get("lead") else []
    facts = [re.compile(fact["pattern"], re.IGNORECASE) for fact in row.get("facts", ())]
    return np.array(
        [
            sum(one.search(unit.unit.text) is not None for one in lead)
            + sum(one.search(unit.unit.text) is not None for one in facts) / (len(facts) or 1)
            for unit in units
        ]
    )


def fit_weights(cases: Sequence[ShownCase], penalty: float = PENALTY) -> dict[str, float]:
    """The weights under which what has most of what decides is chosen most often."""
    names = sorted(cases[0].features[0])
    tables = [np.array([[row[name] for name in names] for row in case.features]) for case in cases]
    spread = np.vstack(tables).std(0)
    spread[spread < 1e-6] = 1.0
    expected = np.array([EXPECTED.get(name, 0.0) for name in names]) * spread
    told = [
        (table / spread, case.gains / case.gains.max())
        for table, case in zip(tables, cases, strict=True)
        if case.gains.any()
    ]

    def loss(weights: Floats) -> tuple[float, Floats]:
        apart = weights - expected
        value, slope = 0.5 * penalty * float(apart @ apart), penalty * apart
        for table, gains in told:
            odds = np.exp(table @ weights - (table @ weights).max())
            chance = odds / odds.sum()
            share = chance * gains
            value -= float(np.log(share.sum() + 1e-12))
            slope -= table.T @ (share / share.sum() - chance)
        return value, slope

    found = minimize(loss, expected, jac=True, method="L-BFGS-B")
    return {name: round(float(weight), 4) for name, weight in zip(names, found.x / spread, strict=True)}


def measure(cases: Sequence[ShownCase], weights: Mapping[str, float]) -> tuple[int, float, list[int]]:
    """Of how many questions the short answer has the deciding words, how much of the facts, and its words."""
    model = ShortAnswerModel(weights=dict(weights))
    decided, facts, words = 0, 0.0, []
    for case in cases:
        leading = select_leading_units(case.things, case.units, model.rate_units(case.units, case.features), LEADS)
        text = "\n".join(one.unit.text for one in leading)
        decided += re.search(case.row.get("lead") or case.row["facts"][0]["pattern"], text, re.IGNORECASE) is not None
        patterns = [fact["pattern"] for fact in case.row.get("facts", ())]
        facts += sum(re.search(one, text, re.IGNORECASE) is not None for one in patterns) / (len(patterns) or 1)
        words.append(sum(len(one.unit.own_text.split()) for one in leading))
    return decided, facts, words


async def show_all(paths: Sequence[Path], home: str, keep: Path | None) -> list[ShownCase]:
    """What is shown for each question of each file, read from where it was kept."""
    found: list[ShownCase | None] = []
    async with config.open_context(config.load({"home": home, "network.offline": True})) as context:
        judge = context.model.judge  # type: ignore[attr-defined]
        for path in paths:
            for row in read_cases(path):
                if not row.get("answerable", True) or not (row.get("lead") or row.get("facts")):
                    continue
                name = hashlib.sha256(row["question"].encode()).hexdigest()
                kept = keep / f"{name}.pickle" if keep else None
                if kept and kept.exists():
                    found.append(pickle.loads(kept.read_bytes()))  # noqa: S301 - written by this program
                    continue
                found.append(await show_case(row, path.stem, context, judge))
                if kept:
                    kept.write_bytes(pickle.dumps(found[-1]))
    return [case for case in found if case]


def print_left_out(cases: Sequence[ShownCase]) -> None:
    """What a model does with the questions of an author that it was not fitted on."""
    for author in sorted({case.author for case in cases}):
        own = [case for case in cases if case.author == author]
        decided, facts, words = measure(own, fit_weights([case for case in cases if case.author != author]))
        print(f"{author}: {len(own)}, deciding words {decided / len(own):.3f}, facts {facts / len(own):.3f}, ", end="")
        print(f"words {float(np.median(words)):.0f} (median)")


async def main() -> None:
    """Read the arguments, fit and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--keep", type=Path, help="folder for what was shown")
    parser.add_argument("--write", action="store_true", help=f"write {WEIGHTS.name}")
    given = parser.parse_args()
    cases = await show_all(given.files, given.home, given.keep)
    print_left_out(cases)
    weights = fit_weights(cases)
    print(json.dumps(weights, indent=1))
    if given.write:
        told = ", ".join(sorted({case.author for case in cases}))
        model = ShortAnswerModel(weights=weights, fitted_on=f"answered questions of {told}", n=len(cases))
        WEIGHTS.write_text(model.model_dump_json(indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(main())
