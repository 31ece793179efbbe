"""`wellsourced evaluate preflight`: whether it tells when passages have to be read in parts (BriefContext)."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from wellsourced import config
from wellsourced.app.exits import EXIT_FAILURE
from wellsourced.app.options import EXISTING_FILE, json_option, pack_options
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced_evaluate.commands.common import (
    EXISTING_FOLDER,
    fresh_option,
    limit_option,
    out_option,
    split_option,
)
from wellsourced_evaluate.tables import print_report

if TYPE_CHECKING:
    from wellsourced_evaluate.preflight import PreflightCase

SEARCH_DEPTH = 100


class PreflightOptions(NamedTuple):
    """The options of `wellsourced evaluate preflight`, as they were typed."""

    rows: Path | None
    beir: Path | None
    split: str
    limit: int
    out: Path | None
    fresh: bool


PREFLIGHT_OPTIONS = (
    click.option("--rows", type=EXISTING_FILE, metavar="FILE", help="Cases that were recorded, or passages."),
    click.option(
        "--beir",
        type=EXISTING_FOLDER,
        metavar="FOLDER",
        help="Questions to be searched for: a folder of BEIR.",
    ),
    split_option,
    limit_option("Take so many cases"),
    out_option("Keep each case"),
    fresh_option("Search again for what was searched before."),
)


@click.command(
    short_help="Measure the preflight: does it tell when passages have to be read in parts.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate preflight --rows cases.jsonl
      wellsourced evaluate preflight --beir nfcorpus --limit 200
      wellsourced --set condense.top=5 evaluate preflight --beir nfcorpus --json

    \b
    A line of FILE, plain or .gz, is a case:
      {"id": "q1", "predicted": true, "happened": false}       null: no document that answers was read
    or a ranking, of which the preflight is asked:
      {"id": "q1", "question": "…", "passages": [{"id": "d1", "text": "…"}], "relevant": ["d1"]}

    \b
    Exit status: 0 measured, 1 some searches failed, 2 bad use.
    """,
)
@pack_options("wish", PreflightOptions, PREFLIGHT_OPTIONS)
@json_option
@click.pass_context
def preflight(ctx: click.Context, /, wish: PreflightOptions, as_json: bool) -> None:
    """Say how often the preflight is right that what answers stands where a model overlooks it.

    It predicts from two rankings whether the passages are to be read in parts. It is an issue when no document that
    answers stands among the first three of sixteen. A question of which none was found is in no figure, and counted.
    The floor is to read in parts always. Intervals are 95 % (bootstrap over questions).
    """
    from wellsourced_evaluate.preflight import RecordedCase, measure_preflight, preflight_blocks
    from wellsourced_evaluate.recorded_rows import read_recorded, to_plain

    if bool(wish.rows) == bool(wish.beir):
        raise click.UsageError("Give cases with --rows, or questions with --beir.")
    settings = config.load(ctx.obj)
    if wish.rows:
        # What --out of this evaluation wrote begins with its header.
        read = read_recorded(wish.rows, RecordedCase, wish.limit, skip="wellsourced")
        files, cases = {read.file: read.sha256}, [row.to_case(settings.condense) for row in read.rows]
    elif wish.beir:
        with watch_progress() as watch:
            files, cases = asyncio.run(search_questions(wish, wish.beir.resolve(), settings, watch))
    found = measure_preflight(cases)
    told = {"files": files, "cases": len(cases), "top": settings.condense.top, "delta": settings.condense.delta}
    print_report(
        preflight_blocks(files, cases, found),
        lambda: to_plain({**told, **found._asdict(), "rows": cases}),
        as_json=as_json,
        plain=True,
    )
    ctx.exit(EXIT_FAILURE if found.failed else 0)


async def search_questions(
    wish: PreflightOptions, folder: Path, settings: config.Settings, watch: ProgressWatch
) -> "tuple[dict[str, str], list[PreflightCase]]":
    """Every question of a folder of BEIR searched for, and what the preflight says; each is kept before the next."""
    from wellsourced_evaluate.beir import find_beir_files, read_topics
    from wellsourced_evaluate.corpus import open_corpus
    from wellsourced_evaluate.preflight import PREFLIGHT_LOG, search_case
    from wellsourced_evaluate.record_log import RecordLog
    from wellsourced_evaluate.retrieval import RetrievalTask, search_settings
    from wellsourced_evaluate.screening import SearchLogHeader

    packed = find_beir_files(folder, wish.split, ("corpus", "queries", "qrels"))
    topics = read_topics(packed["queries"], packed["qrels"], wish.limit)
    corpus = await open_corpus(str(packed["corpus"]), settings, "research", watch)
    policy = settings.condense
    files = {**topics.files, "corpus_sha256": corpus.sha256[:16]}
    header = SearchLogHeader(files=files, settings={"top": policy.top, "delta": policy.delta})
    name = f"{folder.name}-{wish.split}-{len(topics.texts)}.jsonl"
    out = wish.out or settings.home / "evaluate" / "preflight" / name
    own = search_settings(RetrievalTask(corpus, topics, SEARCH_DEPTH, None, wish.fresh))
    with RecordLog(out, header, PREFLIGHT_LOG, fresh=wish.fresh) as log:
        async with config.open_context(own, libraries=[corpus.library], emit=watch) as context:
            for place, query in enumerate(topics.texts):
                watch.show_step(f"Searched for {place:,} of {len(topics.texts):,} questions")
                if query not in log.records:
                    log.add(await search_case(query, topics, context, policy))
    return {key: str(value) for key, value in files.items()}, [log.records[query] for query in topics.texts]
