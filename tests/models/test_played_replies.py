"""Replies that somebody wrote by hand, playing a strong language model: each is read in the form that was asked for."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.world import Knowing  # noqa: F401  the prompts' modules are imported with it
from wellsourced.models.base import Reply
from wellsourced.models.reply_parsing import parse_reply

REPLIES = Path(__file__).parent.parent / "data" / "replies"
FILES = ("played_by_hand.jsonl.gz", "played_by_hand_2.jsonl.gz")
ROWS = [
    json.loads(line)
    for name in FILES
    for line in gzip.decompress((REPLIES / name).read_bytes()).decode("utf-8").splitlines()
]


def list_forms(kind: type[Reply] = Reply) -> dict[str, type[Reply]]:
    found = {kind.__name__: kind}
    for one in kind.__subclasses__():
        found |= list_forms(one)
    return found


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['run']}-{row['n']}")
def test_a_reply_is_read_in_the_form_that_was_asked_for(row: dict[str, Any]) -> None:
    form = list_forms()[row["form"]]
    assert isinstance(parse_reply(form, row["reply"]), form)


def test_prose_around_a_reply_does_not_hide_it() -> None:
    for row in ROWS:
        form = list_forms()[row["form"]]
        around = f"Here is what you asked for:\n```json\n{row['reply']}\n```\nI hope this helps."
        assert parse_reply(form, around) == parse_reply(form, row["reply"])
