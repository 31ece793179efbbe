"""How reading time grows with the length of a text that was made to make it grow: `python -m tests.readers.growth`.

Twice the text may take 2.7 times as long; what is quadratic takes four times. Prints the worst texts of each target.
"""

import gc
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from wellsourced.errors import WellsourcedError
from wellsourced.factcheck.check import text_to_document
from wellsourced.factcheck.load.decomposition import decompose_text
from wellsourced.factcheck.load.text_files import load_text
from wellsourced.factcheck.pages.cited_page import detect_signs
from wellsourced.readers.base import InMemoryFile
from wellsourced.readers.csv_tables import read_table
from wellsourced.readers.html_pages import read_html
from wellsourced.readers.markdown import read_markdown
from wellsourced.readers.plain_text import read_plain_text
from wellsourced.text.passages import cut_passages

SMALL, LEAST, RATIO, MOST = 10_000, 0.15, 2.7, 20.0
"""Characters to begin with; seconds below which nothing is compared; what twice the text may take; seconds at most."""

UNITS = (
    *("<!--", "<", "</", "<script", "<style>", "<a ", "<a href=", "<meta ", "<input ", "<title", "<h1>", "<p>", "</p>"),
    *("<sup>1</sup>", "<div>", "<b>", "<table><tr><td>", "<li>", "<br>", "<![CDATA[", "<?", "<!", "&#", "&", "&amp;"),
    *(
        "[",
        "]",
        "(",
        ")",
        "“",
        '"',
        "'",
        "{",
        "}",
        "[a](",
        "![",
        "[^1]",
        "[^1]: ",
        "[1]",
        "[1-9]",
        "[1-199]",
        "[1-999]",
    ),
    *(
        "[a][b]",
        "[a]: b\n",
        "[@a]",
        " [1].",
        "(1)",
        "⁰¹",
        "^1",
        "a^[1]",
        "(Smith 2020)",
        "Smith (2020) ",
        "Smith et al. ",
    ),
    *(
        " ",
        "\n",
        "\t",
        "\n\n",
        "\n \n",
        "\r\n",
        "\u00a0",
        "1",
        "1,",
        "1-",
        "1 ",
        "1.",
        "0.",
        "12/",
        "|",
        "| ",
        "|-",
        "|a|b|\n",
    ),
    *(
        "*",
        "**",
        "_",
        "__",
        "`",
        "``` ",
        "#",
        "# ",
        "# a\n",
        "> ",
        "- ",
        "- a\n",
        "  - a\n",
        "1. ",
        "1. a\n",
        "---\n",
        "~~~\n",
    ),
    *(
        "a",
        "a ",
        "a.",
        "A",
        "A ",
        "A.",
        "A. ",
        "a, ",
        "a; ",
        "A B ",
        "é",
        "中",
        "and ",
        "or ",
        "of the ",
        "not ",
        "1 of ",
    ),
    *("1 mg ", "5% of ", "p < 0.05, ", "95% CI ", "2020 ", "2020;", "Fig. ", "No. ", "Dr. ", "vs. ", "e.g. "),
    *("10.1/a", "10.1000/", "http://", "https://a.b ", "https://a.b/c", "www.", "a@b.c ", "doi:", "PMID: 1 ", "PMC1 "),
    *(
        "Smith J, ",
        "Smith J. A title. BMJ 2020;1:2-3.\n",
        "1. Smith J. A title. BMJ 2020.\n",
        "et al., ",
        "¶",
        "…",
        "!",
        "?",
    ),
    *(
        "Aspirin is good. ",
        "It is. ",
        "They are. ",
        "This drug lowers it by 5 %; ",
        "5 % of men and ",
        "\ue200cite",
        "【1†",
    ),
    *(
        "See https://a.b/c [1]. ",
        "a,b\n",
        '"a,',
        '""',
        "a: b\n",
        "References\n",
        "## References\n1. a\n",
        "Sources:\n- a\n",
    ),
)

Target = Callable[[str], object]


def consumed(name: str, read: Callable[..., Iterator[object]]) -> Target:
    """A reader as what takes a text."""
    return lambda text: list(read(InMemoryFile(name, text.encode("utf-8", "replace")), "own"))


TARGETS: Mapping[str, Target] = {
    "signs of a page": lambda text: detect_signs(f"<html><body>{text}"),
    "web page": consumed("a.html", lambda held, kind: read_html(held, kind)),
    "page to check": lambda text: load_text(f"<html><body><p>Salt.</p>{text}".encode(), "a.html"),
    "Markdown": consumed("a.md", read_markdown),
    "plain text": consumed("a.txt", read_plain_text),
    "table": consumed("a.csv", read_table),
    "text to check": lambda text: decompose_text(text_to_document(text)),
    "list to check": lambda text: decompose_text(text_to_document(f"Salt is bad [1].\n\nReferences\n\n1. {text}")),
    "passages": lambda text: cut_passages(text_to_document(text)),
}


class Growth(NamedTuple):
    """How long a target took for a text and for twice that text, in seconds of the processor."""

    target: str
    unit: str
    once: float
    twice: float

    @property
    def steep(self) -> bool:
        """Whether it grows faster than the text."""
        return self.twice > LEAST and self.twice > RATIO * self.once


class _TooLongError(Exception):
    pass


def _stop(*_: object) -> None:
    raise _TooLongError


def seconds(target: Target, unit: str, size: int) -> float:
    """Seconds of the processor that a target takes for a text of this size; MOST where it takes longer."""
    text = (unit * (size // len(unit) + 1))[:size]
    signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST)
    gc.collect()
    began = time.process_time()
    try:
        target(text)
    except (WellsourcedError, RecursionError):
        pass
    except _TooLongError:
        return MOST
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.process_time() - began


def growth(name: str, unit: str, size: int = SMALL) -> Growth:
    """How a target grows with a text: doubled until there is something to see."""
    once, twice = 0.0, seconds(TARGETS[name], unit, size)
    for _ in range(4):
        size *= 2
        once, twice = twice, seconds(TARGETS[name], unit, size)
        if twice > LEAST:
            break
    if twice > LEAST and twice > RATIO * once:  # once more: what else the machine does must not count
        once, twice = min(once, seconds(TARGETS[name], unit, size // 2)), min(twice, seconds(TARGETS[name], unit, size))
    return Growth(name, unit, once, twice)


def main() -> None:
    """All texts for all targets, or for those that are named."""
    for name in sys.argv[1:] or TARGETS:
        steep = [one for unit in UNITS if (one := growth(name, unit)).steep]
        for one in sorted(steep, key=lambda one: -one.twice):
            print(f"{name}: {one.unit!r} {one.once:.2f} s, twice as much {one.twice:.2f} s", flush=True)
        print(f"{name}: {len(steep)} of {len(UNITS)} texts grow too fast", flush=True)


if __name__ == "__main__":
    main()
