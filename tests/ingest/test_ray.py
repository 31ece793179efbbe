"""Ray's workers read and encode, one process writes: what comes of it is what comes without Ray, whoever dies."""

import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import psutil
import pytest

from tests.hashed_encoder import HashedEncoder
from tests.ingest.ray_double import Ray
from tests.ingest.records import markdown, medline
from tests.ingest.test_kill import content
from tests.tables import each_row
from wellsourced import config
from wellsourced.errors import ModelError, OfflineError, SettingsError, SourceUnavailable
from wellsourced.events import Event, FileFailed, FileRead
from wellsourced.ingest import ingest_files, ray_workers
from wellsourced.ingest.file_ingestion import ingest_paths
from wellsourced.ingest.ray_cluster import open_ray, parse_host
from wellsourced.ingest.ray_workers import RayWorkers
from wellsourced.sources.library import Library

ROOT = Path(__file__).parents[2]


async def filled(root: Path, folder: Path, ray: Ray | None = None, emit: Callable[[Event], None] = print) -> Any:
    """A library of the folder's files; the readers are Ray's where there is one."""
    Library.create(root, "mine", "research")
    library = Library.at(root, "mine", write=True)
    readers = RayWorkers(ray, config.Settings()).start_readers() if ray else ()
    ended = await ingest_files(library, [folder], emit, readers=readers)
    assert await library.find_unsearchable() == await library.find_damaged() == []
    library.close()
    return ended


def holdings(root: Path) -> dict[str, Any]:
    """All that a library holds and knows of its files.

    Not how many documents each gave: of a file that is read after the one that corrects it, fewer stand.
    """
    found: dict[str, Any] = content(root)
    columns = ("path", "size", "mtime_ns", "sha256", "state", "faulty")
    with closing(sqlite3.connect(root / "mine" / "catalogue.sqlite3")) as sql:
        found["files"] = sql.execute(f"SELECT {', '.join(columns)} FROM files ORDER BY path").fetchall()  # noqa: S608
    return found


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """Files of which later ones correct and delete, and in their middle one that ends too early."""
    folder = tmp_path / "files"
    folder.mkdir()
    medline(folder / "pubmed26n0001.xml.gz", range(1, 150))
    whole = medline(folder / "pubmed26n0003.xml.gz", range(5_000, 5_200)).read_bytes()
    (folder / "pubmed26n0003.xml.gz").write_bytes(whole[: len(whole) // 2])
    medline(folder / "pubmed26n1300.xml.gz", range(100, 170), edition=1, deleted=range(1, 20))
    for number in range(20_000, 20_004):
        markdown(folder / f"note-{number}.md", number)
    (folder / "empty.pdf").write_bytes(b"")
    return folder


async def test_what_workers_read_is_what_one_process_reads_and_a_damaged_file_costs_no_other(
    tmp_path: Path, damaged: Path
) -> None:
    failures: dict[str, list[str]] = {"alone": [], "workers": []}
    ended = []
    for name, ray in (("alone", None), ("workers", Ray())):

        def hear(event: Event, name: str = name) -> None:
            failures[name] += [event.model_dump_json()] if isinstance(event, FileFailed) else []

        ended.append(await filled(tmp_path / name, damaged, ray, hear))
    assert holdings(tmp_path / "alone") == holdings(tmp_path / "workers")
    assert sorted(failures["alone"]) == sorted(failures["workers"]) != []
    assert [(one.files, one.failed, one.partial) for one in ended] == [(7, 1, 1)] * 2


async def test_a_file_whose_worker_died_is_read_again_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wellsourced.ingest.file_ingestion.RETRY_PAUSE", 0.0)
    monkeypatch.setattr("wellsourced.ingest.file_reading.MAX_DOCUMENTS", 30)
    folder = tmp_path / "files"
    folder.mkdir()
    for number in (1, 2, 3):
        medline(folder / f"pubmed26n000{number}.xml.gz", range(number * 1_000, number * 1_000 + 120))
    asked: list[int] = []

    def dies(actor: int, name: str) -> bool:
        asked.extend([actor] if name == "read_next" else [])
        return actor == 0 and asked.count(0) == 3

    ray, failures = Ray(dying=dies), []
    ended = await filled(tmp_path / "died", folder, ray, lambda event: failures.append(event))
    assert [event for event in failures if isinstance(event, FileFailed)] == []
    assert (ended.files, ended.failed) == (3, 0)
    assert len(ray.started) == 3
    await filled(tmp_path / "alone", folder)
    assert holdings(tmp_path / "died") == holdings(tmp_path / "alone")


async def test_a_file_that_is_gone_or_another_one_where_the_worker_is_is_told_and_tried_at_another_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wellsourced.ingest.file_ingestion.RETRY_PAUSE", 0.0)
    folder, failures = tmp_path / "files", []
    folder.mkdir()
    for number in range(4):
        markdown(folder / f"note-{number}.md", number)
    real = ray_workers.hash_file
    monkeypatch.setattr(ray_workers, "hash_file", lambda path: "" if path.name == "note-1.md" else real(path))

    def hear(event: Event) -> None:
        if isinstance(event, FileRead):
            (folder / "note-3.md").unlink(missing_ok=True)
        failures.extend([event] if isinstance(event, FileFailed) else [])

    ended = await filled(tmp_path / "home", folder, Ray(cpus=1), hear)
    assert (ended.files, ended.failed) == (2, 2)
    reasons = {event.path.name: event.reason for event in failures}
    assert reasons == {
        "note-1.md": "the Ray worker finds another file there, or none",
        "note-3.md": "no such file or folder",
    }
    assert all(event.transient for event in failures)


def encoding(monkeypatch: pytest.MonkeyPatch, **ray: Any) -> tuple[HashedEncoder, Any, Ray]:
    """An encoder, the same spread over workers, and Ray."""
    encoder, double = HashedEncoder(), Ray(**ray)
    monkeypatch.setattr(ray_workers.config, "build_encoder", lambda _: encoder)
    monkeypatch.setattr(ray_workers, "uses_gpu", lambda _: False)
    return encoder, RayWorkers(double, config.Settings()).start_encoder(encoder), double


def test_vectors_of_workers_are_the_encoders_own_in_the_order_of_their_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder, spread, _ = encoding(monkeypatch, cpus=3, dying=lambda actor, name: (actor, name) == (1, "encode"))
    texts = [f"gout of the {number} joint" for number in range(500)]
    assert spread.processes == 3
    assert (spread.name, spread.dim) == (encoder.name, encoder.dim)
    assert np.array_equal(spread.encode(texts), encoder.encode(texts))
    assert spread.encode([]).shape == (0, encoder.dim)


def test_workers_that_go_on_dying_end_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    _, spread, ray = encoding(monkeypatch, dying=lambda _, name: name == "encode")
    with pytest.raises(ModelError, match="Ray workers end while they encode"):
        spread.encode(["gout"])
    assert len(ray.started) == 2 + ray_workers.MAX_TRIES


def test_a_worker_of_another_version_or_without_wellsourced_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(ray_workers.FileWorker, "describe", lambda _: "0.1.0")
        with pytest.raises(SettingsError, match=r"A Ray worker has 0\.1\.0, not .*on every machine"):
            RayWorkers(Ray(), config.Settings()).start_readers()
    with pytest.raises(SettingsError, match="A Ray worker cannot start wellsourced"):
        RayWorkers(Ray(dying=lambda _, __: True), config.Settings()).start_readers()


def leftovers(pid: int) -> list[Path]:
    """The folder of the Ray that a process started, where it is still there."""
    return list(Path("/tmp").glob(f"ws-ray-{pid}-*"))  # noqa: S108


async def opened(address: str, tmp_path: Path, *, offline: bool = False) -> None:
    settings = config.Settings(home=tmp_path, network=config.Settings().network.model_copy(update={"offline": offline}))
    async with open_ray(settings, address):
        raise AssertionError("it was opened")


@each_row("address", ["auto", "ray://head:10001", "head", "head:66000", ":6379", "a b:6379", "h:1/x"])
async def test_only_an_address_that_names_a_machine_is_one(tmp_path: Path, address: str) -> None:
    with pytest.raises(SettingsError, match=r"is not an address of Ray\. Give “local”, or HOST:PORT"):
        await opened(address, tmp_path)


def test_hosts_are_taken_from_addresses() -> None:
    assert [parse_host(address) for address in ("10.0.0.7:6379", "[::1]:1", "ray-head.local:6379")] == [
        "10.0.0.7",
        "[::1]",
        "ray-head.local",
    ]


async def test_offline_no_other_machine_is_asked(tmp_path: Path) -> None:
    with pytest.raises(OfflineError, match=re.escape("Offline: 10.0.0.7:6379 is another machine.")):
        await opened("10.0.0.7:6379", tmp_path, offline=True)
    assert not (tmp_path / "egress.jsonl").exists()


async def test_an_address_at_which_nobody_listens_is_told_at_once_and_in_the_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", ModuleType("ray"))
    with pytest.raises(SourceUnavailable, match=r"Nothing listens at 127\.0\.0\.1:9 "):
        await opened("127.0.0.1:9", tmp_path)
    assert '"host": "127.0.0.1:9"' in (tmp_path / "egress.jsonl").read_text(encoding="utf-8")


async def test_without_the_extra_its_name_is_told_and_nothing_was_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    settings = config.Settings(home=tmp_path, encoder="none")
    config.create_library(settings, "mine", lexical=True)
    for address in ("local", "127.0.0.1:9"):
        with pytest.raises(SettingsError, match="needs the extra “ray”") as told:
            await ingest_paths(settings, "mine", (tmp_path,), True, print, ray=address)
        assert told.value.next_step
        assert told.value.next_step.value == "ray"
    assert leftovers(os.getpid()) == []


# --- with Ray itself --------------------------------------------------------------------------------------------------

NEEDS_RAY = pytest.mark.skipif(not find_spec("ray"), reason="the extra [ray] is not installed")
SECRET = "sk-nobody-may-know"  # noqa: S105
PATIENCE = 300.0


class Command:
    """`wellsourced` in a process of its own, in a group of its own."""

    def __init__(self, home: Path, *words: str) -> None:
        environment = {"PATH": os.environ["PATH"], "WELLSOURCED_HOME": str(home), "OPENAI_API_KEY": SECRET}
        environment["PYTHONPATH"] = str(ROOT / "src")
        command = [sys.executable, "-m", "wellsourced", *words]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True
        )
        self.children: set[psutil.Process] = set()

    def wait_for(self, sign: Callable[[], object]) -> None:
        """Until there is a sign; meanwhile all processes that it starts are noted."""
        until = time.monotonic() + PATIENCE
        while not sign():
            assert time.monotonic() < until
            assert self.process.poll() is None, self.process.communicate()
            with suppress(psutil.NoSuchProcess):
                self.children |= set(psutil.Process(self.process.pid).children(recursive=True))
            time.sleep(0.2)

    def workers(self, kind: str) -> list[psutil.Process]:
        """Ray's workers of this kind that live."""
        with suppress(psutil.NoSuchProcess):
            return [child for child in self.children if child.is_running() and f"ray::{kind}" in child.cmdline()[0]]
        return []

    def end(self) -> tuple[int, str, str]:
        """Its exit status and what it said; nothing that it started outlives it."""
        out, err = self.process.communicate(timeout=PATIENCE)
        # What watches a node of Ray takes a minute to see that the node is gone.
        _, alive = psutil.wait_procs(self.children, timeout=180)
        assert [child.name() for child in alive if child.is_running()] == []
        return self.process.returncode, out, err


def stored(home: Path) -> int:
    """Documents of the library so far."""
    with closing(sqlite3.connect(home / "libraries" / "mine" / "catalogue.sqlite3")) as sql:
        count: int = sql.execute("SELECT count(*) FROM documents").fetchone()[0]
        return count


@pytest.fixture
def homes(tmp_path: Path) -> Iterator[tuple[Path, Path]]:
    """Two homes with an empty library each; what is left of Ray is none of ours."""
    for name in ("one", "other"):
        config.create_library(config.Settings(home=tmp_path / name), "mine")
    yield tmp_path / "one", tmp_path / "other"
    shutil.rmtree(tmp_path, ignore_errors=True)


@NEEDS_RAY
@pytest.mark.nightly
def test_ray_on_this_machine_gives_what_one_process_gives_and_is_nobody_elses(
    homes: tuple[Path, Path], damaged: Path
) -> None:
    with_ray, without = homes
    alone = Command(without, "library", "add", "mine", str(damaged))
    adding = Command(with_ray, "library", "add", "mine", str(damaged), "--ray", "local")
    adding.wait_for(lambda: adding.workers("FileWorker"))
    known = adding.workers("FileWorker")[0]
    assert SECRET not in known.environ().values()
    assert "OPENAI_API_KEY" not in known.environ()
    for process in (psutil.Process(adding.process.pid), *adding.children):
        with suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
            for connection in process.net_connections("inet"):
                assert connection.laddr.ip.removeprefix("::ffff:") == "127.0.0.1", (process, connection)
    adding.wait_for(lambda: adding.workers("EncodingWorker"))
    assert SECRET not in adding.workers("EncodingWorker")[0].environ().values()
    code, out, err = adding.end()
    expected = alone.end()
    assert (code, out.partition(":")[0]) == (expected[0], expected[1].partition(":")[0])
    assert sorted(err.splitlines()) == sorted(expected[2].splitlines())
    assert holdings(with_ray / "libraries") == holdings(without / "libraries")
    libraries = [Library.at(home / "libraries", "mine") for home in homes]
    for table in zip(*(vectors_by_id(library) for library in libraries), strict=True):
        assert table[0][0] == table[1][0]
        assert np.array_equal(table[0][1], table[1][1])
    assert leftovers(adding.process.pid) == []


def vectors_by_id(library: Library) -> list[tuple[str, Any]]:
    """Every passage with its vector."""
    with closing(sqlite3.connect(library.folder / "spans.sqlite3")) as sql:
        rows = dict(sql.execute("SELECT id, vector_row FROM passages"))
    mapped = library._engine.table.map_vectors()
    assert mapped
    return [(id, np.array(mapped.vectors[row])) for id, row in sorted(rows.items())]


@NEEDS_RAY
@pytest.mark.nightly
def test_stopped_then_killed_then_robbed_of_a_worker_the_same_command_ends_as_one_that_was_not(
    homes: tuple[Path, Path], tmp_path: Path
) -> None:
    home, other = homes
    folder = tmp_path / "files"
    folder.mkdir()
    for number in range(8):
        medline(folder / f"pubmed26n000{number}.xml.gz", range(number * 10_000, number * 10_000 + 3_000))
    words = ("library", "add", "mine", str(folder), "--no-vectors")

    adding = Command(home, *words, "--ray", "local")
    adding.wait_for(lambda: stored(home) > 1_000)
    os.killpg(adding.process.pid, signal.SIGINT)
    code, _, err = adding.end()
    assert (code, "Run the same command to continue." in err) == (130, True)
    after_stop = stored(home)

    adding = Command(home, *words, "--ray", "local")
    adding.wait_for(lambda: stored(home) > after_stop + 2_000)
    adding.process.kill()
    assert adding.end()[0] == -signal.SIGKILL
    assert leftovers(adding.process.pid) != []
    after_kill = stored(home)

    last = Command(home, *words, "--ray", "local")
    last.wait_for(lambda: stored(home) > after_kill)
    last.workers("FileWorker")[0].kill()
    code, _, err = last.end()
    assert (code, err) == (0, "")
    # What was left of the command that was killed is gone.
    assert leftovers(adding.process.pid) == []

    assert Command(other, *words).end()[0] == 0
    assert holdings(home / "libraries") == holdings(other / "libraries")
    assert stored(home) == 24_000
