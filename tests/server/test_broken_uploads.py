"""Uploads that end in the middle, on a full disk or with their server: nothing is left, the library is as it was."""

import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from tests.server.conftest import running_server, start_server
from tests.server.test_kept_runs import finish
from tests.server.test_library_pages import TRIAL, fill
from tests.server.test_revocation import wait_for
from wellsourced.sources.library.reader import LOCK_FILE
from wellsourced.storage.private_files import WriterLock

pytestmark = pytest.mark.slow

FREE_BYTES = 6_000_000


def write_notes(count: int) -> bytes:
    """A text of so many paragraphs, no two alike."""
    return "\n\n".join(f"{number}. {TRIAL.replace('34 %', f'{number} %')}" for number in range(count)).encode()


@pytest.fixture
def disk(guidelines: Path, tmp_path: Path) -> Iterator[Path]:
    """A home on a disk of its own that is soon full."""
    if os.geteuid() != 0 or not shutil.which("mount"):
        pytest.skip("only root mounts disks")
    mounted = tmp_path / "disk"
    mounted.mkdir()
    used = sum(path.stat().st_size for path in guidelines.rglob("*") if path.is_file())
    words = ["mount", "-t", "tmpfs", "-o", f"size={used + FREE_BYTES}", "tmpfs", str(mounted)]
    if subprocess.run(words, capture_output=True, check=False).returncode:
        pytest.skip("this container mounts nothing")
    try:
        yield Path(shutil.copytree(guidelines, mounted / "home"))
    finally:
        subprocess.run(["umount", str(mounted)], check=True)


def list_sent(home: Path) -> list[str]:
    return sorted(str(path.relative_to(home / "uploads")) for path in (home / "uploads").rglob("*") if path.is_file())


def test_a_full_disk_is_told_in_words_and_leaves_nothing(disk: Path) -> None:
    with running_server(disk) as address, httpx.Client(base_url=address, timeout=120) as client:
        finish(client, fill(client, "trials", ("zymoxil.txt", TRIAL.encode())))
        told = fill(client, "trials", ("small.txt", b"Colchicine helps."), ("large.txt", b"x" * FREE_BYTES))
        assert told.status_code == 422
        assert "No space left on device." in told.text and str(disk) not in told.text
        assert list_sent(disk) == ["trials/zymoxil.txt"]
        # What fits and leaves no room to be read ends its run, which says so.
        told = client.get(finish(client, fill(client, "trials", ("notes.txt", write_notes(14_000)))))
        assert "trials cannot be written now (database or disk is full)" in told.text and str(disk) not in told.text
        assert list_sent(disk) == ["trials/zymoxil.txt"]
        listed = client.get("/library/trials").text
        assert "zymoxil.txt" in listed and "notes.txt" not in listed
        finish(client, fill(client, "trials", ("second.txt", TRIAL.replace("ymoxil", "oloprin").encode())))
        found = client.post("/api/v1/search", json={"question": "zymoxil zoloprin gout flares"}).text
        assert "Zymoxil reduced" in found and "Zoloprin reduced" in found


def send_half(address: str) -> socket.socket:
    """A form whose file is on its way."""
    host, _, port = address.partition("://")[2].partition(":")
    head = b'--x\r\ncontent-disposition: form-data; name="files"; filename="half.txt"\r\n\r\n'
    opened = socket.create_connection((host, int(port)))
    lines = f"POST /library/files HTTP/1.1\r\nhost: {host}:{port}\r\ncontent-length: 90000000\r\n"
    opened.sendall(
        f"{lines}content-type: multipart/form-data; boundary=x\r\n\r\n".encode() + head + TRIAL.encode() * 20_000
    )
    return opened


def test_a_server_that_is_killed_leaves_no_half_file_and_goes_on_where_it_was(guidelines: Path, tmp_path: Path) -> None:
    home = Path(shutil.copytree(guidelines, tmp_path / "home"))
    with start_server(home) as server, send_half(server.address), httpx.Client(base_url=server.address) as client:
        finish(client, fill(client, "trials", ("zymoxil.txt", TRIAL.encode())))
        # What one that was killed leaves while it writes.
        (home / "uploads" / ".unfinished-before").mkdir()
        (home / "uploads" / ".unfinished-before" / "half.txt").write_text("half", encoding="utf-8")
        fill(client, "trials", ("notes.txt", write_notes(400)))
        wait_for(lambda: "notes.txt" in client.get("/library/trials").text)
        server.process.send_signal(signal.SIGKILL)
    with running_server(home) as address, httpx.Client(base_url=address, timeout=120) as client:
        assert list_sent(home) == ["trials/notes.txt", "trials/zymoxil.txt"]
        assert not (home / "uploads" / ".unfinished-before").exists()
        listed = client.get("/library/trials").text
        assert "zymoxil.txt" in listed and ("not read to its end" in listed or "waiting to be read" in listed)
        assert client.get("/api/v1/runs").json()["runs"][0]["state"] == "stopped"
        done = client.get(finish(client, fill(client, "trials", ("notes.txt", write_notes(400))))).text
        assert "1 file read into trials" in done
        assert "not read to its end" not in client.get("/library/trials").text
        # Another server on this home writes to it.
        with closing(WriterLock(home / "libraries" / "trials" / LOCK_FILE, "the library trials")):
            told = client.get(finish(client, fill(client, "trials", ("third.txt", TRIAL.encode())))).text
        assert "trials cannot be written now (another program writes to it)" in told
        assert list_sent(home) == ["trials/notes.txt", "trials/zymoxil.txt"]
