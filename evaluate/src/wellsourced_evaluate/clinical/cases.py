"""What every set of cases comes to: marks for each case, added up over all, with an interval."""

import re
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced import config
from wellsourced.api import ask
from wellsourced.confidence import ConfidenceInterval, bootstrap_share, wilson_interval
from wellsourced.context import Context
from wellsourced.errors import SettingsError
from wellsourced.types import Answer, Question, Statement
from wellsourced_evaluate.development_data import find_data, read_rows, show_work
from wellsourced_evaluate.questions.answer_marks import has_pattern, join_texts

Row = dict[str, Any]
Marks = Mapping[str, tuple[float, float]]
"""What was found of what there was to find, by name: a yes is (1, 1), three facts of four (3, 4), 90 words (90, 1)."""


class CaseMarks(NamedTuple):
    """What came of a case, and what `--show` prints of it."""

    id: str
    marks: Marks
    told: str = ""


class CaseWish(NamedTuple):
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

    def find_file(self, name: str = "") -> Path:
        """The file that was named, or that of evaluate/data. Raises SettingsError where there is neither."""
        if self.file is None and not name:
            raise SettingsError("Name the file of cases: this set has none of its own.")
        return self.file or find_data(name)

    def read_cases(self, name: str = "") -> list[Row]:
        """The cases of the file."""
        return self.cut(read_rows(self.find_file(name)))

    def cut(self, rows: Iterable[Any]) -> list[Any]:
        """So many cases as were wished for, the first ones."""
        return list(islice(rows, self.limit or None))

    def need_data(self) -> Path:
        """The development data. Raises SettingsError where they were not named."""
        if self.data is None:
            raise SettingsError("Name the folder of the development data with --data: the cases of this set lie there.")
        return self.data

    def need_home(self) -> Path:
        """The home of libraries. Raises SettingsError where it was not named."""
        if self.home is None:
            raise SettingsError("Name with --cases-home a home whose library was made of the development corpus.")
        return self.home.resolve()

    @asynccontextmanager
    async def open_context(self, **more: Any) -> AsyncIterator[Context]:
        """Everything that answers without a network, over the home's libraries."""
        with tempfile.TemporaryDirectory() as spare:
            settings = config.load({"home": str((self.home or Path(spare)).resolve()), "network.offline": True})
            async with config.open_context(settings, **more) as context:
                yield context


Measure = Callable[[CaseWish], AsyncIterator[CaseMarks]]


async def ask_cases(
    cases: Sequence[Row], context: Context, mark: Callable[[Row, Answer], Marks]
) -> AsyncIterator[CaseMarks]:
    """Each case asked, and marked."""
    for place, case in enumerate(cases):
        show_work(f"{place} of {len(cases)} questions")
        answer = await ask(Question(text=case["question"]), context)
        yield CaseMarks(case["id"], mark(case, answer), describe_answer(answer))
    show_work("")


def describe_answer(answer: Answer) -> str:
    """An answer as it is read through: what leads has a star, what is only nearest a tilde."""
    titles = {item.passage.id: item.passage.reference.title for item in answer.evidence}
    said = [f"{'*' if one.lead else ' '} {one.text} [{_list_titles(one, titles)}]" for one in answer.statements]
    near = [f"~ {one.text}" for one in answer.found_instead]
    return "\n".join([answer.question.text, *([answer.reason] if answer.abstained else []), *said, *near])


def _list_titles(statement: Statement, titles: Mapping[str, str]) -> str:
    return "; ".join(dict.fromkeys(titles.get(one, "") for one in statement.cited_ids))


def list_quoted(answer: Answer, statements: Sequence[Statement]) -> list[str]:
    """The ids of the documents that statements quote, in their order."""
    documents = {item.passage.id: item.passage.reference.id for item in answer.evidence}
    return list(dict.fromkeys(documents[id] for statement in statements for id in statement.cited_ids))


def count_words(text: str) -> tuple[int, int]:
    """The words of one answer."""
    return len(text.split()), 1


def count(found: Iterable[Any]) -> tuple[int, int]:
    """How many of what is found are true, of all."""
    listed = list(map(bool, found))
    return sum(listed), len(listed)


# --- what decides a case ---------------------------------------------------------------------------------------------


def has_plain_pattern(pattern: str, text: str) -> bool:
    """Whether a text has an expression that may be written for Markdown, with its marks and the bars of tables."""
    plain = pattern.replace("\\*\\*", "").replace("**", "")
    try:
        re.compile(plain)
    except re.error:
        plain = pattern
    return any(has_pattern(plain, one) for one in (text, text.replace("| ", "|").replace("|", " ")))


def has_deciding_words(case: Mapping[str, Any], text: str) -> bool:
    """Whether a text has the words that decide a case."""
    pattern = case.get("lead") or case.get("expected") or re.escape(case.get("quote", ""))
    return bool(pattern) and has_plain_pattern(pattern, text)


def split_answer(answer: Answer) -> tuple[str, str]:
    """What an answer says, and its short answer alone."""
    return join_texts(answer.statements), join_texts([one for one in answer.statements if one.lead])


# --- figures ---------------------------------------------------------------------------------------------------------


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


def describe_share(name: str, found: int, whole: int) -> str:
    """One share as it is printed, with Wilson's interval."""
    return CaseFigure(name, found, whole, wilson_interval(found, whole)).describe()


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
