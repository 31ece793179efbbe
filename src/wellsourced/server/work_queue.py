"""The line of questions that wait for their turn: bounded, and fair between tokens."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from wellsourced.server import messages
from wellsourced.server.problems import HttpProblem, RefusedRequest

MAX_WAITING_PER_OWNER, MAX_WAITING = 32, 128
"""Of one token, or of this machine, and of all together. Beyond these nobody would be served in time."""

PATIENCE_SECONDS = 10.0
"""Seconds after which a client that waits is told to come back: proxies and people give up on longer silence."""

ASSUMED_SECONDS = 1.0
"""What a piece of work takes, until some have ended."""


class WorkQueue:
    """Turns for work. Owners take turns; of one owner, first come, first served.

    at_once   pieces of work at the same time
    """

    def __init__(self, at_once: int) -> None:
        self.at_once, self.working, self.refused = at_once, 0, 0
        self._lines: dict[str, deque[asyncio.Future[None]]] = {}
        self._seconds = ASSUMED_SECONDS

    @property
    def waiting(self) -> int:
        """How many wait."""
        return sum(map(len, self._lines.values()))

    @property
    def is_full(self) -> bool:
        """Whether nobody else may wait."""
        return self.waiting >= MAX_WAITING

    def refuse_if_full(self, owner: str, patience: float | None = None) -> None:
        """Raise RefusedRequest (503) where the line is too long, before a response has begun."""
        own = len(self._lines.get(owner, ()))
        # An owner of whom nobody waits is let in: others who ask much must not keep him out.
        is_late = bool(own and patience is not None and self._estimate_wait() > patience)
        if self.is_full or own >= MAX_WAITING_PER_OWNER or is_late:
            raise self._refuse()

    def _estimate_wait(self) -> float:
        """As long as those take who are before."""
        return self._seconds * (self.waiting + 1) / self.at_once

    def _refuse(self) -> RefusedRequest:
        self.refused += 1
        seconds = max(1, min(60, round(self._estimate_wait())))
        detail = messages.QUEUE_FULL.format(seconds=seconds)
        return RefusedRequest(HttpProblem(503, messages.BUSY_TITLE, detail), {"retry-after": str(seconds)})

    @asynccontextmanager
    async def take_turn(self, owner: str, patience: float | None = None) -> AsyncIterator[None]:
        """Wait for a turn, and hold it. Raises RefusedRequest (503) after so many seconds without one."""
        if self.working < self.at_once and not self._lines:
            self.working += 1
        else:
            await self._wait(owner, patience)
        loop = asyncio.get_running_loop()
        begun = loop.time()
        try:
            yield
        finally:
            self._seconds += (loop.time() - begun - self._seconds) / 8
            self._pass_on()

    async def _wait(self, owner: str, patience: float | None) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._lines.setdefault(owner, deque()).append(turn)
        try:
            await asyncio.wait_for(asyncio.shield(turn), patience)
        except BaseException as error:
            # It may have been given in the same moment: then it goes to the next.
            if turn.done():
                self._pass_on()
            else:
                self._leave(owner, turn)
            if isinstance(error, TimeoutError):
                raise self._refuse() from None
            raise

    def _leave(self, owner: str, turn: "asyncio.Future[None]") -> None:
        line = self._lines[owner]
        line.remove(turn)
        if not line:
            del self._lines[owner]

    def _pass_on(self) -> None:
        """Give a turn that has ended to the next owner in the round."""
        if not self._lines:
            self.working -= 1
            return
        owner = next(iter(self._lines))
        line = self._lines.pop(owner)
        line.popleft().set_result(None)
        # Behind all others: who sends fifty questions waits for forty-nine, and the others for one.
        if line:
            self._lines[owner] = line
