"""Questions that what is searched does not answer, made from those that it does, and mixed with them.

The document that answers is kept away, and no other has the question's rarest word together with the next ones: that is
looked up in every library that would be searched, in whatever form the words are.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced.errors import SourceError, SourceRefused
from wellsourced.late import compile_late
from wellsourced.sources.base import CountingSource, IncrementalIndex, Lexicon, Source
from wellsourced.text.lexicon import STOP_WORDS, word_set
from wellsourced.types import Query
from wellsourced_evaluate.builders.built_set import BuildHeader, BuildProgress, BuiltItem, Manifest, build_set
from wellsourced_evaluate.questions.answering import describe_source
from wellsourced_evaluate.questions.case_rows import QuestionCase
from wellsourced_evaluate.questions.cases import QuestionSet

KEY_TERMS = 3
"""The rarest words of a question, by which documents are looked for that may answer it."""

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
    """The questions, what is searched, and the file that is written."""

    data: QuestionSet
    sources: tuple[Source, ...]
    out: Path
    fresh: bool = False


async def build_unanswerable_questions(task: UnanswerableTask, say: BuildProgress) -> Manifest:
    """Write questions.jsonl with its manifest. Raises SourceRefused where there is no library, or nothing is made."""
    libraries = [one for one in task.sources if isinstance(one, IncrementalIndex) and isinstance(one, CountingSource)]
    if not libraries:
        raise SourceRefused("There is no library in which could be looked up what is not in it: make one, or name it.")
    described = [await describe_source(one) for one in libraries]
    told = task.data.to_json()
    header = BuildHeader(
        builder="unanswerable-questions",
        seed=task.data.seed,
        settings={"set": told["name"], "limit": told["limit"]},
        inputs={task.data.name: task.data.sha256, **{one.name: one.sha256 for one in described}},
    )
    live = sorted(one.name for one in task.sources if one not in libraries)
    notes = (f"Not looked up: {', '.join(live)}.",) if live else ()
    return await build_set(
        task.out, header, lambda known: _vary_cases(task, libraries, known, say), notes, ("answerable",), task.fresh
    )


async def _vary_cases(
    task: UnanswerableTask, libraries: Sequence[Source], known: Mapping[str, BuiltItem], say: BuildProgress
) -> AsyncIterator[BuiltItem]:
    """Each question that is answered, and beside it the same without its source."""
    for number, case in enumerate(task.data.cases):
        if case.id in known:
            continue
        say(number, len(task.data.cases))
        if reason := await _why_not_answered(case, libraries):
            yield BuiltItem(key=case.id, left_out=reason, detail=case.question)
        elif why := await _why_not_answerable(case, libraries):
            yield BuiltItem(key=case.id, rows=(_build_original(case), _build_row(case, why)))
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


async def _why_not_answerable(case: QuestionCase, libraries: Sequence[Source]) -> str:
    """Why nothing answers it without its source; "" where that is not certain."""
    keys = await _rarest_words(_content_words(case.question), libraries)
    pairs = [(keys[0], key) for key in keys[1:]]
    if not pairs or any([await _count_documents(pair, libraries, case.source_ids) for pair in pairs]):
        return ""
    listed = " or ".join(f"“{key}”" for key in keys[1:])
    return f"what it was made from is kept away, and no other document has “{keys[0]}” together with {listed}"


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


def _build_row(case: QuestionCase, why: str) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": f"{case.id}-source-removed",
        "question": case.question,
        "answerable": False,
        "variant": "source-removed",
        "why": why,
        "source": list(case.sources),
        "made_from": case.id,
        "group": case.group or case.id,
    }
    row |= {"options": dict(case.options)} if case.options else {}
    row |= {"as_of": case.as_of.isoformat()} if case.as_of else {}
    return row | {"exclude": list(case.source_ids)}
