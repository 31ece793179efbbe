"""The four studies: under which conditions each case is asked.

`contexts` after BriefContext (Zhang et al., npj Digital Medicine 2025): models overlook what is in the middle.
`uncertainty` samples the answers that LUQ compares.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Literal, NamedTuple

from wellsourced import config
from wellsourced.context import Context
from wellsourced.errors import SourceRefused
from wellsourced.sources.base import DocumentCatalogue
from wellsourced.types import SourceKind
from wellsourced_evaluate.contexts.documents import (
    CaseDocuments,
    CaseSource,
    LeftOutCase,
    find_case_documents,
    fix_context,
    fix_source,
    list_ids,
    without_documents,
)
from wellsourced_evaluate.contexts.perturbations import perturb_question
from wellsourced_evaluate.contexts.study import StudyName, StudyTask, open_study
from wellsourced_evaluate.corpus import open_corpus

ContextKind = Literal["nothing", "gold", "placed", "distractors"]

Filler = Literal["similar", "random"]
"""Which other documents are around the one that answers: those nearest to the question by BM25, or any."""

PERCENTILES = (0, 25, 50, 75, 100)
"""Where the gold document is, in percent of the context."""

ALL_SOURCES, UNCHANGED, GREEDY = "all sources", "as it is", "temperature 0"
"""The conditions of an ablation, of other words and of samples that all others are compared with."""


class ContextCondition(NamedTuple):
    """What a case is answered from.

    name          as records and tables have it
    distractors   documents that do not answer
    place         the index of the gold document among them; None: it is not there
    """

    name: str
    distractors: int
    place: int | None


def list_conditions(kinds: Sequence[ContextKind], sizes: Sequence[int], *, has_model: bool) -> list[ContextCondition]:
    """All conditions, in order; places that coincide in a short context are one. Without a model, none of nothing."""
    found: list[ContextCondition] = []
    if "nothing" in kinds and has_model:
        found.append(ContextCondition("nothing", 0, None))
    if "gold" in kinds:
        found.append(ContextCondition("gold alone", 0, 0))
    for size in sizes:
        if "placed" in kinds:
            percents = {min(size - 1, size * percent // 100): percent for percent in PERCENTILES[::-1]}
            for place, percent in sorted(percents.items()):
                found.append(ContextCondition(f"gold at {percent} % of {size}", size - 1, place))
        if "distractors" in kinds:
            found.append(ContextCondition(f"{size - 1} distractors alone", size - 1, None))
    return found


async def study_contexts(
    task: StudyTask, *, kind: SourceKind, kinds: Sequence[ContextKind], sizes: Sequence[int], filler: Filler
) -> None:
    """Each case from its gold document alone, from it among others at five places, from others, from nothing.

    kind    of the documents of the corpus; without one, distractors are the contexts of the other cases
    kinds   of conditions, those that are asked
    sizes   documents of a context, the gold one among them

    Raises SourceRefused when no case has a gold document, or the file holds another study.
    """
    # What understands, writes and judges; whatever it could search is not asked.
    bare = task.arm.settings.model_copy(
        update={"guidelines": False, "libraries": (), "graph": False, "retractions": ()}
    )
    async with AsyncExitStack() as stack:
        library: DocumentCatalogue = CaseSource(task.arm.data.cases)
        if task.corpus:
            # Documents are found by their words, without vectors.
            words = task.arm.settings.model_copy(update={"encoder": "none"})
            built = await open_corpus(task.corpus, words, kind, task.watch)
            opened = config.open_library(built.settings, built.library, build=False)
            library = await stack.enter_async_context(opened)
        context = await stack.enter_async_context(config.open_context(bare, live=(), emit=task.watch))
        conditions = list_conditions(kinds, sizes, has_model=context.has_model)
        if not conditions:
            raise SourceRefused("Nothing is asked: without documents only a language model answers. Give --model NAME.")
        found, left_out = await _find_documents(task, library, max(one.distractors for one in conditions), filler)
        golds = {one.gold.reference.id: one.gold for one in found.values()}
        source = library if task.corpus else fix_source(list(golds.values()))
        names = [one.name for one in conditions]
        parameters = {"documents": list(sizes), "filler": filler}
        described = replace(context, sources=(source,))
        async with open_study(task, "contexts", described, names, parameters, left_out) as study:
            for case in (one for one in task.arm.data.cases if one.id in found):
                own, gold = found[case.id], found[case.id].gold.reference.id
                for condition in conditions:
                    documents = own.arrange(condition.distractors, condition.place)
                    fixed = fix_context(context, documents) if documents else without_documents(context)
                    changes = {"given": tuple(one.reference.id for one in documents)}
                    known = gold if documents else ""
                    await study.ask(case, condition.name, fixed, changes, gold_document=known)


async def _find_documents(
    task: StudyTask, library: DocumentCatalogue, wanted: int, filler: Filler
) -> tuple[dict[str, CaseDocuments], dict[str, str]]:
    """Case → its documents, the same under every condition; case → why it is not asked."""
    every = await list_ids(library) if filler == "random" else []
    found: dict[str, CaseDocuments] = {}
    left_out: dict[str, str] = {}
    for number, case in enumerate(task.arm.data.cases):
        task.watch.show_step(f"{task.arm.data.name}: documents of {number:,} of {len(task.arm.data.cases):,} cases")
        try:
            found[case.id] = await find_case_documents(case, library, wanted, task.arm.data.seed, every)
        except LeftOutCase as why:
            left_out[case.id] = str(why)
    if not found:
        reason = next(iter(left_out.values()))
        remedy = "Give --corpus with the documents that `source` names, or a field `context` in each line."
        raise SourceRefused(f"No case of {task.arm.data.name} can be asked: {reason}. {remedy}")
    return found, left_out


@asynccontextmanager
async def open_system(task: StudyTask) -> AsyncIterator[Context]:
    """What the settings describe; with a corpus it alone is searched."""
    if not task.corpus:
        async with config.open_context(task.arm.settings, emit=task.watch) as context:
            yield context
        return
    built = await open_corpus(task.corpus, task.arm.settings, "research", task.watch)
    async with config.open_context(built.settings, libraries=(built.library,), live=(), emit=task.watch) as context:
        yield context


async def study_ablation(task: StudyTask, *, documents: int) -> None:
    """Each case with all sources, without each of them, and without each of the first documents that it then cites.

    documents   that are left out in turn, at most

    Raises SourceRefused when nothing answers, or the file holds another study.
    """
    async with open_system(task) as context:
        names = [one.name for one in context.sources] if len(context.sources) > 1 else []
        conditions = (ALL_SOURCES, *(f"without {name}" for name in names))
        async with open_study(task, "ablation", context, conditions, {"cited documents": documents}) as study:
            for case in task.arm.data.cases:
                base = await study.ask(case, ALL_SOURCES, context)
                for name in names:
                    others = tuple(one for one in context.sources if one.name != name)
                    await study.ask(case, f"without {name}", replace(context, sources=others), base=base)
                for place, document in enumerate(base.cited[:documents], start=1):
                    name = f"without cited document {place}"
                    await study.ask(case, name, context, {"exclude": (*case.excluded, document)}, base=base)


async def study_robustness(task: StudyTask, *, wanted: Sequence[str]) -> None:
    """Each case as it is, and in each of the other wordings that can be made of it.

    Raises SourceRefused when nothing answers, or the file holds another study.
    """
    async with open_system(task) as context:
        model = context.model if context.has_model else None
        async with open_study(task, "robustness", context, (UNCHANGED, *wanted), {}) as study:
            for case in task.arm.data.cases:
                base = await study.ask(case, UNCHANGED, context)
                made = await perturb_question(case.question, case.id, task.arm.data.seed, wanted, model)
                for name in (one for one in wanted if one in made):
                    await study.ask(case, name, context, {"text": made[name]}, base=base)


async def study_uncertainty(task: StudyTask, *, samples: int, temperature: float) -> None:
    """Each case answered once at temperature 0, then so often at this temperature, each time with another seed.

    Without a language model once only: the sources' own sentences are the same each time. Raises SourceRefused when
    nothing answers, or the file holds another study.
    """
    models = task.arm.settings.models
    async with open_system(task) as context:
        names = [f"sample {number}" for number in range(1, samples + 1)] if context.has_model else []
        parameters = {"samples": samples, "temperature": temperature}
        async with open_study(task, "uncertainty", context, (GREEDY, *names), parameters) as study:
            for place, name in enumerate((GREEDY, *names)):
                chosen = {"temperature": temperature if place else 0.0, "seed": models.seed + place}
                settings = task.arm.settings.model_copy(update={"models": models.model_copy(update=chosen)})
                async with open_system(task._replace(arm=task.arm._replace(settings=settings))) as own:
                    for case in task.arm.data.cases:
                        await study.ask(case, name, own)


STUDIES: Mapping[StudyName, Callable[..., Awaitable[None]]] = {
    "contexts": study_contexts,
    "ablation": study_ablation,
    "robustness": study_robustness,
    "uncertainty": study_uncertainty,
}
"""Study → what asks the cases of one arm; its parameters, but for the task, are what the command is given."""
