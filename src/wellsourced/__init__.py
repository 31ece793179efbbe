"""Medical answers you can check: every statement comes with the exact words of the source that supports it.

    >>> import wellsourced
    >>> answer = wellsourced.ask_sync("How is an acute gout flare treated?")
    >>> print(answer.tldr)                          # the short answer; answer.abstained when nothing supports one
    >>> for statement in answer.statements:
    ...     for citation in statement.citations:    # verbatim: document.text[start:end] == quote
    ...         print(citation.quote, citation.start, citation.end)

Ask         ask_sync(question, library="notes", sources=["pubmed"]) in scripts and notebooks; `await ask(…)` in
            coroutines; `stream(…)` yields every step. In a notebook, an Answer shows itself as a page.
Many        async with open_context() as context: await ask(question, context)  – opens libraries and encoder once.
Check       await check(text) says whether the sources of a text exist, stand, and say what the text says: a Checkup.
Settings    Settings lists every setting with its default; ask(…, settings=Settings(live=("pubmed",))).
Extend      Source, Judge, Model are the interfaces of what can be searched, who judges and who writes.

Every error is a WellsourcedError with one sentence; a source that fails is a gap in the answer, never an error.
The command line does the same: `wellsourced --help`. None of it is medical advice.
"""

from wellsourced.telemetry import disable_telemetry as _disable_telemetry

_disable_telemetry()  # Before anything else is imported: onnxruntime reports as soon as it is loaded.

from typing import TYPE_CHECKING as _TYPE_CHECKING

from wellsourced.lazy import import_lazily as _import_late

if _TYPE_CHECKING:
    from wellsourced.api import ask, ask_sync, check, stream
    from wellsourced.config import open_context
    from wellsourced.config.settings import Settings
    from wellsourced.context import Context
    from wellsourced.errors import WellsourcedError
    from wellsourced.judges.base import Judge
    from wellsourced.models.base import Model
    from wellsourced.sources.base import Source
    from wellsourced.types import Answer, Checkup, Document, Passage, Question, Reference, Statement

    __version__: str

__all__ = [
    "Answer",
    "Checkup",
    "Context",
    "Document",
    "Judge",
    "Model",
    "Passage",
    "Question",
    "Reference",
    "Settings",
    "Source",
    "Statement",
    "WellsourcedError",
    "__version__",
    "ask",
    "ask_sync",
    "check",
    "open_context",
    "stream",
]

_find_name = _import_late(
    __name__,
    {
        "wellsourced.api": ("ask", "ask_sync", "check", "stream"),
        "wellsourced.config": ("open_context",),
        "wellsourced.config.settings": ("Settings",),
        "wellsourced.context": ("Context",),
        "wellsourced.errors": ("WellsourcedError",),
        "wellsourced.judges.base": ("Judge",),
        "wellsourced.models.base": ("Model",),
        "wellsourced.sources.base": ("Source",),
        "wellsourced.types": ("Answer", "Checkup", "Document", "Passage", "Question", "Reference", "Statement"),
    },
)


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version(__name__)
    return _find_name(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
