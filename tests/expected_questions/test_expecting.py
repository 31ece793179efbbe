"""`library expect`: questions taken from a file, or written by a model behind a real address, kept with the library."""

import asyncio
import csv
import json
import os
import re
import signal
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.servers.base import Asked, Said, serving
from tests.servers.models.base import Fails, Provider, Writes
from tests.servers.models.openai_chat import OpenAIChat
from wellsourced import config
from wellsourced.app.cli import command_line
from wellsourced.config.encoders import build_question_encoder
from wellsourced.expected_questions.bank import ROWS_FILE, VECTORS_FILE
from wellsourced.expected_questions.matching import AnswerMatcher, ExpectedAnswer
from wellsourced.ingest import expected_questions
from wellsourced.ingest.expected_questions import PARTS_FILE

GUIDE = """\
# Gout in our clinic

## Flares

- Colchicine 1.2 mg at once, then 0.6 mg an hour later.
- In CKD stage 4 give prednisone 30 mg a day for five days.

## Prevention

- Allopurinol starts at 100 mg a day and is raised every month until urate is below 360 micromol/l.
"""
NAME = "clinic"


@pytest.fixture(autouse=True)
def _model_requests() -> None:
    """A model of pydantic-ai may be asked: its address is on loopback."""
    models = pytest.importorskip("pydantic_ai.models", reason="the extra `models` is not installed")
    models.ALLOW_MODEL_REQUESTS = True


@pytest.fixture
def guide(tmp_path: Path) -> Path:
    path = tmp_path / "gout.md"
    path.write_text(GUIDE, encoding="utf-8")
    assert run("library", "create", NAME, "--lexical", "--add", str(path)).exit_code == 0
    return path


def run(*words: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(command_line, ["--set", "encoder=none", *words], input=stdin)


def expect(address: str, *words: str, stdin: str | None = None) -> Result:
    model = ("--model", "compatible:sim", "--set", f"compatible.url={address}/v1", "--set", "compatible.key=x")
    return run(*model, "--set", "models.cache=false", "library", "expect", NAME, *words, stdin=stdin)


class Writer:
    """Writes a question to every line that it is shown; fails, or stops who asks, where it is told to."""

    def __init__(self, fails_on: str = "", stops_on: str = "") -> None:
        self.fails_on, self.stops_on, self.shown = fails_on, stops_on, list[str]()

    def __call__(self, asked: Asked) -> Said:
        shown = "\n".join(str(message["content"]) for message in json.loads(asked.body)["messages"])
        self.shown.append(shown)
        if self.stops_on and self.stops_on in shown:
            os.kill(os.getpid(), signal.SIGINT)
        if self.fails_on and self.fails_on in shown:
            return Provider(OpenAIChat(), Fails(400, "no"))(asked)
        lines = re.findall(r"\b(\d+): (\w+)", shown.replace("\\n", "\n"))
        questions = [{"question": f"What about {word.lower()}?", "lines": [int(at)], "also": []} for at, word in lines]
        questions += [{"question": "Nowhere?", "lines": [99], "also": []}, {"question": " ", "lines": [1], "also": []}]
        return Provider(OpenAIChat(), Writes(json.dumps({"questions": questions})))(asked)


def match(question: str) -> tuple[ExpectedAnswer, ...]:
    """The answers, each with the words of its place in place of the document's id."""
    return asyncio.run(_match(question, config.load({"encoder": "none"})))


async def _match(question: str, settings: config.Settings) -> tuple[ExpectedAnswer, ...]:
    async with config.open_library(settings, NAME, build=False) as library:
        matcher = AnswerMatcher(build_question_encoder(settings, None))
        found = await matcher.match(question, [library, object()])
        texts = {one.document_id: (await library.open(one.document_id)).text for one in found}
    return tuple(one._replace(document_id=texts[one.document_id][one.start : one.end]) for one in found)


def counts() -> dict[str, int]:
    told = json.loads(run("library", "list", NAME, "--json").stdout)["expected"]
    return {name: told[name] for name in ("questions", "stale", "unsearchable")}


def test_a_model_writes_what_each_section_answers_and_the_lines_are_found_by_it(guide: Path, home: Path) -> None:
    writer = Writer()
    with serving(writer) as served:
        told = expect(served.url, stdin="y\n")
        assert told.exit_code == 0, told.output
        assert "2 sections to write: about" in told.stderr and "price unknown" in told.stderr
        assert "Have compatible:sim write the questions?" in told.stderr
        assert len(writer.shown) == 2
        assert "Added 3 questions to clinic; it has 3." in told.stdout
        again = expect(served.url, "--json")
        assert json.loads(again.stdout)["added"] == 0 and len(writer.shown) == 2, "what is written is not asked again"
    assert counts() == {"questions": 3, "stale": 0, "unsearchable": 0}
    best = (match("what about colchicine"))[0]
    assert (best.question, best.document_id) == (
        "What about colchicine?",
        "Colchicine 1.2 mg at once, then 0.6 mg an hour later.",
    )
    assert (best.library, best.near_miss) == (NAME, 0.0)
    assert best.agreement > 0.5
    kept = [json.loads(line) for line in _file(home, ROWS_FILE).read_text(encoding="utf-8").splitlines()]
    assert {row["author"] for row in kept} == {"compatible:sim"}
    assert _file(home, ROWS_FILE).stat().st_mode & 0o077 == 0, "nobody else may read it"


def _file(home: Path, name: str) -> Path:
    return home / "libraries" / NAME / name


def test_nothing_is_asked_of_a_model_before_its_user_agrees(guide: Path, home: Path) -> None:
    writer = Writer()
    with serving(writer) as served:
        told = expect(served.url, stdin="n\n")
        assert told.exit_code == 1
        assert writer.shown == []
    assert not _file(home, ROWS_FILE).exists()
    priced = expect(
        "http://127.0.0.1:9", "--set", "models.price_in=1000", "--set", "models.price_out=1000", stdin="n\n"
    )
    assert re.search(r"about \$\d\.\d\d", priced.stderr), priced.stderr


def test_a_section_that_failed_is_named_and_written_the_next_time(guide: Path) -> None:
    with serving(Writer(fails_on="Allopurinol")) as served:
        told = expect(served.url, "--yes")
    assert told.exit_code == 1
    assert "1 section gave no question" in told.stderr and "Prevention: " in told.stderr
    assert counts()["questions"] == 2
    writer = Writer()
    with serving(writer) as served:
        assert "1 section to write (1 written already)" in expect(served.url, "--yes").stderr
    assert counts()["questions"] == 3
    assert len(writer.shown) == 1 and "Allopurinol" in writer.shown[0]


def test_stopped_by_ctrl_c_what_is_written_stays_is_found_and_is_not_asked_for_again(
    guide: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expected_questions, "AT_ONCE", 1)
    with serving(Writer(stops_on="Allopurinol")) as served:
        assert expect(served.url, "--yes").exit_code == 1
    assert counts() == {"questions": 2, "stale": 0, "unsearchable": 0}
    assert match("what about colchicine")[0].agreement > 0.5
    writer = Writer()
    with serving(writer) as served:
        assert expect(served.url, "--yes").exit_code == 0
    assert len(writer.shown) == 1 and counts()["questions"] == 3


def test_questions_to_changed_lines_are_ignored_counted_and_written_again(guide: Path) -> None:
    with serving(Writer()) as served:
        expect(served.url, "--yes")
        guide.write_text(GUIDE.replace("1.2 mg", "1.0 mg"), encoding="utf-8")
        assert run("library", "add", NAME, str(guide)).exit_code == 0
        assert counts() == {"questions": 3, "stale": 1, "unsearchable": 0}
        assert not any("Colchicine" in one.document_id for one in match("what about colchicine"))
        told = run("library", "errors", NAME).stdout
        assert "1 expected question ignored: the lines that answer have changed." in told
        assert "wellsourced library expect clinic" in told
        assert "1 expected question ignored" in run("library", "list", NAME).stdout
        assert "(1 outdated removed)" in expect(served.url, "--yes").stdout
    assert counts()["stale"] == 0
    assert "Colchicine 1.0 mg" in (match("what about colchicine"))[0].document_id


def test_a_row_that_was_cut_off_costs_itself_alone_and_missing_vectors_are_computed(guide: Path, home: Path) -> None:
    with serving(Writer()) as served:
        expect(served.url, "--yes")
        rows, parts = _file(home, ROWS_FILE), _file(home, PARTS_FILE)
        # Killed while it wrote: half a row, its part not marked, no vectors.
        rows.write_bytes(rows.read_bytes()[:-20])
        parts.write_text(parts.read_text().splitlines()[0] + "\n")
        _file(home, VECTORS_FILE).unlink()
        assert counts() == {"questions": 3, "stale": 1, "unsearchable": 3}
        assert expect(served.url, "--yes").exit_code == 0
    assert counts() == {"questions": 4, "stale": 1, "unsearchable": 0}


def write_rows(path: Path, rows: list[dict[str, str]]) -> Path:
    if path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, ["question", "document", "answer"])
            writer.writeheader()
            writer.writerows(rows)
    else:
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["mine.jsonl", "mine.csv"])
def test_questions_that_people_wrote_are_taken_and_wrong_rows_named(guide: Path, tmp_path: Path, name: str) -> None:
    prednisone = "In CKD stage 4 give prednisone 30 mg a day for five days."
    rows = [
        {"question": "Gout and bad kidneys: what?", "document": str(guide), "answer": prednisone},
        {"question": "How much colchicine?", "document": "doi:10.1/none", "answer": "1.2 mg"},
        {"question": "How high?", "document": str(guide), "answer": "below 350 micromol/l"},
        {"question": "When does urate-lowering start?", "document": str(guide), "answer": "starts at 100 mg a day"},
    ]
    told = run("library", "expect", NAME, "--from", str(write_rows(tmp_path / name, rows)))
    assert told.exit_code == 1
    assert "Added 2 questions to clinic; it has 2." in told.stdout
    first = 2 if name.endswith("csv") else 1
    assert f"line {first + 1}: clinic has no document “doi:10.1/none”" in told.stderr
    assert f"line {first + 2}: not in the document" in told.stderr
    again = run("library", "expect", NAME, "--from", str(tmp_path / name))
    assert "Added 0 questions to clinic (2 known already); it has 2." in again.stdout
    assert (match("gout with bad kidneys"))[0].document_id == prednisone


def test_a_question_whose_answer_has_changed_is_replaced_by_the_same_one(guide: Path, tmp_path: Path) -> None:
    def take(answer: str) -> Result:
        row = {"question": "Dose?", "document": str(guide), "answer": answer}
        return run("library", "expect", NAME, "--from", str(write_rows(tmp_path / "q.jsonl", [row])))

    assert take("1.2 mg at once").exit_code == 0
    guide.write_text(GUIDE.replace("1.2 mg", "1.0 mg"), encoding="utf-8")
    run("library", "add", NAME, str(guide))
    assert "(1 outdated removed); it has 1." in take("1.0 mg at once").stdout
    assert counts() == {"questions": 1, "stale": 0, "unsearchable": 0}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("library", "expect", "clinic"), "A language model writes the questions, and none is set."),
        (("library", "expect", "guidelines", "--from", "FILE"), "cannot be changed"),
        (("library", "expect", "clinick", "--from", "FILE"), "No library “clinick”"),
        (("library", "expect", "clinic", "--from", "BINARY"), "not UTF-8"),
    ],
)
def test_what_cannot_be_done_is_said(guide: Path, tmp_path: Path, words: tuple[str, ...], sentence: str) -> None:
    write_rows(tmp_path / "q.jsonl", [])
    (tmp_path / "b.jsonl").write_bytes(b"\xff\xfe")
    named = {"FILE": str(tmp_path / "q.jsonl"), "BINARY": str(tmp_path / "b.jsonl")}
    told = run(*(named.get(word, word) for word in words))
    assert told.exit_code != 0
    assert sentence in told.stderr, told.output


def test_a_library_without_questions_and_a_damaged_file_find_nothing(guide: Path, home: Path) -> None:
    assert match("what about colchicine") == ()
    _file(home, ROWS_FILE).write_bytes(b"nonsense\n")
    _file(home, VECTORS_FILE).write_bytes(b"nonsense")
    assert match("what about colchicine") == ()
    assert counts() == {"questions": 1, "stale": 1, "unsearchable": 1}
