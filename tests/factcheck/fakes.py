"""A small text under review, a tracer that knows what became of its sources, and a judge that knows some sentences."""

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from wellsourced.events import Emit, ignore_event
from wellsourced.factcheck import check
from wellsourced.factcheck.pairing import JudgingOptions
from wellsourced.factcheck.resolve.base import TracedSource, Tracer
from wellsourced.factcheck.run_store import RunStore
from wellsourced.judges.base import Judge, Pair
from wellsourced.models.base import Model
from wellsourced.types import (
    Checkup,
    CitedSource,
    Claim,
    Document,
    FetchOutcome,
    Reference,
    Retraction,
    SourceResolution,
    SubmittedText,
    Verdict,
)

SILENT = Verdict(label="silent", score=0.1, basis="model")


def verdict(label: Any, score: float = 0.9, reason: str = "", quote: str = "", basis: Any = "model") -> Verdict:
    """Of somebody who can be believed, unless it is said otherwise."""
    return Verdict(label=label, score=score, reason=reason, quote=quote, basis=basis)


def submitted(text: str, sources: int = 0, **cites: tuple[str, ...]) -> SubmittedText:
    """A text of a claim in each line; `cites` says for the claim c0, c1 … which sources it names."""
    claims = []
    at = 0
    for number, line in enumerate(text.split("\n")):
        if line:
            own = cites.get(f"c{number}", ())
            claims.append(Claim(number=len(claims), text=line, start=at, end=at + len(line), cites=own))
        at += len(line) + 1
    named = tuple(
        CitedSource(
            key=str(key), written=f"https://example.org/{key}", start=0, end=0, url=f"https://example.org/{key}"
        )
        for key in range(1, sources + 1)
    )
    return SubmittedText(
        document=Document(reference=Reference(id="file:text"), text=text), claims=tuple(claims), sources=named
    )


def opened(
    key: str, text: str = "", fetched: FetchOutcome = "ok", retraction: Retraction | None = None, **more: Any
) -> TracedSource:
    """A source with these words, or what became of it."""
    reference = Reference(id=f"url:{key}", title=f"Source {key}", retraction=retraction or Retraction())
    fields = {"standing": "found" if fetched == "ok" else "unreachable", "reference": reference if text else None}
    traced = SourceResolution(key=key, fetched=fetched, **{**fields, **more})
    return TracedSource(traced, Document(reference=reference, text=text) if text else None)


async def run_checkup(
    text: SubmittedText,
    tracer: Tracer,
    judge: Judge,
    *,
    model: Model | None = None,
    judging: JudgingOptions | None = None,
    store: RunStore | None = None,
    emit: Emit = ignore_event,
    as_of: date | None = None,
    **options: Any,
) -> Checkup:
    """The checkup of a text that is taken apart already; without a store, nothing outlasts the run."""
    tools = check.CheckContext(tracer, judge, Path(), model, judging or JudgingOptions())
    opened_store = store or RunStore()
    try:
        return await check.run_checkup(text, tools, check.CheckOptions(**options), opened_store, emit=emit, as_of=as_of)
    finally:
        if store is None:
            opened_store.close()


class ToldTracer:
    """Finds what it was told; a source that it was told nothing about raises KeyError."""

    name = "told"

    def __init__(self, *sources: TracedSource) -> None:
        self.sources = {one.traced.key: one for one in sources}
        self.asked: list[str] = []

    async def trace(self, cited: CitedSource) -> TracedSource:
        self.asked.append(cited.key)
        return self.sources[cited.key]


class Pairs:
    """Says what it was told of a claim and a text that holds some words; of everything else, nothing. Counts pairs."""

    name = "pairs"

    def __init__(self, told: Mapping[tuple[str, str], Verdict]) -> None:
        self.told = told
        self.asked: list[Pair] = []
        self.calls = 0

    async def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        self.asked += pairs
        self.calls += 1
        return [self._one(pair) for pair in pairs]

    def _one(self, pair: Pair) -> Verdict:
        return next(
            (said for (claim, words), said in self.told.items() if claim == pair.claim and words in pair.text), SILENT
        )
