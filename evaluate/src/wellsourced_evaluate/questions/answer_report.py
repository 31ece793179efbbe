"""What recorded runs came to: as data, and for people, what is bad first, and what each figure is of beside it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from pydantic import AliasChoices, Field

from wellsourced.presentation.wording import format_count
from wellsourced_evaluate.questions.answer_figures import AnswerFigure
from wellsourced_evaluate.questions.answer_run import OUTCOMES, AnswerRecord, AnswerRun
from wellsourced_evaluate.questions.arm_comparison import SetComparison, compare_arms, contrast_blocks, group_runs
from wellsourced_evaluate.questions.cases import forbids_sources
from wellsourced_evaluate.questions.cost_model import Tokens, predict_costs
from wellsourced_evaluate.questions.fitted_sets import FittedShare, list_fitted
from wellsourced_evaluate.questions.recorded_searches import list_unlike_arms
from wellsourced_evaluate.questions.run_budget import STEPS
from wellsourced_evaluate.questions.scores import ArmScore, score_run
from wellsourced_evaluate.recorded_rows import RecordedRow, Words, read_table
from wellsourced_evaluate.statistics import MetricMean, average_cases, pearson
from wellsourced_evaluate.tables import Block, Chance, Heading, Interval, Part, Signed, Table, Text
from wellsourced_evaluate.text_metrics import REMEDY

TITLE = "Questions with known answers"

FEW_CASES = 100
"""Below so many, differences of five points are not seen."""

MAX_LISTED = 20
"""Cases of an arm that are named one by one."""

MAX_DETAIL = 300
"""Characters of what is shown of such a case."""

MACRO_METRICS = ("answer_accuracy", "facts_said", "list_f1", "ROUGE-L")
"""Metrics that are averaged over sets, each of which counts as much."""

MIN_SETS = 3
"""Gains of two models are correlated over no fewer sets: over two, r is always 1 or -1."""

BASELINE = "rag"
"""The preset with which the cost of other arms is compared, as LINS has it."""

DATED_METRICS = ("answer_accuracy", "decided_accuracy", "coverage", "facts_said", "refusal_recall")
SEARCH_METRICS = ("queries", "query_words", "query_diversity", "passages_read", "gold_density")
"""Of the searches behind an answer, as `wellsourced evaluate list` spells them and as a record has them."""

Arms = Sequence[ArmScore]


class PublishedScore(RecordedRow):
    """What a publication reports of a system on a set: theirs, not recomputed."""

    set: Words
    system: Words = Field(validation_alias=AliasChoices("system", "arm", "model"))
    metric: str = "answer_accuracy"
    value: float = Field(ge=0, le=1)


class SetReport(NamedTuple):
    """One data set: its arms, how they compare with the first, and what was fitted on it.

    cutoff      day by which its cases are reported apart: what the model may know ends there; None: they are not
    published   scores of publications on this set
    """

    name: str
    arms: tuple[ArmScore, ...]
    comparison: SetComparison | None
    fitted: tuple[FittedShare, ...]
    cutoff: date | None = None
    published: tuple[PublishedScore, ...] = ()

    @property
    def cases(self) -> int:
        """How many cases the arm with most of them has."""
        return max(len(arm.run.records) for arm in self.arms)

    def list_figures(self) -> list[tuple[ArmScore, AnswerFigure]]:
        """Every figure of every arm, the worst against its floor first."""
        return sorted(((arm, one) for arm in self.arms for one in arm.figures), key=lambda pair: pair[1].margin)

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        arms = []
        for arm in self.arms:
            told = {**arm.to_json(), "searches": average_searches(arm.run), "steps": average_steps(arm.run)}
            if self.cutoff:
                told["by_date"] = {
                    part: {"cases": len(run.records), "figures": score_run(run).figures}
                    for part, run in split_by_date(arm.run, self.cutoff).items()
                }
            arms.append(told)
        contrasts = self.comparison.contrasts if self.comparison else ()
        return {
            "set": self.name,
            "arms": arms,
            "contrasts": contrasts,
            "predicted": predict_costs([arm.run for arm in self.arms]),
            "fitted": self.fitted,
            "published": self.published,
        }


def read_published(path: Path) -> list[PublishedScore]:
    """Scores that others published. Raises UnreadableFile that names the rows which cannot be used."""
    return read_table(path, PublishedScore, "score", lambda one: [("this score", (one.set, one.system, one.metric))])


def report_runs(
    runs: Sequence[AnswerRun], cutoff: date | None = None, published: Sequence[PublishedScore] = ()
) -> list[SetReport]:
    """Every set that the runs are of, the worst first. Raises SourceRefused when two runs cannot be compared."""
    found = []
    for group in group_runs(runs):
        name = str(group[0].header.data["name"])
        fitted = tuple(list_fitted(name, max(group, key=lambda run: len(run.records)).records.values()))
        theirs = tuple(one for one in published if one.set == name)
        found.append(SetReport(name, tuple(map(score_run, group)), compare_arms(group), fitted, cutoff, theirs))
    return sorted(found, key=lambda report: min((one.margin for _, one in report.list_figures()), default=float("inf")))


def average_searches(run: AnswerRun) -> dict[str, MetricMean]:
    """Metric → its mean over the cases of a run; a case that failed has no searches that are known."""
    return {name: average_cases(getattr(one, name) for one in run.records.values()) for name in SEARCH_METRICS}


def average_steps(run: AnswerRun) -> dict[str, float]:
    """Step → its mean seconds over the cases that did not fail; {} of a run that did not record them."""
    timed = [one.steps for one in run.records.values() if one.steps and one.status != "failed"]
    return {step: fmean(one.get(step, 0.0) for one in timed) for step in STEPS.values() if timed}


def split_by_date(run: AnswerRun, cutoff: date) -> dict[str, AnswerRun]:
    """The cases made up to the day, after it, or on a day that is not known, as far as there are any."""
    parts: dict[str, dict[str, AnswerRecord]] = {f"up to {cutoff}": {}, f"after {cutoff}": {}, "without a date": {}}
    up_to, after, undated = parts.values()
    for case, record in run.records.items():
        part = undated if record.as_of is None else up_to if record.as_of <= cutoff else after
        part[case] = record
    return {name: run._replace(records=records) for name, records in parts.items() if records}


def build_blocks(reports: Iterable[SetReport]) -> Iterator[Block]:
    """The whole report."""
    yield Heading(1, TITLE)
    yield Text(
        "Intervals are 95 %: bootstrap over cases, Wilson's where all cases are alike. A floor is what is reached "
        "without reading anything. Unparsed: an answer that says no label; abstained: none was given; failed: the "
        "question raised an error. All three count as not right."
    )
    reports = list(reports)
    if rows := average_sets(reports):
        yield Heading(2, "All sets together")
        yield Table(("metric", "arm", "sets", "macro mean", "mean rank", "sets better than the first arm"), rows)
    if reports:
        yield from _gain_blocks(reports)
    for report in reports:
        yield Heading(2, report.name)
        yield from _warning_blocks(report)
        yield from _figure_blocks(report)
        yield from _outcome_blocks(report.arms)
        if report.comparison:
            yield Heading(3, f"Against {report.arms[0].run.arm}, case by case")
            if unlike := list_unlike_arms([arm.run.header for arm in report.arms]):
                yield Text(
                    f"Not all arms search and read alike: {', '.join(unlike)}. What differs may come from the search; "
                    "`--same-searches` gives all arms the same passages."
                )
            yield from contrast_blocks(report.comparison)
        yield from _cutoff_blocks(report)
        yield from _search_blocks(report.arms)
        yield from _cost_blocks(report.arms)
        yield from _case_blocks(report.arms)
        yield from _setup_blocks(report.arms)


def average_sets(reports: Sequence[SetReport]) -> list[tuple[str, str, Part, float, float, Part]]:
    """Metric, arm, the sets that it has, its mean over these, its mean rank, the sets where it beats the first arm.

    A set without the metric is left out and counted. Ranks are among all arms of a set; arms that tie share one.
    """
    from scipy.stats import rankdata

    found = []
    for metric in MACRO_METRICS:
        sets = [
            {arm.run.arm: one.value for arm in report.arms for one in arm.figures if one.metric == metric}
            for report in reports
        ]
        known = [{arm: value for arm, value in one.items() if value is not None} for one in sets]
        ranks = [dict(zip(one, rankdata([-value for value in one.values()]), strict=True)) for one in known]
        arms = list(dict.fromkeys(arm for one in known for arm in one))
        for arm in arms if len(reports) > 1 else ():
            values = [one[arm] for one in known if arm in one]
            rank = sum(float(one[arm]) for one in ranks if arm in one) / len(values)
            both = [one[arm] > one[arms[0]] for one in known if arm in one and arms[0] in one]
            part = Part(len(values), len(reports))
            found.append((metric, arm, part, sum(values) / len(values), rank, Part(sum(both), len(both))))
    return found


class ModelGain(NamedTuple):
    """What an arm gains over the first one under one model, set by set."""

    arm: str
    model: str
    gains: Mapping[str, float]


def list_gains(reports: Sequence[SetReport]) -> list[ModelGain]:
    """The gain in accuracy of each arm over the first arm with the same model; sets without both are left out."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for report in reports:
        cells: dict[tuple[str, str], float] = {}
        for score in report.arms:
            value = next((one.value for one in score.figures if one.metric == "answer_accuracy"), None)
            if value is not None:
                cells.setdefault((_name_arm(score.run), score.run.header.model), value)
        first = _name_arm(reports[0].arms[0].run)
        for (arm, model), value in cells.items():
            if arm != first and (first, model) in cells:
                found.setdefault((arm, model), {})[report.name] = value - cells[first, model]
    return [ModelGain(arm, model, gains) for (arm, model), gains in found.items()]


def _name_arm(run: AnswerRun) -> str:
    """What an arm is called whatever the model and the folder."""
    return run._replace(folder="").arm


def _gain_blocks(reports: Sequence[SetReport]) -> Iterator[Block]:
    """Where several models were asked: how often an arm gains with each, and whether models gain on the same sets."""
    gains = list_gains(reports)
    if len({one.model for one in gains}) < 2:
        return
    yield Heading(3, f"Gains in accuracy over {_name_arm(reports[0].arms[0].run)}, by model")
    cells = [(one.arm, one.model, [*one.gains.values()]) for one in gains]
    for arm in dict.fromkeys(one.arm for one in gains):
        cells.append((arm, "all", [gain for name, _, own in cells if name == arm for gain in own]))
    rows = [(*names, Part(sum(one > 0 for one in own), len(own)), Signed(sum(own) / len(own))) for *names, own in cells]
    yield Table(("arm", "model", "improved cells", "mean gain"), rows)
    pairs = [(one, two) for one, two in combinations(gains, 2) if one.arm == two.arm]
    agreement = [
        (one.arm, one.model, two.model, len(both), r.value, Chance(r.p))
        for one, two in pairs
        if len(both := one.gains.keys() & two.gains.keys()) >= MIN_SETS
        for r in [pearson([(one.gains[name], two.gains[name]) for name in sorted(both)])]
    ]
    if agreement:
        yield Text("Consistency of gains: Pearson's r of two models over sets.")
        yield Table(("arm", "model", "and", "sets", "r", "p"), agreement)


def _warning_blocks(report: SetReport) -> Iterator[Block]:
    yield from (Text(warning, True) for warning in _list_warnings(report))
    if not report.fitted:
        return
    known = ", ".join(dict.fromkeys(one.known_as for one in report.fitted if one.known_as != report.name))
    of = f"questions of {known}, which are in this set" if known else "this set"
    yield Text(f"This was fitted on {of}, so expect less on data that was never seen:", True)
    rows = [(one.what, one.script, Part(one.cases, report.cases)) for one in report.fitted]
    yield Table(("what was fitted", "by", "cases of the part that it saw or was drawn from"), rows)


def _list_warnings(report: SetReport) -> Iterator[str]:
    """What a reader has to know before the figures, and where a figure could not be had, and why."""
    for run in (arm.run for arm in report.arms):
        yield from _list_troubles(run)
    held = [one.own_source_held for one in report.arms[0].run.records.values() if one.own_source_held is not None]
    if absent := held.count(False):
        yield f"Of {len(held):,} cases with a known source {absent:,} have none in what was searched."
    figures = {figure.metric: figure for _, figure in report.list_figures()}
    if "ROUGE-L" in figures and figures["ROUGE-L"].value is None:
        yield f"Answers are not compared with their references: {REMEDY} does that."
    if "answer_accuracy" in figures and not figures["answer_accuracy"].of:
        yield "No answer to these questions is known, or no language model says one: nothing tells what is right."
    if report.cases < FEW_CASES:
        yield f"{report.cases:,} cases are few: read the intervals, not the figures."


def _list_troubles(run: AnswerRun) -> Iterator[str]:
    records = run.records.values()
    if run.missing:
        yield f"{run.arm}: only {len(records):,} of {run.header.data['asked']:,} cases were asked so far."
    if failed := sum(record.status == "failed" for record in records):
        yield f"{run.arm}: {failed:,} cases failed; they count as not right."
    if without := [record for record in records if record.lacks_its_model]:
        named = ", ".join(record.case for record in without[:3]) + (" …" if len(without) > 3 else "")
        yield (
            f"{run.arm}: {len(without):,} cases have what is said without {run.header.model}, which failed "
            f"({named}: {without[0].model_error}). They are asked again when the run is given again."
        )
    read = sum(one.own_source is True for one in records if forbids_sources(run.header.regime, one.references))
    if read:
        yield f"{run.arm}: {read:,} cases read their own source, which was to be excluded."


def _figure_blocks(report: SetReport) -> Iterator[Block]:
    yield Heading(3, "Figures, the worst against its floor first")
    pairs = report.list_figures()
    theirs = {(one.metric, one.system): one.value for one in report.published}
    rows = []
    for arm, one in pairs:
        counted = f"{one.part:,} of {one.of:,}"
        of_what = f"mean of {format_count(one.cases, 'case')} ({counted})" if one.cases else counted
        floor = one.floor_name or "none known" if one.floor is None else f"{one.floor:.3f} ({one.floor_name})"
        told = one.metric, arm.run.arm, one.value, Interval(one.low, one.high), of_what
        last = (theirs.pop((one.metric, arm.run.arm), None),) if report.published else ()
        rows.append((*told, floor, one.standing, bool(report.fitted), *last))
    rows += [(metric, system, *[None] * 6, value) for (metric, system), value in theirs.items()]
    columns = ("metric", "arm", "value", "95 %", "of what", "floor", "against it", "fitted on")
    yield Table((*columns, "published") if report.published else columns, rows)
    if report.published:
        yield Text("“Published” is what others report of their own runs, on cases that may be others: not recomputed.")
    if any(one.metric in ("MRR", "list_f1") and one.value is None and one.of for _, one in pairs):
        yield Text("Accuracy and rank of exact answers need candidates: sentences name none, so none are reported.")
    if any(one.metric == "snippet_precision" for _, one in pairs):
        yield Text(
            "What is marked as evidence is compared in characters with what is quoted. Where the documents that are "
            "searched hold little else, as excerpts do, precision says that the right documents were found, no more."
        )


def _outcome_blocks(arms: Arms) -> Iterator[Block]:
    yield Heading(3, "Outcomes of the cases")
    statuses = ("answered", "abstained", "failed")
    rows = [(arm.run.arm, *(arm.statuses.get(name, 0) for name in statuses), len(arm.run.records)) for arm in arms]
    yield Table(("arm", *statuses, "all"), rows)
    known = [arm for arm in arms if arm.outcomes]
    if not known:
        return
    yield Text("Of those with a known answer, by what their answer says:")
    outcomes = [(arm.run.arm, *arm.outcomes.values(), sum(arm.outcomes.values())) for arm in known]
    yield Table(("arm", *OUTCOMES, "all"), outcomes)
    golds = list(dict.fromkeys(gold for arm in known for gold in arm.floors))
    said = sorted({label for arm in known for counts in arm.by_gold.values() for label in counts})
    yield Text("By the known answer: its share is what always saying it would reach.")
    cells = [
        (arm.run.arm, gold, float(arm.floors.get(gold, 0)), *(arm.by_gold.get(gold, {}).get(one, 0) for one in said))
        for arm in known
        for gold in golds
    ]
    yield Table(("arm", "known answer", "share", *(f"said {label}" for label in said)), cells)


def _cutoff_blocks(report: SetReport) -> Iterator[Block]:
    """The figures of cases that were made before the model's knowledge ends, and of those made after, apart."""
    if report.cutoff is None:
        return
    yield Heading(3, f"Before and after {report.cutoff}")
    rows = [
        (
            *(arm.run.arm, part, len(run.records), one.metric, one.value, Interval(one.low, one.high)),
            *(Part(one.part, one.of), one.floor),
        )
        for arm in report.arms
        for part, run in split_by_date(arm.run, report.cutoff).items()
        for one in score_run(run).figures
        if one.metric in DATED_METRICS
    ]
    yield Table(("arm", "made", "cases", "metric", "value", "95 %", "cases or facts", "floor"), rows)
    yield Text(
        "By the day of a case, which is that of what it was made from. What a model may have seen when it was made "
        "says less of what is new; “without a date” are cases that do not say theirs."
    )


def _search_blocks(arms: Arms) -> Iterator[Block]:
    means = [(arm.run.arm, average_searches(arm.run)) for arm in arms]
    if not any(found["queries"].cases for _, found in means):
        return
    yield Heading(3, "Searches")
    rows = [(name, *(mean.mean for mean in found.values()), found["queries"].cases) for name, found in means]
    yield Table(("arm", *SEARCH_METRICS, "cases"), rows)
    yield Text(
        "Means of a case. query_diversity is 1 less the cosine of every two searches of one source, by the encoder of "
        "the settings: only cases that ask a source twice have one. gold_density is of cases whose source is known."
    )


def _cost_blocks(arms: Arms) -> Iterator[Block]:
    yield Heading(3, "Time and cost")
    base = next((arm.cost.tokens for arm in arms if arm.run.header.preset == BASELINE), 0)
    rows = []
    for run, cost in ((arm.run, arm.cost) for arm in arms):
        at_once = max((record.at_once for record in run.records.values()), default=1)
        judged = sum(record.judge_calls for record in run.records.values())
        dollars = None if cost.dollars is None else f"{cost.dollars:.4f}"
        times = run.arm, cost.p50, cost.p95, cost.seconds, at_once
        ratio = cost.tokens / base if base else None
        rows.append((*times, cost.calls, cost.depth, judged, cost.cached, cost.tokens, ratio, dollars))
    calls = ("calls", "depth", "calls of the judge", "cached", "tokens", f"times {BASELINE}", "US dollars")
    yield Table(("arm", "s p50", "s p95", "s all", "at once", *calls), rows)
    if any(arm.cost.depth for arm in arms):
        yield Text("Depth is how many calls of a case had to wait for each other, on average.")
    steps = [(arm.run.arm, average_steps(arm.run), len(arm.run.records)) for arm in arms]
    if any(found for _, found, _ in steps):
        yield Text("Seconds of a case until each step ended, since the one before, and hours of all cases one by one:")
        taken = [
            (name, *(found.get(step) for step in STEPS.values()), sum(found.values()) * cases / 3600)
            for name, found, cases in steps
        ]
        yield Table(("arm", *STEPS.values(), "hours"), taken)
    if predicted := predict_costs([arm.run for arm in arms]):
        yield Text("Tokens of a question (in + out) that reads what was found, beside what reading at once foretells:")
        yield Table(
            ("arm", "from", "cases", "in parts", "at once", "all in parts", "expected", "measured", "ratio"),
            [
                (
                    *(one.arm, one.base, one.cases, one.invoked),
                    *map(_format_tokens, (one.at_once, one.in_parts, one.expected, one.measured)),
                    sum(one.measured) / sum(one.expected) if sum(one.expected) else None,
                )
                for one in predicted
            ],
        )


def _format_tokens(tokens: Tokens) -> str:
    return f"{tokens.tokens_in:,.0f} + {tokens.tokens_out:,.0f}"


def _case_blocks(arms: Arms) -> Iterator[Block]:
    """Cases that failed, were answered wrongly, or lack what should be said, by their ids."""
    found = [(arm.run.arm, record.case, _find_fault(record)) for arm in arms for record in arm.run.records.values()]
    rows = sorted(((*fault, arm, case) for arm, case, fault in found if fault), key=lambda row: row[0])
    if not rows:
        return
    yield Heading(3, "Cases to read")
    shown = [(arm, case, what, detail[:MAX_DETAIL]) for _, what, detail, arm, case in rows[:MAX_LISTED]]
    yield Table(("arm", "case", "what", "detail"), shown)
    if len(rows) > MAX_LISTED:
        yield Text(f"{len(rows) - MAX_LISTED:,} more are in the files of the runs.")


def _find_fault(record: AnswerRecord) -> tuple[int, str, str] | None:
    """How bad it is (0 the worst), what is wrong with an answer, and in which words; None for nothing."""
    if record.status == "failed":
        return 0, "failed", record.error
    if record.gold and record.answerable is not False and record.outcome == "wrong":
        return 1, "wrong", f"said {record.label}, known is {record.gold}: {record.short}"
    if contradicted := [mark.fact for mark in record.marks if mark.contradicted]:
        return 1, "contradicts", f"contradicts: {'; '.join(contradicted)}"
    lacking = [mark.fact for mark in record.needed_marks if mark.said is False]
    if lacking := [*lacking, *(thing.synonyms[0] for thing in record.exact if not thing.said)]:
        return 2, record.status, f"lacks {'; '.join(lacking)}"
    if record.answerable is False and record.status == "answered":
        return 1, "not refused", record.short
    return None


def _setup_blocks(arms: Arms) -> Iterator[Block]:
    runs = [arm.run for arm in arms]
    header, data = runs[0].header, runs[0].header.data
    yield Heading(3, "What was asked, and of what")
    skipped = ", ".join(f"{count:,} {kind}" for kind, count in data["skipped"].items())
    yield Text(
        f"{data['name']} (form {data['form']}, sha256 {data['sha256']}): {data['asked']:,} of {data['recorded']:,} "
        f"cases, seed {data['seed']}." + (f" Not asked: {skipped}." if skipped else "")
    )
    sources = ", ".join(
        f"{one.name} ({one.documents:,} documents, {one.passages:,} passages, sha256 {one.sha256 or 'on the network'})"
        for one in header.sources
    )
    yield Text(f"Searched: {sources or 'nothing'}.")
    rows = []
    for run, own in ((run, run.header) for run in runs):
        changed = "; ".join(f"{name}={value}" for name, value in own.settings.items()) or "as they come"
        rows.append((run.arm, own.regime, own.model, own.wellsourced, own.code, changed, len(run.replaced)))
    yield Table(("arm", "sources of the cases", "model", "version", "code", "settings", "asked again"), rows)
    if runs[0].has_judged_marks:
        yield Text(f"What has no pattern is judged by {header.judge}: those figures are as good as it is.")
