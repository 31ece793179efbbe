"""Checkups that were stored, and the words of their sources: with these begins all that is asked of a check later."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from pydantic import ValidationError

from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced.factcheck.run_store import STORE_ENDING, RunStore
from wellsourced.factcheck.verdicts import combine_verdicts, measure_shares
from wellsourced.readers.base import File
from wellsourced.readers.decompressed_file import read_whole_text
from wellsourced.types import Checkup, ClaimSourceVerdict, Document
from wellsourced_evaluate.recorded_rows import describe_fault

REMEDY = "Give what `wellsourced check --json` printed."

_RUN_NAME = re.compile(r"[0-9a-f]{32}")


class NamedCheckup(NamedTuple):
    """A checkup under the name of its text.

    documents   the words of its sources by their keys, as far as they are at hand
    file        in which it was stored
    """

    name: str
    checkup: Checkup
    documents: Mapping[str, Document] = MappingProxyType({})
    file: str = ""

    @property
    def text_id(self) -> str:
        """By what the same text is known in another file."""
        return self.checkup.origin.id or self.name


def read_checkups(file: File) -> Iterator[NamedCheckup]:
    """The checkups that `check --json` wrote: of one text, or of several with their names. Raises UnreadableFile."""
    try:
        value = json.loads(read_whole_text(file))
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(str(file), "it is not JSON", REMEDY) from error
    if not isinstance(value, dict):
        raise UnreadableFile(str(file), "it holds no checkup", REMEDY)
    several = value.get("checkups")
    for name, one in (several if isinstance(several, dict) else {Path(str(file)).name: value}).items():
        try:
            checkup = Checkup.model_validate(one)
        except ValidationError as error:
            raise UnreadableFile(str(file), f"{name} is not a checkup ({describe_fault(error)})", REMEDY) from error
        if len(checkup.verdicts) != len(checkup.submitted.claims):
            raise UnreadableFile(str(file), f"{name} has another number of verdicts than of statements", REMEDY)
        yield NamedCheckup(name, checkup, file=Path(str(file)).name)


def read_all_checkups(files: Sequence[File]) -> list[NamedCheckup]:
    """Those of several files; where two have one name, the file's comes before it. Raises UnreadableFile."""
    found = [one for file in files for one in read_checkups(file)]
    counts = Counter(one.name for one in found)
    return [one._replace(name=f"{one.file}: {one.name}") if counts[one.name] > 1 else one for one in found]


def add_documents(one: NamedCheckup, folder: Path) -> NamedCheckup:
    """The checkup with the words of its sources, as the stores in the folder have them.

    Raises SourceRefused where its store is not there any more.
    """
    run = one.checkup.run
    path = folder / f"{run}{STORE_ENDING}"
    if not _RUN_NAME.fullmatch(run) or not path.is_file():
        reason = "the words of its sources are not on this machine" if run else "it was stored without a run"
        raise SourceRefused(f"The checkup cannot be judged again: {reason}. Check the text once more, then this again.")
    with closing(RunStore(path)) as store:
        found = {source.key: store.load_document(source.key) for source in one.checkup.traced}
    return one._replace(documents={key: document for key, document in found.items() if document})


def score_again(checkup: Checkup) -> Checkup:
    """The checkup with verdicts and figures that follow from its pairings, and not those that it came with."""
    pairings: dict[int, list[ClaimSourceVerdict]] = defaultdict(list)
    for pair in checkup.pairings:
        pairings[pair.claim].append(pair)
    submitted, resolutions = checkup.submitted, {one.key: one for one in checkup.traced}
    verdicts = tuple(
        combine_verdicts(claim, pairings[claim.number], submitted.sources, resolutions) for claim in submitted.claims
    )
    again = checkup.model_copy(update={"verdicts": verdicts})
    return again.model_copy(update={"shares": measure_shares(again)})
