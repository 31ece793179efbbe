"""Checkups that were stored, and the words of their sources: with these begins all that is asked of a check later."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced.factcheck.run_store import STORE_ENDING, RunStore
from wellsourced.readers.base import File
from wellsourced.readers.decompressed_file import read_whole_text
from wellsourced.types import Checkup

REMEDY = "Give what `wellsourced check --json` printed."

_RUN_NAME = re.compile(r"[0-9a-f]{32}")


class NamedCheckup(NamedTuple):
    """A checkup under the name of its text."""

    name: str
    checkup: Checkup


def read_checkups(file: File) -> list[NamedCheckup]:
    """The checkups that `check --json` wrote: of one text, or of several with their names. Raises UnreadableFile."""
    try:
        value = json.loads(read_whole_text(file))
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(str(file), "it is no JSON", REMEDY) from error
    if not isinstance(value, dict):
        raise UnreadableFile(str(file), "it holds no checkup", REMEDY)
    several = value.get("checkups")
    by_name = several if isinstance(several, dict) else {Path(str(file)).name: value}
    return [*_parse_checkups(str(file), by_name)]


def read_all_checkups(files: Sequence[File]) -> list[NamedCheckup]:
    """Those of several files; where two have one name, the file's stands before it. Raises UnreadableFile."""
    found = [(file, one) for file in files for one in read_checkups(file)]
    counts = Counter(one.name for _, one in found)
    return [
        one._replace(name=f"{Path(str(file)).name}: {one.name}") if counts[one.name] > 1 else one for file, one in found
    ]


def _parse_checkups(file: str, by_name: Mapping[str, Any]) -> Iterator[NamedCheckup]:
    for name, one in by_name.items():
        try:
            checkup = Checkup.model_validate(one)
        except ValidationError as error:
            where = ".".join(map(str, error.errors()[0]["loc"]))
            reason = f"{name} is no checkup ({where or 'it'}: {error.errors()[0]['msg']})"
            raise UnreadableFile(file, reason, REMEDY) from error
        if len(checkup.verdicts) != len(checkup.submitted.claims):
            raise UnreadableFile(file, f"{name} has another number of verdicts than of statements", REMEDY)
        yield NamedCheckup(name, checkup)


def open_stored_run(folder: Path, checkup: Checkup) -> RunStore:
    """The store with the words of the sources of a checkup. Raises SourceRefused where it is not there any more.

    folder   of the stores
    """
    path = folder / f"{checkup.run}{STORE_ENDING}"
    if not _RUN_NAME.fullmatch(checkup.run) or not path.is_file():
        reason = "the words of its sources are not on this machine" if checkup.run else "it was stored without a run"
        raise SourceRefused(f"The checkup cannot be judged again: {reason}. Check the text once more, then this again.")
    return RunStore(path)
