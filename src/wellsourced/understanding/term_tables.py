"""The words of a question as they are looked up in the tables that come with the package, and in how many texts each
word stands.
"""

import asyncio
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from wellsourced.errors import SourceError
from wellsourced.medicine.drugs import read_brands
from wellsourced.medicine.word_forms import known_abbreviations
from wellsourced.sources.base import Frequencies, Lexicon
from wellsourced.text.lexicon import STOP_WORDS
from wellsourced.text.tables import read_rows, read_word_lists
from wellsourced.text.tokens import edit_distance, tokenize
from wellsourced.types import ExpansionKind
from wellsourced.worker_pool import run_in_worker

TABLE_NAMES = ("ambiguous.tsv", "clinician_terms.tsv", "drug_names.tsv", "lay_terms.tsv")

_DRUG_TABLES = frozenset({"drug_names.tsv"})
"""Those that other folders read too, and that lie in `medicine/`."""

TABLE_SOURCE = "wellsourced"
"""Who says so, where one of these tables does."""


class AbbreviationSense(NamedTuple):
    """One of several meanings of an abbreviation, and the words beside it that tell."""

    meaning: str
    cues: frozenset[str]


def read_table(name: str) -> list[tuple[str, ...]]:
    """The lines of one of these tables, cut at tabs."""
    return read_rows("wellsourced.medicine" if name in _DRUG_TABLES else "wellsourced.understanding", name)


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


@cache
def brands() -> Mapping[str, str]:
    """Key of a brand → its generic name. Only brands that are one drug wherever they are sold."""
    return {term_key(brand): generic for brand, generic in read_brands()}


@cache
def lay_terms() -> Mapping[str, str]:
    """Key of a lay term → the clinical term. Only what is the same thing, neither wider nor narrower."""
    return {term_key(lay): clinical for lay, clinical in read_table("lay_terms.tsv")}


@cache
def clinician_terms() -> Mapping[str, str]:
    """Key of what clinicians say for short → the term of guidelines: "spiro" → "spironolactone"."""
    return {term_key(said): meant for said, meant in read_table("clinician_terms.tsv")}


@cache
def drug_names() -> Mapping[str, str]:
    """Key of a drug's name → its other one: "paracetamol" → "acetaminophen", and back."""
    pairs = read_table("drug_names.tsv")
    return {term_key(one): other for pair in pairs for one, other in (pair, reversed(pair))}


@cache
def short_forms() -> Mapping[str, str]:
    """Key of a long form → its abbreviation."""
    return {term_key(meant): short for short, meant in reversed(list(known_abbreviations().items()))}


@cache
def senses() -> Mapping[str, tuple[AbbreviationSense, ...]]:
    """Abbreviation → its meanings, where it has several."""
    found: dict[str, list[AbbreviationSense]] = {}
    for short, meant, cues in read_table("ambiguous.tsv"):
        found.setdefault(short, []).append(AbbreviationSense(meant, frozenset(cues.split())))
    return {short: tuple(meanings) for short, meanings in found.items()}


@cache
def table_words() -> frozenset[str]:
    """Every word of the tables: real words, whatever a library holds."""
    lines = [*read_brands(), *(line for name in TABLE_NAMES for line in read_table(name))]
    return frozenset(
        word for line in (*lines, *known_abbreviations().items()) for part in line for word in term_key(part).split()
    )


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
    (_, documents), *rows = read_rows("wellsourced.understanding", "word_counts.tsv")
    return int(documents), {word: int(count) for word, count in rows}


@cache
def _words_by_length() -> Mapping[int, list[_LexiconEntry]]:
    found: dict[int, list[_LexiconEntry]] = defaultdict(list)
    for word in _load_counts()[1]:
        found[len(word)].append(_LexiconEntry(word, frozenset(word)))
    return found
