"""The planner, the understanding of a question's words and the MeSH headings that the settings name."""

from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.config.registry import PLANNER_REGISTRY, PlannerParts
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
    parts = PlannerParts(model, understanding, known.headings, known.thesaurus)
    planner = PLANNER_REGISTRY.find(settings.planner).build(parts)
    if not settings.decompose:
        return planner
    from wellsourced.planners.prompting import DecompositionPlanner

    return DecompositionPlanner(planner, model)
