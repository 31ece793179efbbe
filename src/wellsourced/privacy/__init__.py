"""What becomes of words about people before they leave this machine: concealed, refused, or let go; the host is named.

`exit.py` decides it for everything that is sent: prompts, queries, references, addresses. Who sends has one `Exit`.
"""

from wellsourced.privacy.exit import PhiPolicy, PrivacyFilter
from wellsourced.privacy.pseudonyms import NO_PSEUDONYMS, Pseudonyms, list_kinds

__all__ = ["NO_PSEUDONYMS", "PhiPolicy", "PrivacyFilter", "Pseudonyms", "list_kinds"]
