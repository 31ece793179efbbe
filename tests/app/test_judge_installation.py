"""`wellsourced setup judges install` and `remove`: over a real server, from archives and folders; what fails."""

import asyncio
import hashlib
import io
import json
import tarfile
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.servers.base import Asked, Said, serving
from tests.servers.files import Filing
from tests.tiny_entailment import FILLER, tiny_entailment
from wellsourced import config
from wellsourced.app.commands.judges import judges
from wellsourced.config.judges import build_judge, list_installed_judges
from wellsourced.errors import (
    InaccessibleFile,
    ModelError,
    NotFoundError,
    SettingsError,
    SourceRefused,
    SourceUnavailable,
    UnreadableFile,
)
from wellsourced.ingest.judge_models import bring_judge, judge_name_of
from wellsourced.judges.base import Pair

README = "---\nlanguage: en\nlicense: mit\n---\n# A tiny judge\n"
CLAIM = Pair("colchicine raised pain .", f"colchicine raised pain . {FILLER}")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tiny_entailment(tmp_path_factory.mktemp("models") / "tiny-nli")
    (folder / "README.md").write_text(README, encoding="utf-8")
    (folder / "setup.py").write_text("raise SystemExit", encoding="utf-8")
    return folder


def tar_of(folder: Path, *more: tuple[str, bytes]) -> bytes:
    """The folder as an archive, and other members, whatever they are called."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        tar.add(folder, folder.name)
        for name, content in more:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def typed(*words: str, stdin: str | None = None, **settings: str) -> Result:
    flags = {"encoder": "none", "threads": "1", "network.cache": "false"} | settings
    return CliRunner().invoke(judges, words, obj=flags, input=stdin)


def leftovers(home: Path) -> list[str]:
    return sorted(path.name for path in (home / "judges").glob("*"))


def test_an_archive_from_an_address_is_told_then_installed_then_used_by_its_name(model: Path, home: Path) -> None:
    content = tar_of(model)
    digest = hashlib.sha256(content).hexdigest()
    with serving(Filing(content)) as server:
        done = typed("--install", f"{server.url}/tiny-nli.tar.gz", "--sha256", digest, stdin="y\n")
    assert done.exit_code == 0, done.output
    told = done.stderr.splitlines()
    assert f"sha256: {digest}" in told
    assert "Licence: mit" in told
    assert told.index(f"sha256: {digest}") < next(n for n, line in enumerate(told) if "Install it as tiny-nli?" in line)
    settings = config.load({"encoder": "none"})
    [card] = list_installed_judges(settings)
    assert (card.name, card.sha256, card.licence) == ("tiny-nli", digest, "mit")
    assert card.origin == f"{server.url}/tiny-nli.tar.gz"
    [verdict] = asyncio.run(build_judge("tiny-nli", settings, None, guarded=False, cached=False).judge([CLAIM]))
    assert (verdict.label, verdict.status) == ("supports", "unverified")
    assert leftovers(home) == ["tiny-nli"]
    # Nothing that is not of a model was unpacked, and nobody else may look.
    assert not list((home / "judges").rglob("setup.py"))
    assert (home / "judges" / "tiny-nli" / "model.onnx").stat().st_mode & 0o077 == 0


def test_what_is_installed_is_listed_measured_and_removed(model: Path, tmp_path: Path) -> None:
    assert typed("--install", str(model), "--yes").exit_code == 0
    lines = typed().stdout.splitlines()
    assert any(line.startswith("tiny-nli") and "licence mit" in line for line in lines)
    assert any(line.startswith("tiny-nli") and "not believed: it was not measured" in line for line in lines)
    row = {"claim": CLAIM.claim, "evidence": CLAIM.text, "label": "supported"}
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert typed("measure", "tiny-nli", "--pairs", str(path)).exit_code == 0
    assert "(mine, n = 1)" in typed().stdout
    refused = typed("--remove", "tiny-nli", stdin="n\n")
    assert refused.exit_code == 1
    assert "tiny-nli" in typed().stdout
    assert typed("--remove", "tiny-nli", "--yes").stdout == "Removed tiny-nli.\n"
    assert "tiny-nli" not in typed().stdout
    assert isinstance(typed("--remove", "tiny-nli", "--yes").exception, NotFoundError)
    assert isinstance(typed("--remove", "comparison", "--yes").exception, NotFoundError)


def test_a_folder_at_an_address_is_fetched_file_by_file(model: Path, home: Path) -> None:
    def publish(asked: Asked) -> Said:
        path = model / asked.path.removeprefix("/org/tiny-nli/")
        return Said(path.read_bytes(), type="application/octet-stream") if path.is_file() else Said(b"", 404)

    with serving(publish) as server:
        done = typed("--install", f"{server.url}/org/tiny-nli/", "--yes")
    assert done.exit_code == 0, done.output
    assert {one.name for one in (home / "judges" / "tiny-nli").iterdir()} == {
        *("README.md", "config.json", "installation.json", "model.onnx", "vocab.txt")
    }
    # The same files from a folder here have the same sha256: it is that of what `sha256sum` prints.
    names = ("README.md", "config.json", "model.onnx", "vocab.txt")
    lines = (f"{hashlib.sha256((model / name).read_bytes()).hexdigest()}  {name}\n" for name in names)
    assert f"sha256: {hashlib.sha256(''.join(lines).encode()).hexdigest()}" in done.stderr
    assert typed("--install", str(model), "--yes", "--name", "second").stderr.count(done.stderr.splitlines()[2]) == 1


def test_whoever_does_not_agree_has_nothing_installed(model: Path, home: Path) -> None:
    done = typed("--install", str(model), "--licence", "for research only", stdin="n\n")
    assert done.exit_code == 1
    assert "Licence: for research only" in done.stderr
    assert leftovers(home) == []


def test_a_licence_that_nobody_tells_is_said_to_be_missing(tmp_path: Path) -> None:
    done = typed("--install", str(tiny_entailment(tmp_path / "bare")), "--yes")
    assert "Licence: unknown; check with its publisher" in done.stderr
    assert "licence unknown" in typed().stdout


def test_another_sha256_than_was_wanted_is_refused_before_anything_is_unpacked(model: Path, home: Path) -> None:
    with serving(Filing(tar_of(model, ("../outside.onnx", b"x")))) as server:
        done = typed("--install", f"{server.url}/tiny-nli.tar.gz", "--yes", "--sha256", "0" * 64)
    assert isinstance(done.exception, SourceRefused)
    assert f"not {'0' * 64}: nothing was installed" in str(done.exception)
    assert isinstance(typed("--install", str(model), "--yes", "--sha256", "0" * 64).exception, SourceRefused)
    assert leftovers(home) == []


def test_a_body_that_is_cut_short_is_not_installed(model: Path, home: Path) -> None:
    content = tar_of(model)
    with serving(Filing(content, tag="", ranges=False, cuts=(len(content) // 2,) * 9)) as server:
        done = typed("--install", f"{server.url}/tiny-nli.tar.gz", "--yes")
    assert isinstance(done.exception, SourceUnavailable)
    assert leftovers(home) == []
    truncated = home.parent / "tiny-nli.tar.gz"
    truncated.write_bytes(content[:-50])
    assert isinstance(typed("--install", str(truncated), "--yes").exception, UnreadableFile)
    assert leftovers(home) == []


@pytest.mark.parametrize("origin", ["address", "archive", "folder"])
async def test_what_is_too_large_is_refused(origin: str, model: Path, tmp_path: Path) -> None:
    content = tar_of(model)
    archive = tmp_path / "tiny-nli.tar.gz"
    archive.write_bytes(content)
    with serving(Filing(content)) as server:
        named = {"address": f"{server.url}/tiny-nli.tar.gz", "archive": str(archive), "folder": str(model)}[origin]
        async with config.open_client(config.load({"network.cache": "false"})) as client:
            with pytest.raises(SourceRefused, match="1,000 bytes"):
                async with bring_judge(named, "tiny-nli", tmp_path / "judges", client, limit=1_000):
                    pass
    assert not list((tmp_path / "judges").iterdir())


async def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    archive = tmp_path / "bomb.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("config.json", "{}")
        for number in range(3):
            packed.writestr(f"{number}.onnx", bytes(50_000))
    async with config.open_client(config.load({})) as client:
        with pytest.raises(UnreadableFile):
            async with bring_judge(str(archive), "bomb", tmp_path / "judges", client, limit=100_000):
                pass
    assert not list((tmp_path / "judges").iterdir())


@pytest.mark.parametrize("name", ["../escaped.onnx", "/tmp/escaped.onnx", "tiny-nli/../../escaped.onnx"])  # noqa: S108
def test_an_archive_that_would_write_outside_its_folder_is_refused(name: str, model: Path, tmp_path: Path) -> None:
    archive = tmp_path / "tiny-nli.tar.gz"
    archive.write_bytes(tar_of(model, (name, b"x")))
    done = typed("--install", str(archive), "--yes")
    assert isinstance(done.exception, UnreadableFile)
    assert "would be written outside its folder" in str(done.exception)
    assert not list(tmp_path.rglob("escaped.onnx"))


def test_what_is_no_archive_and_no_model_is_refused_with_what_would_be_one(tmp_path: Path, home: Path) -> None:
    page, empty, false = tmp_path / "model.html", tmp_path / "empty", tmp_path / "false.zip"
    page.write_text("<html>", encoding="utf-8")
    false.write_text("<html>", encoding="utf-8")
    empty.mkdir()
    assert "neither a folder nor an archive" in str(typed("--install", str(page), "--yes").exception)
    assert "has no config.json" in str(typed("--install", str(empty), "--yes").exception)
    assert isinstance(typed("--install", str(false), "--yes").exception, UnreadableFile)
    assert isinstance(typed("--install", str(tmp_path / "absent"), "--yes").exception, InaccessibleFile)
    with serving(lambda _: Said(b"<html>", type="text/html")) as server:
        assert "is not an archive" in str(typed("--install", f"{server.url}/tiny", "--yes").exception)
        assert isinstance(typed("--install", f"{server.url}/tiny.zip", "--yes").exception, UnreadableFile)
    assert leftovers(home) == []


def test_a_model_that_does_not_say_what_its_numbers_mean_is_refused(tmp_path: Path, home: Path) -> None:
    folder = tiny_entailment(tmp_path / "mute")
    for labels in ({}, {"id2label": {"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"}}):
        (folder / "config.json").write_text(json.dumps(labels), encoding="utf-8")
        done = typed("--install", str(folder), "--yes")
        assert isinstance(done.exception, ModelError)
        assert "does not name its classes (id2label)" in str(done.exception)
    (folder / "config.json").write_text('{"id2label": {"0": "entailment", "1": "neutral"}}', encoding="utf-8")
    assert isinstance(typed("--install", str(folder), "--yes").exception, ModelError)  # it has three
    (folder / "model.onnx").write_bytes(b"no model")
    assert isinstance(typed("--install", str(folder), "--yes").exception, ModelError)
    assert leftovers(home) == []


def test_plain_http_is_for_this_machine_alone() -> None:
    done = typed("--install", "http://example.org/tiny-nli.zip", "--yes")
    assert isinstance(done.exception, SourceRefused)
    assert "judges need https" in str(done.exception)


@pytest.mark.parametrize("name", ["comparison", "path", "../up", "a+b", "Upper", ""])
def test_no_judge_takes_a_name_that_means_something_else(name: str, model: Path, tmp_path: Path) -> None:
    async def bring() -> None:
        async with (
            config.open_client(config.load({})) as client,
            bring_judge(str(model), name, tmp_path / "judges", client),
        ):
            pass

    with pytest.raises(SettingsError, match="cannot name a judge"):
        asyncio.run(bring())


def test_a_name_that_is_taken_is_not_taken_again(model: Path) -> None:
    typed("--install", str(model), "--yes")
    done = typed("--install", str(model), "--yes")
    assert isinstance(done.exception, SettingsError)
    assert "A judge “tiny-nli” is already installed." in str(done.exception)


def test_an_installed_judge_comes_before_a_folder_of_its_name(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed("--install", str(model), "--yes")
    monkeypatch.chdir(tmp_path)
    tiny_entailment(tmp_path / "tiny-nli", ("neutral", "entailment", "contradiction"))
    name = build_judge("tiny-nli", config.load({}), None, guarded=False, cached=False).name
    assert name.endswith("/contradicts.silent.supports")


def test_a_judge_is_called_as_its_folder_or_archive() -> None:
    assert judge_name_of("https://example.org/models/DeBERTa-nli/?download=1") == "deberta-nli"
    assert judge_name_of("https://example.org/deberta-nli.tar.gz") == "deberta-nli"
    assert judge_name_of("/home/me/models/minicheck.zip") == "minicheck"


async def test_what_judges_is_fetched_from_where_it_was_named_only(model: Path, tmp_path: Path) -> None:
    with serving(Filing(tar_of(model))) as server:
        async with config.open_client(config.load({"network.offline": "true"})) as client:
            with pytest.raises(SourceRefused, match="offline"):
                async with bring_judge(f"{server.url}/tiny-nli.tar.gz", "tiny-nli", tmp_path / "judges", client):
                    pass
        assert server.asked == []
