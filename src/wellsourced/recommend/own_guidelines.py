"""Which of the guidelines that an answer cites are on a disease of the patient, and which on one of somebody else.

A guideline's title says what it is about. What is answered from one on a disease that the record does not name stands
behind what those on the patient's own say, and the reader is told.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from wellsourced.clinical.drugs import DrugMention, find_drugs, is_meant
from wellsourced.clinical.warned_conditions import find_conditions
from wellsourced.recommend.patient_record import PatientRecord
from wellsourced.types import Evidence, Reference, Statement


class CitedGuidelines(NamedTuple):
    """The works that statements cite, by passage, and what of the record they are held against."""

    references: Mapping[str, Reference]
    conditions: frozenset[str]

    def is_of_others(self, statement: Statement) -> bool:
        """Whether all that a statement cites is on diseases that the record does not name."""
        cited = [self.references[id] for id in statement.cited_ids if id in self.references]
        return bool(cited) and all(self._is_on_other_disease(one) for one in cited)

    def describe_others(self, statements: Iterable[Statement]) -> tuple[str, ...]:
        """A sentence for each work on a disease that the record does not name."""
        cited = (self.references[id] for one in statements for id in one.cited_ids if id in self.references)
        return tuple(
            f"No {' or '.join(sorted(_find_subjects(one)))} was read in the record, and {one.title} is about that."
            for one in {one.id: one for one in cited}.values()
            if self._is_on_other_disease(one)
        )

    def _is_on_other_disease(self, reference: Reference) -> bool:
        subjects = _find_subjects(reference)
        return bool(subjects) and subjects.isdisjoint(self.conditions)


def read_citations(evidence: Iterable[Evidence], record: PatientRecord) -> CitedGuidelines:
    """The works of the evidence, held against the record."""
    return CitedGuidelines({one.passage.id: one.passage.reference for one in evidence}, frozenset(record.conditions))


def put_own_first(
    statements: Sequence[Statement], cited: CitedGuidelines, asked: Sequence[DrugMention]
) -> tuple[Statement, ...]:
    """The statements, those of guidelines on other diseases last; none of these leads where another can.

    Another can lead that names a drug which is asked for, or any where none is.
    """
    others = [one for one in statements if cited.is_of_others(one)]
    own = [one for one in statements if one not in others]
    leads = [one for one in own if one.lead]
    heirs = [one for one in own if not asked or _names_any(one, asked)]
    if not others or not (leads or heirs):
        return tuple(statements)
    if not leads:
        at = own.index(heirs[0])
        own[at] = heirs[0].model_copy(update={"lead": True})
    told = [one.model_copy(update={"lead": False}) for one in others]
    return (*own, *(one for one in told if not _is_repeated(one, told)))


def _names_any(statement: Statement, asked: Sequence[DrugMention]) -> bool:
    words = " ".join((statement.topic, statement.text))
    return any(is_meant(one, drug) for one in find_drugs(words) for drug in asked)


def _is_repeated(statement: Statement, others: Sequence[Statement]) -> bool:
    """Whether another statement says the same and more, as the whole list does of the item that led."""
    return any(
        one is not statement and len(one.text) > len(statement.text) and statement.text in one.text for one in others
    )


def _find_subjects(reference: Reference) -> frozenset[str]:
    return frozenset(one.name for one in find_conditions(reference.title)) - _PEOPLE


_PEOPLE = frozenset({"old age", "childhood", "post-menopausal", "women of child-bearing age"})
"""Whom a title is about, besides the disease."""
