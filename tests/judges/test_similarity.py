"""Nearness of meaning, with the calibration that comes with the package."""

from collections.abc import Sequence

from tests.hashed_encoder import HashedEncoder
from tests.tables import each_row
from wellsourced.encoders.base import Role, Vectors
from wellsourced.encoders.minilm import MiniLM
from wellsourced.judges.base import Calibration, Pair, Purpose, load_calibration
from wellsourced.judges.overlap import OverlapJudge
from wellsourced.judges.ranking import SimilarityJudge

QUESTION = "What is the first-line drug for heart failure with reduced ejection fraction?"
ANSWER = "In HFrEF, heart failure with reduced ejection fraction, an ARNI or ACE inhibitor is the first-line drug."
BESIDE = "Asthma in children is treated with inhaled corticosteroids."
FILLER = "The clinic moved to another building in March. " * 8


class Noting(HashedEncoder):
    def __init__(self) -> None:
        self.asked: list[tuple[Role, list[str]]] = []

    def encode(self, texts: Sequence[str], role: Role = "passage") -> Vectors:
        self.asked.append((role, list(texts)))
        return super().encode(texts)


def hashed(purpose: Purpose) -> Calibration:
    weights = {"cosine": 4.0, "rare_coverage": 2.0}
    return Calibration(purpose=purpose, judge="similarity:hashed-64", weights=weights, intercept=-3.0, threshold=0.5)


@each_row("judge", ["overlap", "similarity"])
async def test_an_answer_is_relevant_and_another_subject_is_not(judge: str) -> None:
    fitted = load_calibration("relevance", "overlap" if judge == "overlap" else f"similarity:{MiniLM.name}")
    judges = {"overlap": OverlapJudge(fitted), "similarity": SimilarityJudge(MiniLM(), fitted)}
    near, far = await judges[judge].judge([Pair(QUESTION, ANSWER), Pair(QUESTION, BESIDE)])
    assert (near.label, far.label) == ("supports", "silent")
    assert near.score > 0.8
    assert far.score < 0.2


async def test_what_supports_a_claim_counts_as_much_deep_in_a_long_text_as_alone() -> None:
    judge = SimilarityJudge(HashedEncoder(), hashed("support"))
    alone, deep = await judge.judge([Pair(QUESTION, ANSWER), Pair(QUESTION, FILLER + ANSWER + " " + FILLER)])
    assert deep.score == alone.score


async def test_a_passage_bears_on_a_question_as_a_whole() -> None:
    noting = Noting()
    await SimilarityJudge(noting, hashed("relevance")).judge([Pair(QUESTION, FILLER + ANSWER + " " + FILLER)])
    assert noting.asked[1] == ("passage", [FILLER + ANSWER + " " + FILLER])


async def test_a_question_is_encoded_as_a_query_and_a_claim_as_a_passage() -> None:
    for purpose, role in (("relevance", "query"), ("support", "passage")):
        noting = Noting()
        await SimilarityJudge(noting, hashed(purpose)).judge([Pair("gout", "Gout hurts.")])  # type: ignore[arg-type]
        assert noting.asked == [(role, ["gout"]), ("passage", ["Gout hurts."])]


async def test_the_same_words_are_encoded_once_in_one_call() -> None:
    noting = Noting()
    pairs = [Pair("gout", "Gout hurts."), Pair("gout", "It is cold."), Pair("gout", "Gout hurts.")]
    verdicts = await SimilarityJudge(noting, hashed("support")).judge(pairs)
    assert noting.asked == [("passage", ["gout"]), ("passage", ["Gout hurts.", "It is cold."])]
    assert verdicts[0] == verdicts[2]


async def test_the_reason_tells_the_features() -> None:
    [verdict] = await SimilarityJudge(HashedEncoder(), hashed("support")).judge([Pair("gout", "gout")])
    assert verdict.reason == "cosine 1.00, coverage 1.00, rare coverage 1.00"
