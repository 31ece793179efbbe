"""Describe each cited work: kind of study, population, age, whether these fit whom the question is about, and whose
finding it reports.

By rule and from the record alone, so it is said with and without a model; what the record does not say is not
reported. Levels are those of the Oxford Centre for Evidence-Based Medicine (2011) for a question of treatment; what
speaks for another level stands beside them, and nothing is added up.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from wellsourced.answering.sections import is_study
from wellsourced.citations.markers import find_secondary_citation
from wellsourced.medicine.measurements import extract_age_ranges
from wellsourced.medicine.study_design import StudyDesign, detect_design, find_sample, parse_sample_size
from wellsourced.text.sanitization import short_line
from wellsourced.text.sentences import sentences_at
from wellsourced.types import (
    NOT_REPORTED,
    Appraisal,
    Document,
    Evidence,
    Passage,
    Question,
    Reference,
    Statement,
    quotes_of_passage,
)

SMALL_SAMPLE = 100
"""People in a trial or a cohort, below which its size is named: OCEBM grades down for imprecision."""

OLD_AFTER_YEARS = 10
"""Years after which the age of a work is named."""


def appraise_evidence(
    question: Question,
    statements: Sequence[Statement],
    evidence: Sequence[Evidence],
    documents: Mapping[str, Document],
    year: int,
) -> tuple[Evidence, ...]:
    """The evidence; what is cited, with its appraisal as of this year, or of the day that the question is of."""

    def add_appraisal(item: Evidence) -> Evidence:
        if not (quotes := quotes_of_passage(item.passage.id, statements)):
            return item
        return item.model_copy(update={"appraisal": _appraise_passage(question, item.passage, quotes, documents, year)})

    return tuple(map(add_appraisal, evidence))


# Whether those whom a work studied are those whom the question is about, as far as words show it.
#
# Ages, sex, pregnancy, and people against animals or cells: what a text says of these can be compared. Where question
# or work says nothing of one, nothing is said of it; that a work "fits" means that nothing it says speaks against it
# and that it speaks of at least one thing that the question names.


MAX_CHARS_READ = 4_000
"""Characters of a document in which those who were studied are looked for."""

MAX_WORDS_SHOWN = 12
"""Words of a source that are shown."""

_WOMEN = re.compile(r"\b(?:women|woman|girls|females?|mothers)\b", re.IGNORECASE)
_MEN = re.compile(r"\b(?:men|man|boys|males?)\b", re.IGNORECASE)
_PREGNANT = re.compile(r"\bpregnan\w+|\bgestation\w*|\bantenatal\b", re.IGNORECASE)
_NOT_PEOPLE = re.compile(
    r"\b(?:in|of|with|using|between) (?:\w+ ){0,3}?(?:mice|rats|rabbits|zebrafish|pigs|dogs|macaques|rodents)\b"
    r"|\b(?:mouse|rat|murine|animal|rabbit) (?:models?|stud(?:y|ies))\b"
    r"|\b(?:mice|rats) (?:were|was|treated|fed|given)\b"
    r"|\bin vitro\b|\b(?:cell lines?|cultured (?:\w+ )?cells)\b",
    re.IGNORECASE,
)
_PEOPLE = re.compile(
    r"\b(?:patients?|participants?|people|persons?|men|women|children|adults?|volunteers?|humans?|infants?)\b",
    re.IGNORECASE,
)
_ANIMALS = re.compile(
    r"\b(?:mice|mouse|rats?|murine|animals?|rodents?|in vitro|cells?|zebrafish|dogs?|veterinary)\b", re.I
)

PopulationLabel = Literal["fits", "differs", "not stated"]


class PopulationMatch(NamedTuple):
    """Whether it fits; how not, with the words of the source."""

    label: PopulationLabel
    reason: str = ""


def match_population(question: Question, reference: Reference, passage: Passage, text: str) -> PopulationMatch:
    """What the title, the passage and the beginning of the document say, held against the question.

    The question's population is that of its PICO where it has one, else what its own words say.
    """
    wanted = question.pico.population if question.pico and question.pico.population else question.text
    said = (reference.title, passage.text, text[:MAX_CHARS_READ])
    compared = (_compare_species(wanted, said), _compare_ages(wanted, said), _compare_sexes(wanted, said))
    found = [one for one in compared if one]
    worst = next((one for one in found if one.label == "differs"), None)
    return worst or (PopulationMatch("fits") if found else PopulationMatch("not stated"))


def _compare_species(wanted: str, said: Sequence[str]) -> PopulationMatch | None:
    if _ANIMALS.search(wanted) or _find_first(_PEOPLE, said):
        return None
    if found := _find_first(_NOT_PEOPLE, said):
        return PopulationMatch("differs", f"not about people: “{short_line(found.group(), MAX_WORDS_SHOWN)}”")
    return None


def _compare_ages(wanted: str, said: Sequence[str]) -> PopulationMatch | None:
    asked = extract_age_ranges(wanted)
    told = next((some for part in said if (some := extract_age_ranges(part))), []) if asked else []
    if not told:
        return None
    if any(one.overlaps(other) for one in asked for other in told):
        return PopulationMatch("fits")
    return PopulationMatch("differs", f"about other ages: “{short_line(told[0].words, MAX_WORDS_SHOWN)}”")


def _compare_sexes(wanted: str, said: Sequence[str]) -> PopulationMatch | None:
    """One sex, or pregnancy, of which alone the work speaks, when the question asks for another."""
    for own, other in ((_WOMEN, _MEN), (_MEN, _WOMEN)):
        if not own.search(wanted) or other.search(wanted):
            continue
        if _find_first(own, said):
            return PopulationMatch("fits")
        if found := _find_first(other, said):
            return PopulationMatch("differs", f"only about “{found.group()}”")
    if _PREGNANT.search(wanted):
        return PopulationMatch("fits") if _find_first(_PREGNANT, said) else None
    return None


def _find_first(pattern: re.Pattern[str], said: Sequence[str]) -> re.Match[str] | None:
    return next(filter(None, map(pattern.search, said)), None)


def _appraise_passage(
    question: Question, passage: Passage, quotes: Sequence[str], documents: Mapping[str, Document], year: int
) -> Appraisal:
    reference = passage.reference
    document = documents.get(reference.id)
    text = document.text if document else passage.text
    is_one = _is_study(reference, document)
    design = detect_design(reference.publication_types, reference.title, text) if is_one else None
    sample = find_sample(text) if design and design.level and design.level < 5 else ""
    match = match_population(question, reference, passage, text)
    years = max(0, year - reference.year) if reference.year else None
    return Appraisal(
        design="guideline" if reference.kind == "guideline" else design.name if design else NOT_REPORTED,
        level=design.level if design else None,
        reasons=tuple(_appraisal_reasons(reference, design, sample, years)),
        sample=sample or NOT_REPORTED,
        years=years,
        population=match.label,
        misfit=match.reason,
        cites=tuple(dict.fromkeys(said for quote in quotes if (said := _secondary_source(quote, passage)))),
    )


def _is_study(reference: Reference, document: Document | None) -> bool:
    """A guideline, a chapter or a page for patients speaks of studies without being one; so may a file of your own."""
    is_told = reference.kind in {"research", "trial"}
    return is_told or (reference.kind in {"own", "web"} and (document is None or is_study(document)))


def _appraisal_reasons(reference: Reference, design: StudyDesign | None, sample: str, years: int | None) -> list[str]:
    told = [f"{design.where} says “{short_line(design.words, 12)}”"] if design else []
    if design and design.level in {1, 2, 3} and 0 < parse_sample_size(sample) < SMALL_SAMPLE:
        told.append(f"small: {sample}")
    if reference.depth in {"abstract", "excerpt"}:
        told.append(f"only its {reference.depth} was read")
    if years is not None and years > OLD_AFTER_YEARS:
        told.append(f"published {years} years ago")
    if reference.retraction.objection:
        told.append(reference.retraction.objection)
    return told


def _secondary_source(quote: str, passage: Passage) -> str:
    at = passage.text.find(quote)
    sentences = [passage.text[span.start : span.end] for span in sentences_at(passage.text, at, at + len(quote))]
    return next(filter(None, map(find_secondary_citation, sentences)), "")
