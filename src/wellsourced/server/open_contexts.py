"""The context that answers, which is opened again when a library comes or goes, and those before it that are in use."""

import asyncio
import gc
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from wellsourced.context import Context, trim_heap

ContextOpener = Callable[[], AbstractAsyncContextManager[Context]]


@dataclass(eq=False)
class HeldContext:
    """An open context, and how many requests and runs use it.

    opened   closes it
    """

    context: Context
    opened: AbstractAsyncContextManager[Context]
    users: int = 0


class OpenContexts:
    """The current context, and those before it: each is closed when the last run that uses it has ended.

    An open context holds vectors, indexes and some 25 descriptors: kept until the end of the server, they would add up.
    """

    def __init__(self, open_context: ContextOpener) -> None:
        self._open_context = open_context
        self._current: HeldContext | None = None
        self._replaced: set[HeldContext] = set()
        self._closing: set[asyncio.Task[None]] = set()
        self._turn = asyncio.Lock()

    async def __aenter__(self) -> "OpenContexts":
        await self.reopen()
        return self

    async def __aexit__(self, *_: object) -> None:
        last = [*self._replaced, *([self._current] if self._current else [])]
        self._replaced.clear()
        await asyncio.gather(*self._closing, *(self._close(held) for held in last))

    @property
    def is_open(self) -> bool:
        return self._current is not None

    async def reopen(self) -> None:
        """Open a context in place of the current one. What is answered meanwhile is answered from that."""
        async with self._turn:
            opened = self._open_context()
            held = HeldContext(await opened.__aenter__(), opened)
            before, self._current = self._current, held
            if before:
                self._replaced.add(before)
                self._close_unused(before)

    def hold(self, held: HeldContext | None = None) -> HeldContext:
        """Hold a context, or the current one, open until it is released."""
        held = held or self._current
        assert held  # noqa: S101 - a server answers when it is open
        held.users += 1
        return held

    def release(self, held: HeldContext) -> None:
        """Note that who held a context has ended."""
        held.users -= 1
        self._close_unused(held)

    def _close_unused(self, held: HeldContext) -> None:
        if held in self._replaced and not held.users:
            self._replaced.remove(held)
            closing = asyncio.ensure_future(self._close(held))
            # The loop itself keeps no task alive.
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    async def _close(self, held: HeldContext) -> None:
        await held.opened.__aexit__(None, None, None)
        # Closing it ended the exemption from the search for garbage, which its parts were under as well.
        gc.collect()
        gc.freeze()
        await asyncio.to_thread(trim_heap)
