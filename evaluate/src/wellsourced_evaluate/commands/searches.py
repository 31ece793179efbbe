"""`wellsourced evaluate preflight`: searches, made one by one, of which the answer is known."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wellsourced import config
from wellsourced.app.exits import EXIT_FAILURE
from wellsourced.app.options import EXISTING_FILE, json_option
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced_evaluate.commands.common import (
    EXISTING_FOLDER,
    fresh_option,
    limit_option,
    out_option,
    split_option,
)
from wellsourced_evaluate.recorded_rows import read_recorded, to_plain
from wellsourced_evaluate.tables import print_report

if TYPE_CHECKING:
    from wellsourced_evaluate.preflight import PreflightCase

SEARCH_DEPTH = 100


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
@limit_option("Take this many cases")
@out_option("Keep each case")
@fresh_option("Search again for what was searched before.")
@json_option
@click.pass_context
def preflight(
    ctx: click.Context,
    /,
    rows: Path | None,
    beir: Path | None,
    split: str,
    sweeps: bool,
    limit: int,
    out: Path | None,
    fresh: bool,
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
        read = read_recorded(rows, RecordedCase, limit, skip="wellsourced")
        files, cases = {read.file: read.sha256}, [row.to_case(settings.condense) for row in read.rows]
    elif beir and not rows:
        with watch_progress() as watch:
            files, cases = asyncio.run(
                search_questions(beir.resolve(), split, limit, out, settings, watch, fresh=fresh)
            )
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
    folder: Path,
    split: str,
    limit: int,
    out: Path | None,
    settings: config.Settings,
    watch: ProgressWatch,
    *,
    fresh: bool,
) -> "tuple[dict[str, str], list[PreflightCase]]":
    """Every question of a folder of BEIR searched for, and what the preflight says; each is kept before the next."""
    from wellsourced_evaluate.beir import find_beir_files, read_topics
    from wellsourced_evaluate.corpus import open_corpus
    from wellsourced_evaluate.preflight import PREFLIGHT_LOG, SearchLogHeader, search_case
    from wellsourced_evaluate.record_log import RecordLog
    from wellsourced_evaluate.retrieval import RetrievalTask, search_settings

    packed = find_beir_files(folder, split, ("corpus", "queries", "qrels"))
    topics = read_topics(packed["queries"], packed["qrels"], limit)
    corpus = await open_corpus(str(packed["corpus"]), settings, "research", watch)
    policy = settings.condense
    files = {**topics.files, "corpus_sha256": corpus.sha256[:16]}
    header = SearchLogHeader(files=files, settings={"top": policy.top, "delta": policy.delta})
    name = f"{folder.name}-{split}-{len(topics.texts)}.jsonl"
    out = out or settings.home / "evaluate" / "preflight" / name
    own = search_settings(RetrievalTask(corpus, topics, SEARCH_DEPTH, None, fresh))
    with RecordLog(out, header, PREFLIGHT_LOG, fresh=fresh) as log:
        async with config.open_context(own, libraries=[corpus.library], emit=watch) as context:
            for place, query in enumerate(topics.texts):
                watch.show_step(f"Searched for {place:,} of {len(topics.texts):,} questions")
                if query not in log.records:
                    log.add(await search_case(query, topics, context, policy))
    return {key: str(value) for key, value in files.items()}, [log.records[query] for query in topics.texts]
