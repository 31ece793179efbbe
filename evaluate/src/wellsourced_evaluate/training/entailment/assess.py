"""How well a model judges the labelled sets, beside cosine and overlap, with bootstrap intervals.

    python -m …training.entailment.assess DATA (--model model.safetensors | --onnx entailment.onnx | --told FILE.jsonl)
        [--out FILE.jsonl] [--cosines CACHE.json] [--set scifact]

Figures: AUROC of supported against rest, three-way accuracy and macro-F1, AUROC of supported against contradicted, and
the differences to cosine and overlap, all with 95 % intervals from 1,000 bootstrap draws of groups (documents).
"""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.calibrate_judges import auroc, newton
from wellsourced_evaluate.training.entailment.labelled import SETS, Item, fold, items
from wellsourced_evaluate.training.entailment.scoring import (
    Floats,
    Judged,
    asked,
    cosines,
    judged,
    overlaps,
    read,
    write,
)

DRAWS, SEED, FOLDS = 1000, 13, 5
LABELS = ("contradicted", "not_enough", "supported")
Interval = tuple[float, float, float]
Figure = Callable[[NDArray[np.int64]], float]
"""A figure of some places of a list of items."""


def bootstrapped(every: Sequence[Item], figure: Figure) -> Interval:
    """A figure of places of items, and the 95 % interval when whole groups are drawn with replacement."""
    groups: dict[str, list[int]] = {}
    for place, item in enumerate(every):
        groups.setdefault(item.group, []).append(place)
    members = [np.array(g) for g in groups.values()]
    rng = np.random.default_rng(SEED)
    drawn = [
        figure(np.concatenate([members[i] for i in rng.integers(0, len(members), len(members))])) for _ in range(DRAWS)
    ]
    low, high = np.nanpercentile(drawn, [2.5, 97.5])
    return figure(np.arange(len(every))), float(low), float(high)


def macro_f1(said: NDArray[np.int64], true: NDArray[np.int64]) -> float:
    """The mean of the F1 of the three labels; a label that neither occurs nor is said is left out."""
    values = []
    for label in range(3):
        either = (said == label).sum() + (true == label).sum()
        if either:
            values.append(2 * ((said == label) & (true == label)).sum() / either)
    return float(np.mean(values))


def features(told: Judged | None, cosine: Sequence[float], overlap: Sequence[float]) -> list[float]:
    """Cosine (best sentence, best two), overlap (best sentence, whole) and, where it is asked, the model's log-odds."""
    own = [max(cosine), sum(sorted(cosine)[-2:]) / 2, max(overlap[:-1]), overlap[-1]]
    if told is None:
        return own
    clipped = np.clip(np.array(told.whole), 1e-4, 1 - 1e-4)
    return [*own, *np.log(clipped / (1 - clipped)).tolist()]


def crossed(every: Sequence[Item], values: Floats) -> Floats:
    """Out-of-fold probability of support by logistic regression, folds by group."""
    folds = np.array([fold(item, FOLDS) for item in every])
    supported = np.array([item.label == "supported" for item in every])
    scores = np.zeros(len(every))
    for one in range(FOLDS):
        model = newton(values[folds != one], supported[folds != one], tuple(range(values.shape[1])), 3.0)
        scores[folds == one] = 1 / (1 + np.exp(-(values[folds == one] @ model.weights + model.intercept)))
    return scores


def figures(
    every: Sequence[Item], told: Mapping[str, Judged], cosine: Mapping[str, Sequence[float]]
) -> dict[str, Interval]:
    """Every figure of one set, by name."""
    overlap = overlaps(every)
    true = np.array([LABELS.index(item.label) for item in every])
    whole = np.array([told[item.id].whole for item in every])
    scores = {
        "model": whole[:, 2],
        "cosine": np.array([max(cosine[i.id]) for i in every]),
        "overlap": np.array([max(overlap[i.id][:-1]) for i in every]),
        "overlap whole": np.array([overlap[i.id][-1] for i in every]),
    }
    for name, model in (("regression without model", None), ("regression with model", told)):
        values = np.array([features(model[i.id] if model else None, cosine[i.id], overlap[i.id]) for i in every])
        scores[name] = crossed(every, values)

    area = {name: _area(score, true == 2) for name, score in scores.items()}
    found = {f"AUROC {name}": bootstrapped(every, one) for name, one in area.items()}
    for name in ("cosine", "overlap", "overlap whole"):
        found[f"model - {name}"] = bootstrapped(every, _more(area["model"], area[name]))
    gain = _more(area["regression with model"], area["regression without model"])
    found["gain in regression"] = bootstrapped(every, gain)
    odds = np.log(whole[:, 2] + 1e-6) - np.log(whole[:, 0] + 1e-6)
    for name, score in (("model", odds), ("cosine", scores["cosine"])):
        among = _area(score, true == 2, true != 1)
        found[f"AUROC supported/contradicted, {name}"] = bootstrapped(every, among)
    said = whole.argmax(1)
    found["accuracy, 3-way"] = bootstrapped(every, _share(said == true))
    found["majority"] = bootstrapped(every, lambda at: float(np.bincount(true[at]).max() / len(at)))
    found["macro-F1"] = bootstrapped(every, lambda at: macro_f1(said[at], true[at]))
    if every[0].set == "scifact":
        found |= _rationale(every, told, cosine, overlap)
    return found


def _area(scores: Floats, positive: NDArray[np.bool_], among: NDArray[np.bool_] | None = None) -> Figure:
    """AUROC of places, or of those of them that are `among`."""

    def figure(at: NDArray[np.int64]) -> float:
        kept = at if among is None else at[among[at]]
        return auroc(scores[kept], positive[kept])

    return figure


def _more(one: Figure, other: Figure) -> Figure:
    return lambda at: one(at) - other(at)


def _share(hits: NDArray[np.bool_]) -> Figure:
    return lambda at: float(hits[at].mean())


def _rationale(
    every: Sequence[Item],
    told: Mapping[str, Judged],
    cosine: Mapping[str, Sequence[float]],
    overlap: Mapping[str, Sequence[float]],
) -> dict[str, Interval]:
    """How often the first sentence is one of a rationale, over claims that have one."""
    having = [item for item in every if item.rationales]
    inside = [{p for group in item.rationales for p in group} for item in having]
    picks = {
        "model": [int(np.argmax([1 - s[1] for s in told[i.id].sentences])) for i in having],
        "cosine": [int(np.argmax(cosine[i.id])) for i in having],
        "overlap": [int(np.argmax(overlap[i.id][:-1])) for i in having],
    }
    hits = {
        name: np.array([p in good for p, good in zip(chosen, inside, strict=True)]) for name, chosen in picks.items()
    }
    return {f"rationale P@1 {name}": bootstrapped(having, _share(hit)) for name, hit in hits.items()}


def known_cosines(every: Sequence[Item], cache: Path | None) -> Mapping[str, Sequence[float]]:
    """From the cache, or by the bundled encoder and then into the cache."""
    if cache and cache.exists():
        found: dict[str, list[float]] = json.loads(cache.read_text())
        return found
    from wellsourced.encoders.minilm import MiniLM

    fresh = cosines(every, MiniLM())
    if cache:
        cache.write_text(json.dumps(fresh))
    return fresh


def predicted(every: Sequence[Item], model: Path | None, onnx: Path | None) -> list[Judged]:
    """Asked of a checkpoint by torch, or of the exported file by ONNX Runtime."""
    from wellsourced_evaluate.training.entailment.batches import encoded

    pairs = [encoded(claim, text) for claim, text in asked(every)]
    if onnx:
        from wellsourced_evaluate.training.entailment.export import probabilities_of

        return judged(every, probabilities_of(onnx, pairs))
    from wellsourced_evaluate.training.entailment.bert import from_checkpoint
    from wellsourced_evaluate.training.entailment.train import probabilities

    if model is None:
        raise SystemExit("Say what is assessed: --model, --onnx or --told.")
    return judged(every, probabilities(from_checkpoint(model), pairs).double().numpy())


def main() -> None:
    """Print the figures of every set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--onnx", type=Path)
    parser.add_argument("--told", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--cosines", type=Path)
    parser.add_argument("--set", choices=SETS, action="append")
    given = parser.parse_args()
    every = items(given.data)
    cosine = known_cosines(every, given.cosines)
    chosen = [i for i in every if i.set in (given.set or SETS)]
    found = read(given.told) if given.told else {j.id: j for j in predicted(chosen, given.model, given.onnx)}
    if given.out:
        write(found.values(), given.out)
    for name in given.set or SETS:
        of_set = [i for i in chosen if i.set == name]
        print(f"\n{name}: {len(of_set)} pairs, {len({i.group for i in of_set})} groups")
        for figure, (value, low, high) in figures(of_set, found, cosine).items():
            print(f"  {figure:42} {value:6.3f} [{low:.3f}, {high:.3f}]")


if __name__ == "__main__":
    main()
