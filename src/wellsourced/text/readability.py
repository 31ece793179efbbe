"""How hard an English text is to read, in grades of school."""

import re

from wellsourced.text.languages import detect_language
from wellsourced.text.sentences import split_sentences

MIN_WORDS = 30
"""Words below which a grade says nothing: one long word would move it by a year."""

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_VOWELS = re.compile(r"[aeiouy]+")
_SILENT_ENDING = re.compile(r"(?:[^aeiouyl]|[aeiouy]l)e$|[^aeiouydt]ed$|[^aeiouycgszxl]es$|[aeiouy]les$")
"""Ends that are written and not spoken: "care", "scale", "reduced", "takes"; not in "table", "treated", "doses"."""
_SEPARATE_VOWELS = re.compile(
    r"[aeiouy]ing$|(?<![tcsgx])i(?=a|o(?!ur)|en)|i(?=et)|(?<![qg])u(?=a)|e(?=a$|o)|(?<=cr)e(?=at)|(?<=^r)e(?=ac|i)"
    r"|u(?=id$)|(?<=r)u(?=in)"
)
"""Vowels side by side that are two syllables: "trying", "mania", "diet", "actual", "area", "create", "fluid"."""
_IRREGULAR_COUNTS = {"people": 2, "diabetes": 4}


def reading_grade(text: str) -> float | None:
    """The Flesch-Kincaid grade level: 8.0 is read by most who have finished eight years of school.

    None for fewer than 30 words, where it says nothing, and for what is not English, for which it was not made.
    Below 0 for the simplest texts. Syllables are counted by rule, so that a grade is good to about half a year.

    Kincaid, Fishburne, Rogers and Chissom: Derivation of new readability formulas for Navy enlisted personnel,
    Research Branch Report 8-75, 1975.
    """
    words = _WORD.findall(text)
    if len(words) < MIN_WORDS or detect_language(text) != "en":
        return None
    count = sum(1 for sentence in split_sentences(text) if _WORD.search(text[sentence.start : sentence.end])) or 1
    return 0.39 * len(words) / count + 11.8 * sum(map(count_syllables, words)) / len(words) - 15.59


def count_syllables(word: str) -> int:
    """The syllables of an English word, by its letters; at least one. An abbreviation in capitals is spelled out."""
    if word.isupper() and 1 < len(word) <= 5:
        return sum(3 if letter == "W" else 1 for letter in word)
    return sum(
        _count_part_syllables(part) for part in re.split(r"[-'’]", word.lower()) if part not in ("", "s", "t", "d", "m")
    )


def _count_part_syllables(part: str) -> int:
    if part in _IRREGULAR_COUNTS:
        return _IRREGULAR_COUNTS[part]
    spoken = _SILENT_ENDING.sub(lambda end: end.group()[:-2] if end.group()[-1] != "e" else end.group()[:-1], part)
    return max(1, len(_VOWELS.findall(spoken)) + len(_SEPARATE_VOWELS.findall(part)))
