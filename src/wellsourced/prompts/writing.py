"""What is said to a model when an answer is to be written."""

from typing import Any, ClassVar

from pydantic import NonNegativeInt, model_validator

from wellsourced.models.base import Prompt, Reply
from wellsourced.prompts.evidence import PassageNote
from wellsourced.types import NOT_REPORTED, Evidence, Pico, Question, Value


class DraftQuote(Value):
    """Words copied from one passage, character for character; the passage by its key, or by its id."""

    passage_id: str
    quote: str


class LocatedQuote(DraftQuote):
    """Words whose place in the passage is known to whoever quotes them: passage.text[start : start + len(quote)]."""

    start: NonNegativeInt


class DraftStatement(Value):
    """One claim and the words it is taken from.

    topic         heading of a few words, the same for statements that belong together
    lead          one of the one or two claims that answer the question most directly
    row, column   where it stands in a table: the alternative, and what is compared; "" outside of one
    cell          the words of `text` that stand there
    """

    text: str
    quotes: tuple[DraftQuote, ...]
    topic: str = ""
    lead: bool = False
    row: str = ""
    column: str = ""
    cell: str = ""


class Draft(Reply):
    """An answer that nobody has checked yet, in reading order.

    reasoning   how the answer was come to, where that was asked for; "" otherwise
    choice      key of the option that is right; "" when there are none, or none can be told
    not_found   parts of the question that nothing which was shown answers, a few words each
    """

    reasoning: str = ""
    statements: tuple[DraftStatement, ...] = ()
    choice: str = ""
    not_found: tuple[str, ...] = ()


class AnswerDraft(Draft):
    """A draft, and the keys of sections of the `contents` that may answer what it found nothing on."""

    also_read: tuple[str, ...] = ()


class WriteAnswer(Prompt[AnswerDraft]):
    """Answer the question from these passages alone, in short statements that each make one claim.

    Name in each what it is about, for it is read and checked alone: no “it”, no “the same drug”. Copy, for every
    statement, the words of the passage that it rests on, character for character, with the passage's id. A dose keeps
    the people, the unit and the route that the passage gives it for, and every statement its conditions: the severity,
    risk group or population of its section, and how strong a recommendation is (“may be considered” is not “is
    recommended”). Where passages differ, say so and cite both. If the question tells of a patient, say what follows for
    that one: what it says of the patient needs no quote.

    Give an effect with its size and its interval, and both arms of a comparison, wherever a passage has them. Say whose
    recommendation it is, from which year, how strong and how certain, in the words of the passage. Quote each part of a
    long guideline from the section that says it.

    Where alternatives are compared, two or more of them by the same aspects, they become a table under one topic: write
    one statement for each alternative and aspect, a whole sentence like the others. Give it the alternative as `row`,
    the aspect as `column`, in one to three words that are the same each time, and as `cell` the few words of the
    statement that say it, copied from its text with their unit and their condition. A condition of the whole table
    stands in its topic (“Doses in non-valvular AF”), and in no cell. Leave out what the passages do not say. Elsewhere
    these three are empty.

    State nothing that the passages do not say. A statement may name the guideline or the study that says it; it never
    speaks of what was shown to you, nor of what is missing there (“the passages give no …”). Name in `not_found`
    each part of the question that they do not answer, in a few words without a figure or advice (“dose of metformin”),
    never a fact of the patient that you would need; the reader is told that nothing was found on it. If they answer no
    part of the question, return no statement. `contents` are headings of the same works that were not shown: name in
    `also_read` the keys of those that are likely to answer what you name in `not_found`, at most six; they are read, if
    you name a part there. `written` is what the answer says already: say none of it again, and use its topics.

    Mark as `lead` what answers most directly: it is read first, and may be all that is read. It weighs: if passages
    speak for and against, it says which of them counts more here, and why. A lead may join what several passages say,
    if it copies the words of each. If the whole question can be answered with one yes or no and the passages decide it,
    begin the first lead with “Yes:” or “No:”; with “Maybe:” if they speak of it and truly leave it open. Otherwise, as
    where its parts have different answers, start with the answer itself.

    Give each statement a `topic`: a heading of one to four words, the same for statements that belong together, which
    stand side by side. Order the topics as a physician works: what to do first, its dose, the alternatives, who is
    treated otherwise, what to watch for, and what to do next, if that is asked.

    If options are given, name in `choice` the key of the one that the passages show to be right; leave it empty if they
    show none. Write in the language that is named; quotes stay in the words of the passage.
    """

    question: Question
    evidence: tuple[Evidence, ...]
    contents: str = ""
    written: str = ""
    statements: int
    leads: int
    language: str = "en"
    reasoning: bool = False


class Synthesise(Prompt[Draft]):
    """Write a short summary of this literature that answers the question, from the cards and passages alone.

    Each statement makes one claim and copies the words of every passage that it rests on, character for character, with
    the passage's id. Let stronger designs weigh more. The `unconfirmed` parts of a card have numbers that the passage
    does not have: take numbers from the passage, an effect with its interval and both arms. Keep to whom a study
    studied, and to the group that a figure is of.
    What a guideline says keeps its conditions, the severity, risk group or population of its section, and how strong
    the recommendation is (“may be considered” is not “is recommended”).

    State nothing that neither says. A statement may name the study that says it; it never speaks of what was shown to
    you, nor of what is missing there. Name in `not_found` each part of the question that they do not answer, in a few
    words without a figure or advice; the reader is told that nothing was found on it. If nothing answers the question,
    return no statement.

    Mark as `lead` one or two cautious statements that answer the question. A lead may join what several studies show,
    and so may a statement that says in what studies differ or agree, if it copies the words of each; every other
    statement is of one study. If the whole question can be answered with one yes or no and the studies decide it, begin
    the first lead with “Yes:” or “No:”; with “Maybe:” if they speak of it and truly leave it open. Otherwise, as where
    its parts have different answers, start with the answer itself.

    Give each statement a `topic`: a heading of one to four words, the same for statements that belong together, which
    stand side by side. If options are given, name in `choice` the key of the one that the studies show to be right;
    leave it empty if they show none. Write in the language that is named; quotes stay in the words of the passage.
    """

    question: Question
    evidence: tuple[Evidence, ...]
    statements: int
    leads: int
    language: str = "en"
    reasoning: bool = False


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

    Each statement makes one claim and copies the quotes of the notes that it rests on, with the passage's id. The
    `source` of a note names the document and the section that it is from: they say what, and whom, its words are
    about, and are conditions of what is said: a severity, a risk group, a population. Keep how strong a recommendation
    is (“may be considered” is not “is recommended”). What is quoted weighs more than what is not, and a part that
    found nothing does not speak against one that did. What each part suggested alone stands in `tentative`. Where parts
    disagree, say in `conflict` how you settled it; leave it empty where they agree.

    A statement may name the guideline or the study that says it; it never speaks of notes or parts, nor of what is
    missing in them. Name in `not_found` each part of the question that no note answers, in a few words without a figure
    or advice; the reader is told that nothing was found on it.

    Mark as `lead` what answers most directly; if notes speak for and against, it says which of them counts more here,
    and why. A lead may join what several notes say, if it copies the quotes of each.
    If the whole question can be answered with one yes or no and the notes decide it, begin the first lead with “Yes:”
    or “No:”; with “Maybe:” if they speak of it and truly leave it open. Otherwise, as where its parts have different
    answers, start with the answer itself.

    Give each statement a `topic`: a heading of one to four words, the same for statements that belong together, which
    stand side by side. If options are given, name in `choice` the key of the one that the notes show to be right; leave
    it empty if they show none. If `for_patient` is set, explain it to a patient without training, in short sentences of
    everyday words: a dose only as what is usual for whom, never as an instruction, and, under the topic “Ask your
    doctor”, what the notes give reason to ask. Write in the language that is named; quotes stay in the words of the
    passage.
    """

    question: Question
    parts: tuple[NotedPart, ...]
    statements: int
    leads: int
    language: str = "en"
    reasoning: bool = False
    for_patient: bool = False
    question_again: str


class MemoryStatement(Value):
    """One claim from memory; a bare text is one, too.

    topic, lead   as in a statement of a draft
    """

    text: str
    topic: str = ""
    lead: bool = False

    @model_validator(mode="before")
    @classmethod
    def _accept_bare_text(cls, given: Any) -> Any:
        return {"text": given} if isinstance(given, str) else given


class MemoryDraft(Reply):
    """An answer from the model's own knowledge, which rests on no source."""

    reasoning: str = ""
    statements: tuple[MemoryStatement, ...] = ()
    choice: str = ""


class AnswerAlone(Prompt[MemoryDraft]):
    """Answer the question from what you know, in at most `limit` short statements that each make one claim.

    Say nothing that you are not sure of. Cite no sources: none were read. Mark as `lead` what answers most directly; if
    the whole question can be answered with one yes or no, begin the first lead with “Yes:” or “No:”, with “Maybe:”
    where what is known truly leaves it open. Otherwise, as where its parts have different answers, start with the
    answer itself. Give each statement a `topic`: a heading of one to four words, the same for statements that belong
    together. If options are given, name in `choice` the key of the one that is right. Write in the language that is
    named.
    """

    question: Question
    limit: int
    leads: int = 2
    language: str = "en"
    reasoning: bool = False


class RecommendationDraft(AnswerDraft):
    """A recommendation for one patient.

    strength, certainty   in the words of the passages ("strong", "Class I", "moderate certainty"), else "not reported"
    limits                what of this patient the evidence does not fit, a sentence each
    """

    strength: str = NOT_REPORTED
    certainty: str = NOT_REPORTED
    limits: tuple[str, ...] = ()


class Recommend(Prompt[RecommendationDraft]):
    """Recommend what to do for this patient, from these passages alone; guidelines and stronger designs weigh more.

    Where no patient is shown, recommend for those whom the question is about. `asked` is the question as it was typed,
    before it was stated for a search: that is what is to be answered. Each statement makes one claim and copies
    the words of the passage that it rests on, character for character, with the passage's id. A dose keeps the people,
    the unit and the route that the passage gives it for, and every statement its conditions and how strong it is (“may
    be considered” is not “is recommended”). What is said of the patient needs no quote.

    `warnings` are sentences of sources that a rule found for this patient's record; they are shown before your words.
    Do not recommend what one speaks against for this patient, or name the limit with it. One that prefers something, or
    gives a dose, holds for its own drug and its own condition alone: it is no reason to recommend it here.

    A statement may name the guideline that says it; it never speaks of what was shown to you, nor of what is missing
    there. Name in `not_found` each part of the question that the passages do not answer, in a few words without a
    figure or advice; the reader is told that nothing was found on it. If they answer no part of it, return no
    statement. `contents` are headings of the same works that were not shown: name in `also_read` the keys of those that
    are likely to answer what you name in `not_found`, at most six; they are read, if you name a part there. `written`
    is what the answer says already: say none of it again, and use its topics.

    Mark the recommendation as `lead`. It may join what several passages say, if it copies the words of each. If the
    whole question can be answered with one yes or no and the passages decide it, begin the first lead with “Yes:” or
    “No:”; with “Maybe:” if they speak of it and truly leave it open. Otherwise, as where its parts have different
    answers, start with the recommendation itself.
    Give it the `topic` “Recommendation”, the reasons for it, which follow, the topic “Why”, and what to watch for and
    to do next, where the passages say it, the topic “Next”.

    Give `strength` and `certainty` of what you recommend, in the words of the passages. For a “No” they are those with
    which the passages advise against it, never those with which they recommend it to others; “not reported” where they
    state none. Say in `limits` where this patient is not one of those who were studied: age, sex, condition,
    comorbidity, other drugs. Leave `reasoning` and `choice` empty. Write in the language that is named; quotes stay in
    the words of the passage.
    """

    private: ClassVar[frozenset[str]] = frozenset({"patient", "warnings"})

    question: Question
    asked: str = ""
    pico: Pico
    patient: str
    warnings: str = ""
    evidence: tuple[Evidence, ...]
    contents: str = ""
    written: str = ""
    statements: int
    leads: int
    language: str = "en"


class DraftGloss(Value):
    """A term that the draft could not avoid, as it stands there, and what it means, from common knowledge."""

    term: str
    meaning: str


class PlainDraft(Draft):
    """An explanation in plain language.

    glosses   terms that no passage explains; what they mean rests on no source, and is shown as that
    """

    glosses: tuple[DraftGloss, ...] = ()


class ExplainPlainly(Prompt[PlainDraft]):
    """Explain to a patient without training what is asked, from these passages alone, in short plain sentences.

    The reader asks for themselves or for somebody close to them. Each statement makes one claim and copies the words of
    the passage that it rests on, character for character, with the passage's id. Say what it is, what it is for, and
    what to expect, as far as the passages do. Give no advice that is not in them, and keep how likely they say that
    something is: “an increased risk of” is not “will”. Tell nobody to take, change or stop a drug: a dose is what is
    usual, and for whom (“adults are usually given …”). What speaks against something for some people, and what is
    checked before or watched, is what to ask about, under the topic “Ask your doctor”: “Ask whether your kidneys work
    well enough for it: it is avoided when they do not”, with the words that say so. A sign of danger comes first, with
    the help that they say to seek. A statement never speaks of what was shown to you, nor of what is missing there:
    name in `not_found` each part of the question that the passages do not answer, in a few everyday words without a
    figure or advice.

    `order` is the patient's own, where it is shown: explain what is asked as it is meant there, for the disease that it
    names. A statement may say what the order and the question say beside what a passage says; that part needs no quote.
    Say nothing else of this patient.

    Use everyday words: one that means the same may stand for a term (“blood clot in a vein” for venous thrombosis), and
    add nothing to it. A term that you cannot avoid and that no passage explains goes to `glosses`, as it stands in
    your statement, with what textbooks agree that it means in at most 20 plain words: no numbers, no advice, nothing
    about this patient. The reader is told that it comes from no source.

    Mark as `lead` the one or two statements that answer most directly. If the whole question can be answered with one
    yes or no and the passages decide it, begin the first lead with “Yes:” or “No:”; with “Maybe:” where they speak of
    it and truly leave it open. Otherwise, as where its parts have different answers, start with the answer itself. Give
    each statement a `topic`: a heading of one to four everyday words, the same for statements that belong together.
    Leave `reasoning` and `choice` empty. Write in the language that is named; quotes stay in the words of the passage.
    """

    private: ClassVar[frozenset[str]] = frozenset({"order"})

    question: Question
    order: str = ""
    evidence: tuple[Evidence, ...]
    statements: int
    leads: int
    language: str = "en"


class TermQuestion(Value):
    """What is to be explained of one term."""

    key: str
    question: str


class TermDraft(Value):
    """What is said of one term, by the key of its question, and the terms in it that no passage explains."""

    key: str
    statements: tuple[DraftStatement, ...] = ()
    glosses: tuple[DraftGloss, ...] = ()


class TermDrafts(Reply):
    """One for each term that the passages explain."""

    drafts: tuple[TermDraft, ...] = ()


class ExplainTerms(Prompt[TermDrafts]):
    """Explain each of these terms to a patient without training, from these passages alone, in short plain sentences.

    Give for each term, by its key, at most `most` statements that answer its question: what it is, and what it is for,
    as far as the passages say. Each makes one claim, names its term, and copies the words of the passage that it rests
    on, character for character, with the passage's id. Passages may serve several terms. Use no passage that is on
    something else: leave out a term that none of them explains.

    Give no advice that is not in the passages, no dose that the question does not ask for, and keep how likely they say
    that something is: “an increased risk of” is not “will”. Never speak of what was shown to you.

    Use everyday words: one that means the same may stand for a term (“blood clot in a vein” for venous thrombosis), and
    add nothing to it. A term that you cannot avoid and that no passage explains goes to `glosses`, as it stands in
    your statement, with what textbooks agree that it means in at most 20 plain words: no numbers, no advice.

    Mark as `lead` the statement that says what a term is. Leave `topic` empty. Write in the language that is named;
    quotes stay in the words of the passage.
    """

    terms: tuple[TermQuestion, ...]
    evidence: tuple[Evidence, ...]
    most: int
    language: str = "en"
