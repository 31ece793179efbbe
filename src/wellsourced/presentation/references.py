"""The references of an answer: which work has which number, and how a work is printed."""

import textwrap
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from wellsourced.citations.people import parse_author
from wellsourced.citations.reference_styles import CitationStyle, render_context_object, render_reference
from wellsourced.presentation.blocks import CitedWork, Locator, Mark, Quote, References
from wellsourced.types import (
    NOT_REPORTED,
    Answer,
    Appraisal,
    Citation,
    Passage,
    ReadingDepth,
    Reference,
    cited_passage_ids,
)

DEPTH_WORDS: dict[ReadingDepth, str] = {
    "digest": "digest of the guideline",
    "abstract": "abstract",
    "excerpt": "excerpt of the abstract",
    "full text": "full text",
    "web page": "web page",
    "record": "row of a table",
}

MAX_TITLE_LENGTH = 120
"""Characters of a title in a reference; a longer one ends at a word."""


class NumberedReferences(NamedTuple):
    """The passages and references of an answer, each reference with the number it is cited by, and its appraisal."""

    passages: dict[str, Passage]
    numbers: dict[str, int]
    appraisals: dict[str, Appraisal]

    def list_numbers(self, citations: Sequence[Citation]) -> tuple[int, ...]:
        """The works that these citations quote, each once, in their order."""
        return tuple(dict.fromkeys(self.numbers[self.passages[each.passage_id].reference.id] for each in citations))

    def list_references(self) -> list[Reference]:
        """The works that are cited, by number."""
        by_id = {passage.reference.id: passage.reference for passage in self.passages.values()}
        return [by_id[reference_id] for reference_id in self.numbers]

    def quote(self, citations: Iterable[Citation]) -> tuple[Quote, ...]:
        """The words that citations quote, each passage's together while they follow each other."""
        passages = groupby(citations, key=lambda citation: citation.passage_id)
        return tuple(self.quote_passage(self.passages[id], [*members]) for id, members in passages)

    def quote_passage(self, passage: Passage, citations: Sequence[Citation]) -> Quote:
        """The words that these citations quote of a passage, marked in it."""
        reference = passage.reference
        appraisal = self.appraisals.get(reference.id)
        facts = (
            describe_appraisal(appraisal) if appraisal else "",
            DEPTH_WORDS[reference.depth],
            describe_retraction_check(reference),
            describe_fault(reference),
        )
        marks = tuple(Mark(citation.start - passage.start, citation.end - passage.start) for citation in citations)
        return Quote(passage.text, marks, self.locate(passage), tuple(filter(None, facts)))

    def locate(self, passage: Passage) -> Locator:
        """Where a passage is: its work with the year, its section, its page."""
        reference = passage.reference
        year = f", {reference.year}" if reference.year and str(reference.year) not in reference.title else ""
        return Locator(
            reference.id, f"{name_work(reference).rstrip('.')}{year}", passage.section, passage.page,
            passage.start, passage.end, self.numbers.get(reference.id, 0), find_link(reference),
        )  # fmt: skip


def number_references(answer: Answer) -> NumberedReferences:
    """Number the references in the order in which a reader meets them: the short answer comes first."""
    passages = {item.passage.id: item.passage for item in answer.evidence}
    # Leads are shown first, whatever their place in the answer, and numbers shall rise as one reads.
    met = sorted(answer.statements, key=lambda statement: not statement.lead)
    shown = (section.passage_id for section in answer.sections if answer.head != "nothing")
    ids = dict.fromkeys(passages[id].reference.id for id in (*shown, *cited_passage_ids(met)))
    appraisals = {item.passage.reference.id: item.appraisal for item in answer.evidence if item.appraisal}
    return NumberedReferences(passages, {id: number for number, id in enumerate(ids, start=1)}, appraisals)


def build_references(cited: NumberedReferences, style: CitationStyle | None = None) -> References:
    """The works that are cited. `style`: as which journals print them; None: in short."""
    works = enumerate(cited.list_references(), start=1)
    return References(tuple(_build_work(*work, cited, style) for work in works))


def _build_work(number: int, reference: Reference, cited: NumberedReferences, style: CitationStyle | None) -> CitedWork:
    appraisal = cited.appraisals.get(reference.id)
    # A fault is part of the reference; that there is none is worth a remark.
    remarks = (describe_appraisal(appraisal) if appraisal else "", describe_retraction_check(reference))
    return CitedWork(
        number, name_work(reference), describe_reference(reference, style), "; ".join(filter(None, remarks)),
        find_link(reference), render_context_object(reference),
    )  # fmt: skip


def describe_reference(reference: Reference, style: CitationStyle | None = None) -> str:
    """One work as short as it can be found by: first author, short title, journal or organisation, year, link.

    A journal or year that its title has is not repeated. A retraction, a concern and a correction stay.
    """
    if style:
        return f"{render_reference(reference, style)} ({DEPTH_WORDS[reference.depth]})"
    title = shorten_title(reference.title) or name_work(reference)
    # An organisation is whose a work is: its writers say no more.
    authors = () if reference.organisation else reference.authors
    author = f"{parse_author(authors[0])}{' et al' if len(authors) > 1 else ''}" if authors else ""
    issued = (reference.organisation or reference.journal.rstrip("."), str(reference.year or ""))
    issuer = " ".join(part for part in issued if part not in title)
    # A work without an address is found by its id, unless its title is the id.
    link = find_link(reference) or (reference.id if name_work(reference) != reference.id else "")
    parts = (_end_sentence(part) for part in (author, title, issuer) if part)
    fault = f"({words})" if (words := describe_fault(reference)) else ""
    return " ".join(filter(None, (*parts, link, f"({DEPTH_WORDS[reference.depth]})", fault)))


def _end_sentence(part: str) -> str:
    """A part with one stop behind it; a question has its own."""
    return part if part.endswith(("?", "!", "…")) else f"{part.rstrip('.')}."


def name_work(reference: Reference) -> str:
    """The title of a work; of one without, what its number is a number of, since a number alone names nothing."""
    if reference.title:
        return reference.title
    number = reference.id.rpartition(":")[2]
    # An id in words (a file's name, a chapter) already names the work.
    if not number.isdecimal():
        return reference.id
    return f"{'PubMed' if 'pubmed' in f'{reference.id} {reference.url}' else 'Record'} {number}, no title known"


def shorten_title(title: str) -> str:
    """A title, cut at a word where it is longer than a line or so."""
    return textwrap.shorten(title.rstrip("."), MAX_TITLE_LENGTH, placeholder="…")


def find_link(reference: Reference) -> str:
    """Where a work is on the web; "" when that is not known."""
    # A DOI outlives the address at which a service found the work.
    return f"https://doi.org/{reference.doi}" if reference.doi else reference.url


def describe_appraisal(appraisal: Appraisal) -> str:
    """What sort of study it is and what speaks against it; "" when nothing is known, and of a guideline's design."""
    sample = f" ({appraisal.sample})" if appraisal.sample != NOT_REPORTED else ""
    level = f", OCEBM level {appraisal.level}" if appraisal.level else ""
    # Of a guideline its kind is plain from its reference, and OCEBM levels are of studies.
    known = appraisal.design not in {NOT_REPORTED, "guideline"}
    parts = (
        f"{appraisal.design}{sample}{level}" if known else "",
        *(reason for reason in appraisal.reasons if known and not reason.startswith(("its ", "only its "))),
        f"population differs: {appraisal.misfit}" if appraisal.misfit else "",
        f"reports another work here: “{'”, “'.join(appraisal.cites)}”" if appraisal.cites else "",
    )
    return "; ".join(filter(None, parts))


def describe_fault(reference: Reference) -> str:
    """That a work was retracted, doubted or corrected, as far as any registry that was asked knows; "" if not."""
    # A retraction or a concern silences everything milder: corrections of a withdrawn work matter to no reader.
    if reference.retraction.objection:
        return reference.retraction.objection.upper()
    corrections = (notice for notice in reference.retraction.notices if notice.kind == "correction")
    return "; ".join(dict.fromkeys(f"corrected, see {notice.id or notice.published}" for notice in corrections))


def describe_retraction_check(reference: Reference) -> str:
    """That a registry was asked and knows of no retraction, and when; "" where none was asked."""
    retraction = reference.retraction
    as_of = f", as of {retraction.as_of}" if retraction.as_of else ""
    return f"not retracted{as_of}" if retraction.status == "false" else ""
