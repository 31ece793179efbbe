"""Questions, and the plan by which one is searched for."""

import re
from collections.abc import Iterator
from datetime import date
from typing import Literal

from pydantic import Field

from wellsourced.types.documents import Value

QueryKind = Literal["text", "boolean", "term"]
"""Words, an expression of PubMed's query language, or the names of concepts."""

ExpansionKind = Literal["spelling", "abbreviation", "brand", "synonym", "lay term"]
"""In which way words of a question were understood as others."""


class Expansion(Value):
    """Another reading of words of a question; it is reported, and can be switched off by its kind.

    said     the words as they stand in the question
    meant    one other wording of them
    source   who says so: "the words of the library research", "graph (HPO)", "wellsourced"
    """

    kind: ExpansionKind
    said: str
    meant: str
    source: str


class Pico(Value):
    """A clinical question in its four parts; a part that nobody named is empty (Richardson et al., ACP J Club 1995)."""

    population: str = ""
    intervention: str = ""
    comparison: str = ""
    outcome: str = ""


class Turn(Value):
    """One thing that was said in a conversation."""

    role: Literal["user", "assistant"]
    text: str


_CLOSING_QUESTION = re.compile(r"[.!]\s+(?P<asked>(?:\w[\w’'-]*\W+){5,}\w[\w’'-]*\s?\?)\s*\Z")
"""The question behind sentences on who asks it, when it has six words or more: fewer seldom stand alone."""


class Question(Value):
    """What is asked, and the limits under which it is answered.

    text           what is searched for and answered: it stands alone, and in English where a model could see to it
    asked          the words as they were typed, where `text` has others; "" otherwise
    language       of what was typed, and of the answer where a model can write it: ISO 639-1
    expansions     how words of it were understood, the likeliest of one wording first; made by `frame`
    since, as_of   only what was published from `since` to `as_of` (both included) may count as evidence
    exclude        ids of references that may not count ("pubmed:31234567", "doi:10.1161/…")
    given          ids of documents to answer from, without a search; none: what the search finds
    options        letter → text, for a multiple-choice question
    patient        the patient's own text; it never leaves the machine unless the user says so
    pico           the question in its parts, given or made by `frame`; None: it has none
    history        what was said before, oldest first, when this follows it
    """

    text: str
    asked: str = ""
    patient: str = ""
    pico: Pico | None = None
    history: tuple[Turn, ...] = ()
    given: tuple[str, ...] = ()
    options: dict[str, str] = Field(default_factory=dict)
    since: date | None = None
    as_of: date | None = None
    exclude: tuple[str, ...] = ()
    language: str = "en"
    expansions: tuple[Expansion, ...] = ()

    @property
    def expanded_text(self) -> str:
        """The question with every wording of an expansion in the place of what was said."""
        meant: dict[str, str] = {}
        for expansion in self.expansions:
            meant.setdefault(expansion.said, expansion.meant)
        if not meant:
            return self.text
        said = "|".join(re.escape(words) for words in sorted(meant, key=len, reverse=True))
        return re.sub(rf"(?<!\w)(?:{said})(?!\w)", lambda found: meant[found.group()], self.text)

    @property
    def wordings(self) -> tuple[str, ...]:
        """As it was asked; as it was understood; without the sentences before it, which may say only who asks."""
        alone = _CLOSING_QUESTION.search(self.text)
        return tuple(dict.fromkeys((self.text, self.expanded_text, alone["asked"] if alone else self.text)))


class Query(Value):
    """What one source is asked.

    terms    for `text` the words of a question, most important first once they are keywords; for `boolean` one
             expression; for `term` the names of concepts
    also     further words that may stand for the terms: they count for less, and nothing has to hold them
    any_word   where few records have all words, a live source may take those that have some of them; else one that has
               all is enough
    """

    terms: tuple[str, ...]
    kind: QueryKind = "text"
    also: tuple[str, ...] = ()
    any_word: bool = Field(default=True, exclude_if=bool)
    since: date | None = None
    as_of: date | None = None
    exclude: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The terms in one line, as a search box would take them."""
        return " ".join(self.terms)

    def relaxations(self) -> Iterator["Query"]:
        """Ever weaker queries: the least important term goes first, the most important stays to the end."""
        for kept in range(len(self.terms) - 1, 0, -1):
            yield self.model_copy(update={"terms": self.terms[:kept]})


class Search(Value):
    """One source asked one thing."""

    source: str
    query: Query


class Tier(Value):
    """Searches that are made together; a later tier is opened only when this one did not give enough."""

    name: str
    searches: tuple[Search, ...]


class Plan(Value):
    """Tiers in order of authority. No tier at all when no search is needed.

    planner   who made it
    notes     what its reader should know of how it was made: a heading that does not exist, a reply that was no plan
    """

    tiers: tuple[Tier, ...]
    planner: str = ""
    notes: tuple[str, ...] = ()
