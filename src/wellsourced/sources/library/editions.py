"""Which of two files has the last word on a document that both hold.

NLM numbers the files of PubMed in the order in which they are to be read (pubmed26n0001 … pubmed26n1334, then the
updates, then next year's baseline): a record of a later file takes the place of one of an earlier file, and a record
that a later file deletes is gone. Other names carry no such order: of two files, the one that was read last counts.
"""

import re
from pathlib import PurePath

NUMBERED = re.compile(r"(?:pubmed|medline)([0-9]{2})n([0-9]{4})\.xml(?:\.gz)?", re.IGNORECASE)


def edition(file: str) -> tuple[int, int] | None:
    """(year, number) of a file of PubMed; None for any other."""
    found = NUMBERED.fullmatch(PurePath(file).name)
    return (int(found[1]), int(found[2])) if found else None


def overrules(holder: str, file: str) -> bool:
    """Whether a document that the file `holder` gave stands against the one of the same id in `file`."""
    held, given = edition(holder), edition(file)
    return held is not None and given is not None and held > given


def bars(withdrawer: str, file: str) -> bool:
    """Whether a document that the file `withdrawer` deletes stays out although `file` holds it.

    Only a later file of PubMed, and a document that is added by itself (no file), bring it back. What a file says
    of its own documents is in its order.
    """
    if not file or file == withdrawer:
        return False
    deleted, given = edition(withdrawer), edition(file)
    return deleted is None or given is None or deleted >= given
