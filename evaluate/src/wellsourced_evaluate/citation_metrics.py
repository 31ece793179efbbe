"""How well an answer's citations support its statements, by two published measures, and whether its statements agree.

Link-Eval: Wang et al., Nature Communications 2025. ALCE: Gao et al., EMNLP 2023. The judge is asked everything in one
wave; what follows is counting, and the same verdicts give the same figures. A citation is a passage: several quotes of
it are one. What the judge gives no verdict on is left out of both sides of a share, and counted.

Recorded answers are JSON lines with `id`, `answer`, and where it is known `gold`: our own, or anybody's
(`cited_answers.py`).
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self

from pydantic import BeforeValidator, Field, StrictBool, model_validator

from wellsourced.confidence import wilson_interval
from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced.judges.base import Judge, Pair
from wellsourced.runs.history import RunHistory
from wellsourced.types import Answer
from wellsourced_evaluate.beir import hash_file
from wellsourced_evaluate.cited_answers import ANSWER_NAMES, read_foreign
from wellsourced_evaluate.metrics import CITATION_METRICS
from wellsourced_evaluate.plots import Bar, draw_histogram
from wellsourced_evaluate.recorded_rows import RecordedFile, RecordedRow, Words, read_recorded
from wellsourced_evaluate.statistics import MetricMean, PooledShare, average_cases, pool_cases

TARGET_PRECISION, MIN_ABOVE = 0.999, 30
"""What share of the passages above a threshold has to be valid, and how many at least have to be above it."""

Share = tuple[int, int]
"""Part and whole."""


class CitationCounts(NamedTuple):
    """The counts behind every share, as (part, whole); `correctness` is 0 or 1, or None where it cannot be said.

    fluency   as the row has it, from UniEval: nothing here computes it
    """

    citation_set_precision: Share
    citation_precision: Share
    citation_recall: Share
    alce_recall: Share
    alce_precision: Share
    citation_coverage: Share
    lone_support: Share
    statement_correctness: int | None
    unresolved_citations: Share = (0, 0)
    fluency: float | None = None

    def to_values(self) -> dict[str, float | None]:
        """Metric → its value for this answer; None of no whole: an answer without citations has no precision."""
        shares = self._asdict()
        correctness, fluency = shares.pop("statement_correctness"), shares.pop("fluency")
        values = {name: part / whole if whole else None for name, (part, whole) in shares.items()}
        return {**values, "statement_correctness": correctness, "fluency": fluency}


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
    answer: Answer, judge: Judge, gold: str = "", valid_above: float | None = None
) -> tuple[CitationCounts, int]:
    """All counts of an answer, and how many verdicts the judge did not give. Raises ModelError.

    Each pair is asked once, all of them together. `gold` is what the answer should say; "" where nobody knows. Without
    a threshold, which each ranker needs of its own, no passage is known to be valid, and there is no recall.
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
    threshold = float("inf") if valid_above is None else valid_above
    valid = {item.passage.id for item in answer.evidence if item.relevance > threshold}
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

MARKDOWN_ENDINGS = (".md", ".markdown", ".txt")
NOT_SHARES = ("statement_correctness", "fluency")


class RecordedAnswer(RecordedRow):
    """An answer as `ask --json` prints it, or of another system, and what it should say; `gold` "" where nobody knows.

    unresolved       marks that none of the texts belongs to; `lone_unresolved`: statements that have no other
    is_scored        whether the relevance of its passages is known
    fluency          p(yes) of UniEval, the mean over its sentences; None: nobody measured it
    """

    id: Words
    answer: Answer
    gold: Annotated[str, BeforeValidator(lambda given: given or "")] = ""
    unresolved: int = 0
    lone_unresolved: int = 0
    is_scored: bool = True
    fluency: float | None = Field(None, ge=0, le=1)

    @model_validator(mode="before")
    @classmethod
    def _read_foreign(cls, row: Any) -> Any:
        is_foreign = isinstance(row, dict) and any(isinstance(row.get(name), str) for name in ANSWER_NAMES)
        return read_foreign(row) if is_foreign else row


class ScoredPassage(RecordedRow):
    """A passage with the score of a ranker, or the words that it is to score, and whether it is valid."""

    valid: StrictBool
    score: float | None = None
    question: str = ""
    text: str = ""

    @model_validator(mode="after")
    def _require_score(self) -> Self:
        if self.score is None and not (self.question and self.text):
            raise ValueError("it has neither a score nor question and text")
        return self


class RelevanceThreshold(NamedTuple):
    """Above which score of a ranker passages are valid.

    value      the smallest that reaches the target; None: none does, and `precision` is the best that is reached
    above      passages above it, of which `valid` are; low, high: Wilson's 95 % interval of that share
    histogram  tenths of the range of scores
    """

    value: float | None
    precision: float
    above: int
    valid: int
    low: float
    high: float
    pairs: int
    histogram: tuple["ScoreRange", ...]

    def draw(self) -> str:
        """The histogram beside the threshold, as SVG."""
        stacks = {
            "valid": [Bar(one.low, one.high, one.valid) for one in self.histogram],
            "not valid": [Bar(one.low, one.high, one.passages - one.valid) for one in self.histogram],
        }
        cuts = {} if self.value is None else {f"threshold {self.value:g}": self.value}
        return draw_histogram("Scores of passages", ("score of the ranker", "passages"), stacks, cuts)


class ScoreRange(NamedTuple):
    """Passages whose score is from `low` to below `high`, the last with `high`, and how many of them are valid."""

    low: float
    high: float
    valid: int
    passages: int


def find_threshold(
    pairs: Sequence[tuple[float, bool]], target: float = TARGET_PRECISION, least: int = MIN_ABOVE
) -> RelevanceThreshold:
    """The threshold of a ranker, as Link-Eval has it. Raises SourceRefused for fewer pairs than have to be above it."""
    if len(pairs) < least:
        raise SourceRefused(f"A threshold needs at least {least} scored passages, and there are {len(pairs)}.")
    scores = sorted({score for score, _ in pairs})
    low, step = scores[0], (scores[-1] - scores[0]) / 10 or 1.0
    tenths = [[ok for score, ok in pairs if min(int((score - low) / step), 9) == place] for place in range(10)]
    ordered, so_far = sorted(pairs, reverse=True), 0
    found = list[tuple[float, int, int]]()
    for place, (score, ok) in enumerate(ordered, 1):
        so_far += ok
        below = ordered[place][0] if place < len(ordered) else low - 1.0
        if below < score and place >= least:
            found.append((below, so_far, place))
    reaching = [one for one in found if one[1] / one[2] >= target]
    value, valid, above = reaching[-1] if reaching else max(found, key=lambda one: one[1] / one[2])
    edge, share = wilson_interval(valid, above), valid / above
    histogram = tuple(
        ScoreRange(low + at * step, low + (at + 1) * step, sum(one), len(one)) for at, one in enumerate(tenths)
    )
    return RelevanceThreshold(
        value if share >= target else None, share, above, valid, edge.low, edge.high, len(pairs), histogram
    )


async def score_passages(rows: Sequence[ScoredPassage], ranker: Judge | None) -> list[tuple[float, bool]]:
    """Each passage with its score, or the ranker's. Raises SourceRefused for one that has to be scored, without one."""
    unscored = [row for row in rows if row.score is None]
    if unscored and ranker is None:
        raise SourceRefused(f"{len(unscored)} passages have no score: name the --ranker that gives it.")
    verdicts = await ranker.judge([Pair(row.question, row.text) for row in unscored]) if ranker and unscored else []
    given = iter(verdicts)
    return [(next(given).score if row.score is None else row.score, row.valid) for row in rows]


async def rank_evidence(data: "RecordedAnswers", ranker: Judge) -> "RecordedAnswers":
    """The answers with the relevance of all passages as this ranker has it."""
    rows = []
    for row in data.rows:
        asked = [Pair(row.answer.question.text, item.passage.text) for item in row.answer.evidence]
        scores = [verdict.score for verdict in await ranker.judge(asked)] if asked else []
        pairs = zip(row.answer.evidence, scores, strict=True)
        evidence = tuple(item.model_copy(update={"relevance": score}) for item, score in pairs)
        answer = row.answer.model_copy(update={"evidence": evidence})
        rows.append(row.model_copy(update={"answer": answer, "is_scored": True}))
    return data._replace(rows=tuple(rows))


RecordedAnswers = RecordedFile[RecordedAnswer]


def read_answers(path: Path, limit: int = 0) -> RecordedAnswers:
    """The answers of a file of lines, or the one of a Markdown file. Raises UnreadableFile."""
    if path.suffix.lower() not in MARKDOWN_ENDINGS:
        return read_recorded(path, RecordedAnswer, limit)
    try:
        row = RecordedAnswer.model_validate({"id": path.name, "answer": path.read_text(encoding="utf-8")})
    except ValueError as error:
        raise UnreadableFile(
            path, "it is no answer with a list of what it cites", "See --help for an answer."
        ) from error
    return RecordedAnswers((row,), path.name, hash_file(path)[:16], 1)


def take_stored_answers(history: RunHistory, ids: Sequence[str]) -> RecordedAnswers:
    """Answers that were given here, by the ids of their runs. Raises NotFoundError."""
    rows = tuple(RecordedAnswer(id=history.find(id).short_id, answer=history.load(id)) for id in ids)
    hashed = hashlib.sha256("".join(row.answer.model_dump_json() for row in rows).encode()).hexdigest()
    return RecordedAnswers(rows, "history", hashed[:16], len(rows))


class MeasuredAnswer(NamedTuple):
    """One answer, its counts, and how many verdicts the judge did not give."""

    id: str
    counts: CitationCounts
    unjudged: int


async def measure_answers(data: RecordedAnswers, judge: Judge, valid_above: float | None) -> list[MeasuredAnswer]:
    """Every answer judged and counted, one after the other. Raises ModelError."""
    measured = []
    for row in data.rows:
        threshold = valid_above if row.is_scored else None
        counts, unjudged = await count_citations(row.answer, judge, row.gold, threshold)
        # What nothing belongs to is cited, and supports nothing.
        (sets, all_sets), (needed, marks) = counts.citation_set_precision, counts.citation_precision
        counts = counts._replace(
            citation_set_precision=(sets, all_sets + row.lone_unresolved),
            citation_precision=(needed, marks + row.unresolved),
            unresolved_citations=(row.unresolved, marks + row.unresolved),
            fluency=row.fluency,
        )
        measured.append(MeasuredAnswer(row.id, counts, unjudged))
    return measured


def average_answers(measured: Sequence[MeasuredAnswer]) -> Mapping[str, tuple[MetricMean, PooledShare | None]]:
    """Metric → its mean over answers, and, of shares, the share over all counts together."""
    found: dict[str, tuple[MetricMean, PooledShare | None]] = {}
    for name in (metric.name for metric in CITATION_METRICS):
        mean = average_cases(one.counts.to_values()[name] for one in measured)
        found[name] = mean, None if name in NOT_SHARES else pool_cases([getattr(one.counts, name) for one in measured])
    return found
