"""The statements as language models write them, by author, and what can be told of each without a model of language.

    python -m …training.entailment.written_pairs DATA OUT

writes one line for each statement: author, passage, label, features, and the cosine and overlap that a judge has to
beat. DATA is the folder of the development data.
"""

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, get_args

from wellsourced.claims import pointed_questions
from wellsourced.claims.differences.marking import find_differences
from wellsourced.claims.differences.term_alignment import find_source_sentence
from wellsourced.claims.guard import FactKind
from wellsourced.encoders.base import Encoder
from wellsourced.encoders.minilm import MiniLM
from wellsourced.text.sentences import split_sentences
from wellsourced.text.tokens import stem_coverage
from wellsourced.types import DifferenceKind
from wellsourced_evaluate.training.entailment.copied_runs import measure_copying
from wellsourced_evaluate.training.entailment.texts import cut, rows

STATEMENTS = Path(__file__).parents[5] / "benchmarks/written_statements"
NEAREST = 3
"""Sentences that the pointed questions are asked of."""


class Written(NamedTuple):
    """A statement by an author, the whole passage that it is held against, and whether that supports it."""

    id: str
    author: str
    passage: str
    claim: str
    text: str
    supported: bool


def written(data: Path) -> list[Written]:
    """Those of benchmarks/written_statements (authors a to d), as_written (w) and played_drafts (p)."""
    passages = {row["passage_id"]: row["text"] for row in rows(STATEMENTS / "passages.jsonl")}
    found = [
        Written(r["id"], a, r["passage_id"], r["claim"], passages[r["passage_id"]], r["label"] == "supported")
        for a in "abcd"
        for r in rows(STATEMENTS / f"statements_{a}.jsonl")
    ]
    for name, author in (("as_written.pairs", "w"), ("played_drafts", "p")):
        for r in rows(data / f"verification/{name}.jsonl.gz"):
            passage = r.get("group") or r["evidence"][:80]
            found.append(
                Written(author + r["id"], author, passage, r["claim"], r["evidence"], r["label"] == "supported")
            )
    return found


def measure(claim: str, text: str) -> dict[str, float]:
    """The features of a claim and the passage it is held against; every name always, so that rows are alike."""
    return {
        **{f"copy {name}": value for name, value in measure_copying(claim, text).items()},
        **{f"question {name}": value for name, value in count_questions(claim, text).items()},
        **{f"difference {name}": value for name, value in count_differences(claim, text).items()},
    }


def count_questions(claim: str, text: str) -> Mapping[str, float]:
    """The pointed questions about the claim, by kind; how many of them find nothing in the source."""
    read = [text[start:end] for start, end in split_sentences(text)]
    near = sorted(read, key=lambda sentence: -stem_coverage(claim, sentence))[:NEAREST]
    if span := find_source_sentence(claim, text):
        source = text[span.start : span.end]
        near = [source, *(sentence for sentence in near if sentence not in source)][:NEAREST]
    asked = pointed_questions.list_pointed_questions(claim, near, text)
    kinds = Counter(one.kind for one in asked)
    return {
        "all": float(len(asked)),
        "silent": float(sum(not one.evidence for one in asked)),
        **{kind: float(kinds[kind]) for kind in get_args(FactKind)},
    }


def count_differences(claim: str, text: str) -> Mapping[str, float]:
    """The differences between the claim and the sentence it is nearest to, by kind, and how much of either differs."""
    span = find_source_sentence(claim, text)
    sentence = text[span.start : span.end] if span else ""
    found = find_differences(claim, sentence, text) if sentence else ()
    kinds = Counter(one.kind for one in found)
    differing = sum(one.claim_end - one.claim_start for one in found)
    return {
        "no source": float(not sentence),
        "all": float(len(found)),
        "share of claim": differing / max(1, len(claim)),
        "coverage": stem_coverage(claim, text),
        "coverage of sentence": stem_coverage(claim, sentence) if sentence else 0.0,
        **{kind: float(kinds[kind]) for kind in get_args(DifferenceKind)},
    }


def is_restated(features: Mapping[str, float]) -> bool:
    """Whether the claim is near one sentence, no difference from it is found and no question is to be asked."""
    return not (features["question all"] or features["difference all"] or features["difference no source"])


def cosines(every: Sequence[Written], encoder: Encoder) -> list[float]:
    """Of each claim and the sentence of its passage that is likest to it."""
    texts = {one.text: cut(one.text) or (one.text,) for one in every}
    vectors = {text: encoder.encode(sentences) for text, sentences in texts.items()}
    claims = encoder.encode([one.claim for one in every])
    return [float((vectors[one.text] @ claim).max()) for one, claim in zip(every, claims, strict=True)]


def main() -> None:
    """Measure every statement; two minutes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    every = written(given.data)
    with given.out.open("w", encoding="utf-8") as out:
        for one, cosine in zip(every, cosines(every, MiniLM()), strict=True):
            row = {"id": one.id, "author": one.author, "passage": one.passage, "supported": one.supported}
            row |= {"cosine": cosine, "overlap": stem_coverage(one.claim, one.text)}
            out.write(json.dumps({**row, "features": measure(one.claim, one.text)}, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
