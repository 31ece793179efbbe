"""`wellsourced converse`: one question after another, each in the light of those before it."""

import asyncio
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from wellsourced import config
from wellsourced.app.answering import page, quotes_option
from wellsourced.app.asking import library_option, live_option
from wellsourced.app.progress import Watch, watching
from wellsourced.app.render import render
from wellsourced.app.terminal import Page, safe
from wellsourced.errors import ModelError, QuestionError
from wellsourced.kit import Context

if TYPE_CHECKING:
    from wellsourced.converse import Conversation

LONGEST = 100_000
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
    ctx: click.Context, quotes: bool | None, libraries: tuple[str, ...], live: tuple[config.Live, ...]
) -> None:
    """Answer questions line by line; an empty line, or the end of the input, ends it.

    A question may lean on those before it, and what earlier answers cite can be found again. What was said is kept
    nowhere: it is gone when this ends.
    """
    with watching() as watch:
        asyncio.run(_converse(config.load(ctx.obj), libraries, live, watch, page(quotes)))


async def _converse(
    settings: config.Settings, libraries: tuple[str, ...], live: tuple[config.Live, ...], watch: Watch, page: Page
) -> None:
    from wellsourced.converse import Conversation

    watch.say("Opening the libraries")
    async with config.kit(settings, libraries=libraries, live=live or None, tell=watch) as kit:
        watch.close()
        conversation = Conversation()
        for line in lines():
            if not typed():
                click.echo(page.heading(f"? {safe(line)}"))
            conversation = await _followed(line, conversation, kit, watch, page)


async def _followed(line: str, conversation: "Conversation", kit: Context, watch: Watch, page: Page) -> "Conversation":
    """The conversation with one more question and its answer; as it was when the question could not be answered."""
    from wellsourced.converse import continue_conversation

    try:
        answer, conversation = await continue_conversation(conversation, line, kit, watch)
    except (QuestionError, ModelError) as error:
        watch.close()
        click.echo(f"wellsourced: {safe(str(error))}", err=True)
        return conversation
    watch.close()
    click.echo(render(answer, page))
    return conversation


def typed() -> bool:
    """Whether somebody types, who sees the question above its answer."""
    return sys.stdin is not None and sys.stdin.isatty()


def lines() -> Iterator[str]:
    """What is typed or piped in, line by line, to an empty one."""
    while sys.stdin is not None:
        if typed():
            click.echo("? ", nl=False, err=True)
        line = sys.stdin.readline(LONGEST)
        if not line.strip():
            return
        yield line.strip()
