"""What a message that a user sees must not be: too long, or in English that reads like a translation."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

SRC = Path(__file__).parents[1] / "src" / "wellsourced"

MAX_WORDS = 20
"""Words of a message; a value that is put into it counts as one."""

BANNED = re.compile(
    r"\b(?:(?:is|are|was|were|be|been) told|told (?:are|apart)|stands?|stood|standing|anew|of (?:one's|its|his|her) own"
    r"|mends?|mended|mending|whoever|nobody|nothing of|what became|what becomes|what came of|come along|comes along"
    r"|it is no|is no|there is no|wants? an?|speaks? of|see to|so many|somebody|the newest of|as it is now"
    r"|look whether|lean on|besides?)\b",
    re.IGNORECASE,
)
"""Words of ENGLISH.md's rules and lists, which a native reader stumbles over."""

FOLD = "\N{WHITE SQUARE}"
"""Takes the place of a value in the text of an f-string."""


def find_faults(message: str) -> list[str]:
    """What is wrong with a message, each in a phrase; empty when nothing is."""
    faults = [f"“{word[0]}” is banned" for word in BANNED.finditer(message)]
    longest = max((len(words_of(part)) for part in split_message(message)), default=0)
    if longest > MAX_WORDS:
        faults.append(f"{longest} words in one sentence, and {MAX_WORDS} are the most")
    return faults


def split_message(message: str) -> list[str]:
    """The sentences of a message; what follows a line break is one of its own."""
    return [part for line in message.splitlines() for part in re.split(r"(?<=[.!?])\s+", line) if part.strip()]


def words_of(sentence: str) -> list[str]:
    """Words, among which a value, a path or a command in backticks counts once."""
    return re.findall(r"[\w'’%s]+(?:[-./][\w'’]+)*" % FOLD, re.sub(r"`[^`]*`|“[^”]*”", FOLD, sentence))  # noqa: UP031


def text_of(node: ast.expr) -> str | None:
    """The text of a literal, with FOLD for each value; None for any other expression."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(part) or FOLD for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = text_of(node.left), text_of(node.right)
        return None if left is None or right is None else left + right
    return None


def raised_messages(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """(line, text) of every literal that is given to what is raised."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            for argument in node.exc.args:
                if (text := text_of(argument)) is not None:
                    yield argument.lineno, text
