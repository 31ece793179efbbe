"""`wellsourced ask` and `recommend`: a question in, an answer or an abstention out, for one patient as a
recommendation.
"""

import click

from wellsourced.api import ask as answer_to
from wellsourced.app import question_input
from wellsourced.app.answer_output import (
    OutputOptions,
    add_output_options,
    finish_with_answer,
    new_run,
    run_with_context,
)
from wellsourced.types import Pico


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
    """
)
@click.argument("question", nargs=-1)
@add_output_options
@question_input.choice_option
@question_input.given_option
@question_input.patient_option
@question_input.add_limit_options
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
    """Answer QUESTION from the sources, each statement with its place; without sources, say so (exit status 3).

    Without --model, statements are the sources' own sentences. Nothing leaves this machine unless --live, or the
    setting `live`, names a source on the network, or --model a provider. The question may also come on standard input:
    give - or nothing.
    """
    asked = question_input.build_question(question, limits, options=options, given=given, patient=patient)
    run = new_run(ctx, "question", asked)
    answer = run_with_context(ctx, limits, lambda context, emit: answer_to(asked, context, emit), run)
    finish_with_answer(ctx, answer, output, run)


@click.command(
    epilog="""
    \b
    Examples:
      wellsourced recommend --patient case.txt "Should she take an SGLT2 inhibitor?"
      wellsourced recommend --population "adults with gout and CKD 4" --intervention colchicine
      wellsourced recommend --model ollama:qwen3 --preset lins-ebm --patient case.txt "Anticoagulate?"
    """
)
@click.argument("question", nargs=-1)
@add_output_options
@question_input.patient_option
@click.option("--population", default="", metavar="TEXT", help="PICO: the people that it is about.")
@click.option("--intervention", default="", metavar="TEXT", help="PICO: what may be done.")
@click.option("--comparison", default="", metavar="TEXT", help="PICO: what else may be done.")
@click.option("--outcome", default="", metavar="TEXT", help="PICO: what is to be gained or avoided.")
@question_input.add_limit_options
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
    """Answer QUESTION for one patient: what sources recommend, how strongly and how surely as they say themselves, and
    what of the patient the evidence does not fit.

    The patient's text never goes to a search engine, and to a language model only as the setting `patient_to` allows;
    without a model it is compared with the evidence here, by rule. PICO may be given instead of a question, or with it.
    """
    # Its rules take time to load, which no other command should wait for.
    from wellsourced.recommend.recommendation import recommend as recommended

    pico = Pico(population=population, intervention=intervention, comparison=comparison, outcome=outcome)
    given = pico if any(pico.model_dump().values()) else None
    words = question or ((" ".join(filter(None, pico.model_dump().values())),) if given else ())
    asked = question_input.build_question(words, limits, patient=patient, pico=given)
    run = new_run(ctx, "question", asked)
    answer = run_with_context(ctx, limits, lambda context, emit: recommended(asked, context, emit), run)
    finish_with_answer(ctx, answer, output, run)
