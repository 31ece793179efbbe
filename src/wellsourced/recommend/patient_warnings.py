"""Guidelines read whole for what speaks of one patient: contraindications, limits, doses, interactions, by rule.

A line warns when its words, or those that it hangs on, say so; when it is about a drug that is asked for, recommended
or taken; and when the record has what it names. A limit that the record does not reach is no warning.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from wellsourced.clinical.drugs import DrugMention, find_drugs, is_meant
from wellsourced.recommend.patient_record import PatientRecord, find_conditions
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

MAX_LINE_CHARS = 700
"""Characters of a line that is read as one; a longer one is text that lost its line breaks."""

_LABEL = re.compile(r"[^:.\n]{2,80}:")
_WARNING_LABEL = re.compile(
    r"\W*(?:absolute |relative )?(?:contraindications?|contraindicated|caveats?|cautions?|avoid|hold|prerequisites?|do not use|withhold|stop)\b", re.I
)
_WARNING_HEADING = re.compile(
    r"contraindicat|avoid|caution|precaution|not recommended|harmful|do not|hold if|refer|exclusion|stop|discontinu", re.I
)
_COMMON_CONDITIONS = frozenset({"diabetes", "hypertension", "cardiovascular disease", "coronary disease", "heart rate", "smoking"})
_DOSED_BY = frozenset(
    {
        *("pregnancy", "breastfeeding", "old age", "childhood", "kidney disease", "dialysis", "liver disease", "cirrhosis"),
        *("eGFR", "creatinine clearance", "potassium", "sodium", "creatinine", "weight", "age", "platelets", "QTc", "long QT"),
        *("current drug", "haemoglobin", "bilirubin", "neutrophils", "INR", "liver failure"),
    }
)


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
    subjects: frozenset[str] = frozenset()


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
    subjects = frozenset(one.name for one in find_conditions(document.reference.title))
    blocks = find_blocks(document.text, section.start, section.end)
    for position in range(len(blocks)):
        for line in _split_lines(document, section, blocks, position):
            if warning := _judge_line(document, section, line._replace(subjects=subjects), record, drugs):
                yield warning


def _split_lines(document: Document, section: Section, blocks: Sequence[Block], position: int) -> Iterator[_Line]:
    """The sentences of a block; a row of a table and a line that introduces others are one."""
    text, block = document.text, blocks[position]
    if block.kind == "row" and block.parent is None:
        return
    above = tuple((blocks[at].span.start, blocks[at].span.end) for at in ancestors(blocks, position))
    levels = (*(text[start:end] for start, end in above), *reversed(section.title.split(" › ")))
    words = text[block.span.start : block.span.end]
    spans = [(0, len(words))] if block.kind == "row" else [(one.start, one.end) for one in split_sentences(words)]
    label = _LABEL.match(words)
    for start, end in spans:
        if 0 < end - start <= MAX_LINE_CHARS:
            at = block.span.start + start
            named = (label.group(), *levels) if start and label else levels
            yield _Line(at, block.span.start + end, words[start:end], above, named, document.reference.title)


# --- one line ------------------------------------------------------------------------------------------------------


def _judge_line(
    document: Document, section: Section, line: _Line, record: PatientRecord, drugs: PatientDrugs
) -> PatientWarning | None:
    severity, is_listed = _find_line_severity(line)
    if severity is None and not any("allerg" in level.lower() for level in (line.text, *line.levels)):
        return None
    meant = _find_targets(line, drugs, is_listed)
    if not meant.all:
        return None
    findings, severity = _find_line_findings(line, meant, record, severity, is_listed)
    if not findings or severity is None:
        return None
    limited = meant.asked or meant.taken
    names = tuple(dict.fromkeys(one.words for one in limited))
    return _build_warning(document, section, line, severity, names, findings, bool(meant.asked))


def _find_line_severity(line: _Line) -> tuple[WarningSeverity | None, bool]:
    """How strongly the line warns by its own words, else by those that it hangs on; and whether by the latter."""
    own = find_severity(line.text)
    if own and own != "caution":
        return own, bool(_WARNING_LABEL.match(line.text))
    for level in line.levels[:3]:
        if _WARNING_HEADING.search(level) and (above := find_severity(level)):
            return above, True
    return own, False


def _find_targets(line: _Line, drugs: PatientDrugs, is_listed: bool) -> PatientDrugs:
    """What a line limits: the drugs that it names, else those of the nearest line or heading that names any.

    In a list of what speaks against a drug, the drugs in its lines are not limited themselves.
    """
    own = find_drugs(line.text)
    mine = drugs.find_meant(own)
    named = next((found for level in line.levels if (found := find_drugs(level))), ())
    above = drugs.find_meant(named)
    if mine.asked or (own and not is_listed):
        return mine
    return above if above.all else mine


def _find_line_findings(
    line: _Line, meant: PatientDrugs, record: PatientRecord, severity: WarningSeverity | None, is_listed: bool
) -> tuple[list[Finding], WarningSeverity | None]:
    """What the record has of what the line names, else of what it hangs on, and how strongly that warns."""
    if meant.asked and (allergy := _find_line_allergy(line, record)):
        return allergy, severity or "caution"
    if severity is None:
        return [], None
    found, names_any = find_circumstances(line.text, record, line.subjects)
    own = meant.find_meant(find_drugs(line.text)).all
    if own or is_listed:
        found = [*find_interactions(line.text, meant.all, record, is_listed and not own), *found]
    if not found and not names_any and severity != "caution":
        for level in line.levels:
            found, names_any = find_circumstances(level, record, line.subjects)
            if names_any:
                break
    if not found and not names_any:
        found = _find_in_title(line, meant, record, severity)
    return [one for one in found if _is_telling(one, line, meant, severity)], severity


def _find_line_allergy(line: _Line, record: PatientRecord) -> list[Finding]:
    return next((found for level in (line.text, *line.levels) if (found := find_allergy(level, record))), [])


def _is_telling(finding: Finding, line: _Line, meant: PatientDrugs, severity: WarningSeverity) -> bool:
    """Whether a finding makes a warning: a dose or a caution hangs on more than having the disease that is treated."""
    if severity in ("contraindicated", "avoid"):
        return bool(meant.asked) or finding.about not in _COMMON_CONDITIONS
    if severity == "dose":
        return finding.about in _DOSED_BY
    return bool(meant.asked) and finding.about not in _COMMON_CONDITIONS


def _find_in_title(
    line: _Line, meant: PatientDrugs, record: PatientRecord, severity: WarningSeverity
) -> list[Finding]:
    """What the guideline itself is about, for a line that forbids a drug that was asked for to everybody."""
    named = meant.find_meant(find_drugs(line.text)).asked
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
