"""`wellsourced ask`: a question in, an answer or an abstention out."""

import click

from wellsourced.api import ask as answer_to
from wellsourced.app.answer_output import OutputOptions, add_output_options, finish_with_answer, run_with_context
from wellsourced.app.question_input import (
    QuestionLimits,
    add_limit_options,
    build_question,
    choice_option,
    given_option,
    patient_option,
)


@click.command(
    epilog="""
    \b
    Examples:
      wellsourced ask "What is first-line therapy for heart failure with reduced ejection fraction?"
      wellsourced ask --live pubmed "Does semaglutide slow diabetic kidney disease?"
      wellsourced ask --since 2015 --as-of 2020-06 --library trials "Does colchicine prevent gout flares?"
      wellsourced ask --model ollama:qwen3 --preset clinfo "Does colchicine prevent gout flares?"
      wellsourced ask --option A=yes --option B=no "Is aspirin stopped before surgery?"
      echo "When is aspirin stopped before surgery?" | wellsourced ask --json
    """,
)
@click.argument("question", nargs=-1)
@add_output_options
@choice_option
@given_option
@patient_option
@add_limit_options
@click.pass_context
def ask(
    ctx: click.Context,
    question: tuple[str, ...],
    output: OutputOptions,
    options: dict[str, str],
    given: tuple[str, ...],
    patient: str,
    limits: QuestionLimits,
) -> None:
    """Answer QUESTION from the sources, each statement with its place; without sources, say so (exit status 3).

    Without --model, statements are the sources' own sentences. Nothing leaves this machine unless --live, or the
    setting `live`, names a source on the network, or --model a provider. The question may also come on standard input:
    give - or nothing.
    """
    asked = build_question(question, limits, options=options, given=given, patient=patient)
    answer = run_with_context(ctx, limits, lambda context, watch: answer_to(asked, context, watch))
    finish_with_answer(ctx, answer, output)
