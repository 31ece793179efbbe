"""Words that are written in capitals alone, in ordinary letters: "CAN ADULTS WITH COPD …", "Can adults with COPD …".

What is an abbreviation stays one, as the tables write it ("HFREF" is HFrEF), unless it is an everyday word as well: who
writes all in capitals means "it" by IT. What no vocabulary has and nobody could read as a word stays too.
"""

import re
from functools import cache

from wellsourced.clinical.word_forms import find_abbreviation
from wellsourced.text.lexicon import AUXILIARIES, STOP_WORDS, VERBS
from wellsourced.text.tables import read_rows, read_word_lists

MIN_SHOUTED_WORDS = 4
"""Words of two letters or more in capitals, from which a sentence is written so and does not hold abbreviations."""

MIN_SHOUTED_SHARE = 0.75
"""Of the words of two letters or more, how many are."""

SHORT_LENGTHS = range(4, 6)
"""Letters of words that are taken for abbreviations when texts do not have them; of shorter ones no list is kept."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SENTENCE = re.compile(r"(?:[^.?!\n]|[.?!](?=[^\s.?!]))+[.?!\n]*")
_NUMBERED = re.compile(r"(?<![^\W_])[A-Z]{2,4}(?=-\d)")
_EVERYDAY = frozenset({*STOP_WORDS, *AUXILIARIES, *VERBS})
_WRITTEN = {word.lower(): word for word in read_word_lists(__package__, "letter_case.tsv")["written"]}
"""Units and abbreviations that stand in no table of meanings."""


def fold_capitals(text: str) -> str:
    """The text with each sentence in ordinary letters that is in capitals."""
    return _SENTENCE.sub(lambda found: _fold_sentence(found.group()), text)


def _fold_sentence(sentence: str) -> str:
    words = [word for word in _WORD.findall(sentence) if len(word) > 1 and word.isalpha()]
    shouted = [word for word in words if word.isupper()]
    if len(shouted) < MIN_SHOUTED_WORDS or len(shouted) < MIN_SHOUTED_SHARE * len(words):
        return sentence
    numbered = {found.start() for found in _NUMBERED.finditer(sentence)}
    folded = _WORD.sub(
        lambda found: found.group() if found.start() in numbered else _fold_word(found.group()), sentence
    )
    return re.sub(r"[^\W\d_]", lambda first: first.group().upper(), folded, count=1)


def _fold_word(word: str) -> str:
    low = word.lower()
    if not word.isupper() or word == "I":
        return word
    if low in _EVERYDAY or low == "a":
        return low
    for one, ending in ((word, ""), (word.removesuffix("S"), "s")):
        known = one if one in _load_first_column("ambiguous.tsv") else ""
        if short := _WRITTEN.get(one.lower()) or find_abbreviation(one) or known:
            return f"{short}{ending}"
    return word if _is_unreadable(word) else low


def _is_unreadable(word: str) -> bool:
    """Whether it cannot be a word: with figures, without vowels, or of four or five letters and in no text."""
    letters = re.sub("['’]", "", word)
    is_strange = len(letters) in SHORT_LENGTHS and letters.lower() not in _load_first_column("word_counts.tsv")
    return not letters.isalpha() or is_strange or not re.search(r"[AEIOUY]", letters)


@cache
def _load_first_column(table: str) -> frozenset[str]:
    """The words of a table of `wellsourced.understanding`: abbreviations with several meanings, words of texts."""
    return frozenset(row[0] for row in read_rows("wellsourced.understanding", table))
