"""Questions of patients: what was written for them is searched first. A language model says in everyday words what was
written for clinicians; without one it is shown as that. Either way the answer says whom to ask.
"""

from collections.abc import Sequence
from urllib.parse import urlsplit

from wellsourced.context import Context
from wellsourced.question.patient_questions import is_patient_question
from wellsourced.sources.base import SourceInfo
from wellsourced.text.sanitization import short_line
from wellsourced.types import Evidence, Question, Reference, SourceKind

CONSUMER_KINDS: frozenset[SourceKind] = frozenset({"consumer", "wiki", "own"})
"""Kinds of sources whose documents speak to patients, or are the user's own."""

CONSUMER_HOSTS = (
    "medlineplus.gov", "cdc.gov", "nhs.uk", "cancer.gov", "niddk.nih.gov", "nhlbi.nih.gov", "nia.nih.gov",
    "nei.nih.gov", "ninds.nih.gov", "nidcd.nih.gov", "niams.nih.gov", "mayoclinic.org", "familydoctor.org",
    "gesundheitsinformation.de", "informedhealth.org", "patient.info", "cancer.org", "healthychildren.org",
)  # fmt: skip
"""Hosts of web pages that health services and institutes write for patients."""

MAX_NAMED_WORKS = 2
MAX_TITLE_WORDS = 12

WHOM_TO_ASK = "Ask a doctor or a pharmacist who knows the person."
ADD_SOURCES = "no source written for patients is installed"


def is_asked_by_patient(question: Question) -> bool:
    """Whether the question is a patient's own, as it was typed; one on named documents, or on a record, is not."""
    lay_words = sum(expansion.kind == "lay term" for expansion in question.expansions)
    return not (question.given or question.patient) and is_patient_question(question.asked or question.text, lay_words)


def is_for_patient(question: Question, context: Context) -> bool:
    """Whether the answer is written for a patient: as `write.reader` says, or else by the question. Options are not
    chosen by patients."""
    asked = not question.options and is_asked_by_patient(question)
    return {"asker": asked, "patient": True, "clinician": False}[context.write.reader]


def is_consumer_source(reference: Reference) -> bool:
    """Whether a document was written for patients: by its kind, or a web page by its host."""
    host = urlsplit(reference.url).hostname or ""
    is_known_host = any(host == known or host.endswith(f".{known}") for known in CONSUMER_HOSTS)
    return reference.kind in CONSUMER_KINDS or (reference.kind == "web" and is_known_host)


def order_tiers(question: Question, tiers: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """The order in which sources are searched; for a patient's question what is written for patients comes first."""
    order = tuple(tuple(tier) for tier in tiers)
    if not is_asked_by_patient(question) or any("consumer" in tier for tier in order):
        return order
    return (("consumer",), *order)


def describe_readership(question: Question, evidence: Sequence[Evidence], context: Context, writer: str = "") -> str:
    """That a patient is shown what was written for clinicians, and whom to ask; "" for anybody else.

    writer   the language model that put it into everyday words; "" where none did
    """
    is_theirs = all(is_consumer_source(item.passage.reference) for item in evidence)
    if is_theirs or not is_asked_by_patient(question) or not is_for_patient(question, context):
        return ""
    told = "This explains what was" if writer else "This was"
    return f"{told} written for clinicians or researchers; it is no advice for one person. {WHOM_TO_ASK}"


def explain_to_patient(question: Question, evidence: Sequence[Evidence], sources: Sequence[SourceInfo]) -> str:
    """Why a patient is not answered, what was found instead and whom to ask; "" for anybody else's question."""
    if not is_asked_by_patient(question):
        return ""
    said = ["Nothing found answers this with enough certainty."]
    others = (item.passage.reference for item in evidence if not is_consumer_source(item.passage.reference))
    titles = list(dict.fromkeys(reference.title or reference.id for reference in others))
    if titles:
        named = "; ".join(f"“{short_line(title, MAX_TITLE_WORDS)}”" for title in titles[:MAX_NAMED_WORKS])
        more = f" and {len(titles) - MAX_NAMED_WORKS} more" if len(titles) > MAX_NAMED_WORKS else ""
        said.append(f"The closest matches are written for clinicians or researchers: {named}{more}.")
    said.append(WHOM_TO_ASK)
    if not any(card.kind == "consumer" for card in sources):
        said.append(f"{ADD_SOURCES[0].upper()}{ADD_SOURCES[1:]}.")
    return " ".join(said)
