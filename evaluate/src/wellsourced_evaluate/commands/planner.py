"""`wellsourced evaluate planner …`: learn which source to ask what, step by step, each recorded and resumable."""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wellsourced import config
from wellsourced.app.exits import EXIT_FAILURE
from wellsourced.app.options import EXISTING_FILE, NEW_FILE, json_option, parse_key_values, set_option
from wellsourced.app.progress import watch_progress
from wellsourced.config.encoders import open_encoder
from wellsourced.config.models import PLANNER_FOLDER
from wellsourced_evaluate.commands.common import (
    EXISTING_FOLDER,
    EXISTING_PATH,
    FOLDER,
    fresh_option,
    judge_option,
    limit_option,
    print_study,
    seed_option,
)

if TYPE_CHECKING:
    from wellsourced_evaluate.beir import Qrels
    from wellsourced_evaluate.planning.judging import Judgements
    from wellsourced_evaluate.recorded_rows import Progress

questions_option = click.option(
    "--questions", "files", type=EXISTING_FILE, metavar="FILE", multiple=True, required=True, help="Repeatable."
)


@click.group(short_help="Explore, judge, train: which source to ask what.")
def planner() -> None:
    """Learn which source to ask what, from what its queries find (source planning optimisation of Omni-RAG).

    \b
      explore   ask every source several queries for every question
      judge     say which queries found what supports the right answer
      rows      make training rows of the judgements
      train     train a planner on the rows
      compare   compare planners by what they find

    Every step writes a file, and goes on where it was stopped when it is given again.
    """


@planner.command(short_help="Ask every source several queries for every question.")
@questions_option
@click.option(
    "--queries",
    type=click.IntRange(2, 20),
    default=6,
    show_default=True,
    metavar="N",
    help="Different queries for each source.",
)
@click.option("--planned", is_flag=True, help="Record what the planner of the settings asks instead.")
@click.option(
    "--replies",
    type=EXISTING_FILE,
    metavar="FILE",
    help='Record the plans of a published planner instead: lines {"id": "q1", "reply": "<book> … ; … </book>"}.',
)
@click.option("--out", type=NEW_FILE, default="explored.jsonl", show_default=True, metavar="FILE", help="Record here.")
@limit_option("Take this many questions of each file")
@fresh_option("Explore again what was explored before.")
@set_option
@json_option
@click.pass_context
def explore(ctx: click.Context, /, pairs: dict[str, str], limit: int, as_json: bool, **typed: Any) -> None:
    """Ask every source that the settings name N different queries, and record what they find.

    The model of the settings writes the queries; without one they are made by rules. Twenty passages are found by each
    query and ten are kept, of which a judge is shown five, as in the paper.
    """
    from wellsourced_evaluate.planning.comparison import exploration_blocks
    from wellsourced_evaluate.planning.exploration import ExplorationTask, explore, read_planning_questions

    settings = config.load({**ctx.obj, **pairs})
    files: tuple[Path, ...] = typed["files"]
    questions = read_planning_questions(files, limit)
    queries = 0 if typed["planned"] or typed["replies"] else typed["queries"]
    task = ExplorationTask(files, questions, queries, typed["out"], typed["fresh"], typed["replies"])
    with watch_progress() as watch:
        found = asyncio.run(
            explore(task, settings, lambda done, total: watch.show_step(f"Explored {done:,} of {total:,} questions"))
        )
    failed = sum(bool(one.error) or any(s.status == "failed" for s in one.searches) for one in found.questions.values())
    print_study(exploration_blocks(found, open_encoder(settings)), found, as_json=as_json)
    ctx.exit(EXIT_FAILURE if failed else 0)


qrels_option = click.option(
    "--qrels", type=EXISTING_FILE, metavar="FILE", multiple=True, help="Gold documents (BEIR, TREC); repeatable."
)


def read_gold(files: Iterable[Path]) -> "Qrels":
    """The gold documents of all files together."""
    from wellsourced_evaluate.beir import read_qrels

    return {query: grades for file in files for query, grades in read_qrels(file)[0].items()}


@planner.command(short_help="Find which queries found support for the right answer.")
@click.argument("explored", type=EXISTING_FILE)
@qrels_option
@judge_option("Without --qrels: who judges; model: that of the settings; ranker, reader: another signal.")
@click.option("--above", type=float, metavar="LOGIT", help="With --judge ranker: the threshold [2.3, the paper's].")
@click.option("--out", type=NEW_FILE, default="judged.jsonl", show_default=True, metavar="FILE", help="Record here.")
@click.option("--compare", type=EXISTING_FILE, metavar="FILE", help="Report how far these judgements agree.")
@fresh_option("Judge again what was judged before.")
@json_option
@click.pass_context
def judge(ctx: click.Context, /, explored: Path, qrels: tuple[Path, ...], as_json: bool, **typed: Any) -> None:
    """Judge the first five passages of each recorded query: do they support the right answer of the question?

    With --qrels, gold documents decide; without, a judge of support or a language model, by the answer that the
    question file gives. A search that failed, or cannot be judged, is excluded and never counts as negative.

    \b
    Signals that the paper compares with its own:
      ranker   how relevant the passages are to the question, by the reranker in the settings
      reader   whether the model in the settings answers better with the passages than without
    """
    from wellsourced_evaluate.planning.exploration import read_exploration
    from wellsourced_evaluate.planning.judging import (
        compare_judges,
        judge_by_gold_documents,
        judge_exploration,
        judgement_blocks,
        open_search_judge,
        read_judgements,
    )

    exploration = read_exploration(explored)

    async def run(say: "Progress") -> "Judgements":
        if qrels:
            chosen = judge_by_gold_documents(read_gold(qrels), ", ".join(file.name for file in qrels))
            return await judge_exploration(exploration, chosen, typed["out"], say, fresh=typed["fresh"])
        async with open_search_judge(typed["judge"], typed["above"], config.load(ctx.obj)) as chosen:
            return await judge_exploration(exploration, chosen, typed["out"], say, fresh=typed["fresh"])

    with watch_progress() as watch:
        judged = asyncio.run(run(lambda done, total: watch.show_step(f"Judged {done:,} of {total:,} questions")))
    agreement = compare_judges(judged, read_judgements(typed["compare"])) if typed["compare"] else None
    print_study(judgement_blocks(exploration, judged, agreement), (judged, agreement), as_json=as_json)
    ctx.exit(EXIT_FAILURE if any(one.error for one in judged.questions.values()) else 0)


@planner.command(short_help="Make training rows from the judgements.")
@click.argument("explored", type=EXISTING_FILE)
@click.argument("judged", type=EXISTING_FILE)
@click.option("--out", type=FOLDER, default="rows", show_default=True, metavar="FOLDER", help="Write the rows here.")
@seed_option("Draws the queries of a row.")
@json_option
def rows(explored: Path, judged: Path, out: Path, seed: int, as_json: bool) -> None:
    """Write plans to imitate (sft.jsonl), pairs of a better and a worse plan (dpo.jsonl), and their manifest.

    At most three positive queries are drawn for each source; a source without any has an empty entry, and a question
    without any has no row. The rejected plan is drawn from the negative queries by the same rule. The prompt of a row
    is the prompt that the planner is asked with.
    """
    from wellsourced_evaluate.planning.exploration import read_exploration
    from wellsourced_evaluate.planning.judging import read_judgements
    from wellsourced_evaluate.planning.rows import make_rows, manifest_blocks

    manifest = make_rows(read_exploration(explored), read_judgements(judged), out, seed)
    print_study(manifest_blocks(manifest, out), manifest, as_json=as_json)


@planner.command(short_help="Train a planner on the rows.")
@click.argument("rows", type=EXISTING_FOLDER)
@click.option("--base", type=EXISTING_PATH, metavar="PATH", required=True, help="A Hugging Face folder or GGUF file.")
@click.option("--out", type=FOLDER, metavar="FOLDER", help="Write the model here [the folder `planner` of home].")
@click.option(
    "--limit", type=click.IntRange(0), default=0, metavar="N", help="Train on N rows of each kind, drawn by the seed."
)
@click.option(
    "--option", "changed", metavar="KEY=VALUE", multiple=True, callback=parse_key_values, help="Such as sft_epochs=1."
)
@json_option
@click.pass_context
def train(ctx: click.Context, /, rows: Path, base: Path, out: Path | None, limit: int, **typed: Any) -> None:
    """Train low-rank adapters on the rows, by imitation and then by preference, and merge them into a model.

    It needs the extra `train` (torch). The options are the paper's where it states them: batch, sft_rate, sft_epochs,
    dpo_rate, dpo_epochs; and rank, alpha, dropout, beta, tokens, layers, seed. Zero epochs leave a stage out. Run the
    same command to continue stopped training from its last checkpoint.
    """
    from wellsourced_evaluate.planning.training import read_options, train_planner, training_blocks

    folder = out or config.load(ctx.obj).home / PLANNER_FOLDER
    options = read_options({**typed["changed"], "limit": str(limit)})
    with watch_progress() as watch:
        card = train_planner(
            rows,
            base,
            folder,
            options,
            lambda stage, done, total: watch.show_step(f"Trained {done:,} of {total:,} steps of {stage.upper()}"),
        )
    print_study(training_blocks(card, folder), card, as_json=typed["as_json"])


@planner.command(short_help="Compare planners by what they find.")
@click.argument("explored", type=EXISTING_FILE, nargs=-1, required=True)
@qrels_option
@click.option("--queries", type=click.IntRange(0), default=0, metavar="N", help="Count only N queries of each plan.")
@click.option("--question", metavar="ID", help="Show the plans for this question side by side instead.")
@json_option
@click.pass_context
def compare(ctx: click.Context, /, explored: tuple[Path, ...], qrels: tuple[Path, ...], **typed: Any) -> None:
    """Compare recorded planners (`explore --planned`) on gold documents: recall, queries, diversity, source by source.

    The first file is the base. Nothing is searched again.
    """
    from wellsourced_evaluate.planning.comparison import compare_planners, comparison_blocks, plan_blocks
    from wellsourced_evaluate.planning.exploration import read_exploration

    explorations = [read_exploration(file) for file in explored]
    if typed["question"]:
        print_study(plan_blocks(explorations, typed["question"]), explorations, as_json=typed["as_json"])
        return
    if not qrels:
        raise click.UsageError("Name the gold documents with --qrels.")
    gold = read_gold(qrels)
    encoder = open_encoder(config.load(ctx.obj))
    found = compare_planners(explorations, gold, encoder, typed["queries"])
    print_study(comparison_blocks(found), found, as_json=typed["as_json"])
