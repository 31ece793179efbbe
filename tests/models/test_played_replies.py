"""Replies that somebody wrote by hand, playing a strong language model: each is read in the form that was asked for."""

import gzip
import json
from pathlib import Path
from typing import Any

from tests.scripted_model import ScriptedModel
from tests.tables import each_row
from tests.world import Knowing  # noqa: F401  the prompts' modules are imported with it
from wellsourced.judges.base import Pair
from wellsourced.judges.llm import LlmJudge
from wellsourced.models.base import Reply
from wellsourced.models.reply_parsing import parse_reply
from wellsourced.prompts.verification import VerificationReply, VerifyStatements
from wellsourced.types import short_key

REPLIES = Path(__file__).parent.parent / "data" / "replies"
FILES = ("played_by_hand.jsonl.gz", "played_by_hand_2.jsonl.gz", "played_by_hand_3.jsonl.gz")
ROWS = [
    json.loads(line)
    for name in FILES
    for line in gzip.decompress((REPLIES / name).read_bytes()).decode("utf-8").splitlines()
]

CHECKS = [row for row in ROWS if row.get("preset") == "check"]


def list_forms(kind: type[Reply] = Reply) -> dict[str, type[Reply]]:
    found = {kind.__name__: kind}
    for one in kind.__subclasses__():
        found |= list_forms(one)
    return found


@each_row("row", ROWS)
def test_a_reply_is_read_in_the_form_that_was_asked_for(row: dict[str, Any]) -> None:
    form = list_forms()[row["form"]]
    assert isinstance(parse_reply(form, row["reply"]), form)


def test_prose_around_a_reply_does_not_hide_it() -> None:
    for row in ROWS:
        form = list_forms()[row["form"]]
        around = f"Here is what you asked for:\n```json\n{row['reply']}\n```\nI hope this helps."
        assert parse_reply(form, around) == parse_reply(form, row["reply"])


@each_row("row", CHECKS)
async def test_a_played_verdict_is_believed_with_the_words_that_it_copied(row: dict[str, Any]) -> None:
    reply = parse_reply(VerificationReply, row["reply"])
    model = ScriptedModel({VerifyStatements: reply})
    found = await LlmJudge(model).judge([Pair(statement, row["source"]) for statement in row["statements"]])
    said = {one.key: "silent" if one.partial else one.label for one in reply.items}
    assert [verdict.label for verdict in found] == [said[short_key(statement)] for statement in row["statements"]]
    assert all(verdict.quote for verdict in found if verdict.label != "silent")
    assert len(model.prompts) == 1
