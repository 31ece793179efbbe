"""A query written in the language of Europe PMC (Europe PMC, Search syntax reference)."""

import calendar
import re
from collections.abc import Callable

from wellsourced.query_language.tree import (
    And,
    Dates,
    Everything,
    Field,
    Heading,
    Near,
    Node,
    Not,
    Or,
    Qualifier,
    Term,
)
from wellsourced.query_language.writing import Written

FIELDS: dict[Field, str] = {
    "all": "", "title": "TITLE:", "abstract": "ABSTRACT:", "title_abstract": "TITLE_ABS:", "heading": "MESH:",
    "type": "PUB_TYPE:", "language": "LANG:", "author": "AUTH:", "journal": "JOURNAL:", "id": "EXT_ID:",
}  # fmt: skip

LANGUAGES = {
    "chinese": "chi", "czech": "cze", "danish": "dan", "dutch": "dut", "english": "eng", "french": "fre",
    "german": "ger", "hungarian": "hun", "italian": "ita", "japanese": "jpn", "korean": "kor", "norwegian": "nor",
    "polish": "pol", "portuguese": "por", "russian": "rus", "spanish": "spa", "swedish": "swe", "turkish": "tur",
}  # fmt: skip

EVERYTHING = "FIRST_PDATE:[1000-01-01 TO 3000-12-31]"
Tell = Callable[[str], None]


def to_europe_pmc(node: Node) -> Written:
    """The query as Europe PMC takes it. What it cannot say is said more widely, and told."""
    notes: dict[str, None] = {}
    text = _node(node, lambda note: notes.setdefault(note), whole=True)
    return Written(text or EVERYTHING, tuple(notes))


def _node(node: Node, tell: Tell, whole: bool = False) -> str:
    """One node; "" for what Europe PMC cannot be asked for. Several parts stand in parentheses within others."""
    match node:
        case Term():
            return _term(node, tell)
        case Heading():
            return _heading(node, tell)
        case Dates():
            return _dates(node)
        case Qualifier():
            tell(f"Europe PMC cannot be asked for the subheading “{node.name}” alone; it was left out")
            return ""
        case Everything():
            if node.said:
                tell(f"Europe PMC cannot be asked for “{node.said}”; it was left out")
            return "" if node.said else EVERYTHING
        case Not():
            kept, left_out = _node(node.kept, tell) or EVERYTHING, _node(node.left_out, tell)
            parts, operator = [kept, left_out] if left_out else [kept], " NOT "
        case And() | Or() | Near():
            parts = [text for text in (_node(part, tell) for part in node.parts) if text]
            operator = " OR " if isinstance(node, Or) else " AND "
            if isinstance(node, Near):
                tell("Europe PMC measures no distances between words; AND was written")
    return f"({operator.join(parts)})" if len(parts) > 1 and not whole else operator.join(parts)


def _plain(words: str) -> str:
    return " ".join(re.sub(r'["\\]', " ", words).split())


def _heading(node: Heading, tell: Tell) -> str:
    if node.explode:
        tell("Europe PMC does not search the headings below a MeSH heading")
    if node.qualifiers or node.major:
        tell("Europe PMC does not tell subheadings and main subjects apart; the whole heading is asked for")
    return f'MESH:"{_plain(node.name)}"'


def _term(node: Term, tell: Tell) -> str:
    if node.field == "id":
        return _identifier(node.words)
    name, words = FIELDS[node.field], _plain(node.words)
    if node.field == "language":
        return name + LANGUAGES.get(words.lower(), f'"{words}"')
    if re.search(r"[?#]", words) or node.letters is not None:
        tell(f"Europe PMC has no wildcard for a number of letters; “{node.words}” was written with “*”")
    words = re.sub(r"[?#*]+", "*", words) + ("*" if node.truncated else "")
    if "*" not in words:
        return f'{name}"{words}"'
    return _cut_short(name, words, tell)


def _cut_short(name: str, words: str, tell: Tell) -> str:
    """Words with an asterisk cannot stand within quotation marks: a phrase becomes its words."""
    parts = re.sub(r"[^\w*\s-]", " ", words).split()
    parts = [part if "*" in part else f'"{part}"' for part in parts if re.search(r"\w", part)]
    if len(parts) == 1:
        return name + parts[0]
    tell(f"Europe PMC takes no asterisk within a phrase; the words of “{words}” are asked for one by one")
    return f"({' AND '.join(name + part for part in parts)})" if parts else ""


def _identifier(words: str) -> str:
    bare = _plain(words)
    if bare.isdigit():
        return f"(EXT_ID:{bare} AND SRC:MED)"
    return f"PMCID:{bare.upper()}" if re.fullmatch(r"PMC\d+", bare, re.IGNORECASE) else f'DOI:"{bare}"'


def _dates(node: Dates) -> str:
    name = "FIRST_PDATE" if node.field == "published" else "CREATION_DATE"
    return f"{name}:[{_day(node.first, last=False)} TO {_day(node.last, last=True)}]"


def _day(said: str, *, last: bool) -> str:
    """The first or the last day of a year, a month or a day: "2010/02" → "2010-02-28"."""
    if not said:
        return "3000-12-31" if last else "1000-01-01"
    year, *more = said.split("/")
    month = int(more[0]) if more else 12 if last else 1
    longest = calendar.monthrange(max(int(year), 1), month)[1]
    day = min(int(more[1]), longest) if len(more) > 1 else longest if last else 1
    return f"{year}-{month:02d}-{day:02d}"
