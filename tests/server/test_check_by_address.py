"""A page of the web that is checked by its address: who is asked for it, when, and what becomes of the bookmark."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.app.checking import FLARE, PAGE, WRONG, web
from tests.server.conftest import TOKEN, copy_home, running_server
from tests.servers.base import Asked, Said, Served, serving
from tests.tables import each_row
from wellsourced.server.access import is_own_page
from wellsourced.server.pages.question_pages import MAX_ADDRESS_LENGTH, find_host, write_bookmarklet

LANDING = b"<!doctype html><title>Elsewhere</title><p>A page of somebody else.</p>"
DEAD = "http://127.0.0.1:9"

pytestmark = pytest.mark.slow


class CheckedSite(NamedTuple):
    """A server of ours that may ask one site, and that site."""

    server: str
    site: Served
    tokens: str

    @property
    def leaflet(self) -> str:
        """The address of a page that cites another of its site."""
        return f"{self.site.url}/leaflet?a=1&b=2"

    @property
    def fetched(self) -> list[Asked]:
        """What the site was asked, but for what a browser of the tests asked it."""
        return [one for one in self.site.asked if one.headers["User-Agent"].startswith("wellsourced/")]


def answer(asked: Asked) -> Said:
    if asked.path == "/leaflet":
        host = asked.headers["Host"]
        text = f'{FLARE} <a href="http://{host}/trial">[1]</a></p><p>{WRONG} <a href="http://{host}/trial">[1]</a>'
        return Said(PAGE.format(title="A leaflet on gout", text=text).encode(), type="text/html; charset=utf-8")
    if asked.path == "/secret":
        return Said(status=302, headers={"Location": f"{DEAD}/metadata"})
    if asked.path == "/large":
        return Said((b" " * 1_000_000 for _ in range(22)), type="text/html")
    if asked.path == "/elsewhere":
        return Said(LANDING, type="text/html")
    return web(asked)


def name_network(site: Served) -> list[str]:
    """Options that let a server ask this site alone."""
    settings = {
        "network.private_hosts": site.url.removeprefix("http://"),
        "network.seconds": "5",
        "network.cache": "false",
        "tracing.doi": DEAD,
        **{f"{name}.url": DEAD for name in ("pubmed", "europe_pmc", "crossref")},
    }
    return [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]


@pytest.fixture(scope="module")
def checked_site(guidelines: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CheckedSite]:
    home = copy_home(guidelines, tmp_path_factory.mktemp("checked"), (TOKEN,))
    with serving(answer) as site:
        network = name_network(site)
        with (
            running_server(home, network=network) as server,
            running_server(home, "--tokens", str(home / "tokens.txt"), network=network) as guarded,
        ):
            yield CheckedSite(server, site, guarded)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context()
    yield context.new_page()
    context.close()


def read_end(server: str, way: str) -> str:
    """The page of a run that has ended."""
    httpx.get(f"{server}{way}/events", timeout=60)
    return httpx.get(f"{server}{way}").text


def send_address(server: str, address: str) -> str:
    way = httpx.post(f"{server}/check", data={"address": address}).headers["location"]
    return read_end(server, way)


def follow_bookmark(page: Page, bookmarklet: str) -> None:
    """Do on this page what a browser does when the bookmark is clicked."""
    with page.expect_navigation():
        page.evaluate(bookmarklet.removeprefix("javascript:"))


def test_a_bookmark_opens_the_form_and_the_page_is_fetched_when_check_is_pressed(
    page: Page, checked_site: CheckedSite
) -> None:
    page.goto(f"{checked_site.server}/check")
    link = page.get_by_role("link", name="Check with wellsourced")
    bookmarklet = link.get_attribute("href") or ""
    assert bookmarklet == page.get_by_label("Or create a bookmark").input_value()
    page.goto(checked_site.leaflet)
    asked = len(checked_site.fetched)
    follow_bookmark(page, bookmarklet)
    expect(page.get_by_label("Or the address of a web page")).to_have_value(checked_site.leaflet)
    host = checked_site.site.url.removeprefix("http://")
    expect(page.locator("#fetched")).to_contain_text(f"This server then asks {host}")
    page.reload()
    assert len(checked_site.fetched) == asked
    page.get_by_role("button", name="Check").click()
    page.wait_for_selector(".report")
    fetched = checked_site.fetched[asked]
    assert (fetched.path, fetched.fields) == ("/leaflet", {"a": "1", "b": "2"})
    assert not {"Cookie", "Referer"} & set(fetched.headers)
    expect(page.locator(".report h2").first).to_have_text(checked_site.leaflet)
    expect(page.locator(".report .statement").filter(has_text="shortened gout flares").first).to_contain_text(
        "verbatim"
    )


def test_a_click_on_the_link_does_nothing(page: Page, checked_site: CheckedSite) -> None:
    page.goto(f"{checked_site.server}/check")
    with page.expect_console_message() as told:
        page.get_by_role("link", name="Check with wellsourced").click()
    assert "Content Security Policy" in told.value.text
    assert page.url == f"{checked_site.server}/check"


def test_a_visitor_who_is_signed_in_comes_through_the_page_of_signing_in(page: Page, checked_site: CheckedSite) -> None:
    """The cookie does not come along from a page of another site (localhost and 127.0.0.1 are two)."""
    page.goto(f"{checked_site.tokens}/check")
    page.get_by_label("Token").fill(TOKEN)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{checked_site.tokens}/check")
    bookmarklet = page.get_by_role("link", name="Check with wellsourced").get_attribute("href") or ""
    there = f"{checked_site.site.url.replace('127.0.0.1', 'localhost')}/elsewhere"
    page.goto(there)
    follow_bookmark(page, bookmarklet)
    page.get_by_role("link", name="continue to the page").click()
    expect(page.get_by_label("Or the address of a web page")).to_have_value(there)


def test_who_has_no_token_makes_the_server_fetch_nothing(checked_site: CheckedSite) -> None:
    asked = len(checked_site.fetched)
    for headers in ({}, {"origin": checked_site.tokens}, {"cookie": "wellsourced_token=wrong"}):
        told = httpx.post(f"{checked_site.tokens}/check", data={"address": checked_site.leaflet}, headers=headers)
        assert told.status_code == 401
    told = httpx.get(f"{checked_site.tokens}/check?address={quote(checked_site.leaflet)}")
    assert told.status_code == 401
    assert len(checked_site.fetched) == asked


def test_a_page_of_somebody_else_makes_the_server_fetch_nothing(checked_site: CheckedSite) -> None:
    asked = len(checked_site.fetched)
    for origin in ("null", "https://evil.example"):
        data, headers = {"address": checked_site.leaflet}, {"origin": origin}
        assert httpx.post(f"{checked_site.server}/check", data=data, headers=headers).status_code == 403
    assert len(checked_site.fetched) == asked


@each_row(
    ("address", "said"),
    [
        ("http://127.0.0.1:9/", "not on the public internet"),
        ("http://[::1]/", "not on the public internet"),
        ("http://169.254.169.254/latest/meta-data", "not on the public internet"),
        ("http://2130706433/", "a disguised address"),
        ("{site}/secret", "not on the public internet"),
        ("{site}/large", "20,000,000 bytes"),
        ("{site}/nothing", "404"),
        ("{site}/letter?mail=erika.mustermann@example.org", "may identify a person"),
    ],
)
def test_what_is_not_fetched_is_told(checked_site: CheckedSite, address: str, said: str) -> None:
    told = send_address(checked_site.server, address.format(site=checked_site.site.url))
    assert 'role="alert"' in told
    assert said in told


@each_row(
    "form",
    [{}, {"address": "file:///etc/passwd"}, {"address": "example.org"}, {"address": "https://e.org", "text": "x"}],
)
def test_what_is_no_address_or_one_thing_too_many_begins_nothing(
    checked_site: CheckedSite, form: dict[str, str]
) -> None:
    told = httpx.post(f"{checked_site.server}/check", data=form)
    assert told.status_code == 422
    assert 'role="alert"' in told.text


def test_a_server_that_is_offline_says_so_and_fetches_nothing(address: str) -> None:
    assert "fetches no pages" in httpx.get(f"{address}/check?address=https://example.org/").text
    told = httpx.post(f"{address}/check", data={"address": "https://example.org/"})
    assert told.status_code == 422
    assert "network.offline" in told.text


def test_an_address_is_shown_as_text(checked_site: CheckedSite) -> None:
    told = httpx.get(f"{checked_site.server}/check", params={"address": '"><script>1</script>'}).text
    assert "<script>1" not in told


@each_row(
    ("address", "host"),
    [
        ("https://user:word@example.org:444/a", "example.org:444"),
        ("javascript:alert(1)", ""),
        ("https://[broken", ""),
        (f"https://example.org/{'a' * MAX_ADDRESS_LENGTH}", ""),
    ],
)
def test_who_would_be_asked_is_the_host_alone(address: str, host: str) -> None:
    assert find_host(address) == host


def test_no_name_of_a_server_ends_the_words_of_a_bookmark() -> None:
    assert "'+alert" not in write_bookmarklet("http://a'+alert(1)+'/")


@each_row("path", ["//evil.example", "/\\evil.example", "/\t/evil.example", "https://evil.example", ""])
def test_who_signs_in_stays_on_this_server(path: str) -> None:
    assert not is_own_page(path)
    assert is_own_page("/check?address=https://example.org")
