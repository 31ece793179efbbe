"""`wellsourced evaluate sources`, as it is typed: answers of somebody's system whose pages are on loopback."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.checking import FLARE, web
from tests.app.conftest import Run
from tests.servers.base import Served, serving

SUGAR = "Metformin lowered glycated haemoglobin by one percentage point."


@pytest.fixture(scope="module")
def site() -> Iterator[Served]:
    with serving(web) as served:
        yield served


def answers(path: Path, site: Served) -> Path:
    """Three physicians on each; of the third, who names no source, nobody says anything."""
    rows = (
        {"id": "a", "answer": FLARE, "sources": [f"{site.url}/trial"],
         "votes": ["supported", "supported", "not supported"]},
        {"id": "b", "answer": f"{FLARE} {SUGAR}", "sources": [f"{site.url}/trial", f"{site.url}/sugar"],
         "votes": ["not supported", "not supported", "not supported"]},
        {"id": "c", "answer": SUGAR},
    )  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_statements_responses_and_addresses_are_counted_as_sourcecheckup_counts(
    run: Run, site: Served, tmp_path: Path
) -> None:
    path, out = answers(tmp_path / "answers.jsonl", site), tmp_path / "checked.jsonl"
    said = {"network.private_hosts": site.url.removeprefix("http://"), "network.seconds": "5", "guidelines": "false"}
    said |= {f"{name}.url": "http://127.0.0.1:9" for name in ("pubmed", "europe_pmc", "crossref")}
    options = [word for name, value in said.items() for word in ("--set", f"{name}={value}")]
    words = (*options, "evaluate", "sources", "--answers", str(path), "--judge", "overlap", "--out", str(out), "--json")
    found = run(*words)
    assert found.exit_code == 0, found.output
    told = json.loads(found.stdout)
    pooled = {name: (one["pooled"]["part"], one["pooled"]["whole"]) for name, one in told["metrics"].items()}
    # Of four statements FLARE is supported twice; of three answers the first wholly; of three addresses two are there.
    assert pooled["statement_support"] == (2, 4)
    assert pooled["response_support"] == (1, 3)
    assert pooled["url_validity"] == (2, 3)
    # A mean is of answers: 1, 1/2 and 0 of the statements.
    assert told["metrics"]["statement_support"]["mean"] == pytest.approx(0.5)
    people = told["people"]
    # The check says supported, not, not; the majority of the two that have votes says supported, not.
    assert [(one["same"], one["items"]) for one in people["check"]] == [(2, 2), (2, 2), (1, 2), (2, 2)]
    assert people["check"][-1]["kappa"] == 1.0
    before = len(site.asked)
    again = json.loads(run(*words).stdout)
    assert (again["metrics"], len(site.asked)) == (told["metrics"], before)
    cut = out.read_text(encoding="utf-8").splitlines(keepends=True)
    out.write_text("".join(cut[:3]) + cut[3][:20], encoding="utf-8")
    assert json.loads(run(*words).stdout)["metrics"] == told["metrics"]
    assert "response_support" in run(*words[:-1]).stdout


def test_rows_that_cannot_be_used_refuse_their_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    rows = (
        {"id": "a", "answer": FLARE},
        {"id": "a", "answer": FLARE},
        {"id": "b"},
        {"answer": FLARE, "label": "so so"},
    )
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    told = run("evaluate", "sources", "--answers", str(path), "--judge", "overlap")
    assert told.exit_code == 1
    for fault in (
        "row 2: its id “a” is also that of row 1",
        "row 3: it has no answer",
        "row 4: its label “so so” is none of",
    ):
        assert fault in told.stderr
