"""Terms that one side writes in one piece and the other in two: "bodyweight", "body weight"; "4-15", "from 4 to 15"."""

import re
from collections.abc import Sequence

from wellsourced.claims.differences.terms import Term

_GAP = re.compile(r"[ \-‐‑]?")
_RANGE_GAP = re.compile(r"\s(?:to|until|through|and)\s")
_MIN_PART_LENGTH = 3
"""Letters of each part of a compound."""


def join_split_terms(terms: Sequence[Term], text: str, other: Sequence[Term], other_text: str) -> list[Term]:
    """The terms of a text, as one where the other side has them as one."""
    whole = {_read_word(term, other_text): term for term in other if term.kind in ("word", "name")}
    ranges = {term.key: term for term in other if term.key.startswith("#") and "-" in term.key[2:]}
    found: list[Term] = []
    for term in terms:
        before = found[-1] if found else None
        match = before and _find_whole(before, term, text, whole, ranges)
        if before and match:
            found[-1] = before._replace(key=match.key, kind=match.kind, end=term.end)
        else:
            found.append(term)
    return found


def _find_whole(before: Term, term: Term, text: str, whole: dict[str, Term], ranges: dict[str, Term]) -> Term | None:
    """The other side's term that is two of this side in one piece; None without one."""
    gap = text[before.end : term.start]
    if before.key.startswith("#") and term.key.startswith("#"):
        return ranges.get(f"{before.key}-{term.key[1:]}") if _RANGE_GAP.fullmatch(gap) else None
    parts = _read_word(before, text), _read_word(term, text)
    if not _GAP.fullmatch(gap) or min(map(len, parts)) < _MIN_PART_LENGTH or before.start == term.start:
        return None
    return whole.get("".join(parts))


def _read_word(term: Term, text: str) -> str:
    return text[term.start : term.end].lower()
