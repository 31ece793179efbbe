"""Where the words of a quote stand in the text of its source."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Literal, NamedTuple

from wellsourced.lazy import lazy_regex
from wellsourced.text import lexicon
from wellsourced.text.sentences import split_sentences
from wellsourced.text.typography import normalize_typography, remove_marks


class QuoteMatch(NamedTuple):
    """Where a quote stands in a text, and whether word for word or with other typography."""

    start: int
    end: int
    kind: Literal["exact", "normalised"]


def locate_quote(quote: str, text: str) -> QuoteMatch | None:
    """The first place where a quote stands in a text, or None. Never a similar place.

    Typography may differ: runs of white space, kinds of dash and quotation mark, ligatures, composed letters, soft
    hyphens, zero-width characters, words divided at a line end. Words, case, digits and signs may not; nor may a
    quote begin or end inside a word, a number or a unit ("significant" is not in "insignificant", "5 mg" not in
    "2.5 mg" or "5 mg/kg").
    """
    quote = quote.strip()
    if not quote:
        return None
    start = _find_whole(quote, text)
    if start >= 0:
        return QuoteMatch(start, start + len(quote), "exact")
    wanted = normalize_typography(quote, bool).text.strip()  # a quote's own hyphens are believed
    if not wanted:
        return None
    divided = frozenset(re.findall(r"[^\W\d_]+(?=-[^\W\d_])", wanted)) if "-" in wanted else frozenset()
    plain = normalize_typography(text, divided.__contains__)
    start = _find_whole(wanted, plain.text)
    if start < 0:
        return None
    return QuoteMatch(*plain.original_span(start, start + len(wanted)), "normalised")


def align_quote(quote: str, text: str) -> tuple[QuoteMatch, ...]:
    """The places where a model's copy of a text stands in it, in order; none when it does not, all of it, stand there.

    As `locate_quote`, and besides: an ellipsis parts a quote into fragments that follow each other in the text and each
    become a place of their own; a full stop, comma or semicolon may have been added at the end, quotation marks
    around; the first letter may be large or small, unless that makes a name or an abbreviation of a word.

    Whole sentences, or the beginnings of some, may also come in another order, with or without an ellipsis between.
    Marks of Markdown that the copy lacks (**bold**, list items, headings) count for nothing.

    Fragments have at least three words. What was left out of a sentence between two of them may hold no negation,
    contrast, direction or number, because it could turn round what they say together; what stands in brackets may
    hold numbers.
    """
    if found := _align_copy(quote, text):
        return found
    plain = remove_marks(text)
    if plain.text == text:
        return ()
    return tuple(
        QuoteMatch(*plain.original_span(one.start, one.end), "normalised")
        for one in _align_copy(remove_marks(quote).text, plain.text)
    )


def _align_copy(quote: str, text: str) -> tuple[QuoteMatch, ...]:
    if found := _locate_copy(quote, text):
        return (found,)
    parts = [part for part in _ELLIPSIS.split(quote) if _count_words(part)]
    if len(parts) == 1:
        return tuple(found for part in parts if (found := _locate_copy(part, text))) or _locate_sentences(parts, text)
    has_short_part = any(_count_words(part) < _MIN_FRAGMENT_WORDS for part in parts)
    if has_short_part or not 1 < len(parts) <= _MAX_FRAGMENTS:
        return ()
    return _locate_fragments(parts, text) or _locate_sentences(parts, text)


def _count_words(text: str) -> int:
    return len(re.findall(r"\w+", text))


# --- whole words and whole numbers ---------------------------------------------------------------------------------

_DASH = "-‐‑‒–−"
_CUT_BEFORE = lazy_regex(rf"\w[{_DASH}]?\0\w|\d\0[{_DASH}.,/·:]\d|[{_DASH}±.,/·]\0\d")
_CUT_AFTER = lazy_regex(
    rf"\w\0[{_DASH}]?\w|\w[{_DASH}]\0[^\W_]|\w[./·:,]\0\d|\d\s?[^\W\d_]{{1,5}}\0\s?/\s?\w|\d\0(?:[{_DASH}.,/·:]\d|\s?%)"
)
"""A word, number or unit that goes on beyond the end of a quote, which is marked by \\0."""

_WORD_END = lazy_regex(r"\W|\Z")


def _find_whole(quote: str, text: str) -> int:
    """The first occurrence that cuts no word, number or unit at either end; -1 without one."""
    at = text.find(quote)
    while at >= 0:
        end = at + len(quote)
        before, after, plain = (
            one.replace("\0", " ") for one in (text[max(0, at - 2) : at], text[end : end + 4], quote)
        )
        if not (_CUT_BEFORE.search(f"{before}\0{plain[:2]}") or _CUT_AFTER.search(f"{plain[-10:]}\0{after}")):
            return at
        # Nothing that begins inside this word can be whole, so the search goes on behind it.
        following = _WORD_END.search(text, at + 1)
        at = text.find(quote, following.start() if following else len(text))
    return -1


# --- what a copy may change at its ends ----------------------------------------------------------------------------

_QUOTATION_MARKS = lazy_regex(r"""\s*["'“”„«‘’](.+)["'“”»‘’]([.,;]?)\s*""", re.DOTALL)
_FIRST_WORD = lazy_regex(r"([^\W\d_])([^\W\d_]*)(?![\w/]|[-‐‑][A-Z\d])")


def _locate_copy(part: str, text: str, at: int = 0) -> QuoteMatch | None:
    """Where a copy of one stretch of words stands from `at` on, its ends apart."""
    for copy in _copy_variants(part.strip()):
        if found := _locate_from(copy, text, at) or _locate_with_other_case(copy, text, at):
            return found
    return None


def _locate_from(copy: str, text: str, at: int) -> QuoteMatch | None:
    found = locate_quote(copy, text[at:] if at else text)
    return found and QuoteMatch(found.start + at, found.end + at, found.kind)


def _copy_variants(part: str) -> Iterator[str]:
    """The words as they were given, without marks around them, without the stop that may have been added."""
    yield part
    bare = part
    if marked := _QUOTATION_MARKS.fullmatch(part):
        bare = marked[1] + marked[2]
        yield bare
    if bare.rstrip().endswith((".", ",", ";")):
        yield bare.rstrip()[:-1]


def _locate_with_other_case(copy: str, text: str, at: int) -> QuoteMatch | None:
    """Where the copy stands but for the case of its first letter.

    A small letter may stand for a large one only where a sentence begins: elsewhere that is a name.
    """
    first = _FIRST_WORD.match(copy)
    if first is None or not _is_plain_word(first.group()):
        return None
    found = _locate_from(copy[0].swapcase() + copy[1:], text, at)
    if found is None or (copy[0].islower() and not _is_sentence_start(text, found.start)):
        return None
    return found._replace(kind="normalised")


def _is_plain_word(word: str) -> bool:
    """No abbreviation ("pH", "mRNA", "Mg", "ml"): small letters after the first, enough of them, with a vowel."""
    if word[1:] != word[1:].lower():
        return False
    return word.lower() in lexicon.STOP_WORDS | {"no"} or (len(word) > 2 and not set("aeiouy").isdisjoint(word.lower()))


def _is_sentence_start(text: str, at: int) -> bool:
    before = text[max(0, at - 3) : at]
    is_introduced = before[-1:].isspace() and before.rstrip().endswith(":")
    return is_introduced or at in {span.start for span in split_sentences(text)}


# --- what was left out ---------------------------------------------------------------------------------------------

_ELLIPSIS = lazy_regex(r"\s*(?:[\[(]\s*(?:…|\.{3,}|(?:\. ){2}\.)\s*[\])]|…|\.{3,}|(?:\. ){2}\.)\s*")
_MIN_FRAGMENT_WORDS = 3
"""Words of a fragment: fewer could be put together to anything."""
_MAX_FRAGMENTS = 6
"""Fragments of one quote, at most: a bound for hostile replies."""
_BRACKETED_TEXT = lazy_regex(r"\([^()]*\)|\[[^\[\]]*\]")
_REVERSING_WORDS = frozenset(["cannot", "except", "instead", "nt", "only"]).union(
    lexicon.NEGATED_WORDS, lexicon.NEGATIONS_OF_VERBS, lexicon.NEGATIONS_OF_NOUNS, lexicon.SCOPE_ENDS
)
_COMPARISON_WORDS = frozenset(["than", "versus", "vs", "compared"]).union(
    re.findall(r"\w+", lexicon.DIRECTION_AXES), lexicon.NUMBER_WORDS, lexicon.TENS
)


def _locate_fragments(parts: list[str], text: str) -> tuple[QuoteMatch, ...]:
    """Every fragment behind the one before it, with nothing between them that turns round what they say together."""
    found: list[QuoteMatch] = []
    at = 0
    for part in parts:
        here = _locate_copy(part, text, at)
        if here is None:
            return ()
        found.append(here)
        at = here.end
    left_out = (gap for one, other in pairwise(found) for gap in _find_omitted_texts(text, one, other))
    return () if any(_is_reversing(gap) for gap in left_out) else tuple(found)


def _locate_sentences(parts: list[str], text: str) -> tuple[QuoteMatch, ...]:
    """Each sentence of the copy where the text has it, from its beginning on; in the order of the text."""
    sentences = [part[start:end] for part in parts for start, end in split_sentences(part)]
    if not 1 < len(sentences) <= _MAX_FRAGMENTS:
        return ()
    if any(_count_words(sentence) < _MIN_FRAGMENT_WORDS for sentence in sentences):
        return ()
    found = sorted(place for sentence in sentences if (place := _locate_copy(sentence, text)))
    if len(found) < len(sentences) or any(other.start < one.end for one, other in pairwise(found)):
        return ()
    return tuple(found) if all(_is_sentence_start(text, place.start) for place in found) else ()


def _find_omitted_texts(text: str, one: QuoteMatch, other: QuoteMatch) -> Iterator[str]:
    """What is missing between two fragments of the sentences in which they stand; whole sentences say their own."""
    spans = [span for span in split_sentences(text) if span.end > one.end - 1 and span.start <= other.start]
    if len(spans) < 2:
        yield text[one.end : other.start]
        return
    yield text[one.end : max(one.end, spans[0].end)]
    yield text[min(other.start, spans[-1].start) : other.start]


def _is_reversing(gap: str) -> bool:
    outside = _BRACKETED_TEXT.sub(" ", gap)
    if _REVERSING_WORDS & _word_set(gap) or _COMPARISON_WORDS & _word_set(outside):
        return True
    return any(map(str.isdecimal, outside))


def _word_set(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]+", re.sub("n['’]t\\b", " nt", text.lower())))


def is_verbatim(claim: str, text: str) -> bool:
    """Whether the claim is one or more whole sentences of the text, typography apart."""
    found = locate_quote(claim, text)
    if found is None:
        return False
    spans = split_sentences(text)
    ends = (span.end for span in spans if span.end >= found.end)
    return found.start in {span.start for span in spans} and text[found.end : next(ends, None)] in ("", ".")
