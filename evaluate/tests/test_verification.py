"""Pairs are read with every fault told, and the figures are those worked out by hand."""

import gzip
import json
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.tables import each_row
from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced.judges.base import Pair
from wellsourced.types import Verdict
from wellsourced_evaluate.judge_records import fit_calibration, fit_platt_scale, is_in_fitting_half
from wellsourced_evaluate.labelled_pairs import LabelledPair, read_pairs
from wellsourced_evaluate.verification import (
    JudgedPair,
    auroc,
    bootstrap_interval,
    compute_figures,
    ece,
    judge_pairs,
    macro_f1,
    reliability_bins,
    resample_clusters,
)


def written(path: Path, *rows: object) -> Path:
    text = "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def row(claim: str = "Gout hurts.", label: str = "supported", **more: object) -> dict[str, object]:
    return {"claim": claim, "evidence": "Gout is painful.", "label": label} | more


# --- reading -------------------------------------------------------------------------------------------------------


def test_lines_that_cannot_be_used_are_told_with_their_reason_and_the_rest_is_read(tmp_path: Path) -> None:
    path = written(
        tmp_path / "mine.jsonl",
        row(id="a"),
        "no json",
        [1, 2],
        row(claim=" "),
        row(label="maybe"),
        {"claim": "x", "label": "supported"},
        row(evidence=""),
        row(doc_id=7, evidence=None),
        row(label="not_enough"),
    )
    found = read_pairs([path])
    assert [(one.id, one.label) for one in found.rows] == [("a", "supports"), ("mine.jsonl:9", "silent")]
    assert [(one.line, one.reason) for one in found.rejected] == [
        (2, "it is not JSON"),
        (3, "it is not a JSON object"),
        (4, "it has no claim"),
        (5, "its label “maybe” is none of supported, contradicted, not_enough"),
        (6, "it has no evidence"),
        (7, "it has no evidence"),
        (8, "it has no evidence, and its doc_id is in no corpus"),
    ]


def test_a_list_of_pairs_is_read_as_lines_are_and_labels_in_any_letters(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps([row(id="a", label="Supported"), "no pair", row(id=0)]), encoding="utf-8")
    found = read_pairs([path])
    assert [(one.id, one.label) for one in found.rows] == [("a", "supports"), ("0", "supports")]
    assert [(one.line, one.reason) for one in found.rejected] == [(2, "it is not a JSON object")]


def test_documents_are_found_in_the_corpus_beside_the_pairs(tmp_path: Path) -> None:
    pairs = written(
        tmp_path / "trials.pairs.jsonl.gz",
        {"claim": "Gout hurts.", "label": "supported", "doc_id": 12, "evidence_sentences": [["It hurts."], ["Gout."]]},
    )
    corpus = written(tmp_path / "trials.corpus.jsonl.gz", {"_id": "12", "sentences": ["Gout.", "It hurts."]})
    [found] = read_pairs([pairs]).rows
    assert (found.text, found.rationale) == ("Gout. It hurts.", ("It hurts.", "Gout."))
    other = written(tmp_path / "other.jsonl", {"_id": 12, "text": "Gout is mild."})
    assert read_pairs([pairs], other).rows[0].text == "Gout is mild."
    corpus.unlink()
    with pytest.raises(SourceRefused, match="its doc_id is in no corpus"):
        read_pairs([pairs])


def test_pairs_that_share_a_document_or_a_group_over_any_steps_stay_together(tmp_path: Path) -> None:
    path = written(
        tmp_path / "mine.jsonl",
        row(doc_id="d1", group="g1"),
        row(doc_id="d2", group="g2"),
        row(doc_id="d2", group="g1"),
        row(doc_id="d3", group="g3"),
        row(),
        row(),
    )
    clusters = [one.cluster for one in read_pairs([path]).rows]
    assert clusters[0] == clusters[1] == clusters[2]
    assert len(set(clusters)) == 4


def test_a_limit_draws_the_same_pairs_every_time(tmp_path: Path) -> None:
    path = written(tmp_path / "mine.jsonl", *(row(id=str(number)) for number in range(50)))
    one, other = (read_pairs([path], limit=7).rows for _ in range(2))
    assert one == other
    assert len(one) == 7


@each_row("content", ["", "\n\n", "no json\n"])
def test_a_file_without_a_pair_is_unreadable(tmp_path: Path, content: str) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UnreadableFile, match="it holds no pair"):
        read_pairs([path])


# --- measures ------------------------------------------------------------------------------------------------------


def said(known: str, label: str, score: float = 0.5, cluster: int = 0, **more: object) -> JudgedPair:
    verdict = Verdict.model_validate({"label": label, "score": score, "quote": more.pop("quote", "")})
    pair = LabelledPair("id", "claim", "text", known, cluster, more.pop("rationale", ()))  # type: ignore[arg-type]
    return JudgedPair(pair, verdict, **more)  # type: ignore[arg-type]


def test_the_area_counts_pairs_in_the_right_order_and_ties_half() -> None:
    scores = np.array([0.9, 0.4, 0.4, 0.1])
    so = np.array([True, True, False, False])
    # Of four comparisons three are right and one is a tie.
    assert auroc(scores, so) == pytest.approx(3.5 / 4)
    assert math.isnan(auroc(scores, np.ones(4, dtype=bool)))


def test_calibration_is_the_mean_distance_of_score_and_share() -> None:
    scores, so = np.array([0.95, 0.95, 0.05, 1.0]), np.array([True, False, False, True])
    # One bin of two thirds supported at a mean of 0.967, one of none at 0.05.
    assert ece(scores, so) == pytest.approx((3 * (2.9 / 3 - 2 / 3) + 0.05) / 4)
    assert [one.n for one in reliability_bins(scores, so)] == [1, 0, 0, 0, 0, 0, 0, 0, 0, 3]


def test_macro_f1_is_the_mean_over_the_classes_that_come_up() -> None:
    # Class 0: tp 1, fp 1, fn 0; class 1: tp 1, fp 0, fn 1; nobody is of class 2.
    assert macro_f1(np.array([0, 1, 1]), np.array([0, 1, 0])) == pytest.approx(2 / 3)


def test_what_was_not_judged_is_counted_and_never_a_class() -> None:
    found = compute_figures(
        [said("supports", "supports", 0.9), said("silent", "unjudged", 0.0), said("silent", "silent", 0.2)], 2.0
    )
    assert (found.n, found.unjudged, found.accuracy.mean, found.support.mean) == (3, 1, 1.0, 1.0)
    assert found.matrix["silent", "unjudged"] == 1
    assert found.rate == 1.5


def test_contradiction_is_ranked_by_the_probability_that_is_told_or_else_by_the_label() -> None:
    told = [said("contradicts", "silent", against=0.4), said("silent", "silent", against=0.2)]
    assert compute_figures(told, 1.0).contradiction.mean == 1.0
    by_label = [said("contradicts", "contradicts"), said("contradicts", "silent"), said("silent", "silent")]
    assert compute_figures(by_label, 1.0).contradiction.mean == 0.75


def test_whole_clusters_are_drawn() -> None:
    clusters = [0, 0, 0, 1, 2]
    first, *others = resample_clusters(clusters)
    assert first.tolist() == [0, 1, 2, 3, 4]
    assert all((at == 0).sum() == (at == 1).sum() == (at == 2).sum() for at in others)
    one = bootstrap_interval(resample_clusters([0] * 9), lambda at: float(at.mean()))
    # A single cluster is always drawn whole: nothing varies.
    assert one.low == one.high == one.mean


def test_the_sentence_that_is_named_first_counts() -> None:
    rows = [
        said("supports", "supports", quote="it  hurts", rationale=("Gout, it hurts.",)),
        said("supports", "supports", quote="mild … it hurts", rationale=("Gout, it hurts.",)),
        said("silent", "silent"),
    ]
    found = compute_figures(rows, 1.0).rationale
    assert found is not None
    assert found.mean == 0.5
    assert compute_figures([said("supports", "supports", rationale=("Gout.",))], 1.0).rationale is None


def test_nothing_that_was_judged_gives_no_number_instead_of_a_wrong_one() -> None:
    found = compute_figures([said("supports", "unjudged", 0.0)], 1.0)
    assert math.isnan(found.accuracy.mean)
    assert math.isnan(found.ece)


async def test_every_pair_gets_its_own_verdict_and_pairs_of_one_text_go_together() -> None:
    class Noting:
        name = "noting"
        calls: list[list[Pair]] = []  # noqa: RUF012

        async def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
            self.calls.append(list(pairs))
            return [Verdict(label="supports", score=float(pair.claim) / 1000) for pair in pairs]

    pairs = [LabelledPair(str(n), str(n), f"text {n % 40}", "supports", n) for n in range(200)]
    heard: list[int] = []
    found, _ = await judge_pairs(pairs, Noting(), lambda done, every: heard.append(done))
    assert [one.verdict.score for one in found] == [n / 1000 for n in range(200)]
    assert heard[-1] == 200
    assert len(heard) > 2
    texts = [{pair.text for pair in call} for call in Noting.calls]
    assert sum(map(len, texts)) == 40


# --- calibrating ---------------------------------------------------------------------------------------------------


def overconfident(n: int = 600) -> list[JudgedPair]:
    """A judge whose logits are three times too large, on pairs of which it knows the true probability."""
    rng = np.random.default_rng(5)
    logits = rng.normal(0, 1.2, n)
    so = rng.random(n) < 1 / (1 + np.exp(-logits))
    scores = 1 / (1 + np.exp(-3 * logits))
    return [
        said("supports" if yes else "silent", "supports" if score >= 0.5 else "silent", float(score), place)
        for place, (yes, score) in enumerate(zip(so, scores, strict=True))
    ]


def test_scores_that_are_too_sure_become_probabilities_on_pairs_that_were_not_fitted() -> None:
    found = fit_calibration(overconfident(), 1.0, "judge", ["mine.jsonl"])
    assert found.calibration.support.slope == pytest.approx(1 / 3, abs=0.08)
    assert found.after.ece < 0.5 * found.before.ece
    assert found.after.brier < found.before.brier
    assert found.after.support.mean == pytest.approx(found.before.support.mean)
    assert found.calibration.n + found.calibration.measured == 600
    assert found.calibration.after is not None


def test_no_cluster_is_in_both_halves() -> None:
    rows = [one._replace(pair=one.pair._replace(cluster=place // 3)) for place, one in enumerate(overconfident())]
    found = fit_calibration(rows, 1.0, "judge", [])
    ours = {one.pair.cluster for one in rows if is_in_fitting_half(one.pair.cluster)}
    assert found.calibration.n == sum(one.pair.cluster in ours for one in rows) == 3 * len(ours)


def test_thresholds_for_contradiction_are_fitted_where_the_judge_tells_it() -> None:
    rng = np.random.default_rng(5)
    rows = []
    for place in range(400):
        known = ("supports", "contradicts", "silent")[place % 3]
        near = rng.normal(0.85 if known == "supports" else 0.2, 0.05)
        against = rng.normal(0.3 if known == "contradicts" else 0.1, 0.03)
        rows.append(said(known, "silent", float(np.clip(near, 0, 1)), place, against=float(np.clip(against, 0, 1))))
    found = fit_calibration(rows, 1.0, "judge", [])
    assert found.calibration.against is not None
    assert found.after.accuracy.mean > 0.95 > 0.6 > found.before.accuracy.mean


def test_too_few_pairs_and_scores_that_fall_where_support_rises_are_refused() -> None:
    with pytest.raises(SourceRefused, match="give more pairs"):
        fit_calibration(overconfident(40), 1.0, "judge", [])
    with pytest.raises(SourceRefused, match="the order of its labels"):
        fit_platt_scale(np.array([2.0, 1.0, -1.0, -2.0] * 10), np.array([False, False, True, True] * 10))


def test_a_judge_that_parts_the_pairs_without_a_fault_is_not_made_certain() -> None:
    scale = fit_platt_scale(np.array([5.0, -5.0] * 30), np.array([True, False] * 30))
    assert 0.9 < 1 / (1 + math.exp(-(scale.slope * 5 + scale.intercept))) < 0.99
