"""Abbreviations written out, and terms abbreviated: sources may use the one where a question uses the other.

`abbreviations.tsv` lists those that clinical writing uses without explaining them, each with the meaning that
dominates; `ambiguous.tsv` those with several, and the words of a question that tell which one is meant.
"""

import re
from collections.abc import Collection, Iterator, Sequence

from wellsourced.understanding.harvest import find_definitions
from wellsourced.understanding.spans import QuestionWord, TermMeaning, corrected_run, list_runs, term_key, term_keys
from wellsourced.understanding.tables import TABLE_SOURCE, abbreviations, senses, short_forms

_ABBREVIATION = re.compile(r"(?=\w*[A-Z]\w*[A-Z])[A-Za-z][\w-]{1,9}")


def is_abbreviation(word: str) -> bool:
    """Whether it is written as an abbreviation is: one word, two capitals or more: "COPD", "eGFR", "HbA1c"."""
    return _ABBREVIATION.fullmatch(word.removesuffix("s")) is not None


def expand_abbreviations(text: str, told: Sequence[QuestionWord]) -> Iterator[TermMeaning]:
    """Abbreviations of the tables, except those that the question explains itself."""
    explained = {form for short, _ in find_definitions(text) for form in (short, short.removesuffix("s"))}
    whole = f" {term_key(text)} "
    for at, word in enumerate(told):
        short = (
            word.corrected
            if word.corrected in abbreviations() or word.corrected in senses()
            else word.corrected.removesuffix("s")
        )
        others = [one.corrected for place, one in enumerate(told) if place != at]
        meant = "" if short in explained else find_meaning(short, others)
        if meant and f" {term_key(meant)} " not in whole:
            yield TermMeaning(
                at, at, "abbreviation", (_to_plural(meant) if word.corrected != short else meant,), TABLE_SOURCE
            )


def find_meaning(short: str, others: Collection[str]) -> str:
    """What an abbreviation means beside these words; "" when it may mean several things and nothing tells."""
    beside = {part for word in others for name in term_keys(word) for part in name.split()}
    told = sorted(((len(sense.cues & beside), sense.meaning) for sense in senses().get(short, ())), reverse=True)
    if told and told[0][0] > 0:
        return "" if len(told) > 1 and told[1][0] == told[0][0] else told[0][1]
    return abbreviations().get(short, "")


def abbreviate_terms(text: str, told: Sequence[QuestionWord]) -> Iterator[TermMeaning]:
    """Terms of the table in their short form, except where the question has that beside them."""
    for first, last in list_runs(text, told):
        for name in term_keys(corrected_run(told, first, last)):
            short = short_forms().get(name, "")
            if short and not any(short == word.corrected.removesuffix("s") for word in told):
                yield TermMeaning(first, last, "abbreviation", (short,), TABLE_SOURCE)
                break


def _to_plural(meant: str) -> str:
    return meant if meant.endswith("s") else f"{meant}s"
