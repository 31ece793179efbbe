"""What is said to a model when a draft is checked, when what does not stand is written anew, and when somebody else's
text is taken apart.
"""

from typing import ClassVar, Literal

from wellsourced.models.base import Prompt, Reply
from wellsourced.prompts.writing import DraftStatement
from wellsourced.types import Passage, Question, Value


class DraftClaim(Value):
    """A statement of the draft, by its key, and the passages that it cites, by theirs."""

    key: str
    text: str
    cites: tuple[str, ...]


class ClaimVerdict(Value):
    """What the passages say of one claim, and the words that say so, copied from one of them.

    reason   what of the claim they do not say, or say otherwise; "" where they support it
    """

    key: str
    label: Literal["supports", "contradicts", "silent"]
    passage_id: str = ""
    quote: str = ""
    reason: str = ""


class ClashingClaims(Value):
    """Two claims that cannot both hold, by their keys, and what they differ in."""

    first: str
    second: str
    reason: str = ""


class ConsistencyReply(Reply):
    """One for each claim; pairs of claims that cannot both hold, if there are any."""

    items: tuple[ClaimVerdict, ...] = ()
    clashes: tuple[ClashingClaims, ...] = ()


class CheckConsistency(Prompt[ConsistencyReply]):
    """Say of each claim what the passages that it cites say of it: they support it, contradict it, or are silent.

    The claims are to answer the question that is shown. They are supported only if everything in them follows from the
    words of the passages: every number, unit, direction, group of people and comparison. A claim may say it in other
    words, leave out what does not change its meaning, join several passages that it cites, and name the subject of the
    question where the passage leaves it to its title or section.

    Compare the claim with the row, the branch and the path of the section that the words stand in. It is not supported
    if it takes the figure of another row or group, leaves out a condition (a severity, a risk group, a population, “if
    …”), makes a recommendation stronger (“may be considered” is not “is recommended”) or a risk a certainty, or says
    “or” for “and”.

    What the question says of a patient or a situation is given, and so is the patient's text, where that is shown: a
    claim may repeat an age, a value, a drug or a condition from there and set it beside a figure of a passage, and no
    passage has to say it. What a claim says of the patient beyond that is not supported. What follows for the patient
    has to follow from the passages and what is given. A claim that begins with yes, no or maybe answers the question
    with it: that word has to follow, too, “maybe” from passages that leave it open. Which source or option counts more
    here is for the writer to weigh: judge what is said of each, not the weighing.

    If another passage that is shown contradicts a claim, say so. Copy the words of a passage that decide it, character
    for character, with the passage's id. Where you do not say that they support a claim, give in `reason` everything in
    it that is not said or is said otherwise, in a few words. Give one for each claim, by its key.

    Then compare the claims with each other. Name in `clashes` each two that cannot both hold for the same people: one
    says that something is done, works or is safe and the other that it is not, or they give one thing two values. Two
    values for different people, stages or times are no clash, and two that report what different sources say, and name
    them, can both hold. Leave it empty if there are none.
    """

    private: ClassVar[frozenset[str]] = frozenset({"patient"})

    question: Question
    patient: str = ""
    claims: tuple[DraftClaim, ...]
    passages: tuple[Passage, ...]


class ComparedPlaces(Value):
    """Two places side by side, by a key: words of a statement, and a place of a document.

    words     those of the statement that are in question
    title     of the document; `section`: the path of its headings
    source    the lines of the place, the header and the branch that they hang on first
    """

    key: str
    statement: str
    words: str
    title: str = ""
    section: str = ""
    source: tuple[str, ...]


class PlaceVerdict(Value):
    """Whether the two places say the same, and the words of the source that decide it, copied."""

    key: str
    same: Literal["yes", "no"]
    quote: str = ""


class PlacesReply(Reply):
    """One for each pair of places."""

    items: tuple[PlaceVerdict, ...] = ()


class ComparePlaces(Prompt[PlacesReply]):
    """Do these say the same? Answer for each pair of places whether the statement's `words` say what the source says.

    Read the `words` in their statement, and the source under its title and the path of its headings, which are
    conditions of it. Answer “yes” if what the words say follows from the source: in other words, in another unit, as a
    part of what it says, or with what the question says of a patient. Answer “no” if the source says something else at
    this point: another drug, dose, route, group of people, branch, row, arm, outcome or time, the opposite direction,
    “not” on one side alone, “any” for “all”, “is” for “may”, or a condition that the words leave out. Where no words
    are given, judge the whole statement. Judge each pair by itself. Copy into `quote` the words of the source, not of
    the statement, that decide it, and give one answer for each pair, by its key.
    """

    question: Question
    places: tuple[ComparedPlaces, ...]


class KeyedStatement(Value):
    """A statement that may be of any text, by its key.

    questions   words of it beside words of its source that may differ, each as a question; few, the worst first
    """

    key: str
    text: str
    questions: tuple[str, ...] = ()


class StatementVerdict(Value):
    """What one source says of one claim.

    excerpt   the words of the source that decide it, copied
    reason    why, or what is missing
    partial   it supports a part of the claim, and says nothing of the rest
    """

    key: str
    label: Literal["supports", "contradicts", "silent"]
    excerpt: str = ""
    reason: str = ""
    partial: bool = False


class VerificationReply(Reply):
    """One for each claim."""

    items: tuple[StatementVerdict, ...] = ()


class VerifyStatements(Prompt[VerificationReply]):
    """Say of each claim whether the words of this source support all of it, contradict it, or are silent on it.

    The source supports a claim only if everything in it follows from its words: every number, unit, direction,
    group of people and comparison. It contradicts one that cannot be true if the source is. If it supports a part and
    says nothing of the rest, it is silent: mark that as partial. Judge by the source alone, whatever you know; an age,
    a weight or a value that a claim supposes of somebody need not stand in it, nor what the question, where one is
    shown, says of a patient or a situation. Where a claim comes with questions,
    answer each for yourself before you judge it: they come from a comparison of words, which may be mistaken. Copy the
    words that decide it, character for character, as one excerpt from the source, with … between words that lie apart,
    and give the reason in a few words; if the source is silent, say what is missing instead. Give one for each claim,
    by its key.
    """

    question: str = ""
    """What the claims answer; "" where nobody knows."""
    claims: tuple[KeyedStatement, ...]
    source: str
    part: str = ""
    """Which part of a long source is shown ("2 of 5"); "" when it is shown whole."""


class StatementFault(Value):
    """A statement that does not stand, by its key, why, and the words of a passage that contradict it or say less.

    cell   the words of it that stand in the cell of a table; "" outside of one
    """

    key: str
    text: str
    reason: str
    quote: str = ""
    cell: str = ""


class RepairedStatement(DraftStatement):
    """A statement that takes the place of a faulty one, by the key of that one."""

    fault: str = ""


class RepairReply(Reply):
    """What takes the place of faulty statements; nothing for those that no passage supports in any form."""

    statements: tuple[RepairedStatement, ...] = ()


class Repair(Prompt[RepairReply]):
    """Write each of these statements anew, so that the passages support it, by the smallest change that does it.

    Each comes with everything that was found against it. A reason may be mistaken: compare it with the passages, and
    follow them. Keep what a statement says rightly, what the question, or the patient's text, says of a patient
    included, which no passage has to say; if a part of one is not supported, leave out that part alone; if nothing is
    wrong with one, say it in words nearer to the passage's. Copy for each the words that it rests on, character for
    character, with the passage's id; of a statement that joins several passages, the words of each. If two cannot hold
    together, give each the condition that its passage says it under; where there is none, leave it as it is. Keep a
    “Yes:”, “No:” or “Maybe:” at its beginning only where the passages give that answer to the question, “Maybe:” where
    they truly leave it open. Leave out a statement that no passage supports in any form.

    Name in `fault` the key of the statement that each takes the place of, at most one for each key. Leave `topic`,
    `row` and `column` empty and `lead` false: it stands where that one stood. If that one has a `cell`, give as `cell`
    the words of the new text that stand there, with their unit and their condition.
    """

    private: ClassVar[frozenset[str]] = frozenset({"patient"})

    question: Question
    patient: str = ""
    faults: tuple[StatementFault, ...]
    passages: tuple[Passage, ...]
    language: str = "en"


class StandaloneStatement(Value):
    """A statement in words that stand alone, and the words of the answer that say it, copied as they are."""

    text: str
    span: str


class StatementsReply(Reply):
    """The statements in their order, and the sentences that state nothing about medicine, copied."""

    statements: tuple[StandaloneStatement, ...] = ()
    other: tuple[str, ...] = ()


class SplitStatements(Prompt[StatementsReply]):
    """List the medical statements of this answer, in order, each so that it can be understood and checked alone.

    Put what a pronoun or the lead-in of a list stands for in its place. Split a sentence that states several facts.
    Add nothing, leave nothing out, and correct nothing, wrong as it may be. Leave marks of citation out of a statement.
    Copy for each the words of the answer that it was made from, character for character. Copy greetings, questions,
    disclaimers, headings and advice to see a doctor to the others.
    """

    answer: str


class CleanUpReply(Reply):
    """What becomes of the statement; `excerpt` are the words of the source that the new one rests on, copied."""

    action: Literal["edit", "remove"]
    text: str = ""
    excerpt: str = ""


class CleanUp(Prompt[CleanUpReply]):
    """Change this statement as little as possible so that the words of the source support all of it, or remove it.

    Keep its wording wherever the source allows it. Every number, unit, direction, group of people and comparison has to
    be the source's. If the source says the opposite, say what it says. Copy the words that the new statement rests on,
    character for character, as the excerpt. Remove the statement if the source says nothing of what it is about: add
    nothing that it did not set out to say.
    """

    statement: str
    source: str
    reason: str
