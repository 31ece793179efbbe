"""A query of PubMed cut into parentheses, operators, phrases, field tags and words, each with its place."""

import re
from typing import Literal, NamedTuple

from wellsourced.query_language.notes import Notes
from wellsourced.query_language.pubmed_tags import tag

OPERATORS = ("AND", "OR", "NOT")
PIECE = re.compile(r"(?P<open>\()|(?P<close>\))|(?P<tag>\[[^\[\]]*\])|(?P<word>[^\s()\[\]\"]+)")
UNCLOSED = re.compile(r"\[\s*([\w/:~]+)")
BOUNDARY = re.compile(r"\s*(?:\[[^\[\]]*\]|\)|\s(?:AND|OR|NOT)\s|\Z)")
"""Where a phrase ends whose closing quotation mark is missing."""


class Token(NamedTuple):
    """A piece of a query.

    text   of a phrase or a tag what stands inside; of a word or an operator itself
    at     where it begins, with its quotation mark or bracket
    end    after its last character
    """

    kind: Literal["open", "close", "operator", "quoted", "tag", "word"]
    text: str
    at: int
    end: int


def lexed(query: str, start: int, end: int, notes: Notes) -> list[Token]:
    """The pieces of query[start:end], repaired where a quotation mark or a bracket has no partner."""
    tokens: list[Token] = []
    place, even = start, query.count('"', start, end) % 2 == 0
    while place < end:
        if query[place] == '"':
            token, even = _phrase(query, place, end, even, notes)
        elif found := PIECE.match(query, place, end):
            token = _piece(found)
        elif (found := UNCLOSED.match(query, place, end)) and tag(found[1]):
            notes.tell(place, f"The bracket of [{found[1]}] is not closed")
            token = Token("tag", found[1], place, found.end())
        else:
            if not query[place].isspace():
                notes.tell(place, f"The bracket “{query[place]}” has no partner and was left out")
            place += 1
            continue
        place = token.end
        tokens.append(token)
    return _with_operators(tokens, notes)


def _piece(found: re.Match[str]) -> Token:
    text = found.group()
    if found["tag"]:
        return Token("tag", text[1:-1], found.start(), found.end())
    if found["word"]:
        return Token("operator" if text in OPERATORS else "word", text, found.start(), found.end())
    return Token("open" if found["open"] else "close", text, found.start(), found.end())


def _phrase(query: str, place: int, end: int, even: bool, notes: Notes) -> tuple[Token, bool]:
    """A phrase, and whether the quotation marks that follow have partners."""
    closing = query.find('"', place + 1, end)
    if closing >= 0 and (even or not _runs_over(query[place + 1 : closing])):
        return Token("quoted", query[place + 1 : closing], place, closing + 1), even
    boundary = BOUNDARY.search(query, place + 1, end)
    stop = boundary.start() if boundary else end
    notes.tell(place, "A quotation mark is not closed; the phrase was ended before the next operator or tag")
    return Token("quoted", query[place + 1 : stop], place, stop), True


def _runs_over(phrase: str) -> bool:
    """Whether a phrase holds what should stand outside of it: a tag, an operator, half of a pair of parentheses."""
    tags = (tag(found) for found in re.findall(r"\[([^\[\]]*)\]", phrase))
    return any(tags) or bool(re.search(r"\s(?:AND|OR|NOT)\s", phrase)) or phrase.count("(") != phrase.count(")")


def _with_operators(tokens: list[Token], notes: Notes) -> list[Token]:
    """Operators in small letters are operators where nothing else makes sense: beside a tag, a phrase, a group."""
    told: list[Token] = []
    for place, token in enumerate(tokens):
        if token.kind != "word" or token.text.upper() not in OPERATORS:
            told.append(token)
            continue
        before = told[-1].kind if told else ""
        after = tokens[place + 1].kind if place + 1 < len(tokens) else ""
        if (before in ("close", "quoted", "tag") and after) or (before == "word" and after in ("open", "quoted")):
            notes.tell(token.at, f"“{token.text}” was read as {token.text.upper()}: PubMed wants operators in capitals")
            told.append(token._replace(kind="operator", text=token.text.upper()))
        else:
            _tell_ignored(token, notes)
            told.append(token)
    return told


def _tell_ignored(token: Token, notes: Notes) -> None:
    word = token.text
    reading = (
        "all words around it are asked for" if word.lower() != "and" else "AND is what stands between words anyway"
    )
    notes.tell(token.at, f"“{word}” is an operator only in capitals, {word.upper()}; PubMed ignores it, {reading}")
