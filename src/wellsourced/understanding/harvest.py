"""Abbreviations that texts explain themselves: "chronic obstructive pulmonary disease (COPD)".

The algorithm of Schwartz and Hearst (Pacific Symposium on Biocomputing, 2003): of the words before the brackets, the
shortest run that holds the characters of the short form in their order, the first of them where a word begins.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

_BRACKETS = re.compile(r"\(([^()\n]{2,40})\)")
_SENTENCE = re.compile(r"[.;:!?]\s")
_SHORT = re.compile(r"[^\W_][\w./+-]*(?: [\w./+-]+)?")


def count_definitions(texts: Iterable[str]) -> Counter[tuple[str, str]]:
    """(short form, long form) → in how many of the texts it is explained so."""
    return Counter(pair for text in texts for pair in set(find_definitions(text)))


def find_definitions(text: str) -> Iterator[tuple[str, str]]:
    """(short form, long form) of every explanation in a text, in their order, as they stand there."""
    for found in _BRACKETS.finditer(text):
        short = re.split(r"[,;]", found.group(1), maxsplit=1)[0].strip()
        if is_short_form(short) and (long := find_long_form(short, text[: found.start()])):
            yield short, long


def is_short_form(short: str) -> bool:
    """Two to ten characters, at most two words, a letter in it, and a letter or digit first."""
    return 2 <= len(short) <= 10 and any(map(str.isalpha, short)) and _SHORT.fullmatch(short) is not None


def find_long_form(short: str, before: str) -> str:
    """What the short form stands for, of the words that stand before it; "" when none does."""
    sentence = _SENTENCE.split(before)[-1].strip()
    near = " ".join(sentence.split()[-min(len(short) + 5, 2 * len(short)) :])
    begin = _find_long_form_start(short, near)
    long = near[begin:].strip() if begin >= 0 else ""
    return long if len(long) > len(short) and short not in long.split() else ""


def _find_long_form_start(short: str, near: str) -> int:
    """Where the long form begins: the characters of the short form are sought backwards; -1 when one is missing."""
    at = len(near)
    low = near.lower()
    for place in range(len(short) - 1, -1, -1):
        character = short[place].lower()
        if not character.isalnum():
            continue
        at -= 1
        while at >= 0 and (low[at] != character or (place == 0 and at > 0 and low[at - 1].isalnum())):
            at -= 1
        if at < 0:
            return -1
    return at
