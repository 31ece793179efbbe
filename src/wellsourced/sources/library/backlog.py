"""What a library was given and does not hold yet: somebody is filling it, or was stopped while he did."""

from typing import NamedTuple


class Backlog(NamedTuple):
    """What cannot be found in a library yet.

    documents   that are stored and are not in the search tables
    files       that were named to be read, and were not read to their end
    passages    that the search tables lost, or have twice
    writer      the id of the process that is filling the library; 0 when none is
    """

    documents: int = 0
    files: int = 0
    passages: int = 0
    writer: int = 0

    def __bool__(self) -> bool:
        """Whether there is anything."""
        return bool(self.documents or self.files or self.passages)

    def describe(self, library: str) -> str:
        """What is missing and what to do about it, in a sentence without a full stop; "" when nothing is."""
        parts = [f"{_format_count(self.documents, 'stored document')} cannot be searched yet"] if self.documents else []
        parts += [f"{_format_count(self.files, 'file')} still to be read"] if self.files else []
        missing = ", ".join(parts)
        if missing and self.writer:
            return f"process {self.writer} is filling it ({missing}): ask again when that has finished"
        if missing:
            return f"it holds less than it was given ({missing}); `wellsourced library add {library}` goes on with that"
        if not self.passages:
            return ""
        remedy = f"`wellsourced library rebuild {library}` makes its index anew"
        return f"{_format_count(self.passages, 'passage')} of it are not in its index as they should be; {remedy}"


def _format_count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
