"""One test for a table: it checks every row, and fails once, with all the rows that fail and why."""

import functools
import inspect
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

LONG = 300  # Characters of a value that are shown of a row that fails.
Test = Callable[..., Any]


def each_row(names: str | Sequence[str], rows: Iterable[Any]) -> Callable[[Test], Test]:
    """Give a test every row of a table in turn, as pytest.mark.parametrize does, but within one test.

    Each row has a `tmp_path` of its own and shares all other fixtures: a test that changes these keeps to parametrize.
    Two tables above one test are multiplied.
    """
    keys = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    table = [dict(zip(keys, row if len(keys) > 1 else (row,), strict=True)) for row in rows]

    def turn_into_one(test: Test) -> Test:
        assert table, f"{test.__name__} has a table without rows"

        def run(*args: Any, **fixtures: Any) -> None:
            with _failures(len(table)) as noted:
                for number, row in enumerate(table):
                    with noted(row):
                        test(*args, **_own_folder(fixtures, number), **row)

        async def run_async(*args: Any, **fixtures: Any) -> None:
            with _failures(len(table)) as noted:
                for number, row in enumerate(table):
                    with noted(row):
                        await test(*args, **_own_folder(fixtures, number), **row)

        one = functools.update_wrapper(run_async if inspect.iscoroutinefunction(test) else run, test)
        asked = inspect.signature(test)
        left = [parameter for name, parameter in asked.parameters.items() if name not in keys]
        one.__signature__ = asked.replace(parameters=left)  # type: ignore[attr-defined]
        return one

    return turn_into_one


def _own_folder(fixtures: dict[str, Any], number: int) -> dict[str, Any]:
    if "tmp_path" not in fixtures:
        return fixtures
    folder = fixtures["tmp_path"] / f"row-{number}"
    folder.mkdir()
    return {**fixtures, "tmp_path": folder}


@contextmanager
def _failures(rows: int) -> Iterator[Callable[[dict[str, Any]], Any]]:
    failures: list[str] = []

    @contextmanager
    def noted(row: dict[str, Any]) -> Iterator[None]:
        try:
            yield
        except (Exception, pytest.fail.Exception) as error:
            shown = ", ".join(f"{name}={textwrap.shorten(repr(value), LONG)}" for name, value in row.items())
            failures.append(f"{shown}\n{pytest.ExceptionInfo.from_exception(error).getrepr(style='short')}")

    yield noted
    if failures:
        pytest.fail(f"{len(failures)} of {rows} rows fail\n\n" + "\n\n".join(failures), pytrace=False)
