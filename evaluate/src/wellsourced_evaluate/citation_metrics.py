"""How well an answer's citations support its statements, by two published measures, and whether its statements agree.

Link-Eval: Wang et al., Nature Communications 2025. ALCE: Gao et al., EMNLP 2023. The judge is asked everything in one
wave; what follows is counting, and the same verdicts give the same figures. A citation is a passage: several quotes of
it are one. What the judge gives no verdict on is left out of both sides of a share, and counted.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from wellsourced.judges.base import Judge, Pair
from wellsourced.types import Answer, VerdictLabel

VALID_ABOVE = 0.60
"""A passage is valid when its relevance is above: the threshold of Link-Eval, for its own ranker."""

Share = tuple[int, int]
"""Part and whole."""


class JudgedCitations(NamedTuple):
    """A statement, and what the judge says of what it cites; None: no verdict.

    cited     passage ids, each once
    together  whether all of them together support it; None where it cites nothing, too
    alone     passage → whether it supports the statement by itself
    without   passage → whether the others still support it without it; nothing supports nothing
    """

    text: str
    cited: tuple[str, ...]
    together: bool | None
    alone: Mapping[str, bool | None]
    without: Mapping[str, bool | None]


class JudgedAnswer(NamedTuple):
    """Every statement of an answer as it was judged.

    relevance         passage → how relevant it is for the question, [0, 1], of all that the writer was given
    no_contradiction  no statement contradicts a later one; None: there is no statement, or a verdict is missing
    says_gold         the statements together say the known answer; None: none is known, or no verdict
    unjudged          verdicts that the judge did not give
    """

    statements: tuple[JudgedCitations, ...]
    relevance: Mapping[str, float]
    no_contradiction: bool | None
    says_gold: bool | None
    unjudged: int


class CitationCounts(NamedTuple):
    """The counts behind every share, as (part, whole); `correctness` is 0 or 1, or None where it cannot be said."""

    citation_set_precision: Share
    citation_precision: Share
    citation_recall: Share
    alce_recall: Share
    alce_precision: Share
    citation_coverage: Share
    lone_support: Share
    statement_correctness: int | None

    def to_values(self) -> dict[str, float | None]:
        """Metric → its value for this answer; None of no whole: an answer without citations has no precision."""
        *shares, correctness = self
        values = [part / whole if whole else None for part, whole in shares]
        return dict(zip(self._fields, (*values, correctness), strict=True))


async def judge_answer(answer: Answer, judge: Judge, gold: str = "") -> JudgedAnswer:
    """Ask the judge all that the counts need, each pair once and all of them together. Raises ModelError."""
    texts = {item.passage.id: item.passage.text for item in answer.evidence}
    said = [one.text for one in answer.statements]
    wanted = [pair for one in answer.statements for pair in list_pairs(one.text, one.cited_ids, texts)]
    clashes = [Pair(later, earlier) for earlier, later in combinations(said, 2)]
    whole = [Pair(gold, " ".join(said))] if gold and said else []
    asked = list(dict.fromkeys([*wanted, *clashes, *whole]))
    verdicts = await judge.judge(asked) if asked else []
    labels = {pair: verdict.label for pair, verdict in zip(asked, verdicts, strict=True)}
    return JudgedAnswer(
        tuple(_collect_statement(one.text, one.cited_ids, texts, labels) for one in answer.statements),
        {item.passage.id: item.relevance for item in answer.evidence},
        _no_clash([labels[pair] for pair in clashes]) if said else None,
        supports(labels[whole[0]]) if whole else None,
        sum(label == "unjudged" for label in labels.values()),
    )


def list_pairs(statement: str, cited: Sequence[str], texts: Mapping[str, str]) -> list[Pair]:
    """What the judge is asked of a statement: of all passages together, of each alone, of all but each."""
    sets = [tuple(cited), *((one,) for one in cited), *(leave_out(cited, one) for one in cited)]
    return [Pair(statement, join_texts(one, texts)) for one in dict.fromkeys(sets) if one]


def leave_out(cited: Iterable[str], one: str) -> tuple[str, ...]:
    """All but one."""
    return tuple(other for other in cited if other != one)


def join_texts(ids: Iterable[str], texts: Mapping[str, str]) -> str:
    """The passages as one text, in the order in which they are cited."""
    return "\n".join(texts[id] for id in ids)


def supports(label: VerdictLabel) -> bool | None:
    """Whether it is support; None of no verdict."""
    return None if label == "unjudged" else label == "supports"


def _no_clash(labels: Sequence[VerdictLabel]) -> bool | None:
    """One contradiction is enough to say no; a missing verdict stands in the way of yes."""
    if "contradicts" in labels:
        return False
    return None if "unjudged" in labels else True


def _collect_statement(
    text: str, cited: tuple[str, ...], passages: Mapping[str, str], labels: Mapping[Pair, VerdictLabel]
) -> JudgedCitations:
    def ask(ids: tuple[str, ...]) -> bool | None:
        return supports(labels[Pair(text, join_texts(ids, passages))]) if ids else False

    return JudgedCitations(
        text,
        cited,
        ask(cited) if cited else None,
        {one: ask((one,)) for one in cited},
        {one: ask(leave_out(cited, one)) for one in cited},
    )


def count_citations(judged: JudgedAnswer, valid_above: float = VALID_ABOVE) -> CitationCounts:
    """All counts of one judged answer."""
    statements = judged.statements
    citations = [(one, id) for one in statements for id in one.cited]
    needed = [is_needed(one, id) for one, id in citations]
    valid = {id for id, relevance in judged.relevance.items() if relevance > valid_above}
    cited_rightly = {id for (_, id), right in zip(citations, needed, strict=True) if right}
    contradiction_free, says_gold = judged.no_contradiction, judged.says_gold
    return CitationCounts(
        _count_known(one.together for one in statements if one.cited),
        _count_known(needed),
        (len(valid & cited_rightly), len(valid)),
        _count_known(one.together if one.cited else False for one in statements),
        _count_known(is_useful(one, id) for one, id in citations),
        (sum(bool(one.cited) for one in statements), len(statements)),
        _count_known(one.alone[id] for one, id in citations),
        0 if contradiction_free is False else None if None in (contradiction_free, says_gold) else int(bool(says_gold)),
    )


def is_needed(one: JudgedCitations, id: str) -> bool | None:
    """Link-Eval: the set supports the statement, and without this citation not. Two that suffice are both wrong."""
    if one.together is not True:
        return one.together
    without = one.without[id]
    return None if without is None else not without


def is_useful(one: JudgedCitations, id: str) -> bool | None:
    """ALCE: the set supports the statement, and this citation does alone or is needed. Two that suffice are right."""
    if one.together is not True or one.alone[id]:
        return one.together
    needed = is_needed(one, id)
    return needed if one.alone[id] is False or needed else None


def _count_known(values: Iterable[bool | None]) -> Share:
    known = [value for value in values if value is not None]
    return sum(known), len(known)
