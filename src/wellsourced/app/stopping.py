"""What is said when somebody presses Ctrl-C in the middle of work that goes on another time."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

EXIT_INTERRUPTED = 130


@contextmanager
def exit_on_interrupt(says: str) -> Iterator[None]:
    """Inside, Ctrl-C ends this process at once with this sentence: every store is valid at every instant.

    Nothing has to be waited for, and threads would make us wait.

    Outside the main thread, where no signal arrives, nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    own = os.getpid()

    def stop(_: int, __: FrameType | None) -> None:
        if os.getpid() == own:
            os.write(2, f"\nwellsourced: {says}\n".encode())
        os._exit(EXIT_INTERRUPTED)

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
