"""What all studies of contexts are told on the command line, and how their arms are answered and reported."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import click

from wellsourced import config
from wellsourced.app.options import NEW_FILE
from wellsourced.app.progress import watch_progress
from wellsourced.app.terminal import print_data, print_utf8, sanitize_text

if TYPE_CHECKING:
    from wellsourced.evaluate.contexts.asking import StudyTask
    from wellsourced.evaluate.contexts.study_file import StudyRun
    from wellsourced.evaluate.questions.cases import QuestionSet
    from wellsourced.evaluate.questions.report_blocks import ReportBlock

EXIT_FAILED = 1
FORMS = ("questions", "pubmedqa", "bioasq", "medqa", "medmcqa", "mmlu_med", "kqa")
FOLDER = click.Path(file_okay=False, path_type=Path)

EXIT_STATUS = """
    \b
    Exit status: 0 all answered, 1 some answers failed or the file cannot be used, 2 bad use.
    """


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


STUDY_OPTIONS = (
    click.option(
        "--preset",
        "presets",
        metavar="NAME",
        multiple=True,
        help="Answer with these settings; repeatable, an arm each [those that hold].",
    ),
    click.option("--data", type=FOLDER, metavar="FOLDER", help="The folder that holds the set NAME."),
    click.option(
        "--format", "form", type=click.Choice(FORMS), help="How the file is written [as its name says, else questions]."
    ),
    click.option(
        "--limit", type=click.IntRange(0), default=0, metavar="N", help="Ask so many cases, drawn with the seed."
    ),
    click.option(
        "--seed",
        type=int,
        default=7,
        show_default=True,
        metavar="S",
        help="Draws the cases, and all that is drawn.",
    ),
    click.option(
        "--out", type=FOLDER, metavar="FOLDER", help="Record the answers here [in the folder `evaluate` of home]."
    ),
    click.option(
        "--judge",
        default="weighed",
        show_default=True,
        metavar="NAME",
        help="Who says whether something is said, for all arms: `wellsourced judges list` lists them.",
    ),
    click.option("--fresh", is_flag=True, help="Ask again what was answered before."),
    click.option("--html", type=NEW_FILE, metavar="FILE", help="Write the report here too, as one page with pictures."),
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


def read_arms(ctx: click.Context, given: str, typed: StudyOptions, pairs: dict[str, str]) -> StudyArms:
    """The set and the arms. Raises UnreadableFile, NotFoundError, SettingsError."""
    from wellsourced.evaluate.questions.cases import find_set, read_questions

    # Wherever they are typed, options of the whole program come to it, and not to its commands.
    presets = (*ctx.find_root().params.get("presets", ()), *typed.presets)
    if len(set(presets)) < len(presets):
        raise click.UsageError("A preset is named twice: each is an arm of its own.")
    data = read_questions(find_set(given, typed.data), typed.form or "", typed.limit, typed.seed)
    arms = [config.load({**ctx.obj, **({"preset": one} if one else {}), **pairs}) for one in presets or ("",)]
    common = {name: value for name, value in ctx.obj.items() if name != "preset"}
    return StudyArms(data, tuple(arms), config.load({**common, **pairs}))


def answer_study(
    study: str,
    told: StudyArms,
    typed: StudyOptions,
    parameters: Sequence[object],
    answer: "Callable[[StudyTask], Awaitable[StudyRun]]",
) -> "list[StudyRun]":
    """Every arm, one after the other, and one judge for all of them.

    parameters   of the study: two that differ in them are recorded in folders of their own
    """

    async def answer_arms() -> "list[StudyRun]":
        from wellsourced.config.judges import open_judge
        from wellsourced.evaluate.contexts.asking import StudyTask
        from wellsourced.evaluate.corpus import EVALUATION_FOLDER
        from wellsourced.evaluate.questions.answer_run import hash_parts
        from wellsourced.evaluate.questions.answering import DEFAULT_PRESET

        runs = []
        data = told.data
        async with AsyncExitStack() as stack:
            watch = stack.enter_context(watch_progress())
            judge = await stack.enter_async_context(open_judge(typed.judge, told.judging))
            for settings in told.arms:
                preset = settings.preset or DEFAULT_PRESET
                drawn = (
                    f"{data.name}-{len(data.cases)}-{data.seed}-{data.sha256[:8]}-{hash_parts(list(parameters))[:6]}"
                )
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
    blocks: "Sequence[ReportBlock]",
    data: dict[str, Any],
    runs: "Sequence[StudyRun]",
    html: Path | None,
    *,
    as_json: bool,
) -> NoReturn:
    """The report, as Markdown or JSON, and as a page where one is wanted; ends the command."""
    from wellsourced.evaluate.questions.report_blocks import blocks_to_markdown, blocks_to_page

    if html:
        html.write_text(blocks_to_page(title, blocks), encoding="utf-8")
    if as_json:
        print_data(data)
    else:
        print_utf8(sanitize_text(blocks_to_markdown(blocks)))
        print_utf8("Recorded in " + ", ".join(str(one.path) for one in runs))
    ctx.exit(EXIT_FAILED if any(one.failures for one in runs) else 0)
