"""Questions that what is searched does not answer, made from those that it does, and mixed with them.

source-removed   the document that answers is kept away, and no other has the question's rarest word with the next ones
other-entity     a drug or disease is another of its kind, which no document has together with a key term
made-up-entity   a drug or disease has a name that does not exist

That no document has the terms is looked up in every library that would be searched, in whatever form the words stand.
"""

import random
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from wellsourced.errors import SourceError, SourceRefused
from wellsourced.late import compile_late
from wellsourced.sources.base import CountingSource, IncrementalIndex, Lexicon, Source
from wellsourced.text.lexicon import STOP_WORDS, word_set
from wellsourced.types import Query
from wellsourced_evaluate.builders.built_set import BuildHeader, BuiltItem, Manifest, SetWriter
from wellsourced_evaluate.builders.replaced_entities import find_entities, invent_name, list_others, replace_entity
from wellsourced_evaluate.questions.answering import describe_source
from wellsourced_evaluate.questions.case_rows import QuestionCase
from wellsourced_evaluate.questions.cases import QuestionSet

BUILDER = "unanswerable-questions"

UnanswerableKind = Literal["source-removed", "other-entity", "made-up-entity"]
UNANSWERABLE_KINDS: tuple[UnanswerableKind, ...] = get_args(UnanswerableKind)

MAX_TRIED = 25
"""Other names that are looked up for one question."""

KEY_TERMS = 3
"""The rarest words of a question, by which documents are looked for that may answer it."""

QuestionProgress = Callable[[int, int], None]
"""Who hears how many questions were looked at, of how many."""

_ASKING_WORDS = word_set(
    "does what which when where whether should could would there list name known used using use role effect effects "
    "between among patients patient people associated association related many much describe definition drug drugs "
    "disease diseases treatment therapy effective efficacy compare compared improve reduce increase risk cause caused "
    "treat treated involved following always yes encountered males females male female performed limit appropriate "
    "possible nowadays updated common widely frequency frequent high low upper lower normal first early late long "
    "need needed based change changes predict related different difference time year years important new"
)
_IN_BRACKETS = compile_late(r"\([^()]*\)")
_CONTENT_WORD = compile_late(r"(?<![\w-])[A-Za-z0-9][\w-]*[A-Za-z0-9](?![\w-])")


class UnanswerableTask(NamedTuple):
    """Which questions, what is searched, what is made of them, and into which file."""

    data: QuestionSet
    sources: tuple[Source, ...]
    out: Path
    kinds: tuple[UnanswerableKind, ...] = UNANSWERABLE_KINDS
    seed: int = 7
    fresh: bool = False


class UnanswerableVariant(NamedTuple):
    """A question that is not answered, why, and what may not be read for that."""

    kind: UnanswerableKind
    question: str
    why: str
    exclude: tuple[str, ...] = ()


async def build_unanswerable_questions(task: UnanswerableTask, say: QuestionProgress) -> Manifest:
    """Write questions.jsonl with its manifest. Raises SourceRefused where there is no library, or nothing is made."""
    libraries = [one for one in task.sources if isinstance(one, IncrementalIndex) and isinstance(one, CountingSource)]
    if not libraries:
        raise SourceRefused("There is no library in which could be looked up what is not in it: make one, or name it.")
    described = [await describe_source(one) for one in libraries]
    told = task.data.to_json()
    header = BuildHeader(
        builder=BUILDER,
        seed=task.seed,
        options={"kinds": list(task.kinds), "set": told["name"], "limit": told["limit"]},
        inputs={task.data.name: task.data.sha256, **{one.name: one.sha256 for one in described}},
    )
    writer = SetWriter(task.out, header, fresh=task.fresh)
    if writer.manifest:
        return writer.manifest
    try:
        async for item in _vary_cases(task, libraries, writer.items, say):
            writer.add(item)
    finally:
        writer.close()
    live = sorted(one.name for one in task.sources if one not in libraries)
    notes = (f"Not looked up: {', '.join(live)}.",) if live else ()
    return writer.finish(("answerable", "variant"), notes)


async def _vary_cases(
    task: UnanswerableTask, libraries: Sequence[Source], known: Mapping[str, BuiltItem], say: QuestionProgress
) -> AsyncIterator[BuiltItem]:
    """One question that is not answered for each that is, the kinds in equal parts as far as they go."""
    made = {kind: sum(row.get("variant") == kind for one in known.values() for row in one.rows) for kind in task.kinds}
    for number, case in enumerate(task.data.cases):
        if case.id in known:
            continue
        say(number, len(task.data.cases))
        if reason := await _why_not_answered(case, libraries):
            yield BuiltItem(key=case.id, left_out=reason, detail=case.question)
            continue
        chance = random.Random(f"{task.seed} {case.id}")  # noqa: S311
        for kind in sorted(task.kinds, key=made.__getitem__):
            if variant := await make_variant(kind, case, libraries, chance):
                made[kind] += 1
                yield BuiltItem(key=case.id, rows=(_build_original(case), _build_row(case, variant)))
                break
        else:
            yield BuiltItem(key=case.id, left_out="nothing of it is certain not to be answered", detail=case.question)


async def _why_not_answered(case: QuestionCase, libraries: Sequence[Source]) -> str:
    """Why a question cannot be taken for one that is answered; "" when it can: a library has what it was made from."""
    if case.answerable is False:
        return "it is one that is not answered already"
    if not case.sources:
        return "it does not say from what it was made"
    for library in libraries:
        for id in case.source_ids:
            with suppress(SourceError):
                await library.open(id)
                return ""
    return "no library has what it was made from"


async def make_variant(
    kind: UnanswerableKind, case: QuestionCase, libraries: Sequence[Source], chance: random.Random
) -> UnanswerableVariant | None:
    """The question made one that is not answered; None where that is not certain."""
    if kind == "source-removed":
        return await _remove_source(case, libraries)
    entities = find_entities(case.question)
    if not entities:
        return None
    # A drug is a name of one word; what a disease is called often goes with words beside it.
    entity = chance.choice([one for one in entities if one.kind == "drug"] or entities)
    others = [word for word in _content_words(case.question) if word != entity.name.lower()]
    keys = await _rarest_words(others, libraries)
    if not keys:
        return None
    is_invented = kind == "made-up-entity"
    names = [invent_name(entity, chance) for _ in range(MAX_TRIED)] if is_invented else list_others(entity, chance)
    for name in names[:MAX_TRIED]:
        looked_up = [(name,)] if is_invented else [(name, key) for key in keys]
        if any([await _count_documents(words, libraries) for words in looked_up]):
            continue
        listed = " or ".join(f"“{key}”" for key in keys)
        why = (
            f"“{name}” is made up: no list of names and no document has it"
            if is_invented
            else f"“{name}” stands where “{entity.name}” stood, and no document has it together with {listed}"
        )
        return UnanswerableVariant(kind, replace_entity(case.question, entity, name), why)
    return None


async def _remove_source(case: QuestionCase, libraries: Sequence[Source]) -> UnanswerableVariant | None:
    keys = await _rarest_words(_content_words(case.question), libraries)
    pairs = [(keys[0], key) for key in keys[1:]]
    if not pairs or any([await _count_documents(pair, libraries, case.source_ids) for pair in pairs]):
        return None
    listed = " or ".join(f"“{key}”" for key in keys[1:])
    why = f"what it was made from is kept away, and no other document has “{keys[0]}” together with {listed}"
    return UnanswerableVariant("source-removed", case.question, why, case.source_ids)


def _content_words(question: str) -> list[str]:
    words = [match.group().lower() for match in _CONTENT_WORD.finditer(_IN_BRACKETS.sub(" ", question))]
    return [word for word in dict.fromkeys(words) if word not in STOP_WORDS and word not in _ASKING_WORDS]


async def _rarest_words(words: Sequence[str], libraries: Sequence[Source]) -> tuple[str, ...]:
    """The words that stand in the fewest documents, and in one at least."""
    counts = dict.fromkeys(words, 0)
    for library in libraries:
        if isinstance(library, Lexicon):
            for word, count in (await library.frequencies(words)).counts.items():
                counts[word] += count
    known = [word for word in words if counts[word]]
    return tuple(sorted(known, key=lambda word: (counts[word], word))[:KEY_TERMS])


async def _count_documents(words: Sequence[str], libraries: Sequence[Source], exclude: tuple[str, ...] = ()) -> int:
    """Documents that hold all of the words, in whatever form."""
    query = Query(terms=(" ".join(words),), exclude=exclude)
    return sum([await one.count(query) for one in libraries if isinstance(one, CountingSource)])


def _build_original(case: QuestionCase) -> dict[str, Any]:
    row: dict[str, Any] = {"id": case.id, "question": case.question, "answerable": True, "source": list(case.sources)}
    row |= {"answer": case.answer} if case.answer else {}
    row |= {"options": dict(case.options)} if case.options else {}
    row |= {"as_of": case.as_of.isoformat()} if case.as_of else {}
    if patterns := [{"fact": one.fact, "pattern": one.pattern} for one in case.facts if one.pattern]:
        row["facts"] = patterns
    if said := [one.fact for one in case.facts if not one.pattern]:
        row["must_have"] = said
    return row | {"group": case.group or case.id}


def _build_row(case: QuestionCase, variant: UnanswerableVariant) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": f"{case.id}-{variant.kind}",
        "question": variant.question,
        "answerable": False,
        "variant": variant.kind,
        "why": variant.why,
        "source": list(case.sources),
        "made_from": case.id,
        "group": case.group or case.id,
    }
    row |= {"options": dict(case.options)} if case.options else {}
    row |= {"as_of": case.as_of.isoformat()} if case.as_of else {}
    return row | ({"exclude": list(variant.exclude)} if variant.exclude else {})
