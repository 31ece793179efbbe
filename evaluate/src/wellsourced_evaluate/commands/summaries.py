"""`wellsourced evaluate summaries`: recorded summaries scored again, and compared with their published scores."""

from pathlib import Path

import click

from wellsourced.app.options import EXISTING_FILE, NEW_FILE, json_option
from wellsourced.app.progress import watch_progress
from wellsourced.app.terminal import format_count
from wellsourced_evaluate.commands.common import FOLDER, limit_option
from wellsourced_evaluate.recorded_rows import write_rows
from wellsourced_evaluate.tables import print_report


@click.command(
    short_help="Score recorded summaries again: ROUGE-L, METEOR, chrF, GoogleBLEU, CharacTER, sources.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate summaries --published pubmedrs200_outputs.jsonl.gz
      wellsourced evaluate summaries --published pubmedrs200_outputs.jsonl.gz --json
      wellsourced evaluate summaries --published mine.jsonl --limit 20 --against gpt4
      wellsourced evaluate summaries --published mine.jsonl --metric-model bertscore=minilm
      wellsourced evaluate summaries --published mine.jsonl --export texts

    \b
    A line of FILE, plain or .gz, is a review:
      {"id": "r1", "human_answer": "…", "systems": {"gpt4": {"text": "…", "scores": {"rouge-L": 0.2, "meteor": 0.2,
       "chrf": 30.1, "google_bleu": 0.1, "character": 0.9}}}}
    with "context" (what was summarised), "ref_pmids" and "source_pmid" of the review, and "relevant_pmids" and
    "irrelevant_pmids" of a system.

    \b
    Exit status: 0 scored, 1 the file cannot be used, 2 bad use.
    """,
)
@click.option(
    "--published",
    "path",
    type=EXISTING_FILE,
    required=True,
    metavar="FILE",
    help="Summaries, references and published scores.",
)
@limit_option("Take so many reviews")
@click.option("--against", default="", metavar="SYSTEM", help="Compare every other system with this one, pair by pair.")
@click.option(
    "--metric-model",
    "model",
    type=click.Choice(("bertscore=minilm",)),
    help="Score by BERTScore too, with the model that every install has.",
)
@click.option(
    "--export",
    "folder",
    type=FOLDER,
    metavar="FOLDER",
    help="Only write the texts as bert-score, comet-score, UniEval and CTC read them.",
)
@click.option("--out", type=NEW_FILE, metavar="FILE", help="Write the scores of every text here, a line of JSON each.")
@json_option
def summaries(
    path: Path, limit: int, against: str, model: str | None, folder: Path | None, out: Path | None, as_json: bool
) -> None:
    """Score recorded summaries against what people answered, and say how far that is from the published scores.

    Each metric is computed by the library that publications use. Where it is recorded what a system found, its
    precision and recall against the works that the review cites are measured too. A file with a line that cannot be
    used is refused, with the number of the line. Intervals are 95 % (bootstrap over reviews), p is Wilcoxon's.
    """
    from wellsourced_evaluate import bertscore
    from wellsourced_evaluate.recorded_summaries import export_texts, read_summaries
    from wellsourced_evaluate.summaries import build_report, score_summaries, summaries_blocks

    data = read_summaries(path, limit)
    if against and against not in data.systems:
        raise click.UsageError(f"{path.name} has no system “{against}”. It has {', '.join(data.systems)}.")
    if folder:
        for name, texts in export_texts(data, folder).items():
            click.echo(f"{format_count(texts, 'text')} in {folder / name}")
        return
    with watch_progress() as watch:

        def say(done: int, every: int) -> None:
            watch.show_step(f"Scored {done:,} of {every:,} reviews")

        scored = score_summaries(data, say)
        by_minilm = bertscore.score_by_minilm(data, say) if model else {}
    if out:
        write_rows(
            out,
            ({**one._asdict(), **({bertscore.METRIC: by_minilm[one[:2]]} if model else {})} for one in scored),
        )
    models = {bertscore.METRIC: bertscore.measure_scores(data, by_minilm)} if model else {}
    report = build_report(data, scored, against, models)
    print_report(summaries_blocks(report), report.to_json, as_json=as_json, plain=True)
