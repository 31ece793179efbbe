"""The egress ledger: every host that was contacted, when, with how many bytes, and for how long."""

from collections.abc import Callable
from datetime import datetime
from threading import Lock
from typing import NamedTuple

from wellsourced.errors import SourceUnavailable


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
            self.contacts.append(contact)
            try:
                self._persist(contact)
            except OSError as error:
                reason = error.strerror or "the disk refused it"
                raise SourceUnavailable(
                    f"{contact.host} was asked, but the ledger of requests cannot be written ({reason}): make room or "
                    "permit it, and ask again"
                ) from error
