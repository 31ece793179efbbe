"""Several quotable spans of one passage as one statement."""

from collections.abc import Sequence
from itertools import groupby

from wellsourced.text.blocks import BlockKind
from wellsourced.text.quotable_spans import JOINING_MARKS, QuotableSpan, collapse_whitespace
from wellsourced.text.sentences import Span

_SEPARATORS: dict[BlockKind, str] = {"paragraph": " ", "item": "; ", "row": ". ", "step": "; "}


def join_units(text: str, units: Sequence[QuotableSpan]) -> QuotableSpan:
    """Units of one passage that stand under the same lines, as one: those lines once, then what each says."""
    if len(units) == 1:
        return units[0]
    first = max(units, key=lambda unit: unit.context)
    context = first.text[: len(first.text) - len(first.own_text)]
    spans = list(first.spans[: first.context])
    own = ""
    for _, group in groupby(units, key=lambda unit: unit.layout):
        said = _join_alike(text, list(group), spans, first.context)
        own = f"{own}{'' if not own else ' ' if own[-1] in '.:;?!' else '. '}{said}"
    return QuotableSpan(context + own, tuple(spans), own, first.context, first.layout)


def _join_alike(text: str, units: Sequence[QuotableSpan], spans: list[Span], context: int) -> str:
    """What units of one layout say together; their places are added to the spans."""
    if units[0].layout == "paragraph":
        said = merge_spans([span for unit in units for span in unit.spans[unit.context :]])
        spans += said
        return " ".join(collapse_whitespace(text[span.start : span.end]) for span in said)
    for unit in units:
        for span in unit.spans[unit.context :]:
            _append_span(text, spans, span, context)
    return _SEPARATORS[units[0].layout].join((*(unit.own_text.rstrip(".;") for unit in units[:-1]), units[-1].own_text))


def merge_spans(spans: Sequence[Span]) -> list[Span]:
    """The spans in order, those that overlap or touch as one."""
    found: list[Span] = []
    for span in sorted(spans):
        if found and span.start <= found[-1].end + 1:
            found[-1] = Span(found[-1].start, max(found[-1].end, span.end))
        else:
            found.append(span)
    return found


def _append_span(text: str, spans: list[Span], span: Span, context: int) -> None:
    """Add what is quoted next; what follows the last words with no more than marks between them lengthens those."""
    last = spans[-1] if len(spans) > context else Span(len(text), len(text))
    between = text[last.end : span.start]
    if last.end <= span.start and not JOINING_MARKS.sub("", between).strip():
        spans[-1] = Span(last.start, span.end)
    else:
        spans.append(span)
