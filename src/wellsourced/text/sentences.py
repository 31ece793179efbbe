"""Sentences: where they begin and end in medical prose, lists and tables, and which can be shown alone."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from wellsourced.text.lexicon import (
    AUXILIARIES,
    BACK_REFERENCE_PATTERN,
    IMPERATIVES,
    IRREGULAR_VERB_FORMS,
    NONFINAL_ABBREVIATIONS,
    RARELY_FINAL_ABBREVIATIONS,
    SENTENCE_OPENERS,
    SUBJECTLESS_OPENERS,
    VERBS,
)


class Span(NamedTuple):
    """Half-open offsets into a text."""

    start: int
    end: int


_ABBREVIATED = NONFINAL_ABBREVIATIONS | RARELY_FINAL_ABBREVIATIONS
_LINE = re.compile(r"[^\n\r\f\v\u2028\u2029]+")
_MARKER = re.compile(r"(?:[-*+•▪◦‣·–—]|#{1,6}|>|\(?\d{1,2}[.)]|\(?[a-z]\))\s+(?=\S)")
_WIDTHS = range(40, 121)
"""Characters in the longest line of a paragraph that was wrapped by hand or by a program."""

_END = re.compile(
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

_NEXT = re.compile(r"""\s*+["'“‘(\[«*]*+""")
_WORD = re.compile(r"[^\W\d_]{1,20}")
_GENE = re.compile(r"[a-zα-ω]{1,5}-?[A-Z0-9]")
_DOTTED = re.compile(r"(?:[a-z]{1,2}\.)+[a-z]{1,2}")
_NAMED = re.compile(
    r"(?:\b(?:vitamin|hepatitis|type|group|grade|class|stage|influenza|phase|factor|arm|cohort|panel|protein|category"
    r"|apolipoprotein|h[a]?emophilia|appendix|part|figure|table)s?|\b[A-Z],?\s(?:and|or))\s[A-Z]$",
    re.IGNORECASE,
)
"""A lone capital that is a name ("hepatitis B.", "B and C.") rather than an initial ("J. Smith")."""

_LIST_OPENS = re.compile(
    r"(?:[.:;?!]|\b(?:includes?|including|such\sas|are|to|when|if|may|should|also|or|and|by|either|for))\s-\s(?=\w)"
)
_CAPITAL_ITEM = re.compile(r"(?<=\s)-\s+(?=[^\W\d_a-z])")
_ITEM = re.compile(r"(?<=\s)-\s+(?=\S)|(?<=\s)•\s*")
_STRICT_ITEM = re.compile(r"(?<=\s)-\s+(?=[^\W\d_a-z])|(?<=[.:;?!]\s)-\s+(?=\S)|(?<=\s)•\s*")
_BULLET = re.compile(r"(?<=\s)•\s*")
_MANY = 4
"""Dashes before a capital, in one line, from which they are a list that nothing introduces."""


def sentences(text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """The sentences, list items, headings and table rows of text[start:end], in order, without the white space around.

    None crosses a blank line, or a line break before a list item, a heading or a row of a table. Marks of list items
    stand outside. A line that goes on in lower case, or in a paragraph wrapped to one width, goes on.
    """
    found: list[Span] = []
    for block in _blocks(text, start, len(text) if end is None else end):
        if _is_row(text, block):
            found.append(block)
        else:
            for item in _items(text, block):
                found.extend(_split(text, item))
    return found


def _trimmed(text: str, start: int, end: int) -> Span | None:
    """The span without white space at its ends; None when nothing is left."""
    if start < end and not (text[start].isspace() or text[end - 1].isspace()):
        return Span(start, end)
    part = text[start:end]
    inner = part.strip()
    if not inner:
        return None
    start += len(part) - len(part.lstrip())
    return Span(start, start + len(inner))


def _blocks(text: str, start: int, end: int) -> Iterator[Span]:
    """Runs of lines that belong together, marks of list items left out."""
    for lines in _paragraphs(text, start, end):
        wrapped = _is_wrapped(text, lines)
        block = None
        for line in lines:
            mark = _MARKER.match(text, line.start, line.end)
            if block and not mark and _goes_on(text, block, line, wrapped):
                block = Span(block.start, line.end)
                continue
            if block:
                yield block
            block = Span(mark.end(), line.end) if mark else line
        if block:
            yield block


def _paragraphs(text: str, start: int, end: int) -> Iterator[list[Span]]:
    """The lines between two blank lines."""
    lines: list[Span] = []
    for match in _LINE.finditer(text, start, end):
        line = _trimmed(text, match.start(), match.end())
        if lines and (line is None or text.count("\n", lines[-1].end, line.start) > 1):
            yield lines
            lines = []
        if line:
            lines.append(line)
    if lines:
        yield lines


def _is_wrapped(text: str, lines: list[Span]) -> bool:
    """Whether every line is as full as its width allows: the next line's first word would not have fitted."""
    width = max(line.end - line.start for line in lines)
    if len(lines) < 3 or width not in _WIDTHS:
        return False
    return all(
        line.end - line.start + 1 + len(text[following.start : following.end].split(None, 1)[0]) > width
        for line, following in pairwise(lines)
    )


def _goes_on(text: str, block: Span, line: Span, wrapped: bool) -> bool:
    """Whether a line continues the block above it."""
    if _is_row(text, line) or _is_row(text, block) or "#" in text[max(block.start - 2, 0) : block.start]:
        return False
    first, last = text[line.start], text[block.end - 1]
    if wrapped or first in ",;:)]%":
        return True
    if not first.islower() or last in "!?:":
        return False
    return last != "." or _last_word(text, block.start, block.end - 1).lower() in _ABBREVIATED


def _is_row(text: str, line: Span) -> bool:
    return (
        text.startswith("|", line.start)
        or text.find(" | ", line.start, line.end) >= 0
        or text.count("\t", line.start, line.end) > 1
    )


def _items(text: str, block: Span) -> Iterator[Span]:
    """The items of a list that was flattened into one line ("…: - Weakness. - Fever."), or the block itself."""
    opening = _list_opening(text, block)
    if opening is None:
        return _between(text, block, _BULLET) if text.find("•", *block) >= 0 else iter((block,))
    first = _NEXT.match(text, opening)
    capital = first is not None and first.end() < block.end and not text[first.end()].islower()
    return _between(text, block, _STRICT_ITEM if capital else _ITEM, opening)


def _list_opening(text: str, block: Span) -> int | None:
    """Where the first item's dash ends, if the block holds a flattened list."""
    if text.find(" - ", *block) < 0:
        return None
    if text[max(block.start - 2, 0) : block.start].strip() == "-":
        return block.start
    if opens := _LIST_OPENS.search(text, *block):
        return opens.end()
    dashes = [match.end() for match in _CAPITAL_ITEM.finditer(text, *block)]
    return dashes[0] if len(dashes) >= _MANY else None


def _between(text: str, block: Span, mark: re.Pattern[str], opening: int = 0) -> Iterator[Span]:
    """The parts of a block between marks; a dash before `opening` is none."""
    at = block.start
    for match in mark.finditer(text, *block):
        if match.end() >= opening:
            if part := _trimmed(text, at, match.start()):
                yield part
            at = match.end()
    if part := _trimmed(text, at, block.end):
        yield part


def _split(text: str, block: Span) -> Iterator[Span]:
    """The sentences of one block."""
    at, end = block
    for match in _END.finditer(text, at, end):
        if _ends(text, at, match, end):
            if part := _trimmed(text, at, match.end()):
                yield part
            at = match.end()
    if part := _trimmed(text, at, end):
        yield part


def _ends(text: str, start: int, stop: re.Match[str], end: int) -> bool:
    """Whether a stop ends the sentence that began at `start`."""
    following = _NEXT.match(text, stop.end(), end)
    after = following.end() if following else stop.end()
    if after >= end:
        return True
    letter = text[after]
    if letter in ",;:)]%/." or (letter.islower() and (text[stop.start()] != "." or not _GENE.match(text, after))):
        return False
    return stop.group()[:2] in ("..", ".!", ".?") or text[stop.start()] != "." or _full_stop(text, start, stop, after)


def _full_stop(text: str, start: int, stop: re.Match[str], after: int) -> bool:
    """Whether one dot is a full stop, by the words before and after it."""
    at = stop.start()
    word = _last_word(text, start, at)
    lower = word.lower()
    if lower in NONFINAL_ABBREVIATIONS or (lower in ("no", "nos", "p", "pp") and text[after].isdigit()):
        return False
    if word.isdigit() and len(word) < 3 and not text[start : at - len(word)].strip():
        return False
    initial = len(word) == 1 and word.isupper()
    if not (initial or lower in RARELY_FINAL_ABBREVIATIONS or _DOTTED.fullmatch(lower)):
        return True
    if initial and _NAMED.search(text[max(start, at - 24) : at]):
        return True
    following = _WORD.match(text, after)
    return following is not None and following.group().lower() in SENTENCE_OPENERS


def _last_word(text: str, start: int, at: int) -> str:
    """The word that ends at an offset, without opening brackets; "" after white space."""
    before = text[max(start, at - 24) : at]
    if not before or before[-1].isspace():
        return ""
    return before.rsplit(None, 1)[-1].lstrip("([\"'“‘")


# --- what can be shown alone ---------------------------------------------------------------------------------------


def _forms(verb: str) -> str:
    """A pattern for a verb, its -s and its -ed: "rely" → rely, relies, relied; "stop" → stop, stops, stopped."""
    if verb.endswith("e"):
        return f"{verb}[sd]?"
    if verb.endswith("y") and verb[-2] not in "aeo":
        return f"{verb[:-1]}(?:y|ies|ied)"
    return f"{verb}(?:e?s|{verb[-1]}?ed)?"


_LABEL = re.compile(r"(?:[A-Z][A-Za-z]*|\d+)(?:[ /,-]+[\w()]+){0,8}:\s")
_FINITE = re.compile(
    r"(?<!\bto\s)(?<!\bthat\s)(?<!\bwhich\s)(?<!\bwho\s)(?<!\band\s)(?<!\bor\s)"
    rf"(?<!-)\b(?:{'|'.join([*AUXILIARIES, *map(_forms, VERBS), *IRREGULAR_VERB_FORMS])})\b(?!-)",
    re.IGNORECASE,
)
"""A verb that is neither an infinitive nor alone in a relative clause: "A procedure that uses heat." has none."""
_CLAUSE = re.compile(rf"\s(?:{'|'.join([*AUXILIARIES, *IRREGULAR_VERB_FORMS])}|[a-z]{{3,}}ed)\s")
"""What a label before a colon does not hold, and a clause before one does."""
_ORDER = re.compile(rf"(?:{'|'.join(IMPERATIVES)})\b")
_SUBJECTLESS = re.compile(rf"(?:{'|'.join(SUBJECTLESS_OPENERS)})\b")
_STARTS = re.compile(r"[\"'“‘(\[]*(?:[^\W_a-z]|[a-zα-ω]{1,5}-?[A-Z0-9])")
_STOPS = re.compile(r"[\w)%\]°+\"'”’®™*²³] ?[.!][\"'”’)\]]*(?:\s?\[[\d,;– -]+\]|\d{1,3}(?:[,–-]\d{1,3}){0,8})?$")
_CAPITALISED = re.compile(r"(?:[A-Z][a-z]+(?: (?:of|and|for|the|in|to|with|or|Than|a))* ){5}")
_GLUED = re.compile(
    r"(?:Diagnosis|Treatment|Treatments|Symptoms|Causes|Prognosis|Prevention|Summary|Introduction|Overview|Key Points"
    r"|Signs|Surgery|Stage [0-9IVABC]+|Description|Frequency|Inheritance|Diagnostic tests|Risk Factors|Points?)"
    r" (?=[A-Z][a-z])"
)
_NOT_PROSE = re.compile(
    r"""\s\|\s|\bhttps?://|\bwww\.|\b\d+%\s[A-Z][a-z]+\s.*\d%\s[A-Z]|Key\sPoints
    |\b(?:19|20)\d\d;\s?\d+|\bdoi:|\b[A-Z][a-z]+\s[A-Z]{1,3},\s[A-Z][a-z]+\s[A-Z]{1,3}\b
    |^(?:Click|Copyright|Reviewed|Last\s(?:updated|reviewed)|See\s(?:also|the|figure|table|Figure|Table)|Return\sto|Back\sto|Note:
    |Source|Adapted\sfrom|Figure\s\d|Table\s\d|Trial\s[Rr]egistration|Read\smore|(?:Watch|Learn\smore)\b|Key\s?words)
    |\b[Cc]lick\s(?:here|on)\b|\b(?:table|figure|links|list)\sbelow\b|\bfollowing\s(?:list|table|links)\b
    |MedlinePlus\sMedical\sDictionary|\w{60}|[→⨁│├└]|--?>|…\s*$|\.\.\.\s*$""",
    re.VERBOSE,
)
_BACK = re.compile(rf"[\"'“‘(\[]*(?:{BACK_REFERENCE_PATTERN})(?!\w)", re.VERBOSE)
_TWICE = re.compile(r"(\w+(?: \w+){0,4}) \1\b", re.IGNORECASE)
_FEWEST, _MOST = 4, 120


def is_prose(sentence: str) -> bool:
    """Whether a reader could be shown this alone, as a sentence: it opens like one, has a finite verb and a full stop.

    No heading, row of a table, line of a bibliography, lead-in of a list, fragment, address or question. Doubt is no:
    what is left out can be said by another sentence, what is shown wrongly cannot be taken back.
    """
    words = sentence.split()
    if not _FEWEST <= len(words) <= _MOST or not _STARTS.match(sentence) or not _STOPS.search(sentence):
        return False
    if _NOT_PROSE.search(sentence) or any(
        mark.match(sentence) for mark in (_CAPITALISED, _GLUED, _TWICE, _SUBJECTLESS)
    ):
        return False
    body = _without_label(sentence)
    return bool(_ORDER.match(body) or _has_verb(body))


def _without_label(sentence: str) -> str:
    """What follows "RESULTS:" or "Pap test:"; a clause before a colon is no label."""
    label = _LABEL.match(sentence)
    return sentence[label.end() :] if label and not _CLAUSE.search(label.group()) else sentence


def _has_verb(body: str) -> bool:
    """A finite verb after the first word; "increased" in "Increased risk of stroke." is none."""
    first = re.match(r"\W*\w+", body)
    return bool(_FINITE.search(body, first.end() if first else 0))


def opens_with_reference_back(sentence: str) -> bool:
    """Whether the opening leans on the sentence before: "These", "However,", "The latter", "In contrast"."""
    return bool(_BACK.match(_without_label(sentence)))
