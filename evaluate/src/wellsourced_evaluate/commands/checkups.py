"""`wellsourced checkup …`: stored checks judged again, by others and by people, counted and exchanged.

How each figure is worked out belongs in `checkups/`; here are the options, and the reports as blocks.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from wellsourced import config
from wellsourced.app.exits import exit_on_interrupt
from wellsourced.app.options import EXISTING_FILE, NEW_FILE, json_option
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.errors import SourceRefused
from wellsourced.presentation.wording import format_count, format_interval, format_percent
from wellsourced.text.sanitization import sanitize_line
from wellsourced_evaluate.commands.common import print_rejected, print_study, read_stored_checkups, refuse_files
from wellsourced_evaluate.tables import Block, Bullets, Interval, Part, Table, Text

# What judges takes seconds to load: who asks for help should not wait for it.
if TYPE_CHECKING:
    from wellsourced.factcheck.check import CheckContext
    from wellsourced.types import EditAction, Value, VerdictLabel
    from wellsourced_evaluate.checkups.agreement import RaterStudy
    from wellsourced_evaluate.checkups.breakdown import Dimension, GroupFigures
    from wellsourced_evaluate.checkups.rejudging import JudgeComparison, MergedVerdict
    from wellsourced_evaluate.checkups.sheets import AnnotationKey, RaterSheets
    from wellsourced_evaluate.checkups.stored_runs import NamedCheckup

T = TypeVar("T")

VERDICTS = ("supports", "contradicts", "silent")

VERDICT_WORDS: "Mapping[VerdictLabel, str]" = {
    "supports": "supported",
    "contradicts": "contradicted",
    "silent": "not supported",
    "unjudged": "not judged",
}
"""The opinion of a judge, where judges are compared; what a report says of a statement is its status."""

DIMENSIONS: "Mapping[Dimension, str]" = {
    "system": "system",
    "kind": "kind of question",
    "file": "file",
    "source": "kind of source",
    "suffix": "suffix of the address",
}
DEFAULT_DIMENSIONS: "tuple[Dimension, ...]" = ("system", "kind", "source")

TEXT_COLUMNS = ("source validity", "statement support", "response support", "unused sources")
SOURCE_COLUMNS = ("source validity", "unused sources", "pairing precision", "sources found")
"""Figures that the table of a breakdown shows; --json has all."""

EDIT_WORDS: "Mapping[EditAction, str]" = {
    "edited": "edited",
    "removed": "removed",
    "marked": "stays, with a note",
    "kept": "stays",
}

MAX_SUFFIXES = 8
"""Suffixes of addresses that a breakdown names; --json has all."""

MAX_DIFFERENCES = 20
"""Pairs on which two judges differ that are printed; --json has all."""

MAX_EMPTY = 5
"""Items without a code that are named; --json has all."""

KEY_ENDING, SHEET_ENDING, DATA_SET_ENDING = ".key.jsonl", ".csv", ".jsonl"

files_argument = click.argument("files", nargs=-1, required=True, type=EXISTING_FILE, metavar="FILE...")
judge_option = click.option("--judge", metavar="NAME", default="", help="The judge [that of `wellsourced check`].")


@click.group(
    short_help="Judge stored checks again, have people judge them, break them down, exchange them.",
    epilog="""
    \b
    Examples:
      wellsourced check answers.jsonl --out checked.json
      wellsourced checkup rejudge checked.json --judge similarity
      wellsourced checkup merge checked.json
      wellsourced checkup sheet checked.json --out study.csv --sample 400
      wellsourced checkup agreement study.key.jsonl anna.csv ben.csv carla.csv
      wellsourced checkup breakdown checked.json --by system --by kind
      wellsourced checkup export checked.json --out answers.dataset.jsonl
    """,
)
def checkup() -> None:
    """Find out how far a check can be trusted. Each command starts from the output of `wellsourced check --json`.

    No source is fetched again: the commands use the text that the check read, as long as home has it.
    """


# --- judged again ------------------------------------------------------------------------------------------------


@checkup.command(
    short_help="Have another judge judge a stored check; show both side by side.",
    epilog="""
    \b
    Examples:
      wellsourced checkup rejudge checked.json --judge similarity
      wellsourced --model openai:NAME checkup rejudge checked.json --judge model --out again.json
      wellsourced --model openai:NAME checkup rejudge checked.json --statements model --judge comparison
    """,
)
@files_argument
@judge_option
@click.option(
    "--statements",
    type=click.Choice(("rules", "model")),
    help="Split the texts into statements again, by rules or by --model [those of the check].",
)
@click.option("--out", type=NEW_FILE, metavar="FILE", help="Write the checks as the other judge has them, as JSON.")
@json_option
@click.pass_context
def rejudge(
    ctx: click.Context, /, files: tuple[Path, ...], judge: str, statements: str | None, out: Path | None, as_json: bool
) -> None:
    """Judge the checks in each FILE again, on the same text, and report where the two judges differ.

    Agreement is over pairs of a statement and a source that both judged: its share with a 95 % bootstrap interval,
    Cohen's kappa, and McNemar's exact test of which finds more supported. For other statements, the figures of both are
    shown side by side, as in `checkup breakdown --by file`.
    """
    from wellsourced_evaluate.checkups.rejudging import compare_judges, judge_again, take_apart_again

    stored = read_stored_checkups(files)
    if statements == "model" and not config.load(ctx.obj).model:
        raise click.UsageError("--statements model needs a language model: --model NAME.")

    async def work(one: "NamedCheckup", tools: "CheckContext") -> "NamedCheckup":
        if statements:
            one = await take_apart_again(one, tools.model if statements == "model" else None)
        return await judge_again(one, tools.judge, tools.judging)

    again = _judge_stored(ctx, stored, judge, work)
    if out:
        _write_checkups(again, out)
    if statements:
        sides = [one._replace(file="A: as checked") for one in stored]
        sides += [one._replace(file=f"B: statements by {statements}") for one in again]
        _print_breakdown(sides, ("file",), as_json=as_json)
    else:
        found = compare_judges(stored, again)
        print_study(_comparison_blocks(found), found, as_json=as_json)


@checkup.command(
    short_help="Judge statements that no source alone supports against all of their sources together.",
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
    """Report how many statements that no source alone supports are supported by their sources taken together.

    A statement with marks is compared with the sources that they name, any other with all. The verdicts of the check do
    not change: there, one source alone has to support a statement.
    """
    from wellsourced_evaluate.checkups.rejudging import judge_merged_sources

    stored = read_stored_checkups(files)
    done = _judge_stored(ctx, stored, judge, lambda one, tools: judge_merged_sources(one, tools.judge, tools.judging))
    statements = [one for some in done for one in some]
    judged = [one for one in statements if one.together]
    supported = [one for one in judged if one.together and one.together.label == "supports"]
    counts = {
        "judged": len(judged),
        "supported_together": len(supported),
        "one_source": sum(len(one.sources) == 1 for one in statements),
        "no_source": sum(not one.sources for one in statements),
        "supported_alone": sum(len(one.checkup.verdicts) for one in stored) - len(statements),
    }
    blocks = _merged_blocks(counts, supported)
    print_study(blocks, {**counts, "statements": judged}, as_json=as_json)


def _judge_stored(
    ctx: click.Context,
    stored: "Sequence[NamedCheckup]",
    judge: str,
    judge_one: "Callable[[NamedCheckup, CheckContext], Awaitable[T]]",
) -> list[T]:
    """The outcome for each checkup, on the text that it read. Raises SourceRefused where they are gone."""
    from wellsourced.budget import CostTracker, use_cost_tracker
    from wellsourced.config.factcheck import CHECKUPS_FOLDER, open_check_context
    from wellsourced_evaluate.checkups.stored_runs import add_documents

    async def judge_each(settings: config.Settings, watch: ProgressWatch) -> list[T]:
        done: list[T] = []
        async with open_check_context(settings, judge=judge, emit=watch) as tools:
            for one in stored:
                watch.show_step(f"Judging {one.name}")
                with use_cost_tracker(CostTracker(settings.budget, watch)):
                    whole = add_documents(one, settings.home / CHECKUPS_FOLDER)
                    done.append(await judge_one(whole, tools))
        return done

    with watch_progress() as watch, exit_on_interrupt("stopped."):
        return asyncio.run(judge_each(config.load(ctx.obj), watch))


def _write_checkups(checkups: "Sequence[NamedCheckup]", out: Path) -> None:
    from wellsourced.app.check_files import print_report
    from wellsourced.factcheck.checked_text import CheckedText

    print_report([CheckedText(one.name, one.checkup) for one in checkups], "json", out)


def _to_lines(values: "Iterable[Value]") -> str:
    return "".join(f"{one.model_dump_json()}\n" for one in values)


def _comparison_blocks(found: "JudgeComparison") -> Iterator[Block]:
    from wellsourced_evaluate.checkups.agreement import agreement_table

    yield Text(f"A: {found.agreement.one}")
    yield Text(f"B: {found.agreement.other}")
    words = {label: word for label, word in VERDICT_WORDS.items() if label != "unjudged"}
    yield _cross_table("pairs", found.table, words, "A", "B")
    yield agreement_table([found.agreement._replace(one="A", other="B")])
    ours, theirs, p = found.pairs_supported.values()
    yield Text(f"Pairs supported: A {ours:,}, B {theirs:,} (McNemar p {p:.3g}).")
    supported = found.statements_supported
    yield Text(f"Statements supported: A {supported['one']:,}, B {supported['other']:,} of {found.statements:,}.")
    if found.unjudged:
        yield Text(f"Left out: {format_count(found.unjudged, 'pair')} that one of them could not judge.")
    if found.unread:
        yield Text(f"Left out: {format_count(found.unread, 'pair')} whose source could not be read.")
    for one in found.differences[:MAX_DIFFERENCES]:
        yield Text(f"{one.text}, statement {one.statement + 1}, source [{one.source}]: {one.claim}")
        said = (("A", one.one), ("B", one.other))
        yield Bullets([f"{who} {VERDICT_WORDS[its.label]}{f': {its.reason}' * bool(its.reason)}" for who, its in said])
    if len(found.differences) > MAX_DIFFERENCES:
        yield Text(f"and {len(found.differences) - MAX_DIFFERENCES:,} more: --json has all of them.")


def _cross_table(
    what: str, counts: Mapping[tuple[Any, Any], int], words: Mapping[Any, str], one: str, other: str
) -> Table:
    """How often each label of the one, a row, came with each of the other, a column."""
    rows = [(f"{one}: {word}", *(counts.get((label, its), 0) for its in words)) for label, word in words.items()]
    return Table((what, *(f"{other}: {word}" for word in words.values())), rows)


def _merged_blocks(counts: Mapping[str, int], supported: "Iterable[MergedVerdict]") -> Iterator[Block]:
    judged, together = counts["judged"], counts["supported_together"]
    left = f" ({format_percent(1 - together / judged)} stay unsupported)" if judged else ""
    yield Text(f"{format_count(judged, 'statement')} put to several sources together: {together:,} supported{left}.")
    for name, why in (
        ("one_source", "with one source that was read: nothing to put together"),
        ("no_source", "without a source that was read"),
        ("supported_alone", "that the judge calls supported by one source alone: not put to several"),
    ):
        if counts[name]:
            yield Text(f"{format_count(counts[name], 'statement')} {why}.")
    for one in supported:
        keys = "".join(f"[{key}]" for key in one.sources)
        yield Text(f"{one.text}, statement {one.statement + 1} {keys}: {one.claim}")
        yield Bullets([f"alone {one.alone.label}: {one.alone.reason}", f"together: “{one.quote}”"])


# --- judged by people --------------------------------------------------------------------------------------------


@checkup.command(
    short_help="Write pairs of a statement and a source for people to judge.",
    epilog="""
    \b
    Examples:
      wellsourced checkup sheet checked.json --out study.csv --sample 400
      wellsourced checkup sheet checked.json --out again.csv --verdict silent --sample 110

    \b
    The key is written next to the sheet (study.key.jsonl): the judge's verdicts. Keep it from raters.
    """,
)
@files_argument
@click.option("--out", type=NEW_FILE, required=True, metavar="SHEET", help="Write the sheet there (.csv).")
@click.option("--sample", type=click.IntRange(min=0), default=0, metavar="N", help="Number of random pairs [all].")
@click.option("--seed", type=int, default=7, show_default=True, help="Another seed draws other pairs and orders.")
@click.option("--verdict", "labels", multiple=True, type=click.Choice(VERDICTS), help="Only these; repeatable.")
@click.pass_context
def sheet(
    ctx: click.Context, files: tuple[Path, ...], out: Path, sample: int, seed: int, labels: tuple[Any, ...]
) -> None:
    """Draw pairs of a statement and a source from the checks in each FILE, and write them for people to judge.

    Each pair is shown with the part of the source that the statement is about, and without the judge's verdict. Each
    rater writes supported, contradicted or not supported into the column `label`; `checkup agreement` reads it.
    """
    from wellsourced.app.terminal import write_file
    from wellsourced_evaluate.checkups.sheets import draw_sheet, render_sheet

    if out.suffix.lower() != SHEET_ENDING:
        raise click.UsageError(f"{out} does not end in {SHEET_ENDING}: name the sheet so.")
    drawn = draw_sheet([*_add_known_documents(files, ctx)], sample, seed, labels)
    if not drawn.items:
        raise click.UsageError("No pair to judge: no source of these checks could be read, or --verdict has none.")
    key = out.with_name(out.name.removesuffix(out.suffix) + KEY_ENDING)
    write_file(out, render_sheet(drawn))
    write_file(key, _to_lines(drawn.keys))
    told = format_count(len(drawn.items), "pair")
    click.echo(sanitize_line(f"{told} in {out}; what the judge said is in {key}, which is not for raters."))
    if drawn.partial:
        partial = format_count(drawn.partial, "pair")
        click.echo(f"Of {partial} home has no source any more: only quoted words are shown.", err=True)


def _add_known_documents(files: Iterable[Path], ctx: click.Context) -> "Iterator[NamedCheckup]":
    """The checkups of the files, with the words of their sources as far as home still has them."""
    from wellsourced.config.factcheck import CHECKUPS_FOLDER
    from wellsourced_evaluate.checkups.stored_runs import add_documents

    folder = config.load(ctx.obj).home / CHECKUPS_FOLDER
    for one in read_stored_checkups(files):
        try:
            yield add_documents(one, folder)
        except SourceRefused:
            yield one


def _read_written_sheets(key: Path, files: Sequence[Path]) -> "tuple[tuple[AnnotationKey, ...], RaterSheets]":
    """The key of a sheet and what people wrote on it. Bad use where nothing is."""
    from wellsourced_evaluate.checkups.sheets import read_keys, read_sheets

    with refuse_files():
        keys = read_keys(key)
        sheets = read_sheets(files, keys)
    print_rejected(sheets.rejected)
    return keys, sheets


@checkup.command(
    short_help="Report how far several people agree, and the judge with them.",
    epilog="""
    \b
    Examples:
      wellsourced checkup agreement study.key.jsonl anna.csv ben.csv carla.csv
      wellsourced checkup agreement study.key.jsonl all.csv --three --json
    """,
)
@click.argument("key", type=EXISTING_FILE, metavar="KEY")
@click.argument("files", nargs=-1, required=True, type=EXISTING_FILE, metavar="SHEET...")
@click.option("--three", is_flag=True, help="Distinguish contradicted from not supported; otherwise they count as one.")
@json_option
def agreement(key: Path, files: tuple[Path, ...], three: bool, as_json: bool) -> None:
    """Read what people wrote on SHEETs (.csv, .tsv, .jsonl) and report how far they agree, and the judge with them.

    KEY is the file that was written next to the sheet. A rater is named by the column `rater`, else by the file. Prints
    the share of equal labels with its 95 % bootstrap interval, Cohen's kappa for each pair of raters, Fleiss' kappa
    over what all labelled, Krippendorff's alpha over all; then the judge with each rater and with their majority. A row
    that cannot be used is named by its number; an item without a code is missing, and a tie has no majority.
    """
    from wellsourced_evaluate.checkups.sheets import agreement_to_json, measure_agreement

    keys, sheets = _read_written_sheets(key, files)
    study = measure_agreement(sheets, keys, binary=not three)
    print_study(_agreement_blocks(sheets, study, len(keys)), agreement_to_json(sheets, study), as_json=as_json)


def _agreement_blocks(sheets: "RaterSheets", study: "RaterStudy", items: int) -> Iterator[Block]:
    from wellsourced_evaluate.checkups.agreement import agreement_blocks
    from wellsourced_evaluate.checkups.sheets import CODES

    table = study.cross_table()
    for name, labels in sheets.raters.items():
        empty = sheets.empty[name]
        missing = ", ".join(empty[:MAX_EMPTY]) + (" …" if len(empty) > MAX_EMPTY else "")
        yield Text(f"{name}: {len(labels):,} of {items:,}{f'; without a code: {missing}' if missing else ''}")
    yield from agreement_blocks(study, "item", CODES)
    words = {label: code for label, code in CODES.items() if any(label in pair for pair in table)}
    if words:
        yield _cross_table("items", table, words, "majority", "judge")


# --- counted and exchanged ---------------------------------------------------------------------------------------


@checkup.command(
    short_help="Show the figures by system, kind of question and kind of source.",
    epilog="""
    \b
    Examples:
      wellsourced checkup breakdown checked.json
      wellsourced checkup breakdown march.json april.json --by system --json
      wellsourced checkup breakdown checked.json --by suffix
      wellsourced checkup breakdown questions-of-a.json questions-of-b.json --by file

    \b
    Systems and kinds of question are the fields `system` and `kind` of the rows that were checked.
    """,
)
@files_argument
@click.option(
    "--by",
    "dimensions",
    multiple=True,
    type=click.Choice(tuple(DIMENSIONS)),
    help="Group by this; repeatable [system, kind, source].",
)
@json_option
def breakdown(files: tuple[Path, ...], dimensions: "tuple[Dimension, ...]", as_json: bool) -> None:
    """Show the figures of the checks in each FILE by the system that answered, by kind of question, by kind of source.

    Intervals (95 %) resample whole texts. `source` is what a source was found to be (research, guideline, web …),
    `suffix` the last part of its address; for these, statements are those that were compared with such a source, and
    only figures of sources are shown. Systems, kinds and files are tested against each other by the share of supported
    statements in their texts, if each has at least five texts; texts that are in two files are paired. The five
    commonest domains of addresses are shown, and for repaired texts the outcome of the unsupported sentences.
    """
    _print_breakdown(read_stored_checkups(files), dimensions or DEFAULT_DIMENSIONS, as_json=as_json)


def _print_breakdown(checkups: "Sequence[NamedCheckup]", dimensions: "Sequence[Dimension]", *, as_json: bool) -> None:
    from wellsourced_evaluate.checkups.breakdown import break_down, compare_groups, group_checkups
    from wellsourced_evaluate.group_tests import test_blocks

    blocks, data = list[Block](), []
    for one in dimensions:
        groups = group_checkups(checkups, one)
        figures, tests = break_down(groups, one), compare_groups(groups, one)
        blocks += _breakdown_blocks(one, figures)
        for found in tests:
            blocks += [Text(f"By {found.by}:"), *test_blocks(found.rows, found.tests)]
        told = [{"by": found.by, "tests": found.tests} for found in tests]
        data.append({"by": one, "groups": figures, "tests": told})
    print_study(blocks, data, as_json=as_json)


def _breakdown_blocks(dimension: "Dimension", groups: "Sequence[GroupFigures]") -> Iterator[Block]:
    from wellsourced_evaluate.checkups.breakdown import SOURCE_DIMENSIONS

    columns = SOURCE_COLUMNS if dimension in SOURCE_DIMENSIONS else TEXT_COLUMNS
    rows = []
    for group in groups:
        shares = [group.shares[name] for name in columns]
        cells = [
            f"{format_percent(one.share) or '–'} ({format_interval(one.low, one.high)})".replace(" ()", "")
            for one in shares
        ]
        rows.append((group.group, group.texts, group.statements, group.sources, f"{group.words:.0f}", *cells))
    yield Table((DIMENSIONS[dimension], "texts", "statements", "sources", "words", *columns), rows)
    if dimension in SOURCE_DIMENSIONS:
        return
    hosts = [(one.group, one.addresses) for one in groups if one.addresses.all]
    if hosts:
        listed = [
            (name, found.all, *map(_list_counts, (found.domains, found.suffixes[:MAX_SUFFIXES])), found.american)
            for name, found in hosts
        ]
        yield Table((DIMENSIONS[dimension], "addresses", "commonest domains", "suffixes", "in the US"), listed)
    if any(one.edits for one in groups):
        yield Table(
            (DIMENSIONS[dimension], "what did not stand", "share", "95 % interval", "sentences"), _edit_rows(groups)
        )


def _list_counts(counts: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{name} {number:,}" for name, number in counts)


def _edit_rows(groups: "Iterable[GroupFigures]") -> list[tuple[Any, ...]]:
    return [
        (one.group, EDIT_WORDS[action], found.share, Interval(found.low, found.high), Part(found.part, found.whole))
        for one in groups
        for action, found in one.edits.items()
    ]


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
@click.option("--texts", is_flag=True, help="Include the text of the sources: only if all of it may be passed on.")
@click.option("--key", type=EXISTING_FILE, metavar="KEY", help="The key of a sheet that people judged.")
@click.option("--sheet", "sheets", multiple=True, type=EXISTING_FILE, help="A sheet that they filled in; repeatable.")
@click.pass_context
def export(
    ctx: click.Context, files: tuple[Path, ...], out: Path, texts: bool, key: Path | None, sheets: tuple[Path, ...]
) -> None:
    """Write the checks in each FILE as JSON lines: questions, responses, statements, sources, pairs, annotations.

    Ids are derived from the words they identify, so that they are the same in every run. For each source the address,
    the outcome, the quoted words and a hash of its text are written; the text itself only with --texts. A card comes
    first: what it is, how many of each, the figures.
    """
    from wellsourced.app.terminal import write_file
    from wellsourced_evaluate.checkups.data_set import build_data_set

    if out.suffix.lower() != DATA_SET_ENDING:
        raise click.UsageError(f"{out} does not end in {DATA_SET_ENDING}: name the data set so.")
    if bool(key) != bool(sheets):
        raise click.UsageError("--key and --sheet belong together: give both, or neither.")
    stored = [*_add_known_documents(files, ctx)]
    keys, written = _read_written_sheets(key, sheets) if key else ((), None)
    made_by = f"wellsourced {version('wellsourced')}"
    card, records = build_data_set(stored, made_by, keys, written.raters if written else {}, with_texts=texts)
    write_file(out, _to_lines([card, *records]))
    told = ", ".join(format_count(number, name) for name, number in card.counts.items())
    click.echo(sanitize_line(f"{out}: {told}"))


@checkup.command(
    "import",
    short_help="Read a data set back, and score it again.",
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
    """Read the data set in DATA, print its figures, scored again without a model, and write it as stored checks.

    The same records give the same figures. A row that cannot be read, or that names a missing record, is reported by
    its number and left out. What people wrote is stored next to FILE, as the key and the sheet of a study.
    """
    from wellsourced.app.terminal import write_file
    from wellsourced.factcheck.verdicts import pool_shares
    from wellsourced.presentation.checks import describe_figures
    from wellsourced_evaluate.checkups.data_set import read_data_set

    with refuse_files():
        found = read_data_set(data)
    print_rejected((data.name, *one) for one in found.rejected)
    told = format_count(len(found.checkups), "response")
    click.echo(sanitize_line(f"{data}: {told}, made by {found.card.made_by or 'an unnamed author'}\n"))
    click.echo("\n".join(describe_figures(pool_shares([one.checkup for one in found.checkups]))))
    if out:
        _write_checkups(found.checkups, out)
    if out and found.annotations:
        stem = out.name.removesuffix(out.suffix)
        key, sheet = out.with_name(stem + KEY_ENDING), out.with_name(f"{stem}.annotations.jsonl")
        write_file(key, _to_lines(found.keys))
        rows = ({"id": one.pair, "label": one.label, "rater": one.rater} for one in found.annotations)
        write_file(sheet, "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))
        click.echo(sanitize_line(f"What people said is in {sheet}, with the key {key}"))
