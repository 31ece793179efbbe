"""A guideline line by line, each with the lines and headings that it hangs on; and one rule that several lines state,
said once.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from wellsourced.clinical.drugs import find_drugs, is_meant
from wellsourced.clinical.measurements import find_limits
from wellsourced.recommend.warning_rules import FORBIDDING
from wellsourced.text.blocks import Block, ancestors, find_blocks
from wellsourced.text.sentences import split_sentences
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
            merged[place] = _join_warnings(merged[place], one)
    return merged


def _join_warnings(known: PatientWarning, other: PatientWarning) -> PatientWarning:
    """Two warnings of one rule as one; the second leads where it is as strong and names more of the record."""
    # The one that names more of the record leads, unless the other is the stronger.
    is_wider = _circumstances(known) < _circumstances(other)
    first, second = (other, known) if is_wider and known.severity == other.severity else (known, other)
    also = (*known.also, second.model_copy(update={"also": ()}))
    return first.model_copy(update={"also": also, "is_asked": known.is_asked})


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
