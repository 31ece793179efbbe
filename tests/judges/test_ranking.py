"""The judge that ranks, with SPLADE itself and vectors of hashed words."""

import json
from importlib.resources import files

import pytest

from tests.hashed_encoder import HashedEncoder
from tests.tables import each_row
from wellsourced.encoders.splade import Splade
from wellsourced.errors import SettingsError
from wellsourced.judges.base import Calibration, Judge, Pair
from wellsourced.judges.ranking import RankingJudge, calibration_name, load_ranking_calibration
from wellsourced.types import Verdict

QUESTION = "Is metformin effective for the prevention of diabetes?"
# Invented for this test; not medical advice.
ANSWER = "In adults at high risk of diabetes, metformin lowered the incidence of diabetes compared with placebo."
NEAR = "Diabetes is a disease in which the blood holds too much sugar."
OTHER = "Fractures of the hip were as frequent with vitamin D as without it."

ALL = Calibration(
    purpose="relevance",
    judge="test",
    weights={"suggested": 1.0, "rare_coverage": 1.0, "rarest": 0.5, "cosine": 1.0},
    intercept=-2.0,
    threshold=0.5,
)


def with_vectors() -> RankingJudge:
    return RankingJudge(Splade(), HashedEncoder(), ALL)


@pytest.fixture(params=["without vectors", "with vectors"])
def judge(request: pytest.FixtureRequest) -> RankingJudge:
    return RankingJudge(Splade()) if request.param == "without vectors" else with_vectors()


async def scores(judge: RankingJudge, *texts: str, question: str = QUESTION) -> list[float]:
    return [verdict.score for verdict in await judge.judge([Pair(question, text) for text in texts])]


async def test_an_answer_stands_before_the_same_subject_and_that_before_another(judge: RankingJudge) -> None:
    answer, near, other = await scores(judge, ANSWER, NEAR, OTHER)
    assert 1 > answer > near > other > 0


async def test_words_that_mean_the_same_count_without_being_the_same() -> None:
    lay, other = await scores(RankingJudge(Splade()), "Heart attacks were rarer.", OTHER, question="cardiac arrest")
    assert lay > other


async def test_ten_pairs_at_once_have_the_verdicts_that_each_has_alone(judge: RankingJudge) -> None:
    pairs = [
        Pair(question, text) for question in (QUESTION, "hip fractures") for text in (ANSWER, NEAR, OTHER, "", NEAR)
    ]
    together = await judge.judge(pairs)
    assert together == [(await judge.judge([pair]))[0] for pair in pairs]
    assert await judge.judge(pairs[::-1]) == together[::-1]


async def test_a_text_without_words_is_silent(judge: RankingJudge) -> None:
    assert (
        await judge.judge([Pair(QUESTION, ""), Pair(QUESTION, " \n")])
        == [Verdict(label="silent", score=0.0, reason="the text is empty")] * 2
    )
    assert await judge.judge([]) == []


@each_row("question", ["", "?!", "is it?", "a" * 50_000, "\ud800", "日本語"])
async def test_any_question_is_judged(judge: RankingJudge, question: str) -> None:
    assert all(0 <= score <= 1 for score in await scores(judge, ANSWER, question or "-", question=question))


def test_features_lie_between_nothing_and_all() -> None:
    whole, nothing = with_vectors().features(QUESTION, [QUESTION, "Salt."])
    assert whole == pytest.approx(dict.fromkeys(("suggested", "rare_coverage", "rarest", "cosine"), 1.0), abs=1e-5)
    assert nothing["rare_coverage"] == nothing["rarest"] == 0


def test_the_rarest_word_is_the_one_that_fewest_texts_have() -> None:
    metformin, diabetes = RankingJudge(Splade()).features(QUESTION, ["Metformin was given.", "Diabetes was prevented."])
    assert (metformin["rarest"], diabetes["rarest"]) == (1.0, 0.0)


def test_it_says_with_what_it_judges_and_refuses_what_nothing_was_fitted_for() -> None:
    judge = RankingJudge(Splade())
    assert isinstance(judge, Judge)
    assert judge.name.startswith("ranking:splade-tiny-int8/relevance@")
    with pytest.raises(SettingsError, match=r"ranking:splade-tiny-int8\+hashed-64 is not fitted\. Fitted judges: r"):
        RankingJudge(Splade(), HashedEncoder())


def test_what_comes_with_the_package_was_fitted_and_measured_on_what_it_was_not_fitted_on() -> None:
    rows = json.loads(files("wellsourced.judges").joinpath("rankings.json").read_text(encoding="utf-8"))
    assert calibration_name(Splade(), None) in {row["judge"] for row in rows}
    for row in rows:
        one = load_ranking_calibration(row["judge"])
        assert one.auroc and one.auroc > 0.7
        assert min(one.weights.values()) >= 0
        assert one.n > 1_000
