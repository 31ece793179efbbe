"""A corpus of any size in which every document can be found by a word of its own. Also run as a program, to be killed.

    python -m tests.sources.corpus ROOT NAME FILE

imports everything, then for each line that it reads adds FILE to the library in a process of its own, and says
"adding" with the id of that process, "batch" for each that is stored, "added" if it came to its end, "crashed" if it
died of anything else than being killed, and "ended".
"""

import asyncio
import json
import os
import signal
import sys
import traceback
import warnings
from pathlib import Path

from wellsourced.ingest import file_reading, ingest_files
from wellsourced.sources.library import Library
from wellsourced.storage import ingestion_progress as meter
from wellsourced.types import Document, Reference


def word(number: int) -> str:
    """A word that no other number has and no stemmer changes: letters alone, "q" first and last."""
    return "q" + "".join(chr(ord("a") + int(digit)) for digit in str(number)) + "q"


def text(number: int, edition: int = 0) -> str:
    """Three sentences; another edition changes every third document."""
    changed = f" It was revised as edition {word(900_000 + edition)}." if edition and number % 3 == 0 else ""
    return f"The trial {word(number)} enrolled adults with gout. Its flares were treated early.{changed}"


def document(number: int, edition: int = 0) -> Document:
    """The document of that number."""
    return Document(reference=Reference(id=f"doc:{number}", published="2020"), text=text(number, edition))


def write(path: Path, numbers: range, edition: int = 0) -> None:
    """The documents as a BEIR file."""
    rows = ({"_id": f"doc:{number}", "title": "", "text": text(number, edition)} for number in numbers)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


async def _add(root: Path, name: str, file: Path) -> None:
    library = Library.at(root, name, write=True)
    print("adding", os.getpid(), flush=True)
    await ingest_files(library, [file], lambda event: print("batch", flush=True))
    library.close()
    print("added", flush=True)


def _add_in_a_process(root: Path, name: str, file: Path) -> None:
    process = os.fork()
    if not process:
        try:
            asyncio.run(_add(root, name, file))
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    _, status = os.waitpid(process, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) != signal.SIGKILL:
        print("crashed", flush=True)
    print("ended", flush=True)


if __name__ == "__main__":
    # Seconds of import, once, and not while there is something to kill.
    import docx  # noqa: F401
    import pypdfium2  # noqa: F401
    import tantivy  # noqa: F401
    import trafilatura  # noqa: F401

    # It warns of forks amid its work; here it has done none yet.
    warnings.simplefilter("ignore", RuntimeWarning)
    # Small batches, so that a kill falls between, before and inside of many of them.
    file_reading.MAX_DOCUMENTS, meter.INTERVAL = 100, 0.0
    for _ in sys.stdin:
        _add_in_a_process(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
