"""No search at all: for a question that names the documents to answer from."""

from collections.abc import Sequence

from wellsourced.planners.base import Proposal, RunSearches
from wellsourced.sources.base import SourceInfo
from wellsourced.types import Question


class GivenDocumentsPlanner:
    """What an oracle knows (LINS; BriefContext): the documents are given, and reading them is all there is to do."""

    name = "given"

    async def plan(self, question: Question, cards: Sequence[SourceInfo], look: RunSearches) -> Proposal:
        """Nothing, and what is missing."""
        return Proposal((), ("no document is given to answer from, and nothing else is read: name one by its id",))
