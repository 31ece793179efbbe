"""A checked text for programs: everything that is known, as JSON."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from wellsourced.app.check.results import CheckedText
from wellsourced.app.terminal import escape_unsafe
from wellsourced.types import ShareInterval


def render_json(results: Sequence[CheckedText], together: Mapping[str, ShareInterval]) -> str:
    """One text as its Checkup; several under `checkups`, by their names, with the figures of all of them."""
    if len(results) == 1:
        told: Any = _checkup_data(results[0])
    else:
        shares = {name: share.model_dump(mode="json") for name, share in together.items()}
        told = {"checkups": {one.name: _checkup_data(one) for one in results}, "shares": shares}
    return escape_unsafe(json.dumps(told, ensure_ascii=False, indent=2)) + "\n"


def _checkup_data(result: CheckedText) -> dict[str, Any]:
    return result.checkup.model_dump(mode="json")
