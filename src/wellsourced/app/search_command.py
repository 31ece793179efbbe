"""`wellsourced search`: everything that a question would be answered from, ranked, and nothing said about it."""

import asyncio
import json
from collections.abc import Iterator
from datetime import date

import click

from wellsourced import config
from wellsourced.app.asking import limits, question_of
from wellsourced.app.hits import listed
from wellsourced.app.options import json_option
from wellsourced.app.progress import Watch, watching
from wellsourced.app.render import outcome, understood
from wellsourced.app.terminal import emit_json, safe
from wellsourced.stages.find import RetrievalResult, retrieve
from wellsourced.types import Gap, Question

NOTHING = 3


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
@limits
@click.pass_context
def search(
    ctx: click.Context,
    question: tuple[str, ...],
    limit: int,
    as_json: bool,
    libraries: tuple[str, ...],
    live: tuple[config.Live, ...],
    since: date | None,
    as_of: date | None,
    exclude: tuple[str, ...],
) -> None:
    """Show the passages that fit QUESTION best, of all sources together, and how it was understood and searched for.

    It is the search that `wellsourced ask` makes, with every tier opened. Exit status 3 when nothing is found.
    """
    asked = question_of(question, since, as_of, exclude)
    with watching() as watch:
        found, gaps = asyncio.run(found_for(asked, config.load(ctx.obj), libraries, live, watch))
    if as_json:
        emit_json(json.dumps(figures(found, gaps, limit), ensure_ascii=False, indent=2))
    else:
        click.echo("\n".join(shown(found, gaps, limit)))
    ctx.exit(0 if found.candidates else NOTHING)


async def found_for(
    question: Question,
    settings: config.Settings,
    libraries: tuple[str, ...],
    live: tuple[config.Live, ...],
    watch: Watch,
) -> tuple[RetrievalResult, tuple[Gap, ...]]:
    """What is found, with a kit that is opened for it, and what that kit lacks."""
    watch.say("Opening the libraries")
    async with config.kit(settings, libraries=libraries, live=live or None, tell=watch) as kit:
        watch.say("Searching")
        return await retrieve(question, kit), kit.setup_gaps


def figures(found: RetrievalResult, gaps: tuple[Gap, ...], limit: int) -> dict[str, object]:
    """Everything, for a program."""
    return {
        "question": found.question.model_dump(mode="json"),
        "passages": [{**one.passage.model_dump(mode="json"), "source": one.source} for one in found.candidates[:limit]],
        "attempts": [attempt.model_dump(mode="json") for attempt in found.attempts],
        "notes": list(found.notes),
        "gaps": [gap.model_dump(mode="json") for gap in gaps],
    }


def shown(found: RetrievalResult, gaps: tuple[Gap, ...], limit: int) -> Iterator[str]:
    """Everything, for people."""
    if not found.candidates:
        yield "Nothing fits."
    for rank, one in enumerate(found.candidates[:limit], start=1):
        yield listed(rank, one.passage, one.source)
    yield "\nSearched"
    yield from (f"  {safe(told)}" for told in (*understood(found.question), *found.notes))
    for attempt in found.attempts:
        search = attempt.search
        yield f"  {search.source}, asked “{safe(search.query.text)}”: {safe(outcome(attempt))}"
    if gaps:
        yield "\nGaps"
        yield from (f"  {safe(gap.source)} ({gap.status}): {safe(gap.reason)}" for gap in gaps)
