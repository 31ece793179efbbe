"""What a scoring of recorded summaries came to, in lines for a terminal."""

from collections.abc import Iterator

from wellsourced.app.terminal import format_count, format_decimal, format_range, format_table, sanitize_line
from wellsourced_evaluate.metrics import TEXT_METRICS
from wellsourced_evaluate.model_metrics.summary_models import ModelFigures
from wellsourced_evaluate.source_metrics import SourceFigures
from wellsourced_evaluate.summaries_report import SummariesReport, SystemContrast


def summaries_lines(told: SummariesReport, seconds: float) -> Iterator[str]:
    """Everything, for people."""
    data = told.data
    yield (
        f"{format_count(told.texts, 'text')} of {format_count(len(data.reviews), 'review')} by "
        f"{format_count(len(data.systems), 'system')}, of {sanitize_line(data.file)} (sha256 {data.sha256})\n"
    )
    cells = [
        (name, f"{one.compared:,}", f"{one.equal:,}", _six_decimals(one.mean), _six_decimals(one.worst), one.worst_case)
        for name, one in told.agreement.items()
    ]
    yield "Against the published scores, absolute differences:"
    yield format_table(cells, ("metric", "compared", "equal", "mean", "worst", "where"))
    yield "Means (published direction → documented direction; of CharacTER less is better):"
    yield from mean_lines(told)
    yield from model_lines(told.models)
    if told.sources:
        yield "Works taken as relevant, against those that the review cites:"
        yield from source_lines(told.sources)
    for contrast in told.contrasts:
        yield from contrast_lines(contrast)
    yield from (f"Note: {note}." for note in told.notes)
    yield f"It took {seconds:,.1f} s."


def mean_lines(told: SummariesReport) -> Iterator[str]:
    """A line for each system, with how many reviews a mean is of where it is not of all."""
    rows = []
    for system, directions in told.means.items():
        row = [system]
        for metric in TEXT_METRICS:
            published, documented = (directions[one][metric.name] for one in ("published", "documented"))
            left = f" ({documented.cases} of {documented.cases + documented.undefined})" if documented.undefined else ""
            row.append(f"{format_decimal(published.mean)} → {format_decimal(documented.mean)}{left}")
        rows.append(row)
    yield format_table(rows, ("system", *(metric.name for metric in TEXT_METRICS)))


def model_lines(figures: tuple[ModelFigures, ...]) -> Iterator[str]:
    """Metrics by models: means of each system, and how far their order is that of the published scores."""
    measured = [one for one in figures if not one.missing]
    for one in measured:
        made = ", ".join(f"{name} {value}" for name, value in one.model.items())
        yield f"{one.metric} ({sanitize_line(made)}):"
        rows = [
            (system, format_decimal(mean.mean), format_range(mean.low, mean.high), f"{mean.cases:,}")
            for system, mean in one.means.items()
        ]
        yield format_table(rows, ("system", "mean", "95 % interval", "reviews"))
        if one.agreement:
            told = one.agreement
            yield (
                f"Rank correlation with the published “{one.published}” over {format_count(told.texts, 'text')}: "
                f"{format_decimal(told.spearman)} ({format_range(told.low, told.high)}); within a review, on average, "
                f"{format_decimal(told.within.mean)} ({format_range(told.within.low, told.within.high)}).\n"
            )
    if absent := [one for one in figures if one.missing]:
        yield f"Not measured, since no model was named (--metric-model): {', '.join(one.metric for one in absent)}."


def source_lines(sources: tuple[SourceFigures, ...]) -> Iterator[str]:
    """Precision and recall of each search, with what the paper has over all of its questions."""
    rows = []
    for one in sources:
        for name, short in (("source_precision", "precision"), ("source_recall", "recall")):
            mean = one.means[name]
            defined = f"{mean.cases} of {one.reviews}"
            paper = format_decimal(one.paper[name]) if one.paper else "–"
            interval, with_0 = format_range(mean.low, mean.high), format_decimal(one.means_with_0[name].mean)
            rows.append((one.regime, short, format_decimal(mean.mean), interval, defined, with_0, paper))
    header = ("search", "metric", "mean", "95 % interval", "defined for", "others as 0", "paper, 145 questions")
    yield format_table(rows, header)
    for one in sources:
        yield (
            f"{sanitize_line(one.regime)}: {one.kept:,} of {one.true_candidates:,} cited works that were found were "
            f"kept; {format_count(one.no_hit, 'review')} without any; the review itself was taken in {one.source:.1%}."
        )


def contrast_lines(told: SystemContrast) -> Iterator[str]:
    """The difference from the base, metric by metric."""
    yield f"\n{sanitize_line(told.other)} less {sanitize_line(told.base)} (documented direction)"
    rows = [
        (
            *(name, format_decimal(one.base), format_decimal(one.other), _signed_decimal(one.difference.mean)),
            f"{_signed_decimal(one.difference.low)} … {_signed_decimal(one.difference.high)}",
            f"{one.p:.4f}" if one.p is not None else "–",
            *(f"{count:,}" for count in (one.more, one.equal, one.less, one.difference.undefined)),
        )
        for name, one in told.metrics.items()
    ]
    header = ("metric", "base", "other", "difference", "95 % interval", "p", "more", "equal", "less", "undefined")
    yield format_table(rows, header)
    if told.hits:
        yield (
            f"A cited work was found in {told.hits.only_base:,} reviews only by {sanitize_line(told.base)}, in "
            f"{told.hits.only_other:,} only by {sanitize_line(told.other)} (McNemar, p {told.hits.p:.4f})."
        )


def _six_decimals(value: float | None) -> str:
    return "–" if value is None else f"{value:.6f}"


def _signed_decimal(value: float | None) -> str:
    return "–" if value is None else f"{value:+.3f}"
