"""Whether a question is a patient's own, by its words: `patient_questions.tsv`."""

import re
from functools import cache

from wellsourced.medicine.word_forms import is_medical_abbreviation
from wellsourced.text.tables import read_alternatives

SELF_POINTS = 2
LAY_POINTS = 1
CLINICIAN_POINTS = 2
PATIENT_POINTS = 2
"""Points from which a question is a patient's: who speaks of "my leg" does, one lay word alone proves nothing."""


def is_patient_question(text: str, lay_words: int = 0) -> bool:
    """Whether whoever asks speaks of themselves or their family, or as people do who are not trained in medicine.

    lay_words   words of the text that are known as lay terms
    """
    patterns = _compile_patterns()
    # Who speaks of the family may say "we" and "her" as clinicians do.
    if patterns["family"].search(text) and "patient" not in text.lower():
        return True
    tells_of_self = patterns["self"].search(text) is not None
    lay_points = min(len(set(patterns["lay"].findall(text))), 2) + min(lay_words, 1)
    points = SELF_POINTS * tells_of_self + LAY_POINTS * lay_points
    return points - CLINICIAN_POINTS * _speaks_as_clinician(text) >= PATIENT_POINTS


def _speaks_as_clinician(text: str) -> bool:
    """Whether it speaks of patients, as of others; or in abbreviations, of which patients use one at a time."""
    abbreviations = set(filter(is_medical_abbreviation, re.findall(r"\w+", text)))
    return _compile_patterns()["clinician"].search(text) is not None or len(abbreviations) > 1


@cache
def _compile_patterns() -> dict[str, re.Pattern[str]]:
    tables = read_alternatives("wellsourced.question", "patient_questions.tsv")
    return {kind: re.compile(words, re.IGNORECASE) for (kind,), words in tables.items()}
