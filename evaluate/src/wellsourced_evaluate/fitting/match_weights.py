"""How likely an expected question is what somebody asks; prints how well, with each author left out.

    python -m wellsourced_evaluate.fitting.match_weights FILE … [--write]

FILE has questions that the digests answer, by `guideline` and the expression `lead` of the deciding words, and others
that they do not (evaluate/data/clinical_cases/questions_blind_*.jsonl). An expected question is what was asked when the
lines that answer it have the deciding words. Nobody who wrote the expected questions had seen these, nor the other way.
"""

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from wellsourced import config
from wellsourced.context import Context
from wellsourced.encoders.minilm import MiniLM
from wellsourced.expected_questions.matching import MatchModel, describe_matches, list_near_questions
from wellsourced.pipeline.frame.question_framing import frame_question
from wellsourced.readers.guidelines import document_id, load_digests
from wellsourced.types import Question
from wellsourced_evaluate.clinical.cases import has_deciding_words
from wellsourced_evaluate.development_data import PRODUCT, read_rows
from wellsourced_evaluate.fitting.models import Bools, fit_choice, name_weights, write_weights

PENALTY = 2.0
"""Of half the squared weights, of standardised features."""

THRESHOLDS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7)


class MatchedCase(NamedTuple):
    """A question of a file, the features of what is near it, and what of that is what was asked.

    rows       of each that is near, its features
    is_asked   bool (near,): its lines answer
    is_missed  bool (near,): it is a near miss, which is right of a question that the digests do not answer
    """

    file: str
    is_answerable: bool
    rows: Sequence[Mapping[str, float]]
    is_asked: Bools
    is_missed: Bools


async def match_cases(files: Sequence[Path], context: Context) -> list[MatchedCase]:
    """Every question of the files with what is near it."""
    ids = {id: document_id(entry) for id, entry in load_digests().entries.items()}
    encoder, found = MiniLM(), []
    for file in files:
        for case in read_rows(file):
            question, _ = await frame_question(Question(text=case["question"]), context)
            near = list_near_questions(question, encoder)
            home = ids.get(case.get("guideline", ""), "")
            asked = [
                case["answerable"]
                and one.expected.is_answered
                and one.expected.document.id == home
                and has_deciding_words(case, one.expected.lead_text)
                for one in near
            ]
            missed = np.array([not one.expected.is_answered for one in near])
            rows = describe_matches(question, near)
            found.append(MatchedCase(file.stem, case["answerable"], rows, np.array(asked, dtype=bool), missed))
    return found


def fit(cases: Sequence[MatchedCase]) -> MatchModel:
    """A conditional logit with none as a choice. A question whose answer is not among the near ones says nothing."""
    usable = [one for one in cases if one.is_asked.any() or not one.is_answerable]
    rows = [(np.array([list(row.values()) for row in one.rows]), _list_right(one)) for one in usable]
    weights, intercept = fit_choice(rows, PENALTY)
    return MatchModel(
        weights=name_weights(usable[0].rows[0], weights),
        intercept=round(intercept, 4),
        fitted_on=", ".join(dict.fromkeys(one.file for one in cases)),
        n=len(cases),
    )


def _list_right(case: MatchedCase) -> Bools:
    """Which of what is near is right, and at last whether none is: of what is not answered any near miss is."""
    return np.append(case.is_asked if case.is_answerable else case.is_missed, not case.is_answerable)


def report(cases: Sequence[MatchedCase]) -> None:
    """Print how often the likeliest one is what was asked, each file by a fit without it."""
    found = []
    for file in dict.fromkeys(one.file for one in cases):
        model = fit([one for one in cases if one.file != file])
        own = [(one, model.choose(one.rows)) for one in cases if one.file == file]
        rows = [(one.is_answerable, *_choose_answered(one, chances)) for one, chances in own]
        found += rows
        answerable = [right for is_answerable, right, _ in rows if is_answerable]
        print(f"{file}: right {np.mean(answerable):.3f} of {len(answerable)}")
    able = [(right, chance) for is_answerable, right, chance in found if is_answerable]
    others = [chance for is_answerable, _, chance in found if not is_answerable]
    near = np.mean([one.is_asked.any() for one in cases if one.is_answerable])
    print(f"all: right {np.mean([right for right, _ in able]):.3f} of {len(able)}; among the near ones {near:.3f}")
    for least in THRESHOLDS:
        sure = [right for right, chance in able if chance >= least]
        print(
            f"from {least} on: {len(sure) / len(able):.2f} of what is answerable, {np.mean(sure):.3f} of it rightly; "
            f"{np.mean([chance >= least for chance in others]):.3f} of what is not"
        )


def _choose_answered(case: MatchedCase, chances: Sequence[float]) -> tuple[bool, float]:
    """Whether the likeliest question that is answered is right, and how likely it is."""
    answered = np.where(case.is_missed, 0.0, chances)
    return bool(case.is_asked[answered.argmax()]), float(answered.max())


async def main() -> None:
    """Read the arguments, fit and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--write", action="store_true", help="write match_weights.json")
    given = parser.parse_args()
    async with config.open_context(config.load({"network.offline": True})) as context:
        cases = await match_cases(given.files, context)
    report(cases)
    told = fit(cases)
    print(told.model_dump_json(indent=2))
    if given.write:
        write_weights(told, PRODUCT / "expected_questions/match_weights.json")


if __name__ == "__main__":
    asyncio.run(main())
