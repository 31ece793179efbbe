"""An answer as Markdown: statements with their marks, the words they rest on as quotes, and the works."""

from collections.abc import Iterable, Iterator

from wellsourced.app.terminal import sanitize_line
from wellsourced.server.pages.answer_view import AnswerView, Part, StatementView, view_answer
from wellsourced.types import Answer

_SPECIAL = str.maketrans({letter: f"\\{letter}" for letter in "\\`*_[]<>#|~"})


def render_markdown(answer: Answer, *, quotes: bool = True) -> str:
    """The whole answer; without `quotes` the words that statements rest on are left out."""
    return "\n".join(_list_lines(view_answer(answer), quotes)).strip() + "\n"


def escape_markdown(text: str) -> str:
    """Words that mean nothing in Markdown, in one line."""
    return sanitize_line(text).translate(_SPECIAL)


def _list_lines(view: AnswerView, quotes: bool) -> Iterator[str]:
    yield f"# {escape_markdown(view.question)}\n"
    yield from _list_parts(view.before)
    if view.abstained:
        yield f"**No answer is given.** {escape_markdown(view.reason)}\n"
    yield from (f"**{escape_markdown(line)}**\n" for line in view.decision)
    for topic in (view.lead, *view.topics, view.nearest):
        if topic.statements:
            yield f"## {escape_markdown(topic.heading or 'What the sources say')}\n"
            for one in topic.statements:
                yield from _list_statement(one, quotes)
            yield ""
    yield from _list_parts(view.after)
    if view.references:
        yield "## Works\n"
    for work in view.references:
        told = (work.title, work.publisher, work.year, work.depth, work.standing)
        yield f"{work.number}. {escape_markdown('. '.join(filter(None, told)))} {_link(work.link)}".rstrip()
    yield f"\n{escape_markdown(view.summary)}\n\n*{escape_markdown(view.warning)}*"


def _list_parts(parts: Iterable[Part]) -> Iterator[str]:
    for part in parts:
        yield f"## {escape_markdown(part.heading)}\n"
        for item in part.items:
            yield f"- {escape_markdown(item.text)}"
            yield from (f"  - {escape_markdown(one)}" for one in item.details)
        yield ""


def _list_statement(one: StatementView, quotes: bool) -> Iterator[str]:
    # A checked statement needs no word: what stands out are those that were not verified.
    state = "" if one.status in ("verbatim", "verified") else f" *({one.status_words})*"
    note = f" **{escape_markdown(one.note)}**" if one.note else ""
    marks = "".join(f"[{number}]" for number in one.numbers)
    yield f"- {escape_markdown(one.intro)} {marks}{state}{note}" if one.intro else f"- {marks}{state}{note}"
    yield from (f"  - {escape_markdown(item)}" for item in one.items)
    for quote in one.quotes if quotes else ():
        marked = " … ".join(some.text for some in quote.stretches if some.marked)
        yield f"\n  > “{escape_markdown(marked)}” [{quote.number}], {escape_markdown(quote.place)}\n"


def _link(address: str) -> str:
    is_web = address.lower().startswith(("https://", "http://"))
    # An address of another scheme (javascript:, data:) comes from a document and becomes no link.
    return f"<{''.join(address.split()).replace('>', '%3E').replace('<', '%3C')}>" if is_web else ""
