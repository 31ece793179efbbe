"""A real PostgreSQL, Debian's, on loopback; each test that asks for it has tables of its own."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

PROGRAMS = Path("/usr/lib/postgresql/15/bin")
PASSWORD = "se@cr%et"  # noqa: S105 - of these tests alone
USER = {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.getuid() == 0 else {}
"""It refuses to run as root."""

SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "max_connections": "60",
}


class Postgres:
    """A running server; it can be stopped and started again."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder, self.port, self._numbers = folder, port, count()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        options = [word for name, value in SETTINGS.items() for word in ("-c", f"{name}={value}")]
        command = [PROGRAMS / "postgres", "-D", self.folder / "data", "-p", str(self.port), *options]
        self._process = subprocess.Popen(command, stderr=subprocess.DEVNULL, cwd="/", **USER)
        for _ in range(200):
            try:
                self.run("SELECT 1")
                return
            except OSError:
                time.sleep(0.05)
        raise AssertionError("PostgreSQL did not start")

    def stop(self) -> None:
        """Break all connections; what was committed is on the disk."""
        if self._process:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(20)
            self._process = None

    def write_url(self, password: str = "se%40cr%25et", name: str = "postgres") -> str:  # noqa: S107 - of these tests
        return f"postgresql://wellsourced:{password}@127.0.0.1:{self.port}/{name}"

    def run(self, sql: str, url: str = "") -> list[tuple[Any, ...]]:
        """Run a statement as its owner. Raises ConnectionError where the server does not answer."""
        import psycopg

        try:
            with psycopg.connect(url or self.write_url(), autocommit=True) as connection:
                found = connection.execute(sql.encode())
                return found.fetchall() if found.description else []
        except psycopg.OperationalError as error:
            raise ConnectionError(str(error)) from error

    def make_tables(self) -> str:
        """The address of a place without tables: a schema, which is made sooner than a database."""
        name = f"test_{next(self._numbers)}"
        self.run(f"CREATE SCHEMA {name}")
        return f"{self.write_url()}?options=-csearch_path%3D{name}"


@contextmanager
def running_postgres() -> Iterator[Postgres]:
    """Serve on a free port until the block ends. The test is skipped where PostgreSQL or its driver is missing."""
    if not (PROGRAMS / "postgres").exists():
        pytest.skip("there is no PostgreSQL here: apt-get install postgresql-15")
    pytest.importorskip("psycopg", reason="the extra [postgresql] is not installed")
    # Not in the folder of the tests, into which only their user can look.
    folder = Path(tempfile.mkdtemp(prefix="wellsourced-postgres-"))
    try:
        (folder / "password").write_text(PASSWORD, encoding="utf-8")
        if USER:
            for path in (folder, folder / "password"):
                shutil.chown(path, USER["user"], USER["group"])
        command = [PROGRAMS / "initdb", "-D", folder / "data", "-U", "wellsourced", "--auth=scram-sha-256", "--no-sync"]
        options = ["-E", "UTF8", "--locale=C.UTF-8", f"--pwfile={folder / 'password'}"]
        subprocess.run([*command, *options], check=True, capture_output=True, cwd="/", **USER)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        server = Postgres(folder, port)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder)
