"""Particulars of a question that could turn general advice: diseases, devices, values, drugs taken, allergies.

"DOACs are recommended in atrial fibrillation" says nothing of who has a mechanical valve, too. A sentence decides a
question only if it speaks of each of its particulars, or the titles above it do.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from wellsourced.claims.word_matches import AskedWord, has_word, read_words
from wellsourced.clinical.allergies import extract_allergies, find_related_drug
from wellsourced.clinical.conditions import is_denied
from wellsourced.clinical.drugs import DrugMention, find_meant, find_prescribed_drugs
from wellsourced.clinical.measurements import Figure, Limit, find_figures, find_limits
from wellsourced.clinical.warned_conditions import ConditionName, find_conditions, wider_conditions

MIN_TOLD_RARITY = 3.0
"""Rarity from which a word of what somebody has or takes counts: "with haemophilia", "on phenytoin"."""

KIDNEY_MEASURES = frozenset({"eGFR", "creatinine clearance"})
"""Measures of the same thing: a limit of the one holds for the other, nearly."""

NO_PARTICULARS = frozenset({"weight"})
"""Measures by which doses are counted, and that turn no advice."""

NEVER_DENIED = frozenset({"pregnancy"})
"""What matters when it is planned, too."""

MAX_APART = 60
"""Characters between a drug and what tells that it is taken, at most."""

_ALLERGIC = re.compile(r"\b(?:allerg|hypersensitiv|intoleran|anaphyla)", re.IGNORECASE)
_TOLD = re.compile(
    r"\b(?:with|on|takes?|taking|has|have|had|known|history of|previous|past|old|despite|who is|who are"
    r"|someone|also)\s+"
    r"(?P<what>(?:[\w'’-]+\s*){1,5})"
    r"|\b(?:in|for|of) (?P<who>[\w-]+ )(?:patients?|people|persons?|adults?|men|man|women|woman|individuals?)\b",
    re.IGNORECASE,
)
_VERB = re.compile(r"(?:ed|ing)$", re.IGNORECASE)
_TOGETHER = re.compile(
    r"\b(?:add(?:s|ed|ing|ition|-on)?|combin\w+|plus|together|con(?:comitant|current)\w*|co-?administ\w+|already|interact\w*"
    r"|taking|takes?|receiving|on|despite|switch\w*|continu\w+|stop\w*|hold)\b|\+",
    re.IGNORECASE,
)
"""What speaks of a drug that is taken, and does not only name it among others: "ACE inhibitors, ARBs or CCBs"."""


class Particular(NamedTuple):
    """Something that a question names: one of its kinds, or a word of what somebody has or takes.

    drug   one that is taken, besides the one that is asked about
    """

    condition: str = ""
    drug: DrugMention | None = None
    allergy: str = ""
    figure: Figure | None = None
    word: AskedWord | None = None

    def is_said(self, text: str) -> bool:
        """Whether a text speaks of it, of something wider or of something narrower."""
        if self.figure:
            return self._names_measure(text)
        if self.word:
            return has_word(read_words(text), self.word)
        found = self.find_in(text)
        if self.drug:
            return any(_TOGETHER.search(text[max(0, start - MAX_APART) : end + MAX_APART]) for start, end in found)
        return bool(found)

    def find_in(self, text: str) -> list[tuple[int, int]]:
        """Where a text names it; of a value, where a limit holds for it."""
        if self.drug:
            return [(one.start, one.end) for one, _ in find_meant(find_prescribed_drugs(text), [self.drug])]
        if self.allergy:
            found = _ALLERGIC.search(text) if find_related_drug(self.allergy, text) else None
            return [found.span()] if found else []
        if self.figure:
            limits = self._find_limits(text)
            return [(one.start, one.start + len(one.words)) for one in limits if one.is_reached(self.figure.value)]
        if self.word:
            return [one.span() for one in re.finditer(rf"\b{re.escape(self.word.text)}", text, re.IGNORECASE)]
        return [(one.start, one.end) for one in _find_conditions(text) if _is_same(self.condition, one.name)]

    def _names_measure(self, text: str) -> bool:
        """Whether a text speaks of what a value is of; where it sets limits of it, whether one holds for it."""
        if limits := self._find_limits(text):
            return self.figure is not None and any(one.is_reached(self.figure.value) for one in limits)
        return self.figure is not None and self.figure.measure.casefold() in text.casefold()

    def _find_limits(self, text: str) -> list[Limit]:
        measure = self.figure.measure if self.figure else ""
        alike = KIDNEY_MEASURES if measure in KIDNEY_MEASURES else {measure}
        return [one for one in find_limits(text) if one.measure in alike]


def find_particulars(question: str, core: str, words: Sequence[AskedWord] = ()) -> tuple[Particular, ...]:
    """What a question names besides what is to be done; what is denied is left out.

    core    what is to be done, or asked of: its drugs are no particulars
    words   the telling words of the question
    """
    return tuple(_list(question.strip(" ?."), core, words))


def _list(question: str, core: str, words: Sequence[AskedWord]) -> Iterator[Particular]:
    known = []
    for one in _find_conditions(question):
        known.append(one.words)
        if one.name in NEVER_DENIED or not is_denied(question, one.start, one.end):
            yield Particular(condition=one.name)
    allergies = extract_allergies(question)
    yield from (Particular(allergy=allergy) for allergy in allergies)
    asked = find_prescribed_drugs(core)
    for drug in find_prescribed_drugs(question):
        known.append(drug.words)
        is_of_allergy = any(find_related_drug(allergy, drug.words) for allergy in allergies)
        is_asked = any(one.words == drug.words for one in asked) or bool(find_meant([drug], asked))
        if not (is_of_allergy or is_asked or is_denied(question, drug.start, drug.end)):
            yield Particular(drug=drug)
    for figure in find_figures(question):
        known.append(figure.words)
        if figure.measure not in NO_PARTICULARS:
            yield Particular(figure=figure)
    told = " ".join(match["what"] or match["who"] for match in _TOLD.finditer(question))
    named = " ".join((core, *known, *allergies))
    for word in words:
        is_new = not (re.search(rf"\b{re.escape(word.text)}", named, re.IGNORECASE) or _VERB.search(word.text))
        if is_new and word.rarity >= MIN_TOLD_RARITY and re.search(rf"\b{re.escape(word.text)}\b", told):
            yield Particular(word=word)


def list_unsaid(particulars: Sequence[Particular], text: str) -> list[Particular]:
    """Those of which a text does not speak."""
    return [one for one in particulars if not one.is_said(text)]


@lru_cache(maxsize=20_000)
def _find_conditions(text: str) -> tuple[ConditionName, ...]:
    return tuple(find_conditions(text))


def _is_same(asked: str, said: str) -> bool:
    return asked == said or said in wider_conditions(asked) or asked in wider_conditions(said)
