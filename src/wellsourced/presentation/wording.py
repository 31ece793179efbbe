"""Statuses, counts, sizes and figures as every view words them."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

# The command line words counts while a shell waits for it: it must not load the values of results.
if TYPE_CHECKING:
    from wellsourced.presentation.blocks import Locator
    from wellsourced.types import VerdictStatus

STATUS_WORDS: "dict[VerdictStatus, str]" = {
    "verbatim": "verbatim",
    "verified": "verified",
    "contradicted": "contradicted",
    "unsupported": "not supported",
    "unverified": "not verified",
    "unjudged": "not judged",
}

STATUS_MARKS = dict(zip(STATUS_WORDS, "✓✓✗✗~?", strict=True))


def format_count(number: int, noun: str) -> str:
    """ "1 passage", "1,204 passages", "2 libraries"."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def format_size(number: float) -> str:
    """Bytes as people say them: "3.1 GB"."""
    for unit in ("bytes", "kB", "MB"):
        if number < 1000:
            return f"{number:.0f} {unit}" if unit == "bytes" else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:.1f} GB"


def format_decimal(value: float | None) -> str:
    """Three decimals; a dash for what is not known (None, NaN)."""
    return "–" if value is None or value != value else f"{value:.3f}"


def format_percent(share: float | None) -> str:
    """ "75.0 %"; "" of nothing."""
    return "" if share is None else f"{100 * share:.1f} %"


def format_interval(low: float | None, high: float | None) -> str:
    """The interval in percent; "" without one."""
    return "" if low is None or high is None else f"{100 * low:.1f}–{100 * high:.1f}"


def is_web_address(address: str) -> bool:
    """Whether an address is of the web: a document may name others (javascript:, data:), which become no link."""
    return address.lower().startswith(("https://", "http://"))


def name_place(locator: "Locator") -> str:
    """The section of a work, and the page: "Dosing › Adults, page 12"; "" where neither is known."""
    return ", ".join(filter(None, (locator.section, f"page {locator.page}" if locator.page else "")))


def format_numbers(numbers: Iterable[int]) -> str:
    """ "[1][3]"."""
    return "".join(f"[{number}]" for number in numbers)


_SHARES = re.compile(r"(?:[a-z]+(?: [a-z]+)? \d\.\d+(?:, |$)){3,}")
"""Scores of a local judge: "supports 0.31, contradicts 0.02, silent 0.67", "meaning 0.72, result 0.00, …"."""


def explain_reason(reason: str) -> str:
    """A reason in plain words: a judge's scores, which mean nothing to a reader, as what follows from them."""
    return _SHARES.sub("the local judge's score is too low", reason)
