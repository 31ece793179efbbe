"""A query written in PubMed's language, so that what was read here, or translated, can be sent to PubMed."""

import re
from collections.abc import Callable, Iterable
from itertools import product
from typing import Literal, NamedTuple

from wellsourced.query_language.date_ranges import OPEN_END_YEAR, OPEN_START_YEAR
from wellsourced.query_language.pubmed.field_tags import find_tag
from wellsourced.query_language.pubmed.lexer import OPERATORS
from wellsourced.query_language.pubmed.words import MIN_LETTERS, STOP_WORDS
from wellsourced.query_language.query_tree import (
    And,
    DateRange,
    Everything,
    MeshHeading,
    Near,
    Node,
    Not,
    Qualifier,
    QueryTerm,
    SearchField,
)

FIELD_TAG_TEXTS: dict[SearchField, str] = {
    "all": "", "title": "[ti]", "abstract": "[ab]", "title_abstract": "[tiab]", "heading": "[mh]", "type": "[pt]",
    "language": "[la]", "author": "[au]", "journal": "[ta]", "id": "[uid]",
}  # fmt: skip

UNQUOTED_WORDS = re.compile(r"[^\W_](?:[\w'/.+*-]*[^\W_])?\*?")
"""Words that need no quotation marks."""

FILTER_TEXT = re.compile(r'(?:"[^"\[\]*?#$]+"|[^"\[\]()*?#$]+)\[([^\[\]]+)\]')
MAX_SPELLED_CHARS = 60
"""Characters of a phrase that is written out in several spellings."""
LIKELY_LETTERS = "aeiousz"
"""Tried in the place of a single letter: vowels, and what sets apart British and American spelling."""


class TranslatedQuery(NamedTuple):
    """A query in another language.

    notes   what that language cannot say, a sentence each without a full stop
    """

    text: str
    notes: tuple[str, ...] = ()


class QueryPiece(NamedTuple):
    """A part of a query, and the operator between its own parts, "" where it has none."""

    text: str
    operator: Literal["", "AND", "OR", "NOT"] = ""

    def nested_text(self, operator: str) -> str:
        """As a part of something larger: in parentheses where they change the meaning."""
        return f"({self.text})" if self.operator and (self.operator != operator or operator == "NOT") else self.text


NO_PIECE = QueryPiece("")
AddNote = Callable[[str], None]


def write_pubmed_query(node: Node) -> TranslatedQuery:
    """The query as PubMed takes it. What PubMed cannot say is said more widely, and told."""
    notes: dict[str, None] = {}
    text = _write_node(node, lambda note: notes.setdefault(note)).text
    return TranslatedQuery(text or "all[sb]", tuple(notes))


def _write_node(node: Node, emit: AddNote) -> QueryPiece:
    """One node; NOTHING for a filter that PubMed does not know."""
    match node:
        case QueryTerm():
            return _write_term(node, emit)
        case MeshHeading():
            return _write_heading(node)
        case Qualifier():
            return QueryPiece(f'"{_clean_words(node.name)}"[sh]')
        case DateRange():
            return QueryPiece(_write_dates(node))
        case Everything():
            return QueryPiece(_write_everything(node, emit))
        case Near():
            return _write_near(node, emit)
        case Not():
            return _write_not(node, emit)
    return _join_pieces("AND" if isinstance(node, And) else "OR", [_write_node(part, emit) for part in node.parts])


def _join_pieces(operator: Literal["AND", "OR"], pieces: Iterable[QueryPiece]) -> QueryPiece:
    kept = [piece for piece in pieces if piece.text]
    if len(kept) < 2:
        return kept[0] if kept else NO_PIECE
    return QueryPiece(f" {operator} ".join(piece.nested_text(operator) for piece in kept), operator)


def _write_not(node: Not, emit: AddNote) -> QueryPiece:
    kept, left_out = _write_node(node.kept, emit), _write_node(node.left_out, emit)
    if not left_out.text:
        return kept
    return QueryPiece(f"{kept.nested_text('NOT') or 'all[sb]'} NOT {left_out.nested_text('NOT')}", "NOT")


def _write_everything(node: Everything, emit: AddNote) -> str:
    if not node.filter_text:
        return "all[sb]"
    found = FILTER_TEXT.fullmatch(node.filter_text)
    known = find_tag(found[1]) if found else None
    if known and known.kind in ("filter", "dates"):
        return node.filter_text
    emit(f"PubMed cannot be asked for “{node.filter_text}”; it was left out")
    return ""


def _clean_words(words: str) -> str:
    """Words without what would end a phrase; operators in small letters, where they are words."""
    kept = " ".join(re.sub(r'["\[\]]', " ", words).split())
    return re.sub(r"\b(?:AND|OR|NOT)\b", lambda found: found.group().lower(), kept)


def _write_heading(node: MeshHeading) -> QueryPiece:
    tag_ = ("majr" if node.major else "mh") + ("" if node.explode else ":noexp")
    name = _clean_words(re.sub(r"[*$]", " ", node.name))
    names = [f"{name}/{part}" for part in node.qualifiers] or [name]
    return _join_pieces("OR", [QueryPiece(f'"{one}"[{tag_}]') for one in names])


def _write_dates(node: DateRange) -> str:
    name = "dp" if node.field == "published" else "edat"
    if node.first == node.last and node.first:
        return f"{node.first}[{name}]"
    return f"{node.first or OPEN_START_YEAR}:{node.last or OPEN_END_YEAR}[{name}]"


def _write_term(node: QueryTerm, emit: AddNote) -> QueryPiece:
    words = _clean_words(node.words)
    shown = f"{words}*" if node.truncated else words
    if node.letters is not None:
        emit(f"PubMed cannot limit the letters that follow “{words}”; any number may")
    spellings = _list_spellings(shown, emit)
    if node.field == "heading" and not all("*" in spelling for spelling in spellings):
        emit(f"PubMed cannot ask for “{words}” in headings alone; it is asked for in all text")
        node = node._replace(field="all")
    return _join_pieces("OR", [QueryPiece(_write_phrase(spelling, node.field)) for spelling in spellings])


def _write_phrase(words: str, field: SearchField) -> str:
    name = _identifier_tag(words) if field == "id" else FIELD_TAG_TEXTS[field]
    if UNQUOTED_WORDS.fullmatch(words) and (name or words.lower() not in STOP_WORDS) and words.upper() not in OPERATORS:
        return words + name
    return f'"{words}"{name}'


def _identifier_tag(words: str) -> str:
    if words.isdigit():
        return "[uid]"
    return "[pmcid]" if re.fullmatch(r"PMC\d+", words, re.IGNORECASE) else "[aid]"


def _list_spellings(words: str, emit: AddNote) -> list[str]:
    """A word as PubMed can be asked for it: wildcards for one letter become an asterisk, or every likely letter."""
    if not re.search(r"[?#*]", words):
        return [words]
    begins = re.split(r"[?#*]", words, maxsplit=1)[0]
    if sum(map(str.isalnum, begins)) >= MIN_LETTERS:
        if re.search(r"[?#]", words):
            emit(f"PubMed has no wildcard for one letter; “{words}” was written with “*”, which stands for any number")
        return [re.sub(r"[?#*]+", "*", words)]
    return _spell_early_wildcards(words, emit)


def _spell_early_wildcards(words: str, emit: AddNote) -> list[str]:
    """The spellings of a word with a wildcard among its first letters, where PubMed takes none."""
    single = [place for place, letter in enumerate(words) if letter in "?#"]
    choices = [("", *LIKELY_LETTERS) if words[place] == "?" else tuple(LIKELY_LETTERS) for place in single[:2]]
    pieces = re.split(r"[?#]", words, maxsplit=len(choices))
    found = ["".join(a + b for a, b in zip(pieces, (*row, ""), strict=True)) for row in product(*choices)]
    if choices and len(words) <= MAX_SPELLED_CHARS:
        emit(f"PubMed takes no wildcard among the first letters; “{words}” was written in its likely spellings")
        return list(dict.fromkeys(one for spelling in found for one in _list_spellings(spelling, lambda _: None)))
    emit(f"PubMed takes no asterisk after fewer than {MIN_LETTERS} letters; “{words}” was written without it")
    return [" ".join(re.sub(r"[?#*]", " ", words).split())]


def _write_near(node: Near, emit: AddNote) -> QueryPiece:
    """PubMed measures the distance of plain words in the title or the abstract, and of nothing else."""
    words = [part.words for part in node.parts if isinstance(part, QueryTerm) and _is_measurable(part)]
    fields = {part.field for part in node.parts if isinstance(part, QueryTerm)}
    if len(words) < len(node.parts) or len(fields) > 1:
        emit("PubMed measures distances only between single words of one field that are not cut short; AND was written")
        return _join_pieces("AND", [_write_node(part, emit) for part in node.parts])
    field = fields.pop()
    if field == "all":
        emit("PubMed measures distances only in title and abstract; they were asked for there")
    name = "ti" if field == "title" else "tiab"
    return QueryPiece(f'"{" ".join(map(_clean_words, words))}"[{name}:~{node.distance}]')


def _is_measurable(term: QueryTerm) -> bool:
    single = bool(UNQUOTED_WORDS.fullmatch(_clean_words(term.words))) and not re.search(r"[?#*]", term.words)
    return single and not term.truncated and term.field in ("all", "title", "title_abstract")
