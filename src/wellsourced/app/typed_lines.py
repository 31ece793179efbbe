"""Lines that somebody types, or a pipe gives, and Ctrl-C: at the prompt it drops the line, in an answer the answer."""

import asyncio
import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import click

MAX_LINE_CHARS = 100_000
"""Characters of one line that are taken in."""

PROMPT = "? "

InterruptHandler = Callable[[int, FrameType | None], object]

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
def keep_through_interrupts() -> Iterator[None]:
    """Inside, Ctrl-C ends nothing but what says so itself, where somebody types."""
    with _handle_interrupt(lambda _, __: None):
        yield


@contextlib.contextmanager
def cancel_on_interrupt(task: "asyncio.Future[Any]") -> Iterator[None]:
    """Inside, Ctrl-C cancels this task, where somebody types."""
    with _handle_interrupt(lambda _, __: None):
        if not _can_be_interrupted():
            yield
            return
        loop = asyncio.get_running_loop()
        # The loop's own handler wakes it, whatever it waits for.
        loop.add_signal_handler(signal.SIGINT, task.cancel)
        try:
            yield
        finally:
            loop.remove_signal_handler(signal.SIGINT)


@contextlib.contextmanager
def _handle_interrupt(handle: InterruptHandler) -> Iterator[None]:
    """Let this function have Ctrl-C inside; where nobody types, or no signal arrives, nothing changes."""
    # In a pipe or a thread Ctrl-C stays what it is elsewhere: it ends the program.
    if not _can_be_interrupted():
        yield
        return
    before = signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _can_be_interrupted() -> bool:
    return is_interactive() and threading.current_thread() is threading.main_thread()
