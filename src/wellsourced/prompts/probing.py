"""What is said to a model when it is to probe another one: questions from pages, variants, comparisons."""

from typing import Literal

from wellsourced.models.base import Prompt, Reply
from wellsourced.types import Value

QuestionManner = Literal["lay", "demographic", "comorbidity", "paraphrase", "terse"]
"""How a question is asked otherwise (SourceCheckup, Methods: robustness)."""


class GeneratedQuestionReply(Reply):
    """A question, its answer, and the words of the page that answer it, copied character for character."""

    question: str
    answer: str
    excerpt: str


class GenerateQuestion(Prompt[GeneratedQuestionReply]):
    """Write one question that a patient or a clinician could ask and that this page answers.

    It stands alone: it names the condition, the drug and the people that it is about, and never the page, the text, the
    study or its authors. Give the answer in one or two sentences, and copy the one or two sentences of the page that
    answer it, character for character.
    """

    title: str
    text: str


class PicoQuestionReply(Reply):
    """A clinical question with its parts; `finding` is copied from the article, character for character."""

    question: str = ""
    population: str = ""
    intervention: str = ""
    comparison: str = ""
    outcome: str = ""
    answer: Literal["yes", "no", "maybe", ""] = ""
    finding: str = ""


class WritePicoQuestion(Prompt[PicoQuestionReply]):
    """Write the clinical question that this article answers: does the intervention, compared with the other, change the
    outcome in these people?

    It stands alone: write abbreviations out, and never name the article, the study, the trial or its authors. Give its
    four parts in the article's own words; leave empty what the article does not say. Give as the answer yes, no, or
    maybe where the article leaves it open; nothing where the question is not one of yes or no. Copy as the finding the
    one or two sentences that answer it, character for character. Where the article reports no result of any
    intervention or exposure (a protocol, a method, a case), leave the question empty.
    """

    title: str
    text: str


class QuestionVariantReply(Reply):
    """The question in the manner that was asked for."""

    question: str


class VaryQuestion(Prompt[QuestionVariantReply]):
    """Ask the same question in another manner; its answer has to stay the same.

    lay: in the words of somebody without medical training. demographic: begin with a sentence on who asks, whose age,
    sex or origin changes nothing in the answer. comorbidity: begin with a sentence on another condition of the one who
    asks that changes nothing in the answer. paraphrase: other words and another order. terse: a few words, as they are
    typed into a search box. Keep every number, unit, drug and name, every “not”, and what is asked for.
    """

    manner: QuestionManner
    question: str


class SourcedStatement(Value):
    """One statement, and the complete addresses of the pages that it rests on."""

    text: str
    addresses: tuple[str, ...] = ()


class SourcedAnswerReply(Reply):
    """The statements in their order; `refusal` says why, where the question is not answered."""

    statements: tuple[SourcedStatement, ...] = ()
    refusal: str = ""


class AskWithSources(Prompt[SourcedAnswerReply]):
    """Answer this medical question in two to five statements, and give with each the web addresses that it rests on.

    A statement is one sentence that can be understood and checked alone. An address is complete (https://…) and leads
    to the page itself that says what the statement says, not to a search or to the front page of a site. If you will
    not answer the question, say why as the refusal. Where you are told what your first reply lacked, give it now.
    """

    question: str
    lack: str = ""
