"""Misspelled signs of an emergency: people who are afraid mistype, and a sign must not be missed for that."""

import re
from collections.abc import Iterator
from functools import cache

from wellsourced.text.typography import NormalizedText, replace_matches

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


def correct_danger_words(text: str) -> NormalizedText:
    """The text with slips of key words put right: two letters exchanged, one missing, doubled, or another vowel."""
    corrections = _build_corrections()
    return replace_matches(_WORD, text, lambda word: corrections.get(word.group().lower(), word.group()))


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
