"""Drugs and diseases that a question names, others of their kind, and names of some that do not exist."""

import random
import re
from functools import cache
from importlib.resources import files
from typing import Literal, NamedTuple

from wellsourced.claims.guard.disagreement import is_disease_name, is_listed_disease
from wellsourced.clinical.drugs import find_drugs, known_drug_words
from wellsourced.late import compile_late
from wellsourced.text.lexicon import STOP_WORDS, word_set

EntityKind = Literal["drug", "disease"]

MIN_LETTERS = 6
"""Of a name: what is shorter is a word of the language as often as a drug."""

NOT_REPLACED = word_set(
    "insulin glucose oxygen water calcium sodium potassium magnesium zinc iron vitamin protein creatinine cholesterol "
    "cortisol dopamine serotonin histamine adenosine glucagon collagen heparin albumin thrombin fibrinogen estradiol "
    "progesterone testosterone nicotine caffeine alcohol ethanol lactose sucrose glycine arginine glutamine cysteine "
    "anemia anaemia metastasis necrosis fibrosis sepsis thrombosis stenosis bacteremia bacteraemia leukemia leukaemia "
    "diabetes sclerosis carcinoma sarcoma lymphoma dystrophy toxicity symptomatic granulomatosis hemorrhage "
    "haemorrhage cardiomyopathy nephropathy neuropathy arthritis hepatitis"
)
"""Words that name a thing of the body or of everyday beside a drug, and the last words of longer names of diseases."""

_WORD = compile_late(r"(?<![\w-])[A-Za-z]+(?![\w-])")
_ENDINGS = [
    "pril",
    "sartan",
    "statin",
    "olol",
    "dipine",
    "prazole",
    "mab",
    "nib",
    "parib",
    "gliptin",
    "gliflozin",
    "glutide",
    "conazole",
    "floxacin",
    "cillin",
    "mycin",
    "cycline",
    "vir",
    "platin",
    "taxel",
    "limus",
    "setron",
    "triptan",
    "azepam",
    "caine",
    "profen",
    "coxib",
    "fibrate",
    "xaban",
    "gatran",
    "grel",
    "parin",
    "lukast",
    "thiazide",
    "oxetine",
    "opram",
    "triptyline",
    "apine",
    "peridone",
    "solone",
    "sone",
    "onide",
    "terol",
    "tropium",
    "dronate",
    "zosin",
    "tadine",
    "tidine",
    "itis",
    "osis",
    "oma",
    "emia",
    "opathy",
    "algia",
    "penia",
    "uria",
    "plegia",
]
_BEGINNINGS = "velo tresu mira sano dexi foli prane lumo garvi tezo ravi onda belu zeri calo nima quiro soru pexi vato"
_MIDDLES = "tra li vo ne ri so du pra xi me lo gu"


class NamedEntity(NamedTuple):
    """A name in a question."""

    kind: EntityKind
    name: str
    start: int

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.name)


def find_entities(question: str) -> list[NamedEntity]:
    """The drugs and diseases of one word that a question names once, and does not explain in brackets behind them."""
    found = []
    for match in _WORD.finditer(question):
        word = match.group()
        kind = _tell_kind(word)
        is_explained = question[match.end() :].startswith((" (", "-", "/"))
        if kind and not is_explained and len(re.findall(rf"\b{word}\b", question, re.IGNORECASE)) == 1:
            found.append(NamedEntity(kind, word, match.start()))
    return found


def _tell_kind(word: str) -> EntityKind | None:
    small = word.lower()
    if len(small) < MIN_LETTERS or small in NOT_REPLACED or small in STOP_WORDS:
        return None
    if small in known_drug_words() or any(one.drug == small for one in find_drugs(small)):
        return "drug"
    return "disease" if is_disease_name(small) or is_listed_disease(small) else None


def list_others(entity: NamedEntity, chance: random.Random) -> list[str]:
    """Names of others of its kind in an order drawn by chance; only those that end as it does, where there are any."""
    names = [one for one in _load_names(entity.kind) if one != entity.name.lower() and one not in NOT_REPLACED]
    ending = _find_ending(entity.name)
    near = [one for one in names if ending and one.endswith(ending)]
    drawn = chance.sample(near, len(near))
    # Of a drug without such an ending nothing is known that would make another one near.
    return drawn or ([] if entity.kind == "drug" else chance.sample(names, len(names)))


def invent_name(entity: NamedEntity, chance: random.Random) -> str:
    """A name as those of its kind are made, which no list of drugs or diseases has."""
    ending = _find_ending(entity.name) or ("mide" if entity.kind == "drug" else "opathy")
    while True:
        stem = chance.choice(_BEGINNINGS.split()) + chance.choice(_MIDDLES.split())
        name = (stem[:-1] if ending[0] in "aeiou" else stem) + ending
        if name not in _load_names(entity.kind):
            return name


def replace_entity(question: str, entity: NamedEntity, name: str) -> str:
    """The question about another thing, with the article that the new name wants."""
    written = name[0].upper() + name[1:] if entity.name[0].isupper() and entity.start == 0 else name
    before = question[: entity.start]
    if article := re.search(r"\b([Aa])n? $", before):
        vowel = "n" if name[0] in "aeiou" else ""
        before = f"{before[: article.start()]}{article[1]}{vowel} "
    return before + written + question[entity.end :]


def _find_ending(name: str) -> str:
    small = name.lower()
    return next((one for one in sorted(_ENDINGS, key=len, reverse=True) if small.endswith(one)), "")


@cache
def _load_names(kind: EntityKind) -> tuple[str, ...]:
    """All names of one word of that kind, sorted."""
    if kind == "drug":
        return tuple(sorted(one for one in known_drug_words() if one.isalpha() and len(one) >= MIN_LETTERS))
    listed = files("wellsourced.claims.guard").joinpath("disease_names.txt").read_text(encoding="utf-8").split()
    return tuple(sorted(one for one in listed if one.isalpha() and len(one) >= MIN_LETTERS))
