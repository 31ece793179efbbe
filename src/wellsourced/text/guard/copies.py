"""Copies: a sentence of the claim that repeats one of the evidence but for some words, and which words these are.

Where nearly all words are the same and in the same order, what is put in the place of what can be read off; in texts
that are further apart it cannot, and nothing is told here.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from wellsourced.text.guard.reading import NEGATIONS, direction, in_spelling, stem
from wellsourced.text.lexicon import NUMBER_WORDS, STOP_WORDS, TENS
from wellsourced.text.quantities import CANONICAL

LIKE = 0.5
"""Share of the claim's content words that a sentence has when it may be what the claim copies."""

WORDS = 160
"""Of one sentence that is compared: a bound for hostile texts; what is longer is a table."""

SENTENCES = 300
"""Of one text that are compared, at most."""

NEAREST = 2
"""Sentences of the evidence that are aligned with one of the claim."""


class Word(NamedTuple):
    """A word of a sentence.

    key     what it is compared by: "#" and the value of a number, a unit, an axis of directions and a sign, a stem
    word    as printed, in the guard's spelling
    parted  whether a comma or a bracket stands before it
    """

    key: str
    word: str
    parted: bool

    @property
    def is_number(self) -> bool:
        """Whether it is a number, in digits or in letters."""
        return self.key[0] == "#"

    @property
    def has_content(self) -> bool:
        """Whether it says something of the subject: no number, no unit, no word such as "the"."""
        small = self.word.lower()
        return self.key[0].isalpha() and small not in STOP_WORDS and small not in NEGATIONS and self.key not in _UNITS


class Change(NamedTuple):
    """Words of the claim, and the words of the evidence in the place of which they stand; either may be empty.

    at, there   the index of the first of them in its sentence
    """

    said: tuple[Word, ...]
    given: tuple[Word, ...]
    at: int
    there: int


class Copy(NamedTuple):
    """A sentence of the claim beside the one of the evidence that it repeats.

    known   the keys of all content words of the evidence
    """

    said: Sequence[Word]
    given: Sequence[Word]
    changes: tuple[Change, ...]
    known: frozenset[str]

    @property
    def closeness(self) -> float:
        """Share of the claim's words that stand in the evidence too, in the same order."""
        return 1 - sum(len(change.said) for change in self.changes) / len(self.said)


def copied(claim: str, evidence: str) -> Iterator[Copy]:
    """For each sentence of the claim the one of the evidence that it copies, where there is one."""
    given = [sentence for sentence in _sentences(evidence) if sentence]
    known = [frozenset(_content(sentence)) for sentence in given]
    everything = frozenset[str]().union(*known)
    for said in _sentences(claim):
        content = _content(said)
        if len(content) < 2:
            continue
        shares = sorted(
            ((sum(key in keys for key in content) / len(content), -place) for place, keys in enumerate(known)),
            reverse=True,
        )
        near = [given[-place] for share, place in shares[:NEAREST] if share >= LIKE]
        if near:
            yield max((_aligned(said, sentence, everything) for sentence in near), key=lambda copy: copy.closeness)


def _aligned(said: Sequence[Word], given: Sequence[Word], known: frozenset[str]) -> Copy:
    matcher = SequenceMatcher(None, [word.key for word in given], [word.key for word in said], autojunk=False)
    changes = (
        Change(tuple(said[at:end]), tuple(given[there:last]), at, there)
        for kind, there, last, at, end in matcher.get_opcodes()
        if kind != "equal"
    )
    return Copy(said, given, tuple(_within(change, len(said)) for change in changes), known)


def _within(change: Change, length: int) -> Change:
    """At the end of a claim what stands in the place of its last words, without all that follows in the evidence."""
    if change.said and change.at + len(change.said) == length:
        return change._replace(given=change.given[: len(change.said) + 1])
    return change


def _content(sentence: Sequence[Word]) -> list[str]:
    return [word.key for word in sentence if word.has_content or word.is_number]


# --- words -----------------------------------------------------------------------------------------------------------

_UNITS = frozenset(CANONICAL.values())
_END = re.compile(r"(?<!\bvs)(?<!\bP)(?<=[.?!])\s+(?=[^\sa-z])|\n\s*\n")
_WORD = re.compile(r"(?P<mark>[,;:()\[\]]*)\s*(?P<word>\d+(?:[.,]\d+)*|\.\d+|[^\W\d_][^\W_]*|[<>≤≥=%±°]+)")


def _sentences(text: str) -> list[list[Word]]:
    parts = _END.split(text, maxsplit=SENTENCES)[:SENTENCES]
    return [_words(part) for part in parts if len(part) < 12 * WORDS]


def _words(sentence: str) -> list[Word]:
    found = (
        Word(_key(match["word"]), match["word"], bool(match["mark"])) for match in _WORD.finditer(in_spelling(sentence))
    )
    return list(found)[:WORDS]


@lru_cache(maxsize=20_000)
def _key(word: str) -> str:
    small = word.lower()
    if small[0].isdigit() or small[0] == ".":
        return f"#{_value(small)}"
    if small in NUMBER_WORDS or small in TENS:
        return f"#{NUMBER_WORDS.get(small) or TENS.get(small) or 0}"
    if not small[0].isalpha():
        return {"=<": "≤", "<=": "≤", ">=": "≥", "=>": "≥"}.get(small, small)
    if unit := CANONICAL.get(word) or CANONICAL.get(small):
        return unit
    if found := direction(small):
        return f"{found[0]}{'+' if found[1] > 0 else '-'}"
    if small in STOP_WORDS or small in NEGATIONS:
        return _SAME.get(small, small)
    return stem(re.sub(r"is(?=(?:e|ed|es|ing|ation)\Z)", "iz", small.replace("aem", "em").replace("paed", "ped")))


_SAME = {"which": "that", "an": "a", "were": "was", "are": "is", "has": "have", "had": "have", "upon": "on"}


def _value(digits: str) -> str:
    """A number in one spelling: "1,000" is 1000, ".05" is 0.05, "8.0" is 8."""
    plain = re.sub(r",(?=\d{3}(?!\d))", "", digits)
    plain = f"0{plain}" if plain[0] == "." else plain
    return plain.rstrip("0").rstrip(".") if "." in plain else plain
