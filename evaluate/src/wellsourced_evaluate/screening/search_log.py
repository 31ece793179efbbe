"""What came of each search, a line of JSON each behind a header: a run that was stopped goes on where it was."""

from collections.abc import Mapping

from pydantic import TypeAdapter

from wellsourced.types import Value
from wellsourced_evaluate.record_log import LogForm, LogHeader, RecordLog


class SearchLogHeader(LogHeader):
    """Of what run the lines below are: other topics, or another version, are another run."""

    wellsourced: str
    files: dict[str, str]
    level: str
    searched: str


class TopicResult(Value):
    """What came of one topic.

    read      its Boolean query can be read; None: it has none
    repairs   what was repaired in it; losses: what cannot be said in PubMed's language
    reason    why it cannot be read
    sent      what it is in PubMed's language
    relevant  works that the review took as relevant; None: nobody judged
    found     records that the search finds; hits: of these, the relevant ones; None: it was not made
    error     why the search failed
    """

    topic: str
    read: bool | None = None
    repairs: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()
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
            "query_unrepaired": None if read is None else float(read and not self.repairs),
            "query_lossless": None if read is None else float(read and not self.losses),
            "search_recall": hits / self.relevant if known and self.relevant else None,
            "search_precision": hits / found if known and found else None,
            "number_needed_to_read": found / hits if known and hits else None,
        }


SEARCH_LOG = LogForm(
    SearchLogHeader, TypeAdapter(TopicResult), key=lambda one: one.topic, stands=lambda one: not one.error
)
"""What failed is searched again."""

SearchLog = RecordLog[SearchLogHeader, TopicResult, str]
