"""The command `check` as it is typed, against a web of its own on loopback."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.checking import FLARE, WRONG, Typed, web
from tests.app.conftest import Run
from tests.servers.base import Served, serving
from tests.tables import each_row


@pytest.fixture(scope="module")
def site() -> Iterator[Served]:
    with serving(web) as served:
        yield served


@pytest.fixture
def typed(site: Served, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Typed:
    monkeypatch.chdir(tmp_path)
    return Typed(site)


def test_each_statement_is_shown_with_the_words_of_its_source(typed: Typed) -> None:
    done = typed(typed.text(f"{FLARE} /trial", f"{WRONG} /gone"))
    assert done.exit_code == 0, done.output
    assert f"✓ 1. {FLARE}" in " ".join(done.stdout.split())
    assert "dead" in done.stdout
    assert "source validity" not in done.stdout
    assert "source validity" in typed(typed.text(f"{FLARE} /trial", f"{WRONG} /gone"), "--details").stdout


@each_row(
    ("kinds", "code"), [((), 0), (("unverified",), 1), (("dead",), 1), (("retracted",), 0), (("retracted", "dead"), 1)]
)
def test_the_status_is_that_of_what_was_named(typed: Typed, kinds: tuple[str, ...], code: int) -> None:
    words = [word for kind in kinds for word in ("--fail-on", kind)]
    assert typed(typed.text(f"{FLARE} /trial", f"{WRONG} /gone"), *words).exit_code == code


def test_a_repaired_text_and_what_changed_are_written_beside_the_report(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    file = typed.text(f"{FLARE} /trial", f"{WRONG} /trial")
    done = typed(file, "--repair", "--out", "out/report.html")
    assert done.exit_code == 0, done.output
    cleaned = Path("out/answer.cleaned.md").read_text(encoding="utf-8")
    assert f"{WRONG} [2] [" in cleaned or WRONG not in cleaned
    assert "13%" not in cleaned.replace("“13", "")
    assert Path("out/answer.cleaned.diff").read_text(encoding="utf-8").startswith("---")
    assert Path("out/report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_several_texts_have_their_figures_together(typed: Typed) -> None:
    one, other = typed.text(f"{FLARE} /trial"), typed.text(f"{FLARE} /gone", path="other.md")
    data = json.loads(typed(one, other, "--json").stdout)
    assert (data["shares"]["source validity"]["part"], data["shares"]["source validity"]["of"]) == (1, 2)


def test_a_text_comes_from_standard_input_or_from_an_address(typed: Typed) -> None:
    said = typed("-", "--json", stdin=f"{FLARE} {typed.site.url}/trial\n")
    assert json.loads(said.stdout)["traced"][0]["fetched"] == "ok"
    page = json.loads(typed(f"{typed.site.url}/trial", "--json").stdout)
    assert FLARE in page["submitted"]["document"]["text"]
    assert "the text names no source" in page["notes"]


def test_a_source_behind_a_login_is_a_finding_and_no_failure(typed: Typed) -> None:
    done = typed(typed.text(f"{FLARE} /login"))
    assert done.exit_code == 0
    assert "refused" in done.stdout


def test_without_a_network_nothing_can_be_said(typed: Typed) -> None:
    done = typed(typed.text(f"{FLARE} /trial"), **{"network.offline": "true"})
    assert done.exit_code == 3
    assert "offline; no catalogue was asked" in done.stdout
    assert done.stdout.count("offline mode is on") == 1
    assert "Leave out --offline" in " ".join(done.stdout.split())
    assert typed(typed.text(f"{FLARE} /trial"), "--fail-on", "dead", **{"network.offline": "true"}).exit_code == 3


def test_a_text_that_claims_nothing_about_medicine_has_a_clear_outcome(typed: Typed) -> None:
    done = typed("-", stdin="Hello! How can I help you today?\n")
    assert done.exit_code == 0
    assert "the text has no medical statement" in " ".join(done.stdout.split())


@each_row(
    ("words", "why"),
    [
        (("nowhere.md",), "No such file"),
        ((".",), "is a folder"),
        (("-", "-"), "given twice"),
        (("-", "--out", "report.xyz"), "Unknown format .xyz; use .html, .csv, .json, .txt or .md."),
        (("-",), "is empty"),
        (("-", "--judge", "nobody"), "No judge"),
    ],
)
def test_bad_use_says_what_to_do_instead(typed: Typed, words: tuple[str, ...], why: str) -> None:
    stdin = "" if why == "is empty" else "Gout is old.\n"
    done = typed(*words, stdin=stdin)
    told = " ".join([done.output, str(done.exception or "")])
    assert why in " ".join(told.split())
    assert done.exit_code in (1, 2)


def test_help_teaches_with_examples(run: Run) -> None:
    told = run("check", "--help")
    assert "wellsourced check answer.md" in told.stdout
    assert "Exit status: 0 checked" in told.stdout


def test_who_stops_a_check_is_told_how_it_goes_on() -> None:
    script = (
        "import os, signal, time\n"
        "from wellsourced.app.exits import exit_on_interrupt\n"
        "with exit_on_interrupt('stopped. It goes on.'):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    time.sleep(5)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "\nwellsourced: stopped. It goes on.\n")
