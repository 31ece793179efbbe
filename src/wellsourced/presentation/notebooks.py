"""What a notebook shows of a result."""

from html import escape

from wellsourced.factcheck.checked_text import CheckedText
from wellsourced.orders.explanation import Explanation
from wellsourced.presentation.answers import build_answer
from wellsourced.presentation.checks import present_checks
from wellsourced.presentation.explanations import build_explanation
from wellsourced.presentation.html import write_html_part
from wellsourced.types import Answer, Checkup, PublicResult, short_key


def render_notebook_html(result: PublicResult) -> str:
    """The result as a part of a page; as text where it has no other form."""
    match result:
        case Answer():
            shown = build_answer(result)
        case Checkup():
            reference = result.submitted.document.reference
            shown = present_checks([CheckedText(reference.title or reference.id, result)], {})
        case Explanation():
            shown = build_explanation(result)
        case _:
            return f"<pre>{escape(repr(result))}</pre>"
    # A notebook is one page with many results, whose ids must differ.
    return write_html_part(shown, prefix=f"{short_key(result.model_dump_json())}-")
