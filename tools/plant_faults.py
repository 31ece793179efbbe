"""Plant one fault after another in a copy of the package and say which of them the tests find.

    python tools/plant_faults.py                 all of them, each against the tests of its room
    python tools/plant_faults.py doses retry     those whose file's name has one of these words
    python tools/plant_faults.py --root DIR      the package and the tests of another checkout
    python tools/plant_faults.py --marks "nightly or not nightly"

It ends with 1 if a fault is not found, or if its place in the source is gone: then give the fault another one.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
COPIED = ("src", "tests", "benchmarks", "docs", "examples", "tools", "evaluate", "constraints")
SECONDS = 240
"""Tests that take longer prove nothing: they hang, or the machine is busy."""

SOME_FAILED = 1
"""The exit status of pytest that means that tests ran and some failed; all others mean that it could not run them."""


class Fault(NamedTuple):
    """A small change for the worse: the file in the package, its words, what stands there instead, and who should see.

    tests   files and folders in tests/
    """

    file: str
    right: str
    wrong: str
    tests: str


FAULTS = (
    Fault("context.py", ">= QUESTIONS_BEFORE_TRIM", "> QUESTIONS_BEFORE_TRIM + 999", "test_admission.py"),
    Fault("budget.py", "so_far >= limit or so_far + more > limit", "so_far > limit", "test_budget.py"),
    Fault("confidence.py", "(extreme + 1) / (PERMUTATIONS + 1)", "extreme / PERMUTATIONS", "test_confidence.py"),
    Fault("citations/deduplication.py", "len(several) > 1 and", "len(several) > 2 and", "citations"),
    Fault("citations/markers.py", "set(mark.labels) <= entries", "set(mark.labels) & entries", "citations"),
    Fault("citations/deduplication.py", 'digits.lstrip("0") if', "digits if", "citations sources"),
    Fault("citations/quote_alignment.py", "at = here.end", "at = 0", "citations text"),
    Fault("claims/guard/__init__.py", "if one.text == other.text:", "if True:", "claims text"),
    Fault("clinical/ages.py", "self.low <= age <= self.high", "self.low <= age < self.high", "clinical recommend"),
    Fault("clinical/doses.py", "LENGTH:\n        return True", "LENGTH:\n        return False", "clinical"),
    Fault("clinical/doses.py", "if set(below) & _PER_BODY_UNITS:", "if set(below) - _PER_BODY_UNITS:", "clinical"),
    Fault("config/registry/judges.py", "needs_model=True", "needs_model=False", "app/test_trust.py test_config.py"),
    Fault("config/trust.py", "if digest == file.digest else", "if digest else", "app/test_trust.py test_config.py"),
    Fault(
        "config/trust.py", "len(content) > MAX_SETTINGS_BYTES", "len(content) < 0", "app/test_trust.py test_config.py"
    ),
    Fault("encoders/cache.py", r'f"{role}\0{text}"', 'f"{text}"', "encoders contracts/test_encoders.py"),
    Fault("encoders/wordpiece.py", "found[: limit - 1]", "found[:limit]", "encoders"),
    Fault("evaluate/beir.py", "if grade > 0}", "if grade >= 0}", "evaluate"),
    Fault(
        "evaluate/calibration.py",
        "[one for one in judged if not is_in_fitting_half(one.pair.cluster)]",
        "judged",
        "evaluate judges app/test_judges.py",
    ),
    Fault("evaluate/verdict_metrics.py", "yes * (yes + 1) / 2", "yes * (yes - 1) / 2", "evaluate"),
    Fault("explain/terms.py", "ranked[:limit]", "ranked[: limit + 1]", "explain"),
    Fault(
        "factcheck/verdicts.py",
        "return there | {one.source",
        "return there or {one.source",
        "factcheck app/test_factcheck.py app/test_check_reports.py",
    ),
    Fault(
        "factcheck/verdicts.py",
        "was_read(one), one.own, one.verdict.score",
        "was_read(one), one.verdict.score",
        "factcheck app/test_factcheck.py app/test_check_reports.py",
    ),
    Fault("factcheck/repair.py", '!= "supports"', '== "contradicts"', "factcheck app/test_check_planted.py"),
    Fault("http/address_guard.py", "TUNNELS + RESERVED", "TUNNELS", "http"),
    Fault("http/address_guard.py", "TUNNELS + RESERVED", "RESERVED", "http"),
    Fault("http/address_guard.py", "return _is_public_ipv4(inside)", "return True", "http"),
    Fault("http/request.py", 'if name != "host"}', "}", "http"),
    Fault("http/pacing.py", "max(asked_for, BACKOFF(state))", "BACKOFF(state)", "http"),
    Fault(
        "ingest/archives.py", 'or ".." in path.parts', "", "ingest test_ingest.py readers/test_bombs.py app/commands"
    ),
    Fault(
        "ingest/fingerprints.py",
        "(before.size, before.mtime_ns) == (now.size, now.mtime_ns)",
        "before.size == now.size",
        "ingest test_ingest.py",
    ),
    Fault("judges/earned_judge.py", "or not quote:", ":", "judges"),
    Fault(
        "judges/evidence.py",
        "            if step.is_measured and not step.is_precise:\n                break\n",
        "",
        "judges",
    ),
    Fault(
        "ingest/judge_models.py", "if wanted and digest", "if not wanted and digest", "app/test_judge_installation.py"
    ),
    Fault(
        "judges/ensemble.py", ' if verdict.label != "unjudged"\n', " if verdict\n", "judges contracts/test_judges.py"
    ),
    Fault("judges/overlap.py", "if stem in had)", "if stem)", "judges"),
    Fault(
        "judges/record_file.py",
        "(one.judge, one.task) != key",
        "one.judge != tuning.judge",
        "evaluate judges app/test_judges.py",
    ),
    Fault("models/local_engine.py", "or number > MAX_ENTRIES", "", "models"),
    Fault("models/language_model.py", "<= now - MINUTE", "<= now", "models"),
    Fault("pipeline/quote_placement.py", "len(meant) == 1", "len(meant) >= 1", "pipeline"),
    Fault("planners/plan_trials.py", "-1 if trial.score is None", "MAX_SCORE if trial.score is None", "planners"),
    Fault("planners/rules.py", "> LONG_QUESTION_STEMS", "< LONG_QUESTION_STEMS", "planners pipeline"),
    Fault(
        "privacy/loopback.py", "_first_byte(bare) == 127", "_first_byte(bare) >= 10", "privacy http app/test_exit.py"
    ),
    Fault(
        "privacy/privacy_filter.py",
        "also = tuple(filter(None, (self.clear_words(term, to) for term in query.also)))",
        "also = query.also",
        "privacy sources/test_web.py app/test_exit.py",
    ),
    Fault("privacy/pseudonyms.py", "if one.end > start", "if one.end > end", "privacy models clinical"),
    Fault(
        "query_language/pubmed_lexer.py",
        "<= 31 else None",
        "<= 30 else None",
        "query_language sources/test_pubmed.py",
    ),
    Fault(
        "query_language/query_writers.py",
        "_boundary_day(node.last, last=True)",
        "_boundary_day(node.last, last=False)",
        "query_language sources/test_europe_pmc.py sources/test_query_translation.py",
    ),
    Fault(
        "sources/clinical_trials.py",
        "if id[1] not in (names.nct_id, *names.nct_id_aliases):",
        "if not names.nct_id:",
        "sources/test_clinical_trials.py contracts/test_sources.py",
    ),
    Fault("storage/private_files.py", "bool(mode & OTHERS_MASK) and", "not mode & OTHERS_MASK and", "storage"),
    Fault(
        "storage/private_files.py",
        "fcntl.LOCK_EX",
        "fcntl.LOCK_SH",
        "storage sources/test_library.py app/test_backlog.py",
    ),
)


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
        path = copy / "src" / "wellsourced" / fault.file
        source = path.read_text(encoding="utf-8") if path.is_file() else ""
        if source.count(fault.right) != 1:
            return Outcome("no such place", 0, "")
        path.write_text(source.replace(fault.right, fault.wrong), encoding="utf-8")
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
    paths = [f"tests/{one}" for one in tests]
    environment = {**os.environ, "PYTHONPATH": str(copy / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    began = time.monotonic()
    try:
        done = subprocess.run(
            [*words, *paths], cwd=copy, env=environment, capture_output=True, text=True, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return Outcome("undecided", SECONDS, "(the tests take too long)")
    seconds = time.monotonic() - began
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    said = {0: "not found", SOME_FAILED: "found"}.get(done.returncode, "undecided")
    return Outcome(said, seconds, failed[0].split()[1] if failed else "")


def main() -> int:
    """Try the faults that were asked for; a line each, and the sum."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="parts of the names of files")
    parser.add_argument("--root", type=Path, default=ROOT, help="another checkout")
    parser.add_argument("--marks", default="not nightly", help="which tests, as pytest's -m says it")
    given = parser.parse_args()
    faults = [one for one in FAULTS if not given.words or any(word in one.file for word in given.words)]
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
