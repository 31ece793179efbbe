"""A model that writes nothing of its own: answers are the sources' sentences, chosen and put in order."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from wellsourced.claims.question_profile import QuestionProfile, read_question
from wellsourced.claims.required_entities import asks_of_alternatives, list_missing_terms
from wellsourced.errors import NextStep, UnsupportedPrompt
from wellsourced.expected_questions.matching import QuestionMatcher
from wellsourced.judges.base import Judge, best_claim_scores
from wellsourced.lazy import lazy_regex
from wellsourced.medicine.word_forms import word_beginnings
from wellsourced.models.answerability import describe_answer, find_wanted_sorts, load_answerability_model
from wellsourced.models.asked_subjects import abstain_if_unmentioned, find_absent_things, find_strange_words
from wellsourced.models.base import UNLIMITED_TOKENS, Prompt, R
from wellsourced.models.direct_answers import drop_mismatched_ranges, drop_off_subject, find_unanswered, promote_direct
from wellsourced.models.page_answers import choose_page_excerpts
from wellsourced.models.study_agreement import asks_for_thing, is_of_study, weigh_studies
from wellsourced.models.study_leads import add_naming_sentence, choose_study_leads, promote_leads, rank_study_leads
from wellsourced.models.unit_choice import (
    MIN_SECTION_SHARE,
    QuoteCandidate,
    choose_sections,
    group_sections,
    list_openers,
    order_for_reading,
)
from wellsourced.models.unit_features import choose_chapter_advice
from wellsourced.models.unit_fitness import unit_fitness
from wellsourced.models.unit_selection import ShownStatement, choose_expected, divide_at_short_answer, mark_expected
from wellsourced.models.yes_no_decision import (
    UnitDecision,
    decide_yes_no,
    map_yes_no_options,
    may_be_decided,
    promote_deciding,
)
from wellsourced.prompts.writing import DecidedDraft, Draft, DraftStatement, LocatedQuote, NearDraft, WriteAnswer
from wellsourced.question.question_types import find_chapter, is_broad_question
from wellsourced.question.requested_quantity import question_values
from wellsourced.text.passages import (
    SEPARATOR,
    is_below,
    list_chapters,
    section_weight,
    text_under_titles,
    words_under_title,
)
from wellsourced.text.quotable_spans import QuotableSpan, collapse_whitespace, find_heading, find_quotable_spans
from wellsourced.text.sentences import Span
from wellsourced.types import Evidence, Passage, Question, YesNoDecision
from wellsourced.worker_pool import run_in_worker

MIN_RELEVANCE = 0.3
"""Probability that a unit, under its title, bears on the question, below which it is not said, wherever it stands."""

SECTION_EXPONENT = 0.1
"""How much the odds that its section answers count for a unit of a guideline."""

FITNESS_EXPONENT = 0.3
"""How much it counts how fit to be said the best unit of its section is."""

MAX_PROBABILITY = 0.999
"""Probability from which no more is told apart."""

LEAD_SCORE_SHARE = 0.9
"""Share of the best unit's score from which another answers as directly."""


MIN_BELONGING = 0.5
"""Probability that a question is one that guidelines are for from which no study answers where they do not."""

MIN_STUDY_RELEVANCE = 0.4
"""Probability from which a study is relevant enough to answer by itself."""

MIN_OUTLINE_PARTS = 3
"""Parts of a chapter from which their names together are an answer."""


MAX_LEAD_WORDS = 90
"""Words of a short answer that has more than one sentence, at most."""


MAX_PAIR_WORDS = 40
"""Words of a short answer of two sentences of which the second only might name what is asked for."""


MIN_KNOWN = 0.75
"""Agreement of an expected answer with the one that is wanted from which no word that it lacks speaks against it.

Of 1,318 questions that were read 429 of the 867 that the digests answer reach it, and 9 of the 451 others. The weights
behind it were fitted on most of them.
"""

MAX_NEAR_MISS = 0.3
"""Probability of a near miss from which words that are lacking speak against it all the same."""


SURE_EXPECTED = 0.6
"""Probability from which an expected question is what is asked, though chapters would answer as well."""

_ASKS_HOW = lazy_regex(r"\bhow\b|\bmanag|\btreat", re.IGNORECASE)


class ExtractiveModel:
    """Serves WriteAnswer without a language model.

    Statements are quotable spans of the passages: relevant to the question, not saying the same twice,
    conclusions and recommendations before background and methods, grouped by source and in the source's order.

    matcher   who knows which lines of the guidelines answer questions that were expected; None: nobody does
    """

    name = "extractive"

    def __init__(self, judge: Judge, matcher: QuestionMatcher | None = None) -> None:
        self.judge, self.matcher = judge, matcher

    async def complete(self, prompt: Prompt[R]) -> R:
        """The draft for WriteAnswer. Raises UnsupportedPrompt for any other prompt."""
        if not isinstance(prompt, WriteAnswer):
            raise UnsupportedPrompt(
                "this needs a language model, and none is configured", next_step=NextStep("choose model")
            )
        asked = read_question(prompt.question)
        choices = await self.rank_units(prompt, asked)
        return cast(R, await run_in_worker(_write_draft, prompt, asked, choices))

    async def rank_units(self, prompt: WriteAnswer, asked: QuestionProfile) -> list[QuoteCandidate]:
        """Every unit that may be said, best first."""
        scored = await self._score_candidates(prompt.evidence, asked)
        if self.matcher:
            scored = mark_expected(scored, await run_in_worker(self.matcher.match, prompt.question))
        scored = drop_mismatched_ranges(asked, drop_off_subject(asked, scored))
        return weigh_studies(prompt.question.text, scored, () if asked.alternatives else asked.names)

    def context_left(self, prompt: Prompt[Any]) -> int:  # noqa: ARG002 - whatever is asked, it has no window
        """It has no window."""
        return UNLIMITED_TOKENS

    async def _score_candidates(self, evidence: Sequence[Evidence], asked: QuestionProfile) -> list[QuoteCandidate]:
        """Every unit of the evidence with its score, best first."""
        found = await run_in_worker(_list_units, evidence)
        texts = [words_under_title(item.passage, unit.text) for unit, item in found]
        scores = await best_claim_scores(self.judge, asked.wordings, texts)
        return await run_in_worker(_build_candidates, asked, found, scores)


def _write_draft(prompt: WriteAnswer, asked: QuestionProfile, choices: Sequence[QuoteCandidate]) -> Draft:
    """What answers and speaks of all that is asked about; else what is nearest."""
    draft = _write_likely_draft(prompt, asked, choices)
    return abstain_if_unmentioned(prompt, draft, choices, lambda some: _write_likely_draft(prompt, asked, some))


def _write_likely_draft(prompt: WriteAnswer, asked: QuestionProfile, choices: Sequence[QuoteCandidate]) -> Draft:
    """What answers; where a guideline is nearest and does not answer for sure, what else does, or what is nearest."""
    kinds = {one.passage.reference.kind for one in choices[:1]}
    if kinds == {"consumer"}:
        return _write_from_pages(prompt, asked, choices)
    if kinds == {"research"} and not asks_guidelines(prompt, asked, choices):
        return _write_from_studies_alone(prompt, asked, choices)
    of_guidelines = [one for one in choices if one.passage.reference.kind == "guideline"]
    if not of_guidelines or not kinds <= {"guideline", "research"}:
        return _write_from_best(prompt, asked, choices)
    led = choices if choices[0] is of_guidelines[0] else of_guidelines
    written = _write_answer(prompt, asked, led)
    model = load_answerability_model()
    features = describe_answer(prompt.question, asked, written.chosen, led)
    missing = () if _is_known(led) else _find_missing(prompt.question, asked, written.chosen, led)
    if not missing and model.answers.probability(features) >= model.sure:
        return _build_draft(prompt, written)
    others = [one for one in choices if one.passage.reference.kind != "guideline"]
    if _is_named_in_studies_alone(prompt.question, choices):
        return _write_from_studies_alone(prompt, asked, others)
    if model.belongs.probability(features) < MIN_BELONGING and answers_by_itself(prompt.question.text, asked, others):
        return _write_from_studies_alone(prompt, asked, others)
    return NearDraft(statements=_write_nearest(prompt, asked, of_guidelines), missing=missing)


def _is_known(choices: Sequence[QuoteCandidate]) -> bool:
    """Whether it is known that the lines of expected questions answer, in whatever words it is asked."""
    return any(one.answers >= MIN_KNOWN and one.near_miss < MAX_NEAR_MISS for one in choices)


def _find_missing(
    question: Question, asked: QuestionProfile, chosen: Sequence[QuoteCandidate], led: Sequence[QuoteCandidate]
) -> tuple[str, ...]:
    """What is asked and not spoken of, each as it is told to a reader."""
    missing = find_unanswered(question.text, asked, chosen, led)
    return missing or find_strange_words(question, led) or find_absent_things(question, led)


def _write_from_pages(prompt: WriteAnswer, asked: QuestionProfile, choices: Sequence[QuoteCandidate]) -> Draft:
    """The draft of an answer from pages for patients, in their own order: they leave yes or no to their reader."""
    pages = [one for one in choices if one.passage.reference.kind == "consumer"]
    said = tuple(_draft_statement(one.choice, one.leads) for one in choose_page_excerpts(asked, pages))
    if not said or not may_be_decided(prompt.question):
        return Draft(statements=said)
    return DecidedDraft(statements=said, decision=YesNoDecision())


def asks_guidelines(prompt: WriteAnswer, asked: QuestionProfile, choices: Sequence[QuoteCandidate]) -> bool:
    """Whether a question is for the guidelines that were read, though a study is more like it."""
    of_guidelines = [one for one in choices if one.passage.reference.kind == "guideline"]
    if not of_guidelines or _is_named_in_studies_alone(prompt.question, choices):
        return False
    if not answers_by_itself(prompt.question.text, asked, choices):
        return True
    _, chosen = draft_statements(prompt, asked, of_guidelines)
    features = describe_answer(prompt.question, asked, chosen, of_guidelines)
    return load_answerability_model().belongs.probability(features) >= MIN_BELONGING


def _write_from_studies_alone(prompt: WriteAnswer, asked: QuestionProfile, choices: Sequence[QuoteCandidate]) -> Draft:
    """The draft of an answer from studies: none where a dose is asked for and what leads has none."""
    draft = _write_from_best(prompt, asked, choices)
    wanted = [sort for sort in find_wanted_sorts(prompt.question.text) if sort.name == "amount"]
    leads = [one.text for one in draft.statements if one.lead]
    if wanted and not any(sort.figure.search(text) for sort in wanted for text in leads):
        return NearDraft(statements=draft.statements)
    return draft


def draft_statements(
    prompt: WriteAnswer, asked: QuestionProfile, choices: Sequence[QuoteCandidate]
) -> tuple[tuple[DraftStatement, ...], list[QuoteCandidate]]:
    """What would be said, in reading order, and what of the sources it is made of, best first."""
    written = _write_answer(prompt, asked, choices)
    return written.said, written.chosen


class _WrittenAnswer(NamedTuple):
    """What would be said, in reading order; what of the sources it is made of, best first; and what says yes or no."""

    said: tuple[DraftStatement, ...]
    chosen: list[QuoteCandidate]
    decided: UnitDecision | None


def _write_answer(prompt: WriteAnswer, asked: QuestionProfile, choices: Sequence[QuoteCandidate]) -> _WrittenAnswer:
    decided = decide_yes_no(prompt.question, choices, asked.terms) if may_be_decided(prompt.question) else None
    said, chosen = _write_statements(prompt, asked, choices, decided.choice if decided else None)
    return _WrittenAnswer(said, chosen, decided)


def _is_named_in_studies_alone(question: Question, choices: Sequence[QuoteCandidate]) -> bool:
    """Whether a question has a name that no guideline has, and the studies that were read have: "cereblon"."""
    of_guidelines = [one for one in choices if one.passage.reference.kind == "guideline"]
    of_studies = [one for one in choices if is_of_study(one) and one.relevance >= MIN_STUDY_RELEVANCE]
    return bool(
        of_studies and find_strange_words(question, of_guidelines) and not find_strange_words(question, of_studies)
    )


def answers_by_itself(question: str, asked: QuestionProfile, choices: Sequence[QuoteCandidate]) -> bool:
    """Whether the best of what is no guideline may answer where a guideline is near and does not.

    It has to be relevant enough, to speak of all that is named, and to have a figure of the sort that is asked for.
    """
    if not choices or choices[0].relevance < MIN_STUDY_RELEVANCE:
        return False
    text = text_under_titles(choices[0].passage)
    wanted = find_wanted_sorts(question)
    has_figure = not wanted or any(sort.figure.search(choices[0].unit.text) for sort in wanted)
    return has_figure and not list_missing_terms(asked.terms, text)


def _write_from_best(prompt: WriteAnswer, asked: QuestionProfile, choices: Sequence[QuoteCandidate]) -> Draft:
    """The draft of an answer, with yes or no where that is asked."""
    return _build_draft(prompt, _write_answer(prompt, asked, choices))


def _build_draft(prompt: WriteAnswer, written: _WrittenAnswer) -> Draft:
    if not written.chosen or not may_be_decided(prompt.question):
        return Draft(statements=written.said)
    decision = _describe_decision(written.decided, written.said)
    choice = map_yes_no_options(prompt.question.options).get(decision.label, "")
    return DecidedDraft(statements=written.said, decision=decision, choice=choice)


def _write_nearest(
    prompt: WriteAnswer, asked: QuestionProfile, choices: Sequence[QuoteCandidate]
) -> tuple[DraftStatement, ...]:
    """The nearest sections of guidelines, whole: a clinician whose question they do answer finds it there."""
    chosen = choose_sections(choices, prompt.statements, wordings=asked.words, is_whole=True)
    leads = select_leads(prompt.question.text, chosen, prompt.leads)
    return tuple(_draft_statement(one, any(one is lead for lead in leads)) for one in order_for_reading(chosen))


def _describe_decision(decided: UnitDecision | None, said: Sequence[DraftStatement]) -> YesNoDecision:
    """What the unit says, and the statement that it became: it leads alone."""
    lead = next((one for one in said if one.lead), None)
    if decided is None or lead is None:
        return YesNoDecision()
    return YesNoDecision(label=decided.label, probability=round(decided.probability, 2), statement=lead.text)


def _write_statements(
    prompt: WriteAnswer,
    asked: QuestionProfile,
    choices: Sequence[QuoteCandidate],
    deciding: QuoteCandidate | None = None,
) -> tuple[tuple[DraftStatement, ...], list[QuoteCandidate]]:
    """What is said, in reading order, and what of the sources it is made of, best first.

    deciding   the unit that says yes or no: it leads alone
    """
    chapters = _list_chapters(prompt.question, choices)
    expected = choose_expected(choices, deciding)
    if expected and (deciding or not _is_outlined(prompt.question.text, choices, chapters)):
        return _draft_shown(expected), [one.choice for one in expected]
    main = [chapter for chapter in chapters if SEPARATOR not in chapter]
    if main and not deciding:
        if written := _write_from_chapters(choices, main):
            return written
        choices = [one for one in choices if any(is_below(one.passage.section, chapter) for chapter in main)] or choices
    chapter = chapters[0] if len(main) < 2 and chapters else ""
    if not chapter and not deciding and choices and is_of_study(choices[0]):
        return _write_from_studies(prompt, asked, choices)
    # Of a list of which it names some ("after angioplasty, a bare-metal stent or …") all is asked for.
    names_some = asks_of_alternatives(prompt.question.text) and not asked.alternatives
    names = () if names_some else asked.names
    chosen = promote_direct(asked, choose_sections(choices, prompt.statements, chapter, names, asked.words))
    openers = list_openers(group_sections(choices), chapter) if chapter else []
    outline = _draft_outline(openers, chapter, chosen[0]) if openers and not deciding else []
    chosen = [one for one in chosen if not (outline and outline[0].text.startswith(one.unit.own_text))]
    chosen = promote_deciding(chosen, deciding) if deciding else chosen
    if chosen and not deciding and not outline and chosen[0].passage.reference.kind == "guideline":
        return _draft_shown(divide_at_short_answer(prompt.question, asked, chosen, choices, prompt.leads)), chosen
    is_introduced = bool(outline) and any(one.passage.section == chapter for one in openers)
    most = 0 if is_introduced else 1 if deciding else prompt.leads - len(outline)
    leads = select_leads(prompt.question.text, chosen, most)
    said = [_draft_statement(choice, any(choice is lead for lead in leads)) for choice in order_for_reading(chosen)]
    place = 0 if is_introduced else 1
    said[place:place] = outline
    return tuple(said), chosen


def _is_outlined(question: str, choices: Sequence[QuoteCandidate], chapters: Sequence[str]) -> bool:
    """Whether several chapters answer together how a disease is treated, or one by the names of its parts, which are
    headings and no lines."""
    if not chapters or SEPARATOR not in chapters[0]:
        sure = max(one.answers for one in choices) >= SURE_EXPECTED
        # Who gives a value asks of one patient, and not of the disease as a whole.
        return (
            len(chapters) > 1 and not sure and not question_values(question) and _ASKS_HOW.search(question) is not None
        )
    chosen = choose_sections(choices, 1, chapters[0])
    return bool(_draft_outline(list_openers(group_sections(choices), chapters[0]), chapters[0], chosen[0]))


def _draft_shown(shown: Sequence[ShownStatement]) -> tuple[DraftStatement, ...]:
    """What is shown as statements, in reading order."""
    leads = {id(one.choice) for one in shown if one.leads}
    ordered = order_for_reading([one.choice for one in shown])
    return tuple(_draft_statement(one, id(one) in leads) for one in ordered)


def _write_from_studies(
    prompt: WriteAnswer, asked: QuestionProfile, choices: Sequence[QuoteCandidate]
) -> tuple[tuple[DraftStatement, ...], list[QuoteCandidate]]:
    """The same where a study answers best: what leads is chosen among studies, and all else follows it.

    Where more than one may lead, a short sentence more may: see `Policy.leads`.
    """
    studies = [one for one in choices if is_of_study(one)]
    asks = prompt.question.text
    leads = choose_study_leads(asks, studies, prompt.leads)
    leads = add_naming_sentence(asks, leads, rank_study_leads(asks, studies)) if prompt.leads > 1 else leads
    ordered = promote_leads(choices, leads)
    chosen = choose_sections(ordered, prompt.statements, names=asked.names, wordings=asked.words)
    places = {(one.passage.id, one.unit.spans) for one in leads}
    said = [_draft_statement(one, (one.passage.id, one.unit.spans) in places) for one in order_for_reading(chosen)]
    return tuple(said), chosen


def _list_chapters(question: Question, choices: Sequence[QuoteCandidate]) -> list[str]:
    """The chapters of the best guideline that as wholes answer a broad question, the best first; [] where none does."""
    if not choices or not is_broad_question(question.text):
        return []
    ranked = group_sections(choices)
    best, least = ranked[0].passage.reference, MIN_SECTION_SHARE * ranked[0].score
    home, found = "", dict[str, None]()
    for one in ranked:
        of = one.passage.reference
        is_candidate = of.id == home if home else one.score >= least or of.id == best.id
        if of.kind == "guideline" and is_candidate and (chapter := find_chapter(one.path, of.title, question.wordings)):
            home = of.id
            found.setdefault(chapter)
    return list(found)


def _write_from_chapters(
    choices: Sequence[QuoteCandidate], chapters: Sequence[str]
) -> tuple[tuple[DraftStatement, ...], list[QuoteCandidate]] | None:
    """The foremost advice of the main chapters on what is asked, chapter by chapter; None where there is hardly any."""
    advice = choose_chapter_advice(group_sections(choices), chapters, MAX_LEAD_WORDS)
    if len(advice.chosen) < 2:
        return None
    said = tuple(_draft_statement(one, any(one is lead for lead in advice.leads)) for one in advice.chosen)
    return said, list(advice.chosen)


def _list_units(evidence: Sequence[Evidence]) -> list[tuple[QuotableSpan, Evidence]]:
    return [(unit, item) for item in evidence for unit in find_quotable_spans(item.passage)]


def _build_candidates(
    asked: QuestionProfile, found: Sequence[tuple[QuotableSpan, Evidence]], scores: Sequence[float]
) -> list[QuoteCandidate]:
    """The units that may be said, best first. A sentence means what its passage is about: both must bear on the
    question."""
    judged = [
        _JudgedUnit(unit, item, score, score**0.5 * unit_fitness(unit, item, asked))
        for (unit, item), score in zip(found, scores, strict=True)
        if score >= MIN_RELEVANCE or item.passage.reference.kind == "guideline"
    ]
    of_guidelines = [one for one in judged if one.item.passage.reference.kind == "guideline"]
    others = [one for one in judged if one.item.passage.reference.kind != "guideline"]
    choices = [
        *_score_by_section(of_guidelines),
        *(one.build_candidate(one.item.relevance**0.5 * one.fitness) for one in others),
    ]
    return sorted(choices, key=lambda choice: (-choice.score, choice.passage.id, choice.unit.spans))


class _JudgedUnit(NamedTuple):
    """A unit, how likely it bears on the question under its title, and how fit it is to be said."""

    unit: QuotableSpan
    item: Evidence
    likeness: float
    fitness: float

    def build_candidate(self, score: float) -> QuoteCandidate:
        return QuoteCandidate(
            self.unit, self.item.passage, score, likeness=self.likeness, relevance=self.item.relevance
        )


def _score_by_section(judged: Sequence[_JudgedUnit]) -> list[QuoteCandidate]:
    """The section says how well it answers, beside the best one; the unit, which part of its section answers best."""
    best: dict[str, float] = {}
    for one in judged:
        best[one.item.passage.id] = max(one.fitness, best.get(one.item.passage.id, 0.0))
    top = max((one.item.relevance for one in judged), default=0.0)
    most = max(best.values(), default=0.0)
    if not most:
        return []
    scale = top**0.5 * most
    return [
        one.build_candidate(
            scale
            * (_odds(one.item.relevance) / _odds(top)) ** SECTION_EXPONENT
            * (best[one.item.passage.id] / most) ** FITNESS_EXPONENT
            * (one.fitness / best[one.item.passage.id] if one.fitness else 0.0)
        )
        for one in judged
    ]


def _odds(probability: float) -> float:
    kept = min(max(probability, 1 - MAX_PROBABILITY), MAX_PROBABILITY)
    return kept / (1 - kept)


def select_leads(question: str, chosen: Sequence[QuoteCandidate], most: int) -> list[QuoteCandidate]:
    """What answers at once: the best, and of those nearly as good, what adds words of the question that it lacks.

    Where the question asks for a thing, a short sentence of a study may follow as well: it may be the one to name it.
    """
    leads = list(chosen[:1] if most else ())
    missing = word_beginnings(question) - word_beginnings(leads[0].unit.text) if leads else frozenset[str]()
    asks = asks_for_thing(question)
    for choice in chosen[1:]:
        has = missing & word_beginnings(choice.unit.text)
        words = sum(len(one.unit.text.split()) for one in (*leads, choice))
        adds = words <= MAX_LEAD_WORDS if has else asks and is_of_study(choice) and words <= MAX_PAIR_WORDS
        if len(leads) < most and adds and choice.score >= LEAD_SCORE_SHARE * chosen[0].score:
            leads.append(choice)
            missing -= has
    return leads


def _draft_outline(openers: Sequence[QuoteCandidate], chapter: str, best: QuoteCandidate) -> list[DraftStatement]:
    """What the parts of a chapter are called, after what the chapter itself says first; nothing for a part or two.

    best   what is said first: its part need not be named, and where it names the others ("colchicine, NSAIDs or
           glucocorticoids") none need
    """
    parts = [one.passage for one in openers if one.passage.section != chapter and _is_main_part(one.passage, chapter)]
    named = [(one, heading) for one in parts if one.id != best.passage.id and (heading := find_heading(one))]
    if len(parts) < MIN_OUTLINE_PARTS or not named:
        return []
    own = [(one.passage, one.unit.spans[-1]) for one in openers if one.passage.section == chapter]
    if not own and not _names_others(named, word_beginnings(best.unit.text)):
        return []
    said = [collapse_whitespace(passage.text[span.start : span.end]) for passage, span in named]
    opening = "".join(f"{collapse_whitespace(passage.text[span.start : span.end])} " for passage, span in own)
    quotes = tuple(_quote_span(passage, span) for passage, span in (*own, *named))
    topic = statement_topic(named[0][0])
    return [DraftStatement(text=opening + "; ".join(said), quotes=quotes, topic=topic, lead=True)]


def _names_others(named: Sequence[tuple[Passage, Span]], said: frozenset[str]) -> bool:
    """Whether at least two of these headings have no word of what is said already."""
    headings = [word_beginnings(passage.text[span.start : span.end]) for passage, span in named]
    return sum(not heading & said for heading in headings) > 1


def _is_main_part(passage: Passage, chapter: str) -> bool:
    """Whether no heading between a chapter and a passage says that here is a side matter: "Special Populations"."""
    below = [path for path in list_chapters(passage.section) if is_below(path, chapter)]
    return all(section_weight(path) >= 1 for path in below)


def _draft_statement(choice: QuoteCandidate, lead: bool) -> DraftStatement:
    passage = choice.passage
    quotes = tuple(_quote_span(passage, span) for span in choice.unit.spans)
    return DraftStatement(text=choice.unit.text, quotes=quotes, topic=statement_topic(passage), lead=lead)


def _quote_span(passage: Passage, span: Span) -> LocatedQuote:
    return LocatedQuote(passage_id=passage.id, quote=passage.text[span.start : span.end], start=span.start)


def statement_topic(passage: Passage) -> str:
    """What a statement of this passage is about, for its reader: the chapter of the guideline, the page's title.

    "Contraindications" says of what only under "Teriparatide".
    """
    reference = passage.reference
    if reference.kind == "guideline" and (chapters := list_chapters(passage.section)[1:]):
        return chapters[0]
    return "" if reference.kind == "research" else reference.title
