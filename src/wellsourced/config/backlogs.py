"""What a library was given and does not hold yet, in words for whoever asks it."""

from wellsourced.config.guidelines import describe_unbuilt_guidelines
from wellsourced.config.settings import Settings
from wellsourced.config.shelves import GUIDELINES
from wellsourced.sources.base import Source


async def describe_backlog(settings: Settings, source: Source, *, with_tables: bool = True) -> str:
    """What a source lacks and what to do about it, in a sentence without a full stop; "" when it lacks nothing.

    with_tables   also what the search tables lost, for which they have to be opened
    """
    from wellsourced.sources.library import Library

    if not isinstance(source, Library):
        return ""
    if source.name == GUIDELINES:
        return await describe_unbuilt_guidelines(settings)
    return (await source.backlog(with_tables=with_tables)).describe(source.name)
