"""A guideline line by line, each with the lines and headings that it hangs on; the drugs that a line limits or
recommends; and one rule that several lines state, said once.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from wellsourced.medicine.drugs import DrugMention, find_drugs, is_meant
from wellsourced.medicine.measurements import find_limits
from wellsourced.recommend.warning_rules import FORBIDDING, find_severity
from wellsourced.text.blocks import Block, ancestors, find_blocks
from wellsourced.text.sentences import split_sentences
from wellsourced.text.tables import read_alternatives
from wellsourced.types import Document, PatientWarning, Section

MAX_LINE_CHARS = 700
"""Characters of a line that is read as one; a longer one is text that lost its line breaks."""

_LABEL = re.compile(r"[^:.\n]{2,80}:")
_BARE_LIMIT = re.compile(r"(?<![\w(])(?:below|above|under|over|[<>≤≥]=?)\s*\d")


class GuidelineSubject(NamedTuple):
    """The conditions that a guideline is about, whether it is cited or about this patient's, and whether it is cited.

    Where no guideline is cited, none is told from the others by that.
    """

    conditions: frozenset[str]
    is_relevant: bool
    is_cited: bool = True


class GuidelineLine(NamedTuple):
    """A line, or a sentence of a paragraph, with what it hangs on: the lines above and the headings, nearest first."""

    start: int
    end: int
    text: str
    above: tuple[tuple[int, int], ...]
    levels: tuple[str, ...]
    title: str
    subjects: frozenset[str] = frozenset()
    is_relevant: bool = False
    is_cited: bool = True
    is_row: bool = False


def read_lines(document: Document, section: Section, about: GuidelineSubject) -> Iterator[GuidelineLine]:
    """The lines of a section, in order; linear in its length."""
    blocks = find_blocks(document.text, section.start, section.end)
    for position in range(len(blocks)):
        for line in _split_lines(document, section, blocks, position):
            yield line._replace(subjects=about.conditions, is_relevant=about.is_relevant, is_cited=about.is_cited)


def _split_lines(
    document: Document, section: Section, blocks: Sequence[Block], position: int
) -> Iterator[GuidelineLine]:
    """The sentences of a block; a row of a table and a line that introduces others are one."""
    text, block = document.text, blocks[position]
    # The header of a table says nothing by itself; it is said with each row.
    if block.kind == "row" and block.parent is None:
        return
    above = tuple((blocks[at].span.start, blocks[at].span.end) for at in ancestors(blocks, position))
    levels = (*(text[start:end] for start, end in above), *reversed(section.title.split(" › ")))
    words = text[block.span.start : block.span.end]
    spans = [(0, len(words))] if block.kind == "row" else [(one.start, one.end) for one in split_sentences(words)]
    label = _LABEL.match(words)
    for start, end in spans:
        # A longer line is text that lost its breaks: what hangs together in it cannot be told.
        if 0 < end - start <= MAX_LINE_CHARS:
            at = block.span.start + start
            named = (label.group(), *levels) if start and label else levels
            judged = _name_bare_limits(words[:start], words[start:end])
            title, is_row = document.reference.title, block.kind == "row"
            yield GuidelineLine(at, block.span.start + end, judged, above, named, title, is_row=is_row)


def _name_bare_limits(before: str, sentence: str) -> str:
    """The sentence with the measure of the one before it where its limit names none: "Contraindicated below 30"."""
    # "Contraindicated below 30" names no measure: it is that of the sentence before.
    known = find_limits(before) if _BARE_LIMIT.search(sentence) and not find_limits(sentence) else []
    return _BARE_LIMIT.sub(lambda found: f"{known[-1].measure} {found.group()}", sentence) if known else sentence


def merge_warnings(warnings: Sequence[PatientWarning]) -> list[PatientWarning]:
    """The warnings, of which those of one rule stand once: the first of them, with the others beside it.

    A rule is a drug, or its class, and what of the record speaks against it; a dose or a caution is none of its own
    where the drug is not to be given for the same reason.
    """
    merged: list[PatientWarning] = []
    for one in warnings:
        place = next((at for at, known in enumerate(merged) if _is_same_rule(known, one)), None)
        if place is None:
            merged.append(one)
        elif one.citations[-1].quote != merged[place].citations[-1].quote:
            # The one that names more of the record leads, unless the other is the stronger.
            is_wider = _circumstances(merged[place]) < _circumstances(one)
            first, second = (
                (one, merged[place]) if is_wider and merged[place].severity == one.severity else (merged[place], one)
            )
            also = (*merged[place].also, second.model_copy(update={"also": ()}))
            merged[place] = first.model_copy(update={"also": also, "is_asked": merged[place].is_asked})
    return merged


def _is_same_rule(known: PatientWarning, other: PatientWarning) -> bool:
    if known.citations[-1].quote == other.citations[-1].quote:
        return not drug_keys(known.drugs).isdisjoint(drug_keys(other.drugs)) or not other.drugs
    if known.severity not in FORBIDDING and other.severity in FORBIDDING:
        return False
    # A dose that is given all the same is another thing than a drug that is not.
    if known.severity == "avoid" and other.severity == "dose":
        return False
    theirs, ours = ([one for name in each.drugs for one in find_drugs(name)] for each in (other, known))
    is_same_drug = drug_keys(other.drugs) <= drug_keys(known.drugs) or (
        bool(theirs) and all(any(is_meant(one, two) for one in ours) for two in theirs)
    )
    said, known_said = _circumstances(other), _circumstances(known)
    is_forbidden = known.severity in FORBIDDING and other.severity in FORBIDDING
    return is_same_drug and (said <= known_said or (is_forbidden and known_said < said))


def drug_keys(names: Iterable[str]) -> frozenset[str]:
    """What the drugs of a warning are called here, whatever the words are: the drug and its own class."""
    return frozenset(one.drug or one.own_class for name in names for one in find_drugs(name)) or frozenset(names)


def _circumstances(warning: PatientWarning) -> frozenset[str]:
    """What of the record speaks against the drug; figures and names of one thing are one."""
    pairs = zip(warning.about, warning.record, strict=True)
    return frozenset(
        words.casefold() if about in ("current drug", "earlier drug", "allergy") else _ONE_THING.get(about, about)
        for about, words in pairs
    )


_ONE_THING = {
    **dict.fromkeys(("eGFR", "creatinine clearance", "creatinine", "dialysis"), "kidney disease"),
    **dict.fromkeys(("age", "childhood"), "old age"),
    **dict.fromkeys(("potassium",), "hyperkalaemia"),
    **dict.fromkeys(("QTc",), "long QT"),
    **dict.fromkeys(("pH", "bicarbonate"), "acidosis"),
    **dict.fromkeys(("ketones",), "ketoacidosis"),
    **dict.fromkeys(("weight", "BMI"), "obesity"),
    **dict.fromkeys(
        ("NYHA III or IV", "reduced ejection fraction", "LVEF", "decompensated heart failure"), "heart failure"
    ),
    **dict.fromkeys(("asthma", "aspirin-exacerbated respiratory disease"), "bronchospasm"),
    **dict.fromkeys(("stroke", "coronary disease", "intracranial haemorrhage"), "cardiovascular disease"),
    **dict.fromkeys(("gestational age",), "pregnancy"),
    **dict.fromkeys(("cirrhosis", "liver failure", "hepatitis"), "liver disease"),
}
"""Names of conditions and figures under which a record says one thing."""


# Drugs that a line recommends instead of what it limits: they are not limited themselves. `alternatives.tsv`.
#
# A drug is recommended where its own clause recommends it and warns of nothing: "X is contraindicated; consider Y"
# limits X alone, and so do "do not use X, prefer Y" and "switch from X to Y".


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
