"""Conditions by which a patient may differ from those who were studied, as records and articles write them."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

CONDITION_PATTERNS = {
    "pregnancy": r"pregnan\w*|gravida|gestation(?:al age)?|trimester",
    "breastfeeding": r"breast-?feed\w*|lactating|lactation|nursing (?:mother|woman|women|infants?)",
    "kidney disease": r"chronic kidney disease|CKD|ESRD|ESKD|end-stage (?:renal|kidney) (?:disease|failure)"
    r"|(?:renal|kidney) (?:impairment|failure|insufficiency|dysfunction|disease|injury)"
    r"|impaired (?:renal|kidney) function|(?:ha?emo)?dialysis|(?:kidney|renal) transplant\w*",
    "liver disease": r"cirrho\w+|(?:hepatic|liver) (?:impairment|failure|insufficiency|disease|dysfunction|cirrhosis)"
    r"|impaired (?:liver|hepatic) function|Child[- ]Pugh|hepatitis",
    "diabetes": r"diabet(?:es|ics?)|T[12]DM|DM2?",
    "heart failure": r"(?:congestive )?heart failure|CHF|HFrEF|HFpEF|reduced ejection fraction|cardiomyopathy",
    "atrial fibrillation": r"atrial fibrillation|AF(?:ib)?",
    "coronary heart disease": r"myocardial infarction|NSTEMI|STEMI|coronary (?:artery|heart) disease|CAD|angina"
    r"|isch[a]?emic heart disease|acute coronary syndrome",
    "stroke": r"strokes?|transient isch[a]?emic attacks?|TIA|cerebrovascular",
    "hypertension": r"hypertension|hypertensive|high blood pressure",
    "asthma": r"asthma\w*",
    "COPD": r"COPD|chronic obstructive pulmonary disease|emphysema",
    "cancer": r"cancers?|malignan\w+|carcinomas?|lymphomas?|leuk[a]?emias?|myeloma|metasta\w+",
    "HIV": r"HIV|AIDS",
    "immunosuppression": r"immunosuppress\w+|immunocompromised|(?:organ )?transplant\w*",
    "epilepsy": r"epilep\w+|seizures?",
    "dementia": r"dementia|Alzheimer\w*|cognitive impairment",
    "depression": r"depression|depressive",
    "psychosis": r"schizophreni\w+|psychosis|psychotic|bipolar",
    "bleeding": r"(?:history of |gastrointestinal |GI |intracranial |major |active )bleed\w*|h[a]?emorrhag\w+"
    r"|coagulopathy|bleeding disorders?|h[a]?emophilia",
    "peptic ulcer": r"(?:peptic|gastric|duodenal) ulcers?",
    "glaucoma": r"glaucoma",
    "long QT": r"long QT|QTc? prolongation|prolonged QTc?",
    "thyroid disease": r"hyperthyroid\w*|hypothyroid\w*|thyrotoxicosis|Graves\w*",
    "osteoporosis": r"osteoporo\w+",
    "obesity": r"obes(?:e|ity)",
    "alcohol use disorder": r"alcohol (?:use disorder|abuse|dependence|misuse)|alcoholism|alcoholic",
    "substance use": r"(?:drug|substance|opioid) (?:abuse|misuse|use disorder|dependence)",
}
"""What a condition is called here → how it is written. Short forms in capitals are written so and not otherwise."""

_DENIAL_BEFORE = re.compile(
    r"\b(?:no|not|non|nor|never|denie[sd]|denying|without|negative for|ruled out|absence of|free of|unlikely"
    r"|screen(?:ed|ing) for|risk (?:of|for)|(?:to )?prevent(?:ion of)?|plan\w*|wish\w*|want\w*|try\w*|hop(?:es|ing))\b"
    r"(?:(?!\b(?:but|has|had|have|is|was|with|who|and takes)\b)[^.;\n]){0,80}$",
    re.IGNORECASE,
)
_RELATIVE_BEFORE = re.compile(
    r"\b(?:family history|FH|mother|father|brother|sister|parents?|son|daughter|husband|wife|aunt|uncle|grand\w+)\b"
    r"[^.;\n]{0,80}$",
    re.IGNORECASE,
)
_DENIAL_BEHIND = re.compile(
    r"^\W{0,2}(?:tests? (?:was |is )?negative|was (?:ruled out|excluded)|:\s*(?:no|none|denied|negative))",
    re.IGNORECASE,
)
_EGFR = re.compile(r"\b(?:eGFR|GFR|CrCl|creatinine clearance)\D{0,15}(\d{1,3})(?![\d.]*\s*(?:years|mg))", re.IGNORECASE)
MIN_NORMAL_EGFR = 60
"""mL/min: a filtration rate below this is that of a kidney disease (KDIGO 2024)."""


class ConditionMention(NamedTuple):
    """A condition, and the words that name it."""

    condition: str
    words: str


def extract_patient_conditions(text: str) -> list[ConditionMention]:
    """What a record says its patient has, each condition once; what is denied, or somebody else's, is left out."""
    first = _first_mentions(one for one in _match_conditions(text) if _is_own_condition(text, one[1]))
    rate = _EGFR.search(text)
    if rate and int(rate[1]) < MIN_NORMAL_EGFR:
        first.setdefault("kidney disease", ConditionMention("kidney disease", rate.group()))
    return list(first.values())


def extract_conditions(text: str) -> list[ConditionMention]:
    """The conditions that a text names, whatever it says of them, each once."""
    return list(_first_mentions(_match_conditions(text)).values())


def _first_mentions(matches: Iterable[tuple[str, re.Match[str]]]) -> dict[str, ConditionMention]:
    first: dict[str, ConditionMention] = {}
    for condition, match in matches:
        first.setdefault(condition, ConditionMention(condition, match.group()))
    return first


def _match_conditions(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    for condition, pattern in _compile_patterns().items():
        for match in pattern.finditer(text):
            # "AF" and "DM" are written in capitals; "af" is not the one, nor "dm" the other.
            if len(match.group()) > 4 or match.group() != match.group().lower():
                yield condition, match


def _is_own_condition(text: str, match: re.Match[str]) -> bool:
    before = text[max(0, match.start() - 120) : match.start()]
    return not (
        _DENIAL_BEFORE.search(before)
        or _RELATIVE_BEFORE.search(before)
        or _DENIAL_BEHIND.match(text[match.end() : match.end() + 40])
    )


@cache
def _compile_patterns() -> dict[str, re.Pattern[str]]:
    return {name: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for name, words in CONDITION_PATTERNS.items()}
