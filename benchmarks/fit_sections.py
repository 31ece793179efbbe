"""Fit how likely a section of a guideline answers a question; print how well, on questions of guidelines left out.

    python -m benchmarks.fit_sections DATA WORK [FILE …] [--write]

FILE has questions that the digests answer and others that they do not, a JSON object a line: `question`; `guideline`
and `facts` with a `pattern` each, or `quote`, or `near` where `expected` is given (benchmarks/clinical_cases/).
Questions of BioASQ and PubMedQA (DATA) are what guidelines do not answer. WORK keeps what was read, for a second fit.

A question is answered by one of the sections that were read for it, or by none: the softmax over their scores and 0.
"""

import argparse
import asyncio
import json
import random
import re
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize  # type: ignore[import-untyped]

from benchmarks.clinical_cases.guideline_answers import HERE, read_cases
from benchmarks.corpora import SEED
from wellsourced import config
from wellsourced.claims.question_profile import read_question
from wellsourced.context import Context
from wellsourced.pipeline.frame.question_framing import frame_question
from wellsourced.pipeline.read.evidence_selection import find_places, judge_units, list_sections, read_candidates
from wellsourced.pipeline.read.section_relevance import SectionModel, describe_sections
from wellsourced.pipeline.retrieve.retrieval import retrieve_tiers
from wellsourced.pipeline.retrieve.search import describe_sources
from wellsourced.readers.guidelines import load_digests
from wellsourced.text.passages import text_under_titles
from wellsourced.types import Question

Floats = NDArray[np.float64]

WEIGHTS = Path(__file__).parents[1] / "src/wellsourced/pipeline/read/section_weights.json"

OTHER_QUESTIONS = {"bioasq": 120, "pubmedqa": 40}
"""Questions that guidelines do not answer, drawn of each set."""

PENALTY = 3.0
"""Of the squared weights, of standardised features."""

FOLDS = 5


class AskedCase(NamedTuple):
    """A question, and how the section that answers it is known.

    guideline   its folder; "" where any will do
    patterns    of which the answering section has the most; () where none answers
    group       what is never on both sides of a fold
    """

    id: str
    question: str
    guideline: str
    patterns: tuple[str, ...]
    group: str


class ReadCase(NamedTuple):
    """The sections that were read for a question, and which of them answer it.

    features   float (sections, features)
    answers    bool (sections,)
    """

    case: AskedCase
    features: Floats
    answers: NDArray[np.bool_]


def build_case(row: Mapping[str, Any]) -> AskedCase | None:
    """A case of benchmarks/clinical_cases; None where it does not say what answers it."""
    quote = row.get("quote") or (row.get("near") if row.get("expected") else "")
    patterns = tuple(fact["pattern"] for fact in row.get("facts", ())) or ((_match_loosely(quote),) if quote else ())
    is_unanswered = bool(row.get("missing")) or row.get("answerable") is False
    if not patterns and not is_unanswered:
        return None
    guideline = row.get("guideline", "")
    return AskedCase(row["id"], row["question"], guideline, () if is_unanswered else patterns, guideline or row["id"])


def _match_loosely(quote: str) -> str:
    """An expression for words of a digest without its marks of layout."""
    return r"[\s|*]+".join(re.escape(word) for word in re.sub(r"[*|]", " ", quote).split())


def draw_other_cases(data: Path) -> list[AskedCase]:
    """Questions on research, which the digests do not answer."""
    found = []
    for name, count in OTHER_QUESTIONS.items():
        rows = read_cases(data / "qa" / f"{name}.jsonl.gz")
        drawn = random.Random(SEED).sample(rows, count)  # noqa: S311
        found += [AskedCase(f"{name}-{row['id']}", row["question"], "", (), f"{name}-{row['id']}") for row in drawn]
    return found


async def read_case(case: AskedCase, dois: Mapping[str, str], context: Context) -> dict[str, Any]:
    """What is read for a question, as features of each section, and which of them answer."""
    question = (await frame_question(Question(text=case.question), context)).question
    cards, _ = await describe_sources(context.sources)
    async with aclosing(plan_tiers(question, cards, context)) as planning:
        planned = await anext(planning)
    found = await retrieve_tiers(planned.plan.tiers[:1], question, cards, context, planned.tried)
    evidence = (await read_candidates(question, found.candidates, context)).evidence
    units = await judge_units(question, evidence, context.relevance_judge)
    sections = list_sections([one.passage for one in evidence], units, find_places(found.candidates, evidence))
    described = await describe_sections(read_question(question), sections, context.relevance_judge)
    shares = []
    for section in sections:
        is_home = not case.guideline or dois[case.guideline] in section.passage.reference.id
        hits = [re.search(one, text_under_titles(section.passage), re.IGNORECASE) for one in case.patterns]
        shares.append(sum(map(bool, hits)) / len(hits) if hits and is_home else 0.0)
    best = max(shares, default=0.0)
    answers = [bool(best) and share == best for share in shares]
    return {"id": case.id, "features": described, "answers": answers}


async def read_all(cases: Sequence[AskedCase], work: Path) -> list[ReadCase]:
    """Everything that is read for the cases; what WORK has is not read again."""
    kept = work / "sections.jsonl"
    rows = {row["id"]: row for row in map(json.loads, kept.read_text().splitlines())} if kept.exists() else {}
    dois = {id: entry.doi for id, entry in load_digests().entries.items()}
    settings = config.load({"home": str(work / "home"), "network.offline": True, "policy.min_relevance": 0.0})
    async with config.open_context(settings) as context:
        with kept.open("a") as file:
            for case in cases:
                if case.id not in rows:
                    rows[case.id] = await read_case(case, dois, context)
                    file.write(json.dumps(rows[case.id]) + "\n")
    return [_build_read_case(case, rows[case.id]) for case in cases if rows[case.id]["features"]]


def _build_read_case(case: AskedCase, row: Mapping[str, Any]) -> ReadCase:
    features = np.array([[one[name] for name in row["features"][0]] for one in row["features"]], np.float64)
    return ReadCase(case, features, np.array(row["answers"], np.bool_))


def fit_model(cases: Sequence[ReadCase], names: Sequence[str]) -> SectionModel:
    """The weights of largest likelihood, with a penalty. What answers was not read for a few questions: they are left
    out."""
    used = [one for one in cases if one.answers.any() or not one.case.patterns]
    weights, intercept = fit_choice([(one.features, one.answers) for one in used], PENALTY)
    return SectionModel(
        weights={name: round(float(weight), 4) for name, weight in zip(names, weights, strict=True)},
        intercept=round(intercept, 4),
        fitted_on="questions on guidelines by people who had not seen the rules, and others; BioASQ's and PubMedQA's",
        n=len(used),
    )


def fit_choice(choices: Sequence[tuple[Floats, NDArray[np.bool_]]], penalty: float) -> tuple[Floats, float]:
    """The weights and the intercept of a conditional logit in which one of several is right, or none is.

    choices  of each question the features (several, features), and which are right: (several,), and then none of them
             is where nothing else is; or (several + 1,), the last of which says whether none is
    penalty  of half the squared weights, of standardised features
    """
    every = np.concatenate([features for features, _ in choices])
    mean, spread = every.mean(0), every.std(0) + 1e-6
    scaled = [
        ((features - mean) / spread, right if len(right) > len(features) else np.append(right, not right.any()))
        for features, right in choices
    ]

    def measure_loss(weights: Floats) -> tuple[float, Floats]:
        loss, slope = penalty * float(weights[:-1] @ weights[:-1]) / 2, np.r_[penalty * weights[:-1], 0.0]
        for values, is_right in scaled:
            odds = np.r_[np.exp(np.clip(values @ weights[:-1] + weights[-1], -50, 50)), 1.0]
            right = odds * is_right
            gap = (odds / odds.sum() - right / right.sum())[:-1]
            loss -= float(np.log(right.sum() / odds.sum()))
            slope += np.r_[values.T @ gap, gap.sum()]
        return loss, slope

    found = minimize(measure_loss, np.zeros(every.shape[1] + 1), jac=True, method="L-BFGS-B").x
    weights = found[:-1] / spread
    return weights, float(found[-1] - weights @ mean)


def score_folds(cases: Sequence[ReadCase], names: Sequence[str]) -> list[Floats]:
    """The probabilities of each case's sections by a model that has not seen its guideline."""
    groups = sorted({one.case.group for one in cases})
    random.Random(SEED).shuffle(groups)  # noqa: S311
    fold_of = {group: number % FOLDS for number, group in enumerate(groups)}
    models = [fit_model([one for one in cases if fold_of[one.case.group] != fold], names) for fold in range(FOLDS)]
    return [score_case(one, models[fold_of[one.case.group]]) for one in cases]


def score_case(one: ReadCase, model: SectionModel) -> Floats:
    """The probability of each section."""
    rows = [dict(zip(model.weights, values, strict=True)) for values in one.features.tolist()]
    return np.array([model.probability(row) for row in rows], np.float64)


def report(cases: Sequence[ReadCase], scores: Sequence[Floats]) -> None:
    """Print how often the best section answers, and how many questions have one above each threshold."""
    known = [(one, score) for one, score in zip(cases, scores, strict=True) if one.answers.any()]
    lost = sum(bool(one.case.patterns) and not one.answers.any() for one in cases)
    first = np.mean([one.answers[score.argmax()] for one, score in known])
    third = np.mean([one.answers[np.argsort(-score)[:3]].any() for one, score in known])
    print(
        f"{len(known)} questions, of {lost} more nothing that answers was read: first {first:.2f}, in three {third:.2f}"
    )
    for name, measure in {"the best section": find_best, "any section": find_any}.items():
        print(f"questions with a probability that {name} answers of at least")
        for threshold in (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6):
            told = [[measure(score) >= threshold for one, score in zip(cases, scores, strict=True) if is_one(one)]
                    for is_one in (_is_answered, _is_near, _is_other)]  # fmt: skip
            shares = ", ".join(f"{np.mean(each):.2f}" for each in told)
            print(f"  {threshold}: of those answered, near misses, others: {shares}")


def find_best(scores: Floats) -> float:
    """The probability of the best section."""
    return float(scores.max())


def find_any(scores: Floats) -> float:
    """The probability that one of the sections answers."""
    odds = float((scores / (1 - scores)).sum())
    return odds / (1 + odds)


def _is_answered(one: ReadCase) -> bool:
    return bool(one.answers.any())


def _is_near(one: ReadCase) -> bool:
    return not one.case.patterns and not _is_other(one)


def _is_other(one: ReadCase) -> bool:
    return one.case.id.startswith(tuple(OTHER_QUESTIONS)) or "off" in one.case.id


def main() -> None:
    """Read the arguments, read the sections, fit and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--write", action="store_true", help="write the weights that are fitted on all")
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    files = given.files or [HERE / f"{name}.jsonl" for name in ("facts", "near_misses", "yes_no")]
    cases = [case for file in files for row in read_cases(file) if (case := build_case(row))]
    cases += draw_other_cases(given.data)
    found = asyncio.run(read_all(cases, given.work))
    names = list(json.loads((given.work / "sections.jsonl").read_text().splitlines()[0])["features"][0])
    report(found, score_folds(found, names))
    if given.write:
        model = fit_model(found, names)
        WEIGHTS.write_text(model.model_dump_json(indent=2) + "\n")
        for name, weight in model.weights.items():
            print(f"  {name}: {weight:.2f}")


if __name__ == "__main__":
    main()
