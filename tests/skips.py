"""Count skipped tests by reason; where `CI` is set, a reason that nobody wrote into `skips.toml` fails the run."""

import os
import tomllib
from collections import defaultdict
from pathlib import Path

import pytest

KNOWN = Path(__file__).with_name("skips.toml")


def read_known(path: Path = KNOWN) -> frozenset[str]:
    """Reasons for which a test may be skipped on a machine that has everything `.ci/run` installs."""
    return frozenset(tomllib.loads(path.read_text(encoding="utf-8")))


class SkipCounter:
    """A plugin of pytest: in the process that starts the others it hears of every test that any of them skips."""

    def __init__(self, known: frozenset[str]) -> None:
        self.known = known
        self.skipped: dict[str, set[str]] = defaultdict(set)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._count(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._count(report)

    def _count(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        # Of an expected failure only the reason to expect it is told, and no place.
        if report.skipped and isinstance(report.longrepr, tuple):
            self.skipped[report.longrepr[2].removeprefix("Skipped: ")].add(report.nodeid)

    @property
    def unknown(self) -> list[str]:
        """Reasons that were met and are not known."""
        return sorted(self.skipped.keys() - self.known)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Workers of xdist leave the verdict to the process that started them."""
        fails = os.environ.get("CI") and not hasattr(session.config, "workerinput")
        if fails and self.unknown and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Write how many tests each reason cost."""
        for reason, tests in sorted(self.skipped.items()):
            known = "" if reason in self.known else " (not in tests/skips.toml)"
            terminalreporter.write_line(f"{len(tests)} skipped: {reason}{known}")
