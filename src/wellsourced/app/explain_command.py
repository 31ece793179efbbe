"""`wellsourced explain`: a medical order in plain language, term by term."""

import asyncio
from typing import TYPE_CHECKING, BinaryIO

import click

from wellsourced import config
from wellsourced.app.answering import ABSTAINED, answer_json_option, page, quotes_option, with_kit
from wellsourced.app.asking import library_option, live_option, patient_option, text_of
from wellsourced.app.cited import numbered
from wellsourced.app.noted import told_spent
from wellsourced.app.options import RegularFile
from wellsourced.app.progress import watching
from wellsourced.app.render import closing, gaps, joined, said
from wellsourced.app.terminal import Page, emit_json
from wellsourced.types import Answer

if TYPE_CHECKING:
    from wellsourced.explain import Explanation

PLAIN = 8
"""Years of schooling that what patients read should take at most, as health services advise."""


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
@click.argument("order", type=RegularFile())
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
    # Its rules take time to load, which no other command should wait for.
    from wellsourced.explain import explain as explained

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
        emit_json(told.model_dump_json(indent=2))
    else:
        click.echo(rendered(told, page(quotes)), nl=False)
    answers = [one.answer for one in told.terms] + ([told.follow_up] if told.follow_up else [])
    ctx.exit(0 if any(not answer.abstained for answer in answers) else ABSTAINED)


def rendered(told: "Explanation", page: Page) -> str:
    """What is asked about the order, each term under its name, and once what is to be known of all of it."""
    answers = [one.answer for one in told.terms] + ([told.follow_up] if told.follow_up else [])
    parts = []
    if told.follow_up:
        parts.append(headed(told.follow_up.question.asked or told.follow_up.question.text, told.follow_up, page))
    parts += [headed(one.term, one.answer, page) for one in told.terms if not one.answer.abstained]
    missing = list(dict.fromkeys(gap for answer in answers for gap in answer.gaps))
    return "\n".join(
        (*parts, joined(unexplained(told, page), about(told, page), gaps(missing, page), closing(answers, page)))
    )


def headed(title: str, answer: Answer, page: Page) -> str:
    """An answer under its title, down to its references."""
    return joined([page.heading(line) for line in page.wrap(title)], *said(answer, numbered(answer), page))


def unexplained(told: "Explanation", page: Page) -> list[str]:
    """The terms for which nothing was found, in one place: their reader wants the others."""
    without = [one for one in told.terms if one.answer.abstained]
    lines = [page.heading("Not explained")] if without else []
    for reason in dict.fromkeys(one.answer.reason for one in without):
        names = ", ".join(one.term for one in without if one.answer.reason == reason)
        lines += page.wrap(f"{names}: {reason}", "    ", "  ")
    if not told.terms:
        lines += page.wrap("No term is explained: none was found in the order that wants it, as far as can be told.")
    return lines


def about(told: "Explanation", page: Page) -> list[str]:
    """How the explanation was made, how hard it is to read, and what models were asked for it."""
    notes = [*told.notes, *dict.fromkeys(note for one in told.terms for note in one.answer.notes)]
    notes += told.follow_up.notes if told.follow_up else ()
    if told.reading_level is not None:
        hard = f", harder than the {PLAIN} that is advised for patients" if told.reading_level > PLAIN else ""
        notes.append(f"reading level: grade {told.reading_level:.0f} (Flesch–Kincaid){hard}")
    if told.spent.calls or told.spent.cached:
        notes.append(told_spent(told.spent))
    lines = [page.heading("About this explanation")] if notes else []
    return lines + [line for note in dict.fromkeys(notes) for line in page.wrap(note, "    ", "  ")]
