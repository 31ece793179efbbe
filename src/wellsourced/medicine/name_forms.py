"""Whether a word has the form of a name: of a drug, a germ, a procedure (`is_entity_name`), of a disease, of a gene or
an abbreviation (`is_symbol`). Endings tell most of them, lists the rest; what a name means, `names.py` knows.

`disease_names.txt`, names of one word that their endings do not tell ("eclampsia", "anaphylaxis"), is made by
tools/disease_names.py from the Disease Ontology (CC0) and from the topics of MedQuAD (CC BY 4.0).
"""

import re
from functools import cache
from importlib.resources import files

from wellsourced.medicine.drugs import known_drug_words
from wellsourced.text.lexicon import word_set
from wellsourced.text.tables import read_word_lists

_NAMES = read_word_lists("wellsourced.medicine", "name_forms.tsv")
"""Kind → words: "ending" of drugs' names (stems of the WHO's nonproprietary names); "name" of what no table of drugs
has: substances, germs, procedures."""

_DRUG_ENDINGS, _ENTITY_NAMES = _NAMES["ending"], frozenset(_NAMES["name"])
_PROCEDURE = re.compile(r".{3,}(?:ectomy|oscopy|otomy|ostomy|plasty|therapy|centesis|puncture|tripsy|desis)")
_SYMBOL = re.compile(r"[A-Z][A-Z0-9]{1,6}(?:[a-z]|\d)?|[a-z]{1,2}[A-Z]{2,5}\d*|[A-Z][a-z]{2}\d{1,2}|p\d{2}")
_NOT_SYMBOLS = word_set(
    "CI OR HR RR SD SE IQR SEM ANOVA USA UK EU OF THE AND IN TO WITH FOR NO NOT WAS WERE II III IV VI VII VIII IX "
    "BMI MD RCT RCTS DNA RNA"
)
_DISEASE = re.compile(
    r".{3,}(?:itis|osis|oses|omas?|a?emia|opathy|opathies|algia|penia|plegia|phobia|ectasis|uria|megaly|rrhoea|rrhea)"
)
_NOT_DISEASES = word_set(
    "diagnosis hypnosis metamorphosis anastomosis diploma mitosis meiosis apoptosis prognosis purposes doses poses "
    "loses closes supposes exposes imposes proposes chooses glucoses megadoses overdoses"
)


def is_entity_name(word: str) -> bool:
    """Whether a word, as printed, is the name of a drug, a germ, a gene or a procedure."""
    small = word.lower()
    is_drug = len(small) > 4 and (small in known_drug_words() or (len(small) > 5 and small.endswith(_DRUG_ENDINGS)))
    return is_drug or small in _ENTITY_NAMES or bool(_PROCEDURE.fullmatch(small)) or is_symbol(word)


def is_symbol(word: str) -> bool:
    """Whether a word is an abbreviation or the symbol of a gene, by its capitals."""
    return word not in _NOT_SYMBOLS and _SYMBOL.fullmatch(word) is not None


def is_abbreviation_of(short: str, words: str) -> bool:
    """Whether a word is made of letters of others, in their order, its first being theirs: "MRI", "HbA1c", "BP"."""
    letters, rest = "".join(filter(str.isalpha, short)).lower().removesuffix("s"), iter(words.lower())
    return letters[:1] == words[:1].lower() != "" and all(letter in rest for letter in letters)


def is_disease_name(word: str) -> bool:
    """Whether a word ends as the names of diseases do."""
    small = word.lower()
    return _DISEASE.fullmatch(small) is not None and small not in _NOT_DISEASES


def is_listed_disease(word: str) -> bool:
    """Whether a word is a listed disease, in either spelling, in the plural or with a hyphen: "pre-eclampsia"."""
    name = fold_name(word)
    return name in _load_disease_names() or name.removesuffix("s") in _load_disease_names()


def fold_name(word: str) -> str:
    """A disease's name as it is listed: in American spelling and small letters, without hyphens."""
    return re.sub("ae(?=[a-z])|oe(?=[a-z])", "e", word.lower().replace("-", ""))


_PREFIX = re.compile(r"(?:pre|post|peri|non|hyper|hypo|neuro|pseudo|pan|poly|para)(?=\w{5})")
_STEM_LETTERS = (5, 7)
"""Letters of a disease's name, at least and at most, by which it is known as a noun and as an adjective."""

_ENDING_LETTERS = 3
"""Letters at its end that a name changes: "eclampsia", "eclamptic"; a short name changes none."""


def compile_disease(name: str) -> re.Pattern[str]:
    """How a text writes the name of a listed disease, in either spelling, hyphened or not, as noun or adjective."""
    bare = fold_name(name).removesuffix("s")
    prefix = found[0] if (found := _PREFIX.match(bare)) else ""
    rest = bare[len(prefix) :]
    least, most = _STEM_LETTERS
    stem = rest[: max(least, min(most, len(rest) - _ENDING_LETTERS))]
    return re.compile(r"\b" + (f"{prefix}-?{stem}" if prefix else stem).replace("e", "[ao]?e"), re.IGNORECASE)


@cache
def _load_disease_names() -> frozenset[str]:
    return frozenset(files(__package__).joinpath("disease_names.txt").read_text(encoding="utf-8").split())
