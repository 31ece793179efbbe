"""Terms of a Boolean query as expressions of FTS5: phrases in columns, with the words that a wildcard stands for."""

import re
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

from wellsourced.errors import SourceRefused
from wellsourced.query_language.query_tree import Near, Node, Or, QueryTerm, SearchField
from wellsourced.sources.library.word_index.entries import SEPARATOR, WORD_FIELDS, strip_accents
from wellsourced.sources.library.word_index.reader import WordIndexReader

FIELD_COLUMNS = {"all": WORD_FIELDS, "title_abstract": ("title", "abstract")}
"""Where the words of a field stand, when it is not one column of its own name."""

MAX_WORDINGS = 10_000
"""Wordings that one term, or terms near each other, may stand for."""

MAX_WORD_LETTERS = 200
"""Letters that a word may have: no more can follow its beginning."""

ANY_ENDING = r"\w*"

_WILDCARDS = {"*": r"\w*", "#": r"\w", "?": r"\w?"}
_WORD = re.compile(r"(?:[^\W_]|[*#?])+")
_BLANK_WILDCARDS = str.maketrans("*#?", "   ")


class FtsPhrase(NamedTuple):
    """A phrase as FTS5 writes it, and the columns in which it may stand."""

    phrase: str
    columns: tuple[str, ...]

    @property
    def expression(self) -> str:
        return _column_expression(self.columns, self.phrase)


def literal_term(words: str, field: SearchField = "all") -> QueryTerm:
    """Words as a term in which nothing is a pattern."""
    return QueryTerm(words.translate(_BLANK_WILDCARDS), field)


def has_words(term: QueryTerm) -> bool:
    """Whether there is a letter or a digit to look for."""
    return any(character.isalnum() for character in term.words)


def expand_term(term: QueryTerm, words: WordIndexReader) -> list[FtsPhrase]:
    """The phrases that a term stands for; none when the library has no such words. Raises SourceRefused if too many."""
    said = _term_words(term)
    if not said:
        return []
    columns = FIELD_COLUMNS.get(term.field, (term.field,))
    ending = _ending_pattern(term, said)
    if ending == ANY_ENDING and not _is_pattern(said[-1]):
        # The index finds words by how they begin: no need to know them.
        return [
            FtsPhrase(f'"{" ".join((*some, said[-1]))}" *', columns) for some in _expand_patterns(said[:-1], "", words)
        ]
    return [FtsPhrase(f'"{" ".join(some)}"', columns) for some in _expand_patterns(said, ending, words)]


def find_likeliest_words(term: QueryTerm, words: WordIndexReader, most: int) -> list[str]:
    """Words that who finds the term will find; in the place of a pattern, the commonest that it stands for."""
    said = _term_words(term)
    choices = _word_choices(said, _ending_pattern(term, said), words)
    commonest = (sorted(every, key=lambda one: (-one[1], one[0]))[:most] for every in choices)
    return [word for some in commonest for word, _ in some]


def _term_words(term: QueryTerm) -> list[str]:
    found = _WORD.findall(strip_accents(_clean_words(term.words)))
    return [word for word in found if any(character.isalnum() for character in word)]


def _ending_pattern(term: QueryTerm, said: Sequence[str]) -> str:
    """How the last word may go on, as a regular expression."""
    # Whoever asks for "Smith J" means "Smith JA" too.
    is_initial = term.field == "author" and len(said) > 1 and len(said[-1]) == 1
    if not term.truncated:
        return ANY_ENDING if is_initial else ""
    return ANY_ENDING if term.letters is None else rf"\w{{0,{min(term.letters, MAX_WORD_LETTERS)}}}"


def expand_near(near: Near, words: WordIndexReader) -> list[str] | None:
    """Expressions for terms near each other; None when a part is more than words, or either of some words."""
    parts = [_expand_alternatives(part, words) for part in near.parts]
    if any(part is None for part in parts):
        return None
    some = [part for part in parts if part is not None]
    _check_count(prod(map(len, some)), " near ".join(str(len(part)) for part in some))
    return [match for chosen in product(*some) if (match := _near_expression(chosen, near.distance))]


def _near_expression(chosen: Sequence[FtsPhrase], distance: int) -> str:
    columns = tuple(column for column in WORD_FIELDS if all(column in wording.columns for wording in chosen))
    phrases = " ".join(wording.phrase for wording in chosen)
    return _column_expression(columns, f"NEAR({phrases}, {distance})") if columns else ""


def _expand_alternatives(node: Node, words: WordIndexReader) -> list[FtsPhrase] | None:
    if isinstance(node, QueryTerm):
        return expand_term(node, words)
    # Alternatives can be near something one by one; an AND within cannot, since its words stand anywhere.
    if isinstance(node, Or):
        parts = [_expand_alternatives(part, words) for part in node.parts]
        return None if any(part is None for part in parts) else [one for part in parts for one in part or ()]
    return None


def _expand_patterns(said: Sequence[str], ending: str, words: WordIndexReader) -> list[tuple[str, ...]]:
    """The words that are said, with those of the library in the place of patterns."""
    some = [[word for word, _ in every] for every in _word_choices(said, ending, words)]
    _check_count(prod(map(len, some)), " ".join(said))
    return list(product(*some))


def _word_choices(said: Sequence[str], ending: str, words: WordIndexReader) -> Iterator[list[tuple[str, int]]]:
    """For each word that is said, itself, or those that the pattern stands for; `ending` is how the last may go on."""
    for at, word in enumerate(said, 1):
        more = ending if at == len(said) else ""
        yield list(_matching_words(word, more, words)) if more or _is_pattern(word) else [(word, 0)]


def _matching_words(pattern: str, ending: str, words: WordIndexReader) -> Iterator[tuple[str, int]]:
    """Words of the library that a pattern stands for, and how many documents hold them."""
    meant = re.compile("".join(_WILDCARDS.get(letter, re.escape(letter)) for letter in pattern) + ending)
    beginning = re.split(r"[*#?]", pattern, maxsplit=1)[0]
    return ((word, count) for word, count in words.words_with_prefix(beginning) if meant.fullmatch(word))


def _is_pattern(word: str) -> bool:
    return not _WILDCARDS.keys().isdisjoint(word)


def _column_expression(columns: Sequence[str], match: str) -> str:
    return match if tuple(columns) == WORD_FIELDS else f"{{{' '.join(columns)}}} : {match}"


def _clean_words(words: str) -> str:
    """Without what no text has, and what stands between two headings."""
    return words.encode(errors="replace").decode().replace("\x00", " ").replace(SEPARATOR, " ")


def _check_count(count: int, said: str) -> None:
    # Refused and not cut: which wordings were left out would decide what is found, and nobody could see it.
    if count > MAX_WORDINGS:
        remedy = "Write more of its letters, or fewer alternatives."
        raise SourceRefused(f"“{said[:80]}” stands for {count:,} wordings here, more than {MAX_WORDINGS:,}. {remedy}")
