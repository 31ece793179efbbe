"""The words of a question as they are looked up in the tables that come with the package, and in how many texts each
word stands.
"""

import asyncio
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple, Protocol, runtime_checkable

from wellsourced.errors import SourceError
from wellsourced.text.lexicon import STOP_WORDS
from wellsourced.text.tables import read_rows, read_word_lists
from wellsourced.text.tokens import edit_distance, tokenize
from wellsourced.types import ExpansionKind
from wellsourced.worker_pool import run_in_worker

TABLE_SOURCE = "wellsourced"
"""Who says so, where one of the tables does."""

WORD_LISTS = read_word_lists("wellsourced.question", "question_words.tsv")
"""What words of questions are: of a need, of any question, of a kind of concept, of a qualifier."""

MAX_TERM_WORDS = 8
"""Words of the longest term that is looked for."""

MAX_WORDS = 400
"""Words of a question that are looked at."""

_WORD = re.compile(r"\d+(?:[.,]\d+)*%?(?![\w-])|\w[\w'’]*(?:[-–]\w[\w'’]*)*")


class Frequencies(NamedTuple):
    """In how many documents words stand.

    documents   that there are in all
    counts      word → documents that hold it; a word that none holds is not in it
    """

    documents: int
    counts: Mapping[str, int]


@runtime_checkable
class Lexicon(Protocol):
    """Who knows which words there are, and how common each is. Words are whole, in lower case, without accents.

    `frequencies` counts words; `spelled_like` gives words that are written almost as the one asked for, with their
    counts, the likeliest first and the word itself left out.
    """

    @property
    def name(self) -> str: ...

    async def frequencies(self, words: Collection[str]) -> Frequencies: ...

    async def spelled_like(self, word: str, limit: int = 10) -> list[tuple[str, int]]: ...


@runtime_checkable
class Thesaurus(Protocol):
    """Who knows by what other names a thing goes.

    `find_synonyms` returns other names of the concept that a term names, the preferred name first, without the term
    itself; none when the term is unknown. A term that names several concepts gives the names of the likeliest.
    """

    async def find_synonyms(self, term: str, limit: int = 20) -> list[str]: ...


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


# Words that medical texts use, and in how many of 38,486 each stands: what spelling is held against without a
# library.
#
# `word_counts.tsv` is written by benchmarks/count_words.py: words of four letters or more that stand in five
# documents or more of PubMed abstracts, MedQuAD's answers and SciFact.


async def sum_frequencies(lexicons: Sequence[Lexicon], asked: Collection[str]) -> Frequencies:
    """The counts of all lexicons together; one that fails is left out."""
    given = await asyncio.gather(*(lexicon.frequencies(asked) for lexicon in lexicons), return_exceptions=True)
    counts: Counter[str] = Counter()
    documents = 0
    for one in given:
        if isinstance(one, Frequencies):
            counts.update(one.counts)
            documents += one.documents
        elif not isinstance(one, SourceError):
            raise one
    return Frequencies(documents, counts)


def document_frequency(term: str, known: Frequencies) -> int:
    """Documents that hold the rarest word of a term: no more can hold the term."""
    return min((known.counts.get(word, 0) for word in tokenize(term) if word not in STOP_WORDS), default=0)


MAX_EDITS = 2
"""Letters by which words that are spelled alike differ in length, at most, and edits between them."""


class BackgroundLexicon:
    """A lexicon that is always there."""

    name = "medical texts"

    async def frequencies(self, words: Collection[str]) -> Frequencies:
        """In how many texts words stand; one that is in fewer than five is not known."""
        documents, counts = await run_in_worker(_load_counts)
        return Frequencies(documents, {word: counts[word] for word in words if word in counts})

    async def spelled_like(self, word: str, limit: int = 10) -> list[tuple[str, int]]:
        """Words at most two edits away, the nearest first, then the commonest."""
        return await run_in_worker(_find_similar_words, word, limit)


def _find_similar_words(word: str, limit: int) -> list[tuple[str, int]]:
    _, counts = _load_counts()
    near = sorted(
        (away, -counts[other], other)
        for other in _list_candidates(word)
        if other != word and (away := edit_distance(word, other)) <= MAX_EDITS
    )
    return [(other, -count) for _, count, other in near[:limit]]


class _LexiconEntry(NamedTuple):
    word: str
    letters: frozenset[str]


def _list_candidates(word: str) -> list[str]:
    """Words of about this length that share nearly all of their letters with it."""
    letters = frozenset(word)
    return [
        entry.word
        for length in range(len(word) - MAX_EDITS, len(word) + MAX_EDITS + 1)
        for entry in _words_by_length().get(length, ())
        if len(letters ^ entry.letters) <= 2 * MAX_EDITS
    ]


@cache
def _load_counts() -> tuple[int, Mapping[str, int]]:
    (_, documents), *rows = read_rows("wellsourced.question", "word_counts.tsv")
    return int(documents), {word: int(count) for word, count in rows}


@cache
def _words_by_length() -> Mapping[int, list[_LexiconEntry]]:
    found: dict[int, list[_LexiconEntry]] = defaultdict(list)
    for word in _load_counts()[1]:
        found[len(word)].append(_LexiconEntry(word, frozenset(word)))
    return found
