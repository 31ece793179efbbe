"""`wellsourced converse`: one question after another, each in the light of those before it; lines as they are typed,
and Ctrl-C.
"""

import asyncio
import contextlib
import json
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from wellsourced.app.answer_output import detect_page, quotes_option, run_with_context
from wellsourced.app.exits import InterruptHandler, describe_error, handle_interrupt
from wellsourced.app.messages import spell_next_step
from wellsourced.app.options import is_quiet
from wellsourced.app.progress import ProgressWatch
from wellsourced.app.question_input import QuestionLimits, add_source_options
from wellsourced.app.terminal import print_result
from wellsourced.context import Context
from wellsourced.errors import WellsourcedError
from wellsourced.presentation.answers import build_answer, build_cited_words
from wellsourced.presentation.terminal import TerminalPage, write_terminal
from wellsourced.storage.private_files import make_private_file
from wellsourced.text.sanitization import sanitize_line
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
    """
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


MAX_LINE_CHARS = 100_000
"""Characters of one line that are taken in."""

PROMPT = "? "

INTERRUPT_HINT = "(/quit or Ctrl-D ends the conversation)"


def is_interactive() -> bool:
    """Whether somebody types."""
    return sys.stdin is not None and sys.stdin.isatty()


def is_on_screen() -> bool:
    """Whether somebody types where answers are shown, and so sees the question above its answer."""
    return is_interactive() and sys.stdout is not None and sys.stdout.isatty()


def read_lines() -> Iterator[str]:
    """What is typed, until the end of the input; what is piped in, until an empty line too."""
    while sys.stdin is not None:
        try:
            line = _read_line()
        except EOFError:
            return
        # At the prompt Ctrl-C is how a shell drops a line; ending the conversation there would lose all of it.
        except KeyboardInterrupt:
            click.echo(f"\n{INTERRUPT_HINT}", err=True)
            continue
        if line.strip():
            yield line.strip()[:MAX_LINE_CHARS]
        # In a pipe an empty line ends the questions; somebody who types just pressed Enter.
        elif not is_interactive():
            return


def _read_line() -> str:
    """A line. Raises EOFError at the end, and KeyboardInterrupt where Ctrl-C drops it."""
    if not is_interactive():
        # Bounded, since a pipe may hold a file without any line break.
        line = sys.stdin.readline(MAX_LINE_CHARS)
    else:
        with _handle_interrupt(signal.default_int_handler):
            line = _edit_line() if is_on_screen() else _read_unedited_line()
    if not line:
        raise EOFError
    return line


def _edit_line() -> str:
    """A line that can be edited, with those before it; they are kept in memory alone, and nothing writes them down."""
    with contextlib.suppress(ImportError):
        # Imported, it is what `input` reads with.
        import readline  # noqa: F401
    try:
        return f"{input(PROMPT)}\n"
    except EOFError:
        click.echo()
        return ""


def _read_unedited_line() -> str:
    click.echo(PROMPT, nl=False, err=True)
    return sys.stdin.readline(MAX_LINE_CHARS)


@contextlib.contextmanager
def cancel_on_interrupt(task: "asyncio.Future[Any]") -> Iterator[None]:
    """Inside, Ctrl-C cancels this task, where somebody types."""
    with _handle_interrupt(lambda _, __: None):
        # In a thread no signal arrives.
        if not is_interactive() or threading.current_thread() is not threading.main_thread():
            yield
            return
        loop = asyncio.get_running_loop()
        # The loop's own handler wakes it, whatever it waits for.
        loop.add_signal_handler(signal.SIGINT, task.cancel)
        try:
            yield
        finally:
            loop.remove_signal_handler(signal.SIGINT)


def _handle_interrupt(handle: InterruptHandler) -> contextlib.AbstractContextManager[None]:
    # In a pipe Ctrl-C stays what it is elsewhere: it ends the program.
    return handle_interrupt(handle) if is_interactive() else contextlib.nullcontext()


async def _converse(context: Context, watch: ProgressWatch, page: TerminalPage) -> None:
    watch.close()
    talk = Talk(context, watch, page)
    if is_interactive() and not is_quiet():
        click.echo(GREETING, err=True)
    # Ctrl-C ends nothing but what says so itself.
    with _handle_interrupt(lambda _, __: None):
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


TRANSCRIPT_PAGE = TerminalPage(width=100, quotes=True, places=True)
"""How a conversation is set in a file."""


def transcribe_text(turns: Sequence[tuple[str, Answer]]) -> str:
    """Questions as they were typed, with their answers, their quotes and places."""
    written = (
        (asked, write_terminal(build_answer(answer), TRANSCRIPT_PAGE, spell_next_step)) for asked, answer in turns
    )
    return "\n".join(f"? {sanitize_line(asked)}\n{answer}" for asked, answer in written)


def transcribe_json(turns: Sequence[tuple[str, Answer]]) -> str:
    """The same as a list of what was asked, and of answers as `ask --json` prints them."""
    data = [{"asked": asked, "answer": answer.model_dump(mode="json")} for asked, answer in turns]
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def write_transcript(name: str, turns: Sequence[tuple[str, Answer]]) -> str:
    """Write a conversation into a new file, for its owner alone; what came of it, in a sentence."""
    transcribe = transcribe_json if name.lower().endswith(".json") else transcribe_text
    try:
        path = Path(name).expanduser()
        # A conversation is written whole, so an existing file would be lost and not continued.
        if path.exists():
            return f"{sanitize_line(name)} is there already: name another file."
        # First the rights, then the words: there is no moment in which others could read them.
        make_private_file(path)
        path.write_text(transcribe(turns), encoding="utf-8")
    except (OSError, ValueError, RuntimeError) as error:
        reason = describe_error(error) if isinstance(error, OSError) else str(error)
        return sanitize_line(f"Not saved: {reason}")
    return f"Saved in {sanitize_line(str(path))}."


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
            print_result(build_answer(given), self._page)
            click.echo()

    def obey(self, line: str) -> None:
        """Do what a line with a slash says."""
        word, _, rest = line.partition(" ")
        if word == "/help":
            click.echo(HELP)
        elif word == "/sources":
            if self._turns:
                print_result(build_cited_words(self._turns[-1][1]), self._page._replace(places=True))
            else:
                click.echo("Nothing was answered yet.")
            click.echo()
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
