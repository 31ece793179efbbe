"""What a model noted of a study, with every number in it compared with the passage."""

import re
from collections.abc import Sequence

from wellsourced.claims.guard.numbers import compare_quantities
from wellsourced.clinical.quantities import extract_named_numbers, extract_quantities
from wellsourced.prompts.evidence import UncheckedCard
from wellsourced.text.passages import text_under_titles
from wellsourced.text.sanitization import short_line
from wellsourced.text.tokens import tokenize
from wellsourced.types import NOT_REPORTED, ArticleCard, Evidence, Passage, SourceKind

NON_STUDY_KINDS: frozenset[SourceKind] = frozenset({"book", "consumer", "graph", "guideline", "wiki"})
"""Kinds of sources whose documents are no studies, so that there is nothing to note of one."""

CARD_PARTS = ("summary", "design", "sample_size", "population", "bias")

MIN_TOLD_WORDS = 2
"""Words of a passage beside its title and headings from which something of the study can be noted."""

_SINGLE_WORDS = frozenset({"one", "single"})
_DIGIT_GROUPS = re.compile(r"(?<![\w.,])\d{1,3}(?:\s\d{3})+(?!\w|[.,]\d)")


def build_card(noted: UncheckedCard, passage: Passage, quotes: Sequence[str] = ()) -> ArticleCard | None:
    """The card, each part in one line; a part with a number that passage and titles do not have is unconfirmed.

    What was said already is not noted again, and a card that then says nothing is none; so is one of what is no study,
    or of a heading alone, of which a model can note nothing but what it made up.
    A sample size that counts nothing ("many") is no sample size: it is not reported, and unconfirmed.
    """
    if passage.reference.kind in NON_STUDY_KINDS or is_heading_alone(passage):
        return None
    parts = _remove_repetitions({part: _clean_part(getattr(noted, part)) for part in CARD_PARTS}, passage, quotes)
    uncounted = parts["sample_size"] != NOT_REPORTED and not _has_count(parts["sample_size"])
    if uncounted:
        parts["sample_size"] = NOT_REPORTED
    source = text_under_titles(passage)
    doubted = {part for part, told in parts.items() if not has_all_numbers(told, source)}
    doubted |= {"sample_size"} if uncounted else set()
    if not doubted and all(told == NOT_REPORTED for told in parts.values()):
        return None
    return ArticleCard(**parts, unconfirmed=tuple(part for part in CARD_PARTS if part in doubted))


def is_heading_alone(passage: Passage) -> bool:
    """Whether a passage has no words but its title's, its headings' and a few more."""
    titles = set(tokenize(f"{passage.reference.title} {passage.section}"))
    return sum(word not in titles for word in tokenize(passage.text)) < MIN_TOLD_WORDS


def _remove_repetitions(parts: dict[str, str], passage: Passage, quotes: Sequence[str]) -> dict[str, str]:
    """The parts, without a summary that a quote or the title has word for word, and without a part that says what one
    before it does."""
    said = {part: " ".join(tokenize(told)) for part, told in parts.items()}
    shown = (" ".join(tokenize(text)) for text in (*quotes, passage.reference.title))
    repeated = {
        part for place, part in enumerate(CARD_PARTS) if said[part] in [said[one] for one in CARD_PARTS[:place]]
    }
    if any(f" {said['summary']} " in f" {text} " for text in shown):
        repeated.add("summary")
    return {part: NOT_REPORTED if part in repeated else told for part, told in parts.items()}


def show_cards_once(evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """The evidence, with a card beside the first piece of each work alone: it tells of the study, not of the piece."""
    noted: set[str] = set()
    shown = []
    for item in evidence:
        repeats = item.card is not None and item.passage.reference.id in noted
        shown.append(item.model_copy(update={"card": None}) if repeats else item)
        noted |= {item.passage.reference.id} if item.card else set()
    return tuple(shown)


def has_all_numbers(told: str, source: str) -> bool:
    """Whether the source has every number of the words, with its unit: "20,536" is "20 536", "phase 3" is "phase III".

    Each need only stand somewhere in the source: words may name together what it has apart. Spaces between groups of
    three digits may part a number or two numbers: either reading will do.
    """
    if not extract_quantities(told) and not extract_named_numbers(told):
        return True
    if _has_bare_numbers(told, source):
        return True
    spelled = (named.number for named in extract_named_numbers(source) if not re.search(r"\d", named.words))
    stated = "\n".join(dict.fromkeys((source, _join_digit_groups(source), *spelled)))
    readings = dict.fromkeys((told, _join_digit_groups(told)))
    return any(not any(compare_quantities(reading, stated)) for reading in readings)


def _has_bare_numbers(told: str, source: str) -> bool:
    """Whether its only numbers are counts without a unit, and the source has each of them: “92” is “Ninety-two”."""
    counted = [one for one in extract_quantities(told) if not one.comparator]
    if extract_named_numbers(told) or len(counted) < len(extract_quantities(told)) or any(one.unit for one in counted):
        return False
    return {one.value for one in counted} <= {one.value for one in extract_quantities(source) if not one.unit}


def _join_digit_groups(text: str) -> str:
    return _DIGIT_GROUPS.sub(lambda match: re.sub(r"\s", "", match.group()), text)


def _clean_part(part: str) -> str:
    plain = short_line(part)
    return NOT_REPORTED if plain.casefold().rstrip(".") in {"", NOT_REPORTED} else plain


def _has_count(sample_size: str) -> bool:
    return bool(extract_quantities(sample_size)) or not _SINGLE_WORDS.isdisjoint(tokenize(sample_size))
