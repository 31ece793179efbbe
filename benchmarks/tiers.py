"""Where a question is answered: guideline questions from guidelines, others not held up by a guideline that is near.

questions/tiers.jsonl holds questions of our own: 20 that a guideline answers; 20 that a study of the research corpus
answers, most of them on a disease that has a guideline; and others of which a guideline is near and says nothing (no
document is named: they only show whether the path is held up).
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from benchmarks.corpora import CORPORA, Bench, library
from benchmarks.report import Report, working
from wellsourced import config
from wellsourced.context import Context
from wellsourced.events import Event, PassagesRead
from wellsourced.pipeline.ask import answer_question
from wellsourced.pipeline.search_plan import is_sufficient
from wellsourced.policy import Policy
from wellsourced.types import Question

QUESTIONS = Path(__file__).with_name("questions") / "tiers.jsonl"
ENOUGH = (1, 2, 3, 4)
CERTAIN = (0.5, 0.6, 0.7, 0.8)
NEVER = 1_000_000
"""So many works are never enough: every tier is read once, and where the path would have ended is seen afterwards."""


class Labelled(NamedTuple):
    """A question, the tier that should answer it, and the documents of which one should be among the evidence."""

    question: str
    tier: str
    documents: tuple[str, ...]


class Walked(NamedTuple):
    """A question and what each tier gave for it, in their order, when all of them are read."""

    label: Labelled
    question: Question
    read: tuple[PassagesRead, ...]
    statements: int
    cited: int


async def measure(bench: Bench, report: Report) -> None:
    """Stops and evidence, for several values of `enough` and `certain`, and what going on would have added."""
    for name in (name for name, corpus in CORPORA.items() if corpus.asked):
        await library(bench, name, None)
    report.section("tiers", "Tiers (questions of our own over the guidelines, research and consumer)")
    async with config.open_context() as context:
        walked = [await _walk(one, context, place) for place, one in enumerate(labelled())]
        working("")
        widths = (24, 22, 22, 22, 22)
        heads = ("enough × certain", "guideline: stopped", "research: held up", "near: held up", "document read")
        report.row(heads, widths)
        for number in ENOUGH:
            for sure in CERTAIN:
                policy = context.policy.model_copy(update={"sufficient_works": number, "min_certainty": sure})
                await _row(walked, policy, context, report, widths)
    _beyond(walked, report)


def labelled() -> list[Labelled]:
    """The questions, in the order of the file."""
    every = map(json.loads, QUESTIONS.read_text(encoding="utf-8").splitlines())
    return [Labelled(one["question"], one["tier"], tuple(one["documents"])) for one in every]


async def _walk(label: Labelled, context: Context, place: int) -> Walked:
    working(f"tiers: {place}")
    heard: list[PassagesRead] = []

    def hear(event: Event) -> None:
        if isinstance(event, PassagesRead):
            heard.append(event)

    through = replace(context, policy=context.policy.model_copy(update={"sufficient_works": NEVER}))
    given = await answer_question(Question(text=label.question), through, hear)
    cited = [one for one in given.statements if one.citations[0].passage_id.split("#")[0] in label.documents]
    return Walked(label, given.question, tuple(heard), len(given.statements), len(cited))


async def _row(
    walked: Sequence[Walked], policy: Policy, context: Context, report: Report, widths: Sequence[int]
) -> None:
    stops = {one.label.question: await _stop(one, policy, context) for one in walked}
    guideline = [one for one in walked if one.label.tier == "guidelines"]
    research = [one for one in walked if one.label.tier == "libraries" and one.label.documents]
    near = [one for one in walked if not one.label.documents]
    named = [*guideline, *research]
    shares = {
        "guideline questions that stop there": [stops[one.label.question] == 0 for one in guideline],
        "research questions held up": [stops[one.label.question] == 0 for one in research],
        "near questions held up": [stops[one.label.question] == 0 for one in near],
        "document among the evidence": [_has_it(one, stops[one.label.question]) for one in named],
    }
    name = f"{policy.sufficient_works} × {policy.min_certainty:g}"
    report.row((name, *(f"{sum(hits)}/{len(hits)}" for hits in shares.values())), widths)
    for what, hits in shares.items():
        report.record(f"{what}, {name}", sum(hits) / len(hits), "share")


async def _stop(one: Walked, policy: Policy, context: Context) -> int:
    """The place of the tier at which the path would have ended."""
    for place, read in enumerate(one.read):
        if await is_sufficient(one.question, read.evidence, context.understanding, policy):
            return place
    return len(one.read) - 1


def _has_it(one: Walked, stop: int) -> bool:
    read = {item.passage.reference.id for tier in one.read[: stop + 1] for item in tier.evidence}
    return not read.isdisjoint(one.label.documents)


def _beyond(walked: Sequence[Walked], report: Report) -> None:
    """What the libraries would have added to questions that guidelines answer."""
    guideline = [one for one in walked if one.label.tier == "guidelines"]
    better = 0
    for one in guideline:
        best = [max((item.relevance for item in tier.evidence), default=0.0) for tier in one.read]
        better += bool(best) and max(best) > best[0]
    said = sum(one.statements for one in guideline)
    report.number("guideline questions of which a later tier is nearer", better / len(guideline), "share")
    report.number(
        "their statements from the guideline, all tiers read", sum(one.cited for one in guideline) / said, "share"
    )
    research = [one for one in walked if one.label.tier == "libraries" and one.label.documents]
    cited = sum(one.cited > 0 for one in research) / len(research)
    report.number("research questions answered from their study", cited, "share")
