"""What rules something out for the very case that is asked about: "contraindicated in (pregnancy, …)", "avoid in …".

It decides, and leads, before what is advised in general.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wellsourced.claims.advice_readings import find_sign
from wellsourced.claims.asked_advice import AskedAdvice, read_asked_advice
from wellsourced.claims.guideline_advice import split_advice
from wellsourced.claims.word_matches import list_asked_words
from wellsourced.claims.yes_no_questions import names_other_group
from wellsourced.clinical.conditions import is_denied
from wellsourced.clinical.drugs import covers_drug, find_meant, find_prescribed_drugs
from wellsourced.clinical.word_forms import word_beginnings
from wellsourced.late import compile_late
from wellsourced.models.advice_choice import DecidingReading, read_above
from wellsourced.models.particulars.asked_particulars import Particular, find_particulars
from wellsourced.models.unit_choice import QuoteCandidate
from wellsourced.text.section_paths import SEPARATOR
from wellsourced.types import Question

EXCLUDING_UNITS = 80
"""Units of guidelines, the best, that are read for what rules a case out."""

MIN_CORE_SHARE = 0.5
"""Share of what is to be done that a sentence names which contradicts."""

_MARK = (
    r"(?:contra-?indicat(?:ed|ions?|e)|avoid(?:ed|ing|s)?|harmful|unsafe|class iii: harm"
    r"|(?:not|never)\s+(?:be\s+)?(?:\w+\s+){0,1}(?:recommended|used?|giv(?:e|en)|start(?:ed)?|initiated?|prescribed"
    r"|administered|considered|appropriate))"
)
_RULES_OUT = compile_late(rf"\b{_MARK}\b", re.IGNORECASE)
_TURNED = compile_late(
    r"\b(?:no|not|non|never|without|unless|except|absence of|any|lack of|relative(?:ly)?)\W+(?:\w+\W+){0,2}$",
    re.IGNORECASE,
)
_PART_END = compile_late(
    rf"[;.]\s|,?\s\b(?:but|however|whereas|while|instead|prefer|consider)\b"
    rf"|\b(?:only\s+)?(?:when|if|where)\b(?=[^.;]*\b{_MARK})",
    re.IGNORECASE,
)
_STEP = compile_late(r"\s(?:->|-->|→)\s")

MAX_STEPS = 2
"""Steps of a line that are one sentence: "Severe (CrCl ≤ 30) → do not use"."""

_EXCEPTION = compile_late(
    r"\b(?:unless|except|other than|apart from|unlike|without|in the absence of)\b", re.IGNORECASE
)
_DEGREE = compile_late(
    r"\b(severe|moderate|mild|acute|active|recent|decompensated|uncontrolled|advanced|end-stage)\b",
    re.IGNORECASE,
)
_WITHIN = compile_late(r"\bwithin\b[^.;,)]*", re.IGNORECASE)
_DEGREE_REACH = 30
"""Characters before a particular in which a degree of it may stand: "severe renal impairment"."""

_DENIAL_REACH = 120
"""Characters before it that may deny it."""

_ITEM_START = compile_late(r"[,;(]")


class CaseExclusion(NamedTuple):
    """A sentence that rules a case out, its unit, and what it says to the question: +1 for yes, -1 for no."""

    sign: int
    words: str
    choice: QuoteCandidate


def find_exclusion(question: Question, choices: Sequence[QuoteCandidate]) -> CaseExclusion | None:
    """What rules out, for a particular of the question, what is to be done; None where nothing does.

    The subject of a whole guideline is no particular of its sentences.
    """
    asked = read_asked_advice(question.text)
    particulars = find_particulars(question.text, asked.core, list_asked_words(question))
    if not asked.asks_advice:
        return None
    for choice in [one for one in choices if one.passage.reference.kind == "guideline"][:EXCLUDING_UNITS]:
        further = list_further(particulars, choice)
        above = read_above(choice)
        for sentence in find_excluding_sentences(asked, further, choice.unit.own_text, above) if further else ():
            return CaseExclusion(-asked.sign, sentence, choice)
    return None


def list_further(particulars: Sequence[Particular], choice: QuoteCandidate) -> list[Particular]:
    """Those that are not the subject of the guideline."""
    return [one for one in particulars if not one.find_in(choice.passage.reference.title)]


def contradicts_exclusion(question: Question, one: DecidingReading, exclusion: CaseExclusion) -> bool:
    """Whether a sentence says the contrary of the very case, in its own words and under no condition."""
    asked = read_asked_advice(question.text)
    further = list_further(find_particulars(question.text, asked.core), one.choice)
    is_graded = (
        one.reading.tier == "graded"
        and "subject" not in one.reading.failed
        and one.features["core own"] >= MIN_CORE_SHARE
    )
    is_contrary = one.reading.sign != exclusion.sign and is_graded and not one.reading.is_conditional
    return is_contrary and bool(further) and all(each.is_said(one.reading.words) for each in further)


def find_excluding_sentences(
    asked: AskedAdvice, particulars: Sequence[Particular], text: str, above: str
) -> Iterator[str]:
    """The sentences of a text that rule out what is to be done for one of the particulars.

    particulars   those that are not the subject of the whole guideline
    above         the titles and lines under which the text stands
    """
    last_lines = "\n".join(above.splitlines()[-2:])
    for sentence in split_advice(text):
        if names_other_group(asked.claim, f"{last_lines}\n{sentence}"):
            continue
        plain = sentence.replace("*", "")
        steps = _STEP.split(plain)
        parts = [part for step in (steps if len(steps) > MAX_STEPS else [plain]) for part in _PART_END.split(step)]
        if any(_rules_out(asked, particulars, part, last_lines) for part in parts):
            yield sentence


def _rules_out(asked: AskedAdvice, particulars: Sequence[Particular], part: str, above: str) -> bool:
    said = _EXCEPTION.split(part, maxsplit=1)[0]
    is_marked = _is_marked(said) or (_is_marked(above) and not _RULES_OUT.search(part) and find_sign(part)[1] <= 0)
    return (
        is_marked
        and _speaks_of_action(asked, particulars, said, above)
        and any(_has(one, asked, said) for one in particulars)
    )


def _is_marked(text: str) -> bool:
    return any(not _TURNED.search(text[: found.start()]) for found in _RULES_OUT.finditer(text))


def _speaks_of_action(asked: AskedAdvice, particulars: Sequence[Particular], part: str, above: str) -> bool:
    """Whether it is of the drug that is asked about, or its class; of what is no drug, whether it has all its words."""
    drugs = find_prescribed_drugs(asked.core)
    if not drugs:
        wanted = word_beginnings(asked.core)
        return bool(wanted) and wanted <= word_beginnings(f"{above}\n{part}")
    taken = [one.drug for one in particulars if one.drug]
    others = tuple(one for one in find_prescribed_drugs(part) if not find_meant([one], taken))
    headings = reversed(re.split(rf"\n|{SEPARATOR}", above))
    named = others or next(filter(None, map(find_prescribed_drugs, headings)), ())
    return any(covers_drug(one, drug) and (drug.drug or not one.drug) for one in named for drug in drugs)


def _has(particular: Particular, asked: AskedAdvice, part: str) -> bool:
    """Whether a part has a particular, in no degree and within no time of which the question is silent."""
    if (within := _WITHIN.search(part)) and within[0] not in asked.question:
        return False
    return any(_is_as_asked(particular, asked, part, start, end) for start, end in particular.find_in(part))


def _is_as_asked(particular: Particular, asked: AskedAdvice, part: str, start: int, end: int) -> bool:
    before = part[max(0, start - _DENIAL_REACH) : start]
    if is_denied(part, start, end) and not _RULES_OUT.search(before):
        return False
    degrees = _list_degrees(_ITEM_START.split(before)[-1][-_DEGREE_REACH:] + part[start:end])
    return bool(particular.figure) or not degrees or bool(degrees & _list_degrees(asked.question))


def _list_degrees(text: str) -> set[str]:
    return {one.lower() for one in _DEGREE.findall(text)}
