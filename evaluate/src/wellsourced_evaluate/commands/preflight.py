"""`wellsourced evaluate preflight`: whether it tells when passages have to be read in parts (BriefContext)."""

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
from wellsourced_evaluate.commands.common import (
    EXISTING_FOLDER,
    fresh_option,
    limit_option,
    out_option,
    split_option,
)

if TYPE_CHECKING:
    from wellsourced_evaluate.preflight.figures import PreflightFigures
    from wellsourced_evaluate.preflight.preflight_cases import PreflightCase

SEARCH_DEPTH, MAX_SHOWN = 100, 5


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
    from wellsourced_evaluate.preflight.figures import measure_preflight
    from wellsourced_evaluate.preflight.preflight_cases import read_cases

    if bool(wish.rows) == bool(wish.beir):
        raise click.UsageError("Give cases with --rows, or questions with --beir.")
    settings = config.load(ctx.obj)
    if wish.rows:
        read = read_cases(wish.rows, settings.condense, wish.limit)
        files, cases = read.files, list(read.cases)
    else:
        with watch_progress() as watch:
            files, cases = asyncio.run(search_questions(wish, settings, watch))
    found = measure_preflight(cases)
    if as_json:
        condense = settings.condense
        told = {"files": files, "cases": len(cases), "top": condense.top, "delta": condense.delta}
        print_data({**told, **found.to_json(), "rows": [one.model_dump(mode="json") for one in cases]})
    else:
        click.echo("\n".join(preflight_lines(files, cases, found)))
    ctx.exit(EXIT_FAILURE if found.failed else 0)


async def search_questions(
    wish: PreflightOptions, settings: config.Settings, watch: ProgressWatch
) -> "tuple[dict[str, str], list[PreflightCase]]":
    """Every question of a folder of BEIR searched for, and what the preflight says of what was found."""
    from wellsourced_evaluate.beir import find_beir_files, read_topics
    from wellsourced_evaluate.corpus import open_corpus
    from wellsourced_evaluate.preflight.preflight_cases import PREFLIGHT_LOG, build_header, search_cases
    from wellsourced_evaluate.record_log import RecordLog
    from wellsourced_evaluate.retrieval import RetrievalTask, search_settings

    if wish.beir is None:
        raise click.UsageError("Give questions with --beir.")
    packed = find_beir_files(wish.beir, wish.split, ("corpus", "queries", "qrels"))
    topics = read_topics(packed["queries"], packed["qrels"], wish.limit)
    corpus = await open_corpus(str(packed["corpus"]), settings, "research", watch)
    header = build_header(topics, corpus.sha256[:16], settings.condense)
    name = f"{wish.beir.resolve().name}-{wish.split}-{len(topics.texts)}.jsonl"
    out = wish.out or settings.home / "evaluate" / "preflight" / name
    own = search_settings(RetrievalTask(corpus, topics, SEARCH_DEPTH, None, wish.fresh))
    with RecordLog(out, header, PREFLIGHT_LOG, fresh=wish.fresh) as log:
        async with config.open_context(own, libraries=[corpus.library], emit=watch) as context:
            cases = await search_cases(
                topics,
                context,
                settings.condense,
                log,
                lambda done, every: watch.show_step(f"Searched for {done:,} of {every:,} questions"),
            )
    return {key: str(value) for key, value in header.files.items()}, cases


def preflight_lines(
    files: "dict[str, str]", cases: "Sequence[PreflightCase]", found: "PreflightFigures"
) -> Iterator[str]:
    """Everything, for people."""
    named = ", ".join(f"{name} {value}" for name, value in files.items())
    counts: dict[str, Any] = found.counts._asdict()
    yield f"{format_count(len(cases), 'case')} of {sanitize_line(named)}\n"
    yield format_table(
        [
            ("is an issue", f"{counts['tp']:,}", f"{counts['fn']:,}"),
            ("is none", f"{counts['fp']:,}", f"{counts['tn']:,}"),
        ],
        ("", "said to be one", "said to be none"),
    )
    rows = [
        (
            *(name, format_decimal(one.value), "–" if one.low is None else format_range(one.low, one.high)),
            *(f"{one.whole:,}", format_decimal(one.floor)),
        )
        for name, one in found.shares.items()
    ]
    yield format_table(rows, ("metric", "value", "95 % interval", "of", "floor"))
    yield "The floor is to read in parts always."
    if found.not_retrieved:
        yield f"{format_count(found.not_retrieved, 'case')} in which nothing that answers was found: in no figure."
    if found.failed:
        yield f"{format_count(found.failed, 'case')} FAILED, in no figure:"
        yield from (f"  {sanitize_line(f'{one.id}: {one.error}')}" for one in cases if one.error)
