"""Words that print parts: at a line end, at a soft hyphen, around a ligature. Whole again by what words there are."""

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache

from wellsourced.lazy import lazy_regex
from wellsourced.medicine.word_forms import load_ordinary_stems
from wellsourced.text.lexicon import STOP_WORDS
from wellsourced.text.tables import read_rows
from wellsourced.text.tokens import content_stems

MIN_JOINED_SHARE = 0.1
"""How often a word is written in one, at least, for each time that the rarer of its halves stands alone."""

SOFT_HYPHEN = "\u00ad"
_WORD = lazy_regex(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_PARTED_END = lazy_regex(r"([^\W_]+)[-‐\u00ad]$")
_SUSPENDED = lazy_regex(r"(?:and|or|to|und|bis)\b")
"""What follows a hyphen that stands for a word to come: "pre- and postoperative"."""

_OPEN_ADDRESS = lazy_regex(r"(?:https?://|www\.|\b10\.[0-9]{4,9}/)\S*[-./_=?&]$")
_SOFT_HYPHEN = lazy_regex(r"([^\s\u00ad]*)\u00ad(?=([^\s\u00ad]*))")
_LIGATURE = lazy_regex(r"\bf(?:f[il]?|[il])\b")
_AROUND_LIGATURE = lazy_regex(r"(?:\b([^\W\d_]+) )?\b(f(?:f[il]?|[il]))\b(?: ([^\W\d_]+))?")
_HALF_LIGATURE = lazy_regex(r"\b([^\W\d_]+(?:ff[il]?|f[il])) ([a-zß-ÿ]+)|\b([^\W\d_]+) ((?:ff[il]?|f[il])[a-zß-ÿ]+)")


class WordJoiner:
    """Makes words of a document whole; `lines` are all that it prints."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.words: Counter[str] = Counter()
        is_parted = False
        for line in lines:
            words = line.lower().replace(SOFT_HYPHEN, "").split(" ")
            ends_parted = line.endswith(("-", "‐", SOFT_HYPHEN))
            # What a line end parts is no word by itself.
            self.words.update(
                word for part in words[is_parted : len(words) - ends_parted] for word in _WORD.findall(part)
            )
            is_parted = ends_parted

    def choose_glue(self, before: str, after: str) -> tuple[str, int]:
        """(what goes between two lines, how many characters of the first are dropped)."""
        if before.endswith(("–", "/", "(", "[")) and not before.endswith((" –", " /")):
            return "", 0
        match = _PARTED_END.search(before)
        if not match:
            return ("" if _OPEN_ADDRESS.search(before) else " "), 0
        if _SUSPENDED.match(after):
            return " ", 0
        right = _WORD.match(after)
        return "", int(right is not None and self._is_one_word(match[1], right.group().partition("-")[0]))

    def join_cell(self, lines: Iterable[str]) -> str:
        """The lines of a cell as one; a word that a narrow cell breaks anywhere is one again."""
        text = ""
        for line in map(self.make_whole, lines):
            glue, dropped = self.choose_glue(text, line) if text else ("", 0)
            left, right = text.rpartition(" ")[2], line.partition(" ")[0]
            if glue == " " and right.isalpha() and right.islower() and _is_listed((left + right).lower()):
                glue = " " if _is_listed(left.lower()) and _is_listed(right) else ""
            text = text[: len(text) - dropped] + glue + line
        return text

    def make_whole(self, text: str) -> str:
        """The text without soft hyphens, and without the spaces around ligatures that are none of the words'."""
        if SOFT_HYPHEN in text:
            text = _SOFT_HYPHEN.sub(lambda match: match[1] + self._replace_soft_hyphen(match[1], match[2]), text)
        if "ff" in text or "fi" in text or "fl" in text:
            text = _AROUND_LIGATURE.sub(self._join_ligature, text) if _LIGATURE.search(text) else text
            text = _HALF_LIGATURE.sub(self._join_halves, text)
        return text

    def _replace_soft_hyphen(self, left: str, right: str) -> str:
        """Nothing, or the hyphen that it is in a file that has no other: 5 to 10 must not become 510."""
        if not right:
            return SOFT_HYPHEN
        return "" if left.isalpha() and right[:1].isalpha() and not self._are_two_words(left, right) else "-"

    def _join_ligature(self, match: re.Match[str]) -> str:
        left, ligature, right = match[1] or "", match[2], match[3] or ""
        for parts in ((left + ligature + right,), (left, ligature + right), (left + ligature, right)):
            if parts[0] + parts[-1] and all(self.is_word(part.lower()) for part in parts if part):
                return " ".join(filter(None, parts))
        return match.group()

    def _join_halves(self, match: re.Match[str]) -> str:
        left, right = match[1] or match[3], match[2] or match[4]
        half = left if match[1] else right
        is_split = not self.is_word(half.lower()) and self.is_word((left + right).lower())
        return left + right if is_split else match.group()

    def is_word(self, word: str) -> bool:
        """Whether the document or the house's lists have this word, in small letters."""
        return word in self.words or _is_listed(word)

    def _are_two_words(self, left: str, right: str) -> bool:
        left, right = left.lower(), right.lower()
        return not self._is_written_in_one(left, right) and self.is_word(left) and self.is_word(right)

    def _is_one_word(self, left: str, right: str) -> bool:
        """Whether a hyphen at a line end only parts a word: in small letters, and no compound of two."""
        if not left.isalpha() or not left[-1].islower() or not right.islower():
            return False
        left = left.lower()
        if f"{left}-{right}" in self.words and left + right not in self.words:
            return False
        return self._is_written_in_one(left, right) or not (self.is_word(left) and self.is_word(right))

    def _is_written_in_one(self, left: str, right: str) -> bool:
        if left + right in self.words:
            return True
        counts = _load_counts()
        alone = [counts[half] for half in (left, right) if half in counts]
        return counts.get(left + right, 0) > (MIN_JOINED_SHARE * min(alone) if alone else 0)


def _is_listed(word: str) -> bool:
    if word in STOP_WORDS or word in _load_counts():
        return True
    # A long word that is its own stem may be a piece of one.
    stems = content_stems(word)
    return len(stems) == 1 and stems[0] in load_ordinary_stems() and (stems[0] != word or len(word) < 5)


@cache
def _load_counts() -> dict[str, int]:
    """Words of medical texts, and in how many texts each stands."""
    rows = read_rows("wellsourced.understanding", "word_counts.tsv")
    return {word: int(count) for word, count in rows if word}
