"""Each case answered from its gold document alone, from it among others at five places, from others, from nothing.

After BriefContext (Zhang et al., npj Digital Medicine 2025): models overlook what stands in the middle.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

from wellsourced import config
from wellsourced.context import Context
from wellsourced.errors import SourceRefused
from wellsourced.sources.base import Source
from wellsourced.types import Document, SourceKind
from wellsourced_evaluate.contexts.documents import (
    CaseDocuments,
    CasePool,
    DocumentPool,
    Filler,
    FixedSource,
    LeftOutCase,
    LibraryPool,
    ask_of_documents,
    find_case_documents,
    fix_context,
    without_documents,
)
from wellsourced_evaluate.contexts.study import (
    AskedCase,
    StudyRun,
    StudyTask,
    answer_under_condition,
    describe_study,
    open_study,
    read_study,
)
from wellsourced_evaluate.corpus import open_corpus
from wellsourced_evaluate.questions.case_rows import QuestionCase
from wellsourced_evaluate.questions.cases import build_question

ContextKind = Literal["nothing", "gold", "placed", "distractors"]

PERCENTILES = (0, 25, 50, 75, 100)
"""Where the gold document stands, in percent of the context."""


class ContextCondition(NamedTuple):
    """What a case is answered from.

    size      documents in all; 0: none
    percent   where the gold document stands among them
    """

    kind: ContextKind
    size: int = 0
    percent: int = 0

    @property
    def name(self) -> str:
        """As it stands in records and tables."""
        if self.kind == "placed":
            return f"gold at {self.percent} % of {self.size}"
        return {"nothing": "nothing", "gold": "gold alone"}.get(self.kind, f"{self.size} distractors alone")

    @property
    def place(self) -> int:
        """The index of the gold document: floor(size · percent / 100), the last one at most."""
        return min(self.size - 1, self.size * self.percent // 100)


class ContextPlan(NamedTuple):
    """What contexts are made of.

    corpus   file or library that distractors are taken from; "": the contexts of the other cases
    kind     of its documents
    kinds    of conditions, those that are asked
    sizes    documents of a context, the gold one among them
    """

    corpus: str
    kind: SourceKind
    kinds: tuple[ContextKind, ...]
    sizes: tuple[int, ...]
    filler: Filler


def list_conditions(kinds: Sequence[ContextKind], sizes: Sequence[int], *, has_model: bool) -> list[ContextCondition]:
    """All conditions, in order; places that coincide in a short context are one. Without a model, none of nothing."""
    found: list[ContextCondition] = []
    if "nothing" in kinds and has_model:
        found.append(ContextCondition("nothing"))
    if "gold" in kinds:
        found.append(ContextCondition("gold", 1))
    for size in sizes:
        if "placed" in kinds:
            placed = {one.place: one for one in (ContextCondition("placed", size, it) for it in PERCENTILES[::-1])}
            found += sorted(placed.values(), key=lambda one: one.percent)
        if "distractors" in kinds:
            found.append(ContextCondition("distractors", size - 1))
    return found


def build_documents(found: CaseDocuments, condition: ContextCondition) -> list[Document]:
    """The documents of a condition, in order."""
    if condition.kind == "gold":
        return [found.gold]
    if condition.kind == "distractors":
        return found.draw_distractors(condition.size)
    placed = found.draw_distractors(condition.size - 1)
    placed.insert(condition.place, found.gold)
    return placed


@asynccontextmanager
async def open_pool(task: StudyTask, plan: ContextPlan) -> AsyncIterator[tuple[DocumentPool, tuple[Source, ...]]]:
    """The documents, and the library that they are in. They are found by their words, without vectors."""
    if not plan.corpus:
        yield CasePool(task.data.cases), ()
        return
    words = task.settings.model_copy(update={"encoder": "none"})
    corpus = await open_corpus(plan.corpus, words, plan.kind, task.emit)
    async with config.open_library(corpus.settings, corpus.library, build=False) as library:
        yield LibraryPool(library), (library,)


async def study_contexts(task: StudyTask, plan: ContextPlan) -> StudyRun:
    """Ask every case under every condition that has no answer yet; each is on the disk before the next is asked.

    Raises SourceRefused when no case has a gold document, or the file holds another study.
    """
    async with open_pool(task, plan) as (pool, sources), open_bare_context(task) as context:
        conditions = list_conditions(plan.kinds, plan.sizes, has_model=context.has_model)
        if not conditions:
            raise SourceRefused("Nothing is asked: without documents only a language model answers. Give --model NAME.")
        found, left_out = await _find_documents(task, plan, pool, conditions)
        names = tuple(one.name for one in conditions)
        parameters = {"corpus": Path(plan.corpus).name, "documents": list(plan.sizes), "filler": plan.filler}
        described = _describe_sources(context, sources, found)
        header = await describe_study("contexts", task, described, names, parameters, left_out)
        with open_study(task.out, header, fresh=task.fresh) as writer:
            every = [(case, one) for case in task.data.cases if case.id in found for one in conditions]
            for case, condition in every:
                task.say(f"{len(writer.records):,} of {len(every):,} answers")
                if (condition.name, case.id) not in writer.records:
                    asked = build_asked_case(case, condition, found[case.id], context, task)
                    writer.add(await answer_under_condition(asked))
    return read_study(task.out)


def build_asked_case(
    case: QuestionCase, condition: ContextCondition, found: CaseDocuments, context: Context, task: StudyTask
) -> AskedCase:
    """The case as it is put under a condition."""
    question = build_question(case, "allowed")
    if condition.kind == "nothing":
        return AskedCase(case, condition.name, question, without_documents(context), task.judge)
    documents, gold = build_documents(found, condition), found.gold.reference.id
    fixed = fix_context(context, documents)
    return AskedCase(case, condition.name, ask_of_documents(question, documents), fixed, task.judge, gold)


async def _find_documents(
    task: StudyTask, plan: ContextPlan, pool: DocumentPool, conditions: Sequence[ContextCondition]
) -> tuple[dict[str, CaseDocuments], dict[str, str]]:
    """Case → its documents, the same under every condition; case → why it is not asked."""
    others = [one.size - (one.kind == "placed") for one in conditions if one.kind in ("placed", "distractors")]
    wanted = max(others, default=0)
    found: dict[str, CaseDocuments] = {}
    left_out: dict[str, str] = {}
    for number, case in enumerate(task.data.cases):
        task.say(f"documents of {number:,} of {len(task.data.cases):,} cases")
        try:
            found[case.id] = await find_case_documents(case, pool, wanted, plan.filler, task.seed)
        except LeftOutCase as why:
            left_out[case.id] = str(why)
    if not found:
        reason = next(iter(left_out.values()))
        remedy = "Give --corpus with the documents that `source` names, or a field `context` in each line."
        raise SourceRefused(f"No case of {task.data.name} can be asked: {reason}. {remedy}")
    return found, left_out


@asynccontextmanager
async def open_bare_context(task: StudyTask) -> AsyncIterator[Context]:
    """Who understands, writes and judges; whatever it could search is not asked."""
    bare = task.settings.model_copy(update={"guidelines": False, "libraries": (), "graph": False, "retractions": ()})
    async with config.open_context(bare, live=(), emit=task.emit) as context:
        yield context


def _describe_sources(context: Context, sources: Sequence[Source], found: Mapping[str, CaseDocuments]) -> Context:
    """The context as the header tells it: of the corpus, else of the documents themselves."""
    every = {one.gold.reference.id: one.gold for one in found.values()}
    return replace(context, sources=tuple(sources) or (FixedSource(list(every.values())),))
