"""The words of a question with their places, and runs of them as they are looked up in tables of terms."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wellsourced.text.tables import read_word_lists
from wellsourced.text.tokens import tokenize
from wellsourced.types import ExpansionKind

WORD_LISTS = read_word_lists("wellsourced.understanding", "question_words.tsv")
"""What words of questions are: of a need, of any question, of a kind of concept, of a qualifier."""

MAX_TERM_WORDS = 8
"""Words of the longest term that is looked for."""

MAX_WORDS = 400
"""Words of a question that are looked at."""

_WORD = re.compile(r"\d+(?:[.,]\d+)*%?(?![\w-])|\w[\w'’]*(?:[-–]\w[\w'’]*)*")


class QuestionWord(NamedTuple):
    """A word of a question.

    verbatim     as it stands there
    corrected    as it is understood, once its spelling is mended
    start, end   its place, half-open, in code points
    """

    verbatim: str
    corrected: str
    start: int
    end: int


class TermMeaning(NamedTuple):
    """What a run of words, from `first` to `last` (both included), may be said to mean; the likeliest first."""

    first: int
    last: int
    kind: ExpansionKind
    meanings: tuple[str, ...]
    source: str

    @property
    def length(self) -> int:
        """Words."""
        return self.last - self.first + 1


def split_question_words(text: str) -> list[QuestionWord]:
    """The words of a text, compounds with hyphens as one."""
    found = list(_WORD.finditer(text))[:MAX_WORDS]
    return [QuestionWord(one.group(), one.group(), one.start(), one.end()) for one in found]


def term_key(term: str) -> str:
    """As terms are compared: lower case, no accents, hyphens or possessives. "Crohn's Disease" → "crohn disease"."""
    return " ".join(word.removesuffix("'s") for word in tokenize(term))


def term_keys(term: str) -> list[str]:
    """The key of a term, then those with the last word in the singular, as far as spelling tells."""
    name = term_key(term)
    if not name.endswith("s") or name.endswith(("ss", "us", "is")) or len(name) < 4:
        return [name]
    if name.endswith("ies"):
        return [name, f"{name[:-3]}y"]
    if name.endswith(("ses", "xes", "ches", "shes")):
        return [name, name[:-1], name[:-2], f"{name[:-2]}is"]
    return [name, name[:-1]]


def list_runs(text: str, told: Sequence[QuestionWord], longest: int = MAX_TERM_WORDS) -> Iterator[tuple[int, int]]:
    """First and last word of every run that nothing but space parts, the longest first, then from the left."""
    for length in range(min(longest, len(told)), 0, -1):
        for first in range(len(told) - length + 1):
            last = first + length - 1
            if all(text[told[at].end : told[at + 1].start].isspace() for at in range(first, last)):
                yield first, last


def corrected_run(told: Sequence[QuestionWord], first: int, last: int) -> str:
    """A run as it is understood."""
    return " ".join(word.corrected for word in told[first : last + 1])


def verbatim_run(text: str, told: Sequence[QuestionWord], first: int, last: int) -> str:
    """A run, verbatim."""
    return text[told[first].start : told[last].end]
