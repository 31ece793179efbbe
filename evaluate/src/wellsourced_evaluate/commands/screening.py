"""`wellsourced evaluate screening`: searches of systematic reviews read, made, and held against what was relevant."""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from wellsourced import config
from wellsourced.app.exits import EXIT_FAILURE
from wellsourced.app.options import EXISTING_FILE, json_option, pack_options
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.app.terminal import format_count, format_decimal, format_range, format_table, print_data, sanitize_line
from wellsourced_evaluate.commands.common import EXISTING_PATH, fresh_option, limit_option, out_option

if TYPE_CHECKING:
    from wellsourced_evaluate.screening.search_log import TopicResult
    from wellsourced_evaluate.screening.topics import Level, ReviewTopics

MAX_SHOWN = 5


class ScreeningOptions(NamedTuple):
    """The options of `wellsourced evaluate screening`, as they were typed."""

    topics: Path
    qrels: Path | None
    level: "Level"
    limit: int
    search: bool
    out: Path | None
    fresh: bool


SCREENING_OPTIONS = (
    click.option(
        "--topics",
        type=EXISTING_PATH,
        required=True,
        metavar="FILE|FOLDER",
        help="What was searched for: JSON lines, or CLEF-TAR's files of topics.",
    ),
    click.option(
        "--qrels", type=EXISTING_FILE, metavar="FILE", help="Which PMIDs are relevant, where the topics do not say so."
    ),
    click.option(
        "--level",
        type=click.Choice(("content", "abstract")),
        default="content",
        show_default=True,
        help="What was read to judge them, where the topics have both.",
    ),
    limit_option("Take so many topics"),
    click.option("--search", is_flag=True, help="Ask PubMed, too; else nobody is asked."),
    out_option("Keep what was found"),
    fresh_option("Search again for what was searched before."),
)


@click.command(
    short_help="Measure the searches of systematic reviews: are they read, what do they find.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate screening --topics clef_tar.topics.jsonl.gz
      wellsourced evaluate screening --topics Testing/topics --qrels Testing/qrels/content.qrels --search
      wellsourced evaluate screening --topics pubmedrs200.jsonl.gz --search --limit 20 --json

    \b
    A line of FILE, plain or .gz, is a review:
      {"id": "CD000996", "boolean_query": "exp Asthma/ and …", "relevant_pmids_full_text_level": ["1615177"]}
      {"id": "r1", "question": "…", "gold_ref_pmids": ["1615177"], "source_pmid": "34158009"}
    A file of CLEF-TAR has Topic, Title, Query and Pids; judgements have topic, 0, PMID and grade.

    \b
    Exit status: 0 measured, 1 some searches failed, 2 bad use.
    """,
)
@pack_options("wish", ScreeningOptions, SCREENING_OPTIONS)
@json_option
@click.pass_context
def screening(ctx: click.Context, /, wish: ScreeningOptions, as_json: bool) -> None:
    """Say how many Boolean queries of reviews are read, and with --search how many of the relevant works they find.

    Queries of Ovid and PubMed are read and said in PubMed's language. A topic without a query is a question, which is
    put to the whole search with PubMed alone. What was found is kept as it comes: a run that was stopped goes on.
    PubMed has more today than when a review was made. Intervals are 95 % (bootstrap over topics).
    """
    from wellsourced_evaluate.screening.searches import read_search
    from wellsourced_evaluate.screening.topics import read_topics

    data = read_topics(wish.topics, wish.qrels, wish.level, wish.limit)
    if wish.search:
        with watch_progress() as watch:
            results = asyncio.run(make_searches(data, wish, config.load(ctx.obj), watch))
    else:
        results = [read_search(topic) for topic in data.topics]
    if as_json:
        print_data(screening_data(data, results))
    else:
        click.echo("\n".join(screening_lines(data, results)))
    ctx.exit(EXIT_FAILURE if any(one.error for one in results) else 0)


async def make_searches(
    data: "ReviewTopics", wish: ScreeningOptions, settings: config.Settings, watch: ProgressWatch
) -> "list[TopicResult]":
    """Every search that was not made yet."""
    from wellsourced_evaluate.record_log import RecordLog
    from wellsourced_evaluate.screening.search_log import SEARCH_LOG
    from wellsourced_evaluate.screening.searches import PUBMED, build_header, measure_searches

    name = wish.topics.name.partition(".")[0]
    out = wish.out or settings.home / "evaluate" / "screening" / f"{name}-{len(data.topics)}.{wish.level}.jsonl"
    with RecordLog(out, build_header(data, wish.level, PUBMED), SEARCH_LOG, fresh=wish.fresh) as log:
        own = settings.model_copy(update={"guidelines": False, "graph": False})
        async with config.open_context(own, live=(PUBMED,), emit=watch) as context:
            return await measure_searches(
                data, context, log, lambda done, every: watch.show_step(f"Searched for {done:,} of {every:,} topics")
            )


def screening_lines(data: "ReviewTopics", results: "Sequence[TopicResult]") -> Iterator[str]:
    """Everything, for people."""
    from wellsourced_evaluate.screening.searches import summarize_searches

    found = summarize_searches(results)
    files = [*data.files.items()]
    named = ", ".join(f"{name} (sha256 {digest})" for name, digest in files[:MAX_SHOWN])
    more = f" and {len(files) - MAX_SHOWN:,} more files" if len(files) > MAX_SHOWN else ""
    yield f"{format_count(len(results), 'topic')} of {sanitize_line(named)}{more}\n"
    rows = []
    for name, mean in found.means.items():
        together = found.pooled.get(name)
        shown = f"{together.part:,} of {together.whole:,}" if together and together.whole else "–"
        of = f"{mean.cases:,} of {len(results):,}"
        interval = "–" if mean.mean is None else format_range(mean.low, mean.high)
        rows.append((name, format_decimal(mean.mean), interval, of, shown))
    yield format_table(rows, ("metric", "mean", "95 % interval", "topics", "all together"))
    yield from trouble_lines(results)


def trouble_lines(results: "Sequence[TopicResult]") -> Iterator[str]:
    """What could not be read, was repaired, failed, or has nothing to be held against."""
    unread = [one for one in results if one.read is False]
    failed = [one for one in results if one.error]
    for what, some in (("cannot be read", unread), ("FAILED, and left out", failed)):
        if some:
            yield f"{'1 search' if len(some) == 1 else f'{len(some):,} searches'} {what}:"
            yield from (f"  {one.topic}: {sanitize_line(one.reason or one.error)}" for one in some[:MAX_SHOWN])
    changed = {"Read with repair": "repairs", "Not wholly said in PubMed's language": "losses"}
    for what, name in changed.items():
        if told := [(one.topic, getattr(one, name)[0]) for one in results if getattr(one, name)]:
            yield f"{what}: {len(told):,}, such as"
            yield from (f"  {topic}: {sanitize_line(note)}" for topic, note in told[:MAX_SHOWN])
    if unjudged := sum(one.relevant is None for one in results):
        yield f"{format_count(unjudged, 'topic')} without judgements: of these nothing is known to be relevant."
    if all(one.found is None for one in results):
        yield "Nobody was asked: --search asks PubMed."


def screening_data(data: "ReviewTopics", results: "Sequence[TopicResult]") -> dict[str, Any]:
    """Everything, for programs: the means, and each topic."""
    from wellsourced_evaluate.screening.searches import summarize_searches

    found = summarize_searches(results)
    return {
        "files": dict(data.files),
        "topics": len(results),
        "recorded_topics": data.recorded,
        "failed": sum(bool(one.error) for one in results),
        "metrics": {
            name: {**mean.to_json(), "pooled": pooled._asdict() if (pooled := found.pooled.get(name)) else None}
            for name, mean in found.means.items()
        },
        "cases": [{**one.model_dump(mode="json"), "values": dict(one.to_values())} for one in results],
    }
