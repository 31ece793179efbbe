"""The one HTTP client: polite to every host, patient, remembering, and able to say where every byte went."""

from wellsourced.http.client import Client
from wellsourced.http.clock import Clock
from wellsourced.http.failures import Failure, failure_of
from wellsourced.http.ledger import Contact, Ledger
from wellsourced.http.reply import Reply

__all__ = ["Client", "Clock", "Contact", "Failure", "Ledger", "Reply", "failure_of"]
