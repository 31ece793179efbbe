"""What happens to words about people before they leave this machine: pseudonyms for models, queries and addresses
without identifiers. No I/O. How identifiers are recognised belongs in clinical/deidentification."""

from wellsourced.privacy.privacy_filter import PhiPolicy, PrivacyFilter
from wellsourced.privacy.pseudonyms import NO_PSEUDONYMS, Pseudonyms, list_kinds

__all__ = ["NO_PSEUDONYMS", "PhiPolicy", "PrivacyFilter", "Pseudonyms", "list_kinds"]
