"""What every public result has: the version of its format, a short text for Python, a page for notebooks."""

from typing import Any, Literal

from pydantic import model_validator

from wellsourced.errors import LaterFormat
from wellsourced.types.documents import ComputedValue

FORMAT_VERSION = 3
"""Version 3 has sections, version 1 had neither `version` nor `kind`; all are else the same."""

LINE_LENGTH = 110
"""Characters of a line of `repr`."""


class PublicResult(ComputedValue):
    """A result that `--json`, HTTP and MCP give alike. A subclass names its `kind`.

    version   of the format; what has none is of version 1; earlier ones become 3 as they are read

    Raises LaterFormat for a version that is not known yet.
    """

    version: Literal[3] = 3

    @model_validator(mode="before")
    @classmethod
    def _read_earlier_version(cls, given: Any) -> Any:
        if not isinstance(given, dict) or not isinstance(version := given.get("version", 1), int):
            return given
        if version > FORMAT_VERSION:
            raise LaterFormat(version)
        return (
            {name: value for name, value in given.items() if name != "version"} if version < FORMAT_VERSION else given
        )

    def __str__(self) -> str:
        return repr(self)

    def _repr_html_(self) -> str:
        """The result as notebooks show it."""
        # Imported late: values know no writer, and only a notebook asks for this.
        from wellsourced.presentation.notebooks import render_notebook_html

        return render_notebook_html(self)


def shorten(text: str, length: int = LINE_LENGTH) -> str:
    """Return one line of visible characters, cut at a word where it is longer."""
    line = "".join(letter if letter.isprintable() else "�" for letter in " ".join(text.split()))
    return line if len(line) <= length else f"{line[: length - 2].rsplit(' ', 1)[0]} …"
