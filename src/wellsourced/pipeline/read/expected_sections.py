"""Sections of guidelines that answer a question which was expected: they are read, found by a search or not.

What the question matches is known by `expected_questions/`; here the lines become sections of documents, and a section
is as likely to answer as the questions together are that its lines answer.
"""

from collections import defaultdict
from collections.abc import Sequence

from wellsourced.context import Context
from wellsourced.errors import SourceError
from wellsourced.expected_questions.matching import MatchedQuestion
from wellsourced.pipeline.read.guideline_sections import build_section_passage
from wellsourced.pipeline.retrieve.search import Candidate
from wellsourced.text.sentences import Span
from wellsourced.types import Document, Evidence, Passage, Question, Section
from wellsourced.types.documents import hash_text
from wellsourced.worker_pool import run_in_worker

MAX_SECTIONS = 6
"""Sections that are read since a question was expected, the likeliest."""

MIN_CHANCE = 0.03
"""Probability that it answers from which such a section is read."""

SURE = 0.999
"""Probability from which no more is told apart."""


class ExpectedSections:
    """What was expected of one question: of each document its lines, with the probability that they answer."""

    def __init__(self, matches: Sequence[MatchedQuestion]) -> None:
        self._chances: dict[str, dict[Span, float]] = defaultdict(dict)
        self.hashes: dict[str, str] = {}
        for one in (match for match in matches if match.expected.is_answered):
            document = one.expected.document
            self.hashes[document.id] = document.sha256
            # Half of an answer is no answer: each of its lines counts as much as all together.
            for line in one.expected.lead:
                known = self._chances[document.id].get(line.span, 0.0)
                self._chances[document.id][line.span] = known + one.probability

    def rate(self, document: str, start: int, end: int) -> float:
        """How likely what stands there answers."""
        within = (chance for span, chance in self._chances.get(document, {}).items() if start <= span.start < end)
        return min(SURE, max(within, default=0.0))

    def choose_sections(self, document: Document) -> list[tuple[float, Section]]:
        """The sections of a document that answer, with how likely each does."""
        rated = ((self.rate(document.reference.id, one.start, one.end), one) for one in document.sections)
        return [one for one in rated if one[0] >= MIN_CHANCE]


async def match_expected(question: Question, context: Context) -> ExpectedSections:
    """What was expected of it; nothing where nobody knows."""
    matcher = context.expected_questions
    return ExpectedSections(await run_in_worker(matcher.match, question) if matcher else ())


async def read_expected_sections(
    expected: ExpectedSections,
    candidates: Sequence[Candidate],
    read: Sequence[tuple[Evidence, Document]],
    context: Context,
) -> list[tuple[Evidence, Document]]:
    """The likeliest sections that are not read yet.

    Of a document whose text is another than the one that the questions were written to nothing is known.
    """
    source = next((one.source for one in candidates if one.passage.reference.kind == "guideline"), None)
    if source is None:
        return []
    documents = {document.reference.id: document for _, document in read}
    known = {(item.passage.reference.id, item.passage.section) for item, _ in read}
    found: list[tuple[float, Section, Document]] = []
    for id, digest in expected.hashes.items():
        document = documents.get(id) or await _open_document(id, source, context)
        if document and hash_text(document.text) == digest:
            found += [(chance, section, document) for chance, section in expected.choose_sections(document)]
    found.sort(key=lambda one: -one[0])
    new = [one for one in found[:MAX_SECTIONS] if (one[2].reference.id, one[1].title) not in known]
    return [(_build_evidence(chance, section, document), document) for chance, section, document in new]


async def _open_document(id: str, source: str, context: Context) -> Document | None:
    try:
        return await context.find_source(source).open(id)
    except SourceError:
        return None


def _build_evidence(chance: float, section: Section, document: Document) -> Evidence:
    passage = Passage(
        reference=document.reference,
        text=document.text[section.start : section.end],
        start=section.start,
        end=section.end,
        section=section.title,
    )
    return Evidence(passage=build_section_passage(passage, section, document), relevance=chance)


def lift_expected(shown: Sequence[Evidence], expected: ExpectedSections) -> list[Evidence]:
    """The evidence, best first: what was expected to answer does so as likely as that, or as was judged, or both.

    What has nothing to quote stays at 0.
    """
    lifted = []
    for one in shown:
        chance = expected.rate(one.passage.reference.id, one.passage.start, one.passage.end)
        together = 1 - (1 - one.relevance) * (1 - chance)
        lifted.append(one.model_copy(update={"relevance": together}) if chance and one.relevance else one)
    return sorted(lifted, key=lambda item: (-item.relevance, item.passage.id))
