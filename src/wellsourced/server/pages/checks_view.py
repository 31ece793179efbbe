"""A checked text and an explained order, as their pages show them."""

from typing import NamedTuple

from markupsafe import Markup

from wellsourced.app.commands.explain import note_lines, title_term, unexplained_lines
from wellsourced.app.factcheck.checked_text import CheckedText
from wellsourced.app.factcheck.html_report import render_text_parts
from wellsourced.explain.explanation import Explanation
from wellsourced.server.pages.answer_view import WHOLE_LINES, AnswerView, Part, part_of, view_answer


class OrderPiece(NamedTuple):
    """A stretch of the order; `anchor` leads to what explains it, "" where nothing does."""

    text: str
    anchor: str


class ExplanationView(NamedTuple):
    """The page of an explained order."""

    order: tuple[OrderPiece, ...]
    signs: tuple[tuple[str, str], ...]
    terms: tuple[tuple[str, str, AnswerView], ...]
    follow_up: AnswerView | None
    after: tuple[Part, ...]


def render_checked_text(result: CheckedText) -> Markup:
    """The report on a text, as `check --format html` has it: what was read is escaped there."""
    return Markup("".join(render_text_parts(result)))  # noqa: S704


def view_explanation(told: Explanation) -> ExplanationView:
    """What the page of an explained order says."""
    explained = [one for one in told.terms if not one.answer.abstained]
    anchors = [(one.start, one.end, f"term-{place}") for place, one in enumerate(explained, start=1)]
    anchors += [(one.start, one.end, "signs") for one in told.signs]
    after = (part_of(unexplained_lines(told, WHOLE_LINES)), part_of(note_lines(told, WHOLE_LINES)))
    return ExplanationView(
        order=_cut_order(told.order, anchors),
        signs=tuple((one.sign, one.meaning) for one in told.signs),
        terms=tuple(
            (f"term-{place}", title_term(one), view_answer(one.answer)) for place, one in enumerate(explained, start=1)
        ),
        follow_up=view_answer(told.follow_up) if told.follow_up else None,
        after=tuple(filter(None, after)),
    )


def _cut_order(order: str, anchors: list[tuple[int, int, str]]) -> tuple[OrderPiece, ...]:
    """The order as pieces, those that are explained with what they lead to."""
    pieces, at = [], 0
    for start, end, anchor in sorted(anchors):
        # Terms may lie within signs: the outer stretch keeps its link, and no words are shown twice.
        if start < at:
            continue
        pieces += [OrderPiece(order[at:start], ""), OrderPiece(order[start:end], anchor)]
        at = end
    return tuple(piece for piece in (*pieces, OrderPiece(order[at:], "")) if piece.text)
