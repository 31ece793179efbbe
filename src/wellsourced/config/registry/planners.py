"""Who can plan: one entry each."""

from collections.abc import Callable
from typing import NamedTuple

from wellsourced.config.registry.base import Registry
from wellsourced.models.base import Model
from wellsourced.planners.base import Planner
from wellsourced.sources.base import HeadingVocabulary, Thesaurus
from wellsourced.understanding.base import Understanding

# Each is a file of its own, and only one of them is wanted.


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


def _build_rules(parts: PlannerParts) -> Planner:
    from wellsourced.planners.rules import RulePlanner

    return RulePlanner(parts.understanding)


def _build_original(parts: PlannerParts) -> Planner:
    from wellsourced.planners.rules import OriginalPlanner

    return OriginalPlanner(parts.understanding)


def _build_ked(parts: PlannerParts) -> Planner:
    from wellsourced.planners.keywords import KedPlanner, KeywordPlanner

    return KedPlanner(KeywordPlanner(parts.model, parts.understanding), parts.understanding)


def _build_keywords(parts: PlannerParts) -> Planner:
    from wellsourced.planners.keywords import KeywordPlanner

    return KeywordPlanner(parts.model, parts.understanding)


def _build_boolean(parts: PlannerParts) -> Planner:
    from wellsourced.planners.boolean import BooleanPlanner
    from wellsourced.sources.heading_validation import validate_expression

    async def validate(query: str) -> tuple[str, tuple[str, ...]]:
        return await validate_expression(query, parts.headings)

    return BooleanPlanner(
        parts.model, parts.understanding, validate=validate, headings=parts.headings, thesaurus=parts.thesaurus
    )


def _build_query2doc(parts: PlannerParts) -> Planner:
    from wellsourced.planners.query2doc import Query2DocPlanner

    return Query2DocPlanner(parts.model, parts.understanding)


def _build_prompting(parts: PlannerParts) -> Planner:
    from wellsourced.planners.prompting import PromptingPlanner

    return PromptingPlanner(parts.model, parts.understanding)


def _build_reflexion(parts: PlannerParts) -> Planner:
    from wellsourced.planners.reflexion import ReflexionPlanner

    return ReflexionPlanner(parts.model, parts.understanding)


def _build_serts(parts: PlannerParts) -> Planner:
    from wellsourced.planners.serts import SertsPlanner

    return SertsPlanner(parts.model, parts.understanding)


def _build_given(_: PlannerParts) -> Planner:
    from wellsourced.planners.rules import GivenDocumentsPlanner

    return GivenDocumentsPlanner()


PLANNER_REGISTRY = Registry(
    "planner",
    (
        PlannerEntry("rules", "keywords and what they may mean besides, by rules", _build_rules, needs_model=False),
        PlannerEntry("original", "the question as it was asked", _build_original, needs_model=False),
        PlannerEntry("ked", "keywords of a model, and the question", _build_ked),
        PlannerEntry("keywords", "keywords of a model", _build_keywords),
        PlannerEntry("boolean", "a Boolean expression of a model, its headings validated", _build_boolean),
        PlannerEntry("query2doc", "the question with a passage that a model imagines", _build_query2doc),
        PlannerEntry("prompting", "searches that a model proposes", _build_prompting),
        PlannerEntry("reflexion", "searches of a model, mended by what they find", _build_reflexion),
        PlannerEntry("serts", "searches of a model, tried as a tree", _build_serts),
        PlannerEntry("given", "no search: the documents that were named", _build_given, needs_model=False),
    ),
)
