"""What an answer without a language model shows: its head, what it says in short, and sections with their marks."""

from collections.abc import Iterator

from wellsourced.answering.heads import describe_closest
from wellsourced.errors import NextStep
from wellsourced.presentation.blocks import Block, Excerpt, Heading, List, Mark, Text, place_notes
from wellsourced.presentation.references import NumberedReferences, shorten_title
from wellsourced.presentation.wording import name_place
from wellsourced.types import Answer, AnswerSection, Citation, Erratum, Passage, Statement

NOTHING = "Nothing in your sources on this."
NOT_CHOSEN = "No option is chosen without a language model."


def build_sections(answer: Answer, cited: NumberedReferences) -> Iterator[Block]:
    """The head, unless the sections answer; what is said in short; the sections, part by part of the question."""
    head = describe_head(answer)
    is_near = answer.head == "closest"
    if head:
        # The reason may begin with the head, and goes on with what kept an answer from being found.
        more = "" if head.endswith(answer.reason) else answer.reason.removeprefix(head).strip()
        yield List(head, (Text(more),) if more else (), "abstention")
    if answer.head == "nothing":
        titles = dict.fromkeys(name_section(cited.passages[one.passage_id], cited) for one in answer.sections)
        near = describe_closest(answer.absent) if answer.absent else "Closest sections, which do not answer it"
        yield List(near.rstrip("."), tuple(map(Text, titles)))
        return
    if answer.readership:
        yield Text(answer.readership, "strong")
    if answer.absent and not is_near:
        yield Text(f"Not found by name in these sections: {', '.join(answer.absent)}.", "strong")
    leads = [statement for statement in answer.statements if statement.lead and not is_near]
    if leads:
        yield Heading("In short", is_lead=True)
        yield from _build_short(leads, cited)
        yield Heading("In full")
    parts = dict.fromkeys((*(one.part for one in answer.sections), *answer.not_found))
    for part in parts:
        yield from [Heading(part[:1].upper() + part[1:])] if part and part not in answer.not_found else []
        level = 3 if part or leads else 2
        yield from (_build_section(one, cited, level, is_near) for one in answer.sections if one.part == part)
        yield from [Text(f"Not found: {part}", "strong")] if part in answer.not_found else []
    if answer.question.options:
        yield Text(NOT_CHOSEN, "aside", step=NextStep("choose model"))


def describe_head(answer: Answer) -> str:
    """What can be said of the sections, in a sentence; "" where they answer, which needs no words."""
    if answer.head == "nothing":
        # What could not be searched may hold an answer.
        was_searched = any(attempt.status != "failed" for attempt in answer.attempts)
        return NOTHING if was_searched or answer.question.given else f"No answer is given. {answer.reason}"
    return describe_closest(answer.absent) if answer.head == "closest" else ""


def name_section(passage: Passage, cited: NumberedReferences) -> str:
    """A section by its work, the year and its headings: "Guideline for gout, 2020 › Treatment › Flares, page 3"."""
    place = cited.locate(passage)
    return " › ".join(filter(None, (shorten_title(place.title), name_place(place))))


def _build_short(leads: list[Statement], cited: NumberedReferences) -> Iterator[Excerpt]:
    """The marked units, whole, each under its heading; those under one heading together, each line once.

    The first heading of a work has its title: what is given for "acute pain" may be given for burns.
    """
    named = set[str]()
    units: dict[tuple[str, str], list[Citation]] = {}
    errata: dict[tuple[str, str], dict[Erratum, None]] = {}
    for lead in leads:
        for citation in lead.citations:
            units.setdefault((citation.passage_id, lead.topic), []).append(citation)
            errata.setdefault((citation.passage_id, lead.topic), {}).update(dict.fromkeys(lead.errata))
    for (id, topic), citations in units.items():
        passage = cited.passages[id]
        notes = place_notes(errata[id, topic], passage.start)
        shown = tuple((one.start - passage.start, one.end - passage.start) for one in citations)
        work = cited.locate(passage).title
        # An abstract has no heading but the title of its work, which is told already.
        topic = "" if topic == passage.reference.title else topic
        is_named = topic and work in named
        title = topic if is_named else f"{shorten_title(work)} › {topic}" if topic else name_section(passage, cited)
        named.add(work)
        yield Excerpt(title, passage.text, cited.locate(passage), (), shown, notes, level=3, is_lead=True)


def _build_section(section: AnswerSection, cited: NumberedReferences, level: int, is_near: bool) -> Excerpt:
    passage = cited.passages[section.passage_id]
    spans = () if is_near else sorted({(one.start, one.end) for unit in section.marked for one in unit})
    return Excerpt(
        name_section(passage, cited),
        passage.text,
        cited.locate(passage),
        tuple(Mark(start - passage.start, end - passage.start) for start, end in spans),
        tuple((one.start - passage.start, one.end - passage.start) for one in section.shown),
        place_notes(section.errata, passage.start),
        level=level,
        step=NextStep("open passage", passage.id),
    )
