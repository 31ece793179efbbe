"""A model that writes nothing of its own: answers are the sources' sentences, chosen and put in order."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple, cast

from wellsourced.clinical.question_types import QuestionType, detect_question_types, has_answer_of_type
from wellsourced.errors import UnsupportedPrompt
from wellsourced.judges.base import Judge, best_claim_scores
from wellsourced.models.base import UNLIMITED_TOKENS, Prompt, R
from wellsourced.prompts.writing import Draft, DraftQuote, DraftStatement, WriteAnswer
from wellsourced.text.passages import section_weight, words_under_title
from wellsourced.text.quotable_spans import QuotableSpan, find_quotable_spans
from wellsourced.text.tokens import content_stems, stem_coverage, tokenize
from wellsourced.types import Evidence, Passage
from wellsourced.worker_pool import run_in_worker

CONCLUSION_PATTERN = re.compile(
    r"\b(?:conclu|recommend|first[- ]line|we found|(?:these|our) (?:results|findings|data)|in summary|foundation"
    r"|mainstay|cornerstone|of choice|(?:findings|results) suggest|evidence (?:shows|suggests|supports)|demonstrat"
    r"|indicate that|significant(?:ly)?)",
    re.IGNORECASE,
)
"""How sentences speak that say what was found or what to do."""

AIM_PATTERN = re.compile(
    r"\b(?:(?:aims?|objective|purpose|goal) (?:of|was|is)|aimed to|sought to"
    r"|we (?:investigated|evaluated|examined|review)|was to (?:determine|evaluate|assess|investigate|compare)"
    r"|were (?:randomi[sz]ed|enrolled|recruited|included)|remains? (?:unclear|unknown|controversial)"
    r"|(?:is|are) (?:unknown|unclear)|ha(?:s|ve) not been|we report (?:a|the|two)"
    r"|this (?:review|article|paper|section|page)|(?:talk (?:with|to)|ask|see|contact) your (?:doctor|health)"
    r"|further (?:stud|research|investigat)|for more information|clinical trials?\.gov|can be found"
    r"|resources? (?:from|address|offer)|(?:offers?|provides?) (?:more |additional )?(?:detailed )?information)",
    re.IGNORECASE,
)
"""How sentences speak that say what was to be found out, or that send the reader elsewhere."""

SECTION_LABEL = re.compile(
    r"(?:background|introduction|methods?|materials?|objectives?|aims?|purpose|study|design|setting|patients)"
    r"[\w/ ]{0,30}:",
    re.IGNORECASE,
)
"""A sentence that says itself which part of its abstract it is, one that answers nothing."""

DESIGNATION_PATTERN = re.compile(r"(?=\w*\d)(?=\w*[^\W\d])\w{2,}")

MIN_SCORE_SHARE = 0.7
"""Share of the best unit's score from which another is worth saying."""

MIN_RELEVANCE = 0.3
"""Probability that a unit, under its title, bears on the question, below which it is not said, wherever it stands."""

MISSING_DESIGNATION_FACTOR = 0.5
"""What remains of a unit's fitness when its passage has none of the names with figures that were asked about."""

LEAD_SCORE_SHARE = 0.9
"""Share of the best unit's score from which another answers as directly."""

OFF_SUBJECT_FACTOR = 0.5
"""What remains of a unit's fitness when its guideline is on another subject and mentions this one in passing."""

MAX_OVERLAP = 0.6
"""Share of common content stems from which two units say the same and the better one stays."""


class QuoteCandidate(NamedTuple):
    """A unit that may be said, and how well it would serve."""

    unit: QuotableSpan
    passage: Passage
    score: float


class ExtractiveModel:
    """Serves WriteAnswer without a language model.

    Statements are quotable spans of the passages: relevant to the question, not saying the same twice,
    conclusions and recommendations before background and methods, grouped by source and in the source's order.
    """

    name = "extractive"

    def __init__(self, judge: Judge) -> None:
        self.judge = judge

    async def complete(self, prompt: Prompt[R]) -> R:
        """The draft for WriteAnswer. Raises UnsupportedPrompt for any other prompt."""
        if not isinstance(prompt, WriteAnswer):
            raise UnsupportedPrompt("this needs a language model, and none is configured")
        choices = await self._score_candidates(prompt)
        chosen = choose_sections(choices, prompt.statements)
        leads = {id(choice) for choice in chosen[: prompt.leads] if choice.score >= LEAD_SCORE_SHARE * chosen[0].score}
        ordered = order_for_reading(chosen)
        return cast(R, Draft(statements=tuple(_draft_statement(choice, id(choice) in leads) for choice in ordered)))

    def room(self, prompt: Prompt[Any]) -> int:  # noqa: ARG002 - whatever is asked, it has no window
        """It has no window."""
        return UNLIMITED_TOKENS

    async def _score_candidates(self, prompt: WriteAnswer) -> list[QuoteCandidate]:
        """Every unit of the evidence with its score, best first."""
        found = await run_in_worker(_list_units, prompt.evidence)
        texts = [words_under_title(item.passage, unit.text) for unit, item in found]
        scores = await best_claim_scores(self.judge, prompt.question.wordings, texts)
        return await run_in_worker(_build_candidates, prompt, found, scores)


def _list_units(evidence: Sequence[Evidence]) -> list[tuple[QuotableSpan, Evidence]]:
    return [(unit, item) for item in evidence for unit in find_quotable_spans(item.passage)]


def _build_candidates(
    prompt: WriteAnswer, found: Sequence[tuple[QuotableSpan, Evidence]], scores: Sequence[float]
) -> list[QuoteCandidate]:
    asked, wanted = prompt.question.wordings, detect_question_types(prompt.question.text)
    choices = [
        # A sentence means what its passage is about: both must bear on the question.
        QuoteCandidate(unit, item.passage, (score * item.relevance) ** 0.5 * unit_fitness(unit, item, asked, wanted))
        for (unit, item), score in zip(found, scores, strict=True)
        if score >= MIN_RELEVANCE
    ]
    return sorted(choices, key=lambda choice: (-choice.score, choice.passage.id, choice.unit.spans))


def unit_fitness(unit: QuotableSpan, item: Evidence, asked: Sequence[str], wanted: Sequence[QuestionType]) -> float:
    """How fit a unit is to be said: what it concludes counts more than what it set out to do."""
    passage = item.passage
    value = section_weight(passage.section)
    if has_answer_of_type(wanted, unit.text):
        value *= 1.25
    if CONCLUSION_PATTERN.search(unit.text):
        value *= 1.15
    if AIM_PATTERN.search(unit.text) or SECTION_LABEL.match(unit.own_text):
        value *= 0.6
    if (named := find_designations(asked)) and not named & find_designations([passage.reference.title, passage.text]):
        value *= MISSING_DESIGNATION_FACTOR
    if passage.reference.kind == "guideline":
        value *= 1.1 * min(1.0, OFF_SUBJECT_FACTOR + 2 * subject_coverage(asked, passage))
    return value


def find_designations(texts: Iterable[str]) -> frozenset[str]:
    """Names that have figures in them ("19p", "KMT2D", "COX-2"): nothing like them, and nothing else, is meant."""
    return frozenset(word for text in texts for word in tokenize(text) if DESIGNATION_PATTERN.fullmatch(word))


def subject_coverage(asked: Sequence[str], passage: Passage) -> float:
    """The share of the question's content words that the guideline's title and chapter name: is this its subject?"""
    titles = f"{passage.reference.title} {passage.section.partition(' › ')[0]}"
    return max(stem_coverage(question, titles) for question in asked)


def drop_repeats(choices: Iterable[QuoteCandidate], limit: int) -> list[QuoteCandidate]:
    """Of units in order, best first, those that are nearly as good and do not say what a better one says."""
    chosen: list[QuoteCandidate] = []
    said: list[frozenset[str]] = []
    for choice in choices:
        its_words = frozenset(content_stems(choice.unit.own_text))
        if chosen and choice.score < MIN_SCORE_SHARE * chosen[0].score:
            break
        if len(chosen) < limit and not any(_stem_overlap(its_words, other) >= MAX_OVERLAP for other in said):
            chosen.append(choice)
            said.append(its_words)
    return chosen


MAX_ANSWER_WORDS = 220
"""Words of an answer in the sources' own sentences."""

MIN_SECTION_SHARE = 0.72
"""Share of the best section's score from which another is shown too."""

MIN_UNIT_SHARE = 0.4
"""Share of its section's best unit from which a unit is shown with it."""


def choose_sections(choices: Sequence[QuoteCandidate], limit: int) -> list[QuoteCandidate]:
    """Whole sections, best first, as far as the words reach; of what says the same twice, the better one.

    The best unit of the best section comes first, since it answers; the others follow as they stand in their section.
    """
    sections: dict[tuple[str, str], list[QuoteCandidate]] = defaultdict(list)
    for number, choice in enumerate(choices):
        part = choice.passage.section if choice.passage.reference.kind == "guideline" else str(number)
        sections[choice.passage.reference.id, part].append(choice)
    ranked = sorted(sections.values(), key=_section_score, reverse=True)
    chosen: list[QuoteCandidate] = []
    said: list[frozenset[str]] = []
    words = 0
    for section in ranked:
        if chosen and _section_score(section) < MIN_SECTION_SHARE * _section_score(ranked[0]):
            break
        for choice in section:
            its_words = frozenset(content_stems(choice.unit.own_text))
            length = len(choice.unit.text.split())
            if choice.score < MIN_UNIT_SHARE * section[0].score or len(chosen) >= limit:
                break
            if chosen and words + length > MAX_ANSWER_WORDS:
                continue
            if not any(_stem_overlap(its_words, other) >= MAX_OVERLAP for other in said):
                chosen.append(choice)
                said.append(its_words)
                words += length
    return chosen


def _section_score(section: Sequence[QuoteCandidate]) -> float:
    """The best unit counts most, and the next two how far the section goes on about it."""
    best = [choice.score for choice in section[:3]]
    return 0.7 * best[0] + 0.3 * sum(best) / len(best)


def _stem_overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Common stems as a share of the smaller set, so that a part of what was said counts as said."""
    smaller = min(len(one), len(other))
    return len(one & other) / smaller if smaller else 1.0


def order_for_reading(chosen: Sequence[QuoteCandidate]) -> list[QuoteCandidate]:
    """Source by source, the source of the best unit first.

    Within a source as it says them itself, but from its best passage on: what stands before that one comes last.
    """
    groups: dict[str, list[QuoteCandidate]] = defaultdict(list)
    for choice in chosen:
        groups[choice.passage.reference.id].append(choice)
    return [
        choice
        for group in groups.values()
        for choice in sorted(group, key=partial(_reading_position, group[0].passage))
    ]


def _reading_position(best: Passage, choice: QuoteCandidate) -> tuple[bool, int]:
    return choice.passage.start < best.start, choice.passage.start + choice.unit.spans[-1].start


def _draft_statement(choice: QuoteCandidate, lead: bool) -> DraftStatement:
    passage = choice.passage
    quotes = tuple(DraftQuote(passage_id=passage.id, quote=quote) for quote in choice.unit.quotes(passage.text))
    return DraftStatement(text=choice.unit.text, quotes=quotes, topic=statement_topic(passage), lead=lead)


def statement_topic(passage: Passage) -> str:
    """What a statement of this passage is about, for its reader: the guideline's section, the page's title."""
    reference = passage.reference
    return "" if reference.kind == "research" else reference.title
