"""`wellsourced converse`: one question after another, each in the light of those before it."""

import asyncio

import click

from wellsourced.app.answer_output import detect_page, quotes_option, run_with_context
from wellsourced.app.conversation_output import quote_lines, write_transcript
from wellsourced.app.exits import describe_error
from wellsourced.app.options import is_quiet
from wellsourced.app.progress import ProgressWatch
from wellsourced.app.question_input import QuestionLimits, add_source_options
from wellsourced.app.render.answer import render_answer
from wellsourced.app.terminal import TerminalPage, sanitize_line
from wellsourced.app.typed_lines import (
    cancel_on_interrupt,
    is_interactive,
    is_on_screen,
    keep_through_interrupts,
    read_lines,
)
from wellsourced.context import Context
from wellsourced.errors import WellsourcedError
from wellsourced.types import Answer

GREETING = "Ask a question. Ctrl-C stops an answer, Ctrl-D ends the conversation, /help says more."

HELP = """\
What begins with no slash is a question; it may lean on those before it, as
"And in pregnancy?" does. The arrow keys bring back what was typed.
  /sources     the words that the last answer rests on, by their works
  /save FILE   write the conversation into a new file that you alone can read;
               into FILE.json with all that is known
  /help        this
  /quit        end the conversation, as Ctrl-D does
Ctrl-C stops an answer, and the conversation goes on. Without /save nothing of
it is kept when it ends."""


@click.command(
    epilog="""
    \b
    Examples:
      wellsourced converse
      wellsourced converse --library trials --live pubmed
      printf 'How is gout treated?\\nAnd in kidney failure?\\n' | wellsourced converse
    """,
)
@quotes_option
@add_source_options
@click.pass_context
def converse(ctx: click.Context, quotes: bool | None, limits: QuestionLimits) -> None:
    """Answer questions line by line, until Ctrl-D or /quit; of what is piped in, until an empty line.

    A question may lean on those before it, and what earlier answers cite can be found again. /help says what else can
    be typed: /sources for the quotes of the last answer, /save FILE for all of it. Ctrl-C stops an answer and keeps
    the conversation. What was said is kept nowhere: it is gone when this ends.
    """
    page = detect_page(quotes)
    run_with_context(ctx, limits, lambda context, watch: _converse(context, watch, page))


async def _converse(context: Context, watch: ProgressWatch, page: TerminalPage) -> None:
    watch.close()
    talk = Talk(context, watch, page)
    if is_interactive() and not is_quiet():
        click.echo(GREETING, err=True)
    with keep_through_interrupts():
        for line in read_lines():
            if line == "/quit":
                return
            # Into a file or through a pipe, answers would stand without their questions.
            if not is_on_screen():
                click.echo(page.heading(f"? {sanitize_line(line)}"))
            if line.startswith("/"):
                talk.obey(line)
            else:
                await talk.answer(line)


class Talk:
    """A conversation on a terminal: what was asked and answered so far, in memory alone."""

    def __init__(self, context: Context, watch: ProgressWatch, page: TerminalPage) -> None:
        from wellsourced.converse import Conversation

        self._context, self._watch, self._page = context, watch, page
        self._conversation = Conversation()
        self._turns: list[tuple[str, Answer]] = []

    async def answer(self, line: str) -> None:
        """Print the answer to a question; the conversation stays as it was where there is none, or it was stopped."""
        from wellsourced.converse import continue_conversation

        task = asyncio.ensure_future(continue_conversation(self._conversation, line, self._context, self._watch))
        try:
            with cancel_on_interrupt(task):
                given, self._conversation = await task
        except asyncio.CancelledError:
            self._watch.close()
            click.echo("\nStopped. The conversation is as it was before this question.", err=True)
        # A question that fails is told, and the conversation goes on as it was before it.
        except WellsourcedError as error:
            self._watch.close()
            click.echo(f"wellsourced: {describe_error(error)}", err=True)
        else:
            self._watch.close()
            self._turns.append((line, given))
            click.echo(render_answer(given, self._page))

    def obey(self, line: str) -> None:
        """Do what a line with a slash says."""
        word, _, rest = line.partition(" ")
        if word == "/help":
            click.echo(HELP)
        elif word == "/sources":
            lines = quote_lines(self._turns[-1][1], self._page) if self._turns else ["Nothing was answered yet."]
            click.echo("\n".join([*lines, ""]))
        elif word == "/save":
            self._save(rest.strip())
        else:
            click.echo(f"There is no {sanitize_line(word)}: /help says what there is.", err=True)

    def _save(self, name: str) -> None:
        if not name:
            told = "Name the file: /save gout.txt"
        elif not self._turns:
            told = "Nothing was answered yet."
        else:
            told = write_transcript(name, self._turns)
        click.echo(told, err=True)
