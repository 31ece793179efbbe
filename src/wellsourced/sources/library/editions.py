"""Which of two files has the last word on a document that both hold.

NLM numbers the files of PubMed in the order in which they are to be read (pubmed26n0001 … pubmed26n1334, then the
updates, then next year's baseline): a record of a later file takes the place of one of an earlier file, and a record
that a later file deletes is gone. Other names carry no such order: of two files, the one that was read last counts.
"""

import re
from pathlib import PurePath

PUBMED_FILE_NAME = re.compile(r"(?:pubmed|medline)([0-9]{2})n([0-9]{4})\.xml(?:\.gz)?", re.IGNORECASE)


def pubmed_edition(file: str) -> tuple[int, int] | None:
    """(year, number) of a file of PubMed; None for any other."""
    found = PUBMED_FILE_NAME.fullmatch(PurePath(file).name)
    return (int(found[1]), int(found[2])) if found else None


def overrules(holder: str, file: str) -> bool:
    """Whether a document that the file `holder` gave stands against the one of the same id in `file`."""
    held, given = pubmed_edition(holder), pubmed_edition(file)
    return held is not None and given is not None and held > given


def keeps_deleted(withdrawer: str, file: str) -> bool:
    """Whether a document that the file `withdrawer` deletes stays out although `file` holds it.

    Only a later file of PubMed, and a document that is added by itself (no file), bring it back. What a file says
    of its own documents is in its order.
    """
    if not file or file == withdrawer:
        return False
    deleted, given = pubmed_edition(withdrawer), pubmed_edition(file)
    return deleted is None or given is None or deleted >= given
