"""Answers and what they are made of; an answer cannot be made with a citation that is not in its evidence."""

from collections.abc import Iterable
from typing import Any, Literal, Self

from pydantic import Field, NonNegativeInt, computed_field, model_validator

from wellsourced.errors import Misquote, NextStep, UncitedStatement, UnknownPassage, WellsourcedError
from wellsourced.types.documents import Errata, Passage, Reference, Value
from wellsourced.types.public_result import PublicResult, shorten
from wellsourced.types.questions import Question, Search

VerdictLabel = Literal["supports", "contradicts", "silent", "unjudged"]
"""`unjudged`: whoever was asked gave no reply that could be read; it is no verdict, and never turned into one."""

VerdictBasis = Literal["likeness", "verbatim", "figures", "model", "judge", "record"]
"""What a verdict goes by.

likeness   how alike two texts are in words and meaning: it says where to look, and proves nothing
verbatim   the claim is whole sentences of the source
figures    the same sentence with another figure
model      a language model, which showed the words of the source that decide
judge      a judge that has earned it on statements that it was not fitted on
record     what is known without reading: that no source is named, or that it was withdrawn
"""

VerdictStatus = Literal["verbatim", "verified", "contradicted", "unsupported", "unverified", "unjudged"]
"""What can honestly be told of a claim.

verbatim       it is the source's own sentences
verified       a language model, or a judge that has earned it, says that the source supports it, with the words
contradicted   one of these says the opposite, or the same sentence of the source has another figure
unsupported    one of these says that the source does not say it; or there is no source that counts
unverified     it is near its source, or not, and nobody who could be believed has judged it
unjudged       nothing was compared with it: its source could not be read, or whoever was asked did not reply
"""

AnswerBasis = Literal["evidence", "parametric", "none"]
"""What an answer rests on: words of sources, a model's own knowledge, nothing."""

NOT_REPORTED = "not reported"


class Hit(Value):
    """A passage that a search brought up. Scores rank one result list; between two lists they mean nothing."""

    passage: Passage
    score: float


class Verdict(Value):
    """Does a text support a claim? `score` is a probability in [0, 1], comparable within one judge only.

    quote   the words of the text that decide it, verbatim, where the judge can name them; fragments parted by " … "
    basis   what it goes by; what may be told of the claim hangs on it
    """

    label: VerdictLabel
    score: float
    reason: str = ""
    quote: str = ""
    basis: VerdictBasis = "likeness"

    @property
    def status(self) -> VerdictStatus:
        """What may be told of the claim: a judge that goes by likeness alone confirms and denies nothing."""
        if self.label == "unjudged":
            return "unjudged"
        if self.basis == "likeness":
            return "unverified"
        if self.label == "supports":
            return "verbatim" if self.basis == "verbatim" else "verified"
        return "contradicted" if self.label == "contradicts" else "unsupported"

    @property
    def is_confirmed(self) -> bool:
        """Whether the claim stands: in the source's own words, or by the word of somebody who can be believed."""
        return self.label == "supports" and self.basis != "likeness"


class ArticleCard(Value):
    """What a study adds to the question and how far it can be trusted; each part "not reported" if it does not say.

    sample_size   people, or what else was counted, with figures as the passage has them
    bias          what speaks against believing it, as the authors or its design say
    unconfirmed   names of parts with a number that the passage does not have
    """

    summary: str = NOT_REPORTED
    design: str = NOT_REPORTED
    sample_size: str = NOT_REPORTED
    population: str = NOT_REPORTED
    bias: str = NOT_REPORTED
    unconfirmed: tuple[str, ...] = ()


class Appraisal(Value):
    """How far a work that is cited can be trusted for the question, as far as can be said without reading it all.

    design       "randomised controlled trial", "cohort study" …; "not reported" when nothing says it
    level        1 (best) to 5 of the Oxford Centre for Evidence-Based Medicine's levels of 2011, for a question of
                 treatment; None for a guideline, which has grades of its own, and where the design is not known
    reasons      what the level rests on and what speaks against it, in the words of the record, a phrase each
    sample       how many were studied, as it is stated: "n = 4744"; "not reported" when it is not
    years        since publication; None when that is not known
    population   whether those who were studied are those that the question is about
    misfit       how they differ, with the words of the source
    cites        what the sentence that is quoted cites in its turn: its claim is then somebody else's
    """

    design: str = NOT_REPORTED
    level: int | None = Field(default=None, ge=1, le=5)
    reasons: tuple[str, ...] = ()
    sample: str = NOT_REPORTED
    years: int | None = None
    population: Literal["fits", "differs", "not stated"] = "not stated"
    misfit: str = ""
    cites: tuple[str, ...] = ()


class Evidence(Value):
    """A passage that is relevant to the question.

    relevance   how near it is to the question, from 0 to 1
    quotes      the words that show it, verbatim; Misquote when they are not in the passage
    judged      what the model said of it, where one was asked; None: it was not
    card        what the model noted of its study, where one was asked
    appraisal   what can be said of its work without a model; made for what is cited
    """

    passage: Passage
    relevance: float
    judged: Verdict | None = None
    card: ArticleCard | None = None
    appraisal: Appraisal | None = None
    gist: str = ""
    quotes: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _quotes_are_verbatim(self) -> Self:
        for quote in self.quotes:
            if quote not in self.passage.text:
                raise Misquote(self.passage.id, quote)
        return self


class Citation(Value):
    """The words a statement rests on: document.text[start:end] == quote."""

    passage_id: str
    quote: str
    start: NonNegativeInt
    end: NonNegativeInt


class SourceDifference(Value):
    """Words of a statement beside words of its source that say something else by rule, though a model saw none of it.

    kind   "population", "dose", "direction" …
    """

    kind: str
    statement: str
    source: str


class TableCell(Value):
    """Where a statement stands in the table of its topic, which sets alternatives beside each other.

    row      the alternative: a drug, a test, a group of patients
    column   what is compared: "dose", "bleeding"
    words    those of the statement's text that stand in the cell
    """

    row: str
    column: str
    words: str


class Statement(Value):
    """One claim and the words it rests on.

    topic         the heading it is grouped under; statements of one topic stand together
    cell          its place in the table of its topic; None, and not in JSON, where it has none
    lead          it answers so directly that the TL;DR says it
    errata        what is wrong in the lines that it quotes
    differences   what its reader should compare with the source; not in JSON where there are none
    """

    text: str
    citations: tuple[Citation, ...] = ()
    verdict: Verdict
    topic: str = ""
    cell: TableCell | None = Field(None, exclude_if=lambda cell: cell is None)
    lead: bool = False
    errata: Errata = ()
    differences: tuple[SourceDifference, ...] = Field((), exclude_if=lambda given: not given)

    @property
    def cited_ids(self) -> tuple[str, ...]:
        """The ids of the passages that it cites, each once, in their order."""
        return tuple(dict.fromkeys(citation.passage_id for citation in self.citations))


def cited_passage_ids(statements: Iterable[Statement]) -> tuple[str, ...]:
    """The ids of the passages that any of the statements cites, each once, in their order."""
    return tuple(dict.fromkeys(id for statement in statements for id in statement.cited_ids))


def quotes_of_passage(passage_id: str, statements: Iterable[Statement]) -> list[str]:
    """The words of a passage that statements quote."""
    return [one.quote for statement in statements for one in statement.citations if one.passage_id == passage_id]


class TextSpan(Value):
    """Half-open, in code points of the document."""

    start: NonNegativeInt
    end: NonNegativeInt


AnswerHead = Literal["in your sources", "closest", "nothing"]
"""What can be said of the sections that are shown without a language model.

in your sources   they answer, as far as words can tell
closest           what is asked about is not mentioned in them
nothing           nothing that was searched is near the question
"""


class AnswerSection(Value):
    """A section of a document as an answer shows it: verbatim, whole or shortened in whole lines.

    passage_id   all of the section: a passage of the answer's evidence
    shown        what is shown of it, in order: whole lines; what lies between two spans is left out
    marked       the lines that answer, as units, the nearest first; each within what is shown
    part         the part of the question that it is for; "" where the question has one alone
    errata       what is wrong in the lines that are shown
    """

    passage_id: str
    shown: tuple[TextSpan, ...] = Field(min_length=1)
    marked: tuple[tuple[TextSpan, ...], ...] = ()
    part: str = ""
    errata: Errata = ()


class Gap(Value):
    """Something that was not searched, or not wholly; the answer may lack what it holds.

    status      "incomplete": it was searched, and holds less than it was given
    next_step   what its reader can do; None, and not in JSON, where nothing is to be advised
    """

    source: str
    status: Literal["failed", "empty library", "not indexed", "incomplete", "not configured"]
    reason: str
    next_step: NextStep | None = Field(None, exclude_if=lambda step: step is None)

    @classmethod
    def of_error(cls, source: str, error: WellsourcedError) -> "Gap":
        """Return that a source failed, with what its error advises."""
        return cls(source=source, status="failed", reason=str(error), next_step=error.next_step)


PLANNING_TIER = "plan"
"""The tier of a search that was made to plan others, and whose passages are not read."""


class Attempt(Value):
    """One search of one source, and what came of it. `failed` and `empty` are different results.

    notes   what the source said of it beside its hits: records that are missing, a threshold that it lowered
    records   the documents that it found passages of, each once; not in JSON, where `Answer.flow` counts them
    """

    search: Search
    tier: str
    status: Literal["ok", "empty", "failed"]
    found: NonNegativeInt = 0
    error: str = ""
    notes: tuple[str, ...] = ()
    records: tuple[Reference, ...] = Field((), exclude=True, repr=False)


class RecordFlow(Value):
    """How many records the searches of a question found and what became of them (PRISMA 2020, the flow diagram).

    A record is a document of a source; a work may have several. identified − duplicates = excluded + included.

    identified   source → records that its searches found
    duplicates   records of a work that another record is of
    excluded     why → works that are not cited
    included     works that are cited or shown
    """

    identified: dict[str, NonNegativeInt] = Field(default_factory=dict)
    duplicates: NonNegativeInt = 0
    excluded: dict[str, NonNegativeInt] = Field(default_factory=dict)
    included: NonNegativeInt = 0


READ_UNCITED = "read, but no statement cites it"
"""Why a passage is left out that a model wrote from unjudged."""


class Omission(Value):
    """What was considered and left out, and why.

    is_judged   of a passage: whether it was read and judged; one that was not reached, opened or shown was not
    rewritten_as   of a statement: what is shown in its place
    is_rewrite  of a statement: whether it was written in place of one that had failed, and failed, too
    is_lead     of a statement: whether it was part of the short answer
    """

    what: Literal["passage", "statement"]
    id: str
    text: str
    reason: str
    is_judged: bool = False
    rewritten_as: str = ""
    is_rewrite: bool = False
    is_lead: bool = Field(False, exclude_if=lambda given: not given)

    @model_validator(mode="before")
    @classmethod
    def _read_former_reasons(cls, data: Any) -> Any:
        """Version 1 said in the words of the reason what the fields say now."""
        if not isinstance(data, dict) or "written anew" not in str(data.get("reason", "")):
            return data
        failed, _, shown = data["reason"].partition("; written anew as “")
        reason = failed.removeprefix("written anew, ").removeprefix("it does not stand either: ")
        return {**data, "reason": reason, "rewritten_as": shown.removesuffix("”"), "is_rewrite": reason != failed}

    @property
    def was_read(self) -> bool:
        """Whether a model was shown the passage, and judged it or not."""
        return self.is_judged or self.reason == READ_UNCITED

    @property
    def is_withdrawal(self) -> bool:
        """Whether a passage was left out since its work may not count any more: see `Retraction.objection`."""
        return self.what == "passage" and self.reason.startswith(("retracted", "under an expression of concern"))

    @classmethod
    def of_passage(cls, passage: Passage, reason: str, *, is_judged: bool = False) -> "Omission":
        """Return that a passage was left out."""
        return cls(what="passage", id=passage.id, text=passage.text, reason=reason, is_judged=is_judged)

    @classmethod
    def of_statement(
        cls, text: str, reason: str, *, rewritten_as: str = "", is_rewrite: bool = False, is_lead: bool = False
    ) -> "Omission":
        """Return that a statement was left out."""
        given = {"rewritten_as": rewritten_as, "is_rewrite": is_rewrite, "is_lead": is_lead}
        return cls(what="statement", id="", text=text, reason=reason, **given)


class Emergency(Value):
    """Signs in a question that somebody may be in danger now.

    kind     "chest pain", "stroke", "anaphylaxis" …
    signs    the words that say so, as they stand in the question
    advice   what to do, first
    source   the page that the advice rests on, with its address; "" where several do
    """

    kind: str
    signs: tuple[str, ...]
    advice: str
    source: str = ""


class ConflictSide(Value):
    """One of several things that sources say of one matter. The quote is verbatim in the passage."""

    says: str
    passage_id: str
    quote: str


class Conflict(Value):
    """Sources, or parts of what was read, that do not agree; shown side by side, and never counted as votes.

    resolution   how the writer settled it; "" when nobody did
    """

    about: str
    sides: tuple[ConflictSide, ...]
    resolution: str = ""


class Preflight(Value):
    """Whether two rankings of the same passages agree on the best ones: then one reading of all is enough.

    mapped   they do not, or nobody asked them: the passages were read in parts
    shared   passages that stand among the first `top` of both; iou = shared / (2·top − shared)
    saved    calls that one reading of all saved
    """

    mapped: bool
    top: int
    delta: float
    shared: int
    iou: float
    parts: int
    saved: int
    reason: str = ""


RecordKind = Literal[
    "age",
    "sex",
    "weight",
    "renal function",
    "condition",
    "drug now",
    "drug before",
    "allergy",
    "measurement",
    "not now",
]
"""What of a patient a row of a record is about. "not now": denied, of relatives, or planned."""


class RecordRow(Value):
    """Something that was read in a record.

    name    what it is called here: "pregnancy", "eGFR", "ramipril"
    words   the words of the record that say so; never written into a file
    time    when it was, or whose it is, in words: "2019", "3 weeks ago", "denied", "family"; never written into a file
    """

    kind: RecordKind
    name: str
    words: str = Field(default="", exclude=True)
    time: str = Field(default="", exclude=True)


class LineToCheck(Value):
    """A line of a document in which something that a record has is what the line warns of. It decides nothing.

    drugs       drugs of the record or the question that the line names, as they are written there
    about       what of the record it names besides: "pregnancy", "eGFR", "warfarin"
    record      the words of the record that say so, in the order of `about`; never written into a file
    passage     where the words are; citations are verbatim in it, the lines that introduce it first
    errata      what is wrong in these words

    Raises Misquote when a citation is not in its passage.
    """

    drugs: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    record: tuple[str, ...] = Field(default=(), exclude=True)
    passage: Passage
    citations: tuple[Citation, ...] = Field(min_length=1)
    errata: Errata = ()

    @property
    def sentence(self) -> str:
        """The line in one sentence, as a language model is told of it."""
        record = "; ".join(dict.fromkeys(f"“{words}”" for words in self.record))
        quote = " … ".join(" ".join(one.quote.split()) for one in self.citations)
        title = self.passage.reference.title or self.passage.reference.id
        return f"{', '.join(self.drugs) or 'this patient'}: the record says {record}, and {title} says: “{quote}”"

    @model_validator(mode="after")
    def _is_in_its_passage(self) -> Self:
        for citation in self.citations:
            _check_citation({self.passage.id: self.passage}, citation)
        return self


class Recommendation(Value):
    """What was read of a patient, and the lines of documents to check for them.

    record      what was read in the record
    unread      lines of the record that nothing was read from; never written into a file
    missing     what the record does not say, or nobody could read, a phrase each
    lines       lines of documents in which something of the record is what they warn of, what matters most first
    strength, certainty, fit   as a language model wrote them of its own recommendation, checked against its sources
    """

    record: tuple[RecordRow, ...] = ()
    unread: tuple[str, ...] = Field(default=(), exclude=True)
    missing: tuple[str, ...] = ()
    lines: tuple[LineToCheck, ...] = ()
    strength: str = NOT_REPORTED
    certainty: str = NOT_REPORTED
    fit: tuple[str, ...] = ()


class Gloss(Value):
    """What a term of the answer means, as a language model knows it: no source says so, and nothing cites it."""

    term: str
    meaning: str
    basis: Literal["common knowledge"] = "common knowledge"


class Usage(Value):
    """What language models were asked for one question.

    calls    requests that were sent; `cached` were answered from the disk instead
    depth    the longest chain of calls that waited for each other
    cost     US dollars; None when the price of a model is not known
    """

    calls: int = 0
    cached: int = 0
    depth: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = 0.0


class QuoteCounts(Value):
    """Where the quotes of a draft were found.

    exact           in the passage named, character for character
    normalised      there, but for typography
    crossing        over the edge of two passages: answers of earlier versions alone have such
    misattributed   in another passage that was read, which is cited in place of the one named
    invented        nowhere in what was read: left out
    """

    exact: NonNegativeInt = 0
    normalised: NonNegativeInt = 0
    crossing: NonNegativeInt = 0
    misattributed: NonNegativeInt = 0
    invented: NonNegativeInt = 0

    def __add__(self, other: "QuoteCounts") -> "QuoteCounts":
        """Of two drafts together."""
        return QuoteCounts.model_validate(_add_counts(self.model_dump(), other.model_dump()))


class DraftChecks(Value):
    """What became of a draft on its way to the answer, in counts of statements.

    drafted       as the writer made them
    verbatim …    of those with real quotes, what could be told of each at first sight
    objections    of these verdicts, those that a fact made which differs, by its kind: "number", "negation" …
    repaired      written anew, checked again, and shown
    dropped       left out of what was drafted, for whatever reason
    record        what the models that checked made of planted errors so far, a sentence for each; not in JSON without
    """

    drafted: NonNegativeInt = 0
    quotes: QuoteCounts = QuoteCounts()
    verbatim: NonNegativeInt = 0
    verified: NonNegativeInt = 0
    contradicted: NonNegativeInt = 0
    unsupported: NonNegativeInt = 0
    unverified: NonNegativeInt = 0
    unjudged: NonNegativeInt = 0
    objections: dict[str, int] = Field(default_factory=dict)
    repaired: NonNegativeInt = 0
    dropped: NonNegativeInt = 0
    record: tuple[str, ...] = Field((), exclude_if=lambda record: not record)

    def __add__(self, other: "DraftChecks") -> "DraftChecks":
        """Of two drafts together."""
        counts = _add_counts(*(one.model_dump(exclude={"record"}) for one in (self, other)))
        return DraftChecks.model_validate({**counts, "record": tuple(dict.fromkeys(self.record + other.record))})


class Answer(PublicResult):
    """An answer with all evidence that it cites: every quote in it is in a passage that it carries.

    tldr         the text of the statements that lead
    statements   in reading order; without a language model the marked units that say it in short
    head         without a language model: what can be said of the sections; None: a model wrote
    sections     without a language model: what is shown of the sources, best first
    absent       what the question names and the sections shown do not; under the heads "closest" and "nothing": what is
                 asked about and is not mentioned in what is nearest
    readership   whom the sections were written for, where that is not who asks; "" else
    reason       why nothing is said, when `abstained`
    notes        what its reader should know of how it was searched for, a sentence each without a full stop
    dropped      passages and statements that were left out, with the reason
    flow         how many records were found and cited, and why the others were not; None where nothing was searched
    choice       key of the option that is right, for a multiple-choice question; "" when none was chosen
    writer       the language model whose statements these are; "": they are the sources' own sentences
    checker      the language model that was asked whether the sources support them; "", and not in JSON: none was
    reasoning    how a model came to its choice, where that was asked for: nobody has checked it
    emergency    signs in the question that come before everything else; None: none were seen
    conflicts    what sources do not agree on
    glosses      terms of the statements, explained in plain language from no source
    not_found    parts of the question that the language model which wrote found nothing on
    lost         topics of the draft of which a statement did not stand its check, and is not said
    left_out     sources that are searched as a rule, and were not, since others were named
    checks       what became of the draft; None: none was made from sources
    preflight    how it was decided whether passages are read in parts; None: the question did not come up
    spent        what language models were asked
    timings      seconds per step; the only part that may differ between two equal runs

    Raises UnknownPassage, Misquote or UncitedStatement rather than exist with a dangling citation.
    """

    kind: Literal["answer"] = "answer"
    question: Question
    statements: tuple[Statement, ...] = ()
    head: AnswerHead | None = None
    sections: tuple[AnswerSection, ...] = ()
    absent: tuple[str, ...] = ()
    readership: str = ""
    evidence: tuple[Evidence, ...] = ()
    gaps: tuple[Gap, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    dropped: tuple[Omission, ...] = ()
    flow: RecordFlow | None = Field(None, exclude_if=lambda given: given is None)
    choice: str = ""
    abstained: bool = False
    reason: str = ""
    notes: tuple[str, ...] = ()
    basis: AnswerBasis = "evidence"
    writer: str = ""
    checker: str = Field("", exclude_if=lambda given: not given)
    reasoning: str = ""
    emergency: Emergency | None = None
    recommendation: Recommendation | None = None
    conflicts: tuple[Conflict, ...] = ()
    glosses: tuple[Gloss, ...] = ()
    not_found: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    checks: DraftChecks | None = None
    preflight: Preflight | None = None
    spent: Usage = Usage()
    timings: dict[str, float] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _read_former_answer(cls, given: Any) -> Any:
        return _convert_answer(given) if isinstance(given, dict) else given

    @computed_field  # type: ignore[prop-decorator]
    @property
    def tldr(self) -> str:
        """The short answer: what the leading statements say."""
        return " ".join(statement.text for statement in self.statements if statement.lead)

    def __repr__(self) -> str:
        """Five lines: what was asked, whether it was answered, the first statement, what is cited and was searched."""
        shown = sorted(self.statements, key=lambda statement: not statement.lead)
        passages = {item.passage.id: item.passage.reference for item in self.evidence}
        works = {passages[id].id: passages[id].title or passages[id].id for id in cited_passage_ids(shown)}
        sources = dict.fromkeys(attempt.search.source for attempt in self.attempts)
        alarm = f"EMERGENCY ({self.emergency.kind}). " if self.emergency else ""
        given = (
            f"none. {self.reason}"
            if self.abstained
            else f"{len(self.statements)} statement{'s' * (len(self.statements) != 1)}"
        )
        lines = {
            "Question": self.question.asked or self.question.text,
            "Answer": alarm + given,
            "Closest match" if self.abstained else "First statement": shown[0].text if shown else "–",
            "Works cited": f"{len(works)}: {'; '.join(works.values())}" if works else "–",
            "Sources searched": ", ".join(sources) or "–",
        }
        return "\n".join(shorten(f"{name}: {text}") for name, text in lines.items())

    @property
    def lost_leads(self) -> tuple[Omission, ...]:
        """What was written as the short answer and taken out by the check, where nothing else took its place."""
        return tuple(one for one in self.dropped if one.is_lead and not one.rewritten_as)

    @property
    def shown_ids(self) -> tuple[str, ...]:
        """The ids of the passages that are cited or shown as sections, each once."""
        cited = cited_passage_ids(self.statements)
        return tuple(dict.fromkeys((*cited, *(section.passage_id for section in self.sections))))

    @property
    def shown_texts(self) -> tuple[str, ...]:
        """What is said: the statements, and the parts of sections that are shown."""
        passages = {item.passage.id: item.passage for item in self.evidence}
        parts = ((passages[section.passage_id], span) for section in self.sections for span in section.shown)
        shown = (passage.text[span.start - passage.start : span.end - passage.start] for passage, span in parts)
        return (*(one.text for one in self.statements), *shown)

    @property
    def uncited_evidence(self) -> tuple[Evidence, ...]:
        """Relevant evidence that no statement cites and that stands in no conflict."""
        cited = {*self.shown_ids}
        cited |= {side.passage_id for conflict in self.conflicts for side in conflict.sides}
        return tuple(item for item in self.evidence if item.passage.id not in cited)

    @model_validator(mode="after")
    def _check_closed_world(self) -> Self:
        passages = {item.passage.id: item.passage for item in self.evidence}
        for section in self.sections:
            if section.passage_id not in passages:
                raise UnknownPassage(section.passage_id)
            passage = passages[section.passage_id]
            for span in (*section.shown, *(span for unit in section.marked for span in unit)):
                if not passage.start <= span.start < span.end <= passage.end:
                    raise Misquote(passage.id, f"{span.start}-{span.end}")
        for side in (side for conflict in self.conflicts for side in conflict.sides):
            if side.passage_id not in passages:
                raise UnknownPassage(side.passage_id)
            if not side.quote or side.quote not in passages[side.passage_id].text:
                raise Misquote(side.passage_id, side.quote)
        for statement in self.statements:
            if self.basis == "evidence" and not statement.citations:
                raise UncitedStatement(statement.text)
            for citation in statement.citations:
                _check_citation(passages, citation)
        return self


def _add_counts(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return {
        name: _add_counts(one.get(name, {}), other.get(name, {}))
        if isinstance(one.get(name, other.get(name)), dict)
        else one.get(name, 0) + other.get(name, 0)
        for name in {**one, **other}
    }


def _check_citation(passages: dict[str, Passage], citation: Citation) -> None:
    if citation.passage_id not in passages:
        raise UnknownPassage(citation.passage_id)
    passage = passages[citation.passage_id]
    start, end = citation.start - passage.start, citation.end - passage.start
    if not citation.quote or start < 0 or passage.text[start:end] != citation.quote:
        raise Misquote(citation.passage_id, citation.quote)


def _convert_answer(given: dict[str, Any]) -> dict[str, Any]:
    """An answer as it is today; of versions 1 and 2 what is left out was decided by rules that are gone.

    Statements that were found instead of an answer are read as the closest sections, warnings for a patient as lines to
    check, and what was not checked for them as missing.
    """
    answer = {name: value for name, value in given.items() if name not in ("found_instead", "decision")}
    shown: dict[str, list[dict[str, int]]] = {}
    for citation in (one for near in given.get("found_instead", ()) for one in near["citations"]):
        shown.setdefault(citation["passage_id"], []).append({"start": citation["start"], "end": citation["end"]})
    if shown:
        sections = [{"passage_id": id, "shown": spans} for id, spans in shown.items()]
        answer |= {"head": "closest", "sections": sections}
    made = given.get("recommendation")
    if isinstance(made, dict) and "warnings" in made:
        known = ("drugs", "about", "passage", "citations")
        lines = [{name: warning[name] for name in known if name in warning} for warning in made["warnings"]]
        kept = {name: made[name] for name in ("strength", "certainty", "fit") if name in made}
        answer["recommendation"] = {**kept, "lines": lines, "missing": made.get("unchecked", ())}
    return answer
