"""What a conversation shows besides its answers: the quotes of the last one by their works, and all of it as text."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from wellsourced.app.exits import describe_error
from wellsourced.app.render.answer import render_answer
from wellsourced.app.render.references import describe_briefly, number_references
from wellsourced.app.render.statements import quote_locations
from wellsourced.app.terminal import TerminalPage, sanitize_line
from wellsourced.storage.private_files import make_private_file
from wellsourced.text.quotable_spans import collapse_whitespace
from wellsourced.types import Answer

TRANSCRIPT_PAGE = TerminalPage(width=100, quotes=True, places=True)
"""How a conversation is set in a file."""


def quote_lines(answer: Answer, page: TerminalPage) -> list[str]:
    """Each work that an answer cites, and below it the words that each statement quotes of it, with their places."""
    cited = number_references(answer)
    lines = []
    for number, reference in enumerate(cited.list_references(), start=1):
        lines += page.wrap(describe_briefly(reference), "      ", f"{f'[{number}]':>5} ")
        for statement in (*answer.statements, *answer.found_instead):
            of_work = [one for one in statement.citations if cited.find_reference(one).id == reference.id]
            quotes = " … ".join(f"“{collapse_whitespace(one.quote)}”" for one in of_work)
            if of_work:
                lines += page.wrap(f"{quotes} ({quote_locations(of_work, cited)})", "        ", "      – ")
    return lines or ["The last answer cites nothing."]


def transcribe_text(turns: Sequence[tuple[str, Answer]]) -> str:
    """Questions as they were typed, with their answers, their quotes and places."""
    return "\n".join(_transcribe_turns(turns))


def _transcribe_turns(turns: Sequence[tuple[str, Answer]]) -> Iterator[str]:
    for asked, answer in turns:
        yield f"? {sanitize_line(asked)}"
        yield render_answer(answer, TRANSCRIPT_PAGE)


def transcribe_json(turns: Sequence[tuple[str, Answer]]) -> str:
    """The same as a list of what was asked, and of answers as `ask --json` prints them."""
    data = [{"asked": asked, "answer": answer.model_dump(mode="json")} for asked, answer in turns]
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def write_transcript(name: str, turns: Sequence[tuple[str, Answer]]) -> str:
    """Write a conversation into a new file, for its owner alone; what came of it, in a sentence."""
    transcribe = transcribe_json if name.lower().endswith(".json") else transcribe_text
    try:
        path = Path(name).expanduser()
        # A conversation is written whole, so an existing file would be lost and not continued.
        if path.exists():
            return f"{sanitize_line(name)} is there already: name another file."
        # First the rights, then the words: there is no moment in which others could read them.
        make_private_file(path)
        path.write_text(transcribe(turns), encoding="utf-8")
    except (OSError, ValueError, RuntimeError) as error:
        reason = describe_error(error) if isinstance(error, OSError) else str(error)
        return sanitize_line(f"Not saved: {reason}")
    return f"Saved in {sanitize_line(str(path))}."
