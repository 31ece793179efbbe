"""`wellsourced search`: everything that a question would be answered from, ranked, and nothing said about it."""

from collections.abc import Iterator

import click

from wellsourced.app.answer_output import run_with_context
from wellsourced.app.options import json_option
from wellsourced.app.progress import ProgressWatch
from wellsourced.app.question_input import QuestionLimits, add_limit_options, build_question
from wellsourced.app.render.passages import format_passage
from wellsourced.app.render.search_receipt import describe_outcome, interpretation_lines
from wellsourced.app.terminal import print_data, sanitize_line
from wellsourced.context import Context
from wellsourced.pipeline.retrieve.retrieval import RetrievalResult, retrieve
from wellsourced.types import Gap, Question

EXIT_NOTHING = 3


@click.command(
    short_help="Search all sources for a question, without an answer.",
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
        click.echo("\n".join(search_lines(found, gaps, limit)))
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


def search_lines(found: RetrievalResult, gaps: tuple[Gap, ...], limit: int) -> Iterator[str]:
    """Everything, for people."""
    if not found.candidates:
        yield "Nothing fits."
    for rank, one in enumerate(found.candidates[:limit], start=1):
        yield format_passage(rank, one.passage, one.source)
    yield "\nSearched"
    yield from (f"  {sanitize_line(told)}" for told in (*interpretation_lines(found.question), *found.notes))
    for attempt in found.attempts:
        words, outcome = sanitize_line(attempt.search.query.text), sanitize_line(describe_outcome(attempt))
        yield f"  {attempt.search.source}, asked “{words}”: {outcome}"
    if gaps:
        yield "\nGaps"
        yield from (f"  {sanitize_line(gap.source)} ({gap.status}): {sanitize_line(gap.reason)}" for gap in gaps)
