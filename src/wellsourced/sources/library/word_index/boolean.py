"""Which documents of a library a Boolean query means: one expression of FTS5 where it can say it, and masks.

A part that cannot be held against any record (a language, a day of entry, a filter of another database) asks for
nothing: it narrows nothing, adds nothing, and leaves nothing out.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
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
    fold_words,
    possible_identities,
    strip_accents,
)
from wellsourced.sources.library.word_index.tables import (
    NO_HEADING,
    Mask,
    WordIndexReader,
    heading_phrases,
    qualifier_phrase,
)
from wellsourced.text.dates import EVER, DayRange, day_range

NoteHandler = Callable[[str], None]


def ignore_note(note: str) -> None:
    """Tell it to nobody."""


FIELD_COLUMNS = {"all": WORD_FIELDS, "title_abstract": ("title", "abstract")}
"""Where the words of a field stand, when it is not one column of its own name."""

MAX_WORDINGS = 10_000
"""Wordings that one term, or terms near each other, may stand for."""

MAX_PHRASES = 200
"""Phrases that are alternatives in one expression: each document that one of them finds is compared with all."""

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


class WordSet(NamedTuple):
    """Documents that an expression of FTS5 matches; "" matches none.

    phrases   of which it is made
    height    of its tree, as it is written
    """

    expression: str
    phrases: int = 1
    height: int = 0


NOTHING = WordSet("", 0)

DocumentSet: TypeAlias = WordSet | Mask | None
"""A set of documents; None for a part that asks for nothing."""

MAX_HEIGHT = 250
"""Height of an expression: a higher one would make its tree too deep for SQLite."""

LEVEL_HEIGHT = 10
"""Height that a pair of parentheses counts for at least: SQLite's parser takes some thirty within each other."""


def _join_words(operator: str, parts: Sequence[WordSet]) -> WordSet:
    """One expression of several, none of which is empty. It may be too high."""
    if len(parts) == 1:
        return parts[0]
    written = (f"({one.expression})" if one.height else one.expression for one in parts)
    height = max(one.height for one in parts) + max(len(parts), LEVEL_HEIGHT)
    return WordSet(f" {operator} ".join(written), sum(one.phrases for one in parts), height)


def _group_alternatives(words: Iterable[WordSet]) -> list[WordSet]:
    """As few expressions as MAX_PHRASES lets, which together match what any of these does."""
    groups: list[list[WordSet]] = []
    count = MAX_PHRASES
    for one in words:
        count += one.phrases
        if count > MAX_PHRASES:
            groups.append([])
            count = one.phrases
        groups[-1].append(one)
    return [_join_words("OR", group) for group in groups]


class BooleanMatcher:
    """Finds the documents that queries mean.

    All that is words, phrases, terms near each other and headings becomes one expression, so that FTS5 compares lists
    of documents and gives those that are left. Masks are what it has no words for: dates and ids, and what is joined
    with these, or would be too high.

    narrower   heading, or type of publication, as it is written in the query → itself and all that stands below it
    note       is told, once a query, what its writer should know
    """

    def __init__(
        self, words: WordIndexReader, narrower: Mapping[str, Collection[str]] = {}, note: NoteHandler = ignore_note
    ) -> None:
        self._words, self._narrower, self._note = words, narrower, note

    def find_documents(self, node: query_tree.Node) -> Mask:
        """The documents that are meant; all of them by a query that asks for nothing. Raises SourceRefused."""
        found, live = self._find_node(node, True), self._words.documents.live
        return live.copy() if found is None else self._to_mask(found) & live

    def _find_node(self, node: query_tree.Node, guess: bool) -> DocumentSet:
        """`guess`: a document without headings may be taken for one of a heading that it names."""
        match node:
            case query_tree.And(parts):
                return self._find_all([self._find_node(part, guess) for part in parts])
            case query_tree.Or(parts):
                return self._find_any([self._find_node(part, guess) for part in parts])
            case query_tree.Not():
                # What is left out is not left out on a guess.
                return self._leave_out(self._find_node(node.kept, guess), self._find_node(node.left_out, not guess))
            case query_tree.QueryTerm():
                return self._find_by_term(node)
            case query_tree.Near():
                return self._find_near(node, guess)
            case query_tree.MeshHeading():
                return self._find_by_heading(node, guess)
            case query_tree.Qualifier():
                name = fold_words(node.name)
                return WordSet(qualifier_phrase(name)) if name else NOTHING
            case query_tree.DateRange():
                return self._find_by_dates(node)
            case query_tree.Everything():
                return None

    def _find_all(self, sets: Sequence[DocumentSet]) -> DocumentSet:
        words, masks = _part_sets(sets)
        if NOTHING in words:
            return NOTHING
        joined = _join_words("AND", words) if words else None
        if joined and joined.height > MAX_HEIGHT:
            joined, masks = None, [*masks, *map(self._words_mask, words)]
        if not masks:
            return joined
        return reduce(np.logical_and, masks if joined is None else [*masks, self._words_mask(joined)])

    def _find_any(self, sets: Sequence[DocumentSet]) -> DocumentSet:
        words, masks = _part_sets(sets)
        groups = _group_alternatives(one for one in words if one != NOTHING)
        if any(group.height > MAX_HEIGHT for group in groups):
            groups = [one for one in words if one != NOTHING]
        elif not masks and len(groups) < 2:
            return groups[0] if groups else NOTHING if words else None
        return reduce(np.logical_or, [*masks, *map(self._words_mask, groups)])

    def _leave_out(self, kept: DocumentSet, left_out: DocumentSet) -> DocumentSet:
        # What asks for nothing leaves nothing out.
        if left_out is None:
            return kept
        if isinstance(kept, WordSet) and isinstance(left_out, WordSet):
            joined = _join_words("NOT", (kept, left_out)) if kept.expression and left_out.expression else kept
            if joined.height <= MAX_HEIGHT:
                return joined
        return (self._words.documents.live if kept is None else self._to_mask(kept)) & ~self._to_mask(left_out)

    def _to_mask(self, found: WordSet | Mask) -> Mask:
        return self._words_mask(found) if isinstance(found, WordSet) else found

    def _words_mask(self, words: WordSet) -> Mask:
        return self._words.find_matching(words.expression)

    def _match_any(self, expressions: Iterable[str]) -> DocumentSet:
        """What matches any of these, each once."""
        return self._find_any([NOTHING, *(WordSet(one) for one in dict.fromkeys(expressions))])

    def _find_by_term(self, term: query_tree.QueryTerm) -> DocumentSet:
        if term.field == "id":
            return self._words.find_by_identities(possible_identities(term.words))
        if term.field == "language":
            self._note("no document has a recorded language, so the language filter was ignored")
            return None
        # A term without a letter or a digit asks for nothing.
        return self._match_any(self._term_expressions(term)) if has_words(term) else None

    def _term_expressions(self, term: query_tree.QueryTerm) -> list[str]:
        every = self._narrower.get(term.words, (term.words,)) if term.field == "type" else (term.words,)
        return [one.expression for said in every for one in expand_term(term._replace(words=said), self._words)]

    def _find_near(self, node: query_tree.Near, guess: bool) -> DocumentSet:
        matches = expand_near(node, self._words)
        if matches is None:
            self._note("distances work between words only; AND was used")
            return self._find_node(query_tree.And(node.parts, node.at), guess)
        return self._match_any(matches)

    def _find_by_dates(self, node: query_tree.DateRange) -> DocumentSet:
        if node.field == "entered":
            self._note("no document has a date of entry, so that filter was ignored")
            return None
        first, last = (day_range(end.replace("/", "-")) for end in (node.first, node.last))
        # A document without a date is found by no period: that it may be one of those meant has to be told.
        if undated := self._words.state.undated:
            self._note(f"{undated:,} documents have no date and were excluded by the date filter")
        return self._words.find_in_period(
            DayRange(first.earliest if node.first else EVER.earliest, last.latest if node.last else EVER.latest)
        )

    def _find_by_heading(self, node: query_tree.MeshHeading, guess: bool) -> DocumentSet:
        every = self._narrower.get(node.name, (node.name,)) if node.explode else (node.name,)
        qualifiers = [fold_words(one) for one in node.qualifiers]
        found = self._match_any(one for name in every for one in heading_phrases(fold_words(name), qualifiers))
        if node.major:
            self._note("main headings are not recorded here; any heading counts")
        untagged = self._words.state.untagged
        # Only where it adds documents: a guess that left some out could not be noticed.
        if not guess or not untagged:
            return found
        self._note(f"{untagged:,} documents were searched without headings, in title and text")
        named = self._match_any(match for name in every for match in self._heading_expressions(name))
        return self._find_any([found, self._find_all([named, WordSet(f'"{NO_HEADING}"')])])

    def _heading_expressions(self, heading: str) -> list[str]:
        """A heading is written as an index is: "Heparin, Low-Molecular-Weight"; a text turns it around."""
        said = [heading, " ".join(reversed(heading.split(", ")))] if ", " in heading else [heading]
        return [
            one.expression for name in said for one in expand_term(literal_term(name, "title_abstract"), self._words)
        ]


def _part_sets(sets: Sequence[DocumentSet]) -> tuple[list[WordSet], list[Mask]]:
    """Those that ask for something: by words, and masks."""
    words = [one for one in sets if isinstance(one, WordSet)]
    return words, [one for one in sets if one is not None and not isinstance(one, WordSet)]
