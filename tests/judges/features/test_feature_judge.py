"""The judge that weighs wording and direction, with the weights that come with the package."""

import numpy as np
import pytest

from tests.tables import each_row
from wellsourced.encoders.minilm import MiniLM
from wellsourced.errors import SettingsError
from wellsourced.judges.base import Judge, Pair
from wellsourced.judges.claim_features import CachingTextEncoder, join_texts, opposite_claims, word_directions
from wellsourced.judges.ensemble import GuardedJudge
from wellsourced.judges.feature_judge import MAX_SENTENCES, FeatureJudge, calibrate_scores
from wellsourced.judges.linear_model import TaskCalibration, load_support_model

CLAIM = "Compared with placebo, drotrecogin significantly decreased mortality."
FOUND = "Mortality at 28 days was significantly lower with drotrecogin than with placebo (p = 0.01)."
OPPOSED = "Mortality at 28 days was significantly higher with drotrecogin than with placebo (p = 0.01)."
AIM = "The objective was to determine whether drotrecogin decreases mortality compared with placebo."
METHOD = "Patients were randomised to receive drotrecogin or placebo."
BESIDE = "Asthma in children is treated with inhaled corticosteroids."


@pytest.fixture(scope="module")
def judge() -> FeatureJudge:
    return FeatureJudge(MiniLM(threads=1))


async def test_a_result_supports_its_claim_the_opposite_contradicts_and_another_subject_is_silent(
    judge: FeatureJudge,
) -> None:
    verdicts = await judge.judge([Pair(CLAIM, text) for text in (FOUND, OPPOSED, BESIDE)])
    assert [verdict.label for verdict in verdicts] == ["supports", "contradicts", "silent"]
    assert verdicts[0].score > 0.5 > verdicts[1].score > verdicts[2].score - 0.1


async def test_the_aim_of_a_study_is_not_shown_for_its_result(judge: FeatureJudge) -> None:
    text = f"{AIM} {METHOD} {FOUND}"
    span = judge.rank_rationales(CLAIM, text)[0]
    assert span is not None
    assert text[span.start : span.end] == FOUND
    assert (await judge.judge([Pair(CLAIM, text)]))[0].quote == FOUND


async def test_it_tells_how_likely_the_opposite_is_and_the_guard_keeps_it(judge: FeatureJudge) -> None:
    pairs = [Pair(CLAIM, FOUND), Pair(CLAIM, OPPOSED), Pair(CLAIM, " ")]
    bare = await judge.score(pairs)
    behind = await GuardedJudge(judge).score(pairs)
    against = [odds.against or 0.0 for odds in bare]
    assert against[1] > 0.5 > against[0] > against[2] == 0.0
    assert all((after.against or 0.0) >= before for before, after in zip(against, behind, strict=True))
    assert behind[1].verdict.label == "contradicts"
    assert behind[1].verdict.quote == OPPOSED


async def test_an_empty_text_is_silent_and_has_no_sentence_to_show(judge: FeatureJudge) -> None:
    empty, beside = await judge.judge([Pair(CLAIM, " \n"), Pair(CLAIM, BESIDE)])
    assert (empty.label, empty.score, beside.label) == ("silent", 0.0, "silent")
    assert judge.rank_rationales(CLAIM, "") == []


async def test_a_claim_without_words_is_judged_without_failing(judge: FeatureJudge) -> None:
    assert (await judge.judge([Pair("?!", FOUND), Pair("", FOUND)]))[0].label == "silent"


async def test_a_verdict_does_not_depend_on_what_is_judged_beside_it(judge: FeatureJudge) -> None:
    alone = await FeatureJudge(MiniLM(threads=1)).judge([Pair(CLAIM, FOUND)])
    beside = await judge.judge([Pair(BESIDE, OPPOSED), Pair(CLAIM, FOUND), Pair(CLAIM, BESIDE)])
    # The last digits differ between processors that compute several texts at once and one.
    assert beside[1].model_copy(update={"score": 0.0}) == alone[0].model_copy(update={"score": 0.0})
    assert beside[1].score == pytest.approx(alone[0].score, rel=1e-9)


async def test_a_long_text_is_read_where_it_shares_the_claims_words(judge: FeatureJudge) -> None:
    filler = " ".join(f"Ward number {place} was painted." for place in range(2 * MAX_SENTENCES))
    text = f"{filler} {FOUND} {filler}"
    span = judge.rank_rationales(CLAIM, text)[0]
    assert span is not None
    assert text[span.start : span.end] == FOUND


async def test_behind_the_guard_a_changed_number_never_supports(judge: FeatureJudge) -> None:
    guarded = GuardedJudge(judge)
    claim = "Mortality at 90 days was significantly lower with drotrecogin than with placebo (p = 0.01)."
    assert isinstance(guarded, Judge)
    assert (await guarded.judge([Pair(claim, FOUND)]))[0].label != "supports"


def test_probabilities_add_up_to_one() -> None:
    found = FeatureJudge(MiniLM(threads=1)).examine([Pair(CLAIM, FOUND)])[0]
    assert found is not None
    assert found.probability.sum() == pytest.approx(1)


def test_an_encoder_that_nothing_was_fitted_on_is_refused() -> None:
    fitted = load_support_model().model_copy(update={"encoder": "another"})
    with pytest.raises(SettingsError, match="fitted on another"):
        FeatureJudge(MiniLM(), fitted=fitted)


def test_a_temperature_above_one_makes_probabilities_milder() -> None:
    scores = np.array([[2.0, 0.0, -1.0]])
    assert (
        calibrate_scores(scores, TaskCalibration())[0, 0]
        > calibrate_scores(scores, TaskCalibration(temperature=2.0))[0, 0]
        > 1 / 3
    )


@each_row(
    ("claim", "opposite"),
    [
        ("Aspirin reduces the risk of stroke.", "Aspirin increases the risk of stroke."),
        ("Aspirin does not reduce the risk of stroke.", "Aspirin does reduce the risk of stroke."),
        ("Mitochondria are uninvolved in apoptosis.", "Mitochondria are involved in apoptosis."),
        ("Metformin is a drug.", "Metformin is not a drug."),
    ],
)
def test_a_claim_is_turned_into_its_opposite(claim: str, opposite: str) -> None:
    assert opposite in opposite_claims(claim)


def test_a_claim_without_anything_to_turn_has_no_opposite() -> None:
    assert opposite_claims("Aspirin and stroke") == []


def test_a_negation_turns_the_direction_of_the_words_behind_it() -> None:
    assert word_directions(["it", "does", "not", "increase", "mortality"]).tolist() == [0, 0, 0, -1, 0]
    assert word_directions(["ineffective"]).tolist() == [-1]


def test_words_of_one_meaning_are_nearer_in_context_than_others() -> None:
    reader = CachingTextEncoder(MiniLM(threads=1))
    attack, other, asthma = "heart attack", "myocardial infarction", "childhood asthma"
    read = reader.encode([attack, other, asthma])
    assert read[attack].states.shape == (2, 384)
    assert (read[attack].states @ read[other].states.T).max() > (read[attack].states @ read[asthma].states.T).max()


def test_a_reader_forgets_what_was_used_longest_ago() -> None:
    noting = Noting()
    reader = CachingTextEncoder(noting, limit=2)
    for text in ("one", "two", "one", "three", "one", "two"):
        reader.encode([text])
    assert noting.asked == ["one", "two", "three", "two"]


class Noting(MiniLM):
    def __init__(self) -> None:
        super().__init__(threads=1)
        self.asked: list[str] = []

    def encode_tokens(self, texts):  # type: ignore[no-untyped-def]
        self.asked += texts
        return super().encode_tokens(texts)


def test_word_pieces_are_joined_and_neighbours_read_as_one() -> None:
    read = CachingTextEncoder(MiniLM(threads=1)).encode(["Romosozumab works.", "It is new."])
    first, second = read.values()
    assert first.words == ("romosozumab", "works", ".")
    assert join_texts([first, second]).words == first.words + second.words
    assert np.linalg.norm(join_texts([first, second]).vector) == pytest.approx(1)


def test_the_states_of_tokens_and_the_vector_are_of_one_reading() -> None:
    encoder = MiniLM(threads=1)
    texts = ["Romosozumab works.", "", "It is new, and it costs more than what was there before."]
    for tokens, vector in zip(encoder.encode_tokens(texts), encoder.encode(texts, "query"), strict=True):
        assert len(tokens.pieces) == len(tokens.states)
        assert (tokens.vector == vector).all()
