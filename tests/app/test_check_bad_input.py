"""What people give to `check` by mistake or in good faith: each has a clear outcome; a run that is stopped goes on."""

import json
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.app.checking import FLARE, Typed, web
from tests.servers.base import Asked, Said, Served, serving
from tests.tables import each_row

FRENCH = (
    "<html><head><title>La goutte</title></head><body><article><p>La colchicine a raccourci de deux jours les crises "
    "de goutte chez les adultes. Les nausées étaient fréquentes chez les patients qui la prenaient pendant plus d’une "
    "semaine, et elles ont disparu après l’arrêt du traitement dans tous les cas.</p></article></body></html>"
)


def odd(asked: Asked) -> Said:
    """The usual web, and two pages that are not what one hopes for."""
    if asked.path == "/inside":
        return Said(b"", 302, "text/html", {"Location": "http://169.254.169.254/latest/meta-data"})
    if asked.path == "/goutte":
        return Said(FRENCH.encode(), type="text/html; charset=utf-8")
    return web(asked)


@pytest.fixture(scope="module")
def slow() -> threading.Event:
    """While it is set, the page /slow keeps one waiting."""
    return threading.Event()


@pytest.fixture(scope="module")
def site(slow: threading.Event) -> Iterator[Served]:
    def answer(asked: Asked) -> Said:
        return odd(asked)._replace(wait=30.0 if slow.is_set() and asked.path == "/slow" else 0.0)

    with serving(answer) as served:
        yield served


@pytest.fixture
def typed(site: Served, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Typed:
    monkeypatch.chdir(tmp_path)
    return Typed(site)


def plain(text: str) -> str:
    return " ".join(text.split())


def test_a_redirect_to_a_private_address_is_not_followed_and_is_told(typed: Typed) -> None:
    done = typed(typed.text(f"{FLARE} /inside"), "--fail-on", "dead")
    assert done.exit_code == 1
    assert "malformed" in done.stdout


def test_a_source_in_another_language_is_not_judged_and_the_remedy_is_named(typed: Typed) -> None:
    done = typed(typed.text(f"{FLARE} /goutte"))
    assert done.exit_code == 0
    assert f"? 1. {FLARE}" in plain(done.stdout)
    assert "the source is in French" in plain(done.stdout)
    assert "--model" in done.stdout


def test_a_list_that_no_mark_refers_to_is_put_to_every_statement(typed: Typed) -> None:
    listed = "".join(f"{number}. {typed.site.url}/{name}\n" for number, name in enumerate(("trial", "goutte"), 1))
    done = typed("-", stdin=f"{FLARE}\n\nReferences\n\n{listed}")
    assert f"✓ 1. {FLARE}" in plain(done.stdout)
    assert "lists 2 sources without marks" in plain(done.stdout)


def test_the_only_source_of_a_text_is_that_of_every_statement(typed: Typed) -> None:
    done = typed("-", stdin=f"{FLARE}\n\nReferences\n\n1. {typed.site.url}/trial\n")
    assert f"✓ 1. {FLARE}" in plain(done.stdout)
    assert "without marks" not in plain(done.stdout)
    assert "not cited here" not in plain(done.stdout)


def test_marks_without_a_list_are_told_and_their_statements_have_no_source(typed: Typed) -> None:
    done = typed("-", stdin=f"{FLARE} [1]\n\nNausea is common with colchicine [2].\n")
    assert done.exit_code == 0
    assert "the text has marks (1, 2) but no reference list" in plain(done.stdout)
    assert "its mark “1” has no source" in plain(done.stdout)


def test_a_single_plain_sentence_is_a_statement(typed: Typed) -> None:
    done = typed("-", stdin=f"{FLARE}\n")
    assert "1 statement: 1 not supported" in plain(done.stdout)
    assert "the text names no source" in plain(done.stdout)


@each_row(
    ("name", "data", "why"),
    [
        ("empty.md", b"", "is empty"),
        ("blank.md", b" \n\n", "is empty"),
        ("tool.bin", b"\x7fELF\x02\x01\x01" + bytes(range(32)) * 200, "it is not a text"),
        ("old.pdf", b"%PDF-1.7\nnothing", "old.pdf"),
        ("broken.docx", b"PK\x03\x04nothing", "broken.docx"),
    ],
)
def test_what_is_no_text_is_refused_by_name_and_reason(typed: Typed, name: str, data: bytes, why: str) -> None:
    Path(name).write_bytes(data)
    done = typed(name)
    assert done.exit_code == 2, done.output
    assert name in done.output
    assert why in plain(done.output)


def test_a_pdf_of_three_hundred_pages_is_read_whole(typed: Typed) -> None:
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas("book.pdf")
    drugs = ("colchicine", "naproxen", "allopurinol", "febuxostat", "probenecid", "ibuprofen", "prednisolone")
    signs = ("pain", "swelling", "urate", "fever", "stiffness", "the number of flares", "tophi", "redness", "fatigue")
    homes = ("Lima", "Oslo", "Quito", "Turin", "Delhi", "Accra", "Perth", "Kyoto", "Cairo", "Malmö", "Porto")
    for page in range(299):
        canvas.drawString(72, 780, "A handbook of gout")
        drug, sign, home = drugs[page % 7].capitalize(), signs[page % 9], homes[page % 11]
        words = f"{drug} lowered {sign} in patients who were treated in {home}."
        canvas.drawString(72, 600, words)
        canvas.drawString(72, 40, str(page + 1))
        canvas.showPage()
    canvas.drawString(72, 720, f"{FLARE} {typed.site.url}/trial")
    canvas.save()
    done = json.loads(typed("book.pdf", "--json", "--scope", "own").stdout)
    assert len(done["submitted"]["claims"]) >= 300
    last = done["submitted"]["claims"][-1]
    assert FLARE in last["text"]
    assert done["verdicts"][last["number"]]["label"] == "supports"


def test_hundreds_of_addresses_end_in_one_line_each_and_offline_nothing_of_the_text_is_removed(typed: Typed) -> None:
    lines = "\n\n".join(f"Colchicine shortened gout flares by {n} days [{n}]." for n in range(1, 401))
    listed = "\n".join(f"{n}. https://site{n}.example.org/{n}" for n in range(1, 401))
    Path("many.md").write_text(f"{lines}\n\n## References\n\n{listed}\n", encoding="utf-8")
    done = typed("many.md", "--repair", "--out", "many.csv", "--scope", "own", **{"network.offline": "true"})
    assert done.exit_code == 3
    assert len(Path("many.csv").read_text(encoding="utf-8").splitlines()) == 401
    assert not Path("many.cleaned.md").exists()
    assert "400 statements" in done.output


def test_a_run_that_is_stopped_goes_on_where_it_was(typed: Typed, slow: threading.Event, home: Path) -> None:
    file = typed.text(f"{FLARE} /trial", f"{FLARE} /slow")
    flags = [word for name, value in typed.flags.items() for word in ("--set", f"{name}={value}")]
    command = [sys.executable, "-m", "wellsourced", *flags, "check", file]
    slow.set()
    before = len(typed.site.asked)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        try:
            waited(lambda: verdicts(home) > 0)
            running.send_signal(signal.SIGINT)
            _, told = running.communicate(timeout=20)
        finally:
            running.kill()
            slow.clear()
    assert running.returncode == 130
    assert "stopped. Finished parts are kept. Run the same command to continue." in told
    done = json.loads(typed(file, "--json").stdout)
    assert [one["fetched"] for one in done["traced"]] == ["ok", "dead"]
    assert any("from the run that began on" in note for note in done["notes"])
    assert [asked.path for asked in typed.site.asked[before:]].count("/trial") == 1


def verdicts(home: Path) -> int:
    """How many are on the disk."""
    found = 0
    for file in (home / "checkups").glob("*.sqlite"):
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as store, suppress(sqlite3.OperationalError):
            found += store.execute("SELECT count(*) FROM pairings_1").fetchone()[0]
    return found


def waited(until: Callable[[], bool], seconds: float = 40.0) -> None:
    """Wait for it; a test that waits in vain fails."""
    ends = time.monotonic() + seconds
    while not until():
        assert time.monotonic() < ends, "it did not come to pass"
        time.sleep(0.05)
