"""Medical answers that can be believed: every statement shows the words of the source that it rests on.

from wellsourced import ask
answer = await ask("What is first-line drug therapy for heart failure with reduced ejection fraction?")
"""

from wellsourced.telemetry import disable_telemetry as _disable_telemetry

_disable_telemetry()  # Before anything else is imported: onnxruntime reports as soon as it is loaded.

from typing import TYPE_CHECKING as _TYPE_CHECKING
from warnings import warn as _warn

from wellsourced.late import import_late as _import_late

if _TYPE_CHECKING:
    from wellsourced.api import ask, ask_sync, check, stream
    from wellsourced.config import open_context
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
        "wellsourced.context": ("Context",),
        "wellsourced.errors": ("WellsourcedError",),
        "wellsourced.judges.base": ("Judge",),
        "wellsourced.models.base": ("Model",),
        "wellsourced.sources.base": ("Source",),
        "wellsourced.types": ("Answer", "Checkup", "Document", "Passage", "Question", "Reference", "Statement"),
    },
)

_RENAMED = {"Kit": "Context", "kit": "open_context"}
"""Public names of before, which are understood for one more release."""


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version(__name__)
    if name not in _RENAMED:
        return _find_name(name)
    _warn(f"wellsourced.{name} is now wellsourced.{_RENAMED[name]}", DeprecationWarning, stacklevel=2)
    return _find_name(_RENAMED[name])


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
