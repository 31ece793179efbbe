"""What one case took: calls to language models, heard as they end, and the searches behind its answer."""

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple

from wellsourced.events import Emit, Event, ModelCalled, ignore_event
from wellsourced.text.tokens import content_stems
from wellsourced.types import Answer
from wellsourced_evaluate.questions.answer_run import hash_parts

_OPERATOR = re.compile(r"\b(?:AND|OR|NOT)\b|\[[^\]]*\]|[()\"*:]")
"""What is syntax in a Boolean query, and no word of it."""

Charge = Callable[[int, float | None], None]
"""Who hears how many requests a call took, and how many US dollars; None: that is not known."""


class CallTally:
    """The calls that were made for one case, also when it failed in the end.

    emit     hears every event that comes by
    charge   hears of each call that cost anything
    keys     hashes of the calls, whether they were answered by the model or from the disk
    errors   why calls were not answered
    """

    def __init__(self, emit: Emit = ignore_event, charge: Charge | None = None) -> None:
        self.calls = self.cached = self.tokens = 0
        self.cost: float | None = 0.0
        self.keys: set[str] = set()
        self.errors: list[str] = []
        self._emit, self._charge = emit, charge

    def hear(self, event: Event) -> None:
        """Count a call to a model, and pass the event on."""
        if isinstance(event, ModelCalled):
            self.keys.add(event.key)
            self.cached += event.cached
            self.errors += [event.error] if event.error else []
            if not event.cached:
                self.calls += event.requests
                self.tokens += event.tokens_in + event.tokens_out
                self.cost = None if self.cost is None or event.cost is None else self.cost + event.cost
                if self._charge:
                    self._charge(event.requests, event.cost)
        self._emit(event)

    def to_fields(self) -> dict[str, object]:
        """As a record has it."""
        prompts = hash_parts(sorted(self.keys)) if self.keys else ""
        return {
            **{"calls": self.calls, "cached": self.cached, "tokens": self.tokens, "cost": self.cost},
            **{"prompts": prompts, "failed_calls": len(self.errors), "model_error": next(iter(self.errors), "")},
        }


class SearchFigures(NamedTuple):
    """The searches behind one answer: see AnswerRecord."""

    queries: int
    query_words: float | None
    query_diversity: float | None
    passages_read: int


def measure_searches(answer: Answer) -> SearchFigures:
    """How many searches were made, how long they are and how unlike, and how many passages were judged.

    Unlike are those to one source: 1 less the Jaccard index of their stemmed words, the mean over every two of them
    (Omni-RAG has cosines of vectors in its place); None where no source was asked twice.
    """
    by_source: defaultdict[str, list[str]] = defaultdict(list)
    for attempt in answer.attempts:
        by_source[attempt.search.source].append(attempt.search.query.text)
    texts = [text for some in by_source.values() for text in some]
    lengths = [len(_OPERATOR.sub(" ", text).split()) for text in texts]
    unlike = [_measure_distance(one, other) for some in by_source.values() for one, other in combinations(some, 2)]
    judged = sum(one.what == "passage" and one.is_judged for one in answer.dropped)
    return SearchFigures(len(texts), _mean(lengths), _mean(unlike), len(answer.evidence) + judged)


def _measure_distance(one: str, other: str) -> float:
    """1 less the Jaccard index of their stems; two that have none are alike."""
    ours, theirs = ({*content_stems(_OPERATOR.sub(" ", text))} for text in (one, other))
    return 1 - len(ours & theirs) / len(ours | theirs) if ours or theirs else 0.0


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None
