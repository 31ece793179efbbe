"""Quotes: where somebody's copy of a source's words stands in the source."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable
from functools import lru_cache
from typing import Literal, NamedTuple


class Found(NamedTuple):
    """Offsets into the text as it was given, and whether the quote stands there as it is or but for its typography."""

    start: int
    end: int
    how: Literal["exact", "normalised"]


def locate(quote: str, text: str) -> Found | None:
    """The first place where a quote stands in a text, or None. Never a similar place.

    Typography may differ: runs of white space, kinds of dash and quotation mark, ligatures, composed letters, soft
    hyphens, zero-width characters, words divided at a line end. Words, case, digits and signs may not; nor may a
    quote begin or end inside a word or a number ("significant" is not in "insignificant", "5 mg" not in "2.5 mg").
    """
    quote = quote.strip()
    if not quote:
        return None
    start = _aligned(quote, text)
    if start >= 0:
        return Found(start, start + len(quote), "exact")
    wanted = _normalised(quote, _always).text.strip()
    if not wanted:
        return None
    divided = frozenset(re.findall(r"[^\W\d_]+(?=-[^\W\d_])", wanted)) if "-" in wanted else frozenset()
    plain = _normalised(text, divided.__contains__)
    start = _aligned(wanted, plain.text)
    if start < 0:
        return None
    return Found(*plain.original(start, start + len(wanted)), "normalised")


def _always(word: str) -> bool:
    """A quote's own hyphens are believed."""
    return bool(word)


# --- whole words and whole numbers ---------------------------------------------------------------------------------

_DASH = "-‐‑‒–−"
_CUT_BEFORE = re.compile(rf"\w\Z|\w[{_DASH}]\Z")
_CUT_NUMBER_BEFORE = re.compile(rf"[{_DASH}±.,/·]\Z")
_CUT_AFTER = re.compile(rf"\w|[{_DASH}]\w")
_CUT_NUMBER_AFTER = re.compile(rf"[{_DASH}.,/·:]\d|\s?%")
_WORD_END = re.compile(r"\W|\Z")


def _aligned(quote: str, text: str) -> int:
    """The first occurrence that cuts no word and no number at either end; -1 without one."""
    at = text.find(quote)
    while at >= 0:
        if not _cuts(quote, text, at):
            return at
        # Nothing that begins inside this word can be aligned, so the search goes on behind it.
        following = _WORD_END.search(text, at + 1)
        at = text.find(quote, following.start() if following else len(text))
    return -1


def _cuts(quote: str, text: str, at: int) -> bool:
    before = text[max(0, at - 2) : at]
    end = at + len(quote)
    after = text[end : end + 2]
    if _is_word(quote[0]) and _CUT_BEFORE.search(before):
        return True
    if quote[0].isdigit() and _CUT_NUMBER_BEFORE.search(before):
        return True
    if _is_word(quote[-1]) and _CUT_AFTER.match(after):
        return True
    return quote[-1].isdigit() and bool(_CUT_NUMBER_AFTER.match(after))


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


# --- typography ----------------------------------------------------------------------------------------------------

_ODD = re.compile(
    r"(?P<divided>(?<=[^\W\d_])[-‐][^\S\n]*+\n\s*+(?=\w))"
    r"|(?P<space>\s+)"
    r"|(?P<composed>[^\W\d_][\u0300-\u036f]{1,8})"
    r"|(?P<other>[^\x00-\x7f])"
)
_INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f")
_SIMPLE = {ord(dash): "-" for dash in "‐‑‒–—―−﹣－"}
_SIMPLE |= {ord(mark): "'" for mark in "‘’‚‛′ʼ＇"}
_SIMPLE |= {ord(mark): '"' for mark in "“”„‟″«»＂"}
_KEPT_FORMS = ("<compat>", "<noBreak>", "<wide>", "<narrow>", "<font>")
"""Superscripts, subscripts, fractions, circled and squared signs stay as they are: 10² is not 102, nor m² m2."""


class _Plain(NamedTuple):
    """A text with plain typography, and where its parts came from."""

    text: str
    parts: list[int]
    origins: list[int]

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Offsets in the text as it was, for offsets in the plain one."""
        return self._origin(start), self._origin(end - 1) + self._width(end - 1)

    def _origin(self, at: int) -> int:
        part = bisect_right(self.parts, at) - 1
        step = at - self.parts[part]
        return self.origins[part] + (step if self._untouched(part) else 0)

    def _width(self, at: int) -> int:
        part = bisect_right(self.parts, at) - 1
        return 1 if self._untouched(part) else self.origins[part + 1] - self.origins[part]

    def _untouched(self, part: int) -> bool:
        return self.parts[part + 1] - self.parts[part] == self.origins[part + 1] - self.origins[part]


def _normalised(text: str, is_divided_name: Callable[[str], bool]) -> _Plain:
    """The text in plain typography. A hyphen at a line end stays when `is_divided_name` says so of the word before."""
    out: list[str] = []
    parts, origins = [0], [0]
    size = at = 0

    def put(piece: str, origin_end: int) -> None:
        nonlocal size
        out.append(piece)
        size += len(piece)
        if piece:
            parts.append(size)
            origins.append(origin_end)
        else:
            origins[-1] = origin_end

    for match in _ODD.finditer(text):
        if match.start() > at:
            put(text[at : match.start()], match.start())
        put(_plain(match, text, is_divided_name), match.end())
        at = match.end()
    if at < len(text):
        put(text[at:], len(text))
    return _Plain("".join(out), parts, origins)


def _plain(match: re.Match[str], text: str, is_divided_name: Callable[[str], bool]) -> str:
    """What stands for an odd character, or a run of them."""
    kind, piece = match.lastgroup, match.group()
    if kind == "space":
        return " "
    if kind == "composed":
        return unicodedata.normalize("NFC", piece)
    if kind == "divided":
        word = re.search(r"[^\W\d_]+\Z", text[max(0, match.start() - 40) : match.start()])
        joined = text[match.end()].islower() and not (word and is_divided_name(word.group()))
        return "" if joined else "-"
    if piece in _INVISIBLE:
        # Between two digits it may stand for a dash: 5 to 10 must not become 510.
        around = text[match.start() - 1 : match.start()] + text[match.end() : match.end() + 1]
        return piece if around.isdigit() else ""
    return _character(piece)


@lru_cache(maxsize=4096)
def _character(character: str) -> str:
    """One character in plain typography; itself where a plain one would mean something else."""
    if simple := _SIMPLE.get(ord(character)):
        return simple
    if unicodedata.decomposition(character).partition(" ")[0] not in _KEPT_FORMS:
        return character
    plain = unicodedata.normalize("NFKC", character)
    if " " in plain or (len(plain) > 1 and any(letter.isdigit() for letter in plain)):
        return character
    return plain
