"""Boolean queries, several of them for one question, and what all of them find (Question2Query)."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from itertools import accumulate
from typing import NamedTuple

from wellsourced.errors import BadQuery, ModelError, SourceError, UnsupportedPrompt
from wellsourced.models.base import Model, complete_or_error
from wellsourced.planners.base import Proposal, RunSearches
from wellsourced.planners.keywords import clean_keywords
from wellsourced.planners.searches import build_query, plan_original, select_askable
from wellsourced.prompts.planning import BooleanQuery, WriteBooleanQuery
from wellsourced.query_language import canonical_form, detect_dialect, parse_query, write_pubmed_query
from wellsourced.query_language.query_tree import Node
from wellsourced.question.understanding import Understanding
from wellsourced.question.vocabulary import Thesaurus
from wellsourced.sources.base import HeadingVocabulary, SourceInfo
from wellsourced.text.sanitization import deduplicate_texts, short_line
from wellsourced.types import Question, Search

MAX_KEYWORDS = 6
"""Keywords that the queries are made of; more change nothing."""

MAX_OTHER_NAMES = 4
"""Other names of a concept, at most."""


class BooleanQueries(NamedTuple):
    """Expressions in PubMed's language, the narrowest first, and what is to be told of them."""

    queries: tuple[str, ...]
    notes: tuple[str, ...] = ()


async def write_boolean_queries(
    keywords: Sequence[str], headings: Sequence[HeadingVocabulary] = (), thesaurus: Thesaurus | None = None
) -> BooleanQueries:
    """The three most important keywords together; the first with any other; and either of the first two.

    A record seldom names all of a question, and no rule knows which part it leaves out: what several of the queries
    find stands first when their results are fused. Of the works that answer 60 questions each of BioASQ and PubMedQA,
    the first 50 found hold 87 and 92 %; with the least important keyword left out each time they hold 84 and 80 %.
    Who knows headings or other names and fails is told, and the words go without.
    """
    notes: list[str] = []
    concepts = [await _write_concept(keyword, headings, thesaurus, notes) for keyword in keywords]
    queries = [
        " AND ".join(concepts[:3]),
        " AND ".join([*concepts[:1], *filter(None, [_join_alternatives(concepts[1:])])]),
        _join_alternatives(concepts[:2]),
    ]
    return BooleanQueries(deduplicate_texts(queries), tuple(dict.fromkeys(notes)))


def _join_alternatives(concepts: Sequence[str]) -> str:
    return f"({' OR '.join(concepts)})" if len(concepts) > 1 else "".join(concepts)


async def _write_concept(
    keyword: str, headings: Sequence[HeadingVocabulary], thesaurus: Thesaurus | None, notes: list[str]
) -> str:
    names, heading = [keyword], ""
    try:
        names += await thesaurus.find_synonyms(keyword, MAX_OTHER_NAMES) if thesaurus else []
    except SourceError as error:
        notes.append(f"no synonyms were looked up: {error.phrase}")
    for vocabulary in headings:
        try:
            heading = heading or await vocabulary.heading(keyword)
        except SourceError as error:
            notes.append(f"{vocabulary.name} was not asked for headings: {error.phrase}")
    tagged = [_tag_field(name, "tiab") for name in deduplicate_texts(names)]
    return f"({' OR '.join([*tagged, *([_tag_field(heading, 'mh')] if heading else [])])})"


def _tag_field(words: str, field: str) -> str:
    plain = " ".join(words.replace('"', " ").replace("[", " ").replace("]", " ").split())
    return f'"{plain}"[{field}]' if " " in plain or field == "mh" else f"{plain}[{field}]"


ValidateHeadings = Callable[[str], Awaitable[tuple[str, tuple[str, ...]]]]
"""Gives an expression with headings that exist, and what was changed in it."""

SEARCH_ENGINE = "PubMed"
"""Whose language the queries are written in; libraries read it too."""

_FENCE = re.compile(r"^```\w*|```$")
_OPERATOR = re.compile(r"\s(?:AND|OR|NOT)\s")
_LABEL = re.compile(r"^(?:(?:the|pubmed|boolean|search)\s+)*query\s*:", re.IGNORECASE)


class QuerySample(NamedTuple):
    """What one sample of the model came to: an expression, "" when it is none, and what is to be told of it."""

    query: str
    notes: tuple[str, ...] = ()

    @property
    def parsed_meaning(self) -> Node | None:
        """What it asks for, however it is written; None when it is no expression."""
        return canonical_form(parse_query(self.query).node) if self.query else None


class BooleanPlanner:
    """Question2Query of Clinfo.ai (Lozano et al., PSB 2024): `n` independent queries, each with a seed of its own.

    They go to the sources that understand Boolean queries, and the question itself to the others. Headings are held
    against the vocabulary, which the published system does not do. Without a language model the queries are made of
    keywords by rule, three at most.

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
        validate: ValidateHeadings | None = None,
        headings: Sequence[HeadingVocabulary] = (),
        thesaurus: Thesaurus | None = None,
        n: int = 3,
    ) -> None:
        self.model, self.understanding, self.validate, self.n = model, understanding, validate, n
        self.headings, self.thesaurus = headings, thesaurus

    async def plan(self, question: Question, cards: Sequence[SourceInfo], look: RunSearches) -> Proposal:
        """Every distinct query to every source that can read it."""
        whole = await plan_original(question, cards, self.understanding)
        there, _ = select_askable(question, cards)
        readers = {card.name for card in there if "boolean" in card.asks}
        if not readers:
            return whole
        written = await self._write_queries(question)
        boolean = [build_query(question, expression, kind="boolean") for expression in written.queries]
        searches = [
            Search(source=search.source, query=one)
            for search in whole.searches
            for one in (boolean if boolean and search.source in readers else [search.query])
        ]
        return Proposal(tuple(searches), (*written.notes, *whole.notes))

    async def _write_queries(self, question: Question) -> BooleanQueries:
        seeds = range(1, self.n + 1)
        prompts = [WriteBooleanQuery(question=question.text, engine=SEARCH_ENGINE, seed=seed) for seed in seeds]
        replies = await asyncio.gather(*(complete_or_error(self.model, prompt) for prompt in prompts))
        if all(isinstance(reply, UnsupportedPrompt) for reply in replies):
            return await self._write_by_rule(question)
        drawn = await asyncio.gather(*(self._parse_sample(seed, reply) for seed, reply in enumerate(replies, start=1)))
        different = {one.parsed_meaning: one.query for one in reversed(drawn)}
        queries = tuple(dict.fromkeys(different[one.parsed_meaning] for one in drawn if one.query))
        who = f"{len(queries)} different Boolean queries by {self.model.name}, of seeds 1 to {self.n}"
        notes = (who, *dict.fromkeys(note for one in drawn for note in one.notes))
        return BooleanQueries(queries, notes if queries else (*notes, "the question itself is searched for"))

    async def _parse_sample(self, seed: int, reply: BooleanQuery | ModelError) -> QuerySample:
        if isinstance(reply, ModelError):
            return QuerySample("", (f"query {seed} was not written ({short_line(str(reply))})",))
        try:
            return await self._validate_sample(repair_expression(strip_wrapping(reply.query)))
        except BadQuery as error:
            return QuerySample(
                "", (f"query {seed} cannot be read and was left out: {short_line(str(error)).rstrip('.')}",)
            )

    async def _validate_sample(self, drawn: QuerySample) -> QuerySample:
        if self.validate is None:
            return drawn
        try:
            valid, changes = await self.validate(drawn.query)
        except SourceError as error:
            valid, changes = drawn.query, (f"headings were not looked up: {short_line(str(error)).rstrip('.')}",)
        return QuerySample(valid, (*drawn.notes, *changes))

    async def _write_by_rule(self, question: Question) -> BooleanQueries:
        keywords = clean_keywords(await self.understanding.extract_keywords(question, MAX_KEYWORDS))
        if not keywords:
            return BooleanQueries((), ("no keywords for a Boolean query; the question itself is searched for",))
        written = await write_boolean_queries(keywords, self.headings, self.thesaurus)
        who = f"Boolean queries by rule, without a language model, from the keywords {', '.join(keywords)}"
        return written._replace(notes=(who, *written.notes))


def strip_wrapping(reply: str) -> str:
    """The expression itself, in one line, without the fence and the label that models put round it."""
    return " ".join(_LABEL.sub("", _FENCE.sub("", reply.strip()).strip()).split())


def repair_expression(expression: str) -> QuerySample:
    """The expression as PubMed can read it, and what was put right in it. Raises BadQuery.

    What is whole stays as it was written: PubMed finds the headings of words that stand side by side.
    """
    inner = expression[1:-1]
    if expression == f'"{inner}"' and '"' not in inner and _OPERATOR.search(inner):
        # Of the published system's queries, 32 of 170 are like this. PubMed knows no such phrase and reads the words.
        whole = repair_expression(inner)
        return QuerySample(whole.query, (*whole.notes, "quotation marks around a whole query were removed"))
    parsed = parse_query(expression)
    depths = [0, *accumulate((letter == "(") - (letter == ")") for letter in expression)]
    is_balanced = min(depths) == depths[-1] == 0 and expression.count('"') % 2 == 0
    if is_balanced and detect_dialect(expression) == "pubmed":
        return QuerySample(expression, parsed.notes)
    written = write_pubmed_query(parsed.node)
    return QuerySample(written.text, (*parsed.notes, *written.notes))
