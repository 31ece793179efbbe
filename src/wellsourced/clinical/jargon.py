"""Words of a medical text that a reader without training will not know, by how they are formed."""

import re

from wellsourced.text.lexicon import word_set

_MEDICAL_ROOTS = (
    r"cardi|nephr|hepat|gastr|enter[oi]|neuro|osteo|arthr|dermat|ha?emat|ha?emo|myo|pulmon|pneum|bronch|thorac|crani"
    r"|cerebr|encephal|angio|vascul|thromb|embol|isch|steno[st]|phleb|lymph|onco|carcin|adeno|laparo|cysto|cholecyst"
    r"|colono|ophthalm|retino|ureter|urethr|renal|biliar|pancrea|spleno|o?esophag|laryng|pharyng|trache|intubat|cathet"
    r"|electro|ultrason|tachy|brady|hyper(?!active\b)|hypo|dys|intra|peri(?:card|ton|oper|natal)|transthor|transo?esoph"
    r"|leu[ck]o|erythro|neutro|glyc|creatinin|albumin|bilirubin|troponin|anticoag|antiplatelet|subcutan|subling|subdur"
    r"|prophyla|contraindic|titrat|auscult|palpat|benign|malign|metasta|lesion|sepsis|septic|fibrill|infarct|ventric|atri"
    r"|aort|mitral|effusion|perfusion|ambulat|void|ablat|biops|resect|excis|debrid|anastom|stent|graft|shunt|exacerb"
    r"|idiopath|chronic|acute\b|afebril|febril|diuret|analges|an(?:a)?esthe|narcot|sedat|antipyr|antiemet|bolus|infusion"
)
_MEDICAL_ENDINGS = (
    r"itis|osis|oma|ae?mia|uria|ectomy|ostomy|otomy|oscopy|plasty|graphy|gram|pathy|penia|algia|plegia|paresis|trophy"
    r"|plasia|lysis|centesis|desis|pexy|pnoea|pnea|phagia|phasia|stasis|o?edema|rrhea|rrhoea|rrhage|rrhagia|scopic"
)
_DRUG_STEMS = (
    r"mab|nib|pril|sartan|olol|statin|gliptin|gliflozin|glutide|azole|cillin|mycin|micin|floxacin|parin|xaban|gatran"
    r"|setron|triptan|prazole|tidine|dipine|zosin|afil|dronate|thiazide|semide|oxetine|azepam|zolam|caine|platin|taxel"
    r"|ciclovir|cyclovir|cept|cycline|sone|solone|onide|terol|tropium|lukast|fibrate|formin|farin|grel|done|codone|orphone"
)
_DRUG_NAME = re.compile(rf"\w{{3,}}(?:{_DRUG_STEMS})", re.IGNORECASE)
_MEDICAL_WORD = re.compile(
    rf"(?:(?:{_MEDICAL_ROOTS})\w{{2,}}|\w{{2,}}(?:{_MEDICAL_ENDINGS})s?|\w{{3,}}(?:{_DRUG_STEMS}))", re.IGNORECASE
)

_EVERYDAY_WORDS = word_set(
    """abandoned antibiotic antibiotics avoid avoided cardiac centigram chromosome diagnosis done entering gram grams
    kilogram kilograms milligram milligrams microgram micrograms person phone program programs reason season telegram
    undone condone lesson poison mason bone telephone alone gone someone everyone anyone none tone zone stone accept
    except concept intercept hygiene hypothesis chronicle vaccine medicine routine"""
)
_ABBREVIATION = re.compile(r"[A-Z][A-Za-z]{0,3}[A-Z][A-Za-z0-9]{0,3}s?")
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
