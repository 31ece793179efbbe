"""A question in other words, typed otherwise or with a sentence before it, whose answer has to stay the same."""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from wellsourced.medicine.drugs import known_drug_words
from wellsourced.models.base import Model
from wellsourced.question.spelling import list_variants
from wellsourced.text.tables import read_rows
from wellsourced_evaluate.probing import changed_facts, make_variants, question_facts

MIN_TYPO_LETTERS = 6
"""Letters of a word in which two are exchanged; a short one would often become another word."""

TYPOS = 2
"""Words of a question that get one, at most."""

_WORD = re.compile(r"[^\W\d_]+")
_TABLES = "wellsourced.question"


def drop_punctuation(question: str) -> str:
    """Without marks at the ends of words; what is within numbers and names stays."""
    return " ".join(re.sub(r"[?!.,;:“”\"()]+(?=\s|$)|(?<!\S)[“”\"(]+", "", question).split())


def ask_politely(question: str) -> str:
    """With a greeting and thanks around it."""
    return f"Hello, I hope that you can help me. {question} Thank you very much!"


def mistype(question: str, draw: random.Random) -> str:
    """Two inner letters exchanged in up to two long words that are no fact: no drug, no abbreviation."""
    facts = question_facts(question) | known_drug_words()
    words = [
        found
        for found in _WORD.finditer(question)
        if len(found.group()) >= MIN_TYPO_LETTERS and found.group().casefold() not in facts and _swaps(found.group())
    ]
    for found in sorted(draw.sample(words, min(TYPOS, len(words))), key=lambda one: -one.start()):
        at = found.start() + draw.choice(_swaps(found.group()))
        question = question[:at] + question[at + 1] + question[at] + question[at + 2 :]
    return question


def _swaps(word: str) -> list[int]:
    """Where two inner letters differ that are side by side."""
    return [at for at in range(1, len(word) - 2) if word[at] != word[at + 1]]


def use_lay_words(question: str) -> str:
    """Clinical terms as patients say them, where the package knows how; never where a fact would be lost."""
    said = question
    lay_words: dict[str, str] = {}
    for lay, clinical in read_rows("wellsourced.medicine", "lay_terms.tsv"):
        lay_words.setdefault(clinical, lay)
    for clinical in sorted(lay_words, key=len, reverse=True):
        said = re.sub(rf"(?<!\w){re.escape(clinical)}(?!\w)", lay_words[clinical], said, flags=re.IGNORECASE)
    return question if changed_facts(question, said, "lay") else said


def respell(question: str) -> str:
    """British words as Americans write them, and the other way round, as far as both spellings are known words."""

    def other(found: re.Match[str]) -> str:
        word = found.group()
        known = [one for one in list_variants(word.lower()) if one in known_words()]
        best = max(known, key=lambda one: known_words()[one], default="")
        return (best.capitalize() if word[0].isupper() else best) if best else word

    return _WORD.sub(other, question)


@cache
def known_words() -> Mapping[str, int]:
    """Words of medical texts, and in how many they are."""
    rows = (row for row in read_rows(_TABLES, "word_counts.tsv") if len(row) == 2 and row[1].isdecimal())
    return {word: int(count) for word, count in rows}


TYPING_ERRORS = "typing errors"
PERTURBATIONS: Mapping[str, Callable[[str], str] | None] = {
    "small letters": str.lower,
    "capitals": str.upper,
    "no punctuation": drop_punctuation,
    TYPING_ERRORS: None,
    "other spelling": respell,
    "lay words": use_lay_words,
    "politely": ask_politely,
}
"""Name → what becomes of a question; typing errors are drawn."""

MANNERS = {
    "demographic": "sentence on the patient",
    "comorbidity": "sentence on another condition",
    "terse": "search terms",
    "lay": "lay words of a model",
    "paraphrase": "paraphrase of a model",
}
"""Manner of `wellsourced probe vary` → its name here; the last two want a language model."""

VARIANT_NAMES = (*PERTURBATIONS, *MANNERS.values())


async def perturb_question(
    question: str, key: str, seed: int, wanted: Sequence[str], model: Model | None
) -> dict[str, str]:
    """Name → the question so. What comes out as it was, or cannot be made, is left out.

    key   of the question: what is drawn is drawn for each question by itself
    """
    made = {name: change(question) for name, change in PERTURBATIONS.items() if change and name in wanted}
    if TYPING_ERRORS in wanted:
        made[TYPING_ERRORS] = mistype(question, random.Random(f"{seed}:{key}:{TYPING_ERRORS}"))  # noqa: S311
    manners = [manner for manner, name in MANNERS.items() if name in wanted]
    variants = await make_variants(question, model, manners) if manners else []  # type: ignore[arg-type]
    made |= {MANNERS[one.manner]: one.question for one in variants if one.question}
    return {name: said for name, said in made.items() if said != question}
