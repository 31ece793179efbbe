"""What is said to a model when it reads what was found."""

from typing import Literal

from wellsourced.models.base import Prompt, Reply
from wellsourced.types import NOT_REPORTED, Passage, Question, Value


class RelevanceJudgement(Value):
    """Whether one passage bears on the question, and the words that show it, copied character for character."""

    passage_id: str
    bears: Literal["yes", "no", "unsure"]
    quote: str = ""
    why: str = ""


class RelevanceReply(Reply):
    """One for each passage that was shown."""

    items: tuple[RelevanceJudgement, ...] = ()


class JudgeRelevance(Prompt[RelevanceReply]):
    """Say of each passage whether it directly helps to answer the question: yes, no, or unsure.

    For yes and unsure copy the one sentence, row or line that shows it, character for character, with its id. Being on
    the same topic is not enough: it has to say something that an answer could rest on. Give one judgement for each
    passage; in `why` two or three words for no and unsure, and none for yes.
    """

    question: Question
    passages: tuple[Passage, ...]


class UncheckedCard(Value):
    """What one passage of a study reports; each part "not reported" when it does not say."""

    summary: str = NOT_REPORTED
    design: str = NOT_REPORTED
    sample_size: str = NOT_REPORTED
    population: str = NOT_REPORTED
    bias: str = NOT_REPORTED


class ArticleJudgement(RelevanceJudgement):
    """A judgement, and for a passage of a study that bears on the question a card."""

    card: UncheckedCard | None = None


class ArticlesReply(Reply):
    """One for each passage that was shown."""

    items: tuple[ArticleJudgement, ...] = ()


class ReadPassages(Prompt[ArticlesReply]):
    """Say of each passage whether it directly helps to answer the question (yes, no, unsure); note what studies found.

    For yes and unsure copy the one sentence, row or line that shows it, character for character, with its id. Being on
    the same topic is not enough for yes: it has to say something that an answer could rest on.

    Make a card of a passage of a study that you said yes or unsure to; a guideline, a book and any other text has no
    card. Say in the card what the study found on the question, in one sentence of your own; then in a few words each
    the design, how many people or units it counted, whom it studied, and what speaks against trusting it. Say nothing
    twice, and do not repeat the sentence that you copied. Write "not reported" for what the passage does not say, and
    take every number from it.
    """

    question: Question
    passages: tuple[Passage, ...]


class CertaintyReply(Reply):
    """Whether the model would answer without any source."""

    certain: bool = False
    why: str = ""


class AssessCertainty(Prompt[CertaintyReply]):
    """Say whether you can answer this question correctly and completely from what you know, looking nothing up.

    Say that you are certain only of what textbooks agree on. When in doubt, say that you are not.
    """

    question: Question


class PassageNote(Value):
    """Something a passage says that bears on the question, in a short sentence, and its words, copied exactly."""

    passage_id: str
    finding: str
    quote: str


class SourcedNote(PassageNote):
    """A note as whoever writes is shown it.

    source   the title of the document, its year and the path of the section: what, and whom, the words are about
    """

    source: str = ""


class NotesReply(Reply):
    """What one part of the passages says; `nothing` when it says nothing on the question.

    tentative   the option, or the answer in a few words, that this part alone suggests; "" when none
    """

    nothing: bool = False
    notes: tuple[PassageNote, ...] = ()
    tentative: str = ""


class TakeNotes(Prompt[NotesReply]):
    """Note everything in this part of the passages that bears on the question, and say if nothing does.

    Give for each note the passage's id and copy the words that say it, character for character. Do not answer the
    question from what you know. Other parts are read by others: that this part says nothing is a proper reply. If this
    part alone suggests an answer, name it in a few words, or the key of the option.
    """

    question: Question
    part: str
    passages: tuple[Passage, ...]


class GuidelineDigest(Reply):
    """A summary by which a guideline is found."""

    digest: str = ""


class WriteDigest(Prompt[GuidelineDigest]):
    """Summarise what this guideline covers, for whom, and what it recommends, in at most `words` words.

    Use the terms by which it would be looked for, in its own language. Say nothing that it does not say.
    """

    title: str
    text: str
    words: int


class WrittenQuestion(Value):
    """A question, the numbers of the lines that together answer it, and of those that belong beside the answer."""

    question: str
    lines: tuple[int, ...] = ()
    also: tuple[int, ...] = ()


class WrittenQuestions(Reply):
    """The questions that the lines answer; none where they answer nothing that anybody asks."""

    questions: tuple[WrittenQuestion, ...] = ()


class WriteExpectedQuestions(Prompt[WrittenQuestions]):
    """Write the questions that these lines of a document answer, as different people would ask them.

    Ask for everything in them that somebody may want to know, and nothing that they do not answer. Vary the words: a
    clinician's shorthand ("DAPT after PCI, how long?"), a patient in half a sentence ("72M, eGFR 25, which dose?"), a
    whole question, lay words. Use other words than the lines where people would. Each question is understood alone: it
    names the drug, the condition or the people it is about. Write at most `most` of them, in the language of the lines.

    Give for each in `lines` the numbers of the lines that together are the answer, as few as say all of it; in `also`
    those with its exceptions, adjustments and alternatives. Headings, introductions and references are no answers.
    """

    title: str
    section: str
    lines: tuple[str, ...]
    most: int
