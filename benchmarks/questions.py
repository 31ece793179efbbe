"""Questions that benchmarks ask: the same ones each time."""

import random

from wellsourced_evaluate.development_data import SEED, Bench, read_rows


def draw_questions(bench: Bench, count: int) -> list[str]:
    """Questions to ask, a third each from researchers (BioASQ), patients (K-QA) and the public (MedQuAD)."""
    sets = (
        [row["text"] for row in read_rows(bench.data / "retrieval/bioasq.queries.jsonl.gz")],
        [row["question"] for row in read_rows(bench.data / "qa/kqa.jsonl.gz")],
        [row["text"] for row in read_rows(bench.data / "retrieval/medquad.queries.jsonl.gz")],
    )
    draw = random.Random(SEED)  # noqa: S311
    drawn = [draw.sample(one, min(len(one), -(-count // len(sets)))) for one in sets]
    return [question for three in zip(*drawn, strict=False) for question in three][:count]
