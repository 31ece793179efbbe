"""Headings that exist: what a query calls by the name of a MeSH heading is looked up, and put right where it is not."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from wellsourced.errors import SourceError
from wellsourced.query_language import read, to_pubmed
from wellsourced.query_language.tree import And, Heading, Near, Node, Not, Or, Term
from wellsourced.query_language.walking import headings as headings_in
from wellsourced.sources.base import Headings
from wellsourced.text.tokens import words

MOST = 20
"""Headings of one query that are looked up over the network, where each takes a second."""

NAMED = 5
"""Headings that a note names; the others are counted."""


@runtime_checkable
class Complete(Headings, Protocol):
    """Headings of which it may be that only some are known here.

    `complete` says whether all are: only then one that is not found does not exist. Whoever has no such method, and
    does not raise, knows all.
    """

    async def complete(self) -> bool: ...


class Checked(NamedTuple):
    """A query in which every heading exists, or may, and what was changed for it, a sentence each."""

    node: Node
    notes: tuple[str, ...] = ()


class _Answer(NamedTuple):
    """What is known of a name: the heading that it names, "" for none; `sure` when all headings were looked through."""

    heading: str
    sure: bool


async def with_real_headings(node: Node, known: Sequence[Headings]) -> Checked:
    """The query with a synonym's own heading in its place, and words, anywhere, in that of a heading there is not.

    known   are asked in this order, until one settles it; one that cannot be reached is told, and the next is asked

    A heading that nobody could settle stands as it is, which is told too.
    """
    names = list(dict.fromkeys(heading.name for heading in headings_in(node)))
    if not names or not known:
        return Checked(node)
    answers, notes = await _asked(names, known)
    settled = {name: answer.heading for name, answer in answers.items() if answer.sure}
    notes += [note for name, heading in settled.items() if (note := _note(name, heading))]
    if unsettled := [f"“{name}”" for name in names if name not in answers]:
        more = f" and {len(unsettled) - NAMED} more" if len(unsettled) > NAMED else ""
        notes.append(f"whether MeSH has the heading {', '.join(unsettled[:NAMED])}{more} is not known here")
    return Checked(_replaced(node, lambda heading: _real(heading, settled)), tuple(notes))


async def validated(expression: str, known: Sequence[Headings]) -> tuple[str, tuple[str, ...]]:
    """A Boolean expression with headings that exist, in PubMed's language, and what was changed for it.

    One in which nothing had to be changed stays as it was written. Raises BadQuery.
    """
    parsed = read(expression)
    checked = await with_real_headings(parsed.node, known)
    if checked.node == parsed.node:
        return expression, checked.notes
    written = to_pubmed(checked.node)
    return written.text, (*parsed.notes, *checked.notes, *written.notes)


async def _asked(names: Sequence[str], known: Sequence[Headings]) -> tuple[dict[str, _Answer], list[str]]:
    """What is known of these names, and who could not be asked."""
    answers: dict[str, _Answer] = {}
    notes: list[str] = []
    for one in known:
        try:
            local = isinstance(one, Complete)
            sure = not isinstance(one, Complete) or await one.complete()
            for name in names if local else names[:MOST]:
                asked = name not in answers or not answers[name].sure
                if asked and ((heading := await one.heading(name)) or sure):
                    answers[name] = _Answer(heading, sure)
        except SourceError as error:
            notes.append(f"{one.name} could not be asked for headings ({str(error).rstrip('.')})")
    return answers, notes


def _note(name: str, heading: str) -> str:
    if not heading:
        return f"MeSH has no heading “{name}”: its words are searched for instead, anywhere in a record"
    return "" if _same(name, heading) else f"“{name}” is no heading of MeSH: “{heading}”, which it names, stands for it"


def _real(heading: Heading, settled: dict[str, str]) -> Node:
    name = settled.get(heading.name)
    if name is None or (name and _same(name, heading.name)):
        return heading
    return heading._replace(name=name) if name else Term(heading.name, at=heading.at)


def _same(name: str, heading: str) -> bool:
    """Whether both are the same words: databases do not mind how a heading is capitalised."""
    return words(name) == words(heading)


def _replaced(node: Node, real: Callable[[Heading], Node]) -> Node:
    if isinstance(node, Heading):
        return real(node)
    if isinstance(node, And | Or | Near):
        return node._replace(parts=tuple(_replaced(part, real) for part in node.parts))
    if isinstance(node, Not):
        return node._replace(kept=_replaced(node.kept, real), left_out=_replaced(node.left_out, real))
    return node
