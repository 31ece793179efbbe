"""Who can plan: one entry each."""

from collections.abc import Callable
from typing import NamedTuple

from wellsourced.config.registry.base import Registry
from wellsourced.models.base import Model
from wellsourced.planners.base import Planner
from wellsourced.planners.boolean import BooleanPlanner
from wellsourced.planners.keywords import KedPlanner, KeywordPlanner
from wellsourced.planners.prompting import PromptingPlanner
from wellsourced.planners.query2doc import Query2DocPlanner
from wellsourced.planners.reflexion import ReflexionPlanner
from wellsourced.planners.rules import GivenDocumentsPlanner, OriginalPlanner, RulePlanner
from wellsourced.planners.serts import SertsPlanner
from wellsourced.sources.base import HeadingVocabulary, Thesaurus
from wellsourced.sources.heading_validation import validate_expression
from wellsourced.understanding.base import Understanding


class PlannerParts(NamedTuple):
    """What planners are made of.

    headings    who knows headings of controlled vocabularies
    thesaurus   who knows by what other names a thing goes, if anybody does
    """

    model: Model
    understanding: Understanding
    headings: tuple[HeadingVocabulary, ...] = ()
    thesaurus: Thesaurus | None = None


class PlannerEntry(NamedTuple):
    """A planner.

    needs_model   whether a language model plans; without one its plans are those of the rules
    """

    name: str
    description: str
    build: Callable[[PlannerParts], Planner]
    needs_model: bool = True


def _build_ked(parts: PlannerParts) -> Planner:
    return KedPlanner(KeywordPlanner(parts.model, parts.understanding), parts.understanding)


def _build_boolean(parts: PlannerParts) -> Planner:
    async def validate(query: str) -> tuple[str, tuple[str, ...]]:
        return await validate_expression(query, parts.headings)

    return BooleanPlanner(
        parts.model, parts.understanding, validate=validate, headings=parts.headings, thesaurus=parts.thesaurus
    )


def _with_model(planner: Callable[[Model, Understanding], Planner]) -> Callable[[PlannerParts], Planner]:
    return lambda parts: planner(parts.model, parts.understanding)


def _by_rules(planner: Callable[[Understanding], Planner]) -> Callable[[PlannerParts], Planner]:
    return lambda parts: planner(parts.understanding)


PLANNER_REGISTRY = Registry(
    "planner",
    (
        PlannerEntry(
            "rules", "keywords and what they may mean besides, by rules", _by_rules(RulePlanner), needs_model=False
        ),
        PlannerEntry("original", "the question as it was asked", _by_rules(OriginalPlanner), needs_model=False),
        PlannerEntry("ked", "keywords of a model, and the question", _build_ked),
        PlannerEntry("keywords", "keywords of a model", _with_model(KeywordPlanner)),
        PlannerEntry("boolean", "a Boolean expression of a model, its headings validated", _build_boolean),
        PlannerEntry("query2doc", "the question with a passage that a model imagines", _with_model(Query2DocPlanner)),
        PlannerEntry("prompting", "searches that a model proposes", _with_model(PromptingPlanner)),
        PlannerEntry("reflexion", "searches of a model, mended by what they find", _with_model(ReflexionPlanner)),
        PlannerEntry("serts", "searches of a model, tried as a tree", _with_model(SertsPlanner)),
        PlannerEntry(
            "given", "no search: the documents that were named", lambda _: GivenDocumentsPlanner(), needs_model=False
        ),
    ),
    plugins="planner",
)
