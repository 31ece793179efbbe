"""Strategies for Ovid MEDLINE: one step a line, later lines refer to earlier ones, the last line is the result.

    1  exp Hypertension/
    2  hypertens$.tw.
    3  1 or 2
    4  limit 3 to ed=20100101-20201231

Lines may carry their numbers or not; without them the place of a line counts. Typing errors that can be meant in one
way only are repaired and told.
"""

from collections.abc import Container

from wellsourced.query_language.ovid.interpretation import build_node
from wellsourced.query_language.ovid.lexer import tokenize_ovid
from wellsourced.query_language.ovid.limits import LIMIT_LINE, parse_limit
from wellsourced.query_language.ovid.parser import OvidLineParser
from wellsourced.query_language.query_notes import MAX_LEVELS, QueryNotes, straighten_typography
from wellsourced.query_language.query_tree import And, Node, ParsedQuery
from wellsourced.query_language.strategy_steps import StrategySteps, split_steps
from wellsourced.query_language.traversal import combine_nodes, tree_depth


def parse_ovid(query: str) -> ParsedQuery:
    """What a strategy asks for, with notes on what was repaired. Raises BadQuery with the place of the fault."""
    notes = QueryNotes(query)
    notes.check_length()
    text = straighten_typography(query)
    steps = StrategySteps(notes)
    result: Node | None = None
    for step in split_steps(text):
        steps.begin_step(step)
        found = parse_ovid_line(text, step.start, step.end, steps, notes)
        if found is None:
            notes.add_note(step.start, f"Line {step.label} asks for nothing")
            continue
        result = found
        steps.finish_step(found)
    return finish_strategy(result, steps, notes)


def finish_strategy(result: Node | None, steps: StrategySteps, notes: QueryNotes) -> ParsedQuery:
    """What the last line of a strategy came to. Raises BadQuery when that is nothing, or too deep."""
    steps.note_unused_lines()
    if result is None:
        notes.refuse(0, "The strategy names nothing to look for", "Write at least one word, or a heading.")
    if tree_depth(result) > 2 * MAX_LEVELS:
        notes.refuse(0, "The lines refer to each other too deeply", "Split the strategy into several.")
    return ParsedQuery(result, notes.list_notes())


def parse_ovid_line(
    text: str, start: int, end: int, steps: StrategySteps, notes: QueryNotes, labels: Container[str] = ()
) -> Node | None:
    """What text[start:end], one line, asks for; None when it is nothing. `labels` name lines beside their numbers."""
    limited = LIMIT_LINE.fullmatch(text, start, end)
    if limited:
        at = limited.start("line") if limited["line"] else start
        steps.expect_references([limited["line"] or ""])
        before = steps.resolve_line(limited["line"], at) if limited["line"] else steps.resolve_last_line(at)
        return combine_nodes(And, (before, parse_limit(limited["to"], limited.start("to"), notes)))
    tokens = tokenize_ovid(text, start, end, notes, labels)
    steps.expect_references([token.text for token in tokens if token.kind == "line"])
    written = OvidLineParser(text, tokens, steps, notes).parse_line()
    return build_node(written, notes) if written else None
