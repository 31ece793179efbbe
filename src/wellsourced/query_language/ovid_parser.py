"""A line of an Ovid strategy, cut into its pieces and read as it is written: ADJ binds first, then AND and NOT from
left to right, then OR.
"""

import re
from collections.abc import Container, Iterator
from typing import Literal, NamedTuple, TypeAlias

from wellsourced.lazy import lazy_regex
from wellsourced.query_language.pubmed_lexer import find_qualifier
from wellsourced.query_language.query_tree import (
    MAX_LEVELS,
    Everything,
    MeshHeading,
    Node,
    QueryNotes,
    QueryTerm,
    SearchField,
    blank_out,
)
from wellsourced.query_language.strategy_steps import StrategySteps
from wellsourced.text.lexicon import word_set

SearchPlace = SearchField | Literal["keyword", "exact heading", "qualifier", "published", "entered"]
"""Where a word has to stand; "keyword" is one that the authors gave, "exact heading" a whole heading."""

FIELD_PLACES: dict[str, SearchPlace] = {
    **dict.fromkeys(("mp", "af"), "all"),
    **dict.fromkeys(("ti", "tt"), "title"),
    **dict.fromkeys(("ab", "ad"), "abstract"),
    "tw": "title_abstract",
    **dict.fromkeys(("kf", "kw", "ot", "bt"), "keyword"),
    **dict.fromkeys(("sh", "me"), "exact heading"),
    "hw": "heading",
    **dict.fromkeys(("fs", "xs"), "qualifier"),
    "pt": "type",
    **dict.fromkeys(("lg", "la"), "language"),
    **dict.fromkeys(("au", "fa", "fe", "lo"), "author"),
    **dict.fromkeys(("jn", "jw", "ja", "nj", "jx", "is"), "journal"),
    **dict.fromkeys(("ui", "pm", "pu", "do", "rf"), "id"),
    **dict.fromkeys(("yr", "dp"), "published"),
    **dict.fromkeys(("ed", "ep", "up", "da", "dc", "ez", "dt", "rd"), "entered"),
}  # fmt: skip

UNSUPPORTED_FIELDS = word_set("""
    ac an ar be bl bs ca cf ci cm cn co cp cq cs cy db eh em en es fm ga gs hc id im in ip ir jc kd le lm lr ma mb mc
    mi mj mm mv nm no ns nt od oh os ox pg ph pi pl ps pv px rb re ri rn rs rw ry sa sb sd se si so st td tg tn ur us
    vo vz
""")
"""Fields that no record here is known by: all fields are searched."""


def merge_places(codes: tuple[str, ...]) -> tuple[SearchPlace, ...]:
    """Where words have to stand that are asked for in these fields; a wide place takes in the narrow ones."""
    found = dict.fromkeys(FIELD_PLACES.get(code, "all") for code in codes)
    # PubMed's title and abstract take in the keywords of authors, and a record here holds them nowhere else.
    if {"keyword", "title_abstract"} & found.keys() or {"title", "abstract"} <= found.keys():
        found = dict.fromkeys("title_abstract" if place in TEXT_PLACES else place for place in found)
    if "all" in found:
        found = dict.fromkeys(place for place in found if place not in (*TEXT_PLACES, "heading"))
    return tuple(found)


TEXT_PLACES = ("title", "abstract", "title_abstract", "keyword")

TokenKind = Literal[
    "open", "close", "operator", "near", "field", "slash", "quoted", "word", "exp", "focus", "set", "line"
]

FIELD_CODES = "|".join(sorted({*FIELD_PLACES, *UNSUPPORTED_FIELDS}))
OPERAND_END = r"(?=\s*(?:[)\[]|\Z|(?:or|and|not|adj\d*)\b))"
"""An operand ends here."""

FIELD_PATTERN = (
    rf"\.\s*(?:(?:{FIELD_CODES})(?:\s*,\s*(?:{FIELD_CODES}))*\s*,?\s*"
    rf"(?:\.(?!\w)|{OPERAND_END})|[a-z]{{2}}(?:,[a-z]{{2}})*\.{OPERAND_END})"
)
SLASH_PATTERN = rf"/\s*(?:[a-z]{{1,2}}(?:\s*,\s*[a-z]{{2}})*)?{OPERAND_END}"
TOKEN_PATTERN = lazy_regex(
    rf"""(?P<comment>\[[^\]]*(?:\]|\Z))|(?P<quoted>"[^"]*")|(?P<open>\()|(?P<close>\))|(?P<field>{FIELD_PATTERN})
    |(?P<set>(?:or|and)\s*/\s*\d{{1,4}}(?:-\d{{1,4}})?(?:\s*,\s*\d{{1,4}}(?:-\d{{1,4}})?)*)|(?P<operator>(?:and|or|not)\b(?!-))|(?P<near>adj\d*\b)
    |(?P<slash>{SLASH_PATTERN})|(?P<exp>exp(?:lode)?\b(?=\s*["*\w]))|(?P<focus>\*(?=["\w]))
    |(?P<word>(?:(?!{FIELD_PATTERN}|{SLASH_PATTERN})[^\s()\[\]"])+)|(?P<stray>\S)""",
    re.VERBOSE | re.IGNORECASE,
)
GLUED_OPERATOR = lazy_regex(r"[*$](?=(?:or|and|not)\Z)", re.IGNORECASE)


class OvidToken(NamedTuple):
    """A piece of a line; `text` is what stands inside of it, in small letters where case means nothing."""

    kind: TokenKind
    text: str
    at: int
    end: int


def tokenize_ovid(query: str, start: int, end: int, notes: QueryNotes, labels: Container[str] = ()) -> list[OvidToken]:
    """The pieces of query[start:end], one line, without its comments in brackets.

    labels   names of lines beside their numbers: "2a"
    """
    return _mark_line_numbers(list(_scan_tokens(query, start, end, notes)), labels)


def _scan_tokens(query: str, start: int, end: int, notes: QueryNotes) -> Iterator[OvidToken]:
    place = start
    while place < end:
        found = TOKEN_PATTERN.match(query, place, end)
        if found is None:
            place += 1
            continue
        kind, text, place = str(found.lastgroup), found.group(), found.end()
        at = found.start()
        if kind == "stray":
            notes.add_note(at, f"“{text}” is unmatched or misplaced and was left out")
        # "hypertens*or" is two: nobody writes letters behind a truncation.
        elif kind == "word" and (glued := GLUED_OPERATOR.search(text)):
            place = at + glued.end()
            notes.add_note(at, f"A space is missing in “{text[:40]}”")
            yield OvidToken("word", query[at:place], at, place)
        elif kind != "comment":
            if kind in ("field", "slash"):
                text = "".join(text.split()).replace(".", "").replace("/", "").strip(",")
            inner = {"quoted": text[1:-1], "near": text[3:], "word": text}.get(kind, text.lower())
            yield OvidToken(kind, inner, at, place)  # type: ignore[arg-type]


def _mark_line_numbers(tokens: list[OvidToken], labels: Container[str]) -> list[OvidToken]:
    """Numbers that stand where an operand stands, alone, are numbers of lines."""
    names = [
        token.kind == "word" and (re.fullmatch(r"#?\d{1,3}", token.text) or token.text.lstrip("#") in labels)
        for token in tokens
    ]
    told: list[OvidToken] = []
    for place, token in enumerate(tokens):
        before = told[-1].kind if told else "operator"
        after = tokens[place + 1].kind if place + 1 < len(tokens) else "close"
        # "1 or 2" are lines; "type 2 diabetes" holds a word.
        alone = before in ("open", "operator", "line") and (after in ("close", "operator") or names[place + 1])
        told.append(token._replace(kind="line") if names[place] and alone else token)
    return told


class OvidWords(NamedTuple):
    """Words as they stand, a phrase where they are several, before it is known in which fields."""

    text: str
    at: int


class ResolvedOperand(NamedTuple):
    """What needs no field: a heading, what another line asks for."""

    node: Node
    at: int


class FieldedOperand(NamedTuple):
    """All words inside that have no field of their own are asked for in these."""

    inner: "OvidSyntax"
    codes: tuple[str, ...]
    at: int


class AdjacentOperands(NamedTuple):
    """Next to each other in this order (`distance` None), or at most so many words apart in any order."""

    parts: tuple["OvidSyntax", ...]
    distance: int | None
    at: int


class OperandGroup(NamedTuple):
    """Parts with the same operator between them; of NOT there are two."""

    operator: Literal["and", "or", "not"]
    parts: tuple["OvidSyntax", ...]
    at: int


OvidSyntax: TypeAlias = OvidWords | ResolvedOperand | FieldedOperand | AdjacentOperands | OperandGroup


PUBLICATION_TYPE = re.compile(r"(.*\w)\s*\[publication type\]", re.IGNORECASE)
OPERAND_STARTS = ("open", "quoted", "word", "exp", "focus", "set", "line")
"""Pieces that begin an operand."""


class OvidLineParser:
    """A recursive descent over the pieces of one line."""

    def __init__(self, query: str, tokens: list[OvidToken], lines: StrategySteps, notes: QueryNotes) -> None:
        self._query, self._tokens, self._lines, self._notes = query, tokens, lines, notes
        self._place = 0

    def parse_line(self) -> OvidSyntax | None:
        """The line; None when it asks for nothing."""
        parts: list[OvidSyntax] = []
        while (token := self._peek()) is not None:
            found = self._parse_alternatives(0)
            parts += [found] if found else []
            if (token := self._peek()) is not None and token.kind != "operator":
                self._notes.add_note(token.at, f"“{self._query[token.at : token.end].strip()}” is misplaced")
                self._place += 1
        return _group_operands("and", parts)

    def _parse_alternatives(self, level: int) -> OvidSyntax | None:
        at = token.at if (token := self._peek()) else len(self._query)
        found = [self._parse_conjunction(level)]
        while self._take_if_operator("or"):
            found.append(self._parse_conjunction(level))
        # Ovid binds AND before OR; who wrote both without parentheses may have meant it otherwise, and is told.
        if len(found) > 1 and any(bare for _, bare in found):
            self._notes.add_note(at, "AND and NOT were read before OR; use parentheses to make this clear")
        return _group_operands("or", [part for part, _ in found if part])

    def _parse_conjunction(self, level: int) -> tuple[OvidSyntax | None, bool]:
        """Parts with AND or NOT between them, from left to right, and whether there are several."""
        first = self._parse_adjacent(level)
        parts, turns, several = [first] if first else [], 0, False
        while (token := self._peek()) is not None:
            if token.kind not in OPERAND_STARTS and (token.kind != "operator" or token.text == "or"):
                break
            operator, several = "and", True
            if token.kind == "operator":
                self._place += 1
                operator = "not" if self._take_if_operator("not") or token.text == "not" else "and"
            else:
                self._notes.add_note(token.at, "An operator is missing here; AND was used")
            other = self._parse_adjacent(level)
            if other and operator == "and":
                parts.append(other)
            elif other:
                turns += 1
                kept = _group_operands("and", parts) or ResolvedOperand(Everything(at=token.at), token.at)
                parts = [OperandGroup("not", (kept, other), token.at)]
            if turns > MAX_LEVELS:
                self._notes.refuse(token.at, "NOT is used too often", "Group the excluded terms in one parenthesis.")
        return _group_operands("and", parts), several

    def _parse_adjacent(self, level: int) -> OvidSyntax | None:
        node, turns = self._parse_operand(level), 0
        while (token := self._peek()) is not None and token.kind == "near":
            self._place += 1
            turns += 1
            if turns > MAX_LEVELS:
                self._notes.refuse(token.at, "ADJ is used too often in a row", "Split the line into several.")
            other = self._parse_operand(level)
            if node is None or other is None:
                self._notes.add_note(token.at, "ADJ lacks one of its sides and was left out")
                node = node or other
                continue
            # ADJ3 lets two words stand between; ADJ alone keeps the order.
            distance = None if not token.text else max(int(token.text[:3]) - 1, 0)
            if isinstance(node, AdjacentOperands) and node.distance == distance:
                node = node._replace(parts=(*node.parts, other))
            else:
                node = AdjacentOperands((node, other), distance, node.at)
        return node

    def _parse_operand(self, level: int) -> OvidSyntax | None:
        token = self._peek()
        if token is None or token.kind not in OPERAND_STARTS:
            at = token.at if token else len(self._query.rstrip())
            self._notes.add_note(at, "An operator lacks one of its sides here")
            if token and token.kind in ("field", "slash"):
                self._place += 1
            return None
        if token.kind == "open":
            found = self._parse_parentheses(level)
        elif token.kind in ("line", "set"):
            found = self._parse_line_reference()
        else:
            found = self._parse_words()
        if found is None:
            return None
        # Of the fields behind it, the first that stand there count.
        fields: list[OvidToken] = []
        while (token := self._peek()) is not None and token.kind == "field":
            self._place += 1
            fields.append(token)
        if len(fields) > 1:
            self._notes.add_note(fields[1].at, "Only the first field after a term is used")
        return FieldedOperand(found, tuple(fields[0].text.split(",")), fields[0].at) if fields else found

    def _parse_parentheses(self, level: int) -> OvidSyntax | None:
        opening = self._tokens[self._place]
        if level >= MAX_LEVELS:
            reason = f"More than {MAX_LEVELS} parentheses are nested"
            self._notes.refuse(opening.at, reason, "Remove those that change nothing.")
        self._place += 1
        found = self._parse_alternatives(level + 1) if self._next_kind() != "close" else None
        if self._next_kind() == "close":
            self._place += 1
        else:
            self._notes.add_note(opening.at, "A parenthesis is not closed; it was closed where the line could continue")
        return found

    def _parse_line_reference(self) -> OvidSyntax | None:
        """What other lines ask for; numbers that stand together without an operator are alternatives."""
        first = self._tokens[self._place]
        self._place += 1
        if first.kind == "set":
            return ResolvedOperand(self._lines.resolve_lines(first.text, first.at), first.at)
        found: list[OvidSyntax] = [ResolvedOperand(self._lines.resolve_line(first.text, first.at), first.at)]
        while (token := self._peek()) is not None and token.kind == "line":
            self._notes.add_note(token.at, f"An operator is missing before {token.text}; OR was used")
            self._place += 1
            found.append(ResolvedOperand(self._lines.resolve_line(token.text, token.at), token.at))
        return _group_operands("or", found)

    def _parse_words(self) -> OvidSyntax | None:
        """Words in a row: a heading when a slash follows, else a phrase."""
        first = self._tokens[self._place]
        explode, major = self._take_if_kind("exp"), self._take_if_kind("focus")
        explode = self._take_if_kind("exp") or explode
        begin = self._place
        while self._next_kind() in ("word", "quoted", "line"):
            self._place += 1
        row = self._tokens[begin : self._place]
        said = " ".join(token.text for token in row)
        following = self._peek()
        if following is not None and following.kind == "slash":
            self._place += 1
            return self._parse_heading(MeshHeading(said, explode, major, (), first.at), following)
        if explode or major:
            self._notes.add_note(
                first.at, "“exp” and “*” belong to headings, which end with a slash; they were left out"
            )
        return OvidWords(said, row[0].at) if row else None

    def _parse_heading(self, heading: MeshHeading, slash: OvidToken) -> OvidSyntax | None:
        name = " ".join(heading.name.split()).strip(" ,;.")
        kind = PUBLICATION_TYPE.fullmatch(name)
        if kind:
            return ResolvedOperand(QueryTerm(kind[1], "type", at=heading.at), heading.at)
        name = blank_out(name, "[]$*").strip(" ,;.")
        if not any(map(str.isalnum, name)):
            self._notes.add_note(slash.at, "A slash without a heading was left out")
            return None
        codes = [code for code in slash.text.split(",") if code]
        unknown = [code for code in codes if find_qualifier(code) is None]
        if unknown:
            self._notes.add_note(slash.at, f"“{', '.join(unknown)}” is not a MeSH subheading and was left out")
        names = tuple(name for name in map(find_qualifier, codes) if name)
        return ResolvedOperand(heading._replace(name=name, qualifiers=names), heading.at)

    def _take_if_operator(self, operator: str) -> bool:
        token = self._peek()
        if token is None or token.kind != "operator" or token.text != operator:
            return False
        self._place += 1
        return True

    def _take_if_kind(self, kind: str) -> bool:
        if self._next_kind() != kind:
            return False
        self._place += 1
        return True

    def _next_kind(self) -> str:
        token = self._peek()
        return token.kind if token else ""

    def _peek(self) -> OvidToken | None:
        return self._tokens[self._place] if self._place < len(self._tokens) else None


def _group_operands(operator: Literal["and", "or", "not"], parts: list[OvidSyntax]) -> OvidSyntax | None:
    if len(parts) < 2:
        return parts[0] if parts else None
    return OperandGroup(operator, tuple(parts), parts[0].at)
