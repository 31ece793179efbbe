"""What all studies of contexts are told on the command line, and how their arms are answered and reported."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import click

from wellsourced import config
from wellsourced.app.exits import EXIT_FAILURE
from wellsourced.app.options import pack_options
from wellsourced.app.progress import watch_progress
from wellsourced_evaluate.commands.common import (
    FORMS,
    data_option,
    fresh_option,
    html_option,
    join_presets,
    judge_option,
    limit_option,
    load_arms,
    out_folder_option,
    presets_option,
    print_report,
    require_distinct_presets,
    seed_option,
    write_page,
)

if TYPE_CHECKING:
    from wellsourced_evaluate.contexts.asking import StudyTask
    from wellsourced_evaluate.contexts.study_file import StudyRun
    from wellsourced_evaluate.questions.cases import QuestionSet
    from wellsourced_evaluate.questions.report_blocks import ReportBlock


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


_OPTIONS = (
    presets_option,
    data_option,
    click.option(
        "--format", "form", type=click.Choice(FORMS), help="How the file is written [as its name says, else questions]."
    ),
    limit_option("Ask so many cases", "the seed"),
    seed_option("Draws the cases, and all that is drawn."),
    out_folder_option("answers"),
    judge_option("Who says whether something is said, for all arms: `wellsourced judges list` lists them."),
    fresh_option("Ask again what was answered before."),
    html_option,
)

study_options = pack_options("typed", StudyOptions, _OPTIONS)

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
    from wellsourced_evaluate.questions.cases import find_set, read_questions

    presets = join_presets(ctx, typed.presets)
    require_distinct_presets(presets)
    data = read_questions(find_set(given, typed.data), typed.form or "", typed.limit, typed.seed)
    arms, judging = load_arms(ctx, presets, pairs)
    return StudyArms(data, tuple(arms), judging)


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
        from wellsourced_evaluate.contexts.asking import StudyTask
        from wellsourced_evaluate.corpus import EVALUATION_FOLDER
        from wellsourced_evaluate.questions.answer_run import hash_parts
        from wellsourced_evaluate.questions.answering import DEFAULT_PRESET

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
    write_page(html, title, blocks)
    print_report(blocks, lambda: data, [one.path for one in runs], as_json=as_json)
    ctx.exit(EXIT_FAILURE if any(one.failures for one in runs) else 0)
