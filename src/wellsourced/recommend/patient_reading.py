"""What was read of a patient before the answer, and what guidelines say against what is asked, said or taken."""

import re
from collections import Counter
from typing import NamedTuple

from wellsourced.clinical.drugs import DrugMention, find_drugs, find_prescribed_drugs, is_meant
from wellsourced.clinical.warned_conditions import find_conditions
from wellsourced.recommend.guideline_reading import GuidelineReading
from wellsourced.recommend.patient_record import PatientRecord
from wellsourced.recommend.patient_warnings import PatientDrugs, find_warnings
from wellsourced.recommend.repeated_rules import merge_warnings
from wellsourced.recommend.warning_rules import FORBIDDING, SEVERITIES, is_relative_contraindication
from wellsourced.text.tables import read_rows
from wellsourced.types import Document, Evidence, PatientWarning, Question, Statement, cited_passage_ids

MAX_FOUND_FIRST = 10
"""Guidelines that the question itself found first."""

MAX_NEAR_GUIDELINES = 3
"""Of those, the ones on the patient's conditions that are read for all that they forbid, at most."""


class PatientReading(NamedTuple):
    """What was read before the answer: the record, and the guidelines of this machine that may speak of it."""

    record: PatientRecord
    guidelines: GuidelineReading = GuidelineReading()

    def find_warnings(
        self, question: Question, statements: tuple[Statement, ...] = (), evidence: tuple[Evidence, ...] = ()
    ) -> list[PatientWarning]:
        """What the guidelines say against what is asked, said, or taken; where no drug is asked about, what they forbid
        of all that stands in the evidence, too: it may be given next.
        """
        stated = find_asked_drugs(question.text)
        asked = (*stated, *(() if stated else find_purposes(question.text)), *self.record.proposed_drugs)
        said = [drug for one in statements for drug in find_said_drugs(one.text)]
        # An answer that says "DOACs" of the apixaban that was asked for does not make edoxaban a question.
        wider = [drug for drug in said if any(_is_beside(drug, one) for one in asked)]
        meant = dict.fromkeys((*asked, *(drug for drug in said if drug not in wider)))
        drugs = PatientDrugs(tuple(meant), self.record.current_drugs, asked)
        cited = frozenset(id.rpartition("#")[0] for id in cited_passage_ids(statements))
        found = find_warnings(self.guidelines.documents, self.record, drugs, cited)
        if stated:
            return found
        every = [*found, *self._find_near(evidence, drugs, cited)]
        return merge_warnings(sorted(every, key=lambda one: (not one.is_asked, SEVERITIES.index(one.severity))))

    def _find_near(
        self, evidence: tuple[Evidence, ...], drugs: PatientDrugs, cited: frozenset[str]
    ) -> list[PatientWarning]:
        """What is forbidden of all that the guidelines of the question may recommend, where it names no drug."""
        documents = [one for one in self.guidelines.documents if one.reference.id in self._choose_near(evidence, cited)]
        named = dict.fromkeys(drug._replace(start=0) for one in documents for drug in find_drugs(one.text))
        near = [one for one in named if not any(is_meant(drug, one) for drug in (*drugs.asked, *drugs.taken))]
        found = find_warnings(documents, self.record, PatientDrugs(tuple(near), ()), cited)
        return [
            one.model_copy(update={"is_asked": False})
            for one in found
            if one.drugs and (one.severity in FORBIDDING or _is_relative(one)) and not self._is_of_subject(one)
        ]

    def _is_of_subject(self, warning: PatientWarning) -> bool:
        """Whether what speaks against a drug is the disease that the guideline is about."""
        subjects = {one.name for one in find_conditions(warning.passage.reference.title)}
        return subjects.issuperset(warning.about)

    def _choose_near(self, evidence: tuple[Evidence, ...], cited: frozenset[str]) -> frozenset[str]:
        """The guidelines that are cited, those of which several passages were read, and the first on the patient's
        conditions that the question found.
        """
        counts = Counter(one.passage.reference.id for one in evidence)
        read = {id for id, count in counts.items() if count > 1}
        first = self.guidelines.documents[:MAX_FOUND_FIRST]
        about = [one.reference.id for one in first if self._is_about_patient(one)][:MAX_NEAR_GUIDELINES]
        return frozenset({*cited, *read, *about})

    def _is_about_patient(self, document: Document) -> bool:
        return any(one.name in self.record.conditions for one in find_conditions(document.reference.title))


def _is_relative(warning: PatientWarning) -> bool:
    return any(is_relative_contraindication(one.quote) for one in warning.citations)


def _is_beside(said: DrugMention, asked: DrugMention) -> bool:
    """Whether an answer names the class of the drug that was asked for, or another drug of it."""
    if not said.drug:
        return is_meant(said, asked)
    return bool(asked.drug) and said.own_class == asked.own_class and not is_meant(said, asked)


_BESIDES = re.compile(
    r"\b(?:besides|apart from|other than|in addition to|as well as|except)\s(?:\w+\s)?$", re.IGNORECASE
)
_CIRCUMSTANCE = re.compile(
    r"\b(?:concurrent|concomitant|taking|receiving|already on|who use|intoleran\w+ (?:to|of)"
    r"|allerg\w+ to)\s(?:\w+\s)?$",
    re.I,
)


def find_asked_drugs(question: str) -> tuple[DrugMention, ...]:
    """The drugs and classes that a question asks about: "besides antiplatelets" asks about none."""
    return tuple(one for one in find_prescribed_drugs(question) if not _BESIDES.search(question[: one.start]))


def find_purposes(question: str) -> tuple[DrugMention, ...]:
    """The classes of drugs for what a question wants: to lower the blood pressure asks for antihypertensives."""
    return tuple(
        find_drugs(name)[0]._replace(words=match.group(), start=match.start())
        for name, expression in read_rows("wellsourced.recommend", "asked_purposes.tsv")
        for match in [re.search(expression, question, re.IGNORECASE)]
        if match
    )


def find_said_drugs(statement: str) -> tuple[DrugMention, ...]:
    """The drugs that a statement speaks of, but those that it names as a patient's circumstance."""
    return tuple(one for one in find_drugs(statement) if not _CIRCUMSTANCE.search(statement[: one.start]))
