"""The calibrations of the judges by overlap and by similarity, and how rare words are.

    python -m wellsourced_evaluate.fitting.calibrations DATA [--out src/wellsourced/judges] [--encoder minilm|e5]

writes stem_counts.tsv (how rare words are) and calibrations.json (only the rows of the judges fitted are replaced), and
prints how good they are, and on what it can be decided that nothing answers. Rows are split by `group` (claims by their
evidence), fitted on one half and measured on the other. Everything is seeded: two runs print the same.
"""

import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import CountVectorizer

from wellsourced.encoders.base import Encoder
from wellsourced.encoders.cache import CachedEncoder
from wellsourced.judges.base import Judge, Pair, split_long_text
from wellsourced.judges.calibration import Calibration, Purpose
from wellsourced.judges.overlap import OverlapJudge, _load_stem_counts, overlap_features
from wellsourced.judges.ranking import SimilarityJudge
from wellsourced.readers.guidelines import load_digests
from wellsourced.text.sentences import split_sentences
from wellsourced.text.tokens import content_stems, stem_coverage
from wellsourced_evaluate.development_data import PRODUCT, read_rows, read_table
from wellsourced_evaluate.fitting.models import (
    ENCODERS,
    SEED,
    Bools,
    FittedRows,
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
    open_encoder,
    print_table,
    rate_odds,
    replace_rows,
    start_parser,
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
        self.texts, self.ids = texts, list(texts)
        counter = CountVectorizer(analyzer=content_stems)
        counts = csr_array(counter.fit_transform(texts.values())).tocoo()
        self.columns = counter.vocabulary_
        lengths = np.bincount(counts.row, counts.data, len(texts))
        norm = 0.9 * (0.6 + 0.4 * lengths / lengths.mean())
        held = np.bincount(counts.col)
        idf = np.log(1 + (len(texts) - held + 0.5) / (held + 0.5))
        scores = idf[counts.col] * 1.9 * counts.data / (counts.data + norm[counts.row])
        self.scores = csr_array((scores, (counts.row, counts.col)), counts.shape).tocsc()

    def find_best(self, question: str, limit: int, without: Iterable[str] = ()) -> list[str]:
        """Ids of passages, best first; none of the documents in `without`."""
        stems = sorted(set(content_stems(question)) & self.columns.keys())
        scores = np.asarray(self.scores[:, [self.columns[stem] for stem in stems]].sum(axis=1)).ravel()
        barred = set(without)
        ranked = (self.ids[i] for i in np.argsort(-scores, kind="stable")[: limit * 4] if scores[i] > 0)
        return [found for found in ranked if found.rpartition("#")[0] not in barred][:limit]


def count_stems(texts: Sequence[str], path: Path) -> None:
    """Write how many passages hold each stem, most frequent first."""
    counts = Counter(stem for text in texts for stem in {*content_stems(text)})
    listed = sorted(((stem, n) for stem, n in counts.items() if n >= RARE), key=lambda item: (-item[1], item[0]))
    path.write_text(f"\t{len(texts)}\n" + "".join(f"{stem}\t{n}\n" for stem, n in listed), encoding="utf-8")
    _load_stem_counts.cache_clear()
    print(f"{path.name}: {len(listed)} stems of {len(texts)} passages")


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


def draw(asked: Sequence[AnsweredQuestion], limit: int) -> list[AnsweredQuestion]:
    """A seeded choice."""
    return random.Random(SEED).sample(asked, min(limit, len(asked)))  # noqa: S311


def list_relevance_samples(asked: Sequence[AnsweredQuestion], search: WordSearch) -> Iterator[Sample]:
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
            text = search.texts[passage]
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


# --- fit -------------------------------------------------------------------------------------------------------------

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
        np.maximum.at(best, seen.owner, seen.values[:, self.columns] @ self.logistic.weights + self.logistic.intercept)
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
        weights = model.weights
    kept = tuple(column for column, weight in zip(columns, weights, strict=True) if weight >= 0)
    return fit_parts(seen, labels, use, kept) if len(kept) < len(columns) else PartModel(columns, model)


def fit_judges(
    purpose: Purpose, samples: Sequence[Sample], encoder: CachedEncoder, on: str, names: Sequence[str]
) -> Iterator[Calibration]:
    """Fit each judge on one half, print what it does on the other."""
    labels = np.array([sample.label for sample in samples])
    use = np.array([is_fitted_half(sample.group) for sample in samples])
    for judge in names:
        seen = measure_parts(samples, None if judge == "overlap" else encoder, purpose)
        model = fit_parts(seen, labels, use, COLUMNS[judge.partition(":")[0]])
        rows = FittedRows(model.rate(seen, len(samples)), labels, use, on)
        weights = dict(zip((NAMES[column] for column in model.columns), model.logistic.weights, strict=True))
        found = rows.build_calibration(weights, model.logistic.intercept, purpose=purpose, judge=judge)
        print(f"\n### {purpose}: {judge}\n\nweights {found.weights}, intercept {found.intercept}, ", end="")
        print(f"threshold {found.threshold}")
        report(samples, rows, found.threshold)
        yield found


# --- figures ---------------------------------------------------------------------------------------------------------


def report(samples: Sequence[Sample], rows: FittedRows, threshold: float) -> None:
    """Print how good a judge is on the half that it was not fitted on, set by set and pooled."""
    sets = np.array([sample.set for sample in samples])
    parts = [*((str(name), ~rows.use & (sets == name)) for name in dict.fromkeys(sets)), ("all", ~rows.use)]
    heads = ("held out", "n", "positive", "AUROC", "95 %", "balanced accuracy", "95 %", "ECE")
    print_table(heads, (_list_figures(name, samples, rows, here, threshold) for name, here in parts))


def _list_figures(
    name: str, samples: Sequence[Sample], rows: FittedRows, here: Bools, threshold: float
) -> tuple[str | float, ...]:
    groups = [samples[place].group for place in np.flatnonzero(here).tolist()]
    said, right = rows.scores[here], rows.labels[here]
    return (
        name, len(right), int(right.sum()),
        measure_auroc(said, right), draw_interval(lambda at: measure_auroc(said[at], right[at]), groups),
        measure_accuracy(said, right, threshold),
        draw_interval(lambda at: measure_accuracy(said[at], right[at], threshold), groups),
        measure_calibration_error(said, right),
    )  # fmt: skip


ANSWERS = {("BioASQ", "research"), ("MedQuAD", "consumer")}
STEPS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


async def report_abstention(
    asked: Sequence[AnsweredQuestion], searches: Mapping[str, WordSearch], judge: Judge
) -> None:
    """Print how well the best relevance of a sentence tells a corpus that answers from one that does not."""
    best, labels, groups = [], [], []
    for one in asked:
        for corpus, search in searches.items():
            top = [search.texts[passage] for passage in search.find_best(one.text, 12)]
            lines = [text[start:end] for text in top for start, end in split_sentences(text)]
            verdicts = await judge.judge([Pair(one.text, line) for line in lines if len(content_stems(line)) >= 3])
            best.append(max((verdict.score for verdict in verdicts), default=0.0))
            labels.append((one.set, corpus) in ANSWERS)
            groups.append(one.group)
    scores, right = np.array(best), np.array(labels)
    use = np.array([is_fitted_half(group, "abstain") for group in groups])
    threshold = find_threshold(scores[use], right[use])
    area = draw_interval(lambda at: measure_auroc(scores[at], right[at]), groups)
    print("\n### abstention, best sentence among 12 passages\n")
    print(f"AUROC {measure_auroc(scores, right):.3f} {area}; best ")
    reached = measure_accuracy(scores[~use], right[~use], threshold)
    print(f"threshold on one half {threshold}, balanced accuracy on the other {reached:.3f}")
    print_table(
        ("threshold", "answered", "let through of the rest"),
        ((at, float((scores[right] >= at).mean()), float((scores[~right] >= at).mean())) for at in STEPS),
    )


def main() -> None:
    """Count, fit, print, write."""
    parser = start_parser(__doc__, PRODUCT / "judges")
    parser.add_argument("--encoder", choices=ENCODERS, default="minilm")
    parser.add_argument("--questions", type=int, default=400, help="questions of each set to fit relevance on")
    parser.add_argument("--abstain", type=int, default=100, help="questions of each set to measure abstention on")
    given = parser.parse_args()
    encoder = open_encoder(given.encoder)
    judges = [f"similarity:{encoder.name}"]
    texts = read_corpora(given.data)
    if given.encoder == "minilm":
        # Everybody has this encoder: what goes without any is fitted beside it.
        judges.append("overlap")
        count_stems([text for corpus in texts.values() for text in corpus.values()], given.out / "stem_counts.tsv")
    searches = {name: WordSearch(found) for name, found in texts.items()}
    sets = {"research": read_bioasq(given.data), "consumer": read_medquad(given.data)}
    samples = [
        one
        for corpus, asked in sets.items()
        for one in list_relevance_samples(draw(asked, given.questions), searches[corpus])
    ]
    on = f"{given.questions} BioASQ and {given.questions} MedQuAD questions, passages and sentences, one half by group"
    relevant = list(fit_judges("relevance", samples, encoder, on, judges))
    on = "SciFact, Evidence Inference and K-QA pairs, supported against the rest, one half by evidence"
    supported = fit_judges("support", list(list_support_samples(given.data)), encoder, on, judges)
    replace_rows(
        given.out / "calibrations.json", Calibration, [*relevant, *supported], lambda one: (one.purpose, one.judge)
    )
    unseen = [[one for one in draw(asked, 10_000) if not is_fitted_half(one.group)] for asked in sets.values()]
    fresh = [one for asked in unseen for one in asked[: given.abstain]]
    for one in relevant if fresh else ():
        judge: Judge = OverlapJudge(one) if one.judge == "overlap" else SimilarityJudge(encoder, one)
        print(f"\n{one.judge}")
        asyncio.run(report_abstention(fresh, searches, judge))


if __name__ == "__main__":
    main()
