"""The one way out of this machine: Client, and behind it rate limits, retries, the response cache, the guard against
private addresses, the ledger and the offline switch. What a service answers belongs in sources; which words may leave
is decided in privacy."""

from wellsourced.http.client import Client
from wellsourced.http.failures import Failure, classify_failure
from wellsourced.http.pacing import Clock
from wellsourced.http.response import Response
from wellsourced.http.transport import Contact, Ledger

__all__ = ["Client", "Clock", "Contact", "Failure", "Ledger", "Response", "classify_failure"]
