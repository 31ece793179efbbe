"""Questions that what is searched does not answer, made from those that it does, and mixed with them.

The document that answers is kept away, and no other has the question's rarest word together with the next ones: that is
looked up in every library that would be searched, in whatever form the words are.
"""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from wellsourced.errors import SourceError, SourceRefused
from wellsourced.lazy import lazy_regex
from wellsourced.question.vocabulary import Lexicon
from wellsourced.sources.base import CountingSource, IncrementalIndex, Source
from wellsourced.text.lexicon import STOP_WORDS, word_set
from wellsourced.types import Query
from wellsourced_evaluate.builders.built_set import BuildHeader, LeftOut, Row, SetRecipe
from wellsourced_evaluate.questions.answering import describe_source
from wellsourced_evaluate.questions.case_rows import QuestionCase, case_to_row
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
_IN_BRACKETS = lazy_regex(r"\([^()]*\)")
_CONTENT_WORD = lazy_regex(r"(?<![\w-])[A-Za-z0-9][\w-]*[A-Za-z0-9](?![\w-])")


async def unanswerable_recipe(data: QuestionSet, sources: Sequence[Source]) -> SetRecipe[QuestionCase]:
    """How a question is put beside the same without its source. Raises SourceRefused where there is no library."""
    libraries = [one for one in sources if isinstance(one, IncrementalIndex) and isinstance(one, CountingSource)]
    if not libraries:
        raise SourceRefused("No library to look up what is not in it. Make one, or name it.")

    hashes = {one.name: one.sha256 for one in [await describe_source(library) for library in libraries]}
    live = sorted(one.name for one in sources if one not in libraries)
    return SetRecipe(
        BuildHeader(
            builder="unanswerable-questions",
            seed=data.seed,
            settings={"set": data.name, "limit": data.limit},
            inputs={data.name: data.sha256, **hashes},
        ),
        {case.id: case for case in data.cases},
        partial(_vary_case, libraries),
        "Looked up {done:,} of {every:,} questions",
        count_by=("answerable",),
        notes=(f"Not looked up: {', '.join(live)}.",) if live else (),
    )


async def _vary_case(libraries: Sequence[Source], case: QuestionCase) -> Sequence[Row]:
    """A question that is answered, and beside it the same without its source."""
    if reason := await _why_not_answered(case, libraries):
        raise LeftOut(reason, case.question)
    why = await _why_not_answerable(case, libraries)
    if not why:
        raise LeftOut("no part of it is certain to be unanswered", case.question)
    original = case_to_row(case) | {"answerable": True, "group": case.group or case.id}
    kept = ("question", "source", "group", "options", "as_of")
    removed: Row = {name: original[name] for name in kept if name in original}
    removed |= {"id": f"{case.id}-source-removed", "answerable": False, "variant": "source-removed"}
    removed |= {"why": why, "made_from": case.id, "exclude": list(case.source_ids)}
    return [original, removed]


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
    keys = await _rarest_words(case.question, libraries)
    queries = [Query(terms=(f"{keys[0]} {key}",), exclude=case.source_ids) for key in keys[1:]]
    counting = [one for one in libraries if isinstance(one, CountingSource)]
    # Documents that hold both words, in whatever form.
    if not queries or any([await library.count(query) for query in queries for library in counting]):
        return ""
    listed = " or ".join(f"“{key}”" for key in keys[1:])
    return f"what it was made from is kept away, and no other document has “{keys[0]}” together with {listed}"


async def _rarest_words(question: str, libraries: Sequence[Source]) -> tuple[str, ...]:
    """The words of what a question is about that are in the fewest documents, and in one at least."""
    every = dict.fromkeys(word.lower() for word in _CONTENT_WORD.findall(_IN_BRACKETS.sub(" ", question)))
    words = [word for word in every if word not in STOP_WORDS and word not in _ASKING_WORDS]
    counts = dict.fromkeys(words, 0)
    for library in libraries:
        if isinstance(library, Lexicon):
            for word, count in (await library.frequencies(words)).counts.items():
                counts[word] += count
    known = [word for word in words if counts[word]]
    return tuple(sorted(known, key=lambda word: (counts[word], word))[:KEY_TERMS])
