"""At most so many requests a second to each host, whoever in this process sends them."""

from collections.abc import Mapping

import httpx2

from wellsourced.http.clock import Clock
from wellsourced.privacy.loopback import is_plain_loopback


class RateLimiter:
    """One queue for each host: who comes first is served first, and no host waits for another.

    paces   "host" or "host:port" → requests a second, at most
    usual   the same for every other host
    """

    def __init__(self, paces: Mapping[str, float], usual: float, clock: Clock) -> None:
        self._paces = paces
        self._default_pace = usual
        self._clock = clock
        self._next_turns: dict[str, float] = {}

    async def wait_for_turn(self, url: httpx2.URL) -> None:
        """Return when this request may be sent. The place in the queue is taken at once, so nobody overtakes."""
        host = host_and_port(url)
        now = self._clock.steady()
        turn = max(now, self._next_turns.get(host, now))
        self._next_turns[host] = turn + self._interval(url)
        if turn > now:
            await self._clock.sleep(turn - now)

    def pause_host(self, url: httpx2.URL, seconds: float) -> None:
        """The host asked for silence: requests that have no turn yet wait, whoever sends them."""
        host = host_and_port(url)
        until = self._clock.steady() + seconds
        self._next_turns[host] = max(until, self._next_turns.get(host, until))

    def _interval(self, url: httpx2.URL) -> float:
        named = self._paces.get(host_and_port(url)) or self._paces.get(url.host)
        if named is None and is_plain_loopback(url.host):
            # The user's own servers are asked as fast as they answer, unless a pace is given for them.
            return 0.0
        return 1 / (named or self._default_pace)


def host_and_port(url: httpx2.URL) -> str:
    """The host, with its port when it is not the usual one: "127.0.0.1:8080"."""
    return url.netloc.decode("ascii")
