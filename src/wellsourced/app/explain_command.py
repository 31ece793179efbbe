"""`wellsourced explain`: a medical order in plain language, term by term."""

import asyncio
from typing import BinaryIO

import click

from wellsourced import config
from wellsourced.app.answering import ABSTAINED, answer_json_option, page, quotes_option, with_kit
from wellsourced.app.asking import library_option, live_option, patient_option, text_of
from wellsourced.app.progress import watching
from wellsourced.app.render import render
from wellsourced.app.terminal import Page, emit
from wellsourced.explain import Explanation
from wellsourced.explain import explain as explained


@click.command(
    short_help="Explain a medical order in plain language.",
    epilog="""
    \b
    Examples:
      wellsourced explain order.txt
      wellsourced explain order.txt --patient record.txt --ask "Can I eat before the test?"
      wellsourced explain --model local:qwen.gguf --preset lins-moe order.txt
    """,
)
@click.argument("order", type=click.File("rb"))
@patient_option
@click.option("--ask", "asked", default="", metavar="QUESTION", help="Answer this about the order too.")
@click.option("--terms", "limit", default=4, show_default=True, type=click.IntRange(0, 20), help="Terms, at most.")
@answer_json_option
@quotes_option
@library_option
@live_option
@click.pass_context
def explain(
    ctx: click.Context,
    order: BinaryIO,
    patient: str,
    asked: str,
    limit: int,
    as_json: bool,
    quotes: bool | None,
    libraries: tuple[str, ...],
    live: tuple[config.Live, ...],
) -> None:
    """Explain the terms of the file ORDER (- for standard input), each from sources, and answer a question about it.

    The order is treated as a patient's text: only its terms are searched for, and no language model sees it that the
    setting `patient_to` does not name. The reading level of what is said is told (Flesch–Kincaid).
    """
    text = text_of(ctx, ctx.command.params[0], order)
    with watching() as watch:
        told = asyncio.run(
            with_kit(
                config.load(ctx.obj),
                libraries,
                live,
                watch,
                lambda kit: explained(text, kit, patient=patient, asked=asked, limit=limit, tell=watch),
            )
        )
    if as_json:
        emit(told.model_dump_json(indent=2))
    else:
        click.echo(rendered(told, page(quotes)), nl=False)
    said = [one.answer for one in told.terms] + ([told.follow_up] if told.follow_up else [])
    ctx.exit(0 if any(not answer.abstained for answer in said) else ABSTAINED)


def rendered(told: Explanation, page: Page) -> str:
    """Each term under its name, the follow-up, and what is to be known of all of it."""
    parts = [f"{page.heading(one.term)}\n{render(one.answer, page)}" for one in told.terms]
    if not told.terms:
        parts.append("No term of the order wants explaining, as far as can be told.\n")
    if told.follow_up:
        parts.append(f"{page.heading(told.follow_up.question.asked or told.follow_up.question.text)}\n")
        parts.append(render(told.follow_up, page))
    notes = [line for note in told.notes for line in page.wrap(note, "    ", "  ")]
    if told.reading_level is not None:
        notes += page.wrap(f"reading level: grade {told.reading_level:.0f} (Flesch–Kincaid)", "    ", "  ")
    if notes:
        parts.append("\n".join([page.heading("About this explanation"), *notes]) + "\n")
    return "\n".join(parts)
