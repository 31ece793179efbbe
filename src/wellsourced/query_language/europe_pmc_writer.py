"""A query written in the language of Europe PMC (Europe PMC, Search syntax reference)."""

import calendar
import re

from wellsourced.query_language.pubmed.writer import AddNote, TranslatedQuery
from wellsourced.query_language.query_tree import (
    And,
    DateRange,
    Everything,
    MeshHeading,
    Near,
    Node,
    Not,
    Or,
    Qualifier,
    QueryTerm,
    SearchField,
)

FIELD_PREFIXES: dict[SearchField, str] = {
    "all": "", "title": "TITLE:", "abstract": "ABSTRACT:", "title_abstract": "TITLE_ABS:", "heading": "MESH:",
    "type": "PUB_TYPE:", "language": "LANG:", "author": "AUTH:", "journal": "JOURNAL:", "id": "EXT_ID:",
}  # fmt: skip

LANGUAGE_CODES = {
    "chinese": "chi", "czech": "cze", "danish": "dan", "dutch": "dut", "english": "eng", "french": "fre",
    "german": "ger", "hungarian": "hun", "italian": "ita", "japanese": "jpn", "korean": "kor", "norwegian": "nor",
    "polish": "pol", "portuguese": "por", "russian": "rus", "spanish": "spa", "swedish": "swe", "turkish": "tur",
}  # fmt: skip

ALL_RECORDS = "FIRST_PDATE:[1000-01-01 TO 3000-12-31]"


def write_europe_pmc_query(node: Node) -> TranslatedQuery:
    """The query as Europe PMC takes it. What it cannot say is said more widely, and told."""
    notes: dict[str, None] = {}
    text = _write_node(node, lambda note: notes.setdefault(note), whole=True)
    return TranslatedQuery(text or ALL_RECORDS, tuple(notes))


def _write_node(node: Node, emit: AddNote, whole: bool = False) -> str:
    """One node; "" for what Europe PMC cannot be asked for. Several parts stand in parentheses within others."""
    match node:
        case QueryTerm():
            return _write_term(node, emit)
        case MeshHeading():
            return _write_heading(node, emit)
        case DateRange():
            return _write_dates(node)
        case Qualifier():
            emit(f"Europe PMC cannot be asked for the subheading “{node.name}” alone; it was left out")
            return ""
        case Everything():
            if node.filter_text:
                emit(f"Europe PMC cannot be asked for “{node.filter_text}”; it was left out")
            return "" if node.filter_text else ALL_RECORDS
        case Not():
            kept, left_out = _write_node(node.kept, emit) or ALL_RECORDS, _write_node(node.left_out, emit)
            parts, operator = [kept, left_out] if left_out else [kept], " NOT "
        case And() | Or() | Near():
            parts = [text for text in (_write_node(part, emit) for part in node.parts) if text]
            operator = " OR " if isinstance(node, Or) else " AND "
            if isinstance(node, Near):
                emit("Europe PMC measures no distances between words; AND was written")
    return f"({operator.join(parts)})" if len(parts) > 1 and not whole else operator.join(parts)


def _clean_words(words: str) -> str:
    return " ".join(re.sub(r'["\\]', " ", words).split())


def _write_heading(node: MeshHeading, emit: AddNote) -> str:
    if node.explode:
        emit("Europe PMC does not search the headings below a MeSH heading")
    if node.qualifiers or node.major:
        emit("Europe PMC does not tell subheadings and main subjects apart; the whole heading is asked for")
    return f'MESH:"{_clean_words(node.name)}"'


def _write_term(node: QueryTerm, emit: AddNote) -> str:
    if node.field == "id":
        return _write_identifier(node.words)
    name, words = FIELD_PREFIXES[node.field], _clean_words(node.words)
    if node.field == "language":
        return name + LANGUAGE_CODES.get(words.lower(), f'"{words}"')
    if re.search(r"[?#]", words) or node.letters is not None:
        emit(f"Europe PMC has no wildcard for a number of letters; “{node.words}” was written with “*”")
    words = re.sub(r"[?#*]+", "*", words) + ("*" if node.truncated else "")
    if "*" not in words:
        return f'{name}"{words}"'
    return _write_wildcard_words(name, words, emit)


def _write_wildcard_words(name: str, words: str, emit: AddNote) -> str:
    """Words with an asterisk cannot stand within quotation marks: a phrase becomes its words."""
    parts = re.sub(r"[^\w*\s-]", " ", words).split()
    parts = [part if "*" in part else f'"{part}"' for part in parts if re.search(r"\w", part)]
    if len(parts) == 1:
        return name + parts[0]
    emit(f"Europe PMC takes no asterisk within a phrase; the words of “{words}” are asked for one by one")
    return f"({' AND '.join(name + part for part in parts)})" if parts else ""


def _write_identifier(words: str) -> str:
    bare = _clean_words(words)
    if bare.isdigit():
        return f"(EXT_ID:{bare} AND SRC:MED)"
    return f"PMCID:{bare.upper()}" if re.fullmatch(r"PMC\d+", bare, re.IGNORECASE) else f'DOI:"{bare}"'


def _write_dates(node: DateRange) -> str:
    name = "FIRST_PDATE" if node.field == "published" else "CREATION_DATE"
    return f"{name}:[{_boundary_day(node.first, last=False)} TO {_boundary_day(node.last, last=True)}]"


def _boundary_day(said: str, *, last: bool) -> str:
    """The first or the last day of a year, a month or a day: "2010/02" → "2010-02-28"."""
    if not said:
        return "3000-12-31" if last else "1000-01-01"
    year, *more = said.split("/")
    month = int(more[0]) if more else 12 if last else 1
    longest = calendar.monthrange(max(int(year), 1), month)[1]
    day = min(int(more[1]), longest) if len(more) > 1 else longest if last else 1
    return f"{year}-{month:02d}-{day:02d}"
