"""A line of an Ovid strategy cut into words, fields, headings, operators and numbers of lines, each with its place."""

import re
from collections.abc import Container, Iterator
from typing import Literal, NamedTuple

from wellsourced.late import compile_late
from wellsourced.query_language.ovid.fields import FIELD_PLACES, UNSUPPORTED_FIELDS
from wellsourced.query_language.query_notes import QueryNotes

TokenKind = Literal[
    "open", "close", "operator", "near", "field", "slash", "quoted", "word", "exp", "focus", "set", "line"
]

FIELD_CODES = "|".join(sorted({*FIELD_PLACES, *UNSUPPORTED_FIELDS}))
OPERAND_END = r"(?=\s*(?:[)\[]|\Z|(?:or|and|not|adj\d*)\b))"
"""An operand ends here."""

FIELD_PATTERN = (
    rf"\.\s*(?:(?:{FIELD_CODES})(?:\s*,\s*(?:{FIELD_CODES}))*\s*,?\s*"
    rf"(?:\.(?!\w)|{OPERAND_END})|[a-z]{{2}}(?:,[a-z]{{2}})*\.{OPERAND_END})"
)
SLASH_PATTERN = rf"/\s*(?:[a-z]{{1,2}}(?:\s*,\s*[a-z]{{2}})*)?{OPERAND_END}"
TOKEN_PATTERN = compile_late(
    rf"""(?P<comment>\[[^\]]*(?:\]|\Z))|(?P<quoted>"[^"]*")|(?P<open>\()|(?P<close>\))|(?P<field>{FIELD_PATTERN})
    |(?P<set>(?:or|and)\s*/\s*\d{{1,4}}(?:-\d{{1,4}})?(?:\s*,\s*\d{{1,4}}(?:-\d{{1,4}})?)*)|(?P<operator>(?:and|or|not)\b(?!-))|(?P<near>adj\d*\b)
    |(?P<slash>{SLASH_PATTERN})|(?P<exp>exp(?:lode)?\b(?=\s*["*\w]))|(?P<focus>\*(?=["\w]))
    |(?P<word>(?:(?!{FIELD_PATTERN}|{SLASH_PATTERN})[^\s()\[\]"])+)|(?P<stray>\S)""",
    re.VERBOSE | re.IGNORECASE,
)
GLUED_OPERATOR = compile_late(r"[*$](?=(?:or|and|not)\Z)", re.IGNORECASE)


class OvidToken(NamedTuple):
    """A piece of a line; `text` is what stands inside of it, in small letters where case means nothing."""

    kind: TokenKind
    text: str
    at: int
    end: int


def tokenize_ovid(query: str, start: int, end: int, notes: QueryNotes, labels: Container[str] = ()) -> list[OvidToken]:
    """The pieces of query[start:end], one line, without its comments in brackets.

    labels   names of lines beside their numbers: "2a"
    """
    return _mark_line_numbers(list(_scan_tokens(query, start, end, notes)), labels)


def _scan_tokens(query: str, start: int, end: int, notes: QueryNotes) -> Iterator[OvidToken]:
    place = start
    while place < end:
        found = TOKEN_PATTERN.match(query, place, end)
        if found is None:
            place += 1
            continue
        kind, text, place = str(found.lastgroup), found.group(), found.end()
        at = found.start()
        if kind == "stray":
            notes.add_note(at, f"“{text}” has no partner, or no place here, and was left out")
        elif kind == "word" and (glued := GLUED_OPERATOR.search(text)):
            place = at + glued.end()
            notes.add_note(at, f"A space is missing in “{text[:40]}”")
            yield OvidToken("word", query[at:place], at, place)
        elif kind != "comment":
            yield OvidToken(kind, _token_text(kind, text), at, place)  # type: ignore[arg-type]


def _token_text(kind: str, text: str) -> str:
    if kind == "quoted":
        return text[1:-1]
    if kind in ("field", "slash"):
        return re.sub(r"[./\s]", "", text).lower().strip(",")
    if kind == "near":
        return text[3:]
    return text if kind == "word" else text.lower()


def _mark_line_numbers(tokens: list[OvidToken], labels: Container[str]) -> list[OvidToken]:
    """Numbers that stand where an operand stands, alone, are numbers of lines."""
    names = [token.kind == "word" and _is_line_label(token.text, labels) for token in tokens]
    told: list[OvidToken] = []
    for place, token in enumerate(tokens):
        before = told[-1].kind if told else "operator"
        after = tokens[place + 1].kind if place + 1 < len(tokens) else "close"
        alone = before in ("open", "operator", "line") and (after in ("close", "operator") or names[place + 1])
        told.append(token._replace(kind="line") if names[place] and alone else token)
    return told


def _is_line_label(text: str, labels: Container[str]) -> bool:
    return bool(re.fullmatch(r"#?\d{1,3}", text)) or text.lstrip("#") in labels
