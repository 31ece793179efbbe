"""Who asks while another process builds the guidelines waits for it, takes over where it dies, and says if it hangs."""

import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from wellsourced import config
from wellsourced.config.libraries import build_guidelines, describe_unbuilt_guidelines
from wellsourced.errors import SourceUnavailable
from wellsourced.events import Event, Progress
from wellsourced.sources.library import Library

ROOT = Path(__file__).parents[1]

BUILDER = """
import sys, time
from pathlib import Path
from wellsourced.sources.library import Library

Library.create(Path(sys.argv[1]), "guidelines", "guideline")
library = Library.at(Path(sys.argv[1]), "guidelines", write=True)
print("building", flush=True)
time.sleep(600)
"""


@pytest.fixture
def builder(home: Path) -> Iterator["subprocess.Popen[str]"]:
    """A process that has begun to build the guidelines, and hangs."""
    command = [sys.executable, "-c", BUILDER, str(home / "libraries")]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "building\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


async def test_a_builder_that_hangs_is_named_after_a_while(builder: "subprocess.Popen[str]") -> None:
    settings = config.load({"encoder": "none"})
    told: list[Event] = []
    begun = time.monotonic()
    with pytest.raises(
        SourceUnavailable, match=rf"in use by process {builder.pid}, without progress for 1 s\. End that"
    ):
        await build_guidelines(settings, None, told.append, patience=1)
    assert time.monotonic() - begun >= 1
    assert [(one.task, one.done) for one in told if isinstance(one, Progress)] == [("waiting", 0)]
    assert await describe_unbuilt_guidelines(settings) == (
        f"process {builder.pid} is building them; other questions wait for it"
    )


async def test_who_waits_for_a_builder_that_is_killed_takes_over_and_answers(builder: "subprocess.Popen[str]") -> None:
    settings = config.load({"encoder": "none"})
    waiting = asyncio.Event()

    def hear(event: Event) -> None:
        if isinstance(event, Progress) and event.task == "waiting":
            waiting.set()

    async def kill() -> None:
        await waiting.wait()
        builder.send_signal(signal.SIGKILL)
        builder.wait()

    killing = asyncio.create_task(kill())
    async with config.open_context(settings, emit=hear) as context:
        assert context.setup_gaps == ()
        assert (await context.sources[0].describe()).documents > 20
    await killing


async def test_a_builder_that_died_is_told_until_the_next_question_finishes_its_work(
    builder: "subprocess.Popen[str]", home: Path
) -> None:
    builder.kill()
    builder.wait()
    settings = config.load({"encoder": "none"})
    assert "the next question completes it" in await describe_unbuilt_guidelines(settings)
    await build_guidelines(settings, None, lambda _: None)
    assert await describe_unbuilt_guidelines(settings) == ""
    library = Library.at(home / "libraries", "guidelines")
    assert not await library.backlog()
    library.close()
