"""What was measured is kept by claim, and the page of figures is written from it."""

import json
from pathlib import Path

import pytest

from benchmarks import figures
from benchmarks.report import Report

ORDER = ("start", "latency")


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(figures, "KEPT", tmp_path / "figures.jsonl")
    monkeypatch.setattr(figures, "PAGE", tmp_path / "figures.md")
    return tmp_path / "figures.md"


def run(folder: Path, claim: str, **values: float) -> None:
    """A run of one claim, whose results are kept."""
    results = folder / "results.jsonl"
    report = Report(results)
    report.section(claim, claim)
    for name, value in values.items():
        report.number(name, value, "ms", "≤ 5")
    report.close()
    figures.keep_results(results, ORDER)


def test_a_run_replaces_the_figures_of_its_claims_and_no_others(tmp_path: Path, kept: Path) -> None:
    run(tmp_path, "latency", median=3.25, slowest=1200)
    run(tmp_path, "start", help=80)
    run(tmp_path, "latency", median=2.5)
    rows = [json.loads(line) for line in figures.KEPT.read_text(encoding="utf-8").splitlines()]
    assert [(row["claim"], row["name"], row["value"]) for row in rows] == [
        ("start", "help", 80),
        ("latency", "median", 2.5),
    ]
    page = kept.read_text(encoding="utf-8")
    assert page.index("## start") < page.index("## latency")
    assert "| median | 2.5 ms | ≤ 5 |" in page
    assert "3.25" not in page


def test_every_claim_says_of_which_commit_and_machine_it_is(tmp_path: Path, kept: Path) -> None:
    run(tmp_path, "start", help=1234)
    row = json.loads(figures.KEPT.read_text(encoding="utf-8"))
    page = kept.read_text(encoding="utf-8")
    assert f"Commit {row['commit']}, {row['day']}; {figures.describe_machine()}." in page
    assert "| help | 1,234 ms | ≤ 5 |" in page
