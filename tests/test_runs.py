"""Runs as they are recorded: found again, compared, deleted for good, and any change of them seen."""

import asyncio
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from wellsourced.app.cli import command_line
from wellsourced.errors import NotFoundError, RunStopped
from wellsourced.events import AnswerDrafted, Emit, QuestionFramed
from wellsourced.pipeline.verify.recheck import compare_answers
from wellsourced.presentation.progress import describe_event
from wellsourced.runs.history import RunHistory
from wellsourced.runs.live import POLL_SECONDS, RunRecorder
from wellsourced.runs.table import FILE_NAME
from wellsourced.types import (
    Answer,
    Citation,
    Evidence,
    Omission,
    Passage,
    Question,
    Reference,
    SourceKind,
    Statement,
    Turn,
    Verdict,
)

PRIVATE = "a question that nobody else should read"


def abstention(words: str, patient: str = "") -> Answer:
    return Answer(question=Question(text=words, patient=patient), abstained=True, reason="nothing was found")


def change(history: RunHistory, sql: str) -> None:
    with sqlite3.connect(history.database.place) as store:
        store.execute(sql)
    store.close()


def read_disk(home: Path) -> bytes:
    return b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())


@pytest.fixture
def history(tmp_path: Path) -> RunHistory:
    history = RunHistory(tmp_path)
    for number in range(4):
        history.record(abstention(f"gout {number}?"))
    return history


def test_runs_are_listed_and_found_by_the_first_letters_of_their_ids(history: RunHistory) -> None:
    listed = history.list_runs()
    assert [one.title for one in listed] == ["gout 3?", "gout 2?", "gout 1?", "gout 0?"]
    assert [one.title for one in history.list_runs(2)] == ["gout 3?", "gout 2?"]
    assert history.load(listed[1].id[:8]) == abstention("gout 2?")
    for unknown in ("", "zz", "%"):
        with pytest.raises(NotFoundError, match="No run begins with"):
            history.load(unknown)
    assert not list(history.find_changes())


def test_what_is_about_a_patient_is_not_kept(tmp_path: Path) -> None:
    named = "Does colchicine shorten gout flares in Mrs Ngozi Okafor, MRN 4482913?"
    for asked in (abstention("metformin?", patient="71, eGFR 22"), abstention(named)):
        assert RunHistory(tmp_path).record(asked) == ""
    masked = Question(text="Does colchicine shorten gout flares?", asked=named)
    assert RunHistory(tmp_path).record(Answer(question=masked, abstained=True)) == ""
    assert not (tmp_path / FILE_NAME).exists()
    assert RunHistory(tmp_path).list_runs() == []


NAMED = "Should Mrs Ngozi Okafor, phone 020 555-0137, take metformin?"


@pytest.mark.parametrize(
    "question",
    [
        Question(text=NAMED),
        Question(text="Is Zebulon Okafor allowed colchicine? Call me 555-0137"),
        Question(text="Should she take metformin?", asked=NAMED),
        Question(text="And with gout?", history=(Turn(role="user", text=NAMED),)),
        Question(text="Who takes it?", options={"A": "Mrs Ngozi Okafor", "B": "nobody"}),
    ],
)
@pytest.mark.parametrize("abstained", [True, False])
def test_a_question_whose_words_identify_somebody_is_not_kept(
    tmp_path: Path, question: Question, abstained: bool
) -> None:
    answer = Answer(question=question, abstained=abstained, reason="nothing was found" if abstained else "")
    assert RunHistory(tmp_path).record(answer) == ""
    assert not (tmp_path / FILE_NAME).exists()


@pytest.mark.parametrize("answered", ["metformin for type 2 diabetes", "xylophone zarquon"])
def test_a_name_typed_in_a_question_is_nowhere_on_the_disk(guidelines_home: Path, answered: str) -> None:
    question = f"Should Mrs Ngozi Okafor, phone 020 555-0137, take {answered}?"
    result = CliRunner().invoke(command_line, ["--home", str(guidelines_home), "ask", question])
    assert "Not saved to history" in result.stderr
    kept = b"".join(path.read_bytes() for path in guidelines_home.rglob("*") if path.is_file())
    assert not [word for word in (b"Okafor", b"okafor", b"555-0137") if word in kept]


@pytest.mark.parametrize(("kind", "is_kept"), [("own", False), ("research", True)])
def test_what_a_library_of_ones_own_says_of_somebody_is_not_kept(
    tmp_path: Path, kind: SourceKind, is_kept: bool
) -> None:
    text = "Mrs Ngozi Okafor, born 12 March 1948, takes colchicine."
    passage = Passage(reference=Reference(id="note", kind=kind), text=text, start=0, end=len(text))
    left_out = (Omission.of_passage(passage, "not relevant"),)
    answer = abstention("gout?").model_copy(update={"dropped": left_out})
    assert RunHistory(tmp_path).record(answer)
    assert b"Okafor" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())
    read = answer.model_copy(update={"evidence": (Evidence(passage=passage, relevance=1.0),)})
    assert bool(RunHistory(tmp_path).record(read)) == is_kept


def test_words_that_turn_out_to_be_about_somebody_are_erased(tmp_path: Path) -> None:
    recorder = RunRecorder(RunHistory(tmp_path), describe_event)
    text = "Mrs Ngozi Okafor, born 12 March 1948, takes colchicine."
    passage = Passage(reference=Reference(id="note", kind="own"), text=text, start=0, end=len(text))
    answer = abstention(PRIVATE).model_copy(update={"evidence": (Evidence(passage=passage, relevance=1.0),)})

    async def work(emit: Emit) -> Answer:
        emit(QuestionFramed(question=Question(text=PRIVATE)))
        emit(
            AnswerDrafted(
                statements=(Statement(text="Okafor takes colchicine.", verdict=Verdict(label="unjudged", score=0.5)),)
            )
        )
        await asyncio.sleep(3 * POLL_SECONDS)
        assert [line.title for line in RunHistory(tmp_path).list_runs()] == [PRIVATE]
        # A draft is of nobody's disk.
        assert [step.text for _, step in RunHistory(tmp_path).read_steps(run.id)[1]] == ["Question read"]
        return answer

    run = recorder.new_question(answer.question, "terminal")
    assert asyncio.run(run.perform(work)) == answer
    assert (run.state, run.kept, run.unkept) == ("finished", False, "personal")
    assert RunHistory(tmp_path).list_runs() == []
    assert PRIVATE.encode() not in read_disk(tmp_path) and b"Okafor" not in read_disk(tmp_path)


async def test_a_run_that_is_deleted_while_it_works_is_stopped_and_leaves_nothing(tmp_path: Path) -> None:
    recorder = RunRecorder(RunHistory(tmp_path), describe_event)
    run = recorder.new_question(Question(text=PRIVATE), "api")

    async def work(_: Emit) -> Answer:
        RunHistory(tmp_path).delete(run.id)
        await asyncio.sleep(30)
        return abstention(PRIVATE)

    with pytest.raises(RunStopped):
        await run.perform(work)
    assert RunHistory(tmp_path).list_runs() == []
    assert PRIVATE.encode() not in read_disk(tmp_path)


def test_what_is_deleted_is_nowhere_on_the_disk(tmp_path: Path) -> None:
    history = RunHistory(tmp_path)
    id = history.record(abstention(PRIVATE))
    history.record(abstention("gout?"))
    assert any(PRIVATE.encode() in path.read_bytes() for path in tmp_path.iterdir())
    history.delete(id)
    assert not any(PRIVATE.encode() in path.read_bytes() for path in tmp_path.iterdir())
    assert [one.is_deleted for one in history.list_runs()] == [False, True]
    with pytest.raises(NotFoundError, match="was deleted"):
        history.load(id)
    assert not list(history.find_changes())
    assert (tmp_path / FILE_NAME).stat().st_mode & 0o077 == 0


def test_the_oldest_are_pruned(history: RunHistory) -> None:
    assert history.prune(keep=1) == 3
    assert [one.is_deleted for one in history.list_runs()] == [False, True, True, True]
    assert history.prune(keep=1) == 0
    assert history.delete_all() == 1


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        (
            "UPDATE runs_1 SET answer = replace(answer, 'nothing', 'much') WHERE number = 2",
            "was changed after it was recorded",
        ),
        ("UPDATE runs_1 SET at = '2020-01-01T00:00:00+00:00' WHERE number = 2", "was changed after it was recorded"),
        ("DELETE FROM runs_1 WHERE number = 2", "is missing"),
        ("DELETE FROM runs_1 WHERE number = 1", "is missing"),
        ("DELETE FROM runs_1 WHERE number = 4", "The newest run is missing"),
    ],
)
def test_a_change_is_seen(history: RunHistory, sql: str, said: str) -> None:
    change(history, sql)
    assert any(said in one for one in history.find_changes())


def test_several_processes_record_at_once(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from wellsourced.runs.history import RunHistory\n"
        "from wellsourced.types import Answer, Evidence, Omission, Passage, Question, Reference, SourceKind, Turn\n"
        "for n in range(10):\n"
        "    RunHistory(Path(sys.argv[1])).record(Answer(question=Question(text=f'q{n}'), abstained=True))"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    with ThreadPoolExecutor() as pool:
        ended = list(pool.map(lambda _: subprocess.run(command, check=False).returncode, range(3)))
    assert ended == [0, 0, 0]
    assert len(RunHistory(tmp_path).list_runs()) == 30
    assert not list(RunHistory(tmp_path).find_changes())


def test_one_owner_neither_sees_nor_deletes_what_is_anothers(tmp_path: Path) -> None:
    history = RunHistory(tmp_path)
    ids = [history.record(abstention(f"gout {number}?"), owner) for number, owner in enumerate(("", "a", "b", "a"))]
    assert [one.title for one in history.list_runs_of("a")] == ["gout 3?", "gout 1?"]
    assert [one.title for one in history.list_runs_of("")] == ["gout 0?"]
    for act in (history.load, history.delete):
        with pytest.raises(NotFoundError, match="No run begins with"):
            act(ids[1], "b")
    history.delete(ids[1], "a")
    assert [one.title for one in history.list_runs_of("a")] == ["gout 3?"]
    assert [one.is_deleted for one in history.list_runs()] == [False, False, True, False]
    assert history.load(ids[2]) == abstention("gout 2?")
    assert not list(history.find_changes())
    change(RunHistory(tmp_path), "UPDATE runs_1 SET owner = 'b' WHERE number = 4")
    assert any("was changed after it was recorded" in one for one in history.find_changes())


def test_who_turns_pages_sees_each_run_once_while_others_are_added_and_deleted(history: RunHistory) -> None:
    first = history.list_runs_of("", limit=2)
    history.record(abstention("gout 4?"))
    history.delete(first[1].id)
    rest = history.list_runs_of("", after=first[1].id, limit=2)
    assert [one.title for one in (*first, *rest)] == ["gout 3?", "gout 2?", "gout 1?", "gout 0?"]
    assert history.list_runs_of("", after=rest[1].id) == []
    with pytest.raises(NotFoundError):
        history.list_runs_of("a", after=first[0].id)


def test_runs_are_found_by_the_words_of_question_and_answer_and_no_more_when_they_are_deleted(tmp_path: Path) -> None:
    history = RunHistory(tmp_path)
    text = "Cold packs ease 50% of swollen Größen, e.g. a_b."
    passage = Passage(reference=Reference(id="note", kind="research"), text=text, start=0, end=len(text))
    cited = Citation(passage_id=passage.id, quote=text, start=0, end=len(text))
    said = Statement(text=text, citations=(cited,), verdict=Verdict(label="supports", score=1.0))
    given = Answer(
        question=Question(text="gout?"), statements=(said,), evidence=(Evidence(passage=passage, relevance=1.0),)
    )
    id = history.record(given)
    history.record(abstention("What about a xb?"), "somebody")
    for words in (("Cold", "packs"), ("GRÖSSEN",), ("50%",), ("a_b",), ("cold", "gout")):
        assert [line.short_id for line in history.list_runs_of("", words=words)] == [id], words
    for words in (("cold", "nothing"), ("5%",), ("ax_",), ("\\",)):
        assert history.list_runs_of("", words=words) == []
    assert history.list_runs_of("somebody", words=("a_",)) == []
    history.delete(id)
    assert history.list_runs_of("", words=("cold",)) == []
    assert b"cold packs" not in read_disk(tmp_path)


def test_what_differs_between_two_answers_is_told() -> None:
    assert compare_answers(abstention("gout?"), abstention("gout?")) == []
    given = Answer(question=Question(text="gout?"))
    assert compare_answers(given, abstention("gout?")) == ["there was an answer then, but not now"]


def run(home: Path, *words: str) -> Result:
    return CliRunner().invoke(command_line, ["--home", str(home), *words])


@pytest.mark.slow
def test_from_a_question_to_its_run_and_back(guidelines_home: Path, tmp_path: Path) -> None:
    home = guidelines_home
    asked = run(home, "ask", "How is an acute gout flare treated?")
    assert asked.exit_code == 0
    assert run(home, "--set", "runs=false", "ask", "How is gout treated?").exit_code == 0
    (summary,) = RunHistory(home).list_runs()
    shown = run(home, "history", "show", summary.id[:6])
    assert shown.stdout.split("References")[0] == asked.stdout.split("References")[0]
    assert summary.short_id in run(home, "history", "list").stdout
    assert "in the same order" in run(home, "history", "replay", summary.id).stdout
    assert run(home, "history", "export", summary.id, str(tmp_path / "run.json")).exit_code == 0
    assert Answer.model_validate_json((tmp_path / "run.json").read_bytes()).statements
    assert "1 run, unchanged" in run(home, "history", "verify").stdout
    assert run(home, "history", "delete", summary.id).exit_code == 0
    assert "0 runs and 1 deleted, unchanged" in run(home, "history", "verify").stdout
    assert run(home, "history", "list").stdout == "No runs are stored here.\n"
    assert run(home, "history", "delete").exit_code == 2
    assert len(RunHistory(home).list_runs()) == 1


@pytest.mark.slow
def test_an_answer_that_cannot_be_kept_is_given_all_the_same(guidelines_home: Path) -> None:
    (guidelines_home / FILE_NAME).mkdir()
    asked = run(guidelines_home, "ask", "How is an acute gout flare treated?")
    assert asked.exit_code == 0
    assert "Not saved to history" in asked.stderr
    assert "In short" in asked.stdout
