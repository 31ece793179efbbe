"""The pages in a real browser: from a question to its checked answer, by mouse, by keyboard and without a script."""

from collections.abc import Iterator

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from tests.server.test_kept_runs import ask as send_question

ASKED = "What is first-line drug therapy for heart failure with reduced ejection fraction?"
OFF_TOPIC = "Who won the football world cup in 1974?"
CHECKED = (
    "Low-dose colchicine is strongly recommended over high-dose colchicine for gout flares (Strong, High) [1]. "
    "Allopurinol cures gout in a week [1].\n\nReferences\n1. ACR guideline. doi:10.1002/art.41247"
)
WAYS = ("/", "/check", "/explain", "/runs", "/library", "/library/guidelines", "/settings", "/sign-in", "/nothing")
HOSTILE = "<script>document.title='owned'</script><img src=x onerror=document.title='owned'>"

pytestmark = pytest.mark.slow


def is_fault(said: ConsoleMessage) -> bool:
    return said.type == "error" and "Failed to load resource" not in said.text


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A page on which any fault of a script, or a breach of the policy on content, fails the test."""
    context = browser.new_context(base_url=address)
    faults: list[str] = []
    asked: list[str] = []
    opened = context.new_page()
    opened.on("pageerror", lambda error: faults.append(str(error)))
    # A status that a test asks for is no fault of the page.
    opened.on("console", lambda said: faults.append(said.text) if is_fault(said) else None)
    opened.on("request", lambda request: asked.append(request.url))
    yield opened
    context.close()
    assert not faults
    assert all(url.startswith((address, "data:", "blob:")) for url in asked)


@pytest.fixture(scope="module")
def answered(address: str) -> str:
    """The page of an answer to ASKED, for those who do not ask themselves."""
    with httpx.Client(base_url=address, timeout=60) as client:
        return address + send_question(client, ASKED)


def ask(page: Page, question: str) -> None:
    page.goto("/")
    page.get_by_label("Question").fill(question)
    page.get_by_role("button", name="Ask", exact=True).click()
    page.wait_for_selector(".statements, .excerpt, .abstained")


def list_axe_faults(page: Page) -> list[str]:
    """What axe-core has against a page, by WCAG 2.2 A and AA and its own rules."""
    return [
        f"{one['id']}: {[node['target'] for node in one['nodes']]}" for one in Axe().run(page).response["violations"]
    ]


def test_from_a_question_to_the_words_behind_a_mark(page: Page) -> None:
    ask(page, ASKED)
    expect(page.locator(".excerpt.brief").first).to_contain_text("Four medication classes")
    whole = page.locator(".excerpt:not(.brief)").first
    expect(whole.locator("mark").first).to_contain_text("Four medication classes form the foundation of GDMT")
    whole.get_by_role("link").last.click()
    beside = page.get_by_role("complementary", name="The document")
    expect(beside).to_be_focused()
    expect(beside.locator("#quote")).to_contain_text("Four medication classes form the foundation of GDMT for HFrEF.")
    expect(beside.locator("#quote")).to_be_in_viewport()
    beside.get_by_role("button", name="Close").click()
    beside.get_by_role("link", name="Whole document").click()
    expect(page.locator("#quote")).to_contain_text("Four medication classes form the foundation of GDMT for HFrEF.")
    page.go_back()
    expect(page.locator("h1")).to_have_text(ASKED)


def test_a_page_that_is_left_and_opened_again_shows_the_run(page: Page) -> None:
    page.goto("/")
    page.get_by_label("Question").fill("How is gout treated in a patient with kidney disease?")
    page.get_by_role("button", name="Ask", exact=True).click()
    page.wait_for_url("**/runs/**")
    run, context = page.url, page.context
    # Closed, not reloaded: a page that reloads itself, because its run has ended, would break off the reload.
    page.close()
    page = context.new_page()
    page.goto(run, wait_until="commit")
    page.wait_for_selector(".statements, .excerpt, .abstained")
    page.get_by_role("link", name="History").click()
    page.get_by_role("link", name="How is gout treated").first.click()
    expect(page.locator(".excerpt").first).to_be_visible()


def test_by_keyboard_alone(page: Page) -> None:
    page.goto("/")
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type(ASKED)
    page.keyboard.press("Enter")
    page.wait_for_selector(".excerpt")
    page.locator(".excerpt .more a").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#quote")).to_be_visible()


def test_enter_asks_and_shift_with_enter_starts_a_line(page: Page) -> None:
    page.goto("/")
    expect(page.locator("#goes")).to_contain_text("The operator can set live")
    page.get_by_label("Question").press("Shift+Enter")
    page.keyboard.type("How is gout treated?")
    page.keyboard.press("Enter")
    page.wait_for_selector(".excerpt")
    page.goto("/")
    page.get_by_label("Question").fill("Should he take metformin?")
    page.get_by_text("About a patient").click()
    page.get_by_label("Text about the patient").press("Enter")
    expect(page.get_by_label("Text about the patient")).to_have_value("\n")
    page.keyboard.press("Control+Enter")
    expect(page.locator("h1")).to_have_text("Should he take metformin?")


def test_without_a_script(browser: Browser, address: str) -> None:
    context = browser.new_context(base_url=address, java_script_enabled=False)
    page = context.new_page()
    ask(page, ASKED)
    expect(page.locator(".excerpt mark").first).to_be_visible()
    context.close()


@pytest.mark.parametrize(
    ("scheme", "width"),
    [
        ("light", 360),
        ("dark", 1280),
        pytest.param("dark", 360, marks=pytest.mark.nightly),
        pytest.param("light", 1280, marks=pytest.mark.nightly),
    ],
)
def test_nothing_is_wider_than_the_screen_and_axe_finds_no_fault(
    browser: Browser, address: str, scheme: str, width: int
) -> None:
    context = browser.new_context(base_url=address, color_scheme=scheme, viewport={"width": width, "height": 800})  # type: ignore[arg-type]
    page = context.new_page()
    for way in WAYS:
        page.goto(way)
        assert list_axe_faults(page) == [], way
        assert page.evaluate("document.documentElement.scrollWidth") <= width, way
    for question in (ASKED, OFF_TOPIC):
        ask(page, question)
        for closed in page.locator("summary").all():
            closed.click()
        assert list_axe_faults(page) == [], question
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


def test_ask_on_then_again_and_compare_two(page: Page) -> None:
    ask(page, ASKED)
    page.get_by_label("Follow-up question").fill("And in pregnancy?")
    page.locator(".follow button").first.click()
    page.wait_for_selector(".goes")
    expect(page.get_by_role("link", name=ASKED)).to_be_visible()
    page.get_by_role("link", name=ASKED).click()
    page.get_by_role("button", name="Ask again").click()
    page.get_by_role("heading", name="Compared with").wait_for()
    page.goto("/runs")
    for place in (0, 1):
        page.locator(".runs input[type=checkbox]").nth(place).check()
    page.get_by_role("button", name="Compare the two selected").click()
    expect(page.locator("h1")).to_have_text("Two answers compared")
    assert list_axe_faults(page) == []


def test_what_was_chosen_stays_chosen_when_something_is_wrong(page: Page) -> None:
    page.goto("/")
    page.get_by_label("Question").fill("gout?")
    page.get_by_text("Sources and preset").click()
    page.get_by_label("Preset").select_option("words")
    page.get_by_label("guidelines").uncheck()
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("No source is chosen")
    expect(page.get_by_label("Preset")).to_have_value("words")
    expect(page.get_by_label("guidelines")).not_to_be_checked()
    assert list_axe_faults(page) == []


def test_files_are_chosen_and_their_faults_are_seen(page: Page) -> None:
    page.goto("/library")
    page.get_by_label("new library").fill("notes")
    note = {"name": "note.txt", "mimeType": "text/plain", "buffer": b"Gout of the knee in 40 people."}
    page.get_by_label("Files").set_input_files([note, {**note, "name": "note.xyz"}])
    page.get_by_role("button", name="Add").click()
    # The fault is told while the work goes on; when it has ended, the page is loaded anew.
    files = page.get_by_role("link", name="Files of this library")
    expect(files).to_be_visible()
    expect(page.locator(".failure")).to_contain_text("note.xyz")
    assert list_axe_faults(page) == []
    files.click()
    expect(page.get_by_text("note.txt")).to_be_visible()
    page.get_by_role("link", name="Gout of the knee in 40 people").click()
    expect(page.locator(".document")).to_contain_text("Gout of the knee")


def test_a_patients_record_stands_in_no_address_and_warns_first(page: Page) -> None:
    page.goto("/")
    page.get_by_label("Question").fill("Should she take metformin?")
    page.get_by_text("About a patient").click()
    page.get_by_label("Text about the patient").fill("Erika, 71, type 2 diabetes, eGFR 22.")
    expect(page.locator(".goes")).to_contain_text("Nothing you type leaves the machine")
    page.get_by_role("button", name="Ask", exact=True).click()
    page.wait_for_selector(".alarm")
    expect(page.locator(".alarm").first).to_contain_text("Metformin: the record says")
    assert "Erika" not in page.url
    page.get_by_label("Delete from history").click()
    page.get_by_role("button", name="Delete for good").click()
    expect(page.locator("h1")).to_have_text("History")
    expect(page.get_by_role("link", name="Should she take metformin?")).to_have_count(0)


def test_what_is_not_found_is_said_and_offers_no_references(page: Page) -> None:
    ask(page, OFF_TOPIC)
    expect(page.locator(".abstained")).to_contain_text("Nothing in your sources")
    expect(page.get_by_role("link", name="RIS")).to_have_count(0)


def test_files_of_an_answer(page: Page, answered: str) -> None:
    page.goto(answered)
    for name, begin in {"Text with all": f"{ASKED}\n\nIn short", "JSON": "{", "RIS": "TY  -", "BibTeX": "@"}.items():
        with page.expect_download() as told:
            page.get_by_role("link", name=name).first.click()
        assert told.value.path().read_text(encoding="utf-8").lstrip().startswith(begin)
        assert told.value.suggested_filename.startswith("what-is-first-line-drug-therapy-for-heart-20")


def test_an_answer_is_copied_with_its_citations(page: Page, answered: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(answered)
    page.get_by_role("button", name="Copy with citations").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "## In short" in copied
    assert "[1]" in copied and "https://doi.org/10.1161/CIR.0000000000001063" in copied


def test_a_text_is_checked_repaired_and_kept(page: Page) -> None:
    page.goto("/check")
    page.get_by_label("Text, with its references").fill(CHECKED)
    page.get_by_label("Also repair the text").check()
    page.get_by_role("button", name="Check").click()
    page.wait_for_selector(".report")
    expect(page.locator(".report .statement")).to_have_count(2)
    # What to look at stands first, what is in order last.
    expect(page.locator(".report .statement").first).to_contain_text("not verified")
    expect(page.locator(".report .statement").last).to_contain_text("verbatim")
    assert list_axe_faults(page) == []
    with page.expect_download() as told:
        page.get_by_role("link", name="The report as one page").click()
    assert "Sources checked" in told.value.path().read_text(encoding="utf-8")


def test_an_order_is_explained_term_by_term(page: Page) -> None:
    page.goto("/explain")
    page.get_by_label("The order").fill("Furosemide 40 mg PO BID")
    page.get_by_role("button", name="Explain").click()
    page.wait_for_selector(".order")
    expect(page.locator("#signs")).to_contain_text("twice a day")
    page.locator(".order a", has_text="BID").click()
    assert page.url.endswith("#signs")


def test_what_is_typed_is_shown_as_text(page: Page) -> None:
    ask(page, f"{ASKED} {HOSTILE}")
    expect(page.locator("h1")).to_contain_text("<script>")
    page.goto("/runs")
    page.goto("/explain")
    page.get_by_label("The order").fill(f"Furosemide 40 mg PO {HOSTILE}")
    page.get_by_role("button", name="Explain").click()
    page.wait_for_selector(".order")
    expect(page.locator(".order")).to_contain_text("<img src=x")
    page.goto(f"/document?id={HOSTILE}")
    assert "owned" not in page.title()


def test_bad_input_is_told_beside_the_form_and_keeps_what_was_typed(page: Page) -> None:
    page.goto("/")
    page.get_by_label("Question").fill("gout?")
    page.get_by_text("Date of publication").click()
    page.get_by_label("From").fill("2020-01-01")
    page.get_by_label("Until").fill("2019-01-01")
    with page.expect_response(lambda response: response.url.endswith("/ask")) as told:
        page.get_by_role("button", name="Ask", exact=True).click()
    assert told.value.status == 422
    expect(page.get_by_role("alert")).to_contain_text("nothing lies between them")
    expect(page.get_by_label("Question")).to_have_value("gout?")


def test_a_reference_manager_finds_the_works_in_the_page(page: Page, answered: str) -> None:
    page.goto(answered)
    objects = page.locator("span.Z3988")
    assert objects.count() == page.locator(".works p").count()
    title = objects.first.get_attribute("title") or ""
    assert title.startswith("ctx_ver=Z39.88-2004&rft_val_fmt=info%3Aofi%2Ffmt%3Akev%3Amtx%3A")
    assert "info%3Adoi%2F10.1161%2FCIR.0000000000001063" in title
