"""The names that blocks of reports had before `tables.py`."""

# ruff: noqa: F401

from wellsourced_evaluate.tables import (
    Block as ReportBlock,
)
from wellsourced_evaluate.tables import (
    Bullets as ReportList,
)
from wellsourced_evaluate.tables import (
    Heading as ReportHeading,
)
from wellsourced_evaluate.tables import (
    Picture as ReportPicture,
)
from wellsourced_evaluate.tables import (
    Table as ReportTable,
)
from wellsourced_evaluate.tables import (
    Text as ReportText,
)
from wellsourced_evaluate.tables import (
    to_markdown as blocks_to_markdown,
)
from wellsourced_evaluate.tables import (
    to_page as blocks_to_page,
)


def format_decimal(value: float | None, digits: int = 3) -> str:
    """So many digits; a dash where there is none."""
    return "–" if value is None else f"{value:.{digits}f}"


def format_interval(low: float | None, high: float | None) -> str:
    """Both ends; a dash where there are none."""
    return "–" if low is None or high is None else f"{low:.3f}–{high:.3f}"
