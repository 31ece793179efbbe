"""Link-Eval and ALCE on small answers whose every figure is counted by hand."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pytest

from tests.tables import each_row
from wellsourced.judges.base import Pair
from wellsourced.types import Answer, Citation, Evidence, Passage, Question, Reference, Statement, Verdict, VerdictLabel
from wellsourced_evaluate.citation_metrics import CitationCounts, count_citations

UNSURE = Verdict(label="unjudged", score=0.0)


class RuleJudge:
    """Knows which passages, in letters, it takes to support a statement; any of several sets will do."""

    name = "rules"

    def __init__(
        self, needs: Mapping[str, str], clashes: Sequence[tuple[str, str]] = (), unsure: Sequence[tuple[str, str]] = ()
    ) -> None:
        self.needs, self.clashes, self.unsure = needs, clashes, unsure
        self.asked: list[Pair] = []

    def label(self, pair: Pair) -> VerdictLabel:
        """“ab|c”: a and b together, or c alone; a statement without a rule is supported by nothing."""
        there = set("".join(pair.text.split()))
        if (pair.claim, "".join(sorted(there))) in self.unsure:
            return "unjudged"
        if (pair.text, pair.claim) in self.clashes:
            return "contradicts"
        ways = self.needs[pair.claim].split("|") if self.needs.get(pair.claim) else []
        return "supports" if any(set(way) <= there for way in ways) else "silent"

    async def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        self.asked += pairs
        return [Verdict(label=self.label(pair), score=0.5) for pair in pairs]


def passage(letter: str) -> Passage:
    return Passage(reference=Reference(id=f"own:{letter}", title=letter), text=letter, start=0, end=1)


def answer(cites: Mapping[str, str], relevance: Mapping[str, float]) -> Answer:
    """Statements by their text, each with the passages that it cites, a letter each."""
    return Answer(
        question=Question(text="What helps in gout?"),
        basis="parametric",  # so that a statement may cite nothing
        evidence=tuple(Evidence(passage=passage(letter), relevance=score) for letter, score in relevance.items()),
        statements=tuple(
            Statement(
                text=text,
                verdict=UNSURE,
                citations=tuple(Citation(passage_id=passage(one).id, quote=one, start=0, end=1) for one in letters),
            )
            for text, letters in cites.items()
        ),
    )


class Case(NamedTuple):
    """An answer, the rules of its judge, and what it comes to: sets, citations, recall, ALCE's two, coverage, alone."""

    cites: Mapping[str, str]
    needs: Mapping[str, str]
    sets: tuple[int, int]
    precision: tuple[int, int]
    recall: tuple[int, int]
    alce_recall: tuple[int, int]
    alce_precision: tuple[int, int]
    coverage: tuple[int, int]
    lone: tuple[int, int]
    relevance: Mapping[str, float] = {"a": 0.9, "b": 0.7, "c": 0.61, "d": 0.60, "e": 0.20}


CASES = {
    "the paper's kind: one needed of two, one lone, one wrong, one without": Case(
        {"S1": "ab", "S2": "b", "S3": "c", "S4": ""}, {"S1": "a", "S2": "b", "S3": "", "S4": "a"},
        (2, 3), (2, 4), (2, 3), (2, 4), (2, 4), (3, 4), (2, 4),
    ),
    "one statement, one citation, right": Case(
        {"S": "a"}, {"S": "a"}, (1, 1), (1, 1), (1, 3), (1, 1), (1, 1), (1, 1), (1, 1)
    ),
    "one statement, one citation, wrong": Case(
        {"S": "a"}, {"S": "b"}, (0, 1), (0, 1), (0, 3), (0, 1), (0, 1), (1, 1), (0, 1)
    ),
    "both are needed": Case({"S": "ab"}, {"S": "ab"}, (1, 1), (2, 2), (2, 3), (1, 1), (2, 2), (1, 1), (0, 2)),
    "either suffices: needed is none, useful are both": Case(
        {"S": "ab"}, {"S": "a|b"}, (1, 1), (0, 2), (0, 3), (1, 1), (2, 2), (1, 1), (2, 2)
    ),
    "one suffices, the other is idle": Case(
        {"S": "ab"}, {"S": "a"}, (1, 1), (1, 2), (1, 3), (1, 1), (1, 2), (1, 1), (1, 2)
    ),
    "two of three are needed": Case({"S": "abc"}, {"S": "ab"}, (1, 1), (2, 3), (2, 3), (1, 1), (2, 3), (1, 1), (0, 3)),
    "a pair or a third one": Case({"S": "abc"}, {"S": "ab|c"}, (1, 1), (0, 3), (0, 3), (1, 1), (1, 3), (1, 1), (1, 3)),
    "all five, none supports": Case({"S": "abcde"}, {"S": ""}, (0, 1), (0, 5), (0, 3), (0, 1), (0, 5), (1, 1), (0, 5)),
    "all five are needed": Case({"S": "abcde"}, {"S": "abcde"}, (1, 1), (5, 5), (3, 3), (1, 1), (5, 5), (1, 1), (0, 5)),
    "no citation at all": Case({"S": "", "T": ""}, {}, (0, 0), (0, 0), (0, 3), (0, 2), (0, 0), (0, 2), (0, 0)),
    "no statement": Case({}, {}, (0, 0), (0, 0), (0, 3), (0, 0), (0, 0), (0, 0), (0, 0)),
    "nothing was found": Case({"S": ""}, {}, (0, 0), (0, 0), (0, 0), (0, 1), (0, 0), (0, 1), (0, 0), {}),
    "what is cited rightly is not valid": Case(
        {"S": "e"}, {"S": "e"}, (1, 1), (1, 1), (0, 3), (1, 1), (1, 1), (1, 1), (1, 1)
    ),
    "exactly at the threshold is not above it": Case(
        {"S": "d"}, {"S": "d"}, (1, 1), (1, 1), (0, 3), (1, 1), (1, 1), (1, 1), (1, 1)
    ),
    "one passage cited twice counts once among the valid": Case(
        {"S": "a", "T": "a"}, {"S": "a", "T": "a"}, (2, 2), (2, 2), (1, 3), (2, 2), (2, 2), (2, 2), (2, 2)
    ),
    "right in one place is enough for recall": Case(
        {"S": "a", "T": "a"}, {"S": "a", "T": "b"}, (1, 2), (1, 2), (1, 3), (1, 2), (1, 2), (2, 2), (1, 2)
    ),
    "every valid passage is cited rightly": Case(
        {"S": "ab", "T": "c"}, {"S": "ab", "T": "c"}, (2, 2), (3, 3), (3, 3), (2, 2), (3, 3), (2, 2), (1, 3)
    ),
    "no passage is valid": Case(
        {"S": "a"}, {"S": "a"}, (1, 1), (1, 1), (0, 0), (1, 1), (1, 1), (1, 1), (1, 1), {"a": 0.5}
    ),
    "one alone and a pair beside it": Case(
        {"S": "abc", "T": "ab"}, {"S": "a|bc", "T": "ab"}, (2, 2), (2, 5), (2, 3), (2, 2), (3, 5), (2, 2), (1, 5)
    ),
}  # fmt: skip


async def count(case: Case, judge: RuleJudge) -> CitationCounts:
    return (await count_citations(answer(case.cites, case.relevance), judge, valid_above=0.6))[0]


@each_row("name", CASES)
async def test_every_share_is_that_counted_by_hand(name: str) -> None:
    case = CASES[name]
    found = await count(case, RuleJudge(case.needs))
    assert found.citation_set_precision == case.sets
    assert found.citation_precision == case.precision
    assert found.citation_recall == case.recall
    assert found.alce_recall == case.alce_recall
    assert found.alce_precision == case.alce_precision
    assert found.citation_coverage == case.coverage
    assert found.lone_support == case.lone
    assert found == await count(case, RuleJudge(case.needs))


async def test_a_share_of_nothing_is_no_figure_and_never_one() -> None:
    values = (await count(CASES["no citation at all"], RuleJudge({}))).to_values()
    assert values["citation_precision"] is values["citation_set_precision"] is values["alce_precision"] is None
    assert (values["alce_recall"], values["citation_coverage"], values["citation_recall"]) == (0.0, 0.0, 0.0)
    values = (await count(CASES["one statement, one citation, right"], RuleJudge({"S": "a"}))).to_values()
    assert (values["citation_precision"], values["citation_recall"]) == (1.0, pytest.approx(1 / 3))


async def test_another_threshold_makes_other_passages_valid() -> None:
    texts, judge = answer({"S": "e"}, {"a": 0.9, "e": 0.2}), RuleJudge({"S": "e"})
    assert (await count_citations(texts, judge, valid_above=0.6))[0].citation_recall == (0, 1)
    assert (await count_citations(texts, judge, valid_above=0.1))[0].citation_recall == (1, 2)


async def test_what_the_judge_gives_no_verdict_on_is_left_out_of_both_sides_and_counted() -> None:
    texts = answer({"S": "ab", "T": "c"}, {"a": 0.9, "b": 0.9, "c": 0.9})
    found, unjudged = await count_citations(texts, RuleJudge({"S": "ab", "T": "c"}, unsure=[("S", "ab")]))
    assert unjudged == 1
    assert (found.citation_set_precision, found.citation_precision, found.alce_recall) == ((1, 1), (1, 1), (1, 1))
    # Whether b alone supports S is not known: whether a is needed is not either, and b may or may not be useful.
    found, _ = await count_citations(texts, RuleJudge({"S": "a", "T": "c"}, unsure=[("S", "b")]))
    assert (found.citation_precision, found.alce_precision, found.lone_support) == ((1, 2), (2, 2), (2, 2))


GOLD = "Colchicine helps."


@each_row(
    ("cites", "needs", "clashes", "gold", "correctness"),
    [
        ({"S": "", "T": ""}, {GOLD: "ST"}, [], GOLD, 1),
        ({"S": "", "T": ""}, {GOLD: "SX"}, [], GOLD, 0),
        ({"S": "", "T": ""}, {GOLD: "ST"}, [("S", "T")], GOLD, 0),
        ({"S": "", "T": ""}, {}, [("S", "T")], "", 0),
        ({"S": "", "T": ""}, {}, [], "", None),
        ({"S": ""}, {GOLD: "S"}, [], GOLD, 1),
        ({}, {}, [], GOLD, None),
        # An earlier statement is held against a later one, not the other way round.
        ({"S": "", "T": ""}, {GOLD: "ST"}, [("T", "S")], GOLD, 1),
    ],
)
async def test_statements_are_correct_when_none_clash_and_together_they_say_the_known_answer(
    cites: Mapping[str, str],
    needs: Mapping[str, str],
    clashes: Sequence[tuple[str, str]],
    gold: str,
    correctness: int | None,
) -> None:
    found, _ = await count_citations(answer(cites, {}), RuleJudge(needs, clashes), gold)
    assert found.statement_correctness == correctness


async def test_each_pair_is_asked_once_and_all_in_one_wave() -> None:
    judge = RuleJudge({"S": "ab"})
    await count_citations(answer({"S": "ab", "T": "a"}, {"a": 1.0, "b": 1.0}), judge)
    # S: both, a, b (each is what is left without the other); T: a; T against S.
    assert judge.asked == [Pair("S", "a\nb"), Pair("S", "a"), Pair("S", "b"), Pair("T", "a"), Pair("T", "S")]
