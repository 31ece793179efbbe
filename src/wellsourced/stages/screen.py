"""Screen: a language model says of everything that was kept whether it bears on the question, all in one wave.

Its word is a verdict of its own beside the judge's: yes `supports`; unsure is `silent`, with a reason that says so, and
stays; no leaves the passage out. What it said nothing of that can be read is `unjudged`, which is neither.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wellsourced.kit import Kit
from wellsourced.policy import ReadPolicy
from wellsourced.prompts.reading import Judgement, ReadArticle
from wellsourced.stages.cards import card_of
from wellsourced.stages.judgements import Heard, Missing, Said, judgements
from wellsourced.text.bm25 import bm25
from wellsourced.text.lines import line
from wellsourced.text.quotes import aligned
from wellsourced.types import Dropped, Evidence, Question, Verdict


class Screened(NamedTuple):
    """What stands after a model has read it, in the order in which it was given, and what the model left out.

    written_from   of the evidence, what an answer is written from; the rest was read, and is shown
    accepted       whether something of it answers: the model said yes, or it judged nothing and the judge kept it
    notes          what their reader should know, a sentence each without a full stop
    """

    evidence: tuple[Evidence, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    notes: tuple[str, ...] = ()
    written_from: tuple[Evidence, ...] = ()
    accepted: bool = False


async def screen(question: Question, evidence: Sequence[Evidence], kit: Kit) -> Screened:
    """What bears on the question by the word of `kit.helper`, with the words that show it and, where wanted, cards.

    Without a language model, where the judge alone is to decide, and where every call fails, all is as it was. What
    was not judged is written from only when nothing else is left.
    """
    if not evidence or not kit.screens:
        return _as_it_was(evidence)
    heard = await judgements(question, [item.passage for item in evidence], kit)
    missing = tuple(_missing(heard, kit.helper.name))
    if heard.failed:
        return _as_it_was(evidence, *missing, "relevance was judged without a language model")
    outcomes = [_outcome(item, heard.said[item.passage.id], kit.helper.name) for item in evidence]
    kept = tuple(one.item for one in outcomes if isinstance(one.item, Evidence))
    bearing = tuple(item for item in kept if _label(item) != "unjudged")
    chosen = nearest(question, bearing or kept, kit.read)
    return Screened(
        kept,
        tuple(one.item for one in outcomes if isinstance(one.item, Dropped)),
        (*missing, *_told(outcomes, heard.strange, kit.helper.name), *_shortened(len(bearing or kept), len(chosen))),
        chosen,
        _accepted(heard),
    )


def nearest(question: Question, evidence: tuple[Evidence, ...], policy: ReadPolicy) -> tuple[Evidence, ...]:
    """All of it; of more than `policy.rerank_above`, the `rerank_keep` whose words are nearest (BM25), in its order."""
    if not policy.rerank_above or len(evidence) <= policy.rerank_above:
        return evidence
    scores = bm25(question.text, [f"{item.passage.reference.title}\n{item.passage.text}" for item in evidence])
    best = sorted(range(len(evidence)), key=lambda place: -scores[place])[: policy.rerank_keep]
    return tuple(evidence[place] for place in sorted(best))


def _as_it_was(evidence: Sequence[Evidence], *notes: str) -> Screened:
    return Screened(tuple(evidence), (), notes, tuple(evidence), bool(evidence))


def _accepted(heard: Heard) -> bool:
    judged = [said for said in heard.said.values() if isinstance(said, Judgement)]
    return not judged or any(said.bears == "yes" for said in judged)


# --- what becomes of one passage ------------------------------------------------------------------------------------


class _Outcome(NamedTuple):
    """The passage as evidence, or why it is none; `misquoted`: the words that the model gave for it are not in it."""

    item: Evidence | Dropped
    misquoted: bool = False


def _outcome(item: Evidence, said: Said, model: str) -> _Outcome:
    if isinstance(said, Missing):
        return _Outcome(item.model_copy(update={"judged": Verdict(label="unjudged", score=0.0, reason=said.reason)}))
    if said.bears == "no":
        reason = ": ".join(filter(None, [f"judged beside the question by {model}", line(said.why)]))
        return _Outcome(Dropped(what="passage", id=item.passage.id, text=item.passage.text, reason=reason))
    text = item.passage.text
    quotes = [text[found.start : found.end] for found in aligned(said.quote, text)]
    card = said.card if isinstance(said, ReadArticle) else None
    told = {
        "judged": _verdict(said),
        "quotes": tuple(dict.fromkeys([*quotes, *item.quotes])),
        "card": card_of(card, item.passage) if card else None,
    }
    return _Outcome(item.model_copy(update=told), bool(said.quote.strip()) and not quotes)


def _verdict(said: Judgement) -> Verdict:
    if said.bears == "yes":
        return Verdict(label="supports", score=1.0, reason=line(said.why))
    return Verdict(label="silent", score=0.5, reason=": ".join(filter(None, ["unsure", line(said.why)])))


def _label(item: Evidence) -> str:
    return item.judged.label if item.judged else "unjudged"


# --- what is to be told ---------------------------------------------------------------------------------------------


def _missing(heard: Heard, model: str) -> Iterator[str]:
    """How much was not judged, by reason; which passages they are, their evidence says."""
    reasons = Counter(said.reason for said in heard.said.values() if isinstance(said, Missing))
    for reason, number in reasons.items():
        yield f"{model} did not judge {_passages(number)} ({reason})"


def _told(outcomes: Sequence[_Outcome], strange: int, model: str) -> Iterator[str]:
    kept = [one.item for one in outcomes if isinstance(one.item, Evidence)]
    if unsure := sum(_label(item) == "silent" for item in kept):
        yield f"{model} was unsure of {_passages(unsure)}, which stayed"
    if misquoted := sum(one.misquoted for one in outcomes):
        yield f"{model} gave words for {_passages(misquoted)} that are not in them, and they were left out"
    if strange:
        yield f"{model} judged {_passages(strange)} that it was not shown, which counts for nothing"


def _shortened(bearing: int, chosen: int) -> Iterator[str]:
    if chosen < bearing:
        yield f"of {_passages(bearing)} that bear on the question, the {chosen} nearest to its words are written from"


def _passages(count: int) -> str:
    return f"{count} passage{'' if count == 1 else 's'}"
