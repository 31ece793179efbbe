"""What a narrow term belongs to: who asks of cellulitis before a sepsis score is answered by what is said of infection.

The reverse does not hold, and a table row says nothing of a drug: classes of drugs are in `drugs.py`.
"""

import re
from functools import cache, lru_cache

from wellsourced.text.tables import read_rows


@cache
def _load_rows() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple(
        (re.compile(narrow, re.IGNORECASE), wide)
        for _, narrow, wide in read_rows("wellsourced.clinical", "wider_terms.tsv")
    )


@lru_cache(maxsize=4096)
def list_wider_expressions(term: str) -> tuple[str, ...]:
    """How a text speaks of what a disease, a germ or an operation belongs to, as regular expressions; () if unknown."""
    return tuple(wide for narrow, wide in _load_rows() if narrow.fullmatch(term))
