"""Abbreviations written out, and terms abbreviated: sources may use the one where a question uses the other.

`abbreviations.tsv` lists those that clinical writing uses without explaining them, each with the meaning that
dominates; `ambiguous.tsv` those with several, and the words of a question that tell which one is meant.
"""

import re
from collections.abc import Collection, Iterator, Sequence

from wellsourced.understanding.harvest import pairs
from wellsourced.understanding.spans import Meaning, Word, key, keys, runs, understood
from wellsourced.understanding.tables import SOURCE, abbreviated, abbreviations, senses

_SHORT = re.compile(r"(?=\w*[A-Z]\w*[A-Z])[A-Za-z][\w-]{1,9}")


def is_abbreviation(word: str) -> bool:
    """Whether it is written as an abbreviation is: one word, two capitals or more: "COPD", "eGFR", "HbA1c"."""
    return _SHORT.fullmatch(word.removesuffix("s")) is not None


def written_out(text: str, told: Sequence[Word]) -> Iterator[Meaning]:
    """Abbreviations of the tables, except those that the question explains itself."""
    explained = {form for short, _ in pairs(text) for form in (short, short.removesuffix("s"))}
    whole = f" {key(text)} "
    for at, word in enumerate(told):
        short = word.read if word.read in abbreviations() or word.read in senses() else word.read.removesuffix("s")
        others = [one.read for place, one in enumerate(told) if place != at]
        meant = "" if short in explained else meaning(short, others)
        if meant and f" {key(meant)} " not in whole:
            yield Meaning(at, at, "abbreviation", (_plural(meant) if word.read != short else meant,), SOURCE)


def meaning(short: str, others: Collection[str]) -> str:
    """What an abbreviation means beside these words; "" when it may mean several things and nothing tells."""
    beside = {part for word in others for name in keys(word) for part in name.split()}
    told = sorted(((len(sense.cues & beside), sense.meant) for sense in senses().get(short, ())), reverse=True)
    if told and told[0][0] > 0:
        return "" if len(told) > 1 and told[1][0] == told[0][0] else told[0][1]
    return abbreviations().get(short, "")


def shortened(text: str, told: Sequence[Word]) -> Iterator[Meaning]:
    """Terms of the table in their short form, except where the question has that beside them."""
    for first, last in runs(text, told):
        for name in keys(understood(told, first, last)):
            short = abbreviated().get(name, "")
            if short and not any(short == word.read.removesuffix("s") for word in told):
                yield Meaning(first, last, "abbreviation", (short,), SOURCE)
                break


def _plural(meant: str) -> str:
    return meant if meant.endswith("s") else f"{meant}s"
