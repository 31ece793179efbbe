"""The four studies: under which conditions each case is asked.

`contexts` after BriefContext (Zhang et al., npj Digital Medicine 2025): models overlook what is in the middle.
`uncertainty` samples the answers that LUQ compares.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

from wellsourced import config
from wellsourced.context import Context
from wellsourced.errors import SourceRefused
from wellsourced.types import Document, Question, SourceKind
from wellsourced_evaluate.contexts.documents import (
    CaseDocuments,
    CasePool,
    DocumentPool,
    Filler,
    FixedSource,
    LeftOutCase,
    LibraryPool,
    find_case_documents,
    fix_context,
    without_documents,
)
from wellsourced_evaluate.contexts.perturbations import perturb_question
from wellsourced_evaluate.contexts.study import StudyName, StudyTask, open_study
from wellsourced_evaluate.corpus import open_corpus
from wellsourced_evaluate.questions.case_rows import QuestionCase
from wellsourced_evaluate.questions.cases import build_question

ContextKind = Literal["nothing", "gold", "placed", "distractors"]

PERCENTILES = (0, 25, 50, 75, 100)
"""Where the gold document is, in percent of the context."""

ALL_SOURCES, UNCHANGED, GREEDY = "all sources", "as it is", "temperature 0"
"""The conditions of an ablation, of other words and of samples that all others are compared with."""


class ContextCondition(NamedTuple):
    """What a case is answered from.

    name    as records and tables have it
    size    documents in all; 0: none
    place   the index of the gold document among them; None: it is not there
    """

    name: str
    size: int
    place: int | None

    @property
    def distractors(self) -> int:
        """Documents that do not answer."""
        return self.size if self.place is None else self.size - 1


def list_conditions(kinds: Sequence[ContextKind], sizes: Sequence[int], *, has_model: bool) -> list[ContextCondition]:
    """All conditions, in order; places that coincide in a short context are one. Without a model, none of nothing."""
    found: list[ContextCondition] = []
    if "nothing" in kinds and has_model:
        found.append(ContextCondition("nothing", 0, None))
    if "gold" in kinds:
        found.append(ContextCondition("gold alone", 1, 0))
    for size in sizes:
        if "placed" in kinds:
            percents = {min(size - 1, size * percent // 100): percent for percent in PERCENTILES[::-1]}
            for place, percent in sorted(percents.items()):
                found.append(ContextCondition(f"gold at {percent} % of {size}", size, place))
        if "distractors" in kinds:
            found.append(ContextCondition(f"{size - 1} distractors alone", size - 1, None))
    return found


def build_documents(found: CaseDocuments, condition: ContextCondition) -> list[Document]:
    """The documents of a condition, in order."""
    documents = found.draw_distractors(condition.distractors)
    if condition.place is not None:
        documents.insert(condition.place, found.gold)
    return documents


async def study_contexts(
    task: StudyTask,
    *,
    corpus: str,
    kind: SourceKind,
    kinds: Sequence[ContextKind],
    sizes: Sequence[int],
    filler: Filler,
) -> None:
    """Each case from its gold document alone, from it among others at five places, from others, from nothing.

    corpus   file or library that distractors are taken from; "": the contexts of the other cases
    kind     of its documents
    kinds    of conditions, those that are asked
    sizes    documents of a context, the gold one among them

    Raises SourceRefused when no case has a gold document, or the file holds another study.
    """
    # What understands, writes and judges; whatever it could search is not asked.
    bare = task.settings.model_copy(update={"guidelines": False, "libraries": (), "graph": False, "retractions": ()})
    async with AsyncExitStack() as stack:
        pool: DocumentPool = CasePool(task.data.cases)
        if corpus:
            # Documents are found by their words, without vectors.
            words = task.settings.model_copy(update={"encoder": "none"})
            built = await open_corpus(corpus, words, kind, task.emit)
            library = config.open_library(built.settings, built.library, build=False)
            pool = LibraryPool(await stack.enter_async_context(library))
        context = await stack.enter_async_context(config.open_context(bare, live=(), emit=task.emit))
        conditions = list_conditions(kinds, sizes, has_model=context.has_model)
        if not conditions:
            raise SourceRefused("Nothing is asked: without documents only a language model answers. Give --model NAME.")
        found, left_out = await _find_documents(task, pool, max(one.distractors for one in conditions), filler)
        golds = {one.gold.reference.id: one.gold for one in found.values()}
        source = pool.library if isinstance(pool, LibraryPool) else FixedSource(list(golds.values()))
        names = [one.name for one in conditions]
        parameters = {"corpus": Path(corpus).name, "documents": list(sizes), "filler": filler}
        described = replace(context, sources=(source,))
        async with open_study(task, "contexts", described, names, parameters, left_out) as study:
            for case in (one for one in task.data.cases if one.id in found):
                own, gold = found[case.id], found[case.id].gold.reference.id
                for condition in conditions:
                    documents = build_documents(own, condition)
                    fixed = fix_context(context, documents) if documents else without_documents(context)
                    question = _change_question(case, given=tuple(one.reference.id for one in documents))
                    known = gold if documents else ""
                    await study.ask(case, condition.name, fixed, question=question, gold_document=known)


async def _find_documents(
    task: StudyTask, pool: DocumentPool, wanted: int, filler: Filler
) -> tuple[dict[str, CaseDocuments], dict[str, str]]:
    """Case → its documents, the same under every condition; case → why it is not asked."""
    found: dict[str, CaseDocuments] = {}
    left_out: dict[str, str] = {}
    for number, case in enumerate(task.data.cases):
        task.say(f"documents of {number:,} of {len(task.data.cases):,} cases")
        try:
            found[case.id] = await find_case_documents(case, pool, wanted, filler, task.seed)
        except LeftOutCase as why:
            left_out[case.id] = str(why)
    if not found:
        reason = next(iter(left_out.values()))
        remedy = "Give --corpus with the documents that `source` names, or a field `context` in each line."
        raise SourceRefused(f"No case of {task.data.name} can be asked: {reason}. {remedy}")
    return found, left_out


@asynccontextmanager
async def open_system(task: StudyTask, corpus: str) -> AsyncIterator[Context]:
    """What the settings describe; with a corpus it alone is searched."""
    if not corpus:
        async with config.open_context(task.settings, emit=task.emit) as context:
            yield context
        return
    built = await open_corpus(corpus, task.settings, "research", task.emit)
    async with config.open_context(built.settings, libraries=(built.library,), live=(), emit=task.emit) as context:
        yield context


def _change_question(case: QuestionCase, **changes: object) -> Question:
    return build_question(case, "allowed").model_copy(update=changes)


async def study_ablation(task: StudyTask, *, corpus: str, documents: int) -> None:
    """Each case with all sources, without each of them, and without each of the first documents that it then cites.

    documents   that are left out in turn, at most

    Raises SourceRefused when nothing answers, or the file holds another study.
    """
    async with open_system(task, corpus) as context:
        names = [one.name for one in context.sources] if len(context.sources) > 1 else []
        conditions = (ALL_SOURCES, *(f"without {name}" for name in names))
        parameters = {"corpus": Path(corpus).name, "cited documents": documents}
        async with open_study(task, "ablation", context, conditions, parameters) as study:
            for case in task.data.cases:
                base = await study.ask(case, ALL_SOURCES, context)
                for name in names:
                    others = tuple(one for one in context.sources if one.name != name)
                    await study.ask(case, f"without {name}", replace(context, sources=others), base=base)
                own = build_question(case, "allowed").exclude
                for place, document in enumerate(base.cited[:documents], start=1):
                    question = _change_question(case, exclude=(*own, document))
                    await study.ask(case, f"without cited document {place}", context, question=question, base=base)


async def study_robustness(task: StudyTask, *, corpus: str, wanted: Sequence[str]) -> None:
    """Each case as it is, and in each of the other wordings that can be made of it.

    Raises SourceRefused when nothing answers, or the file holds another study.
    """
    async with open_system(task, corpus) as context:
        model = context.model if context.has_model else None
        parameters = {"corpus": Path(corpus).name}
        async with open_study(task, "robustness", context, (UNCHANGED, *wanted), parameters) as study:
            for case in task.data.cases:
                base = await study.ask(case, UNCHANGED, context)
                made = await perturb_question(case.question, case.id, task.seed, wanted, model)
                for name in (one for one in wanted if one in made):
                    question = _change_question(case, text=made[name])
                    await study.ask(case, name, context, question=question, base=base)


async def study_uncertainty(task: StudyTask, *, corpus: str, samples: int, temperature: float) -> None:
    """Each case answered once at temperature 0, then so often at this temperature, each time with another seed.

    Without a language model once only: the sources' own sentences are the same each time. Raises SourceRefused when
    nothing answers, or the file holds another study.
    """
    models = task.settings.models
    async with open_system(task, corpus) as context:
        names = [f"sample {number}" for number in range(1, samples + 1)] if context.has_model else []
        parameters = {"corpus": Path(corpus).name, "samples": samples, "temperature": temperature}
        async with open_study(task, "uncertainty", context, (GREEDY, *names), parameters) as study:
            for place, name in enumerate((GREEDY, *names)):
                chosen = {"temperature": temperature if place else 0.0, "seed": models.seed + place}
                settings = task.settings.model_copy(update={"models": models.model_copy(update=chosen)})
                async with open_system(task._replace(settings=settings), corpus) as own:
                    for case in task.data.cases:
                        await study.ask(case, name, own)


STUDIES: Mapping[StudyName, Callable[..., Awaitable[None]]] = {
    "contexts": study_contexts,
    "ablation": study_ablation,
    "robustness": study_robustness,
    "uncertainty": study_uncertainty,
}
"""Study → what asks the cases of one arm; its parameters, but for the task, are what the command is given."""
