"""How the program ends: its exit statuses, errors in one sentence, and Ctrl-C."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeAlias

from wellsourced.errors import NotFoundError, QuestionError, RunStopped, SettingsError, WellsourcedError
from wellsourced.text.sanitization import sanitize_line

EXIT_FAILURE, EXIT_BAD_USE, EXIT_INTERRUPTED = 1, 2, 130

EXIT_NOTHING = 3
"""Nothing was found that answers, or that could be made."""

EXIT_DIFFERENT = 1
"""Something is not as it was, or could not be looked at."""

EXIT_FALLEN = 4
"""A work that a stored answer cites may not count any more."""

EXIT_CHANGED = 5
"""An answer is not what it was when its question was asked before."""

InterruptHandler: TypeAlias = Callable[[int, FrameType | None], object]

USER_ERRORS = (QuestionError, SettingsError, NotFoundError)
"""What is wrong is something that the user said."""


def describe_error(error: Exception) -> str:
    """What went wrong, in one line."""
    if isinstance(error, WellsourcedError):
        return sanitize_line(str(error))
    if isinstance(error, OSError):
        return sanitize_line(f"{error.filename or 'the output'}: {error.strerror or error}.")
    return sanitize_line(f"something unexpected went wrong ({type(error).__name__}: {error}). With -v it says where.")


def find_exit_status(error: Exception) -> int:
    """The exit status of a command that raised this error."""
    if isinstance(error, RunStopped):
        return EXIT_INTERRUPTED
    return EXIT_BAD_USE if isinstance(error, USER_ERRORS) else EXIT_FAILURE


@contextmanager
def exit_on_interrupt(says: str) -> Iterator[None]:
    """Inside, Ctrl-C ends this process at once with this sentence: every store is valid at every instant.

    Threads would make us wait.
    """
    own = os.getpid()

    def stop(_: int, __: FrameType | None) -> None:
        if os.getpid() == own:
            os.write(2, f"\nwellsourced: {says}\n".encode())
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
