"""A line of an Ovid strategy cut into words, fields, headings, operators and numbers of lines, each with its place."""

import re
from collections.abc import Container, Iterator
from typing import Literal, NamedTuple

from wellsourced.query_language.notes import Notes
from wellsourced.query_language.ovid_fields import ELSEWHERE, PLACES

Kind = Literal["open", "close", "operator", "near", "field", "slash", "quoted", "word", "exp", "focus", "set", "line"]

KNOWN = "|".join(sorted({*PLACES, *ELSEWHERE}))
AHEAD = r"(?=\s*(?:[)\[]|\Z|(?:or|and|not|adj\d*)\b))"
"""An operand ends here."""

FIELD = rf"\.\s*(?:(?:{KNOWN})(?:\s*,\s*(?:{KNOWN}))*\s*,?\s*(?:\.(?!\w)|{AHEAD})|[a-z]{{2}}(?:,[a-z]{{2}})*\.{AHEAD})"
SLASH = rf"/\s*(?:[a-z]{{1,2}}(?:\s*,\s*[a-z]{{2}})*)?{AHEAD}"
PIECE = re.compile(
    rf"""(?P<comment>\[[^\]]*(?:\]|\Z))|(?P<quoted>"[^"]*")|(?P<open>\()|(?P<close>\))|(?P<field>{FIELD})
    |(?P<set>(?:or|and)\s*/\s*\d{{1,4}}(?:-\d{{1,4}})?(?:\s*,\s*\d{{1,4}}(?:-\d{{1,4}})?)*)|(?P<operator>(?:and|or|not)\b(?!-))|(?P<near>adj\d*\b)
    |(?P<slash>{SLASH})|(?P<exp>exp(?:lode)?\b(?=\s*["*\w]))|(?P<focus>\*(?=["\w]))
    |(?P<word>(?:(?!{FIELD}|{SLASH})[^\s()\[\]"])+)|(?P<stray>\S)""",
    re.VERBOSE | re.IGNORECASE,
)
GLUED = re.compile(r"[*$](?=(?:or|and|not)\Z)", re.IGNORECASE)


class Token(NamedTuple):
    """A piece of a line; `text` is what stands inside of it, in small letters where case means nothing."""

    kind: Kind
    text: str
    at: int
    end: int


def lexed(query: str, start: int, end: int, notes: Notes, labels: Container[str] = ()) -> list[Token]:
    """The pieces of query[start:end], one line, without its comments in brackets.

    labels   names of lines beside their numbers: "2a"
    """
    return _with_lines(list(_pieces(query, start, end, notes)), labels)


def _pieces(query: str, start: int, end: int, notes: Notes) -> Iterator[Token]:
    place = start
    while place < end:
        found = PIECE.match(query, place, end)
        if found is None:
            place += 1
            continue
        kind, text, place = str(found.lastgroup), found.group(), found.end()
        at = found.start()
        if kind == "stray":
            notes.tell(at, f"“{text}” has no partner, or no place here, and was left out")
        elif kind == "word" and (glued := GLUED.search(text)):
            place = at + glued.end()
            notes.tell(at, f"A space is missing in “{text[:40]}”")
            yield Token("word", query[at:place], at, place)
        elif kind != "comment":
            yield Token(kind, _inside(kind, text), at, place)  # type: ignore[arg-type]


def _inside(kind: str, text: str) -> str:
    if kind == "quoted":
        return text[1:-1]
    if kind in ("field", "slash"):
        return re.sub(r"[./\s]", "", text).lower().strip(",")
    if kind == "near":
        return text[3:]
    return text if kind == "word" else text.lower()


def _with_lines(tokens: list[Token], labels: Container[str]) -> list[Token]:
    """Numbers that stand where an operand stands, alone, are numbers of lines."""
    names = [token.kind == "word" and _names_line(token.text, labels) for token in tokens]
    told: list[Token] = []
    for place, token in enumerate(tokens):
        before = told[-1].kind if told else "operator"
        after = tokens[place + 1].kind if place + 1 < len(tokens) else "close"
        alone = before in ("open", "operator", "line") and (after in ("close", "operator") or names[place + 1])
        told.append(token._replace(kind="line") if names[place] and alone else token)
    return told


def _names_line(text: str, labels: Container[str]) -> bool:
    return bool(re.fullmatch(r"#?\d{1,3}", text)) or text.lstrip("#") in labels
