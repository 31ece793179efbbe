"""`wellsourced evaluate preflight` and `screening`: searches, made one by one, of which the answer is known."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from wellsourced import config
from wellsourced.app.exits import EXIT_FAILURE
from wellsourced.app.options import EXISTING_FILE, OptionDecorator, json_option, pack_options
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced_evaluate.commands.common import (
    EXISTING_FOLDER,
    EXISTING_PATH,
    fresh_option,
    limit_option,
    out_option,
    split_option,
)
from wellsourced_evaluate.recorded_rows import read_recorded, to_plain
from wellsourced_evaluate.tables import print_report

if TYPE_CHECKING:
    from wellsourced_evaluate.preflight import PreflightCase
    from wellsourced_evaluate.screening import Level, ReviewTopics, TopicResult

SEARCH_DEPTH = 100


class LogOptions(NamedTuple):
    """How many searches are made, and where their results are kept, as typed."""

    limit: int
    out: Path | None
    fresh: bool


def log_options(takes: str, keeps: str) -> OptionDecorator:
    """Return a decorator that adds these options: "Take this many cases", "Keep each case"."""
    again = fresh_option("Search again for what was searched before.")
    return pack_options("log", LogOptions, (limit_option(takes), out_option(keeps), again))


@click.command(
    short_help="Measure the preflight: does it detect when passages have to be read in parts?",
    epilog="""
    \b
    Examples:
      wellsourced evaluate preflight --rows cases.jsonl
      wellsourced evaluate preflight --beir nfcorpus --limit 200
      wellsourced --set condense.top=5 evaluate preflight --beir nfcorpus --json
      wellsourced evaluate preflight --rows rankings.jsonl --sweep

    \b
    A line of FILE, plain or .gz, is a case:
      {"id": "q1", "predicted": true, "happened": false}       null: no document that answers was read
    or a ranking, of which the preflight is asked:
      {"id": "q1", "question": "…", "passages": [{"id": "d1", "text": "…"}], "relevant": ["d1"]}

    \b
    Exit status: 0 measured, 1 some searches failed, 2 bad use.
    """,
)
@click.option("--rows", type=EXISTING_FILE, metavar="FILE", help="Cases that were recorded, or passages.")
@click.option("--beir", type=EXISTING_FOLDER, metavar="FOLDER", help="Questions to search for: a BEIR folder.")
@split_option
@click.option("--sweep", "sweeps", is_flag=True, help="Also report the results of other settings of the preflight.")
@log_options("Take this many cases", "Keep each case")
@json_option
@click.pass_context
def preflight(
    ctx: click.Context,
    /,
    rows: Path | None,
    beir: Path | None,
    split: str,
    sweeps: bool,
    log: LogOptions,
    as_json: bool,
) -> None:
    """Report how often the preflight is right that the answer is where a model overlooks it.

    It predicts from two rankings whether the passages have to be read in parts. There is an issue when no document that
    answers is among the first three of sixteen. A question for which none was found is counted, and left out of the
    figures. The floor is always reading in parts. Intervals are 95 % (bootstrap over questions). A sweep compares one
    to ten passages, at overlaps from 0 to .5; --json has every setting.
    """
    from wellsourced_evaluate.preflight import (
        RecordedCase,
        measure_preflight,
        preflight_blocks,
        sweep_blocks,
        sweep_preflight,
    )

    settings = config.load(ctx.obj)
    if rows and not beir:
        # What --out of this evaluation wrote begins with its header.
        read = read_recorded(rows, RecordedCase, log.limit, skip="wellsourced")
        files, cases = {read.file: read.sha256}, [row.to_case(settings.condense) for row in read.rows]
    elif beir and not rows:
        with watch_progress() as watch:
            files, cases = asyncio.run(search_questions(beir.resolve(), split, log, settings, watch))
    else:
        raise click.UsageError("Give cases with --rows, or questions with --beir.")
    found = measure_preflight(cases)
    told = {"files": files, "cases": len(cases), "top": settings.condense.top, "delta": settings.condense.delta}
    swept = sweep_preflight(cases) if sweeps else []
    data = to_plain({**told, **found._asdict(), "sweep": swept, "rows": cases})
    blocks = [*preflight_blocks(files, cases, found), *(sweep_blocks(swept, settings.condense) if sweeps else ())]
    print_report(blocks, lambda: data, as_json=as_json, plain=True)
    ctx.exit(EXIT_FAILURE if found.failed else 0)


async def search_questions(
    folder: Path, split: str, typed: LogOptions, settings: config.Settings, watch: ProgressWatch
) -> "tuple[dict[str, str], list[PreflightCase]]":
    """Every question of a folder of BEIR searched for, and what the preflight says; each is kept before the next."""
    from wellsourced_evaluate.beir import find_beir_files, read_topics
    from wellsourced_evaluate.corpus import open_corpus
    from wellsourced_evaluate.preflight import PREFLIGHT_LOG, search_case
    from wellsourced_evaluate.record_log import RecordLog
    from wellsourced_evaluate.retrieval import RetrievalTask, search_settings
    from wellsourced_evaluate.screening import SearchLogHeader

    packed = find_beir_files(folder, split, ("corpus", "queries", "qrels"))
    topics = read_topics(packed["queries"], packed["qrels"], typed.limit)
    corpus = await open_corpus(str(packed["corpus"]), settings, "research", watch)
    policy = settings.condense
    files = {**topics.files, "corpus_sha256": corpus.sha256[:16]}
    header = SearchLogHeader(files=files, settings={"top": policy.top, "delta": policy.delta})
    name = f"{folder.name}-{split}-{len(topics.texts)}.jsonl"
    out = typed.out or settings.home / "evaluate" / "preflight" / name
    own = search_settings(RetrievalTask(corpus, topics, SEARCH_DEPTH, None, typed.fresh))
    with RecordLog(out, header, PREFLIGHT_LOG, fresh=typed.fresh) as log:
        async with config.open_context(own, libraries=[corpus.library], emit=watch) as context:
            for place, query in enumerate(topics.texts):
                watch.show_step(f"Searched for {place:,} of {len(topics.texts):,} questions")
                if query not in log.records:
                    log.add(await search_case(query, topics, context, policy))
    return {key: str(value) for key, value in files.items()}, [log.records[query] for query in topics.texts]


@click.command(
    short_help="Measure the searches of systematic reviews: are they read, and what do they find?",
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
@click.option(
    "--topics",
    type=EXISTING_PATH,
    required=True,
    metavar="FILE|FOLDER",
    help="The topics: JSON lines, or CLEF-TAR's topic files.",
)
@click.option(
    "--qrels", type=EXISTING_FILE, metavar="FILE", help="Which PMIDs are relevant, where the topics do not say so."
)
@click.option(
    "--level",
    type=click.Choice(("content", "abstract")),
    default="content",
    show_default=True,
    help="What was read to judge them, where the topics have both.",
)
@click.option("--search", is_flag=True, help="Also search PubMed; without it no search is made.")
@log_options("Take this many topics", "Keep what was found")
@json_option
@click.pass_context
def screening(
    ctx: click.Context,
    /,
    topics: Path,
    qrels: Path | None,
    level: "Level",
    search: bool,
    log: LogOptions,
    as_json: bool,
) -> None:
    """Report how many Boolean queries of reviews are read, and with --search how many relevant works they find.

    Ovid and PubMed queries are read and translated to PubMed's syntax. A topic without a query is a question, for which
    the whole search runs with PubMed alone. Results are stored as they arrive: a stopped run can continue. PubMed has
    more today than when a review was made. Intervals are 95 % (bootstrap over topics).
    """
    from wellsourced_evaluate.screening import read_search, read_topics, screening_blocks, summarize_searches

    data = read_topics(topics, qrels, level, log.limit)
    if search:
        name = f"{topics.name.partition('.')[0]}-{len(data.topics)}.{level}.jsonl"
        with watch_progress() as watch:
            results = asyncio.run(make_searches(data, level, name, log, config.load(ctx.obj), watch))
    else:
        results = [read_search(topic) for topic in data.topics]
    figures, failed = summarize_searches(results), sum(bool(one.error) for one in results)
    told = {
        "files": data.files,
        "topics": len(results),
        "recorded_topics": data.recorded,
        "failed": failed,
        "metrics": {name: {**mean._asdict(), "pooled": pooled} for name, (mean, pooled) in figures.items()},
        "cases": [{**one.model_dump(mode="json"), "values": one.to_values()} for one in results],
    }
    print_report(screening_blocks(data, results, figures), lambda: to_plain(told), as_json=as_json, plain=True)
    ctx.exit(EXIT_FAILURE if failed else 0)


async def make_searches(
    data: "ReviewTopics", level: "Level", name: str, typed: LogOptions, settings: config.Settings, watch: ProgressWatch
) -> "list[TopicResult]":
    """Every search that was not made yet; each is on the disk before the next is made."""
    from wellsourced_evaluate.record_log import RecordLog
    from wellsourced_evaluate.screening import PUBMED, SEARCH_LOG, SearchLogHeader, make_search

    out = typed.out or settings.home / "evaluate" / "screening" / name
    own = settings.model_copy(update={"guidelines": False, "graph": False})
    header = SearchLogHeader(files=dict(data.files), settings={"level": level})
    with RecordLog(out, header, SEARCH_LOG, fresh=typed.fresh) as log:
        async with config.open_context(own, live=(PUBMED,), emit=watch) as context:
            for topic in data.topics:
                if topic.id not in log.records:
                    watch.show_step(f"Searched for {len(log.records):,} of {len(data.topics):,} topics")
                    log.add(await make_search(topic, context))
        return [log.records[topic.id] for topic in data.topics]
