"""The face of the package: a dozen names, sorted, and cheap to look at."""

import pkgutil
import subprocess
import sys
from importlib import import_module
from types import ModuleType

import pytest

import wellsourced
from tests.tables import each_row
from tests.world import context
from wellsourced.events import AnswerCompleted, Event


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


@each_row(("before", "today"), [("Kit", "Context"), ("kit", "open_context")])
def test_a_public_name_of_before_is_understood_and_says_what_it_is_called_now(before: str, today: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"wellsourced.{before} is now wellsourced.{today}"):
        assert getattr(wellsourced, before) is getattr(wellsourced, today)
    with pytest.raises(AttributeError, match="has no attribute 'kits'"):
        _ = wellsourced.kits  # type: ignore[attr-defined]


def test_the_public_names_are_few_enough_to_remember() -> None:
    assert len(wellsourced.__all__) <= 18


def test_importing_the_package_loads_neither_the_index_nor_the_encoder() -> None:
    heavy = "sorted({'tantivy', 'onnxruntime', 'lxml'} & set(sys.modules))"
    told = subprocess.run(
        [sys.executable, "-c", f"import sys, wellsourced; print({heavy})"], capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() == "[]"


async def test_keywords_of_before_are_understood_and_say_what_they_are_called_now() -> None:
    events: list[Event] = []
    with pytest.warns(DeprecationWarning, match="is now") as warnings:
        answer = await wellsourced.ask("Does colchicine shorten gout flares?", kit=context(), tell=events.append)
        streamed = [event async for event in wellsourced.stream("Does colchicine help in gout?", kit=context())]
    assert isinstance(answer, wellsourced.Answer)
    assert isinstance(events[-1], AnswerCompleted)
    assert isinstance(streamed[-1], AnswerCompleted)
    assert [str(one.message) for one in warnings] == [
        "ask(kit=) is now context=",
        "ask(tell=) is now emit=",
        "stream(kit=) is now context=",
    ]
    assert {one.filename for one in warnings} == {__file__}
