"""What happens to words about people before they leave this machine: pseudonyms for models, queries and addresses
without identifiers. No I/O. How identifiers are recognised belongs in deidentification."""

from typing import Literal

PhiPolicy = Literal["mask", "refuse", "allow"]
"""What becomes of identifiers in anything that leaves this machine: a pseudonym, an error, nothing."""
