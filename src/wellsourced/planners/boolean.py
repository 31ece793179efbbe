"""Boolean queries, several of them for one question, and what all of them find (Question2Query)."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from itertools import accumulate
from typing import NamedTuple

from wellsourced.errors import BadQuery, ModelError, SourceError, Unanswerable
from wellsourced.models.base import Model
from wellsourced.planners.base import Look, Proposal
from wellsourced.planners.boolean_rules import KEYWORDS, Written, write_boolean
from wellsourced.planners.keywords import plain
from wellsourced.planners.searches import askable, original, query
from wellsourced.prompts.planning import WriteBooleanQuery
from wellsourced.query_language import dialect, meaning, read, to_pubmed
from wellsourced.query_language.tree import Node
from wellsourced.sources.base import Card, Headings, Thesaurus
from wellsourced.text.lines import line
from wellsourced.types import Question, Search
from wellsourced.understanding.base import Understanding

Validate = Callable[[str], Awaitable[tuple[str, tuple[str, ...]]]]
"""Gives an expression with headings that exist, and what was changed in it."""

ENGINE = "PubMed"
"""Whose language the queries are written in; libraries read it too."""

_FENCE = re.compile(r"^```\w*|```$")
_OPERATOR = re.compile(r"\s(?:AND|OR|NOT)\s")
_LABEL = re.compile(r"^(?:(?:the|pubmed|boolean|search)\s+)*query\s*:", re.IGNORECASE)


class Drawn(NamedTuple):
    """What one sample of the model came to: an expression, "" when it is none, and what is to be told of it."""

    query: str
    notes: tuple[str, ...] = ()

    @property
    def asks(self) -> Node | None:
        """What it asks for, however it is written; None when it is no expression."""
        return meaning(read(self.query).node) if self.query else None


class Boolean:
    """Question2Query of Clinfo.ai (Lozano et al., PSB 2024): `n` independent queries, each with a seed of its own.

    They go to the sources that understand Boolean queries, and the question itself to the others. Headings are held
    against the vocabulary, which the published system does not do. Without a language model the queries are made of
    keywords by rule, three at most (boolean_rules.py).

    validate    gives a query with headings that exist; None: they are taken as they are
    headings    where the rules look up the heading of a keyword
    thesaurus   where the rules look up other names of a keyword
    """

    name = "boolean"

    def __init__(
        self,
        model: Model,
        understanding: Understanding,
        *,
        validate: Validate | None = None,
        headings: Sequence[Headings] = (),
        thesaurus: Thesaurus | None = None,
        n: int = 3,
    ) -> None:
        self.model, self.understanding, self.validate, self.n = model, understanding, validate, n
        self.headings, self.thesaurus = headings, thesaurus

    async def plan(self, question: Question, cards: Sequence[Card], look: Look) -> Proposal:
        """Every distinct query to every source that can read it."""
        whole = await original(question, cards, self.understanding)
        there = askable(question, cards).cards
        readers = {card.name for card in there if "boolean" in card.asks}
        if not readers:
            return whole
        written = await self._written(question)
        boolean = [query(question, expression, kind="boolean") for expression in written.queries]
        searches = [
            Search(source=search.source, query=one)
            for search in whole.searches
            for one in (boolean if boolean and search.source in readers else [search.query])
        ]
        return Proposal(tuple(searches), (*written.notes, *whole.notes))

    async def _written(self, question: Question) -> Written:
        """The queries, and how they came about; none when the question itself has to do."""
        replies = await asyncio.gather(*(self._asked(question, seed) for seed in range(1, self.n + 1)))
        if all(isinstance(reply, Unanswerable) for reply in replies):
            return await self._by_rule(question)
        drawn = await asyncio.gather(*(self._checked(seed, reply) for seed, reply in enumerate(replies, start=1)))
        different = {one.asks: one.query for one in reversed(drawn)}
        queries = tuple(dict.fromkeys(different[one.asks] for one in drawn if one.query))
        who = f"{len(queries)} different Boolean queries by {self.model.name}, of seeds 1 to {self.n}"
        notes = (who, *dict.fromkeys(note for one in drawn for note in one.notes))
        return Written(queries, notes if queries else (*notes, "the question itself is searched for"))

    async def _asked(self, question: Question, seed: int) -> str | ModelError:
        try:
            reply = await self.model.complete(WriteBooleanQuery(question=question.text, engine=ENGINE, seed=seed))
        except ModelError as error:
            return error
        return unwrapped(reply.query)

    async def _checked(self, seed: int, reply: str | ModelError) -> Drawn:
        """One reply as an expression that PubMed can read, with headings that exist."""
        if isinstance(reply, ModelError):
            return Drawn("", (f"query {seed} was not written ({line(str(reply))})",))
        try:
            return await self._validated(mend(reply))
        except BadQuery as error:
            return Drawn("", (f"query {seed} cannot be read and is left out: {line(str(error)).rstrip('.')}",))

    async def _validated(self, drawn: Drawn) -> Drawn:
        if self.validate is None:
            return drawn
        try:
            valid, changes = await self.validate(drawn.query)
        except SourceError as error:
            valid, changes = drawn.query, (f"headings were not looked up: {line(str(error)).rstrip('.')}",)
        return Drawn(valid, (*drawn.notes, *changes))

    async def _by_rule(self, question: Question) -> Written:
        keywords = plain(await self.understanding.keywords(question, KEYWORDS))
        if not keywords:
            return Written((), ("no keywords for a Boolean query; the question itself is searched for",))
        written = await write_boolean(keywords, self.headings, self.thesaurus)
        who = f"Boolean queries by rule, without a language model, from the keywords {', '.join(keywords)}"
        return written._replace(notes=(who, *written.notes))


def unwrapped(reply: str) -> str:
    """The expression itself, in one line, without the fence and the label that models put round it."""
    return " ".join(_LABEL.sub("", _FENCE.sub("", reply.strip()).strip()).split())


def mend(expression: str) -> Drawn:
    """The expression as PubMed can read it, and what was put right in it. Raises BadQuery.

    What is whole stays as it was written: PubMed finds the headings of words that stand side by side.
    """
    inner = expression[1:-1]
    if expression == f'"{inner}"' and '"' not in inner and _OPERATOR.search(inner):
        # Of the published system's queries, 32 of 170 are like this. PubMed knows no such phrase and reads the words.
        whole = mend(inner)
        return Drawn(whole.query, (*whole.notes, "quotation marks round a whole query were taken off"))
    parsed = read(expression)
    if dialect(expression) == "pubmed" and _balanced(expression):
        return Drawn(expression, parsed.notes)
    written = to_pubmed(parsed.node)
    return Drawn(written.text, (*parsed.notes, *written.notes))


def _balanced(expression: str) -> bool:
    depths = list(accumulate((letter == "(") - (letter == ")") for letter in expression))
    return min(depths, default=0) >= 0 and depths[-1:] in ([], [0]) and expression.count('"') % 2 == 0
