"""An answer of our own as a text that is checked: its statements are the claims, its citations say their sources."""

from collections.abc import Sequence

from wellsourced.citations.reference_styles import render_reference
from wellsourced.claims.extraction import strip_citation_markers
from wellsourced.types import Answer, CitedSource, Claim, Document, Reference, Statement, SubmittedText

PARAGRAPH_BREAK = "\n\n"


def convert_answer(answer: Answer, id: str = "answer") -> SubmittedText:
    """The answer as a text, taken apart along its own joints: nothing is read out of words that it says outright.

    The text has the statements, a paragraph each, with the numbers of their sources, and the list of these.
    """
    cites = _cited_works(answer)
    numbers = {one: str(number) for number, one in enumerate(dict.fromkeys(one for its in cites for one in its), 1)}
    text = ""
    claims: list[Claim] = []
    for statement, its in zip(answer.statements, cites, strict=True):
        keys = tuple(numbers[one] for one in its)
        words = statement.text.strip()
        claim = Claim(
            number=len(claims),
            text=strip_citation_markers(words) or words,
            start=len(text),
            end=len(text) + len(words),
            cites=keys,
        )
        claims.append(claim)
        marks = f" [{', '.join(keys)}]" if keys else ""
        text += f"{words}{marks}{PARAGRAPH_BREAK}"
    sources, text, other = _append_references(text, numbers)
    notes = _collect_notes(answer.statements, sources)
    document = Document(reference=Reference(id=id, title=answer.question.text), text=text.rstrip())
    return SubmittedText(document=document, claims=tuple(claims), sources=sources, other=other, notes=notes)


def _cited_works(answer: Answer) -> list[tuple[Reference, ...]]:
    """Of each statement, the works that it cites, each once."""
    references = {one.passage.id: one.passage.reference for one in answer.evidence}
    first = {one.id: one for one in references.values()}
    return [
        tuple(dict.fromkeys(first[references[citation.passage_id].id] for citation in statement.citations))
        for statement in answer.statements
    ]


def _append_references(
    text: str, numbers: dict[Reference, str]
) -> tuple[tuple[CitedSource, ...], str, tuple[tuple[int, int], ...]]:
    """(the sources, the text with their list behind it, where the heading of the list stands)."""
    if not numbers:
        return (), text, ()
    heading = (len(text), len(text) + len("References"))
    text += f"References{PARAGRAPH_BREAK}"
    sources = []
    for reference, number in numbers.items():
        entry = f"{number}. {render_reference(reference, 'vancouver')}"
        sources.append(_build_cited(reference, number, entry, len(text)))
        text += f"{entry}\n"
    return tuple(sources), text, (heading,)


def _build_cited(reference: Reference, number: str, entry: str, start: int) -> CitedSource:
    said = {name: getattr(reference, name) for name in ("url", "doi", "pmid", "pmcid", "title", "authors", "journal")}
    end, year = start + len(entry), str(reference.year or "")
    return CitedSource(key=number, written=entry, start=start, end=end, marks=(number,), year=year, **said)


def _collect_notes(statements: Sequence[Statement], sources: Sequence[CitedSource]) -> tuple[str, ...]:
    if not statements:
        return ("the answer states nothing",)
    return () if sources else ("the text names no source",)
