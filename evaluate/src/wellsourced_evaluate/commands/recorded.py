"""`wellsourced evaluate citations`, `outputs`, `summaries`, `accuracy`: what was recorded, measured."""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wellsourced import config
from wellsourced.app.exits import EXIT_FAILURE
from wellsourced.app.options import EXISTING_FILE, NEW_FILE, OptionDecorator, json_option
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.presentation.wording import format_count
from wellsourced_evaluate.commands.common import (
    EXISTING_PATH,
    FOLDER,
    fresh_option,
    html_option,
    limit_option,
    out_option,
    print_study,
)
from wellsourced_evaluate.commands.judges import judge_option, show_count
from wellsourced_evaluate.recorded_rows import write_rows
from wellsourced_evaluate.tables import Block, Interval, Part, Picture, Table, Text, print_report, write_page

if TYPE_CHECKING:
    from wellsourced_evaluate.citation_metrics import MeasuredAnswer, RelevanceThreshold


def file_option(name: str, help: str) -> OptionDecorator:
    """The file of what was recorded."""
    return click.option(name, "path", type=EXISTING_FILE, required=True, metavar="FILE", help=help)


@click.command(
    short_help="Measure what recorded answers cite: Link-Eval, ALCE.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate citations --answers answers.jsonl
      wellsourced evaluate citations --answers answers.jsonl --judge model --model ollama:qwen3 --json
      wellsourced evaluate citations --answers theirs.jsonl --calibration scored.jsonl --html report.html
      wellsourced evaluate citations --answers theirs.md
      wellsourced evaluate citations --run 3f9a2c --judge model --model ollama:qwen3

    \b
    A line of FILE, plain or .gz, of any system, or with the answer as `wellsourced ask --json` prints it:
      {"id": "q1", "answer": "Colchicine helps [1].", "refs": [{"text": "…", "score": 0.8}], "gold": "…"}
      {"id": "q1", "answer": {…}, "gold": "…"}
    A ref may be its text alone; gold, as far as known, is what the answer should say, and "fluency" what UniEval says
    of it. A Markdown file is one answer.

    \b
    A line of --calibration: a passage scored by the ranker in use, or to be scored by --ranker:
      {"score": 0.83, "valid": true}
      {"question": "…", "text": "…", "valid": false}

    \b
    Exit status: 0 measured, 1 the file cannot be used, 2 bad use.
    """,
)
@click.option("--answers", "path", type=EXISTING_FILE, metavar="FILE", help="Answers that were given.")
@click.option(
    "--run",
    "ids",
    multiple=True,
    metavar="ID",
    help="Measure the answer of this run of `wellsourced history` instead; repeatable.",
)
@judge_option
@click.option(
    "--valid-above",
    type=float,
    metavar="P",
    help="Passages above this relevance should be cited, which the recall of citations counts [as --calibration says].",
)
@click.option(
    "--calibration",
    type=EXISTING_FILE,
    metavar="FILE",
    help="Find the relevance above which passages are valid from these, whose validity is known.",
)
@click.option(
    "--target",
    type=click.FloatRange(0, 1),
    default=0.999,
    show_default=True,
    metavar="P",
    help="Share of the passages above it that must be valid.",
)
@click.option("--ranker", default="", metavar="NAME", help="Score passages by this judge: those of answers, too.")
@limit_option("Take this many answers")
@html_option
@json_option
@click.pass_context
def citations(
    ctx: click.Context,
    /,
    path: Path | None,
    ids: tuple[str, ...],
    judge: str,
    valid_above: float | None,
    calibration: Path | None,
    target: float,
    ranker: str,
    limit: int,
    html: Path | None,
    as_json: bool,
) -> None:
    """Report how well recorded answers are supported by what they cite, as Link-Eval and ALCE count it.

    The figures are as good as the judge: `wellsourced evaluate verification` measures it. An answer to which a metric
    does not apply is left out of its mean and counted: recall needs a threshold for the ranker whose scores the
    passages have. Intervals are 95 % (bootstrap over answers).
    """
    from wellsourced.runs.history import RunHistory
    from wellsourced_evaluate import citation_metrics as study
    from wellsourced_evaluate.opened_judges import open_judge
    from wellsourced_evaluate.recorded_rows import read_recorded

    if (path is None) == (not ids):
        raise click.UsageError("Give --answers, or --run for answers of your own history.")
    settings = config.load(ctx.obj)
    data = (
        study.read_answers(path, limit)
        if path
        else study.take_stored_answers(RunHistory(settings.home, settings.storage.url), ids)
    )
    scored = read_recorded(calibration, study.ScoredPassage, keys=lambda _: ()) if calibration else None

    async def measure() -> "tuple[str, RelevanceThreshold | None, list[MeasuredAnswer]]":
        threshold, answers = None, data
        async with AsyncExitStack() as stack:
            opened = await stack.enter_async_context(open_judge(judge, settings))
            ranking = await stack.enter_async_context(open_judge(ranker, settings)) if ranker else None
            if scored:
                threshold = study.find_threshold(await study.score_passages(scored.rows, ranking), target)
            if ranking:
                answers = await study.rank_evidence(data, ranking)
            above = threshold.value if threshold and valid_above is None else valid_above
            return opened.name, threshold, await study.measure_answers(answers, opened, above)

    with watch_progress() as watch:
        watch.show_step(f"Judging {format_count(len(data.rows), 'answer')}")
        name, threshold, measured = asyncio.run(measure())
    valid_above = threshold.value if threshold and valid_above is None else valid_above
    average_answers = study.average_answers
    means, unjudged = average_answers(measured), sum(answer.unjudged for answer in measured)

    def list_blocks() -> Iterator[Block]:
        yield Text(f"{format_count(len(measured), 'answer')} of {data.file} (sha256 {data.sha256}), judged by {name}")
        rows = [
            (
                *(metric, mean.mean, Interval(mean.low, mean.high), Part(mean.cases, len(measured))),
                pooled and Part(pooled.part, pooled.whole),
            )
            for metric, (mean, pooled) in means.items()
            if metric != "fluency" or mean.cases
        ]
        yield Table(("metric", "mean", "95 % interval", "answers", "all together"), rows)
        if threshold:
            yield Text(
                f"Of {threshold.pairs:,} scored passages {threshold.above:,} are above the threshold, of which "
                f"{threshold.precision:.3f} are valid (Wilson, 95 %: {threshold.low:.3f}–{threshold.high:.3f})"
                + ("." if threshold.value is not None else f": no threshold reaches {target:g}.")
            )
            most = max(one.passages for one in threshold.histogram)
            bars = [
                (Interval(one.low, one.high), one.passages, one.valid, "█" * round(20 * one.passages / most))
                for one in threshold.histogram
            ]
            yield Table(("score", "passages", "valid", ""), bars)
            yield Picture(threshold.draw() if html else "")
        if valid_above is None:
            yield Text("No threshold, so no recall of citations: give --calibration for the ranker, or --valid-above.")
        else:
            yield Text(f"Passages above a relevance of {valid_above:g} count as valid.")
        if unjudged:
            missing = f"{format_count(unjudged, 'verdict')} of the judge missing"
            yield Text(f"{missing}: left out of both sides of every share.")

    told: dict[str, Any] = {"file": data.file, "sha256": data.sha256, "answers": len(measured)}
    told |= {"recorded_answers": data.recorded, "judge": name, "valid_above": valid_above, "unjudged": unjudged}
    told["threshold"] = threshold
    told["metrics"] = {metric: {**mean._asdict(), "pooled": pooled} for metric, (mean, pooled) in means.items()}
    told["cases"] = [{**one._asdict(), "values": one.counts.to_values()} for one in measured]
    blocks = [*list_blocks()]
    write_page(html, "What recorded answers cite", blocks)
    print_study(blocks, told, as_json=as_json)


@click.command(
    short_help="Score recorded outputs of multiple choice again; unparsed is its own class.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate outputs --recorded llm_outputs.jsonl.gz
      wellsourced evaluate outputs --recorded mine.jsonl --out read.jsonl --json

    \b
    A line of FILE, plain or .gz; all behind gold may be left out:
      {"id": "o1", "raw_output": "…", "options": {"A": "…", "B": "…"}, "gold": "B", "dataset": "medqa",
       "question_id": "q1", "model": "gpt-4", "mode": "cot", "group": "…", "parsed_choice": "B", "correct": true}

    \b
    Exit status: 0 scored, 1 the file cannot be used, 2 bad use.
    """,
)
@file_option("--recorded", "What models wrote, and what is right.")
@limit_option("Take this many outputs")
@click.option("--out", type=NEW_FILE, metavar="FILE", help="Write what is read in every output here, one per line.")
@json_option
def outputs(path: Path, limit: int, out: Path | None, as_json: bool) -> None:
    """Read the choice out of what language models wrote, as it is read out of a reply to `ask`, and score it.

    An output that chooses no option, or several, is unparsed: a separate class, and not right. Accuracy by model, mode
    and set is shown with that of the commonest letter and of chance, and with the accuracy if unparsed outputs counted
    as a letter. Arms are ranked, and compared over the questions that both answered (McNemar). If the file has the
    published reading of a choice, each difference is shown.
    """
    from wellsourced_evaluate.outputs import output_blocks, outputs_to_json, read_outputs

    data = read_outputs(path, limit)
    if out:
        write_rows(out, (row.to_json() for row in data.rows))
    print_report(output_blocks(data), lambda: outputs_to_json(data), as_json=as_json)


@click.command(
    short_help="Score recorded summaries again: ROUGE-L, METEOR, chrF, GoogleBLEU, CharacTER, sources.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate summaries --published pubmedrs200_outputs.jsonl.gz
      wellsourced evaluate summaries --published pubmedrs200_outputs.jsonl.gz --json
      wellsourced evaluate summaries --published mine.jsonl --limit 20 --against gpt4
      wellsourced evaluate summaries --published mine.jsonl --export texts
      wellsourced evaluate summaries --published mine.jsonl --cutoff 2021-10-01 --repair
      wellsourced evaluate summaries --published pubmedrs200_outputs.jsonl.gz --run pubmedrs200.clinfo.restricted.jsonl

    \b
    A line of FILE, plain or .gz, is a review:
      {"id": "r1", "human_answer": "…", "systems": {"mine": "…", "gpt4": {"text": "…", "scores": {"rouge-L": 0.2,
       "meteor": 0.2, "chrf": 30.1, "google_bleu": 0.1, "character": 0.9}}}}
    Scores are those that were published, where any were,
    with "context" (what was summarised), "ref_pmids", "source_pmid" and "published" (2021-10-31 or 10/31/2021) of the
    review, and "relevant_pmids", "irrelevant_pmids" and "refused" of a system.

    \b
    Exit status: 0 scored, 1 the file cannot be used, 2 bad use.
    """,
)
@click.option(
    "--published", "path", type=EXISTING_FILE, metavar="FILE", help="Summaries and references, with scores or without."
)
@click.option(
    "--run",
    "paths",
    type=EXISTING_PATH,
    multiple=True,
    metavar="RUN",
    help="Also (or only) score what `wellsourced evaluate run` recorded; repeatable.",
)
@click.option(
    "--found-by",
    default="",
    metavar="SYSTEM",
    help="Keep the reviews in which this system took any work as relevant (Clinfo.ai's evaluation set).",
)
@limit_option("Take this many reviews")
@click.option("--against", default="", metavar="SYSTEM", help="Compare every other system with this one, pair by pair.")
@click.option(
    "--export",
    "folder",
    type=FOLDER,
    metavar="FOLDER",
    help="Only write the texts as bert-score, comet-score, UniEval and CTC read them.",
)
@click.option(
    "--cutoff",
    type=click.DateTime(("%Y-%m-%d",)),
    metavar="YYYY-MM-DD",
    help="Also report reviews from before this day and from it on separately.",
)
@click.option(
    "--repair",
    is_flag=True,
    help="Repair damaged letters (“Ã©” for “é”) in what is scored in the documented direction, or exported.",
)
@click.option("--out", type=NEW_FILE, metavar="FILE", help="Write the scores of every text here, a line of JSON each.")
@json_option
def summaries(
    path: Path | None,
    paths: tuple[Path, ...],
    found_by: str,
    limit: int,
    against: str,
    folder: Path | None,
    cutoff: datetime | None,
    repair: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Score recorded summaries against people's answers, and report how far that is from the published scores.

    Each metric is computed by the library that publications use. Where it is recorded what a system found, its
    precision and recall against the works that the review cites are measured too. A file with a line that cannot be
    used is refused, with the number of the line. Intervals are 95 % (bootstrap over reviews), p is Wilcoxon's.
    """
    from wellsourced_evaluate import summaries as study
    from wellsourced_evaluate.questions.answer_run import find_runs
    from wellsourced_evaluate.recorded_summaries import add_runs, export_texts, read_summaries, repair_texts

    if not path and not paths:
        raise click.UsageError("Give --published, --run or both.")
    published = read_summaries(path, limit) if path else None
    data = add_runs(published, find_runs([*paths]))
    for name in filter(None, (against, found_by)):
        if name not in (systems := data.rows[0].systems):
            raise click.UsageError(f"{data.file} has no system “{name}”. It has {', '.join(systems)}.")
    if found_by and not any(one.has_found(found_by) for one in data.rows):
        raise click.UsageError(f"{found_by} took no work as relevant in any review.")
    removed = [one.id for one in data.rows if found_by and not one.has_found(found_by)]
    data = data._replace(rows=tuple(one for one in data.rows if one.id not in removed))
    if folder:
        for name, texts in export_texts(repair_texts(data) if repair else data, folder).items():
            click.echo(f"{format_count(texts, 'text')} in {folder / name}")
        return
    with watch_progress() as watch:
        say = show_count(watch, "reviews", "Scored")
        scored = study.score_summaries(data, say, repair=repair)
    if out:
        write_rows(out, (one._asdict() for one in scored))
    report = study.build_report(data, scored, against, removed, cutoff.date() if cutoff else None)
    if report.damaged and not repair:
        click.echo(
            f"{format_count(report.damaged, 'text')} with damaged letters, scored as found: see --repair.", err=True
        )
    print_study(study.summaries_blocks(report), report, as_json=as_json)


@click.command(
    short_help="Compare answers with the known ones: equal, more, less, conflicting.",
    epilog="""
    \b
    Examples:
      wellsourced --model ollama:qwen3 evaluate accuracy --answers answers.jsonl
      wellsourced evaluate accuracy --answers judged.jsonl --json

    \b
    A line of FILE, plain or .gz; gold is a text or a list of statements, relation an existing label:
      {"id": "q1", "question": "…", "gold": "…", "answer": "…", "system": "gpt-4", "relation": "less"}

    \b
    Exit status: 0 all compared, 1 some answers could not be compared, or the file cannot be used, 2 bad use.
    """,
)
@file_option("--answers", "Answers, and what is known.")
@limit_option("Take this many answers")
@out_option("Keep what is said of each answer", "`evaluate` of home")
@fresh_option("Ask again what was asked before.")
@json_option
@click.pass_context
def accuracy(ctx: click.Context, /, path: Path, limit: int, out: Path | None, fresh: bool, as_json: bool) -> None:
    """Compare recorded answers of any system with the known ones, as SourceCheckup does: one call of --model each.

    Without --model the rows must give the relation themselves; with it, agreement with theirs is reported. Shares are
    for each system, with 95 % intervals (bootstrap over answers); systems are tested against each other.
    """
    from wellsourced.config.models import open_models
    from wellsourced_evaluate import known_answers as study

    data, settings = study.read_known(path, limit), config.load(ctx.obj)
    log = out or settings.home / "evaluate" / "accuracy" / f"{data.file.partition('.')[0]}-{data.sha256[:8]}.jsonl"

    async def compare(watch: ProgressWatch) -> "list[study.ComparedAnswer]":
        async with AsyncExitStack() as stack:
            writers = await open_models(settings, None, stack)
            say, model = show_count(watch, "answers", "Compared"), writers.assistant or writers.model
            return await study.compare_answers(data, model, settings.model, log, say, fresh=fresh)

    if settings.model:
        with watch_progress() as watch:
            compared = asyncio.run(compare(watch))
    else:
        compared = study.take_relations(data)
    found = study.summarize_relations(settings.model or study.PEOPLE, data.rows, compared)
    print_study(study.known_blocks(data, found), found, as_json=as_json)
    ctx.exit(EXIT_FAILURE if found.failed else 0)


@click.command(
    short_help="Test groups of values: t, chi-square, Fisher, McNemar, Wilcoxon, Kruskal-Wallis, Pearson.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate test values.csv
      wellsourced evaluate test values.jsonl --json

    \b
    A row of FILE (.csv, .jsonl, .json); case pairs values, count stands for so many rows alike:
      {"group": "gpt-4", "value": 1, "case": "q1"}
      {"group": "gpt-4", "value": "supported", "count": 129}

    \b
    Exit status: 0 tested, 1 the file cannot be used, 2 bad use.
    """,
)
@click.argument("path", type=EXISTING_FILE, metavar="FILE")
@json_option
def test(path: Path, as_json: bool) -> None:
    """Compare groups of values, published or your own, by every test that applies.

    Numbers: Student's and Welch's t, Kruskal and Wallis' H; of 0 and 1 chi-square, with and without correction, and
    Fisher's exact test; paired over common cases: t, Wilcoxon's, McNemar's exact test, Pearson's r. Labels: chi-square.
    """
    from wellsourced_evaluate.group_tests import list_tests, read_values, test_blocks

    rows = read_values(path)
    results = list(list_tests(rows))
    print_study(test_blocks(rows, results), results, as_json=as_json)
