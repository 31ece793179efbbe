"""The lines of a record: which of them a sentence was wrapped into, and which stand by themselves.

Records have lines without a full stop, in small letters too ("acute gout", "no CKD"), and each is a statement.
"""

import re
from collections.abc import Sequence

from wellsourced.lazy import lazy_regex

BULLET = lazy_regex(r"\s*(?:[-–—•‣◦▪·>]+\s+|\(?(?:\d{1,2}|[a-z])[.)]\s+(?=\D)|#+\s*)")
"""What may stand before an item."""

BOX = lazy_regex(r"\[\s*[xX✓✔]\s*\]|\([xX✓✔]\)|[☑☒✓✔■]|(?P<empty>\[\s*\]|\(\s+\)|[☐□✗✘])")
"""A box that is checked, or one that is not."""

_RUNS_ON = lazy_regex(
    r"(?:[,/]|\b(?:and|or|nor|of|for|to|with|not|without|denies|the|an?|in|from|has|had|his|her)|(?<=[a-z] )no)\s*$",
    re.IGNORECASE,
)
_OPENS = lazy_regex(r"\s*(?:no|not|denie[sd]|takes|on|has|had|never)\b", re.IGNORECASE)
_ENDS = lazy_regex(r"[.;:!?]\s*$")

MIN_WRAPPED_CHARS = 50
"""Characters of a line that is taken for a wrapped one, where the next begins in small letters."""

MAX_WRAPPED_LINES = 20
"""Lines of a wrapped sentence among which its end is looked for."""


def unwrap_lines(text: str) -> str:
    """The text with a blank for each line break inside a sentence: characters keep their places."""
    parts = [text[start:end] for start, end in join_wrapped_lines(text)]
    return "".join(f"{part[:-1].replace(chr(10), ' ')}{part[-1:]}" for part in parts)


def join_wrapped_lines(text: str) -> list[tuple[int, int]]:
    """The lines of a text; those into which one sentence was wrapped are one."""
    spans: list[tuple[int, int]] = []
    at = 0
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if number and _is_wrapped(lines, number):
            spans[-1] = (spans[-1][0], at + len(line))
        else:
            spans.append((at, at + len(line)))
        at += len(line)
    return spans


def _is_wrapped(lines: Sequence[str], number: int) -> bool:
    """Whether a line goes on with the one before, which runs on, or is long, or whose sentence ends further below."""
    before, line = lines[number - 1], lines[number].lstrip()
    if not (before.strip() and line) or "\t" in before or _ENDS.search(before):
        return False
    if BULLET.match(lines[number]) or BOX.match(line):
        return False
    if _RUNS_ON.search(before) or not line[0].islower() or _OPENS.match(line):
        return _RUNS_ON.search(before) is not None
    below = lines[number : number + MAX_WRAPPED_LINES]
    ending = next((one for one in below if _ENDS.search(one) or not one.lstrip()[:1].islower()), "")
    return len(before) >= MIN_WRAPPED_CHARS or bool(_ENDS.search(ending) and ending.lstrip()[0].islower())
