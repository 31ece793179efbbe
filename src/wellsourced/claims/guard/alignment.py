"""Word by word, a sentence of the claim beside the sentence of the evidence that it nearly repeats.

Where nearly all words are the same and in the same order, what is put in the place of what can be read off; in texts
that are further apart it cannot, and nothing is told here.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from wellsourced.claims.guard.negation import NEGATIONS, find_direction, normalize_spelling, stem
from wellsourced.medicine.quantities import parse_digits
from wellsourced.medicine.units import CANONICAL_UNITS
from wellsourced.text.lexicon import NUMBER_WORDS, STOP_WORDS, TENS

MIN_SHARED_CONTENT = 0.5
"""Share of the claim's content words that a sentence has when it may be what the claim copies."""

MAX_WORDS = 160
"""Of one sentence that is compared: a bound for hostile texts; what is longer is a table."""

MAX_SENTENCES = 300
"""Of one text that are compared, at most."""

MAX_CANDIDATES = 2
"""Sentences of the evidence that are aligned with one of the claim."""


class AlignmentWord(NamedTuple):
    """A word of a sentence.

    key     what it is compared by: "#" and the value of a number, a unit, an axis of directions and a sign, a stem
    word    as printed, in the guard's spelling
    follows_comma   whether a comma or a bracket stands before it
    """

    key: str
    word: str
    follows_comma: bool

    @property
    def lower(self) -> str:
        """The word in lower case."""
        return self.word.lower()

    @property
    def is_number(self) -> bool:
        """Whether it is a number, in digits or in letters."""
        return self.key[0] == "#"

    @property
    def has_content(self) -> bool:
        """Whether it says something of the subject: no number, no unit, no word such as "the"."""
        function_word = self.lower in STOP_WORDS or self.lower in NEGATIONS
        return self.key[0].isalpha() and not function_word and self.key not in _UNITS


class Substitution(NamedTuple):
    """Words of the claim, and the words of the evidence in the place of which they stand; either may be empty.

    claim_position, evidence_position   the index of the first of them in its sentence
    """

    claim_words: tuple[AlignmentWord, ...]
    evidence_words: tuple[AlignmentWord, ...]
    claim_position: int
    evidence_position: int


class SentenceAlignment(NamedTuple):
    """A sentence of the claim beside the one of the evidence that it repeats.

    evidence_keys   the keys of all content words of the evidence
    """

    claim_words: Sequence[AlignmentWord]
    evidence_words: Sequence[AlignmentWord]
    substitutions: tuple[Substitution, ...]
    evidence_keys: frozenset[str]

    @property
    def closeness(self) -> float:
        """Share of the claim's words that stand in the evidence too, in the same order."""
        return 1 - sum(len(change.claim_words) for change in self.substitutions) / len(self.claim_words)


def align_sentences(claim: str, evidence: str) -> Iterator[SentenceAlignment]:
    """For each sentence of the claim the one of the evidence that it copies, where there is one."""
    given = [sentence for sentence in _split_sentences(evidence) if sentence]
    known = [frozenset(_content_keys(sentence)) for sentence in given]
    everything = frozenset[str]().union(*known)
    for said in _split_sentences(claim):
        content = _content_keys(said)
        if len(content) < 2:
            continue
        shares = sorted(
            ((sum(key in keys for key in content) / len(content), -place) for place, keys in enumerate(known)),
            reverse=True,
        )
        near = [given[-place] for share, place in shares[:MAX_CANDIDATES] if share >= MIN_SHARED_CONTENT]
        if near:
            yield max((_align_pair(said, sentence, everything) for sentence in near), key=lambda copy: copy.closeness)


def _align_pair(
    said: Sequence[AlignmentWord], given: Sequence[AlignmentWord], known: frozenset[str]
) -> SentenceAlignment:
    matcher = SequenceMatcher(None, [word.key for word in given], [word.key for word in said], autojunk=False)
    changes = (
        Substitution(tuple(said[at:end]), tuple(given[there:last]), at, there)
        for kind, there, last, at, end in matcher.get_opcodes()
        if kind != "equal"
    )
    return SentenceAlignment(
        said, given, tuple(_trim_last_substitution(change, len(said)) for change in changes), known
    )


def _trim_last_substitution(change: Substitution, length: int) -> Substitution:
    """At the end of a claim what stands in the place of its last words, without all that follows in the evidence."""
    if change.claim_words and change.claim_position + len(change.claim_words) == length:
        return change._replace(evidence_words=change.evidence_words[: len(change.claim_words) + 1])
    return change


def _content_keys(sentence: Sequence[AlignmentWord]) -> list[str]:
    return [word.key for word in sentence if word.has_content or word.is_number]


_UNITS = frozenset(CANONICAL_UNITS.values())
_SENTENCE_END = re.compile(r"(?<!\bvs)(?<!\bP)(?<=[.?!])\s+(?=[^\sa-z])|\n\s*\n")
_WORD = re.compile(r"(?P<mark>[,;:()\[\]]*)\s*(?P<word>\d+(?:[.,]\d+)*|\.\d+|[^\W\d_][^\W_]*|[<>≤≥=%±°]+)")


def _split_sentences(text: str) -> list[list[AlignmentWord]]:
    parts = _SENTENCE_END.split(text, maxsplit=MAX_SENTENCES)[:MAX_SENTENCES]
    return [_tokenize_sentence(part) for part in parts if len(part) < 12 * MAX_WORDS]


_ITEM_NUMBER = re.compile(r"(?<!\S)\d{1,2}\)(?=\s+[a-zA-Z])")


def _remove_item_numbers(sentence: str) -> str:
    """ "1) to verify … 2) to seek", without the numbers of the items; a number that ends a bracket stays."""
    return _ITEM_NUMBER.sub(
        lambda match: (
            match.group() if sentence.rfind("(", 0, match.start()) > sentence.rfind(")", 0, match.start()) else ""
        ),
        sentence,
    )


def _tokenize_sentence(sentence: str) -> list[AlignmentWord]:
    found = (
        AlignmentWord(_normalize_key(match["word"]), match["word"], bool(match["mark"]))
        for match in _WORD.finditer(normalize_spelling(_remove_item_numbers(sentence)))
    )
    return list(found)[:MAX_WORDS]


@lru_cache(maxsize=20_000)
def _normalize_key(word: str) -> str:
    small = word.lower()
    if small[0].isdecimal() or small[0] == ".":
        # "2.1.3" is no number.
        return f"#{small}" if small.count(".") > 1 else f"#{parse_digits(small):f}"
    if small in NUMBER_WORDS or small in TENS:
        return f"#{NUMBER_WORDS.get(small) or TENS.get(small) or 0}"
    if not small[0].isalpha():
        return {"=<": "≤", "<=": "≤", ">=": "≥", "=>": "≥"}.get(small, small)
    if unit := CANONICAL_UNITS.get(word) or CANONICAL_UNITS.get(small):
        return unit
    if found := find_direction(small):
        return f"{found[0]}{'+' if found[1] > 0 else '-'}"
    if small in STOP_WORDS or small in NEGATIONS:
        return _FUNCTION_WORD_KEYS.get(small, small)
    plain = re.sub(r"is(?=(?:e|ed|es|ing|ation)\Z)", "iz", small.replace("aem", "em").replace("paed", "ped"))
    return stem(_OUR.sub("or", plain))


_OUR = re.compile(r"(?<=[^\W\d_]{3})our(?=(?:s|ed|ing|able|al|ably)?\Z)|(?<=[^\W\d_]{2})our(?=s?\Z)(?<=mour)")
"""The ending of "favour" and "tumours", which American texts write with "or"; not of "hour" and "four"."""

_FUNCTION_WORD_KEYS = {
    "which": "that", "an": "a", "were": "was", "are": "is", "has": "have", "had": "have", "upon": "on",
}  # fmt: skip
