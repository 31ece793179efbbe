"""Recorded runs beside each other, metric by metric and case by case: answers to questions, or rankings."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced_evaluate.questions.answer_run import AnswerRun, find_runs
from wellsourced_evaluate.questions.recorded_searches import makes_searches
from wellsourced_evaluate.questions.scores import count_case
from wellsourced_evaluate.retrieval import RetrievalRun, read_run
from wellsourced_evaluate.statistics import (
    ArmContrast,
    CaseValues,
    PairedTest,
    adjust_by_holm,
    contrast_values,
    mcnemar_gains_p,
    randomisation_test,
    wilcoxon_p,
)
from wellsourced_evaluate.tables import Block, Chance, Heading, Interval, Signed, Table, Text

TESTS: Mapping[str, PairedTest] = {"randomisation": randomisation_test, "wilcoxon": wilcoxon_p}
"""What is done with numbers; with what is so or not it is always McNemar's."""

YES_NO_METRICS = ("answer_accuracy", "factoid_said", "coverage", "refusal_recall")
"""Metrics of which each case is so or not."""

SHARES = ("answer_accuracy", "facts_said", "factoid_said", "list_said", "coverage", "refusal_recall")
"""Metrics of which each case has a share."""

COSTS = ("queries", "query_words", "query_diversity", "passages_read", "calls", "tokens", "seconds")
"""Metrics that a record has as they are."""

MAX_CHANGED = 10
"""Cases that gained, and that lost, which are named."""


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

    contrasts   metric by metric, each pair
    changes     pair → case → what it gained by the first metric, where it did, the largest gain first
    """

    name: str
    runs: tuple[RunColumns, ...]
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
    unlike = [f"{name} ({mine.get(name)}, {its.get(name)})" for name in names if mine.get(name) != its.get(name)]
    if unlike:
        remedy = "Run both on the same file with the same --limit and --seed."
        _refuse(base, other, f"they are of different data: {', '.join(unlike)}", remedy)
    if base.has_judged_marks and base.header.judge != other.header.judge:
        reason = f"what is said was judged by different judges: {base.header.judge}, {other.header.judge}"
        _refuse(base, other, reason, "Run both with the same --judge.")
    ours, theirs = ({source.name: source for source in run.header.sources} for run in (base, other))
    if unlike := sorted(name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name)):
        reason = f"they searched different libraries: {', '.join(unlike)}"
        _refuse(base, other, reason, "Run both on the same libraries.")
    read = base.header.snapshot, other.header.snapshot
    if read[0] != read[1] and all(makes_searches(run.header.settings) for run in (base, other)):
        remedy = "Run both with --same-searches and the same --out, or both without."
        _refuse(base, other, "they did not read the same recorded searches", remedy)


def _distinguish_arms(group: Sequence[AnswerRun]) -> list[AnswerRun]:
    """Runs that would have one name get that of their folder besides. Raises SourceRefused for one run twice."""
    often = Counter(run.arm for run in group)
    apart = [run._replace(folder=run.path.absolute().parent.name) if often[run.arm] > 1 else run for run in group]
    for first, run in combinations(apart, 2):
        if run.arm == first.arm:
            what = "; ".join(run.header.describe_differences(first.header)) or "they are the same run"
            _refuse(first, run, f"both are “{run.arm}” ({what})", "Give one of the two.")
    return apart


def _refuse(base: AnswerRun | RetrievalRun, other: AnswerRun | RetrievalRun, reason: str, remedy: str) -> NoReturn:
    raise SourceRefused(f"{base.path} and {other.path} cannot be compared: {reason}. {remedy}")


def compare_arms(group: Sequence[AnswerRun]) -> SetComparison | None:
    """What is scored of each arm against the first, of those that were asked every case; None: nothing is compared."""
    columns = [RunColumns(run.arm, run.path, _list_shares(run)) for run in group if not run.missing]
    can_compare = not group[0].missing and len(columns) > 1 and all(one.columns for one in columns)
    return _compare_columns(str(group[0].header.data["name"]), columns, "randomisation") if can_compare else None


def compare_files(paths: Sequence[Path], test: str, *, every_pair: bool = False) -> list[SetComparison]:
    """Compare runs in files or folders, each set of cases by itself.

    Raises SourceRefused, naming the runs, when two cannot be compared; UnreadableFile for what is no run.
    """
    are_rankings = {_is_ranking(path) for path in paths}
    if len(are_rankings) > 1:
        raise SourceRefused("Answers and rankings of documents cannot be compared: give runs of one kind.")
    if are_rankings == {True}:
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
    base, *others = runs
    for other in others:
        its, mine = base.results.keys(), other.results.keys()
        if its != mine:
            reason = (
                f"the first has {len(its):,} queries, the other has {len(mine):,}, and {len(its & mine):,} are of both"
            )
            _refuse(base, other, reason, "Measure both with the same --queries, --qrels and --limit, to the end.")
        if other.header.topics.get("qrels_sha256") != base.header.topics.get("qrels_sha256"):
            _refuse(base, other, "their queries were judged by different files", "Measure both with the same --qrels.")
        if other.header.corpus.get("sha256") != base.header.corpus.get("sha256"):
            corpora = " and ".join(str(run.header.corpus.get("name")) for run in (base, other))
            reason = f"they searched different documents ({corpora})"
            _refuse(base, other, reason, "Measure both on the same --corpus.")
    often = Counter(run.path.stem for run in runs)
    found = []
    for run in runs:
        name = run.path.stem if often[run.path.stem] == 1 else f"{run.path.stem} ({run.path.absolute().parent.name})"
        results = run.results.items()
        metrics = dict.fromkeys(metric for _, result in results for metric in result.measures)
        # Of a query that failed nothing was measured: it has no value, and is left out of the pairs and counted.
        columns = {metric: {query: result.measures.get(metric) for query, result in results} for metric in metrics}
        found.append(RunColumns(name, run.path, columns))
    return found


def _answer_columns(run: AnswerRun) -> RunColumns:
    """What is scored first, what it took behind it; a metric of which there is no case is left out."""
    if run.missing:
        asked = f"{len(run.records):,} of {run.header.data['asked']:,} cases"
        remedy = "Give `wellsourced evaluate run` again, and it goes on."
        raise SourceRefused(f"{run.path} cannot be compared: only {asked} were asked so far. {remedy}")
    costs = {metric: {case: getattr(one, metric) for case, one in run.records.items()} for metric in COSTS}
    return RunColumns(run.arm, run.path, {**_list_shares(run), **_drop_empty(costs)})


def _list_shares(run: AnswerRun) -> dict[str, CaseValues]:
    counts = {case: count_case(record) for case, record in run.records.items()}
    shares: dict[str, CaseValues] = {}
    for metric in SHARES:
        known = {case: of[metric] for case, of in counts.items() if metric in of}
        shares[metric] = {case: part / whole if whole else None for case, (part, whole) in known.items()}
    return _drop_empty(shares)


def _drop_empty(columns: Mapping[str, CaseValues]) -> dict[str, CaseValues]:
    return {name: values for name, values in columns.items() if any(one is not None for one in values.values())}


def _compare_columns(name: str, runs: Sequence[RunColumns], test: str, every_pair: bool = False) -> SetComparison:
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
    return SetComparison(name, tuple(runs), tuple(contrasts), changes)


def _contrast_pairs(metric: str, pairs: Sequence[tuple[RunColumns, RunColumns]], test: str) -> list[MetricContrast]:
    called, compute = ("McNemar", mcnemar_gains_p) if metric in YES_NO_METRICS else (test, TESTS[test])
    found = []
    for base, other in ((one.columns[metric], two.columns[metric]) for one, two in pairs):
        # What has something to be said in one run only, as an imported one may have it, is left out and counted.
        cases = dict.fromkeys([*base, *other])
        before, after = ({case: column.get(case) for case in cases} for column in (base, other))
        found.append(contrast_values(before, after, compute))
    adjusted = adjust_by_holm([contrast.p for contrast in found])
    return [
        MetricContrast(metric, base.name, other.name, called, contrast, p)
        for (base, other), contrast, p in zip(pairs, found, adjusted, strict=True)
    ]


def _list_changes(metric: str, base: RunColumns, other: RunColumns) -> dict[str, float]:
    gains = {
        case: after - before
        for case, before in base.columns[metric].items()
        if before is not None and (after := other.columns[metric].get(case)) is not None and after != before
    }
    return dict(sorted(gains.items(), key=lambda pair: (-pair[1], pair[0])))


def comparison_blocks(comparisons: Sequence[SetComparison]) -> Iterator[Block]:
    """The comparison, for people."""
    yield Heading(1, "Runs compared case by case")
    for found in comparisons:
        yield Heading(2, found.name)
        yield from contrast_blocks(found)
        for (base, other), gains in found.changes.items():
            gained = [case for case, gain in gains.items() if gain > 0]
            lost = [case for case, gain in reversed([*gains.items()]) if gain < 0]
            for what, cases in (("gained", gained), ("lost", lost)):
                more = f" and {len(cases) - MAX_CHANGED:,} more" if len(cases) > MAX_CHANGED else ""
                named = f"{len(cases):,} cases: {', '.join(cases[:MAX_CHANGED])}{more}"
                if cases:
                    yield Text(f"{other} against {base}, {found.contrasts[0].metric} {what} in {named}.")


def contrast_blocks(found: SetComparison) -> Iterator[Block]:
    """A row for each metric of each pair of runs."""
    several = len(found.changes) > 1
    rows = []
    for one in found.contrasts:
        (base, other, gain, p, *counts), holm = one.contrast, (Chance(one.p_holm),) if several else ()
        interval = Interval(gain.low, gain.high, signed=True)
        told = one.metric, one.base, one.other, base, other, Signed(gain.mean), interval, one.test, Chance(p), *holm
        rows.append((*told, *counts, gain.cases, gain.undefined))
    header = ("metric", "base", "other", "base is", "other is", "difference", "95 %", "test", "p")
    corrected = ("p (Holm)",) if several else ()
    yield Table((*header, *corrected, "more", "equal", "less", "cases", "left out"), rows)
    yield Text(
        "Difference: other less base, over the cases that have a value in both; its interval is of the bootstrap "
        "over cases. McNemar's test is exact; p is two-sided."
        + (f" Holm's correction is over the {len(found.changes):,} comparisons of each metric." if several else "")
    )
