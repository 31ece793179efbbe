"""Parts of the question that a writer found nothing on: named for the reader, and never an answer themselves."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from wellsourced.pipeline.read.study_cards import has_all_numbers
from wellsourced.text.sanitization import deduplicate_texts, one_line
from wellsourced.text.tokens import content_stems
from wellsourced.types import Omission, Question, Statement

MAX_PARTS = 6
"""Parts that are named."""

MAX_PART_WORDS = 20
"""Words that name a part; a few are asked for, and more than this say something."""

_ADVICE = re.compile(
    r"\b(?:should|must|ought|recommend(?:s|ed)?|(?:contra)?indicated|avoid|do not|is safe|are safe)\b", re.IGNORECASE
)
"""What says what to do: that needs a source."""


_ASKING = re.compile(r"(?:whether|if|which|what|when|how|who|whom|where|why)\b", re.IGNORECASE)
"""What opens a part that asks, and advises nothing: "whether lisinopril should be stopped"."""


def find_lost_topics(
    drafted: Sequence[str], kept: Sequence[Statement], question: Question, not_found: Sequence[str] = ()
) -> tuple[str, ...]:
    """The topics of a draft of which fewer statements are said than were drafted, as far as they only name something.

    drafted     the topic of each drafted statement
    not_found   what is named already as found nowhere, and not told again as lost
    """
    said = Counter(one.topic.casefold() for one in kept)
    meant = Counter(topic.casefold() for topic in drafted)
    lost = [topic for topic in deduplicate_texts(drafted) if said[topic.casefold()] < meant[topic.casefold()]]
    return tuple(topic for topic in check_not_found(lost, question).parts if not is_named(topic, not_found))


def is_named(part: str, named: Iterable[str]) -> bool:
    """Whether one of the names has all content words of a part."""
    stems = set(content_stems(part))
    return any(stems and stems <= set(content_stems(name)) for name in named)


class CheckedParts(NamedTuple):
    """The parts that may be named, each once, and those that may not, with the reason."""

    parts: tuple[str, ...] = ()
    dropped: tuple[Omission, ...] = ()


def check_not_found(drafted: Iterable[str], question: Question) -> CheckedParts:
    """What a model says it found nothing on, as far as it names something and says nothing.

    A figure that the question does not have, advice, and a long text would be read as an answer without a source. What
    is left out is told with the reason, so that nobody takes the rest for all that was asked.
    """
    asked = "\n".join((question.text, question.asked, question.patient, *(turn.text for turn in question.history)))
    said = {part.casefold(): part for one in drafted if (part := one_line(one).strip(" .;"))}
    reasons = {part: _find_fault(part, asked) for part in said.values()}
    named = [part for part, reason in reasons.items() if not reason]
    dropped = [Omission.of_statement(part, reason) for part, reason in reasons.items() if reason]
    return CheckedParts(tuple(named[:MAX_PARTS]), tuple(dropped))


def _find_fault(part: str, asked: str) -> str:
    if len(part.split()) > MAX_PART_WORDS:
        return "said to be found nowhere, in a text too long for a name"
    if not has_all_numbers(part, asked):
        return "said to be found nowhere, with a figure that the question does not have"
    advises = _ADVICE.search(part) and not _ASKING.match(part)
    return "said to be found nowhere, with advice" if advises else ""
