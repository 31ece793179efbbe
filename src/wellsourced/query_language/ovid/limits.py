"""Ovid's "limit 5 to (english language and humans)", and what of it can be asked of a record."""

import re

from wellsourced.query_language.date_ranges import parse_period
from wellsourced.query_language.query_notes import QueryNotes
from wellsourced.query_language.query_tree import And, Everything, MeshHeading, Node, Or, QueryTerm
from wellsourced.query_language.traversal import combine_nodes
from wellsourced.text.lexicon import word_set

LIMIT_LINE = re.compile(r"\s*(?:\.\.l/|limit\b)\s*(?P<line>#?\d{1,3}\b)?\s*(?:to\b)?\s*(?P<to>.*)", re.I | re.S)
DATE_LIMIT = re.compile(r'(?P<field>ed|ep|dt|up|da|dc|ez|yr|dp)\s*=\s*"?\s*(?P<days>[^"]*?)\s*"?', re.I)

LANGUAGES = word_set("""
    afrikaans albanian arabic bulgarian catalan chinese croatian czech danish dutch english estonian finnish french
    german greek hebrew hungarian icelandic italian japanese korean latvian lithuanian macedonian norwegian persian
    polish portuguese romanian russian serbian slovak slovenian spanish swedish thai turkish ukrainian vietnamese
""")
PUBLICATION_TYPES = frozenset(
    (
        "case reports", "clinical study", "clinical trial", "clinical trial, all", "clinical trial, phase i",
        "clinical trial, phase ii", "clinical trial, phase iii", "clinical trial, phase iv", "comment",
        "comparative study", "controlled clinical trial", "editorial", "evaluation studies", "guideline", "letter",
        "meta analysis", "meta-analysis", "multicenter study", "news", "observational study", "practice guideline",
        "pragmatic clinical trial", "randomized controlled trial", "review", "systematic review", "validation study",
    )
)  # fmt: skip
MAX_LIMIT_CHARS = 400
"""Characters of a limit that is looked into."""

CHECK_TAGS = {"humans": "Humans", "human": "Humans", "animals": "Animals", "animal": "Animals", "male": "Male"}
CHECK_TAGS |= {"female": "Female", "pregnancy": "Pregnancy"}


def parse_limit(said: str, at: int, notes: QueryNotes) -> Node:
    """What a limit asks for; of one that no record can be held against, Everything, and it is told."""
    said = said.strip().rstrip(".")
    if len(said) > MAX_LIMIT_CHARS:
        return _note_unknown_limit(said, at, notes)
    while said.startswith("(") and said.endswith(")") and _is_in_parentheses(said):
        said = said[1:-1].strip()
    for word, kind in ((" or ", Or), (" and ", And)):
        parts = _split_at_word(said, word)
        if len(parts) > 1:
            return combine_nodes(kind, tuple(parse_limit(part, at, notes) for part in parts))
    return _parse_single_limit(said, at, notes)


def _parse_single_limit(said: str, at: int, notes: QueryNotes) -> Node:
    name = " ".join(said.strip('" ').lower().split())
    dates = DATE_LIMIT.fullmatch(said)
    if dates:
        field = dates["field"].lower()
        found = parse_period(dates["days"], "-", "published" if field in ("yr", "dp") else "entered", at, notes)
        if found:
            return found
    if name in CHECK_TAGS:
        return MeshHeading(CHECK_TAGS[name], explode=False, at=at)
    if name.removesuffix(" language") in LANGUAGES:
        return QueryTerm(name.removesuffix(" language"), "language", at=at)
    if name in PUBLICATION_TYPES:
        return QueryTerm(name.removesuffix(", all"), "type", at=at)
    return _note_unknown_limit(said, at, notes)


def _note_unknown_limit(said: str, at: int, notes: QueryNotes) -> Everything:
    notes.add_note(at, f"The limit to {said[:60]} cannot be held against a record here, so it narrows nothing")
    words = re.sub(r"[^\w ,.()-]", " ", said[:MAX_LIMIT_CHARS])
    return Everything(f"limit to {words[:200]}", at)


def _split_at_word(said: str, word: str) -> list[str]:
    """Parts with a word between them, outside of parentheses and quotation marks."""
    parts, depth, quoted, begin, lower = [], 0, False, 0, said.lower()
    for place, character in enumerate(said):
        quoted ^= character == '"'
        depth += (character == "(") - (character == ")")
        if not quoted and depth <= 0 and lower.startswith(word, place) and place >= begin:
            parts.append(said[begin:place].strip())
            begin = place + len(word)
    return [part for part in (*parts, said[begin:].strip()) if part]


def _is_in_parentheses(said: str) -> bool:
    """Whether the first parenthesis closes with the last."""
    depth = 0
    for place, character in enumerate(said):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return place == len(said) - 1
    return False
