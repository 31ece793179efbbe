import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.tables import each_row


def failure_of(test: Any, **fixtures: Any) -> str:
    with pytest.raises(pytest.fail.Exception) as failed:
        test(**fixtures)
    return str(failed.value)


def test_every_row_that_fails_is_in_one_message_with_its_reason_and_no_other_row() -> None:
    @each_row("number, half", [(2, 1), (4, 3), (6, 3), (8, 5)])
    def halves(number: int, half: int) -> None:
        assert number // 2 == half, f"half of {number} is {number // 2}"

    said = failure_of(halves)
    assert said.startswith("2 of 4 rows fail")
    assert "number=4, half=3" in said
    assert "half of 4 is 2" in said
    assert "half of 8 is 4" in said
    assert "number=6" not in said


def test_a_row_that_raises_nothing_where_it_should_is_a_failure_of_that_row() -> None:
    @each_row("text", ["x", "1"])
    def refuses(text: str) -> None:
        with pytest.raises(ValueError, match="invalid literal"):
            int(text)

    said = failure_of(refuses)
    assert said.startswith("1 of 2 rows")
    assert "text='1'" in said
    assert "DID NOT RAISE" in said


def test_an_asynchronous_test_has_all_its_rows_awaited() -> None:
    seen = []

    @each_row("number", [1, 2, 3])
    async def small(number: int) -> None:
        await asyncio.sleep(0)
        seen.append(number)
        assert number < 2

    with pytest.raises(pytest.fail.Exception, match="2 of 3 rows"):
        asyncio.run(small())
    assert seen == [1, 2, 3]


@pytest.fixture(scope="module")
def limit() -> int:
    return 4


@each_row("low", [0, 1])
@each_row("high", [2, 3])
def test_what_is_no_column_is_a_fixture(low: int, high: int, limit: int) -> None:
    assert low < high < limit


def test_two_tables_are_multiplied() -> None:
    seen = []

    @each_row("low", [0, 1])
    @each_row("high", [2, 3])
    def pair(low: int, high: int) -> None:
        seen.append((low, high))

    pair()
    assert seen == [(0, 2), (0, 3), (1, 2), (1, 3)]


@each_row("name", ["a", "b"])
def test_each_row_has_a_folder_of_its_own(name: str, tmp_path: Path) -> None:
    (tmp_path / name).touch()
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_table_without_rows_is_refused() -> None:
    with pytest.raises(AssertionError, match="without rows"):
        each_row("number", [])(lambda number: None)
