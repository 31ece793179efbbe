"""What runs on sets of questions came to, for people: what is bad first, and what each figure is of beside it."""

from collections.abc import Iterator, Sequence

from wellsourced_evaluate.plot import ArmShare, draw_arms
from wellsourced_evaluate.questions.answer_calibration import calibration_blocks
from wellsourced_evaluate.questions.answer_figures import AnswerFigure
from wellsourced_evaluate.questions.answer_run import OUTCOMES
from wellsourced_evaluate.questions.arm_ranks import rank_arms, rank_blocks
from wellsourced_evaluate.questions.report_blocks import (
    ReportBlock,
    ReportHeading,
    ReportPicture,
    ReportTable,
    ReportText,
    format_decimal,
    format_interval,
)
from wellsourced_evaluate.questions.run_tables import (
    cost_blocks,
    cutoff_blocks,
    quality_blocks,
    search_blocks,
)
from wellsourced_evaluate.questions.set_report import SetReport
from wellsourced_evaluate.text_metrics import REMEDY

TITLE = "Questions with known answers"

FEW_CASES = 100
"""Below so many, differences of five points are not seen."""

MAX_LISTED = 20
"""Cases of an arm that are named one by one."""


def build_blocks(reports: Sequence[SetReport]) -> Iterator[ReportBlock]:
    """The whole report."""
    yield ReportHeading(1, TITLE)
    yield ReportText(
        "Intervals are 95 %: bootstrap over cases, Wilson's where all cases are alike. A floor is what is reached "
        "without reading anything. Unparsed: an answer that says no label; abstained: none was given; failed: the "
        "question raised an error. All three count as not right."
    )
    yield from rank_blocks(rank_arms({one.name: one.arms for one in reports}))
    for one in reports:
        yield from _set_blocks(one)


def _set_blocks(told: SetReport) -> Iterator[ReportBlock]:
    yield ReportHeading(2, told.name)
    yield from _warning_blocks(told)
    yield from _figure_blocks(told)
    yield from _outcome_blocks(told)
    yield from _contrast_blocks(told)
    yield from cutoff_blocks(told.cutoff, told.arms)
    yield from calibration_blocks(told.arms)
    yield from search_blocks(told.arms)
    yield from cost_blocks(told.arms)
    yield from quality_blocks(told.name, told.arms)
    yield from _case_blocks(told)
    yield from _setup_blocks(told)


def _warning_blocks(told: SetReport) -> Iterator[ReportBlock]:
    for one in told.arms:
        if one.run.missing:
            asked = one.run.header.data["asked"]
            yield ReportText(
                f"{one.run.arm}: only {len(one.run.records):,} of {asked:,} cases were asked so far.", True
            )
        if failed := sum(record.status == "failed" for record in one.run.records.values()):
            yield ReportText(f"{one.run.arm}: {failed:,} cases failed; they count as not right.", True)
        without = [record for record in one.run.records.values() if record.lacks_its_model]
        if without:
            named = ", ".join(record.case for record in without[:3]) + (" …" if len(without) > 3 else "")
            yield ReportText(
                f"{one.run.arm}: {len(without):,} cases have what is said without {one.run.header.model}, which failed "
                f"({named}: {without[0].model_error}). They are asked again when the run is given again.",
                True,
            )
        read = sum(record.own_source is True for record in one.run.records.values())
        if one.run.header.regime == "excluded" and read:
            yield ReportText(f"{one.run.arm}: {read:,} cases read their own source, which was to be excluded.", True)
    most = max(len(one.run.records) for one in told.arms)
    held = [one.own_source_held for one in told.arms[0].run.records.values() if one.own_source_held is not None]
    if absent := held.count(False):
        yield ReportText(f"Of {len(held):,} cases with a known source {absent:,} have none in what was searched.", True)
    if told.fitted:
        known = ", ".join(dict.fromkeys(one.known_as for one in told.fitted if one.known_as != told.name))
        of = f"questions of {known}, which are in this set" if known else "this set"
        yield ReportText(f"This was fitted on {of}, so that less is to be expected of data that nobody has seen:", True)
        rows = [(one.what, one.script, f"{one.cases:,} of {most:,}") for one in told.fitted]
        yield ReportTable(("what was fitted", "by", "cases of the part that it saw or was drawn from"), rows)
    yield from _reference_warnings(told)
    if most < FEW_CASES:
        yield ReportText(f"{most:,} cases are few: read the intervals, not the figures.", True)


def _reference_warnings(told: SetReport) -> Iterator[ReportBlock]:
    """Where a figure could not be had, and why."""
    figures = {figure.metric: figure for one in told.arms for figure in one.figures}
    if "ROUGE-L" in figures and figures["ROUGE-L"].value is None:
        yield ReportText(f"Answers are not compared with their references: {REMEDY} does that.", True)
    if "answer_accuracy" in figures and not figures["answer_accuracy"].of:
        yield ReportText("No answer to these questions is known: nothing says whether what was said is right.", True)
    if choices := _unchosen(told):
        yield ReportText(choices, True)


def _unchosen(told: SetReport) -> str:
    """Where questions of multiple choice were asked of what cannot choose; "" where they were not."""
    arms = [one.run for one in told.arms if one.run.header.model == "extractive"]
    asked = sum(record.options > 0 for run in arms for record in run.records.values())
    if not asked:
        return ""
    chosen = sum(record.options > 0 and bool(record.label) for run in arms for record in run.records.values())
    return (
        f"Without a language model no option is chosen: of {asked:,} questions with options {chosen:,} have a letter. "
        "Their accuracy says nothing of what a model would reach."
    )


def _figure_blocks(told: SetReport) -> Iterator[ReportBlock]:
    pairs = sorted(((one, figure) for one in told.arms for figure in one.figures), key=lambda pair: pair[1].margin)
    yield ReportHeading(3, "Figures, the worst against its floor first")
    fitted = "yes" if told.fitted else "no"
    rows = [
        (
            figure.metric,
            arm.run.arm,
            format_decimal(figure.value),
            format_interval(figure.low, figure.high),
            _describe_count(figure),
            _describe_floor(figure),
            figure.standing,
            fitted,
        )
        for arm, figure in pairs
    ]
    yield ReportTable(("metric", "arm", "value", "95 %", "of what", "floor", "against it", "fitted on"), rows)
    absent = {figure.metric for _, figure in pairs if figure.value is None and figure.of}
    if absent & {"MRR", "list_f1"}:
        yield ReportText("Accuracy and rank of exact answers need candidates: sentences name none, so nothing is told.")
    if "ROUGE-2" in absent:
        yield ReportText(
            "ROUGE is counted by a library that is not installed: pip install 'wellsourced[text-metrics]'."
        )
    if any(figure.metric == "snippet_precision" for _, figure in pairs):
        yield ReportText(
            "What is marked as evidence is compared in characters with what is quoted. Where the documents that are "
            "searched hold little else, as excerpts do, precision says that the right documents were found, no more."
        )
    for metric in dict.fromkeys(figure.metric for _, figure in pairs):
        shares = [
            ArmShare(arm.run.arm, one.value, one.low, one.high, one.floor)
            for arm in told.arms
            for one in arm.figures
            if one.metric == metric and one.value is not None and one.low is not None and one.high is not None
        ]
        if metric in ("answer_accuracy", "facts_said") and shares:
            yield ReportPicture(draw_arms(f"{told.name}: {metric} with 95 % intervals; broken line: floor", shares))


def _outcome_blocks(told: SetReport) -> Iterator[ReportBlock]:
    yield ReportHeading(3, "What became of the cases")
    statuses = ("answered", "abstained", "failed")
    cells = [
        (one.run.arm, *(f"{one.statuses.get(name, 0):,}" for name in statuses), f"{len(one.run.records):,}")
        for one in told.arms
    ]
    yield ReportTable(("arm", *statuses, "all"), cells)
    arms = [one for one in told.arms if one.outcomes]
    if not arms:
        return
    yield ReportText("Of those with a known answer, by what their answer says:")
    rows = [
        (one.run.arm, *(f"{one.outcomes[name]:,}" for name in OUTCOMES), f"{sum(one.outcomes.values()):,}")
        for one in arms
    ]
    yield ReportTable(("arm", *OUTCOMES, "all"), rows)
    golds = list(dict.fromkeys(gold for one in arms for gold in one.floors))
    said = sorted({label for one in arms for counts in one.by_gold.values() for label in counts})
    cells = [
        (
            *(one.run.arm, gold, f"{one.floors.get(gold, 0):.3f}"),
            *(f"{one.by_gold.get(gold, {}).get(label, 0):,}" for label in said),
        )
        for one in arms
        for gold in golds
    ]
    yield ReportText("By the known answer: its share is what is reached by whoever always says it.")
    yield ReportTable(("arm", "known answer", "share", *(f"said {label}" for label in said)), cells)


def _contrast_blocks(told: SetReport) -> Iterator[ReportBlock]:
    if not told.contrasts:
        return
    yield ReportHeading(3, f"Against {told.contrasts[0].base}, case by case")
    for one in told.contrasts:
        if one.reason:
            yield ReportText(f"{one.other} is not compared: {one.reason}.", True)
        if one.right:
            right = one.right
            yield ReportText(
                f"{one.other}: right in both {right.both:,}, only {one.base} {right.only_base:,}, only {one.other} "
                f"{right.only_other:,}, neither {right.neither:,}; McNemar's exact p {right.p:.4f}."
            )
        if one.marks:
            marks, gain = one.marks, one.marks.difference
            yield ReportText(
                f"{one.other}: share of facts said {gain.mean:+.3f} "
                f"({gain.low:+.3f} to {gain.high:+.3f}) over {gain.cases:,} cases, more in "
                f"{marks.more:,}, equal in {marks.equal:,}, less in {marks.less:,}; randomisation p {marks.p:.4f}."
            )
    if len(told.contrasts) > 1:
        yield ReportText(
            "The p of several comparisons are given as they are; `wellsourced evaluate compare` corrects them (Holm)."
        )


def _case_blocks(told: SetReport) -> Iterator[ReportBlock]:
    """Cases that failed, were answered wrongly, or lack what should be said, by their ids."""
    rows = []
    for one in told.arms:
        for record in one.run.records.values():
            lacking = [mark.fact for mark in record.marks if mark.said is False and not mark.is_optional]
            lacking += [one.synonyms[0] for one in record.exact if not one.said]
            contradicted = [mark.fact for mark in record.marks if mark.contradicted]
            if record.status == "failed":
                rows.append((0, one.run.arm, record.case, "failed", record.error))
            elif record.gold and record.answerable is not False and record.outcome == "wrong":
                said = f"said {record.label}, known is {record.gold}: {record.short}"
                rows.append((1, one.run.arm, record.case, "wrong", said[:300]))
            elif contradicted:
                detail = f"contradicts: {'; '.join(contradicted)}"[:300]
                rows.append((1, one.run.arm, record.case, "contradicts", detail))
            elif lacking:
                rows.append((2, one.run.arm, record.case, record.status, f"lacks {'; '.join(lacking)}"[:300]))
            elif record.answerable is False and record.status == "answered":
                rows.append((1, one.run.arm, record.case, "not refused", record.short[:300]))
    if not rows:
        return
    rows.sort(key=lambda row: row[0])
    yield ReportHeading(3, "Cases to read")
    yield ReportTable(("arm", "case", "what", "detail"), [row[1:] for row in rows[:MAX_LISTED]])
    if len(rows) > MAX_LISTED:
        yield ReportText(f"{len(rows) - MAX_LISTED:,} more are in the files of the runs.")


def _setup_blocks(told: SetReport) -> Iterator[ReportBlock]:
    header = told.arms[0].run.header
    data = header.data
    yield ReportHeading(3, "What was asked, and of what")
    drawn = f"{data['asked']:,} of {data['recorded']:,} cases, seed {data['seed']}"
    skipped = ", ".join(f"{count:,} {kind}" for kind, count in data["skipped"].items())
    yield ReportText(
        f"{data['name']} (form {data['form']}, sha256 {data['sha256']}): {drawn}."
        + (f" Not asked: {skipped}." if skipped else "")
    )
    sources = ", ".join(
        f"{one.name} ({one.documents:,} documents, {one.passages:,} passages, sha256 {one.sha256 or 'on the network'})"
        for one in header.sources
    )
    yield ReportText(f"Searched: {sources or 'nothing'}.")
    rows = [
        (
            *(one.run.arm, one.run.header.regime, one.run.header.model, one.run.header.wellsourced),
            one.run.header.code,
            "; ".join(f"{name}={value}" for name, value in one.run.header.settings.items()) or "as they come",
            f"{len(one.run.replaced):,}",
        )
        for one in told.arms
    ]
    yield ReportTable(("arm", "sources of the cases", "model", "version", "code", "settings", "asked again"), rows)
    if told.arms[0].run.has_judged_marks:
        yield ReportText(f"What has no pattern is judged by {header.judge}: those figures are as good as it is.")


def _describe_count(figure: AnswerFigure) -> str:
    counted = f"{figure.part:,} of {figure.of:,}"
    cases = f"{figure.cases:,} case{'' if figure.cases == 1 else 's'}"
    return f"mean of {cases} ({counted})" if figure.cases else counted


def _describe_floor(figure: AnswerFigure) -> str:
    if figure.floor is None:
        return figure.floor_name or "none known"
    return f"{format_decimal(figure.floor)} ({figure.floor_name})"
