"""The file in which the answers of one arm are recorded as they are given: a header line, then a line for each case.

A run that was cut short goes on where it was, if it is the same run: same questions, settings, libraries and code.
"""

import hashlib
import json
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from pydantic import Field, TypeAdapter

from wellsourced.errors import UnreadableFile
from wellsourced.types import Value
from wellsourced_evaluate.questions.answer_marks import ExactMark, FactMark, GoldSpan, QuotedSpan
from wellsourced_evaluate.questions.cases import Regime
from wellsourced_evaluate.record_log import LogForm, LogHeader, RecordLog

Outcome = Literal["right", "wrong", "unparsed", "abstained", "failed"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

REMEDY = "Give a file or a folder that `wellsourced evaluate run` wrote."


class RecordedSource(Value):
    """What was searched, as it was then; `sha256` of what it holds, "" for a source on the network: that may change."""

    name: str
    kind: str
    documents: int = 0
    passages: int = 0
    sha256: str = ""


class AnswerRunHeader(LogHeader):
    """Of what run the lines below are.

    code       of this package, beginning of its sha256
    model      who writes; "extractive": nobody, sections of the sources are shown
    judge      who says whether a statement that has no pattern is said
    data       of the set: name, form, sha256, limit, seed, cases
    settings   dotted name → value, of those that bear on answers and are not as they come
    snapshot   hash of the recorded searches that it read; "": it searched for itself, or not at all
    """

    wellsourced: str
    code: str
    preset: str
    model: str
    judge: str
    data: dict[str, Any]
    regime: Regime
    sources: tuple[RecordedSource, ...]
    settings: dict[str, Any]
    snapshot: str = ""

    @property
    def library(self) -> str:
        """The beginning of the sha256 of what was searched."""
        return hash_parts([one.model_dump(mode="json") for one in self.sources])


class PromptTokens(NamedTuple):
    """The calls of one kind of prompt that were not answered from the disk, and their tokens."""

    calls: int
    tokens_in: int
    tokens_out: int


class AnswerRecord(Value):
    """What came of one case. None, where a field can be that: it is not known, or the run is of an earlier version.

    question     what was asked; "" in runs of earlier versions
    choices      letter → text of a multiple choice; `options` are how many
    gold         the known answer; "" when there is none, and without a language model, which alone says one
    answerable   whether what is searched should answer it
    status       answered, abstained for the reason in `reason`, or failed for that in `error`
    label        the answer in a word, as far as it could be read; "": unparsed
    text, short  what is said, and the short answer; without a language model the sections, and what is marked in them
    marks        what should be said, and whether it is
    exact        what the exact answer is, and whether it is said
    candidates   exact answers that it names, best first; None: it speaks in sentences
    quotes       the words that its statements cite, or that are shown, and where they are
    snippets     the words that people marked as evidence, and where they are in what is searched
    references   texts of people that answer it, with which `text` is compared
    own_source   whether a document from which the question was made is among the evidence; `own_source_cited`:
                 whether a statement cites one, or a section of it is shown; `own_source_held`: whether a library has
                 one
    relevant, irrelevant   ids of the documents that were read and taken as relevant, or left; None: not recorded
    reference_read   whether a passage that was read holds a reference text word for word
    gaps         sources that failed
    calls        to language models; `cached` were answered from the disk instead; `depth`: the most that had to wait
                 for each other
    cost         US dollars; None when a price is not known
    judge_calls, judge_cost   the same, of the judge of what is said
    steps        step → seconds that passed until it ended, since the one before
    by_prompt    kind of prompt → its calls; `context_tokens`: of the passages that were read, estimated
    failed_calls   calls that a model did not answer, or not so that it could be read; the first reason in `model_error`
    prompts      hash of all calls, with their model, its settings, instruction and inputs; "" of none
    seed, model, library, at_once   of the run: what drew the cases, who was to write, what was searched (its hash), and
                 how many cases were asked at the same time
    writer       the language model whose statements these are; "": none
    as_of        the last day of what could be known when the question was made
    fitted       sets on which something was fitted that have the same question, whatever its file is called
    queries, query_words, query_diversity, passages_read, gold_density   see `measure_searches`, `measure_density`
    """

    case: str
    group: str = ""
    question: str = ""
    choices: Mapping[str, str] = Field(default_factory=dict)
    gold: str = ""
    options: int = 0
    answerable: bool | None = None
    status: Literal["answered", "abstained", "failed"]
    error: str = ""
    reason: str = ""
    label: str = ""
    text: str = ""
    short: str = ""
    marks: tuple[FactMark, ...] = ()
    kind: str = ""
    exact: tuple[ExactMark, ...] = ()
    candidates: tuple[str, ...] | None = None
    quotes: tuple[QuotedSpan, ...] = ()
    snippets: tuple[GoldSpan, ...] = ()
    references: tuple[str, ...] = ()
    cited: tuple[str, ...] = ()
    relevant: tuple[str, ...] | None = None
    irrelevant: tuple[str, ...] | None = None
    own_source: bool | None = None
    own_source_cited: bool | None = None
    own_source_held: bool | None = None
    reference_read: bool | None = None
    gaps: tuple[str, ...] = ()
    seconds: float = 0.0
    calls: int = 0
    cached: int = 0
    depth: int | None = None
    tokens: int = 0
    cost: float | None = Field(0.0)
    steps: Mapping[str, float] = Field(default_factory=dict)
    by_prompt: Mapping[str, PromptTokens] = Field(default_factory=dict)
    context_tokens: int = 0
    failed_calls: int = 0
    model_error: str = ""
    judge_calls: int = 0
    judge_cost: float | None = Field(0.0)
    prompts: str = ""
    seed: int | None = None
    model: str = ""
    library: str = ""
    at_once: int = 1
    writer: str | None = None
    as_of: date | None = None
    fitted: tuple[str, ...] = ()
    queries: int | None = None
    query_words: float | None = None
    query_diversity: float | None = None
    passages_read: int | None = None
    gold_density: float | None = None

    @property
    def lacks_its_model(self) -> bool:
        """Whether the model failed, and what is here is what is said without it."""
        return bool(self.failed_calls) and self.writer == ""

    @property
    def outcome(self) -> Outcome:
        """What it counts as; a label that no answer of the set can be is unparsed."""
        if self.status != "answered":
            return self.status
        if not self.label:
            return "unparsed"
        return "right" if self.label == self.gold else "wrong"

    @property
    def is_answered(self) -> bool:
        """Whether anything was said."""
        return self.status == "answered"

    @property
    def is_decided(self) -> bool:
        """Whether a label was said."""
        return self.outcome in ("right", "wrong")

    @property
    def needed_marks(self) -> tuple[FactMark, ...]:
        """What has to be said."""
        return tuple(mark for mark in self.marks if not mark.is_optional)


ANSWER_LOG = LogForm(
    AnswerRunHeader,
    TypeAdapter(AnswerRecord),
    key=lambda one: one.case,
    stands=lambda one: one.status != "failed" and not one.lacks_its_model,
    contents="answers to a set of questions",
    another="holds the answers of another run",
    remedy=REMEDY,
)
"""What failed, or was answered without its model, is asked again."""

AnswerLog = RecordLog[AnswerRunHeader, AnswerRecord, str]


class AnswerRun(NamedTuple):
    """A run as it is on the disk; the last line on a case counts.

    replaced   earlier lines, on cases that were asked again, since they failed before
    folder     the name of its folder, where only that tells it from another run; else ""
    """

    path: Path
    header: AnswerRunHeader
    records: Mapping[str, AnswerRecord]
    replaced: tuple[AnswerRecord, ...] = ()
    folder: str = ""

    @property
    def arm(self) -> str:
        """What it is called beside others on the same questions."""
        arm = self.header.preset if self.header.regime == "allowed" else f"{self.header.preset}, {self.header.regime}"
        return f"{arm} ({self.folder})" if self.folder else arm

    @property
    def has_judged_marks(self) -> bool:
        """Whether a judge said of anything whether it is said."""
        return any(mark.is_judged for one in self.records.values() for mark in one.marks)

    @property
    def missing(self) -> int:
        """Cases that were not asked yet."""
        return int(self.header.data["asked"]) - len(self.records)


def read_answer_run(path: Path) -> AnswerRun:
    """What a file holds. Raises UnreadableFile."""
    return AnswerRun(path, *ANSWER_LOG.read(path))


def find_runs(paths: list[Path]) -> list[AnswerRun]:
    """The runs of files, and of all files in folders. Raises UnreadableFile for a folder without any."""
    runs = []
    for path in paths:
        files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
        if not files:
            raise UnreadableFile(path, "it holds no run", REMEDY)
        runs += [read_answer_run(one) for one in files]
    return runs


def hash_parts(parts: object) -> str:
    """The beginning of the sha256 of something that JSON can say."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]
