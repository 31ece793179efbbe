"""Texts of others without what nobody sees: control and reordering marks, zero widths, hidden markup."""

import json
import re
from collections.abc import Collection, Iterable, Iterator
from itertools import pairwise
from unicodedata import category

REORDERING_MARKS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Marks that change the order in which a line is read ("Trojan Source", CVE-2021-42574)."""

FILLER_CHARACTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
"""Letters and marks without ink: they count as letters, and nobody sees them."""

_JOINERS = "\u200c\u200d"
"""Nobody sees them, and yet Persian and the scripts of India are misspelled without them."""

_FIRST_LETTER_WITH_JOINERS = "\u0600"
"""Letters of scripts with joiners come from here on: between Latin letters a joiner only hides something."""

_THOUGHT_TAG = re.compile(r"[<\[](/?)(?:think|thinking|thought|reasoning)[>\]]", re.IGNORECASE)
"""Around what a model thinks aloud before it replies: <think>, [THINK] …"""


def fold_case(text: str) -> str:
    """The text as it is compared with others: in lower case, single spaces."""
    return " ".join(text.casefold().split())


def deduplicate_texts(texts: Iterable[str]) -> tuple[str, ...]:
    """The texts in their order, the first of those that differ in case and white space alone; no empty one."""
    first: dict[str, str] = {}
    for text in texts:
        first.setdefault(fold_case(text), text)
    return tuple(filter(None, first.values()))


def short_line(text: str, most: int = 100) -> str:
    """The first `most` words of what a model says, in one line that does nothing to a terminal."""
    told = visible_text(text).split()
    return " ".join(told[:most]) + (" …" if len(told) > most else "")


def one_line(text: str) -> str:
    """All words of what a model says, in one line that reads as it is and does nothing to a terminal."""
    return " ".join(visible_text(text).split())


def visible_text(text: str) -> str:
    """The text without what nobody sees (marks that reverse what is read, zero widths); white space stays."""
    if is_all_visible(text):
        return text
    return "".join(_visible_letter(before, letter) for before, letter in pairwise(f"\n{text}"))


def is_all_visible(text: str) -> bool:
    """Whether each letter of it is seen as it is, but for blanks, tabs and line ends."""
    letters = set(text)
    return FILLER_CHARACTERS.isdisjoint(letters) and all(letter.isprintable() or letter in "\n\t" for letter in letters)


def _visible_letter(before: str, letter: str) -> str:
    if letter.isspace():
        return letter
    if is_invisible(before, letter) or letter in REORDERING_MARKS:
        return ""
    return letter if letter.isprintable() or letter in _JOINERS else " "


def is_invisible(before: str, letter: str) -> bool:
    """Whether a letter takes no room and says nothing: a zero width, a filler, a joiner that joins nothing."""
    if letter in _JOINERS:
        return before < _FIRST_LETTER_WITH_JOINERS or category(before)[0] not in "LM"
    return letter in FILLER_CHARACTERS or (category(letter) == "Cf" and letter not in REORDERING_MARKS)


COMMENT_START, COMMENT_END = "<!--", "-->"


def remove_hidden_markup(markup: str, names: Collection[str], instead: str = "") -> str:
    """The markup with `instead` for every comment, and for every element of these names with what is in it.

    One that is opened and never closed stays: it may be half a sentence about "<!--".
    """
    return instead.join(_visible_parts(markup, names))


def _visible_parts(markup: str, names: Collection[str]) -> Iterator[str]:
    opening = re.compile(rf"{COMMENT_START}|<({'|'.join(names)})\b", re.IGNORECASE)
    endings = {name: re.compile(rf"</{name}\s*>", re.IGNORECASE) for name in names}
    never: set[str] = set()  # names that are not closed behind here: nobody looks for their ends again
    at = start = 0
    while found := opening.search(markup, at):
        name = (found[1] or COMMENT_START).lower()
        end = -1 if name in never else _find_element_end(markup, found.end(), name, endings)
        if end < 0:
            never.add(name)
            at = found.end()
        else:
            yield markup[start : found.start()]
            at = start = end
    yield markup[start:]


def _find_element_end(markup: str, at: int, name: str, endings: dict[str, re.Pattern[str]]) -> int:
    """Behind the next end of a comment or an element; -1 when there is none."""
    if name == COMMENT_START:
        end = markup.find(COMMENT_END, at)
        return end + len(COMMENT_END) if end >= 0 else -1
    closed = endings[name].search(markup, at)
    return closed.end() if closed else -1


def drop_thoughts(text: str) -> str:
    """The text without what stands between <think> and </think>, or tags like these.

    Thoughts without a beginning began before the text, those without an end go on after it.
    """
    kept, start = list[str](), 0
    is_thinking = False
    for tag in _THOUGHT_TAG.finditer(text):
        if tag[1]:
            kept, start = kept if is_thinking else [], tag.end()
        elif not is_thinking:
            kept.append(text[start : tag.start()])
        is_thinking = not tag[1]
    return "".join(kept if is_thinking else [*kept, text[start:]])


SOFT_HYPHEN = "\u00ad"


def sanitize_line(text: str) -> str:
    """Text in one line in which nothing is hidden, commands the terminal or turns the direction of reading."""
    line = " ".join(text.split())
    if not is_all_visible(line):
        line = "".join(letter for before, letter in pairwise(f"\n{line}") if not is_invisible(before, letter))
    return sanitize_text(line)


def sanitize_text(text: str) -> str:
    """Text with each commanding or invisible character but line ends and tabs replaced by one "�": offsets stay true.

    A soft hyphen stays: it stands in many printed texts, and a terminal shows it as a hyphen or not at all.
    """
    if is_all_visible(text):
        return text
    return "".join("�" if is_unsafe(before, letter) else letter for before, letter in pairwise(f"\n{text}"))


def is_unsafe(before: str, character: str) -> bool:
    """Whether a terminal might do something else than print it: controls, half characters, reordering, zero widths."""
    if character in "\n\t" or character == SOFT_HYPHEN:
        return False
    if character in REORDERING_MARKS or is_invisible(before, character):
        return True
    return category(character) in ("Cc", "Cs", "Zl", "Zp")


def escape_unsafe(text: str) -> str:
    """JSON of the same data in which what commands a terminal, or is not seen, is written as an escape (\\u202e)."""
    if is_all_visible(text):
        return text
    pairs = pairwise(f"\n{text}")
    return "".join(json.dumps(letter)[1:-1] if is_unsafe(before, letter) else letter for before, letter in pairs)


FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet would run (OWASP, CSV injection)."""


def neutralize_cell(cell: object) -> object:
    """The cell, with an apostrophe before text that a spreadsheet would run, and without commanding characters."""
    if not isinstance(cell, str):
        return cell
    return sanitize_text(f"'{cell}" if cell.startswith(FORMULA_STARTS) else cell)


def collapse_whitespace(text: str) -> str:
    """Text with its white space in order."""
    return " ".join(text.split())


_JOINING_MARKS = re.compile(
    r"(?:^|\n)[ \t]*(?:[-•*]|\d{1,2}[.)])(?=\s)"  # marks of list items on lines of their own
    r"|(?<=[.:;?!])\s[-•*](?=\s)|\s[-•*](?=\s+[^\W\d])"  # and in a flattened list; "above - 5" has a minus
    r"|[:;…→]|[.,](?=\s|$)"
)
"""What may stand between the parts of a statement, or be missing there."""


def has_same_words(statement: str, quote: str) -> bool:
    """Whether a statement consists of the quote's words and nothing else, in their order.

    What joins the parts of a list or a heading to its text (bullets, colons, semicolons, white space, a full stop)
    may differ; words, numbers and signs may not.
    """
    return _word_sequence(statement) == _word_sequence(quote)


def _word_sequence(text: str) -> list[str]:
    return _JOINING_MARKS.sub(" ", visible_text(text)).split()
