"""What a model noted of a study, with every number in it compared with the passage."""

import re

from wellsourced.claims.guard import QUANTITY_KINDS, find_disagreements
from wellsourced.clinical.quantities import extract_named_numbers, extract_quantities
from wellsourced.prompts.evidence import UncheckedCard
from wellsourced.text.passages import text_under_titles
from wellsourced.text.sanitization import short_line
from wellsourced.text.tokens import tokenize
from wellsourced.types import NOT_REPORTED, ArticleCard, Passage

CARD_PARTS = ("summary", "design", "sample_size", "population", "bias")

_SINGLE_WORDS = frozenset({"one", "single"})
_DIGIT_GROUPS = re.compile(r"(?<![\w.,])\d{1,3}(?:\s\d{3})+(?!\w|[.,]\d)")


def build_card(noted: UncheckedCard, passage: Passage) -> ArticleCard:
    """The card, each part in one line; a part with a number that passage and titles do not have is unconfirmed.

    A sample size that counts nothing ("many") is no sample size: it is not reported, and unconfirmed.
    """
    parts = {part: _clean_part(getattr(noted, part)) for part in CARD_PARTS}
    uncounted = parts["sample_size"] != NOT_REPORTED and not _has_count(parts["sample_size"])
    if uncounted:
        parts["sample_size"] = NOT_REPORTED
    source = text_under_titles(passage)
    doubted = {part for part, told in parts.items() if not has_all_numbers(told, source)}
    doubted |= {"sample_size"} if uncounted else set()
    return ArticleCard(**parts, unconfirmed=tuple(part for part in CARD_PARTS if part in doubted))


def has_all_numbers(told: str, source: str) -> bool:
    """Whether the source has every number of the words, with its unit: "20,536" is "20 536", "phase 3" is "phase III".

    Spaces between groups of three digits may part a number or two numbers: either reading will do.
    """
    if not extract_quantities(told) and not extract_named_numbers(told):
        return True
    spelled = (named.number for named in extract_named_numbers(source) if not re.search(r"\d", named.words))
    stated = "\n".join(dict.fromkeys((source, _join_digit_groups(source), *spelled)))
    return any(
        not _has_number_difference(reading, stated) for reading in dict.fromkeys((told, _join_digit_groups(told)))
    )


def _has_number_difference(told: str, stated: str) -> bool:
    return any(found.kind in QUANTITY_KINDS for found in find_disagreements(told, stated))


def _join_digit_groups(text: str) -> str:
    return _DIGIT_GROUPS.sub(lambda match: re.sub(r"\s", "", match.group()), text)


def _clean_part(part: str) -> str:
    plain = short_line(part)
    return NOT_REPORTED if plain.casefold().rstrip(".") in {"", NOT_REPORTED} else plain


def _has_count(sample_size: str) -> bool:
    return bool(extract_quantities(sample_size)) or not _SINGLE_WORDS.isdisjoint(tokenize(sample_size))
