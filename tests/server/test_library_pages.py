"""Libraries from a page: filled, asked, emptied, deleted while they are searched; settings, and whether all works."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from tests.server.conftest import EDITOR_TOKEN, TOKEN, bearer, copy_home, running_server
from tests.server.test_kept_runs import ask, finish
from tests.tables import each_row
from wellsourced.app.cli import command_line

TRIAL = """Zymoxil in gouty nephropathy: a randomised trial

In this trial 214 patients with gouty nephropathy took zymoxil 40 mg daily or placebo for one year.

Zymoxil reduced gout flares by 34 % (95 % CI 21 to 45) in gouty nephropathy.
"""
QUESTION = "Does zymoxil reduce gout flares in gouty nephropathy?"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def home(guidelines: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_home(guidelines, tmp_path_factory.mktemp("libraries"))


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[httpx.Client]:
    with running_server(home) as address, httpx.Client(base_url=address, timeout=60) as client:
        yield client


@pytest.fixture
def pages(server: httpx.Client) -> Iterator[httpx.Client]:
    """The server, from which the libraries of a test are deleted behind it."""
    yield server
    for library in ("trials", "own"):
        server.post(f"/library/{library}/remove", data={"sure": library})


def fill(client: httpx.Client, library: str, *files: tuple[str, bytes]) -> httpx.Response:
    return client.post("/library/files", data={"name": library}, files=[("files", file) for file in files])


def test_a_library_is_filled_asked_emptied_and_deleted(pages: httpx.Client, home: Path) -> None:
    done = pages.get(finish(pages, fill(pages, "trials", ("zymoxil.txt", TRIAL.encode()), ("b.xyz", b"junk")))).text
    assert "2 files read into trials: 1 document" in done or "1 file read into trials: 1 document" in done
    assert "b.xyz: this file type is not supported" in done
    answer = pages.get(ask(pages, QUESTION, may_choose="1", source=["trials"])).text
    assert "reduced gout flares by 34 %" in answer and "other libraries were named: guidelines" in answer
    listed = pages.get("/library/trials").text
    file = home / "uploads" / "trials" / "zymoxil.txt"
    assert 'value="zymoxil.txt"' in listed and file.stat().st_mode & 0o077 == 0
    assert pages.post("/library/trials/remove", data={"file": "zymoxil.txt"}).status_code == 303
    assert "zymoxil.txt" not in pages.get("/library/trials").text
    assert not file.exists()
    assert "34 %" not in pages.get(ask(pages, QUESTION)).text
    assert pages.post("/library/trials/remove", data={"sure": "trial"}).status_code == 422
    assert pages.post("/library/trials/remove", data={"sure": "trials"}).status_code == 303
    assert "trials" not in pages.get("/library").text
    assert not (home / "uploads" / "trials").exists()


def test_what_is_put_into_an_open_library_is_found_at_once(pages: httpx.Client) -> None:
    finish(pages, fill(pages, "trials", ("zymoxil.txt", TRIAL.encode())))
    second = TRIAL.replace("ymoxil", "oloprin").replace("34 %", "51 %")
    finish(pages, fill(pages, "trials", ("zoloprin.txt", second.encode())))
    answer = pages.get(ask(pages, QUESTION.replace("zymoxil", "zoloprin"), may_choose="1", source=["trials"])).text
    assert "Zoloprin reduced gout flares by 51 %" in answer


@each_row(
    ("library", "file"),
    [
        ("guidelines", "a.txt"),
        ("../evil", "a.txt"),
        ("a/b", "a.txt"),
        ("pubmed", "a.txt"),
        ("", "a.txt"),
        ("own", ".."),
    ],
)
def test_bad_names_are_told_and_write_nothing(pages: httpx.Client, home: Path, library: str, file: str) -> None:
    before = {path for path in home.parent.rglob("*") if "guidelines" not in path.parts}
    told = fill(pages, library, (file, TRIAL.encode()))
    assert told.status_code == 422
    assert 'role="alert"' in told.text
    made = {path for path in home.parent.rglob("*") if "guidelines" not in path.parts} - before
    assert not [path for path in made if path.is_file() and path.read_bytes() == TRIAL.encode()]


def test_a_file_of_any_name_stays_in_the_folder_of_its_library(pages: httpx.Client, home: Path) -> None:
    finish(pages, fill(pages, "own", ("../../outside.txt", TRIAL.encode()), ("<b>.txt", TRIAL.encode())))
    assert {path.name for path in (home / "uploads" / "own").iterdir()} == {"outside.txt", "<b>.txt"}
    assert "<b>.txt" not in pages.get("/library/own").text


LAUGHS = b"""<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">%s]><PubmedArticleSet>&j;</PubmedArticleSet>""" % b"".join(
    b'<!ENTITY %c "%s">' % (98 + number, b"&%c;" % (97 + number) * 10) for number in range(9)
)


def test_of_ten_uploads_at_once_one_that_is_hostile_keeps_none_of_the_others_out(pages: httpx.Client) -> None:
    drugs = [f"zymoxil{chr(97 + number)}" for number in range(9)]
    files = [(f"{drug}.txt", TRIAL.replace("ymoxil", drug[1:]).encode()) for drug in drugs]
    files.insert(4, ("laughs.xml", LAUGHS))
    with ThreadPoolExecutor(10) as pool:
        begun = list(pool.map(lambda file: fill(pages, "trials", file), files))
    done = [pages.get(finish(pages, told)).text for told in begun]
    assert [index for index, told in enumerate(done) if "1 file not read" in told] == [4]
    listed = pages.get("/library/trials").text
    assert all(f"{drug}.txt" in listed for drug in drugs) and "9 documents" in listed


def test_an_upload_that_fails_leaves_nothing_and_is_told_without_paths(pages: httpx.Client, home: Path) -> None:
    good, bad = ("good.txt", b"Colchicine helps."), (f"{'x' * 300}.txt", b"a")
    told = fill(pages, "own", good, bad)
    assert told.status_code == 422
    assert "File name too long." in told.text and str(home) not in told.text
    assert not (home / "uploads" / "own").exists()
    assert not (home / "libraries" / "own").exists()
    finish(pages, fill(pages, "own", good))
    assert [path.name for path in (home / "uploads" / "own").iterdir()] == ["good.txt"]


def test_a_library_deleted_while_it_is_searched_breaks_no_answer(pages: httpx.Client) -> None:
    finish(pages, fill(pages, "trials", ("zymoxil.txt", TRIAL.encode())))

    def answer(number: int) -> str:
        if number == 4:
            pages.post("/library/trials/remove", data={"sure": "trials"})
        return pages.get(ask(pages, f"{QUESTION[:-1]} in {2000 + number}?")).text

    with ThreadPoolExecutor(4) as pool:
        told = list(pool.map(answer, range(10)))
    ends = ('class="excerpt', 'class="abstained"', "Nothing in your sources on this.")
    assert all(any(end in one for end in ends) for one in told)
    assert "34 %" not in pages.get(ask(pages, QUESTION)).text


def test_settings_hide_keys_and_the_diagnosis_says_what_works(
    guidelines: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-a-key-that-nobody-sees")
    home = copy_home(guidelines, tmp_path)
    with running_server(home) as address, httpx.Client(base_url=address, timeout=120) as client:
        page = client.get("/settings").text
        assert "policy.passages" in page and "sk-a-key" not in page
        found = client.post("/doctor").text
        assert "library guidelines" in found and "encoder" in found and "sk-a-key" not in found


def test_the_role_of_a_token_decides_who_adds_files(guarded: str) -> None:
    with httpx.Client(base_url=guarded, timeout=60) as client:
        client.headers.update({**bearer(TOKEN), "accept": "text/html"})
        told = fill(client, "ours", ("zymoxil.txt", TRIAL.encode()))
        assert told.status_code == 403 and "role editor" in told.text
        assert "Add your own files" not in client.get("/library").text
        client.headers.update(bearer(EDITOR_TOKEN))
        assert "Add your own files" in client.get("/library").text
        assert (
            "1 file read into ours"
            in client.get(finish(client, fill(client, "ours", ("zymoxil.txt", TRIAL.encode())))).text
        )
        listed = client.get("/library/ours").text
        # A document has its title; where its file is on the server is nobody's business elsewhere.
        assert ">Zymoxil in gouty nephropathy: a randomised trial</a>" in listed and "zymoxil.txt" in listed
        assert "uploads" not in listed
        assert client.post("/library/ours/remove", data={"file": "/etc/passwd"}).status_code == 403
        assert client.post("/library/guidelines/remove", data={"sure": "guidelines"}).status_code == 502
        assert "Delete this library" not in client.get("/library/guidelines").text
        assert client.post("/library/ours/remove", data={"file": "zymoxil.txt"}).status_code == 303
        assert "zymoxil.txt" not in client.get("/library/ours").text
        assert client.get("/settings").status_code == 403


def test_an_editor_removes_what_was_sent_and_nothing_else(home: Path) -> None:
    kept = home.parent / "of-the-operator.txt"
    kept.write_text(TRIAL, encoding="utf-8")
    tokens = home.parent / "tokens.txt"
    tokens.write_text(f"{TOKEN}\n{EDITOR_TOKEN} editor\n", encoding="utf-8")
    options = ["--home", str(home), "--offline", "library"]
    for words in (["create", "ours"], ["add", "ours", str(kept)]):
        assert CliRunner().invoke(command_line, [*options, *words]).exit_code == 0
    with running_server(home, "--tokens", str(tokens)) as address, httpx.Client(base_url=address, timeout=60) as client:
        client.headers.update({**bearer(EDITOR_TOKEN), "accept": "text/html"})
        finish(client, fill(client, "ours", ("sent.txt", TRIAL.replace("zymoxil", "zoloprin").encode())))
        listed = client.get("/library/ours").text
        assert 'value="sent.txt"' in listed and str(kept) not in listed and "Delete this library" not in listed
        for fields in ({"file": str(kept)}, {"file": kept.name}, {"sure": "ours"}):
            told = client.post("/library/ours/remove", data=fields)
            assert told.status_code == 403 and "only files that were added from a page" in told.text
        reader = client.post("/library/ours/remove", data={"file": "sent.txt"}, headers=bearer(TOKEN))
        assert reader.status_code == 403
        assert client.post("/library/ours/remove", data={"file": "sent.txt"}).status_code == 303
        assert "of-the-operator.txt" in client.get("/library/ours").text
        finish(client, fill(client, "fresh", ("sent.txt", TRIAL.encode())))
        assert "Delete this library" in client.get("/library/fresh").text
        assert client.post("/library/fresh/remove", data={"sure": "fresh"}).status_code == 303
        assert ">fresh<" not in client.get("/library").text
    assert kept.read_text(encoding="utf-8") == TRIAL
