"""Guidelines read whole for what speaks of one patient: contraindications, limits, doses, interactions, by rule.

A line warns when its words, or those that it hangs on, say so; when it is about a drug that is asked for, recommended
or taken; and when the record has what it names. A limit that the record does not reach is no warning.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from wellsourced.clinical.drugs import DrugMention, find_drugs, is_meant
from wellsourced.recommend.patient_record import PatientRecord
from wellsourced.recommend.warning_rules import (
    SEVERITIES,
    Finding,
    find_allergy,
    find_circumstances,
    find_interactions,
    find_severity,
)
from wellsourced.text.blocks import Block, ancestors, find_blocks
from wellsourced.text.sentences import split_sentences
from wellsourced.types import Citation, Document, Passage, PatientWarning, Section, WarningSeverity

MAX_CONTEXT_CHARS = 220
"""Characters of a line that another hangs on, beyond which it is not shown with it."""

MAX_UNIT_CHARS = 700
"""Characters of a line that is read as one; a longer one is text that lost its line breaks."""


class PatientDrugs(NamedTuple):
    """The drugs that a warning may be about.

    asked   the question or the answer speaks of them
    taken   the patient takes them
    """

    asked: tuple[DrugMention, ...]
    taken: tuple[DrugMention, ...]

    def find_meant(self, named: Sequence[DrugMention]) -> "PatientDrugs":
        """Those that a text which names these drugs speaks of."""
        return PatientDrugs(
            tuple(drug for drug in self.asked if any(is_meant(one, drug) for one in named)),
            tuple(drug for drug in self.taken if any(is_meant(one, drug) for one in named)),
        )

    @property
    def all(self) -> tuple[DrugMention, ...]:
        """All of them, those that are asked about first."""
        return (*self.asked, *self.taken)


class _Line(NamedTuple):
    """A line, or a sentence of a paragraph, with what it hangs on: the lines above and the headings, nearest first."""

    start: int
    end: int
    text: str
    above: tuple[tuple[int, int], ...]
    levels: tuple[str, ...]
    title: str


def find_warnings(documents: Iterable[Document], record: PatientRecord, drugs: PatientDrugs) -> list[PatientWarning]:
    """What documents say against the drugs for this patient: what is asked first, then the strongest.

    Of several warnings with the same words, the first is kept.
    """
    found = [
        warning
        for document in documents
        for section in document.sections
        for warning in _read_section(document, section, record, drugs)
    ]
    found.sort(key=lambda one: (not one.is_asked, SEVERITIES.index(one.severity)))
    first: dict[tuple[str, tuple[str, ...]], PatientWarning] = {}
    for one in found:
        first.setdefault((one.citations[-1].quote, one.drugs), one)
    return list(first.values())


def _read_section(
    document: Document, section: Section, record: PatientRecord, drugs: PatientDrugs
) -> Iterator[PatientWarning]:
    # Most sections name none of the drugs: their lines need not be read.
    named = find_drugs(f"{document.text[section.start : section.end]}\n{section.title}")
    if not drugs.find_meant(named).all:
        return
    blocks = find_blocks(document.text, section.start, section.end)
    for position in range(len(blocks)):
        for line in _split_lines(document, section, blocks, position):
            if warning := _judge_line(document, section, line, record, drugs):
                yield warning


def _split_lines(document: Document, section: Section, blocks: Sequence[Block], position: int) -> Iterator[_Line]:
    text, block = document.text, blocks[position]
    if block.kind == "row" and block.parent is None:
        return
    above = tuple((blocks[at].span.start, blocks[at].span.end) for at in ancestors(blocks, position))
    headings = tuple(reversed(section.title.split(" › ")))
    levels = (*(text[start:end] for start, end in above), *headings)
    words = text[block.span.start : block.span.end]
    spans = [(0, len(words))] if block.kind != "paragraph" else [(one.start, one.end) for one in split_sentences(words)]
    for start, end in spans:
        if end - start <= MAX_UNIT_CHARS:
            at = block.span.start + start
            yield _Line(at, block.span.start + end, words[start:end], above, levels, document.reference.title)


# --- one line ------------------------------------------------------------------------------------------------------


def _judge_line(
    document: Document, section: Section, line: _Line, record: PatientRecord, drugs: PatientDrugs
) -> PatientWarning | None:
    own = find_drugs(line.text)
    meant = _find_targets(line, own, drugs)
    if not meant.all:
        return None
    severity, is_listed = _find_line_severity(line)
    findings, is_allergy = _find_line_findings(line, own, meant, record, severity, is_listed)
    if not findings:
        return None
    if severity is None:
        if not is_allergy or not meant.asked:
            return None
        severity = "caution"
    asked = bool(meant.asked)
    limited = meant.asked if asked else meant.taken
    names = tuple(dict.fromkeys(one.words for one in limited))
    return _build_warning(document, section, line, severity, names, findings, asked)


def _find_targets(line: _Line, own: Sequence[DrugMention], drugs: PatientDrugs) -> PatientDrugs:
    """What a line limits: the drugs that it names, and those of the nearest line or heading that names any.

    In a list under a drug, the drugs in its lines speak against that one, and are not limited themselves.
    """
    mine = drugs.find_meant(own)
    named = next((found for level in line.levels if (found := find_drugs(level))), [])
    above = drugs.find_meant(named)
    return above if above.all and not mine.asked else mine


def _find_line_severity(line: _Line) -> tuple[WarningSeverity | None, bool]:
    """How strongly the line warns by its own words, else by those that it hangs on; and whether by the latter."""
    own = find_severity(line.text)
    if own and own != "caution":
        return own, False
    for level in line.levels[:3]:
        if (above := find_severity(level)) and above != "caution":
            return above, True
        if above and own is None and any(word in level.lower() for word in ("caution", "monitor")):
            return above, True
    return own, False


def _find_line_findings(
    line: _Line,
    own: Sequence[DrugMention],
    meant: PatientDrugs,
    record: PatientRecord,
    severity: WarningSeverity | None,
    is_listed: bool,
) -> tuple[list[Finding], bool]:
    """What the record has of what the line names, else of what it hangs on; and whether it is an allergy."""
    if allergy := find_allergy(line.text, record):
        return allergy, True
    found, names_any = find_circumstances(line.text, record)
    if severity and (taken := find_interactions(line.text, meant.all, record, is_listed)):
        if own and (is_listed or drugs_of(own, meant)):
            return [*taken, *found], False
    if found or names_any:
        return found, False
    for level in line.levels:
        if allergy := find_allergy(level, record):
            return allergy, True
        above, names_any = find_circumstances(level, record)
        if above or names_any:
            return (above if severity != "caution" or meant.asked else []), False
    return _find_in_title(line, own, meant, record, severity), False


def drugs_of(own: Sequence[DrugMention], meant: PatientDrugs) -> tuple[DrugMention, ...]:
    """Those of the limited drugs that the line itself names."""
    return meant.find_meant(own).all


def _find_in_title(
    line: _Line,
    own: Sequence[DrugMention],
    meant: PatientDrugs,
    record: PatientRecord,
    severity: WarningSeverity | None,
) -> list[Finding]:
    """What the guideline itself is about, for a line that forbids a drug that was asked for to everybody."""
    named = [one for one in own if any(is_meant(one, drug) for drug in meant.asked)]
    if severity not in ("contraindicated", "avoid") or find_severity(line.text) is None or not named:
        return []
    return find_circumstances(line.title, record)[0]


# --- the warning ---------------------------------------------------------------------------------------------------


def _build_warning(
    document: Document,
    section: Section,
    line: _Line,
    severity: WarningSeverity,
    drugs: tuple[str, ...],
    findings: Sequence[Finding],
    is_asked: bool,
) -> PatientWarning:
    shown = [(start, end) for start, end in line.above[:2] if end - start <= MAX_CONTEXT_CHARS]
    spans = sorted({*shown, (line.start, line.end)})
    first, last = spans[0][0], max(end for _, end in spans)
    passage = Passage(
        reference=document.reference,
        text=document.text[first:last],
        start=first,
        end=last,
        section=section.title,
        page=document.page(first, last),
    )
    return PatientWarning(
        severity=severity,
        drugs=drugs,
        about=tuple(one.about for one in findings),
        record=tuple(one.words for one in findings),
        is_asked=is_asked,
        passage=passage,
        citations=tuple(
            Citation(passage_id=passage.id, quote=document.text[start:end], start=start, end=end)
            for start, end in spans
        ),
    )
