"""The planner, the understanding of a question's words and the MeSH headings that the settings name."""

from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.config.settings import Settings
from wellsourced.models.base import Model
from wellsourced.planners.base import Planner
from wellsourced.sources.base import HeadingVocabulary, Lexicon, Source, Thesaurus
from wellsourced.understanding.base import LiteralUnderstanding, Understanding


class VocabularySources(NamedTuple):
    """What the words of a question are compared with: words of the libraries, names of concepts, headings."""

    lexicons: tuple[Lexicon, ...] = ()
    thesaurus: Thesaurus | None = None
    headings: tuple[HeadingVocabulary, ...] = ()


def collect_vocabularies(
    sources: Sequence[Source], graph: Source | None, headings: Sequence[HeadingVocabulary]
) -> VocabularySources:
    """What these sources know of words; the graph knows some also when it is not searched."""
    return VocabularySources(
        tuple(source for source in sources if isinstance(source, Lexicon)),
        graph if isinstance(graph, Thesaurus) else None,
        (*((graph,) if isinstance(graph, HeadingVocabulary) else ()), *headings),
    )


def build_understanding(settings: Settings, known: VocabularySources) -> Understanding:
    """What makes sense of a question's words; with every way switched off they are taken as they are written."""
    from wellsourced.understanding.lexical import LexicalUnderstanding

    if not settings.expand and not known.lexicons:
        return LiteralUnderstanding()
    return LexicalUnderstanding(known.lexicons, known.thesaurus, settings.expand)


def build_planner(settings: Settings, model: Model, understanding: Understanding, known: VocabularySources) -> Planner:
    """The planner that the settings name."""
    planner = _build_named_planner(settings, model, understanding, known)
    if not settings.decompose:
        return planner
    from wellsourced.planners.decomposition import DecompositionPlanner

    return DecompositionPlanner(planner, model)


def _build_named_planner(
    settings: Settings, model: Model, understanding: Understanding, known: VocabularySources
) -> Planner:
    # Each is a file of its own, and only one of them is wanted.
    match settings.planner:
        case "rules":
            from wellsourced.planners.rules import RulePlanner

            return RulePlanner(understanding)
        case "original":
            from wellsourced.planners.rules import OriginalPlanner

            return OriginalPlanner(understanding)
        case "ked":
            from wellsourced.planners.keywords import KedPlanner, KeywordPlanner

            return KedPlanner(KeywordPlanner(model, understanding), understanding)
        case "keywords":
            from wellsourced.planners.keywords import KeywordPlanner

            return KeywordPlanner(model, understanding)
        case "boolean":
            return _build_boolean_planner(model, understanding, known)
        case "query2doc":
            from wellsourced.planners.query2doc import Query2DocPlanner

            return Query2DocPlanner(model, understanding)
        case "prompting":
            from wellsourced.planners.prompting import PromptingPlanner

            return PromptingPlanner(model, understanding)
        case "reflexion":
            from wellsourced.planners.reflexion import ReflexionPlanner

            return ReflexionPlanner(model, understanding)
        case "given":
            from wellsourced.planners.rules import GivenDocumentsPlanner

            return GivenDocumentsPlanner()
        case "serts":
            from wellsourced.planners.serts import SertsPlanner

            return SertsPlanner(model, understanding)


def _build_boolean_planner(model: Model, understanding: Understanding, known: VocabularySources) -> Planner:
    from wellsourced.planners.boolean import BooleanPlanner
    from wellsourced.sources.heading_validation import validate_expression

    async def validate(query: str) -> tuple[str, tuple[str, ...]]:
        return await validate_expression(query, known.headings)

    return BooleanPlanner(model, understanding, validate=validate, headings=known.headings, thesaurus=known.thesaurus)
