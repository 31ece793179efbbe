"""How many records were found, how many of them are one work, and what became of each: the counts that PRISMA asks of a
review (Page et al., BMJ 2021;372:n71).
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from wellsourced.citations.deduplication import group_by_work
from wellsourced.types import PLANNING_TIER, Answer, Attempt, Passage, RecordFlow, Reference

WITHDRAWN, NOT_CITED, NOT_SHOWN, NOT_READ = (
    "withdrawn",
    "read, not cited",
    "less near to the question than what is shown",
    "less near to the question than what was read",
)


def list_records(passages: Iterable[Passage]) -> tuple[Reference, ...]:
    """The documents that passages are of, each once."""
    return tuple({passage.reference.id: passage.reference for passage in passages}.values())


def count_records(attempts: Sequence[Attempt]) -> tuple[dict[str, int], dict[str, str]]:
    """(source → records that its searches found, record → the first record of its work).

    Searches that only tried out a plan do not count: nothing that they found is read.
    """
    made = [each for each in attempts if each.tier != PLANNING_TIER]
    identified = {
        name: len({one.id for each in made if each.search.source == name for one in each.records})
        for name in dict.fromkeys(each.search.source for each in made)
    }
    return identified, group_by_work(one for each in made for one in each.records)


def count_flow(answer: Answer) -> RecordFlow | None:
    """What became of the records that an answer's searches found; None where nothing was searched."""
    identified, work_of = count_records(answer.attempts)
    if not identified:
        return None
    passages = {item.passage.id: item.passage.reference.id for item in answer.evidence}
    included = {work_of[passages[id]] for id in answer.shown_ids if passages.get(id) in work_of}
    left_out = [one for one in answer.dropped if one.what == "passage"]
    withdrawn = _list_works([one.id for one in left_out if one.is_withdrawal], work_of)
    read = _list_works([*passages, *(one.id for one in left_out if one.was_read)], work_of)
    # Without a model the sections of all that was found are compared; with one the best passages are read.
    rest = NOT_SHOWN if answer.head else NOT_READ
    reasons = Counter(
        WITHDRAWN if work in withdrawn else NOT_CITED if work in read and not answer.head else rest
        for work in {*work_of.values()} - included
    )
    return RecordFlow(
        identified=identified,
        duplicates=sum(identified.values()) - len({*work_of.values()}),
        excluded=dict(sorted(reasons.items())),
        included=len(included),
    )


def _list_works(passage_ids: Sequence[str], work_of: dict[str, str]) -> set[str]:
    records = (id.rpartition("#")[0] for id in passage_ids)
    return {work_of[record] for record in records if record in work_of}
