"""Ask a language model which passages are relevant to the question, in one wave of calls, and what it notes of each
study.

Its word is a verdict of its own beside the scores of sections: yes `supports`; unsure is `silent`, with a reason that
says so, and stays where `read.keep_unsure` is set; no leaves the passage out. What it said nothing of that can be read
is `unjudged`, which is neither.
"""

import asyncio
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from wellsourced.citations.quote_alignment import align_quote
from wellsourced.context import Context
from wellsourced.errors import ModelError
from wellsourced.medicine.quantities import extract_named_numbers, extract_quantities
from wellsourced.models.base import Model, Prompt, complete_or_error
from wellsourced.pipeline.prompt_window import make_batches
from wellsourced.pipeline.quote_placement import ShownPassages
from wellsourced.pipeline.read.section_reading import group_siblings
from wellsourced.policy import ReadPolicy
from wellsourced.prompts.evidence import (
    ArticleJudgement,
    JudgeRelevance,
    ReadPassages,
    RelevanceJudgement,
    UncheckedCard,
)
from wellsourced.text.passages import PassageSlice, split_to_fit, text_under_titles
from wellsourced.text.ranking import bm25_scores
from wellsourced.text.sanitization import short_line
from wellsourced.text.tokens import tokenize
from wellsourced.types import NOT_REPORTED, ArticleCard, Evidence, Omission, Passage, Question, SourceKind, Verdict


class ScreeningResult(NamedTuple):
    """What stands after a model has read it, in the order in which it was given, and what the model left out.

    written_from   of the evidence, what an answer is written from; the rest was read, and is shown
    has_answer     whether something of it answers: the model said yes, or it judged nothing and something was read
    """

    evidence: tuple[Evidence, ...] = ()
    dropped: tuple[Omission, ...] = ()
    notes: tuple[str, ...] = ()
    written_from: tuple[Evidence, ...] = ()
    has_answer: bool = False


class MissingJudgement(NamedTuple):
    """Why there is no judgement of something."""

    reason: str


JudgementOrMissing = RelevanceJudgement | MissingJudgement


class PassageJudgements(NamedTuple):
    """What was said of each passage, by its id; judgements of what the model was not shown count for nothing."""

    by_passage: Mapping[str, JudgementOrMissing]
    stray_count: int = 0
    has_failed: bool = False


async def judge_passages(
    question: Question, passages: Sequence[Passage], model: Model, policy: ReadPolicy
) -> PassageJudgements:
    """One judgement of each passage by a language model, with a study card where wanted; all calls in one wave.

    A passage that exceeds the model's window is shown in slices, and the strongest word on any of them is the word on
    it; so is the strongest of several on one passage.
    """
    calls = _plan_calls(strip_personal_context(question), passages, model, policy)
    replies = await asyncio.gather(*(complete_or_error(model, prompt) for _, prompt in calls))
    found: dict[str, list[JudgementOrMissing]] = defaultdict(list)
    strange = 0
    for (pieces, _), reply in zip(calls, replies, strict=True):
        shelf = ShownPassages(piece.shown for piece in pieces)
        matched: dict[str, list[JudgementOrMissing]] = defaultdict(list)
        for judgement in () if isinstance(reply, ModelError) else reply.items:
            if passage := shelf.find(judgement.passage_id):
                matched[passage.key].append(judgement)
            else:
                strange += 1
        why = short_line(str(reply)) if isinstance(reply, ModelError) else "missing from its reply"
        for piece in pieces:
            found[piece.whole.id] += matched[piece.shown.key] or [MissingJudgement(why)]
    # The strongest word on any slice is the word on the passage; a no to one slice says nothing of another.
    said = {passage: min(words, key=_judgement_rank) for passage, words in found.items()}
    return PassageJudgements(said, strange, all(isinstance(reply, ModelError) for reply in replies))


def strip_personal_context(question: Question) -> Question:
    """The question without a patient's own words and what was said before: it stands alone."""
    return question.model_copy(update={"patient": "", "asked": "", "history": (), "expansions": ()})


def _plan_calls(
    question: Question, passages: Sequence[Passage], model: Model, policy: ReadPolicy
) -> list[tuple[tuple[PassageSlice, ...], Prompt[Any]]]:
    """What one call shows, and its prompt."""
    kind = ReadPassages if policy.cards else JudgeRelevance

    def build_prompt(pieces: Sequence[PassageSlice]) -> Prompt[Any]:
        return kind(question=question, passages=tuple(piece.shown for piece in pieces))

    whole = [PassageSlice(passage, passage) for passage in passages]
    packed = make_batches(model, build_prompt, whole, policy.batch)
    fitting = split_to_fit(packed, lambda pieces: model.context_left(build_prompt(pieces)) >= 0)
    return [(pieces, build_prompt(pieces)) for pieces in fitting]


def _judgement_rank(said: JudgementOrMissing) -> int:
    """The lower, the stronger."""
    # Missing outranks no: of a slice that nobody judged, a no elsewhere must not decide.
    return 2 if isinstance(said, MissingJudgement) else {"yes": 0, "unsure": 1, "no": 3}[said.bears]


async def screen_evidence(question: Question, evidence: Sequence[Evidence], context: Context) -> ScreeningResult:
    """What `context.judging_model` says is relevant, with the words that show it and, where wanted, study cards.

    Without a language model, where the scores alone are to decide, and where every call fails, all is as it was. What
    was not judged is written from only when nothing else is left.
    """
    if not evidence or not context.has_llm_screening:
        return _keep_all(evidence)
    model = context.judging_model
    if context.read.guideline_slices:
        evidence = group_siblings(evidence)
    heard = await judge_passages(question, [item.passage for item in evidence], model, context.read)
    missing = tuple(_missing_notes(heard, model.name))
    # Nobody judged anything: the order of the scores stands, as if there were no language model.
    if heard.has_failed:
        return _keep_all(evidence, *missing, "relevance was judged without a language model")
    outcomes = [
        _passage_outcome(item, heard.by_passage[item.passage.id], model.name, context.read) for item in evidence
    ]
    kept = tuple(one.item for one in outcomes if isinstance(one.item, Evidence))
    bearing = tuple(item for item in kept if _verdict_label(item) != "unjudged")
    chosen = select_nearest(question, bearing or kept, context.read)
    # Where the model said nothing, what was read counts as an answer.
    judged = [said for said in heard.by_passage.values() if isinstance(said, RelevanceJudgement)]
    return ScreeningResult(
        kept,
        tuple(one.item for one in outcomes if isinstance(one.item, Omission)),
        (
            *missing,
            *_outcome_notes(outcomes, heard.stray_count, model.name),
            *_shortening_notes(len(bearing or kept), len(chosen)),
        ),
        chosen,
        not judged or any(said.bears == "yes" for said in judged),
    )


def select_nearest(question: Question, evidence: tuple[Evidence, ...], policy: ReadPolicy) -> tuple[Evidence, ...]:
    """All of it; of more than `policy.rerank_above`, the `rerank_keep` whose words are nearest (BM25), in its order."""
    if not policy.rerank_above or len(evidence) <= policy.rerank_above:
        return evidence
    scores = bm25_scores(question.text, [f"{item.passage.reference.title}\n{item.passage.text}" for item in evidence])
    best = sorted(range(len(evidence)), key=lambda place: -scores[place])[: policy.rerank_keep]
    return tuple(evidence[place] for place in sorted(best))


def _keep_all(evidence: Sequence[Evidence], *notes: str) -> ScreeningResult:
    return ScreeningResult(tuple(evidence), (), notes, tuple(evidence), bool(evidence))


# --- what becomes of one passage ------------------------------------------------------------------------------------


class _PassageOutcome(NamedTuple):
    """The passage as evidence, or why it is none; `misquoted`: the words that the model gave for it are not in it."""

    item: Evidence | Omission
    is_misquoted: bool = False


def _passage_outcome(item: Evidence, said: JudgementOrMissing, model: str, policy: ReadPolicy) -> _PassageOutcome:
    if isinstance(said, MissingJudgement):
        return _PassageOutcome(
            item.model_copy(update={"judged": Verdict(label="unjudged", score=0.0, reason=said.reason)})
        )
    if said.bears == "no" or (said.bears == "unsure" and not policy.keep_unsure):
        why = f"judged not relevant by {model}" if said.bears == "no" else f"{model} was unsure of it"
        reason = ": ".join(filter(None, [why, short_line(said.why)]))
        return _PassageOutcome(Omission.of_passage(item.passage, reason, is_judged=True))
    text = item.passage.text
    quotes = [text[found.start : found.end] for found in align_quote(said.quote, text)]
    card = said.card if isinstance(said, ArticleJudgement) else None
    told = {
        "judged": _relevance_verdict(said),
        "quotes": tuple(dict.fromkeys([*quotes, *item.quotes])),
        "card": build_card(card, item.passage, quotes) if card else None,
    }
    return _PassageOutcome(item.model_copy(update=told), bool(said.quote.strip()) and not quotes)


def _relevance_verdict(said: RelevanceJudgement) -> Verdict:
    if said.bears == "yes":
        return Verdict(label="supports", score=1.0, reason=short_line(said.why))
    return Verdict(label="silent", score=0.5, reason=": ".join(filter(None, ["unsure", short_line(said.why)])))


def _verdict_label(item: Evidence) -> str:
    return item.judged.label if item.judged else "unjudged"


# --- what is to be told ---------------------------------------------------------------------------------------------


def _missing_notes(heard: PassageJudgements, model: str) -> Iterator[str]:
    """How much was not judged, by reason; which passages they are, their evidence says."""
    reasons = Counter(said.reason for said in heard.by_passage.values() if isinstance(said, MissingJudgement))
    for reason, number in reasons.items():
        yield f"{model} did not judge {_format_passage_count(number)} ({reason})"


def _outcome_notes(outcomes: Sequence[_PassageOutcome], strange: int, model: str) -> Iterator[str]:
    kept = [one.item for one in outcomes if isinstance(one.item, Evidence)]
    if unsure := sum(_verdict_label(item) == "silent" for item in kept):
        yield f"{model} was unsure of {_format_passage_count(unsure)}, which {'was' if unsure == 1 else 'were'} kept"
    if misquoted := sum(one.is_misquoted for one in outcomes):
        yield f"{model} gave quotes for {_format_passage_count(misquoted)} that do not appear there; they were left out"
    if strange:
        yield f"{model} judged {_format_passage_count(strange)} that it was not shown; this was ignored"


def _shortening_notes(bearing: int, chosen: int) -> Iterator[str]:
    if chosen < bearing:
        yield (
            f"of {_format_passage_count(bearing)} relevant to the question, the answer is written from the {chosen} "
            f"nearest to its words"
        )


def _format_passage_count(count: int) -> str:
    return f"{count} passage{'' if count == 1 else 's'}"


NON_STUDY_KINDS: frozenset[SourceKind] = frozenset({"book", "consumer", "graph", "guideline", "wiki"})
"""Kinds of sources whose documents are no studies, so that there is nothing to note of one."""

CARD_PARTS = ("summary", "design", "sample_size", "population", "bias")

MIN_TOLD_WORDS = 2
"""Words of a passage beside its title and headings from which something of the study can be noted."""

_SINGLE_WORDS = frozenset({"one", "single"})
_DIGIT_GROUPS = re.compile(r"(?<![\w.,])\d{1,3}(?:\s\d{3})+(?!\w|[.,]\d)")


def build_card(noted: UncheckedCard, passage: Passage, quotes: Sequence[str] = ()) -> ArticleCard | None:
    """The card, each part in one line; a part with a number that passage and titles do not have is unconfirmed.

    What was said already is not noted again, and a card that then says nothing is none; so is one of what is no study,
    or of a heading alone, of which a model can note nothing but what it made up.
    A sample size that counts nothing ("many") is no sample size: it is not reported, and unconfirmed.
    """
    if passage.reference.kind in NON_STUDY_KINDS or is_heading_alone(passage):
        return None
    parts = _remove_repetitions({part: _clean_part(getattr(noted, part)) for part in CARD_PARTS}, passage, quotes)
    uncounted = parts["sample_size"] != NOT_REPORTED and not _has_count(parts["sample_size"])
    if uncounted:
        parts["sample_size"] = NOT_REPORTED
    source = text_under_titles(passage)
    doubted = {part for part, told in parts.items() if not has_all_numbers(told, source)}
    doubted |= {"sample_size"} if uncounted else set()
    if not doubted and all(told == NOT_REPORTED for told in parts.values()):
        return None
    return ArticleCard(**parts, unconfirmed=tuple(part for part in CARD_PARTS if part in doubted))


def is_heading_alone(passage: Passage) -> bool:
    """Whether a passage has no words but its title's, its headings' and a few more."""
    titles = set(tokenize(f"{passage.reference.title} {passage.section}"))
    return sum(word not in titles for word in tokenize(passage.text)) < MIN_TOLD_WORDS


def _remove_repetitions(parts: dict[str, str], passage: Passage, quotes: Sequence[str]) -> dict[str, str]:
    """The parts, without a summary that a quote or the title has word for word, and without a part that says what one
    before it does."""
    said = {part: " ".join(tokenize(told)) for part, told in parts.items()}
    shown = (" ".join(tokenize(text)) for text in (*quotes, passage.reference.title))
    repeated = {
        part for place, part in enumerate(CARD_PARTS) if said[part] in [said[one] for one in CARD_PARTS[:place]]
    }
    if any(f" {said['summary']} " in f" {text} " for text in shown):
        repeated.add("summary")
    return {part: NOT_REPORTED if part in repeated else told for part, told in parts.items()}


def show_cards_once(evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """The evidence, with a card beside the first piece of each work alone: it tells of the study, not of the piece."""
    noted: set[str] = set()
    shown = []
    for item in evidence:
        repeats = item.card is not None and item.passage.reference.id in noted
        shown.append(item.model_copy(update={"card": None}) if repeats else item)
        noted |= {item.passage.reference.id} if item.card else set()
    return tuple(shown)


def has_all_numbers(told: str, source: str) -> bool:
    """Whether the source has every number of the words, with its unit: "20,536" is "20 536", "phase 3" is "phase III".

    Each need only stand somewhere in the source: words may name together what it has apart. Spaces between groups of
    three digits may part a number or two numbers: either reading will do.
    """
    if not extract_quantities(told) and not extract_named_numbers(told):
        return True
    # Counts without a unit need no comparison of quantities: "92" is "Ninety-two".
    if _has_bare_numbers(told, source):
        return True
    spelled = (named.number for named in extract_named_numbers(source) if not any(map(str.isdigit, named.words)))
    stated = "\n".join(dict.fromkeys((source, _join_digit_groups(source), *spelled)))
    readings = dict.fromkeys((told, _join_digit_groups(told)))
    return any(_states_numbers(stated, reading) for reading in readings)


def _states_numbers(stated: str, reading: str) -> bool:
    given, named = extract_quantities(stated), {(one.name, one.number) for one in extract_named_numbers(stated)}
    names = {name for name, _ in named}
    return all(
        # "Aged 60" is 60 years old.
        any(
            abs(one.value) == abs(other.value) and one.unit in ("", other.unit, other.unit or "year") for other in given
        )
        for one in extract_quantities(reading)
    ) and all(one.name not in names or (one.name, one.number) in named for one in extract_named_numbers(reading))


def _has_bare_numbers(told: str, source: str) -> bool:
    """Whether its only numbers are counts without a unit, and the source has each of them: “92” is “Ninety-two”."""
    counted = [one for one in extract_quantities(told) if not one.comparator]
    if extract_named_numbers(told) or len(counted) < len(extract_quantities(told)) or any(one.unit for one in counted):
        return False
    return {one.value for one in counted} <= {one.value for one in extract_quantities(source) if not one.unit}


def _join_digit_groups(text: str) -> str:
    return _DIGIT_GROUPS.sub(lambda match: "".join(match.group().split()), text)


def _clean_part(part: str) -> str:
    plain = short_line(part)
    return NOT_REPORTED if plain.casefold().rstrip(".") in {"", NOT_REPORTED} else plain


def _has_count(sample_size: str) -> bool:
    return bool(extract_quantities(sample_size)) or not _SINGLE_WORDS.isdisjoint(tokenize(sample_size))
