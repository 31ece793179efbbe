"""What every test stands on: a home of its own, no settings from outside, and the development data if there."""

import asyncio
import gc
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import settings

from tests.servers.postgres import Postgres, running_postgres
from tests.skips import SkipCounter, read_known
from tests.worlds import build_once
from wellsourced import config

# How long an example takes says how busy the machine is.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

# While tests are imported and collected next to nothing is garbage, and to look for it takes a quarter of the time.
gc.disable()

SHARED = Path(__file__).parents[1] / ".." / "shared" / "data"


def pytest_configure(config: pytest.Config) -> None:
    """A test that is skipped for a reason that nobody knows fails the run in continuous integration."""
    config.pluginmanager.register(SkipCounter(read_known()))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What is traced comes first: it waits for processes of its own, beside which everything else can run."""
    items.sort(key=lambda item: item.path.name != "test_traffic.py")


def pytest_collection_finish() -> None:
    """What is imported by now stays: to look through it again and again for garbage takes a twentieth of the time."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(200_000, 50, 100)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home: no test can read a developer's settings or touch a developer's libraries."""
    for name in [name for name in os.environ if name.startswith("WELLSOURCED_")]:
        monkeypatch.delenv(name)
    here = tmp_path / "home"
    monkeypatch.setenv("WELLSOURCED_HOME", str(here))
    # Colours are what a test asks for, whatever its user likes.
    monkeypatch.delenv("NO_COLOR", raising=False)
    # Whatever asks the platform for its folders all the same finds them in here too.
    for name in ("HOME", "USERPROFILE", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "platform"))
    return here


@pytest.fixture(autouse=True, scope="session")
def _no_paid_model() -> None:
    """A language model of a provider that a test forgot to replace raises, before a name is looked up."""
    with suppress(ImportError):
        from pydantic_ai import models

        models.ALLOW_MODEL_REQUESTS = False


@pytest.fixture(scope="session")
def guidelines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which the guidelines have been made searchable, as the first use does; to be copied, not used."""

    async def first_use(here: Path) -> None:
        async with config.open_context(config.load({"home": str(here)})):
            pass

    def build(here: Path) -> None:
        asyncio.run(first_use(here))
        # Who copies the home must not meet a file that its last connection takes away.
        for path in here.glob("verdicts.sqlite3*"):
            path.unlink()

    return build_once(tmp_path_factory, "guidelines", build)


@pytest.fixture
def guidelines_home(guidelines: Path, home: Path) -> Path:
    """The home of this test, in which the guidelines are there already."""
    return Path(shutil.copytree(guidelines, home))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real corpora, questions and labels; a test that needs it is skipped where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("the development data (../shared/data) are not on this machine")
    return SHARED.resolve()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL of this run; a test that needs it is skipped where it is absent."""
    with running_postgres() as server:
        yield server


@pytest.fixture
def database_url(postgres: Postgres) -> Iterator[str]:
    """The address of a database that is empty for this test."""
    from wellsourced.storage.postgres import close_idle_connections

    yield postgres.make_tables()
    close_idle_connections()
