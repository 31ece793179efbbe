"""`wellsourced evaluate contexts`, `ablation`, `robustness` and `uncertainty`: studies of what changes an answer."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import click

from wellsourced import config
from wellsourced.app.exits import EXIT_FAILURE
from wellsourced.app.options import EXISTING_FILE, json_option, pack_options, set_option
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
    from wellsourced.types import SourceKind
    from wellsourced_evaluate.contexts.context_study import ContextKind
    from wellsourced_evaluate.contexts.documents import Filler
    from wellsourced_evaluate.contexts.study import StudyRun, StudyTask
    from wellsourced_evaluate.contexts.uncertainty import ArmUncertainty
    from wellsourced_evaluate.questions.cases import QuestionSet
    from wellsourced_evaluate.tables import Block

KINDS: "tuple[ContextKind, ...]" = ("nothing", "gold", "placed", "distractors")

EXIT_STATUS = """
    \b
    Exit status: 0 all answered, 1 some answers failed or the file cannot be used, 2 bad use.
    """

SAME = (
    "its label, the documents of its short answer, the expected facts, the works cited (Jaccard), its statements (in "
    "the same words, or in others as the judge says). "
)
ABLATION_WORDS = (
    "Each case is answered from all sources, without each of them, and without each of the first documents that it "
    f"cites. How much of an answer stays: {SAME}Intervals are 95 %."
)
ROBUSTNESS_WORDS = (
    f"Each case is asked as it is, and in other words that should change nothing. What stays: {SAME}A wording that "
    "would be the question itself is not asked. Intervals are 95 %."
)


class StudyOptions(NamedTuple):
    """The options that every study has, as they were typed."""

    presets: tuple[str, ...]
    data: Path | None
    form: str | None
    limit: int
    seed: int
    out: Path | None
    judge: str
    fresh: bool
    html: Path | None
    pairs: dict[str, Any]
    as_json: bool


study_options = pack_options(
    "typed",
    StudyOptions,
    (
        presets_option,
        data_option,
        click.option(
            "--format",
            "form",
            type=click.Choice(FORMS),
            help="How the file is written [as its name says, else questions].",
        ),
        limit_option("Ask so many cases", "the seed"),
        seed_option("Draws the cases, and all that is drawn."),
        out_folder_option("answers"),
        judge_option("Who says whether something is said, for all arms: `wellsourced judges list` lists them."),
        fresh_option("Ask again what was answered before."),
        html_option,
        set_option,
        json_option,
    ),
)

corpus_option = click.option(
    "--corpus",
    default="",
    metavar="FILE|NAME",
    help="Answer from this file, or this library, in place of what the settings name.",
)


class StudyArms(NamedTuple):
    """What is asked, and the settings of each arm; `judging` are those without any preset."""

    data: "QuestionSet"
    arms: tuple[config.Settings, ...]
    judging: config.Settings


def read_arms(ctx: click.Context, given: str, typed: StudyOptions) -> StudyArms:
    """The set and the arms. Raises UnreadableFile, NotFoundError, SettingsError."""
    from wellsourced_evaluate.questions.cases import find_set, read_questions

    arms, judging = load_arms(ctx, typed.presets, typed.pairs)
    data = read_questions(find_set(given, typed.data), typed.form or "", typed.limit, typed.seed)
    return StudyArms(data, tuple(arms), judging)


def answer_study(
    study: str,
    asked: StudyArms,
    typed: StudyOptions,
    parameters: Sequence[object],
    answer: "Callable[[StudyTask], Awaitable[StudyRun]]",
) -> "list[StudyRun]":
    """Every arm, one after the other, and one judge for all of them.

    parameters   of the study: two that differ in them are recorded in folders of their own
    """

    async def answer_arms() -> "list[StudyRun]":
        from wellsourced.config.judges import open_judge
        from wellsourced_evaluate.contexts.study import StudyTask
        from wellsourced_evaluate.corpus import EVALUATION_FOLDER
        from wellsourced_evaluate.questions.answer_run import hash_parts
        from wellsourced_evaluate.questions.answering import DEFAULT_PRESET

        runs, data = [], asked.data
        drawn = f"{data.name}-{len(data.cases)}-{data.seed}-{data.sha256[:8]}-{hash_parts(list(parameters))[:6]}"
        async with AsyncExitStack() as stack:
            watch = stack.enter_context(watch_progress())
            judge = await stack.enter_async_context(open_judge(typed.judge, asked.judging))
            for settings in asked.arms:
                preset = settings.preset or DEFAULT_PRESET
                out = typed.out or settings.home / EVALUATION_FOLDER / study / drawn
                path = out / f"{data.name}.{preset}.{study}.jsonl"

                def say(step: str, preset: str = preset) -> None:
                    watch.show_step(f"{data.name}, {preset}: {step}")

                runs.append(await answer(StudyTask(data, settings, path, judge, watch, say, typed.seed, typed.fresh)))
        return runs

    return asyncio.run(answer_arms())


def print_study(
    ctx: click.Context,
    title: str,
    blocks: "Sequence[Block]",
    data: dict[str, Any],
    runs: "Sequence[StudyRun]",
    typed: StudyOptions,
) -> NoReturn:
    """Print the report, as Markdown or JSON, and write it as a page where one is wanted; ends the command."""
    write_page(typed.html, title, blocks)
    print_report(blocks, lambda: data, [run.path for run in runs], as_json=typed.as_json)
    ctx.exit(EXIT_FAILURE if any(run.failures for run in runs) else 0)


@click.command(
    short_help="Put the passage that answers at several places among others, alone, or leave it out.",
    epilog=f"""
    \b
    Examples:
      wellsourced evaluate contexts pubmedqa --data FOLDER --corpus research.jsonl.gz --limit 60
      wellsourced evaluate contexts pubmedqa --data FOLDER --preset rag --preset briefcontext --model ollama:qwen3
      wellsourced evaluate contexts mine.jsonl --only gold --only distractors --documents 8 --html report.html

    \b
    A line of FILE, plain or .gz, needs the document that answers, by its id in the corpus or as texts:
      {{"id": "q1", "question": "Does colchicine help?", "answer": "yes", "source": ["pubmed:1"]}}
      {{"id": "q2", "question": "…", "answer": "no", "context": ["The text that answers."]}}
    {EXIT_STATUS}""",
)
@click.argument("given", metavar="NAME|FILE")
@click.option(
    "--corpus",
    default="",
    metavar="FILE|NAME",
    help="Take documents from this file, or this library [the contexts of the other cases].",
)
@click.option(
    "--documents",
    "sizes",
    type=click.IntRange(2, 100),
    multiple=True,
    default=(16,),
    show_default=True,
    metavar="K",
    help="Documents of a context, the one that answers among them; repeatable.",
)
@click.option(
    "--filler",
    type=click.Choice(("similar", "random")),
    default="similar",
    show_default=True,
    help="The others: nearest to the question by their words (BM25), or drawn from all the rest.",
)
@click.option(
    "--only", "kinds", type=click.Choice(KINDS), multiple=True, help="Ask under these conditions; repeatable [all]."
)
@click.option(
    "--kind",
    type=click.Choice(("research", "guideline", "consumer", "own")),
    default="research",
    show_default=True,
    help="Of the corpus.",
)
@study_options
@click.pass_context
def contexts(
    ctx: click.Context,
    /,
    given: str,
    corpus: str,
    sizes: tuple[int, ...],
    filler: "Filler",
    kinds: "tuple[ContextKind, ...]",
    kind: "SourceKind",
    typed: StudyOptions,
) -> None:
    """Answer each case from its gold document at 0, 25, 50, 75 and 100 % of a context, and from other contexts.

    The others: the gold document alone (what reading could reach at best), distractors alone (where nothing should be
    answered), and nothing, which only a language model can be asked. Each --preset is an arm; all arms are given the
    same documents in the same order. A study that was stopped goes on when it is given again.
    """
    from wellsourced_evaluate.contexts.context_study import ContextPlan, study_contexts
    from wellsourced_evaluate.contexts.report import CONTEXT_TITLE, context_blocks, report_contexts

    plan = ContextPlan(corpus, kind, kinds or KINDS, tuple(dict.fromkeys(sizes)), filler)
    arms = read_arms(ctx, given, typed)
    runs = answer_study("contexts", arms, typed, plan, lambda task: study_contexts(task, plan))
    report = report_contexts(runs)
    blocks = list(context_blocks(report))
    print_study(ctx, CONTEXT_TITLE, blocks, report.to_json(), runs, typed)


@click.command(
    short_help="Answer without each source, and without each cited document, and compare.",
    epilog=f"""
    \b
    Examples:
      wellsourced evaluate ablation questions.jsonl
      wellsourced evaluate ablation bioasq --data FOLDER --corpus research.jsonl.gz --limit 30 --html report.html
    {EXIT_STATUS}""",
)
@click.argument("given", metavar="NAME|FILE")
@corpus_option
@click.option(
    "--cited",
    "documents",
    type=click.IntRange(0, 50),
    default=3,
    show_default=True,
    metavar="N",
    help="Leave out so many of the documents that an answer cites, each in turn.",
)
@study_options
@click.pass_context
def ablation(ctx: click.Context, /, given: str, corpus: str, documents: int, typed: StudyOptions) -> None:
    """Say what an answer owes to each source: the libraries, and the documents that it cites.

    Label, facts and statements that are lost are counted, with paired tests against the answer from all sources. What
    should not change an answer is `evaluate robustness`; settings are compared by `evaluate run` with two presets.
    """
    from wellsourced_evaluate.contexts.report import change_blocks, report_changes
    from wellsourced_evaluate.contexts.system_study import ALL_SOURCES, study_ablation

    arms = read_arms(ctx, given, typed)
    parameters = (corpus, documents)
    runs = answer_study("ablation", arms, typed, parameters, lambda task: study_ablation(task, corpus, documents))
    report = report_changes("ablation", "What answers owe to each source", ALL_SOURCES, runs)
    blocks = list(change_blocks(report, ABLATION_WORDS))
    print_study(ctx, report.title, blocks, report.to_json(), runs, typed)


@click.command(
    short_help="Ask the same question in other words, and count the answers that stay the same.",
    epilog=f"""
    \b
    Examples:
      wellsourced evaluate robustness questions.jsonl
      wellsourced evaluate robustness pubmedqa --data FOLDER --corpus research.jsonl.gz --limit 40
      wellsourced evaluate robustness questions.jsonl --variant "typing errors" --variant capitals
    {EXIT_STATUS}""",
)
@click.argument("given", metavar="NAME|FILE")
@corpus_option
@click.option("--variant", "variants", metavar="NAME", multiple=True, help="Ask in this wording; repeatable [all].")
@study_options
@click.pass_context
def robustness(ctx: click.Context, /, given: str, corpus: str, variants: tuple[str, ...], typed: StudyOptions) -> None:
    """Ask each case in other words, which should change nothing, and say how many answers stay the same.

    Wordings: small letters, capitals, no punctuation, typing errors, other spelling (British, American), lay words,
    politely, a sentence on the patient or on another condition before it, search terms; with a language model lay words
    and a paraphrase of the model too. Typing errors are drawn with --seed, and never touch a number or a drug.
    """
    from wellsourced_evaluate.contexts.perturbations import UNCHANGED, VARIANT_NAMES
    from wellsourced_evaluate.contexts.report import change_blocks, report_changes
    from wellsourced_evaluate.contexts.system_study import study_robustness

    if unknown := [name for name in variants if name not in VARIANT_NAMES]:
        raise click.UsageError(f"There is no wording “{unknown[0]}”. There are {', '.join(VARIANT_NAMES)}.")
    wanted = tuple(name for name in VARIANT_NAMES if name in (variants or VARIANT_NAMES))
    arms = read_arms(ctx, given, typed)
    parameters = (corpus, wanted)
    runs = answer_study("robustness", arms, typed, parameters, lambda task: study_robustness(task, corpus, wanted))
    report = report_changes("robustness", "The same question in other words", UNCHANGED, runs)
    blocks = list(change_blocks(report, ROBUSTNESS_WORDS))
    print_study(ctx, report.title, blocks, report.to_json(), runs, typed)


@click.command(
    short_help="Measure how far several answers to one question agree (LUQ), and whether that tells errors.",
    epilog=f"""
    \b
    Examples:
      wellsourced evaluate uncertainty pubmedqa --data FOLDER --model ollama:qwen3 --samples 9 --limit 30
      wellsourced evaluate uncertainty --answers sampled.jsonl

    \b
    A line of --answers, plain or .gz; correct, from 0 to 1, may be left out:
      {{"id": "q1", "answers": ["It helps.", "It does not."], "correct": true}}
    {EXIT_STATUS}""",
)
@click.argument("given", metavar="[NAME|FILE]", required=False, default="")
@click.option("--answers", "path", type=EXISTING_FILE, metavar="FILE", help="Answers that were sampled elsewhere.")
@corpus_option
@click.option(
    "--samples",
    type=click.IntRange(2, 50),
    default=9,
    show_default=True,
    metavar="N",
    help="Answers that are sampled of each question.",
)
@click.option(
    "--temperature",
    type=click.FloatRange(0, 2),
    default=0.7,
    show_default=True,
    metavar="T",
    help="At which they are sampled; the answer that is scored is given at 0.",
)
@study_options
@click.pass_context
def uncertainty(
    ctx: click.Context,
    /,
    given: str,
    path: Path | None,
    corpus: str,
    samples: int,
    temperature: float,
    typed: StudyOptions,
) -> None:
    """Let a model answer each question several times, and say how far the answers support each other.

    The judge (--judge) says whether each sentence of one answer is supported by each other answer. The uncertainty of a
    question is compared with whether its answer at temperature 0 is right (Spearman). It does not apply where the
    sources' own sentences answer, which are the same each time, unless answers are given in a file.
    """
    from wellsourced_evaluate.contexts.uncertainty import TITLE, SampledQuestion, sample_answers, uncertainty_blocks
    from wellsourced_evaluate.recorded_rows import read_recorded, to_plain

    if bool(given) == bool(path):
        raise click.UsageError("Name a set of questions, or with --answers a file of answers: one of the two.")
    runs: list[StudyRun] = []
    if path:
        questions = read_recorded(path, SampledQuestion)
        arms = [(path.name, "", questions.sha256, questions.rows)]
        judging = config.load({**ctx.obj, **typed.pairs})
    else:
        from wellsourced_evaluate.contexts.uncertainty import collect_samples

        asked = read_arms(ctx, given, typed)
        parameters = (corpus, samples, temperature)
        runs = answer_study(
            "uncertainty", asked, typed, parameters, lambda task: sample_answers(task, corpus, samples, temperature)
        )
        arms = [(run.arm, run.header.model, "", tuple(collect_samples(run))) for run in runs]
        judging = asked.judging
    measured = asyncio.run(_measure_arms(arms, typed.judge, judging))
    data = {"study": "uncertainty", "arms": to_plain(measured)}
    print_study(ctx, TITLE, list(uncertainty_blocks(measured)), data, runs, typed)


async def _measure_arms(
    arms: Sequence[tuple[str, str, str, Any]], judge: str, settings: config.Settings
) -> "list[ArmUncertainty]":
    from wellsourced.config.judges import open_judge
    from wellsourced_evaluate.contexts.uncertainty import measure_uncertainty

    async with open_judge(judge, settings) as opened:
        return [await measure_uncertainty(*arm, opened) for arm in arms]
