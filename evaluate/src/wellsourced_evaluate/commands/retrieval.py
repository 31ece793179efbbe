"""`wellsourced evaluate retrieval`: the search, measured on queries whose relevant documents are known."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from wellsourced import config
from wellsourced.app.exits import EXIT_FAILURE
from wellsourced.app.options import EXISTING_FILE, json_option, set_option
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.types import SourceKind
from wellsourced_evaluate.commands.common import (
    EXISTING_FOLDER,
    fresh_option,
    limit_option,
    out_option,
    print_study,
    split_option,
)

# What searches and counts takes seconds to load: who asks for help should not wait for it.
if TYPE_CHECKING:
    from wellsourced_evaluate.beir import Topics
    from wellsourced_evaluate.retrieval import RetrievalRun


@click.command(
    short_help="Measure the search: nDCG, recall, reciprocal rank, time.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate retrieval --corpus corpus.jsonl --queries queries.jsonl --qrels test.tsv
      wellsourced evaluate retrieval … --limit 200 --preset words --out words.jsonl
      wellsourced evaluate retrieval … --limit 200 --preset hybrid --out hybrid.jsonl
      wellsourced evaluate compare words.jsonl hybrid.jsonl
      wellsourced evaluate retrieval --corpus trials --queries mine.jsonl --qrels mine.tsv --json
      wellsourced evaluate retrieval --beir nfcorpus

    \b
    The files are those of BEIR, plain or .gz:
      corpus.jsonl    {"_id": "d1", "title": "…", "text": "…"}          a line each
      queries.jsonl   {"_id": "q1", "text": "Does colchicine help?"}    a line each
      qrels.tsv       query-id, corpus-id, score, with tabs between; above 0 is relevant

    \b
    Exit status: 0 measured, 1 some queries failed, 2 bad use.
    """,
)
@click.option("--corpus", metavar="FILE|NAME", help="The corpus to search: a file, or a library by name.")
@click.option("--queries", type=EXISTING_FILE, metavar="FILE", help="The queries.")
@click.option("--qrels", type=EXISTING_FILE, metavar="FILE", help="The documents that are relevant to each query.")
@click.option(
    "--beir",
    type=EXISTING_FOLDER,
    metavar="FOLDER",
    help="All three, in a BEIR folder; also name one of them to replace it.",
)
@split_option
@click.option(
    "--kind", type=click.Choice(get_args(SourceKind)), default="research", show_default=True, help="Kind of the corpus."
)
@set_option
@limit_option("Put this many queries")
@click.option(
    "--depth",
    type=click.IntRange(0, 10_000),
    default=400,
    show_default=True,
    metavar="N",
    help="Passages to request from each source: enough for a hundred documents. 0: as many as the settings say.",
)
@out_option("Keep the results")
@fresh_option("Measure again what was measured before.")
@json_option
@click.pass_context
def retrieval(
    ctx: click.Context,
    /,
    pairs: dict[str, str],
    beir: Path | None,
    split: str,
    limit: int,
    out: Path | None,
    as_json: bool,
    **typed: Any,
) -> None:
    """Measure how well the documents that answer are found, with the whole search that the settings describe.

    A corpus that is a file is made a library once, below home, and used again. Each query is kept as soon as it is
    measured: a run that was stopped goes on when it is given again. The means have 95 % intervals (bootstrap over
    queries); `wellsourced evaluate compare` compares what --out wrote.
    """
    from wellsourced_evaluate.beir import find_beir_files, read_topics
    from wellsourced_evaluate.report import evaluation_to_json, retrieval_blocks

    lacking = [name for name in ("corpus", "queries", "qrels") if typed[name] is None]
    if lacking and beir is None:
        raise click.UsageError(f"Missing option '--{lacking[0]}': name it, or a folder of BEIR with --beir.")
    typed |= find_beir_files(beir, split, lacking) if beir else {}
    topics = read_topics(typed["queries"], typed["qrels"], limit)
    with watch_progress() as watch:
        run, notes = asyncio.run(run_queries(typed, config.load({**ctx.obj, **pairs}), topics, out, watch))
    print_study(retrieval_blocks(run, notes), evaluation_to_json(run, notes), as_json=as_json)
    ctx.exit(EXIT_FAILURE if any(one.status == "failed" for one in run.results.values()) else 0)


async def run_queries(
    typed: Mapping[str, Any], settings: config.Settings, topics: "Topics", out: Path | None, watch: ProgressWatch
) -> "tuple[RetrievalRun, tuple[str, ...]]":
    """The corpus made searchable, and every query put to it; with what was noticed of the files and the corpus."""
    from wellsourced_evaluate.corpus import describe_missing, open_corpus
    from wellsourced_evaluate.retrieval import RetrievalTask, measure_retrieval

    corpus = await open_corpus(str(typed["corpus"]), settings, typed["kind"], watch)
    notes = (*topics.notes, *corpus.notes, *await describe_missing(corpus, topics))
    run = await measure_retrieval(
        RetrievalTask(corpus, topics, typed["depth"], out, typed["fresh"]),
        watch,
        lambda done, total: watch.show_step(f"Measured {done:,} of {total:,} queries"),
    )
    return run, notes
