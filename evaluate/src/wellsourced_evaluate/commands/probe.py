"""`wellsourced probe`: test questions for a question-answering system: from pages, and variants of one question."""

import asyncio
import json
from pathlib import Path
from statistics import fmean
from typing import Any

import click

from wellsourced import config
from wellsourced.api import ask
from wellsourced.app.answer_output import run_with_context
from wellsourced.app.exits import EXIT_FAILURE, EXIT_NOTHING
from wellsourced.app.options import EXISTING_FILE, json_option
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.app.question_input import QuestionLimits, add_source_options, read_words
from wellsourced.app.terminal import print_data, print_json, print_utf8
from wellsourced.context import Context
from wellsourced.errors import ModelError, SettingsError, WellsourcedError
from wellsourced.presentation.wording import format_count
from wellsourced.readers.decompressed_file import iter_lines
from wellsourced.text.sanitization import sanitize_line
from wellsourced.types import Document, Question
from wellsourced_evaluate.agents import AgentRow, ask_agent, build_prompt, describe_agents, find_agent, read_reply
from wellsourced_evaluate.commands.common import print_study
from wellsourced_evaluate.probing import (
    AnswerChange,
    GeneratedQuestion,
    RejectedPage,
    Variant,
    compare_answers,
    generate_question,
    make_variants,
    open_page,
)
from wellsourced_evaluate.recorded_rows import build_rows, parse_object, refuse_faults, to_plain
from wellsourced_evaluate.tables import Table


@click.group()
def probe() -> None:
    """Generate test questions for a question-answering system: from pages, or as variants of one question."""


@probe.command(
    "page",
    short_help="Make a question from a page, with the words that answer it.",
    epilog="""
    \b
    Examples:
      wellsourced --model ollama:qwen3 probe page https://medlineplus.gov/gout.html
      wellsourced --model ollama:qwen3 probe page --json leaflets/*.pdf > questions.jsonl
    """,
)
@click.argument("pages", nargs=-1, required=True, metavar="PAGE…")
@json_option
@click.pass_context
def page_(ctx: click.Context, pages: tuple[str, ...], as_json: bool) -> None:
    """Make one question from each PAGE (a file or an address), its answer, and the words of the page that answer it.

    A question that mentions “this page”, or whose words are not in the page, is rejected and reported. It needs a
    language model (--model). With --json, one line per question.
    """
    settings = config.load(ctx.obj)
    with watch_progress() as watch:
        made = asyncio.run(_ask_of_pages(pages, settings, watch))
    for one in made:
        if isinstance(one, RejectedPage):
            click.echo(sanitize_line(f"{one.source}: {one.reason}."), err=True)
        elif as_json:
            print_json(one.model_dump_json())
        else:
            for line in (one.question, f"  {one.answer}", f"  “{one.excerpt}” ({one.source})", ""):
                print_utf8(sanitize_line(line))
    ctx.exit(0 if any(isinstance(one, GeneratedQuestion) for one in made) else EXIT_NOTHING)


async def _ask_of_pages(
    pages: tuple[str, ...], settings: config.Settings, watch: ProgressWatch
) -> list[GeneratedQuestion | RejectedPage]:
    """The outcome for each page, unreadable ones first; a failure on one page affects only that page."""
    _require_model(settings)
    documents: list[Document] = []
    unread: list[GeneratedQuestion | RejectedPage] = []
    for name in pages:
        watch.show_step(f"Reading {name}")
        try:
            documents.append(await open_page(name, settings))
        except WellsourcedError as error:
            unread.append(RejectedPage(source=name, reason=error.phrase))
    if not documents:
        return unread
    watch.show_step("Opening the libraries")
    async with config.open_context(settings, emit=watch) as context:
        return unread + await asyncio.gather(*(generate_question(one, context.model) for one in documents))


def _require_model(settings: config.Settings) -> None:
    if not settings.model:
        raise SettingsError("It takes a language model: --model ollama:NAME, openai:NAME …")


@probe.command(
    "vary",
    short_help="Ask a question in other ways that should not change the answer.",
    epilog="""
    \b
    Examples:
      wellsourced probe vary "Is metformin safe in chronic kidney disease?"
      wellsourced --model ollama:qwen3 probe vary --answer "Is metformin safe in chronic kidney disease?"
    """,
)
@click.argument("question", nargs=-1)
@click.option("--answer", "answered", is_flag=True, help="Answer all of them, and report what changes.")
@json_option
@add_source_options
@click.pass_context
def vary(ctx: click.Context, question: tuple[str, ...], answered: bool, as_json: bool, limits: QuestionLimits) -> None:
    """Ask QUESTION in lay words, as a person of a certain age, with another condition, in other words, in few words.

    Every number, drug and “not” is kept, or the variant is left out and reported. Without --model, only rules make
    variants. With --answer each is answered, and changes are reported: whether it is answered, the share of supported
    statements, the works cited (Jaccard).
    """
    asked = read_words(question, "Give a question to vary.")

    async def work(context: Context, watch: ProgressWatch) -> tuple[list[Variant], list[AnswerChange]]:
        made = await make_variants(asked, context.judging_model if context.has_model else None)
        if not answered:
            return made, []
        original = await ask(Question(text=asked), context, watch)
        changes = []
        for one in (one for one in made if one.question):
            watch.show_step(f"Answering the {one.manner} variant")
            changes.append(compare_answers(one, await ask(Question(text=one.question), context, watch), original))
        return made, changes

    made, changes = run_with_context(ctx, limits, work)
    variants = {one.manner: one.question for one in made if one.question}
    left_out = {one.manner: one.reason for one in made if one.reason}
    shares = [one.shared for one in changes if one.shared is not None]
    steady = fmean(shares) if shares else None
    if as_json:
        told = {
            "variants": [{"manner": manner, "question": said} for manner, said in variants.items()],
            "left_out": [{"manner": manner, "reason": reason} for manner, reason in left_out.items()],
            **{"changes": changes, "steady": steady},
        }
        print_data(to_plain(told))
    else:
        became = {one.manner: f"\n    {_describe_change(one)}" for one in changes}
        for manner, said in variants.items():
            print_utf8(sanitize_line(f"{manner}: {said}") + became.get(manner, ""))
        for manner, reason in left_out.items():
            print_utf8(sanitize_line(f"{manner}: left out, since {reason}"))
        if steady is not None:
            print_utf8(f"On average {steady:.0%} of the works that are cited stay the same.")
    ctx.exit(0 if variants else EXIT_NOTHING)


def _describe_change(one: AnswerChange) -> str:
    parts = [
        "answered" if one.answered else "not answered" + (", and the question itself is" if one.before else ""),
        f"{one.supported:.0%} of the draft supported" if one.supported is not None else "",
        f"{one.shared:.0%} of the works are the same" if one.shared is not None else "",
        {True: "the same choice", False: "another choice", None: ""}[one.same_choice],
    ]
    return "; ".join(filter(None, parts))


@probe.command(
    "agent",
    short_help="Send one prompt of the pipeline to a language model by itself.",
    epilog="""
    \b
    Examples:
      wellsourced probe agent
      wellsourced --model ollama:qwen3 probe agent keywords question="Does colchicine prevent flares?" limit=5
      wellsourced --model ollama:qwen3 probe agent MakePico question="Is it safe?" patient="Man of 60 with gout."
      wellsourced --model ollama:qwen3 probe agent relevance --rows rows.jsonl > judged.jsonl

    \b
    A line of --rows for `relevance`; what is typed as FIELD=VALUE holds for all lines:
      {"id": "q1", "question": "Does it help?", "passages": [{"id": "p1", "text": "…"}]}

    \b
    Exit status: 0 replied, 1 a row cannot be used or a call failed, 2 bad use.
    """,
)
@click.argument("name", required=False)
@click.argument("fields", nargs=-1, metavar="[FIELD=VALUE]...")
@click.option("--rows", "path", type=EXISTING_FILE, metavar="FILE", help="Ask for each line of this file, in order.")
@json_option
@click.pass_context
def agent(ctx: click.Context, /, name: str | None, fields: tuple[str, ...], path: Path | None, as_json: bool) -> None:
    """Send the prompt NAME, and print the typed reply as JSON, one line per row.

    Without a NAME, list all prompts: what each is shown, what it replies and what it asks for. A word that occurs in
    only one NAME is enough. Your own instructions (the setting `prompts`) are used.
    """
    if name is None:
        cards = describe_agents()
        print_study([Table(("prompt", "is shown", "replies", "asks"), cards)], cards, as_json=as_json)
        return
    settings, kind = config.load(ctx.obj), find_agent(name)
    typed = dict(map(_read_field, fields))

    def build(line: bytes) -> AgentRow:
        row = parse_object(line)
        return AgentRow(id=row.pop("id", None), prompt=build_prompt(kind, {**typed, **row}))

    lines = ((f"line {number}", line) for number, line in iter_lines(path)) if path else [(kind.__name__, b"{}")]
    asked, faults = build_rows(lines, build, lambda _: ())
    if path:
        refuse_faults(path, faults)
    elif faults:
        raise click.UsageError(faults[0])
    _require_model(settings)
    with watch_progress() as watch:
        watch.show_step(f"Asking {format_count(len(asked), 'prompt')}")
        replies = asyncio.run(ask_agent([one.prompt for one in asked], settings, watch))
    for one, reply in zip(asked, replies, strict=True):
        said = {"error": str(reply)} if isinstance(reply, ModelError) else read_reply(one.prompt, reply)
        print_json(json.dumps({**({} if one.id is None else {"id": one.id}), **said}, ensure_ascii=False))
    ctx.exit(EXIT_FAILURE if any(isinstance(reply, ModelError) for reply in replies) else 0)


def _read_field(typed: str) -> tuple[str, Any]:
    """A field and its value: JSON, or else a text."""
    name, mark, value = typed.partition("=")
    if not mark:
        raise click.UsageError(f'“{typed}” is not FIELD=VALUE, for example question="…".')
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
