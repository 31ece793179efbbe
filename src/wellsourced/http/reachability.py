"""Whether a server listens that another library is about to speak to, in a protocol of its own."""

import asyncio
import time
from datetime import UTC, datetime

from wellsourced.errors import SourceUnavailable
from wellsourced.http.transport import CONNECT_SECONDS, Contact, Ledger

LISTENS = 200
"""How the ledger counts a connection that was made."""


async def check_listening(address: str, ledger: Ledger, seconds: float = CONNECT_SECONDS) -> None:
    """Connect to HOST:PORT and hang up; the ledger has a line of it. Raises SourceUnavailable where nothing listens."""
    host, _, port = address.rpartition(":")
    when, began, status = datetime.now(UTC), time.monotonic(), 0
    try:
        async with asyncio.timeout(seconds):
            _, writer = await asyncio.open_connection(host.strip("[]"), int(port))
        writer.close()
        status = LISTENS
    except OSError as error:
        reason = f"no answer within {seconds:g} seconds" if isinstance(error, TimeoutError) else error.strerror
        raise SourceUnavailable(f"Nothing listens at {address} ({reason}).") from error
    finally:
        ledger.record(Contact(when, "CONNECT", address, "", status, 0, 0, time.monotonic() - began))
