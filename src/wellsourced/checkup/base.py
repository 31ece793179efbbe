"""The seams of checking somebody else's text: who finds what it cites."""

from typing import NamedTuple, Protocol, runtime_checkable

from wellsourced.types import CitedSource, Document, SourceResolution


class TracedSource(NamedTuple):
    """A source that was looked for, and its words; None where they could not be had."""

    traced: SourceResolution
    document: Document | None = None


@runtime_checkable
class Tracer(Protocol):
    """Who finds the work that a text cites, says whether it is the right one and whether it stands, and reads it.

    Never raises for what a source is or is not: every outcome is a `Traced`. Safe to call for many at once; it keeps
    its own pace with every host.
    """

    @property
    def name(self) -> str: ...

    async def trace(self, cited: CitedSource) -> TracedSource: ...
