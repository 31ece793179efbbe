"""Plant one fault after another in a copy of the checkout and say which of them the tests find.

    python tools/plant_faults.py                 all of them, each against the tests of its room
    python tools/plant_faults.py doses retry     those whose file's name has one of these words
    python tools/plant_faults.py --root DIR      the package and the tests of another checkout
    python tools/plant_faults.py --marks "nightly or not nightly"
    python tools/plant_faults.py --move          find their places again after files were merged

The faults are in tools/faults.toml.
It ends with 1 if a fault is not found, or if its place in the source is gone: then give the fault another one.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "tools" / "faults.toml"
PACKAGE = Path("src") / "wellsourced"
LABORATORY = "evaluate"
LABORATORY_PACKAGE = Path(LABORATORY) / "src" / "wellsourced_evaluate"
COPIED = ("src", "tests", LABORATORY, "benchmarks", "docs", "examples", "tools", "constraints")
SECONDS = 240
"""Tests that take longer prove nothing: they hang, or the machine is busy."""

SOME_FAILED = 1
"""The exit status of pytest that means that tests ran and some failed; all others mean that it could not run them."""


class Fault(NamedTuple):
    """A small change for the worse: the file in the package, its words, what stands there instead, and who should see.

    file    in src/wellsourced; `evaluate/…` is in the laboratory's package
    tests   files and folders in tests/; `evaluate` and `evaluate/…` are the laboratory's
    """

    file: str
    right: str
    wrong: str
    tests: str


def read_faults(path: Path = TABLE) -> list[Fault]:
    """Return the faults of the table."""
    return [Fault(**row) for row in tomllib.loads(path.read_text(encoding="utf-8"))["fault"]]


def find_file(name: str) -> Path:
    """Return where a file is that a fault names, from the root of the checkout."""
    room, _, rest = name.partition("/")
    return LABORATORY_PACKAGE / rest if room == LABORATORY else PACKAGE / name


def find_tests(name: str) -> Path:
    """Return where tests are that a fault names, from the root of the checkout."""
    room, _, rest = name.partition("/")
    return Path(LABORATORY) / "tests" / rest if room == LABORATORY else Path("tests") / name


def has_place(fault: Fault, root: Path) -> bool:
    """Whether the words of a fault stand once in its file."""
    path = root / find_file(fault.file)
    return path.is_file() and path.read_text(encoding="utf-8").count(fault.right) == 1


def find_places(fault: Fault, root: Path) -> list[str]:
    """Return the files in which the words of a fault stand once, as its `file` would name them."""
    places = []
    for package, prefix in ((root / PACKAGE, ""), (root / LABORATORY_PACKAGE, f"{LABORATORY}/")):
        holding = [path for path in package.rglob("*.py") if path.read_text(encoding="utf-8").count(fault.right) == 1]
        places += [f"{prefix}{path.relative_to(package)}" for path in holding]
    return sorted(places)


def move_places(root: Path) -> None:
    """Write where the words of each fault are now, after files were merged or renamed."""
    path = root / TABLE.relative_to(ROOT)
    text = path.read_text(encoding="utf-8")
    for fault in read_faults(path):
        if has_place(fault, root):
            continue
        places = find_places(fault, root)
        if len(places) == 1:
            right = f"right = {json.dumps(fault.right, ensure_ascii=False)}\n"
            text = text.replace(f'file = "{fault.file}"\n{right}', f'file = "{places[0]}"\n{right}')
        else:
            print(f"{fault.file}: {fault.right!r} stands in {', '.join(places) or 'no file'}")
    path.write_text(text, encoding="utf-8")


class Outcome(NamedTuple):
    """What the tests said of a fault, in how many seconds, by which test.

    said   "found", "not found", "undecided" (they ran too long, or not at all) or "no such place"
    """

    said: str
    seconds: float
    test: str


def try_fault(fault: Fault, root: Path, marks: str) -> Outcome:
    """Plant a fault in a copy of the checkout, which is thrown away, and run the tests of its room."""
    with tempfile.TemporaryDirectory(prefix="faults-") as name:
        copy = _copy_checkout(root, Path(name))
        if not has_place(fault, copy):
            return Outcome("no such place", 0, "")
        path = copy / find_file(fault.file)
        path.write_text(path.read_text(encoding="utf-8").replace(fault.right, fault.wrong), encoding="utf-8")
        return _run_tests(copy, fault.tests.split(), marks)


def _copy_checkout(root: Path, into: Path) -> Path:
    """Copy what the tests read; the development data are beside it, as they are beside the checkout."""
    copy = into / "checkout"
    for name in COPIED:
        if (root / name).is_dir():
            shutil.copytree(root / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in root.iterdir():
        if path.is_file() and path.name != ".git":
            shutil.copy(path, copy)
    if (shared := root.parent / "shared").is_dir():
        (into / "shared").symlink_to(shared.resolve())
    return copy


def _run_tests(copy: Path, tests: Sequence[str], marks: str) -> Outcome:
    words = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-m", marks, "--tb=no"]
    paths = [str(find_tests(one)) for one in tests]
    sources = os.pathsep.join(str(package.parent) for package in (copy / PACKAGE, copy / LABORATORY_PACKAGE))
    environment = {**os.environ, "PYTHONPATH": sources, "PYTHONDONTWRITEBYTECODE": "1"}
    began = time.monotonic()
    try:
        done = subprocess.run(
            [*words, *paths], cwd=copy, env=environment, capture_output=True, text=True, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return Outcome("undecided", SECONDS, "(the tests take too long)")
    seconds = time.monotonic() - began
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    # Without the name of a test it was not a test that failed, and says nothing of the fault.
    if done.returncode == SOME_FAILED and failed:
        return Outcome("found", seconds, failed[0].split()[1])
    return Outcome("undecided" if done.returncode else "not found", seconds, "")


def main() -> int:
    """Try the faults that were asked for; a line each, and the sum."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="parts of the names of files")
    parser.add_argument("--root", type=Path, default=ROOT, help="another checkout")
    parser.add_argument("--marks", default="not nightly", help="which tests, as pytest's -m says it")
    parser.add_argument("--move", action="store_true", help="only write where the words of each fault are now")
    given = parser.parse_args()
    if given.move:
        move_places(given.root.resolve())
        return 0
    table = given.root.resolve() / TABLE.relative_to(ROOT)
    faults = [one for one in read_faults(table) if not given.words or any(word in one.file for word in given.words)]
    outcomes = []
    for fault in faults:
        outcome = try_fault(fault, given.root.resolve(), given.marks)
        outcomes.append(outcome)
        print(f"{outcome.said:13} {outcome.seconds:5.0f} s  {fault.file}: {fault.wrong!r}  {outcome.test}", flush=True)
    count = sum(outcome.said == "found" for outcome in outcomes)
    print(f"{count} of {len(faults)} found, in {sum(outcome.seconds for outcome in outcomes):.0f} s")
    return count < len(faults)


if __name__ == "__main__":
    sys.exit(main())
