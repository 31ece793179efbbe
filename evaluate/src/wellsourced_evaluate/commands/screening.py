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
from wellsourced.app.terminal import format_count
from wellsourced_evaluate.commands.common import EXISTING_PATH, fresh_option, limit_option, out_option

if TYPE_CHECKING:
    from wellsourced_evaluate.screening import Level, ReviewTopics, TopicResult
    from wellsourced_evaluate.tables import Block

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
    from wellsourced_evaluate.screening import read_search, read_topics
    from wellsourced_evaluate.tables import print_report

    data = read_topics(wish.topics, wish.qrels, wish.level, wish.limit)
    if wish.search:
        with watch_progress() as watch:
            results = asyncio.run(make_searches(data, wish, config.load(ctx.obj), watch))
    else:
        results = [read_search(topic) for topic in data.topics]
    print_report(screening_blocks(data, results), lambda: screening_data(data, results), as_json=as_json, plain=True)
    ctx.exit(EXIT_FAILURE if any(one.error for one in results) else 0)


async def make_searches(
    data: "ReviewTopics", wish: ScreeningOptions, settings: config.Settings, watch: ProgressWatch
) -> "list[TopicResult]":
    """Every search that was not made yet."""
    from wellsourced_evaluate.record_log import RecordLog
    from wellsourced_evaluate.screening import PUBMED, SEARCH_LOG, build_header, measure_searches

    name = wish.topics.name.partition(".")[0]
    out = wish.out or settings.home / "evaluate" / "screening" / f"{name}-{len(data.topics)}.{wish.level}.jsonl"
    with RecordLog(out, build_header(data, wish.level, PUBMED), SEARCH_LOG, fresh=wish.fresh) as log:
        own = settings.model_copy(update={"guidelines": False, "graph": False})
        async with config.open_context(own, live=(PUBMED,), emit=watch) as context:
            return await measure_searches(
                data, context, log, lambda done, every: watch.show_step(f"Searched for {done:,} of {every:,} topics")
            )


def screening_blocks(data: "ReviewTopics", results: "Sequence[TopicResult]") -> "Iterator[Block]":
    """The report: figures, and what could not be read, was repaired, failed, or has nothing to be compared with."""
    from wellsourced_evaluate.screening import summarize_searches
    from wellsourced_evaluate.tables import Bullets, Interval, Part, Text, tabulate

    figures = summarize_searches(results)
    files = [f"{name} (sha256 {digest})" for name, digest in data.files.items()]
    more = f" and {len(files) - MAX_SHOWN:,} more files" if len(files) > MAX_SHOWN else ""
    yield Text(f"{format_count(len(results), 'topic')} of {', '.join(files[:MAX_SHOWN])}{more}")
    pooled = {name: Part(one.part, one.whole) for name, one in figures.pooled.items() if one.whole}
    yield tabulate(
        figures.means.items(),
        {
            "metric": lambda item: item[0],
            "mean": lambda item: item[1].mean,
            "95 % interval": lambda item: Interval(item[1].low, item[1].high),
            "topics": lambda item: Part(item[1].cases, len(results)),
            "all together": lambda item: pooled.get(item[0]),
        },
    )
    troubles = {
        "cannot be read": [(one.topic, one.reason) for one in results if one.read is False],
        "FAILED, and left out": [(one.topic, one.error) for one in results if one.error],
        "read with repair": [(one.topic, one.repairs[0]) for one in results if one.repairs],
        "not wholly said in PubMed's language": [(one.topic, one.losses[0]) for one in results if one.losses],
    }
    for what, some in troubles.items():
        if some:
            yield Text(f"{'1 search' if len(some) == 1 else f'{len(some):,} searches'} {what}:")
            yield Bullets([f"{topic}: {note}" for topic, note in some[:MAX_SHOWN]])
    if unjudged := sum(one.relevant is None for one in results):
        yield Text(f"{format_count(unjudged, 'topic')} without judgements: of these nothing is known to be relevant.")
    if all(one.found is None for one in results):
        yield Text("Nobody was asked: --search asks PubMed.")


def screening_data(data: "ReviewTopics", results: "Sequence[TopicResult]") -> dict[str, Any]:
    """Everything, for programs: the means, and each topic."""
    from wellsourced_evaluate.screening import summarize_searches

    found = summarize_searches(results)
    return {
        "files": dict(data.files),
        "topics": len(results),
        "recorded_topics": data.recorded,
        "failed": sum(bool(one.error) for one in results),
        "metrics": {
            name: {**mean._asdict(), "pooled": pooled._asdict() if (pooled := found.pooled.get(name)) else None}
            for name, mean in found.means.items()
        },
        "cases": [{**one.model_dump(mode="json"), "values": dict(one.to_values())} for one in results],
    }
