"""The egress ledger: every host that was contacted, when, with how many bytes, and for how long."""

from collections.abc import Callable
from datetime import UTC, datetime
from threading import Lock
from typing import NamedTuple, NoReturn

import httpx2

from wellsourced.errors import SourceUnavailable
from wellsourced.http.failures import describe_failure, shareable_cause
from wellsourced.http.pacing import Clock
from wellsourced.http.request import Request


class Contact(NamedTuple):
    """One request that left this machine. Neither secrets nor the words that were asked are in it.

    host             with its port when it is not the usual one
    path             of the address, without its query
    status           of HTTP; 0 when there was no answer
    sent, received   bytes of the bodies, as they travelled, and of the query
    seconds          until the whole answer was here
    """

    when: datetime
    method: str
    host: str
    path: str
    status: int
    sent: int
    received: int
    seconds: float


class Ledger:
    """Keeps what it is told, and passes it on to who keeps it for longer. Safe to use from several threads.

    Every redirect and every attempt that failed is a contact of its own. What the cache of answers gave is none, and
    an address that was refused is none, though its name may have been looked up.
    """

    def __init__(self, keep: Callable[[Contact], None] = lambda _: None) -> None:
        self.contacts: list[Contact] = []
        self._persist = keep
        self._lock = Lock()

    def record(self, contact: Contact) -> None:
        """One more request was made. Raises SourceUnavailable when it cannot be kept: what left is never left out."""
        with self._lock:
            # First in memory: a disk that is full hides nothing from who looks at this run.
            self.contacts.append(contact)
            try:
                self._persist(contact)
            except OSError as error:
                reason = error.strerror or "the disk refused it"
                raise SourceUnavailable(
                    f"{contact.host} was asked, but the ledger cannot be written ({reason}): free space or permit "
                    "it, then try again"
                ) from error


class LedgerEntry:
    """A line of the ledger while its request is under way.

    response   the answer as soon as it begins
    """

    def __init__(self, ledger: Ledger, clock: Clock, asking: Request, seconds: float) -> None:
        self.response = httpx2.Response(0, request=asking.sent)
        self._ledger = ledger
        self._clock = clock
        self._asking = asking
        self._seconds = seconds
        self._when, self._began = datetime.fromtimestamp(clock.wall(), UTC), clock.steady()

    def record(self) -> None:
        """Write it down: the answer is here, or will never be."""
        request = self._asking.sent
        self._ledger.record(
            Contact(
                when=self._when,
                method=request.method,
                host=self._asking.host,
                path=self._asking.redact(request.url.path),
                status=self.response.status_code,
                sent=len(request.content) + len(request.url.query),
                received=self.response.num_bytes_downloaded,
                seconds=self._clock.steady() - self._began,
            )
        )

    def fail(self, error: BaseException) -> NoReturn:
        """Write it down, and raise the error in words for the user."""
        self.record()
        reason = describe_failure(error, self._asking.host, self._seconds)
        # What has no words of ours, such as an interruption, goes on as what it is.
        if reason is error:
            raise error
        raise reason from shareable_cause(error)
