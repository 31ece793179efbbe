"""What is said to a model when an answer is to be written."""

from typing import ClassVar

from wellsourced.models.base import Prompt, Reply
from wellsourced.prompts.evidence import PassageNote
from wellsourced.types import NOT_REPORTED, Evidence, Pico, Question, Value


class DraftQuote(Value):
    """Words copied from one passage, character for character; the passage by its key, or by its id."""

    passage_id: str
    quote: str


class DraftStatement(Value):
    """One claim and the words it is taken from.

    lead   one of the one or two claims that answer the question most directly
    """

    text: str
    quotes: tuple[DraftQuote, ...]
    topic: str = ""
    lead: bool = False


class Draft(Reply):
    """An answer that nobody has checked yet, in reading order.

    reasoning   how the choice was come to, where that was asked for
    choice      key of the option that is right; "" when there are none, or none can be told
    """

    reasoning: str = ""
    statements: tuple[DraftStatement, ...] = ()
    choice: str = ""


class WriteAnswer(Prompt[Draft]):
    """Answer the question from these passages alone, in short statements that each make one claim.

    Copy, for every statement, the words of the passage that it rests on, character for character, with the passage's
    id. Leave out what the passages do not say. If they do not answer the question, return no statement. Let what
    answers most directly lead: it is read first, and may be all that is read. A dose keeps the people, the unit and
    the route that the passage gives it for. Where passages differ, say so and cite both. If options are given, choose
    one by its key, or none. Write in the language that is named; quotes stay in the words of the passage.
    """

    question: Question
    evidence: tuple[Evidence, ...]
    statements: int
    leads: int
    language: str = "en"
    reasoning: bool = False
    seed: int = 0


class Synthesise(Prompt[Draft]):
    """Write a short summary of this literature that answers the question, from the cards and passages alone.

    Each statement makes one claim and copies the words of every passage that it rests on, character for character, with
    the passage's id. Let stronger designs weigh more, name differences between studies, and never join facts of two
    studies into one claim. Let one or two cautious statements that answer the question lead. If options are given,
    choose one by its key, or none. Write in the language that is named; quotes stay in the words of the passage.
    """

    question: Question
    evidence: tuple[Evidence, ...]
    statements: int
    leads: int
    language: str = "en"
    reasoning: bool = False
    seed: int = 0


class NotedPart(Value):
    """What was noted of one part of the passages; `unread` when nobody could read it, which says nothing of it."""

    part: str
    unread: bool
    notes: tuple[PassageNote, ...]
    tentative: str = ""


class MergedDraft(Draft):
    """A draft, and how disagreement between the parts was settled; "" when there was none."""

    conflict: str = ""


class MergeNotes(Prompt[MergedDraft]):
    """Answer the question from these notes alone, which others took of the parts of a longer text.

    Each statement makes one claim and copies the quotes of the notes that it rests on, with the passage's id. What is
    quoted weighs more than what is not, and a part that found nothing does not speak against one that did. Where parts
    disagree, say in `conflict` how you settled it. If options are given, choose one by its key, or none. Let what
    answers most directly lead. Write in the language that is named; quotes stay in the words of the passage.
    """

    question: Question
    parts: tuple[NotedPart, ...]
    statements: int
    leads: int
    language: str = "en"
    reasoning: bool = False
    question_again: str


class MemoryDraft(Reply):
    """An answer from the model's own knowledge, which rests on no source."""

    reasoning: str = ""
    statements: tuple[str, ...] = ()
    choice: str = ""


class AnswerAlone(Prompt[MemoryDraft]):
    """Answer the question from what you know, in at most `limit` short statements that each make one claim.

    If options are given, choose one by its key. Say nothing that you are not sure of. Cite no sources: none were read.
    Give your reasoning, step by step, only if it is asked for. Write in the language that is named.
    """

    question: Question
    limit: int
    language: str = "en"
    reasoning: bool = False


class RecommendationDraft(Draft):
    """A recommendation for one patient.

    strength, certainty   in the words of the passages ("strong", "Class I", "moderate certainty"), else "not reported"
    limits                what of this patient the evidence does not fit, a sentence each
    """

    strength: str = NOT_REPORTED
    certainty: str = NOT_REPORTED
    limits: tuple[str, ...] = ()


class Recommend(Prompt[RecommendationDraft]):
    """Recommend what to do for this patient, from these passages alone; guidelines and stronger designs weigh more.

    Each statement makes one claim and copies the words of the passage that it rests on, character for character, with
    the passage's id. Let the recommendation lead, then the reasons for it, with the topics “Recommendation” and “Why”.
    Give strength and certainty in the words of the passages, or “not reported”. Say in `limits` where this patient is
    not one of those who were studied: age, sex, condition, comorbidity, other drugs. A dose keeps the people, the unit
    and the route that the passage gives it for. Do not recommend what `warnings` speak against for this patient, or
    name the limit with it: they are shown before your words. If the passages do not answer, return no statement.
    """

    private: ClassVar[frozenset[str]] = frozenset({"patient", "warnings"})

    question: Question
    pico: Pico
    patient: str
    warnings: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...]
    statements: int
    leads: int
    language: str = "en"


class ExplainPlainly(Prompt[Draft]):
    """Explain to a patient without training what is asked, from these passages alone, in short plain sentences.

    Each statement makes one claim and copies the words of the passage that it rests on, character for character, with
    the passage's id. Say what it is, what it is for, and what to expect, as far as the passages do. Explain every term
    that you cannot avoid. Give no advice that is not in them. Write in the language that is named.
    """

    question: Question
    evidence: tuple[Evidence, ...]
    statements: int
    leads: int
    language: str = "en"
