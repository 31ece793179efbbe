"""Strategies for Ovid MEDLINE: one step a line, later lines refer to earlier ones, the last line is the result.

    1  exp Hypertension/
    2  hypertens$.tw.
    3  1 or 2
    4  limit 3 to ed=20100101-20201231

Lines may carry their numbers or not; without them the place of a line counts. Typing errors that can be meant in one
way only are repaired and told.
"""

from collections.abc import Container

from wellsourced.query_language.notes import MOST_LEVELS, Notes, straightened
from wellsourced.query_language.ovid_grammar import Grammar
from wellsourced.query_language.ovid_lexer import lexed
from wellsourced.query_language.ovid_limits import LIMIT, limit
from wellsourced.query_language.ovid_meaning import meant
from wellsourced.query_language.steps import Steps, numbered
from wellsourced.query_language.tree import And, Node, Parsed
from wellsourced.query_language.walking import joined, levels


def read_ovid(query: str) -> Parsed:
    """What a strategy asks for, with notes on what was repaired. Raises BadQuery with the place of the fault."""
    notes = Notes(query)
    notes.check_length()
    text = straightened(query)
    steps = Steps(notes)
    result: Node | None = None
    for step in numbered(text):
        steps.begin(step)
        found = ovid_line(text, step.start, step.end, steps, notes)
        if found is None:
            notes.tell(step.start, f"Line {step.label} asks for nothing")
            continue
        result = found
        steps.finish(found)
    return strategy(result, steps, notes)


def strategy(result: Node | None, steps: Steps, notes: Notes) -> Parsed:
    """What the last line of a strategy came to. Raises BadQuery when that is nothing, or too deep."""
    steps.tell_unused()
    if result is None:
        notes.refuse(0, "The strategy names nothing to look for", "Write at least one word, or a heading.")
    if levels(result) > 2 * MOST_LEVELS:
        notes.refuse(0, "The lines refer to each other too deeply", "Split the strategy into several.")
    return Parsed(result, notes.told())


def ovid_line(text: str, start: int, end: int, steps: Steps, notes: Notes, labels: Container[str] = ()) -> Node | None:
    """What text[start:end], one line, asks for; None when it is nothing. `labels` name lines beside their numbers."""
    limited = LIMIT.fullmatch(text, start, end)
    if limited:
        at = limited.start("line") if limited["line"] else start
        steps.expect([limited["line"] or ""])
        before = steps.line(limited["line"], at) if limited["line"] else steps.last(at)
        return joined(And, (before, limit(limited["to"], limited.start("to"), notes)))
    tokens = lexed(text, start, end, notes, labels)
    steps.expect([token.text for token in tokens if token.kind == "line"])
    written = Grammar(text, tokens, steps, notes).whole()
    return meant(written, notes) if written else None
