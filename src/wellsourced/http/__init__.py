"""The one HTTP client: polite to every host, patient, remembering, and able to say where every byte went."""

from wellsourced.http.client import Client
from wellsourced.http.clock import Clock
from wellsourced.http.failures import Failure, classify_failure
from wellsourced.http.ledger import Contact, Ledger
from wellsourced.http.reply import Response

__all__ = ["Client", "Clock", "Contact", "Failure", "Ledger", "Response", "classify_failure"]
