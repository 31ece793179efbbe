"""Describe each cited work: kind of study, population, age, and whose finding it reports.

By rule and from the record alone, so it is said with and without a model; what the record does not say is not
reported. Levels are those of the Oxford Centre for Evidence-Based Medicine (2011) for a question of treatment; what
speaks for another level stands beside them, and nothing is added up.
"""

from collections.abc import Mapping, Sequence

from wellsourced.citations.secondary_citation import find_secondary_citation
from wellsourced.clinical.sample_size import find_sample, parse_sample_size
from wellsourced.clinical.study_design import StudyDesign, detect_design
from wellsourced.pipeline.verify.population_match import match_population
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
    """The evidence; what is cited, with its appraisal.

    documents   by the id of their reference, as they were read
    year        this year, or that of the day as of which the question is asked
    """

    def add_appraisal(item: Evidence) -> Evidence:
        if not (quotes := quotes_of_passage(item.passage.id, statements)):
            return item
        return item.model_copy(update={"appraisal": _appraise_passage(question, item.passage, quotes, documents, year)})

    return tuple(map(add_appraisal, evidence))


def _appraise_passage(
    question: Question, passage: Passage, quotes: Sequence[str], documents: Mapping[str, Document], year: int
) -> Appraisal:
    reference = passage.reference
    text = documents[reference.id].text if reference.id in documents else passage.text
    design = detect_design(reference.publication_types, reference.title, text) if _is_study(reference) else None
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


def _is_study(reference: Reference) -> bool:
    """A guideline, a chapter or a page for patients speaks of studies without being one."""
    return reference.kind in {"research", "trial", "own", "web"}


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
    """The words by which the sentence of a quote cites another work."""
    at = passage.text.find(quote)
    sentences = [passage.text[span.start : span.end] for span in sentences_at(passage.text, at, at + len(quote))]
    return next(filter(None, map(find_secondary_citation, sentences)), "")
