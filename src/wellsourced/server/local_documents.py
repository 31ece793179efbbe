"""Documents of the sources on this machine, as pages, programs and assistants open them."""

from wellsourced.citations.links import possible_ids
from wellsourced.context import Context
from wellsourced.errors import NotFoundError
from wellsourced.server import messages
from wellsourced.sources.base import Source
from wellsourced.types import Document


async def find_local_document(id: str, context: Context) -> tuple[Document, Source]:
    """Find a document, and the source on this machine that has it; the network is not asked. Raises NotFoundError."""
    for source in context.sources:
        # A page that is only looked at must send nothing over the network, which `open` of a live source would.
        if not (await source.describe()).live:
            try:
                document = await source.open(id)
            except NotFoundError:
                continue
            # The path of a file opens its document for who has the file, and for nobody else.
            if id in (document.reference.id, f"url:{document.reference.url}") or len(possible_ids(id)) > 1 or ":" in id:
                return document, source
    raise NotFoundError(messages.NO_LOCAL_DOCUMENT)
