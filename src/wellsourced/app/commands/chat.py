"""`wellsourced chat`: one question after another, one per line; and Ctrl-C."""

import asyncio
import contextlib
import signal
import sys
from collections.abc import Iterator
from typing import Any

import click

from wellsourced.app import messages
from wellsourced.app.answer_output import quotes_option, run_with_context
from wellsourced.app.exits import InterruptHandler, describe_error, handle_interrupt
from wellsourced.app.options import is_quiet
from wellsourced.app.progress import ProgressWatch
from wellsourced.app.question_input import QuestionLimits, add_source_options
from wellsourced.app.terminal import detect_page, print_result
from wellsourced.context import Context
from wellsourced.errors import WellsourcedError
from wellsourced.presentation.answers import build_answer
from wellsourced.presentation.terminal import TerminalPage
from wellsourced.text.sanitization import sanitize_line
from wellsourced.types import Answer


@click.command()
@quotes_option
@add_source_options
@click.pass_context
def chat(ctx: click.Context, quotes: bool | None, limits: QuestionLimits) -> None:
    """Answer questions line by line, until Ctrl-D or /quit; piped questions, until an empty line.

    Follow-up questions work: "And in pregnancy?" Type /help for more. Ctrl-C stops an answer, and the chat goes on.
    Nothing is saved.
    """
    page = detect_page(quotes)
    run_with_context(ctx, limits, lambda context, watch: ChatSession(context, watch, page).run())


MAX_LINE_CHARS = 100_000
"""Characters of one line that are read: a pipe may hold a file without any line break."""


def is_interactive() -> bool:
    """Whether a person types."""
    return sys.stdin is not None and sys.stdin.isatty()


def is_on_screen() -> bool:
    """Whether a person types where answers are shown, and so sees the question above its answer."""
    return is_interactive() and sys.stdout is not None and sys.stdout.isatty()


def read_lines() -> Iterator[str]:
    """Yield what is typed, until the end of the input; of what is piped in, until an empty line too."""
    # Imported, it is what `input` edits lines with; they are kept in memory alone, and nothing writes them down.
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401
    while sys.stdin is not None:
        try:
            with _handle_interrupt(signal.default_int_handler):
                line = f"{input('? ')}\n" if is_on_screen() else sys.stdin.readline(MAX_LINE_CHARS)
        except EOFError:
            click.echo()
            return
        # At the prompt Ctrl-C is how a shell drops a line; ending the conversation there would lose all of it.
        except KeyboardInterrupt:
            click.echo(f"\n{messages.CHAT_INTERRUPT_HINT}", err=True)
            continue
        if line.strip():
            yield line.strip()[:MAX_LINE_CHARS]
        # In a pipe an empty line ends the questions; at a keyboard it is just Enter.
        elif not line or not is_interactive():
            return


def _handle_interrupt(handle: InterruptHandler) -> contextlib.AbstractContextManager[None]:
    # In a pipe Ctrl-C stays what it is elsewhere: it ends the program.
    return handle_interrupt(handle) if is_interactive() else contextlib.nullcontext()


@contextlib.contextmanager
def cancel_on_interrupt(task: "asyncio.Future[Any]") -> Iterator[None]:
    """Inside, Ctrl-C cancels this task, where a person types."""
    if not is_interactive():
        yield
        return
    loop = asyncio.get_running_loop()
    with handle_interrupt(lambda _, __: None):
        # The loop's own handler wakes it, whatever it waits for.
        loop.add_signal_handler(signal.SIGINT, task.cancel)
        try:
            yield
        finally:
            loop.remove_signal_handler(signal.SIGINT)


class ChatSession:
    """A chat on a terminal: what was asked and answered so far, in memory alone."""

    def __init__(self, context: Context, watch: ProgressWatch, page: TerminalPage) -> None:
        from wellsourced.converse import Conversation

        self._context, self._watch, self._page = context, watch, page
        self._conversation = Conversation()
        self._last: Answer | None = None

    async def run(self) -> None:
        """Answer each line, until there is none or /quit."""
        self._watch.close()
        if is_interactive() and not is_quiet():
            click.echo(messages.CHAT_GREETING, err=True)
        # Ctrl-C ends nothing but what says so itself.
        with _handle_interrupt(lambda _, __: None):
            for line in read_lines():
                if line == "/quit":
                    return
                # Into a file or through a pipe, answers would stand without their questions.
                if not is_on_screen():
                    click.echo(self._page.heading(f"? {sanitize_line(line)}"))
                if line.startswith("/"):
                    self.obey(line)
                else:
                    await self.answer(line)

    async def answer(self, line: str) -> None:
        """Print the answer to a question; the chat stays as it was if there is none, or it was stopped."""
        from wellsourced.converse import continue_conversation

        task = asyncio.ensure_future(continue_conversation(self._conversation, line, self._context, self._watch))
        try:
            with cancel_on_interrupt(task):
                given, self._conversation = await task
        except asyncio.CancelledError:
            self._watch.close()
            click.echo(f"\n{messages.CHAT_STOPPED}", err=True)
        # A question that fails does not end the chat, which goes on as it was before it.
        except WellsourcedError as error:
            self._watch.close()
            click.echo(f"wellsourced: {describe_error(error)}", err=True)
        else:
            self._watch.close()
            self._last = given
            print_result(build_answer(given), self._page)
            click.echo()

    def obey(self, line: str) -> None:
        """Carry out a line that begins with a slash."""
        word = line.partition(" ")[0]
        if word == "/help":
            click.echo(messages.CHAT_HELP)
        elif word != "/sources":
            click.echo(sanitize_line(messages.CHAT_UNKNOWN_WORD.format(word=word)), err=True)
        elif self._last is None:
            click.echo(messages.CHAT_NOTHING_ANSWERED, err=True)
        else:
            print_result(build_answer(self._last), self._page._replace(quotes=True, places=True))
            click.echo()
