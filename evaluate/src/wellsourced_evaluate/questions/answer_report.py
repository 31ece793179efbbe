"""What runs on sets of questions came to, for people: what is bad first, and what each figure is of beside it."""

from collections.abc import Iterator, Sequence

from wellsourced.app.terminal import format_count
from wellsourced_evaluate.plots import Estimate, Point, draw_estimates, draw_series
from wellsourced_evaluate.questions.answer_figures import AnswerFigure
from wellsourced_evaluate.questions.answer_run import OUTCOMES, AnswerRecord
from wellsourced_evaluate.questions.arm_summaries import (
    AverageRanks,
    SetReport,
    average_searches,
    measure_calibration,
    rank_arms,
    split_by_date,
)
from wellsourced_evaluate.questions.scores import ArmScore, score_run
from wellsourced_evaluate.statistics import MetricMean
from wellsourced_evaluate.tables import (
    Block,
    Cell,
    Heading,
    Interval,
    Part,
    Picture,
    Table,
    Text,
    format_cell,
    tabulate,
)
from wellsourced_evaluate.text_metrics import REMEDY

TITLE = "Questions with known answers"

FEW_CASES = 100
"""Below so many, differences of five points are not seen, and ten bins of probabilities say little."""

MAX_LISTED = 20
"""Cases of an arm that are named one by one."""

DATED_METRICS = ("answer_accuracy", "decided_accuracy", "coverage", "facts_said", "refusal_recall")

Arms = Sequence[ArmScore]


def build_blocks(reports: Sequence[SetReport]) -> Iterator[Block]:
    """The whole report."""
    yield Heading(1, TITLE)
    yield Text(
        "Intervals are 95 %: bootstrap over cases, Wilson's where all cases are alike. A floor is what is reached "
        "without reading anything. Unparsed: an answer that says no label; abstained: none was given; failed: the "
        "question raised an error. All three count as not right."
    )
    if ranks := rank_arms(reports):
        yield from _rank_blocks(ranks)
    for report in reports:
        yield Heading(2, report.name)
        yield from _warning_blocks(report)
        yield from _figure_blocks(report)
        yield from _outcome_blocks(report.arms)
        yield from _contrast_blocks(report)
        yield from _cutoff_blocks(report)
        yield from _calibration_blocks(report.arms)
        yield from _search_blocks(report.arms)
        yield from _cost_blocks(report.arms)
        yield from _quality_blocks(report)
        yield from _case_blocks(report.arms)
        yield from _setup_blocks(report.arms)


def _rank_blocks(found: AverageRanks) -> Iterator[Block]:
    yield Heading(2, f"Average rank over {len(found.sets):,} sets")
    ranks = sorted(found.ranks.items(), key=lambda pair: pair[1])
    yield Table(("arm", "average rank"), [(arm, f"{rank:.2f}") for arm, rank in ranks])
    sets = ", ".join(f"{name} by {metric}" for name, metric in found.sets.items())
    yield Text(
        f"Of {sets}; 1 is the best, and equal arms "
        "share the mean of their places. A rank says nothing of how far apart arms are."
        + (f" Not in every set, and left out: {', '.join(found.left_out)}." if found.left_out else "")
    )


def _warning_blocks(report: SetReport) -> Iterator[Block]:
    for run in (arm.run for arm in report.arms):
        records = run.records.values()
        if run.missing:
            asked = run.header.data["asked"]
            yield Text(f"{run.arm}: only {len(records):,} of {asked:,} cases were asked so far.", True)
        if failed := sum(record.status == "failed" for record in records):
            yield Text(f"{run.arm}: {failed:,} cases failed; they count as not right.", True)
        if without := [record for record in records if record.lacks_its_model]:
            named = ", ".join(record.case for record in without[:3]) + (" …" if len(without) > 3 else "")
            yield Text(
                f"{run.arm}: {len(without):,} cases have what is said without {run.header.model}, which failed "
                f"({named}: {without[0].model_error}). They are asked again when the run is given again.",
                True,
            )
        read = sum(record.own_source is True for record in records)
        if run.header.regime == "excluded" and read:
            yield Text(f"{run.arm}: {read:,} cases read their own source, which was to be excluded.", True)
    most = max(len(arm.run.records) for arm in report.arms)
    held = [one.own_source_held for one in report.arms[0].run.records.values() if one.own_source_held is not None]
    if absent := held.count(False):
        yield Text(f"Of {len(held):,} cases with a known source {absent:,} have none in what was searched.", True)
    if report.fitted:
        known = ", ".join(dict.fromkeys(one.known_as for one in report.fitted if one.known_as != report.name))
        of = f"questions of {known}, which are in this set" if known else "this set"
        yield Text(f"This was fitted on {of}, so that less is to be expected of data that nobody has seen:", True)
        rows = [(one.what, one.script, Part(one.cases, most)) for one in report.fitted]
        yield Table(("what was fitted", "by", "cases of the part that it saw or was drawn from"), rows)
    yield from _absence_warnings(report.arms)
    if most < FEW_CASES:
        yield Text(f"{most:,} cases are few: read the intervals, not the figures.", True)


def _absence_warnings(arms: Arms) -> Iterator[Block]:
    """Where a figure could not be had, and why."""
    figures = {figure.metric: figure for arm in arms for figure in arm.figures}
    if "ROUGE-L" in figures and figures["ROUGE-L"].value is None:
        yield Text(f"Answers are not compared with their references: {REMEDY} does that.", True)
    if "answer_accuracy" in figures and not figures["answer_accuracy"].of:
        yield Text("No answer to these questions is known: nothing says whether what was said is right.", True)
    extractive = [arm.run.records.values() for arm in arms if arm.run.header.model == "extractive"]
    offered = [record for records in extractive for record in records if record.options > 0]
    if offered:
        chosen = sum(bool(record.label) for record in offered)
        yield Text(
            f"Without a language model no option is chosen: of {len(offered):,} questions with options {chosen:,} have "
            "a letter. Their accuracy says nothing of what a model would reach.",
            True,
        )


def _figure_blocks(report: SetReport) -> Iterator[Block]:
    pairs = sorted(((arm, one) for arm in report.arms for one in arm.figures), key=lambda pair: pair[1].margin)
    yield Heading(3, "Figures, the worst against its floor first")
    yield tabulate(
        pairs,
        {
            "metric": lambda pair: pair[1].metric,
            "arm": lambda pair: pair[0].run.arm,
            "value": lambda pair: pair[1].value,
            "95 %": lambda pair: Interval(pair[1].low, pair[1].high),
            "of what": lambda pair: _describe_count(pair[1]),
            "floor": lambda pair: _describe_floor(pair[1]),
            "against it": lambda pair: pair[1].standing,
            "fitted on": lambda _: bool(report.fitted),
        },
    )
    absent = {figure.metric for _, figure in pairs if figure.value is None and figure.of}
    if absent & {"MRR", "list_f1"}:
        yield Text("Accuracy and rank of exact answers need candidates: sentences name none, so nothing is told.")
    if "ROUGE-2" in absent:
        yield Text(f"ROUGE needs what is not installed: {REMEDY}.")
    metrics = dict.fromkeys(figure.metric for _, figure in pairs)
    if "snippet_precision" in metrics:
        yield Text(
            "What is marked as evidence is compared in characters with what is quoted. Where the documents that are "
            "searched hold little else, as excerpts do, precision says that the right documents were found, no more."
        )
    for metric in metrics:
        rows = list(_list_estimates(report.arms, metric))
        if metric in ("answer_accuracy", "facts_said") and rows:
            yield Picture(draw_estimates(f"{report.name}: {metric} with 95 % intervals; broken line: floor", rows))


def _list_estimates(arms: Arms, metric: str) -> Iterator[Estimate]:
    for arm in arms:
        one = arm.find(metric)
        if one and one.value is not None and one.low is not None and one.high is not None:
            yield Estimate(arm.run.arm, one.value, one.low, one.high, one.floor)


def _describe_count(figure: AnswerFigure) -> str:
    counted = f"{figure.part:,} of {figure.of:,}"
    return f"mean of {format_count(figure.cases, 'case')} ({counted})" if figure.cases else counted


def _describe_floor(figure: AnswerFigure) -> str:
    if figure.floor is None:
        return figure.floor_name or "none known"
    return f"{figure.floor:.3f} ({figure.floor_name})"


def _outcome_blocks(arms: Arms) -> Iterator[Block]:
    yield Heading(3, "What became of the cases")
    statuses = ("answered", "abstained", "failed")
    rows = [(arm.run.arm, *(arm.statuses.get(name, 0) for name in statuses), len(arm.run.records)) for arm in arms]
    yield Table(("arm", *statuses, "all"), rows)
    known = [arm for arm in arms if arm.outcomes]
    if not known:
        return
    yield Text("Of those with a known answer, by what their answer says:")
    outcomes = [(arm.run.arm, *(arm.outcomes[name] for name in OUTCOMES), sum(arm.outcomes.values())) for arm in known]
    yield Table(("arm", *OUTCOMES, "all"), outcomes)
    golds = list(dict.fromkeys(gold for arm in known for gold in arm.floors))
    said = sorted({label for arm in known for counts in arm.by_gold.values() for label in counts})
    yield Text("By the known answer: its share is what is reached by whoever always says it.")
    cells: list[Sequence[Cell]] = [
        (arm.run.arm, gold, float(arm.floors.get(gold, 0)), *(arm.by_gold.get(gold, {}).get(one, 0) for one in said))
        for arm in known
        for gold in golds
    ]
    yield Table(("arm", "known answer", "share", *(f"said {label}" for label in said)), cells)


def _contrast_blocks(report: SetReport) -> Iterator[Block]:
    if not report.contrasts:
        return
    yield Heading(3, f"Against {report.contrasts[0].base}, case by case")
    for one in report.contrasts:
        if one.reason:
            yield Text(f"{one.other} is not compared: {one.reason}.", True)
        if right := one.right:
            yield Text(
                f"{one.other}: right in both {right.both:,}, only {one.base} {right.only_base:,}, only {one.other} "
                f"{right.only_other:,}, neither {right.neither:,}; McNemar's exact p {right.p:.4f}."
            )
        if marks := one.marks:
            gain = marks.difference
            yield Text(
                f"{one.other}: share of facts said {gain.mean:+.3f} "
                f"({gain.low:+.3f} to {gain.high:+.3f}) over {gain.cases:,} cases, more in "
                f"{marks.more:,}, equal in {marks.equal:,}, less in {marks.less:,}; randomisation p {marks.p:.4f}."
            )
    if len(report.contrasts) > 1:
        yield Text(
            "The p of several comparisons are given as they are; `wellsourced evaluate compare` corrects them (Holm)."
        )


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


def _calibration_blocks(arms: Arms) -> Iterator[Block]:
    """Where answers give a probability: how good it is, and a picture of each arm."""
    measured = [(arm.run.arm, found) for arm in arms if (found := measure_calibration(arm.run)).answer_brier.cases]
    if not measured:
        return
    yield Heading(3, "Calibration of decisions")
    yield tabulate(
        measured,
        {
            "arm": lambda pair: pair[0],
            "with a probability": lambda pair: pair[1].answer_brier.cases,
            "without": lambda pair: pair[1].answer_brier.undefined,
            "answer_ece": lambda pair: _format_mean(pair[1].answer_ece),
            "answer_brier": lambda pair: _format_mean(pair[1].answer_brier),
        },
    )
    for name, found in measured:
        if found.answer_brier.cases < FEW_CASES:
            yield Text(f"{name}: {found.answer_brier.cases:,} probabilities are few for ten bins.", True)
        points = [Point(one.score, one.supported, weight=one.n) for one in found.bins if one.n]
        title, axes = f"{name}: share right by probability", ("probability", "right")
        yield Picture(draw_series(title, axes, {name: points}, diagonal=True, x_range=(0, 1)))


def _format_mean(found: MetricMean) -> str:
    """A mean with its interval and of how many cases it is; a dash for none."""
    if found.mean is None:
        return format_cell(None)
    return f"{found.mean:.3g} ({found.low:.3g}–{found.high:.3g}, {found.cases:,} cases)"


def _search_blocks(arms: Arms) -> Iterator[Block]:
    """How each arm searched."""
    means = [(arm.run.arm, average_searches(arm.run)) for arm in arms]
    if not any(found["queries"].cases for _, found in means):
        return
    yield Heading(3, "Searches")
    rows = [(name, *map(_format_mean, found.values()), found["queries"].cases) for name, found in means]
    yield Table(("arm", *means[0][1], "cases"), rows)
    yield Text(
        "Means of a case. query_diversity is 1 less the Jaccard index of the stemmed words of every two searches of "
        "one source: only cases that ask a source twice have one."
    )


def _cost_blocks(arms: Arms) -> Iterator[Block]:
    """What each arm took."""
    yield Heading(3, "Time and cost")
    yield tabulate(
        arms,
        {
            "arm": lambda arm: arm.run.arm,
            "s p50": lambda arm: _format_seconds(arm.cost.p50),
            "s p95": lambda arm: _format_seconds(arm.cost.p95),
            "s all": lambda arm: f"{arm.cost.seconds:,.1f}",
            "at once": lambda arm: max((record.at_once for record in arm.run.records.values()), default=1),
            "calls": lambda arm: arm.cost.calls,
            "calls of the judge": lambda arm: sum(record.judge_calls for record in arm.run.records.values()),
            "cached": lambda arm: arm.cost.cached,
            "tokens": lambda arm: arm.cost.tokens,
            "US dollars": lambda arm: "not known" if arm.cost.dollars is None else f"{arm.cost.dollars:.4f}",
        },
    )


def _format_seconds(seconds: float | None) -> str:
    return format_cell(None) if seconds is None else f"{seconds:.2f}"


def _quality_blocks(report: SetReport) -> Iterator[Block]:
    """What each arm is worth against what a case of it costs: dollars, else calls, else seconds."""
    quality = report.quality
    if len(report.arms) < 2 or not quality or not all(arm.find(quality) for arm in report.arms):
        return
    unit, costs = _choose_cost(report.arms)
    rows = list(_list_estimates(report.arms, quality))
    yield Heading(3, f"{quality} against {unit} of a case")
    cells = [(one.name, f"{costs[one.name]:.4g}", one.value, Interval(one.low, one.high)) for one in rows]
    yield Table(("arm", f"{unit} of a case", quality, "95 %"), cells)
    points = {one.name: [Point(costs[one.name], one.value, one.low, one.high)] for one in rows}
    title = f"{report.name}: {quality} with 95 % intervals against {unit} of a case"
    yield Picture(draw_series(title, (f"{unit} of a case", quality), points))


def _choose_cost(arms: Arms) -> tuple[str, dict[str, float]]:
    dollars = [arm.cost.dollars for arm in arms]
    if all(one is not None for one in dollars) and any(dollars):
        unit, field = "US dollars", "dollars"
    else:
        unit = field = "calls" if any(arm.cost.calls for arm in arms) else "seconds"
    return unit, {arm.run.arm: getattr(arm.cost, field) / max(1, len(arm.run.records)) for arm in arms}


def _case_blocks(arms: Arms) -> Iterator[Block]:
    """Cases that failed, were answered wrongly, or lack what should be said, by their ids."""
    found = [(arm.run.arm, record, _find_fault(record)) for arm in arms for record in arm.run.records.values()]
    rows = [(*fault, arm, record.case) for arm, record, fault in found if fault]
    if not rows:
        return
    rows.sort(key=lambda row: row[0])
    yield Heading(3, "Cases to read")
    shown = [(arm, case, what, detail) for _, what, detail, arm, case in rows[:MAX_LISTED]]
    yield Table(("arm", "case", "what", "detail"), shown)
    if len(rows) > MAX_LISTED:
        yield Text(f"{len(rows) - MAX_LISTED:,} more are in the files of the runs.")


def _find_fault(record: AnswerRecord) -> tuple[int, str, str] | None:
    """How bad it is (0 the worst), what is wrong with an answer, and in which words; None for nothing."""
    lacking = [mark.fact for mark in record.marks if mark.said is False and not mark.is_optional]
    lacking += [thing.synonyms[0] for thing in record.exact if not thing.said]
    contradicted = [mark.fact for mark in record.marks if mark.contradicted]
    if record.status == "failed":
        return 0, "failed", record.error
    if record.gold and record.answerable is not False and record.outcome == "wrong":
        return 1, "wrong", f"said {record.label}, known is {record.gold}: {record.short}"[:300]
    if contradicted:
        return 1, "contradicts", f"contradicts: {'; '.join(contradicted)}"[:300]
    if lacking:
        return 2, record.status, f"lacks {'; '.join(lacking)}"[:300]
    if record.answerable is False and record.status == "answered":
        return 1, "not refused", record.short[:300]
    return None


def _setup_blocks(arms: Arms) -> Iterator[Block]:
    run = arms[0].run
    header, data = run.header, run.header.data
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
    yield tabulate(
        [arm.run for arm in arms],
        {
            "arm": lambda run: run.arm,
            "sources of the cases": lambda run: run.header.regime,
            "model": lambda run: run.header.model,
            "version": lambda run: run.header.wellsourced,
            "code": lambda run: run.header.code,
            "settings": lambda run: (
                "; ".join(f"{name}={value}" for name, value in run.header.settings.items()) or "as they come"
            ),
            "asked again": lambda run: len(run.replaced),
        },
    )
    if run.has_judged_marks:
        yield Text(f"What has no pattern is judged by {header.judge}: those figures are as good as it is.")
