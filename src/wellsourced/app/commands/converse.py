"""`wellsourced converse`: one question after another, each in the light of those before it."""

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from wellsourced.app.answer_output import detect_page, quotes_option, run_with_context
from wellsourced.app.progress import ProgressWatch
from wellsourced.app.question_input import QuestionLimits, add_source_options
from wellsourced.app.render.answer import render_answer
from wellsourced.app.terminal import TerminalPage, sanitize_line
from wellsourced.context import Context
from wellsourced.errors import ModelError, QuestionError

if TYPE_CHECKING:
    from wellsourced.converse import Conversation

MAX_LINE_CHARS = 100_000
"""Characters of one line that are taken in."""


@click.command(
    epilog="""
    \b
    Examples:
      wellsourced converse
      printf 'How is gout treated?\\nAnd in kidney failure?\\n' | wellsourced converse
    """,
)
@quotes_option
@add_source_options
@click.pass_context
def converse(ctx: click.Context, quotes: bool | None, limits: QuestionLimits) -> None:
    """Answer questions line by line; an empty line, or the end of the input, ends it.

    A question may lean on those before it, and what earlier answers cite can be found again. What was said is kept
    nowhere: it is gone when this ends.
    """
    page = detect_page(quotes)
    run_with_context(ctx, limits, lambda context, watch: _converse(context, watch, page))


async def _converse(context: Context, watch: ProgressWatch, page: TerminalPage) -> None:
    from wellsourced.converse import Conversation

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
