"""Statistics and formulas of the studies of contexts, against values computed by hand."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.tables import each_row
from wellsourced.judges.base import Pair, ScoredVerdict, ScoringJudge
from wellsourced.types import Document, Reference, Verdict
from wellsourced_evaluate.contexts.conditions import list_conditions
from wellsourced_evaluate.contexts.documents import (
    NEAR,
    CaseDocuments,
    CaseSource,
    find_case_documents,
    list_ids,
    rank_documents,
)
from wellsourced_evaluate.contexts.figures import ConflictCounts, cochran_q, contrast_with_first, count_conflicts
from wellsourced_evaluate.contexts.perturbations import PERTURBATIONS, perturb_question
from wellsourced_evaluate.contexts.study import ConditionRecord, StudyHeader, StudyRun
from wellsourced_evaluate.contexts.uncertainty import QuestionUncertainty, SampledQuestion, measure_luq
from wellsourced_evaluate.questions.case_rows import QuestionCase
from wellsourced_evaluate.statistics import adjust_by_holm, spearman


def test_cochrans_q_and_its_p_by_hand() -> None:
    # k = 5; C = 3, 3, 0, 3, 3; T = 12; R = 4 each: Q = 4 · (5·36 - 144) / (5·12 - 48) = 4 · 36 / 12 = 12.
    # By chance all three zeros stand in one column in 1 of 5·5 exchanges: p = 0.04.
    columns = [{"a": place != 2, "b": place != 2, "c": place != 2} for place in range(5)]
    found = cochran_q(columns)
    assert found.value == pytest.approx(12.0)
    assert found.p == pytest.approx(0.04, abs=0.006)
    assert found.items == 3


def test_where_nothing_differs_cochran_has_no_q() -> None:
    assert cochran_q([{"a": True}, {"a": True}])[:2] == (None, None)
    assert cochran_q([])[:2] == (None, None)


def test_holm_by_hand() -> None:
    # Sorted .01, .02, .03, .5: 4·.01 = .04, 3·.02 = .06, 2·.03 = .06, 1·.5 = .5.
    assert adjust_by_holm([0.03, 0.01, 0.5, 0.02]) == pytest.approx([0.06, 0.04, 0.5, 0.06])
    # Never less than the one before: 2·.04 = .08, then 1·.05 is lifted to .08.
    assert adjust_by_holm([0.04, 0.05]) == pytest.approx([0.08, 0.08])


def test_each_condition_is_compared_with_the_first_over_the_cases_of_both() -> None:
    base = {str(case): 1.0 for case in range(6)}
    told = contrast_with_first({"first": base, "other": {**dict.fromkeys(base, 0.0), "x": 1.0}, "same": base})
    # Six cases right only under the first: McNemar's p = 2 · (1/2)^6 = 0.03125, twice that after Holm.
    assert (told[0].p, told[0].adjusted, told[0].cases) == (0.03125, 0.0625, 6)
    assert told[0].difference.mean == -1.0
    assert (told[1].p, told[1].adjusted) == (1.0, 1.0)


@each_row(("size", "places"), [(8, [0, 2, 4, 6, 7]), (16, [0, 4, 8, 12, 15]), (2, [0, 1])])
def test_places_are_those_of_the_paper(size: int, places: list[int]) -> None:
    made = list_conditions(("placed",), (size,), has_model=False)
    assert [one.place for one in made] == places


def note(name: str) -> Document:
    return Document(reference=Reference(id=name), text=f"{name}.", sections=())


def test_the_gold_document_stands_once_at_its_place_among_the_same_others() -> None:
    found = CaseDocuments(note("gold"), tuple(note(f"d{number}") for number in range(7)))

    def alone(size: int) -> list[str]:
        (condition,) = list_conditions(("distractors",), (size,), has_model=True)
        return [one.reference.id for one in found.arrange(condition.distractors, condition.place)]

    for condition in list_conditions(("placed",), (8,), has_model=True):
        ids = [one.reference.id for one in found.arrange(condition.distractors, condition.place)]
        assert ids.index("gold") == condition.place
        others = [id for id in ids if id != "gold"]
        assert others == alone(8)
    assert sorted(others) == [f"d{number}" for number in range(7)] != others
    # Of a shorter context the nearest, in the same order.
    assert alone(4) == [id for id in others if id in ("d0", "d1", "d2")]


async def test_random_distractors_are_none_of_the_nearest_and_drawn_by_seed() -> None:
    cases = [
        QuestionCase(id=f"q{number}", question="Does rest help?", context=(f"Rest and note {number}.",))
        for number in range(90)
    ]
    library = CaseSource(cases)
    every = await list_ids(library)
    nearest = await rank_documents(library, cases[0].question, NEAR)
    drawn = await find_case_documents(cases[0], library, 5, 7, every)
    ids = [one.reference.id for one in drawn.distractors]
    assert drawn.gold.reference.id == "case:q0"
    assert not {*ids} & {*nearest, "case:q0"}
    assert drawn == await find_case_documents(cases[0], library, 5, 7, every)
    assert drawn != await find_case_documents(cases[0], library, 5, 8, every)
    similar = await find_case_documents(cases[0], library, 5, 7)
    assert [one.reference.id for one in similar.distractors] == [id for id in nearest if id != "case:q0"][:5]


def study(preset: str, *rows: tuple[str, int]) -> StudyRun:
    """A study whose cases q0, q1 …, with the known answer yes, have these labels and conflicts at the first place."""
    place = "gold at 0 % of 8"
    known = {"wellsourced": "", "code": "", "model": "", "judge": "", "data": {}, "regime": "allowed", "sources": ()}
    known |= {"preset": preset, "settings": {}, "study": "contexts", "conditions": (place,)}
    records = [
        ConditionRecord(case=f"q{at}", gold="yes", status="answered", label=label, condition=place, conflicts=conflicts)
        for at, (label, conflicts) in enumerate(rows)
    ]
    return StudyRun(Path(), StudyHeader.model_validate(known), {(place, one.case): one for one in records})


def test_wins_ties_and_losses_are_all_conflicts_with_an_answer_of_the_first_arm() -> None:
    rag = study("rag", ("no", 0), ("yes", 0), ("yes", 0), ("no", 0), ("yes", 0))
    brief = study("brief", ("yes", 1), ("no", 2), ("yes", 1), ("", 1), ("no", 0), ("yes", 1))
    # q0 is won, q1 lost, q2 right in both, q3 in neither; q4 found no conflict, and q5 is not in the first arm.
    every = ConflictCounts("rag", "brief", "", 4, 2, 1, 2, 1, ("q5",))
    assert list(count_conflicts(rag, brief)) == [every, every._replace(condition="gold at 0 % of 8")]
    assert not list(count_conflicts(brief, rag))


class StatedJudge(ScoringJudge):
    """Tells both probabilities of each sentence and text as it was told."""

    name = "stated"

    def __init__(self, told: Mapping[tuple[str, str], tuple[float, float | None]]) -> None:
        self.told = told

    async def score(self, pairs: Sequence[Pair]) -> list[ScoredVerdict]:
        said = [self.told[pair.claim, pair.text] for pair in pairs]
        return [ScoredVerdict(Verdict(label="supports", score=for_it), against) for for_it, against in said]


async def luq(answers: Sequence[str], judge: StatedJudge) -> QuestionUncertainty:
    return await measure_luq(SampledQuestion(id="q", answers=tuple(answers)), judge)


async def test_luq_of_three_answers_by_hand() -> None:
    yes, no = "It helps.", "It harms."
    told = {(yes, yes): (1.0, 0.0), (yes, no): (0.0, 1.0), (no, yes): (0.0, 1.0), (no, no): (1.0, 0.0)}
    judge = StatedJudge(told)
    assert (await luq([yes, yes, yes], judge)).uncertainty == 0.0
    assert (await luq([yes, no], judge)).uncertainty == 1.0
    # C = 1/2, 1/2, 0: U = mean(1/2, 1/2, 1) = 2/3.
    assert (await luq([yes, yes, no], judge)).uncertainty == pytest.approx(2 / 3)
    # An empty answer is left out and counted; one alone has no uncertainty.
    assert (await luq([yes, " "], judge))[2:5] == (None, 1, 1)


async def test_luq_weighs_both_probabilities_and_counts_what_has_none() -> None:
    one, two = "A b. C d.", "E f."
    told = {("A b.", two): (0.6, 0.2), ("C d.", two): (0.0, 0.0), ("E f.", one): (0.25, None)}
    # S(one, two) = mean(.6/.8, .5) = .625; S(two, one) = .25: U = mean(.375, .75) = .5625.
    found = await luq([one, two], StatedJudge(told))
    assert found.uncertainty == pytest.approx(0.5625)
    assert (found.sentences, found.undecided, found.one_sided) == (3, 1, 1)


def test_spearman_by_hand() -> None:
    # Ranks 1, 2, 3, 4 against 4, 3, 2, 1: -1. With d = 1, 1, 1, 1: 1 - 6·4 / (4·15) = 0.6.
    assert spearman([(0.1, 1.0), (0.2, 0.8), (0.3, 0.5), (0.9, 0.0)]).value == pytest.approx(-1.0)
    assert spearman([(1, 2), (2, 1), (3, 4), (4, 3)]).value == pytest.approx(0.6)
    assert spearman([(0.1, 1.0), (0.2, 1.0), (0.3, 1.0)]) == (None, None, 3)


async def test_a_question_in_other_words_keeps_its_facts() -> None:
    asked = "Does 10 mg/kg of paracetamol reduce oedema after myocardial infarction, or not?"
    made = await perturb_question(asked, "q1", 7, tuple(PERTURBATIONS), None)
    assert made["capitals"] == asked.upper()
    assert made["no punctuation"] == asked.replace(",", "").removesuffix("?")
    assert made["other spelling"] == asked.replace("oedema", "edema")
    assert made["lay words"] == asked.replace("myocardial infarction", "heart attack")
    assert asked in made["politely"]
    mistyped = made["typing errors"]
    assert sorted(mistyped) == sorted(asked)
    assert "paracetamol" in mistyped
    assert mistyped != asked
    again = await perturb_question(asked, "q1", 7, ("typing errors",), None)
    assert again == {"typing errors": mistyped}
    assert (await perturb_question(asked, "q1", 8, ("typing errors",), None)) != again
    # What is in small letters already is not asked again.
    assert await perturb_question("is it so", "q2", 7, ("small letters", "other spelling"), None) == {}
