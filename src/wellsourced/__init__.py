"""Medical answers that can be believed: every statement shows the words of the source that it rests on.

from wellsourced import ask
answer = await ask("What is first-line drug therapy for heart failure with reduced ejection fraction?")
"""

from wellsourced.telemetry import disable_telemetry as _disable_telemetry

_disable_telemetry()  # Before anything else is imported: onnxruntime reports as soon as it is loaded.

from importlib.metadata import version as _version
from warnings import warn as _warn

from wellsourced.api import ask, ask_sync, check, stream
from wellsourced.config import open_context
from wellsourced.context import Context
from wellsourced.errors import WellsourcedError
from wellsourced.judges.base import Judge
from wellsourced.models.base import Model
from wellsourced.sources.base import Source
from wellsourced.types import Answer, Checkup, Document, Passage, Question, Reference, Statement

__version__ = _version("wellsourced")

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

_RENAMED = {"Kit": "Context", "kit": "open_context"}
"""Public names of before, which are understood for one more release."""


def __getattr__(name: str) -> object:
    if name not in _RENAMED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    _warn(f"wellsourced.{name} is now wellsourced.{_RENAMED[name]}", DeprecationWarning, stacklevel=2)
    return globals()[_RENAMED[name]]
