"""Minimal pairs: a real sentence, and the same with one fact changed or with nothing changed but the wording.

What checks quotes or claims has to refuse the first and to let the second pass. The pairs are made by rule from any
text, so that everyone can make them from texts of their own.
"""

import random
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from wellsourced.errors import SourceRefused
from wellsourced.text.sentences import is_prose, split_sentences
from wellsourced_evaluate.builders import alterations as change
from wellsourced_evaluate.builders import altered_quantities as quantity
from wellsourced_evaluate.builders import paraphrases as same
from wellsourced_evaluate.builders.alteration_rules import Rule

HARMFUL: Mapping[str, Rule] = {
    "negation": change.NEGATION,
    "direction": change.DIRECTION,
    "number": quantity.NUMBER,
    "unit": quantity.UNIT,
    "dose": quantity.alter_dose,
    "percentage": quantity.PERCENTAGE,
    "interval": quantity.INTERVAL,
    "p-value": quantity.P_VALUE,
    "comparator": quantity.COMPARATOR,
    "population": change.POPULATION,
    "drug": change.alter_drug,
    "time": quantity.TIME,
    "role": change.swap_roles,
    "term": change.TERM,
}
"""Class → the rule that makes a sentence wrong."""

HARMLESS: Mapping[str, Rule] = {
    "paraphrase": same.PARAPHRASE,
    "white space": same.vary_white_space,
    "unicode": same.vary_characters,
    "abbreviation": same.ABBREVIATION,
    "left out": same.LEFT_OUT,
}
"""Class → the rule that writes a sentence otherwise."""

CLASSES: Mapping[str, Rule] = {**HARMFUL, **HARMLESS}

MAX_SENTENCE = 500
"""Characters of a sentence that is altered; what is longer is a table or a list more often than a sentence."""

MAX_PER_TEXT = 2
"""Pairs of one class that are made from one text, at most: so that no text decides alone."""


ON_PUBLICATION = re.compile(
    r"\b(?:registered|registration|supplementary|online version|copyright|PROSPERO|ISRCTN|NCT\d+|all rights)\b|©",
    re.IGNORECASE,
)
"""What a sentence says of the article and not of its subject: nobody claims that."""


class MinimalPair(NamedTuple):
    """A claim made from a sentence of a text.

    change    the class, a key of CLASSES
    original  the sentence
    text      the whole text in which it stands
    harmful   whether the claim says something else than the sentence
    """

    change: str
    original: str
    claim: str
    text: str
    harmful: bool


def make_minimal_pairs(texts: Iterable[str], change: str, count: int, seed: int = 7) -> Iterator[MinimalPair]:
    """Up to `count` pairs of one class from texts, in their order; the seed decides on sentences and changes.

    Raises SourceRefused when there is no such class.
    """
    if change not in CLASSES:
        raise SourceRefused(f"There is no class of alterations “{change}”: there are {', '.join(CLASSES)}.")
    chance = random.Random(f"{seed} {change}")  # noqa: S311
    made = 0
    for text in texts:
        for pair in _pairs_of_text(text, change, chance):
            if made == count:
                return
            made += 1
            yield pair


def _pairs_of_text(text: str, change: str, chance: random.Random) -> Iterator[MinimalPair]:
    spans = split_sentences(text)
    made = 0
    for span in chance.sample(spans, len(spans)):
        sentence = text[span.start : span.end]
        if made == MAX_PER_TEXT or len(sentence) > MAX_SENTENCE or not is_prose(sentence):
            continue
        if ON_PUBLICATION.search(sentence):
            continue
        claim = CLASSES[change](sentence, chance)
        # What another sentence of the text says is true, however it came about.
        if claim and claim != sentence and (change in HARMLESS or claim not in text):
            made += 1
            yield MinimalPair(change, sentence, claim, text, change in HARMFUL)
