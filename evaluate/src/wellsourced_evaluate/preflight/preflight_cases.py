"""Cases of the preflight: what it predicted of a question, and whether it happened.

It is an issue when no document that answers stands among the first three (BriefContext, Zhang et al., npj Digital
Medicine 2025). A question of which none was found is left out and counted: neither way of reading can help it.
"""

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import TypeAdapter

from wellsourced.context import Context
from wellsourced.errors import SourceUnavailable, UnreadableFile, WellsourcedError
from wellsourced.pipeline.retrieve.retrieval import retrieve
from wellsourced.pipeline.write.map_reduce import run_preflight
from wellsourced.policy import CondensePolicy
from wellsourced.readers.decompressed_file import iter_lines
from wellsourced.types import Document, Passage, Question, Reference, Value
from wellsourced_evaluate.beir import Topics, hash_file
from wellsourced_evaluate.record_log import LogForm, LogHeader, RecordLog
from wellsourced_evaluate.recorded_summaries import draw_cases, refuse_faults

READ, SPOTLIGHT = 16, 3
"""Documents that are read of a question; places at which a model is known to see what answers."""

LINE_FORMAT = (
    'A line reads {"id": "q1", "predicted": true, "happened": false}, or has "question", "passages" '
    '([{"id": "d1", "text": "…"}], best first) and "relevant" (["d1"]).'
)

PreflightProgress = Callable[[int, int], None]
"""Who hears how many questions are done, of how many."""


class PreflightHeader(LogHeader):
    """Of what run the lines below are."""

    wellsourced: str
    files: dict[str, str | int]
    top: int
    delta: float


class PreflightCase(Value):
    """One question.

    predicted  the preflight said that what answers may stand in the middle: the passages would be read in parts
    happened   no document that answers stands among the first three; None: none was found
    place      of the first document that answers, from 1
    error      why it could not be searched; then it is in no figure
    """

    id: str
    predicted: bool = False
    happened: bool | None = None
    place: int | None = None
    error: str = ""


PREFLIGHT_LOG = LogForm(
    PreflightHeader, TypeAdapter(PreflightCase), key=lambda one: one.id, stands=lambda one: not one.error
)
"""What failed is searched again."""

PreflightLog = RecordLog[PreflightHeader, PreflightCase, str]


class PreflightCases(NamedTuple):
    """The cases, of which file, and how many it has."""

    cases: tuple[PreflightCase, ...]
    files: dict[str, str]
    recorded: int


class _BadCase(Exception):
    """What a line lacks."""


def read_cases(path: Path, policy: CondensePolicy, limit: int = 0) -> PreflightCases:
    """Every case of a file; with a limit, so many of them. Raises UnreadableFile that names lines of no use."""
    cases: list[PreflightCase] = []
    faults: list[str] = []
    lines: dict[str, int] = {}
    for number, line in iter_lines(path):
        try:
            fields = json.loads(line.decode("utf-8"))
            if number == 1 and isinstance(fields, dict) and "wellsourced" in fields:
                # What --out of this evaluation wrote begins with its header.
                continue
            case = _build_case(fields, policy)
            if case.id in lines:
                raise _BadCase(f"the id “{case.id}” stands on line {lines[case.id]} already")
            lines[case.id] = number
            cases.append(case)
        except _BadCase as bad:
            faults.append(f"line {number}: {bad}")
        except (ValueError, RecursionError):
            faults.append(f"line {number}: it is no JSON")
    refuse_faults(path, faults)
    if not cases:
        raise UnreadableFile(path, "it holds no case", LINE_FORMAT)
    return PreflightCases(draw_cases(cases, limit), {path.name: hash_file(path)[:16]}, len(cases))


def _build_case(fields: Any, policy: CondensePolicy) -> PreflightCase:
    if not isinstance(fields, dict) or not str(fields.get("id") or "").strip():
        raise _BadCase("it has no id")
    id = str(fields["id"])
    if "passages" in fields:
        return _predict_case(id, fields, policy)
    predicted, happened = fields.get("predicted"), fields.get("happened")
    if fields.get("error"):
        return PreflightCase(id=id, error=str(fields["error"]))
    if not isinstance(predicted, bool):
        raise _BadCase("its predicted is neither true nor false")
    if "happened" not in fields or not isinstance(happened, bool | None):
        raise _BadCase("its happened is none of true, false and null")
    return PreflightCase(id=id, predicted=predicted, happened=happened)


def _predict_case(id: str, fields: dict[str, Any], policy: CondensePolicy) -> PreflightCase:
    question, given, relevant = fields.get("question"), fields.get("passages"), fields.get("relevant")
    if not isinstance(question, str) or not question.strip():
        raise _BadCase("it has no question")
    if not isinstance(relevant, list):
        raise _BadCase("its relevant is no list of ids")
    if not isinstance(given, list) or not all(
        isinstance(one, dict) and one.get("id") and isinstance(one.get("text"), str) for one in given
    ):
        raise _BadCase("its passages are no list of id and text")
    passages = [_whole_passage(str(one["id"]), str(one.get("title") or ""), one["text"]) for one in given]
    return predict(id, question, passages, {str(one) for one in relevant}, policy)


def _whole_passage(id: str, title: str, text: str) -> Passage:
    document = Document(reference=Reference(id=id, title=title), text=text)
    return Passage(reference=document.reference, text=text, start=0, end=len(text))


def predict(
    id: str, question: str, passages: Sequence[Passage], relevant: Collection[str], policy: CondensePolicy
) -> PreflightCase:
    """What the preflight says of these passages, best first, and whether what answers stands behind the first."""
    read = best_of_documents(passages)
    place = next((place for place, one in enumerate(read, 1) if one.reference.id in relevant), None)
    said = run_preflight(question, read, policy.top, policy.delta, policy.parts)
    return PreflightCase(
        id=id, predicted=said.mapped, happened=None if place is None else place > SPOTLIGHT, place=place
    )


def best_of_documents(passages: Iterable[Passage]) -> list[Passage]:
    """The best passage of each of the documents that are read."""
    first: dict[str, Passage] = {}
    for one in passages:
        first.setdefault(one.reference.id, one)
    return [*first.values()][:READ]


def build_header(topics: Topics, corpus: str, policy: CondensePolicy) -> PreflightHeader:
    """What has to be the same for cases to be the same."""
    files = dict(topics.files) | {"corpus_sha256": corpus}
    return PreflightHeader(wellsourced=version("wellsourced"), files=files, top=policy.top, delta=policy.delta)


async def search_cases(
    topics: Topics, context: Context, policy: CondensePolicy, log: PreflightLog, say: PreflightProgress
) -> list[PreflightCase]:
    """Every query searched and judged by the preflight; each is on the disk before the next."""
    left = [query for query in topics.texts if query not in log.records]
    for place, query in enumerate(left):
        say(len(topics.texts) - len(left) + place, len(topics.texts))
        log.add(await _search_case(query, topics, context, policy))
    return [log.records[query] for query in topics.texts]


async def _search_case(query: str, topics: Topics, context: Context, policy: CondensePolicy) -> PreflightCase:
    text = topics.texts[query]
    try:
        found = await retrieve(Question(text=text), context)
        if failed := next((one for one in found.attempts if one.status == "failed"), None):
            raise SourceUnavailable(failed.error)
    except WellsourcedError as error:
        return PreflightCase(id=query, error=str(error))
    relevant = {document for document, grade in topics.qrels[query].items() if grade > 0}
    return predict(query, text, [one.passage for one in found.candidates], relevant, policy)
