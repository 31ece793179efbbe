"""`wellsourced converse`: one question after another, each in the light of those before it."""

import asyncio
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from wellsourced import config
from wellsourced.app.answer_output import detect_page, quotes_option
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.app.question_input import library_option, live_option
from wellsourced.app.render.answer import render_answer
from wellsourced.app.terminal import TerminalPage, sanitize_line
from wellsourced.context import Context
from wellsourced.errors import ModelError, QuestionError

if TYPE_CHECKING:
    from wellsourced.converse import Conversation

MAX_LINE_CHARS = 100_000
"""Characters of one line that are taken in."""


@click.command(
    short_help="Ask one question after another.",
    epilog="""
    \b
    Examples:
      wellsourced converse
      printf 'How is gout treated?\\nAnd in kidney failure?\\n' | wellsourced converse
    """,
)
@quotes_option
@library_option
@live_option
@click.pass_context
def converse(
    ctx: click.Context, quotes: bool | None, libraries: tuple[str, ...], live: tuple[config.LiveSourceName, ...]
) -> None:
    """Answer questions line by line; an empty line, or the end of the input, ends it.

    A question may lean on those before it, and what earlier answers cite can be found again. What was said is kept
    nowhere: it is gone when this ends.
    """
    with watch_progress() as watch:
        asyncio.run(_converse(config.load(ctx.obj), libraries, live, watch, detect_page(quotes)))


async def _converse(
    settings: config.Settings,
    libraries: tuple[str, ...],
    live: tuple[config.LiveSourceName, ...],
    watch: ProgressWatch,
    page: TerminalPage,
) -> None:
    from wellsourced.converse import Conversation

    watch.show_step("Opening the libraries")
    async with config.open_context(settings, libraries=libraries, live=live or None, emit=watch) as context:
        watch.close()
        conversation = Conversation()
        for line in read_lines():
            if not is_interactive():
                click.echo(page.heading(f"? {sanitize_line(line)}"))
            conversation = await _answer_line(line, conversation, context, watch, page)


async def _answer_line(
    line: str, conversation: "Conversation", context: Context, watch: ProgressWatch, page: TerminalPage
) -> "Conversation":
    """The conversation with one more question and its answer; as it was when the question could not be answered."""
    from wellsourced.converse import continue_conversation

    try:
        answer, conversation = await continue_conversation(conversation, line, context, watch)
    except (QuestionError, ModelError) as error:
        watch.close()
        click.echo(f"wellsourced: {sanitize_line(str(error))}", err=True)
        return conversation
    watch.close()
    click.echo(render_answer(answer, page))
    return conversation


def is_interactive() -> bool:
    """Whether somebody types, who sees the question above its answer."""
    return sys.stdin is not None and sys.stdin.isatty()


def read_lines() -> Iterator[str]:
    """What is typed or piped in, line by line, to an empty one."""
    while sys.stdin is not None:
        if is_interactive():
            click.echo("? ", nl=False, err=True)
        line = sys.stdin.readline(MAX_LINE_CHARS)
        if not line.strip():
            return
        yield line.strip()
