"""The command as a whole: help, settings, doctor, and how errors are told."""

import json
from pathlib import Path

import click
import pytest

from tests.app.conftest import Run, list_commands
from tests.tables import each_row
from wellsourced import __version__
from wellsourced.app.cli import command_line as command
from wellsourced.app.command_group import ProgramGroup


def test_help_teaches_with_examples(run: Run) -> None:
    told = run("--help")
    assert told.exit_code == 0
    assert 'wellsourced ask "How is an acute gout flare treated?"' in told.stdout
    assert "`wellsourced help options`" in told.stdout
    assert "4  " in run("help", "exit-codes").stdout


def commands(group: click.Group) -> list[tuple[str, click.Command]]:
    own = list_commands(group)
    return [*own, *(pair for _, one in own if isinstance(one, click.Group) for pair in commands(one))]


@each_row(("name", "one"), commands(command))
def test_every_command_and_every_option_says_what_it_does(name: str, one: click.Command) -> None:
    assert one.help
    assert one.short_help
    assert [option.name for option in one.params if isinstance(option, click.Option) and not option.help] == []


def test_the_version_is_the_packages(run: Run) -> None:
    assert run("--version").stdout == f"wellsourced, version {__version__}\n"


def test_settings_are_shown_with_their_place_and_meaning(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WELLSOURCED_POLICY__PASSAGES", "20")
    rows = {row["name"]: row for row in json.loads(run("setup", "show", "--json").stdout)}
    assert rows["policy.passages"]["value"] == 20
    assert rows["policy.passages"]["place"] == "in the environment variable WELLSOURCED_POLICY__PASSAGES"
    assert rows["encoder"]["place"] == "on the command line"
    shown = run("setup", "show").stdout
    assert all(name in shown and row["meaning"] in shown for name, row in rows.items())


def test_a_list_without_names_is_not_shown_as_if_it_held_all_there_are(run: Run) -> None:
    rows = {words[0]: words[1] for line in run("setup", "show").stdout.splitlines() if len(words := line.split()) > 1}
    assert rows["libraries"] == "(all)"
    assert {rows[name] for name in ("live", "retractions", "retraction_watch", "network.private_hosts")} == {"(none)"}


def test_the_home_flag_moves_the_libraries(run: Run, tmp_path: object) -> None:
    made = run("--home", f"{tmp_path}/elsewhere", "library", "create", "notes")
    assert made.exit_code == 0
    assert "notes" not in run("library", "list").stdout
    assert "notes" in run("--home", f"{tmp_path}/elsewhere", "library", "list").stdout


def test_the_doctor_finds_a_plain_install_able_to_answer(run: Run) -> None:
    told = run("doctor", encoder="minilm")
    assert told.exit_code == 0, told.output
    assert "weights as expected" in told.stdout
    assert told.stdout.endswith("Questions can be answered.\n")
    assert told.stdout.count("extra [documents]") == 1
    assert "–   extra [ray]: not installed (ray).\n" in told.stdout or "ok  extra [ray]: installed" in told.stdout


def test_with_a_model_that_does_not_answer_questions_can_still_be_answered(run: Run) -> None:
    model = ("--model", "compatible:small", "--set", "compatible.url=http://127.0.0.1:9/v1")
    models = pytest.importorskip("pydantic_ai.models", reason="the extra `models` is not installed")
    with models.override_allow_model_requests(True):
        told = run(*model, "doctor", "--ask-models")
    assert told.exit_code == 0, told.output
    assert "Cannot reach 127.0.0.1:9: no server is running there; start it" in told.stdout
    assert told.stdout.endswith("Questions can be answered, but not as your settings ask: see !! above.\n")


@each_row(
    ("words", "says"),
    [
        (("ask", "--foo", "Gout?"), "No option --foo. Did you mean --option?"),
        (("library", "add"), "Missing argument 'NAME'. Help: wellsourced library add --help"),
        (("--phi", "no", "doctor"), "Invalid value for '--phi': 'no' is not one of 'mask', 'refuse', 'allow'."),
        (("serch", "gout"), "No command “serch”. Did you mean search or serve?"),
        (("history", "show", "ffff"), "No run begins with the id “ffff”. Run: wellsourced history list"),
    ],
)
def test_every_error_is_one_line_in_one_style(run: Run, words: tuple[str, ...], says: str) -> None:
    done = run(*words)
    assert (done.exit_code, done.stdout, done.stderr) == (2, "", f"wellsourced: {says}\n")


def test_the_doctor_says_what_is_missing_and_what_to_do(run: Run, trials: str, home: object) -> None:
    run("library", "create", "empty")
    findings = {row["topic"]: row for row in json.loads(run("doctor", "--json").stdout)["findings"]}
    assert not findings["library empty"]["ok"]
    assert "wellsourced library add empty PATH" in findings["library empty"]["next_step"]
    assert findings["library trials"]["ok"]
    assert "3 documents" in findings["library trials"]["says"]


def test_the_doctor_fails_where_nothing_can_be_searched_or_settings_cannot_be_read(run: Run) -> None:
    nothing = run("--set", "guidelines=false", "doctor")
    assert nothing.exit_code == 1
    assert "nothing to search" in nothing.stdout
    wrong = run("--set", "treads=3", "doctor")
    assert wrong.exit_code == 1
    assert "Did you mean “threads”?" in wrong.stdout


def test_the_doctor_says_who_cannot_be_asked_about_retractions(run: Run, tmp_path: Path) -> None:
    named = ("--set", "retractions=retraction_watch")
    assert (
        "retraction_watch: it needs your copy of the database: set retraction_watch to its CSV file."
        in run(*named, "doctor").stdout
    )
    missing = run(*named, "--set", f"retraction_watch={tmp_path}/snapshot.csv", "doctor").stdout
    assert "!!  source retraction_watch: " in missing
    assert "cannot be opened" in missing
    assert "Run: wellsourced setup set retraction_watch VALUE" in missing
    assert ".." not in missing


def broken() -> click.Group:
    """A group like ours, with a command that nobody foresaw."""

    @click.group(cls=ProgramGroup)
    def group() -> None:
        pass

    @group.command()
    def fail() -> None:
        raise KeyError("\x1b[2Jsurprise")

    return group


def test_an_unforeseen_error_is_one_sentence_and_never_a_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        broken().main(["fail"])
    told = capsys.readouterr().err
    assert ended.value.code == 1
    assert told.startswith("wellsourced: Unexpected error (KeyError: ")
    assert told.count("\n") == 1
    assert "\x1b" not in told


def test_with_v_the_traceback_and_every_step_are_logged(run: Run, trials: str) -> None:
    assert "Traceback" in run("-v", "library", "list", "nope").stderr
    assert "Traceback" not in run("library", "list", "nope").stderr


def test_what_a_file_is_called_does_not_command_the_terminal_that_shows_the_error(run: Run, tmp_path: Path) -> None:
    hostile = tmp_path / "a\x1b[2Jb\u202e.txt"
    hostile.write_text("")
    told = run("check", str(hostile))
    assert told.exit_code == 2
    assert "a�[2Jb�.txt is empty" in told.stderr
    assert not set("\x1b\u202e").intersection(told.output)
