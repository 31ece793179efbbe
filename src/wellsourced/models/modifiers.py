"""Modifiers of a question that could turn general advice: diseases, devices, values, drugs taken, allergies, and the
manner that is asked about.

"DOACs are recommended in atrial fibrillation" says nothing of who has a mechanical valve, too. A sentence decides a
question only if it speaks of each of its modifiers, or the titles above it do.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from wellsourced.claims.question_terms import QuestionTerm, has_word, read_words
from wellsourced.medicine.conditions import ConditionName, find_conditions, wider_conditions
from wellsourced.medicine.drugs import (
    DrugMention,
    extract_allergies,
    find_drugs,
    find_prescribed_drugs,
    find_related_drug,
    is_meant,
    matching_drugs,
)
from wellsourced.medicine.measurements import Figure, Limit, find_figures, find_limits
from wellsourced.medicine.scope import is_denied
from wellsourced.text.tokens import content_stems

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


class Modifier(NamedTuple):
    """Something that a question names: one of its kinds, or a word of what somebody has or takes.

    drug   one that is taken, besides the one that is asked about
    """

    condition: str = ""
    drug: DrugMention | None = None
    allergy: str = ""
    figure: Figure | None = None
    word: QuestionTerm | None = None

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
            return [(one.start, one.end) for one, _ in matching_drugs(find_prescribed_drugs(text), [self.drug])]
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


def find_modifiers(question: str, core: str, words: Sequence[QuestionTerm] = ()) -> tuple[Modifier, ...]:
    """What a question names besides what is to be done; what is denied is left out.

    core    what is to be done, or asked of: its drugs are no modifiers
    words   the telling words of the question
    """
    return tuple(_list(question.strip(" ?."), core, words))


def _list(question: str, core: str, words: Sequence[QuestionTerm]) -> Iterator[Modifier]:
    known = []
    for one in _find_conditions(question):
        known.append(one.words)
        if one.name in NEVER_DENIED or not is_denied(question, one.start, one.end):
            yield Modifier(condition=one.name)
    allergies = extract_allergies(question)
    yield from (Modifier(allergy=allergy) for allergy in allergies)
    asked = find_prescribed_drugs(core)
    for drug in find_prescribed_drugs(question):
        known.append(drug.words)
        is_of_allergy = any(find_related_drug(allergy, drug.words) for allergy in allergies)
        is_asked = any(one.words == drug.words for one in asked) or bool(matching_drugs([drug], asked))
        if not (is_of_allergy or is_asked or is_denied(question, drug.start, drug.end)):
            yield Modifier(drug=drug)
    for figure in find_figures(question):
        known.append(figure.words)
        if figure.measure not in NO_PARTICULARS:
            yield Modifier(figure=figure)
    told = " ".join(match["what"] or match["who"] for match in _TOLD.finditer(question))
    named = " ".join((core, *known, *allergies))
    for word in words:
        is_new = not (re.search(rf"\b{re.escape(word.text)}", named, re.IGNORECASE) or _VERB.search(word.text))
        if is_new and word.rarity >= MIN_TOLD_RARITY and re.search(rf"\b{re.escape(word.text)}\b", told):
            yield Modifier(word=word)


def list_unsaid(modifiers: Sequence[Modifier], text: str) -> list[Modifier]:
    """Those of which a text does not speak."""
    return [one for one in modifiers if not one.is_said(text)]


@lru_cache(maxsize=20_000)
def _find_conditions(text: str) -> tuple[ConditionName, ...]:
    return tuple(find_conditions(text))


def _is_same(asked: str, said: str) -> bool:
    return asked == said or said in wider_conditions(asked) or asked in wider_conditions(said)


# What a question of yes or no claims of how: over what else, in which rank, when, for how long, to what effect.
#
# A sentence that does not say that is no "yes" to it, however much of the rest it says.


_COMPARING = re.compile(
    r"\b(?:over|instead of|rather than|in preference to|in place of|superior to|preferred to|versus|vs\.?"
    r"|compared (?:to|with)|replac(?:es|ing)|(?:better|safer|worse|more \w+|less \w+) than)\s",
    re.IGNORECASE,
)
_OTHER_END = re.compile(r"[?.;,:]|\b(?:in|for|with|when|if|as|after|before|during|among|at)\b", re.IGNORECASE)
_RANKS = (
    (
        re.compile(r"\bfirst[- ](?:line|choice)\b|\b(?:drug|agent|treatment) of (?:first )?choice\b", re.IGNORECASE),
        re.compile(r"\bfirst\b|\binitial\w*|\bpreferred\b|\bof choice\b|\b1st\b|\bprimary\b", re.IGNORECASE),
    ),
    (
        re.compile(r"\bsecond[- ](?:line|choice)\b", re.IGNORECASE),
        re.compile(r"\bsecond\b|\balternative\w*|\b2nd\b|\badd\w*", re.IGNORECASE),
    ),
    (
        re.compile(r"\bprevent(?:s|ed|ing|ion)?\b|\bprophyla\w+", re.IGNORECASE),
        re.compile(r"\bprevent\w*|\bprophyla\w+|\breduc\w+|\blower\w*|\bfewer\b|\bavoid\w*|\bprotect\w*", re.I),
    ),
    (re.compile(r"\bprefer(?:red|able|ence)\b", re.IGNORECASE), re.compile(r"\bprefer\w*|\bover\b|\bfirst\b", re.I)),
)
"""How a question ranks what it asks for, or what for, and how a sentence does that answers it."""

_LASTING = re.compile(
    r"\b(?:for|every|within|at least|up to|over) (?P<number>\d+)[- ](?P<unit>day|week|month|year|hour)s?\b"
    r"(?! (?:already|now|ago|so far))",
    re.IGNORECASE,
)
_CAUTION = re.compile(r"\b(?:use|with|exercise|extreme) caution\b|\bcautiously\b", re.IGNORECASE)


_TIMED = re.compile(
    r"\b(?:(?P<when>before|after|during|following|prior to)\s+(?:the |an? |any )?|(?P<joined>pre|post)-)"
    r"(?P<what>[\w-]+)",
    re.IGNORECASE,
)
_BEFORE = frozenset({"before", "prior to", "pre"})
_ALIKE = (
    re.compile(r"\badmissions?\b|\badmitted\b|\bhospitali[sz]\w+", re.IGNORECASE),
    re.compile(r"\bmortality\b|\bdeaths?\b|\bdie[sd]?\b|\bsurviv\w+", re.IGNORECASE),
    re.compile(r"\bbleed\w*|\bha?emorrhag\w+", re.IGNORECASE),
    re.compile(r"\bheart\b|\bcardi\w+", re.IGNORECASE),
)
"""Words for one effect."""
_EFFECT = re.compile(
    r"\b(?:reduc|lower|decreas|improv|slow|increas|rais|prolong|shorten|delay|worsen)(?:e|es|s|ed|ing)?\s(?P<what>[^?.;,]{3,60})",
    re.IGNORECASE,
)


def leaves_manner_open(question: str, said: str) -> bool:
    """Whether a sentence that seems to affirm a question does not say how, as the question claims it."""
    return (
        _leaves_comparison_open(question, said)
        or any(asked.search(question) and not ranked.search(said) for asked, ranked in _RANKS)
        or any(not _says_time(match, said) for match in _LASTING.finditer(question))
        or any(_is_at_another_time(match, said) for match in _TIMED.finditer(question))
        or any(not _names_effect(match["what"], said) for match in _EFFECT.finditer(question))
        or bool(_CAUTION.search(said) and not _CAUTION.search(question))
    )


def _leaves_comparison_open(question: str, said: str) -> bool:
    """Whether the question prefers something to another thing, and the sentence does not prefer it to just that."""
    comparing = _COMPARING.search(question)
    if comparing is None:
        return False
    end = _OTHER_END.search(question, comparing.end())
    other = question[comparing.end() : end.start() if end else len(question)]
    found = [(one.start(), one.end()) for one in _COMPARING.finditer(said)]
    return not any(_names(other, said[after:]) and not _names(other, said[:before]) for before, after in found)


def _names(thing: str, text: str) -> bool:
    """Whether a text names a drug of a few words, or where they name none, one of the words."""
    if drugs := find_drugs(thing):
        return any(is_meant(named, drug) for named in find_drugs(text) for drug in drugs)
    return not set(content_stems(thing)).isdisjoint(content_stems(text))


def _says_time(asked: re.Match[str], said: str) -> bool:
    return bool(re.search(rf"\b{asked['number']}[- ]?(?:to \d+ )?{asked['unit']}", said, re.IGNORECASE))


def _is_at_another_time(asked: re.Match[str], said: str) -> bool:
    """Whether a sentence is about before or after what the question names, where the question asks of the other."""
    what = content_stems(asked["what"])[:1]
    times = [_is_before(one) for one in _TIMED.finditer(said) if content_stems(one["what"])[:1] == what]
    return bool(what and times) and _is_before(asked) not in times


def _is_before(timed: re.Match[str]) -> bool:
    return (timed["when"] or timed["joined"]).lower() in _BEFORE


def _names_effect(effect: str, said: str) -> bool:
    """Whether a sentence speaks of what is to be changed: the words before whom it is changed in."""
    end = _OTHER_END.search(effect)
    words = effect[: end.start()] if end else effect
    wanted = content_stems(words)
    is_named = not wanted or not set(wanted).isdisjoint(content_stems(said))
    return is_named or any(one.search(words) and one.search(said) for one in _ALIKE)
