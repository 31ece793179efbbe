"""Whether what one tier gave is enough, so that the next, of less authority, need not be searched."""

from collections.abc import Sequence

from wellsourced.citations.deduplication import group_by_work
from wellsourced.policy import Policy
from wellsourced.text.passages import text_under_titles
from wellsourced.text.tokens import content_stems
from wellsourced.types import Evidence, Question, SourceKind
from wellsourced.understanding.base import Understanding

TOPIC_KINDS: frozenset[SourceKind] = frozenset({"book", "guideline", "wiki"})
"""Of these there is often one on a topic, which treats all of it: what counts is how much of it is relevant."""

REQUIRED_KEYWORDS = 2
"""Keywords of a question, the most important ones, that have to be spoken of."""


async def is_sufficient(
    question: Question, evidence: Sequence[Evidence], understanding: Understanding, policy: Policy
) -> bool:
    """Whether enough works, or passages of a guideline, are certain, and speak of what is asked about.

    A guideline on the disease is near every question on the disease, and may say nothing of the drug that is asked
    about: then its passages are not enough, however many they are.
    """
    sure = [item for item in evidence if item.relevance >= policy.min_certainty]
    if _count_works(sure) < policy.sufficient_works:
        return False
    keywords = await understanding.extract_keywords(question, REQUIRED_KEYWORDS)
    return all(_has_mention(_keyword_names(keyword, question), sure) for keyword in keywords)


def _count_works(sure: Sequence[Evidence]) -> int:
    """Works, one for each passage of those that treat a topic whole."""
    whole = {item.passage.id for item in sure if item.passage.reference.kind in TOPIC_KINDS}
    others = group_by_work(item.passage.reference for item in sure if item.passage.id not in whole)
    return len(whole) + len(set(others.values()))


def _keyword_names(keyword: str, question: Question) -> list[str]:
    """What a keyword is called: who asks for Glucophage is answered by what says metformin."""
    others = [one.meant for one in question.expansions if one.said.casefold() == keyword.casefold()]
    return [*question.model_copy(update={"text": keyword}).wordings, *others]


def _has_mention(names: Sequence[str], sure: Sequence[Evidence]) -> bool:
    said = {stem for item in sure for stem in content_stems(text_under_titles(item.passage))}
    return any(said.issuperset(content_stems(name)) for name in names)
