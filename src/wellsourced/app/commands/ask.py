"""`wellsourced ask` and `recommend`: a question in, an answer or an abstention out."""

import click

from wellsourced.api import ask as answer_to
from wellsourced.app import question_input
from wellsourced.app.answer_output import OutputOptions, add_output_options, answer_question
from wellsourced.app.options import SectionedCommand
from wellsourced.types import Pico


@click.command(cls=SectionedCommand)
@click.argument("question", nargs=-1)
@question_input.choice_option
@question_input.given_option
@question_input.patient_option
@question_input.add_limit_options
@add_output_options
@click.pass_context
def ask(
    ctx: click.Context,
    question: tuple[str, ...],
    output: OutputOptions,
    options: dict[str, str],
    given: tuple[str, ...],
    patient: str,
    limits: question_input.QuestionLimits,
) -> None:
    """Answer QUESTION in the exact words of sources, or say that none answers it."""
    asked = question_input.build_question(question, limits, options=options, given=given, patient=patient)
    answer_question(ctx, asked, limits, output, answer_to)


@click.command(cls=SectionedCommand)
@click.argument("question", nargs=-1)
@question_input.patient_option
@click.option("--population", default="", metavar="TEXT", help="PICO: the people.")
@click.option("--intervention", default="", metavar="TEXT", help="PICO: the treatment or action.")
@click.option("--comparison", default="", metavar="TEXT", help="PICO: the alternative.")
@click.option("--outcome", default="", metavar="TEXT", help="PICO: the result to gain or avoid.")
@question_input.add_limit_options
@add_output_options
@click.pass_context
def recommend(
    ctx: click.Context,
    question: tuple[str, ...],
    output: OutputOptions,
    patient: str,
    population: str,
    intervention: str,
    comparison: str,
    outcome: str,
    limits: question_input.QuestionLimits,
) -> None:
    """Answer QUESTION for one patient: what was read in the record, lines of sources to check, and the answer.

    The patient's text never goes to a search engine. A language model sees it only if the setting `patient_to` allows
    that. PICO may replace the question or complete it.
    """
    # Its rules take time to load, which no other command should wait for.
    from wellsourced.recommendation import recommend as recommended

    pico = Pico(population=population, intervention=intervention, comparison=comparison, outcome=outcome)
    given = pico if any(pico.model_dump().values()) else None
    words = question or ((" ".join(filter(None, pico.model_dump().values())),) if given else ())
    asked = question_input.build_question(words, limits, patient=patient, pico=given)
    answer_question(ctx, asked, limits, output, recommended)
