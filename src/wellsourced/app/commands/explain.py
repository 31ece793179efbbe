"""`wellsourced explain`: a medical order in plain language, term by term."""

from typing import BinaryIO

import click

from wellsourced.app.answer_output import answer_json_option, new_run, quotes_option, run_with_context
from wellsourced.app.exits import EXIT_NOTHING
from wellsourced.app.options import RegularFile, SectionedCommand
from wellsourced.app.question_input import QuestionLimits, add_source_options, patient_option, read_text_file
from wellsourced.app.terminal import detect_page, print_json, print_result
from wellsourced.presentation.explanations import build_explanation


@click.command(cls=SectionedCommand)
@click.argument("order", type=RegularFile())
@click.option("--ask", "asked", default="", metavar="QUESTION", help="Also answer this question on the order.")
@click.option("--terms", "count", default=12, show_default=True, type=click.IntRange(0, 40), help="Maximum terms.")
@patient_option
@add_source_options
@answer_json_option
@quotes_option
@click.pass_context
def explain(
    ctx: click.Context,
    order: BinaryIO,
    patient: str,
    asked: str,
    count: int,
    as_json: bool,
    quotes: bool | None,
    limits: QuestionLimits,
) -> None:
    """Explain the terms in the file ORDER (- for standard input), each in the words of a source.

    Abbreviations of prescriptions (PO, BID, 10 mg) are put into our own plain words, and marked as such. Terms without
    a source are listed as not explained. The order is treated as a patient's record: only its terms are searched for.
    """
    # Its rules take time to load, which no other command should wait for.
    from wellsourced.orders.explanation import explain as explained

    text = read_text_file(ctx, ctx.command.params[0], order)
    run = new_run(ctx, "order")
    order_explained = run_with_context(
        ctx,
        limits,
        lambda context, emit: explained(text, context, patient=patient, asked=asked, limit=count, emit=emit),
        run,
    )
    run.conclude(order_explained)
    if as_json:
        print_json(order_explained.model_dump_json(indent=2))
    else:
        print_result(build_explanation(order_explained), detect_page(quotes))
    answers = [term.answer for term in order_explained.terms]
    answers += [order_explained.follow_up] if order_explained.follow_up else []
    ctx.exit(0 if order_explained.signs or any(not answer.abstained for answer in answers) else EXIT_NOTHING)
