"""How long each step of a question takes."""

import time
from collections.abc import Iterator
from contextlib import contextmanager


class StepTimer:
    """Seconds spent in each step; steps that come again add up."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, step: str) -> Iterator[None]:
        """Time one step."""
        begun = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[step] = round(self.seconds.get(step, 0.0) + time.perf_counter() - begun, 4)
