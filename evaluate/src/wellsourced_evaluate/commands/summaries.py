"""`wellsourced evaluate summaries`: recorded summaries scored again, and compared with their published scores."""

import json
import time
from pathlib import Path

import click

from wellsourced.app.options import EXISTING_FILE, NEW_FILE, json_option, parse_key_values
from wellsourced.app.progress import watch_progress
from wellsourced.app.terminal import print_data
from wellsourced_evaluate.commands.common import limit_option


@click.command(
    short_help="Score recorded summaries again: ROUGE-L, METEOR, chrF, GoogleBLEU, CharacTER, sources.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate summaries --published pubmedrs200_outputs.jsonl.gz
      wellsourced evaluate summaries --published pubmedrs200_outputs.jsonl.gz --json
      wellsourced evaluate summaries --published mine.jsonl --limit 20 --against gpt4
      wellsourced evaluate summaries --published mine.jsonl --metric-model bertscore=minilm
      wellsourced evaluate summaries --published mine.jsonl --metric-model unieval=FOLDER --metric-model comet=FOLDER

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
    "models",
    metavar="NAME=FOLDER",
    multiple=True,
    callback=parse_key_values,
    help="Score with this model too: bertscore (=minilm: the one that comes along; =FOLDER#17: its 17th layer), "
    "unieval, unieval-fact, comet, ctc; repeatable. Without a model there is no figure.",
)
@click.option("--bertscore-idf", "weighs", is_flag=True, help="Weigh the tokens of BERTScore by how rare they are.")
@click.option(
    "--bertscore-baseline", "baseline", type=EXISTING_FILE, metavar="FILE", help="Rescale BERTScore by this baseline."
)
@click.option("--out", type=NEW_FILE, metavar="FILE", help="Write the scores of every text here, a line of JSON each.")
@json_option
def summaries(
    path: Path,
    limit: int,
    against: str,
    models: dict[str, str],
    weighs: bool,
    baseline: Path | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Score recorded summaries against what people answered, and say how far that is from the published scores.

    Each metric is computed by the library that publications use. Where it is recorded what a system found, its
    precision and recall against the works that the review cites are measured too. A file with a line that cannot be
    used is refused, with the number of the line. Intervals are 95 % (bootstrap over reviews), p is Wilcoxon's.
    """
    from wellsourced_evaluate.model_metrics.metric_models import open_scorers
    from wellsourced_evaluate.model_metrics.summary_models import score_by_models, summarize_models
    from wellsourced_evaluate.recorded_summaries import read_summaries
    from wellsourced_evaluate.render.summary_evaluation import summaries_lines
    from wellsourced_evaluate.summaries import score_summaries
    from wellsourced_evaluate.summaries_report import build_report, report_to_json, scored_to_json

    begun = time.perf_counter()
    data = read_summaries(path, limit)
    if against and against not in data.systems:
        raise click.UsageError(f"{path.name} has no system “{against}”. It has {', '.join(data.systems)}.")
    scorers = open_scorers(models, weighs=weighs, baseline=baseline)
    with watch_progress() as watch:
        scored = score_summaries(data, lambda done, every: watch.show_step(f"Scored {done:,} of {every:,} reviews"))
        by_models = score_by_models(
            data, scorers, lambda done, every: watch.show_step(f"Scored {done:,} of {every:,} reviews by models")
        )
    told = build_report(data, scored, against)._replace(models=summarize_models(data, scorers, by_models))
    seconds = time.perf_counter() - begun
    if out:
        every = ({**scored_to_json(one), "model_metrics": by_models[one.review, one.system]} for one in scored)
        rows = (json.dumps(one, ensure_ascii=False) + "\n" for one in every)
        out.write_text("".join(rows), encoding="utf-8")
    if as_json:
        print_data(report_to_json(told, seconds))
    else:
        click.echo("\n".join(summaries_lines(told, seconds)))
