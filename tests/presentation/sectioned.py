"""Answers without a language model, made by hand from whole documents: sections, what of them is shown and marked."""

from collections.abc import Sequence

from wellsourced.types import (
    Answer,
    AnswerHead,
    AnswerSection,
    Citation,
    Document,
    Evidence,
    Passage,
    Question,
    Statement,
    TextSpan,
    Verdict,
)


def cut_section(document: Document, title: str) -> Passage:
    """The whole section whose headings end with this title."""
    part = next(one for one in document.sections if one.title.endswith(title))
    words = document.text[part.start : part.end]
    return Passage(reference=document.reference, text=words, start=part.start, end=part.end, section=part.title)


def find_spans(passage: Passage, lines: Sequence[str]) -> tuple[TextSpan, ...]:
    """Where these words are in the document."""
    starts = [passage.start + passage.text.index(line) for line in lines]
    return tuple(TextSpan(start=at, end=at + len(line)) for at, line in zip(starts, lines, strict=True))


def show_section(
    passage: Passage, marked: Sequence[Sequence[str]] = (), shown: Sequence[str] = (), part: str = ""
) -> AnswerSection:
    """A section of which these lines are shown (all without any), and these units are marked."""
    whole = (TextSpan(start=passage.start, end=passage.end),)
    units = tuple(find_spans(passage, unit) for unit in marked)
    return AnswerSection(
        passage_id=passage.id, shown=find_spans(passage, shown) if shown else whole, marked=units, part=part
    )


def say_in_short(passage: Passage, *lines: str, topic: str = "") -> Statement:
    """A marked unit of a section, as an answer says it in short."""
    spans = find_spans(passage, lines)
    citations = tuple(
        Citation(passage_id=passage.id, quote=line, start=span.start, end=span.end)
        for line, span in zip(lines, spans, strict=True)
    )
    verdict = Verdict(label="supports", score=1.0, basis="verbatim")
    return Statement(text=" ".join(lines), citations=citations, verdict=verdict, topic=topic, lead=True)


def answer_with(
    question: str, passages: Sequence[Passage], head: AnswerHead = "in your sources", **more: object
) -> Answer:
    """An answer whose evidence these sections are."""
    evidence = tuple(Evidence(passage=passage, relevance=1.0) for passage in dict.fromkeys(passages))
    is_found = head == "in your sources"
    return Answer(
        question=Question(text=question),
        head=head,
        evidence=evidence,
        abstained=not is_found,
        **more,  # type: ignore[arg-type]
    )
