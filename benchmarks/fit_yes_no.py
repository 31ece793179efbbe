"""Fit how units of studies are weighed to say yes or no, and say how often that is right; write the weights.

python -m benchmarks.fit_yes_no DATA WORK [--threshold 0.8] [--out src/wellsourced/models/yes_no_weights.json]

DATA is the folder of the development data. WORK keeps two libraries from one run to the next: PubMedQA's abstracts with
their conclusions, as a reader finds them in PubMed, and the excerpts that BioASQ's experts took. Each question is asked
of the documents that are named for it; its units are scored as in use. Five folds by group; "maybe" is not fitted on,
and counts as wrong where anything is said. Guidelines' questions are those of clinical_cases/yes_no.jsonl;
what they decide by is fitted by benchmarks/fit_advice_choice.py. Everything is seeded.
"""

import argparse
import asyncio
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.corpora import Row, rows
from benchmarks.report import working
from wellsourced import config
from wellsourced.api import ask
from wellsourced.claims.question_profile import QuestionProfile, read_question
from wellsourced.context import Context
from wellsourced.encoders.minilm import MiniLM
from wellsourced.ingest import ingest_files
from wellsourced.models import yes_no_decision as decision
from wellsourced.models.base import Prompt, R
from wellsourced.models.extractive import ExtractiveModel
from wellsourced.models.unit_choice import QuoteCandidate
from wellsourced.models.yes_no_decision import YesNoModel, decide_yes_no, may_be_decided
from wellsourced.prompts.writing import WriteAnswer
from wellsourced.sources.library import Library, list_libraries
from wellsourced.types import Question

Floats = NDArray[np.float64]

OUT = Path(decision.__file__).with_name("yes_no_weights.json")
GUIDELINE_CASES = Path(__file__).parent / "clinical_cases/yes_no.jsonl"
GUIDELINE_USES = ("fit", "test", "second")

FOLDS = 5
RIDGE = 30.0
"""10 and 60 are within .01 of it."""

LEVELS = (0.6, 0.7, 0.75, 0.8, 0.85, 0.9)
"""Probabilities from which accuracy and coverage are told."""


class AskedCase(NamedTuple):
    """A question, its right answer ("yes", "no" or "maybe"), and the units that were scored for it, best first."""

    set: str
    group: str
    question: Question
    answer: str
    asked: QuestionProfile
    units: tuple[QuoteCandidate, ...]

    @property
    def studies(self) -> list[QuoteCandidate]:
        """The units of studies that are weighed."""
        return [one for one in self.units if one.passage.reference.kind == "research"][: decision.WEIGHED_UNITS]


class RecordingModel(ExtractiveModel):
    """The extractive model, which keeps the units that it ranked last."""

    ranked: Sequence[QuoteCandidate] = ()

    async def complete(self, prompt: Prompt[R]) -> R:
        """As ever; the units are kept."""
        if isinstance(prompt, WriteAnswer):
            self.ranked = await self.rank_units(prompt, read_question(prompt.question))
        return await super().complete(prompt)


# --- libraries and questions ---------------------------------------------------------------------------------------


def list_abstracts(data: Path) -> Iterator[Row]:
    """PubMedQA's abstracts, their parts labelled, with the conclusions that the set holds apart."""
    for row in rows(data / "qa/pubmedqa.jsonl.gz"):
        parts = zip(row["context_labels"], row["contexts"], strict=True)
        text = "\n\n".join((*(f"{label}: {part}" for label, part in parts), f"CONCLUSIONS: {row['ideal_answer']}"))
        yield {"_id": row["id"], "title": "", "text": text, "metadata": {}}


def list_excerpts(data: Path) -> Iterator[Row]:
    """What BioASQ's experts took of the documents on questions of yes or no."""
    wanted = {id for row in list_rows(data, "bioasq") for id in row["gold_doc_ids"]}
    yield from (row for row in rows(data / "corpora/research.jsonl.gz") if row["_id"] in wanted)


def list_rows(data: Path, name: str) -> list[Row]:
    """The questions of a set that are answered yes, no or maybe."""
    every = rows(data / f"qa/{name}.jsonl.gz")
    return [row for row in every if row["type"] in ("yesno", "yesnomaybe") and row["gold_doc_ids"]]


async def open_home(work: Path, name: str, documents: Iterator[Row]) -> Path:
    """A home whose library `research` holds the documents; made once. Raises OSError."""
    home = work / name
    if "research" not in list_libraries(home / "libraries"):
        home.mkdir(parents=True, exist_ok=True)
        path = home / "documents.jsonl"
        path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in documents), encoding="utf-8")
        Library.create(home / "libraries", "research", "research", MiniLM())
        library = Library.at(home / "libraries", "research", MiniLM(), write=True)
        try:
            await ingest_files(library, [path])
            await library.embed_passages()
        finally:
            library.close()
    return home


async def ask_rows(home: Path, name: str, asked: Sequence[Row]) -> list[AskedCase]:
    """Every question, asked of the documents that are named for it, or of the guidelines. Raises what `ask` raises."""
    found = []
    settings = config.load({"home": str(home), "network.offline": True})
    async with config.open_context(settings) as context:
        for place, row in enumerate(asked):
            working(f"{name}: {place} of {len(asked)} questions")
            question = Question(text=row["question"], given=tuple(row.get("gold_doc_ids", ())))
            units = await rank_units(question, context)
            key = str(row.get("group", row["id"]))
            found.append(AskedCase(name, key, question, row["answer"], read_question(question), units))
    working("")
    return found


async def rank_units(question: Question, context: Context) -> tuple[QuoteCandidate, ...]:
    """The units that an answer would be made of, best first; () where it abstains. Raises what `ask` raises."""
    assert isinstance(context.model, ExtractiveModel)
    recording = RecordingModel(context.model.judge)
    answer = await ask(question, replace(context, model=recording))
    return () if answer.abstained else tuple(recording.ranked)


# --- fitting -------------------------------------------------------------------------------------------------------


def fit_weights(described: Sequence[dict[str, float]], labels: NDArray[np.bool_]) -> YesNoModel:
    """Newton's method with an L2 penalty, on standardised features."""
    names = list(described[0])
    values = np.array([[one[name] for name in names] for one in described])
    mean, spread = values.mean(axis=0), values.std(axis=0) + 1e-9
    scaled = np.clip((values - mean) / spread, -decision.MAX_SPREADS, decision.MAX_SPREADS)
    x = np.column_stack([scaled, np.ones(len(values))])
    shrink = RIDGE * np.diag([1.0] * len(names) + [0.0])
    beta = np.zeros(x.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ beta))
        beta += np.linalg.solve((x.T * (p * (1 - p))) @ x + shrink, x.T @ (labels - p) - shrink @ beta)
    columns = zip(names, mean, spread, beta[:-1], strict=True)
    weights = {name: (round(m, 5), round(s, 5), round(w, 5)) for name, m, s, w in columns}
    return YesNoModel(weights=weights, intercept=round(float(beta[-1]), 5), threshold=0.5)


def find_fold(group: str) -> int:
    """The fold that all questions of a group are in."""
    return hashlib.sha256(group.encode()).digest()[0] % FOLDS


def cross_validate(cases: Sequence[AskedCase]) -> tuple[list[float], list[YesNoModel]]:
    """For each case the probability of "yes" by the model that was fitted on the other folds; and these models."""
    described = [decision.describe_units(one.question.text, one.studies) for one in cases]
    models = []
    for fold in range(FOLDS):
        kept = [i for i, one in enumerate(cases) if find_fold(one.group) != fold and one.answer != "maybe"]
        labels = np.array([cases[i].answer == "yes" for i in kept])
        models.append(fit_weights([described[i] for i in kept], labels))
    chances = [models[find_fold(one.group)].predict_yes(what) for one, what in zip(cases, described, strict=True)]
    return chances, models


# --- what is told --------------------------------------------------------------------------------------------------


def describe_calibration(name: str, chances: Floats, labels: NDArray[np.bool_]) -> list[str]:
    """Accuracy, expected calibration error in five bins of the label's probability, and accuracy at coverage."""
    sure, right = np.maximum(chances, 1 - chances), (chances >= 0.5) == labels
    bins = np.minimum(((sure - 0.5) * 10).astype(int), 4)
    parts = [(bins == place) for place in range(5)]
    error = sum(abs(float((sure - right)[part].sum())) for part in parts) / len(labels)
    majority = max(labels.mean(), 1 - labels.mean())
    lines = [f"{name}: {len(labels)} questions, majority {majority:.3f}, accuracy {right.mean():.3f}, ECE {error:.3f}"]
    for place, part in enumerate(parts):
        if part.any():
            low = 0.5 + place / 10
            told = f"said {sure[part].mean():.2f}, right {right[part].mean():.2f} ({int(part.sum())})"
            lines.append(f"  probability {low:.1f} … {low + 0.1:.1f}: {told}")
    at = (f"{right[sure >= t].mean():.3f} at {(sure >= t).mean():.2f} (p ≥ {t})" for t in LEVELS if (sure >= t).any())
    return [*lines, f"  accuracy at coverage: {', '.join(at)}"]


def describe_decisions(name: str, cases: Sequence[AskedCase], models: Sequence[YesNoModel]) -> list[str]:
    """How often anything is said and how often that is right, with the unit that decides."""
    said = []
    for one in cases:
        fitted = models[find_fold(one.group) % len(models)]
        decided = decide_yes_no(one.question, one.units, one.asked.terms, fitted)
        if may_be_decided(one.question) and decided and decided.label != "depends":
            said.append(decided.label == one.answer)
    right = sum(said)
    maybe = sum(one.answer == "maybe" for one in cases)
    share = f"{right / len(said):.3f}" if said else "-"
    return [f"{name}: decided {len(said)} of {len(cases)} (of these {maybe} maybe), right {right}, precision {share}"]


async def gather_cases(data: Path, work: Path) -> tuple[list[AskedCase], list[AskedCase]]:
    """The questions to studies for which there are units, and those to guidelines. Raises OSError without the data."""
    homes = {
        "bioasq": await open_home(work, "bioasq", list_excerpts(data)),
        "pubmedqa": await open_home(work, "pubmedqa", list_abstracts(data)),
    }
    studies = [one for name, home in homes.items() for one in await ask_rows(home, name, list_rows(data, name))]
    lines = GUIDELINE_CASES.read_text(encoding="utf-8").splitlines()
    guidelines: list[dict[str, Any]] = [json.loads(line) for line in lines]
    home = work / "guidelines"
    asked = [
        one
        for use in GUIDELINE_USES
        for one in await ask_rows(home, f"guidelines, {use}", [row for row in guidelines if row["use"] == use])
    ]
    return [one for one in studies if one.studies], asked


def main() -> None:
    """Measure, print, and write the weights that were fitted on every question."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fit_yes_no", description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--threshold", type=float, default=0.8, help="probability from which anything is said")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    cases, guidelines = asyncio.run(gather_cases(options.data, options.work.resolve()))
    chances, models = cross_validate(cases)
    models = [one.model_copy(update={"threshold": options.threshold}) for one in models]
    told = []
    for name in ("bioasq", "pubmedqa", "all"):
        known = [i for i, one in enumerate(cases) if one.answer != "maybe" and name in (one.set, "all")]
        labels = np.array([cases[i].answer == "yes" for i in known])
        told += describe_calibration(name, np.array([chances[i] for i in known]), labels)
        told += describe_decisions(name, [one for one in cases if name in (one.set, "all")], models)
    for use in GUIDELINE_USES:
        told += describe_decisions(f"guidelines, {use}", [one for one in guidelines if one.set.endswith(use)], models)
    kept = [one for one in cases if one.answer != "maybe"]
    whole = fit_weights(
        [decision.describe_units(one.question.text, one.studies) for one in kept],
        np.array([one.answer == "yes" for one in kept]),
    )
    update = {
        "threshold": options.threshold,
        "fitted_on": f"{len(kept)} questions of BioASQ and PubMedQA",
    }
    content = json.dumps(whole.model_copy(update=update).model_dump(), indent=1, ensure_ascii=False)
    options.out.write_text(content + "\n", encoding="utf-8")
    print("\n".join(told))


if __name__ == "__main__":
    main()
