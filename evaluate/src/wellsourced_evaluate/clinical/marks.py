"""What every set of cases comes to: marks for each case, added up over all, with an interval."""

import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced import config
from wellsourced.confidence import ConfidenceInterval, bootstrap_share, wilson_interval
from wellsourced.context import Context
from wellsourced.types import Answer, Statement, TextSpan
from wellsourced_evaluate.development_data import find_data, read_rows
from wellsourced_evaluate.questions.answer_marks import head_section, quote_spans

Row = dict[str, Any]
Marks = Mapping[str, tuple[float, float]]
"""What was found of what there was to find, by name: a yes is (1, 1), three facts of four (3, 4), 90 words (90, 1)."""


class CaseMarks(NamedTuple):
    """What came of a case, and what `--show` prints of it.

    part    the file, or the part of the set, that it is of: figures are of each part; "": there are none
    """

    id: str
    marks: Marks
    told: str = ""
    part: str = ""


class CaseOptions(NamedTuple):
    """What a set was asked for.

    files   of cases, in place of those in evaluate/data
    data    the folder of the development data
    home    of libraries; None: one that has the guidelines alone
    skip    cases of each file that are left out, from its beginning
    limit   cases of each file after these, at most; 0: all
    twice   ask questions in another scope, too
    """

    files: tuple[Path, ...] = ()
    data: Path | None = None
    home: Path | None = None
    skip: int = 0
    limit: int = 0
    twice: bool = False

    def read_cases(self, name: str) -> list[Row]:
        """The cases of the files that were named, or of that of evaluate/data."""
        return [row for path in self.files or (find_data(name),) for row in self.cut(read_rows(path))]

    def cut(self, rows: Iterable[Any]) -> list[Any]:
        """So many cases as were wished for."""
        return list(islice(rows, self.skip, self.skip + self.limit if self.limit else None))

    @contextmanager
    def open_settings(self) -> Iterator[config.Settings]:
        """Everything that answers without a network, over the home's libraries."""
        with tempfile.TemporaryDirectory() as spare:
            yield config.load({"home": str((self.home or Path(spare)).resolve()), "network.offline": True})

    @asynccontextmanager
    async def open_context(self) -> AsyncIterator[Context]:
        """The same, opened."""
        with self.open_settings() as settings:
            async with config.open_context(settings) as context:
                yield context


Measure = Callable[[CaseOptions], AsyncIterator[CaseMarks]]


def count(found: Iterable[Any]) -> tuple[int, int]:
    """How many of what is found are true, of all."""
    listed = list(map(bool, found))
    return sum(listed), len(listed)


def count_words(text: str) -> tuple[int, int]:
    """The words of one answer; what only marks an item of a list or parts cells of a table is none."""
    return sum(any(map(str.isalnum, word)) for word in text.split()), 1


def describe_answer(answer: Answer) -> str:
    """An answer as it is read through: its head, then sections; what is marked in them, or leads, has a star."""
    passages = {item.passage.id: item.passage for item in answer.evidence}

    def list_titles(statement: Statement) -> str:
        return "; ".join(dict.fromkeys(passages[one].reference.title for one in statement.cited_ids))

    told = [answer.question.text, f"{answer.head or 'written'}: {answer.reason}".rstrip(": ")]
    if answer.head is None:
        told += [f"{'*' if one.lead else ' '} {one.text} [{list_titles(one)}]" for one in answer.statements]
    for section in answer.sections:
        passage = passages[section.passage_id]
        told.append(f"## {head_section(passage)}")
        marked = [span for unit in section.marked for span in unit]
        for span in section.shown:
            at = span.start
            for line in quote_spans(passage, [span])[0].splitlines(keepends=True):
                told += [f"{'*' if _is_in(at, line, marked) else ' '} {line.rstrip()}"] if line.strip() else []
                at += len(line)
            told.append("  …")
    return "\n".join(told)


def _is_in(at: int, line: str, spans: Sequence[TextSpan]) -> bool:
    return any(span.start < at + len(line) and at < span.end for span in spans)


class CaseFigure(NamedTuple):
    """A figure over the cases of a part: found of all that there was; a 95 % interval where it is of whole numbers."""

    part: str
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
    """A figure for each part and name, in the order in which they come up."""
    for part, name in dict.fromkeys((one.part, name) for one in cases for name in one.marks):
        units = [one.marks[name] for one in cases if one.part == part and name in one.marks]
        found, whole = (sum(values) for values in zip(*units, strict=True))
        yield CaseFigure(part, name, found, whole, _find_interval(units, found, whole))


def _find_interval(units: Sequence[tuple[float, float]], found: float, whole: float) -> ConfidenceInterval | None:
    """Of cases that are right or wrong Wilson's, which is no point at 100 %; of others that of cases drawn again."""
    if all(of == 1 and part in (0, 1) for part, of in units):
        return wilson_interval(int(found), int(whole))
    is_counted = all(float(value).is_integer() for unit in units for value in unit)
    return bootstrap_share([(int(part), int(of)) for part, of in units]) if is_counted and whole else None
