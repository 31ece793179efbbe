"""Which documents of a library a Boolean query means, as sets.

A part that cannot be held against any record (a language, a day of entry, a filter of another database) asks for
nothing: it narrows nothing, adds nothing, and leaves nothing out.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import reduce
from itertools import product
from math import prod
from typing import NamedTuple, TypeAlias

import numpy as np

from wellsourced.errors import SourceRefused
from wellsourced.query_language import query_tree
from wellsourced.sources.library.word_index.entries import (
    SEPARATOR,
    WORD_FIELDS,
    Mask,
    WordIndexReader,
    fold_words,
    possible_identities,
    strip_accents,
)
from wellsourced.text.dates import EVER, DayRange, day_range

NON_WORD_FIELDS = ("id", "language")
"""Fields that are no columns of words."""

DocumentSet: TypeAlias = Mask | None
"""A set of documents; None for a part that asks for nothing."""

NoteHandler = Callable[[str], None]

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


def literal_term(words: str, field: query_tree.SearchField = "all") -> query_tree.QueryTerm:
    """Words as a term in which nothing is a pattern."""
    return query_tree.QueryTerm(words.translate(_BLANK_WILDCARDS), field)


def has_words(term: query_tree.QueryTerm) -> bool:
    """Whether there is a letter or a digit to look for."""
    return any(character.isalnum() for character in term.words)


def expand_term(term: query_tree.QueryTerm, words: WordIndexReader) -> list[FtsPhrase]:
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


def find_likeliest_words(term: query_tree.QueryTerm, words: WordIndexReader, most: int) -> list[str]:
    """Words that who finds the term will find; in the place of a pattern, the commonest that it stands for."""
    said = _term_words(term)
    choices = _word_choices(said, _ending_pattern(term, said), words)
    commonest = (sorted(every, key=lambda one: (-one[1], one[0]))[:most] for every in choices)
    return [word for some in commonest for word, _ in some]


def _term_words(term: query_tree.QueryTerm) -> list[str]:
    found = _WORD.findall(strip_accents(_clean_words(term.words)))
    return [word for word in found if any(character.isalnum() for character in word)]


def _ending_pattern(term: query_tree.QueryTerm, said: Sequence[str]) -> str:
    """How the last word may go on, as a regular expression."""
    # Whoever asks for "Smith J" means "Smith JA" too.
    is_initial = term.field == "author" and len(said) > 1 and len(said[-1]) == 1
    if not term.truncated:
        return ANY_ENDING if is_initial else ""
    return ANY_ENDING if term.letters is None else rf"\w{{0,{min(term.letters, MAX_WORD_LETTERS)}}}"


def expand_near(near: query_tree.Near, words: WordIndexReader) -> list[str] | None:
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


def _expand_alternatives(node: query_tree.Node, words: WordIndexReader) -> list[FtsPhrase] | None:
    if isinstance(node, query_tree.QueryTerm):
        return expand_term(node, words)
    # Alternatives can be near something one by one; an AND within cannot, since its words stand anywhere.
    if isinstance(node, query_tree.Or):
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
        raise SourceRefused(f"“{said[:80]}” matches {count:,} wordings here, more than {MAX_WORDINGS:,}. {remedy}")


class BooleanMatcher:
    """Finds the documents that queries mean.

    meant   heading, or type of publication, as it is written in the query → itself and all that stands below it
    note    is told, once a query, what its writer should know
    """

    def __init__(self, words: WordIndexReader, meant: Mapping[str, Collection[str]], note: NoteHandler) -> None:
        self._words, self._expansions, self._note = words, meant, note
        self._all_documents = words.documents.live

    def find_documents(self, node: query_tree.Node) -> Mask:
        """The documents that are meant; all of them by a query that asks for nothing. Raises SourceRefused."""
        found = self._find_node(node, True)
        return self._all_documents if found is None else found & self._all_documents

    def _find_node(self, node: query_tree.Node, guess: bool) -> DocumentSet:
        """`guess`: a document without headings may be taken for one of a heading that it names."""
        match node:
            case query_tree.And(parts):
                return _combine_sets(np.logical_and, [self._find_node(part, guess) for part in parts])
            case query_tree.Or(parts):
                return self._find_any(parts, guess)
            case query_tree.Not():
                # What is left out is not left out on a guess.
                kept, left_out = self._find_node(node.kept, guess), self._find_node(node.left_out, not guess)
                # What asks for nothing leaves nothing out.
                if left_out is None:
                    return kept
                return (self._all_documents if kept is None else kept) & ~left_out
            case query_tree.QueryTerm():
                return self._find_any((node,), guess)
            case query_tree.Near():
                return self._find_near(node, guess)
            case query_tree.MeshHeading():
                return self._find_by_heading(node, guess)
            case query_tree.Qualifier():
                return self._words.find_by_qualifier(fold_words(node.name))
            case query_tree.DateRange():
                return self._find_by_dates(node)
            case query_tree.Everything():
                return None

    def _find_any(self, parts: Collection[query_tree.Node], guess: bool) -> DocumentSet:
        # Words go to the index together: a strategy asks for hundreds of them.
        plain = [part for part in parts if isinstance(part, query_tree.QueryTerm) and part.field not in NON_WORD_FIELDS]
        found = [
            self._find_special(part, guess)
            for part in parts
            if not isinstance(part, query_tree.QueryTerm) or part.field in NON_WORD_FIELDS
        ]
        # A term without a letter or a digit asks for nothing.
        if asked := [term for term in plain if has_words(term)]:
            found.append(self._words.find_matching({match for term in asked for match in self._term_expressions(term)}))
        return _combine_sets(np.logical_or, found)

    def _find_special(self, node: query_tree.Node, guess: bool) -> DocumentSet:
        if not isinstance(node, query_tree.QueryTerm):
            return self._find_node(node, guess)
        if node.field == "id":
            return self._words.find_by_identities(possible_identities(node.words))
        self._note("no document has a recorded language, so the language filter was ignored")
        return None

    def _term_expressions(self, term: query_tree.QueryTerm) -> list[str]:
        every = self._expansions.get(term.words, (term.words,)) if term.field == "type" else (term.words,)
        return [one.expression for said in every for one in expand_term(term._replace(words=said), self._words)]

    def _find_near(self, node: query_tree.Near, guess: bool) -> DocumentSet:
        matches = expand_near(node, self._words)
        if matches is None:
            self._note("distances work between words only; AND was used")
            return self._find_node(query_tree.And(node.parts, node.at), guess)
        return self._words.find_matching(matches)

    def _find_by_dates(self, node: query_tree.DateRange) -> DocumentSet:
        if node.field == "entered":
            self._note("no document has a date of entry, so that filter was ignored")
            return None
        first, last = (day_range(end.replace("/", "-")) for end in (node.first, node.last))
        # A document without a date is found by no period: that it may be one of those meant has to be told.
        undated = int(np.count_nonzero(self._all_documents & (self._words.documents.latest == 0)))
        if undated:
            self._note(f"{undated:,} documents have no date and were excluded by the date filter")
        return self._words.find_in_period(
            DayRange(first.earliest if node.first else EVER.earliest, last.latest if node.last else EVER.latest)
        )

    def _find_by_heading(self, node: query_tree.MeshHeading, guess: bool) -> Mask:
        every = self._expansions.get(node.name, (node.name,)) if node.explode else (node.name,)
        found = self._words.find_by_headings(
            {fold_words(name) for name in every}, [fold_words(one) for one in node.qualifiers]
        )
        if node.major:
            self._note("main headings are not recorded here; any heading counts")
        untagged = self._all_documents & ~self._words.documents.tagged
        # Only where it adds documents: a guess that left some out could not be noticed.
        if not guess or not untagged.any():
            return found
        count = np.count_nonzero(untagged)
        self._note(f"{count:,} documents were searched without headings, in title and text")
        phrases = {match for name in every for match in self._heading_expressions(name)}
        return found | (self._words.find_matching(phrases) & untagged)

    def _heading_expressions(self, heading: str) -> list[str]:
        """A heading is written as an index is: "Heparin, Low-Molecular-Weight"; a text turns it around."""
        said = [heading, " ".join(reversed(heading.split(", ")))] if ", " in heading else [heading]
        return [
            one.expression for name in said for one in expand_term(literal_term(name, "title_abstract"), self._words)
        ]


def _combine_sets(join: "np.ufunc", found: Collection[DocumentSet]) -> DocumentSet:
    known = [one for one in found if one is not None]
    return reduce(join, known) if known else None
