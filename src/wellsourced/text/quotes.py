"""Quotes: where somebody's copy of a source's words stands in the source."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Literal, NamedTuple

from wellsourced.text.lexicon import (
    DIRECTION_AXES,
    NEGATED_WORDS,
    NEGATIONS_OF_NOUNS,
    NEGATIONS_OF_VERBS,
    NUMBER_WORDS,
    SCOPE_ENDS,
    STOP_WORDS,
    TENS,
)
from wellsourced.text.sentences import sentences
from wellsourced.text.typography import normalised


class Found(NamedTuple):
    """Offsets into the text as it was given, and whether the quote stands there as it is or but for its typography."""

    start: int
    end: int
    how: Literal["exact", "normalised"]


def locate(quote: str, text: str) -> Found | None:
    """The first place where a quote stands in a text, or None. Never a similar place.

    Typography may differ: runs of white space, kinds of dash and quotation mark, ligatures, composed letters, soft
    hyphens, zero-width characters, words divided at a line end. Words, case, digits and signs may not; nor may a
    quote begin or end inside a word, a number or a unit ("significant" is not in "insignificant", "5 mg" not in
    "2.5 mg" or "5 mg/kg").
    """
    quote = quote.strip()
    if not quote:
        return None
    start = _whole(quote, text)
    if start >= 0:
        return Found(start, start + len(quote), "exact")
    wanted = normalised(quote, _always).text.strip()
    if not wanted:
        return None
    divided = frozenset(re.findall(r"[^\W\d_]+(?=-[^\W\d_])", wanted)) if "-" in wanted else frozenset()
    plain = normalised(text, divided.__contains__)
    start = _whole(wanted, plain.text)
    if start < 0:
        return None
    return Found(*plain.original(start, start + len(wanted)), "normalised")


def aligned(quote: str, text: str) -> tuple[Found, ...]:
    """The places where a model's copy of a text stands in it, in order; none when it does not, all of it, stand there.

    As `locate`, and besides: an ellipsis parts a quote into fragments that follow each other in the text and each
    become a place of their own; a full stop, comma or semicolon may have been added at the end, quotation marks
    around; the first letter may be large or small, unless that makes a name or an abbreviation of a word.

    Fragments have at least three words. What was left out of a sentence between two of them may hold no negation,
    contrast, direction or number, because it could turn round what they say together; what stands in brackets may
    hold numbers.
    """
    if found := _copied(quote, text):
        return (found,)
    parts = [part for part in _ELLIPSIS.split(quote) if re.search(r"\w", part)]
    if len(parts) == 1:
        return tuple(found for part in parts if (found := _copied(part, text)))
    if not 1 < len(parts) <= _FRAGMENTS or any(len(re.findall(r"\w+", part)) < _FEWEST for part in parts):
        return ()
    return _in_order(parts, text)


def _always(word: str) -> bool:
    """A quote's own hyphens are believed."""
    return bool(word)


# --- whole words and whole numbers ---------------------------------------------------------------------------------

_DASH = "-‐‑‒–−"
_CUT_BEFORE = re.compile(rf"\w\Z|\w[{_DASH}]\Z")
_CUT_NUMBER_BEFORE = re.compile(rf"[{_DASH}±.,/·]\Z")
_CUT_AFTER = re.compile(rf"\w|[{_DASH}]\w")
_CUT_NUMBER_AFTER = re.compile(rf"[{_DASH}.,/·:]\d|\s?%")
_OPEN_NUMBER = re.compile(rf"[{_DASH}.,/·:]\d")
_OPEN_END = re.compile(rf"\w[{_DASH}./·:,]\Z")
_UNIT_END = re.compile(r"\d\s?[^\W\d_]{1,5}\Z")
_PER = re.compile(r"\s?/\s?\w")
_WORD_END = re.compile(r"\W|\Z")


def _whole(quote: str, text: str) -> int:
    """The first occurrence that cuts no word, number or unit at either end; -1 without one."""
    at = text.find(quote)
    while at >= 0:
        if not _cuts(quote, text, at):
            return at
        # Nothing that begins inside this word can be whole, so the search goes on behind it.
        following = _WORD_END.search(text, at + 1)
        at = text.find(quote, following.start() if following else len(text))
    return -1


def _cuts(quote: str, text: str, at: int) -> bool:
    before = text[max(0, at - 2) : at]
    end = at + len(quote)
    after = text[end : end + 4]
    return _cuts_before(quote, before) or _cuts_after(quote[-10:], after)


def _cuts_before(quote: str, before: str) -> bool:
    if _is_word(quote[0]) and _CUT_BEFORE.search(before):
        return True
    if _OPEN_NUMBER.match(quote) and before[-1:].isdigit():
        return True
    return quote[0].isdigit() and bool(_CUT_NUMBER_BEFORE.search(before))


def _cuts_after(tail: str, after: str) -> bool:
    if _is_word(tail[-1]) and _CUT_AFTER.match(after):
        return True
    if _OPEN_END.search(tail) and after[:1].isalnum() and (tail[-1] in _DASH or after[0].isdigit()):
        return True
    if _UNIT_END.search(tail) and _PER.match(after):
        return True
    return tail[-1].isdigit() and bool(_CUT_NUMBER_AFTER.match(after))


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


# --- what a copy may change at its ends ----------------------------------------------------------------------------

_MARKED = re.compile(r"""\s*["'“”„«‘’](.+)["'“”»‘’]([.,;]?)\s*""", re.DOTALL)
_STOPPED = re.compile(r"[.,;]\s*\Z")
_FIRST = re.compile(r"([^\W\d_])([^\W\d_]*)(?![\w/]|[-‐‑][A-Z\d])")


def _copied(part: str, text: str, at: int = 0) -> Found | None:
    """Where a copy of one stretch of words stands from `at` on, its ends apart."""
    for copy in _copies(part.strip()):
        if found := _from(copy, text, at) or _otherwise_begun(copy, text, at):
            return found
    return None


def _from(copy: str, text: str, at: int) -> Found | None:
    found = locate(copy, text[at:] if at else text)
    return found and Found(found.start + at, found.end + at, found.how)


def _copies(part: str) -> Iterator[str]:
    """The words as they were given, without marks around them, without the stop that may have been added."""
    yield part
    bare = part
    if marked := _MARKED.fullmatch(part):
        bare = marked[1] + marked[2]
        yield bare
    if stopped := _STOPPED.search(bare):
        yield bare[: stopped.start()]


def _otherwise_begun(copy: str, text: str, at: int) -> Found | None:
    """Where the copy stands but for the case of its first letter.

    A small letter may stand for a large one only where a sentence begins: elsewhere that is a name.
    """
    first = _FIRST.match(copy)
    if first is None or not _is_plain_word(first.group()):
        return None
    found = _from(copy[0].swapcase() + copy[1:], text, at)
    if found is None or (copy[0].islower() and not _begins(text, found.start)):
        return None
    return found._replace(how="normalised")


def _is_plain_word(word: str) -> bool:
    """No abbreviation ("pH", "mRNA", "Mg", "ml"): small letters after the first, enough of them, with a vowel."""
    if word[1:] != word[1:].lower():
        return False
    return word.lower() in STOP_WORDS | {"no"} or (len(word) > 2 and bool(re.search(r"[aeiouy]", word.lower())))


def _begins(text: str, at: int) -> bool:
    return bool(re.search(r":\s+\Z", text[max(0, at - 3) : at])) or at in {span.start for span in sentences(text)}


# --- what was left out ---------------------------------------------------------------------------------------------

_ELLIPSIS = re.compile(r"\s*(?:[\[(]\s*(?:…|\.{3,}|(?:\. ){2}\.)\s*[\])]|…|\.{3,}|(?:\. ){2}\.)\s*")
_FEWEST = 3
"""Words of a fragment: fewer could be put together to anything."""
_FRAGMENTS = 6
"""Fragments of one quote, at most: a bound for hostile replies."""
_BRACKETED = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_TURNING = (
    frozenset(["cannot", "except", "instead", "nt", "only", *NEGATED_WORDS])
    | NEGATIONS_OF_VERBS
    | NEGATIONS_OF_NOUNS
    | SCOPE_ENDS
)
_COMPARING = (
    frozenset(re.findall(r"\w+", DIRECTION_AXES))
    | frozenset([*NUMBER_WORDS, *TENS])
    | frozenset(["than", "versus", "vs", "compared"])
)


def _in_order(parts: list[str], text: str) -> tuple[Found, ...]:
    """Every fragment behind the one before it, with nothing between them that turns round what they say together."""
    found: list[Found] = []
    at = 0
    for part in parts:
        here = _copied(part, text, at)
        if here is None:
            return ()
        found.append(here)
        at = here.end
    left_out = (gap for one, other in pairwise(found) for gap in _gaps(text, one, other))
    return () if any(_turns(gap) for gap in left_out) else tuple(found)


def _gaps(text: str, one: Found, other: Found) -> Iterator[str]:
    """What is missing between two fragments of the sentences in which they stand; whole sentences say their own."""
    spans = [span for span in sentences(text) if span.end > one.end - 1 and span.start <= other.start]
    if len(spans) < 2:
        yield text[one.end : other.start]
        return
    yield text[one.end : max(one.end, spans[0].end)]
    yield text[min(other.start, spans[-1].start) : other.start]


def _turns(gap: str) -> bool:
    outside = _BRACKETED.sub(" ", gap)
    if _TURNING & _words(gap) or _COMPARING & _words(outside):
        return True
    return bool(re.search(r"\d", outside))


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]+", re.sub("n['’]t\\b", " nt", text.lower())))
