"""Printed pages over HTTP and in a browser: the quoted page beside the answer, and what is said where it is gone."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.forked import run_forked
from tests.readers.reading import read
from tests.server.conftest import TOKEN, copy_home, running_server
from tests.server.printed import HARM, RESULT, TABLE, build_trial
from tests.server.test_pages import list_axe_faults
from tests.tables import each_row
from wellsourced.types import Document

pytestmark = pytest.mark.slow

ASKED = "Does oral magnesium reduce migraine attacks in adults?"
LINK = "Show on the printed page"


class PrintedLibrary(NamedTuple):
    """A server with a library of one PDF, and what that says."""

    address: str
    file: Path
    document: Document

    def way(self, quote: str, path: str = "page", **more: object) -> str:
        start = self.document.text.index(quote)
        asked = {"id": self.document.reference.id, "start": start, "end": start + len(quote), **more}
        return str(httpx.URL(f"{self.address}/document/{path}", params=asked))


def add_to_library(home: Path, file: Path) -> None:
    # A page without words is a fault that the command tells by its status.
    for more in (("create", "trials", "--kind", "research"), ("add", "trials", str(file))):
        run_forked(["--home", str(home), "--offline", "library", *more])


@pytest.fixture(scope="module")
def library(guidelines: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrintedLibrary]:
    folder = tmp_path_factory.mktemp("printed")
    home, file = copy_home(guidelines, folder), folder / "magnesium.pdf"
    build_trial(file)
    add_to_library(home, file)
    document = next(item for item in read(file) if isinstance(item, Document))
    with running_server(home) as address:
        yield PrintedLibrary(address, file, document)


def get_page(address: str, **more: Any) -> httpx.Response:
    """What is shown there; a machine with other work may take long."""
    return httpx.get(address, timeout=60, **more)


def boxes(text: str) -> int:
    return text.count("<rect")


def test_a_quote_opens_on_its_page_with_a_box_for_each_line(library: PrintedLibrary) -> None:
    told = get_page(library.way(HARM)).text
    assert "Page 2 of 6, as printed" in told
    assert boxes(told) == 2
    assert f"<mark>{HARM}</mark>" in told
    sideways = get_page(library.way(TABLE)).text
    assert "Page 5 of 6" in sideways and boxes(sideways) == 1


def test_a_quote_over_a_page_break_is_marked_on_both_pages_which_lead_to_each_other(library: PrintedLibrary) -> None:
    first, second = get_page(library.way(RESULT)).text, get_page(library.way(RESULT, page=2)).text
    assert "The quote continues on page 2" in first and "The quote begins on page 1" in second
    assert boxes(first) == 3 and boxes(second) == 2
    marked = [re.search(r"<mark>(.*?)</mark>", text, re.DOTALL) for text in (first, second)]
    assert " ".join(one[1] for one in marked if one) == RESULT
    assert boxes(get_page(library.way(RESULT, page=3)).text) == 0


def test_a_scanned_page_is_shown_and_said_to_have_no_words(library: PrintedLibrary) -> None:
    told = get_page(library.way(HARM, page=6))
    assert told.status_code == 200
    assert "No words were read here" in told.text
    assert "Next page" not in told.text


def test_a_picture_is_kept_by_the_browser_alone_and_is_larger_when_asked(library: PrintedLibrary) -> None:
    small, large = (get_page(library.way(HARM, "picture", page=2, size=size)) for size in (1, 3))
    assert small.headers["content-type"] == "image/png"
    assert small.headers["cache-control"] == "private, max-age=3600"
    assert small.headers["x-content-type-options"] == "nosniff"
    widths = [int.from_bytes(told.content[16:20], "big") for told in (small, large)]
    assert widths == [1200, 2400]


@each_row(
    ("more", "status"),
    [({"page": 7}, 404), ({"page": -1}, 422), ({"size": 9}, 422), ({"page": 10**9}, 422), ({"start": -5}, 200),
     ({"end": 10**9}, 200), ({"start": "x"}, 422), ({"start": 10**30, "end": 10**31}, 200)],
)  # fmt: skip
def test_no_page_that_is_asked_for_breaks_anything(
    library: PrintedLibrary, more: dict[str, object], status: int
) -> None:
    assert get_page(library.way(HARM, **more)).status_code == status


@each_row("id", ["/etc/passwd", "../magnesium.pdf", "file:/etc/passwd", "{file}", "file://{file}", ""])
def test_no_file_is_given_but_by_the_id_of_its_document(library: PrintedLibrary, id: str) -> None:
    asked = {"id": id.format(file=library.file)}
    for path in ("page", "picture"):
        assert get_page(f"{library.address}/document/{path}", params=asked).status_code == 404


def test_a_document_without_pages_is_shown_as_its_text(library: PrintedLibrary) -> None:
    hits = httpx.post(f"{library.address}/api/v1/search", json={"question": "How is gout treated?"}, timeout=60).json()
    asked = {"id": hits["passages"][0]["reference"]["id"], "start": 5, "end": 30}
    told = get_page(f"{library.address}/document/page", params=asked)
    assert told.status_code == 303
    assert get_page(f"{library.address}{told.headers['location']}").status_code == 200
    assert get_page(f"{library.address}/document/picture", params=asked).status_code == 404


def test_without_a_token_there_is_neither_page_nor_picture(guarded: str) -> None:
    for path in ("page", "picture"):
        assert get_page(f"{guarded}/document/{path}?id=x").status_code == 401
        told = get_page(f"{guarded}/document/{path}?id=x", headers={"authorization": f"Bearer {TOKEN}"})
        assert told.status_code == 404


def test_a_pdf_that_changed_or_is_gone_is_said_to_be_and_its_text_is_shown(library: PrintedLibrary) -> None:
    kept = library.file.read_bytes()
    stamp = library.file.stat()
    try:
        library.file.write_bytes(kept + b"\n% changed")
        changed, picture = get_page(library.way(HARM)).text, get_page(library.way(HARM, "picture"))
        library.file.unlink()
        gone = get_page(library.way(HARM)).text
    finally:
        library.file.write_bytes(kept)
        os.utime(library.file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert "The PDF has changed since it was read" in changed
    assert picture.status_code == 404
    assert "The PDF was moved or deleted" in gone
    for text in (changed, gone):
        assert f'<mark id="quote">{HARM}</mark>' in text
        assert str(library.file.parent) not in text
    assert boxes(get_page(library.way(HARM)).text) == 2


def ask(page: Page) -> None:
    page.goto("/")
    page.get_by_label("Question").fill(ASKED)
    page.get_by_role("button", name="Ask").click()
    page.wait_for_selector(".excerpt")


def test_the_printed_page_opens_beside_the_answer_and_by_keyboard_closes_again(
    browser: Browser, library: PrintedLibrary
) -> None:
    context = browser.new_context(base_url=library.address, viewport={"width": 1400, "height": 900})
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    ask(page)
    run = page.url
    link = page.get_by_role("link", name=LINK).first
    link.focus()
    page.keyboard.press("Enter")
    beside = page.get_by_role("complementary", name="The printed page")
    expect(beside).to_be_focused()
    expect(beside.locator("#quote")).to_be_in_viewport()
    assert (
        beside.locator("img").evaluate("async (image) => { await image.decode(); return image.naturalWidth }") == 1200
    )
    expect(page.locator(".excerpt").first).to_be_visible()
    assert list_axe_faults(page) == []
    beside.get_by_role("link", name="Next page").click()
    expect(beside).to_contain_text("Page 2 of 6")
    beside.get_by_role("link", name="Larger").click()
    expect(beside.locator(".size-2")).to_be_visible()
    assert page.url == run
    page.keyboard.press("Escape")
    expect(beside).to_have_count(0)
    expect(link).to_be_focused()
    assert not faults
    context.close()


@pytest.mark.parametrize(
    ("width", "script", "scheme"),
    [
        (360, True, "light"),
        pytest.param(1280, False, "dark", marks=pytest.mark.nightly),
        pytest.param(360, True, "dark", marks=pytest.mark.nightly),
        pytest.param(1280, False, "light", marks=pytest.mark.nightly),
    ],
)
def test_on_a_phone_or_without_a_script_its_link_leads_to_the_page(
    browser: Browser, library: PrintedLibrary, scheme: str, width: int, script: bool
) -> None:
    viewport = {"width": width, "height": 800}
    context = browser.new_context(
        base_url=library.address,
        color_scheme=scheme,
        viewport=viewport,
        java_script_enabled=script,  # type: ignore[arg-type]
    )
    page = context.new_page()
    ask(page)
    page.get_by_role("link", name=LINK).first.click()
    expect(page.locator("h2").first).to_have_text("Page 1 of 6, as printed")
    expect(page.locator("#quote")).to_be_in_viewport()
    page.get_by_role("link", name="Larger").click()
    page.get_by_role("link", name="Next page").click()
    expect(page.locator("h2").first).to_have_text("Page 2 of 6, as printed")
    if script:
        assert list_axe_faults(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
