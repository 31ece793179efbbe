"""The libraries that this server searches, and the documents in them."""

from collections.abc import Iterator
from typing import Annotated

from fastapi import APIRouter, Query

from wellsourced.config import GUIDELINES
from wellsourced.context import Context
from wellsourced.errors import NotFoundError
from wellsourced.ingest.recipes import RECIPES
from wellsourced.readers.guidelines import read_manifest
from wellsourced.server.examples import LISTED_REFERENCE, example_of
from wellsourced.server.requests import PROBLEMS, OpenContext
from wellsourced.sources.base import DocumentCatalogue, SourceInfo
from wellsourced.types import Reference, SourceKind, Value


class LibrarySummary(Value):
    """A library.

    first, last   years of its oldest and its newest document; 0 when unknown
    licence       of what it was filled with, as far as that is known; "" of files of your own
    """

    name: str
    kind: SourceKind
    documents: int
    passages: int
    first: int
    last: int
    licence: str
    about: str


class DocumentPage(Value):
    """Documents of a library, in the order of their ids; `next` is the cursor of the next page, "" on the last."""

    documents: tuple[Reference, ...]
    next: str


EXAMPLE_LIBRARY = LibrarySummary(
    name="guidelines",
    kind="guideline",
    documents=87,
    passages=3_500,
    first=2012,
    last=2026,
    licence="MIT",
    about="Guideline digests by the project open-medicine",
)

libraries = APIRouter(prefix="/api/v1/libraries", responses=PROBLEMS)


@libraries.get("", summary="List the libraries", responses=example_of([EXAMPLE_LIBRARY.model_dump(mode="json")]))
async def list_libraries(context: OpenContext) -> list[LibrarySummary]:
    """Those that this server searches: what they hold, of which years, and under which licence."""
    return [_summarise(await one.describe()) for one in _find_catalogues(context)]


@libraries.get(
    "/{name}/documents",
    summary="List the documents of a library",
    responses=example_of(DocumentPage(documents=(LISTED_REFERENCE,), next=LISTED_REFERENCE.id)),
)
async def list_documents(
    name: str,
    context: OpenContext,
    limit: Annotated[int, Query(ge=1, le=500, description="Of one page, at most.")] = 100,
    cursor: Annotated[str, Query(max_length=2_000, description="`next` of the page before.")] = "",
) -> DocumentPage:
    """Their references. Who goes from page to page meets each document that stays once, whatever is added meanwhile;
    what is added behind the cursor comes, too. /api/v1/document reads one."""
    library = next((one for one in _find_catalogues(context) if one.name == name), None)
    if library is None:
        raise NotFoundError("This server searches no library of that name: /api/v1/libraries lists them.")
    # One more than is shown, which tells whether there is another page.
    found = await library.list_references(cursor, limit + 1)
    return DocumentPage(documents=tuple(found[:limit]), next=found[limit - 1].id if len(found) > limit else "")


def _find_catalogues(context: Context) -> Iterator[DocumentCatalogue]:
    return (source for source in context.sources if isinstance(source, DocumentCatalogue))


def _summarise(info: SourceInfo) -> LibrarySummary:
    told = {name: getattr(info, name) for name in LibrarySummary.model_fields if name != "licence"}
    return LibrarySummary(**told, licence=_find_licence(info))


def _find_licence(info: SourceInfo) -> str:
    """Of the guidelines as their package says, of what a recipe filled as the recipe does."""
    if info.name == GUIDELINES:
        return read_manifest().licence
    return next((one.licence for one in RECIPES if one.about == info.about), "")
