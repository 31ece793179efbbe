"""How many requests a minute each token may send."""

import math
from time import monotonic


class RequestRate:
    """A bucket for each token: it holds as many requests as a minute allows, and fills evenly.

    per_minute   0: no limit
    """

    def __init__(self, per_minute: int) -> None:
        self.per_minute = per_minute
        self._buckets: dict[str, tuple[float, float]] = {}

    def take(self, token: str, now: float | None = None) -> int:
        """Take a request from the bucket; 0, or after how many seconds there is one again."""
        if not self.per_minute:
            return 0
        now = monotonic() if now is None else now
        left, at = self._buckets.get(token, (float(self.per_minute), now))
        left = min(self.per_minute, left + (now - at) * self.per_minute / 60)
        if left < 1:
            self._buckets[token] = (left, now)
            return math.ceil((1 - left) * 60 / self.per_minute)
        self._buckets[token] = (left - 1, now)
        return 0
