"""What kind of study a record is of and how many were studied, in the words of those who made it.

Levels are those of the Oxford Centre for Evidence-Based Medicine (OCEBM Levels of Evidence Working Group, “The Oxford
2011 Levels of Evidence”), column “Does this intervention help?”. A record that says nothing has no design: it is never
guessed from what it is about.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wellsourced.lazy import lazy_regex
from wellsourced.medicine.quantities import extract_quantities
from wellsourced.text.sentences import split_sentences
from wellsourced.text.tables import read_alternatives
from wellsourced.text.typography import normalize_characters


class StudyDesign(NamedTuple):
    """A design, its level (None: it has none), the words that say so, and where they stand.

    where   "its publication type", "its title", "its text"
    """

    name: str
    level: int | None
    words: str
    where: str


NO_MATCH = r"(?!)"


class _DesignKind(NamedTuple):
    name: str
    level: int | None
    publication_types: tuple[str, ...]
    text_pattern: re.Pattern[str]
    title_pattern: re.Pattern[str]


def _load_kinds() -> tuple[_DesignKind, ...]:
    """Expressions for "title" are looked for in titles only: texts speak of other works too."""
    parts = read_alternatives("wellsourced.medicine", "study_designs.tsv")
    kinds = []
    for name in dict.fromkeys(name for name, _ in parts):
        level, types, titled, pattern = (
            parts.get((name, part), "") for part in ("level", "publication type", "title", "title or text")
        )
        kinds.append(
            _DesignKind(
                name,
                int(level) if level else None,
                tuple(filter(None, types.split("|"))),
                lazy_regex(pattern or NO_MATCH, re.IGNORECASE),
                lazy_regex("|".join(filter(None, (titled, pattern))), re.IGNORECASE),
            )
        )
    return tuple(kinds)


DESIGN_KINDS = _load_kinds()
"""In the order in which they are believed: a protocol first, and a review of trials says "randomised" too."""

_COUNT = r"\d{1,3}(?:[,\s\u2009\u202f]\d{3})+(?!\d)|\d{1,7}"
_STUDIED_PEOPLE = (
    r"(?:(?:out|in)?patients|participants|subjects|adults|(?:school)?children|infants|neonates|newborns|adolescents"
    r"|women|men|females|males|people|persons|individuals|volunteers|respondents|survivors|pregnancies|births"
    r"|deliveries|eyes|veterans|residents|students|nurses|physicians|doctors|clinicians|practitioners|surgeons"
    r"|caregivers|employees|workers|mothers|parents|families|couples|girls|boys|athletes|donors|smokers"
    r"|mice|rats|pigs|rabbits|dogs|sheep|animals)"
)
_FILLER_WORD = (
    r"(?:(?!(?:in|of|per|to|by|for|with|was|were|had|has|have|as|at|on|the|recruited|enrolled)\b)[^\W\d][\w'’/-]*,?\s)"
)
_NUMBER_OF_PEOPLE = rf"(?P<n>{_COUNT})\s(?!and\b|or\b){_FILLER_WORD}{{0,8}}?{_STUDIED_PEOPLE}\b"


def _load_cues() -> dict[str, re.Pattern[str]]:
    """Expressions by what they show; COUNT, PEOPLE and NUMBERED in them are a number, people, and a number of them."""
    words = {"NUMBERED": _NUMBER_OF_PEOPLE, "PEOPLE": _STUDIED_PEOPLE, "COUNT": _COUNT}
    cues = {}
    for (name,), expression in read_alternatives("wellsourced.medicine", "study_cues.tsv").items():
        for word, meaning in words.items():
            expression = expression.replace(word, meaning)
        cues[name] = lazy_regex(expression, re.IGNORECASE)
    return cues


_CUES = _load_cues()
_STAGES = ("stage 1", "stage 2", "stage 3")
"""How far somebody came in a study, the furthest first: whoever was screened or asked is not yet studied."""

_PEOPLE_BEHIND = lazy_regex(rf"\s{_FILLER_WORD}{{0,3}}?{_STUDIED_PEOPLE}\b", re.IGNORECASE)
_PART_OF_NUMBER = lazy_regex(r"\b(?:hundred|thousand)\s(?:and\s)?\Z", re.IGNORECASE)
_EQUALS_SIGN = lazy_regex(r"\bn\s?=", re.IGNORECASE)

NAMED_IN_TITLES = (
    "study protocol",
    "systematic review of randomised trials",
    "systematic review",
    "case report",
    "qualitative study",
)
"""Designs that a title names as those of the work itself, whatever its text speaks of."""

MAX_CHARACTERS = 6_000
"""Characters of a text in which its design and its size are looked for: what comes later is the discussion."""


def detect_design(publication_types: Sequence[str], title: str, text: str) -> StudyDesign | None:
    """The design; None when nothing says it. Types that indexers gave count most, the title more than the text."""
    types = {type_.casefold() for type_ in publication_types}
    by_type = list(_find_by_type(types))
    read = text.removeprefix(title)[:MAX_CHARACTERS]
    by_words = list(_find_by_words(read, "its text"))
    # What was done decides; a title may name what the work is about ("why a randomised trial failed").
    is_open = {one.name for one in by_words} <= {"cohort study", "clinical trial"}
    named = [one for one in _find_by_words(title, "its title") if is_open or one.name in NAMED_IN_TITLES]
    order = [kind.name for kind in DESIGN_KINDS]
    named.sort(key=lambda one: order.index(one.name))
    whole = [one for one in named if one.name in NAMED_IN_TITLES]
    by_words = [*whole, *sorted((*named, *by_words), key=lambda one: order.index(one.name))]
    planned = _CUES["planned"].search(read)
    # A text with results is no protocol, whatever it plans besides.
    if planned and not _CUES["reported"].search(read):
        return StudyDesign(DESIGN_KINDS[0].name, DESIGN_KINDS[0].level, planned.group(), "its text")
    if by_type:
        # Indexers say "Meta-Analysis" and leave open of what; "Clinical Trial" and "Review" are often all they say.
        return next((one for one in (*by_type, *by_words) if _is_narrower(one.name, by_type[0].name)), by_type[0])
    # Where animals were studied, "randomised" is said of them.
    studied = f"{title} {read}"
    if len(_CUES["animals"].findall(studied)) >= len(people := _CUES["people"].findall(studied)):
        by_words.sort(key=lambda one: one.name != "animal study" and (bool(people) or one.name != "laboratory study"))
    return next(iter(by_words), None)


def _is_narrower(name: str, broad: str) -> bool:
    narrower = {
        "systematic review": {"systematic review of randomised trials"},
        "clinical trial": {"randomised controlled trial", "non-randomised controlled trial"},
        "narrative review": {"systematic review", "systematic review of randomised trials"},
    }
    return name in narrower.get(broad, ())


def _find_by_type(types: set[str]) -> Iterator[StudyDesign]:
    for kind in DESIGN_KINDS:
        if said := next((type_ for type_ in kind.publication_types if type_.casefold() in types), ""):
            yield StudyDesign(kind.name, kind.level, said, "its publication type")


def _find_by_words(text: str, where: str) -> Iterator[StudyDesign]:
    for kind in DESIGN_KINDS:
        pattern = kind.title_pattern if where == "its title" else kind.text_pattern
        for match in pattern.finditer(text):
            before, behind = text[max(0, match.start() - 60) : match.start()], text[match.end() : match.end() + 80]
            # "previous randomised trials" and "a randomised trial is proposed" are designs of other works.
            is_other = _CUES["other design before"].search(before) or _CUES["other design behind"].match(behind)
            if not is_other and not ("random" in match.group().lower() and _CUES["divided data"].match(behind)):
                yield StudyDesign(kind.name, kind.level, match.group(), where)
                break


MIN_WRITTEN = 13
"""Smaller numbers in words are seldom of people."""


def find_sample(text: str) -> str:
    """The words that state how many were studied in all; "" when none do, or when they may be of a part or of others.

    Read is what the work says of itself: not its background and conclusions, no sentence on another work. Of several
    numbers the one of those who came furthest counts (randomised before enrolled, enrolled before treated), and the
    first of these. What is told of an arm, a share, an outcome, or of those who were screened is no size of the whole;
    a number in words is told in digits.
    """
    read = _write_digits(text[:MAX_CHARACTERS])
    if _CUES["single case"].search(read[:MAX_CHARACTERS]):
        return ""
    sentences = list(_own_sentences(read))
    pooled = [found for sentence in sentences if (found := _CUES["pooled"].search(sentence))]
    # A review counts other works: whoever was studied in one of them is not all.
    if _CUES["review"].search(read):
        return " ".join(pooled[0]["said"].split()) if pooled else ""
    others = {found.string for found in pooled}
    stated = [count for sentence in sentences if sentence not in others for count in _list_counts(sentence)]
    return min(stated, key=lambda count: count.stage).said if stated else ""


class _StatedCount(NamedTuple):
    stage: int
    said: str


def _own_sentences(text: str) -> Iterator[str]:
    """The sentences in which a work may say whom it studied itself."""
    is_other = False
    for span in split_sentences(text):
        sentence = text[span.start : span.end]
        if _CUES["other section"].match(sentence) or _CUES["own section"].match(sentence):
            is_other = bool(_CUES["other section"].match(sentence))
        if not is_other and not _CUES["other work"].search(sentence):
            yield sentence


def _list_counts(sentence: str) -> Iterator[_StatedCount]:
    """The numbers of a sentence that are of all who were studied, and how far these came."""
    # Cases and their controls are two parts.
    if _CUES["parts"].search(sentence):
        return
    remaining = list(_CUES["remaining"].finditer(sentence))
    # Of several in brackets each is an arm.
    equal = list(_CUES["n equals"].finditer(sentence)) if len(_EQUALS_SIGN.findall(sentence)) == 1 else []
    for found in (*_CUES["number of people"].finditer(sentence), *remaining, *equal):
        before, behind = sentence[: found.start("said")], sentence[found.end("said") :]
        is_part = (
            _CUES["part behind"].match(behind)
            or _CUES["arm behind"].match(behind)
            or (found not in equal and before.count("(") > before.count(")"))
            or "control" in found["said"].lower()
            or (found not in remaining and _CUES["part before"].search(before))
        )
        if (is_part and not _CUES["enrolled behind"].match(behind)) or parse_sample_size(found["n"]) < 2:
            continue
        clause = f"{before[-150:]}{found['said']}{behind[:250]}"
        last = len(_STAGES) if found in equal or _CUES["total before"].search(before) else None
        stage = next((at for at, name in enumerate(_STAGES) if _CUES[name].search(clause)), last)
        if stage is not None:
            yield _StatedCount(stage, " ".join(found["said"].split()))


def _write_digits(text: str) -> str:
    """The text with larger numbers in words as digits: "Eighty eight patients" is "88 patients"."""
    written = normalize_characters(text)
    for one in reversed(extract_quantities(written)):
        is_part = _PART_OF_NUMBER.search(written[: one.start])
        is_written = one.value >= MIN_WRITTEN and not one.unit and not any(map(str.isdecimal, one.words))
        if is_written and not is_part and _PEOPLE_BEHIND.match(written, one.start + len(one.words)):
            written = f"{written[: one.start]}{one.value:f}{written[one.start + len(one.words) :]}"
    return written


def parse_sample_size(words: str) -> int:
    """The largest number in such words; 0 without one."""
    return max((int(re.sub(r"\D", "", number)) for number in re.findall(_COUNT, words)), default=0)
