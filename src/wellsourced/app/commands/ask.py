"""`wellsourced ask`: a question in, an answer or an abstention out."""

import asyncio
from datetime import date
from pathlib import Path

import click

from wellsourced import config
from wellsourced.api import ask as answer_to
from wellsourced.app.answer_output import EXIT_ABSTAINED, add_output_options, print_answer, run_with_context
from wellsourced.app.progress import watch_progress
from wellsourced.app.question_input import (
    add_limit_options,
    build_question,
    choice_option,
    given_option,
    patient_option,
)
from wellsourced.citations.reference_styles import CitationStyle


@click.command(
    short_help="Answer a question from the sources.",
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
    as_json: bool,
    quotes: bool | None,
    style: CitationStyle | None,
    references: Path | None,
    options: dict[str, str],
    given: tuple[str, ...],
    patient: str,
    libraries: tuple[str, ...],
    live: tuple[config.LiveSourceName, ...],
    since: date | None,
    as_of: date | None,
    exclude: tuple[str, ...],
) -> None:
    """Answer QUESTION from the sources, each statement with its place; without sources, say so (exit status 3).

    Without --model, statements are the sources' own sentences. Nothing leaves this machine unless --live, or the
    setting `live`, names a source on the network, or --model a provider. The question may also come on standard input:
    give - or nothing.
    """
    asked = build_question(question, since, as_of, exclude, options=options, given=given, patient=patient)
    with watch_progress() as watch:
        answer = asyncio.run(
            run_with_context(
                config.load(ctx.obj), libraries, live, watch, lambda context: answer_to(asked, context, watch)
            )
        )
    print_answer(answer, as_json, quotes, style, references)
    ctx.exit(EXIT_ABSTAINED if answer.abstained else 0)
