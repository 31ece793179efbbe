"""What a program calls: whole runs that open what they need, as one answer or as the events that lead to it."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from contextvars import copy_context
from typing import TYPE_CHECKING, TypeVar

from wellsourced import config
from wellsourced.budget import CostTracker, use_cost_tracker
from wellsourced.config.settings import LiveSourceName, Settings
from wellsourced.context import Context
from wellsourced.events import Emit, Event, ignore_event
from wellsourced.pipeline.ask import answer_question
from wellsourced.types import Answer, Checkup, Document, Question

# What checks takes time to load, which who only asks should not wait for.
if TYPE_CHECKING:
    from wellsourced.factcheck.check import Scope

T = TypeVar("T")


async def ask(
    question: str | Question,
    context: Context | None = None,
    emit: Emit = ignore_event,
    *,
    library: str | Sequence[str] = (),
    sources: Sequence[LiveSourceName] | None = None,
    settings: Settings | None = None,
) -> Answer:
    """Answer one question, from the libraries and sources that are named, else from those of the settings.

    context    what to answer with; without one it is opened and closed again, which takes about a second: open it once
               with `wellsourced.open_context()` when several questions follow
    emit       called with every event as it happens
    library    the libraries to search, by name: "guidelines" for those that come with the package
    sources    what to search over the network: "pubmed", "europe_pmc" …; None: as the settings say, and nothing where
               libraries are named
    settings   None: as they hold here and now; see `wellsourced.Settings`

    Raises QuestionError, SettingsError, NotFoundError for an unknown library, ModelError; TypeError for a context
    together with what would open one. A source that fails is a gap in the answer.
    """
    asked = question if isinstance(question, Question) else Question(text=question)
    if context is not None:
        if library or sources is not None or settings is not None:
            raise TypeError("ask() takes a context, or library, sources and settings to open one: not both")
        return await answer_question(asked, context, emit)
    libraries = [library] if isinstance(library, str) else library
    async with config.open_context(settings, libraries=libraries, live=sources, emit=emit) as opened:
        return await answer_question(asked, opened, emit)


def ask_sync(
    question: str | Question,
    *,
    library: str | Sequence[str] = (),
    sources: Sequence[LiveSourceName] | None = None,
    settings: Settings | None = None,
    emit: Emit = ignore_event,
) -> Answer:
    """Answer one question without `await`: in a script, a notebook, or beside an event loop that is running.

    Parameters and errors are those of `ask`. Inside a coroutine prefer `await ask(…)`: this blocks the loop.
    """

    tasks: list[asyncio.Task[Answer]] = []

    async def run() -> Answer:
        tasks.append(
            asyncio.ensure_future(ask(question, emit=emit, library=library, sources=sources, settings=settings))
        )
        return await tasks[0]

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(run())
    # A notebook's loop is running in this thread and cannot be entered twice: the work gets a thread of its own.
    with ThreadPoolExecutor(1, thread_name_prefix="wellsourced-ask") as worker:
        work = worker.submit(copy_context().run, asyncio.run, run())
        try:
            return work.result()
        except KeyboardInterrupt:
            # The thread hears of no signal: without this a stopped cell would wait until the answer is there.
            for task in tasks:
                task.get_loop().call_soon_threadsafe(task.cancel)
            raise


async def stream(question: str | Question, context: Context | None = None) -> AsyncGenerator[Event, None]:
    """The events of one run, the last one AnswerCompleted. Stop watching, and the work stops.

    Raises what `ask` raises, after the events that came before.
    """
    async with aclosing(follow_work(lambda emit: ask(question, context, emit))) as parts:
        async for part in parts:
            if isinstance(part, Event):
                yield part


async def follow_work(work: Callable[[Emit], Coroutine[object, object, T]]) -> AsyncGenerator[Event | T, None]:
    """The events of a piece of work as they are emitted, then its result. Whoever closes this stops the work.

    Raises what the work raises, after the events that came before.
    """
    events: asyncio.Queue[Event | None] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def emit(event: Event) -> None:
        loop.call_soon_threadsafe(events.put_nowait, event)

    task = asyncio.ensure_future(work(emit))
    task.add_done_callback(lambda _: loop.call_soon(events.put_nowait, None))
    try:
        while (event := await events.get()) is not None:
            yield event
        yield await task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def check(
    text: str | Document,
    *,
    settings: Settings | None = None,
    scope: "Scope" = "all",
    repair: bool = False,
    keep: bool = True,
    emit: Emit = ignore_event,
) -> Checkup:
    """Whether the sources that a text cites exist, stand, and say what it says: see Checkup.

    text       plain text or Markdown; `wellsourced.factcheck.load.text_files.load_text` reads other files
    settings   what to check with; None: as they hold here and now
    scope      the sources that each statement is put to: "all" of the text, or its "own"
    repair     whether what does not stand is edited or removed; `wellsourced.factcheck.edited_text.apply_edits` gives
               the new text
    keep       whether the text and its verdicts are stored in home; else nothing of it is
    emit       is called with every event as it happens

    Each verdict that is kept is stored in the folder `checkups` of home as soon as it is known: a check that is cut off
    goes on when it is asked for again. Raises SettingsError, ModelError, SourceUnavailable.
    """
    from wellsourced.config.factcheck import open_check_context
    from wellsourced.factcheck.check import CheckOptions, check_document, text_to_document

    settings = settings or config.load()
    document = text_to_document(text) if isinstance(text, str) else text
    async with open_check_context(settings, keep=keep, emit=emit) as tools:
        with use_cost_tracker(CostTracker(settings.budget, emit)):
            return await check_document(document, tools, CheckOptions(scope, repair), emit=emit)
