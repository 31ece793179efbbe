"""The cases of a run that are left, each handed out once: to the workers of a process, or to several processes.

Processes share a run by locks on files beside its log: who holds the lock of a case asks it. The system lets go of the
locks of a process that was killed, also on another machine that sees the folder, and its cases go to the others.
"""

import asyncio
import hashlib
from collections import deque
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, closing, contextmanager, nullcontext, suppress
from pathlib import Path

from wellsourced.errors import SourceUnavailable
from wellsourced.storage.private_files import WriterLock
from wellsourced_evaluate.questions.answer_run import AnswerLog, AnswerRecord
from wellsourced_evaluate.questions.case_rows import QuestionCase

WAIT_SECONDS = 0.5
"""Between two looks at whether others have finished what they ask."""

WRITE_SECONDS = 0.01
"""Between two tries to write while another process does: that takes milliseconds."""


class CaseQueue:
    """What is left of a run.

    is_shared   whether other processes ask cases of it at the same time
    """

    def __init__(self, cases: Iterable[QuestionCase], log: AnswerLog, *, is_shared: bool = False) -> None:
        self._log, self._is_shared = log, is_shared
        self._left = deque(case for case in cases if case.id not in log.records)
        self._done = set[str]()
        self._folder = log.path.with_suffix(".claims")
        if is_shared:
            self._folder.mkdir(exist_ok=True)

    @asynccontextmanager
    async def claim(self) -> AsyncIterator[QuestionCase | None]:
        """The next case, for as long as it is asked; None when all are recorded."""
        while self._left:
            for _ in range(len(self._left)):
                case = self._left.popleft()
                with self._try_to_lock(case) as is_ours:
                    self._read_others()
                    if is_ours and case.id not in self._done:
                        yield case
                        return
                    if not is_ours and case.id not in self._done:
                        self._left.append(case)
            if self._left:
                await asyncio.sleep(WAIT_SECONDS)
        yield None

    async def add(self, record: AnswerRecord) -> None:
        """Keep what came of a case that was claimed."""
        if not self._is_shared:
            self._log.add(record)
            return
        while True:
            with suppress(SourceUnavailable), hold_appending(self._log.path):
                self._log.add(record)
                return
            await asyncio.sleep(WRITE_SECONDS)

    def _try_to_lock(self, case: QuestionCase) -> AbstractContextManager[bool]:
        return self._hold_claim(case) if self._is_shared else nullcontext(True)

    @contextmanager
    def _hold_claim(self, case: QuestionCase) -> Iterator[bool]:
        path = self._folder / f"{hashlib.sha256(case.id.encode()).hexdigest()[:24]}.lock"
        try:
            lock = WriterLock(path, case.id)
        except SourceUnavailable:
            yield False
            return
        with closing(lock):
            yield True

    def _read_others(self) -> None:
        """Whoever had the claim before has written the record before letting go of it."""
        if self._is_shared:
            self._done.update(record.case for record in self._log.read_on())


@contextmanager
def hold_appending(path: Path) -> Iterator[None]:
    """No other process writes a line meanwhile. Raises SourceUnavailable while one does."""
    with closing(WriterLock(path.with_suffix(".append.lock"), str(path))):
        yield


def remove_claims(path: Path) -> None:
    """Remove the locks of a run of which every case is recorded: whoever still waits for one finds the record."""
    folder = path.with_suffix(".claims")
    with suppress(OSError):
        for path in [*folder.iterdir()]:
            path.unlink(missing_ok=True)
        folder.rmdir()
