"""`wellsourced search`: everything that a question would be answered from, ranked, and nothing said about it."""

from collections.abc import Iterator

import click

from wellsourced.app.answer_output import detect_page, run_with_context
from wellsourced.app.exits import EXIT_NOTHING
from wellsourced.app.options import json_option
from wellsourced.app.progress import ProgressWatch
from wellsourced.app.question_input import QuestionLimits, add_limit_options, build_question
from wellsourced.app.render.answer import gap_lines
from wellsourced.app.render.search_receipt import describe_outcome, interpretation_lines, passage_lines
from wellsourced.app.terminal import TerminalPage, print_data
from wellsourced.context import Context
from wellsourced.pipeline.retrieve.retrieval import RetrievalResult, retrieve
from wellsourced.types import Gap, Question


@click.command(
    epilog="""
    \b
    Examples:
      wellsourced search "Does colchicine prevent gout flares?"
      wellsourced search --live pubmed --since 2020 "heart attack in young women"
      wellsourced --set planner=boolean search --library trials "metformin and heart failure"
    """,
)
@click.argument("question", nargs=-1)
@click.option("--limit", type=click.IntRange(1, 1_000), default=10, show_default=True, help="Passages, at most.")
@json_option
@add_limit_options
@click.pass_context
def search(
    ctx: click.Context,
    question: tuple[str, ...],
    limit: int,
    as_json: bool,
    limits: QuestionLimits,
) -> None:
    """Show the passages that fit QUESTION best, of all sources together, and how it was understood and searched for.

    It is the search that `wellsourced ask` makes, with every tier opened. Exit status 3 when nothing is found.
    """
    asked = build_question(question, limits)
    found, gaps = run_with_context(ctx, limits, lambda context, watch: search_sources(asked, context, watch))
    if as_json:
        print_data(search_data(found, gaps, limit))
    else:
        click.echo("\n".join(search_lines(found, gaps, limit, detect_page(quotes=False))))
    ctx.exit(0 if found.candidates else EXIT_NOTHING)


async def search_sources(
    question: Question, context: Context, watch: ProgressWatch
) -> tuple[RetrievalResult, tuple[Gap, ...]]:
    """Return what is found, and what the context lacks."""
    watch.show_step("Searching")
    return await retrieve(question, context), context.setup_gaps


def search_data(found: RetrievalResult, gaps: tuple[Gap, ...], limit: int) -> dict[str, object]:
    """Everything, for a program."""
    return {
        "question": found.question.model_dump(mode="json"),
        "passages": [{**one.passage.model_dump(mode="json"), "source": one.source} for one in found.candidates[:limit]],
        "attempts": [attempt.model_dump(mode="json") for attempt in found.attempts],
        "notes": list(found.notes),
        "gaps": [gap.model_dump(mode="json") for gap in gaps],
    }


def search_lines(found: RetrievalResult, gaps: tuple[Gap, ...], limit: int, page: TerminalPage) -> Iterator[str]:
    """Everything, for people."""
    if not found.candidates:
        yield "Nothing fits."
    for rank, one in enumerate(found.candidates[:limit], start=1):
        yield from passage_lines(rank, one.passage, page, one.source)
    told = [*interpretation_lines(found.question), *found.notes]
    told += [f"{one.search.source}, asked “{one.search.query.text}”: {describe_outcome(one)}" for one in found.attempts]
    yield "\n" + "\n".join(page.section("Searched", told) or [page.heading("Searched")])
    if gaps:
        yield "\n" + "\n".join(gap_lines(gaps, page))
