"""Questions whose answers are known, and files of them: as their authors publish them, or in a form of our own.

No case is left out unseen: a record that cannot be used refuses the file, and what is not asked is counted by kind.
"""

import hashlib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from wellsourced.errors import NotFoundError, SourceRefused, UnreadableFile
from wellsourced.types import Question
from wellsourced_evaluate.beir import SEED, hash_file
from wellsourced_evaluate.question_sets.registry import (
    PUBLISHED_SETS,
    SetForm,
    find_form,
    list_files,
    list_places,
    locate_set,
    name_set,
)
from wellsourced_evaluate.questions.case_rows import QuestionCase, SkippedRow, build_case
from wellsourced_evaluate.recorded_rows import build_rows, draw_cases, refuse_faults

Regime = Literal["allowed", "excluded", "as-of", "restricted"]
"""What may answer a question: anything; all but the documents it was made from; only what was published by its date;
both, which is what Clinfo.ai calls restricted (and excluded: source dropped; allowed: unrestricted)."""

REGIMES: tuple[Regime, ...] = get_args(Regime)

LINE_FORMAT = 'A line reads {"id": "q1", "question": "…", "answer": "yes"}; evaluate/docs/evaluation.md says what more.'

MAX_NAMED_FAULTS = 20
"""Records that are named one by one where they cannot be used."""


class QuestionSet(NamedTuple):
    """The cases that are asked, and of what file they are.

    name       of the set: of the published one where the file is as its authors published it, else the stem of the file
    form       in which it is written: the name of a published set, or "questions"; how, where not as JSON lines
    sha256     of the file, or of all files together, the beginning
    recorded   cases that the file has; `cases` are all of them, or as many as were drawn with the seed
    skipped    kind → records that are not asked: others were named, or nothing here can score them
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
        return {**{name: value for name, value in self._asdict().items() if name != "cases"}, "asked": len(self.cases)}


def find_set(given: str, data: Path | None) -> Path:
    """The file or folder of that path, or where the set of that name lies in the folder of data.

    Raises NotFoundError.
    """
    path = Path(given).expanduser()
    if path.is_file() or (path.is_dir() and data is None):
        return path
    if data is None:
        remedy = "Name a file, or with --data the folder that holds the set."
        raise NotFoundError(f"No file {given}. {remedy}")
    if found := locate_set(given, data):
        return found
    published = PUBLISHED_SETS.get(given)
    also = f", and none of its files is here: {published.file_names}" if published and published.files else ""
    tried = ", ".join(map(str, list_places(given, data)))
    raise NotFoundError(f"{data} holds no set {given}: none of {tried} is there{also}.")


def list_forms(path: Path, given: str, form: str = "") -> tuple[str, ...]:
    """How a file is read, as `form`s: one, or several where it holds several sets, each of which is asked by itself.

    given   a set that was asked for by its name is read as that set, in whatever file it lies
    """
    form = form or (given if given in PUBLISHED_SETS and not Path(given).exists() else "")
    if path.is_dir():
        return (form or path.name,)
    published, _ = find_form(path, form)
    return published.parts or (form,)


def read_questions(
    path: Path, form: str = "", limit: int = 0, seed: int = SEED, kinds: Collection[str] = ()
) -> QuestionSet:
    """Every case of a file, or of the files of one set in a folder; with a limit, so many, drawn with the seed.

    form    of which published set it is; "": as its name or what is in it says, else in the form of our own
    kinds   of question that are asked; none: all

    Raises UnreadableFile that names the records which cannot be used.
    """
    files = list_files(path, form)
    forms = [find_form(file, form or (path.name if path.is_dir() else "")) for file in files]
    skipped: Counter[str] = Counter()

    def build(record: tuple[SetForm, Any]) -> QuestionCase | None:
        written, value = record
        try:
            return build_case(written.translate(value))
        except SkippedRow as kind:
            skipped[str(kind)] += 1
            return None

    records = (
        (f"{file.name}, {at}" if len(files) > 1 else at, (written, value))
        for file, (_, written) in zip(files, forms, strict=True)
        for at, value in written.read(file)
    )
    cases, faults = build_rows(records, build)
    refuse_faults(path, faults, MAX_NAMED_FAULTS)
    wanted = [case for case in cases if not kinds or case.kind in kinds]
    skipped.update(case.kind or "of no kind" for case in cases if kinds and case.kind not in kinds)
    if not wanted:
        left = f" ({', '.join(f'{count:,} {kind}' for kind, count in skipped.items())})" if skipped else ""
        what = f"no question of the kind {' or '.join(kinds)}" if kinds else "no question that can be scored"
        raise UnreadableFile(path, f"it holds {what}{left}", LINE_FORMAT)
    published, written = forms[-1]
    is_lines = written.name == "lines"
    name = name_set(path) if is_lines and not published.rows_of else published.rows_name
    told = published.name if is_lines else f"{published.name} ({written.name})"
    return QuestionSet(
        name, told, _hash_files(files), draw_cases(wanted, limit, seed), len(wanted), limit, seed, dict(skipped)
    )


def draw_per_answer(data: QuestionSet, number: int) -> QuestionSet:
    """So many cases of each known answer, drawn with the seed, in the order of the file.

    Raises SourceRefused where an answer has fewer.
    """
    answers = Counter(case.answer for case in data.cases if case.answer)
    if few := [f"{count:,} of “{answer}”" for answer, count in answers.items() if count < number] or ["0"] * (
        not answers
    ):
        raise SourceRefused(f"{data.name} has fewer than {number:,} cases of each known answer: {', '.join(few)}.")
    groups = [[case for case in data.cases if case.answer == answer] for answer in sorted(answers)]
    drawn = {case.id for group in groups for case in draw_cases(group, number, data.seed)}
    return data._replace(cases=tuple(case for case in data.cases if case.id in drawn), limit=len(drawn))


def _hash_files(files: Sequence[Path]) -> str:
    hashes = [hash_file(one) for one in files]
    return (hashes[0] if len(hashes) == 1 else hashlib.sha256("\n".join(hashes).encode()).hexdigest())[:16]


def combine_regimes(named: Collection[Regime]) -> Regime:
    """The regime that keeps to all of these."""
    limits = {*named} - {"allowed"}
    if {"excluded", "as-of"} <= limits:
        return "restricted"
    return "restricted" if "restricted" in limits else next(iter(limits), "allowed")


def forbids_sources(regime: Regime, references: Collection[str]) -> bool:
    """Whether the documents from which a question was made may not answer it.

    references   its reference texts: as of its date, an answer is not written from the document it is compared with
    """
    return regime in ("excluded", "restricted") or (regime == "as-of" and bool(references))


def require_regime(data: QuestionSet, regime: Regime) -> None:
    """Raise SourceRefused, naming cases, where the regime says nothing of them: what they rest on is not recorded."""
    needed = {"sources": ("excluded", "restricted"), "as_of": ("as-of", "restricted")}
    for field in (name for name, regimes in needed.items() if regime in regimes):
        lacking = [one.id for one in data.cases if not getattr(one, field)]
        _refuse_lacking(data, f"--regime {regime}", lacking, field.removesuffix("s"))


def require_gold(data: QuestionSet) -> None:
    """Raise SourceRefused, naming cases, where nothing says which passages answer them, which an oracle is given."""
    lacking = [one.id for one in data.cases if not (one.context or one.sources)]
    _refuse_lacking(data, "an oracle", lacking, "gold passage, neither as context nor as source")


def _refuse_lacking(data: QuestionSet, how: str, lacking: Sequence[str], what: str) -> None:
    if lacking:
        named = ", ".join(lacking[:3]) + (" …" if len(lacking) > 3 else "")
        raise SourceRefused(
            f"{data.name} cannot be asked with {how}: {len(lacking):,} of {len(data.cases):,} cases have no {what} "
            f"({named}). Give it to them, or leave them out of the file."
        )


def build_question(case: QuestionCase, regime: Regime) -> Question:
    """What is asked: the case under the regime."""
    as_of = case.as_of if regime in ("as-of", "restricted") else None
    exclude = (*case.excluded, *(case.source_ids if forbids_sources(regime, case.references) else ()))
    return Question(text=case.question, patient=case.patient, options=dict(case.options), exclude=exclude, as_of=as_of)
