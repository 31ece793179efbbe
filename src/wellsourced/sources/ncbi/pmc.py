"""PubMed Central, live, through NCBI's E-utilities: the full text of articles that are free to read and to mine."""

from wellsourced.readers.base import DocumentStream, File
from wellsourced.readers.jats.articles import read_jats
from wellsourced.sources.ncbi.entrez import NcbiSource
from wellsourced.types import Document


class Pmc(NcbiSource):
    """PubMed Central as a source of full texts. An article that may not be given in full is known by its abstract."""

    name, title, prefix, batch = "pmc", "PMC", "pmc:PMC", 20
    about = "full text of free biomedical articles"

    filter = '"open access"[filter] OR "author manuscript"[filter]'
    """Of all others PMC gives no more than the abstract."""

    max_recent = 200
    max_documents = 20
    """An article has about 100 KB, and dozens of passages."""

    def read_records(self, answer: File) -> DocumentStream:
        for item in read_jats(answer, "research"):
            yield _correct_depth(item) if isinstance(item, Document) else item


def _correct_depth(document: Document) -> Document:
    """A publisher may forbid PMC to give more than the abstract."""
    if any(section.title.partition(" › ")[0] != "Abstract" for section in document.sections):
        return document
    return document.model_copy(update={"reference": document.reference.model_copy(update={"depth": "abstract"})})
