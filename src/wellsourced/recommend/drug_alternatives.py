"""Drugs that a line recommends instead of what it limits: they are not limited themselves. `alternatives.tsv`.

A drug is recommended where its own clause recommends it and warns of nothing: "X is contraindicated; consider Y" limits
X alone, and so do "do not use X, prefer Y" and "switch from X to Y".
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from wellsourced.clinical.drugs import DrugMention, find_drugs
from wellsourced.recommend.warning_rules import find_severity
from wellsourced.text.tables import read_alternatives

_CLAUSE_END = re.compile(
    r";|[.:]\s|\s(?:--|—|–)\s|-{1,2}>|→|\s\|\s"
    r"|,\s(?=(?:but|while|whereas|use|consider|prefer|choose|switch|substitute|with \w+ preferred)\b)"
    r"|\s(?=(?:but|while|whereas)\s)"
    r"|\s(?=(?:only )?(?:when|if|where)\b[^.;,|]{2,60}\b(?:contraindicated|not tolerated|unsuitable|not available)\b)",
    re.IGNORECASE,
)
_PURPOSE = re.compile(r"\b(?:to|and) (?:avoid\w*|reduce) [^,;.]*|\bswitch\w*\s+from\b", re.IGNORECASE)
"""What a drug is given for, and what another is left for, warn of neither here."""

_TAKEN_BEFORE = re.compile(
    r"\b(?:patients?|those|individuals|people|adults|women|men)\b[^.;|]{0,60}\b(?:taking|receiving|treated with"
    r"|already on)\b"
    r"[^.;|]{0,80}$|\b(?:compared (?:to|with)|versus|vs\.?|relative to"
    r"|response (?:or intolerance )?to)\s(?:\S+\s){0,3}$|\bdespite\b[^.;|]{0,80}$|\b(?:do not|not"
    r"|never) add\b[^.;|]{3,50}\bto\s(?:\w+\s)?$",
    re.IGNORECASE,
)

_COMPANION = re.compile(
    r"\b(?:combin\w+|together|concomitant\w*|concurrent\w*|co-?administ\w+) with\s(?:\S+\s){0,2}$", re.I
)
"""Begins what a drug that stands above the line is not given with."""

_TAKEN_BEHIND = re.compile(r"-(?:treated|experienced|na[iï]ve|dependent)\b", re.IGNORECASE)

MAX_WORDS_BETWEEN = 4
"""Words other than names of drugs between a word that recommends and the drug, at most."""


def find_limited_drugs(text: str) -> tuple[DrugMention, ...]:
    """The drugs that a text names and that may be limited by it, in order.

    Left out is what a clause recommends that warns of nothing, with the class that it is said to be the best of
    ("LMWH is the preferred anticoagulant"), and what is taken already where another is limited ("avoid X in patients
    taking Y", "do not add X to Y"); what it is preferred to stays.
    """
    kept = []
    for clause, offset, drugs in _read_clauses(text):
        recommended = [one for one in drugs if _is_recommended(clause, one, offset)]
        excluding = _load_expressions()["excluding"]
        others = [one for one in drugs if one not in recommended and not _is_circumstance(text, one)]
        kept += [one for one in others if not recommended or excluding.search(clause[: one.start - offset])]
    return tuple(kept)


def _is_circumstance(text: str, drug: DrugMention) -> bool:
    """Whether a text names a drug for whom it is about: who takes it, or was treated with it."""
    before = text[: drug.start]
    is_companion = _COMPANION.search(before) and not find_drugs(before[: before.lower().rfind(" with ")])
    return bool(is_companion or _TAKEN_BEFORE.search(before) or _TAKEN_BEHIND.match(text[drug.end :]))


def find_alternatives(text: str) -> tuple[DrugMention, ...]:
    """The drugs that a text recommends in a clause that warns of nothing, in order."""
    clauses = _read_clauses(text)
    return tuple(one for clause, offset, drugs in clauses for one in drugs if _is_recommended(clause, one, offset))


def _read_clauses(text: str) -> list[tuple[str, int, list[DrugMention]]]:
    """The clauses of a text that name drugs: the words, where they begin, and the drugs."""
    found = find_drugs(text)
    spans = _split_clauses(text, found) if found else ()
    clauses = [(text[start:end], start, [one for one in found if start <= one.start < end]) for start, end in spans]
    return [one for one in clauses if one[2]]


def _split_clauses(text: str, drugs: Sequence[DrugMention]) -> Iterator[tuple[int, int]]:
    """The clauses of a text; one that names no drug is said of the drugs before it: "X is preferred; avoid in Y"."""
    start = 0
    for match in _CLAUSE_END.finditer(text):
        following = next((end.start() for end in [_CLAUSE_END.search(text, match.end())] if end), len(text))
        if any(start <= one.start < match.start() for one in drugs) and any(
            match.start() <= one.start < following for one in drugs
        ):
            yield start, match.start()
            start = match.start()
    yield start, len(text)


def _is_recommended(clause: str, drug: DrugMention, offset: int) -> bool:
    """Whether words before or behind a drug recommend it, with nothing but other drugs and few words between."""
    if find_severity(_PURPOSE.sub(" ", clause)):
        return False
    before = _remove_drugs(clause[: drug.start - offset])
    behind = _remove_drugs(clause[drug.end - offset :])
    expressions = _load_expressions()
    if expressions["recommended"].search(behind) and not expressions["excluding"].search(before):
        return True
    last = max((match.end() for match in expressions["recommending"].finditer(before)), default=-1)
    between = before[last:]
    return (
        last >= 0
        and not expressions["excluding"].search(between)
        and len(re.findall(r"[a-z]{3,}", between, re.IGNORECASE)) <= MAX_WORDS_BETWEEN
    )


def _remove_drugs(text: str) -> str:
    """The text with a mark for each drug, so that a list of drugs is read as one."""
    for one in reversed(find_drugs(text)):
        text = f"{text[: one.start]}/{text[one.end :]}"
    return text


@cache
def _load_expressions() -> dict[str, re.Pattern[str]]:
    rows = read_alternatives("wellsourced.recommend", "alternatives.tsv")
    return {kind: re.compile(expression, re.IGNORECASE) for (kind,), expression in rows.items()}
