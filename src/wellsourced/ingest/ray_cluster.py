"""Ray: started on this machine for one command, or joined where the user said; who may reach it, and what it is told.

Ray's processes speak to each other in pickles. That is the one exception to "no pickle": it holds between processes
that Ray started itself, on loopback and with a token that nobody else has, or within a cluster whose address was given.
"""

import logging
import os
import re
import secrets
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wellsourced import config
from wellsourced.config.network import build_contact_writer, emit_disclosure
from wellsourced.errors import NextStep, OfflineError, SettingsError, SourceUnavailable
from wellsourced.events import Disclosure
from wellsourced.privacy.loopback import is_loopback
from wellsourced.telemetry import bare_environment

if TYPE_CHECKING:
    from wellsourced.ingest.ray_workers import RayWorkers

LOCAL = "local"
"""In place of an address: Ray is started on this machine, and ended with the command."""

ADDRESS = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):([0-9]{1,5})")

STORE_BYTES = 512 * 1024 * 1024
"""Shared memory for what is on its way between processes on this machine; beyond it, Ray uses the disk."""

FOLDER_PREFIX = "ws-ray-"
"""Short, since the path of a socket has 107 bytes at most."""


@asynccontextmanager
async def open_ray(settings: config.Settings, address: str) -> "AsyncIterator[RayWorkers | None]":
    """Ray's workers, on this machine (LOCAL) or at HOST:PORT, let go of in the end; None for "", without Ray.

    To be entered in the main thread: what Ray starts ends with the thread that started it. Raises SettingsError for
    an address that is none and without the extra, OfflineError, and SourceUnavailable where nothing can be started.
    """
    if not address:
        yield None
        return
    from wellsourced.ingest.ray_workers import RayWorkers

    if address == LOCAL:
        with _start_here() as ray:
            yield RayWorkers(ray, settings)
        return
    host = parse_host(address)
    if settings.network.offline and not is_loopback(host):
        raise OfflineError(f"Offline: {address} is another machine.", next_step=NextStep("go online"))
    ray = _import_ray()
    await _check_cluster(settings, host, address)
    try:
        _init(ray, address)
        # A head that is asked by a name of this machine may have nodes elsewhere.
        nodes = {node["NodeManagerAddress"] for node in ray.nodes() if node["Alive"]}
        if settings.network.offline and len(nodes) > 1:
            raise OfflineError(f"Offline: the Ray cluster at {address} has {len(nodes)} machines.")
        yield RayWorkers(ray, settings)
    finally:
        ray.shutdown()


def parse_host(address: str) -> str:
    """The host of HOST:PORT. Raises SettingsError: what finds a cluster by itself is no address that anybody gave."""
    found = ADDRESS.fullmatch(address)
    if not found or int(found[2]) > 65535:
        raise SettingsError(f"“{address}” is not an address of Ray. Give “{LOCAL}”, or HOST:PORT of a cluster's head.")
    return found[1]


def _import_ray() -> Any:
    try:
        import ray
    except ImportError as error:
        step = NextStep("install extra", "ray")
        raise SettingsError("Working with Ray needs the extra “ray”.", next_step=step) from error
    return ray


async def _check_cluster(settings: config.Settings, host: str, address: str) -> None:
    """Say who will have the words of documents, unless it is this machine, and see that something listens there."""
    from wellsourced.http import Ledger
    from wellsourced.http.reachability import check_listening

    if not is_loopback(host):
        emit_disclosure(Disclosure(host=address, to="Ray"))
    # Ray itself would try for a quarter of an hour.
    await check_listening(address, Ledger(build_contact_writer(settings)))


def _init(ray: Any, address: str, **options: Any) -> None:
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.CRITICAL, **options)
    except Exception as error:  # Ray has no class for what goes wrong here
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
        raise SourceUnavailable(f"Ray cannot be used ({address}): {reason}.") from error


@contextmanager
def _start_here() -> Iterator[Any]:
    """Ray on this machine alone: on loopback, behind a token, without reports, in a folder that is this user's own."""
    _remove_leftovers()
    folder = Path(tempfile.mkdtemp(prefix=f"{FOLDER_PREFIX}{os.getpid()}-", dir=_short_folder()))
    # Ray looks for this file at home, and without it asks addresses of clouds which of them this machine belongs to.
    (folder / "ray_bootstrap_config.yaml").write_text("{}\n", encoding="utf-8")
    environment = {
        "HOME": str(folder),
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # which is: loopback, and no other address
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
    }
    ray: Any = None
    try:
        with bare_environment(environment):
            ray = _import_ray()
            # Ray opens its folder to everybody; nobody else comes through the one around it.
            here = {"_temp_dir": str(folder / "r"), "object_store_memory": STORE_BYTES, "include_dashboard": False}
            _init(ray, LOCAL, **here)
        if not all(is_loopback(node["NodeManagerAddress"]) for node in ray.nodes()):
            raise SettingsError("Ray was loaded by another program, and would listen to other machines.")
        yield ray
    finally:
        if ray:
            ray.shutdown()
        shutil.rmtree(folder, ignore_errors=True)


def _short_folder() -> Path:
    return next((path for path in (Path("/tmp"),) if path.is_dir()), Path(tempfile.gettempdir()))  # noqa: S108


def _remove_leftovers() -> None:
    """Delete what Ray left of commands that were killed or stopped: its logs, and what had no room in memory."""
    for folder in _short_folder().glob(f"{FOLDER_PREFIX}*"):
        pid = folder.name.removeprefix(FOLDER_PREFIX).partition("-")[0]
        with suppress(OSError, ValueError):
            try:
                os.kill(int(pid), 0)
            except ProcessLookupError:
                if folder.stat().st_uid == os.getuid():
                    shutil.rmtree(folder, ignore_errors=True)
