"""What was read of a patient before the answer: the guidelines that may speak of him, and what they say against what is
asked, said or taken.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from wellsourced.context import Context
from wellsourced.errors import SourceError
from wellsourced.medicine.conditions import find_conditions
from wellsourced.medicine.drugs import DrugMention, find_drugs, find_prescribed_drugs, is_meant
from wellsourced.recommend.guideline_lines import merge_warnings
from wellsourced.recommend.patient_record import PatientRecord
from wellsourced.recommend.patient_warnings import PatientDrugs, find_warnings
from wellsourced.recommend.warning_rules import FORBIDDING, SEVERITIES, is_relative_contraindication
from wellsourced.sources.base import Source
from wellsourced.text.tables import read_rows
from wellsourced.types import Document, Evidence, PatientWarning, Query, Question, Statement, cited_passage_ids

MAX_FOUND_FIRST = 10
"""Guidelines that the question itself found first."""

MAX_NEAR_GUIDELINES = 3
"""Of those, the ones on the patient's conditions that are read for all that they forbid, at most."""

MAX_SEARCHES = 24
"""Searches that are made for one patient, of each guideline library."""

HITS_PER_SEARCH = 20
MAX_GUIDELINES = 60
"""Guidelines that are read whole, at most; those that were found first."""


class GuidelineReading(NamedTuple):
    """Guidelines that were opened, and what could not be, a phrase each."""

    documents: tuple[Document, ...] = ()
    unread: tuple[str, ...] = ()


async def open_guidelines(question: Question, record: PatientRecord, context: Context) -> GuidelineReading:
    """The guidelines of this machine that name what the record has, whole.

    Only sources on this machine are searched, with the names of conditions and drugs and not with the record's words.
    A source that fails is told, and the others are read.
    """
    documents: dict[str, Document] = {}
    unread: list[str] = []
    libraries = 0
    for source in context.sources:
        try:
            info = await source.describe()
            if info.live or info.kind != "guideline":
                continue
            libraries += 1
            for id in await _find_guidelines(source, question, record):
                if id not in documents and id not in question.exclude and len(documents) < MAX_GUIDELINES:
                    documents[id] = await source.open(id)
        except SourceError as error:
            unread.append(f"guidelines of {source.name}: could not be read ({error})")
    if not libraries:
        unread.append("guidelines: none on this machine, so none was read for warnings")
    return GuidelineReading(tuple(documents.values()), tuple(unread))


async def _find_guidelines(source: Source, question: Question, record: PatientRecord) -> list[str]:
    found: dict[str, None] = {}
    for words in list(dict.fromkeys(_search_words(question, record)))[:MAX_SEARCHES]:
        query = Query(terms=(words,), exclude=question.exclude, since=question.since, as_of=question.as_of)
        result = await source.search(query, HITS_PER_SEARCH)
        found |= dict.fromkeys(hit.passage.reference.id for hit in result.hits)
    return list(found)


def _search_words(question: Question, record: PatientRecord) -> Iterator[str]:
    yield question.text
    drugs = (*find_prescribed_drugs(question.text), *record.current_drugs)
    for drug in drugs:
        yield f"{drug.drug or drug.own_class} contraindications"
    for condition in record.conditions:
        yield f"contraindicated in {condition}"
    for name in dict.fromkeys(drug.own_class for drug in drugs):
        yield f"avoid {name}"


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
        return [one.model_copy(update={"is_asked": False}) for one in found if one.drugs and _forbids(one)]

    def _choose_near(self, evidence: tuple[Evidence, ...], cited: frozenset[str]) -> frozenset[str]:
        """The guidelines that are cited, those of which several passages were read, and the first on the patient's
        conditions that the question found.
        """
        counts = Counter(one.passage.reference.id for one in evidence)
        read = {id for id, count in counts.items() if count > 1}
        first = self.guidelines.documents[:MAX_FOUND_FIRST]
        about = [
            document.reference.id
            for document in first
            if any(one.name in self.record.conditions for one in find_conditions(document.reference.title))
        ][:MAX_NEAR_GUIDELINES]
        return frozenset({*cited, *read, *about})


def _forbids(warning: PatientWarning) -> bool:
    """Whether it forbids, at least by what is weighed, for more than the disease that the guideline is about."""
    subjects = {one.name for one in find_conditions(warning.passage.reference.title)}
    is_relative = any(is_relative_contraindication(one.quote) for one in warning.citations)
    return (warning.severity in FORBIDDING or is_relative) and not subjects.issuperset(warning.about)


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
