"""Pairs of a claim and its source that differ in one thing, made from real sentences by rule."""

import gzip
import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from wellsourced.text.sentences import is_prose, split_sentences

CORPUS = Path(__file__).parents[2] / "../shared/data/corpora/research.jsonl.gz"


class Pair(NamedTuple):
    """A claim and the passage it was made from; `change` names what was done to it."""

    change: str
    claim: str
    evidence: str


def pairs(change: str, count: int, seed: int = 7) -> list[Pair]:
    """Up to `count` pairs of one change, over the whole corpus, in an order that the seed decides."""
    chance = random.Random(seed)  # noqa: S311
    make = CHANGES[change]
    found: list[Pair] = []
    for sentence, evidence in _sentences(chance):
        claim = make(sentence, chance)
        if claim and claim != sentence:
            found.append(Pair(change, claim, evidence))
        if len(found) == count:
            break
    return found


def _sentences(chance: random.Random) -> Iterator[tuple[str, str]]:
    """Sentences of whole abstracts, with up to two neighbours on each side as evidence."""
    with gzip.open(CORPUS, "rt", encoding="utf-8") as lines:
        texts = [row["text"] for row in map(json.loads, lines) if "pmcid" in row["metadata"]]
    chance.shuffle(texts)
    for text in texts:
        spans = split_sentences(text)
        for position in chance.sample(range(len(spans)), min(3, len(spans))):
            sentence = text[spans[position].start : spans[position].end]
            if is_prose(sentence):
                near = spans[max(0, position - 2) : position + 3]
                yield sentence, text[near[0].start : near[-1].end]


def _once(pattern: str, replace: Callable[[re.Match[str], random.Random], str]) -> Callable[[str, random.Random], str]:
    """A change of one randomly chosen match; "" when nothing matches."""
    compiled = re.compile(pattern)

    def change(sentence: str, chance: random.Random) -> str:
        matches = list(compiled.finditer(sentence))
        if not matches:
            return ""
        match = chance.choice(matches)
        return sentence[: match.start()] + replace(match, chance) + sentence[match.end() :]

    return change


def _other_number(match: re.Match[str], chance: random.Random) -> str:
    """The number with one digit exchanged."""
    digits = match.group()
    place = chance.choice([at for at, digit in enumerate(digits) if digit.isdigit()])
    others = [digit for digit in "123456789" if digit != digits[place]]
    return digits[:place] + chance.choice(others) + digits[place + 1 :]


UNITS = {
    "mg": "mcg", "g": "mg", "kg": "g", "mL": "L", "ml": "l", "µg": "mg", "μg": "mg", "mm": "cm", "cm": "mm",
    "days": "weeks", "weeks": "months", "months": "years", "years": "months", "hours": "days", "h": "min",
    "min": "h", "minutes": "hours", "%": "mg", "week": "month", "day": "week", "month": "year", "year": "month",
}  # fmt: skip

OPPOSITES = [
    ("increased", "decreased"), ("increase", "decrease"), ("increases", "decreases"), ("higher", "lower"),
    ("improved", "worsened"), ("improves", "worsens"), ("improvement", "deterioration"), ("better", "worse"),
    ("more", "less"), ("greater", "smaller"), ("reduced", "increased"), ("reduces", "increases"),
    ("reduction", "increase"), ("superior", "inferior"), ("before", "after"), ("positive", "negative"),
    ("positively", "negatively"), ("gain", "loss"), ("early", "late"), ("high", "low"), ("shorter", "longer"),
    ("beneficial", "harmful"), ("reducing", "increasing"), ("improving", "worsening"), ("short", "long"),
    ("postoperative", "preoperative"), ("upregulated", "downregulated"), ("inhibited", "activated"),
]  # fmt: skip
TURNED = dict(OPPOSITES) | {other: one for one, other in OPPOSITES}

SMALL = {"2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "8": "eight", "10": "ten", "12": "twelve"}


def _clause(sentence: str, chance: random.Random) -> str:
    """One of the clauses of a sentence, as it stands."""
    parts = [part.strip() for part in re.split(r"(?:;|, (?:and|but|whereas|while))\s", sentence)]
    long = [part for part in parts if len(part.split()) > 4]
    return chance.choice(long) if len(parts) > 1 and long else ""


def _words(sentence: str, chance: random.Random) -> str:
    return re.sub(r"(?<= )(?:2|3|4|5|6|8|10|12)(?= (?:groups|weeks|months|days|years|patients))",
                  lambda match: SMALL[match.group()], sentence)  # fmt: skip


CHANGES: dict[str, Callable[[str, random.Random], str]] = {
    # what must be caught
    "number changed": _once(r"(?<![\w.,-])\d+(?:\.\d+)?(?![\w,]|\.\d)", _other_number),
    "unit changed": _once(
        rf"(?<=\d )(?:{'|'.join(map(re.escape, UNITS))})(?![\w/])|(?<=\d)%",
        lambda match, chance: UNITS[match.group()],
    ),
    "negation inserted": _once(
        r"\b(?:was|were|is|are|did|may|can|could|should|will|has been|have been)\b(?! (?:not|no|also))",
        lambda match, chance: f"{match.group()} not",
    ),
    "negation removed": _once(
        r"(?<!and )(?<!or )\b(?:not (?!only|just|more|less)|no (?!more|less|longer)|without (?=\w+ing|any))",
        lambda match, chance: "",
    ),
    "direction swapped": _once(
        rf"(?<!-)\b(?:{'|'.join(TURNED)})\b(?! (?:than \d|or (?:more|less|higher|lower)))",
        lambda match, chance: TURNED[match.group()],
    ),
    # what must not
    "white space": lambda sentence, chance: sentence.replace(" ", "\n", 3).replace(" ", "  ", 4),
    "dashes": lambda sentence, chance: sentence.replace("-", chance.choice("‐‑–")),
    "thousands separator": _once(
        r"(?<![\w.,·/-])\d{4,6}(?![\w.,·/-])", lambda match, chance: f"{int(match.group()):,}"
    ),
    "number word": _words,
    "percent sign": lambda sentence, chance: re.sub(r"(?<=\d)%", " %", sentence),
    "soft hyphens": _once(r"\b[a-z]{5}(?=[a-z]{5})", lambda match, chance: f"{match.group()}\u00ad"),
    "sub-sentence": _clause,
}
HARMFUL = list(CHANGES)[:5]
HARMLESS = list(CHANGES)[5:]
