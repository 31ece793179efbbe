"""How well an answer's citations support its statements, by two published measures, and whether its statements agree.

Link-Eval: Wang et al., Nature Communications 2025. ALCE: Gao et al., EMNLP 2023. The judge is asked everything in one
wave; what follows is counting, and the same verdicts give the same figures. A citation is a passage: several quotes of
it are one. What the judge gives no verdict on is left out of both sides of a share, and counted.

Recorded answers are JSON lines with `id`, `answer`, and where it is known `gold`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Annotated, NamedTuple

from pydantic import BeforeValidator

from wellsourced.judges.base import Judge, Pair
from wellsourced.types import Answer
from wellsourced_evaluate.metrics import CITATION_METRICS
from wellsourced_evaluate.recorded_rows import RecordedFile, RecordedRow, Words
from wellsourced_evaluate.statistics import MetricMean, PooledShare, average_cases, pool_cases

VALID_ABOVE = 0.60
"""A passage is valid when its relevance is above: the threshold of Link-Eval, for its own ranker."""

Share = tuple[int, int]
"""Part and whole."""


class CitationCounts(NamedTuple):
    """The counts behind every share, as (part, whole); `correctness` is 0 or 1, or None where it cannot be said."""

    citation_set_precision: Share
    citation_precision: Share
    citation_recall: Share
    alce_recall: Share
    alce_precision: Share
    citation_coverage: Share
    lone_support: Share
    statement_correctness: int | None

    def to_values(self) -> dict[str, float | None]:
        """Metric → its value for this answer; None of no whole: an answer without citations has no precision."""
        *shares, correctness = self
        values = [part / whole if whole else None for part, whole in shares]
        return dict(zip(self._fields, (*values, correctness), strict=True))


class JudgedCitation(NamedTuple):
    """A passage that a statement cites, and what supports the statement; None: no verdict.

    together  all that it cites
    alone     this passage by itself
    without   the others; nothing supports nothing
    """

    passage: str
    together: bool | None
    alone: bool | None
    without: bool | None

    @property
    def is_needed(self) -> bool | None:
        """Link-Eval: all support the statement, and the others do not. Of two that suffice neither is."""
        if self.together is not True:
            return self.together
        return None if self.without is None else not self.without

    @property
    def is_useful(self) -> bool | None:
        """ALCE: all support the statement, and this one does alone or is needed. Of two that suffice both are."""
        if self.together is not True or self.alone:
            return self.together
        return self.is_needed if self.alone is False or self.is_needed else None


async def count_citations(
    answer: Answer, judge: Judge, gold: str = "", valid_above: float = VALID_ABOVE
) -> tuple[CitationCounts, int]:
    """All counts of an answer, and how many verdicts the judge did not give. Raises ModelError.

    Each pair is asked once, all of them together. `gold` is what the answer should say; "" where nobody knows.
    """
    texts = {item.passage.id: item.passage.text for item in answer.evidence}

    def pair_with(statement: str, cited: Iterable[str]) -> Pair:
        return Pair(statement, "\n".join(texts[id] for id in cited))

    said = [one.text for one in answer.statements]
    wanted = [pair_with(one.text, ids) for one in answer.statements for ids in _list_sets(one.cited_ids) if ids]
    clashes = [Pair(later, earlier) for earlier, later in combinations(said, 2)]
    whole = [Pair(gold, " ".join(said))] if gold and said else []
    asked = list(dict.fromkeys([*wanted, *clashes, *whole]))
    verdicts = await judge.judge(asked) if asked else []
    labels = {pair: verdict.label for pair, verdict in zip(asked, verdicts, strict=True)}

    def is_supported(pair: Pair) -> bool | None:
        return None if labels[pair] == "unjudged" else labels[pair] == "supports"

    together: list[bool | None] = []
    citations: list[JudgedCitation] = []
    for one in answer.statements:
        first, *rest = (is_supported(pair_with(one.text, ids)) if ids else False for ids in _list_sets(one.cited_ids))
        together.append(first)
        alone, without = rest[: len(one.cited_ids)], rest[len(one.cited_ids) :]
        for id, by_itself, by_others in zip(one.cited_ids, alone, without, strict=True):
            citations.append(JudgedCitation(id, first, by_itself, by_others))
    cites = [bool(one.cited_ids) for one in answer.statements]
    valid = {item.passage.id for item in answer.evidence if item.relevance > valid_above}
    cited_rightly = {one.passage for one in citations if one.is_needed}
    clashing = [labels[pair] for pair in clashes]
    correctness = is_supported(whole[0]) if whole and "unjudged" not in clashing else None
    counts = CitationCounts(
        citation_set_precision=_count_known(some for some, cited in zip(together, cites, strict=True) if cited),
        citation_precision=_count_known(one.is_needed for one in citations),
        citation_recall=(len(valid & cited_rightly), len(valid)),
        alce_recall=_count_known(together),
        alce_precision=_count_known(one.is_useful for one in citations),
        citation_coverage=(sum(cites), len(cites)),
        lone_support=_count_known(one.alone for one in citations),
        # One contradiction is enough to say no; a missing verdict stands in the way of yes.
        statement_correctness=0 if "contradicts" in clashing else None if correctness is None else int(correctness),
    )
    return counts, sum(label == "unjudged" for label in labels.values())


def _list_sets(cited: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """What the judge is asked of a statement: all passages together, each alone, all but each."""
    yield cited
    yield from ((one,) for one in cited)
    yield from (tuple(other for other in cited if other != one) for one in cited)


def _count_known(values: Iterable[bool | None]) -> Share:
    known = [value for value in values if value is not None]
    return sum(known), len(known)


# --- recorded answers: JSON lines with `id`, `answer`, and where it is known `gold` ----------------------------------

NOT_SHARES = ("statement_correctness",)


class RecordedAnswer(RecordedRow):
    """An answer as `ask --json` prints it, and what is known to be right; `gold` "" where nothing is."""

    id: Words
    answer: Answer
    gold: Annotated[str, BeforeValidator(lambda given: given or "")] = ""


RecordedAnswers = RecordedFile[RecordedAnswer]


class MeasuredAnswer(NamedTuple):
    """One answer, its counts, and how many verdicts the judge did not give."""

    id: str
    counts: CitationCounts
    unjudged: int


async def measure_answers(data: RecordedAnswers, judge: Judge, valid_above: float) -> list[MeasuredAnswer]:
    """Every answer judged and counted, one after the other. Raises ModelError."""
    return [
        MeasuredAnswer(row.id, *await count_citations(row.answer, judge, row.gold, valid_above)) for row in data.rows
    ]


def average_answers(measured: Sequence[MeasuredAnswer]) -> Mapping[str, tuple[MetricMean, PooledShare | None]]:
    """Metric → its mean over answers, and, of shares, the share over all counts together."""
    found: dict[str, tuple[MetricMean, PooledShare | None]] = {}
    for name in (metric.name for metric in CITATION_METRICS):
        mean = average_cases(one.counts.to_values()[name] for one in measured)
        found[name] = mean, None if name in NOT_SHARES else pool_cases([getattr(one.counts, name) for one in measured])
    return found
