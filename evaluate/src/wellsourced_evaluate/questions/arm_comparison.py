"""Runs on the same questions beside each other: which may be compared, and what differs case by case."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from wellsourced.confidence import randomisation_test
from wellsourced.errors import SourceRefused
from wellsourced_evaluate.paired_tests import ArmContrast, ShareContrast, contrast_shares, contrast_values
from wellsourced_evaluate.questions.answer_run import AnswerRecord, AnswerRun
from wellsourced_evaluate.questions.scores import count_marks, labelled_records


class AnswerContrast(NamedTuple):
    """One arm against the first.

    right   cases that are right in both, in one, in none (McNemar's exact test); None: no answer is known
    marks   the share that is said of what should be, with the p of the randomisation test; None: nothing is known
            that should be
    reason  why the two are not compared; "" when they are
    """

    base: str
    other: str
    right: ShareContrast | None
    marks: ArmContrast | None
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        marks = {**self.marks._asdict(), "difference": self.marks.difference.to_json()} if self.marks else None
        return {**self._asdict(), "right": self.right._asdict() if self.right else None, "marks": marks}


def group_runs(runs: Sequence[AnswerRun]) -> list[list[AnswerRun]]:
    """The runs of each data set, in the order in which the sets come.

    Raises SourceRefused, naming both runs and what differs, when two of one set cannot stand beside each other.
    """
    groups: dict[str, list[AnswerRun]] = {}
    for run in runs:
        groups.setdefault(str(run.header.data["name"]), []).append(run)
    for group in groups.values():
        for other in group[1:]:
            require_comparable(group[0], other)
    return [_tell_arms_apart(group) for group in groups.values()]


def require_comparable(base: AnswerRun, other: AnswerRun) -> None:
    """Raise SourceRefused when two runs were asked different cases, or searched different libraries or snapshots."""
    mine, its = base.header.data, other.header.data
    names = dict.fromkeys((*mine, *its))
    different = [f"{name} ({mine.get(name)}, {its.get(name)})" for name in names if mine.get(name) != its.get(name)]
    if different:
        remedy = "Run both on the same file with the same --limit and --seed."
        _refuse(base, other, f"they are of different data: {', '.join(different)}", remedy)
    if base.has_judged_marks and base.header.judge != other.header.judge:
        judges = f"{base.header.judge}, {other.header.judge}"
        _refuse(
            base, other, f"what is said was judged by different judges: {judges}", "Run both with the same --judge."
        )
    ours, theirs = ({one.name: one for one in run.header.sources} for run in (base, other))
    unlike = sorted(name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name))
    if unlike:
        remedy = "Run both on the same libraries."
        _refuse(base, other, f"they searched different libraries: {', '.join(unlike)}", remedy)
    if base.header.snapshot and other.header.snapshot and base.header.snapshot != other.header.snapshot:
        _refuse(base, other, "they read from different snapshots of searches", "Run both with one --snapshot.")


def _tell_arms_apart(group: Sequence[AnswerRun]) -> list[AnswerRun]:
    """Runs that would stand under one name get that of their folder besides. Raises SourceRefused for one run twice."""
    often = Counter(run.arm for run in group)
    apart = [run._replace(folder=run.path.absolute().parent.name) if often[run.arm] > 1 else run for run in group]
    first: dict[str, AnswerRun] = {}
    for run in apart:
        if run.arm in first:
            what = "; ".join(run.header.describe_differences(first[run.arm].header)) or "they are the same run"
            _refuse(first[run.arm], run, f"both are “{run.arm}” ({what})", "Give one of the two.")
        first[run.arm] = run
    return apart


def _refuse(base: AnswerRun, other: AnswerRun, reason: str, remedy: str) -> None:
    raise SourceRefused(f"{base.path} and {other.path} cannot stand beside each other: {reason}. {remedy}")


def contrast_arms(group: Sequence[AnswerRun]) -> list[AnswerContrast]:
    """Every other arm against the first."""
    return [contrast_runs(group[0], other) for other in group[1:]]


def contrast_runs(base: AnswerRun, other: AnswerRun) -> AnswerContrast:
    """Two arms, case by case; only when both have been asked every case."""
    names = base.arm, other.arm
    if unfinished := [run.arm for run in (base, other) if run.missing]:
        return AnswerContrast(*names, None, None, f"{' and '.join(unfinished)} not asked every case yet")
    shares = [
        {one.case: one.outcome == "right" for one in labelled_records(run.records.values())} for run in (base, other)
    ]
    right = contrast_shares(*shares) if shares[0] else None
    return AnswerContrast(*names, right, _contrast_marks(base, other))


def _contrast_marks(base: AnswerRun, other: AnswerRun) -> ArmContrast | None:
    ours, theirs = (
        {one.case: said / of if of else None for one in run.records.values() for said, of in [_count_said(one)]}
        for run in (base, other)
    )
    found = contrast_values(ours, theirs, randomisation_test)
    return found if found.difference.cases else None


def _count_said(record: AnswerRecord) -> tuple[int, int]:
    """How many facts and things of an exact answer are said, of those that should be and were judged."""
    if record.answerable is False:
        return 0, 0
    part, of = count_marks(record)
    return part + sum(one.said for one in record.exact), of + len(record.exact)
