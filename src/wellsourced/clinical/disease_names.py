"""Names of diseases of one word that their endings do not tell, "eclampsia" and "anaphylaxis": `disease_names.txt`.

The list is made by tools/disease_names.py from the Disease Ontology (CC0) and from the topics of MedQuAD (CC BY 4.0).
"""

import re
from functools import cache
from importlib.resources import files

_PREFIX = re.compile(r"(?:pre|post|peri|non|hyper|hypo|neuro|pseudo|pan|poly|para)(?=\w{5})")
MIN_STEM_LETTERS = 5
MAX_STEM_LETTERS = 7
ENDING_LETTERS = 3
"""Letters at its end that a name changes: "eclampsia", "eclamptic"; a short name changes none."""


def is_listed_disease(word: str) -> bool:
    """Whether a word is one of these names, in either spelling, in the plural or with a hyphen: "pre-eclampsia"."""
    name = fold_name(word)
    return name in _load_names() or name.removesuffix("s") in _load_names()


def fold_name(word: str) -> str:
    """A name as it is listed: in American spelling and small letters, without hyphens."""
    return re.sub("ae(?=[a-z])|oe(?=[a-z])", "e", word.lower().replace("-", ""))


def compile_disease(name: str) -> re.Pattern[str]:
    """How a text writes the name of a disease, in either spelling, with a hyphen or not, as noun or adjective."""
    bare = fold_name(name).removesuffix("s")
    prefix = found[0] if (found := _PREFIX.match(bare)) else ""
    rest = bare[len(prefix) :]
    stem = rest[: max(MIN_STEM_LETTERS, min(MAX_STEM_LETTERS, len(rest) - ENDING_LETTERS))]
    spelling = f"{prefix}-?{stem}" if prefix else stem
    return re.compile(r"\b" + re.sub("e", "[ao]?e", spelling), re.IGNORECASE)


@cache
def _load_names() -> frozenset[str]:
    return frozenset(files("wellsourced.clinical").joinpath("disease_names.txt").read_text(encoding="utf-8").split())
