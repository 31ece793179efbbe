"""The drugs that a patient does not tolerate, with the drugs of the same class."""

import re
from collections.abc import Iterator

from wellsourced.text.lexicon import word_set

_ALLERGY_STATEMENT = re.compile(
    r"\b(?:allerg(?:y|ies|ic)(?:\s+(?:reactions?|history))?|anaphylaxis|anaphylactic reaction|intoleran(?:t|ce)"
    r"|hypersensitiv(?:e|ity))\s*(?:to|of|includes?|:|-|–)\s*(?:known\s+)?(?P<after>[^.\n;]{2,120})"
    r"|\b(?P<before>[a-z][\w-]{3,30})[\s-](?:drug\s)?(?:allergy|allergic|intolerance|hypersensitivity|anaphylaxis)\b",
    re.IGNORECASE,
)
_NEGATION_BEFORE = re.compile(r"\b(?:no|not|denies|without|nil)\b[^.;\n]{0,30}$", re.IGNORECASE)
_SEPARATOR = re.compile(
    r"\([^)]*\)|,|/|;|\band\b|\bor\b|\bwith\b|\bcausing\b|\bwhich\b|\bbut\b|\bsince\b|\bin\b", re.IGNORECASE
)
_NOT_A_DRUG = word_set(
    """nkda nka none known unknown drug drugs food foods latex pollen dust peanut peanuts nuts egg eggs milk shellfish
    seafood bee wasp cat cats dog dogs grass hives rash reports reported severe mild documented food-related seasonal
    multiple history possible the his her any allergy allergies medication medications other"""
)

_RELATED_DRUGS = {
    r"penicillins?|\w+cillin": r"\w*penicillin\w*|amox[iy]cillin|\w{3,}cillin|co-amoxiclav|augmentin|piperacillin",
    r"(?:cef|ceph)\w+": r"(?:cef|ceph)\w+",
    r"sulfas?|sulphas?|sulfonamides?|sulfa drugs?": r"sulfa(?:meth\w+|diazine|salazine)|co-trimoxazole|sulfonamides?",
    r"nsaids?|non-?steroidal\w*|ibuprofen|naproxen|diclofenac": r"NSAIDs?|ibuprofen|naproxen|diclofenac|ind?omethacin"
    r"|ketorolac|ketoprofen|meloxicam|celecoxib|etoricoxib|piroxicam",
    r"aspirin|acetylsalicylic acid": r"aspirin|acetylsalicylic acid|NSAIDs?",
    r"statins?": r"\w{3,}statin",
    r"ace inhibitors?": r"ACE inhibitors?|\w{3,}pril",
    r"macrolides?|erythromycin|clarithromycin|azithromycin": r"macrolides?|\w+thromycin",
    r"(?:fluoro)?quinolones?|\w+floxacin": r"(?:fluoro)?quinolones?|\w+floxacin",
    r"tetracyclines?|doxycycline": r"\w+cycline",
    r"paracetamol|acetaminophen": r"paracetamol|acetaminophen",
    r"codeine|morphine|opioids?|opiates?": r"codeine|morphine|opioids?|opiates?",
    r"iodine|contrast|contrast media|iodinated contrast": r"iodinated contrast|contrast (?:media|medium|agents?)",
}
"""What a patient is allergic to → the drugs that are not given then, or not without thinking of it."""


def extract_allergies(text: str) -> list[str]:
    """The drugs that a record says its patient does not tolerate, as it writes them, each once."""
    return list(
        dict.fromkeys(name for match in _ALLERGY_STATEMENT.finditer(text) for name in _extract_drugs(text, match))
    )


def find_related_drug(allergy: str, text: str) -> str:
    """The word by which a text names a drug that is meant with an allergy; "" when it names none."""
    alike = [drugs for names, drugs in _RELATED_DRUGS.items() if re.fullmatch(names, allergy, re.IGNORECASE)]
    found = re.search(rf"\b(?:{'|'.join((re.escape(allergy), *alike))})\b", text, re.IGNORECASE)
    return found.group() if found else ""


def _extract_drugs(text: str, match: re.Match[str]) -> Iterator[str]:
    if _NEGATION_BEFORE.search(text[: match.start()][-60:]):
        return
    for part in _SEPARATOR.split(match["after"] or match["before"]):
        name = " ".join(part.strip(" :.-–").split()[:2])
        first = name.split()[0] if name else ""
        if re.fullmatch(r"ace inhibitors?|sulfa drugs?|acetylsalicylic acid", name, re.IGNORECASE):
            yield name
        elif len(first) > 3 and first.casefold() not in _NOT_A_DRUG and first.replace("-", "").isalpha():
            yield first
