"""`wellsourced probe`: test questions for a question-answering system, and its prompts one by one."""

import asyncio
import json
from pathlib import Path
from typing import Any

import click

from wellsourced import config
from wellsourced.app.exits import EXIT_FAILURE, EXIT_NOTHING
from wellsourced.app.options import EXISTING_FILE, json_option
from wellsourced.app.progress import watch_progress
from wellsourced.app.question_input import read_words
from wellsourced.app.terminal import print_data, print_json, print_utf8
from wellsourced.errors import ModelError, SettingsError
from wellsourced.presentation.wording import format_count
from wellsourced.readers.decompressed_file import iter_lines
from wellsourced.text.sanitization import sanitize_line
from wellsourced_evaluate.agents import AgentRow, ask_agent, build_prompt, describe_agents, find_agent, read_reply
from wellsourced_evaluate.commands.common import print_study
from wellsourced_evaluate.probing import Variant, make_variants
from wellsourced_evaluate.recorded_rows import build_rows, parse_object, refuse_faults
from wellsourced_evaluate.tables import Table


@click.group()
def probe() -> None:
    """Ask a question in other ways, or send one prompt of the pipeline by itself."""


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
      wellsourced --model ollama:qwen3 probe vary "Is metformin safe in chronic kidney disease?"
    """,
)
@click.argument("question", nargs=-1)
@json_option
@click.pass_context
def vary(ctx: click.Context, question: tuple[str, ...], as_json: bool) -> None:
    """Ask QUESTION in lay words, as a person of a certain age, with another condition, in other words, in few words.

    Every number, drug and “not” is kept, or the variant is left out and reported. Without --model, only rules make
    variants. `wellsourced evaluate robustness` answers variants, and reports what changes.
    """
    made = asyncio.run(_vary(read_words(question, "Give a question to vary."), config.load(ctx.obj)))
    variants = {one.manner: one.question for one in made if one.question}
    left_out = {one.manner: one.reason for one in made if one.reason}
    if as_json:
        told = {
            "variants": [{"manner": manner, "question": said} for manner, said in variants.items()],
            "left_out": [{"manner": manner, "reason": reason} for manner, reason in left_out.items()],
        }
        print_data(told)
    else:
        for manner, said in variants.items():
            print_utf8(sanitize_line(f"{manner}: {said}"))
        for manner, reason in left_out.items():
            print_utf8(sanitize_line(f"{manner}: left out, since {reason}"))
    ctx.exit(0 if variants else EXIT_NOTHING)


async def _vary(question: str, settings: config.Settings) -> list[Variant]:
    if not settings.model:
        return await make_variants(question)
    async with config.open_context(settings) as context:
        return await make_variants(question, context.judging_model)


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
