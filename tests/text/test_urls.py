"""One page has one id, however it was linked; two pages have two."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from wellsourced.text.urls import normalize_url, page_key, site_host

PAGE = "https://example.org/gout?id=3"


@each_row(
    "url",
    [
        PAGE,
        "HTTPS://Example.ORG:443/gout/?id=3#treatment",
        " https://example.org./gout?utm_source=news&id=3&utm_medium=e-mail ",
        "https://example.org/gout?id=3&fbclid=x&gclid=y&",
    ],
)
def test_the_ways_to_write_one_address_are_one(url: str) -> None:
    assert normalize_url(url) == PAGE


@each_row(
    "url",
    [
        "http://example.org/gout?id=3",
        "https://example.org:8443/gout?id=3",
        "https://example.org/Gout?id=3",
        "https://example.org/gout?id=4",
        "https://example.org/gout?id=3&page=2",
        "https://www.example.org/gout?id=3",
        "https://example.org/gout?id=3&utm=north",
    ],
)
def test_what_may_be_another_page_is_another(url: str) -> None:
    assert normalize_url(url) != PAGE


@each_row("url", ["", "gout", "file:///etc/hosts", "javascript:alert(1)", "https:///x", "http://[::1", "http://a:b/"])
def test_what_is_no_address_of_the_web_is_refused(url: str) -> None:
    with pytest.raises(ValueError):
        normalize_url(url)


@given(st.text(max_size=60).map(lambda rest: f"http://example.org/{rest}"))
def test_an_address_that_is_normalised_stays_as_it_is(url: str) -> None:
    assert normalize_url(normalize_url(url)) == normalize_url(url)


def test_a_site_is_named_as_people_name_it() -> None:
    assert (site_host("https://www.nih.gov/x"), site_host("http://[::1"), site_host("")) == ("nih.gov", "", "")


@each_row(
    "url",
    [
        "http://example.org/gout?id=3",
        "https://www.example.org/gout/?id=3&utm_source=chatgpt.com#dose",
        "HTTPS://WWW.Example.org/gout?id=3",
    ],
)
def test_the_addresses_under_which_people_cite_one_page_have_one_key(url: str) -> None:
    assert page_key(url) == page_key(PAGE)
    assert page_key(url) != page_key(PAGE.replace("id=3", "id=4"))
