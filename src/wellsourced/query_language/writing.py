"""A query written in PubMed's language, so that what was read here, or translated, can be sent to PubMed."""

import re
from collections.abc import Callable, Iterable
from itertools import product
from typing import Literal, NamedTuple

from wellsourced.query_language.dates import EARLIEST, LATEST
from wellsourced.query_language.pubmed_lexer import OPERATORS
from wellsourced.query_language.pubmed_tags import tag
from wellsourced.query_language.pubmed_words import LEAST_LETTERS, STOP_WORDS
from wellsourced.query_language.tree import And, Dates, Everything, Field, Heading, Near, Node, Not, Qualifier, Term

TAGS: dict[Field, str] = {
    "all": "", "title": "[ti]", "abstract": "[ab]", "title_abstract": "[tiab]", "heading": "[mh]", "type": "[pt]",
    "language": "[la]", "author": "[au]", "journal": "[ta]", "id": "[uid]",
}  # fmt: skip

ALONE = re.compile(r"[^\W_](?:[\w'/.+*-]*[^\W_])?\*?")
"""Words that need no quotation marks."""

FILTER = re.compile(r'(?:"[^"\[\]*?#$]+"|[^"\[\]()*?#$]+)\[([^\[\]]+)\]')
LONGEST = 60
"""Characters of a phrase that is written out in several spellings."""
LETTERS = "aeiousz"
"""Tried in the place of a single letter: vowels, and what sets apart British and American spelling."""


class Written(NamedTuple):
    """A query in another language.

    notes   what that language cannot say, a sentence each without a full stop
    """

    text: str
    notes: tuple[str, ...] = ()


class Piece(NamedTuple):
    """A part of a query, and the operator between its own parts, "" where it has none."""

    text: str
    operator: Literal["", "AND", "OR", "NOT"] = ""

    def inside(self, operator: str) -> str:
        """As a part of something larger: in parentheses where they change the meaning."""
        return f"({self.text})" if self.operator and (self.operator != operator or operator == "NOT") else self.text


NOTHING = Piece("")
Tell = Callable[[str], None]


def to_pubmed(node: Node) -> Written:
    """The query as PubMed takes it. What PubMed cannot say is said more widely, and told."""
    notes: dict[str, None] = {}
    text = _node(node, lambda note: notes.setdefault(note)).text
    return Written(text or "all[sb]", tuple(notes))


def _node(node: Node, tell: Tell) -> Piece:
    """One node; NOTHING for a filter that PubMed does not know."""
    match node:
        case Term():
            return _term(node, tell)
        case Heading():
            return _heading(node)
        case Qualifier():
            return Piece(f'"{_plain(node.name)}"[sh]')
        case Dates():
            return Piece(_dates(node))
        case Everything():
            return Piece(_everything(node, tell))
        case Near():
            return _near(node, tell)
        case Not():
            return _not(node, tell)
    return _joined("AND" if isinstance(node, And) else "OR", [_node(part, tell) for part in node.parts])


def _joined(operator: Literal["AND", "OR"], pieces: Iterable[Piece]) -> Piece:
    kept = [piece for piece in pieces if piece.text]
    if len(kept) < 2:
        return kept[0] if kept else NOTHING
    return Piece(f" {operator} ".join(piece.inside(operator) for piece in kept), operator)


def _not(node: Not, tell: Tell) -> Piece:
    kept, left_out = _node(node.kept, tell), _node(node.left_out, tell)
    if not left_out.text:
        return kept
    return Piece(f"{kept.inside('NOT') or 'all[sb]'} NOT {left_out.inside('NOT')}", "NOT")


def _everything(node: Everything, tell: Tell) -> str:
    if not node.said:
        return "all[sb]"
    found = FILTER.fullmatch(node.said)
    known = tag(found[1]) if found else None
    if known and known.kind in ("filter", "dates"):
        return node.said
    tell(f"PubMed cannot be asked for “{node.said}”; it was left out")
    return ""


def _plain(words: str) -> str:
    """Words without what would end a phrase; operators in small letters, where they are words."""
    kept = " ".join(re.sub(r'["\[\]]', " ", words).split())
    return re.sub(r"\b(?:AND|OR|NOT)\b", lambda found: found.group().lower(), kept)


def _heading(node: Heading) -> Piece:
    tag_ = ("majr" if node.major else "mh") + ("" if node.explode else ":noexp")
    name = _plain(re.sub(r"[*$]", " ", node.name))
    names = [f"{name}/{part}" for part in node.qualifiers] or [name]
    return _joined("OR", [Piece(f'"{one}"[{tag_}]') for one in names])


def _dates(node: Dates) -> str:
    name = "dp" if node.field == "published" else "edat"
    if node.first == node.last and node.first:
        return f"{node.first}[{name}]"
    return f"{node.first or EARLIEST}:{node.last or LATEST}[{name}]"


def _term(node: Term, tell: Tell) -> Piece:
    words = _plain(node.words)
    shown = f"{words}*" if node.truncated else words
    if node.letters is not None:
        tell(f"PubMed cannot limit the letters that follow “{words}”; any number may")
    spellings = _spellings(shown, tell)
    if node.field == "heading" and not all("*" in spelling for spelling in spellings):
        tell(f"PubMed cannot ask for “{words}” in headings alone; it is asked for in all text")
        node = node._replace(field="all")
    return _joined("OR", [Piece(_phrase(spelling, node.field)) for spelling in spellings])


def _phrase(words: str, field: Field) -> str:
    name = _identifier(words) if field == "id" else TAGS[field]
    if ALONE.fullmatch(words) and (name or words.lower() not in STOP_WORDS) and words.upper() not in OPERATORS:
        return words + name
    return f'"{words}"{name}'


def _identifier(words: str) -> str:
    if words.isdigit():
        return "[uid]"
    return "[pmcid]" if re.fullmatch(r"PMC\d+", words, re.IGNORECASE) else "[aid]"


def _spellings(words: str, tell: Tell) -> list[str]:
    """A word as PubMed can be asked for it: wildcards for one letter become an asterisk, or every likely letter."""
    if not re.search(r"[?#*]", words):
        return [words]
    begins = re.split(r"[?#*]", words, maxsplit=1)[0]
    if sum(map(str.isalnum, begins)) >= LEAST_LETTERS:
        if re.search(r"[?#]", words):
            tell(f"PubMed has no wildcard for one letter; “{words}” was written with “*”, which stands for any number")
        return [re.sub(r"[?#*]+", "*", words)]
    return _early(words, tell)


def _early(words: str, tell: Tell) -> list[str]:
    """The spellings of a word with a wildcard among its first letters, where PubMed takes none."""
    single = [place for place, letter in enumerate(words) if letter in "?#"]
    choices = [("", *LETTERS) if words[place] == "?" else tuple(LETTERS) for place in single[:2]]
    pieces = re.split(r"[?#]", words, maxsplit=len(choices))
    found = ["".join(a + b for a, b in zip(pieces, (*row, ""), strict=True)) for row in product(*choices)]
    if choices and len(words) <= LONGEST:
        tell(f"PubMed takes no wildcard among the first letters; “{words}” was written in its likely spellings")
        return list(dict.fromkeys(one for spelling in found for one in _spellings(spelling, lambda _: None)))
    tell(f"PubMed takes no asterisk after fewer than {LEAST_LETTERS} letters; “{words}” was written without it")
    return [" ".join(re.sub(r"[?#*]", " ", words).split())]


def _near(node: Near, tell: Tell) -> Piece:
    """PubMed measures the distance of plain words in the title or the abstract, and of nothing else."""
    words = [part.words for part in node.parts if isinstance(part, Term) and _measured(part)]
    fields = {part.field for part in node.parts if isinstance(part, Term)}
    if len(words) < len(node.parts) or len(fields) > 1:
        tell("PubMed measures distances only between single words of one field that are not cut short; AND was written")
        return _joined("AND", [_node(part, tell) for part in node.parts])
    field = fields.pop()
    if field == "all":
        tell("PubMed measures distances only in title and abstract; they were asked for there")
    name = "ti" if field == "title" else "tiab"
    return Piece(f'"{" ".join(map(_plain, words))}"[{name}:~{node.distance}]')


def _measured(term: Term) -> bool:
    single = bool(ALONE.fullmatch(_plain(term.words))) and not re.search(r"[?#*]", term.words)
    return single and not term.truncated and term.field in ("all", "title", "title_abstract")
