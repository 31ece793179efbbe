"""`wellsourced setup`: what a new user is asked, what is written of the answers, and that nothing else changes."""

import os
import stat
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.conftest import Run
from tests.app.terminal_session import at_terminal
from tests.app.test_library_recipes import OBO
from tests.servers.archive import archive
from tests.servers.base import Asked, Said, Served, serving
from tests.servers.models.thinking import Thinking
from wellsourced import config
from wellsourced.config.own_settings import own_settings_path
from wellsourced.config.settings import SERVICE_NAMES

KEY = "sk-proj-51/Very+Secret"
NEXT = 'Next: wellsourced ask "How is an acute gout flare treated?"'
NOTHING_WRITTEN = "stopped. Nothing was written."


@pytest.fixture
def path() -> Path:
    """The user's own settings file, which is not there yet."""
    return own_settings_path()


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    file = tmp_path / "key.txt"
    file.write_text(f"{KEY}\n", encoding="utf-8")
    return file


@pytest.fixture
def provider() -> Iterator[Served]:
    """A provider on loopback that wants its key."""
    models = pytest.importorskip("pydantic_ai.models", reason="the extra `models` is not installed")
    with models.override_allow_model_requests(True), serving(Thinking(key=KEY)) as served:
        yield served


@pytest.fixture
def newcomer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody whose environment says nothing."""
    monkeypatch.delenv("WELLSOURCED_HOME")


def place(path: Path, text: str) -> bytes:
    """Put a settings file there; its bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path.read_bytes()


def read(path: Path) -> dict[str, object]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def sentences(output: str) -> str:
    """What was printed, whatever lines it was broken into."""
    return " ".join(output.split())


# --- by flags --------------------------------------------------------------------------------------------------------


def test_without_a_terminal_nothing_is_asked_and_the_flags_are_named(run: Run, path: Path) -> None:
    told = run("setup", "--email", "me@example.org", stdin="y\n" * 20)
    assert told.exit_code == 2
    assert told.stderr.startswith("wellsourced: No terminal to ask at. Give the answers as flags, with --yes: ")
    assert told.stderr.count("\n") == 1
    assert not path.exists()


def test_only_what_differs_from_the_defaults_is_written_each_under_a_comment(run: Run, path: Path) -> None:
    told = run("setup", "--yes", "--model", "none", "--live", "pubmed", "--live", "pmc", "--email", "me@example.org")
    assert told.exit_code == 0, told.output
    assert read(path) == {"live": ["pubmed", "pmc"], "network": {"email": "me@example.org"}}
    lines = path.read_text().splitlines()
    assert all(lines[lines.index(one) - 1].startswith("# ") for one in lines if " = " in one and one[0] != "#")
    assert told.stdout.splitlines()[-1] == NEXT


def test_the_file_is_for_its_owner_alone_and_nothing_is_left_beside_it(run: Run, path: Path) -> None:
    place(path, "# mine\n")
    path.chmod(0o644)
    run("setup", "--yes", "--email", "me@example.org")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_what_the_user_wrote_stays_and_what_is_set_counts(run: Run, path: Path) -> None:
    place(path, "# mine\nencoder = 'none' # for now\n\n[network]\n# patience\nseconds = 7\n\n[policy]\npassages = 20\n")
    run("setup", "--yes", "--email", "me@example.org", "--live", "europe_pmc")
    text = path.read_text(encoding="utf-8")
    kept = (
        "# mine\n",
        "encoder = 'none' # for now\n",
        "[network]\n# patience\nseconds = 7\n",
        "[policy]\npassages = 20\n",
    )
    assert all(one in text for one in kept)
    settings = config.load()
    assert (settings.network.email, settings.network.seconds, settings.live) == ("me@example.org", 7, ("europe_pmc",))


def test_a_link_still_leads_to_the_file_that_is_changed(run: Run, path: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.toml"
    real.write_text("# of all my machines\n")
    path.parent.mkdir(parents=True)
    path.symlink_to(real)
    run("setup", "--yes", "--email", "me@example.org")
    assert path.is_symlink()
    assert real.read_text().startswith("# of all my machines\n")
    assert config.load().network.email == "me@example.org"


def test_said_again_nothing_changes(run: Run, path: Path) -> None:
    words = ("setup", "--yes", "--live", "pubmed", "--email", "me@example.org")
    run(*words)
    before = path.read_bytes()
    told = run(*words)
    assert path.read_bytes() == before
    assert f"No changes in {path}." in sentences(told.stdout)


def test_what_is_taken_back_stays_as_a_comment_and_the_default_holds(run: Run, path: Path) -> None:
    place(path, 'model = "ollama:qwen3"  # slow\nassistant = "ollama:small"\n[network]\nemail = "me@example.org"\n')
    told = run("setup", "--yes", "--model", "none", "--email", "none")
    assert told.exit_code == 0, told.output
    assert '# model = "ollama:qwen3"  # slow\n' in path.read_text(encoding="utf-8")
    settings = config.load()
    assert (settings.model, settings.assistant, settings.network.email) == ("", "", "")


def test_of_a_preset_that_searches_the_network_nothing_is_searched_if_none_is_wished(run: Run, path: Path) -> None:
    place(path, 'preset = "clinfo"\n')
    assert config.load().live
    run("setup", "--yes", "--live", "none")
    assert read(path) == {"preset": "clinfo", "live": []}


def test_other_flags_of_the_program_hold_for_the_run_and_are_not_written(run: Run, path: Path) -> None:
    run("--set", "policy.passages=20", "--preset", "words", "setup", "--yes", "--email", "me@example.org")
    assert read(path) == {"network": {"email": "me@example.org"}}


@pytest.mark.usefixtures("newcomer")
def test_where_things_lie_is_written_whole(
    run: Run, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("setup", "--yes", "--home", "medicine").exit_code == 0
    assert read(path) == {"home": str(tmp_path / "medicine")}
    assert not (tmp_path / "medicine").exists()


def test_what_the_environment_says_is_told_to_count_more(run: Run, path: Path, home: Path, tmp_path: Path) -> None:
    told = run("setup", "--yes", "--home", str(tmp_path / "medicine"))
    says = "home is set in the environment variable WELLSOURCED_HOME, which overrides your file."
    assert says in sentences(told.stdout)


WRONG = {
    "model": ("--model", "olama:qwen3", "did you mean ollama?"),
    "model without a name": ("--model", "ollama", "names no model"),
    "file of a model": ("--model", "local:/no/such.gguf", "The model /no/such.gguf cannot be read"),
    "source": ("--live", "pubmd", "Did you mean pubmed?"),
    "source like no other": ("--live", "xyzzy", "Choose from: pubmed, pmc, "),
    "e-mail": ("--email", "me at home", "Write it as name@example.org"),
    "e-mail with a line in it": ("--email", "me@example.org\nX: y", "is not an e-mail address"),
    "address": ("--url", "searxng=example.org", "Write it as https://HOST/PATH"),
    "address in the clear": ("--url", "searxng=http://example.org", "Plain HTTP is allowed for this machine only"),
    "service": ("--url", "sears=https://example.org", "No service “sears”"),
    "pair": ("--url", "https://example.org", "is not SERVICE="),
    "folder": ("--home", "/etc/passwd/here", "Name another folder"),
    "key": ("--key-file", "pubmed=/no/such/file", "has no key in its first line"),
    "collection": ("--collection", "mdquad", "Did you mean medquad?"),
    "collection by hand": ("--collection", "umls", "No collection “umls”. Collections: "),
}


@pytest.mark.parametrize("flag", WRONG.values(), ids=WRONG.keys())
def test_what_cannot_be_is_told_in_a_sentence_and_nothing_is_written(
    run: Run, path: Path, flag: tuple[str, str, str]
) -> None:
    option, value, says = flag
    before = place(path, "# mine\n")
    told = run("setup", "--yes", "--email", "me@example.org", option, value)
    assert told.exit_code == 2
    assert says in sentences(told.stderr)
    assert path.read_bytes() == before


def test_a_file_that_cannot_be_read_is_left_alone(run: Run, path: Path) -> None:
    before = place(path, "model = \n")
    told = run("setup", "--yes", "--email", "me@example.org")
    assert told.exit_code == 2
    assert "is not valid TOML" in told.stderr
    assert path.read_bytes() == before


# --- keys ------------------------------------------------------------------------------------------------------------


def test_a_key_comes_from_a_file_or_a_pipe_and_is_shown_nowhere(run: Run, path: Path, key_file: Path) -> None:
    words = ("--key-file", f"pubmed={key_file}", "--key-file", "brave=-")
    told = run("setup", "--yes", "--live", "brave", *words, stdin=f"{KEY}2\n")
    assert told.exit_code == 0, told.output
    assert KEY not in told.output
    assert "pubmed.key = (hidden)" in told.stdout
    assert read(path) == {"live": ["brave"], "pubmed": {"key": KEY}, "brave": {"key": f"{KEY}2"}}
    assert KEY not in run("setup", "show").output


def test_a_key_that_is_no_key_is_refused_without_being_shown(run: Run, path: Path) -> None:
    told = run("setup", "--yes", "--key-file", "brave=-", stdin="two words\n")
    assert told.exit_code == 2
    assert "two words" not in told.output
    assert not path.exists()


def test_a_source_that_still_lacks_its_key_is_told_with_the_remedy(run: Run) -> None:
    told = run("setup", "--yes", "--live", "tavily")
    assert told.exit_code == 0
    assert "tavily does not work yet: it needs an API key" in sentences(told.stdout)
    assert "WELLSOURCED_TAVILY__KEY" in sentences(told.stdout)


def test_a_model_that_still_lacks_its_key_is_told_before_a_question_is_suggested(run: Run, path: Path) -> None:
    told = run("setup", "--yes", "--model", "openai:gpt-5")
    assert told.exit_code == 0
    assert "openai:gpt-5 does not work yet: openai needs an API key (openai.key" in sentences(told.stdout)
    assert told.stdout.splitlines()[-1] == f"Then: {NEXT.removeprefix('Next: ')}"
    assert read(path) == {"model": "openai:gpt-5"}


def test_every_service_with_settings_can_be_given_a_key_and_an_address(run: Run, path: Path, key_file: Path) -> None:
    keys = [word for one in SERVICE_NAMES for word in ("--key-file", f"{one}={key_file}")]
    urls = [word for one in SERVICE_NAMES for word in ("--url", f"{one}=https://{one.replace('_', '-')}.example.org")]
    assert run("setup", "--yes", *keys, *urls).exit_code == 0
    assert read(path).keys() == {*SERVICE_NAMES}


# --- the model -------------------------------------------------------------------------------------------------------


def model_flags(provider: Served, key_file: Path) -> tuple[str, ...]:
    named = ("--model", "compatible:sim", "--url", f"compatible={provider.url}/v1")
    return (*named, "--key-file", f"compatible={key_file}")


def test_a_model_is_tried_with_one_question_if_that_is_wished_and_kept(
    run: Run, path: Path, provider: Served, key_file: Path
) -> None:
    told = run("setup", "--yes", *model_flags(provider, key_file), "--try-model")
    assert told.exit_code == 0, told.output
    assert len(provider.asked) == 1
    assert "compatible:sim answered in " in told.stdout
    assert read(path) == {"model": "compatible:sim", "compatible": {"url": f"{provider.url}/v1", "key": KEY}}


def test_nobody_is_asked_unless_somebody_said_so(run: Run, path: Path, provider: Served, key_file: Path) -> None:
    told = run("setup", "--yes", *model_flags(provider, key_file))
    assert told.exit_code == 0, told.output
    assert provider.asked == []
    assert read(path)["model"] == "compatible:sim"


def test_a_file_of_a_model_is_looked_at_and_named_by_its_whole_path(
    run: Run, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    model = tmp_path / "small.gguf"
    model.write_bytes(b"no model")
    told = run("setup", "--yes", "--model", "local:small.gguf")
    assert told.exit_code == 2
    assert "it is not a GGUF file" in told.stderr
    model.write_bytes(b"GGUF" + (3).to_bytes(4, "little") + bytes(16))
    assert run("setup", "--yes", "--model", "local:small.gguf").exit_code == 0
    assert read(path) == {"model": f"local:{model}"}


def test_a_model_that_refuses_the_key_is_not_written(run: Run, path: Path, provider: Served, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.txt"
    wrong.write_text("another-key\n")
    told = run("setup", "--yes", *model_flags(provider, wrong), "--try-model")
    assert told.exit_code == 2
    assert told.stderr.splitlines()[-1].startswith("wellsourced: compatible:sim does not answer: ")
    assert "another-key" not in told.output
    assert not path.exists()


def test_offline_a_model_is_written_and_not_tried(run: Run, path: Path, provider: Served, key_file: Path) -> None:
    told = run("--offline", "setup", "--yes", *model_flags(provider, key_file), "--try-model")
    assert told.exit_code == 0, told.output
    assert provider.asked == []
    assert read(path)["model"] == "compatible:sim"


# --- collections -----------------------------------------------------------------------------------------------------


def test_a_collection_is_fetched_when_the_settings_are_written(run: Run, path: Path, home: Path) -> None:
    with archive({"/obo/doid.obo": OBO.encode()}) as served:
        words = ("--collection", "do", "--mirror", f"do={served.url}/obo/")
        told = run("setup", "--yes", "--email", "me@example.org", *words)
    assert told.exit_code == 0, told.output
    assert f"Download: do (about 10.0 MB, from {served.url.removeprefix('http://')})." in sentences(told.stdout)
    assert config.load().network.email == "me@example.org"
    assert "podagra" in run("search", "--source", "graph", "gout").stdout
    assert told.stdout.splitlines()[-1] == NEXT


def test_a_collection_that_cannot_be_fetched_costs_no_setting(run: Run) -> None:
    def broken(_: Asked) -> Said:
        return Said(b"gone", 404)

    with serving(broken) as served:
        words = ("--collection", "do", "--mirror", f"do={served.url}/obo/")
        told = run("setup", "--yes", "--email", "me@example.org", *words)
    assert told.exit_code == 1
    assert "do is not complete. To continue, run: wellsourced library add do" in told.stderr
    assert config.load().network.email == "me@example.org"


# --- at a terminal ---------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("newcomer")
def test_a_newcomer_is_led_through_and_what_was_wrong_is_asked_again(path: Path, tmp_path: Path) -> None:
    with at_terminal("setup") as session:
        session.answer("Language model [none]", "olama:qwen3")
        assert "did you mean ollama?" in session.answer("Language model [none]", "none")
        session.answer("Sources, separated by commas [none]", "pubmed, brav")
        assert "Did you mean brave?" in session.answer("Sources, separated", "pubmed, brave")
        session.answer("Key for brave", KEY)
        session.answer("Your e-mail address [none]", "me at home")
        assert "is not an e-mail address" in session.answer("Your e-mail", "me@example.org")
        session.answer("Key for NCBI", "two words")
        assert "That is not a key" in session.answer("Key for NCBI")
        session.answer("Folder [", "/etc/passwd/here")
        assert "Name another folder" in session.answer("Folder [", str(tmp_path / "medicine"))
        assert "Creative Commons" in session.answer("Collections to download", "mdquad")
        assert "Did you mean medquad?" in session.answer("Collections to download")
        session.answer("Continue?")
        status, shown = session.finish()
    assert status == 0, shown
    assert KEY not in shown
    assert "two words" not in shown
    assert "Traceback" not in shown
    assert shown.rstrip().endswith(NEXT)
    assert read(path) == {
        "live": ["pubmed", "brave"],
        "brave": {"key": KEY},
        "network": {"email": "me@example.org"},
        "home": str(tmp_path / "medicine"),
    }


@pytest.mark.usefixtures("newcomer")
def test_run_again_what_stands_is_kept_with_enter(path: Path) -> None:
    before = place(path, f'live = ["pubmed"]\n[network]\nemail = "me@example.org"\n[pubmed]\nkey = "{KEY}"\n')
    with at_terminal("setup") as session:
        session.answer("Language model [none]")
        session.answer("Sources, separated by commas [pubmed]")
        session.answer("Your e-mail address [me@example.org]")
        session.answer("Key for NCBI (Enter keeps the current key, “none” removes it)")
        session.answer("Folder [")
        session.answer("Collections to download")
        status, shown = session.finish()
    assert (status, path.read_bytes()) == (0, before)
    assert KEY not in shown


@pytest.mark.parametrize("stage", ["Language model [", "Key for NCBI", "Collections to download", "Continue?"])
@pytest.mark.usefixtures("newcomer")
def test_ctrl_c_leaves_everything_as_it_was_and_says_so(path: Path, stage: str) -> None:
    before = place(path, "# mine\n")
    with at_terminal("setup") as session:
        for question, line in (
            ("Language model [", ""),
            ("Sources, separated", "pubmed"),
            ("Your e-mail", "me@example.org"),
            ("Key for NCBI", KEY),
            ("Folder", ""),
            ("Collections to download", ""),
            ("Continue?", ""),
        ):
            if question == stage:
                break
            session.answer(question, line)
        session.wait_for(f"{stage}")
        session.wait_for(": ")
        session.interrupt()
        status, shown = session.finish()
        assert session.echoes()
    assert status == 130
    assert shown.endswith(f"wellsourced: {NOTHING_WRITTEN}\n")
    assert "Traceback" not in shown
    assert [path.read_bytes(), *path.parent.iterdir()] == [before, path]


@pytest.mark.usefixtures("newcomer")
def test_what_a_flag_answers_is_not_asked_and_no_at_the_end_writes_nothing(path: Path) -> None:
    with at_terminal("setup", "--email", "me@example.org") as session:
        session.answer("Language model [")
        session.answer("Sources, separated")
        assert "3. Folder" in session.answer("Folder [")
        session.answer("Collections to download")
        session.answer("Continue?", "n")
        status, shown = session.finish()
    assert (status, path.exists()) == (0, False)
    assert "Nothing was written." in shown


@pytest.mark.usefixtures("newcomer")
def test_a_model_that_does_not_answer_is_told_and_another_is_asked_for(path: Path, provider: Served) -> None:
    with at_terminal("setup") as session:
        session.answer("Language model [none]", "compatible:sim")
        session.answer("Its address", f"{provider.url}/v1")
        session.answer("Key for compatible", "wrong-key")
        session.answer("Try it with one small question?", "y")
        told = session.answer("Language model [compatible:sim]")
        assert "compatible:sim does not answer: " in told
        session.answer("Its address", f"{provider.url}/v1")
        session.answer("Key for compatible", KEY)
        session.answer("Try it with one small question?", "y")
        assert "compatible:sim answered in " in session.answer("Sources, separated")
        session.answer("Your e-mail")
        session.answer("Folder")
        session.answer("Collections to download")
        session.answer("Continue?")
        status, shown = session.finish()
    assert status == 0, shown
    assert KEY not in shown
    assert "wrong-key" not in shown
    assert read(path) == {"model": "compatible:sim", "compatible": {"url": f"{provider.url}/v1", "key": KEY}}


@pytest.mark.usefixtures("newcomer")
def test_ctrl_c_while_a_model_is_tried_leaves_everything_as_it_was(path: Path) -> None:
    pytest.importorskip("pydantic_ai", reason="the extra `models` is not installed")
    with serving(Thinking(seconds=30)) as slow, at_terminal("setup", "--url", f"compatible={slow.url}/v1") as session:
        session.answer("Language model [", "compatible:sim")
        session.answer("Key for compatible")
        session.answer("Try it with one small question?", "y")
        session.wait_for("Asking compatible:sim …")
        until = time.monotonic() + 60
        while not slow.asked:
            assert time.monotonic() < until
            time.sleep(0.05)
        session.interrupt()
        status, shown = session.finish()
    assert (status, path.exists()) == (130, False)
    assert shown.endswith(f"wellsourced: {NOTHING_WRITTEN}\n")


def test_what_the_environment_decides_is_not_asked(home: Path) -> None:
    with at_terminal("setup", OPENAI_API_KEY=KEY) as session:
        session.answer("Language model", "openai:gpt-5")
        assert "The key for openai comes from the environment." in session.answer("Try it with one small question?")
        session.answer("Sources, separated")
        session.answer("Your e-mail")
        told = session.answer("Collections to download")
        session.answer("Continue?", "n")
        session.finish()
    assert "home is set in the environment variable WELLSOURCED_HOME" in sentences(told)
    assert "Folder [" not in told
    assert not os.path.lexists(home)
