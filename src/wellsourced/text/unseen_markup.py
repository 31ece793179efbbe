"""HTML without what nobody sees of it: comments, scripts, styles. In time that is linear in its length."""

import re
from collections.abc import Collection, Iterator

COMMENT_START, COMMENT_END = "<!--", "-->"


def remove_hidden_markup(markup: str, names: Collection[str], instead: str = "") -> str:
    """The markup with `instead` for every comment, and for every element of these names with what is in it.

    One that is opened and never closed stays: it may be half a sentence about "<!--".
    """
    return instead.join(_visible_parts(markup, names))


def _visible_parts(markup: str, names: Collection[str]) -> Iterator[str]:
    opening = re.compile(rf"{COMMENT_START}|<({'|'.join(names)})\b", re.IGNORECASE)
    endings = {name: re.compile(rf"</{name}\s*>", re.IGNORECASE) for name in names}
    never: set[str] = set()  # names that are not closed behind here: nobody looks for their ends again
    at = start = 0
    while found := opening.search(markup, at):
        name = (found[1] or COMMENT_START).lower()
        end = -1 if name in never else _find_element_end(markup, found.end(), name, endings)
        if end < 0:
            never.add(name)
            at = found.end()
        else:
            yield markup[start : found.start()]
            at = start = end
    yield markup[start:]


def _find_element_end(markup: str, at: int, name: str, endings: dict[str, re.Pattern[str]]) -> int:
    """Behind the next end of a comment or an element; -1 when there is none."""
    if name == COMMENT_START:
        end = markup.find(COMMENT_END, at)
        return end + len(COMMENT_END) if end >= 0 else -1
    closed = endings[name].search(markup, at)
    return closed.end() if closed else -1
