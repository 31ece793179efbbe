"""What came of each search, a line of JSON each behind a header: a run that was stopped goes on where it was."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced.evaluate.run_file import LineFile
from wellsourced.types import Value


class SearchLogHeader(Value):
    """Of what run the lines below are: other topics, or another version, are another run."""

    wellsourced: str
    files: dict[str, str]
    level: str
    searched: str


class TopicResult(Value):
    """What came of one topic.

    read      its Boolean query can be read; None: it has none
    repairs   what was repaired in it, or cannot be said to PubMed
    reason    why it cannot be read
    sent      what PubMed was asked, or would be
    relevant  works that the review took as relevant; None: nobody judged
    found     records that the search finds; hits: of these, the relevant ones; None: it was not made
    error     why the search failed
    """

    topic: str
    read: bool | None = None
    repairs: tuple[str, ...] = ()
    reason: str = ""
    sent: str = ""
    relevant: int | None = None
    found: int | None = None
    hits: int | None = None
    hit_ids: tuple[str, ...] = ()
    seconds: float = 0.0
    error: str = ""

    def to_values(self) -> Mapping[str, float | None]:
        """Metric → its value for this topic; None where it does not apply."""
        read = self.read
        known = self.hits is not None and self.found is not None
        hits, found = self.hits or 0, self.found or 0
        return {
            "query_read": None if read is None else float(read),
            "query_lossless": None if read is None else float(read and not self.repairs),
            "search_recall": hits / self.relevant if known and self.relevant else None,
            "search_precision": hits / found if known and found else None,
            "number_needed_to_read": found / hits if known and hits else None,
        }


class SearchLog:
    """The file of a run; `results` has what was there. What failed is searched again.

    Raises SourceRefused when the file holds another run, and is not to be begun `fresh`; UnreadableFile.
    """

    def __init__(self, path: Path, header: SearchLogHeader, *, fresh: bool) -> None:
        self.path, self.results = path, dict[str, TopicResult]()
        resumes = path.is_file() and path.stat().st_size > 0 and not fresh
        if resumes:
            there, results = read_search_log(path)
            if there != header:
                raise SourceRefused(f"{path} holds the results of another run. Give another --out, or --fresh.")
            self.results = {one.topic: one for one in results if not one.error}
        self._file = LineFile(path, resume=resumes)
        if not resumes:
            self._file.write(header)

    def add(self, result: TopicResult) -> None:
        """Keep a result; it is on the disk when this returns."""
        self.results[result.topic] = result
        self._file.write(result)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def read_search_log(path: Path) -> tuple[SearchLogHeader, list[TopicResult]]:
    """What a file holds; a last line that was cut off is passed over. Raises UnreadableFile."""
    try:
        whole = [line for line in path.read_text(encoding="utf-8").splitlines(keepends=True) if line.endswith("\n")]
        return SearchLogHeader.model_validate_json(whole[0]), [
            TopicResult.model_validate_json(line) for line in whole[1:]
        ]
    except (OSError, UnicodeDecodeError, IndexError, ValidationError) as error:
        raise UnreadableFile(path, "it holds no results of searches", "Give another --out, or --fresh.") from error
