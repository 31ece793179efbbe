"""Answers of any system as ours, for what measures citations: sentences with marks, and the texts these refer to.

A row has an answer, as text, and `refs`, by the names that tools give them (`contexts` of Ragas, `source_documents`
with `page_content` of LangChain); a Markdown file has its own list. A mark refers to the ref of that number.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from wellsourced.citations.markers import find_markers
from wellsourced.citations.reference_lists import extract_reference_list
from wellsourced.claims.extraction import split_segments
from wellsourced.factcheck.load.answer_rows import FIELD_NAMES
from wellsourced.text.sentences import Span
from wellsourced.types import Answer, Citation, Evidence, Passage, Question, Reference, Statement, Verdict

ANSWER_NAMES = FIELD_NAMES["answer"]
QUESTION_NAMES = (*FIELD_NAMES["question"], "user_input")
REF_NAMES = (
    "refs",
    "references",
    "contexts",
    "retrieved_contexts",
    "source_documents",
    "documents",
    "context",
    "citations",
)
GOLD_NAMES = ("gold", "ground_truth", "reference")
TEXT_NAMES = ("text", "content", "page_content", "abstract", "snippet", "passage")
LABEL_NAMES = ("number", "label", "key", "n")
SCORE_NAMES = ("score", "relevance", "similarity", "relevance_score")

UNJUDGED = Verdict(label="unjudged", score=0.0)

QUOTE_LENGTH = 40


class CitedRef(NamedTuple):
    """A text that an answer may cite; `score` of the ranker that found it, None where none is given."""

    label: str
    text: str
    score: float | None


def read_foreign(row: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a recorded answer. Raises ValueError that says what is wrong with the row."""
    text = str(_take(row, ANSWER_NAMES) or "")
    given = _take(row, REF_NAMES) or ()
    if not isinstance(given, list | tuple):
        raise ValueError("refs: they are no list")
    refs = [_read_ref(one, str(place)) for place, one in enumerate(given, 1)]
    listed = extract_reference_list(text)
    if not refs:
        refs = [CitedRef(one.label, text[one.start : one.end].strip(), None) for one in listed.entries]
    if not refs:
        raise ValueError("refs: the answer comes without the texts that it cites")
    question, gold = _take(row, QUESTION_NAMES), _take(row, GOLD_NAMES)
    statements = list(_read_statements(text, refs, listed.spans))
    labels = [label for _, marks in statements for label in marks]
    known = {one.label for one in refs if one.text}
    return {
        "id": row.get("id", row.get("question_id")),
        "gold": gold if isinstance(gold, str) else "",
        "answer": _build_answer(str(question or "not recorded"), refs, statements),
        "unresolved": sum(label not in known for label in labels),
        "lone_unresolved": sum(bool(marks) and known.isdisjoint(marks) for _, marks in statements),
        "fluency": row.get("fluency"),
        "is_scored": all(one.score is not None for one in refs),
    }


def _take(row: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((row[name] for name in names if row.get(name)), None)


def _read_ref(given: Any, place: str) -> CitedRef:
    """A ref is its text, or an object that has one."""
    if isinstance(given, str):
        return CitedRef(place, given.strip(), None)
    if not isinstance(given, dict) or not isinstance(text := _take(given, TEXT_NAMES), str):
        raise ValueError(f"refs.{place}: it has no text")
    score = next((given[name] for name in SCORE_NAMES if isinstance(given.get(name), int | float)), None)
    return CitedRef(str(_take(given, LABEL_NAMES) or place), text.strip(), score)


def _read_statements(
    text: str, refs: Sequence[CitedRef], lists: Sequence[Span]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each sentence, item and row with the labels that its marks name; headings and lists of references say nothing."""
    marks = find_markers(text, [one.label for one in refs])
    for piece in split_segments(text, marks, lists):
        if not piece.is_heading:
            yield piece.words, tuple(dict.fromkeys(label for mark in piece.marks for label in mark.labels))


def _build_answer(question: str, refs: Sequence[CitedRef], statements: Sequence[tuple[str, tuple[str, ...]]]) -> Answer:
    passages = {
        one.label: Passage(reference=Reference(id=f"ref:{one.label}"), text=one.text, start=0, end=len(one.text))
        for one in refs
        if one.text
    }
    scores = {one.label: one.score or 0.0 for one in refs}

    def cite(passage: Passage) -> Citation:
        quote = passage.text[:QUOTE_LENGTH]
        return Citation(passage_id=passage.id, quote=quote, start=0, end=len(quote))

    return Answer(
        question=Question(text=question),
        basis="parametric",  # so that a statement may cite nothing
        evidence=tuple(Evidence(passage=one, relevance=scores[label]) for label, one in passages.items()),
        statements=tuple(
            Statement(
                text=words,
                verdict=UNJUDGED,
                citations=tuple(cite(passages[label]) for label in labels if label in passages),
            )
            for words, labels in statements
        ),
    )
