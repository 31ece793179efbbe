"""A small world to plan in: five sources of different kinds, a model that replies sensibly, and every planner in it."""

from collections.abc import Callable, Sequence

from tests.scripted_model import Script, ScriptedModel
from tests.world import COLCHICINE, GUIDELINE, NAUSEA, TRIAL, document, source
from wellsourced.config.registry import PLANNER_REGISTRY, PlannerParts
from wellsourced.errors import SourceError
from wellsourced.models.base import Model
from wellsourced.planners.base import Planner, TrialSearch
from wellsourced.prompts import planning
from wellsourced.question.understanding import LiteralUnderstanding
from wellsourced.sources.base import SourceInfo
from wellsourced.sources.fake import FakeSource
from wellsourced.types import Question, Search

QUESTION = Question(text="Does colchicine shorten gout flares?")

PAGE = document("url:gout", f"{NAUSEA} Gout is a kind of arthritis.", kind="consumer")
CONCEPT = document("MESH:D006073", "Gout: a metabolic disorder.", kind="graph")

SOURCES = (
    source("guidelines", GUIDELINE, kind="guideline"),
    source("trials", TRIAL),
    source("consumer", PAGE, kind="consumer"),
    source("graph", CONCEPT, kind="graph"),
    source("pubmed", TRIAL),
)
CARDS = (
    SourceInfo("guidelines", "guideline", 43, 145, first=2010, last=2024, asks=("text", "boolean")),
    SourceInfo("trials", "research", 10, 30, first=1998, last=2021, asks=("text", "boolean")),
    SourceInfo("consumer", "consumer", 5, 9),
    SourceInfo("graph", "graph", 17, 40, asks=("term",)),
    SourceInfo("pubmed", "research", live=True, about="abstracts", asks=("text", "boolean")),
)


class World:
    """The sources, and every wave of searches that a planner had made to look at what they bring up."""

    def __init__(self, sources: Sequence[FakeSource] = SOURCES) -> None:
        self.sources = {one.name: one for one in sources}
        self.waves: list[list[Search]] = []

    async def look(self, searches: Sequence[Search]) -> list[TrialSearch]:
        self.waves.append(list(searches))
        return [await self._looked(search) for search in searches]

    async def _looked(self, search: Search) -> TrialSearch:
        try:
            hits = (await self.sources[search.source].search(search.query, 50)).hits
        except SourceError:
            return TrialSearch(search, has_failed=True)
        return TrialSearch(search, tuple(hit.passage for hit in hits))


def plan_for(*sources: str, text: str = "gout flares", term: str = "") -> planning.SourcePlan:
    """A plan that asks each of these sources one thing, and every other source of the world nothing."""
    asked = (planning.PlannedQuery(text=text, term=term),)
    names = [card.name for card in CARDS]
    return planning.SourcePlan(
        entries=tuple(planning.SourceQueries(source=name, queries=asked if name in sources else ()) for name in names)
    )


def score(points: int, advice: str = "") -> planning.PlanScore:
    return planning.PlanScore(score=points, advice=advice)


REPLIES: dict[type, Script] = {
    planning.ExtractKeywords: planning.KeywordsReply(keywords=("gout flare", "colchicine")),
    planning.WriteBooleanQuery: lambda prompt: planning.BooleanQuery(
        query=f"gout AND (colchicine OR view{prompt.seed})"
    ),
    planning.WritePseudoDocument: planning.PseudoDocument(text=COLCHICINE),
    planning.PlanSources: plan_for("trials", "graph", term="gout"),
    planning.ImprovePlan: plan_for("guidelines", "pubmed"),
    planning.ScorePlan: score(3, "Ask the guidelines."),
    planning.Decompose: planning.DecompositionReply(
        questions=("What is a gout flare?", "How long does a gout flare last?")
    ),
}

Make = Callable[[Model], Planner]


def registered(name: str) -> Make:
    """A planner, made as its entry in the registry makes it."""
    return lambda model: PLANNER_REGISTRY.find(name).build(PlannerParts(model, LiteralUnderstanding()))


PLANNERS: dict[str, Make] = {
    **{name: registered(name) for name in PLANNER_REGISTRY.names if name != "given"},
}
"""All of the registry that search, so that a new one cannot be forgotten, and two that take the question apart."""


def sensible() -> ScriptedModel:
    """A model with a reply to every prompt of planning."""
    return ScriptedModel(REPLIES)


def asked(searches: Sequence[Search]) -> list[tuple[str, str]]:
    """Source and words of each search."""
    return [(search.source, search.query.text) for search in searches]


def kinds_of(model: ScriptedModel) -> list[str]:
    """What the model was asked, by the names of the prompts."""
    return [type(prompt).__name__ for prompt in model.prompts]
