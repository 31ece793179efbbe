"""What tools give to an assistant: answers, passages and verdicts, small enough to be read whole."""

from collections.abc import Iterable

from wellsourced.app.factcheck.checked_text import CheckedText
from wellsourced.app.render.references import describe_retraction_status, name_work
from wellsourced.explain.explanation import Explanation
from wellsourced.server.pages.answer_view import find_address
from wellsourced.types import Answer, Document, Passage, Statement, Value, VerdictStatus


class ToolPassage(Value):
    """Words of a document: text is document[start:end].

    passage      its id, which the tool `open` and resources take
    retraction   what is known of one: "not retracted, as of …", "RETRACTED (…)", "" for nothing
    """

    passage: str
    document: str
    title: str
    year: int | None
    section: str
    address: str
    retraction: str
    start: int
    end: int
    text: str


class ToolStatement(Value):
    """A statement, what may be told of it, and the words of sources that it rests on, verbatim.

    status   "verbatim" and "verified" stand; "unverified" is nobody's word yet
    """

    text: str
    status: VerdictStatus
    leads: bool
    quotes: tuple[ToolPassage, ...]


class ToolAnswer(Value):
    """An answer; when `abstained`, `reason` says why, and `statements` are what stands nearest and is no answer.

    before_all   what comes first: an emergency, and what sources say against a drug for this patient
    missing      what could not be searched, or was not found
    """

    question: str
    abstained: bool
    reason: str
    before_all: tuple[str, ...]
    decision: str
    statements: tuple[ToolStatement, ...]
    missing: tuple[str, ...]


class ToolDocument(Value):
    """A stretch of a document: text is document[start:end]; `length` is that of all of it."""

    document: str
    title: str
    address: str
    sections: tuple[str, ...]
    length: int
    start: int
    end: int
    text: str


class ToolClaim(Value):
    """A claim of a text that was checked, and the words of a source that decide it."""

    claim: str
    status: VerdictStatus
    reason: str
    source: str
    quote: str


class ToolSource(Value):
    """A source that a text names: whether it is there, whether it could be read, and what is known against it."""

    key: str
    written: str
    standing: str
    read: str
    remark: str


class ToolCheck(Value):
    """A text that was checked."""

    claims: tuple[ToolClaim, ...]
    sources: tuple[ToolSource, ...]


class ToolTerm(Value):
    """A term of an order; no statement: no source here says what it is."""

    term: str
    long_form: str
    statements: tuple[ToolStatement, ...]


class ToolExplanation(Value):
    """An order that was explained; `signs` are the program's own plain words for signs of a prescription."""

    signs: dict[str, str]
    terms: tuple[ToolTerm, ...]
    follow_up: ToolAnswer | None


def tell_passage(passage: Passage, start: int | None = None, end: int | None = None) -> ToolPassage:
    """A passage, or those words of it that stand from `start` to `end` of the document."""
    start, end = passage.start if start is None else start, passage.end if end is None else end
    reference = passage.reference
    return ToolPassage(
        passage=passage.id,
        document=reference.id,
        title=name_work(reference),
        year=reference.year,
        section=passage.section,
        address=find_address(reference),
        retraction=describe_retraction_status(reference).strip(" ()"),
        start=start,
        end=end,
        text=passage.text[start - passage.start : end - passage.start],
    )


def tell_statements(answer: Answer, statements: Iterable[Statement]) -> tuple[ToolStatement, ...]:
    """Statements of an answer, with their quotes."""
    passages = {item.passage.id: item.passage for item in answer.evidence}
    return tuple(
        ToolStatement(
            text=one.text,
            status=one.verdict.status,
            leads=one.lead,
            quotes=tuple(tell_passage(passages[c.passage_id], c.start, c.end) for c in one.citations),
        )
        for one in statements
    )


def tell_answer(answer: Answer) -> ToolAnswer:
    """An answer, or why there is none."""
    # Apart from the statements: an assistant that quotes only those must still meet the alarm.
    emergency = [f"{answer.emergency.kind}: {answer.emergency.advice}"] if answer.emergency else []
    warnings = [one.sentence for one in answer.recommendation.warnings] if answer.recommendation else []
    decision = answer.decision
    return ToolAnswer(
        question=answer.question.text,
        abstained=answer.abstained,
        reason=answer.reason,
        before_all=(*emergency, *warnings),
        decision=f"{decision.label} (right in {decision.probability:.0%} of such answers)" if decision else "",
        # What an abstention found is given too, under `abstained`, which INSTRUCTIONS tell the assistant to say.
        statements=tell_statements(answer, answer.found_instead if answer.abstained else answer.statements),
        missing=(*(f"{gap.source} ({gap.status}): {gap.reason}" for gap in answer.gaps), *answer.not_found),
    )


def tell_document(document: Document, start: int, end: int) -> ToolDocument:
    """document[start:end]."""
    return ToolDocument(
        document=document.reference.id,
        title=name_work(document.reference),
        address=find_address(document.reference),
        sections=tuple(one.title for one in document.sections if one.title),
        length=len(document.text),
        start=start,
        end=min(end, len(document.text)),
        text=document.text[start:end],
    )


def tell_check(result: CheckedText) -> ToolCheck:
    """What became of each claim, and of each source."""
    claims = []
    for claim, verdict in result.judged_claims:
        pairs = result.find_deciding(claim, verdict)
        quote, source = (pairs[0].quote, pairs[0].source) if pairs else ("", "")
        claims.append(
            ToolClaim(claim=claim.text, status=verdict.status, reason=verdict.reason, source=source, quote=quote)
        )
    written = {one.key: one.written for one in result.checkup.submitted.sources}
    sources = tuple(
        ToolSource(
            key=one.key,
            written=written.get(one.key, ""),
            standing=one.standing,
            read=one.fetched,
            remark="; ".join(filter(None, (one.reason, one.reference.retraction.objection if one.reference else ""))),
        )
        for one in result.checkup.traced
    )
    return ToolCheck(claims=tuple(claims), sources=sources)


def tell_explanation(told: Explanation) -> ToolExplanation:
    """Each term with what sources say that it is."""
    return ToolExplanation(
        signs={one.sign: one.meaning for one in told.signs},
        terms=tuple(
            ToolTerm(
                term=one.term, long_form=one.long_form, statements=tell_statements(one.answer, one.answer.statements)
            )
            for one in told.terms
        ),
        follow_up=tell_answer(told.follow_up) if told.follow_up else None,
    )
