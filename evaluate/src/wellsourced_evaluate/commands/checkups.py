"""`wellsourced checkup …`: stored checks judged again, by others and by people, counted and exchanged.

How each figure is worked out belongs in `checkups/`; here are the options, and the reports as blocks.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from wellsourced import config
from wellsourced.app.exits import exit_on_interrupt
from wellsourced.app.options import EXISTING_FILE, NEW_FILE, json_option
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.app.terminal import format_count, print_data, sanitize_line
from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced_evaluate.commands.common import read_stored_checkups

# What judges takes seconds to load: who asks for help should not wait for it.
if TYPE_CHECKING:
    from wellsourced.factcheck.check import CheckContext
    from wellsourced.factcheck.run_store import RunStore
    from wellsourced.types import Checkup, Document
    from wellsourced_evaluate.checkups.agreement import RaterSheets, RaterStudy
    from wellsourced_evaluate.checkups.annotation import AnnotationKey
    from wellsourced_evaluate.checkups.breakdown import Breakdown, Dimension
    from wellsourced_evaluate.checkups.data_set_import import ImportedDataSet
    from wellsourced_evaluate.checkups.rejudging import JudgeComparison, MergedRun
    from wellsourced_evaluate.checkups.stored_runs import NamedCheckup
    from wellsourced_evaluate.tables import Block

T = TypeVar("T")

VERDICTS = ("supports", "contradicts", "silent")
ALL_DIMENSIONS: "tuple[Dimension, ...]" = ("system", "kind", "source", "suffix")
DEFAULT_DIMENSIONS = ALL_DIMENSIONS[:3]

TEXT_COLUMNS = ("source validity", "statement support", "response support", "unused sources")
SOURCE_COLUMNS = ("source validity", "unused sources", "pairing precision", "sources found")
"""Figures that the table of a breakdown shows; --json has all."""

MAX_DIFFERENCES = 20
"""Pairs on which two judges differ that are printed; --json has all."""

KEY_ENDING, DATA_SET_ENDING = ".key.jsonl", ".jsonl"

files_argument = click.argument("files", nargs=-1, required=True, type=EXISTING_FILE, metavar="FILE...")
judge_option = click.option("--judge", metavar="NAME", default="", help="Who judges [as `wellsourced check` would].")


@click.group(
    short_help="Judge stored checks again, have people judge them, break them down, exchange them.",
    epilog="""
    \b
    Examples:
      wellsourced check answers.jsonl --out checked.json
      wellsourced checkup rejudge checked.json --judge similarity
      wellsourced checkup merge checked.json
      wellsourced checkup sheet checked.json --out study.html --sample 400
      wellsourced checkup agreement study.key.jsonl anna.csv ben.csv carla.csv
      wellsourced checkup breakdown checked.json --by system --by kind
      wellsourced checkup export checked.json --out answers.dataset.jsonl
    """,
)
def checkup() -> None:
    """Find out how far a check can be believed. Each command begins with what `wellsourced check --json` printed.

    No source is asked for again: the words of the sources are those that the check read, as long as home has them.
    """


def _show(blocks: "Iterator[Block]") -> None:
    from wellsourced_evaluate.tables import to_text

    click.echo(to_text(blocks))


# --- judged again ------------------------------------------------------------------------------------------------


@checkup.command(
    short_help="Have another judge judge a stored check; show both side by side.",
    epilog="""
    \b
    Examples:
      wellsourced checkup rejudge checked.json --judge similarity
      wellsourced --model openai:NAME checkup rejudge checked.json --judge model --out again.json
    """,
)
@files_argument
@judge_option
@click.option("--out", type=NEW_FILE, metavar="FILE", help="Write the checks as the other judge has them, as JSON.")
@json_option
@click.pass_context
def rejudge(ctx: click.Context, /, files: tuple[Path, ...], judge: str, out: Path | None, as_json: bool) -> None:
    """Judge the checks in each FILE again, on the words that they read, and say where the two judges differ.

    Agreement is over pairs of a statement and a source that both judged: its share with a 95 % bootstrap interval,
    Cohen's kappa, and McNemar's exact test of who finds more supported.
    """
    from wellsourced.app.factcheck.checked_text import CheckedText
    from wellsourced.app.factcheck.output import output_report
    from wellsourced_evaluate.checkups.rejudging import compare_judges, judge_again
    from wellsourced_evaluate.checkups.stored_runs import NamedCheckup

    stored = read_stored_checkups(files)

    async def judge_one(checkup: "Checkup", store: "RunStore", tools: "CheckContext") -> "Checkup":
        return await judge_again(checkup, store, tools.judge, tools.manner)

    done = _judge_stored(ctx, stored, judge, judge_one)
    again = [NamedCheckup(one.name, other) for one, other in zip(stored, done, strict=True)]
    found = compare_judges(stored, again)
    if out:
        output_report([CheckedText(one.name, one.checkup) for one in again], "json", out)
    if as_json:
        print_data(_comparison_data(found))
    else:
        _show(_comparison_blocks(found))


@checkup.command(
    short_help="Put statements that no source alone supports to all of their sources together.",
    epilog="""
    \b
    Examples:
      wellsourced checkup merge checked.json
      wellsourced checkup merge checked.json --json
    """,
)
@files_argument
@judge_option
@json_option
@click.pass_context
def merge(ctx: click.Context, /, files: tuple[Path, ...], judge: str, as_json: bool) -> None:
    """Say how many statements that no source alone supports are supported by their sources taken together.

    A statement with marks is put to the sources that these name, any other to all. The verdicts of the check stay: one
    source alone has to say what a statement says.
    """
    from wellsourced_evaluate.checkups.rejudging import judge_merged_sources

    stored = read_stored_checkups(files)

    async def judge_one(checkup: "Checkup", store: "RunStore", tools: "CheckContext") -> "MergedRun":
        return await judge_merged_sources(checkup, store, tools.judge, tools.manner)

    done = _judge_stored(ctx, stored, judge, judge_one)
    if as_json:
        print_data(_merged_data(stored, done))
    else:
        _show(_merged_blocks(stored, done))


def _judge_stored(
    ctx: click.Context,
    stored: "Sequence[NamedCheckup]",
    judge: str,
    judge_one: "Callable[[Checkup, RunStore, CheckContext], Awaitable[T]]",
) -> list[T]:
    """What comes of each checkup, with its store opened and closed."""
    with watch_progress() as watch, exit_on_interrupt("stopped."):
        return asyncio.run(_judge_each(stored, config.load(ctx.obj), judge, judge_one, watch))


async def _judge_each(
    stored: "Sequence[NamedCheckup]",
    settings: config.Settings,
    judge: str,
    judge_one: "Callable[[Checkup, RunStore, CheckContext], Awaitable[T]]",
    watch: ProgressWatch,
) -> list[T]:
    from wellsourced.budget import Account, use_account
    from wellsourced.config.factcheck import CHECKUPS_FOLDER, open_check_context
    from wellsourced_evaluate.checkups.stored_runs import open_stored_run

    done: list[T] = []
    async with open_check_context(settings, judge=judge, emit=watch) as tools:
        for one in stored:
            watch.show_step(f"Judging {one.name}")
            store = open_stored_run(settings.home / CHECKUPS_FOLDER, one.checkup)
            try:
                with use_account(Account(settings.budget, watch)):
                    done.append(await judge_one(one.checkup, store, tools))
            finally:
                store.close()
    return done


def _comparison_blocks(found: "JudgeComparison") -> "Iterator[Block]":
    from wellsourced.app.factcheck.checked_text import VERDICT_WORDS
    from wellsourced.app.factcheck.text_report import format_percent
    from wellsourced.app.terminal import format_decimal
    from wellsourced_evaluate.tables import Bullets, Table, Text

    agreement = found.agreement
    yield Text(f"A: {agreement.one}")
    yield Text(f"B: {agreement.other}")
    words = {label: word for label, word in VERDICT_WORDS.items() if label != "unjudged"}
    rows = [(f"A: {word}", *(found.table.get((label, other), 0) for other in words)) for label, word in words.items()]
    yield Table(("pairs", *(f"B: {word}" for word in words.values())), rows)
    interval = f" ({format_percent(agreement.low)} to {format_percent(agreement.high)})" if agreement.items > 1 else ""
    share = f"{format_percent(agreement.share)}{interval}" if agreement.items else "of nothing"
    kappa = format_decimal(agreement.kappa)
    yield Text(f"Agreement on {format_count(agreement.items, 'pair')}: {share}; kappa {kappa}.")
    yield Text(f"Pairs supported: A {found.supported[0]:,}, B {found.supported[1]:,} (McNemar p {found.p:.3g}).")
    ours, its = found.statements_supported
    yield Text(f"Statements supported: A {ours:,}, B {its:,} of {found.statements:,}.")
    if found.unjudged:
        yield Text(f"Left out: {format_count(found.unjudged, 'pair')} that one of them could not judge.")
    if found.unread:
        yield Text(f"Left out: {format_count(found.unread, 'pair')} whose source could not be read.")
    for one in found.differences[:MAX_DIFFERENCES]:
        yield Text(f"{one.text}, statement {one.claim.number + 1}, source [{one.source}]: {one.claim.text}")
        said = (("A", one.one), ("B", one.other))
        yield Bullets([f"{who} {VERDICT_WORDS[its.label]}{f': {its.reason}' * bool(its.reason)}" for who, its in said])
    if len(found.differences) > MAX_DIFFERENCES:
        yield Text(f"and {len(found.differences) - MAX_DIFFERENCES:,} more: --json has all of them.")


def _comparison_data(found: "JudgeComparison") -> dict[str, Any]:
    return {
        "agreement": found.agreement._asdict(),
        "unjudged": found.unjudged,
        "unread": found.unread,
        "table": [{"one": one, "other": other, "pairs": n} for (one, other), n in sorted(found.table.items())],
        "pairs_supported": {"one": found.supported[0], "other": found.supported[1], "mcnemar_p": found.p},
        "statements": found.statements,
        "statements_supported": dict(zip(("one", "other"), found.statements_supported, strict=True)),
        "differences": [
            {
                "text": one.text,
                "statement": one.claim.number,
                "claim": one.claim.text,
                "source": one.source,
                "one": one.one.model_dump(),
                "other": one.other.model_dump(),
            }
            for one in found.differences
        ],
    }


def _merged_blocks(stored: "Sequence[NamedCheckup]", done: "Sequence[MergedRun]") -> "Iterator[Block]":
    from wellsourced.app.factcheck.text_report import format_percent
    from wellsourced_evaluate.tables import Bullets, Text

    judged, supported = sum(len(one.judged) for one in done), sum(one.support_count for one in done)
    left = f" ({format_percent(1 - supported / judged)} stay unsupported)" if judged else ""
    yield Text(f"{format_count(judged, 'statement')} put to several sources together: {supported:,} supported{left}.")
    one_source, no_source = sum(one.one_source for one in done), sum(one.no_source for one in done)
    if one_source:
        yield Text(f"{format_count(one_source, 'statement')} with one source that was read: nothing to put together.")
    if no_source:
        yield Text(f"{format_count(no_source, 'statement')} without a source that was read.")
    for (name, _), run in zip(stored, done, strict=True):
        for one in (one for one in run.judged if one.together.label == "supports"):
            keys = "".join(f"[{key}]" for key in one.sources)
            yield Text(f"{name}, statement {one.claim.number + 1} {keys}: {one.claim.text}")
            yield Bullets([f"alone {one.alone.label}: {one.alone.reason}", f"together: “{one.quote}”"])


def _merged_data(stored: "Sequence[NamedCheckup]", done: "Sequence[MergedRun]") -> dict[str, Any]:
    return {
        "judged": sum(len(one.judged) for one in done),
        "supported_together": sum(one.support_count for one in done),
        "one_source": sum(one.one_source for one in done),
        "no_source": sum(one.no_source for one in done),
        "statements": [
            {
                "text": name,
                "statement": one.claim.number,
                "claim": one.claim.text,
                "sources": one.sources,
                "alone": one.alone.model_dump(),
                "together": one.together.model_dump(),
                "quote": one.quote,
            }
            for (name, _), run in zip(stored, done, strict=True)
            for one in run.judged
        ],
    }


# --- judged by people --------------------------------------------------------------------------------------------


@checkup.command(
    short_help="Write pairs of a statement and a source for people to judge.",
    epilog="""
    \b
    Examples:
      wellsourced checkup sheet checked.json --out study.html --sample 400
      wellsourced checkup sheet checked.json --out again.csv --verdict silent --sample 110

    \b
    Beside the sheet its key is written (study.key.jsonl): what the judge said. Keep it from whoever judges.
    """,
)
@files_argument
@click.option("--out", type=NEW_FILE, required=True, metavar="SHEET", help="Write the sheet there: .csv or .html.")
@click.option("--sample", type=click.IntRange(min=0), default=0, metavar="N", help="So many pairs, by chance [all].")
@click.option("--seed", type=int, default=7, show_default=True, help="Another one draws others, in another order.")
@click.option("--verdict", "labels", multiple=True, type=click.Choice(VERDICTS), help="Only these; repeatable.")
@click.pass_context
def sheet(
    ctx: click.Context, files: tuple[Path, ...], out: Path, sample: int, seed: int, labels: tuple[Any, ...]
) -> None:
    """Draw pairs of a statement and a source from the checks in each FILE, and write them for people to judge.

    Each pair is shown with the part of the source that speaks of the statement, and without what the judge said. The
    page (.html) works without a network, keeps what was chosen in the browser, shows the whole source with a search
    field, and saves a table; in the table (.csv) each writes supported, contradicted or not supported into the column
    `label`. `checkup agreement` reads both.
    """
    from wellsourced.app.factcheck.output import write_file
    from wellsourced_evaluate.checkups.annotation import draw_sheet
    from wellsourced_evaluate.render.annotation_sheet import render_sheet_csv, render_sheet_html, render_sheet_keys

    renderers = {".csv": render_sheet_csv, ".html": render_sheet_html, ".htm": render_sheet_html}
    render = renderers.get(out.suffix.lower())
    if render is None:
        raise click.UsageError(f"{out} is neither .csv nor .html: name the sheet so that its ending says which.")
    stored = read_stored_checkups(files)
    drawn = draw_sheet(stored, load_documents(stored, config.load(ctx.obj)), sample, seed, labels)
    if not drawn.items:
        raise click.UsageError(
            "There is no pair to judge: no source of these checks could be read, or --verdict has none."
        )
    key = out.with_name(out.name.removesuffix(out.suffix) + KEY_ENDING)
    write_file(out, render(drawn))
    write_file(key, render_sheet_keys(drawn))
    told = format_count(len(drawn.items), "pair")
    click.echo(sanitize_line(f"{told} in {out}; what the judge said is in {key}, which is not for whoever judges."))
    if partial := sum(not item.whole for item in drawn.items):
        click.echo(
            f"Of {format_count(partial, 'pair')} home has no source any more: only quoted words are shown.", err=True
        )


def load_documents(stored: "Sequence[NamedCheckup]", settings: config.Settings) -> "dict[tuple[int, str], Document]":
    """The words of the sources that home still has."""
    from wellsourced.config.factcheck import CHECKUPS_FOLDER
    from wellsourced_evaluate.checkups.stored_runs import open_stored_run

    found: dict[tuple[int, str], Document] = {}
    for position, (_, checkup) in enumerate(stored):
        try:
            store = open_stored_run(settings.home / CHECKUPS_FOLDER, checkup)
        except SourceRefused:
            continue
        for one in checkup.traced:
            if document := store.load_document(one.key):
                found[position, one.key] = document
        store.close()
    return found


def read_written_sheets(key: Path, files: Sequence[Path]) -> "tuple[tuple[AnnotationKey, ...], RaterSheets]":
    """The key of a sheet and what people wrote on it; a row that cannot be used is told. Bad use where nothing is."""
    from wellsourced_evaluate.checkups.agreement import read_keys, read_sheets

    try:
        keys = read_keys(key)
        sheets = read_sheets(files, keys)
    except (UnreadableFile, SourceRefused) as error:
        raise click.UsageError(str(error)) from error
    for name, rejected in sheets.rejected:
        click.echo(sanitize_line(f"{name}, row {rejected.row}: {rejected.reason}"), err=True)
    return keys, sheets


@checkup.command(
    short_help="Say how far several people agree, and the judge with them.",
    epilog="""
    \b
    Examples:
      wellsourced checkup agreement study.key.jsonl anna.csv ben.csv carla.csv
      wellsourced checkup agreement study.key.jsonl all.csv --three --json
    """,
)
@click.argument("key", type=EXISTING_FILE, metavar="KEY")
@click.argument("files", nargs=-1, required=True, type=EXISTING_FILE, metavar="SHEET...")
@click.option("--three", is_flag=True, help="Tell contradicted from not supported; without it they are one.")
@json_option
def agreement(key: Path, files: tuple[Path, ...], three: bool, as_json: bool) -> None:
    """Read what people wrote on SHEETs (.csv, .tsv, .jsonl) and say how far they agree, and the judge with them.

    KEY is the file that was written beside the sheet. A rater is named by the column `rater`, else by the file. Told
    are the share of equal labels with its 95 % bootstrap interval, Cohen's kappa for each two, Fleiss' kappa over what
    all labelled, Krippendorff's alpha over all; then the judge with each rater and with their majority. A row that
    cannot be used is told by its number; an item without a code is missing, and one that is level has no majority.
    """
    from wellsourced_evaluate.checkups.agreement import measure_agreement

    keys, sheets = read_written_sheets(key, files)
    study = measure_agreement(sheets, keys, binary=not three)
    if as_json:
        print_data(_agreement_data(sheets, study))
    else:
        _show(_agreement_blocks(sheets, study, len(keys)))


def _agreement_blocks(sheets: "RaterSheets", study: "RaterStudy", items: int) -> "Iterator[Block]":
    from wellsourced.app.terminal import format_decimal
    from wellsourced_evaluate.checkups.annotation import CODES
    from wellsourced_evaluate.tables import Table, Text, tabulate

    raters = study.raters
    for name, labels in sheets.raters.items():
        missing = sheets.empty[name]
        told = f"; without a code: {', '.join(missing[:5])}{' …' if len(missing) > 5 else ''}" if missing else ""
        yield Text(f"{name}: {len(labels):,} of {items:,}{told}")
    yield tabulate(
        (*raters.pairs, *study.judge),
        {
            "": lambda one: f"{one.one} and {one.other}",
            "items": lambda one: one.items,
            "same": lambda one: _percent(one.share),
            "95 % interval": lambda one: f"{_percent(one.low)} to {_percent(one.high)}" if one.items > 1 else "",
            "kappa": lambda one: one.kappa,
        },
    )
    if raters.pairs:
        yield Text(
            f"Raters: mean {_percent(raters.mean_share)}; {raters.unanimous:,} of {raters.complete:,} unanimous."
        )
        fleiss, alpha = format_decimal(raters.fleiss), format_decimal(raters.krippendorff)
        yield Text(f"Fleiss' kappa {fleiss} over what all labelled; Krippendorff's alpha {alpha} over all.")
    if study.ties:
        more = " …" if len(study.ties) > 10 else ""
        yield Text(f"No majority, since they are level: {', '.join(study.ties[:10])}{more}")
    names = [(label, code) for label, code in CODES.items() if any(label in pair for pair in study.table)]
    if names:
        rows = [(f"majority: {code}", *(study.table.get((label, one), 0) for one, _ in names)) for label, code in names]
        yield Table(("items", *(f"judge: {code}" for _, code in names)), rows)


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


def _agreement_data(sheets: "RaterSheets", study: "RaterStudy") -> dict[str, Any]:
    raters = study.raters
    labelled = {
        name: {"labelled": len(labels), "missing": sheets.empty[name]} for name, labels in sheets.raters.items()
    }
    return {
        "raters": labelled,
        **raters._asdict(),
        "pairs": [one._asdict() for one in raters.pairs],
        "judge": [one._asdict() for one in study.judge],
        "ties": study.ties,
        "table": [{"majority": one, "judge": other, "items": n} for (one, other), n in sorted(study.table.items())],
        "rejected": [{"file": name, **one._asdict()} for name, one in sheets.rejected],
    }


# --- counted and exchanged ---------------------------------------------------------------------------------------


@checkup.command(
    short_help="Show the figures by system, kind of question and kind of source.",
    epilog="""
    \b
    Examples:
      wellsourced checkup breakdown checked.json
      wellsourced checkup breakdown march.json april.json --by system --json
      wellsourced checkup breakdown checked.json --by suffix

    \b
    Systems and kinds of question are the fields `system` and `kind` of the rows that were checked.
    """,
)
@files_argument
@click.option(
    "--by",
    "dimensions",
    multiple=True,
    type=click.Choice(ALL_DIMENSIONS),
    help="By what; repeatable [system, kind, source].",
)
@json_option
def breakdown(files: tuple[Path, ...], dimensions: "tuple[Dimension, ...]", as_json: bool) -> None:
    """Show the figures of the checks in each FILE by the system that answered, by kind of question, by kind of source.

    Intervals (95 %) draw whole texts again. `source` is what a source was found to be (research, guideline, web …),
    `suffix` the last part of its address; by these, statements are those that were put to such a source, and only
    figures of sources are shown.
    """
    from wellsourced_evaluate.checkups.breakdown import break_down

    checkups = [one.checkup for one in read_stored_checkups(files)]
    found = [break_down(checkups, dimension) for dimension in dimensions or DEFAULT_DIMENSIONS]
    if as_json:
        print_data([
            {"by": one.dimension, "groups": [
                {**group._asdict(), "shares": {name: share.model_dump() for name, share in group.shares.items()}}
                for group in one.groups
            ]}
            for one in found
        ])  # fmt: skip
    else:
        _show(map(_breakdown_table, found))


def _breakdown_table(found: "Breakdown") -> "Block":
    from wellsourced.app.factcheck.text_report import format_interval, format_percent
    from wellsourced_evaluate.checkups.breakdown import DIMENSIONS
    from wellsourced_evaluate.tables import Table

    columns = SOURCE_COLUMNS if found.dimension in ("source", "suffix") else TEXT_COLUMNS
    rows = []
    for group in found.groups:
        shares = [group.shares[name] for name in columns]
        cells = [f"{format_percent(one.share) or '–'} ({format_interval(one)})".replace(" ()", "") for one in shares]
        rows.append((group.group, group.texts, group.statements, group.sources, f"{group.words:.0f}", *cells))
    return Table((DIMENSIONS[found.dimension], "texts", "statements", "sources", "words", *columns), rows)


@checkup.command(
    short_help="Write stored checks as a data set for others.",
    epilog="""
    \b
    Examples:
      wellsourced checkup export checked.json --out answers.dataset.jsonl
      wellsourced checkup export checked.json --out data.jsonl --key study.key.jsonl --sheet anna.csv --sheet ben.csv
    """,
)
@files_argument
@click.option("--out", type=NEW_FILE, required=True, metavar="DATA", help="Write the data set there (.jsonl).")
@click.option("--texts", is_flag=True, help="With the words of the sources: only where all of them may be passed on.")
@click.option("--key", type=EXISTING_FILE, metavar="KEY", help="The key of a sheet that people judged.")
@click.option("--sheet", "sheets", multiple=True, type=EXISTING_FILE, help="What one of them wrote; repeatable.")
@click.pass_context
def export(
    ctx: click.Context, files: tuple[Path, ...], out: Path, texts: bool, key: Path | None, sheets: tuple[Path, ...]
) -> None:
    """Write the checks in each FILE as JSON lines: questions, responses, statements, sources, pairs, annotations.

    Ids are made of the words that they stand for, so that they are the same in every run. Of a source the address, what
    came of it, the quoted words and a hash of its text are written; the text itself only with --texts. A card comes
    first: what it is, how many of each, the figures.
    """
    from wellsourced.app.factcheck.output import write_file
    from wellsourced.factcheck.metrics import pool_shares
    from wellsourced_evaluate.checkups.data_set import Annotations, build_data_set

    if out.suffix.lower() != DATA_SET_ENDING:
        raise click.UsageError(f"{out} does not end in {DATA_SET_ENDING}: name the data set so.")
    if bool(key) != bool(sheets):
        raise click.UsageError("--key and --sheet belong together: give both, or neither.")
    stored = read_stored_checkups(files)
    annotations: Annotations | None = Annotations.from_sheets(*read_written_sheets(key, sheets)) if key else None
    documents = load_documents(stored, config.load(ctx.obj))
    shares = pool_shares([one.checkup for one in stored])
    made_by = f"wellsourced {version('wellsourced')}"
    data = build_data_set(stored, shares, made_by, documents, annotations, with_texts=texts)
    write_file(out, "".join(data.lines()))
    told = ", ".join(format_count(number, name) for name, number in data.card.counts.items())
    click.echo(sanitize_line(f"{out}: {told}"))


@checkup.command(
    "import",
    short_help="Read a data set back, and score it anew.",
    epilog="""
    \b
    Examples:
      wellsourced checkup import answers.dataset.jsonl
      wellsourced checkup import answers.dataset.jsonl --out checked.json
    """,
)
@click.argument("data", type=EXISTING_FILE, metavar="DATA")
@click.option(
    "--out", type=NEW_FILE, metavar="FILE", help="Write the checks there, as `wellsourced check --json` does."
)
def import_(data: Path, out: Path | None) -> None:
    """Read the data set in DATA, tell its figures, scored anew without a model, and write it as stored checks.

    The same records give the same figures. A row that names a record which is not there, or cannot be read, is told by
    its number and left out. What people said is written beside FILE, as the key and the sheet of a study.
    """
    from wellsourced.app.factcheck.text_report import figure_lines
    from wellsourced.factcheck.metrics import pool_shares
    from wellsourced_evaluate.checkups.data_set_import import read_data_set

    try:
        found = read_data_set(data)
    except UnreadableFile as error:
        raise click.UsageError(str(error)) from error
    for rejected in found.rejected:
        click.echo(sanitize_line(f"{data.name}, row {rejected.row}: {rejected.reason}"), err=True)
    told = format_count(len(found.checkups), "response")
    click.echo(sanitize_line(f"{data}: {told}, made by {found.card.made_by or 'nobody who said so'}\n"))
    click.echo("\n".join(figure_lines(pool_shares([one.checkup for one in found.checkups]))))
    if out:
        _write_import(found, out)


def _write_import(found: "ImportedDataSet", out: Path) -> None:
    from wellsourced.app.factcheck.checked_text import CheckedText
    from wellsourced.app.factcheck.output import output_report, write_file

    output_report([CheckedText(one.name, one.checkup) for one in found.checkups], "json", out)
    if not found.annotations:
        return
    stem = out.name.removesuffix(out.suffix)
    key, sheet = out.with_name(stem + KEY_ENDING), out.with_name(f"{stem}.annotations.jsonl")
    write_file(key, "".join(f"{one.model_dump_json()}\n" for one in found.keys))
    rows = ({"id": one.pair, "label": one.label, "rater": one.rater} for one in found.annotations)
    write_file(sheet, "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))
    click.echo(sanitize_line(f"What people said is in {sheet}, with the key {key}"))
