"""Cards: what a model noted of a study, with every number of it held against the passage that it read."""

import re

from wellsourced.prompts.reading import Card
from wellsourced.text.context import in_context
from wellsourced.text.guard import QUANTITIES, disagreements
from wellsourced.text.lines import line
from wellsourced.text.quantities import names, quantities
from wellsourced.text.tokens import words
from wellsourced.types import NOT_REPORTED, ArticleCard, Passage

PARTS = ("summary", "design", "sample_size", "population", "bias")

_LONE = frozenset({"one", "single"})
_GROUPED = re.compile(r"(?<![\w.,])\d{1,3}(?:\s\d{3})+(?!\w|[.,]\d)")


def card_of(noted: Card, passage: Passage) -> ArticleCard:
    """The card, each part in one line; a part with a number that passage and titles do not have is unconfirmed.

    A sample size that counts nothing ("many") is no sample size: it is not reported, and unconfirmed.
    """
    parts = {part: _told(getattr(noted, part)) for part in PARTS}
    uncounted = parts["sample_size"] != NOT_REPORTED and not _counts(parts["sample_size"])
    if uncounted:
        parts["sample_size"] = NOT_REPORTED
    source = in_context(passage)
    doubted = {part for part, told in parts.items() if not confirmed(told, source)}
    doubted |= {"sample_size"} if uncounted else set()
    return ArticleCard(**parts, unconfirmed=tuple(part for part in PARTS if part in doubted))


def confirmed(told: str, source: str) -> bool:
    """Whether the source has every number of the words, with its unit: "20,536" is "20 536", "phase 3" is "phase III".

    Spaces between groups of three digits may part a number or two numbers: either reading will do.
    """
    if not quantities(told) and not names(told):
        return True
    spelled = (named.number for named in names(source) if not re.search(r"\d", named.words))
    stated = "\n".join(dict.fromkeys((source, _joined(source), *spelled)))
    return any(not _numbers_apart(reading, stated) for reading in dict.fromkeys((told, _joined(told))))


def _numbers_apart(told: str, stated: str) -> bool:
    return any(found.kind in QUANTITIES for found in disagreements(told, stated))


def _joined(text: str) -> str:
    return _GROUPED.sub(lambda match: re.sub(r"\s", "", match.group()), text)


def _told(part: str) -> str:
    plain = line(part)
    return NOT_REPORTED if plain.casefold().rstrip(".") in {"", NOT_REPORTED} else plain


def _counts(sample_size: str) -> bool:
    return bool(quantities(sample_size)) or not _LONE.isdisjoint(words(sample_size))
