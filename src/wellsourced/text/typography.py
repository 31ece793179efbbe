"""A text with one kind of white space, dash and quotation mark, and where each character came from."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from wellsourced.lazy import lazy_regex

_SPECIAL_CHARACTER = re.compile(
    r"(?P<divided>(?<=[^\W\d_])[-‐][^\S\n]*+\n\s*+(?=\w))"
    r"|(?P<space>\s+)"
    r"|(?P<composed>[^\W\d_][\u0300-\u036f]{1,8})"
    r"|(?P<raised>⁻?[⁰¹²³⁴-⁹]+)|(?P<lowered>(?<=[^\W\d_])[₀-₉]+)"
    r"|(?P<other>[^\x00-\x7f])"
)
_INVISIBLE_CHARACTERS = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f")
_PLAIN_CHARACTERS = {ord(dash): "-" for dash in "‐‑‒–—―−﹣－"}
_PLAIN_CHARACTERS |= {ord(mark): "'" for mark in "‘’‚‛′ʼ＇"}
_PLAIN_CHARACTERS |= {ord(mark): '"' for mark in "“”„‟″«»＂"}
_REPLACEABLE_FORMS = ("<compat>", "<noBreak>", "<wide>", "<narrow>", "<font>")
"""Fractions, circled and squared signs stay as they are."""

_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻₀₁₂₃₄₅₆₇₈₉", "0123456789-0123456789")
"""10² is "10^2", as the readers write it, and not 102; CO₂ is CO2."""

_MARK = re.compile(
    r"^[^\S\n]*(?:[-*+•][^\S\n]+|\d{1,2}[.)][^\S\n]+|#{1,6}[^\S\n]+|>[^\S\n]?)+|(?<!\d)\*{2,3}|\*{2,3}(?!\d)",
    re.MULTILINE,
)
"""Of Markdown: a list item, a heading, a quotation, bold. Not a star between two digits."""


_BREAK_MARK = lazy_regex("(?<![0-9])[\u00ad\u200b\u2060\ufeff]+|[\u00ad\u200b\u2060\ufeff]+(?![0-9])")


def remove_break_marks(text: str) -> str:
    """The text without what only says where a word may be divided: soft hyphens, zero widths.

    Between two digits such a mark may stand for a dash and is kept: 5 to 10 must not become 510.
    """
    return _BREAK_MARK.sub("", text) if any(mark in text for mark in "\u00ad\u200b\u2060\ufeff") else text


class NormalizedText(NamedTuple):
    """A text of which parts were replaced, and where its parts came from."""

    text: str
    part_starts: list[int]
    origin_starts: list[int]

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """Offsets in the text as it was, for offsets in the plain one."""
        return self._origin_offset(start), self._origin_offset(end - 1) + self._origin_width(end - 1)

    def _origin_offset(self, at: int) -> int:
        part = bisect_right(self.part_starts, at) - 1
        step = at - self.part_starts[part]
        return self.origin_starts[part] + (step if self._has_origin_length(part) else 0)

    def _origin_width(self, at: int) -> int:
        part = bisect_right(self.part_starts, at) - 1
        return 1 if self._has_origin_length(part) else self.origin_starts[part + 1] - self.origin_starts[part]

    def _has_origin_length(self, part: int) -> bool:
        return (
            self.part_starts[part + 1] - self.part_starts[part]
            == self.origin_starts[part + 1] - self.origin_starts[part]
        )


def normalize_typography(text: str, is_divided_name: Callable[[str], bool]) -> NormalizedText:
    """The text in plain typography. A hyphen at a line end stays when `is_divided_name` says so of the word before."""
    return replace_matches(_SPECIAL_CHARACTER, text, lambda match: _plain_form(match, text, is_divided_name))


def remove_marks(text: str) -> NormalizedText:
    """The text without the marks of Markdown that whoever copies it leaves out."""
    return replace_matches(_MARK, text, lambda _: "")


def replace_matches(pattern: re.Pattern[str], text: str, replacement: Callable[[re.Match[str]], str]) -> NormalizedText:
    """The text with `replacement` for each match, and where its parts came from."""
    out: list[str] = []
    parts, origins = [0], [0]
    size = at = 0

    def put(piece: str, origin_end: int) -> None:
        nonlocal size
        out.append(piece)
        size += len(piece)
        parts.append(size)
        origins.append(origin_end)

    for match in pattern.finditer(text):
        if match.start() > at:
            put(text[at : match.start()], match.start())
        put(replacement(match), match.end())
        at = match.end()
    if at < len(text):
        put(text[at:], len(text))
    return NormalizedText("".join(out), parts, origins)


def _plain_form(match: re.Match[str], text: str, is_divided_name: Callable[[str], bool]) -> str:
    """What stands for an odd character, or a run of them."""
    kind, piece = match.lastgroup, match.group()
    if kind == "space":
        return " "
    if kind == "composed":
        return unicodedata.normalize("NFC", piece)
    if kind in ("raised", "lowered"):
        return f"{'^' if kind == 'raised' else ''}{piece.translate(_RAISED)}"
    if kind == "divided":
        word = re.search(r"[^\W\d_]+\Z", text[max(0, match.start() - 40) : match.start()])
        joined = text[match.end()].islower() and not (word and is_divided_name(word.group()))
        return "" if joined else "-"
    if piece in _INVISIBLE_CHARACTERS:
        # Between two digits it may stand for a dash: 5 to 10 must not become 510.
        around = text[match.start() - 1 : match.start()] + text[match.end() : match.end() + 1]
        return piece if around.isdigit() else ""
    return _plain_character(piece)


@lru_cache(maxsize=4096)
def _plain_character(character: str) -> str:
    """One character in plain typography; itself where a plain one would mean something else."""
    if simple := _PLAIN_CHARACTERS.get(ord(character)):
        return simple
    if unicodedata.decomposition(character).partition(" ")[0] not in _REPLACEABLE_FORMS:
        return character
    plain = unicodedata.normalize("NFKC", character)
    if " " in plain or (len(plain) > 1 and any(letter.isdigit() for letter in plain)):
        return character
    return plain


# --- signs of bounds, and what else quantities are printed with ------------------------------------------------------

_GAP = "[ \t\u00a0\u00ad\u2009\u200b-\u200d\u202f\u2060\ufeff]{0,3}"
"""Blanks and invisible characters within a sign."""

BOUND_SIGN = (
    r"(?<![<>=–—-])(?:[<>]|&[lg]t;|&#0*6[02];)"
    rf"(?:{_GAP}(?:=|/{_GAP}=|/?{_GAP}or{_GAP}(?:=|equal\b)(?:{_GAP}to\b)?))?|&[lg]e;|[⩽⩾≦≧]"
)
"""A sign of a bound in any spelling, such as those of abstracts from before Unicode: ">/=", "< or =", "&gt;or=to"."""

_BOUND_SIGN = lazy_regex(BOUND_SIGN)
_BELOW_CHARACTERS = frozenset("<⩽≦")


def normalize_bound_sign(sign: str) -> str:
    """One of <, ≤, ≥ and > for a sign in any spelling; any other sign as it is."""
    if not _BOUND_SIGN.fullmatch(sign):
        return sign
    is_below = sign[0] in _BELOW_CHARACTERS or sign.startswith(("&l", "&#60", "&#060"))
    is_bare = sign in ("<", ">") or (sign[0] == "&" and sign[-1] == ";" and not sign.endswith("e;"))
    if is_bare:
        return "<" if is_below else ">"
    return "≤" if is_below else "≥"


_ODD_CHARACTERS = lazy_regex(
    r"(?P<per>[·⋅ ]?(?P<below>(?:1\.73 ?)?(?:[dmµμ]?[lL]|k?g|min|h|d|day|s|m))⁻(?:¹|(?P<square>²)))"
    r"|(?P<worded_per>(?<=[µμmnk]g|ol|[mµμ]L|ml|IU) (?P<under>d?L|mL|kg|min|h)[−-]1(?!\d))"
    rf"|(?P<bound>{BOUND_SIGN})|(?P<ligature>[\ufb00-\ufb06])|(?P<composed>[^\W\d_][\u0300-\u036f]{{1,8}})"
    r"|(?P<invisible>(?<!\d)[\u00ad\u200b-\u200d\u2060\ufeff]+|[\u00ad\u200b-\u200d\u2060\ufeff]+(?!\d))"
    r"|(?P<dashes>(?<=[\d%])[-‐‑‒–—−]{2,3}(?=\d))|(?P<dash>[‐‑‒–—−])|(?P<space>[ \t\r\n\f\v]+)"
    r"|(?P<micro>μ)|(?P<apostrophe>’)|(?P<point>(?<=\d)·(?=\d))|(?P<sign>[\u2126\u212a\u212b])"
)
_PLAIN_KINDS = {"dashes": "-", "space": " ", "micro": "µ", "point": ".", "invisible": ""}


def _plain_printed(match: re.Match[str]) -> str:
    kind = match.lastgroup or ""
    if kind == "bound":
        return normalize_bound_sign(match.group())
    if kind in ("per", "worded_per"):
        return f"/{match['below'] or match['under']}{'2' if match['square'] else ''}"
    if kind in ("composed", "sign"):
        return unicodedata.normalize("NFC", match.group())
    return _PLAIN_KINDS[kind] if kind in _PLAIN_KINDS else _plain_character(match.group())


@lru_cache(maxsize=256)
def normalize_text(text: str) -> NormalizedText:
    """What `normalize_characters` makes of a text, and where its parts came from."""
    return replace_matches(_ODD_CHARACTERS, text, _plain_printed)


def normalize_characters(text: str) -> str:
    """The text with one kind of white space, dash, micro sign, decimal point, quotation mark and sign of a bound.

    Nothing in it is invisible.

    Letters with their marks in one character, ligatures taken apart.
    """
    return normalize_text(text).text
