"""What every set of cases comes to: marks for each case, added up over all, with an interval."""

import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced import config
from wellsourced.confidence import ConfidenceInterval, bootstrap_share, wilson_interval
from wellsourced.context import Context
from wellsourced.errors import SettingsError
from wellsourced.sources.library import Library
from wellsourced_evaluate.development_data import find_data, read_rows

Row = dict[str, Any]
Marks = Mapping[str, tuple[float, float]]
"""What was found of what there was to find, by name: a yes is (1, 1), three facts of four (3, 4), 90 words (90, 1)."""


class CaseMarks(NamedTuple):
    """What came of a case, and what `--show` prints of it."""

    id: str
    marks: Marks
    told: str = ""


class CaseOptions(NamedTuple):
    """What a set was asked for.

    file    of cases, in place of the one in evaluate/data
    data    the folder of the development data
    home    of libraries; None: one that has the guidelines alone
    half    which part of the cases, where a set has parts; "": all
    limit   cases at most; 0: all
    """

    file: Path | None = None
    data: Path | None = None
    home: Path | None = None
    half: str = ""
    limit: int = 0

    def read_cases(self, name: str = "") -> list[Row]:
        """The cases of the file that was named, or of that of evaluate/data. Raises SettingsError without either."""
        if self.file is None and not name:
            raise SettingsError("Name the file of cases: this set comes without one.")
        return self.cut(read_rows(self.file or find_data(name)))

    def cut(self, rows: Iterable[Any]) -> list[Any]:
        """So many cases as were wished for, the first ones."""
        return list(islice(rows, self.limit or None))

    def need_data(self) -> Path:
        """The development data. Raises SettingsError where they were not named."""
        if self.data is None:
            raise SettingsError("Name the folder of the development data with --data: the cases of this set lie there.")
        return self.data

    def open_library(self, name: str) -> Library:
        """A library made of the corpus of that name, without vectors. Raises SettingsError where no home was named."""
        if self.home is None:
            raise SettingsError("Name with --cases-home a home whose library was made of the development corpus.")
        return Library.at(self.home.resolve() / "libraries", name, None)

    @asynccontextmanager
    async def open_context(self, **more: Any) -> AsyncIterator[Context]:
        """Everything that answers without a network, over the home's libraries."""
        with tempfile.TemporaryDirectory() as spare:
            settings = config.load({"home": str((self.home or Path(spare)).resolve()), "network.offline": True})
            async with config.open_context(settings, **more) as context:
                yield context


Measure = Callable[[CaseOptions], AsyncIterator[CaseMarks]]


def count(found: Iterable[Any]) -> tuple[int, int]:
    """How many of what is found are true, of all."""
    listed = list(map(bool, found))
    return sum(listed), len(listed)


class CaseFigure(NamedTuple):
    """A figure over all cases: found of all that there was; its 95 % interval where it is of whole numbers."""

    name: str
    found: float
    whole: float
    interval: ConfidenceInterval | None

    def describe(self) -> str:
        """As it is printed."""
        share = f"{self.found / self.whole:.3f}" if self.whole else "–"
        interval = f" ({self.interval.low:.3f} … {self.interval.high:.3f})" if self.interval else ""
        return f"{self.name:<58}{self.found:>9,.6g} of {self.whole:<8,.6g}{share}{interval}"


def add_marks(cases: Sequence[CaseMarks]) -> Iterator[CaseFigure]:
    """A figure for each name, in the order in which names come up."""
    for name in dict.fromkeys(name for one in cases for name in one.marks):
        units = [one.marks[name] for one in cases if name in one.marks]
        found, whole = (sum(values) for values in zip(*units, strict=True))
        yield CaseFigure(name, found, whole, _find_interval(units, found, whole))


def _find_interval(units: Sequence[tuple[float, float]], found: float, whole: float) -> ConfidenceInterval | None:
    """Of cases that are right or wrong Wilson's, which is no point at 100 %; of others that of cases drawn again."""
    if all(of == 1 and part in (0, 1) for part, of in units):
        return wilson_interval(int(found), int(whole))
    is_counted = all(float(value).is_integer() for unit in units for value in unit)
    return bootstrap_share([(int(part), int(of)) for part, of in units]) if is_counted and whole else None
