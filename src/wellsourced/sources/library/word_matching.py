"""Terms of a Boolean query as expressions of FTS5: phrases in columns, with the words that a wildcard stands for."""

import re
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

from wellsourced.errors import Refused
from wellsourced.query_language.tree import Field, Near, Node, Or, Term
from wellsourced.sources.library.word_entries import BETWEEN, FIELDS, unaccented
from wellsourced.sources.library.word_reading import Words

COLUMNS = {"all": FIELDS, "title_abstract": ("title", "abstract")}
"""Where the words of a field stand, when it is not one column of its own name."""

MOST = 10_000
"""Wordings that one term, or terms near each other, may stand for."""

LONGEST = 200
"""Letters that a word may have: no more can follow its beginning."""

ANY = r"\w*"

_WILD = {"*": r"\w*", "#": r"\w", "?": r"\w?"}
_WORD = re.compile(r"(?:[^\W_]|[*#?])+")
_NOT_WILD = str.maketrans("*#?", "   ")


class Wording(NamedTuple):
    """A phrase as FTS5 writes it, and the columns in which it may stand."""

    phrase: str
    columns: tuple[str, ...]

    @property
    def expression(self) -> str:
        """What to match."""
        return _within(self.columns, self.phrase)


def literal(words: str, field: Field = "all") -> Term:
    """Words as a term in which nothing is a pattern."""
    return Term(words.translate(_NOT_WILD), field)


def asks(term: Term) -> bool:
    """Whether there is a letter or a digit to look for."""
    return any(character.isalnum() for character in term.words)


def wordings(term: Term, words: Words) -> list[Wording]:
    """The phrases that a term stands for; none when the library has no such words. Raises Refused for too many."""
    said = _said(term)
    if not said:
        return []
    columns = COLUMNS.get(term.field, (term.field,))
    ending = _ending(term, said)
    if ending == ANY and not _is_pattern(said[-1]):
        # The index finds words by how they begin: no need to know them.
        return [Wording(f'"{" ".join((*some, said[-1]))}" *', columns) for some in _meant(said[:-1], "", words)]
    return [Wording(f'"{" ".join(some)}"', columns) for some in _meant(said, ending, words)]


def likeliest(term: Term, words: Words, most: int) -> list[str]:
    """Words that who finds the term will find; in the place of a pattern, the commonest that it stands for."""
    said = _said(term)
    last, ending = len(said) - 1, _ending(term, said)
    found: list[str] = []
    for at, word in enumerate(said):
        if _is_pattern(word) or (ending and at == last):
            every = _like(word, ending if at == last else "", words)
            found += [one for one, _ in sorted(every, key=lambda one: (-one[1], one[0]))[:most]]
        else:
            found.append(word)
    return found


def _said(term: Term) -> list[str]:
    found = _WORD.findall(unaccented(_clean(term.words)))
    return [word for word in found if any(character.isalnum() for character in word)]


def _ending(term: Term, said: Sequence[str]) -> str:
    """How the last word may go on, as a regular expression."""
    # Whoever asks for "Smith J" means "Smith JA" too.
    is_initial = term.field == "author" and len(said) > 1 and len(said[-1]) == 1
    if not term.truncated:
        return ANY if is_initial else ""
    return ANY if term.letters is None else rf"\w{{0,{min(term.letters, LONGEST)}}}"


def nearby(near: Near, words: Words) -> list[str] | None:
    """Expressions for terms near each other; None when a part is more than words, or either of some words."""
    parts = [_alternatives(part, words) for part in near.parts]
    if any(part is None for part in parts):
        return None
    some = [part for part in parts if part is not None]
    _check(prod(map(len, some)), " near ".join(str(len(part)) for part in some))
    return [match for chosen in product(*some) if (match := _near(chosen, near.distance))]


def _near(chosen: Sequence[Wording], distance: int) -> str:
    columns = tuple(column for column in FIELDS if all(column in wording.columns for wording in chosen))
    phrases = " ".join(wording.phrase for wording in chosen)
    return _within(columns, f"NEAR({phrases}, {distance})") if columns else ""


def _alternatives(node: Node, words: Words) -> list[Wording] | None:
    if isinstance(node, Term):
        return wordings(node, words)
    if isinstance(node, Or):
        parts = [_alternatives(part, words) for part in node.parts]
        return None if any(part is None for part in parts) else [one for part in parts for one in part or ()]
    return None


def _meant(said: Sequence[str], ending: str, words: Words) -> list[tuple[str, ...]]:
    """The words that are said, with those of the library in the place of patterns."""
    last = len(said) - 1
    some: list[list[str]] = []
    for at, word in enumerate(said):
        if _is_pattern(word) or (ending and at == last):
            some.append([one for one, _ in _like(word, ending if at == last else "", words)])
        else:
            some.append([word])
    _check(prod(map(len, some)), " ".join(said))
    return list(product(*some))


def _like(pattern: str, ending: str, words: Words) -> Iterator[tuple[str, int]]:
    """Words of the library that a pattern stands for, and how many documents hold them."""
    meant = re.compile("".join(_WILD.get(letter, re.escape(letter)) for letter in pattern) + ending)
    beginning = re.split(r"[*#?]", pattern, maxsplit=1)[0]
    return ((word, count) for word, count in words.beginning(beginning) if meant.fullmatch(word))


def _is_pattern(word: str) -> bool:
    return not _WILD.keys().isdisjoint(word)


def _within(columns: Sequence[str], match: str) -> str:
    return match if tuple(columns) == FIELDS else f"{{{' '.join(columns)}}} : {match}"


def _clean(words: str) -> str:
    """Without what no text has, and what stands between two headings."""
    return words.encode(errors="replace").decode().replace("\x00", " ").replace(BETWEEN, " ")


def _check(count: int, said: str) -> None:
    if count > MOST:
        remedy = "Write more of its letters, or fewer alternatives."
        raise Refused(f"“{said[:80]}” stands for {count:,} wordings here, more than {MOST:,}. {remedy}")
