"""The face of the package: a dozen names, sorted, and cheap to look at."""

import asyncio
import json
import pkgutil
import pydoc
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import wellsourced
from tests.world import context
from wellsourced import Answer, Document, Reference, config
from wellsourced.config.settings import NetworkSettings
from wellsourced.errors import NotFoundError


def test_the_public_names_are_sorted_and_each_of_them_is_there() -> None:
    assert wellsourced.__all__ == sorted(wellsourced.__all__)
    assert [name for name in wellsourced.__all__ if getattr(wellsourced, name, None) is None] == []


def test_no_public_name_is_hidden_by_the_module_that_is_called_the_same() -> None:
    for module in pkgutil.iter_modules(wellsourced.__path__):
        if module.name != "__main__":
            import_module(f"wellsourced.{module.name}")
    assert [name for name in wellsourced.__all__ if isinstance(getattr(wellsourced, name), ModuleType)] == []


def test_nothing_is_exported_that_is_not_listed() -> None:
    names = {name for name in dir(wellsourced) if not name.startswith("_")}
    # A submodule becomes an attribute when somebody imports it; that is Python's doing, not an export.
    exported = {name for name in names if not isinstance(getattr(wellsourced, name), ModuleType)}
    assert exported == {name for name in wellsourced.__all__ if not name.startswith("_")}


def test_an_unknown_public_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'kits'"):
        _ = wellsourced.kits  # type: ignore[attr-defined]


def test_the_public_names_are_few_enough_to_remember() -> None:
    assert len(wellsourced.__all__) <= 19


def test_importing_the_package_loads_neither_the_index_nor_the_encoder() -> None:
    heavy = "sorted({'tantivy', 'onnxruntime', 'lxml'} & set(sys.modules))"
    told = subprocess.run(
        [sys.executable, "-c", f"import sys, wellsourced; print({heavy})"], capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() == "[]"


def answer_with_a_library(home: Path) -> Callable[..., Answer]:
    """`ask_sync` over a home with one library of one document."""
    settings = wellsourced.Settings(home=home, network=NetworkSettings(offline=True))
    config.create_library(settings, "trials", "research")

    async def fill() -> None:
        async with config.open_library(settings, "trials", write=True) as library:
            await library.add([COLCHICINE])

    asyncio.run(fill())
    return partial(wellsourced.ask_sync, settings=settings)


COLCHICINE = Document(
    reference=Reference(id="doi:10.5555/gout", title="Colchicine in gout flares", kind="research"),
    text="Colchicine shortened gout flares from seven to four days. Diarrhoea was more frequent with colchicine.",
)


def test_ask_sync_searches_the_library_that_is_named(home: Path) -> None:
    ask_trials = answer_with_a_library(home)
    answer = ask_trials("Does colchicine shorten gout flares?", library="trials")
    assert {one.search.source for one in answer.attempts} == {"trials"}
    with pytest.raises(NotFoundError, match="nope"):
        ask_trials("Does colchicine shorten gout flares?", library=["nope"])


def test_ask_sync_answers_beside_a_loop_that_is_running_as_in_a_notebook(home: Path) -> None:
    ask_trials = answer_with_a_library(home)

    async def cell() -> Answer:
        return ask_trials("Does colchicine shorten gout flares?", library="trials")

    beside = asyncio.run(cell())
    alone = ask_trials("Does colchicine shorten gout flares?", library="trials")
    assert [one.text for one in beside.statements] == [one.text for one in alone.statements]


async def test_a_context_and_what_would_open_one_are_not_taken_together() -> None:
    with pytest.raises(TypeError, match="not both"):
        await wellsourced.ask("Does colchicine shorten gout flares?", context(), library="trials")


def test_help_teaches_how_to_ask_in_a_script_and_in_a_notebook() -> None:
    page = pydoc.plain(pydoc.render_doc(wellsourced))
    for words in ("ask_sync(question, library=", "await check(text)", "open_context()", "Settings"):
        assert words in page


@pytest.mark.nightly
def test_the_public_api_passes_strict_pyright(tmp_path: Path) -> None:
    pyright = Path(__file__).parents[1] / "build" / "pyright" / "bin" / "basedpyright"
    if not pyright.exists():
        pytest.skip("basedpyright is not installed: make pyright")
    package = Path(wellsourced.__file__).parent
    public = ("__init__.py", "api.py", "types", "errors.py", "events.py", "context.py", "policy.py")
    seams = [package / seam / "base.py" for seam in ("sources", "models", "judges")]
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    include = [*(str(package / name) for name in public), *map(str, seams), str(tmp_path / "program.py")]
    told = {"typeCheckingMode": "strict", "include": include, "extraPaths": [str(package.parent)]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(told), encoding="utf-8")
    found = subprocess.run(
        [pyright, "-p", str(tmp_path), "--pythonpath", sys.executable], capture_output=True, text=True, timeout=300
    )
    assert found.returncode == 0, found.stdout
    assert 'Type of "answer.statements[0].citations[0].quote" is "str"' in found.stdout


PROGRAM = """
import wellsourced
from wellsourced import Question, Settings, ask, open_context, stream

answer = wellsourced.ask_sync(Question(text="Does colchicine help?"), library="trials", sources=["pubmed"])
reveal_type(answer.statements[0].citations[0].quote)
settings = Settings(live=("pubmed",))


async def main() -> None:
    async with open_context(settings) as context:
        print((await ask("Does colchicine help?", context)).tldr)
    async for event in stream("Does colchicine help?"):
        print(event)
"""
