"""What is said to a model when a question is made one that can be searched for."""

from typing import Any, ClassVar

from pydantic import model_validator

from wellsourced.models.base import Prompt, Reply
from wellsourced.types import Turn, Value


class PicoReply(Reply):
    """The four parts, and the question in one sentence made of them."""

    population: str = ""
    intervention: str = ""
    comparison: str = ""
    outcome: str = ""
    question: str = ""


class MakePico(Prompt[PicoReply]):
    """State the clinical question about this patient as population, intervention, comparison and outcome, in English.

    Name as population the kind of patient that literature would study: age group, condition, what limits the choice.
    Never give a name, a date, a number of a record, a place, or anything else by which somebody could be recognised.
    Leave a part empty when nothing is said of it: do not guess. Give as the question one sentence made of these parts.
    """

    private: ClassVar[frozenset[str]] = frozenset({"patient"})

    question: str
    patient: str
    history: tuple[Turn, ...] = ()


class StandaloneQuestion(Reply):
    """A question that can be understood, and searched for, by somebody who has read nothing else."""

    question: str = ""


class StandAlone(Prompt[StandaloneQuestion]):
    """Write the last question so that it can be understood and searched for without anything that was said before it.

    Put names in place of words that refer to something earlier. Ask what it asks and no more, in the language that is
    named. Where the patient's text says something on just what is asked (the disease that a drug is for, its dose, that
    it is to be held), say that in the question, since who answers may not see the text. If the question stands alone
    already, give it back unchanged but for its language. Never give anything by which a patient could be recognised.
    """

    private: ClassVar[frozenset[str]] = frozenset({"patient"})

    question: str
    history: tuple[Turn, ...]
    patient: str = ""
    language: str = "en"


class EnglishQuestion(Reply):
    """The question in English, and the language that it was in, as ISO 639-1."""

    question: str = ""
    language: str = ""


class InEnglish(Prompt[EnglishQuestion]):
    """Put the question into English as a clinician would ask it, with the field's standard terms.

    Say what it says and nothing more. Name the language it is written in by its two letters (ISO 639-1).
    """

    question: str


class NamedTerm(Value):
    """A term exactly as it stands in an order, and what is to be asked about it; a bare text is a term, too.

    question   what the term means there, as a question that stands alone; "" for what it means anywhere
    """

    term: str
    question: str = ""

    @model_validator(mode="before")
    @classmethod
    def _accept_bare_text(cls, given: Any) -> Any:
        return {"term": given} if isinstance(given, str) else given


class TermsReply(Reply):
    """Terms of an order, the most important first."""

    terms: tuple[NamedTerm, ...] = ()


class ExtractTerms(Prompt[TermsReply]):
    """Name the terms of this medical order that a patient without training would not understand, at most `limit`.

    Copy each exactly as the order has it, the most important first: procedures, drugs, findings, abbreviations. Give
    with it a short question on what it is as it is meant there, in the language of the order, with the term in it and
    the disease or the purpose that the order gives for it (“What is apixaban, and what is it for in atrial
    fibrillation?”): no figures, and nothing by which a patient could be recognised. Leave out everyday words, names of
    people, places and dates. Name none when everything can be understood.
    """

    private: ClassVar[frozenset[str]] = frozenset({"order"})

    order: str
    limit: int
