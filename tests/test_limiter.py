"""Memory is given back after many questions, and only when none is in work."""

from contextlib import AsyncExitStack

import pytest

from wellsourced import context
from wellsourced.context import QUESTIONS_BEFORE_TRIM, Limiter


async def test_memory_is_given_back_after_so_many_questions_once_none_is_in_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trims: list[int] = []
    monkeypatch.setattr(context, "trim_heap", lambda: trims.append(1))
    line = Limiter()
    for _ in range(QUESTIONS_BEFORE_TRIM - 1):
        async with line.admit_question(4):
            pass
    assert trims == []
    async with AsyncExitStack() as in_work:
        await in_work.enter_async_context(line.admit_question(4))
        async with line.admit_question(4):
            pass
        assert trims == []
    assert len(trims) == 1
