"""Pictures of the pages on a desk, on a phone, in the dark and on paper, compared by where their parts are.

Pixels of a browser change with each release of it; what stands above or beside what, and how large, does not.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, FloatRect, Locator, Page, expect

from tests.server.test_kept_runs import ask
from tests.server.test_pages import ASKED

WIDE = "What is the route of thrombolysis for DVT and PE?"
"""Answered by a table of four columns."""

MIN_TARGET = 24
"""Pixels that something to be clicked is high and wide (WCAG 2.2, 2.5.8)."""

DESK, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}

LOOKS: dict[str, dict[str, Any]] = {
    "desk": {"viewport": DESK},
    "dark": {"viewport": DESK, "color_scheme": "dark"},
    "phone": {"viewport": PHONE, "has_touch": True, "is_mobile": True},
}

FIRST_PAGE = ("h1", ".ask", ".examples", ".card:has(.searched)", ".card:has(.recent)")
ANSWER = (".asked h1", ".outline", ".result", ".beside-page")
HISTORY = ("h1", ".find", ".runs")

pytestmark = pytest.mark.slow


class Answered(NamedTuple):
    """A server that was asked two questions, and where their answers are."""

    address: str
    answer: str
    wide: str


@pytest.fixture(scope="module")
def answered(address: str) -> Answered:
    with httpx.Client(base_url=address, timeout=60) as client:
        return Answered(address, *(address + ask(client, question) for question in (ASKED, WIDE)))


@pytest.fixture(params=LOOKS)
def look(request: pytest.FixtureRequest, browser: Browser, address: str) -> Iterator[tuple[str, BrowserContext]]:
    context = browser.new_context(base_url=address, **LOOKS[request.param])
    yield request.param, context
    context.close()


def box(part: Locator) -> FloatRect:
    found = part.bounding_box()
    assert found, f"{part} is not shown"
    return found


def are_apart(one: FloatRect, other: FloatRect) -> bool:
    return (
        one["x"] + one["width"] <= other["x"]
        or other["x"] + other["width"] <= one["x"]
        or one["y"] + one["height"] <= other["y"]
        or other["y"] + other["height"] <= one["y"]
    )


def assert_laid_out(page: Page, parts: tuple[str, ...]) -> dict[str, FloatRect]:
    """Each part is shown within the width of the screen, none over another, in the order in which they are read."""
    boxes = {part: box(page.locator(part).first) for part in parts if page.locator(part).first.is_visible()}
    width = page.evaluate("document.documentElement.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for part, place in boxes.items():
        assert place["x"] >= 0 and place["x"] + place["width"] <= width, part
        assert all(are_apart(place, other) for name, other in boxes.items() if name != part), part
    order = sorted(boxes, key=lambda part: (boxes[part]["x"] > width / 2, boxes[part]["y"], boxes[part]["x"]))
    assert order == list(boxes)
    return boxes


def list_small_targets(page: Page) -> list[str]:
    """What is to be clicked and is too small for a finger; links in running text are as high as it is."""
    small = []
    for part in page.locator("button, summary, nav a, input:not([type=hidden]), textarea, select").all():
        place = part.bounding_box()
        if place and part.is_visible() and min(place["width"], place["height"]) < MIN_TARGET:
            small.append(part.evaluate("part => part.outerHTML")[:120])
    return small


def test_the_first_page(look: tuple[str, BrowserContext], answered: Answered, tmp_path: Path) -> None:
    name, context = look
    page = context.new_page()
    page.goto("/")
    boxes = assert_laid_out(page, FIRST_PAGE)
    assert list(boxes) == list(FIRST_PAGE)
    assert list_small_targets(page) == []
    seen = box(page.get_by_label("Question", exact=True))
    assert seen["y"] + seen["height"] <= PHONE["height"]
    is_beside = boxes[".ask"]["x"] + boxes[".ask"]["width"] <= boxes[".card:has(.searched)"]["x"]
    assert is_beside == (name != "phone")
    if name != "phone":
        # What can be asked is seen without scrolling.
        assert box(page.locator(".examples li").nth(1))["y"] < DESK["height"]
    picture = page.screenshot(path=tmp_path / f"first-{name}.png")
    assert picture.startswith(b"\x89PNG")


def test_an_answer(look: tuple[str, BrowserContext], answered: Answered, tmp_path: Path) -> None:
    name, context = look
    page = context.new_page()
    page.goto(answered.answer)
    boxes = assert_laid_out(page, ANSWER)
    assert list_small_targets(page) == []
    assert (".beside-page" in boxes) == (name != "phone")
    if name != "phone":
        # Three columns, of which those that are read have room for a line of sixty letters.
        assert boxes[".outline"]["x"] < boxes[".result"]["x"] < boxes[".beside-page"]["x"]
        assert min(boxes[part]["width"] for part in (".result", ".beside-page")) > 480
        expect(page.locator(".beside-page #quote")).to_be_in_viewport()
    for section in page.locator(".excerpt:not(.document *)").all():
        heading, line = box(section.locator("h3")), box(section.locator(".line, .scroll").first)
        assert heading["y"] + heading["height"] <= line["y"]
    places = page.locator(".origin")
    assert all(box(one)["height"] < 30 for one in places.all())
    page.screenshot(path=tmp_path / f"answer-{name}.png")
    page.goto("/runs")
    assert list(assert_laid_out(page, HISTORY)) == list(HISTORY)
    assert list_small_targets(page) == []


def test_colours_of_the_dark_are_dark(browser: Browser, answered: Answered) -> None:
    lights = []
    for look in ("desk", "dark"):
        context = browser.new_context(**LOOKS[look])
        page = context.new_page()
        page.goto(answered.answer)
        colours = [page.locator(part).first.evaluate("part => getComputedStyle(part).backgroundColor")
                   for part in ("body", ".excerpt", ".beside-page")]  # fmt: skip
        lights.append([sum(map(int, re.findall(r"\d+", one)[:3])) for one in colours])
        context.close()
    assert min(lights[0]) > 600 and max(lights[1]) < 200


def test_on_paper_tables_and_quotes_stay_and_forms_go(browser: Browser, answered: Answered, tmp_path: Path) -> None:
    context = browser.new_context(viewport={"width": 794, "height": 1123})
    page = context.new_page()
    page.goto(answered.wide)
    page.emulate_media(media="print")
    for gone in ("body > header", ".outline", ".beside-page", ".follow", ".files", "button"):
        assert not page.locator(gone).first.is_visible(), gone
    table = page.locator(".excerpt table").first
    assert box(table)["x"] + box(table)["width"] <= 794
    expect(table.locator("th").first).to_be_visible()
    expect(page.locator(".excerpt mark").first).to_be_visible()
    assert page.pdf(path=tmp_path / "answer.pdf", format="A4").startswith(b"%PDF")
    context.close()


def test_a_table_that_is_cut_off_on_a_phone_says_so_and_is_scrolled_by_keys(
    browser: Browser, answered: Answered
) -> None:
    context = browser.new_context(**LOOKS["phone"])
    page = context.new_page()
    page.goto(answered.wide)
    table = page.get_by_role("region", name="Table").first
    hint = page.get_by_text("Scroll sideways to see all columns").first
    expect(hint).to_be_visible()
    assert box(hint)["y"] < box(table)["y"]
    table.focus()
    # The page refuses what `wait_for_function` evaluates when it asks a second time.
    for _ in range(100):
        page.keyboard.press("ArrowRight")
        if table.evaluate("it => it.scrollLeft"):
            break
        page.wait_for_timeout(50)
    assert table.evaluate("it => it.scrollLeft") > 0
    context.close()


def test_times_are_those_of_the_reader_and_without_a_script_of_utc(browser: Browser, answered: Answered) -> None:
    said = []
    for more in ({"timezone_id": "Asia/Kolkata"}, {"timezone_id": "UTC"}, {"java_script_enabled": False}):
        context = browser.new_context(locale="en-GB", **more)
        page = context.new_page()
        page.goto(answered.answer)
        said.append(page.locator("time").first.inner_text())
        assert re.fullmatch(r"[\d-]+T[\d:]+\+00:00", page.locator("time").first.get_attribute("datetime") or "")
        context.close()
    assert said[0] != said[1]
    assert said[2].endswith(" UTC") and " UTC" not in said[0]


def test_an_example_a_proposal_and_deleting_need_no_script(browser: Browser, answered: Answered) -> None:
    context = browser.new_context(base_url=answered.address, java_script_enabled=False)
    page = context.new_page()
    page.goto("/")
    example = page.locator(".examples button").first
    question = example.inner_text()
    example.click()
    page.wait_for_selector(".excerpt")
    expect(page.locator("h1")).to_have_text(question)
    proposal = page.locator(".proposals button").first
    follow_up = proposal.inner_text()
    proposal.click()
    page.wait_for_selector(".excerpt")
    expect(page.locator("h1")).to_have_text(follow_up)
    expect(page.get_by_role("link", name=question)).to_be_visible()
    page.goto("/runs")
    row = page.locator(".runs li", has_text=follow_up)
    expect(row.get_by_role("button", name="Delete for good")).to_be_hidden()
    row.get_by_label("Delete “").click()
    row.get_by_role("button", name="Delete for good").click()
    expect(page.locator(".runs li", has_text=follow_up)).to_have_count(0)
    expect(page.locator(".runs li", has_text=question)).to_have_count(1)
    context.close()


def test_the_file_to_share_needs_nothing_else(browser: Browser, answered: Answered, tmp_path: Path) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(answered.wide)
    with page.expect_download() as download:
        page.get_by_role("link", name="One HTML file to share").click()
    file = tmp_path / "shared.html"
    download.value.save_as(file)
    context.close()
    away = browser.new_context(offline=True)
    page = away.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    expect(page.locator("h1")).to_have_text(WIDE)
    expect(page.locator(".excerpt table th").first).to_be_visible()
    expect(page.locator(".excerpt mark").first).to_be_visible()
    assert asked == [file.as_uri()]
    away.close()
