"""A small world to plan in: five sources of different kinds, a model that replies sensibly, and every planner in it."""

from collections.abc import Callable, Sequence

from tests.world import COLCHICINE, GUIDELINE, NAUSEA, TRIAL, document, source
from wellsourced.errors import SourceError
from wellsourced.models.base import Model
from wellsourced.models.scripted import Script, ScriptedModel
from wellsourced.planners.base import Looked, Planner
from wellsourced.planners.boolean import Boolean
from wellsourced.planners.decomposed import Decomposed
from wellsourced.planners.keywords import Keywords
from wellsourced.planners.original import Original
from wellsourced.planners.prompting import Prompting
from wellsourced.planners.query2doc import Query2Doc
from wellsourced.planners.reflexion import Reflexion
from wellsourced.planners.rules import Rules
from wellsourced.planners.serts import SeRTS
from wellsourced.prompts import planning
from wellsourced.sources.base import Card
from wellsourced.sources.told import ToldSource
from wellsourced.types import Question, Search
from wellsourced.understanding.base import Plain

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
    Card("guidelines", "guideline", 43, 145, first=2010, last=2024, asks=("text", "boolean")),
    Card("trials", "research", 10, 30, first=1998, last=2021, asks=("text", "boolean"), subjects=("Gout",)),
    Card("consumer", "consumer", 5, 9),
    Card("graph", "graph", 17, 40, asks=("term",)),
    Card("pubmed", "research", live=True, about="abstracts", asks=("text", "boolean")),
)


class World:
    """The sources, and every wave of searches that a planner had made to look at what they bring up."""

    def __init__(self, sources: Sequence[ToldSource] = SOURCES) -> None:
        self.sources = {one.name: one for one in sources}
        self.waves: list[list[Search]] = []

    async def look(self, searches: Sequence[Search]) -> list[Looked]:
        self.waves.append(list(searches))
        return [await self._looked(search) for search in searches]

    async def _looked(self, search: Search) -> Looked:
        try:
            hits = await self.sources[search.source].search(search.query, 50)
        except SourceError:
            return Looked(search)
        return Looked(search, tuple(hit.passage for hit in hits))


def plan_for(*sources: str, text: str = "gout flares", term: str = "") -> planning.SourcePlan:
    """A plan that asks each of these sources one thing, and every other source of the world nothing."""
    asked = (planning.PlannedQuery(text=text, term=term),)
    names = [card.name for card in CARDS]
    return planning.SourcePlan(
        entries=tuple(planning.Entry(source=name, queries=asked if name in sources else ()) for name in names)
    )


def score(points: int, advice: str = "") -> planning.PlanScore:
    return planning.PlanScore(score=points, advice=advice)


REPLIES: dict[type, Script] = {
    planning.ExtractKeywords: planning.Keywords(keywords=("gout flare", "colchicine")),
    planning.WriteBooleanQuery: lambda prompt: planning.BooleanQuery(
        query=f"gout AND (colchicine OR view{prompt.seed})"
    ),
    planning.WritePseudoDocument: planning.PseudoDocument(text=COLCHICINE),
    planning.PlanSources: plan_for("trials", "graph", term="gout"),
    planning.ImprovePlan: plan_for("guidelines", "pubmed"),
    planning.ScorePlan: score(3, "Ask the guidelines."),
    planning.Decompose: planning.Parts(questions=("What is a gout flare?", "How long does a gout flare last?")),
}

PLANNERS: dict[str, Callable[[Model], Planner]] = {
    "original": lambda model: Original(Plain()),
    "rules": lambda model: Rules(Plain()),
    "keywords": lambda model: Keywords(model, Plain()),
    "boolean": lambda model: Boolean(model, Plain()),
    "query2doc": lambda model: Query2Doc(model, Plain()),
    "prompting": lambda model: Prompting(model, Plain()),
    "reflexion": lambda model: Reflexion(model, Plain()),
    "serts": lambda model: SeRTS(model, Plain()),
    "decomposed, rules": lambda model: Decomposed(Rules(Plain()), model),
    "decomposed, prompting": lambda model: Decomposed(Prompting(model, Plain()), model),
}


def sensible() -> ScriptedModel:
    """A model with a reply to every prompt of planning."""
    return ScriptedModel(REPLIES)


def asked(searches: Sequence[Search]) -> list[tuple[str, str]]:
    """Source and words of each search."""
    return [(search.source, search.query.text) for search in searches]


def kinds_of(model: ScriptedModel) -> list[str]:
    """What the model was asked, by the names of the prompts."""
    return [type(prompt).__name__ for prompt in model.asked]
