"""Whether the preflight tells that what answers is where a model overlooks it: what it predicted, what happened.

It is an issue when no document that answers is among the first three (BriefContext, Zhang et al., npj Digital Medicine
2025). A question of which none was found is left out and counted: neither way of reading can help it. The preflight
itself is pipeline/write/map_reduce.py.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import NamedTuple

from pydantic import Field, StrictBool, TypeAdapter, model_validator

from wellsourced.context import Context
from wellsourced.errors import SourceUnavailable, WellsourcedError
from wellsourced.pipeline.retrieve.retrieval import RetrievalResult, retrieve
from wellsourced.pipeline.write.map_reduce import is_agreement, run_preflight
from wellsourced.policy import CondensePolicy
from wellsourced.presentation.wording import format_count
from wellsourced.types import Passage, Question, Reference, Value
from wellsourced_evaluate.beir import Topics
from wellsourced_evaluate.record_log import LogForm, LogHeader
from wellsourced_evaluate.recorded_rows import RecordedRow, Words
from wellsourced_evaluate.statistics import pool_cases
from wellsourced_evaluate.tables import Block, Bullets, Interval, Table, Text

READ, SPOTLIGHT = 16, 3
"""Documents that are read of a question; places at which a model is known to see what answers."""

TOPS = tuple(range(1, 11))
DELTAS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
"""Settings of the preflight that a sweep goes through: how many best passages are compared, and the least overlap."""

KINDS = {"tp": (True, True), "fp": (True, False), "fn": (False, True), "tn": (False, False)}
"""Kind of a case → whether it was said to be an issue, and is one."""

SHARES = {
    "preflight_precision": ((1, 1), (0, 1), (0, 0), (0, 0)),
    "preflight_recall": ((1, 1), (0, 0), (0, 1), (0, 0)),
    "preflight_f1": ((2, 2), (0, 1), (0, 1), (0, 0)),
    "preflight_specificity": ((0, 0), (0, 1), (0, 0), (1, 1)),
    "preflight_invoked": ((1, 1), (1, 1), (0, 1), (0, 1)),
    "preflight_prevalence": ((1, 1), (0, 1), (1, 1), (0, 1)),
}
"""Metric → of a case of each kind, in the order of KINDS, its part and its whole."""


class SearchLogHeader(LogHeader):
    """Of what run the lines below are: other questions, settings or another version are another run."""

    wellsourced: str = Field(default_factory=lambda: version("wellsourced"))
    files: dict[str, str | int]
    settings: dict[str, str | float]


class PreflightCase(Value):
    """One question.

    predicted  the preflight said that what answers may be in the middle: the passages would be read in parts
    happened   no document that answers is among the first three; None: none was found
    place      of the first document that answers, from 1
    read       documents; shared: of the first one, two, three … of both rankings, how many stand in both
    error      why it could not be searched; then it is in no figure
    """

    id: str
    predicted: bool = False
    happened: bool | None = None
    place: int | None = None
    read: int = 0
    shared: tuple[int, ...] = ()
    error: str = ""

    def predict(self, top: int, delta: float) -> bool:
        """What the preflight would say with these settings."""
        return self.read > top and not is_agreement(self.shared[top - 1], top, delta)


PREFLIGHT_LOG = LogForm(
    SearchLogHeader, TypeAdapter(PreflightCase), key=lambda case: case.id, stands=lambda case: not case.error
)
"""What failed is searched again."""


class RankedDocument(RecordedRow):
    """A document of a ranking."""

    id: Words
    text: str
    title: str = ""


class RecordedCase(RecordedRow):
    """A line of a file: what was predicted and happened, or a ranking of which the preflight is asked."""

    id: Words
    predicted: StrictBool | None = None
    happened: StrictBool | None = None
    error: str = ""
    question: str = ""
    passages: tuple[RankedDocument, ...] | None = None
    relevant: frozenset[str] = frozenset()

    @model_validator(mode="after")
    def _require_a_case(self) -> "RecordedCase":
        known = self.model_fields_set
        if self.passages is not None:
            if not self.question.strip() or "relevant" not in known:
                raise ValueError("a ranking needs a question and the relevant ids")
        elif not self.error and (self.predicted is None or "happened" not in known):
            raise ValueError("it needs predicted (true, false) and happened (true, false, null)")
        return self

    def to_case(self, policy: CondensePolicy) -> PreflightCase:
        """The case, after the preflight was asked where it is a ranking."""
        if self.passages is not None:
            passages = [
                Passage(reference=Reference(id=one.id, title=one.title), text=one.text, start=0, end=len(one.text))
                for one in self.passages
            ]
            return predict(self.id, self.question, passages, self.relevant, policy)
        return PreflightCase(id=self.id, predicted=bool(self.predicted), happened=self.happened, error=self.error)


class PreflightShare(NamedTuple):
    """A share with its interval, what it is of, and what always reading in parts comes to; None of nothing."""

    value: float | None
    low: float | None
    high: float | None
    whole: int
    floor: float | None


class PreflightFigures(NamedTuple):
    """What came of all cases.

    not_retrieved   of which no document that answers was found: in no share
    failed          which could not be searched: likewise
    """

    counts: Mapping[str, int]
    shares: Mapping[str, PreflightShare]
    not_retrieved: int
    failed: int


def predict(
    id: str, question: str, passages: Iterable[Passage], relevant: Collection[str], policy: CondensePolicy
) -> PreflightCase:
    """What the preflight says of these passages, best first, and whether what answers is behind the first."""
    first: dict[str, Passage] = {}
    for passage in passages:
        first.setdefault(passage.reference.id, passage)
    read = [*first.values()][:READ]
    place = next((place for place, passage in enumerate(read, 1) if passage.reference.id in relevant), None)
    said = run_preflight(question, read, policy.top, policy.delta, policy.parts)
    shared = tuple(run_preflight(question, read, top, policy.delta, policy.parts).shared for top in TOPS)
    happened = None if place is None else place > SPOTLIGHT
    return PreflightCase(id=id, predicted=said.mapped, happened=happened, place=place, read=len(read), shared=shared)


async def search_case(query: str, topics: Topics, context: Context, policy: CondensePolicy) -> PreflightCase:
    """A query put to the search, and what the preflight says of what was found."""
    text = topics.texts[query]
    try:
        found = await retrieve_whole(Question(text=text), context)
    except WellsourcedError as error:
        return PreflightCase(id=query, error=str(error))
    relevant = {document for document, grade in topics.qrels[query].items() if grade > 0}
    return predict(query, text, [candidate.passage for candidate in found.candidates], relevant, policy)


async def retrieve_whole(question: Question, context: Context) -> RetrievalResult:
    """What the whole search finds. Raises SourceUnavailable where any source failed."""
    found = await retrieve(question, context)
    if failed := next((one for one in found.attempts if one.status == "failed"), None):
        raise SourceUnavailable(failed.error)
    return found


class PreflightSetting(NamedTuple):
    """The shares that one setting of the preflight comes to, over the same cases; None of nothing."""

    top: int
    delta: float
    shares: Mapping[str, float | None]


def sweep_preflight(cases: Sequence[PreflightCase]) -> list[PreflightSetting]:
    """Every setting on the rankings among the cases, without another search; [] where none is a ranking."""
    ranked = [case for case in cases if case.shared and case.happened is not None]
    settings = [(top, delta) for top in TOPS for delta in DELTAS if ranked]
    return [
        PreflightSetting(top, delta, _share_kinds([(case.predict(top, delta), bool(case.happened)) for case in ranked]))
        for top, delta in settings
    ]


def _share_kinds(known: Sequence[tuple[bool, bool]]) -> dict[str, float | None]:
    counts = [known.count(kind) for kind in KINDS.values()]
    found: dict[str, float | None] = {}
    for metric, weights in SHARES.items():
        part, whole = (sum(n * pair[at] for n, pair in zip(counts, weights, strict=True)) for at in (0, 1))
        found[metric] = part / whole if whole else None
    return found


def sweep_blocks(swept: Sequence[PreflightSetting], policy: CondensePolicy) -> Iterator[Block]:
    """The sweep over the passages that are compared, and over the overlap, each at the other's setting."""
    if not swept:
        yield Text("No sweep: the cases are no rankings.")
        return
    yield Text(f"Every setting on the same rankings; now {policy.top} passages and an overlap above {policy.delta:g}:")
    rows = [(one.top, f"{one.delta:g}", *one.shares.values()) for one in swept]
    near = [row for row, one in zip(rows, swept, strict=True) if policy.top == one.top or policy.delta == one.delta]
    names = [name.removeprefix("preflight_") for name in SHARES]
    yield Table(("passages compared", "overlap above", *names), near)


def measure_preflight(cases: Sequence[PreflightCase]) -> PreflightFigures:
    """The confusion matrix of the cases in which something happened or did not, and the shares that follow from it."""
    known = [(case.predicted, case.happened) for case in cases if case.happened is not None and not case.error]
    counts = {kind: known.count(values) for kind, values in KINDS.items()}
    shares = {}
    for metric, weights in SHARES.items():
        units = dict(zip(KINDS.values(), weights, strict=True))
        found = pool_cases([units[one] for one in known])
        always = pool_cases([units[True, happened] for _, happened in known])
        # F1 is of twice as many: what it is of is all cases.
        whole = len(known) if metric == "preflight_f1" else found.whole
        floor = None if found.share is None else always.share
        shares[metric] = PreflightShare(found.share, found.low, found.high, whole, floor)
    failed = sum(bool(case.error) for case in cases)
    return PreflightFigures(counts, shares, len(cases) - len(known) - failed, failed)


def preflight_blocks(
    files: Mapping[str, str], cases: Sequence[PreflightCase], found: PreflightFigures
) -> Iterator[Block]:
    """Everything, for people."""
    yield Text(f"{format_count(len(cases), 'case')} of {', '.join(f'{name} {value}' for name, value in files.items())}")
    counts = found.counts
    rows = [("is an issue", counts["tp"], counts["fn"]), ("is none", counts["fp"], counts["tn"])]
    yield Table(("", "said to be one", "said to be none"), rows)
    shares = [
        (name, one.value, Interval(one.low, one.high), one.whole, one.floor) for name, one in found.shares.items()
    ]
    yield Table(("metric", "value", "95 % interval", "of", "floor"), shares)
    yield Text("The floor is to read in parts always.")
    if found.not_retrieved:
        yield Text(
            f"{format_count(found.not_retrieved, 'case')} in which nothing that answers was found: in no figure."
        )
    if found.failed:
        yield Text(f"{format_count(found.failed, 'case')} FAILED, in no figure:")
        yield Bullets([f"{case.id}: {case.error}" for case in cases if case.error])
