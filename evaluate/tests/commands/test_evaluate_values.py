"""`wellsourced evaluate test` on the tables of three publications."""

import json
from pathlib import Path

import pytest

from tests.app.conftest import Run

Found = dict[tuple[str, str], dict[str, object]]


def run_tests(run: Run, path: Path) -> Found:
    done = run("evaluate", "test", str(path), "--json")
    assert done.exit_code == 0, done.output
    return {(one["groups"], one["test"]): one for one in json.loads(done.stdout)}


def take(found: Found, test: str, groups: str = "a and b") -> tuple[object, object, object]:
    one = found[groups, test]
    return one["statistic"], one["df"], one["p"]


def test_counts_of_two_groups_give_the_published_t_and_chi_square(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "groups.csv"
    path.write_text("group,value,count\na,1,129\na,0,19\nb,1,30\nb,0,42\n", encoding="utf-8")
    found = run_tests(run, path)
    assert take(found, "Student's t")[:2] == (pytest.approx(8.010, abs=5e-4), 218)
    assert take(found, "Welch's t")[:2] == (pytest.approx(7.033, abs=5e-4), pytest.approx(103.6, abs=0.05))
    assert take(found, "chi-square")[:2] == (pytest.approx(50.03, abs=5e-3), 1)
    assert take(found, "chi-square, corrected")[0] == pytest.approx(47.79, abs=6e-3)
    assert take(found, "Fisher's exact")[2] == pytest.approx(3e-12, rel=1)


def test_pairs_give_the_published_t_and_mcnemar(run: Run, tmp_path: Path) -> None:
    kinds = ((1, 1, 79), (1, 0, 16), (0, 1, 5), (0, 0, 30))
    cases = [pair for *pair, times in kinds for _ in range(times)]
    rows = [{"group": "ab"[at], "value": one[at], "case": f"q{n}"} for n, one in enumerate(cases) for at in (0, 1)]
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found = run_tests(run, path)
    assert take(found, "paired t") == (pytest.approx(2.446, abs=5e-4), 129, pytest.approx(0.0158, abs=5e-5))
    assert take(found, "McNemar, exact")[2] == pytest.approx(0.026604, abs=5e-7)
    r, df, p = take(found, "Pearson's r")
    assert (r, df) == (pytest.approx(0.639, abs=5e-4), 128)
    assert isinstance(p, float) and p < 1e-12


def test_ordinal_counts_give_the_published_h_and_labels_a_chi_square(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    counts = {
        ("lins", 1): 329,
        ("lins", 0): 59,
        ("lins", -1): 2,
        ("other", 1): 171,
        ("other", 0): 207,
        ("other", -1): 12,
    }
    rows = "".join(f"{group},{value},{count}\n" for (group, value), count in counts.items())
    path.write_text(f"group,value,count\n{rows}", encoding="utf-8")
    h, df, p = take(run_tests(run, path), "Kruskal–Wallis H", "all")
    assert (h, df, p) == (pytest.approx(138.909, abs=5e-4), 1, pytest.approx(4.61e-32, rel=1e-2))
    path.write_text("group,value,count\na,kept,30\na,lost,10\nb,kept,20\nb,lost,2\n", encoding="utf-8")
    assert take(run_tests(run, path), "chi-square", "all")[1] == 1


def test_what_cannot_be_tested_is_said(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "few.csv"
    path.write_text("group,value\na,1\na,0\nb,1\n", encoding="utf-8")
    assert "fewer than 5 values" in run("evaluate", "test", str(path)).stdout
    path.write_text("group,value,count\na,1,9\nb,1,9\n", encoding="utf-8")
    assert run_tests(run, path)["a and b", "Student's t"]["statistic"] is None
    path.write_text("group,count\na,1\nb,x\n", encoding="utf-8")
    told = run("evaluate", "test", str(path))
    assert told.exit_code == 1
    assert "row 2: value: Field required" in told.stderr
