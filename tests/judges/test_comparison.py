"""The default judge, with the weights that come with the package."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from wellsourced.encoders.minilm import MiniLM
from wellsourced.judges.base import Judge, Pair, load_calibration
from wellsourced.judges.comparison import COPIED, MAX_SENTENCES, MEASURES, ComparisonJudge, WordEncoder, compare_claim
from wellsourced.judges.layers import GuardedJudge

CLAIM = "Compared with placebo, drotrecogin significantly decreased mortality."
FOUND = "Mortality at 28 days was significantly lower with drotrecogin than with placebo (p = 0.01)."
OPPOSED = "Mortality at 28 days was significantly higher with drotrecogin than with placebo (p = 0.01)."
AIM = "The objective was to determine whether drotrecogin decreases mortality compared with placebo."
METHOD = "Patients were randomised to receive drotrecogin or placebo."
BESIDE = "Asthma in children is treated with inhaled corticosteroids."


def opened(encoder: MiniLM | None = None) -> ComparisonJudge:
    encoder = encoder or MiniLM(threads=1)
    return ComparisonJudge(encoder, load_calibration("support", f"comparison:{encoder.name}"))


@pytest.fixture(scope="module")
def judge() -> ComparisonJudge:
    return opened()


async def test_a_result_supports_its_claim_the_opposite_contradicts_and_another_subject_is_silent(
    judge: ComparisonJudge,
) -> None:
    verdicts = await judge.judge([Pair(CLAIM, text) for text in (FOUND, OPPOSED, BESIDE)])
    assert [verdict.label for verdict in verdicts] == ["supports", "contradicts", "silent"]
    assert verdicts[0].score > 0.5 > max(verdicts[1].score, verdicts[2].score)
    assert all(name.replace("_", " ") in verdicts[0].reason for name in MEASURES)


async def test_the_aim_of_a_study_is_not_shown_for_its_result(judge: ComparisonJudge) -> None:
    [verdict] = await judge.judge([Pair(CLAIM, f"{AIM} {METHOD} {FOUND}")])
    assert verdict.quote == FOUND


async def test_an_empty_text_is_silent_and_has_no_sentence_to_show(judge: ComparisonJudge) -> None:
    empty, beside = await judge.judge([Pair(CLAIM, " \n"), Pair(CLAIM, BESIDE)])
    assert (empty.label, empty.score, beside.label, beside.quote) == ("silent", 0.0, "silent", "")


async def test_a_claim_without_words_is_judged_without_failing(judge: ComparisonJudge) -> None:
    assert (await judge.judge([Pair("?!", FOUND), Pair("", FOUND)]))[0].label == "silent"


async def test_a_verdict_does_not_depend_on_what_is_judged_beside_it(judge: ComparisonJudge) -> None:
    alone = await opened().judge([Pair(CLAIM, FOUND)])
    beside = await judge.judge([Pair(BESIDE, OPPOSED), Pair(CLAIM, FOUND), Pair(CLAIM, BESIDE)])
    # The last digits differ between processors that compute several texts at once and one.
    assert beside[1].model_copy(update={"score": 0.0}) == alone[0].model_copy(update={"score": 0.0})
    assert beside[1].score == pytest.approx(alone[0].score, rel=1e-6)


async def test_a_long_text_is_read_where_it_shares_the_claims_words(judge: ComparisonJudge) -> None:
    filler = " ".join(f"Ward number {place} was painted." for place in range(2 * MAX_SENTENCES))
    short, long = await judge.judge([Pair(CLAIM, FOUND), Pair(CLAIM, f"{filler} {FOUND} {filler}")])
    assert long.quote == FOUND
    assert long.label == short.label


async def test_behind_the_guard_a_changed_number_never_supports(judge: ComparisonJudge) -> None:
    guarded = GuardedJudge(judge)
    claim = "Mortality at 90 days was significantly lower with drotrecogin than with placebo (p = 0.01)."
    assert isinstance(guarded, Judge)
    assert (await guarded.judge([Pair(claim, FOUND)]))[0].label != "supports"


def test_a_fact_that_differs_counts_in_a_copy_and_not_in_a_paraphrase() -> None:
    copied = compare_claim(Pair(FOUND, FOUND), 1.0).measures
    altered = compare_claim(Pair(FOUND.replace("lower", "higher"), FOUND), 1.0).measures
    paraphrase = compare_claim(Pair("More people died after a month on placebo.", FOUND), 1.0).measures
    assert copied["faithful_copy"] == pytest.approx(1 - COPIED)
    assert copied["altered_copy"] == altered["faithful_copy"] == 0.0
    assert altered["altered_copy"] > 0.1
    assert paraphrase["faithful_copy"] == paraphrase["altered_copy"] == 0.0


def test_a_result_that_runs_the_other_way_and_a_figure_that_clashes_are_measured() -> None:
    assert compare_claim(Pair(CLAIM, FOUND), 1.0).measures["result"] > 0
    assert compare_claim(Pair(CLAIM, OPPOSED), 1.0).measures["result"] < 0
    said = "Mortality at 90 days was significantly lower with drotrecogin than with placebo (p = 0.01)."
    assert compare_claim(Pair(said, FOUND), 1.0).clashes
    assert not compare_claim(Pair(FOUND, FOUND), 1.0).clashes


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_two_texts_are_measured_within_bounds(claim: str, text: str) -> None:
    measures = compare_claim(Pair(claim, text), 0.5).measures
    assert tuple(measures) == MEASURES
    assert all(-1 <= value <= 1 for value in measures.values())


@each_row("junk", ["p < ", "no ", "1 ", "lower than X, but no ", "(5 mg) "])
async def test_hostile_texts_take_a_bounded_time(judge: ComparisonJudge, junk: str) -> None:
    text = junk * (20_000 // len(junk))
    begun = time.process_time()
    await judge.judge([Pair(CLAIM, text), Pair(text[:2_000], FOUND)])
    assert time.process_time() - begun < 8


def test_words_of_one_meaning_are_nearer_in_context_than_others() -> None:
    attack, other, asthma = WordEncoder(MiniLM(threads=1)).encode(
        ["heart attack", "myocardial infarction", "childhood asthma"]
    )
    assert attack.states.shape == (2, 384)
    assert (attack.states @ other.states.T).max() > (attack.states @ asthma.states.T).max()


def test_word_pieces_are_joined() -> None:
    [words] = WordEncoder(MiniLM(threads=1)).encode(["Romosozumab works."])
    assert words.states.shape == (3, 384)
    assert words.rarity[0] > words.rarity[1] > words.rarity[2] == 0
    assert np.linalg.norm(words.states, axis=1) == pytest.approx(1, rel=1e-5)


def test_what_was_used_longest_ago_is_forgotten_first() -> None:
    noting = Noting()
    words = WordEncoder(noting, limit=2)
    for text in ("one", "two", "one", "three", "one", "two"):
        words.encode([text])
    assert noting.asked == ["one", "two", "three", "two"]


class Noting(MiniLM):
    def __init__(self) -> None:
        super().__init__(threads=1)
        self.asked: list[str] = []

    def encode_tokens(self, texts):  # type: ignore[no-untyped-def]
        self.asked += texts
        return super().encode_tokens(texts)


def test_the_states_of_tokens_and_the_vector_are_of_one_reading() -> None:
    encoder = MiniLM(threads=1)
    texts = ["Romosozumab works.", "", "It is new, and it costs more than what was there before."]
    for tokens, vector in zip(encoder.encode_tokens(texts), encoder.encode(texts, "query"), strict=True):
        assert len(tokens.pieces) == len(tokens.states)
        assert (tokens.vector == vector).all()
