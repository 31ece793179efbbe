"""Recorded runs beside each other, metric by metric and case by case: answers to questions, or rankings."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced.confidence import randomisation_test
from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced_evaluate.paired_tests import (
    ArmContrast,
    CaseValues,
    PairedTest,
    adjust_by_holm,
    contrast_values,
    mcnemar_gains_p,
    wilcoxon_p,
)
from wellsourced_evaluate.questions.answer_run import AnswerRecord, AnswerRun, find_runs
from wellsourced_evaluate.questions.arm_comparison import group_runs
from wellsourced_evaluate.questions.report_blocks import ReportBlock, ReportHeading, ReportTable, ReportText
from wellsourced_evaluate.questions.scores import count_marks, labelled_records, marked_records
from wellsourced_evaluate.run_comparison import require_same_topics
from wellsourced_evaluate.run_file import RetrievalRun, read_run

TESTS: Mapping[str, PairedTest] = {"randomisation": randomisation_test, "wilcoxon": wilcoxon_p}
"""What is done with numbers; with what is so or not it is always McNemar's."""

MAX_CHANGED = 10
"""Cases that gained, and that lost, which are named."""


class CaseColumn(NamedTuple):
    """A metric of one run, case by case; `is_share`: it is so (1) or not (0)."""

    values: CaseValues
    is_share: bool = False


class RunColumns(NamedTuple):
    """A run as columns: metric → what it is of each case."""

    name: str
    path: Path
    columns: Mapping[str, CaseColumn]


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
        figures = {**self.contrast._asdict(), "difference": self.contrast.difference.to_json()}
        return {"metric": self.metric, "arms": [self.base, self.other], "test": self.test, **figures} | {
            "p_holm": self.p_holm
        }


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
        return {
            "set": self.name,
            "runs": [{"name": one.name, "file": str(one.path)} for one in self.runs],
            "contrasts": [one.to_json() for one in self.contrasts],
            "changes": [{"arms": [*pair], "gains": dict(gains)} for pair, gains in self.changes.items()],
            "cases": {
                metric: {one.name: dict(one.columns[metric].values) for one in self.runs}
                for metric in self.runs[0].columns
            },
        }


def compare_files(paths: Sequence[Path], test: str, *, every_pair: bool = False) -> list[SetComparison]:
    """Compare runs that lie in files or folders, each set of cases by itself.

    Raises SourceRefused, naming the runs, when two cannot be compared; UnreadableFile for what is no run.
    """
    if {_is_ranking(path) for path in paths} == {True, False}:
        raise SourceRefused("Answers and rankings of documents cannot be compared: give runs of one kind.")
    if _is_ranking(paths[0]):
        return [_compare_columns("rankings", _rank_columns([read_run(path) for path in paths]), test, every_pair)]
    groups = group_runs(find_runs([*paths]))
    return [
        _compare_columns(str(group[0].header.data["name"]), [_answer_columns(one) for one in group], test, every_pair)
        for group in groups
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
            corpora = " and ".join(str(one.header.corpus.get("name")) for one in (runs[0], other))
            raise SourceRefused(
                f"{runs[0].path} and {other.path} cannot stand beside each other: they searched different documents "
                f"({corpora}). Measure both on the same --corpus."
            )
    stems = [run.path.stem for run in runs]
    found = []
    for run, stem in zip(runs, stems, strict=True):
        name = stem if stems.count(stem) == 1 else f"{stem} ({run.path.absolute().parent.name})"
        metrics = dict.fromkeys(metric for one in run.results.values() for metric in one.measures)
        # Of a query that failed nothing was measured: it has no value, and is left out of the pairs and counted.
        columns = {
            metric: CaseColumn({query: one.measures.get(metric) for query, one in run.results.items()})
            for metric in metrics
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
    labelled, marked = labelled_records(records), marked_records(records)
    refusable = [one for one in records if one.answerable is False]
    shares = {
        "answer_accuracy": {one.case: one.outcome == "right" for one in labelled},
        "coverage": {one.case: one.outcome in ("right", "wrong") for one in labelled},
        "refusal_recall": {one.case: one.status == "abstained" for one in refusable},
    }
    numbers: dict[str, dict[str, float | None]] = {
        "facts_said": {one.case: _share_said(one) for one in marked},
        **{
            name: {one.case: getattr(one, name) for one in records}
            for name in ("queries", "query_words", "query_diversity", "passages_read", "calls", "tokens", "seconds")
        },
    }
    columns = {name: CaseColumn({case: float(so) for case, so in some.items()}, True) for name, some in shares.items()}
    columns |= {name: CaseColumn(some) for name, some in numbers.items()}
    order = ("answer_accuracy", "facts_said", *columns)
    known = {name: columns[name] for name in order if any(one is not None for one in columns[name].values.values())}
    return RunColumns(run.arm, run.path, known)


def _share_said(record: AnswerRecord) -> float | None:
    said, of = count_marks(record)
    return said / of if of else None


def _compare_columns(name: str, runs: Sequence[RunColumns], test: str, every_pair: bool) -> SetComparison:
    if len(runs) < 2:
        raise SourceRefused(f"{runs[0].path} is the only run of {name}: give one to compare it with.")
    if len({run.name for run in runs}) < len(runs):
        raise SourceRefused(f"Two of the runs of {name} are one, or have one name and folder: give each once.")
    pairs = [*combinations(runs, 2)] if every_pair else [(runs[0], other) for other in runs[1:]]
    metrics = [metric for metric in runs[0].columns if all(metric in one.columns for one in runs)]
    if not metrics:
        raise SourceRefused(f"There is nothing to compare in {name}: no metric has a value in every run.")
    contrasts = [one for metric in metrics for one in _contrast_pairs(metric, pairs, test)]
    changes = {(base.name, other.name): _list_changes(metrics[0], base, other) for base, other in pairs}
    return SetComparison(name, tuple(runs), len(pairs), tuple(contrasts), changes)


def _contrast_pairs(metric: str, pairs: Sequence[tuple[RunColumns, RunColumns]], test: str) -> list[MetricContrast]:
    is_share = pairs[0][0].columns[metric].is_share
    compute = mcnemar_gains_p if is_share else TESTS[test]
    found = [
        contrast_values(base.columns[metric].values, other.columns[metric].values, compute) for base, other in pairs
    ]
    adjusted = adjust_by_holm([one.p for one in found])
    called = "McNemar" if is_share else test
    return [
        MetricContrast(metric, base.name, other.name, called, one, p)
        for (base, other), one, p in zip(pairs, found, adjusted, strict=True)
    ]


def _list_changes(metric: str, base: RunColumns, other: RunColumns) -> dict[str, float]:
    pairs = {case: (value, other.columns[metric].values[case]) for case, value in base.columns[metric].values.items()}
    gains = {
        case: two - one for case, (one, two) in pairs.items() if one is not None and two is not None and one != two
    }
    return dict(sorted(gains.items(), key=lambda one: (-one[1], one[0])))


def comparison_blocks(found: Sequence[SetComparison]) -> Iterator[ReportBlock]:
    """The comparison, for people."""
    yield ReportHeading(1, "Runs compared case by case")
    for one in found:
        yield from _set_blocks(one)


def _set_blocks(told: SetComparison) -> Iterator[ReportBlock]:
    yield ReportHeading(2, told.name)
    several = told.pairs > 1
    header = ("metric", "base", "other", "base is", "other is", "difference", "95 %", "test", "p")
    rest = (*(("p (Holm)",) if several else ()), "more", "equal", "less", "cases", "left out")
    yield ReportTable((*header, *rest), [_contrast_row(one, several) for one in told.contrasts])
    yield ReportText(
        "Difference: other less base, over the cases that have a value in both; its interval is of the bootstrap over "
        "cases. McNemar's test is exact; p is two-sided."
        + (f" Holm's correction is over the {told.pairs:,} comparisons of each metric." if several else "")
    )
    first = told.contrasts[0].metric
    for (base, other), gains in told.changes.items():
        up = [case for case, gain in gains.items() if gain > 0]
        down = [case for case, gain in reversed([*gains.items()]) if gain < 0]
        for what, cases in (("gained", up), ("lost", down)):
            if cases:
                more = f" and {len(cases) - MAX_CHANGED:,} more" if len(cases) > MAX_CHANGED else ""
                named = ", ".join(cases[:MAX_CHANGED])
                yield ReportText(f"{other} against {base}, {first} {what} in {len(cases):,} cases: {named}{more}.")


def _contrast_row(one: MetricContrast, several: bool) -> tuple[str, ...]:
    found, difference = one.contrast, one.contrast.difference
    holm = (_format_p(one.p_holm),) if several else ()
    interval = (
        "–" if difference.low is None or difference.high is None else f"{difference.low:+.3f} … {difference.high:+.3f}"
    )
    return (
        *(one.metric, one.base, one.other, _format(found.base), _format(found.other)),
        *("–" if difference.mean is None else f"{difference.mean:+.3f}", interval, one.test, _format_p(found.p), *holm),
        *(f"{number:,}" for number in (found.more, found.equal, found.less, difference.cases, difference.undefined)),
    )


def _format(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _format_p(p: float | None) -> str:
    return "–" if p is None else f"{p:.4f}"
