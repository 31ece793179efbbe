"""Misspelled signs of an emergency: people who are afraid mistype, and a sign must not be missed for that."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

DANGER_WORDS = frozenset(
    """
    breathe breathing swallowed overdose overdosed suicidal suicide unconscious seizure swollen bleeding paracetamol
    acetaminophen ibuprofen slurred drooping collapsed responding choking vomiting diabetic pregnant allergic reaction
    anaphylaxis testicle headache pressure confused throat poison insulin wheezing gasping fainted drowning
    pneumonia chest tongue stabbed
    """.split()  # noqa: SIM905
)
"""Only words none of whose `generate_typos` is a word of its own ("sweating" would be found in "seating")."""

VOWELS = "aeiou"
SIMILAR_WORDS = {"breath", "collapse", "confuse", "overdoses"}
"""Words that a slip of a key word would take for it."""

IRREGULAR_TYPOS = {"pian": "pain", "chocking": "choking", "paracetomol": "paracetamol", "diabetis": "diabetic"}
"""Slips that the rule does not make."""

_WORD = re.compile(r"[A-Za-z]{4,}")


class CorrectedText(NamedTuple):
    """A text with key words spelled right, and what belongs to it in the text as it was typed.

    starts, typed_starts   where each stretch begins in the mended text, and where in the typed one, in code points
    """

    text: str
    starts: tuple[int, ...]
    typed_starts: tuple[int, ...]

    def typed_offset(self, at: int) -> int:
        """The offset in the typed text of an offset at the border of a word."""
        stretch = bisect_right(self.starts, at) - 1
        return self.typed_starts[stretch] + at - self.starts[stretch]


def correct_danger_words(text: str) -> CorrectedText:
    """The text with slips of key words put right: two letters exchanged, one missing, doubled, or another vowel."""
    parts, starts, typed = [], [0], [0]
    length = end = 0
    for found in _WORD.finditer(text):
        right = _build_corrections().get(found.group().lower())
        if right is None:
            continue
        parts += [text[end : found.start()], right]
        length += found.start() - end + len(right)
        end = found.end()
        starts.append(length)
        typed.append(end)
    return CorrectedText("".join((*parts, text[end:])), tuple(starts), tuple(typed))


def generate_typos(word: str) -> Iterator[str]:
    """What a word becomes by one slip; the first letter stays."""
    for at in range(1, len(word)):
        yield word[:at] + word[at + 1 :]
        yield word[: at + 1] + word[at:]
        if at + 1 < len(word):
            yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        if word[at] in VOWELS:
            yield from (word[:at] + vowel + word[at + 1 :] for vowel in VOWELS)


@cache
def _build_corrections() -> dict[str, str]:
    known = {*DANGER_WORDS, *SIMILAR_WORDS}
    return IRREGULAR_TYPOS | {
        slip: word
        for word in sorted(DANGER_WORDS)
        for slip in generate_typos(word)
        if slip not in known and len(slip) > 4
    }
