# mypy: disable-error-code="untyped-decorator,no-any-return"
"""Train the cross-encoder of relevance on the questions of `questions.py`; a GPU does it in minutes.

    python -m …training.relevance.train DATA WEIGHTS OUT [--epochs 8] [--layers 6] [--folds 5 | --parts 3]

DATA is what `questions.py` wrote, WEIGHTS the encoder of all-MiniLM-L6-v2. Without --folds OUT/model.safetensors is
trained on all; with it, every family of guidelines is once left out, and what is printed was measured on those. With
--parts the questions are left out by parts, and each model is kept: what is fitted on top must not know its questions.

Each question is ranked with texts that do not answer it: of the same document, the nearest ones by the encoder, and
others at random. Loss: that each answer stands before all of them (softmax), and how likely each answers (logistic).
"""

import argparse
import gzip
import json
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn import functional

from wellsourced_evaluate.training.entailment.bert import Entailment, from_encoder

GROUP = 16
"""Texts with which a question is ranked."""

MAX_ANSWERS, MAX_HELPS = 4, 2
NEAREST = 60
"""Texts nearest to a question from which the hard ones are drawn."""

HELPS = 0.35
"""How likely a text answers that only helps."""

NEAR_WEIGHT = 1.0
WARM, CLIP, DECAY, SEED = 0.06, 1.0, 0.01, 13

LARGEST_INT8, SCALE = 127, ".scale"

SHARE_OF_OTHERS = 0.4
"""Questions on other pools that are read in each epoch, as a share of them."""

Numbers = NDArray[np.int64]


class Tokens(NamedTuple):
    """Texts as token ids, one after the other."""

    ids: NDArray[np.uint16]
    starts: Numbers

    def row(self, place: int) -> NDArray[np.uint16]:
        """The ids of a text."""
        return self.ids[self.starts[place] : self.starts[place + 1]]


class TrainingSet(NamedTuple):
    """What is learned from. nearest: (questions, NEAREST) places of texts of the question's pool, nearest first."""

    asked: list[Mapping[str, Any]]
    texts: Tokens
    questions: Tokens
    families: list[str]
    documents: Mapping[str, list[int]]
    pools: Mapping[str, list[int]]
    nearest: Numbers


class Group(NamedTuple):
    """A question and the texts that it is ranked with. targets: 1 answers, HELPS helps, 0 neither."""

    question: int
    places: list[int]
    targets: list[float]


def read_set(folder: Path, model: Entailment, device: str) -> TrainingSet:
    """The questions and texts, and of each question the nearest texts by the encoder."""
    found = np.load(folder / "texts.npz")
    about = json.loads(gzip.decompress((folder / "questions.json.gz").read_bytes()))
    texts = Tokens(found["ids"], found["starts"])
    questions = Tokens(found["question_ids"], found["question_starts"])
    documents, pools = defaultdict(list), defaultdict(list)
    for place, (pool, document, _) in enumerate(about["texts"]):
        documents[f"{pool}/{document}"].append(place)
        pools[pool].append(place)
    vectors = embed(model, texts, device)
    asked_vectors = embed(model, questions, device)
    nearest = np.zeros((len(about["asked"]), NEAREST), np.int64)
    for pool, places in pools.items():
        mine = [number for number, one in enumerate(about["asked"]) if one["pool"] == pool]
        own = vectors[torch.tensor(places, device=device)]
        for start in range(0, len(mine), 256):
            some = mine[start : start + 256]
            likeness = asked_vectors[torch.tensor(some, device=device)] @ own.T
            best = likeness.topk(NEAREST).indices.cpu().numpy()
            nearest[some] = np.array(places)[best]
    families = [family for _, _, family in about["texts"]]
    return TrainingSet(about["asked"], texts, questions, families, documents, pools, nearest)


@torch.no_grad()
def embed(model: Entailment, texts: Tokens, device: str, size: int = 1024) -> Tensor:
    """The mean of the encoder's last states, of length 1: float16 (texts, width)."""
    model.eval()
    count = len(texts.starts) - 1
    order = np.argsort(np.diff(texts.starts))
    found: Tensor | None = None
    for start in range(0, count, size):
        places = order[start : start + size]
        ids, mask, kinds = pad([texts.row(place).tolist() for place in places], [10_000] * len(places), device)
        with torch.autocast(device, torch.bfloat16):
            states = encode(model, ids, mask, kinds).float()
        mean = (states * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)
        rows = functional.normalize(mean, dim=1).half()
        if found is None:
            found = torch.zeros(count, rows.shape[1], dtype=torch.float16, device=device)
        found[torch.from_numpy(places).to(device)] = rows
    assert found is not None  # noqa: S101
    return found if device != "cpu" else found.float()


def encode(model: Entailment, ids: Tensor, mask: Tensor, kinds: Tensor) -> Tensor:
    """The encoder's last states, without a head."""
    places = torch.arange(ids.shape[1], device=ids.device).unsqueeze(0)
    states = model.embeddings["word_embeddings"](ids) + model.embeddings["position_embeddings"](places)
    states = model.embeddings["LayerNorm"](states + model.embeddings["token_type_embeddings"](kinds))
    bias = (1.0 - mask.to(states.dtype)[:, None, None, :]) * -10000.0
    for layer in model.encoder["layer"]:
        states = layer(states, bias)
    return states


def pad(rows: Sequence[Sequence[int]], seconds: Sequence[int], device: str) -> tuple[Tensor, Tensor, Tensor]:
    """input_ids, attention_mask and token_type_ids (texts, tokens); each row's second part starts at `seconds`."""
    width = -(-max(map(len, rows)) // 8) * 8
    ids = np.zeros((len(rows), width), np.int64)
    mask, kinds = np.zeros_like(ids), np.zeros_like(ids)
    for number, (row, second) in enumerate(zip(rows, seconds, strict=True)):
        ids[number, : len(row)] = row
        mask[number, : len(row)] = 1
        kinds[number, second : len(row)] = 1
    return tuple(torch.from_numpy(one).to(device) for one in (ids, mask, kinds))  # type: ignore[return-value]


def draw_group(data: TrainingSet, number: int, random: Random) -> Group:
    """The texts with which a question is ranked this time."""
    one = data.asked[number]
    answers = random.sample(one["answers"], min(MAX_ANSWERS, len(one["answers"])))
    helps = random.sample(one["helps"], min(MAX_HELPS, len(one["helps"])))
    known = {*one["answers"], *one["helps"]}
    near = random.sample(one["near"], min(4, len(one["near"])))

    def may(place: int, *, is_of_document: bool = False) -> bool:
        is_own = data.families[place] == one["family"] and one["pool"] == "guidelines"
        return place not in known and (is_of_document or not is_own)

    own_document = [p for p in data.documents[f"{one['pool']}/{one['document']}"] if may(p, is_of_document=True)]
    own = set(own_document)
    close = [p for p in data.nearest[number].tolist() if p in own or may(p)]
    own_close = [p for p in close if p in own][:20]
    room = GROUP - len(answers) - len(helps) - len(near)
    drawn: dict[int, None] = dict.fromkeys(near)
    for source, share in ((own_close, 0.35), (close[:40], 0.35), (own_document, 0.2)):
        drawn.update(dict.fromkeys(random.sample(source, min(len(source), round(share * room)))))
    pool = data.pools[one["pool"]]
    while len(drawn) < room + len(near):
        place = random.choice(pool)
        if may(place):
            drawn[place] = None
    negatives = [p for p in drawn if p not in known][: room + len(near)]
    places = [*answers, *helps, *negatives]
    return Group(number, places, [1.0] * len(answers) + [HELPS] * len(helps) + [0.0] * len(negatives))


def join_pairs(data: TrainingSet, pairs: Sequence[tuple[int, int]], device: str) -> tuple[Tensor, Tensor, Tensor]:
    """[CLS] question [SEP] text [SEP] of each (question, text)."""
    rows, seconds = [], []
    for number, place in pairs:
        first = data.questions.row(number).tolist()
        rows.append(first + data.texts.row(place).tolist()[1:])
        seconds.append(len(first))
    return pad(rows, seconds, device)


def measure_loss(scores: Tensor, targets: Tensor) -> Tensor:
    """Scores and targets (groups, GROUP)."""
    likely = functional.binary_cross_entropy_with_logits(scores, targets)
    lowest = torch.full_like(scores, -1e4)
    negatives = torch.where(targets == 0, scores, lowest).logsumexp(1, keepdim=True)
    before = functional.softplus(negatives - scores)
    is_answer = (targets == 1).float()
    is_help = ((targets > 0) & (targets < 1)).float()
    answers = torch.where(targets == 1, scores, lowest).logsumexp(1, keepdim=True)
    after_answers = functional.softplus(scores - answers) * is_help * is_answer.amax(1, keepdim=True)
    ranked = (before * is_answer).sum() / is_answer.sum().clamp(min=1)
    ordered = after_answers.sum() / is_help.sum().clamp(min=1)
    return ranked + 2 * likely + 0.3 * ordered


def train(
    model: Entailment, data: TrainingSet, numbers: Sequence[int], epochs: int, device: str, rate: float, size: int
) -> Entailment:
    """The model, trained on these questions."""
    torch.manual_seed(SEED)
    random = Random(SEED)  # noqa: S311 - nothing secret
    model.to(device).train()
    model.embeddings["word_embeddings"].weight.requires_grad_(False)
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=rate, weight_decay=DECAY)
    batches = list(_list_batches(data, numbers, epochs, size, random))
    began = time.monotonic()
    for step, batch in enumerate(batches):
        share = step / len(batches)
        for parameters in optimizer.param_groups:
            parameters["lr"] = rate * min(share / WARM, (1 - share) / (1 - WARM))
        groups = [draw_group(data, number, random) for number in batch]
        pairs = [(one.question, place) for one in groups for place in one.places]
        with torch.autocast(device, torch.bfloat16):
            scores = model(*join_pairs(data, pairs, device)).float().view(len(groups), GROUP)
        loss = measure_loss(scores, torch.tensor([one.targets for one in groups], device=device))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        if step % 100 == 0:
            print(f"step {step} of {len(batches)}, {time.monotonic() - began:.0f} s, loss {loss:.3f}", flush=True)
    return model.eval()


def _list_batches(
    data: TrainingSet, numbers: Sequence[int], epochs: int, size: int, random: Random
) -> Iterator[list[int]]:
    """All questions on guidelines in each epoch, and a share of the others, which is less from epoch to epoch."""
    own = [number for number in numbers if data.asked[number]["pool"] == "guidelines"]
    others = [number for number in numbers if data.asked[number]["pool"] != "guidelines"]
    for epoch in range(epochs):
        share = SHARE_OF_OTHERS * 2 * (1 - epoch / epochs)
        drawn = own + random.sample(others, min(len(others), round(share * len(others))))
        random.shuffle(drawn)
        for start in range(0, len(drawn) - size + 1, size):
            yield sorted(drawn[start : start + size], key=lambda number: len(data.questions.row(number)))


@torch.no_grad()
def score_pairs(
    model: Entailment, data: TrainingSet, pairs: Sequence[tuple[int, int]], device: str, size: int = 2048
) -> NDArray[np.float32]:
    """A logit of each (question, text)."""
    lengths = np.array(
        [
            data.questions.starts[q + 1] - data.questions.starts[q] + data.texts.starts[t + 1] - data.texts.starts[t]
            for q, t in pairs
        ]
    )
    order = np.argsort(lengths)
    found = np.zeros(len(pairs), np.float32)
    model.eval()
    for start in range(0, len(pairs), size):
        places = order[start : start + size]
        with torch.autocast(device, torch.bfloat16):
            scores = model(*join_pairs(data, [pairs[p] for p in places], device)).float()[:, 0]
        found[places] = scores.cpu().numpy()
    return found


def list_candidates(data: TrainingSet, number: int) -> list[int]:
    """What is ranked when it is measured: the question's document, and the nearest texts of its pool."""
    one = data.asked[number]
    places = dict.fromkeys(data.documents[f"{one['pool']}/{one['document']}"])
    places.update(dict.fromkeys(data.nearest[number].tolist()))
    places.update(dict.fromkeys([*one["answers"], *one["helps"]]))
    return list(places)


def report(data: TrainingSet, told: Mapping[int, Sequence[float]], name: str) -> None:
    """Of each pool hit@1, MRR, the share of the answers among as many first ones, and how near misses are told."""
    for pool in data.pools:
        rows = [number for number in told if data.asked[number]["pool"] == pool]
        first, mrr, precise, best, near = [], [], [], [], []
        for number in rows:
            one, places, scores = data.asked[number], list_candidates(data, number), np.array(told[number])
            if not one["answers"]:
                near.append(scores.max())
                continue
            ranked = [places[p] for p in np.argsort(-scores)]
            wanted = set(one["answers"])
            rank = next(n for n, place in enumerate(ranked) if place in wanted)
            first.append(rank == 0)
            mrr.append(1 / (rank + 1))
            precise.append(len(wanted & set(ranked[: len(wanted)])) / len(wanted))
            best.append(scores.max())
        if not first:
            continue
        area = np.mean([[b > n for n in near] for b in best]) if near else float("nan")
        print(
            f"{name} {pool}: {len(first)} questions, hit@1 {np.mean(first):.3f}, MRR {np.mean(mrr):.3f}, "
            f"R-precision {np.mean(precise):.3f}; {len(near)} near misses, AUROC {area:.3f}",
            flush=True,
        )


def report_likeness(data: TrainingSet, numbers: Sequence[int], model: Entailment, device: str) -> None:
    """The same by the encoder's cosine."""
    vectors, asked = embed(model, data.texts, device), embed(model, data.questions, device)
    told = {number: (vectors[list_candidates(data, number)] @ asked[number]).tolist() for number in numbers}
    report(data, told, "cosine")


def assess(model: Entailment, data: TrainingSet, numbers: Sequence[int], device: str) -> dict[int, list[float]]:
    """The scores of each question's candidates."""
    pairs = [(number, place) for number in numbers for place in list_candidates(data, number)]
    scores = score_pairs(model, data, pairs, device).tolist()
    told: dict[int, list[float]] = {}
    for number in numbers:
        count = len(list_candidates(data, number))
        told[number], scores = scores[:count], scores[count:]
    return told


def split_folds(data: TrainingSet, folds: int) -> list[list[int]]:
    """The questions by fold; a family is in one."""
    families = sorted({one["family"] for one in data.asked})
    Random(SEED).shuffle(families)  # noqa: S311
    fold_of = {family: number % folds for number, family in enumerate(families)}
    return [
        [number for number, one in enumerate(data.asked) if fold_of[one["family"]] == fold] for fold in range(folds)
    ]


def split_questions(data: TrainingSet, folds: int) -> list[list[int]]:
    """The questions on guidelines by part: what is left out is new questions on guidelines that are known."""
    own = [number for number, one in enumerate(data.asked) if one["pool"] == "guidelines"]
    Random(SEED).shuffle(own)  # noqa: S311
    return [sorted(own[fold::folds]) for fold in range(folds)]


def save(model: Entailment, path: Path) -> None:
    """All that was trained; the word vectors are those of the encoder. Matrices in int8, with a scale for each row.

    The exported file has int8 weights anyway, and so it can be carried off a machine that lets small files go.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    kept: dict[str, Tensor] = {}
    for name, value in model.state_dict().items():
        plain = value.float().cpu().contiguous()
        if "word_embeddings" in name:
            continue
        if plain.ndim == 2 and plain.shape[0] > 1:
            scale = plain.abs().amax(1, keepdim=True).clamp(min=1e-8) / LARGEST_INT8
            kept[name] = (plain / scale).round().to(torch.int8)
            kept[f"{name}{SCALE}"] = scale
        else:
            kept[name] = plain
    save_file(kept, path)


def read_saved(path: Path) -> dict[str, Tensor]:
    """What `save` kept, in full precision."""
    found = load_file(path)
    return {
        name: value.float() * found[f"{name}{SCALE}"] if value.dtype == torch.int8 else value.float()
        for name, value in found.items()
        if not name.endswith(SCALE)
    }


def main() -> None:
    """Train, measure, keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("weights", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--folds", type=int, default=0)
    parser.add_argument("--parts", type=int, default=0, help="leave out each part of the questions once, and keep it")
    parser.add_argument("--only", type=int, default=0, help="folds that are done, of those")
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--size", type=int, default=32, help="questions in a batch")
    parser.add_argument("--first", type=int, default=0, help="questions that are read, at most: to try it")
    given = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"

    def start() -> Entailment:
        return from_encoder(given.weights, outputs=1, layers=given.layers)

    began = time.monotonic()
    encoder = from_encoder(given.weights, outputs=1).to(device)
    data = read_set(given.data, encoder, device)
    numbers = list(range(len(data.asked)))
    if given.first:
        numbers = Random(SEED).sample(numbers, given.first)  # noqa: S311
    print(f"{len(numbers)} questions, {len(data.families)} texts, {time.monotonic() - began:.0f} s", flush=True)
    settings = (given.epochs, device, given.rate, given.size)
    if given.folds or given.parts:
        chosen = set(numbers)
        told: dict[int, list[float]] = {}
        folds = split_folds(data, given.folds) if given.folds else split_questions(data, given.parts)
        parts = {data.asked[number]["question"]: place for place, fold in enumerate(folds) for number in fold}
        given.out.mkdir(parents=True, exist_ok=True)
        (given.out / "parts.json").write_text(json.dumps(parts))
        for place, fold in enumerate(folds[: given.only or None]):
            left = set(fold)
            model = train(start(), data, [one for one in numbers if one not in left], *settings)
            told |= assess(model, data, [one for one in fold if one in chosen], device)
            if given.parts and not given.only:
                save(model, given.out / f"without_part_{place}.safetensors")
        report_likeness(data, list(told), encoder, device)
        report(data, told, f"{given.layers} layers, left out")
        return
    model = train(start(), data, numbers, *settings)
    save(model, given.out / "model.safetensors")
    print(f"{time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
