"""Questions from systematic reviews that ask one in their title, as PubMedRS-200 has them (Lozano et al., PSB 2024).

Each has the review as its source, which should not answer it, the last day before the review was public, the works that
the review cites, and the findings of its conclusion as the answer that people gave.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from wellsourced.readers.reviewed_works import ReviewRecord
from wellsourced.text.tables import read_rows
from wellsourced_evaluate.builders.articles import CONCLUSION_LABELS, ArticlePart, find_conclusion
from wellsourced_evaluate.builders.built_set import BuildHeader, BuiltItem, Manifest, SetWriter
from wellsourced_evaluate.builders.review_titles import read_title_question

BUILDER = "review-questions"

BATCH = 100
"""Records that are asked for at a time: a review with its references has about 100 KB."""

MeetProgress = Callable[[int, int], None]
"""Who hears how many records were looked at, of how many."""


class FetchResult(Protocol):
    """Records by their PMIDs, why others were not given, and what went wrong with reference lists."""

    @property
    def reviews(self) -> Mapping[str, ReviewRecord]: ...

    @property
    def missing(self) -> Mapping[str, str]: ...

    @property
    def notes(self) -> Sequence[str]: ...


class ReviewFinder(Protocol):
    """Who finds reviews and gives their records: `config.open_review_search`."""

    async def find_reviews(self, term: str, most: int, since: date | None, until: date | None) -> tuple[str, ...]: ...

    async def fetch_reviews(self, pmids: Sequence[str]) -> FetchResult: ...


class ReviewTask(NamedTuple):
    """What is looked for, and into which file.

    topic         an expression in PubMed's language; "" for any
    specialties   names of SPECIALTIES, each searched for apart; none: all of medicine in one search
    records       looked at for each specialty, at most
    service       the address of PubMed
    """

    out: Path
    topic: str = ""
    specialties: tuple[str, ...] = ()
    records: int = 500
    since: date | None = None
    until: date | None = None
    service: str = ""
    fresh: bool = False


@cache
def load_specialties() -> dict[str, str]:
    """Name → what PubMed is asked for it: headings of MeSH, of which those below them count too."""
    rows = read_rows("wellsourced_evaluate.builders", "specialties.tsv")
    return {row[0]: row[1] for row in rows}


async def build_review_questions(task: ReviewTask, finder: ReviewFinder, say: MeetProgress) -> Manifest:
    """Write questions.jsonl with its manifest; a build that was cut short goes on, and asks for no record twice.

    Raises as a live source does, SourceRefused.
    """
    options = task._asdict() | {"since": str(task.since or ""), "until": str(task.until or "")}
    header = BuildHeader(
        builder=BUILDER,
        seed=0,
        options={name: options[name] for name in ("topic", "specialties", "records", "since", "until")},
        inputs={f"PubMed ({task.service})": ""},
    )
    writer = SetWriter(task.out, header, fresh=task.fresh)
    if writer.manifest:
        return writer.manifest
    notes: list[str] = []
    try:
        async for item in _look_through(task, finder, writer.items, say, notes):
            writer.add(item)
    finally:
        writer.close()
    return writer.finish(("specialty",), tuple(notes))


async def _look_through(
    task: ReviewTask, finder: ReviewFinder, known: Mapping[str, BuiltItem], say: MeetProgress, notes: list[str]
) -> AsyncIterator[BuiltItem]:
    """What comes of each review, specialty after specialty; of a review of two specialties the first counts."""
    wanted: dict[str, str] = {}
    for specialty in task.specialties or ("",):
        parts = (task.topic, load_specialties().get(specialty, ""))
        term = " AND ".join(f"({part})" for part in parts if part)
        for pmid in await finder.find_reviews(term, task.records, task.since, task.until):
            wanted.setdefault(pmid, specialty)
    open_ones = [pmid for pmid in wanted if f"pubmed:{pmid}" not in known]
    for start in range(0, len(open_ones), BATCH):
        say(len(wanted) - len(open_ones) + start, len(wanted))
        batch = open_ones[start : start + BATCH]
        fetched = await finder.fetch_reviews(batch)
        notes += fetched.notes
        for pmid in batch:
            if pmid in fetched.reviews:
                yield build_review_item(fetched.reviews[pmid], wanted[pmid])
            else:
                yield BuiltItem(key=f"pubmed:{pmid}", left_out=fetched.missing[pmid])


def build_review_item(review: ReviewRecord, specialty: str) -> BuiltItem:
    """A question of the review, or why there is none."""
    record, key = review.record, f"pubmed:{review.record.pmid}"
    asked = read_title_question(record.title)
    parts = [ArticlePart(part.label, part.text) for part in record.abstract]
    findings = find_conclusion(parts)
    if asked.reason:
        reason = asked.reason
    elif any(notice.kind == "retraction" for notice in record.notices):
        reason = "it was retracted"
    elif not any(part.text for part in parts):
        reason = "it has no abstract"
    elif not any(CONCLUSION_LABELS.search(part.label) for part in parts):
        reason = "its abstract has no part that is called a conclusion"
    elif not findings:
        reason = "its conclusion says no finding"
    elif review.public is None:
        reason = "it does not say when it was published"
    else:
        return BuiltItem(key=key, rows=(_build_row(review, asked.text, findings, parts, specialty),))
    return BuiltItem(key=key, left_out=reason, detail=record.title)


def _build_row(
    review: ReviewRecord, question: str, findings: tuple[str, ...], parts: list[ArticlePart], specialty: str
) -> dict[str, Any]:
    record, public = review.record, review.public
    assert public is not None  # noqa: S101 - whoever calls has looked
    row: dict[str, Any] = {
        "id": f"review-{record.pmid}",
        "question": question,
        "answerable": True,
        "source": [f"pubmed:{record.pmid}", *([f"doi:{record.doi}"] if record.doi else [])],
        "as_of": (public - timedelta(days=1)).isoformat(),
        "published": public.isoformat(),
        "must_have": list(findings),
        "human_answer": " ".join(findings),
        "conclusion": " ".join(part.text for part in parts if CONCLUSION_LABELS.search(part.label)),
        "title": record.title,
        "gold_ref_pmids": list(review.cited.pmids),
        "gold_ref_dois": list(review.cited.dois),
        "references_listed": review.cited.entries,
        "mesh": list(record.mesh),
        "specialty": specialty,
        "group": f"pubmed:{record.pmid}",
    }
    return row | ({} if review.cited.entries else {"flag": "no_references"})
