"""A typed reply read out of what a model wrote around it."""

import gzip
import json
import re
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tables import each_row
from wellsourced.errors import UnparsableReply
from wellsourced.models.base import Reply
from wellsourced.models.reply_parsing import parse_reply
from wellsourced.prompts.evidence import ArticlesReply, UncheckedCard
from wellsourced.text.sanitization import drop_thoughts

OUTPUTS = Path(__file__).parents[3] / "shared" / "data" / "fixtures" / "llm_outputs.jsonl.gz"


class Finding(Reply):
    """What was found."""

    number: int
    words: str = ""


class Notes(Reply):
    """A form whose every field may be left out."""

    notes: tuple[str, ...] = ()


class Choice(Reply):
    """What models were asked for in the outputs that were collected."""

    step_by_step_thinking: str
    answer_choice: str


GOOD = '{"number": 3, "words": "a {brace} and a \\"quote\\""}'
FOUND = Finding(number=3, words='a {brace} and a "quote"')
HOSTILE = [
    "{",
    ",   ",
    ",]",
    '{"a":',
    '{"a":{',
    '\\"',
    '"\\',
    "<think>",
    "</think>",
    '{"number":1}',
    "{      ",
    '[{"number": "',
    "}",
]


@each_row(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```\nThese are the findings.",
        f"Here is the answer: {GOOD} I hope that this {{helps}}.",
        f'<think>perhaps {{"number": 9}} or more</think>\n{GOOD}',
        f'perhaps {{"number": 9}}, since the template began the thought\n</think>\n{GOOD}',
        f'[THINK]{{"number": 9}}[/THINK]{GOOD}',
        f"The form {{...}} was asked for, so:\n{GOOD}",
        f'{{"reasoning": "first"}}\n{GOOD}',
        f'{{"number": 0, "words": "…"}} is the form, and this the reply:\n{GOOD}',
        f"By $\\frac{{a}}{{b}}$ it follows: {GOOD}",
        f'{{"name": "Finding", "arguments": {GOOD}}}',
        f"[{GOOD}]",
        f"{GOOD}\n{{}}",
        f"\ufeff  {GOOD}",
    ],
)
def test_what_stands_around_a_reply_is_left_out(text: str) -> None:
    assert parse_reply(Finding, text) == FOUND


def test_a_line_break_in_a_string_is_one_in_the_reply() -> None:
    assert parse_reply(Finding, '{"number": 3, "words": "one\ntwo"}').words == "one\ntwo"


@each_row(
    "text",
    [
        '{"number": 3, "words": "x", "confidence": 0.9}',
        '{"number": 3, "words": "x",}',
        '{"number": 3, "words": "x",\n"tags": ["a", "b",],\n}',
        'Here:\n```json\n{"why": null, "number": 3, "words": "x",}\n```',
    ],
)
def test_a_key_too_many_and_a_comma_too_many_cost_no_reply(text: str) -> None:
    assert parse_reply(Finding, text) == Finding(number=3, words="x")


@each_row("text", ['{"number": 3, "words": null}', '{"number": 3, "words": null, "note": null}'])
def test_a_null_where_something_may_be_left_out_is_nothing(text: str) -> None:
    assert parse_reply(Finding, text) == Finding(number=3)


def test_slips_deep_in_a_reply_cost_none_of_it() -> None:
    read = parse_reply(
        ArticlesReply,
        """{"items": [
            {"passage_id": "a", "bears": "yes", "quote": "One.", "why": null, "card": null, "score": 5,},
            null,
            {"passage_id": "b", "bears": "no", "card": {"summary": "x", "design": null, "n": 3}},
        ],}""",
    )
    assert [(one.passage_id, one.quote, one.card) for one in read.items] == [
        ("a", "One.", None),
        ("b", "", UncheckedCard(summary="x")),
    ]


def test_a_comma_in_a_string_stays() -> None:
    assert parse_reply(Finding, '{"number": 3, "words": "a, } b,]",}').words == "a, } b,]"


def test_what_is_whole_counts_more_than_what_comes_last_with_a_slip() -> None:
    assert parse_reply(Finding, f'{GOOD} {{"number": 9, "note": "one of this form"}}') == FOUND


def test_a_tag_in_what_is_replied_is_no_thought() -> None:
    assert parse_reply(Finding, '{"number": 3, "words": "between <think> and </think>"}').words.endswith("</think>")


@each_row(
    ("text", "says"),
    [
        ("I cannot say.", "it has no JSON object in it"),
        ("", "it has no JSON object in it"),
        ("[]", "the whole: Input should be an object"),
        ('"better"', "the whole: Input should be an object"),
        ('{"number": "many"}', "number: Input should be a valid integer"),
        ('Here: {"number": "many", "words": "x"}.', "number: Input should be a valid integer"),
        ('{"number": "many", "Mrs Jane Roe": 2}', "(number: Input should be a valid integer"),
        ('{"Mrs Jane Roe": 2}', "number: Field required; …: Extra inputs are not permitted"),
        ('{"number": null, "words": "x"}', "number: Input should be a valid integer"),
        (GOOD[:12], "it has no JSON object in it"),
        ('<think>{"number": 9}', "it has no JSON object in it"),
        ('{"number": 1 "words": {"number": 2}}', "the whole: it is not JSON"),
        ('{"number": ' + "9" * 6000 + "}", "the whole: it is not JSON"),
        ('{"number": 1, "words": "\\ud800"}', "the whole: it is not JSON"),
        ('{"number": 1, "words": "\ud800"}', "the whole: "),
    ],
)
def test_what_holds_no_reply_is_told_with_the_field_at_fault(text: str, says: str) -> None:
    with pytest.raises(UnparsableReply) as caught:
        parse_reply(Finding, text)
    assert says in str(caught.value)
    assert caught.value.reply == text


def test_of_many_faults_some_are_told_and_the_others_counted() -> None:
    faults = ", ".join(f'"x{number}": 0' for number in range(9))
    with pytest.raises(UnparsableReply, match=r"number: Field required; x0: .*; and 5 more"):
        parse_reply(Finding, f"{{{faults}}}")


@each_row("text", ['{"notes": ["a" "b"], "more": {}}', "There is nothing in {} here.", "```\n{}\n```"])
def test_an_empty_object_in_a_text_is_not_taken_for_a_reply_without_anything_in_it(text: str) -> None:
    with pytest.raises(UnparsableReply):
        parse_reply(Notes, text)


def test_an_empty_object_alone_is_a_reply_of_a_form_that_needs_nothing() -> None:
    assert parse_reply(Notes, "{}") == Notes()


@each_row("text", ["", "so far", "<think>still", "a</think>", "a<think>b</think>c", "<THINKING>a"])
def test_thoughts_are_dropped_with_their_tags(text: str) -> None:
    assert drop_thoughts(text) == {"so far": "so far", "a<think>b</think>c": "ac"}.get(text, "")


@each_row("unit", HOSTILE)
def test_no_text_takes_more_than_linear_time(unit: str) -> None:
    text = unit * (400_000 // len(unit))
    begun = time.process_time()
    with suppress(UnparsableReply):
        parse_reply(Finding, text)
    # It takes 0.1 seconds; in quadratic time it would take minutes.
    assert time.process_time() - begun < 5


PIECES = st.one_of(
    st.sampled_from(
        [*HOSTILE, GOOD, "```json\n", "```", '"', "\\", ",", ":", "\n", '{"number": 7}', '"arguments": ', "]"]
    ),
    st.text(alphabet=st.characters(), max_size=10),
)


@settings(max_examples=500, deadline=None)
@given(st.lists(PIECES, max_size=12).map("".join))
def test_nothing_is_read_that_does_not_stand_in_the_reply_and_nothing_else_is_raised(text: str) -> None:
    try:
        read = parse_reply(Finding, text)
    except UnparsableReply as error:
        assert error.reply == text
        return
    said = read.model_dump(exclude_unset=True).items()
    assert any(said <= one.items() for one in list_objects(text) if isinstance(one, dict))


@settings(max_examples=200, deadline=None)
@given(before=st.text("ab {}[\n", max_size=40), number=st.integers(), words=st.text(max_size=50))
def test_a_reply_is_found_behind_any_prose_whose_braces_open_no_string(before: str, number: int, words: str) -> None:
    written = json.dumps({"number": number, "words": words})
    if before.rstrip().endswith("{"):
        before += "."
    assert parse_reply(Finding, before + written) == Finding(number=number, words=words)


def list_objects(text: str) -> list[object]:
    """Every JSON object that stands anywhere in a text, found by trying each pair of braces."""
    found = list[object]()
    for start in (at for at, sign in enumerate(text) if sign == "{"):
        for end in (at + 1 for at, sign in enumerate(text) if sign == "}" and at > start):
            with suppress(ValueError):
                found.append(json.loads(re.sub(r",\s*(?=[}\]])", "", text[start:end]), strict=False))
    return found


@pytest.mark.skipif(not OUTPUTS.exists(), reason="the development data (../shared/data) are not on this machine")
def test_of_what_models_really_wrote_only_what_holds_no_reply_is_not_read() -> None:
    texts = [json.loads(line)["raw_output"] for line in gzip.decompress(OUTPUTS.read_bytes()).splitlines()]
    unread = list[str]()
    for text in texts:
        try:
            parse_reply(Choice, text)
        except UnparsableReply:
            unread.append(text)
    # Seven are the words of a filter; in one the quotation marks within a string are not escaped.
    assert (len(texts), len(unread)) == (1155, 8)
    assert sum('"answer_choice"' in text for text in unread) == 1
