"""Words of a medical text that a reader without training will not know, by how they are formed."""

import re

from wellsourced.late import compile_late
from wellsourced.text.lexicon import word_set
from wellsourced.text.tables import read_alternatives

_PARTS = {part: words for (part,), words in read_alternatives("wellsourced.clinical", "jargon.tsv").items()}
_DRUG_NAME = compile_late(rf"\w{{3,}}(?:{_PARTS['drug stem']})", re.IGNORECASE)
_MEDICAL_WORD = compile_late(
    rf"(?:(?:{_PARTS['root']})\w{{2,}}|\w{{2,}}(?:{_PARTS['ending']})s?|\w{{3,}}(?:{_PARTS['drug stem']}))",
    re.IGNORECASE,
)

_EVERYDAY_WORDS = word_set(
    """abandoned antibiotic antibiotics avoid avoided cardiac centigram chromosome diagnosis done entering gram grams
    kilogram kilograms milligram milligrams microgram micrograms person phone program programs reason season telegram
    undone condone lesson poison mason bone telephone alone gone someone everyone anyone none tone zone stone accept
    except concept intercept hygiene hypothesis chronicle vaccine medicine routine"""
)
_ABBREVIATION = compile_late(r"[A-Z][A-Za-z]{0,3}[A-Z][A-Za-z0-9]{0,3}s?")
_EVERYDAY_ABBREVIATIONS = word_set(
    """AM PM MD RN DO NP PA DOB MRN ID NHS USA UK EU GP OK TV ML MG KG CM MM HR MIN NO NOT AND OR THE FOR IF TO OF IN ON
    AT BE IS PT NAME DATE DR MR MRS MS II III IV VI VII VIII IX XI XII PDF FAX TEL ICD"""
)


def is_jargon(word: str) -> bool:
    """Whether a word is made as medical words are: its root, its ending, the stem of a drug's name."""
    return word.casefold() not in _EVERYDAY_WORDS and len(word) > 4 and _MEDICAL_WORD.fullmatch(word) is not None


def is_drug_name(word: str) -> bool:
    """Whether a word ends as the names of drugs do: "metformin", "lisinopril"."""
    return word.casefold() not in _EVERYDAY_WORDS and _DRUG_NAME.fullmatch(word) is not None


def is_medical_abbreviation(word: str) -> bool:
    """Whether it is written as a medical abbreviation is: "COPD", "eGFR", "HbA1c" (not "PM" and "kg")."""
    letters = word.removeprefix("e")
    return (
        _ABBREVIATION.fullmatch(letters) is not None and word.removesuffix("s").upper() not in _EVERYDAY_ABBREVIATIONS
    )
