"""Where sentences begin and end in medical prose, lists and tables, and which of them can be shown alone."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from wellsourced.lazy import lazy_regex
from wellsourced.text import lexicon


class Span(NamedTuple):
    """Half-open offsets into a text."""

    start: int
    end: int


CELL_SEPARATOR = " | "
"""Between the cells of a row of a table, as readers write it."""

_ABBREVIATIONS = lexicon.NONFINAL_ABBREVIATIONS | lexicon.RARELY_FINAL_ABBREVIATIONS
_LINE = lazy_regex(r"[^\n\r\f\v\u2028\u2029]+")
_LIST_MARKER = lazy_regex(r"(?:[-*+•▪◦‣·–—]|#{1,6}|>|\(?\d{1,2}[.)]|\(?[a-z]\))\s+(?=\S)")
_WRAP_WIDTHS = range(40, 121)
"""Characters in the longest line of a paragraph that was wrapped by hand or by a program."""

_SENTENCE_END = lazy_regex(
    r"""(?<![.!?…])[.!?…]++ (?:
        (?=\s)
      | ["'”’»)\]*]++ (?:\s?\[\d[\d,;–\-\ ]{0,40}\])?+ (?=\s)
      | \s?\[\d[\d,;–\-\ ]{0,40}\] (?=\s)
      | (?<=[a-z)\]]\.) \d{1,3}(?:[,–-]\d{1,3}){0,8}+ (?=\s+[A-Z])
      | (?<=[a-z\d)\]%]\.) (?=(?!Gov|Com|Org|Net)(?:[A-Z][a-z]{0,15},?\s[a-z]|[A-Z][A-Za-z ]{4,40}:))
    )""",
    re.VERBOSE,
)
"""Where a sentence may end. The last two: "outcome.12 The" (a superscript), "mellitus.The changes" (a lost space)."""

_OPENING_MARKS = lazy_regex(r"""\s*+["'“‘(\[«*]*+""")
_WORD = lazy_regex(r"[^\W\d_]{1,20}")
_GENE_NAME = lazy_regex(r"[a-zα-ω]{1,5}-?[A-Z0-9]")
_ITEM_MARK = lazy_regex(r"(?<=[.:;?!]\s)-\s+(?=\S)|(?<=\s)•\s*")
"""Of a list that was flattened into one line: "…: - Weakness. - Fever."."""


def split_sentences(text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """The sentences, list items, headings and table rows of text[start:end], in order, without the white space around.

    None crosses a blank line, or a line break before a list item, a heading or a row of a table. Marks of list items
    stand outside. A line that goes on in lower case, or in a paragraph wrapped to one width, goes on.
    """
    found: list[Span] = []
    for block in _find_blocks(text, start, len(text) if end is None else end):
        if _is_row(text, block):
            found.append(block)
        else:
            for item in _split_items(text, block):
                found.extend(_split_block(text, item))
    return found


def sentences_at(text: str, start: int, end: int) -> list[Span]:
    """Return the sentences of a text of which a part stands at these characters."""
    return [span for span in _split_text(text) if span.start < end and span.end > start]


@lru_cache(maxsize=64)
def _split_text(text: str) -> tuple[Span, ...]:
    return tuple(split_sentences(text))


def trim_span(text: str, start: int, end: int) -> Span:
    """The span without white space at its ends; an empty one when nothing is left."""
    if start < end and not (text[start].isspace() or text[end - 1].isspace()):
        return Span(start, end)
    part = text[start:end]
    left = start + len(part) - len(part.lstrip())
    return Span(left, max(left, start + len(part.rstrip())))


def _trim_span(text: str, start: int, end: int) -> Span | None:
    span = trim_span(text, start, end)
    return span if span.start < span.end else None


def _find_blocks(text: str, start: int, end: int) -> Iterator[Span]:
    """Runs of lines that belong together, marks of list items left out."""
    for lines in _split_paragraphs(text, start, end):
        wrapped = _has_wrapped_lines(text, lines)
        block = None
        for line in lines:
            mark = _LIST_MARKER.match(text, line.start, line.end)
            if block and not mark and _is_continuation(text, block, line, wrapped):
                block = Span(block.start, line.end)
                continue
            if block:
                yield block
            block = Span(mark.end(), line.end) if mark else line
        if block:
            yield block


def _split_paragraphs(text: str, start: int, end: int) -> Iterator[list[Span]]:
    lines: list[Span] = []
    for match in _LINE.finditer(text, start, end):
        line = _trim_span(text, match.start(), match.end())
        if lines and (line is None or text.count("\n", lines[-1].end, line.start) > 1):
            yield lines
            lines = []
        if line:
            lines.append(line)
    if lines:
        yield lines


def _has_wrapped_lines(text: str, lines: list[Span]) -> bool:
    """Whether every line is as full as its width allows: the next line's first word would not have fitted."""
    width = max(line.end - line.start for line in lines)
    if len(lines) < 3 or width not in _WRAP_WIDTHS:
        return False
    return all(
        line.end - line.start + 1 + len(text[following.start : following.end].split(None, 1)[0]) > width
        for line, following in pairwise(lines)
    )


def _is_continuation(text: str, block: Span, line: Span, wrapped: bool) -> bool:
    if _is_row(text, line) or _is_row(text, block) or "#" in text[max(block.start - 2, 0) : block.start]:
        return False
    first, last = text[line.start], text[block.end - 1]
    if wrapped or first in ",;:)]%":
        return True
    if not first.islower() or last in "!?:":
        return False
    return last != "." or _last_word(text, block.start, block.end - 1).lower() in _ABBREVIATIONS


def _is_row(text: str, line: Span) -> bool:
    return (
        text.startswith("|", line.start)
        or text.find(CELL_SEPARATOR, line.start, line.end) >= 0
        or text.count("\t", line.start, line.end) > 1
    )


def _split_items(text: str, block: Span) -> Iterator[Span]:
    """The items of a list that was flattened into one line, or the block itself."""
    at = block.start
    for match in _ITEM_MARK.finditer(text, *block):
        if part := _trim_span(text, at, match.start()):
            yield part
        at = match.end()
    if part := _trim_span(text, at, block.end):
        yield part


def _split_block(text: str, block: Span) -> Iterator[Span]:
    at, end = block
    for match in _SENTENCE_END.finditer(text, at, end):
        if _is_sentence_end(text, at, match, end):
            if part := _trim_span(text, at, match.end()):
                yield part
            at = match.end()
    if part := _trim_span(text, at, end):
        yield part


def _is_sentence_end(text: str, start: int, stop: re.Match[str], end: int) -> bool:
    following = _OPENING_MARKS.match(text, stop.end(), end)
    after = following.end() if following else stop.end()
    if after >= end:
        return True
    letter = text[after]
    if letter in ",;:)]%/." or (letter.islower() and (text[stop.start()] != "." or not _GENE_NAME.match(text, after))):
        return False
    return (
        stop.group()[:2] in ("..", ".!", ".?") or text[stop.start()] != "." or _is_full_stop(text, start, stop, after)
    )


def _is_full_stop(text: str, start: int, stop: re.Match[str], after: int) -> bool:
    """Whether one dot is a full stop, by the words before and after it."""
    at = stop.start()
    word = _last_word(text, start, at)
    lower = word.lower()
    if lower in lexicon.NONFINAL_ABBREVIATIONS or (lower in ("no", "nos", "p", "pp") and text[after].isdigit()):
        return False
    if word.isdigit() and len(word) < 3 and not text[start : at - len(word)].strip():
        return False
    initial = len(word) == 1 and word.isupper()
    if not (initial or lower in lexicon.RARELY_FINAL_ABBREVIATIONS):
        return True
    following = _WORD.match(text, after)
    return following is not None and following.group().lower() in lexicon.SENTENCE_OPENERS


def _last_word(text: str, start: int, at: int) -> str:
    """The word that ends at an offset, without opening brackets; "" after white space."""
    before = text[max(start, at - 24) : at]
    if not before or before[-1].isspace():
        return ""
    return before.rsplit(None, 1)[-1].lstrip("([\"'“‘")


def _verb_pattern(verb: str) -> str:
    """A pattern for a verb, its -s and its -ed: "rely" → rely, relies, relied; "stop" → stop, stops, stopped."""
    if verb.endswith("e"):
        return f"{verb}[sd]?"
    if verb.endswith("y") and verb[-2] not in "aeo":
        return f"{verb[:-1]}(?:y|ies|ied)"
    return f"{verb}(?:e?s|{verb[-1]}?ed)?"


_LABEL = lazy_regex(r"(?:[A-Z][A-Za-z]*|\d+)(?:[ /,-]+[\w()]+){0,8}:\s")
_VERB_FORMS = [*lexicon.AUXILIARIES, *map(_verb_pattern, lexicon.VERBS), *lexicon.IRREGULAR_VERB_FORMS]
_FINITE_VERB = lazy_regex(
    r"(?<!\bto\s)(?<!\bthat\s)(?<!\bwhich\s)(?<!\bwho\s)(?<!\band\s)(?<!\bor\s)"
    rf"(?<!-)\b(?:{'|'.join(_VERB_FORMS)})\b(?!-)",
    re.IGNORECASE,
)
"""A verb that is neither an infinitive nor alone in a relative clause: "A procedure that uses heat." has none."""
_IMPERATIVE = lazy_regex(rf"(?:{'|'.join(lexicon.IMPERATIVES)})\b")
_SENTENCE_START = lazy_regex(r"[\"'“‘(\[]*(?:[^\W_a-z]|[a-zα-ω]{1,5}-?[A-Z0-9])")
_SENTENCE_STOP = lazy_regex(
    r"[\w)%\]°+\"'”’®™*²³] ?[.!][\"'”’)\]]*(?:\s?\[[\d,;– -]+\]|\d{1,3}(?:[,–-]\d{1,3}){0,8})?$"
)
_NOT_PROSE = lazy_regex(
    r"""\s\|\s|\bhttps?://|\bwww\.|\b(?:19|20)\d\d;\s?\d+|\bdoi:|\b[A-Z][a-z]+\s[A-Z]{1,3},\s[A-Z][a-z]+\s[A-Z]{1,3}\b
    |^(?:Click|Copyright|See\s|Note:|Source|Figure\s\d|Table\s\d)|\b(?:table|figure|links|list)\sbelow\b|\w{60}|[→⨁│├└]|--?>|…\s*$|\.\.\.\s*$""",
    re.VERBOSE,
)
_BACK_REFERENCE = lazy_regex(rf"[\"'“‘(\[]*(?:{lexicon.BACK_REFERENCE_PATTERN})(?!\w)", re.VERBOSE)
_MIN_WORDS, _MAX_WORDS = 4, 120


def is_prose(sentence: str) -> bool:
    """Whether a reader could be shown this alone, as a sentence: it opens like one, has a finite verb and a full stop.

    No heading, row of a table, line of a bibliography, lead-in of a list, fragment, address or question. Doubt is no:
    what is left out can be said by another sentence, what is shown wrongly cannot be taken back.
    """
    is_long_enough = _MIN_WORDS <= len(sentence.split()) <= _MAX_WORDS
    if not (is_long_enough and _SENTENCE_START.match(sentence) and _SENTENCE_STOP.search(sentence)):
        return False
    if _NOT_PROSE.search(sentence):
        return False
    body = _strip_label(sentence)
    # A finite verb after the first word: "increased" in "Increased risk of stroke." is none.
    first = re.match(r"\W*\w+", body)
    return bool(_IMPERATIVE.match(body) or _FINITE_VERB.search(body, first.end() if first else 0))


def _strip_label(sentence: str) -> str:
    """What follows "RESULTS:" or "Pap test:"."""
    label = _LABEL.match(sentence)
    return sentence[label.end() :] if label else sentence


def has_back_reference(sentence: str) -> bool:
    """Whether the opening leans on the sentence before: "These", "However,", "The latter", "In contrast"."""
    return bool(_BACK_REFERENCE.match(_strip_label(sentence)))
