"""The whole sentences in which the words that a statement cites stand."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from wellsourced.errors import ModelError
from wellsourced.judges.base import Judge, Pair
from wellsourced.text.quotable_spans import has_same_words
from wellsourced.text.sentences import sentences_at
from wellsourced.types import Passage, Statement, Verdict

PassagesById = Mapping[str, Passage]
"""Passages by their ids."""


def quoted_text(statement: Statement) -> str:
    """The words that it cites, in one text."""
    return " … ".join(citation.quote for citation in statement.citations)


def cited_sentences(statement: Statement, passages: PassagesById) -> list[str]:
    """The sentences that it cites a part of, each once: "there is no evidence that" may stand before the part."""
    found: dict[str, None] = {}
    for citation in statement.citations:
        passage = passages[citation.passage_id]
        for span in sentences_at(passage.text, citation.start - passage.start, citation.end - passage.start):
            found.setdefault(passage.text[span.start : span.end])
    return list(found)


def cited_passages(statement: Statement, passages: PassagesById) -> list[Passage]:
    """The passages that it cites, each once."""
    return [passages[id] for id in statement.cited_ids]


def has_whole_sentences(statement: Statement, passages: PassagesById) -> bool:
    """Whether it says what whole sentences of its sources say, in their own words."""
    return has_same_words(statement.text, " … ".join(cited_sentences(statement, passages)))


class SupportVerdicts(NamedTuple):
    """A verdict for each pair, in order; `failed` says why all of them are unjudged."""

    verdicts: tuple[Verdict, ...] = ()
    failure: str = ""

    @property
    def notes(self) -> tuple[str, ...]:
        """What its reader should know of it."""
        note = f"the judge of support failed, so what was put to it is not judged: {self.failure}"
        return (note,) if self.failure else ()


async def judge_support(pairs: Sequence[Pair], judge: Judge) -> SupportVerdicts:
    """What the judge says; it is not asked where there is nothing to judge."""
    if not pairs:
        return SupportVerdicts()
    try:
        return SupportVerdicts(tuple(await judge.judge(pairs)))
    except ModelError as error:
        reason = error.phrase
        unjudged = Verdict(label="unjudged", score=0.0, reason=f"the judge of support failed: {reason}")
        return SupportVerdicts((unjudged,) * len(pairs), reason)
