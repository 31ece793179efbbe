"""Fit the local judge of support and the choice of the sentence to show; say how good both are on what they never saw.

    python -m benchmarks.fit_support DATA [--out src/wellsourced/judges/weighed.json] [--entailment FILE]

DATA is the folder of the development data. One model is fitted on SciFact (claims against abstracts), Evidence
Inference (results of trials) and K-QA (physicians' statements against answers) together. Every figure is of rows whose
claim and document were not fitted on: five folds by `group`, and each set with a model that saw only the other two.
FILE holds what a model of entailment said of each pair without having been trained on its document: rows of JSON with
`id` and `probabilities` (supports, contradicts, silent). Everything is seeded: two runs print the same.
"""

import argparse
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.calibrate_judges import auroc, interval, rows
from wellsourced.encoders.base import TokenEncoder
from wellsourced.encoders.minilm import MiniLM
from wellsourced.judges import learnt
from wellsourced.judges.features import Claim, Features, Measured, Part, claims, measured
from wellsourced.judges.learnt import Blend, Learnt, Linear, Net, Task, blended, softmax, standard
from wellsourced.judges.rationale import sentence_features
from wellsourced.judges.reading import Reader
from wellsourced.judges.weighed import calibrated, entailment_features, parts_of
from wellsourced.judges.weighing import text_features
from wellsourced.text.sentences import Span, sentences

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

LABELS = ("supported", "contradicted", "not_enough")
SETS = {"scifact": "SciFact", "evidence_inference": "Evidence Inference", "kqa": "K-QA"}
FOLDS = 5
RIDGE = 100.0
RANK_RIDGE = 400.0
"""100 to 600 are within .005 of each other."""

SEED = 13
NETS, HIDDEN, NET_RIDGE, NET_STEPS = 4, 16, 8.0, 200
"""A ridge of 3 to 20 is within .003; nets and linear model together are .01 better than either on SciFact."""


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


class Row(NamedTuple):
    """A sample as it was measured; `ranked` are the features of its sentences, float64 (sentences, features)."""

    sample: Sample
    claim: Claim
    parts: list[Part]
    seen: Measured
    ranked: Floats


# --- reading -------------------------------------------------------------------------------------------------------


def samples(data: Path) -> Iterator[Sample]:
    """All pairs; of SciFact the whole abstracts."""
    folder = data / "verification"
    abstracts = {row["_id"]: row["sentences"] for row in rows(folder / "scifact.corpus.jsonl.gz")}
    for row in rows(folder / "scifact.pairs.jsonl.gz"):
        lines = abstracts[row["doc_id"]]
        text = " ".join(lines)
        spans = tuple(sentences(text))
        told = {place for some in row["evidence_sentence_ids"] for place in some}
        yield Sample(
            row["id"], "scifact", row["group"], row["claim"], text, spans, LABELS.index(row["label"]),
            _places(lines, told, spans),
        )  # fmt: skip
    for name in ("evidence_inference", "kqa"):
        for row in rows(folder / f"{name}.pairs.jsonl.gz"):
            spans = tuple(sentences(row["evidence"]))
            label = LABELS.index(row["label"])
            yield Sample(
                row["id"], name, f"{name} {row['group']}", row["claim"], row["evidence"], spans, label, frozenset()
            )


def _places(lines: Sequence[str], told: set[int], spans: Sequence[Span]) -> frozenset[int]:
    """Which of our sentences lie mostly in the sentences that were marked; the corpus cuts a few differently."""
    starts = np.cumsum([0, *(len(line) + 1 for line in lines)])
    marked = [(int(starts[place]), int(starts[place]) + len(lines[place])) for place in sorted(told)]
    return frozenset(
        place
        for place, (start, end) in enumerate(spans)
        if sum(max(0, min(end, stop) - max(start, begin)) for begin, stop in marked) * 2 > end - start
    )


def measure(found: Sequence[Sample], encoder: TokenEncoder) -> list[Row]:
    """Every sample as the judge sees it."""
    reader = Reader(encoder, limit=20_000)
    read = claims([sample.claim for sample in found], reader)
    return [_row(sample, read[sample.claim], reader) for sample in found]


def _row(sample: Sample, claim: Claim, reader: Reader) -> Row:
    parts = parts_of(sample.text, sample.spans, reader)
    seen = measured(claim, parts)
    named = sentence_features(claim, parts, seen)
    return Row(sample, claim, parts, seen, np.array([list(one.values()) for one in named]))


# --- fitting -------------------------------------------------------------------------------------------------------


class Fitted(NamedTuple):
    """A linear model: mean and spread (features,), weights (classes, features), intercepts (classes,); perhaps nets."""

    mean: Floats
    spread: Floats
    weights: Floats
    intercepts: Floats
    nets: tuple[Net, ...] = ()

    def scores(self, values: Floats) -> Floats:
        """float64 (rows, classes)."""
        scaled = standard(values, self.mean, self.spread)
        return blended(scaled @ self.weights.T + self.intercepts, [net.scores(scaled) for net in self.nets])

    def named(self, names: Sequence[str]) -> Linear:
        """As it is stored, to five digits."""
        return Linear(
            features=tuple(names), mean=_near(self.mean), spread=_near(self.spread), weights=_near(self.weights),
            intercepts=_near(self.intercepts),
        )  # fmt: skip


def fit(values: Floats, labels: Ints, ridge: float = RIDGE) -> Fitted:
    """Multinomial logistic regression with L2, by Newton's method, and nets beside it."""
    mean, spread = values.mean(axis=0), np.maximum(values.std(axis=0), 1e-6)
    x, truth = standard(values, mean, spread), np.eye(len(LABELS))[labels]
    beta = newton(x, truth, ridge)
    return Fitted(mean, spread, beta[:, :-1], beta[:, -1], fit_nets(x, truth))


def newton(x: Floats, truth: Floats, ridge: float) -> Floats:
    """Multinomial logistic regression: float64 (classes, features and an intercept). `truth` holds one 1 in a row."""
    x = np.column_stack([x, np.ones(len(x))])
    width, classes = x.shape[1], truth.shape[1]
    # A little on the intercepts too: one class is superfluous, and the matrix must not be singular.
    shrink = np.tile([*[ridge] * (width - 1), 1e-3], classes)
    beta = np.zeros((classes, width))
    for _ in range(12):
        p = softmax(x @ beta.T)
        gradient = ((p - truth).T @ x).ravel() + shrink * beta.ravel()
        blocks = [[(x.T * (p[:, i] * ((i == j) - p[:, j]))) @ x for j in range(classes)] for i in range(classes)]
        beta -= np.linalg.solve(np.block(blocks) + np.diag(shrink), gradient).reshape(classes, width)
    return beta


def fit_nets(x: Floats, truth: Floats) -> tuple[Net, ...]:
    """Nets that differ in where they start, each by Adam with L2."""
    rng = np.random.default_rng(SEED)
    found = []
    for _ in range(NETS):
        inner = rng.normal(0, x.shape[1] ** -0.5, (HIDDEN, x.shape[1]))
        outer = rng.normal(0, HIDDEN**-0.5, (len(LABELS), HIDDEN))
        found.append(_fit_net(x, truth, [inner, np.zeros(HIDDEN), outer, np.zeros(len(LABELS))]))
    return tuple(found)


def _fit_net(x: Floats, truth: Floats, held: list[Floats]) -> Net:
    first, second = [np.zeros(one.shape) for one in held], [np.zeros(one.shape) for one in held]
    for step in range(1, NET_STEPS + 1):
        for place, gradient in enumerate(_gradients(x, truth, held)):
            first[place] = 0.9 * first[place] + 0.1 * gradient
            second[place] = 0.999 * second[place] + 0.001 * gradient**2
            pace = (first[place] / (1 - 0.9**step)) / (np.sqrt(second[place] / (1 - 0.999**step)) + 1e-8)
            held[place] = held[place] - 0.01 * pace
    return Net(inner=_near(held[0]), inner_bias=_near(held[1]), outer=_near(held[2]), outer_bias=_near(held[3]))


def _gradients(x: Floats, truth: Floats, held: Sequence[Floats]) -> list[Floats]:
    inner, inner_bias, outer, outer_bias = held
    hidden = np.tanh(x @ inner.T + inner_bias)
    wrong = (softmax(hidden @ outer.T + outer_bias) - truth) / len(x)
    back = (wrong @ outer) * (1 - hidden**2)
    shrink = NET_RIDGE / len(x)
    return [back.T @ x + shrink * inner, back.sum(axis=0), wrong.T @ hidden + shrink * outer, wrong.sum(axis=0)]


def _near(values: Floats) -> tuple[Any, ...]:
    """To five digits, as tuples."""
    if values.ndim > 1:
        return tuple(map(_near, values))
    return tuple(float(f"{value:.5g}") for value in values)


def fit_ranking(lists: Sequence[Floats], gold: Sequence[frozenset[int]]) -> Fitted:
    """Logistic regression of marked sentences against all others of the same texts.

    The chance that a marked one comes first, fitted by itself, did worse on other documents: P@1 .69 for .71.
    """
    values = np.concatenate(lists)
    marked = [place in told for one, told in zip(lists, gold, strict=True) for place in range(len(one))]
    mean, spread = values.mean(axis=0), np.maximum(values.std(axis=0), 1e-6)
    beta = newton(standard(values, mean, spread), np.eye(2)[np.array(marked, int)], RANK_RIDGE)
    difference = beta[1:] - beta[:1]
    return Fitted(mean, spread, difference[:, :-1], difference[:, -1])


def ranking(table: Sequence[Row], use: Bools) -> Fitted:
    """Fitted on the rows in use that have marked sentences."""
    told = [row for row, used in zip(table, use, strict=True) if used and row.sample.gold]
    return fit_ranking([row.ranked for row in told], [row.sample.gold for row in told])


def bearing(table: Sequence[Row], use: Bools, fold: Ints) -> list[Floats]:
    """How much each sentence bears on its claim, by a ranking that was not fitted on its document.

    Rows in use: fitted on the other folds of those in use. All others: fitted on all in use.
    """
    every = ranking(table, use)
    inner = {k: ranking(table, use & (fold != k)) for k in sorted(set(fold[use].tolist()))}
    return [
        (inner[int(fold[place])] if use[place] else every).scores(row.ranked)[:, 0] for place, row in enumerate(table)
    ]


def likeness_bearing(table: Sequence[Row]) -> list[Floats]:
    """Where no ranking may be used: by what a sentence shares."""
    return [np.array([10 * (one["recall"] + one["flat"]) for one in row.seen.sentences]) for row in table]


def weighed(
    table: Sequence[Row], bears: Sequence[Floats], extra: Sequence[Features] | None
) -> tuple[list[str], Floats]:
    """The features of all texts: names, and float64 (rows, features)."""
    found = [
        text_features(row.claim, row.parts, row.seen, some) | (extra[place] if extra else {})
        for place, (row, some) in enumerate(zip(table, bears, strict=True))
    ]
    return list(found[0]), np.array([list(one.values()) for one in found])


def calibrate(scores: Floats, labels: Ints, name: str = "", weight: Floats | None = None) -> Task:
    """One temperature and three shifts, by gradient descent on the likelihood."""
    share = weight / weight.sum() if weight is not None else np.full(len(labels), 1 / len(labels))
    slope, shifts = 1.0, np.zeros(3)
    truth = np.eye(3)[labels]
    for _ in range(800):
        wrong = (calibrated(scores * slope, Task(shifts=(shifts[0], shifts[1], shifts[2]))) - truth) * share[:, None]
        slope -= 0.5 * float((wrong * scores).sum())
        shifts = shifts - 0.5 * (wrong.sum(axis=0) + 1e-3 * shifts)
    return Task(
        name=name,
        temperature=round(1 / max(slope, 0.05), 3),
        shifts=(round(float(shifts[0]), 3), round(float(shifts[1]), 3), round(float(shifts[2]), 3)),
        on=f"{SETS[name]}, n={len(labels)}" if name else "SciFact, Evidence Inference and K-QA, each counting alike",
    )


# --- measuring -----------------------------------------------------------------------------------------------------


def folds_of(table: Sequence[Row]) -> Ints:
    """The fold of each row, by its document."""
    return np.array([hashlib.sha256(f"support {row.sample.group}".encode()).digest()[0] % FOLDS for row in table])


def crossed(table: Sequence[Row], extra: Sequence[Features] | None) -> Floats:
    """Scores of each row by a model that did not see its document, float64 (rows, 3)."""
    fold = folds_of(table)
    labels = np.array([row.sample.label for row in table])
    found = np.zeros((len(table), 3))
    for k in range(FOLDS):
        use = fold != k
        values = weighed(table, bearing(table, use, fold), extra)[1]
        found[~use] = fit(values[use], labels[use]).scores(values[~use])
    return found


def unseen(table: Sequence[Row], extra: Sequence[Features] | None) -> Floats:
    """Scores of each row by a model that saw nothing of its set."""
    fold = folds_of(table)
    labels = np.array([row.sample.label for row in table])
    sets = np.array([row.sample.set for row in table])
    found = np.zeros((len(table), 3))
    for name in SETS:
        use = sets != name
        # Sentences are marked in SciFact alone: what never saw it cannot have learnt to choose them.
        bears = likeness_bearing(table) if name == "scifact" else bearing(table, use, fold)
        values = weighed(table, bears, extra)[1]
        found[~use] = fit(values[use], labels[use]).scores(values[~use])
    return found


def balanced_by_set(table: Sequence[Row]) -> Floats:
    """A weight for each row, so that every set counts alike."""
    sets = [row.sample.set for row in table]
    return np.array([1 / sets.count(name) for name in sets])


def recalibrated(scores: Floats, labels: Ints, fold: Ints) -> Floats:
    """Probabilities of each row, calibrated on the other folds."""
    found = np.zeros(scores.shape)
    for k in sorted(set(fold.tolist())):
        found[fold == k] = calibrated(scores[fold == k], calibrate(scores[fold != k], labels[fold != k]))
    return found


def macro_f1(labels: Ints, said: Ints) -> float:
    """The mean of the F1 of each label that occurs."""
    values = [
        2 * ((labels == k) & (said == k)).sum() / max((labels == k).sum() + (said == k).sum(), 1)
        for k in sorted(set(labels.tolist()))
    ]
    return float(np.mean(values))


def error(probability: Floats, right: Bools) -> float:
    """Expected calibration error of P(supports) in ten equal bins."""
    bins = np.minimum((probability * 10).astype(int), 9)
    return float(sum(abs((right[bins == k] - probability[bins == k]).sum()) for k in range(10)) / len(right))


def tell(title: str, table: Sequence[Row], scores: Floats, calibration: Callable[[Floats, Ints, Ints], Floats]) -> None:
    """Print one line for each set."""
    print(f"\n### {title}\n\n| set | n | AUROC supported | 95 % | accuracy | macro-F1 | ECE | supported of judged |")
    print("|---|--:|--:|---|--:|--:|--:|--:|")
    fold = folds_of(table)
    for name, shown in SETS.items():
        here = np.array([row.sample.set == name for row in table])
        labels = np.array([row.sample.label for row in table])[here]
        groups = [row.sample.group for row in table if row.sample.set == name]
        p = calibration(scores[here], labels, fold[here])
        said = p.argmax(axis=1)
        judged = labels < 2
        sides = scores[here][judged][:, 0] - scores[here][judged][:, 1]
        print(
            f"| {shown} | {len(labels)} | {auroc(p[:, 0], labels == 0):.3f} "
            f"| {interval(lambda at, p=p, labels=labels: auroc(p[at, 0], labels[at] == 0), groups)} "
            f"| {(said == labels).mean():.3f} | {macro_f1(labels, said):.3f} | {error(p[:, 0], labels == 0):.3f} "
            f"| {auroc(sides, labels[judged] == 0):.3f} |"
        )


def tell_rationale(table: Sequence[Row]) -> None:
    """Print how often the sentence chosen is one that was marked."""
    fold = folds_of(table)
    told = [row for row in table if row.sample.gold]
    hits = {"ranking": np.zeros(len(told)), "shared words": np.zeros(len(told))}
    for place, row in enumerate(told):
        shared = int(np.argmax([one["stems"] for one in row.seen.sentences]))
        hits["shared words"][place] = shared in row.sample.gold
    for k in range(FOLDS):
        model = ranking(table, fold != k)
        for place, row in enumerate(told):
            if folds_of([row])[0] == k:
                hits["ranking"][place] = int(np.argmax(model.scores(row.ranked)[:, 0])) in row.sample.gold
    groups = [row.sample.group for row in told]
    print(f"\n### the sentence to show, SciFact, n={len(told)}\n")
    for name, found in hits.items():
        print(f"* {name}: P@1 {found.mean():.3f} {interval(lambda at, f=found: float(f[at].mean()), groups)}")


# --- running -------------------------------------------------------------------------------------------------------


def said(path: Path, table: Sequence[Row]) -> list[Features]:
    """What a model of entailment said of each row."""
    known = {row["id"]: row["probabilities"] for row in map(json.loads, path.read_text().splitlines())}
    return entailment_features(np.array([known[row.sample.id] for row in table], np.float64))


def final(table: Sequence[Row], extra: Sequence[Features] | None, scores: Floats) -> tuple[Blend, tuple[Task, ...]]:
    """The model on all rows, and its calibrations on the scores of rows that were not fitted on."""
    labels = np.array([row.sample.label for row in table])
    names, values = weighed(table, bearing(table, np.ones(len(table), bool), folds_of(table)), extra)
    tasks = [calibrate(scores, labels, "", balanced_by_set(table))]
    for name in SETS:
        here = np.array([row.sample.set == name for row in table])
        tasks.append(calibrate(scores[here], labels[here], name))
    model = fit(values, labels)
    return Blend(linear=model.named(names), nets=model.nets), tuple(tasks)


def in_general(scores: Floats, labels: Ints, fold: Ints) -> Floats:  # noqa: ARG001 - as `recalibrated`
    """Probabilities as they come."""
    return calibrated(scores, Task())


def main() -> None:
    """Measure, print, fit, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, default=Path(learnt.__file__).with_name(learnt.FILE))
    parser.add_argument("--entailment", type=Path)
    given = parser.parse_args()
    encoder = MiniLM()
    run(list(samples(given.data)), encoder, given.out, given.entailment)


def run(found: Sequence[Sample], encoder: TokenEncoder, out: Path, entailment: Path | None) -> None:
    """Everything, from samples on."""
    table = measure(found, encoder)
    tell_rationale(table)
    scores = crossed(table, None)
    tell("five folds, calibrated per set", table, scores, recalibrated)
    tell("a set that was never seen, not calibrated", table, unseen(table, None), in_general)
    plain, tasks = final(table, None, scores)
    entailed, entailed_tasks = None, ()
    if entailment:
        extra = said(entailment, table)
        scores = crossed(table, extra)
        tell("with a model of entailment, five folds", table, scores, recalibrated)
        tell("with a model of entailment, a set that was never seen", table, unseen(table, extra), in_general)
        entailed, entailed_tasks = final(table, extra, scores)
    ranked = ranking(table, np.ones(len(table), bool)).named(list(_names(table[0])))
    model = Learnt(
        encoder=encoder.name,
        rationale=ranked,
        plain=plain,
        entailed=entailed,
        tasks=tasks,
        entailed_tasks=entailed_tasks,
    )
    out.write_text(json.dumps(model.model_dump(), separators=(",", ":")) + "\n", encoding="utf-8")


def _names(row: Row) -> Sequence[str]:
    return list(sentence_features(row.claim, row.parts, row.seen)[0])


if __name__ == "__main__":
    main()
