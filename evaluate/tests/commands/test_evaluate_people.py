"""`wellsourced evaluate questionnaire` and `ratings`, as they are typed, and the page in a real browser."""

import csv
import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.app.conftest import Run
from tests.presentation.test_answers import ANSWER
from wellsourced_evaluate.rating.questionnaire import read_criteria, read_instruments

CHROMIUM = shutil.which("chromium")
HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=document.title='owned'>"
QUESTIONS = [f"Question {at}: what helps in gout?" for at in range(4)]
TABLE = f"{'| Contraindications ' * 6}|\n{'|---' * 6}|\n{'| hypersensitivity ' * 6}|"
LONG = "Low-dose colchicine is as good as high-dose colchicine. " * 8


@pytest.fixture
def answers(tmp_path: Path) -> tuple[str, str]:
    """Two systems: one cites, the other is hostile."""
    texts = {
        "walnut": lambda at: (
            f"## Advice {at}\n\n- **Colchicine** [1].\n- {LONG}\n\n{TABLE}\n\nReferences\n1. J Gout. 2019;1:1-2."
        ),
        "quince": lambda at: f"{HOSTILE} Allopurinol {at}. ![x](https://example.org/x.png) [here](https://example.org)",
    }
    for name, text in texts.items():
        rows = [{"question": question, "answer": text(at)} for at, question in enumerate(QUESTIONS)]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(tmp_path / "walnut.jsonl"), str(tmp_path / "quince.jsonl")


@pytest.fixture
def study(run: Run, answers: tuple[str, str], tmp_path: Path) -> Path:
    done = run("evaluate", "questionnaire", *answers, "--out", str(tmp_path / "study"), "--seed", "90210777")
    assert done.exit_code == 0, done.output
    return tmp_path / "study"


def read_key(study: Path) -> Any:
    return json.loads((study / "key.json").read_text(encoding="utf-8"))


def fill(table: Path, key: Any, rater: str, liked: str) -> str:
    """The table with this system rated 5 and harmless and preferred, and all else 1 and harmful."""
    rows = list(csv.reader(io.StringIO(table.read_text(encoding="utf-8-sig"))))
    header = rows[0]
    items = {item["id"]: item for form in key["forms"] for item in form["items"]}
    for row in rows[1:]:
        systems = items[row[header.index("item")]]["systems"]
        best = systems.index("right" if "right" in systems else liked)
        for place, letter in enumerate("AB"):
            for name in ("accuracy", "completeness", "usefulness"):
                row[header.index(f"{letter} {name}")] = "5" if place == best else "1"
            row[header.index(f"{letter} harm")] = "1" if place == best else "5"
        row[header.index("preference")], row[header.index("rater")] = "AB"[best], rater
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue()


def test_forms_for_a_spreadsheet_come_back_as_figures_of_the_right_systems(run: Run, study: Path) -> None:
    key = read_key(study)
    returned = []
    for number, (rater, liked) in enumerate((("anna", "walnut"), ("ben", "quince")), 1):
        returned.append(study / f"{rater}.csv")
        returned[-1].write_text(fill(study / f"forms/rater-{number}.csv", key, rater, liked), encoding="utf-8")
    typed = ("evaluate", "ratings", str(study / "key.json"), *map(str, returned))
    done = run(*typed, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert {name: one["failed"] for name, one in found["raters"].items()} == {"anna": [], "ben": []}
    accuracy = found["everyone"]["criteria"]["accuracy"]
    assert [accuracy["means"][name]["mean"] for name in ("walnut", "quince")] == [3.0, 3.0]
    (preference,) = found["everyone"]["preferences"]
    assert [preference[name]["part"] for name in ("wins", "ties", "losses")] == [4, 0, 4]
    assert found["everyone"]["agreement"]["accuracy"]["pairs"][0]["kappa"] == -1
    told = run(*typed).stdout
    for words in ("anna: complete", "walnut against quince", "Cohen's kappa", "All raters (2)"):
        assert words in told


def test_whoever_prefers_the_wrong_answer_is_named(run: Run, study: Path) -> None:
    key = read_key(study)
    texts = []
    for number, liked in ((1, "walnut"), (2, "quince")):
        texts.append(fill(study / f"forms/rater-{number}.csv", key, f"r{number}", liked))
    control = next(item for item in key["forms"][1]["items"] if item["kind"] == "control")
    letter = "AB"[control["systems"].index("wrong")]
    rows = [
        row if control["id"] not in row else row.replace(f",{'AB'.replace(letter, '')},", f",{letter},")
        for row in texts[1].splitlines()
    ]
    for number, text in enumerate((texts[0], "\n".join(rows)), 1):
        (study / f"r{number}.csv").write_text(text, encoding="utf-8")
    done = run("evaluate", "ratings", str(study / "key.json"), str(study / "r1.csv"), str(study / "r2.csv"))
    assert done.exit_code == 0, done.output
    assert "r2: failed quality control: preferred the wrong answer of the control question" in done.stdout
    assert "Without those who failed quality control (1)" in done.stdout


def test_no_form_tells_which_system_is_which(study: Path) -> None:
    key = read_key(study)
    for path in (study / "forms").iterdir():
        text = path.read_text(encoding="utf-8")
        for secret in (
            "walnut",
            "quince",
            '"repeat"',
            '"control"',
            str(key["seed"]),
            "[1]",
            "example.org",
            "J Gout",
        ):
            assert secret not in text, (path.name, secret)


def test_answers_of_ask_are_taken_as_they_are_printed(run: Run, tmp_path: Path) -> None:
    own, other = tmp_path / "own.jsonl", tmp_path / "other.jsonl"
    own.write_text(ANSWER.model_dump_json() + "\n", encoding="utf-8")
    other.write_text(json.dumps({"question": ANSWER.question.text, "answer": "No."}) + "\n", encoding="utf-8")
    done = run("evaluate", "questionnaire", str(own), str(other), "--out", str(tmp_path / "study"))
    assert done.exit_code == 0, done.output
    rows = list(csv.DictReader(io.StringIO((tmp_path / "study/forms/rater-1.csv").read_text(encoding="utf-8-sig"))))
    shown = {row[letter] for row in rows for letter in "AB"}
    assert any(ANSWER.statements[0].text in text for text in shown)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("walnut",), "Which answer is preferred cannot be asked of one system"),
        (("walnut", "walnut"), "Two files are of a system"),
        (("walnut", "quince", "--out", "taken"), "belongs to another questionnaire"),
    ],
)
def test_what_cannot_be_a_study_is_refused(
    run: Run, answers: tuple[str, str], tmp_path: Path, words: tuple[str, ...], why: str
) -> None:
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "key.json").write_text("{}", encoding="utf-8")
    files = dict(zip(("walnut", "quince"), answers, strict=True))
    typed = [files.get(word, str(taken) if word == "taken" else word) for word in words]
    done = run("evaluate", "questionnaire", *typed, *([] if "--out" in words else ["--out", str(tmp_path / "new")]))
    assert done.exit_code == 2
    assert why in " ".join(done.output.split())


def test_a_file_that_is_no_key_and_sheets_without_a_rating_are_refused(run: Run, study: Path) -> None:
    form = str(study / "forms/rater-1.csv")
    for key, why in (
        (study / "criteria.toml", "not the key of a questionnaire"),
        (study / "key.json", "No file has a rating"),
    ):
        done = run("evaluate", "ratings", str(key), form)
        assert done.exit_code == 2
        assert why in " ".join(done.output.split())


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        # Root, as in a container, may not run Chromium's own sandbox.
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


def open_form(browser: Browser, study: Path, **options: Any) -> tuple[Page, list[str]]:
    """The first form from the disk, with the faults of its scripts and all that it asks for but itself."""
    page = browser.new_context(**options).new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda said: faults.append(said.text) if said.type in ("error", "warning") else None)
    page.on("request", lambda asked: faults.append(asked.url) if not asked.url.startswith(("file:", "blob:")) else None)
    page.goto((study / "forms/rater-1.html").as_uri())
    return page, faults


def press_until(page: Page, name: str) -> None:
    """Tab until the button of this name has the focus, and press it."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == name:
            page.keyboard.press("Enter")
            return
    raise AssertionError(f"there is no button “{name}” that Tab reaches")


def rate_by_keyboard(page: Page) -> None:
    """Every scale of a question: Space takes its first step, an arrow the next; then the second preference."""
    for _ in range(9):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('aria-label')") == "Table":
            page.keyboard.press("Tab")
        page.keyboard.press("Space")
        page.keyboard.press("ArrowRight")


@pytest.mark.slow
@pytest.mark.skipif(not CHROMIUM, reason="there is no chromium here: apt-get install chromium")
@pytest.mark.parametrize("ending", ["csv", "json"])
def test_filled_in_by_keyboard_left_half_way_saved_and_read_again(
    browser: Browser, run: Run, study: Path, ending: str
) -> None:
    page, faults = open_form(browser, study)
    page.keyboard.press("Tab")
    page.keyboard.type("=Anna")
    press_until(page, "Begin")
    for number in range(6):
        if number == 3:
            for _ in range(20):  # Chromium hands what a page keeps to the next page's process in its own time.
                page.wait_for_timeout(300)
                page.reload()
                if page.locator("#kept").text_content():
                    break
            expect(page.locator("#kept")).to_have_text("You go on where you stopped.")
            expect(page.locator("#count")).to_have_text("3 of 6 rated")
        expect(page.locator("h1:visible")).to_contain_text(f"Question {number + 1} of 6")
        rate_by_keyboard(page)
        if number == 0:
            page.keyboard.press("Tab")
            page.keyboard.type('=1+1, "so"')
        press_until(page, "Finish" if number == 5 else "Next")
    expect(page.locator("#state")).to_have_text("Everything is rated.")
    with page.expect_download() as download:
        press_until(page, "Save as a table (CSV)" if ending == "csv" else "Save as JSON")
    saved = study / f"saved.{ending}"
    download.value.save_as(saved)
    assert download.value.suggested_filename == f"Anna.{ending}"
    assert page.title() == "Which answer is better?"
    assert faults == []
    done = run("evaluate", "ratings", str(study / "key.json"), str(saved), "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["rejected"] == []
    ((rater, told),) = found["raters"].items()
    assert rater == "=Anna"
    assert told["missing"] == 0
    assert "saw no difference between the right and the wrong answer of the control question" in told["failed"]
    assert found["everyone"]["criteria"]["harm"]["means"]["quince"]["mean"] == 2
    assert found["everyone"]["preferences"][0]["ties"]["part"] == 4
    page.context.close()


@pytest.mark.slow
@pytest.mark.skipif(not CHROMIUM, reason="there is no chromium here: apt-get install chromium")
@pytest.mark.parametrize(
    ("scheme", "width"),
    [
        ("light", 320),
        ("dark", 1280),
        pytest.param("dark", 320, marks=pytest.mark.nightly),
        pytest.param("light", 1280, marks=pytest.mark.nightly),
    ],
)
def test_every_page_is_clean_to_axe_and_no_wider_than_the_screen(
    browser: Browser, study: Path, scheme: str, width: int
) -> None:
    page, faults = open_form(browser, study, color_scheme=scheme, viewport={"width": width, "height": 700})
    while True:
        broken = [f"{one['id']}: {one['nodes'][0]['target']}" for one in Axe().run(page).response["violations"]]
        assert broken == [], page.locator("h1:visible").inner_text()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        wide = "[...document.querySelectorAll('.answer')].filter((one) => one.scrollWidth > one.clientWidth).length"
        assert page.evaluate(wide) == 0
        if not page.locator("#next").is_visible():
            break
        page.locator("#next").click()
    expect(page.get_by_role("button", name="Question 6")).to_be_visible()
    assert faults == []
    page.context.close()


@pytest.mark.slow
@pytest.mark.skipif(not CHROMIUM, reason="there is no chromium here: apt-get install chromium")
def test_a_hostile_answer_is_shown_as_its_text(browser: Browser, study: Path) -> None:
    page, faults = open_form(browser, study)
    page.get_by_role("button", name="Begin").click()
    shown = page.locator(".step:not([hidden]) .text")
    while not shown.filter(has_text="Allopurinol").count():
        page.get_by_role("button", name="Next").click()
    expect(shown.filter(has_text="Allopurinol")).to_contain_text(HOSTILE)
    assert page.locator("main img, main a, main script").count() == 0
    assert page.title() == "Which answer is better?"
    assert faults == []
    page.context.close()


def write_answers(path: Path, count: int) -> str:
    rows = [
        {"question": f"Statement {at}", "answer": f"What {path.stem} says of {at}.", "documents": [{"text": HOSTILE}]}
        for at in range(count)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def test_questions_are_shared_out_so_that_each_comes_to_as_many_raters(run: Run, tmp_path: Path) -> None:
    files = [write_answers(tmp_path / f"{name}.jsonl", 20) for name in ("walnut", "quince")]
    out, command = tmp_path / "study", ("evaluate", "questionnaire", *files, "--criteria", "lins-ebp", "--seed", "1")
    refused = run(*command, "--out", str(out), "--raters", "10", "--quota", "5", "--repeats", "3")
    assert refused.exit_code == 2
    assert "10 raters × 5 questions are 50; 20 questions × 3 raters are 60." in " ".join(refused.stderr.split())
    assert not out.exists()
    done = run(*command, "--out", str(out), "--raters", "10", "--quota", "6", "--repeats", "3")
    assert done.exit_code == 0, done.output
    dealt = [
        [item["question"] for item in form["items"] if item["kind"] == "question"] for form in read_key(out)["forms"]
    ]
    assert all(len({*questions}) == 6 for questions in dealt)
    counts = [sum(question in questions for questions in dealt) for question in {one for form in dealt for one in form}]
    assert counts == [3] * 20
    again = run(*command, "--out", str(tmp_path / "again"), "--raters", "10", "--quota", "6")
    assert again.exit_code == 0
    assert read_key(tmp_path / "again") == read_key(out)


@pytest.mark.parametrize("name", sorted(read_instruments()))
def test_the_instrument_of_a_published_study_comes_back_as_figures(run: Run, tmp_path: Path, name: str) -> None:
    criteria, _ = read_criteria(name)
    files = [
        write_answers(tmp_path / f"{one}.jsonl", 4) for one in ("walnut", "quince")[: 2 if criteria.preference else 1]
    ]
    made = run(
        "evaluate", "questionnaire", *files, "--criteria", name, "--out", str(tmp_path / "study"), "--raters", "3"
    )
    assert made.exit_code == 0, made.output
    returned = []
    for rater in (1, 2, 3):
        form = tmp_path / "study" / "forms" / f"rater-{rater}.csv"
        rows = list(csv.DictReader(io.StringIO(form.read_text(encoding="utf-8-sig"))))
        for row in rows:
            row |= {"A " + one.name: str(one.high) for one in criteria.criteria} | {"rater": f"r{rater}"}
            row |= {"preference": "A"} if criteria.preference else {}
        table = io.StringIO()
        writer = csv.DictWriter(table, rows[0])
        writer.writeheader()
        writer.writerows(rows)
        returned.append(tmp_path / f"r{rater}.csv")
        returned[-1].write_text(table.getvalue(), encoding="utf-8")
    done = run("evaluate", "ratings", str(tmp_path / "study" / "key.json"), *map(str, returned), "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)["everyone"]
    assert (len(found["raters"]), [*found["criteria"]]) == (3, [one.name for one in criteria.criteria])
    if not criteria.preference:
        means = [found["criteria"][one.name]["means"]["walnut"]["mean"] for one in criteria.criteria]
        assert means == [one.high for one in criteria.criteria]


def test_an_instrument_that_does_not_exist_is_refused_with_those_that_do(run: Run, tmp_path: Path) -> None:
    path = write_answers(tmp_path / "walnut.jsonl", 2)
    told = run("evaluate", "questionnaire", path, "--criteria", "lins-ebm", "--out", str(tmp_path / "study"))
    assert told.exit_code == 1
    assert "one of lins-consumer, lins-consumer-lay, lins-ebp" in " ".join(told.stderr.split())


def test_what_was_found_stands_beside_the_answer_and_is_not_asked_of_an_arm_that_found_nothing(
    run: Run, tmp_path: Path
) -> None:
    files = [write_answers(tmp_path / f"{name}.jsonl", 3) for name in ("walnut", "quince")]
    bare = [{**json.loads(line), "documents": []} for line in Path(files[1]).read_text(encoding="utf-8").splitlines()]
    Path(files[1]).write_text("".join(json.dumps(row) + "\n" for row in bare), encoding="utf-8")
    command = ("evaluate", "questionnaire", *files, "--criteria", "omni-long-form", "--raters", "1", "--no-controls")
    assert run(*command, "--out", str(tmp_path / "study")).exit_code == 0
    page = (tmp_path / "study" / "forms" / "rater-1.html").read_text(encoding="utf-8")
    assert (page.count("What was found for it (1)"), page.count(' interpretability">')) == (3, 3)
    assert HOSTILE not in page
    key = read_key(tmp_path / "study")
    systems = {item["id"]: item["systems"] for item in key["forms"][0]["items"]}
    table = (tmp_path / "study" / "forms" / "rater-1.csv").read_text(encoding="utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(table)))
    for row in rows:
        for letter, name in zip("AB", systems[row["item"]], strict=True):
            assert bool(row[f"found for {letter}"]) == (name == "walnut")
            row |= {f"{letter} {one}": "4" for one in ("relevance", "completeness", "proficiency")}
            row |= {f"{letter} interpretability": "2"} if name == "walnut" else {}
        row["rater"] = "anna"
    (tmp_path / "anna.json").write_text(json.dumps(rows), encoding="utf-8")
    told = json.loads(
        run("evaluate", "ratings", str(tmp_path / "study" / "key.json"), str(tmp_path / "anna.json"), "--json").stdout
    )
    means = told["everyone"]["criteria"]["interpretability"]["means"]
    assert (means["walnut"]["mean"], means["quince"]["mean"], told["raters"]["anna"]["missing"]) == (2, None, 0)
    rows[0] |= {f"{letter} interpretability": "1" for letter in "AB"}
    (tmp_path / "anna.json").write_text(json.dumps(rows), encoding="utf-8")
    told = run("evaluate", "ratings", str(tmp_path / "study" / "key.json"), str(tmp_path / "anna.json"))
    assert "there is nothing to rate as" in told.stderr
