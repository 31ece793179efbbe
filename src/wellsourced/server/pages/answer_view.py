"""An answer, and a document, as their pages show them: the same words as the terminal's, with every quote in its
place.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from wellsourced.app.factcheck.checked_text import STATUS_MARKS, STATUS_WORDS
from wellsourced.app.render import answer_notes as noted
from wellsourced.app.render.answer import (
    AbstentionStep,
    abstention_lines,
    authorship_lines,
    choose_warning,
    decision_lines,
    describe_time,
    failure_lines,
    group_by_topic,
    retraction_lines,
)
from wellsourced.app.render.answer_notes import warning_lines
from wellsourced.app.render.references import (
    DEPTH_WORDS,
    NumberedReferences,
    describe_appraisal,
    describe_publisher,
    describe_retraction_status,
    name_work,
    number_references,
)
from wellsourced.app.render.search_receipt import describe_search, note_lines, search_lines
from wellsourced.app.render.statements import lay_out_statement, split_headings
from wellsourced.citations.reference_styles import render_context_object
from wellsourced.context import Context
from wellsourced.errors import NotFoundError
from wellsourced.presentation.terminal import TerminalPage
from wellsourced.server import messages
from wellsourced.sources.base import Source
from wellsourced.types import NOT_REPORTED, Answer, Citation, Document, Omission, Reference, Statement

WHOLE_LINES = TerminalPage(width=1_000_000)
"""A page whose lines are never broken: a browser breaks them."""

NEXT_STEPS: dict[AbstentionStep, str] = {
    "add files": "Add files of your own, on the page Library.",
    "mend a source": "See to what is missing, below: a source could not be searched.",
    "ask otherwise": "Ask in other words, or one thing at a time.",
    "read on": "Read what was found and left out, below.",
    "search research": (
        "Search research too: add articles of your own on the page Library, or ask whoever runs this server to search "
        "PubMed (the setting live; the words of searches then leave its machine)."
    ),
}
"""What can be done from a page."""

MAX_OMISSIONS = 300


class PartItem(NamedTuple):
    """A line, and what hangs on it: the words of a warning, and where else they stand."""

    text: str
    details: tuple[str, ...] = ()


class Part(NamedTuple):
    """A heading and what stands under it."""

    heading: str
    items: tuple[PartItem, ...]


class MarkedText(NamedTuple):
    """Words of a document, and whether they were quoted."""

    text: str
    marked: bool


class DocumentPart(NamedTuple):
    """A section, or what lies between two."""

    title: str
    stretches: tuple[MarkedText, ...]


class LocalDocument(NamedTuple):
    """A document, and the source on this machine that has it."""

    document: Document
    source: Source


async def find_local_document(id: str, context: Context) -> LocalDocument:
    """A document of a source on this machine; nothing is asked over the network for a page. Raises NotFoundError."""
    for source in context.sources:
        # A page that is looked at must not send anything over the network, which a live source's `open` would.
        if not (await source.describe()).live:
            try:
                return LocalDocument(await source.open(id), source)
            except NotFoundError:
                continue
    raise NotFoundError(messages.NO_LOCAL_DOCUMENT)


async def open_local_document(id: str, context: Context) -> Document:
    """As `find_local_document`, the document alone."""
    return (await find_local_document(id, context)).document


def view_document(document: Document, spans: Sequence[tuple[int, int]]) -> tuple[DocumentPart, ...]:
    """All of a document, with these spans of its text marked. Offsets beyond it mark nothing."""
    titles = {section.start: section.title for section in document.sections}
    edges = sorted({0, len(document.text), *titles, *(section.end for section in document.sections)})
    parts = []
    for left, right in pairwise(edges):
        text = document.text[left:right]
        # What lies between sections are their headings, which stand as titles already.
        if left in titles or (text.strip() and not document.sections):
            stretches = mark_spans(text, [(start - left, end - left) for start, end in spans])
            parts.append(DocumentPart(titles.get(left, ""), stretches))
    return tuple(parts)


def mark_spans(text: str, spans: Sequence[tuple[int, int]]) -> tuple[MarkedText, ...]:
    """A text as stretches, of which the spans are marked; what lies outside of it, or in another span, is left out."""
    stretches, at = [], 0
    for start, end in sorted(spans):
        # Two statements may quote overlapping words, which are marked once.
        start, end = max(start, at), min(end, len(text))
        if start < end:
            stretches += [MarkedText(text[at:start], False), MarkedText(text[start:end], True)]
            at = end
    return tuple(one for one in (*stretches, MarkedText(text[at:], False)) if one.text)


class QuoteView(NamedTuple):
    """A passage in which words that a statement rests on are marked; `printed`: on pages that can be shown."""

    stretches: tuple[MarkedText, ...]
    number: int
    title: str
    place: str
    facts: tuple[str, ...]
    document: str
    start: int
    end: int
    link: str
    printed: bool


class StatementView(NamedTuple):
    """A statement: an introduction and items, its marks, what it is and the words it rests on.

    note   what of it is not verified, or not for the patient; "" when there is nothing to say
    """

    intro: str
    items: tuple[str, ...]
    numbers: tuple[int, ...]
    status: str
    symbol: str
    status_words: str
    note: str
    quotes: tuple[QuoteView, ...]


class Topic(NamedTuple):
    """Statements under a heading; "" where nothing has one."""

    heading: str
    statements: tuple[StatementView, ...]


class ReferenceView(NamedTuple):
    """A row of the table of works.

    context_object   by which a reference manager takes the work up from the page
    """

    number: int
    title: str
    publisher: str
    year: str
    design: str
    sample: str
    depth: str
    standing: str
    remarks: str
    link: str
    document: str
    context_object: str


class AnswerView(NamedTuple):
    """The page of an answer, part by part; empty parts are left out."""

    question: str
    abstained: bool
    reason: str
    before: tuple[Part, ...]
    lead: Topic
    decision: tuple[str, ...]
    topics: tuple[Topic, ...]
    nearest: Topic
    after: tuple[Part, ...]
    references: tuple[ReferenceView, ...]
    receipt: Part
    left_out: tuple[Omission, ...]
    more_left_out: int
    summary: str
    warning: str


def view_answer(answer: Answer) -> AnswerView:
    """What the page of an answer says."""
    cited = number_references(answer)
    page = WHOLE_LINES
    nothing = Topic("", ())
    instead = sorted(answer.found_instead, key=lambda one: not one.lead)
    return AnswerView(
        question=answer.question.asked or answer.question.text,
        abstained=answer.abstained,
        reason=answer.reason,
        before=_list_parts(
            noted.emergency_lines(answer, page), noted.basis_lines(answer, page), warning_lines(answer, page)
        ),
        lead=Topic("In short", _view_statements((one for one in answer.statements if one.lead), cited)),
        decision=(*decision_lines(answer, page), *noted.choice_lines(answer, page)),
        topics=tuple(Topic(title, _view_statements(some, cited)) for title, some in group_by_topic(answer, cited)),
        nearest=Topic("What they say that is nearest", _view_statements(instead, cited)) if instead else nothing,
        after=_list_parts(
            authorship_lines(answer, page),
            # Why nothing is said, and the statements that are nearest, stand above.
            *(
                list(abstention_lines(answer, cited, page, NEXT_STEPS))[2 if instead else 1 :]
                if answer.abstained
                else []
            ),
            noted.gloss_lines(answer, page),
            noted.recommendation_lines(answer, page),
            noted.conflict_lines(answer, cited, page),
            noted.study_card_lines(answer, cited, page),
            retraction_lines(answer, page),
            note_lines(answer, page),
            failure_lines(answer, page),
            noted.uncited_lines(answer, cited, page),
        ),
        references=tuple(_view_references(cited)),
        receipt=part_of(search_lines(answer, page)) or Part("Searched", ()),
        left_out=answer.dropped[:MAX_OMISSIONS],
        more_left_out=max(0, len(answer.dropped) - MAX_OMISSIONS),
        summary=f"{'. '.join(filter(None, (describe_search(answer, cited), describe_time([answer]))))}.",
        warning=choose_warning([answer]),
    )


def part_of(lines: Sequence[str]) -> Part | None:
    """Lines of the terminal as a heading with items; None for no lines."""
    if not lines:
        return None
    items: list[PartItem] = []
    # The first line below the heading sets the depth of items: what is deeper belongs to the item before it.
    first = _count_indent(lines[1]) if len(lines) > 1 else 0
    for line in lines[1:]:
        text = line.strip().lstrip("•-! ").strip()
        if items and _count_indent(line) > first:
            items[-1] = items[-1]._replace(details=(*items[-1].details, text))
        else:
            items.append(PartItem(text))
    return Part(lines[0].strip(), tuple(items))


def _count_indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _list_parts(*lines: Sequence[str]) -> tuple[Part, ...]:
    return tuple(filter(None, map(part_of, lines)))


def _view_statements(statements: Iterable[Statement], cited: NumberedReferences) -> tuple[StatementView, ...]:
    return tuple(_view_statement(one, cited) for one in statements)


def _view_statement(statement: Statement, cited: NumberedReferences) -> StatementView:
    layout = lay_out_statement(split_headings(statement, cited), cited, WHOLE_LINES)
    works = dict.fromkeys(cited.find_reference(citation).id for citation in statement.citations)
    status = statement.verdict.status
    return StatementView(
        layout.intro,
        layout.items,
        tuple(cited.numbers[one] for one in works),
        status,
        STATUS_MARKS[status],
        STATUS_WORDS[status],
        # The marks themselves are links of the page.
        cited.format_markers(statement).partition(" (")[2].removesuffix(")"),
        tuple(_view_quotes(list(some), cited) for _, some in groupby(statement.citations, key=lambda c: c.passage_id)),
    )


def _view_quotes(citations: Sequence[Citation], cited: NumberedReferences) -> QuoteView:
    passage = cited.passages[citations[0].passage_id]
    reference = passage.reference
    appraisal = cited.appraisals.get(reference.id)
    place = (passage.section, f"page {passage.page}" if passage.page else "")
    facts = (
        describe_appraisal(appraisal) if appraisal else "",
        str(reference.year or ""),
        DEPTH_WORDS[reference.depth],
        describe_retraction_status(reference).strip(" ()"),
    )
    return QuoteView(
        mark_spans(passage.text, [(one.start - passage.start, one.end - passage.start) for one in citations]),
        cited.numbers[reference.id],
        name_work(reference),
        ", ".join(filter(None, place)),
        tuple(filter(None, facts)),
        reference.id,
        min(one.start for one in citations),
        max(one.end for one in citations),
        find_address(reference),
        bool(passage.page),
    )


def _view_references(cited: NumberedReferences) -> Iterator[ReferenceView]:
    for number, reference in enumerate(cited.list_references(), start=1):
        appraisal = cited.appraisals.get(reference.id)
        design = appraisal.design if appraisal else NOT_REPORTED
        level = f", level {appraisal.level}" if appraisal and appraisal.level else ""
        yield ReferenceView(
            number,
            name_work(reference),
            describe_publisher(reference),
            str(reference.year or ""),
            "–" if design == NOT_REPORTED else f"{design}{level}",
            "–" if appraisal is None or appraisal.sample == NOT_REPORTED else appraisal.sample,
            DEPTH_WORDS[reference.depth],
            describe_retraction_status(reference).strip(" ()") or "not asked",
            describe_appraisal(appraisal) if appraisal else "",
            find_address(reference),
            reference.id,
            render_context_object(reference),
        )


def find_address(reference: Reference) -> str:
    """Where a work is on the web; "" when that is not known."""
    # A DOI outlives the address at which a service found the work.
    return f"https://doi.org/{reference.doi}" if reference.doi else reference.url
