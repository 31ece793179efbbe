"""A model that writes nothing of its own: answers are the sources' sentences, chosen and put in order."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple, cast

from wellsourced.errors import Unanswerable
from wellsourced.judges.base import Judge, Pair
from wellsourced.models.base import Prompt, R
from wellsourced.prompts.writing import Draft, Drafted, Quoted, WriteAnswer
from wellsourced.text.tokens import stems
from wellsourced.text.units import Unit, units
from wellsourced.types import Evidence, Passage

TELLING = re.compile(
    r"\b(conclu|recommend|we found|these results|our results|our findings|findings suggest|results suggest|"
    r"in summary|evidence|demonstrat|indicat|is an? |are an? )",
    re.IGNORECASE,
)
SETTING = re.compile(
    r"\b(aim of|aimed to|objective|purpose of|we sought|we investigated|we evaluated|we examined|was to (?:determine|"
    r"evaluate|assess|investigate|compare)|were randomi[sz]ed|were enrolled|were recruited|remains? (?:unclear|unknown)|"
    r"is unknown|has not been|have not been|we report a case|we review|this review|this article|this paper)",
    re.IGNORECASE,
)
CLOSING = re.compile(r"conclu|recommend|summary|interpretation|key point", re.IGNORECASE)
OPENING = re.compile(r"background|introduction|method|material|objective|aim|purpose|design|setting", re.IGNORECASE)

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
            raise Unanswerable(
                f"{type(prompt).__name__} needs a language model, and none is configured: "
                "without one, answers are the sources' own sentences."
            )
        choices = await self._weighed(prompt)
        chosen = without_repeats(choices, prompt.statements)
        leads = {id(choice) for choice in chosen[: prompt.leads]}
        ordered = in_reading_order(chosen)
        return cast(R, Draft(statements=tuple(_drafted(choice, id(choice) in leads) for choice in ordered)))

    async def _weighed(self, prompt: WriteAnswer) -> list[Choice]:
        """Every unit of the evidence with its score, best first."""
        found = [(unit, item) for item in prompt.evidence for unit in units(item.passage)]
        verdicts = await self.judge.judge([Pair(prompt.question.text, unit.text) for unit, _ in found])
        choices = [
            Choice(unit, item.passage, verdict.score * fitness(unit, item))
            for (unit, item), verdict in zip(found, verdicts, strict=True)
            if verdict.label != "silent"
        ]
        return sorted(choices, key=lambda choice: (-choice.score, choice.passage.id, choice.unit.spans))


def fitness(unit: Unit, item: Evidence) -> float:
    """How fit a unit is to be said, whatever the question: what it concludes counts more than what it set out to do."""
    section = item.passage.section
    value = 1.0
    if CLOSING.search(section) or TELLING.search(unit.text):
        value *= 1.15
    if OPENING.search(section) or SETTING.search(unit.text):
        value *= 0.6
    if item.passage.reference.kind == "guideline":
        value *= 1.1
    return value


def without_repeats(choices: Iterable[Choice], limit: int) -> list[Choice]:
    """The best units, best first, leaving out those that say what a better one says."""
    chosen: list[Choice] = []
    said: list[frozenset[str]] = []
    for choice in choices:
        words = frozenset(stems(choice.unit.text))
        if len(chosen) < limit and not any(_overlap(words, other) >= SAME for other in said):
            chosen.append(choice)
            said.append(words)
    return chosen


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Common stems as a share of the smaller set, so that a part of what was said counts as said."""
    smaller = min(len(one), len(other))
    return len(one & other) / smaller if smaller else 1.0


def in_reading_order(chosen: Sequence[Choice]) -> list[Choice]:
    """Source by source, the source of the best unit first, and within a source as it says them itself."""
    groups: dict[str, list[Choice]] = defaultdict(list)
    for choice in chosen:
        groups[choice.passage.reference.id].append(choice)
    return [choice for group in groups.values() for choice in sorted(group, key=_place)]


def _place(choice: Choice) -> tuple[int, int]:
    return choice.passage.start + choice.unit.spans[-1].start, choice.passage.start


def _drafted(choice: Choice, lead: bool) -> Drafted:
    passage = choice.passage
    quotes = tuple(Quoted(passage_id=passage.id, quote=quote) for quote in choice.unit.quotes(passage.text))
    return Drafted(text=choice.unit.text, quotes=quotes, topic=topic(passage), lead=lead)


def topic(passage: Passage) -> str:
    """What a statement of this passage is about, for its reader: the guideline's section, the page's title."""
    reference = passage.reference
    if reference.kind == "guideline":
        return " › ".join(part for part in (reference.title, passage.section.partition(" › ")[2]) if part)
    return "" if reference.kind == "research" else reference.title
