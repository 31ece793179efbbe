"""Letters that are raised above their line or lowered below it, written on it with a sign: "10^9/L", "2[3]"."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from wellsourced.lazy import lazy_regex
from wellsourced.readers.inline_text import superscript_text

RAISED, LOWERED = 0.12, 0.08
"""How far from the line a mark is set, at least, in ems of the line."""

_NUMBERS = lazy_regex(r"[0-9]{1,3}(?:[,–-][0-9]{1,3})*")
_ABOUT_A_UNIT = lazy_regex(r"(?<![^\W\d_])[^\W\d_]{1,3}$")
_TEN = lazy_regex(r"(?<![0-9.,])10$")
_IN_DOUBT = lazy_regex(r"\x1a([^\x1b]*)\x1b")
_NOTE = lazy_regex(r"[0-9a-z]{1,2}")
_BEGINS_WORD = lazy_regex(r"[^\W\d_][a-z]{2}")
_CITED = lazy_regex(r"(?:[^\W\d_]{4}|[.,;:)])\[[0-9]")


class Glyph(NamedTuple):
    """A letter, the height of the line that it is set on and its size, in points."""

    letter: str
    baseline: float
    size: float


def write_marks(glyphs: Sequence[Glyph]) -> str:
    """The letters of a word on one line. A number that may be an exponent or a citation is left in doubt."""
    largest = max(glyph.size for glyph in glyphs)
    lines = Counter(round(glyph.baseline, 1) for glyph in glyphs if glyph.size > 0.85 * largest)
    line = lines.most_common(1)[0][0]
    runs = [
        (level, "".join(glyph.letter for glyph in run))
        for level, run in groupby(glyphs, lambda glyph: _level(glyph.baseline - line, largest))
    ]
    text = ""
    for number, (level, run) in enumerate(runs):
        following = runs[number + 1 : number + 3]
        if level > 0 and len(following) == 2 and following[0][1] in "/⁄" and following[1][0] < 0:
            text += f" {run}" if text[-1:].isdigit() else run  # a fraction set with three signs: 2½
        elif level > 0:
            text += _write_raised(text, run, following[0][1] if following else "")
        else:
            text += f"_{run}" if level < 0 and text[-1:].isdigit() and run[0].isdigit() else run
    return text


def _level(height: float, em: float) -> int:
    return (height > RAISED * em) - (height < -LOWERED * em)


def _write_raised(before: str, mark: str, after: str) -> str:
    if not before and _NOTE.fullmatch(mark) and _BEGINS_WORD.match(after):
        return f"[{mark}] "  # of a footnote, and no isotope's
    if _NUMBERS.fullmatch(mark) and not (mark.isdigit() and _TEN.search(before)):
        is_power_of_unit = mark in ("2", "3") and _ABOUT_A_UNIT.search(before)
        if (before[-1:].isdigit() or _ABOUT_A_UNIT.search(before)) and not is_power_of_unit:
            # Nobody writes several powers: "2,3" is a list of citations.
            return f"\x1a{mark}\x1b" if mark.isdigit() else f"[{mark}]"
    return superscript_text(before, mark, is_note=False)


def cites_by_raised_numbers(words: Iterable[str]) -> bool:
    """Whether one of these words bears a raised number behind a word or a stop, which can only be a citation."""
    return any(_CITED.search(word) for word in words)


def settle_marks(word: str, cites: bool) -> str:
    """A word with its numbers in doubt as citations, where the document has others, else as exponents."""
    return _IN_DOUBT.sub(r"[\1]" if cites else r"^\1", word) if "\x1a" in word else word
