"""What a server has done and has to do, in numbers, as Prometheus reads them. No word of a request is among them."""

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from starlette.types import Scope

from wellsourced.server.work_queue import WorkQueue

METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Counts of responses, and of the requests in work."""

    def __init__(self) -> None:
        self.in_work = 0
        self._responses: Counter[tuple[str, str, int]] = Counter()

    def count_response(self, scope: Scope, status: int) -> None:
        """Count a response by the pattern of its route: a path may hold an id, and what is unknown anything."""
        self._responses[scope["method"], getattr(scope.get("route"), "path", "other"), status] += 1

    def write(self, queue: WorkQueue) -> str:
        """Write all numbers in the text format of Prometheus."""
        return "".join(f"{line}\n" for line in self._list_lines(queue))

    def _list_lines(self, queue: WorkQueue) -> Iterator[str]:
        yield "# HELP wellsourced_responses_total Responses by method, route and status."
        yield "# TYPE wellsourced_responses_total counter"
        for (method, route, status), count in sorted(self._responses.items()):
            labels = f'method="{method}",route="{route}",status="{status}"'
            yield f"wellsourced_responses_total{{{labels}}} {count}"
        numbers = [
            ("requests_in_work gauge", "Requests that are being answered.", self.in_work),
            ("work_in_turn gauge", "Questions and other work in turn.", queue.working),
            ("work_waiting gauge", "Work that waits for its turn.", queue.waiting),
            ("work_refused_total counter", "Work refused, since too much waits.", queue.refused),
        ]
        with suppress(OSError):
            pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
            opened = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - their number alone
            numbers += [
                ("resident_memory_bytes gauge", "Memory of the process.", pages * os.sysconf("SC_PAGE_SIZE")),
                ("open_descriptors gauge", "Open descriptors of the process.", opened),
            ]
        for kind, about, value in numbers:
            name = f"wellsourced_{kind.split()[0]}"
            yield from (f"# HELP {name} {about}", f"# TYPE wellsourced_{kind}", f"{name} {value}")
