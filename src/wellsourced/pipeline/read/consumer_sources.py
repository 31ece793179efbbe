"""Questions of patients: answered from what was written for them, or not at all.

A trial does not answer a patient, and a guideline speaks to those who prescribe. What counts is a consumer source, the
user's own library, or what a guideline says on living with a disease, where it names no drug and no dose.
"""

import re
from collections.abc import Sequence
from textwrap import shorten
from urllib.parse import urlsplit

from wellsourced.medicine.doses import has_dose
from wellsourced.medicine.word_forms import is_drug_name
from wellsourced.question.patient_questions import is_patient_question
from wellsourced.question.plain_question import find_plain_question
from wellsourced.sources.base import SourceInfo
from wellsourced.types import Evidence, Passage, Question, Reference, SourceKind

CONSUMER_KINDS: frozenset[SourceKind] = frozenset({"consumer", "wiki", "own"})
"""Kinds of sources whose documents a patient may be answered from."""

CONSUMER_HOSTS = (
    "medlineplus.gov", "cdc.gov", "nhs.uk", "cancer.gov", "niddk.nih.gov", "nhlbi.nih.gov", "nia.nih.gov",
    "nei.nih.gov", "ninds.nih.gov", "nidcd.nih.gov", "niams.nih.gov", "mayoclinic.org", "familydoctor.org",
    "gesundheitsinformation.de", "informedhealth.org", "patient.info", "cancer.org", "healthychildren.org",
)  # fmt: skip
"""Hosts of web pages that health services and institutes write for patients."""

MAX_NAMED_WORKS = 2
MAX_TITLE_LENGTH = 80

WHOM_TO_ASK = "Ask a doctor or a pharmacist who knows the person."
ADD_SOURCES = "no source written for patients is installed"

_SELF_CARE = re.compile(
    r"\b(?:diet|dietary|lifestyle|exercise|physical activity|alcohol|smok\w+|tobacco|sodium|salt|weight loss|sleep"
    r"|weight reduction|vaccin\w+|immuni[sz]ation|hydration|caffeine|self-?management|education)\b",
    re.IGNORECASE,
)


def is_asked_by_patient(question: Question) -> bool:
    """Whether the question is a patient's own, in the words in which it was typed; "I hope that you can help me" and
    "I work in a bakery" tell nothing. One on named documents, or on a record, is not."""
    lay_words = sum(expansion.kind == "lay term" for expansion in question.expansions)
    said = find_plain_question(question.asked or question.text)
    return not (question.given or question.patient) and is_patient_question(said, lay_words)


def is_consumer_source(reference: Reference) -> bool:
    """Whether a document was written for patients: by its kind, or a web page by its host."""
    host = urlsplit(reference.url).hostname or ""
    is_known_host = any(host == known or host.endswith(f".{known}") for known in CONSUMER_HOSTS)
    return reference.kind in CONSUMER_KINDS or (reference.kind == "web" and is_known_host)


def answers_patients(passage: Passage) -> bool:
    """Whether a patient may be answered from a passage."""
    if passage.reference.kind == "guideline":
        drugs = any(is_drug_name(word) for word in re.findall(r"\w+", passage.text))
        return _SELF_CARE.search(passage.text) is not None and not drugs and not has_dose(passage.text)
    return is_consumer_source(passage.reference)


def order_tiers(question: Question, tiers: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """The order in which sources are searched; for a patient's question what is written for patients comes first."""
    order = tuple(tuple(tier) for tier in tiers)
    if not is_asked_by_patient(question) or any("consumer" in tier for tier in order):
        return order
    return (("consumer",), *order)


def select_for_asker(
    question: Question, evidence: Sequence[Evidence], *, explains: bool = False
) -> tuple[Evidence, ...]:
    """The evidence that may answer whoever asks: all of it, or for a patient what speaks to patients.

    explains   a language model says in everyday words what it holds: a patient may be answered from all of it
    """
    if explains or not is_asked_by_patient(question):
        return tuple(evidence)
    return tuple(item for item in evidence if answers_patients(item.passage))


def note_withheld(question: Question, evidence: Sequence[Evidence], explained_by: str = "") -> tuple[str, ...]:
    """That a question was taken for a patient's, where evidence was left out for it, or was put into everyday words.

    explained_by   the language model that did so; "" where none did
    """
    withheld = len(evidence) - len(select_for_asker(question, evidence))
    if not withheld:
        return ()
    if explained_by:
        whom = f"{WHOM_TO_ASK[0].lower()}{WHOM_TO_ASK[1:]}".rstrip(".")
        return (f"read as a patient's question: {explained_by} explains text written for clinicians; {whom}",)
    left_out = "1 passage" if withheld == 1 else f"{withheld} passages"
    return (f"read as a patient's question, without {left_out} written for clinicians or researchers",)


def describe_readership(question: Question, evidence: Sequence[Evidence]) -> str:
    """That a patient is shown what was written for clinicians, and whom to ask; "" for anybody else."""
    if not is_asked_by_patient(question) or all(is_consumer_source(item.passage.reference) for item in evidence):
        return ""
    return f"This was written for clinicians or researchers, and is no advice for one person. {WHOM_TO_ASK}"


def explain_to_patient(question: Question, evidence: Sequence[Evidence], sources: Sequence[SourceInfo]) -> str:
    """Why a patient is not answered, what was found instead and whom to ask; "" for anybody else's question."""
    if not is_asked_by_patient(question):
        return ""
    said = ["Nothing written for patients answers this with enough certainty."]
    withheld = [item.passage.reference for item in evidence if not answers_patients(item.passage)]
    titles = dict.fromkeys(reference.title or reference.id for reference in withheld)
    if titles:
        named = "; ".join(f"“{shorten_title(title)}”" for title in list(titles)[:MAX_NAMED_WORKS])
        others = f" and {len(titles) - MAX_NAMED_WORKS} more" if len(titles) > MAX_NAMED_WORKS else ""
        said.append(f"The closest matches are written for clinicians or researchers: {named}{others}.")
    said.append(WHOM_TO_ASK)
    if not any(card.kind == "consumer" for card in sources):
        said.append(f"{ADD_SOURCES[0].upper()}{ADD_SOURCES[1:]}.")
    return " ".join(said)


def shorten_title(title: str) -> str:
    """A title as it is named in passing."""
    return shorten(title, MAX_TITLE_LENGTH, placeholder=" …")
