"""Everything live that a question needs, built once by `config` and handed to the path."""

from dataclasses import dataclass, field
from typing import Any

from pydantic import Field, field_validator

from wellsourced.judges.base import Judge
from wellsourced.models.base import Model
from wellsourced.planners.base import Planner
from wellsourced.sources.base import Registry, Source
from wellsourced.types import Gap, Value
from wellsourced.understanding.base import Plain, Understanding


class Policy(Value):
    """How much is searched, read and said, and how sure one has to be. Every number can be set.

    tiers          what is asked together, in order of authority: kinds or names of sources, "*" for all others
    candidates     passages asked of each source, and judged in each tier after fusion
    per_source     of these, at most this share of one source where several found something
    rerank         candidates that the ranker judges, from the top; the others keep their places
    rerank_seconds   patience with the ranker; what it has not judged by then keeps its place
    passages       passages read closely in each tier: the best of those that bear on the question
    per_document   of these, at most so many of one work
    relevant       probability from which a passage counts as bearing on the question
    certain        probability that the best passage must reach, or nothing is said
    enough         so many works, or passages of guidelines, at or above `certain`, and the next tier is not opened
    statements     statements in an answer, at most
    leads          of these, statements that make the TL;DR, at most
    rrf            the constant k of reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009)
    seconds        patience with one source
    """

    tiers: tuple[tuple[str, ...], ...] = (("guideline",), ("*",), ("web",))
    candidates: int = Field(50, ge=1, le=10_000)
    per_source: float = Field(1.0, gt=0, le=1)
    rerank: int = Field(50, ge=0, le=1_000)
    rerank_seconds: float = Field(5.0, gt=0)
    passages: int = Field(16, ge=1, le=200)
    per_document: int = Field(8, ge=1)
    relevant: float = Field(0.4, ge=0, le=1)
    certain: float = Field(0.6, ge=0, le=1)
    enough: int = Field(3, ge=1)
    statements: int = Field(8, ge=1, le=100)
    leads: int = Field(2, ge=1, le=5)
    rrf: int = Field(60, ge=1)
    seconds: float = Field(30.0, gt=0)

    @field_validator("tiers", mode="before")
    @classmethod
    def _in_order(cls, given: Any) -> Any:
        """As it is written in one line, where there are no lists: "guideline > *, pubmed > web"."""
        if not isinstance(given, str):
            return given
        return [[name.strip() for name in tier.split(",") if name.strip()] for tier in given.split(">") if tier.strip()]


@dataclass(frozen=True)
class Kit:
    """The seams, filled, and the policy.

    sources     what can be searched; a plan names them by `source.name`
    missing     what should have been there and is not, as gaps that every answer shows
    planner     which source is asked what
    understanding   what the words of a question mean, without a model
    ranker      judges which passages stand first, before any is read; None: the order of the sources, fused
    relevance   judges whether a text bears on a question
    support     judges whether a quote supports a statement
    registries  who is asked, before anything is read, which works were withdrawn; none: what the records themselves say
    """

    sources: tuple[Source, ...]
    model: Model
    relevance: Judge
    support: Judge
    planner: Planner
    understanding: Understanding = field(default_factory=Plain)
    ranker: Judge | None = None
    policy: Policy = field(default_factory=Policy)
    missing: tuple[Gap, ...] = ()
    registries: tuple[Registry, ...] = ()

    def source(self, name: str) -> Source:
        """The source of that name. Raises KeyError: a plan only names what the kit holds."""
        return {source.name: source for source in self.sources}[name]
