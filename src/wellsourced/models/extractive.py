"""A model that writes nothing of its own: answers are the sources' sentences, chosen and put in order."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple, cast

from wellsourced.errors import Unanswerable
from wellsourced.judges.base import Judge, likeliest
from wellsourced.models.base import BOUNDLESS, Prompt, R
from wellsourced.prompts.writing import Draft, Drafted, Quoted, WriteAnswer
from wellsourced.text.context import said_in
from wellsourced.text.needs import Need, needs, offers
from wellsourced.text.sections import weight
from wellsourced.text.tokens import coverage, stems, words
from wellsourced.text.units import Unit, units
from wellsourced.types import Evidence, Passage
from wellsourced.worker_pool import run_in_worker

TELLING = re.compile(
    r"\b(?:conclu|recommend|first[- ]line|we found|(?:these|our) (?:results|findings|data)|in summary|foundation"
    r"|mainstay|cornerstone|of choice|(?:findings|results) suggest|evidence (?:shows|suggests|supports)|demonstrat"
    r"|indicate that|significant(?:ly)?)",
    re.IGNORECASE,
)
"""How sentences speak that say what was found or what to do."""

SETTING = re.compile(
    r"\b(?:(?:aims?|objective|purpose|goal) (?:of|was|is)|aimed to|sought to"
    r"|we (?:investigated|evaluated|examined|review)|was to (?:determine|evaluate|assess|investigate|compare)"
    r"|were (?:randomi[sz]ed|enrolled|recruited|included)|remains? (?:unclear|unknown|controversial)"
    r"|(?:is|are) (?:unknown|unclear)|ha(?:s|ve) not been|we report (?:a|the|two)"
    r"|this (?:review|article|paper|section|page)|(?:talk (?:with|to)|ask|see|contact) your (?:doctor|health)"
    r"|further (?:stud|research|investigat)|for more information|clinical trials?\.gov|can be found"
    r"|resources? (?:from|address|offer)|(?:offers?|provides?) (?:more |additional )?(?:detailed )?information)",
    re.IGNORECASE,
)
"""How sentences speak that say what was to be found out, or that send the reader elsewhere."""

LABEL = re.compile(
    r"(?:background|introduction|methods?|materials?|objectives?|aims?|purpose|study|design|setting|patients)"
    r"[\w/ ]{0,30}:",
    re.IGNORECASE,
)
"""A sentence that says itself which part of its abstract it is, one that answers nothing."""

DESIGNATION = re.compile(r"(?=\w*\d)(?=\w*[^\W\d])\w{2,}")

FLOOR = 0.7
"""Share of the best unit's score from which another is worth saying."""

HEARD = 0.3
"""Probability that a unit, under its title, bears on the question, below which it is not said, wherever it stands."""

ELSEWHERE = 0.5
"""What remains of a unit's fitness when its passage has none of the names with figures that were asked about."""

LEAD = 0.9
"""Share of the best unit's score from which another answers as directly."""

ASIDE = 0.5
"""What remains of a unit's fitness when its guideline is on another subject and mentions this one in passing."""

SAME = 0.6
"""Share of common content stems from which two units say the same and the better one stays."""


class Choice(NamedTuple):
    """A unit that may be said, and how well it would serve."""

    unit: Unit
    passage: Passage
    score: float


class ExtractiveModel:
    """Serves WriteAnswer without a language model.

    Statements are units of the passages (text.units): relevant to the question, not saying the same twice,
    conclusions and recommendations before background and methods, grouped by source and in the source's order.
    """

    name = "extractive"

    def __init__(self, judge: Judge) -> None:
        self.judge = judge

    async def complete(self, prompt: Prompt[R]) -> R:
        """The draft for WriteAnswer. Raises Unanswerable for any other prompt."""
        if not isinstance(prompt, WriteAnswer):
            raise Unanswerable("this needs a language model, and none is configured")
        choices = await self._weighed(prompt)
        chosen = without_repeats(choices, prompt.statements)
        leads = {id(choice) for choice in chosen[: prompt.leads] if choice.score >= LEAD * chosen[0].score}
        ordered = in_reading_order(chosen)
        return cast(R, Draft(statements=tuple(_drafted(choice, id(choice) in leads) for choice in ordered)))

    def room(self, prompt: Prompt[Any]) -> int:  # noqa: ARG002 - whatever is asked, it has no window
        """It has no window."""
        return BOUNDLESS

    async def _weighed(self, prompt: WriteAnswer) -> list[Choice]:
        """Every unit of the evidence with its score, best first."""
        found = await run_in_worker(_units, prompt.evidence)
        texts = [said_in(item.passage, unit.text) for unit, item in found]
        scores = await likeliest(self.judge, prompt.question.wordings, texts)
        return await run_in_worker(_choices, prompt, found, scores)


def _units(evidence: Sequence[Evidence]) -> list[tuple[Unit, Evidence]]:
    return [(unit, item) for item in evidence for unit in units(item.passage)]


def _choices(prompt: WriteAnswer, found: Sequence[tuple[Unit, Evidence]], scores: Sequence[float]) -> list[Choice]:
    asked, wanted = prompt.question.wordings, needs(prompt.question.text)
    choices = [
        # A sentence means what its passage is about: both must bear on the question.
        Choice(unit, item.passage, (score * item.relevance) ** 0.5 * fitness(unit, item, asked, wanted))
        for (unit, item), score in zip(found, scores, strict=True)
        if score >= HEARD
    ]
    return sorted(choices, key=lambda choice: (-choice.score, choice.passage.id, choice.unit.spans))


def fitness(unit: Unit, item: Evidence, asked: Sequence[str], wanted: Sequence[Need]) -> float:
    """How fit a unit is to be said: what it concludes counts more than what it set out to do."""
    passage = item.passage
    value = weight(passage.section)
    if offers(wanted, unit.text):
        value *= 1.25
    if TELLING.search(unit.text):
        value *= 1.15
    if SETTING.search(unit.text) or LABEL.match(unit.own):
        value *= 0.6
    if (named := designations(asked)) and not named & designations([passage.reference.title, passage.text]):
        value *= ELSEWHERE
    if passage.reference.kind == "guideline":
        value *= 1.1 * min(1.0, ASIDE + 2 * subject(asked, passage))
    return value


def designations(texts: Iterable[str]) -> frozenset[str]:
    """Names that have figures in them ("19p", "KMT2D", "COX-2"): nothing like them, and nothing else, is meant."""
    return frozenset(word for text in texts for word in words(text) if DESIGNATION.fullmatch(word))


def subject(asked: Sequence[str], passage: Passage) -> float:
    """The share of the question's content words that the guideline's title and chapter name: is this its subject?"""
    titles = f"{passage.reference.title} {passage.section.partition(' › ')[0]}"
    return max(coverage(question, titles) for question in asked)


def without_repeats(choices: Iterable[Choice], limit: int) -> list[Choice]:
    """Of units in order, best first, those that are nearly as good and do not say what a better one says."""
    chosen: list[Choice] = []
    said: list[frozenset[str]] = []
    for choice in choices:
        its_words = frozenset(stems(choice.unit.own))
        if chosen and choice.score < FLOOR * chosen[0].score:
            break
        if len(chosen) < limit and not any(_overlap(its_words, other) >= SAME for other in said):
            chosen.append(choice)
            said.append(its_words)
    return chosen


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Common stems as a share of the smaller set, so that a part of what was said counts as said."""
    smaller = min(len(one), len(other))
    return len(one & other) / smaller if smaller else 1.0


def in_reading_order(chosen: Sequence[Choice]) -> list[Choice]:
    """Source by source, the source of the best unit first.

    Within a source as it says them itself, but from its best passage on: what stands before that one comes last.
    """
    groups: dict[str, list[Choice]] = defaultdict(list)
    for choice in chosen:
        groups[choice.passage.reference.id].append(choice)
    return [choice for group in groups.values() for choice in sorted(group, key=partial(_place, group[0].passage))]


def _place(best: Passage, choice: Choice) -> tuple[bool, int]:
    return choice.passage.start < best.start, choice.passage.start + choice.unit.spans[-1].start


def _drafted(choice: Choice, lead: bool) -> Drafted:
    passage = choice.passage
    quotes = tuple(Quoted(passage_id=passage.id, quote=quote) for quote in choice.unit.quotes(passage.text))
    return Drafted(text=choice.unit.text, quotes=quotes, topic=topic(passage), lead=lead)


def topic(passage: Passage) -> str:
    """What a statement of this passage is about, for its reader: the guideline's section, the page's title."""
    reference = passage.reference
    return "" if reference.kind == "research" else reference.title
