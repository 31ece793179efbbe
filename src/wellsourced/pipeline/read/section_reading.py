"""Which sections are read: documents are opened, compared with the index, cut and scored; the best are shown to a
language model. Without one, `section_answer` shows of the same sections what answers.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from wellsourced.answering.heads import choose_head, has_near_unit
from wellsourced.answering.scoring import (
    EXPECTED_WEIGHT,
    MAX_PLACES,
    FoundSection,
    ScoredSection,
    score_sections,
)
from wellsourced.answering.sections import LaidOutSection, find_parts, find_sections
from wellsourced.answering.selection import MAX_SECTIONS, ShownSection
from wellsourced.citations.deduplication import group_by_work
from wellsourced.context import Context
from wellsourced.expected_questions.matching import MIN_AGREEMENT, ExpectedAnswer
from wellsourced.pipeline.retrieve.retractions import exclude_retracted
from wellsourced.pipeline.retrieve.search import Candidate, open_document
from wellsourced.policy import Policy
from wellsourced.types import AnswerHead, Document, Evidence, Gap, Omission, Passage, Question
from wellsourced.worker_pool import run_in_worker

HEADS: tuple[AnswerHead, ...] = ("nothing", "closest", "in your sources")
"""What can be said of sections, from the least on."""

MAX_SCORE = 3 + EXPECTED_WEIGHT
"""The highest score of a section."""


MIN_NEAR_SHARE = 0.5
"""Share of the best section's score from which another work's section takes a place from one of the best work's.

Of 534 questions as many have their deciding words in what is read, of 4.4 works in place of 5.0: without it a question
on a score was shown sections on other scores, and not its own guideline's next step.
"""

ALIKE = 0.1
"""How much nearer libraries with expected questions have to be to stand before others: of what is alike, the user's is
first."""


class ReadingResult(NamedTuple):
    """What was kept, best first, the documents it was cut from by their ids, and what was left out.

    gaps   registries that could not be asked whether works were retracted
    head   what can be said of what was kept, before a language model has seen it
    """

    evidence: tuple[Evidence, ...] = ()
    documents: Mapping[str, Document] = {}
    dropped: tuple[Omission, ...] = ()
    gaps: tuple[Gap, ...] = ()
    head: AnswerHead = "nothing"

    def __add__(self, other: object) -> "ReadingResult":
        """Two readings as one; a document read twice is kept as it was read first."""
        if not isinstance(other, ReadingResult):
            return NotImplemented
        known = {item.passage.id for item in self.evidence}
        new = tuple(item for item in other.evidence if item.passage.id not in known)
        return ReadingResult(
            tuple(sorted(self.evidence + new, key=lambda item: (-item.relevance, item.passage.id))),
            {**other.documents, **self.documents},
            self.dropped + other.dropped,
            tuple(dict.fromkeys(self.gaps + other.gaps)),
            max(self.head, other.head, key=HEADS.index),
        )


class Shelf(NamedTuple):
    """Libraries that were read together: those whose expected questions may be what is asked, or all others.

    scored      their sections, best first
    level       how near the best of them is when nothing is expected, from 0 to 3: by this they compete with others
    near_miss   probability that nothing in them answers
    """

    scored: list[ScoredSection]
    level: float
    near_miss: float = 0.0


class ReadSections(NamedTuple):
    """What was read, and its sections by the libraries that they are of, the nearest first."""

    reading: ReadingResult
    shelves: tuple[Shelf, ...]

    @property
    def best_sections(self) -> list[ScoredSection]:
        """All sections: the best of each shelf, then the second best."""
        by_turns = zip_longest(*(shelf.scored for shelf in self.shelves))
        return [one for turn in by_turns for one in turn if one]


# --- opening and scoring ---------------------------------------------------------------------------------------------


async def read_sections(
    question: Question, candidates: Sequence[Candidate], context: Context, most: int = MAX_PLACES, length: int = 0
) -> ReadSections:
    """Open what was found, in its order, and say how near each section in it is. Retracted works are never read.

    most     candidates that are considered, where a search found them
    length   characters above which a section is split, and of a study more than the abstract is read; 0: it is not
    """
    settled = await exclude_retracted(candidates, context.registries, context.policy.source_seconds, context.limiter)
    opened: dict[str, Document | None] = {}
    dropped = list(settled.dropped)
    places: list[tuple[Candidate, int]] = []
    for candidate in settled.candidates if question.given else settled.candidates[:most]:
        passage = candidate.passage
        if passage.reference.id not in opened:
            opened[passage.reference.id] = await open_document(passage.reference.id, candidate.source, context)
        document = opened[passage.reference.id]
        # What changed since it was indexed is not quoted.
        if document is None or document.text[passage.start : passage.end] != passage.text:
            dropped.append(Omission.of_passage(passage, "its document could not be opened"))
            continue
        # Nobody ranked the passages of a document that was named.
        places.append((candidate, 0 if question.given else len(places)))
    known = {one.passage.reference.id: one.passage.reference.retraction for one, _ in places}
    documents = {
        id: document.model_copy(update={"reference": document.reference.with_retraction(known[id])})
        for id, document in opened.items()
        if document and id in known
    }
    # Who names documents is answered from these alone.
    matcher = None if question.given else context.expected_questions
    expected = await matcher.match(question, context.sources) if matcher else ()
    places += await _find_expected_places(expected, documents, context)
    shelves = await run_in_worker(_fill_shelves, question, places, documents, expected, context, length)
    return ReadSections(ReadingResult((), documents, tuple(dropped), settled.gaps), shelves)


async def _find_expected_places(
    expected: Sequence[ExpectedAnswer], documents: dict[str, Document], context: Context
) -> list[tuple[Candidate, int]]:
    """The lines that are expected to answer as if a search had found them last; their documents are opened."""
    found = []
    for one in (line for line in expected if line.agreement >= MIN_AGREEMENT):
        document = documents.get(one.document_id) or await open_document(one.document_id, one.library, context)
        if document and not document.reference.retraction.objection:
            documents[one.document_id] = document
            passage = Passage(
                reference=document.reference, text=document.text[one.start : one.end], start=one.start, end=one.end
            )
            found.append((Candidate(passage, one.library), MAX_PLACES))
    return found


def _fill_shelves(
    question: Question,
    places: Sequence[tuple[Candidate, int]],
    documents: Mapping[str, Document],
    expected: Sequence[ExpectedAnswer],
    context: Context,
    length: int,
) -> tuple[Shelf, ...]:
    """The sections of libraries with expected questions, and of those without, which these say nothing against."""
    by_library = {one.library for one in expected}
    found: dict[bool, dict[int, FoundSection]] = {False: {}, True: {}}
    cut = {
        id: find_parts(document, length) if length else find_sections(document) for id, document in documents.items()
    }
    for candidate, place in places:
        passage = candidate.passage
        its = cut[passage.reference.id]
        for section in its:
            is_hit = section.start < passage.end and passage.start < section.end
            # Of a study the abstract stands for all of it.
            if is_hit or passage.stands_for_document or len(its) == 1:
                shelf = found[candidate.source in by_library]
                shelf.setdefault(id(section), FoundSection(section, passage, min(place, MAX_PLACES)))
    near_miss = max((one.near_miss for one in expected), default=0.0)
    shelves = []
    for is_expected, sections in found.items():
        told = expected if is_expected else ()
        scored = score_sections(question.wordings, list(sections.values()), context.encoder, told)
        level = max((one.score - one.known for one in scored), default=0.0)
        shelves.append(Shelf(scored, level + (0 if is_expected else ALIKE), near_miss if is_expected else 0.0))
    return tuple(sorted((one for one in shelves if one.scored), key=lambda one: -one.level))


def build_passage(section: LaidOutSection) -> Passage:
    """All of a section as a passage."""
    document = section.document
    return Passage(
        reference=document.reference,
        text=section.text,
        start=section.start,
        end=section.end,
        section=section.path,
        page=document.page(section.start, section.end),
    )


# --- what a language model is shown ----------------------------------------------------------------------------------


async def read_candidates(question: Question, candidates: Sequence[Candidate], context: Context) -> ReadingResult:
    """The sections that are nearest to the question, best first, as many as the policy allows; those of named documents
    in their own order. What was found and is not among them is listed."""
    policy = context.policy
    slices = context.read.guideline_slices
    if slices and any(one.passage.reference.kind == "guideline" for one in candidates):
        candidates = open_guidelines(candidates, policy.passages)
        policy = policy.model_copy(update={"passages": slices * policy.passages, "per_document": slices})
    most = max(MAX_PLACES, policy.passages)
    read = await read_sections(question, candidates, context, most, context.read.section_length)
    has_vectors = context.encoder is not None
    chosen = select_for_reading(read.best_sections, policy)
    evidence = [_build_evidence(one, has_vectors=has_vectors) for one in chosen]
    if question.given:
        order = {id: place for place, id in enumerate(read.reading.documents)}
        evidence.sort(key=lambda item: (order[item.passage.reference.id], item.passage.start))
    head = await run_in_worker(_find_best_head, question, read.shelves, has_vectors)
    reading = read.reading
    dropped = (*reading.dropped, *_list_unread(candidates, evidence, reading.dropped))
    # Whoever names documents wants them read, near or not.
    head = "in your sources" if question.given and evidence else head
    return reading._replace(evidence=tuple(evidence), dropped=dropped, head=head)


def _find_best_head(question: Question, shelves: Sequence[Shelf], has_vectors: bool) -> AnswerHead:
    heads: list[AnswerHead] = ["nothing"]
    for shelf in shelves:
        first = [ShownSection(one.section, ()) for one in shelf.scored[:MAX_SECTIONS]]
        heads.append(choose_head(question, shelf.scored, first, shelf.near_miss, has_vectors=has_vectors)[0])
    return max(heads, key=HEADS.index)


def open_guidelines(candidates: Sequence[Candidate], most: int) -> list[Candidate]:
    """The candidates; of guidelines only the first ones, at most so many, each of which is read whole."""
    found: dict[str, Candidate] = {}
    for one in candidates:
        passage = one.passage.model_copy(update={"stands_for_document": True})
        if one.passage.reference.kind == "guideline" and len(found) < most:
            found.setdefault(passage.reference.id, one._replace(passage=passage))
    return [*found.values(), *(one for one in candidates if one.passage.reference.kind != "guideline")]


def select_for_reading(scored: Iterable[ScoredSection], policy: Policy) -> list[ScoredSection]:
    """The best sections, as many as are read; no work has more than its share, while others that are near fill the
    places."""
    ranked = list(scored)
    least = MIN_NEAR_SHARE * ranked[0].score if ranked else 0.0
    work_of = group_by_work(one.section.document.reference for one in ranked)
    taken: Counter[str] = Counter()
    places: dict[bool, list[int]] = {True: [], False: []}
    for place, one in enumerate(ranked):
        work = work_of[one.section.document.reference.id]
        taken[work] += 1
        places[taken[work] <= policy.per_document and one.score >= least].append(place)
    return [ranked[place] for place in sorted((*places[True], *places[False])[: policy.passages])]


def _build_evidence(one: ScoredSection, *, has_vectors: bool) -> Evidence:
    """A section with the unit in it that is nearest to the question, where that is near."""
    section = one.section
    near = one.units[:1] if has_near_unit([one], has_vectors=has_vectors) else ()
    quotes = dict.fromkeys(section.line(place) for unit in near for place in unit.unit.lines)
    return Evidence(passage=build_passage(section), relevance=one.score / MAX_SCORE, quotes=tuple(quotes))


def _list_unread(
    candidates: Sequence[Candidate], evidence: Sequence[Evidence], dropped: Sequence[Omission]
) -> list[Omission]:
    """The passages that were found and of which nothing is read, but for those that are listed already."""
    listed = {one.id for one in dropped}
    read: dict[str, list[Passage]] = defaultdict(list)
    for item in evidence:
        read[item.passage.reference.id].append(item.passage)
    return [
        Omission.of_passage(passage, "less relevant, not read")
        for passage in (one.passage for one in candidates)
        if passage.id not in listed and not _is_read(passage, read[passage.reference.id])
    ]


def _is_read(passage: Passage, read: Sequence[Passage]) -> bool:
    if passage.stands_for_document:
        return bool(read)
    return any(one.start < passage.end and passage.start < one.end for one in read)


def group_siblings(evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """The evidence by works, the work of the first piece first; the pieces of a work in its own order."""
    works: dict[str, list[Evidence]] = {}
    for item in evidence:
        works.setdefault(item.passage.reference.id, []).append(item)
    return tuple(item for pieces in works.values() for item in sorted(pieces, key=lambda one: one.passage.start))
