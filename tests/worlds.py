"""Worlds that take long to build, such as the guidelines with their vectors: built once for a run of the tests."""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def build_once(factory: pytest.TempPathFactory, name: str, build: Callable[[Path], None]) -> Path:
    """Return the folder that `build` filled, whichever process of this run came first; to be copied, not used.

    A build that fails leaves nothing that counts as built: the next one who asks begins again.
    """
    folder = _shared_folder(factory)
    world, mark = folder / name, folder / f"{name}.built"
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not mark.exists():
            shutil.rmtree(world, ignore_errors=True)
            world.mkdir()
            build(world)
            mark.touch()
    return world


def _shared_folder(factory: pytest.TempPathFactory) -> Path:
    """A folder of this run alone, the same one in all of its processes."""
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "worlds"
    folder.mkdir(exist_ok=True)
    return folder
