"""The lines of documents to check for one patient: in which a drug, a condition or a value of the record is itself what
the line warns of.

    cut documents into lines → find the clauses that warn → what of the record do they name? → best eight

A line is shown as it is, with the words of the record that made the match. Whether it holds for the patient its reader
decides: nothing is forbidden, allowed or weighed here, so a rule that is in doubt shows nothing.
"""

from collections.abc import Iterable, Iterator, Sequence, Set
from functools import lru_cache
from typing import NamedTuple

from wellsourced.medicine.conditions import find_conditions, wider_conditions
from wellsourced.medicine.doses import has_dose
from wellsourced.medicine.drugs import DrugMention, covers_drug, find_drugs, find_prescribed_drugs, is_meant
from wellsourced.medicine.measurements import ADULT_AGE
from wellsourced.patients.circumstances import (
    DOSED_BY,
    Match,
    blank_no_warnings,
    find_circumstances,
)
from wellsourced.patients.record import PatientFact, PatientRecord, read_patient_record
from wellsourced.patients.words import find_words, load_words, match_words
from wellsourced.text.blocks import ancestors, find_blocks
from wellsourced.text.sentences import CELL_SEPARATOR, split_sentences
from wellsourced.types import Citation, Document, LineToCheck, Passage, Section

MAX_LINES = 8
"""Lines that are shown for one patient."""

MAX_LINES_OF_DRUG, MAX_LINES_OF_RULE = 4, 2
"""Lines that are shown of one drug, and of one drug with the same of the record."""

MAX_CAUTIONS = 2
"""Lines that speak against a drug which a question names, at most."""

MIN_ASKED = 2.5
"""What a line counts at least that names a drug which is asked for."""

CACHED_DOCUMENTS = 64
"""Documents whose warnings are kept: a question and each of its parts show much the same ones."""

MAX_LINE_CHARS = 700
"""Characters of a line that is read as one; a longer one is text that lost its line breaks."""

MAX_CONTEXT_CHARS = 220
"""Characters of a line that another hangs on, beyond which it is not shown with it."""

_OF_EVERYBODY = frozenset(
    {"age", "old age", "weight", "systolic blood pressure", "heart rate", "hypertension", "LVEF", "creatinine"}
)
"""What is weighed against the disease of a document: in one on another disease it tells nothing of this patient."""


class PatientDrugs(NamedTuple):
    """The drugs that a line may be about: asked for in the question, taken, or named in what the answer shows first.

    asks_for_members   of a class that is asked for, any of its members
    """

    asked: tuple[DrugMention, ...] = ()
    taken: tuple[DrugMention, ...] = ()
    shown: tuple[DrugMention, ...] = ()
    asks_for_members: bool = True

    def rate(self, named: DrugMention) -> float:
        """How much a line counts that names this drug; 0 where it is none of these. Its class counts less.

        Of a class that is asked for its members count; where a drug is asked for, no other that the answer shows.
        """
        is_of = is_meant if self.asks_for_members else covers_drug
        asked = max((2.75 + 0.25 * bool(named.drug) for one in self.asked if is_of(named, one)), default=0.0)
        taken = max((1.75 + 0.25 * bool(named.drug) for one in self.taken if covers_drug(named, one)), default=0.0)
        shown = () if self.asked else self.shown
        return max(asked, taken, max((1.0 for one in shown if covers_drug(named, one)), default=0.0))


class DocumentLine(NamedTuple):
    """A line, or a sentence of a paragraph, with the lines and headings that it hangs on, nearest first."""

    document: Document
    section: Section
    start: int
    end: int
    text: str
    above: tuple[tuple[int, int], ...]
    levels: tuple[str, ...]
    is_row: bool = False


class RatedLine(NamedTuple):
    """A line to check, what it counts, and the drugs and matches by which two lines say one thing."""

    line: LineToCheck
    rating: float
    drugs: frozenset[str]
    about: frozenset[str]
    forbids: bool


def find_lines_to_check(
    documents: Iterable[Document], record: PatientRecord, drugs: PatientDrugs, question: str = ""
) -> tuple[LineToCheck, ...]:
    """At most eight lines of documents in which something of the record is what they warn of, what is asked first."""
    told = {one.name: PatientFact(one.name, one.words) for one in find_conditions(question)}
    record = record._replace(conditions={**told, **record.conditions})
    rated = [one for document in documents for one in _read_document(document, record, drugs, told.keys())]
    return _keep_different(rated)[:MAX_LINES]


def find_cautions(documents: Iterable[Document], question: str) -> tuple[LineToCheck, ...]:
    """At most two lines that speak against a drug which a question names, or limit it, for something else in it.

    The question is read as a record. What is only the subject of the document says nothing particular: a guideline on
    COPD warns of many a drug in COPD.
    """
    asked = find_asked_by_name(question)
    if not asked:
        return ()
    record = read_patient_record(question)
    allergens = find_prescribed_drugs("\n".join(record.allergies))
    # What somebody is allergic to is not what is asked for.
    named = tuple(one for one in asked if not any(is_meant(one, drug) for drug in allergens))
    if not named:
        return ()
    drugs = PatientDrugs(named, named, asks_for_members=False)
    rated: list[RatedLine] = []
    for document in documents:
        subjects = _list_subjects(document)
        rated += [one for one in _read_document(document, record, drugs, frozenset()) if one.about - subjects]
    return _keep_different(rated, of_rule=1)[:MAX_CAUTIONS]


def find_asked_by_name(question: str) -> tuple[DrugMention, ...]:
    """The drugs and classes that a question names, but for those that it only sets aside: "besides antiplatelets"."""
    return tuple(
        one for one in find_prescribed_drugs(question) if not find_words("before besides", question[: one.start])
    )


def _keep_different(rated: Iterable[RatedLine], of_rule: int = MAX_LINES_OF_RULE) -> tuple[LineToCheck, ...]:
    """The lines, what counts most first, without those that say once more what others said."""
    kept: list[RatedLine] = []
    for one in sorted(rated, key=lambda one: -one.rating):
        said = [known for known in kept if one.drugs <= known.drugs and one.about <= known.about]
        of_drug = sum(not one.drugs.isdisjoint(known.drugs) for known in kept)
        is_copied = any(one.line.citations[-1].quote == known.line.citations[-1].quote for known in kept)
        if len(said) < of_rule and of_drug < MAX_LINES_OF_DRUG and not is_copied:
            kept.append(one)
    return tuple(one.line for one in kept)


def _list_subjects(document: Document) -> frozenset[str]:
    return frozenset(one.name for one in find_conditions(document.reference.title))


# --- lines ---------------------------------------------------------------------------------------------------------


def _read_document(
    document: Document, record: PatientRecord, drugs: PatientDrugs, asked: Set[str]
) -> Iterator[RatedLine]:
    subjects = _list_subjects(document)
    is_of_others = bool(subjects) and subjects.isdisjoint(record.conditions)
    if not drugs.asked and subjects & (asked or record.conditions.keys()):
        # Who asks what to do next may be given any drug of a document on their disease.
        drugs = drugs._replace(shown=(*drugs.shown, *find_drugs(document.text)))
    for warning in _find_warnings(document):
        rated = _rate_line(warning, record, drugs, subjects)
        if rated and not (is_of_others and (rated.about <= _OF_EVERYBODY or not rated.forbids)):
            yield rated._replace(rating=rated.rating - is_of_others)


class WarningLine(NamedTuple):
    """A line that warns, or stands in a list of what does; `plain` is without what says that there is no warning."""

    line: DocumentLine
    plain: str
    is_listed: bool


@lru_cache(maxsize=CACHED_DOCUMENTS)
def _find_warnings(document: Document) -> tuple[WarningLine, ...]:
    """The lines of a document that warn of something, whoever reads them."""
    found = []
    for line in (line for section in document.sections for line in read_lines(document, section)):
        plain = blank_no_warnings(line.text)
        is_listed = any(find_words("heading", blank_no_warnings(level)) for level in line.levels[:2])
        if (
            not line.text.rstrip().endswith((":", "?"))
            and (is_listed or any(find_words(kind, plain) for kind in ("forbids", "limits", "allergy")))
            and not any(match_words("limitations", level) for level in line.levels)
            and not any(find_words("study result", text) for text in (line.text, *line.levels[:1]))
        ):
            found.append(WarningLine(line, plain, is_listed))
    return tuple(found)


def read_lines(document: Document, section: Section) -> Iterator[DocumentLine]:
    """The lines of a section, in order: rows whole, paragraphs by sentence."""
    text = document.text
    blocks = find_blocks(text, section.start, section.end)
    headings = tuple(reversed(section.title.split(" › ")))
    for position, block in enumerate(blocks):
        # The header of a table says nothing by itself; it is said with each row.
        if block.kind == "row" and block.parent is None:
            continue
        above = tuple((blocks[at].span.start, blocks[at].span.end) for at in ancestors(blocks, position))
        levels = (*(text[start:end] for start, end in above), *headings)
        words = text[block.span.start : block.span.end]
        is_row = block.kind == "row"
        spans = [(0, len(words))] if is_row else [(one.start, one.end) for one in split_sentences(words)]
        for start, end in spans:
            if 0 < end - start <= MAX_LINE_CHARS:
                at = block.span.start
                yield DocumentLine(document, section, at + start, at + end, words[start:end], above, levels, is_row)


# --- one line ------------------------------------------------------------------------------------------------------


def _rate_line(
    warning: WarningLine, record: PatientRecord, drugs: PatientDrugs, subjects: frozenset[str]
) -> RatedLine | None:
    """The line where it names, in a clause that warns, a drug of this patient and what the record has besides."""
    line, plain, is_listed = warning
    if _answers_otherwise(line, record) or _has_dose_of_adults(line, record):
        return None
    if line.above and not line.is_row and _is_of_others(line.levels[0], record):
        return None
    clauses = [(span, _rate_warning(plain[slice(*span)], is_listed)) for span in _split_clauses(line.text)]
    found = [_match_clause(line, span, record, drugs, subjects, strength) for span, strength in clauses if strength]
    return max(filter(None, found), key=lambda one: one.rating, default=None)


def _has_dose_of_adults(line: DocumentLine, record: PatientRecord) -> bool:
    """Whether the patient is a child, and a line has a dose without speaking of children."""
    if record.age is None or record.age >= ADULT_AGE or not has_dose(line.text):
        return False
    told = " ".join((line.document.reference.title, *line.levels, line.text))
    return not find_words("children", told)


def _is_of_others(level: str, record: PatientRecord) -> bool:
    """Whether what a line hangs on names conditions, and the record has none of them."""
    named = find_conditions(level)
    return bool(named) and not any(one.name in record.conditions or one.name in record.family for one in named)


def _rate_warning(clause: str, is_listed: bool) -> float:
    """How plainly a clause warns: of a use, a dose or a risk, an allergy alone; 0 where it does not."""
    if find_words("forbids", clause):
        return 2.0
    if is_listed:
        return 1.5
    return 1.0 if find_words("limits", clause) else 0.5 * bool(find_words("allergy", clause))


def _split_clauses(text: str) -> list[tuple[int, int]]:
    """The clauses of a line; one without a word of its own is left out."""
    marks = list(load_words("clause end").finditer(text))
    ends, starts = [mark.start() for mark in marks], [0, *(mark.end() for mark in marks)]
    return [one for one in zip(starts, [*ends, len(text)], strict=True) if text[slice(*one)].strip()]


def _answers_otherwise(line: DocumentLine, record: PatientRecord) -> bool:
    """Whether a line answers "yes" to a step that asks for nothing of the record, or "no" to one that does."""
    answer = match_words("answer", line.text)
    above = line.levels[0] if line.levels else ""
    if answer is None or not above.rstrip().endswith("?"):
        return False
    found, names_any = find_circumstances(above, record)
    return names_any and bool(found) != (answer["said"].lower() == "yes")


def _match_clause(
    line: DocumentLine,
    span: tuple[int, int],
    record: PatientRecord,
    drugs: PatientDrugs,
    subjects: frozenset[str],
    strength: float,
) -> RatedLine | None:
    """The line, where a clause of it warns of a drug of the patient and names something of the record besides."""
    forbids = strength > 1
    clause = line.text[slice(*span)]
    named, is_inherited = _find_targets(line, span)
    mine = [one for one in named if drugs.rate(one)]
    allergies = _find_allergies(clause, named, record)
    if allergies and not mine:
        mine = [one for one in find_drugs(clause) if drugs.rate(one)]
    if not mine or (strength < 1 and not allergies):
        return None
    rating = max(map(drugs.rate, mine))
    if _lacks_companion(clause if find_drugs(clause) else line.text[: span[1]], drugs):
        return None
    # What is taken is started no more.
    if rating < MIN_ASKED and find_words("initiation", " ".join((line.text, *line.levels[: len(line.above)]))):
        return None
    found, names_any = find_circumstances(clause, record)
    if not found and not names_any and span[0]:
        found, names_any = find_circumstances(line.text[: span[0]], record)
    partners = _find_partners(line, clause, named, drugs)
    if not found and not names_any and not partners and forbids:
        found = _find_inherited(line, record, subjects)
    own = [one for one in found if one.about in subjects or not subjects.isdisjoint(wider_conditions(one.about))]
    kept = [one for one in found if one not in own]
    if not kept and forbids:
        kept = own if _is_not_for(line, clause, subjects) else []
    if not (kept or names_any or partners) and forbids and _forbids_alone(line, clause, mine, record):
        kept = [Match(fact.name, fact.words) for name in sorted(subjects) if (fact := record.conditions.get(name))]
    if not forbids:
        kept = [one for one in kept if one.about in DOSED_BY or record.find_figures(one.about)]
    matches = list(dict.fromkeys((*allergies, *kept, *partners)))
    if not matches:
        return None
    about = frozenset(one.about for one in matches)
    named_drugs = frozenset(one.drug or one.own_class for one in mine)
    rating += strength + 0.3 * (len(matches) - 1) - 0.25 * is_inherited + bool(allergies)
    return RatedLine(_build_line(line, mine, matches), rating, named_drugs, about, forbids)


def _find_targets(line: DocumentLine, span: tuple[int, int]) -> tuple[tuple[DrugMention, ...], bool]:
    """The drugs that a clause warns of: its own but those that it recommends or tells people by, else those before it
    in its line, else those of the nearest line or heading; and whether they are not its own.

    In a list of what speaks against a drug, the drugs of its items are not warned of themselves.
    """
    start, end = span
    above = next((found for level in line.levels if (found := find_drugs(level))), ())
    if line.is_row and (first := find_drugs(line.text.partition(CELL_SEPARATOR)[0])):
        return first, False
    is_list = any(find_words("list of drug", level) and find_drugs(level) for level in line.levels[:3])
    if above and (is_list or match_words("own list", line.text[start:end])):
        return above, True
    everything = find_drugs(line.text)
    inside = tuple(one for one in everything if start <= one.start < end)
    if inside:
        clause = line.text[start:end]
        return tuple(one for one in inside if not _is_left_out(clause, one.start - start, one.end - start)), False
    before = tuple(one for one in everything if one.start < start)
    return (before, False) if before else (above, True)


def _is_left_out(clause: str, start: int, end: int) -> bool:
    """Whether a clause recommends the drug at a place, or tells by it whom it is about."""
    before = clause[:start]
    return bool(
        find_words("before recommended", before)
        or find_words("before circumstance", before)
        or find_words("behind recommended", clause[end:])
    )


def _lacks_companion(clause: str, drugs: PatientDrugs) -> bool:
    """Whether a clause warns of one drug with another, and the patient has to do with one of them alone."""
    named = find_drugs(clause)
    for place, one in enumerate(named[1:], 1):
        before = clause[: one.start]
        if find_words("before companion", before) and "history of" not in before:
            return not all(any(map(drugs.rate, side)) for side in (named[:place], named[place:]))
    return False


def _find_partners(line: DocumentLine, clause: str, named: Sequence[DrugMention], drugs: PatientDrugs) -> list[Match]:
    """The drugs that the patient takes and that a clause names beside another one that it warns of."""
    if not find_words("together", clause) and not find_words("list of drug", " ".join(line.levels[:2])):
        return []
    every = find_drugs(clause)
    return [
        Match("current drug", one.words)
        for one in drugs.taken
        if any(covers_drug(other, one) for other in every)
        and any(drugs.rate(other) and other.own_class != one.own_class and not is_meant(other, one) for other in named)
    ]


def _find_allergies(clause: str, named: Sequence[DrugMention], record: PatientRecord) -> list[Match]:
    """The allergies of the record of which a clause speaks as allergies."""
    if not find_words("allergy", clause):
        return []
    every = (*find_drugs(clause), *named)
    return [
        Match("allergy", allergy)
        for allergy in record.allergies
        if any(is_meant(one, drug) for drug in find_prescribed_drugs(allergy) for one in every)
    ]


def _find_inherited(line: DocumentLine, record: PatientRecord, subjects: frozenset[str]) -> list[Match]:
    """What the nearest line or heading names that names any circumstance but the subject of the document."""
    # In a list of what speaks against a drug, each item says by itself what that is.
    if any(find_words("list of drug", level) for level in line.levels[:2]):
        return []
    for level in line.levels[: len(line.above) + 1]:
        found, names_any = find_circumstances(level, record)
        told = [one for one in found if one.about not in subjects | _OF_EVERYBODY]
        if told or names_any:
            return told
    return []


def _is_not_for(line: DocumentLine, clause: str, subjects: frozenset[str]) -> bool:
    """Whether a clause says that a drug is not for whoever has the disease of its document, and not how it is used."""
    if match_words("own list", clause) or find_words("list of drug", " ".join(line.levels[:1])):
        return True
    return any(
        one.name in subjects and find_words("before not for", clause[: one.start]) for one in find_conditions(clause)
    )


def _forbids_alone(line: DocumentLine, clause: str, mine: Sequence[DrugMention], record: PatientRecord) -> bool:
    """Whether a clause forbids a drug of the patient as such, for all that its document is about."""
    named = [one for level in line.levels[:-1] for one in find_conditions(level)]
    if any(one.name not in record.conditions for one in named) or find_words("for somebody", clause):
        return False
    if line.above and not line.levels[0].rstrip().endswith(":"):
        return False
    words = {one.words for one in mine}
    return any(
        one.words in words
        and (
            match_words("behind forbidden", clause[one.end :])
            or find_words("before forbidden", blank_no_warnings(clause)[: one.start])
        )
        for one in find_drugs(clause)
    )


# --- the line as it is shown ---------------------------------------------------------------------------------------


def _build_line(line: DocumentLine, named: Sequence[DrugMention], matches: Sequence[Match]) -> LineToCheck:
    text, document = line.document.text, line.document
    shown = [(start, end) for start, end in line.above[:2] if end - start <= MAX_CONTEXT_CHARS]
    spans = sorted({*shown, (line.start, line.end)})
    first, last = spans[0][0], max(end for _, end in spans)
    passage = Passage(
        reference=document.reference,
        text=text[first:last],
        start=first,
        end=last,
        section=line.section.title,
        page=document.page(first, last),
    )
    return LineToCheck(
        drugs=tuple(dict.fromkeys(one.words for one in named)),
        about=tuple(one.about for one in matches),
        record=tuple(one.words for one in matches),
        passage=passage,
        citations=tuple(
            Citation(passage_id=passage.id, quote=text[start:end], start=start, end=end) for start, end in spans
        ),
    )
