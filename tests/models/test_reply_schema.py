"""A typed reply read out of what a model wrote around it."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wellsourced.errors import UnparsableReply
from wellsourced.models.base import Reply
from wellsourced.models.reply_schema import parse_reply


class Finding(Reply):
    """What was found."""

    number: int
    words: str = ""


GOOD = '{"number": 3, "words": "a {brace} and a \\"quote\\""}'
FOUND = Finding(number=3, words='a {brace} and a "quote"')


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"Here is the answer: {GOOD} I hope that this {{helps}}.",
        f'<think>perhaps {{"number": 9}} or more</think>\n{GOOD}',
        f"The form {{...}} was asked for, so:\n{GOOD}",
        f'{{"reasoning": "first"}}\n{GOOD}',
    ],
)
def test_what_stands_around_a_reply_is_left_out(text: str) -> None:
    assert parse_reply(Finding, text) == FOUND


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("I cannot say.", "it has no JSON object in it"),
        ('{"number": "many"}', "1 faults, the first: number: Input should be a valid integer"),
        (GOOD[:12], "it has no JSON object in it"),
        ("{" * 100_000, "it has no JSON object in it"),
    ],
)
def test_what_holds_no_reply_is_told_with_the_field_at_fault(text: str, says: str) -> None:
    with pytest.raises(UnparsableReply) as caught:
        parse_reply(Finding, text)
    assert says in str(caught.value)
    assert caught.value.reply == text


@settings(max_examples=200, deadline=None)
@given(before=st.text(max_size=200), after=st.text(max_size=200), number=st.integers(), words=st.text(max_size=50))
def test_nothing_is_read_that_does_not_stand_in_the_reply(before: str, after: str, number: int, words: str) -> None:
    written = json.dumps({"number": number, "words": words})
    try:
        read = parse_reply(Finding, before + written + after)
    except UnparsableReply:
        return
    assert str(read.number) in before + written + after
