"""Which documents of a library a Boolean query means: one expression of FTS5 where it can say it, and masks.

A part that cannot be held against any record (a language, a day of entry, a filter of another database) asks for
nothing: it narrows nothing, adds nothing, and leaves nothing out.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import product
from math import prod
from typing import Generic, NamedTuple, Protocol, TypeAlias, TypeVar

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


class Wording(NamedTuple):
    """A phrase, and the columns in which it may stand.

    is_prefix   its last word may go on
    """

    words: tuple[str, ...]
    columns: tuple[str, ...] = WORD_FIELDS
    is_prefix: bool = False

    @property
    def phrase(self) -> str:
        """As FTS5 writes it."""
        return f'"{" ".join(self.words)}"{" *" if self.is_prefix else ""}'

    @property
    def expression(self) -> str:
        return _column_expression(self.columns, self.phrase)


class LibraryWords(Protocol):
    """The words of a library, whoever holds them."""

    def words_like(self, beginnings: Collection[str], pattern: str = "") -> Iterable[tuple[str, int]]:
        """Words that begin in one of these ways, and in how many documents each stands.

        pattern   a regular expression that matches all of a word, of letters, digits, \\w and their numbers
        """
        ...

    def count_documents(self, words: Collection[str]) -> dict[str, int]:
        """In how many documents each of these words stands; those that stand in none are left out."""
        ...


def literal_term(words: str, field: query_tree.SearchField = "all") -> query_tree.QueryTerm:
    """Words as a term in which nothing is a pattern."""
    return query_tree.QueryTerm(words.translate(_BLANK_WILDCARDS), field)


def has_words(term: query_tree.QueryTerm) -> bool:
    """Whether there is a letter or a digit to look for."""
    return any(character.isalnum() for character in term.words)


def expand_term(term: query_tree.QueryTerm, words: LibraryWords) -> list[Wording]:
    """The phrases that a term stands for; none when the library has no such words. Raises SourceRefused if too many."""
    said = _term_words(term)
    if not said:
        return []
    columns = FIELD_COLUMNS.get(term.field, (term.field,))
    ending = _ending_pattern(term, said)
    if ending == ANY_ENDING and not _is_pattern(said[-1]):
        # The index finds words by how they begin: no need to know them.
        return [Wording((*some, said[-1]), columns, True) for some in _expand_patterns(said[:-1], "", words)]
    return [Wording(some, columns) for some in _expand_patterns(said, ending, words)]


def find_likeliest_words(term: query_tree.QueryTerm, words: LibraryWords, most: int) -> list[str]:
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


def expand_near(near: query_tree.Near, words: LibraryWords) -> list[list[Wording]] | None:
    """The wordings of each of some terms near each other; None when a part is more than words, or either of some."""
    parts = [_expand_alternatives(part, words) for part in near.parts]
    some = [part for part in parts if part is not None]
    if len(some) < len(parts):
        return None
    _check_count(prod(map(len, some)), " near ".join(str(len(part)) for part in some))
    return some


def shared_columns(chosen: Sequence[Wording]) -> tuple[str, ...]:
    """The columns in which all of these may stand."""
    return tuple(column for column in WORD_FIELDS if all(column in wording.columns for wording in chosen))


def _near_expression(chosen: Sequence[Wording], distance: int) -> str:
    columns = shared_columns(chosen)
    phrases = " ".join(wording.phrase for wording in chosen)
    return _column_expression(columns, f"NEAR({phrases}, {distance})") if columns else ""


def _expand_alternatives(node: query_tree.Node, words: LibraryWords) -> list[Wording] | None:
    if isinstance(node, query_tree.QueryTerm):
        return expand_term(node, words)
    # Alternatives can be near something one by one; an AND within cannot, since its words stand anywhere.
    if isinstance(node, query_tree.Or):
        parts = [_expand_alternatives(part, words) for part in node.parts]
        return None if any(part is None for part in parts) else [one for part in parts for one in part or ()]
    return None


def _expand_patterns(said: Sequence[str], ending: str, words: LibraryWords) -> list[tuple[str, ...]]:
    """The words that are said, with those of the library in the place of patterns."""
    some = [[word for word, _ in every] for every in _word_choices(said, ending, words)]
    _check_count(prod(map(len, some)), " ".join(said))
    return list(product(*some))


def _word_choices(said: Sequence[str], ending: str, words: LibraryWords) -> Iterator[list[tuple[str, int]]]:
    """For each word that is said, itself, or those that the pattern stands for; `ending` is how the last may go on."""
    for at, word in enumerate(said, 1):
        more = ending if at == len(said) else ""
        yield list(_matching_words(word, more, words)) if more or _is_pattern(word) else [(word, 0)]


def _matching_words(pattern: str, ending: str, words: LibraryWords) -> Iterable[tuple[str, int]]:
    """Words of the library that a pattern stands for, and how many documents hold them."""
    beginning = re.split(r"[*#?]", pattern, maxsplit=1)[0]
    return words.words_like((beginning,), "".join(_WILDCARDS.get(letter, letter) for letter in pattern) + ending)


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

DocumentSet: TypeAlias = WordSet | Mask
"""A set of documents."""

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


Found = TypeVar("Found")


class TreeMatcher(ABC, Generic[Found]):
    """What a query means, whatever the sets of documents are that an engine makes of its parts; None, as a set, is a
    part that asks for nothing.

    narrower   heading, or type of publication, as it is written in the query → itself and all that stands below it
    note       is told, once a query, what its writer should know
    untagged, undated   documents that have no heading, and no date
    """

    untagged: int
    undated: int

    def __init__(
        self, words: LibraryWords, narrower: Mapping[str, Collection[str]] = {}, note: NoteHandler = ignore_note
    ) -> None:
        self._vocabulary, self._narrower, self._note = words, narrower, note

    @abstractmethod
    def match_wordings(self, wordings: Sequence[Wording]) -> Found:
        """Documents in which any of these stands."""

    @abstractmethod
    def match_near(self, parts: Sequence[Sequence[Wording]], distance: int) -> Found:
        """Documents in which a wording of each part stands, so many words between them."""

    @abstractmethod
    def match_headings(self, headings: Sequence[str], qualifiers: Sequence[str]) -> Found:
        """Documents with any of these headings, and any of these qualifiers under it if there are any; all folded."""

    @abstractmethod
    def match_qualifier(self, qualifier: str) -> Found: ...

    @abstractmethod
    def match_untagged(self) -> Found: ...

    @abstractmethod
    def match_identities(self, identities: Sequence[str]) -> Found: ...

    @abstractmethod
    def match_period(self, period: DayRange) -> Found: ...

    @abstractmethod
    def match_all(self, sets: Sequence[Found | None]) -> Found | None: ...

    @abstractmethod
    def match_any(self, sets: Sequence[Found | None]) -> Found | None: ...

    @abstractmethod
    def leave_out(self, kept: Found | None, left_out: Found) -> Found: ...

    def find_node(self, node: query_tree.Node, guess: bool = True) -> Found | None:
        """`guess`: a document without headings may be taken for one of a heading that it names."""
        match node:
            case query_tree.And(parts):
                return self.match_all([self.find_node(part, guess) for part in parts])
            case query_tree.Or(parts):
                return self.match_any([self.find_node(part, guess) for part in parts])
            case query_tree.Not():
                # What is left out is not left out on a guess, and what asks for nothing leaves nothing out.
                kept, left_out = self.find_node(node.kept, guess), self.find_node(node.left_out, not guess)
                return kept if left_out is None else self.leave_out(kept, left_out)
            case query_tree.QueryTerm():
                return self._find_by_term(node)
            case query_tree.Near():
                return self._find_near(node, guess)
            case query_tree.MeshHeading():
                return self._find_by_heading(node, guess)
            case query_tree.Qualifier():
                name = fold_words(node.name)
                return self.match_qualifier(name) if name else self.match_wordings([])
            case query_tree.DateRange():
                return self._find_by_dates(node)
            case query_tree.Everything():
                return None

    def _find_by_term(self, term: query_tree.QueryTerm) -> Found | None:
        if term.field == "id":
            return self.match_identities(possible_identities(term.words))
        if term.field == "language":
            self._note("no document has a recorded language, so the language filter was ignored")
            return None
        # A term without a letter or a digit asks for nothing.
        if not has_words(term):
            return None
        every = self._narrower.get(term.words, (term.words,)) if term.field == "type" else (term.words,)
        return self.match_wordings(
            [one for said in every for one in expand_term(term._replace(words=said), self._vocabulary)]
        )

    def _find_near(self, node: query_tree.Near, guess: bool) -> Found | None:
        parts = expand_near(node, self._vocabulary)
        if parts is None:
            self._note("distances work between words only; AND was used")
            return self.find_node(query_tree.And(node.parts, node.at), guess)
        return self.match_near(parts, node.distance)

    def _find_by_dates(self, node: query_tree.DateRange) -> Found | None:
        if node.field == "entered":
            self._note("no document has a date of entry, so that filter was ignored")
            return None
        first, last = (day_range(end.replace("/", "-")) for end in (node.first, node.last))
        # A document without a date is found by no period: that it may be one of those meant has to be told.
        if undated := self.undated:
            self._note(f"{undated:,} documents have no date and were excluded by the date filter")
        return self.match_period(
            DayRange(first.earliest if node.first else EVER.earliest, last.latest if node.last else EVER.latest)
        )

    def _find_by_heading(self, node: query_tree.MeshHeading, guess: bool) -> Found | None:
        every = self._narrower.get(node.name, (node.name,)) if node.explode else (node.name,)
        found = self.match_headings([fold_words(name) for name in every], [fold_words(one) for one in node.qualifiers])
        if node.major:
            self._note("main headings are not recorded here; any heading counts")
        # Only where it adds documents: a guess that left some out could not be noticed.
        if not guess or not self.untagged:
            return found
        self._note(f"{self.untagged:,} documents were searched without headings, in title and text")
        named = self.match_wordings([wording for name in every for wording in self._heading_wordings(name)])
        return self.match_any([found, self.match_all([named, self.match_untagged()])])

    def _heading_wordings(self, heading: str) -> list[Wording]:
        """A heading is written as an index is: "Heparin, Low-Molecular-Weight"; a text turns it around."""
        said = [heading, " ".join(reversed(heading.split(", ")))] if ", " in heading else [heading]
        return [one for name in said for one in expand_term(literal_term(name, "title_abstract"), self._vocabulary)]


class BooleanMatcher(TreeMatcher[DocumentSet]):
    """Finds the documents that queries mean, by the index in the library's folder.

    All that is words, phrases, terms near each other and headings becomes one expression, so that FTS5 compares lists
    of documents and gives those that are left. Masks are what it has no words for: dates and ids, and what is joined
    with these, or would be too high.
    """

    def __init__(
        self, words: WordIndexReader, narrower: Mapping[str, Collection[str]] = {}, note: NoteHandler = ignore_note
    ) -> None:
        super().__init__(words, narrower, note)
        self._words = words
        self.untagged, self.undated = words.state.untagged, words.state.undated

    def find_documents(self, node: query_tree.Node) -> Mask:
        """The documents that are meant; all of them by a query that asks for nothing. Raises SourceRefused."""
        found, live = self.find_node(node), self._words.documents.live
        return live.copy() if found is None else self._to_mask(found) & live

    def match_all(self, sets: Sequence[DocumentSet | None]) -> DocumentSet | None:
        words, masks = _part_sets(sets)
        if NOTHING in words:
            return NOTHING
        joined = _join_words("AND", words) if words else None
        if joined and joined.height > MAX_HEIGHT:
            joined, masks = None, [*masks, *map(self._words_mask, words)]
        if not masks:
            return joined
        return reduce(np.logical_and, masks if joined is None else [*masks, self._words_mask(joined)])

    def match_any(self, sets: Sequence[DocumentSet | None]) -> DocumentSet | None:
        words, masks = _part_sets(sets)
        groups = _group_alternatives(one for one in words if one != NOTHING)
        if any(group.height > MAX_HEIGHT for group in groups):
            groups = [one for one in words if one != NOTHING]
        elif not masks and len(groups) < 2:
            return groups[0] if groups else NOTHING if words else None
        return reduce(np.logical_or, [*masks, *map(self._words_mask, groups)])

    def leave_out(self, kept: DocumentSet | None, left_out: DocumentSet) -> DocumentSet:
        if isinstance(kept, WordSet) and isinstance(left_out, WordSet):
            joined = _join_words("NOT", (kept, left_out)) if kept.expression and left_out.expression else kept
            if joined.height <= MAX_HEIGHT:
                return joined
        return (self._words.documents.live if kept is None else self._to_mask(kept)) & ~self._to_mask(left_out)

    def _to_mask(self, found: DocumentSet) -> Mask:
        return self._words_mask(found) if isinstance(found, WordSet) else found

    def _words_mask(self, words: WordSet) -> Mask:
        return self._words.find_matching(words.expression)

    def _match_expressions(self, expressions: Iterable[str]) -> DocumentSet:
        """What matches any of these, each once."""
        found = self.match_any([NOTHING, *(WordSet(one) for one in dict.fromkeys(expressions) if one)])
        return NOTHING if found is None else found

    def match_wordings(self, wordings: Sequence[Wording]) -> DocumentSet:
        return self._match_expressions(one.expression for one in wordings)

    def match_near(self, parts: Sequence[Sequence[Wording]], distance: int) -> DocumentSet:
        return self._match_expressions(_near_expression(chosen, distance) for chosen in product(*parts))

    def match_headings(self, headings: Sequence[str], qualifiers: Sequence[str]) -> DocumentSet:
        return self._match_expressions(one for name in headings for one in heading_phrases(name, qualifiers))

    def match_qualifier(self, qualifier: str) -> DocumentSet:
        return WordSet(qualifier_phrase(qualifier))

    def match_untagged(self) -> DocumentSet:
        return WordSet(f'"{NO_HEADING}"')

    def match_identities(self, identities: Sequence[str]) -> DocumentSet:
        return self._words.find_by_identities(identities)

    def match_period(self, period: DayRange) -> DocumentSet:
        return self._words.find_in_period(period)


def _part_sets(sets: Sequence[DocumentSet | None]) -> tuple[list[WordSet], list[Mask]]:
    """Those that ask for something: by words, and masks."""
    words = [one for one in sets if isinstance(one, WordSet)]
    return words, [one for one in sets if one is not None and not isinstance(one, WordSet)]
