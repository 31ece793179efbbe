"""Questions whose answers are known, and files of them: JSON lines, as published or in a form of our own.

No case is left out unseen: a line that cannot be used refuses the file, and what is not asked is counted by its kind.
"""

import random
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from wellsourced.errors import NotFoundError, SourceRefused, UnreadableFile
from wellsourced.evaluate.beir import SEED, hash_file
from wellsourced.evaluate.questions.case_rows import BadRow, QuestionCase, build_case, parse_row
from wellsourced.evaluate.questions.published_sets import PUBLISHED_SETS, SkippedRow
from wellsourced.evaluate.recorded_summaries import refuse_faults
from wellsourced.readers.decompressed_file import iter_lines
from wellsourced.types import Question

Regime = Literal["allowed", "excluded", "as-of"]
"""Whether the documents from which a question was made may answer it; or only what was published by its date."""

REGIMES: tuple[Regime, ...] = get_args(Regime)

LINE_FORMAT = (
    'A line reads {"id": "q1", "question": "…", "answer": "yes"}; docs/evaluation.md says what else it may have.'
)

FOLDERS = ("", "qa")
"""Where in the folder of data a set may lie."""


class QuestionSet(NamedTuple):
    """The cases that are asked, and of what file they are.

    name       of the set: the stem of its file
    form       in which it is written: the name of a published set, or "questions"
    sha256     of the file, the beginning
    recorded   cases that the file has; `cases` are all of them, or as many as were drawn with the seed
    skipped    kind → rows that are not asked, since nothing here can score them
    """

    name: str
    form: str
    sha256: str
    cases: tuple[QuestionCase, ...]
    recorded: int
    limit: int
    seed: int
    skipped: Mapping[str, int]

    def to_json(self) -> dict[str, Any]:
        """What tells two sets apart, and what was not asked."""
        told = {name: value for name, value in self._asdict().items() if name != "cases"}
        return {**told, "skipped": dict(self.skipped), "asked": len(self.cases)}


def find_set(given: str, data: Path | None) -> Path:
    """The file of that path, or the set of that name in the folder of data. Raises NotFoundError."""
    path = Path(given).expanduser()
    if path.is_file():
        return path
    if data is None:
        remedy = "Name a file, or with --data the folder that holds the set."
        raise NotFoundError(f"There is no file {given}. {remedy}")
    tried = [data / folder / f"{given}{ending}" for folder in FOLDERS for ending in (".jsonl", ".jsonl.gz")]
    for one in tried:
        if one.is_file():
            return one
    raise NotFoundError(f"{data} holds no set {given}: none of {', '.join(str(one) for one in tried)} is there.")


def name_set(path: Path) -> str:
    """The name of the set in a file: pubmedqa.jsonl.gz is "pubmedqa"."""
    return path.name.removesuffix(".gz").removesuffix(".jsonl")


def read_questions(path: Path, form: str = "", limit: int = 0, seed: int = SEED) -> QuestionSet:
    """Every case of a file; with a limit, so many of them, drawn with the seed.

    form   how it is written; "": as its name says, else in the form of our own ("questions")

    Raises UnreadableFile that names the lines which cannot be used.
    """
    form = form or (name_set(path) if name_set(path) in PUBLISHED_SETS else "questions")
    translate: Callable[[dict[str, Any]], dict[str, Any]] = PUBLISHED_SETS.get(form, dict)
    cases: list[QuestionCase] = []
    lines: dict[str, int] = {}
    faults: list[str] = []
    skipped: Counter[str] = Counter()
    for number, line in iter_lines(path):
        try:
            case = build_case(translate(parse_row(line)))
            if case.id in lines:
                raise BadRow(f"the id “{case.id}” stands on line {lines[case.id]} already")
            lines[case.id] = number
            cases.append(case)
        except SkippedRow as one:
            skipped[str(one)] += 1
        except BadRow as bad:
            faults.append(f"line {number}: {bad}")
    refuse_faults(path, faults)
    if not cases:
        raise UnreadableFile(path, "it holds no question that can be scored", LINE_FORMAT)
    drawn = random.Random(seed).sample(cases, limit) if 0 < limit < len(cases) else cases  # noqa: S311
    sha256 = hash_file(path)[:16]
    return QuestionSet(name_set(path), form, sha256, tuple(drawn), len(cases), limit, seed, dict(skipped))


def require_regime(data: QuestionSet, regime: Regime) -> None:
    """Raise SourceRefused, naming cases, where the regime says nothing of them: what they rest on is not recorded."""
    lacking = {
        "allowed": [],
        "excluded": [one.id for one in data.cases if not one.sources],
        "as-of": [one.id for one in data.cases if one.as_of is None],
    }[regime]
    if lacking:
        what = "source" if regime == "excluded" else "as_of"
        named = ", ".join(lacking[:3])
        raise SourceRefused(
            f"{data.name} cannot be asked with --regime {regime}: {len(lacking):,} of {len(data.cases):,} cases have "
            f"no {what} ({named}{' …' if len(lacking) > 3 else ''}). Give it to them, or leave them out of the file."
        )


def build_question(case: QuestionCase, regime: Regime) -> Question:
    """What is asked: the case under the regime."""
    as_of: date | None = case.as_of if regime == "as-of" else None
    exclude = (*case.excluded, *(case.source_ids if regime == "excluded" else ()))
    return Question(text=case.question, options=dict(case.options), exclude=exclude, as_of=as_of)
