"""The words of a question and their runs, who knows which words there are, and in how many texts each word stands."""

import asyncio
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple, Protocol, runtime_checkable

from wellsourced.errors import SourceError
from wellsourced.medicine.names import term_key
from wellsourced.text.abbreviations import is_abbreviation
from wellsourced.text.lexicon import STOP_WORDS
from wellsourced.text.tables import read_rows, read_word_lists
from wellsourced.text.tokens import edit_distance, tokenize
from wellsourced.types import ExpansionKind
from wellsourced.worker_pool import run_in_worker

WORD_LISTS = read_word_lists("wellsourced.question", "question_words.tsv")
"""What words of questions are: of a need, of any question, of a kind of concept, of a qualifier."""

MAX_TERM_WORDS = 8
"""Words of the longest term that is looked for."""

MAX_THESAURUS_WORDS = 6
"""Words of the longest that a thesaurus is asked for."""

MAX_LOOKUPS = 24
"""Terms of one question that a thesaurus is asked for."""

MAX_WORDS = 400
"""Words of a question that are looked at."""

GENERAL_WORDS = frozenset(WORD_LISTS["general"])
"""Words that name kinds of concepts; a thesaurus knows other words for them, and none helps."""

INNER_WORDS = frozenset({"of", "and", "with", "in", "to", "due"})
"""Small words that stand within names of diseases: "failure of", "with reduced ejection fraction"."""

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


def find_term_runs(text: str, told: Sequence[QuestionWord], around: Collection[int] = ()) -> list[tuple[int, int]]:
    """Runs that may be terms, the longest first: none that begins or ends with a small word, or is only a word.

    around   places of words of which each run holds one; (): any
    """
    content = [word.corrected.lower() not in STOP_WORDS for word in told]
    found = [
        (first, last)
        for first, last in list_runs(text, told, MAX_THESAURUS_WORDS)
        if content[first]
        and content[last]
        and all(content[at] or told[at].corrected.lower() in INNER_WORDS for at in range(first, last))
        and (first < last or _is_specific(told[first].corrected))
        and not _is_end_of_name(text, told, first)
        and (not around or any(at in around for at in range(first, last + 1)))
    ]
    return found[:MAX_LOOKUPS]


def _is_specific(word: str) -> bool:
    return is_abbreviation(word) or (len(word) > 3 and term_key(word) not in GENERAL_WORDS)


def _is_end_of_name(text: str, told: Sequence[QuestionWord], first: int) -> bool:
    """Whether a longer name ends here: "Jensen syndrome" is nothing in "Gorlin Bushkell Jensen syndrome"."""
    if first < 2 or not told[first].corrected[0].isupper() or not told[first - 1].corrected[0].isupper():
        return False
    return text[told[first - 1].end : told[first].start].isspace()


async def is_thesaurus_term(term: str, thesaurus: Thesaurus | None) -> bool:
    """Whether a thesaurus knows the term; False without one, and where it fails."""
    try:
        return thesaurus is not None and bool(await thesaurus.find_synonyms(term, 1))
    except SourceError:
        return False


# Words that medical texts use, and in how many of 38,486 each stands: what spelling is held against without a
# library.
#
# `word_counts.tsv` (evaluate/docs/fitting.md says how it was made): words of four letters or more that stand in five
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
        documents, counts = await run_in_worker(load_word_counts)
        return Frequencies(documents, {word: counts[word] for word in words if word in counts})

    async def spelled_like(self, word: str, limit: int = 10) -> list[tuple[str, int]]:
        """Words at most two edits away, the nearest first, then the commonest."""
        return await run_in_worker(_find_similar_words, word, limit)


def _find_similar_words(word: str, limit: int) -> list[tuple[str, int]]:
    _, counts = load_word_counts()
    letters = frozenset(word)
    alike = (
        other
        for length in range(len(word) - MAX_EDITS, len(word) + MAX_EDITS + 1)
        for other, others in _letters_by_length().get(length, ())
        if other != word and len(letters ^ others) <= 2 * MAX_EDITS
    )
    near = sorted((away, -counts[other], other) for other in alike if (away := edit_distance(word, other)) <= MAX_EDITS)
    return [(other, -count) for _, count, other in near[:limit]]


@cache
def load_word_counts() -> tuple[int, Mapping[str, int]]:
    """How many texts were read, and each word that stands in five or more → in how many."""
    (_, documents), *rows = read_rows("wellsourced.question", "word_counts.tsv")
    return int(documents), {word: int(count) for word, count in rows}


@cache
def _letters_by_length() -> Mapping[int, list[tuple[str, frozenset[str]]]]:
    """Words of a length, each with its letters: what is near a word shares nearly all of them."""
    found: dict[int, list[tuple[str, frozenset[str]]]] = defaultdict(list)
    for word in load_word_counts()[1]:
        found[len(word)].append((word, frozenset(word)))
    return found
