"""What a notebook shows of a result."""

from html import escape

from wellsourced.presentation.answers import build_answer
from wellsourced.presentation.html import write_html_part
from wellsourced.types import Answer, PublicResult, short_key


def render_notebook_html(result: PublicResult) -> str:
    """The result as a part of a page; as text where it has no other form."""
    if isinstance(result, Answer):
        # A notebook is one page with many results, whose ids must differ.
        return write_html_part(build_answer(result), prefix=f"{short_key(result.model_dump_json())}-")
    return f"<pre>{escape(repr(result))}</pre>"
