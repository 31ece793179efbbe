"""A line of an Ovid strategy as it is written: ADJ binds first, then AND and NOT from left to right, then OR."""

import re
from typing import Literal, Protocol

from wellsourced.query_language.notes import MOST_LEVELS, Notes
from wellsourced.query_language.ovid_lexer import Token
from wellsourced.query_language.ovid_written import Adjacent, Fielded, Group, Ready, Words, Written
from wellsourced.query_language.qualifiers import qualifier
from wellsourced.query_language.tree import Everything, Heading, Node, Term


class Lines(Protocol):
    """What the other lines of a strategy ask for."""

    def line(self, label: str, at: int) -> Node: ...

    def lines(self, said: str, at: int) -> Node: ...


PUBLICATION_TYPE = re.compile(r"(.*\w)\s*\[publication type\]", re.IGNORECASE)
STARTS = ("open", "quoted", "word", "exp", "focus", "set", "line")
"""Pieces that begin an operand."""


class Grammar:
    """A recursive descent over the pieces of one line."""

    def __init__(self, query: str, tokens: list[Token], lines: Lines, notes: Notes) -> None:
        self._query, self._tokens, self._lines, self._notes = query, tokens, lines, notes
        self._place = 0

    def whole(self) -> Written | None:
        """The line; None when it asks for nothing."""
        parts: list[Written] = []
        while (token := self._peek()) is not None:
            found = self._either(0)
            parts += [found] if found else []
            if (token := self._peek()) is not None and token.kind != "operator":
                self._notes.tell(token.at, f"“{self._query[token.at : token.end].strip()}” has no place here")
                self._place += 1
        return _group("and", parts)

    def _either(self, level: int) -> Written | None:
        """Parts with OR between them."""
        at = self._at()
        found = [self._all(level)]
        while self._takes("or"):
            found.append(self._all(level))
        if len(found) > 1 and any(bare for _, bare in found):
            self._notes.tell(at, "AND and NOT were read before OR; parentheses would say it")
        return _group("or", [part for part, _ in found if part])

    def _all(self, level: int) -> tuple[Written | None, bool]:
        """Parts with AND or NOT between them, from left to right, and whether there are several."""
        first = self._near(level)
        parts, turns, several = [first] if first else [], 0, False
        while (token := self._peek()) is not None and self._goes_on(token):
            operator, several = self._joining(token), True
            other = self._near(level)
            if other and operator == "and":
                parts.append(other)
            elif other:
                turns += 1
                kept = _group("and", parts) or Ready(Everything(at=token.at), token.at)
                parts = [Group("not", (kept, other), token.at)]
            if turns > MOST_LEVELS:
                self._notes.refuse(token.at, "NOT is used too often", "Put what is left out into one parenthesis.")
        return _group("and", parts), several

    def _goes_on(self, token: Token) -> bool:
        return token.kind in STARTS or (token.kind == "operator" and token.text != "or")

    def _joining(self, token: Token) -> Literal["and", "not"]:
        """The operator before the next part; where none stands AND is meant."""
        if token.kind == "operator":
            self._place += 1
            return "not" if self._takes("not") or token.text == "not" else "and"
        self._notes.tell(token.at, "No operator stands before this; it was read as AND")
        return "and"

    def _near(self, level: int) -> Written | None:
        """Parts with ADJ between them."""
        node, turns = self._operand(level), 0
        while (token := self._peek()) is not None and token.kind == "near":
            self._place += 1
            turns += 1
            if turns > MOST_LEVELS:
                self._notes.refuse(token.at, "ADJ is used too often in a row", "Split the line into several.")
            other = self._operand(level)
            if node is None or other is None:
                self._notes.tell(token.at, "ADJ lacks one of its sides and was left out")
                node = node or other
                continue
            node = _adjacent(node, other, None if not token.text else max(int(token.text[:3]) - 1, 0))
        return node

    def _operand(self, level: int) -> Written | None:
        token = self._peek()
        if token is None or token.kind not in STARTS:
            self._missing(token)
            return None
        if token.kind == "open":
            found = self._parentheses(level)
        elif token.kind in ("line", "set"):
            found = self._reference()
        else:
            found = self._words()
        return self._in_fields(found) if found else None

    def _in_fields(self, found: Written) -> Written:
        """An operand with the fields behind it; the first that stand there count."""
        fields: list[Token] = []
        while (token := self._peek()) is not None and token.kind == "field":
            self._place += 1
            fields.append(token)
        if len(fields) > 1:
            self._notes.tell(fields[1].at, "Fields stand behind fields; only the first were read")
        return Fielded(found, tuple(fields[0].text.split(",")), fields[0].at) if fields else found

    def _missing(self, token: Token | None) -> None:
        """An operator that lacks one of its sides."""
        at = token.at if token else len(self._query.rstrip())
        self._notes.tell(at, "An operator has nothing on one of its sides here")
        if token and token.kind in ("field", "slash"):
            self._place += 1

    def _parentheses(self, level: int) -> Written | None:
        opening = self._tokens[self._place]
        if level >= MOST_LEVELS:
            reason = f"More than {MOST_LEVELS} parentheses stand within each other"
            self._notes.refuse(opening.at, reason, "Leave out those that change nothing.")
        self._place += 1
        found = self._either(level + 1) if self._upcoming() != "close" else None
        if self._upcoming() == "close":
            self._place += 1
        else:
            self._notes.tell(opening.at, "A parenthesis is not closed; it was closed where the line could go on")
        return found

    def _reference(self) -> Written | None:
        """What other lines ask for; numbers that stand together without an operator are alternatives."""
        first = self._tokens[self._place]
        self._place += 1
        if first.kind == "set":
            return Ready(self._lines.lines(first.text, first.at), first.at)
        found: list[Written] = [Ready(self._lines.line(first.text, first.at), first.at)]
        while (token := self._peek()) is not None and token.kind == "line":
            self._notes.tell(token.at, f"No operator stands before {token.text}; it was read as OR")
            self._place += 1
            found.append(Ready(self._lines.line(token.text, token.at), token.at))
        return _group("or", found)

    def _words(self) -> Written | None:
        """Words in a row: a heading when a slash follows, else a phrase."""
        first = self._tokens[self._place]
        explode, major = self._takes_kind("exp"), self._takes_kind("focus")
        explode = self._takes_kind("exp") or explode
        begin = self._place
        while self._upcoming() in ("word", "quoted", "line"):
            self._place += 1
        row = self._tokens[begin : self._place]
        said = " ".join(token.text for token in row)
        following = self._peek()
        if following is not None and following.kind == "slash":
            self._place += 1
            return self._heading(Heading(said, explode, major, (), first.at), following)
        if explode or major:
            self._notes.tell(first.at, "“exp” and “*” belong to headings, which end with a slash; they were left out")
        return Words(said, row[0].at) if row else None

    def _heading(self, heading: Heading, slash: Token) -> Written | None:
        name = " ".join(heading.name.split()).strip(" ,;.")
        kind = PUBLICATION_TYPE.fullmatch(name)
        if kind:
            return Ready(Term(kind[1], "type", at=heading.at), heading.at)
        name = " ".join(re.sub(r"[\[\]$*]", " ", name).split()).strip(" ,;.")
        if not any(map(str.isalnum, name)):
            self._notes.tell(slash.at, "A slash without a heading was left out")
            return None
        codes = [code for code in slash.text.split(",") if code]
        unknown = [code for code in codes if qualifier(code) is None]
        if unknown:
            self._notes.tell(slash.at, f"“{', '.join(unknown)}” is no subheading of MeSH and was left out")
        names = tuple(name for name in map(qualifier, codes) if name)
        return Ready(heading._replace(name=name, qualifiers=names), heading.at)

    def _takes(self, operator: str) -> bool:
        token = self._peek()
        if token is None or token.kind != "operator" or token.text != operator:
            return False
        self._place += 1
        return True

    def _takes_kind(self, kind: str) -> bool:
        if self._upcoming() != kind:
            return False
        self._place += 1
        return True

    def _upcoming(self) -> str:
        token = self._peek()
        return token.kind if token else ""

    def _at(self) -> int:
        token = self._peek()
        return token.at if token else len(self._query)

    def _peek(self) -> Token | None:
        return self._tokens[self._place] if self._place < len(self._tokens) else None


def _group(operator: Literal["and", "or", "not"], parts: list[Written]) -> Written | None:
    if len(parts) < 2:
        return parts[0] if parts else None
    return Group(operator, tuple(parts), parts[0].at)


def _adjacent(left: Written, right: Written, distance: int | None) -> Adjacent:
    """Two parts; a third at the same distance joins them."""
    if isinstance(left, Adjacent) and left.distance == distance:
        return left._replace(parts=(*left.parts, right))
    return Adjacent((left, right), distance, left.at)
