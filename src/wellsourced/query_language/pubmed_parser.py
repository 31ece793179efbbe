"""PubMed's query language, read as PubMed reads it (PubMed User Guide): from left to right, AND before nothing.

Words without an operator between them are all asked for; words before a field tag are a phrase. What can be repaired
in one sensible way is repaired and told; what cannot is refused with its place.
"""

import re
from typing import Literal, NamedTuple

from wellsourced.query_language import pubmed_lexer, query_tree

Operator = Literal["AND", "OR", "NOT"]


def parse_pubmed(query: str) -> query_tree.ParsedQuery:
    """What a query asks for, with notes on what was repaired. Raises BadQuery with the place of the fault."""
    notes = query_tree.QueryNotes(query)
    notes.check_length()
    node = parse_pubmed_span(query_tree.straighten_typography(query), 0, len(query), notes)
    return query_tree.ParsedQuery(node, notes.list_notes())


def parse_pubmed_span(query: str, start: int, end: int, notes: query_tree.QueryNotes) -> query_tree.Node:
    """The same for query[start:end], a part of a longer one, whose typographic marks were straightened."""
    reader = _PubmedParser(query, pubmed_lexer.tokenize_pubmed(query, start, end, notes), notes)
    node = reader.parse_all()
    if node is None:
        notes.refuse(start, "The query is empty", "Write at least one word or heading.")
    # Without parentheses, too, operators that take turns make a tree as deep as they are many.
    if query_tree.tree_depth(node) > 2 * query_tree.MAX_LEVELS:
        notes.refuse(start, "AND and OR alternate too often", "Use parentheses, or split the query into several.")
    return node


class OperandRow:
    """Operands with operators between them, taken in from left to right.

    operator   what stands before the operand that comes next
    """

    def __init__(self) -> None:
        self.operator: Operator = "AND"
        self._kind: type[query_tree.And] | type[query_tree.Or] = query_tree.And
        self._parts: list[query_tree.Node] = []

    @property
    def is_empty(self) -> bool:
        """Whether nothing was taken in yet."""
        return not self._parts

    def add_operand(self, operand: query_tree.Node) -> None:
        """One operand more."""
        if self.operator == "NOT":
            # NOT at the head of a query takes from everything, as PubMed reads it.
            kept = self.build_node() or query_tree.Everything(at=operand.at)
            self._parts = [query_tree.Not(kept, operand, kept.at)]
        else:
            kind = query_tree.And if self.operator == "AND" else query_tree.Or
            # From left to right, AND before nothing: what was read so far becomes one operand of the other operator.
            if kind is not self._kind and len(self._parts) > 1:
                self._parts = [query_tree.combine_nodes(self._kind, tuple(self._parts))]
            self._kind = kind
            self._parts.append(operand)
        self.operator = "AND"

    def build_node(self) -> query_tree.Node | None:
        """All that was taken in; None when it is nothing."""
        return query_tree.combine_nodes(self._kind, tuple(self._parts)) if self._parts else None


ALL_FIELDS = pubmed_lexer.FieldTag("term")
PROXIMITY_FIELDS = ("title", "title_abstract")
"""Fields in which PubMed measures distances, beside the affiliation."""


class PubmedOperand(NamedTuple):
    """Words with what stands behind them.

    quoted   in quotation marks
    tag      the field tag behind them
    upto     the end of a range of dates in a second pair of quotation marks
    """

    text: str
    at: int
    quoted: bool
    tag: pubmed_lexer.PubmedToken | None
    upto: str | None = None


def build_operand_node(operand: PubmedOperand, notes: query_tree.QueryNotes) -> query_tree.Node | None:
    """The node for some words; None when they hold nothing to look for."""
    wanted = _resolve_tag(operand.tag, notes)
    if wanted.kind == "dates":
        return _build_dates(operand, wanted, notes)
    if wanted.kind == "filter":
        return _build_filter(operand, notes)
    if wanted.kind == "heading":
        return _build_heading(operand, wanted, notes)
    if wanted.kind == "qualifier":
        said = query_tree.blank_out(operand.text)
        return pubmed_lexer.build_qualifier(said, operand.at, notes) if said else None
    if wanted.distance is not None:
        return _build_near(operand, wanted, notes)
    return pubmed_lexer.build_term(operand.text, wanted.field, operand.at, notes)  # type: ignore[arg-type]


def _resolve_tag(token: pubmed_lexer.PubmedToken | None, notes: query_tree.QueryNotes) -> pubmed_lexer.FieldTag:
    """What a tag asks for. Raises BadQuery for one that PubMed does not know, with the one that was probably meant."""
    if token is None:
        return ALL_FIELDS
    wanted = pubmed_lexer.find_tag(token.text)
    if wanted is None:
        meant = pubmed_lexer.find_nearest_tag(token.text)
        remedy = f"Write [{meant}]." if meant else "Write a field such as [ti], [tiab] or [mh], or none."
        notes.refuse(token.at, f"[{token.text[:40]}] is not a PubMed field", remedy)
    if not wanted.known:
        notes.add_note(token.at, f"[{token.text}] is not supported here; all fields are searched")
    return wanted


def _build_dates(
    operand: PubmedOperand, wanted: pubmed_lexer.FieldTag, notes: query_tree.QueryNotes
) -> query_tree.Node:
    field: Literal["published", "entered"] = "entered" if wanted.field == "entered" else "published"
    said = operand.text if operand.upto is None else f"{operand.text}:{operand.upto}"
    found = pubmed_lexer.parse_period(query_tree.blank_out(said), ":", field, operand.at, notes)
    if found:
        return found
    shown = _operand_text(operand)
    notes.add_note(operand.at, f"{shown} is not a usable date and was ignored here")
    return query_tree.Everything(shown, operand.at)


def _build_filter(operand: PubmedOperand, notes: query_tree.QueryNotes) -> query_tree.Node:
    shown = _operand_text(operand)
    # PubMed's own word for every record: no condition, and nothing to tell.
    if shown.lower() in ("all[sb]", "all[filter]"):
        return query_tree.Everything("", operand.at)
    notes.add_note(operand.at, f"{shown} is a filter that is not supported here and was ignored")
    return query_tree.Everything(shown, operand.at)


def _operand_text(operand: PubmedOperand) -> str:
    """A filter as PubMed would take it back."""
    said = operand.text if operand.upto is None else f"{operand.text}:{operand.upto}"
    whole = query_tree.blank_out(said)
    shown = f'"{whole}"' if operand.quoted else whole
    return f"{shown}[{' '.join(operand.tag.text.split())}]" if operand.tag else shown


def _build_heading(
    operand: PubmedOperand, wanted: pubmed_lexer.FieldTag, notes: query_tree.QueryNotes
) -> query_tree.Node | None:
    words = query_tree.blank_out(operand.text)
    if words.lower().startswith("exp ") and not operand.quoted:
        notes.add_note(operand.at, "“exp” is Ovid syntax and was left out; PubMed explodes headings by default")
        words = words[4:]
    # A heading is known by its whole name; cut short, it can only be looked for among the words of headings.
    if "*" in words or "$" in words:
        return pubmed_lexer.build_term(words, "heading", operand.at, notes)
    name, slash, said = words.rpartition("/")
    known = pubmed_lexer.find_qualifier(said) if slash else None
    # Headings have slashes of their own; only behind one that a subheading follows does the name end.
    name = (name if known else words).strip(" ,;.")
    if not any(map(str.isalnum, name)):
        notes.add_note(operand.at, f"“{words[:40]}” is not a heading and was left out")
        return None
    return query_tree.MeshHeading(name, wanted.explode, wanted.major, (known,) if known else (), operand.at)


def _build_near(
    operand: PubmedOperand, wanted: pubmed_lexer.FieldTag, notes: query_tree.QueryNotes
) -> query_tree.Node | None:
    if "*" in operand.text:
        notes.add_note(
            operand.at, "PubMed measures distances only between whole words; truncated ones are read as a phrase"
        )
        return pubmed_lexer.build_term(operand.text, wanted.field, operand.at, notes)  # type: ignore[arg-type]
    found = [pubmed_lexer.build_term(word, wanted.field, operand.at, notes) for word in operand.text.split()]  # type: ignore[arg-type]
    terms = tuple(one for one in found if one)
    if wanted.field not in PROXIMITY_FIELDS and wanted.known:
        notes.add_note(operand.at, "PubMed measures distances only in [ti], [tiab] and [ad]")
    return query_tree.Near(terms, wanted.distance or 0, operand.at) if len(terms) > 1 else next(iter(terms), None)


def apply_group_tag(
    node: query_tree.Node, token: pubmed_lexer.PubmedToken, notes: query_tree.QueryNotes
) -> query_tree.Node:
    """A group with a tag behind it: each of its words that has no tag of its own gets it."""
    notes.add_note(token.at, f"[{token.text[:40]}] after a parenthesis was applied to each word in it")

    def apply_tag(leaf: query_tree.Node) -> query_tree.Node:
        if not (isinstance(leaf, query_tree.QueryTerm) and leaf.field == "all"):
            return leaf
        words = f"{leaf.words}*" if leaf.truncated else leaf.words
        return build_operand_node(PubmedOperand(words, leaf.at, True, token), notes) or leaf

    return query_tree.map_leaves(node, apply_tag)


class _PubmedParser:
    """A recursive descent over the pieces of one query."""

    def __init__(self, query: str, tokens: list[pubmed_lexer.PubmedToken], notes: query_tree.QueryNotes) -> None:
        self._query, self._tokens, self._notes = query, tokens, notes
        self._place = 0

    def parse_all(self) -> query_tree.Node | None:
        """All of it; parentheses that close nothing are left out."""
        row = OperandRow()
        self._parse_operands(row, 0)
        while (token := self._peek()) is not None:
            self._notes.add_note(token.at, "A closing parenthesis is unmatched and was left out")
            self._place += 1
            self._parse_operands(row, 0)
        return row.build_node()

    def _parse_expression(self, level: int) -> query_tree.Node | None:
        row = OperandRow()
        self._parse_operands(row, level)
        return row.build_node()

    def _parse_operands(self, row: OperandRow, level: int) -> None:
        while (token := self._peek()) is not None and token.kind != "close":
            if token.kind == "operator":
                row.operator = self._parse_operator(row.is_empty)
                continue
            operand = self._parse_operand(level)
            if operand is not None:
                row.add_operand(operand)

    def _parse_operator(self, first_of_all: bool) -> Operator:
        """One operator; of several in a row the one that says most."""
        first, last = self._place, self._place
        while last < len(self._tokens) and self._tokens[last].kind == "operator":
            last += 1
        row, self._place = self._tokens[first:last], last
        after = self._peek()
        if after is None or after.kind == "close":
            self._notes.add_note(row[0].at, f"{row[0].text} has nothing after it and was left out")
            return "AND"
        chosen: Operator = (
            "NOT" if any(token.text == "NOT" for token in row) else "OR" if row[0].text == "OR" else "AND"
        )
        # "AND NOT" is how NOT is often written, and nothing was left unread.
        if len(row) > 1 and [token.text for token in row] != ["AND", "NOT"]:
            self._notes.add_note(
                row[0].at, f"Repeated operators ({' '.join(t.text for t in row)[:40]}) were read as {chosen}"
            )
        if first_of_all and chosen != "NOT":
            self._notes.add_note(row[0].at, f"{chosen} has nothing before it and was left out")
        return chosen

    def _parse_operand(self, level: int) -> query_tree.Node | None:
        token = self._tokens[self._place]
        if token.kind == "open":
            return self._parse_group(level)
        if token.kind == "quoted":
            return self._parse_phrase(level)
        if token.kind == "tag":
            self._place += 1
            self._notes.add_note(token.at, f"“[{token.text[:40]}]” follows no word and was read as words")
            return self._build_conjunction([token])
        return self._parse_words()

    def _parse_group(self, level: int) -> query_tree.Node | None:
        opening = self._tokens[self._place]
        if level >= query_tree.MAX_LEVELS:
            reason = f"More than {query_tree.MAX_LEVELS} parentheses are nested"
            self._notes.refuse(opening.at, reason, "Remove those that change nothing.")
        self._place += 1
        node = self._parse_expression(level + 1)
        if self._peek() is None:
            self._notes.add_note(opening.at, "A parenthesis is not closed; it was closed at the end")
        self._place += 1
        if node is None:
            self._notes.add_note(opening.at, "Empty parentheses were left out")
        following = self._take_tag()
        return apply_group_tag(node, following, self._notes) if node and following else node

    def _parse_phrase(self, level: int) -> query_tree.Node | None:
        token = self._tokens[self._place]
        self._place += 1
        following, upto = self._take_tag(), self._take_range_end()
        # Somebody quoted a whole query: as a phrase it would find nothing.
        holds_operators = re.search(r"\w[\s)]+(?:AND|OR|NOT)[\s(]+\w", token.text)
        if following is None and upto is None and holds_operators and level < query_tree.MAX_LEVELS:
            self._notes.add_note(token.at, "Quotation marks around operators were left out")
            start = token.at + 1
            inner = _PubmedParser(
                self._query,
                pubmed_lexer.tokenize_pubmed(self._query, start, start + len(token.text), self._notes),
                self._notes,
            )
            return inner._parse_expression(level + 1)
        return build_operand_node(PubmedOperand(token.text, token.at, True, following, upto), self._notes)

    def _parse_words(self) -> query_tree.Node | None:
        """Words in a row: before a tag a phrase, else each for itself."""
        row = [self._tokens[self._place]]
        self._place += 1
        while (token := self._peek()) is not None and token.kind == "word":
            row.append(token)
            self._place += 1
        following, upto = self._take_tag(), self._take_range_end()
        if following is None:
            return self._build_conjunction(row)
        said = self._query[row[0].at : row[-1].end]
        return build_operand_node(PubmedOperand(said, row[0].at, False, following, upto), self._notes)

    def _build_conjunction(self, row: list[pubmed_lexer.PubmedToken]) -> query_tree.Node | None:
        """Words without a tag: all of them are asked for, those that stand in every text are not."""
        telling = [
            token
            for token in row
            if token.text not in pubmed_lexer.STOP_WORDS and token.text.lower() not in _LOWERCASE_OPERATORS
        ]
        earlier = next((token for token in telling if token.text[:1] == "#" and token.text[1:].isdecimal()), None)
        if earlier:
            reason = f"“{earlier.text}” is the number of an earlier search, which is unknown here"
            self._notes.refuse(earlier.at, reason, "Write that search out.")
        # Words that stand in every text narrow nothing, unless there is nothing else.
        found = [self._build_word(token) for token in telling or row]
        terms = tuple(one for one in found if one is not None)
        return query_tree.combine_nodes(query_tree.And, terms) if terms else None

    def _build_word(self, token: pubmed_lexer.PubmedToken) -> query_tree.Node | None:
        if token.text.casefold() == query_tree.HAS_ABSTRACT:
            tag = token._replace(kind="tag", text="text")
            return _build_filter(PubmedOperand(token.text, token.at, False, tag), self._notes)
        return pubmed_lexer.build_term(token.text, "all", token.at, self._notes)

    def _take_tag(self) -> pubmed_lexer.PubmedToken | None:
        token = self._peek()
        if token is None or token.kind != "tag":
            return None
        self._place += 1
        return token

    def _take_range_end(self) -> str | None:
        """The end of a range of dates that is written in two parts: ["2010"[dp]] : "2012"[dp]."""
        row = self._tokens[self._place : self._place + 3]
        if len(row) < 2 or row[0].text != ":" or row[1].kind not in ("quoted", "word"):
            return None
        self._place += 3 if len(row) > 2 and row[2].kind == "tag" else 2
        return row[1].text

    def _peek(self) -> pubmed_lexer.PubmedToken | None:
        return self._tokens[self._place] if self._place < len(self._tokens) else None


_LOWERCASE_OPERATORS = frozenset(operator.lower() for operator in pubmed_lexer.OPERATORS)
