"""Fit whether what would be shown of a guideline answers the question; print how well, on authors left out.

    python -m benchmarks.fit_answerability DATA WORK FILE … [--write]

FILE has questions that the digests answer, with what decides (`lead`, or `expected`), and others that they do not
(benchmarks/clinical_cases/). Of DATA, questions of BioASQ and PubMedQA are what guidelines are not for. WORK keeps what
was read, for a second fit. Whatever is said of a file comes from a model that has seen no question of its author.
What `find_unanswered` refuses already is left out of the fit.
"""

import argparse
import asyncio
import json
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize  # type: ignore[import-untyped]

from benchmarks.clinical_cases.guideline_answers import has_deciding_words, has_plain_pattern, read_cases
from benchmarks.fit_sections import draw_other_cases
from wellsourced import config
from wellsourced.claims.question_profile import read_question
from wellsourced.context import Context
from wellsourced.models.answerability import AnswerabilityModel, LogisticModel, describe_answer
from wellsourced.models.direct_answers import find_unanswered
from wellsourced.models.extractive import ExtractiveModel, draft_statements
from wellsourced.pipeline.ask import AnswerMaterial, add_nearest_sections
from wellsourced.pipeline.evidence import GatheredEvidence, select_relevant
from wellsourced.pipeline.frame.question_framing import frame_question
from wellsourced.pipeline.read.evidence_selection import read_candidates
from wellsourced.pipeline.retrieve.retrieval import retrieve_tiers
from wellsourced.pipeline.retrieve.search import describe_sources
from wellsourced.pipeline.search_plan import plan_tiers
from wellsourced.prompts.writing import WriteAnswer
from wellsourced.types import Question

Floats = NDArray[np.float64]

Prediction = tuple[Mapping[str, Any], float]
"""A row, and the probability that what would be shown answers."""

WEIGHTS = Path(__file__).parents[1] / "src/wellsourced/models/answerability.json"

PENALTY = 50.0
"""Of the squared weights, of standardised features: the questions are few, and the features alike."""

STYLE = frozenset(
    ("sentences", "question words", "asking words", "words", "values", "names", "parts", "types", "what to do")
)
"""Features that tell authors apart, not answers."""

SURE = 0.6
"""Probability from which an answer is given: chosen on authors left out."""

BELONGING = (
    "relevance", "lead relevance", "likeness", "lead likeness", "rest", "coverage", "asking coverage", "unit coverage",
    "asks figure", "question words", "sentences", "unread unknown", "what to do", "values",
)  # fmt: skip
"""Features that tell whether a question is one for guidelines, answered or not."""


def read_kind(row: Mapping[str, Any]) -> str:
    """ "answered", "near" or "off"."""
    if row.get("kind") == "off":
        return "off"
    return "near" if row.get("missing") or row.get("answerable") is False else "answered"


def says_enough(row: Mapping[str, Any], text: str) -> bool:
    """Whether a text has what decides; where a case does not say what does, half of its facts."""
    if any(row.get(name) for name in ("lead", "expected", "quote")):
        return has_deciding_words(row, text)
    found = [has_plain_pattern(fact["pattern"], text) for fact in row.get("facts", ())]
    return bool(found) and 2 * sum(found) >= len(found)


async def describe_case(row: Mapping[str, Any], context: Context) -> dict[str, Any]:
    """What guidelines would show for a question, as features, and whether the deciding words are in it."""
    question = (await frame_question(Question(text=row["question"]), context)).question
    cards, _ = await describe_sources(context.sources)
    async with aclosing(plan_tiers(question, cards, context)) as planning:
        planned = await anext(planning)
    found = await retrieve_tiers(planned.plan.tiers[:1], question, cards, context, planned.tried)
    reading = await read_candidates(question, found.candidates, context)
    relevant = select_relevant(question, reading.evidence, context.policy)
    material = AnswerMaterial(GatheredEvidence(reading=reading), relevant)
    evidence = add_nearest_sections(question, material, context).relevant_evidence
    told = {
        "id": row["id"],
        "kind": read_kind(row),
        "features": None,
        "is_said": False,
        "is_refused": False,
        "guideline": row.get("guideline") or row["id"],
    }
    if not evidence or not isinstance(context.model, ExtractiveModel):
        return told
    asked = read_question(question)
    policy = context.policy
    prompt = WriteAnswer(question=question, evidence=evidence, statements=policy.statements, leads=policy.leads)
    choices = await context.model.rank_units(prompt, asked)
    said, chosen = draft_statements(prompt, asked, choices)
    if not chosen:
        return told
    is_said = says_enough(row, "\n".join(one.text for one in said))
    is_veto = bool(find_unanswered(question.text, asked, chosen, choices))
    return {
        **told,
        "is_refused": is_veto,
        "features": describe_answer(question, asked, chosen, choices),
        "is_said": is_said,
    }


async def describe_all(files: Sequence[Path], data: Path, work: Path) -> list[dict[str, Any]]:
    """Every case, with its file as `author`; what WORK has is not asked again."""
    kept = work / "answers.jsonl"
    rows = {row["id"]: row for row in map(json.loads, kept.read_text().splitlines())} if kept.exists() else {}
    cases = [(file.stem, row) for file in files for row in read_cases(file)]
    cases += [("research", {"id": one.id, "question": one.question, "kind": "off"}) for one in draw_other_cases(data)]
    settings = config.load({"home": str(work / "home"), "network.offline": True})
    async with config.open_context(settings) as context:
        with kept.open("a") as file:
            for author, case in cases:
                if case["id"] not in rows:
                    rows[case["id"]] = {"author": author, **await describe_case(case, context)}
                    file.write(json.dumps(rows[case["id"]]) + "\n")
    return [rows[case["id"]] for _, case in cases if rows[case["id"]]["features"]]


def fit_logistic(
    rows: Sequence[Mapping[str, Any]], labels: Sequence[bool], names: Sequence[str], is_balanced: bool = False
) -> LogisticModel:
    """The weights of largest likelihood, with a penalty.

    is_balanced   those that are labelled count as much together as those that are not
    """
    values = np.array([[row["features"][name] for name in names] for row in rows], np.float64)
    wanted = np.array(labels, np.float64)
    rest = wanted.sum() / (len(wanted) - wanted.sum()) if is_balanced else 1.0
    weight = np.where(wanted > 0, 1.0, rest)
    mean, spread = values.mean(0), values.std(0) + 1e-6
    scaled = (values - mean) / spread

    def measure_loss(weights: Floats) -> tuple[float, Floats]:
        score = scaled @ weights[:-1] + weights[-1]
        given = 1 / (1 + np.exp(-score))
        loss = float((weight * (np.logaddexp(0, score) - wanted * score)).sum())
        slope = weight * (given - wanted)
        penalty = PENALTY * float(weights[:-1] @ weights[:-1]) / 2
        return loss + penalty, np.r_[scaled.T @ slope + PENALTY * weights[:-1], slope.sum()]

    found = minimize(measure_loss, np.zeros(len(names) + 1), jac=True, method="L-BFGS-B").x
    raw = found[:-1] / spread
    return LogisticModel(
        weights={name: round(float(one), 4) for name, one in zip(names, raw, strict=True)},
        intercept=round(float(found[-1] - raw @ mean), 4),
    )


def fit_answers(rows: Sequence[Mapping[str, Any]]) -> LogisticModel:
    """That what would be shown answers. What is answered elsewhere than where it was looked for says nothing."""
    used = [
        row
        for row in rows
        if (row["kind"] == "answered") == row["is_said"] and row["author"] != "research" and not row["is_refused"]
    ]
    names = [name for name in used[0]["features"] if name not in STYLE and not name.startswith("asks to ")]
    return fit_logistic(used, [row["is_said"] for row in used], names)


def fit_belongs(rows: Sequence[Mapping[str, Any]]) -> LogisticModel:
    """That a question is one for guidelines."""
    return fit_logistic(rows, [row["kind"] != "off" for row in rows], BELONGING, is_balanced=True)


def predict_left_out(rows: Sequence[Mapping[str, Any]], key: str) -> list[Prediction]:
    """Each row with its probability, by a model that has not seen its author or guideline; 0 where a rule refuses."""
    told = []
    for value in sorted({row[key] for row in rows if row["author"] != "research"}):
        model = fit_answers([row for row in rows if row[key] != value])
        own = [row for row in rows if row[key] == value and row["author"] != "research"]
        told += [(row, 0.0 if row["is_refused"] else model.probability(row["features"])) for row in own]
    return told


def report(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print what models do with authors, and with guidelines, that they have not seen."""
    for key in ("author", "guideline"):
        told = predict_left_out(rows, key)
        print(f"by a model that has not seen the {key}")
        for author in sorted({row["author"] for row, _ in told}):
            print(f"  {author}: {describe_shares([one for one in told if one[0]['author'] == author])}")
        print(f"  all: {describe_shares(told)}")
    others = [row for row in rows if row["kind"] == "off"]
    belongs = fit_belongs([*(row for row in rows if row["kind"] != "off"), *others[::2]])
    shares = [
        float(np.mean([belongs.probability(row["features"]) >= 0.5 for row in some]))
        for some in (told_rows(told), others[1::2])
    ]
    print("belongs: of those for guidelines {:.2f}, of others {:.2f}".format(*shares))


def told_rows(told: Sequence[Prediction]) -> list[Mapping[str, Any]]:
    """Those that guidelines are for."""
    return [row for row, _ in told if row["kind"] != "off"]


def describe_shares(told: Sequence[Prediction]) -> str:
    """Refused, said, and answered near misses at each threshold."""
    kinds = {kind: [(row, p) for row, p in told if row["kind"] == kind] for kind in ("answered", "near", "off")}
    parts = []
    for threshold in (0.5, 0.55, 0.6, 0.65, 0.7):
        refused = float(np.mean([p < threshold for _, p in kinds["answered"]] or [False]))
        said = float(np.mean([row["is_said"] and p >= threshold for row, p in kinds["answered"]] or [False]))
        near = float(np.mean([p >= threshold for _, p in kinds["near"]] or [False]))
        parts.append(f"{threshold}: refused {refused:.2f}, said {said:.2f}, near misses answered {near:.2f}")
    return f"{len(kinds['answered'])}+{len(kinds['near'])}; " + "; ".join(parts)


def main() -> None:
    """Read the arguments, read what would be shown, fit and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--write", action="store_true", help="write the weights that are fitted on all")
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    rows = asyncio.run(describe_all(given.files, given.data, given.work))
    report(rows)
    if given.write:
        fitted = "questions on guidelines by authors who had not seen the rules; BioASQ's and PubMedQA's"
        model = AnswerabilityModel(
            answers=fit_answers(rows), belongs=fit_belongs(rows), sure=SURE, fitted_on=fitted, n=len(rows)
        )
        WEIGHTS.write_text(model.model_dump_json(indent=2) + "\n")


if __name__ == "__main__":
    main()
