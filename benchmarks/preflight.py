"""How well the preflight tells that what answers does not stand among the first: the check that spares map and reduce.

Of each question the best 16 documents are taken, each by its best passage. It is an issue when none that answers is
among the first three; a question of which none was found is left out, for neither way of reading can help it.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from benchmarks.corpora import TASKS, Asked, Bench, asked, library
from benchmarks.report import Report, working
from benchmarks.retrieval import PASSAGES
from wellsourced.encoders.base import Encoder
from wellsourced.pipeline.write.map_reduce import run_preflight
from wellsourced.policy import CondensePolicy
from wellsourced.sources.library import Library
from wellsourced.types import Hit, Passage, Query
from wellsourced_evaluate.preflight.confusion import Confusion

READ = 16
"""Documents that are read of each question."""

SPOTLIGHT = 3
"""Places at which a model is known to see what answers."""

SETS = TASKS[:3]

TOPS = (1, 2, 3, 5, 8)
"""How many of the best are compared; 3 is published."""

PUBLISHED = "PubMedQA and BioASQ, MedCPT against BM25, n = 3, as published: precision .502, recall .926, F1 .651, \
specificity .357; from these follow informedness .283, prevalence .412, invoked .760, saved .240"

HEADINGS = ("precision", "recall", "F1", "specificity", "informedness", "prevalence", "invoked", "saved")
WIDTHS = (18, 4, 6, 6, 6, 6, 11, 8, 7, 13, 14, 12, 9, 7)


class Case(NamedTuple):
    """A question, the passages that are read, best first, and whether what answers it stands behind the first."""

    query: str
    passages: tuple[Passage, ...]
    issue: bool


async def measure(bench: Bench, encoder: Encoder, report: Report) -> None:
    """For each set and first ranking, by words alone and by words and meaning, a line for each n."""
    delta = CondensePolicy().delta
    report.section("preflight", f"Preflight at delta = {delta} (questions of which a document that answers is read)")
    report.row(("set, first ranking", "n", "TP", "FP", "FN", "TN", *HEADINGS), WIDTHS)
    for task in SETS:
        if not (put := asked(bench, task)).queries:
            report.note(f"{task.name}: none of its queries has an answer in the sample")
            continue
        for ranking, its in (("words", None), ("both", encoder)):
            name = f"{task.name}, {ranking}"
            found = await cases(await library(bench, task.library, its), put, name)
            for top in TOPS:
                _tell(name, top, confusion(found, top, delta), report)
            report.record(f"{name}: questions of which none is read", len(put.queries) - len(found), "questions")
    report.note(PUBLISHED)


async def cases(source: Library, put: Asked, what: str) -> list[Case]:
    """The questions of which a document that answers is read."""
    found = []
    for place, (name, text) in enumerate(put.queries.items()):
        if place % 50 == 0:
            working(f"{what}: {place:,} of {len(put.queries):,} queries")
        passages = best((await source.search(Query(terms=(text,)), PASSAGES)).hits)
        issue = late(passages, {document for document, score in put.qrels[name].items() if score > 0})
        if issue is not None:
            found.append(Case(text, passages, issue))
    working("")
    return found


def confusion(found: Sequence[Case], top: int, delta: float) -> Confusion:
    """What the preflight says of each, beside what is so."""
    return Confusion.from_cases(
        (run_preflight(one.query, one.passages, top, delta, parts=2).mapped, one.issue) for one in found
    )


def best(hits: Sequence[Hit]) -> tuple[Passage, ...]:
    """The best passage of each of the best documents."""
    first: dict[str, Passage] = {}
    for hit in hits:
        first.setdefault(hit.passage.reference.id, hit.passage)
    return tuple(first.values())[:READ]


def late(passages: Sequence[Passage], keys: Collection[str]) -> bool | None:
    """Whether the first document that answers stands behind the spotlight; None when there is none."""
    place = next((place for place, one in enumerate(passages) if one.reference.id in keys), None)
    return None if place is None else place >= SPOTLIGHT


def _tell(name: str, top: int, counts: Confusion, report: Report) -> None:
    saved = None if counts.predicted_share is None else 1 - counts.predicted_share
    told = (counts.precision, counts.recall, counts.f1, counts.specificity, counts.informedness, counts.prevalence)
    shares = (*told, counts.predicted_share, saved)
    shown = ("–" if one is None else f"{one:.3f}" for one in shares)
    report.row((name, str(top), *(f"{one:,}" for one in counts), *shown), WIDTHS)
    for heading, value in zip((*counts._fields, *HEADINGS), (*counts, *shares), strict=True):
        if value is not None:
            report.record(f"{name}, n = {top}: {heading}", value, "")
