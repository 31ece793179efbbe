"""A page that is an empty shell is read from the data that it carries; what is no prose in it is left out."""

import json
from datetime import date
from typing import Any

import pytest

from tests.tables import each_row
from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced.readers.html_pages import WebPage, read_web_page
from wellsourced.readers.html_tree import MAX_VALUES, embedded_prose

LONG = (
    "Colchicine shortened flares of gout by two days in adults who took 0.5 mg three times a day, and did so as well "
    "as naproxen in a trial of four hundred people who were seen by their own doctors and followed for a month."
)
STATE = {
    "props": {
        "page": {
            "title": "Colchicine in gout",
            "slug": "/conditions/gout/colchicine-for-flares",
            "style": ".a{color:red} .b{margin:0 auto} .c{padding:1rem} .d{top:0}",
            "body": f"<p>{LONG}</p><p>Nausea was seen in 13&nbsp;% of the patients who took it.</p>",
            "menu": ["Home", "About us", "Contact"],
        }
    }
}


def read(body: str | bytes, type: str = "text/html") -> Any:
    page = WebPage(url="https://example.org/gout", type=type, today=date(2026, 11, 1))
    return read_web_page(page, body.encode() if isinstance(body, str) else body)


def shell(state: Any, type: str = "application/json", shown: str = "") -> str:
    data = f'<script id="__NEXT_DATA__" type="{type}">{json.dumps(state)}</script>'
    return f"<html><head><title>Gout</title></head><body><div id=root>{shown}</div>{data}</body></html>"


@each_row("type", ["application/json", "application/ld+json"])
def test_an_empty_shell_is_read_from_the_data_that_it_carries(type: str) -> None:
    document = read(shell(STATE, type))
    assert document.text == f"{LONG}\n\nNausea was seen in 13 % of the patients who took it."
    assert document.sections and document.reference.title == "Gout"


def test_a_page_that_shows_its_text_is_read_as_it_is_shown() -> None:
    shown = f"<article><h1>Gout</h1><p>{LONG.replace('two days', 'three days')}</p></article>"
    assert "two days" not in read(shell(STATE, shown=shown)).text


def test_an_answer_of_json_alone_is_read_with_its_title() -> None:
    document = read(json.dumps(STATE), "application/json")
    assert document.text.startswith(LONG)
    assert document.reference.title == "Colchicine in gout"
    assert document.reference.id == "url:https://example.org/gout"


@each_row("state", [{"menu": ["Home", "About"]}, [], "x", {"a": {"b": 3}}])
def test_data_without_prose_says_that_there_is_no_text(state: Any) -> None:
    with pytest.raises(UnreadableFile, match="with JavaScript"):
        read(shell(state))
    with pytest.raises(SourceRefused, match="contains no readable text"):
        read(json.dumps(state), "application/json")


def test_broken_deep_or_endless_data_is_no_text_and_no_failure() -> None:
    assert embedded_prose(["{not json", "[" * 200_000, "", json.dumps([[LONG], LONG])]) == [LONG]
    assert len(embedded_prose([json.dumps([1] * (MAX_VALUES + 5) + [LONG])])) == 0
