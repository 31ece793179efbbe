"""How the program ends: its exit status, errors in one sentence, and Ctrl-C."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeAlias

import click

from wellsourced.app import messages
from wellsourced.errors import NotFoundError, QuestionError, RunStopped, SettingsError, WellsourcedError
from wellsourced.text.sanitization import sanitize_line, sanitize_text

EXIT_FAILURE, EXIT_BAD_USE, EXIT_NOTHING, EXIT_RETRACTED, EXIT_INTERRUPTED = 1, 2, 3, 4, 130

EXIT_CODES = {
    0: "Done, or answered.",
    EXIT_FAILURE: "It failed; or `check --fail-on`, `doctor`, `history` or `library verify` found a fault.",
    EXIT_BAD_USE: "Bad use: an unknown command, option, setting, library or id, or no question.",
    EXIT_NOTHING: "Nothing found answers the question; `check` reached no source.",
    EXIT_RETRACTED: "A work that a stored answer cites may have been retracted.",
    EXIT_INTERRUPTED: "Stopped, with Ctrl-C or `history stop`. What was stored until then is valid.",
}
"""Every exit status and what it means: `wellsourced help exit-codes` and docs/commands.md print them."""

InterruptHandler: TypeAlias = Callable[[int, FrameType | None], object]

USER_ERRORS = (QuestionError, SettingsError, NotFoundError)
"""Errors whose cause is something that the user typed."""


def describe_error(error: Exception) -> str:
    """Say in one line what went wrong, and what to do about it."""
    if isinstance(error, WellsourcedError):
        step = messages.spell_next_step(error.next_step)
        return sanitize_line(" ".join(filter(None, (str(error), step))))
    if isinstance(error, click.ClickException):
        # It may name a file, or repeat what stood in one.
        says = sanitize_text(error.format_message())
        ctx = error.ctx if isinstance(error, click.MissingParameter) else None
        return f"{says} {messages.SEE_HELP.format(command=ctx.command_path)}" if ctx else says
    if isinstance(error, OSError):
        name = str(error.filename or "Output")
        return sanitize_line(messages.FILE_FAILED.format(name=name, reason=error.strerror or error))
    return sanitize_line(messages.UNEXPECTED_ERROR.format(name=type(error).__name__, text=str(error)))


def find_exit_code(error: Exception) -> int:
    """Return the exit status of a command that raised this error."""
    if isinstance(error, click.ClickException):
        return error.exit_code
    if isinstance(error, RunStopped):
        return EXIT_INTERRUPTED
    return EXIT_BAD_USE if isinstance(error, USER_ERRORS) else EXIT_FAILURE


@contextmanager
def exit_on_interrupt(says: str = "") -> Iterator[None]:
    """Inside, Ctrl-C ends this process at once: every store is valid at every instant, and threads would make us wait.

    says   what was kept; "": what the catalogue says of the command that runs
    """
    own = os.getpid()

    def stop(_: int, __: FrameType | None) -> None:
        if os.getpid() == own:
            ctx = click.get_current_context(silent=True)
            kept = messages.KEPT.get(ctx.command_path.partition(" ")[2], "") if ctx else ""
            told = says or f"stopped. {kept}".rstrip()
            os.write(2, f"\nwellsourced: {told}\n".encode())
        os._exit(EXIT_INTERRUPTED)

    with handle_interrupt(stop):
        yield


@contextmanager
def handle_interrupt(handle: InterruptHandler) -> Iterator[None]:
    """Inside, Ctrl-C calls this function. Outside the main thread, where no signal arrives, nothing changes."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
