"""`wellsourced evaluate contexts`, `ablation`, `robustness` and `uncertainty`: studies of what changes an answer."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import click

from wellsourced import config
from wellsourced.app.exits import EXIT_FAILURE
from wellsourced.app.options import EXISTING_FILE, Command, OptionDecorator, json_option, pack_options, set_option
from wellsourced.app.progress import watch_progress
from wellsourced_evaluate.commands.common import (
    FORMS,
    data_option,
    fresh_option,
    html_option,
    judge_option,
    limit_option,
    load_arms,
    out_folder_option,
    presets_option,
    seed_option,
)
from wellsourced_evaluate.tables import print_report, write_page

if TYPE_CHECKING:
    from wellsourced_evaluate.contexts.study import StudyName, StudyRun
    from wellsourced_evaluate.contexts.uncertainty import ArmUncertainty
    from wellsourced_evaluate.tables import Block

KINDS = ("nothing", "gold", "placed", "distractors")


class StudyOptions(NamedTuple):
    """The options that every study has, as they were typed."""

    presets: tuple[str, ...]
    data: Path | None
    form: str | None
    corpus: str
    limit: int
    seed: int
    out: Path | None
    judge: str
    fresh: bool
    html: Path | None
    pairs: dict[str, Any]
    as_json: bool


STUDY_OPTIONS = (
    presets_option,
    data_option,
    click.option(
        "--format",
        "form",
        type=click.Choice(FORMS),
        help="How the file is written [as its name says, else questions].",
    ),
    click.option(
        "--corpus",
        default="",
        metavar="FILE|NAME",
        help="Take documents from this file, or this library, in place of what the settings name, or, in `contexts`, "
        "of the contexts of the other cases.",
    ),
    limit_option("Ask this many cases", "the seed"),
    seed_option("Draws the cases, and all that is drawn."),
    out_folder_option("answers"),
    judge_option("Who says whether something is said, for all arms: `wellsourced setup judges` lists them."),
    fresh_option("Ask again what was answered before."),
    html_option,
    set_option,
    json_option,
)


given_argument = click.argument("given", metavar="NAME|FILE")


def study_command(short_help: str, examples: str, *options: OptionDecorator) -> Callable[[Command], click.Command]:
    """Return a decorator that makes the command of a study: its own options first, then those that every study has.

    examples   how it is typed, a line each, and what a line of its file holds
    """
    epilog = f"""
    \b
    Examples:
      {examples.strip()}

    \b
    Exit status: 0 all answered, 1 some answers failed or the file cannot be used, 2 bad use.
    """

    def make_command(body: Command) -> click.Command:
        command = pack_options("typed", StudyOptions, STUDY_OPTIONS)(click.pass_context(body))
        for option in reversed(options):
            command = option(command)
        return click.command(short_help=short_help, epilog=epilog)(command)

    return make_command


def answer_arms(
    ctx: click.Context, given: str, typed: StudyOptions, study: "StudyName", per_answer: int = 0, **parameters: Any
) -> "list[StudyRun]":
    """The runs of a study: every arm, one after the other, and one judge for all of them.

    per_answer   cases of each known answer that are asked; 0: any
    parameters   of the study: two that differ in them are recorded in folders of their own

    Raises UnreadableFile, NotFoundError, SettingsError, SourceRefused.
    """
    from wellsourced_evaluate.contexts.conditions import STUDIES
    from wellsourced_evaluate.contexts.study import StudyTask, read_study
    from wellsourced_evaluate.corpus import EVALUATION_FOLDER
    from wellsourced_evaluate.opened_judges import open_judge
    from wellsourced_evaluate.questions.answer_run import hash_parts
    from wellsourced_evaluate.questions.answering import DEFAULT_PRESET, AnswerTask
    from wellsourced_evaluate.questions.cases import draw_per_answer, find_set, read_questions
    from wellsourced_evaluate.questions.run_budget import RunBudget, RunLimit

    arms, judging = load_arms(ctx, typed.presets, typed.pairs)
    data = read_questions(find_set(given, typed.data), typed.form or "", typed.limit, typed.seed)
    data = draw_per_answer(data, per_answer) if per_answer else data
    drawn = f"{data.name}-{len(data.cases)}-{data.seed}-{data.sha256[:8]}-{hash_parts([typed.corpus, parameters])[:6]}"

    async def answer() -> "list[StudyRun]":
        runs = []
        async with AsyncExitStack() as stack:
            watch = stack.enter_context(watch_progress())
            judge = await stack.enter_async_context(open_judge(typed.judge, judging))
            for settings in arms:
                preset = settings.preset or DEFAULT_PRESET
                out = typed.out or settings.home / EVALUATION_FOLDER / study / drawn
                path = out / f"{data.name}.{preset}.{study}.jsonl"
                arm = AnswerTask(data, "allowed", settings, path, judge, RunBudget(RunLimit()), typed.fresh)
                await STUDIES[study](StudyTask(arm, typed.corpus, watch), **parameters)
                runs.append(read_study(path))
        return runs

    return asyncio.run(answer())


def run_study(ctx: click.Context, given: str, typed: StudyOptions, study: "StudyName", **parameters: Any) -> NoReturn:
    """Answer every arm of a study and print its report; ends the command."""
    from wellsourced_evaluate.contexts.report import report_study, study_blocks

    runs = answer_arms(ctx, given, typed, study, **parameters)
    report = report_study(runs)
    print_study(ctx, report.form.title, list(study_blocks(report)), report, runs, typed)


def print_study(
    ctx: click.Context, title: str, blocks: "list[Block]", data: object, runs: "list[StudyRun]", typed: StudyOptions
) -> NoReturn:
    """Print the report, as Markdown or JSON, and write it as a page where one is wanted; ends the command."""
    from wellsourced_evaluate.recorded_rows import to_plain

    write_page(typed.html, title, blocks)
    print_report(blocks, lambda: to_plain(data), [run.path for run in runs], as_json=typed.as_json)
    ctx.exit(EXIT_FAILURE if any(run.failures for run in runs) else 0)


@study_command(
    "Put the passage that answers at several places among others, alone, or leave it out.",
    """
      wellsourced evaluate contexts pubmedqa --data FOLDER --corpus research.jsonl.gz --limit 60
      wellsourced evaluate contexts pubmedqa --data FOLDER --preset rag --preset briefcontext --model ollama:qwen3
      wellsourced evaluate contexts pubmedqa --data FOLDER --per-answer 35 --preset rag --model ollama:qwen3
      wellsourced evaluate contexts mine.jsonl --only gold --only distractors --documents 8 --html report.html

    \b
    A line of FILE, plain or .gz, needs the document that answers, by its id in the corpus or as texts:
      {"id": "q1", "question": "Does colchicine help?", "answer": "yes", "source": ["pubmed:1"]}
      {"id": "q2", "question": "…", "answer": "no", "context": ["The text that answers."]}
    """,
    given_argument,
    click.option(
        "--per-answer",
        type=click.IntRange(0),
        default=0,
        metavar="N",
        help="Ask this many cases for each known answer, drawn with the seed; BriefContext asked 35 [all].",
    ),
    click.option(
        "--documents",
        "sizes",
        type=click.IntRange(2, 100),
        multiple=True,
        default=(16,),
        show_default=True,
        metavar="K",
        help="Documents in a context, including the one that answers; repeatable.",
    ),
    click.option(
        "--filler",
        type=click.Choice(("similar", "random")),
        default="similar",
        show_default=True,
        help="The others: nearest to the question by their words (BM25), or drawn from all the rest.",
    ),
    click.option(
        "--only", "kinds", type=click.Choice(KINDS), multiple=True, help="Ask under these conditions; repeatable [all]."
    ),
    click.option(
        "--kind",
        type=click.Choice(("research", "guideline", "consumer", "own")),
        default="research",
        show_default=True,
        help="Of the corpus.",
    ),
)
def contexts(ctx: click.Context, /, given: str, typed: StudyOptions, **parameters: Any) -> None:
    """Answer each case from its gold document at 0, 25, 50, 75 and 100 % of a context, and from other contexts.

    The others: the gold document alone (what reading could reach at best), distractors alone (where nothing should be
    answered), and nothing, which only a language model can be asked. Each --preset is an arm; all arms are given the
    same documents in the same order. Run the same command to continue a stopped study.
    """
    parameters["kinds"] = parameters["kinds"] or KINDS
    parameters["sizes"] = tuple(dict.fromkeys(parameters["sizes"]))
    run_study(ctx, given, typed, "contexts", **parameters)


@study_command(
    "Answer without each source, and without each cited document, and compare.",
    """
      wellsourced evaluate ablation questions.jsonl
      wellsourced evaluate ablation bioasq --data FOLDER --corpus research.jsonl.gz --limit 30 --html report.html
    """,
    given_argument,
    click.option(
        "--cited",
        "documents",
        type=click.IntRange(0, 50),
        default=3,
        show_default=True,
        metavar="N",
        help="Leave out this many of the documents that an answer cites, each in turn.",
    ),
)
def ablation(ctx: click.Context, /, given: str, typed: StudyOptions, documents: int) -> None:
    """Report what each source contributes to an answer: the libraries, and the documents that it cites.

    Lost labels, facts and statements are counted, with paired tests against the answer from all sources. See `evaluate
    robustness` for changes that should not affect an answer; `evaluate run` with two presets compares settings.
    """
    run_study(ctx, given, typed, "ablation", documents=documents)


@study_command(
    "Ask the same question in other words, and count the answers that stay the same.",
    """
      wellsourced evaluate robustness questions.jsonl
      wellsourced evaluate robustness pubmedqa --data FOLDER --corpus research.jsonl.gz --limit 40
      wellsourced evaluate robustness questions.jsonl --variant "typing errors" --variant capitals
    """,
    given_argument,
    click.option("--variant", "variants", metavar="NAME", multiple=True, help="Ask in this wording; repeatable [all]."),
)
def robustness(ctx: click.Context, /, given: str, typed: StudyOptions, variants: tuple[str, ...]) -> None:
    """Ask each case in other words, which should change nothing, and report how many answers stay the same.

    Wordings: lower case, capitals, no punctuation, typing errors, other spelling (British, American), lay words, a
    polite form, a sentence about the patient or another condition before it, search terms; with a language model lay
    words and a paraphrase of the model too. Typing errors are drawn with --seed, and never touch a number or a drug.
    """
    from wellsourced_evaluate.contexts.perturbations import VARIANT_NAMES

    if unknown := [name for name in variants if name not in VARIANT_NAMES]:
        raise click.UsageError(f"No wording “{unknown[0]}”. There are {', '.join(VARIANT_NAMES)}.")
    wanted = tuple(name for name in VARIANT_NAMES if name in (variants or VARIANT_NAMES))
    run_study(ctx, given, typed, "robustness", wanted=wanted)


@study_command(
    "Measure how far several answers to one question agree (LUQ), and whether that predicts errors.",
    """
      wellsourced evaluate uncertainty pubmedqa --data FOLDER --model ollama:qwen3 --samples 9 --limit 30
      wellsourced evaluate uncertainty --answers sampled.jsonl

    \b
    A line of --answers, plain or .gz; correct, from 0 to 1, may be left out:
      {"id": "q1", "answers": ["It helps.", "It does not."], "correct": true}
    """,
    click.argument("given", metavar="[NAME|FILE]", required=False, default=""),
    click.option("--answers", "path", type=EXISTING_FILE, metavar="FILE", help="Answers that were sampled elsewhere."),
    click.option(
        "--samples",
        type=click.IntRange(2, 50),
        default=9,
        show_default=True,
        metavar="N",
        help="Answers sampled for each question.",
    ),
    click.option(
        "--temperature",
        type=click.FloatRange(0, 2),
        default=0.7,
        show_default=True,
        metavar="T",
        help="Temperature at which they are sampled; the scored answer is given at 0.",
    ),
)
def uncertainty(ctx: click.Context, /, given: str, typed: StudyOptions, path: Path | None, **parameters: Any) -> None:
    """Let a model answer each question several times, and report how far the answers support each other.

    The judge (--judge) says whether each sentence of one answer is supported by each other answer. The uncertainty of a
    question is compared with whether its answer at temperature 0 is right (Spearman). It does not apply if the answer
    is the sources' own sentences, which are the same each time, unless answers are given in a file.
    """
    from wellsourced_evaluate.contexts.uncertainty import (
        TITLE,
        SampledQuestion,
        collect_samples,
        measure_uncertainty,
        uncertainty_blocks,
    )
    from wellsourced_evaluate.opened_judges import open_judge
    from wellsourced_evaluate.recorded_rows import read_recorded

    if bool(given) == bool(path):
        raise click.UsageError("Name a set of questions, or with --answers a file of answers: one of the two.")
    runs: list[StudyRun] = []
    if path:
        recorded = read_recorded(path, SampledQuestion)
        arms = [(path.name, "", recorded.sha256, recorded.rows)]
        judging = config.load({**ctx.obj, **typed.pairs})
    else:
        runs = answer_arms(ctx, given, typed, "uncertainty", **parameters)
        arms = [(run.arm, run.header.model, "", collect_samples(run)) for run in runs]
        _, judging = load_arms(ctx, (), typed.pairs)

    async def measure() -> "list[ArmUncertainty]":
        async with open_judge(typed.judge, judging) as judge:
            return [await measure_uncertainty(*arm, judge) for arm in arms]

    measured = asyncio.run(measure())
    data = {"study": "uncertainty", "arms": measured}
    print_study(ctx, TITLE, list(uncertainty_blocks(measured)), data, runs, typed)
