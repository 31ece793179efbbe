"""A query written in the language of PubMed or of Europe PMC, so that what was read here, or translated, can be sent
there.
"""

import calendar
import re
from collections.abc import Callable, Iterable
from itertools import product, takewhile
from typing import Literal, NamedTuple

from wellsourced.query_language import query_tree
from wellsourced.query_language.pubmed_lexer import (
    MIN_LETTERS,
    OPEN_END_YEAR,
    OPEN_START_YEAR,
    OPERATORS,
    STOP_WORDS,
    find_tag,
)

FIELD_TAG_TEXTS: dict[query_tree.SearchField, str] = {
    "all": "", "title": "[ti]", "abstract": "[ab]", "title_abstract": "[tiab]", "heading": "[mh]", "type": "[pt]",
    "language": "[la]", "author": "[au]", "journal": "[ta]", "id": "[uid]",
}  # fmt: skip

UNQUOTED_WORDS = re.compile(r"[^\W_](?:[\w'/.+*-]*[^\W_])?\*?")
"""Words that need no quotation marks."""

PMCID = re.compile(r"PMC\d+", re.IGNORECASE)
WILDCARD_RUN = re.compile(r"[?#*]+")
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


def write_pubmed_query(node: query_tree.Node) -> TranslatedQuery:
    """The query as PubMed takes it. What PubMed cannot say is said more widely, and told."""
    notes: dict[str, None] = {}
    text = _write_node(node, lambda note: notes.setdefault(note)).text
    # Of what nothing could be said in PubMed's language, everything is asked for: wider, never narrower.
    return TranslatedQuery(text or "all[sb]", tuple(notes))


def _write_node(node: query_tree.Node, emit: AddNote) -> QueryPiece:
    """One node; NOTHING for a filter that PubMed does not know."""
    match node:
        case query_tree.QueryTerm():
            return _write_term(node, emit)
        case query_tree.MeshHeading():
            tag_ = ("majr" if node.major else "mh") + ("" if node.explode else ":noexp")
            name = _clean_words(query_tree.blank_out(node.name, "*$"))
            names = [f"{name}/{part}" for part in node.qualifiers] or [name]
            return _join_pieces("OR", [QueryPiece(f'"{one}"[{tag_}]') for one in names])
        case query_tree.Qualifier():
            return QueryPiece(f'"{_clean_words(node.name)}"[sh]')
        case query_tree.DateRange():
            name = "dp" if node.field == "published" else "edat"
            if node.first == node.last and node.first:
                return QueryPiece(f"{node.first}[{name}]")
            return QueryPiece(f"{node.first or OPEN_START_YEAR}:{node.last or OPEN_END_YEAR}[{name}]")
        case query_tree.Everything():
            return QueryPiece(_write_everything(node, emit))
        case query_tree.Near():
            return _write_near(node, emit)
        case query_tree.Not():
            kept, left_out = _write_node(node.kept, emit), _write_node(node.left_out, emit)
            if not left_out.text:
                return kept
            return QueryPiece(f"{kept.nested_text('NOT') or 'all[sb]'} NOT {left_out.nested_text('NOT')}", "NOT")
    return _join_pieces(
        "AND" if isinstance(node, query_tree.And) else "OR", [_write_node(part, emit) for part in node.parts]
    )


def _join_pieces(operator: Literal["AND", "OR"], pieces: Iterable[QueryPiece]) -> QueryPiece:
    kept = [piece for piece in pieces if piece.text]
    if len(kept) < 2:
        return kept[0] if kept else NO_PIECE
    return QueryPiece(f" {operator} ".join(piece.nested_text(operator) for piece in kept), operator)


def _write_everything(node: query_tree.Everything, emit: AddNote) -> str:
    if not node.filter_text:
        return "all[sb]"
    found = FILTER_TEXT.fullmatch(node.filter_text)
    known = find_tag(found[1]) if found else None
    # A filter in PubMed's own words is passed on only under a tag that was known when it was read.
    if known and known.kind in ("filter", "dates"):
        return node.filter_text
    emit(f"PubMed does not support “{node.filter_text}”; it was left out")
    return ""


def _clean_words(words: str) -> str:
    """Words without what would end a phrase; operators in small letters, where they are words."""
    kept = query_tree.blank_out(words)
    # PubMed reads an operator in capitals as one wherever it stands, in quotation marks as well.
    return re.sub(r"\b(?:AND|OR|NOT)\b", lambda found: found.group().lower(), kept)


def _write_term(node: query_tree.QueryTerm, emit: AddNote) -> QueryPiece:
    words = _clean_words(node.words)
    shown = f"{words}*" if node.truncated else words
    if node.letters is not None:
        emit(f"PubMed cannot limit the letters after “{words}”; any number may follow")
    spellings = _list_spellings(shown, emit)
    # A heading without an asterisk has to be one by its whole name, which a word of a heading is not.
    if node.field == "heading" and not all("*" in spelling for spelling in spellings):
        emit(f"PubMed cannot search “{words}” in headings only; all text is searched")
        node = node._replace(field="all")
    return _join_pieces("OR", [QueryPiece(_write_phrase(spelling, node.field)) for spelling in spellings])


def _write_phrase(words: str, field: query_tree.SearchField) -> str:
    name = FIELD_TAG_TEXTS[field]
    if field == "id" and not words.isdigit():
        name = "[pmcid]" if PMCID.fullmatch(words) else "[aid]"
    if UNQUOTED_WORDS.fullmatch(words) and (name or words.lower() not in STOP_WORDS) and words.upper() not in OPERATORS:
        return words + name
    return f'"{words}"{name}'


def _list_spellings(words: str, emit: AddNote) -> list[str]:
    """A word as PubMed can be asked for it: wildcards for one letter become an asterisk, or every likely letter."""
    if not query_tree.has_wildcard(words):
        return [words]
    begins = takewhile(lambda letter: letter not in query_tree.WILDCARDS, words)
    # PubMed takes an asterisk only behind so many letters; with fewer, the likely spellings are written out.
    if sum(map(str.isalnum, begins)) >= MIN_LETTERS:
        if query_tree.has_wildcard(words, "?#"):
            emit(f"PubMed has no wildcard for one letter; “{words}” was written with “*”, which means any number")
        return [WILDCARD_RUN.sub("*", words)]
    return _spell_early_wildcards(words, emit)


def _spell_early_wildcards(words: str, emit: AddNote) -> list[str]:
    """The spellings of a word with a wildcard among its first letters, where PubMed takes none."""
    single = [place for place, letter in enumerate(words) if letter in "?#"]
    # Two places at most: each multiplies the spellings by seven.
    choices = [("", *LIKELY_LETTERS) if words[place] == "?" else tuple(LIKELY_LETTERS) for place in single[:2]]
    pieces = words.replace("#", "?").split("?", len(choices))
    found = ["".join(a + b for a, b in zip(pieces, (*row, ""), strict=True)) for row in product(*choices)]
    if choices and len(words) <= MAX_SPELLED_CHARS:
        emit(f"PubMed allows no wildcard among the first letters; “{words}” was written in its likely spellings")
        return list(dict.fromkeys(one for spelling in found for one in _list_spellings(spelling, lambda _: None)))
    emit(f"PubMed allows no asterisk after fewer than {MIN_LETTERS} letters; “{words}” was written without it")
    return [query_tree.blank_out(words, query_tree.WILDCARDS)]


def _write_near(node: query_tree.Near, emit: AddNote) -> QueryPiece:
    """PubMed measures the distance of plain words in the title or the abstract, and of nothing else."""
    terms = [part for part in node.parts if isinstance(part, query_tree.QueryTerm)]
    fields = {term.field for term in terms}
    words = [
        term.words
        for term in terms
        if UNQUOTED_WORDS.fullmatch(_clean_words(term.words))
        and not (term.truncated or query_tree.has_wildcard(term.words))
        and term.field in ("all", "title", "title_abstract")
    ]
    if len(words) < len(node.parts) or len(fields) > 1:
        emit("PubMed measures distances only between single whole words of one field; AND was used")
        return _join_pieces("AND", [_write_node(part, emit) for part in node.parts])
    field = fields.pop()
    if field == "all":
        emit("PubMed measures distances only in title and abstract, where they were searched")
    name = "ti" if field == "title" else "tiab"
    return QueryPiece(f'"{" ".join(map(_clean_words, words))}"[{name}:~{node.distance}]')


FIELD_PREFIXES: dict[query_tree.SearchField, str] = {
    "all": "", "title": "TITLE:", "abstract": "ABSTRACT:", "title_abstract": "TITLE_ABS:", "heading": "MESH:",
    "type": "PUB_TYPE:", "language": "LANG:", "author": "AUTH:", "journal": "JOURNAL:", "id": "EXT_ID:",
}  # fmt: skip

LANGUAGE_CODES = {
    "chinese": "chi", "czech": "cze", "danish": "dan", "dutch": "dut", "english": "eng", "french": "fre",
    "german": "ger", "hungarian": "hun", "italian": "ita", "japanese": "jpn", "korean": "kor", "norwegian": "nor",
    "polish": "pol", "portuguese": "por", "russian": "rus", "spanish": "spa", "swedish": "swe", "turkish": "tur",
}  # fmt: skip

MARKS = '"\\'  # of Europe PMC: what would end a phrase
ALL_RECORDS = "FIRST_PDATE:[1000-01-01 TO 3000-12-31]"


def write_europe_pmc_query(node: query_tree.Node) -> TranslatedQuery:
    """The query as Europe PMC takes it. What it cannot say is said more widely, and told."""
    notes: dict[str, None] = {}
    text = _write_europe_pmc_node(node, lambda note: notes.setdefault(note), whole=True)
    return TranslatedQuery(text or ALL_RECORDS, tuple(notes))


def _write_europe_pmc_node(node: query_tree.Node, emit: AddNote, whole: bool = False) -> str:
    """One node; "" for what Europe PMC cannot be asked for. Several parts stand in parentheses within others."""
    match node:
        case query_tree.QueryTerm():
            return _write_europe_pmc_term(node, emit)
        case query_tree.MeshHeading():
            if node.explode:
                emit("Europe PMC does not search narrower headings")
            if node.qualifiers or node.major:
                emit("Europe PMC ignores subheadings and main topics; the whole heading is searched")
            return f'MESH:"{query_tree.blank_out(node.name, MARKS)}"'
        case query_tree.DateRange():
            name = "FIRST_PDATE" if node.field == "published" else "CREATION_DATE"
            return f"{name}:[{_boundary_day(node.first, last=False)} TO {_boundary_day(node.last, last=True)}]"
        case query_tree.Qualifier():
            emit(f"Europe PMC cannot search the subheading “{node.name}” alone; it was left out")
            return ""
        case query_tree.Everything():
            if node.filter_text.casefold().partition("[")[0] == query_tree.HAS_ABSTRACT:
                return "HAS_ABSTRACT:y"
            if node.filter_text:
                emit(f"Europe PMC does not support “{node.filter_text}”; it was left out")
            return "" if node.filter_text else ALL_RECORDS
        case query_tree.Not():
            kept, left_out = (
                _write_europe_pmc_node(node.kept, emit) or ALL_RECORDS,
                _write_europe_pmc_node(node.left_out, emit),
            )
            # What cannot be asked for cannot be left out either: more is found, and it was told.
            parts, operator = [kept, left_out] if left_out else [kept], " NOT "
        case query_tree.And() | query_tree.Or() | query_tree.Near():
            parts = [text for text in (_write_europe_pmc_node(part, emit) for part in node.parts) if text]
            operator = " OR " if isinstance(node, query_tree.Or) else " AND "
            if isinstance(node, query_tree.Near):
                emit("Europe PMC has no distance operator; AND was used")
    return f"({operator.join(parts)})" if len(parts) > 1 and not whole else operator.join(parts)


def _write_europe_pmc_term(node: query_tree.QueryTerm, emit: AddNote) -> str:
    name, words = FIELD_PREFIXES[node.field], query_tree.blank_out(node.words, MARKS)
    if node.field == "id":
        if words.isdigit():
            return f"(EXT_ID:{words} AND SRC:MED)"
        return f"PMCID:{words.upper()}" if PMCID.fullmatch(words) else f'DOI:"{words}"'
    if node.field == "language":
        return name + LANGUAGE_CODES.get(words.lower(), f'"{words}"')
    if query_tree.has_wildcard(words, "?#") or node.letters is not None:
        emit(f"Europe PMC has no wildcard for a number of letters; “{node.words}” was written with “*”")
    words = WILDCARD_RUN.sub("*", words) + ("*" if node.truncated else "")
    if "*" not in words:
        return f'{name}"{words}"'
    return _write_wildcard_words(name, words, emit)


def _write_wildcard_words(name: str, words: str, emit: AddNote) -> str:
    """Words with an asterisk cannot stand within quotation marks: a phrase becomes its words."""
    parts = re.sub(r"[^\w*\s-]", " ", words).split()
    parts = [part if "*" in part else f'"{part}"' for part in parts if any(map(str.isalnum, part))]
    if len(parts) == 1:
        return name + parts[0]
    emit(f"Europe PMC allows no asterisk in a phrase; the words of “{words}” are searched one by one")
    return f"({' AND '.join(name + part for part in parts)})" if parts else ""


def _boundary_day(said: str, *, last: bool) -> str:
    """The first or the last day of a year, a month or a day: "2010/02" → "2010-02-28"."""
    if not said:
        return "3000-12-31" if last else "1000-01-01"
    year, *more = said.split("/")
    month = int(more[0]) if more else 12 if last else 1
    longest = calendar.monthrange(max(int(year), 1), month)[1]
    day = min(int(more[1]), longest) if len(more) > 1 else longest if last else 1
    return f"{year}-{month:02d}-{day:02d}"
