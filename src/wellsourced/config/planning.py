"""Who plans, who makes sense of a question's words, and who knows headings: as the settings name them."""

from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.config.settings import Settings
from wellsourced.models.base import Model
from wellsourced.planners.base import Planner
from wellsourced.sources.base import Headings, Lexicon, Source, Thesaurus
from wellsourced.understanding.base import Plain, Understanding


class Known(NamedTuple):
    """What words are held against: those of the libraries, names of concepts, headings."""

    lexicons: tuple[Lexicon, ...] = ()
    thesaurus: Thesaurus | None = None
    headings: tuple[Headings, ...] = ()


def known_to(sources: Sequence[Source], graph: Source | None, headings: Sequence[Headings]) -> Known:
    """What these sources know of words; the graph knows some also when it is not searched."""
    return Known(
        tuple(source for source in sources if isinstance(source, Lexicon)),
        graph if isinstance(graph, Thesaurus) else None,
        (*((graph,) if isinstance(graph, Headings) else ()), *headings),
    )


def understanding_of(settings: Settings, known: Known) -> Understanding:
    """What makes sense of a question's words; with every way switched off they are taken as they are written."""
    from wellsourced.understanding.words import Words

    if not settings.expand and not known.lexicons:
        return Plain()
    return Words(known.lexicons, known.thesaurus, settings.expand)


def planner_of(settings: Settings, model: Model, understanding: Understanding, known: Known) -> Planner:
    """The planner that the settings name."""
    planner = _planner(settings, model, understanding, known)
    if not settings.decompose:
        return planner
    from wellsourced.planners.decomposed import Decomposed

    return Decomposed(planner, model)


def _planner(settings: Settings, model: Model, understanding: Understanding, known: Known) -> Planner:
    # Each is a file of its own, and only one of them is wanted.
    match settings.planner:
        case "rules":
            from wellsourced.planners.rules import Rules

            return Rules(understanding)
        case "original":
            from wellsourced.planners.original import Original

            return Original(understanding)
        case "ked":
            from wellsourced.planners.ked import Ked
            from wellsourced.planners.keywords import Keywords

            return Ked(Keywords(model, understanding), understanding)
        case "keywords":
            from wellsourced.planners.keywords import Keywords

            return Keywords(model, understanding)
        case "boolean":
            return _boolean(model, understanding, known)
        case "query2doc":
            from wellsourced.planners.query2doc import Query2Doc

            return Query2Doc(model, understanding)
        case "prompting":
            from wellsourced.planners.prompting import Prompting

            return Prompting(model, understanding)
        case "reflexion":
            from wellsourced.planners.reflexion import Reflexion

            return Reflexion(model, understanding)
        case "given":
            from wellsourced.planners.given import Given

            return Given()
        case "serts":
            from wellsourced.planners.serts import SeRTS

            return SeRTS(model, understanding)


def _boolean(model: Model, understanding: Understanding, known: Known) -> Planner:
    from wellsourced.planners.boolean import Boolean
    from wellsourced.sources.headings import validated

    async def validate(query: str) -> tuple[str, tuple[str, ...]]:
        return await validated(query, known.headings)

    return Boolean(model, understanding, validate=validate, headings=known.headings, thesaurus=known.thesaurus)
