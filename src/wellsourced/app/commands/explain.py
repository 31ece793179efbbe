"""`wellsourced explain`: a medical order in plain language, term by term."""

from typing import BinaryIO

import click

from wellsourced.app.answer_output import answer_json_option, detect_page, new_run, quotes_option, run_with_context
from wellsourced.app.exits import EXIT_NOTHING
from wellsourced.app.options import RegularFile
from wellsourced.app.question_input import QuestionLimits, add_source_options, patient_option, read_text_file
from wellsourced.app.terminal import print_json, print_result
from wellsourced.presentation.explanations import build_explanation

DEFAULT_TERMS = 12
"""Terms that are explained where no number is given, as `explain.explanation.MAX_TERMS`."""


@click.command(
    epilog="""
    \b
    Examples:
      wellsourced explain order.txt
      wellsourced explain order.txt --patient record.txt --ask "Can I eat before the test?"
      wellsourced explain --model local:qwen.gguf --preset lins-moe order.txt
    """
)
@click.argument("order", type=RegularFile())
@patient_option
@click.option("--ask", "asked", default="", metavar="QUESTION", help="Answer this about the order too.")
@click.option(
    "--terms", "count", default=DEFAULT_TERMS, show_default=True, type=click.IntRange(0, 40), help="Terms, at most."
)
@answer_json_option
@quotes_option
@add_source_options
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
    """Explain the terms of the file ORDER (- for standard input), each from sources, and answer a question about it.

    The signs of a prescription (PO, BID, 10 mg) are put into plain words by the program itself, and told as that.
    A term is explained by a sentence of a source that says what it is; where none does, it is listed as not explained.

    The order is treated as a patient's text: only its terms are searched for, and no language model sees it that the
    setting `patient_to` does not name. The reading level of what is said is told (Flesch–Kincaid).
    """
    # Its rules take time to load, which no other command should wait for.
    from wellsourced.explain.explanation import explain as explained

    text = read_text_file(ctx, ctx.command.params[0], order)
    run = new_run(ctx, "order")
    told = run_with_context(
        ctx,
        limits,
        lambda context, emit: explained(text, context, patient=patient, asked=asked, limit=count, emit=emit),
        run,
    )
    run.conclude(told)
    if as_json:
        print_json(told.model_dump_json(indent=2))
    else:
        print_result(build_explanation(told), detect_page(quotes))
    answers = [one.answer for one in told.terms] + ([told.follow_up] if told.follow_up else [])
    ctx.exit(0 if told.signs or any(not answer.abstained for answer in answers) else EXIT_NOTHING)
