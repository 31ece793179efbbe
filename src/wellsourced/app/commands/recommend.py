"""`wellsourced recommend`: a question about one patient, answered as an evidence-based recommendation."""

import asyncio
from datetime import date
from pathlib import Path

import click

from wellsourced import config
from wellsourced.app.answer_output import EXIT_ABSTAINED, add_output_options, print_answer, run_with_context
from wellsourced.app.progress import watch_progress
from wellsourced.app.question_input import add_limit_options, build_question, patient_option
from wellsourced.citations.reference_styles import CitationStyle
from wellsourced.types import Pico


@click.command(
    short_help="Answer as a recommendation for one patient.",
    epilog="""
    \b
    Examples:
      wellsourced recommend --patient case.txt "Should she take an SGLT2 inhibitor?"
      wellsourced recommend --population "adults with gout and CKD 4" --intervention colchicine
      wellsourced recommend --model ollama:qwen3 --preset lins-ebm --patient case.txt "Anticoagulate?"
    """,
)
@click.argument("question", nargs=-1)
@add_output_options
@patient_option
@click.option("--population", default="", metavar="TEXT", help="PICO: the people that it is about.")
@click.option("--intervention", default="", metavar="TEXT", help="PICO: what may be done.")
@click.option("--comparison", default="", metavar="TEXT", help="PICO: what else may be done.")
@click.option("--outcome", default="", metavar="TEXT", help="PICO: what is to be gained or avoided.")
@add_limit_options
@click.pass_context
def recommend(
    ctx: click.Context,
    question: tuple[str, ...],
    as_json: bool,
    quotes: bool | None,
    style: CitationStyle | None,
    references: Path | None,
    patient: str,
    population: str,
    intervention: str,
    comparison: str,
    outcome: str,
    libraries: tuple[str, ...],
    live: tuple[config.LiveSourceName, ...],
    since: date | None,
    as_of: date | None,
    exclude: tuple[str, ...],
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
    asked = build_question(words, since, as_of, exclude, patient=patient, pico=given)
    with watch_progress() as watch:
        answer = asyncio.run(
            run_with_context(
                config.load(ctx.obj), libraries, live, watch, lambda context: recommended(asked, context, watch)
            )
        )
    print_answer(answer, as_json, quotes, style, references)
    ctx.exit(EXIT_ABSTAINED if answer.abstained else 0)
