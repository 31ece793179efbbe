"""Ask a language model which passages are relevant to the question, in one wave of calls.

Its word is a verdict of its own beside the judge's: yes `supports`; unsure is `silent`, with a reason that says so, and
stays where `read.keep_unsure` is set; no leaves the passage out. What it said nothing of that can be read is
`unjudged`, which is neither.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wellsourced.citations.quote_alignment import align_quote
from wellsourced.context import Context
from wellsourced.pipeline.read.guideline_slices import group_siblings
from wellsourced.pipeline.read.llm_relevance import (
    JudgementOrMissing,
    MissingJudgement,
    PassageJudgements,
    judge_passages,
)
from wellsourced.pipeline.read.study_cards import build_card
from wellsourced.policy import ReadPolicy
from wellsourced.prompts.evidence import ArticleJudgement, RelevanceJudgement
from wellsourced.text.ranking import bm25_scores
from wellsourced.text.sanitization import short_line
from wellsourced.types import Evidence, Omission, Question, Verdict


class ScreeningResult(NamedTuple):
    """What stands after a model has read it, in the order in which it was given, and what the model left out.

    written_from   of the evidence, what an answer is written from; the rest was read, and is shown
    has_answer     whether something of it answers: the model said yes, or it judged nothing and the judge kept it
    """

    evidence: tuple[Evidence, ...] = ()
    dropped: tuple[Omission, ...] = ()
    notes: tuple[str, ...] = ()
    written_from: tuple[Evidence, ...] = ()
    has_answer: bool = False


async def screen_evidence(question: Question, evidence: Sequence[Evidence], context: Context) -> ScreeningResult:
    """What `context.judging_model` says is relevant, with the words that show it and, where wanted, study cards.

    Without a language model, where the judge alone is to decide, and where every call fails, all is as it was. What
    was not judged is written from only when nothing else is left.
    """
    if not evidence or not context.has_llm_screening:
        return _keep_all(evidence)
    model = context.judging_model
    if context.read.guideline_slices:
        evidence = group_siblings(evidence)
    heard = await judge_passages(question, [item.passage for item in evidence], model, context.read)
    missing = tuple(_missing_notes(heard, model.name))
    if heard.has_failed:
        return _keep_all(evidence, *missing, "relevance was judged without a language model")
    outcomes = [
        _passage_outcome(item, heard.by_passage[item.passage.id], model.name, context.read) for item in evidence
    ]
    kept = tuple(one.item for one in outcomes if isinstance(one.item, Evidence))
    bearing = tuple(item for item in kept if _verdict_label(item) != "unjudged")
    chosen = select_nearest(question, bearing or kept, context.read)
    return ScreeningResult(
        kept,
        tuple(one.item for one in outcomes if isinstance(one.item, Omission)),
        (
            *missing,
            *_outcome_notes(outcomes, heard.stray_count, model.name),
            *_shortening_notes(len(bearing or kept), len(chosen)),
        ),
        chosen,
        _has_accepted_passage(heard),
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


def _has_accepted_passage(heard: PassageJudgements) -> bool:
    judged = [said for said in heard.by_passage.values() if isinstance(said, RelevanceJudgement)]
    return not judged or any(said.bears == "yes" for said in judged)


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
        why = f"judged beside the question by {model}" if said.bears == "no" else f"{model} was unsure of it"
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
        yield f"{model} was unsure of {_format_passage_count(unsure)}, which stayed"
    if misquoted := sum(one.is_misquoted for one in outcomes):
        yield f"{model} gave words for {_format_passage_count(misquoted)} that are not in them, and they were left out"
    if strange:
        yield f"{model} judged {_format_passage_count(strange)} that it was not shown, which counts for nothing"


def _shortening_notes(bearing: int, chosen: int) -> Iterator[str]:
    if chosen < bearing:
        yield (
            f"of {_format_passage_count(bearing)} that bear on the question, the {chosen} nearest to "
            f"its words are written from"
        )


def _format_passage_count(count: int) -> str:
    return f"{count} passage{'' if count == 1 else 's'}"
