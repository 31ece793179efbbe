"""The local judge of support and the choice of the sentence to show; prints how good both are on what they never saw.

    python -m wellsourced_evaluate.fitting.support DATA [--out src/wellsourced/judges/weighed.json]

One model is fitted on SciFact (claims against abstracts), Evidence Inference (results of trials) and K-QA (physicians'
statements against answers) together. Every figure is of rows whose claim and document were not fitted on: five folds by
`group`, calibrated per set, and each set with a model that saw only the other two, not calibrated. Everything is
seeded: two runs print the same.
"""

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score

from wellsourced.encoders.base import TokenEncoder, in_one_thread
from wellsourced.encoders.minilm import MiniLM
from wellsourced.judges.claim_features import (
    CachingTextEncoder,
    ClaimMeasurements,
    EncodedClaim,
    EncodedSentence,
    Features,
    encode_claims,
    measure_claim,
)
from wellsourced.judges.feature_judge import (
    calibrate_scores,
    encode_sentences,
    measurement_features,
    sentence_features,
    statement_features,
)
from wellsourced.judges.linear_model import (
    MODEL_FILE,
    LinearModel,
    ModelBlend,
    SupportModel,
    TanhNet,
    TaskCalibration,
    blend_scores,
    softmax,
    standardize_values,
)
from wellsourced.text.sentences import Span, split_sentences
from wellsourced_evaluate.development_data import PRODUCT, read_rows
from wellsourced_evaluate.fitting.models import (
    SEED,
    Bools,
    Floats,
    Ints,
    draw_interval,
    find_fold,
    measure_auroc,
    measure_calibration_error,
    print_table,
)

LABELS = ("supported", "contradicted", "not_enough")
SETS = {"scifact": "SciFact", "evidence_inference": "Evidence Inference", "kqa": "K-QA"}
FOLDS = 5

RIDGE = 100.0
RANK_RIDGE = 200.0
"""50 to 300 are within .005 of each other."""

NETS, HIDDEN, NET_RIDGE, NET_STEPS = 4, 16, 8.0, 200
"""A ridge of 3 to 20 is within .003; nets help Evidence Inference and K-QA by .004 and SciFact not at all."""


class Sample(NamedTuple):
    """A claim, a text, what the text says of it, and the places of the sentences that say so, where they are known."""

    id: str
    set: str
    group: str
    claim: str
    text: str
    spans: tuple[Span, ...]
    label: int
    gold: frozenset[int]


class MeasuredSample(NamedTuple):
    """A sample as it was measured.

    ranked   the features of its sentences, float64 (sentences, features), in the order of `names`
    stated   what the text states, by the place of the best sentence: folds differ in little else, and it takes longest
    """

    sample: Sample
    claim: EncodedClaim
    parts: list[EncodedSentence]
    seen: ClaimMeasurements
    names: tuple[str, ...]
    ranked: Floats
    stated: dict[int, Features]

    def list_features(self, bearing: Floats) -> Features:
        """As `text_features`."""
        best = int(np.argmax(bearing))
        if best not in self.stated:
            self.stated[best] = statement_features(self.claim, self.parts, best)
        return measurement_features(self.seen, bearing) | self.stated[best]


# --- reading ---------------------------------------------------------------------------------------------------------


def read_samples(data: Path) -> Iterator[Sample]:
    """All pairs; of SciFact the whole abstracts."""
    folder = data / "verification"
    abstracts = {row["_id"]: row["sentences"] for row in read_rows(folder / "scifact.corpus.jsonl.gz")}
    for name in SETS:
        for row in read_rows(folder / f"{name}.pairs.jsonl.gz"):
            lines = abstracts[row["doc_id"]] if name == "scifact" else []
            text = " ".join(lines) or row["evidence"]
            spans = tuple(split_sentences(text))
            told = {place for some in row["evidence_sentence_ids"] for place in some} if lines else set()
            group = row["group"] if lines else f"{name} {row['group']}"
            gold = _find_marked(lines, told, spans)
            yield Sample(row["id"], name, group, row["claim"], text, spans, LABELS.index(row["label"]), gold)


def _find_marked(lines: Sequence[str], told: set[int], spans: Sequence[Span]) -> frozenset[int]:
    """Which of our sentences lie mostly in the sentences that were marked; the corpus cuts a few differently."""
    starts = np.cumsum([0, *(len(line) + 1 for line in lines)])
    marked = [(int(starts[place]), int(starts[place]) + len(lines[place])) for place in sorted(told)]
    return frozenset(
        place
        for place, (start, end) in enumerate(spans)
        if sum(max(0, min(end, stop) - max(start, begin)) for begin, stop in marked) * 2 > end - start
    )


def measure_samples(found: Sequence[Sample], encoder: TokenEncoder) -> list[MeasuredSample]:
    """Every sample as the judge sees it."""
    reader = CachingTextEncoder(encoder, limit=20_000)
    claims = encode_claims([sample.claim for sample in found], reader)
    table = []
    for sample in found:
        claim, parts = claims[sample.claim], encode_sentences(sample.text, sample.spans, reader)
        seen = measure_claim(claim, parts)
        named = sentence_features(claim, parts, seen)
        ranked = np.array([list(one.values()) for one in named])
        table.append(MeasuredSample(sample, claim, parts, seen, tuple(named[0]), ranked, {}))
    return table


# --- models ----------------------------------------------------------------------------------------------------------


class FittedScores(NamedTuple):
    """A linear model: mean and spread (features,), weights (classes, features), intercepts (classes,); perhaps nets."""

    mean: Floats
    spread: Floats
    weights: Floats
    intercepts: Floats
    nets: tuple[TanhNet, ...] = ()

    def score(self, values: Floats) -> Floats:
        """float64 (rows, classes)."""
        scaled = standardize_values(values, self.mean, self.spread)
        return blend_scores(scaled @ self.weights.T + self.intercepts, [net.scores(scaled) for net in self.nets])

    def build_linear(self, names: Sequence[str]) -> LinearModel:
        """As it is stored, to five digits."""
        numbers = {name: round_digits(getattr(self, name)) for name in ("mean", "spread", "weights", "intercepts")}
        return LinearModel(features=tuple(names), **numbers)


def round_digits(values: Floats) -> tuple[Any, ...]:
    """To five digits, as tuples."""
    if values.ndim > 1:
        return tuple(map(round_digits, values))
    return tuple(float(f"{value:.5g}") for value in values)


def fit_scores(values: Floats, labels: Ints, ridge: float, *, has_nets: bool) -> FittedScores:
    """Logistic regression with L2, of as many scores as there are labels (one of two), perhaps with nets beside it."""
    mean, spread = values.mean(axis=0), np.maximum(values.std(axis=0), 1e-6)
    scaled = standardize_values(values, mean, spread)
    model = LogisticRegression(C=1 / ridge, solver="newton-cholesky", tol=1e-9, max_iter=200).fit(scaled, labels)
    nets = fit_nets(scaled, np.eye(len(LABELS))[labels]) if has_nets else ()
    return FittedScores(mean, spread, model.coef_, model.intercept_, nets)


def fit_nets(x: Floats, truth: Floats) -> tuple[TanhNet, ...]:
    """Nets that differ in where they start, each by Adam with L2."""
    rng = np.random.default_rng(SEED)
    found = []
    for _ in range(NETS):
        inner = rng.normal(0, x.shape[1] ** -0.5, (HIDDEN, x.shape[1]))
        outer = rng.normal(0, HIDDEN**-0.5, (len(LABELS), HIDDEN))
        found.append(_fit_net(x, truth, [inner, np.zeros(HIDDEN), outer, np.zeros(len(LABELS))]))
    return tuple(found)


def _fit_net(x: Floats, truth: Floats, held: list[Floats]) -> TanhNet:
    first, second = [np.zeros(one.shape) for one in held], [np.zeros(one.shape) for one in held]
    for step in range(1, NET_STEPS + 1):
        for place, gradient in enumerate(_find_gradients(x, truth, held)):
            first[place] = 0.9 * first[place] + 0.1 * gradient
            second[place] = 0.999 * second[place] + 0.001 * gradient**2
            pace = (first[place] / (1 - 0.9**step)) / (np.sqrt(second[place] / (1 - 0.999**step)) + 1e-8)
            held[place] = held[place] - 0.01 * pace
    names = ("inner", "inner_bias", "outer", "outer_bias")
    return TanhNet(**{name: round_digits(one) for name, one in zip(names, held, strict=True)})


def _find_gradients(x: Floats, truth: Floats, held: Sequence[Floats]) -> list[Floats]:
    inner, inner_bias, outer, outer_bias = held
    hidden = np.tanh(x @ inner.T + inner_bias)
    wrong = (softmax(hidden @ outer.T + outer_bias) - truth) / len(x)
    back = (wrong @ outer) * (1 - hidden**2)
    shrink = NET_RIDGE / len(x)
    return [back.T @ x + shrink * inner, back.sum(axis=0), wrong.T @ hidden + shrink * outer, wrong.sum(axis=0)]


def fit_ranking(table: Sequence[MeasuredSample], use: Bools) -> FittedScores:
    """Marked sentences against all others of the same texts, of the rows in use that have marked sentences.

    The chance that a marked one comes first, fitted by itself, did worse on other documents: P@1 .69 for .71.
    """
    told = [row for row, used in zip(table, use, strict=True) if used and row.sample.gold]
    marked = [place in row.sample.gold for row in told for place in range(len(row.ranked))]
    values = np.concatenate([row.ranked for row in told])
    return fit_scores(values, np.array(marked, int), RANK_RIDGE, has_nets=False)


def calibrate(scores: Floats, labels: Ints, name: str = "", weight: Floats | None = None) -> TaskCalibration:
    """One temperature and three shifts, by gradient descent on the likelihood."""
    share = weight / weight.sum() if weight is not None else np.full(len(labels), 1 / len(labels))
    slope, shifts, truth = 1.0, np.zeros(3), np.eye(3)[labels]
    for _ in range(800):
        wrong = (softmax(scores * slope + shifts) - truth) * share[:, None]
        slope -= 0.5 * float((wrong * scores).sum())
        shifts = shifts - 0.5 * (wrong.sum(axis=0) + 1e-3 * shifts)
    first, second, third = (round(float(one), 3) for one in shifts)
    on = f"{SETS[name]}, n={len(labels)}" if name else "SciFact, Evidence Inference and K-QA, each counting alike"
    return TaskCalibration(name=name, temperature=round(1 / max(slope, 0.05), 3), shifts=(first, second, third), on=on)


# --- crossing --------------------------------------------------------------------------------------------------------


class Table:
    """All samples, their labels, sets and folds (by document), and scores by models that did not see them."""

    def __init__(self, rows: Sequence[MeasuredSample]) -> None:
        self.rows = rows
        self.labels: Ints = np.array([row.sample.label for row in rows])
        self.sets = np.array([row.sample.set for row in rows])
        self.fold: Ints = np.array([find_fold(row.sample.group, "support", FOLDS) for row in rows])

    def list_features(self, bears: Sequence[Floats]) -> tuple[list[str], Floats]:
        """The features of all texts: names, and float64 (rows, features)."""
        found = [row.list_features(some) for row, some in zip(self.rows, bears, strict=True)]
        return list(found[0]), np.array([list(one.values()) for one in found])

    def measure_bearing(self, use: Bools) -> list[Floats]:
        """How much each sentence bears on its claim, by a ranking that was not fitted on its document.

        Rows in use: fitted on the other folds of those in use. All others: fitted on all in use.
        """
        every = fit_ranking(self.rows, use)
        inner = {k: fit_ranking(self.rows, use & (self.fold != k)) for k in sorted(set(self.fold[use].tolist()))}
        return [
            (inner[int(self.fold[place])] if use[place] else every).score(row.ranked)[:, 0]
            for place, row in enumerate(self.rows)
        ]

    def measure_likeness(self) -> list[Floats]:
        """Where no ranking may be used: by what a sentence shares."""
        return [np.array([10 * (one["recall"] + one["flat"]) for one in row.seen.sentences]) for row in self.rows]

    def score_left_out(self, use: Bools, bears: Sequence[Floats]) -> Floats:
        """Scores of the rows that are not in use, by a model of those that are: float64 (rows, 3)."""
        values = self.list_features(bears)[1]
        return fit_scores(values[use], self.labels[use], RIDGE, has_nets=True).score(values[~use])

    def score_folds(self) -> Floats:
        """Scores of each row by a model that did not see its document."""
        found = np.zeros((len(self.rows), 3))
        for k in range(FOLDS):
            use = self.fold != k
            found[~use] = self.score_left_out(use, self.measure_bearing(use))
        return found

    def score_unseen(self) -> Floats:
        """Scores of each row by a model that saw nothing of its set."""
        found = np.zeros((len(self.rows), 3))
        for name in SETS:
            use = self.sets != name
            # Sentences are marked in SciFact alone: what never saw it cannot have learnt to choose them.
            bears = self.measure_likeness() if name == "scifact" else self.measure_bearing(use)
            found[~use] = self.score_left_out(use, bears)
        return found

    # --- figures ---

    def report(
        self, title: str, scores: Floats, calibration: Callable[[Floats, Ints, Ints], Floats]
    ) -> dict[str, float]:
        """Print one line for each set; the AUROC of support in each."""
        found, lines = {}, []
        for name, shown in SETS.items():
            here = self.sets == name
            labels, groups = self.labels[here], [row.sample.group for row in self.rows if row.sample.set == name]
            p = calibration(scores[here], labels, self.fold[here])
            supported, right = p[:, 0], labels == 0
            sides = (scores[here][:, 0] - scores[here][:, 1])[labels < 2]
            area = measure_auroc(supported, right)
            found[f"{shown}, {title}: AUROC"] = round(area, 3)
            lines.append((
                shown, len(labels), area, _draw_area(supported, right, groups),
                float((p.argmax(axis=1) == labels).mean()), float(f1_score(labels, p.argmax(axis=1), average="macro")),
                measure_calibration_error(supported, right, is_balanced=False), measure_auroc(sides, right[labels < 2]),
            ))  # fmt: skip
        print(f"\n### {title}")
        heads = ("set", "n", "AUROC supported", "95 %", "accuracy", "macro-F1", "ECE", "supported of judged")
        print_table(heads, lines)
        return found

    def report_rationale(self) -> dict[str, float]:
        """Print how often the sentence chosen is one that was marked."""
        models = [fit_ranking(self.rows, self.fold != k) for k in range(FOLDS)]
        told = [(row, int(fold)) for row, fold in zip(self.rows, self.fold, strict=True) if row.sample.gold]
        hits = np.array(
            [int(np.argmax(models[fold].score(row.ranked)[:, 0])) in row.sample.gold for row, fold in told], float
        )
        interval = draw_interval(lambda at: float(hits[at].mean()), [row.sample.group for row, _ in told])
        print(f"\n### the sentence to show, SciFact, n={len(told)}\n\nP@1 {hits.mean():.3f} {interval}")
        return {"SciFact, five folds: P@1 of the sentence": round(float(hits.mean()), 3)}


def _draw_area(scores: Floats, right: Bools, groups: Sequence[str]) -> str:
    return draw_interval(lambda at: measure_auroc(scores[at], right[at]), groups)


def calibrate_folds(scores: Floats, labels: Ints, fold: Ints) -> Floats:
    """Probabilities of each row, calibrated on the other folds."""
    found = np.zeros(scores.shape)
    for k in sorted(set(fold.tolist())):
        found[fold == k] = calibrate_scores(scores[fold == k], calibrate(scores[fold != k], labels[fold != k]))
    return found


def keep_scores(scores: Floats, labels: Ints, fold: Ints) -> Floats:  # noqa: ARG001 - as `calibrate_folds`
    """Probabilities as they come."""
    return calibrate_scores(scores, TaskCalibration())


def fit_final(table: Table, scores: Floats) -> tuple[ModelBlend, tuple[TaskCalibration, ...]]:
    """The model on all rows, and its calibrations on the scores of rows that were not fitted on."""
    names, values = table.list_features(table.measure_bearing(np.ones(len(table.rows), bool)))
    balanced = np.array([1 / (table.sets == name).sum() for name in table.sets])
    tasks = [calibrate(scores, table.labels, "", balanced)]
    for name in SETS:
        here = table.sets == name
        tasks.append(calibrate(scores[here], table.labels[here], name))
    model = fit_scores(values, table.labels, RIDGE, has_nets=True)
    return ModelBlend(linear=model.build_linear(names), nets=model.nets), tuple(tasks)


def main() -> None:
    """Measure, print, fit, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, default=PRODUCT / "judges" / MODEL_FILE)
    given = parser.parse_args()
    with in_one_thread():
        encoder = MiniLM()
        table = Table(measure_samples(list(read_samples(given.data)), encoder))
        figures = table.report_rationale()
        scores = table.score_folds()
        figures |= table.report("five folds", scores, calibrate_folds)
        figures |= table.report("never seen", table.score_unseen(), keep_scores)
        plain, tasks = fit_final(table, scores)
        rationale = fit_ranking(table.rows, np.ones(len(table.rows), bool)).build_linear(table.rows[0].names)
    model = SupportModel(encoder=encoder.name, rationale=rationale, plain=plain, tasks=tasks, figures=figures)
    given.out.write_text(json.dumps(model.model_dump(), separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
