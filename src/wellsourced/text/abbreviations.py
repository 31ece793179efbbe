"""Abbreviations that a text explains itself: “basic metabolic panel (BMP)”, “BMP (basic metabolic panel)”.

After Schwartz and Hearst (2003): the characters of the short form are sought backwards in the words before it.
"""

import re
from collections.abc import Iterator

_BRACKETS = re.compile(r"\(([^()\n]{2,40})\)")
_LAST_WORD = re.compile(r"([A-Za-z][\w-]{1,9}) ?\Z")
_SENTENCE_END = re.compile(r"[.;:!?]\s")
_SHORT = re.compile(r"[^\W_][\w./+-]*(?: [\w./+-]+)?")


def find_definitions(text: str) -> Iterator[tuple[str, str]]:
    """(short form, long form) of every explanation in a text, in their order, as they stand there."""
    for found in _BRACKETS.finditer(text):
        inside = found[1].partition(",")[0].partition(";")[0].strip()
        if is_short_form(inside) and (long := find_long_form(inside, text[: found.start()])):
            yield inside, long
        else:
            before = _LAST_WORD.search(text, max(0, found.start() - 12), found.start())
            if before and is_abbreviation(before[1]) and _find_long_form_start(before[1], inside) == 0:
                yield before[1], inside


def is_short_form(short: str) -> bool:
    """Two to ten characters, at most two words, a letter in it, and a letter or digit first."""
    return 2 <= len(short) <= 10 and any(map(str.isalpha, short)) and _SHORT.fullmatch(short) is not None


def find_long_form(short: str, before: str) -> str:
    """What the short form stands for, of the words that stand before it; "" when none does."""
    sentence = _SENTENCE_END.split(before)[-1].strip()
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


_SHORT_FORM_OF_CAPITALS = re.compile(r"(?=\w*[A-Z]\w*[A-Z])[A-Za-z][\w-]{1,9}")


def is_abbreviation(word: str) -> bool:
    """Whether it is written as an abbreviation is: one word, two capitals or more: "COPD", "eGFR", "HbA1c"."""
    return _SHORT_FORM_OF_CAPITALS.fullmatch(word.removesuffix("s")) is not None
