"""What a Boolean query means, worked out document by document, word by word: slow, and hard to get wrong."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import product

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
)
from wellsourced.types import Document, Reference

EVERYWHERE = ("title", "abstract", "heading", "type", "author", "journal")
COLUMNS = {"all": EVERYWHERE, "title_abstract": ("title", "abstract")}
WILD = {"*": r"[^\W_]*", "#": r"[^\W_]", "?": r"[^\W_]?"}
Below = Mapping[str, Sequence[str]]


def plain(text: str) -> str:
    """In lower case, without accents."""
    return "".join(letter for letter in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(letter))


def tokens(values: Sequence[str]) -> list[str]:
    """The words of some values, with a bar between two values."""
    return [word for value in values if value for word in ["|", *re.findall(r"[^\W_]+", plain(value))]][1:]


def words_of(document: Document) -> dict[str, list[str]]:
    card = document.reference
    return {
        "title": tokens([card.title]),
        "abstract": tokens([document.text, document.digest]),
        "heading": tokens([part for heading in card.mesh for part in heading.split("/")]),
        "type": tokens(card.publication_types),
        "author": tokens([*card.authors, card.organisation]),
        "journal": tokens([card.journal]),
    }


def holds(node: Node, document: Document, below: Below, guess: bool = True) -> bool | None:
    """Whether a document is meant; None when the query asks for nothing."""
    match node:
        case And(parts) | Or(parts):
            known = [one for part in parts if (one := holds(part, document, below, guess)) is not None]
            return (all if isinstance(node, And) else any)(known) if known else None
        case Not(kept, left_out):
            wanted, unwanted = holds(kept, document, below, guess), holds(left_out, document, below, not guess)
            return wanted if unwanted is None else wanted is not False and not unwanted
        case QueryTerm():
            return has_term(node, document)
        case Near(parts, distance):
            return is_near(parts, distance, words_of(document))
        case MeshHeading():
            return has_heading(node, document, below, guess)
        case Qualifier(name):
            return any(plain(heading.partition("/")[2]) == plain(name) for heading in document.reference.mesh)
        case DateRange():
            return in_period(node, document.reference)
        case Everything():
            return None


def has_term(term: QueryTerm, document: Document) -> bool | None:
    if not re.search(r"[^\W_]", term.words) or term.field == "language":
        return None
    if term.field == "id":
        card = document.reference
        return plain(term.words) in {plain(card.id), plain(card.id.partition(":")[2]), card.pmid, plain(card.doi)}
    words = words_of(document)
    return any(places(term, words[column]) for column in COLUMNS.get(term.field, (term.field,)))


def places(term: QueryTerm, words: Sequence[str]) -> list[tuple[int, int]]:
    """Where a term stands in a column: the first of its words, and how many they are."""
    said = re.findall(r"(?:[^\W_]|[*#?])+", plain(term.words))
    patterns = ["".join(WILD.get(letter, letter) for letter in word) for word in said]
    if term.truncated:
        patterns[-1] += r"[^\W_]*" if term.letters is None else rf"[^\W_]{{0,{term.letters}}}"
    spots = range(len(words) - len(patterns) + 1)
    return [
        (at, len(patterns))
        for at in spots
        if all(re.fullmatch(pattern, words[at + n]) for n, pattern in enumerate(patterns))
    ]


def is_near(parts: Sequence[Node], distance: int, words: Mapping[str, Sequence[str]]) -> bool:
    for column in EVERYWHERE:
        spots = [spots_of(part, column, words) for part in parts]
        for chosen in product(*spots):
            last = max(at for at, _ in chosen)
            if all(last - (at + length) <= distance for at, length in chosen):
                return True
    return False


def spots_of(part: Node, column: str, words: Mapping[str, Sequence[str]]) -> list[tuple[int, int]]:
    terms = part.parts if isinstance(part, Or) else (part,)
    some = [term for term in terms if isinstance(term, QueryTerm)]
    return [spot for t in some if column in COLUMNS.get(t.field, (t.field,)) for spot in places(t, words[column])]


def has_heading(node: MeshHeading, document: Document, below: Below, guess: bool) -> bool:
    wanted = [plain(name) for name in ([node.name, *below.get(node.name, ())] if node.explode else [node.name])]
    under = [plain(name) for name in node.qualifiers]
    tags = [plain(heading).partition("/") for heading in document.reference.mesh]
    if tags or not guess:
        return any(name in wanted and (not under or qualifier in under) for name, _, qualifier in tags)
    turned = [" ".join(reversed(name.split(", "))) for name in wanted]
    return any(has_term(QueryTerm(name, "title_abstract"), document) for name in [*wanted, *turned])


def in_period(node: DateRange, card: Reference) -> bool | None:
    """Dates of any precision overlap when each begins before the other ends."""
    if node.field == "entered":
        return None
    if not card.published:
        return False
    day, first, last = (value.replace("/", "-") for value in (card.published, node.first, node.last))
    return (not first or day + "-99" * 3 >= first) and (not last or day <= last + "-99" * 3)
