"""The golden suite's runs: a home with libraries, answers and checkups from it."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from tests.golden.world import LIBRARY, OFFLINE, Row, answer_row, checkup_row, documents
from wellsourced import ask, check, config


async def fill_home(home: Path, data: Path) -> None:
    """The guidelines, made searchable by the first use, and the library of abstracts."""
    settings = config.load({"home": str(home), **OFFLINE})
    async with config.open_context(settings):
        pass
    config.create_library(settings, LIBRARY, "research")
    async with config.open_library(settings, LIBRARY, write=True) as library:
        await library.add(documents(data))


async def answer_all(home: Path, questions: Sequence[str]) -> list[Row]:
    """Ask one question after another, with a context of their own."""
    async with config.open_context(config.load({"home": str(home), **OFFLINE})) as context:
        return [answer_row(question, await ask(question, context)) for question in questions]


async def check_all(home: Path, texts: Sequence[str]) -> list[Row]:
    """Check one text after another."""
    settings = config.load({"home": str(home), **OFFLINE})
    return [checkup_row(text, await check(text, settings=settings, repair=True)) for text in texts]


def run(home: Path, questions: Sequence[str], texts: Sequence[str]) -> list[Row]:
    """The rows of both, from a home that was filled before."""

    async def both() -> list[Row]:
        return [*await answer_all(home, questions), *await check_all(home, texts)]

    return asyncio.run(both())
