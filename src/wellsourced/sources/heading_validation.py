"""Headings that exist: what a query calls by the name of a MeSH heading is looked up, and put right where it is
not."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from wellsourced import query_language
from wellsourced.errors import SourceError
from wellsourced.query_language.query_tree import MeshHeading, Node, ParsedQuery, QueryTerm, map_headings
from wellsourced.sources.base import HeadingVocabulary
from wellsourced.text.tokens import tokenize

MAX_LOOKUPS = 20
"""Headings of one query that are looked up over the network, where each takes a second."""

MAX_NAMED = 5
"""Headings that a note names; the others are counted."""


@runtime_checkable
class PartialVocabulary(HeadingVocabulary, Protocol):
    """Headings of which it may be that only some are known here.

    `complete` says whether all are: only then one that is not found does not exist. Whoever has no such method, and
    does not raise, knows all.
    """

    async def is_complete(self) -> bool: ...


class _HeadingAnswer(NamedTuple):
    """What is known of a name: the heading that it names, "" for none; `sure` when all headings were looked through."""

    heading: str
    sure: bool


async def validate_headings(node: Node, known: Sequence[HeadingVocabulary]) -> ParsedQuery:
    """The query with a synonym's own heading in its place, and words, anywhere, in that of a heading there is not; what
    was changed for it is in its notes.

    known   are asked in this order, until one settles it; one that cannot be reached is told, and the next is asked

    A heading that nobody could settle stands as it is; that is told where it is not told already that somebody could
    not be asked.
    """
    names = list(dict.fromkeys(heading.name for heading in query_language.collect_headings(node)))
    if not names or not known:
        return ParsedQuery(node)
    answers, notes = await _look_up_headings(names, known)
    has_failed = bool(notes)
    settled = {name: answer.heading for name, answer in answers.items() if answer.sure}
    notes += [note for name, heading in settled.items() if (note := _correction_note(name, heading))]
    unsettled = [f"“{name}”" for name in names if name not in answers]
    if unsettled and not has_failed:
        more = f" and {len(unsettled) - MAX_NAMED} more" if len(unsettled) > MAX_NAMED else ""
        notes.append(f"not checked against MeSH: {', '.join(unsettled[:MAX_NAMED])}{more}")
    return ParsedQuery(map_headings(node, lambda heading: _correct_heading(heading, settled)), tuple(notes))


async def validate_expression(expression: str, known: Sequence[HeadingVocabulary]) -> tuple[str, tuple[str, ...]]:
    """A Boolean expression with headings that exist, in PubMed's language, and what was changed for it.

    One in which nothing had to be changed stays as it was written. Raises BadQuery.
    """
    parsed = query_language.parse_query(expression)
    checked = await validate_headings(parsed.node, known)
    if checked.node == parsed.node:
        return expression, checked.notes
    written = query_language.write_pubmed_query(checked.node)
    return written.text, (*parsed.notes, *checked.notes, *written.notes)


async def _look_up_headings(
    names: Sequence[str], known: Sequence[HeadingVocabulary]
) -> tuple[dict[str, _HeadingAnswer], list[str]]:
    """What is known of these names, and who could not be asked."""
    answers: dict[str, _HeadingAnswer] = {}
    notes: list[str] = []
    for one in known:
        try:
            local = isinstance(one, PartialVocabulary)
            sure = not isinstance(one, PartialVocabulary) or await one.is_complete()
            for name in names if local else names[:MAX_LOOKUPS]:
                asked = name not in answers or not answers[name].sure
                if asked and ((heading := await one.heading(name)) or sure):
                    answers[name] = _HeadingAnswer(heading, sure)
        except SourceError as error:
            notes.append(f"{one.name} could not look up headings ({error.phrase})")
    return answers, notes


def _correction_note(name: str, heading: str) -> str:
    if not heading:
        return f"MeSH has no heading “{name}”; its words are searched in all fields"
    return (
        ""
        # Databases do not mind how a heading is capitalised.
        if tokenize(name) == tokenize(heading)
        else f"MeSH lists “{name}” under “{heading}”, which is used instead"
    )


def _correct_heading(heading: MeshHeading, settled: dict[str, str]) -> Node:
    name = settled.get(heading.name)
    if name is None or (name and tokenize(name) == tokenize(heading.name)):
        return heading
    return heading._replace(name=name) if name else QueryTerm(heading.name, at=heading.at)
