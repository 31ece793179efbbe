"""The numbers of lists and headings as office programs count them: printed, and in no text."""

from typing import NamedTuple

from wellsourced.readers.document_builder import roman_numeral
from wellsourced.readers.packages.office_parts import Element, attribute, find_children, is_on

MAX_NUMBER = 32_767
"""As far as Word counts."""


def format_number(number: int, format: str) -> str:
    """A number as a format of office programs writes it ("lowerRoman", "alphaLcParenR", "none"); else in digits."""
    format = format.lower()
    if "roman" in format and 0 < number <= MAX_NUMBER:
        words = roman_numeral(number)
    elif ("letter" in format or "alpha" in format) and 0 < number <= MAX_NUMBER:
        # Word goes on with aa, bb, cc.
        words = chr(ord("a") + (number - 1) % 26) * (1 + (number - 1) // 26)
    elif format == "decimalzero":
        return f"{number:02}"
    elif format == "none":
        return ""
    elif format == "ordinal":
        ending = "th" if 10 < number % 100 < 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
        return f"{number}{ending}"
    else:
        return str(number)
    return words.upper() if format.startswith("upper") or "uc" in format else words


class NumberLevel(NamedTuple):
    """How one level of a list is counted and written.

    text      what is printed, "%1" for the number of the first level
    restart   the level, from 1, behind which it begins anew; 0 for never, None for any above it
    legal     all numbers in digits
    """

    start: int = 1
    format: str = "decimal"
    text: str = ""
    restart: int | None = None
    legal: bool = False


class Numbering:
    """The lists of a Word file, counted while its paragraphs are asked for in their order."""

    def __init__(self, root: Element) -> None:
        self._abstract = {attribute(one, "abstractNumId"): one for one in root.iterchildren("{*}abstractNum")}
        self._styled = {attribute(one.find("{*}styleLink"), "val"): one for one in self._abstract.values()}
        self._lists = {attribute(one, "numId"): one for one in root.iterchildren("{*}num")}
        self._levels: dict[str, dict[int, NumberLevel]] = {}
        self._style_levels: dict[tuple[str, str], int] = {}
        self._counts: dict[str, dict[int, int]] = {}
        self._begun: set[tuple[str, int]] = set()

    def style_level(self, list: str, style: str) -> int:
        """The level, from 0, which a list has for the paragraphs of a style."""
        self._levels_of(list)
        return self._style_levels.get((list, style), 0)

    def next_mark(self, list: str, level: int) -> str:
        """What stands before the next paragraph of this level, from 0: "2.", "Step 3:", "b)"; "-" for a bullet.

        "" where the list prints nothing there.
        """
        levels = self._levels_of(list)
        at = levels.get(level)
        if at is None:
            return "-"
        counts = self._counts.setdefault(self._abstract_id(list), {})
        start = self._first_number(list, level)
        counts[level] = min(counts[level] + 1, MAX_NUMBER) if level in counts and start is None else start or at.start
        for deeper in [one for one in counts if one > level]:
            restart = levels[deeper].restart if deeper in levels else None
            if restart is None or level + 1 <= restart:
                del counts[deeper]
        if at.format == "bullet":
            return "-"
        words = at.text
        for number in range(level + 1):
            one = levels.get(number, NumberLevel())
            format = "decimal" if at.legal and one.format != "decimalZero" else one.format
            words = words.replace(f"%{number + 1}", format_number(counts.setdefault(number, one.start), format))
        return words.strip()

    def _first_number(self, list: str, level: int) -> int | None:
        """The number with which this list, unlike others that count on, begins; None when it has begun."""
        if (list, level) in self._begun:
            return None
        self._begun.add((list, level))
        for override in self._lists[list].iterchildren("{*}lvlOverride"):
            if attribute(override, "ilvl") == str(level):
                given = attribute(override.find("{*}startOverride"), "val")
                return int(given) if given.isdecimal() and len(given) < 6 else None
        return None

    def _abstract_id(self, list: str) -> str:
        return attribute(self._lists[list].find("{*}abstractNumId"), "val")

    def _levels_of(self, list: str) -> dict[int, NumberLevel]:
        if list in self._levels:
            return self._levels[list]
        found = self._levels[list] = {}
        if list not in self._lists:
            return found
        abstract = self._abstract.get(self._abstract_id(list))
        if abstract is not None and (link := attribute(abstract.find("{*}numStyleLink"), "val")):
            abstract = self._styled.get(link, abstract)
        own = [
            one
            for override in self._lists[list].iterchildren("{*}lvlOverride")
            for one in find_children(override, "lvl")
        ]
        for one in (*(() if abstract is None else abstract.iterchildren("{*}lvl")), *own):
            level = attribute(one, "ilvl")
            if level.isdecimal() and len(level) < 3:
                found[int(level)] = _read_level(one)
                self._style_levels[list, attribute(one.find("{*}pStyle"), "val")] = int(level)
        return found


def _read_level(level: Element) -> NumberLevel:
    start, restart = (attribute(level.find(f"{{*}}{name}"), "val") for name in ("start", "lvlRestart"))
    return NumberLevel(
        start=int(start) if start.isdecimal() and len(start) < 6 else 0 if start else 1,
        format=attribute(level.find("{*}numFmt"), "val") or "decimal",
        text=attribute(level.find("{*}lvlText"), "val"),
        restart=int(restart) if restart.isdecimal() and len(restart) < 3 else None,
        legal=is_on(level.find("{*}isLgl")),
    )
