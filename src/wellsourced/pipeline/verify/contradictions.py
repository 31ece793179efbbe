"""Results of other works that speak against a statement, shown beside it without a count.

Both have to report a result on the same drug or procedure. Two that do not know of each other have to say that they
disagree: the results, read by rule, on the same outcome, and the judge of support. Either alone sees too many. Nothing
is dropped for it: who reads both sides may find that they studied other people, or another dose.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wellsourced.claims.guard.entities import is_entity_name, is_symbol
from wellsourced.claims.results.agreement import compare_results
from wellsourced.judges.base import Judge, Pair
from wellsourced.pipeline.support import judge_support
from wellsourced.text.sanitization import one_line
from wellsourced.types import Conflict, ConflictSide, Evidence, Passage, Statement

MAX_CONFLICTS = 5
"""Conflicts that are shown."""

MIN_OUTCOME_OVERLAP = 0.3
"""Share of the words for the outcome that both results have."""

_CONTROLS = frozenset({"placebo", "sham", "vehicle"})

_RESULT_WORDS = re.compile(
    r"\b(?:significan\w+|compared (?:with|to)|versus|vs|than|placebo|hazard|odds|p\s?[<=>]"
    r"|(?:did|does|do) not|failed to|no (?:\w+ ){0,2}?(?:difference|effect|benefit|improvement|reduction)s?"
    r"|(?:not )?(?:effective|efficacious|superior|inferior)|improv\w+|reduc\w+|increas\w+|prolong\w+|lower\w*)\b",
    re.IGNORECASE,
)
"""What a result says, and a definition does not."""

MAX_JUDGED_PAIRS = 24
"""Pairs that the judge is asked about, at most; those of the first statements and the best evidence first."""


class OpposingSentence(NamedTuple):
    """A statement, and the sentence of another work that disagrees with it, by its place in the passage."""

    statement: Statement
    passage: Passage
    start: int
    end: int

    @property
    def sentence(self) -> str:
        """The words that disagree."""
        return self.passage.text[self.start : self.end]


class ContradictionResult(NamedTuple):
    """The conflicts, and a note where nobody could judge whether there are any."""

    conflicts: tuple[Conflict, ...] = ()
    notes: tuple[str, ...] = ()


async def find_contradictions(
    statements: Sequence[Statement], evidence: Sequence[Evidence], judge: Judge
) -> ContradictionResult:
    """Conflicts of statements that stand with other works of the evidence; none when the judge fails."""
    found = list(_find_disagreements(statements, [item.passage for item in evidence]))[:MAX_JUDGED_PAIRS]
    said = await judge_support([Pair(one.statement.text, one.sentence) for one in found], judge)
    against = [one for one, verdict in zip(found, said.verdicts, strict=True) if verdict.label == "contradicts"]
    return ContradictionResult(
        tuple(_build_conflict(one) for one in _first_per_work(against))[:MAX_CONFLICTS], said.notes
    )


def _find_disagreements(statements: Sequence[Statement], passages: Sequence[Passage]) -> Iterator[OpposingSentence]:
    home = {passage.id: passage.reference.id for passage in passages}
    naming = [(passage, _named_interventions(passage.text)) for passage in passages]
    for statement in statements:
        named = _named_interventions(statement.text) if _RESULT_WORDS.search(statement.text) else frozenset()
        if not named:
            continue
        own = {home.get(citation.passage_id) for citation in statement.citations}
        for passage, names in naming:
            # What no word of it names, no sentence of it does: reading its results is the dearer part.
            if passage.reference.id in own or named.isdisjoint(names):
                continue
            found = compare_results(statement.text, passage.text)
            if found.verdict == "disagrees" and found.features["outcome"] >= MIN_OUTCOME_OVERLAP:
                one = OpposingSentence(statement, passage, found.start, found.end)
                if not named.isdisjoint(_named_interventions(one.sentence)) and _RESULT_WORDS.search(one.sentence):
                    yield one


def _named_interventions(text: str) -> frozenset[str]:
    """The drugs and procedures that a text names, in lower case; what they are compared with is none."""
    found = (word.lower() for word in re.findall(r"[\w-]+", text) if is_entity_name(word) and not is_symbol(word))
    return frozenset(found) - _CONTROLS


def _first_per_work(against: Sequence[OpposingSentence]) -> list[OpposingSentence]:
    first: dict[tuple[str, str], OpposingSentence] = {}
    for one in against:
        first.setdefault((one.statement.text, one.passage.reference.id), one)
    return list(first.values())


def _build_conflict(one: OpposingSentence) -> Conflict:
    cited = one.statement.citations[0]
    sides = (
        ConflictSide(says=one.statement.text, passage_id=cited.passage_id, quote=cited.quote),
        ConflictSide(says=one_line(one.sentence), passage_id=one.passage.id, quote=one.sentence),
    )
    return Conflict(about=one.statement.text, sides=sides)
