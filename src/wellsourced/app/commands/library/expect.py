"""`wellsourced library expect`: the questions that a library answers, written by a language model or taken from a
file."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from wellsourced import config
from wellsourced.app import messages
from wellsourced.app.exits import EXIT_FAILURE
from wellsourced.app.options import EXISTING_FILE, json_option, yes_option
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.app.terminal import print_data
from wellsourced.budget import CostTracker, use_cost_tracker
from wellsourced.config.encoders import build_question_encoder
from wellsourced.config.libraries import refuse_guidelines
from wellsourced.errors import NextStep, SettingsError
from wellsourced.models.base import Model, PricedModel
from wellsourced.presentation.wording import format_count
from wellsourced.text.sanitization import sanitize_line
from wellsourced.types import Usage

if TYPE_CHECKING:
    from wellsourced.ingest.expected_questions import QuestionCounts, QuestionsAdded, WritingPlan

MAX_NAMED_FAULTS = 20
"""Rows or sections that are named; JSON names all."""


class ExpectReport(NamedTuple):
    """The outcome of the questions, how many the library has now, and what a language model was asked for them."""

    added: "QuestionsAdded"
    counts: "QuestionCounts"
    spent: Usage = Usage()


@click.command()
@click.argument("name")
@click.option("--from", "file", type=EXISTING_FILE, help="Take the questions from this file of JSON lines or CSV.")
@yes_option
@json_option
@click.pass_context
def expect(ctx: click.Context, name: str, file: Path | None, yes: bool, as_json: bool) -> None:
    """Write the questions that the library NAME answers: when one of them is asked, the lines that answer it are shown.

    A language model writes them, section by section; you confirm the cost first. You can stop it at any moment; run it
    again to continue, and after files have changed.

    --from takes questions that people wrote: rows of question, document (its id, DOI, PMID or file) and answer (exact
    words of the document).
    """
    settings = config.load(ctx.obj)
    refuse_guidelines(name)
    with watch_progress() as watch:
        work = _take_file(settings, name, file, watch) if file else _write_all(settings, name, watch, yes)
        report = asyncio.run(work)
    print_expected(ctx, name, report, is_file=file is not None, as_json=as_json)


async def _take_file(settings: config.Settings, name: str, file: Path, watch: ProgressWatch) -> ExpectReport:
    """Take the questions of a file into a library."""
    from wellsourced.ingest.expected_questions import add_question_file, count_questions, embed_questions

    async with config.open_library(settings, name, write=True) as library:
        added = await add_question_file(library, file)
        await embed_questions(library, build_question_encoder(settings, None), watch)
        return ExpectReport(added, await count_questions(library))


async def _write_all(settings: config.Settings, name: str, watch: ProgressWatch, yes: bool) -> ExpectReport:
    """Have a language model write the questions of a library, after its user has agreed to the cost.

    Raises SettingsError where no model is set, click.Abort if the user does not agree.
    """
    from wellsourced.ingest.expected_questions import count_questions, embed_questions, plan_questions, write_questions

    if not settings.model:
        raise SettingsError(messages.EXPECT_NEEDS_MODEL, next_step=NextStep("choose model"))
    # Only the model is needed: searching nothing, it loads no encoder.
    alone = settings.model_copy(update={"guidelines": False, "encoder": "none", "reranker": "none", "live": ()})
    async with AsyncExitStack() as stack:
        library = await stack.enter_async_context(config.open_library(settings, name, write=True))
        context = await stack.enter_async_context(config.open_context(alone, libraries=[name], emit=watch))
        model, plan = context.judging_model, await plan_questions(library)
        if plan.parts:
            watch.close()
            click.echo(describe_plan(plan, model), err=True)
            if not yes:
                click.confirm(messages.CONFIRM_EXPECT.format(model=sanitize_line(model.name)), abort=True, err=True)
        with use_cost_tracker(CostTracker(emit=watch)) as tracker:
            try:
                added = await write_questions(library, model, plan, watch)
            finally:
                # Stopped, it keeps what was written, and that can be found.
                await embed_questions(library, build_question_encoder(settings, None), watch)
        return ExpectReport(added, await count_questions(library), tracker.spent)


def describe_plan(plan: "WritingPlan", model: Model) -> str:
    """What a language model would be asked, and what that would cost, as far as its price is known."""
    cost = model.estimate_cost(plan.tokens_in, plan.tokens_out) if isinstance(model, PricedModel) else None
    price = messages.PRICE_UNKNOWN if cost is None else messages.ABOUT_DOLLARS.format(dollars=cost)
    sections, written = format_count(plan.parts, "section"), plan.written
    done = messages.SECTIONS_WRITTEN.format(written=written) if written else ""
    return messages.EXPECT_PLAN.format(
        sections=sections, done=done, tokens_in=plan.tokens_in, tokens_out=plan.tokens_out, price=price
    )


def print_expected(ctx: click.Context, name: str, report: ExpectReport, *, is_file: bool, as_json: bool) -> None:
    """Report what was added and what was not; exit status 1 when anything was not."""
    added, counts, spent = report
    code = EXIT_FAILURE if added.faults else 0
    if as_json:
        faults = [{"where": where, "reason": reason} for where, reason in added.faults]
        print_data({**added._asdict(), "faults": faults, **counts._asdict(), "spent": spent.model_dump()})
        ctx.exit(code)
    click.echo(messages.questions_added(name, added.added, added.known, added.replaced, counts.questions))
    if counts.stale:
        click.echo(messages.QUESTIONS_STALE.format(count=format_count(counts.stale, "question")))
    if added.faults:
        count = format_count(len(added.faults), "row" if is_file else "section")
        click.echo(f"\n{messages.EXPECT_FAULTS.format(count=count)}", err=True)
    for where, reason in added.faults[:MAX_NAMED_FAULTS]:
        click.echo(f"  {sanitize_line(f'{where}: {reason}')}", err=True)
    if len(added.faults) > MAX_NAMED_FAULTS:
        click.echo(f"  {messages.MORE_FAULTS.format(number=len(added.faults) - MAX_NAMED_FAULTS)}", err=True)
    ctx.exit(code)
