"""Recorded runs beside each other, metric by metric and case by case: answers to questions, or rankings."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from wellsourced.confidence import randomisation_test
from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced_evaluate.questions.answer_run import AnswerRun, find_runs
from wellsourced_evaluate.questions.scores import count_marks, labelled_records, marked_records
from wellsourced_evaluate.retrieval import RetrievalRun, read_run, require_same_topics
from wellsourced_evaluate.statistics import (
    ArmContrast,
    CaseValues,
    PairedTest,
    ShareContrast,
    adjust_by_holm,
    contrast_shares,
    contrast_values,
    mcnemar_gains_p,
    wilcoxon_p,
)
from wellsourced_evaluate.tables import Block, Chance, Heading, Interval, Signed, Table, Text

TESTS: Mapping[str, PairedTest] = {"randomisation": randomisation_test, "wilcoxon": wilcoxon_p}
"""What is done with numbers; with what is so or not it is always McNemar's."""

SHARES = ("answer_accuracy", "coverage", "refusal_recall")
"""Metrics of which each case is so or not."""

COSTS = ("queries", "query_words", "query_diversity", "passages_read", "calls", "tokens", "seconds")
"""Metrics that a record has as they are."""

MAX_CHANGED = 10
"""Cases that gained, and that lost, which are named."""


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


class RunColumns(NamedTuple):
    """A run as columns: metric → its value of each case."""

    name: str
    path: Path
    columns: Mapping[str, CaseValues]


class MetricContrast(NamedTuple):
    """A metric in two runs; `p_holm`: after Holm's correction over all comparisons of this metric."""

    metric: str
    base: str
    other: str
    test: str
    contrast: ArmContrast
    p_holm: float | None

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        told = {"metric": self.metric, "arms": [self.base, self.other], "test": self.test}
        return {**told, **self.contrast._asdict(), "p_holm": self.p_holm}


class SetComparison(NamedTuple):
    """The runs over one set of cases.

    pairs       compared runs, by their names
    contrasts   metric by metric, each pair
    changes     pair → case → what it gained by the first metric, where it did, the largest gain first
    """

    name: str
    runs: tuple[RunColumns, ...]
    pairs: int
    contrasts: tuple[MetricContrast, ...]
    changes: Mapping[tuple[str, str], Mapping[str, float]]

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs: of each case what it is in each run."""
        cases = {metric: {run.name: run.columns[metric] for run in self.runs} for metric in self.runs[0].columns}
        return {
            "set": self.name,
            "runs": [{"name": run.name, "file": str(run.path)} for run in self.runs],
            "contrasts": self.contrasts,
            "changes": [{"arms": pair, "gains": gains} for pair, gains in self.changes.items()],
            "cases": cases,
        }


def group_runs(runs: Sequence[AnswerRun]) -> list[list[AnswerRun]]:
    """The runs of each data set, in the order in which the sets come.

    Raises SourceRefused, naming both runs and what differs, when two of one set cannot stand beside each other.
    """
    groups: dict[str, list[AnswerRun]] = {}
    for run in runs:
        groups.setdefault(str(run.header.data["name"]), []).append(run)
    for first, *others in groups.values():
        for other in others:
            require_comparable(first, other)
    return [_distinguish_arms(group) for group in groups.values()]


def require_comparable(base: AnswerRun, other: AnswerRun) -> None:
    """Raise SourceRefused when two runs were asked different cases, or searched different libraries."""
    mine, its = base.header.data, other.header.data
    names = dict.fromkeys((*mine, *its))
    different = [f"{name} ({mine.get(name)}, {its.get(name)})" for name in names if mine.get(name) != its.get(name)]
    if different:
        remedy = "Run both on the same file with the same --limit and --seed."
        _refuse(base, other, f"they are of different data: {', '.join(different)}", remedy)
    if base.has_judged_marks and base.header.judge != other.header.judge:
        judges = f"{base.header.judge}, {other.header.judge}"
        reason = f"what is said was judged by different judges: {judges}"
        _refuse(base, other, reason, "Run both with the same --judge.")
    ours, theirs = ({source.name: source for source in run.header.sources} for run in (base, other))
    if unlike := sorted(name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name)):
        reason = f"they searched different libraries: {', '.join(unlike)}"
        _refuse(base, other, reason, "Run both on the same libraries.")


def _distinguish_arms(group: Sequence[AnswerRun]) -> list[AnswerRun]:
    """Runs that would have one name get that of their folder besides. Raises SourceRefused for one run twice."""
    often = Counter(run.arm for run in group)
    apart = [run._replace(folder=run.path.absolute().parent.name) if often[run.arm] > 1 else run for run in group]
    first: dict[str, AnswerRun] = {}
    for run in apart:
        if run.arm in first:
            what = "; ".join(run.header.describe_differences(first[run.arm].header)) or "they are the same run"
            _refuse(first[run.arm], run, f"both are “{run.arm}” ({what})", "Give one of the two.")
        first[run.arm] = run
    return apart


def _refuse(base: AnswerRun | RetrievalRun, other: AnswerRun | RetrievalRun, reason: str, remedy: str) -> NoReturn:
    raise SourceRefused(f"{base.path} and {other.path} cannot stand beside each other: {reason}. {remedy}")


def contrast_runs(base: AnswerRun, other: AnswerRun) -> AnswerContrast:
    """Two arms, case by case; only when both have been asked every case."""
    names = base.arm, other.arm
    if unfinished := [run.arm for run in (base, other) if run.missing]:
        return AnswerContrast(*names, None, None, f"{' and '.join(unfinished)} not asked every case yet")
    right = [
        {one.case: one.outcome == "right" for one in labelled_records(run.records.values())} for run in (base, other)
    ]
    marks = contrast_values(_list_shares(base), _list_shares(other), randomisation_test)
    return AnswerContrast(
        *names, contrast_shares(*right) if right[0] else None, marks if marks.difference.cases else None
    )


def _list_shares(run: AnswerRun) -> dict[str, float | None]:
    """Case → the share that is said of the facts and things of an exact answer that should be and were judged."""
    found: dict[str, float | None] = {}
    for record in run.records.values():
        part, of = (0, 0) if record.answerable is False else count_marks(record)
        exact = () if record.answerable is False else record.exact
        part, of = part + sum(thing.said for thing in exact), of + len(exact)
        found[record.case] = part / of if of else None
    return found


def compare_files(paths: Sequence[Path], test: str, *, every_pair: bool = False) -> list[SetComparison]:
    """Compare runs in files or folders, each set of cases by itself.

    Raises SourceRefused, naming the runs, when two cannot be compared; UnreadableFile for what is no run.
    """
    if {_is_ranking(path) for path in paths} == {True, False}:
        raise SourceRefused("Answers and rankings of documents cannot be compared: give runs of one kind.")
    if _is_ranking(paths[0]):
        return [_compare_columns("rankings", _rank_columns([read_run(path) for path in paths]), test, every_pair)]
    return [
        _compare_columns(str(group[0].header.data["name"]), [_answer_columns(run) for run in group], test, every_pair)
        for group in group_runs(find_runs([*paths]))
    ]


def _is_ranking(path: Path) -> bool:
    """Whether a file holds a run of `evaluate retrieval`, by its first line."""
    if path.is_dir():
        return False
    try:
        with path.open("rb") as file:
            header = json.loads(file.readline())
    except (OSError, ValueError) as error:
        remedy = "Give a file that `wellsourced evaluate run` or `evaluate retrieval` wrote."
        raise UnreadableFile(path, "it holds no run", remedy) from error
    return isinstance(header, dict) and "topics" in header


def _rank_columns(runs: Sequence[RetrievalRun]) -> list[RunColumns]:
    for other in runs[1:]:
        require_same_topics(other, runs[0])
        if other.header.corpus.get("sha256") != runs[0].header.corpus.get("sha256"):
            corpora = " and ".join(str(run.header.corpus.get("name")) for run in (runs[0], other))
            reason = f"they searched different documents ({corpora})"
            _refuse(runs[0], other, reason, "Measure both on the same --corpus.")
    stems = [run.path.stem for run in runs]
    found = []
    for run, stem in zip(runs, stems, strict=True):
        name = stem if stems.count(stem) == 1 else f"{stem} ({run.path.absolute().parent.name})"
        metrics = dict.fromkeys(metric for result in run.results.values() for metric in result.measures)
        # Of a query that failed nothing was measured: it has no value, and is left out of the pairs and counted.
        columns = {
            metric: {query: result.measures.get(metric) for query, result in run.results.items()} for metric in metrics
        }
        found.append(RunColumns(name, run.path, columns))
    return found


def _answer_columns(run: AnswerRun) -> RunColumns:
    """What is scored first, what it took behind it; a metric of which there is no case is left out."""
    if run.missing:
        asked = f"{len(run.records):,} of {run.header.data['asked']:,} cases"
        remedy = "Give `wellsourced evaluate run` again, and it goes on."
        raise SourceRefused(f"{run.path} cannot be compared: only {asked} were asked so far. {remedy}")
    records = list(run.records.values())
    labelled = labelled_records(records)
    counts = {record.case: count_marks(record) for record in marked_records(records)}
    columns: dict[str, dict[str, float | None]] = {
        "answer_accuracy": {one.case: float(one.outcome == "right") for one in labelled},
        "facts_said": {case: said / of if of else None for case, (said, of) in counts.items()},
        "coverage": {one.case: float(one.outcome in ("right", "wrong")) for one in labelled},
        "refusal_recall": {one.case: float(one.status == "abstained") for one in records if one.answerable is False},
        **{name: {one.case: getattr(one, name) for one in records} for name in COSTS},
    }
    known = {name: values for name, values in columns.items() if any(one is not None for one in values.values())}
    return RunColumns(run.arm, run.path, known)


def _compare_columns(name: str, runs: Sequence[RunColumns], test: str, every_pair: bool) -> SetComparison:
    if len(runs) < 2:
        raise SourceRefused(f"{runs[0].path} is the only run of {name}: give one to compare it with.")
    if len({run.name for run in runs}) < len(runs):
        raise SourceRefused(f"Two of the runs of {name} are one, or have one name and folder: give each once.")
    pairs = [*combinations(runs, 2)] if every_pair else [(runs[0], other) for other in runs[1:]]
    metrics = [metric for metric in runs[0].columns if all(metric in run.columns for run in runs)]
    if not metrics:
        raise SourceRefused(f"There is nothing to compare in {name}: no metric has a value in every run.")
    contrasts = [contrast for metric in metrics for contrast in _contrast_pairs(metric, pairs, test)]
    changes = {(base.name, other.name): _list_changes(metrics[0], base, other) for base, other in pairs}
    return SetComparison(name, tuple(runs), len(pairs), tuple(contrasts), changes)


def _contrast_pairs(metric: str, pairs: Sequence[tuple[RunColumns, RunColumns]], test: str) -> list[MetricContrast]:
    called, compute = ("McNemar", mcnemar_gains_p) if metric in SHARES else (test, TESTS[test])
    found = [contrast_values(base.columns[metric], other.columns[metric], compute) for base, other in pairs]
    adjusted = adjust_by_holm([contrast.p for contrast in found])
    return [
        MetricContrast(metric, base.name, other.name, called, contrast, p)
        for (base, other), contrast, p in zip(pairs, found, adjusted, strict=True)
    ]


def _list_changes(metric: str, base: RunColumns, other: RunColumns) -> dict[str, float]:
    gains = {
        case: after - before
        for case, before in base.columns[metric].items()
        if before is not None and (after := other.columns[metric][case]) is not None and after != before
    }
    return dict(sorted(gains.items(), key=lambda pair: (-pair[1], pair[0])))


def comparison_blocks(comparisons: Sequence[SetComparison]) -> Iterator[Block]:
    """The comparison, for people."""
    yield Heading(1, "Runs compared case by case")
    for found in comparisons:
        yield Heading(2, found.name)
        yield _contrast_table(found)
        yield Text(
            "Difference: other less base, over the cases that have a value in both; its interval is of the bootstrap "
            "over cases. McNemar's test is exact; p is two-sided."
            + (f" Holm's correction is over the {found.pairs:,} comparisons of each metric." if found.pairs > 1 else "")
        )
        for (base, other), gains in found.changes.items():
            changed = {
                "gained": [case for case, gain in gains.items() if gain > 0],
                "lost": [case for case, gain in reversed([*gains.items()]) if gain < 0],
            }
            for what, cases in changed.items():
                more = f" and {len(cases) - MAX_CHANGED:,} more" if len(cases) > MAX_CHANGED else ""
                named = f"{len(cases):,} cases: {', '.join(cases[:MAX_CHANGED])}{more}"
                if cases:
                    yield Text(f"{other} against {base}, {found.contrasts[0].metric} {what} in {named}.")


def _contrast_table(found: SetComparison) -> Table:
    several = found.pairs > 1
    header = ("metric", "base", "other", "base is", "other is", "difference", "95 %", "test", "p")
    rest = (*(("p (Holm)",) if several else ()), "more", "equal", "less", "cases", "left out")
    rows = []
    for one in found.contrasts:
        gain = one.contrast.difference
        holm = (Chance(one.p_holm),) if several else ()
        rows.append(
            (
                *(one.metric, one.base, one.other, one.contrast.base, one.contrast.other, Signed(gain.mean)),
                *(Interval(gain.low, gain.high, signed=True), one.test, Chance(one.contrast.p), *holm),
                *(one.contrast.more, one.contrast.equal, one.contrast.less, gain.cases, gain.undefined),
            )
        )
    return Table((*header, *rest), rows)
