"""`wellsourced probe`: what an answerer can be tried with: questions from pages, and variants of one question."""

import asyncio
import json
from collections.abc import Sequence

import click

from wellsourced import config
from wellsourced.app.answering import with_kit
from wellsourced.app.asking import library_option, live_option, typed
from wellsourced.app.options import json_option
from wellsourced.app.progress import Watch, watching
from wellsourced.app.terminal import emit, emit_json, safe
from wellsourced.errors import SettingsError, WellsourcedError
from wellsourced.kit import Context
from wellsourced.models.base import Model
from wellsourced.probing.comparing import AnswerChange, compare_answers, mean_shared_works
from wellsourced.probing.questions import QuestionBatch, RejectedPage, generate_questions
from wellsourced.probing.variants import Variants, make_variants
from wellsourced.stream import ask
from wellsourced.types import Document, Question

NOTHING = 3
"""Exit status when nothing could be made."""


@click.group(short_help="Make questions from pages, and variants of a question, to try an answerer with.")
def probe() -> None:
    """Make what an answerer can be tried with: questions that a page answers, variants that change nothing."""


@probe.command(
    "page",
    short_help="Make a question from a page, with the words that answer it.",
    epilog="""
    \b
    Examples:
      wellsourced --model ollama:qwen3 probe page https://medlineplus.gov/gout.html
      wellsourced --model local:qwen.gguf probe page --json leaflets/*.pdf > questions.jsonl
    """,
)
@click.argument("pages", nargs=-1, required=True, metavar="PAGE…")
@json_option
@click.pass_context
def page_(ctx: click.Context, pages: tuple[str, ...], as_json: bool) -> None:
    """Make one question from each PAGE (a file or an address), its answer, and the words of the page that answer it.

    A question that speaks of “this page”, or whose words are not in the page, is rejected, and told. It takes a
    language model (--model). With --json a line for each question.
    """
    settings = config.load(ctx.obj)
    with watching() as watch:
        made = asyncio.run(_made(pages, settings, watch))
    for line in _json_lines(made) if as_json else _lines(made):
        (emit_json if as_json else emit)(line)
    for one in made.rejected:
        click.echo(safe(f"{one.source}: {one.reason}."), err=True)
    ctx.exit(0 if made.questions else NOTHING)


@probe.command(
    "vary",
    short_help="Ask a question in other manners that change nothing in its answer.",
    epilog="""
    \b
    Examples:
      wellsourced probe vary "Is metformin safe in chronic kidney disease?"
      wellsourced --model ollama:qwen3 probe vary --answer "Is metformin safe in chronic kidney disease?"
    """,
)
@click.argument("question", nargs=-1)
@click.option("--answer", "answered", is_flag=True, help="Answer all of them, and tell what changes.")
@json_option
@library_option
@live_option
@click.pass_context
def vary(
    ctx: click.Context,
    question: tuple[str, ...],
    answered: bool,
    as_json: bool,
    libraries: tuple[str, ...],
    live: tuple[config.Live, ...],
) -> None:
    """Ask QUESTION in lay words, by somebody of a certain age, with another condition, in other words, in few words.

    Every number, drug and “not” is kept, or the variant is left out, and told. Without --model only what rules can do
    is done. With --answer each is answered, and what changes is told: whether it is answered, the share of supported
    statements, the works cited (Jaccard).
    """
    asked = typed(question, "Give a question to vary.")
    with watching() as watch:
        made, changes = asyncio.run(
            with_kit(config.load(ctx.obj), libraries, live, watch, lambda kit: _varied(asked, answered, kit, watch))
        )
    if as_json:
        emit_json(json.dumps(_as_data(made, changes), ensure_ascii=False, indent=2))
    else:
        for line in _told(made, changes):
            emit(line)
    ctx.exit(0 if made.made else NOTHING)


# --- pages ---------------------------------------------------------------------------------------------------------


async def _made(pages: Sequence[str], settings: config.Settings, watch: Watch) -> QuestionBatch:
    if not settings.model:
        raise SettingsError(
            "A question is made by a language model: --model ollama:NAME, local:FILE.gguf, openai:NAME …"
        )
    documents: list[Document] = []
    unread: list[RejectedPage] = []
    for name in pages:
        watch.say(f"Reading {name}")
        try:
            documents.append(await config.page_named(name, settings))
        except WellsourcedError as error:
            unread.append(RejectedPage(source=name, reason=str(error).rstrip(".")))

    async def work(kit: Context) -> QuestionBatch:
        return await generate_questions(documents, kit.model)

    made = await with_kit(settings, (), (), watch, work) if documents else QuestionBatch()
    return made._replace(rejected=(*unread, *made.rejected))


def _json_lines(made: QuestionBatch) -> list[str]:
    return [one.model_dump_json() for one in made.questions]


def _lines(made: QuestionBatch) -> list[str]:
    return [
        safe(line)
        for one in made.questions
        for line in (one.question, f"  {one.answer}", f"  “{one.excerpt}” ({one.source})", "")
    ]


# --- variants ------------------------------------------------------------------------------------------------------


async def _varied(
    question: str, answered: bool, kit: Context, watch: Watch
) -> tuple[Variants, tuple[AnswerChange, ...]]:
    model: Model | None = kit.judging_model if kit.has_model else None
    made = await make_variants(question, model)
    if not answered:
        return made, ()
    original = await ask(Question(text=question), kit, watch)
    changes = []
    for one in made.made:
        watch.say(f"Answering the {one.manner} variant")
        changes.append(compare_answers(one, await ask(Question(text=one.question), kit, watch), original))
    return made, tuple(changes)


def _as_data(made: Variants, changes: Sequence[AnswerChange]) -> dict[str, object]:
    return {
        "variants": [one.model_dump() for one in made.made],
        "left_out": [one.model_dump() for one in made.left_out],
        "changes": [one.model_dump() for one in changes],
        "steady": mean_shared_works(changes),
    }


def _told(made: Variants, changes: Sequence[AnswerChange]) -> list[str]:
    became = {one.manner: f"\n    {_became(one)}" for one in changes}
    lines = [safe(f"{one.manner}: {one.question}") + became.get(one.manner, "") for one in made.made]
    lines += [safe(f"{one.manner}: left out, since {one.reason}") for one in made.left_out]
    if (mean := mean_shared_works(changes)) is not None:
        lines.append(f"On average {mean:.0%} of the works that are cited stay the same.")
    return lines


def _became(one: AnswerChange) -> str:
    parts = [
        "answered" if one.answered else "not answered" + (", and the question itself is" if one.before else ""),
        f"{one.supported:.0%} of the draft supported" if one.supported is not None else "",
        f"{one.shared:.0%} of the works are the same" if one.shared is not None else "",
        {True: "the same choice", False: "another choice", None: ""}[one.same_choice],
    ]
    return "; ".join(filter(None, parts))
