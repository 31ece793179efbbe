"""What becomes of words about people before they leave this machine: concealed, refused, or let go; the host is named.

`exit.py` decides it for everything that is sent: prompts, queries, references, addresses. Who sends has one `Exit`.
"""

from wellsourced.privacy.exit import Exit, Phi
from wellsourced.privacy.pseudonyms import NO_PSEUDONYMS, Pseudonyms, list_kinds

__all__ = ["NO_PSEUDONYMS", "Exit", "Phi", "Pseudonyms", "list_kinds"]
