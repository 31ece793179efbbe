"""A query of PubMed cut into parentheses, operators, phrases, field tags and words, each with its place."""

import re
from typing import Literal, NamedTuple

from wellsourced.query_language.pubmed.field_tags import find_tag
from wellsourced.query_language.query_notes import QueryNotes

OPERATORS = ("AND", "OR", "NOT")
TOKEN_PATTERN = re.compile(r"(?P<open>\()|(?P<close>\))|(?P<tag>\[[^\[\]]*\])|(?P<word>[^\s()\[\]\"]+)")
UNCLOSED_TAG = re.compile(r"\[\s*([\w/:~]+)")
PHRASE_BOUNDARY = re.compile(r"\s*(?:\[[^\[\]]*\]|\)|\s(?:AND|OR|NOT)\s|\Z)")
"""Where a phrase ends whose closing quotation mark is missing."""


class PubmedToken(NamedTuple):
    """A piece of a query.

    text   of a phrase or a tag what stands inside; of a word or an operator itself
    at     where it begins, with its quotation mark or bracket
    end    after its last character
    """

    kind: Literal["open", "close", "operator", "quoted", "tag", "word"]
    text: str
    at: int
    end: int


def tokenize_pubmed(query: str, start: int, end: int, notes: QueryNotes) -> list[PubmedToken]:
    """The pieces of query[start:end], repaired where a quotation mark or a bracket has no partner."""
    tokens: list[PubmedToken] = []
    place, even = start, query.count('"', start, end) % 2 == 0
    while place < end:
        if query[place] == '"':
            token, even = _take_phrase(query, place, end, even, notes)
        elif found := TOKEN_PATTERN.match(query, place, end):
            token = _build_token(found)
        elif (found := UNCLOSED_TAG.match(query, place, end)) and find_tag(found[1]):
            notes.add_note(place, f"The bracket of [{found[1]}] is not closed")
            token = PubmedToken("tag", found[1], place, found.end())
        else:
            if not query[place].isspace():
                notes.add_note(place, f"The bracket “{query[place]}” has no partner and was left out")
            place += 1
            continue
        place = token.end
        tokens.append(token)
    return _mark_operators(tokens, notes)


def _build_token(found: re.Match[str]) -> PubmedToken:
    text = found.group()
    if found["tag"]:
        return PubmedToken("tag", text[1:-1], found.start(), found.end())
    if found["word"]:
        return PubmedToken("operator" if text in OPERATORS else "word", text, found.start(), found.end())
    return PubmedToken("open" if found["open"] else "close", text, found.start(), found.end())


def _take_phrase(query: str, place: int, end: int, even: bool, notes: QueryNotes) -> tuple[PubmedToken, bool]:
    """A phrase, and whether the quotation marks that follow have partners."""
    closing = query.find('"', place + 1, end)
    if closing >= 0 and (even or not _holds_outside_syntax(query[place + 1 : closing])):
        return PubmedToken("quoted", query[place + 1 : closing], place, closing + 1), even
    boundary = PHRASE_BOUNDARY.search(query, place + 1, end)
    stop = boundary.start() if boundary else end
    notes.add_note(place, "A quotation mark is not closed; the phrase was ended before the next operator or tag")
    return PubmedToken("quoted", query[place + 1 : stop], place, stop), True


def _holds_outside_syntax(phrase: str) -> bool:
    """Whether a phrase holds what should stand outside of it: a tag, an operator, half of a pair of parentheses."""
    tags = (find_tag(found) for found in re.findall(r"\[([^\[\]]*)\]", phrase))
    return any(tags) or bool(re.search(r"\s(?:AND|OR|NOT)\s", phrase)) or phrase.count("(") != phrase.count(")")


def _mark_operators(tokens: list[PubmedToken], notes: QueryNotes) -> list[PubmedToken]:
    """Operators in small letters are operators where nothing else makes sense: beside a tag, a phrase, a group."""
    told: list[PubmedToken] = []
    for place, token in enumerate(tokens):
        if token.kind != "word" or token.text.upper() not in OPERATORS:
            told.append(token)
            continue
        before = told[-1].kind if told else ""
        after = tokens[place + 1].kind if place + 1 < len(tokens) else ""
        if (before in ("close", "quoted", "tag") and after) or (before == "word" and after in ("open", "quoted")):
            notes.add_note(
                token.at, f"“{token.text}” was read as {token.text.upper()}: PubMed wants operators in capitals"
            )
            told.append(token._replace(kind="operator", text=token.text.upper()))
        else:
            _note_ignored_operator(token, notes)
            told.append(token)
    return told


def _note_ignored_operator(token: PubmedToken, notes: QueryNotes) -> None:
    word = token.text
    reading = (
        "all words around it are asked for" if word.lower() != "and" else "AND is what stands between words anyway"
    )
    notes.add_note(token.at, f"“{word}” is an operator only in capitals, {word.upper()}; PubMed ignores it, {reading}")
