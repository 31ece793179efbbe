"""`wellsourced setup`: what a new user is asked, what is written of the answers, and that nothing else changes."""

import stat
import tomllib
from pathlib import Path

import pytest

from tests.app.conftest import Run
from tests.app.terminal_session import at_terminal
from tests.tables import each_row
from wellsourced import config
from wellsourced.config.loader import flatten_tables
from wellsourced.config.own_settings import own_settings_path

KEY = "sk-proj-51/Very+Secret"
NEXT = 'Next: wellsourced ask "How is an acute gout flare treated?"'
NOTHING_WRITTEN = "stopped. Nothing was written."


@pytest.fixture
def path() -> Path:
    """The user's own settings file, which is not there yet."""
    return own_settings_path()


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


# --- setup set -------------------------------------------------------------------------------------------------------


def test_without_a_terminal_nothing_is_asked_and_the_other_way_is_named(run: Run, path: Path) -> None:
    told = run("setup", stdin="y\n" * 20)
    assert told.exit_code == 2
    assert (
        told.stderr == "wellsourced: No terminal to ask at. Set each value with `wellsourced setup set NAME VALUE`.\n"
    )
    assert not path.exists()


def test_a_setting_is_shown_and_written_with_its_meaning(run: Run, path: Path) -> None:
    told = run("setup", "set", "live", "pubmed", "pmc")
    assert told.exit_code == 0, told.output
    assert 'live = ["pubmed", "pmc"]' in told.stdout
    assert read(path) == {"live": ["pubmed", "pmc"]}
    assert config.describe_settings()["live"] in path.read_text(encoding="utf-8")


VALUES = {
    "policy.statements": (("2",), 2),
    "network.offline": (("true",), True),
    "policy.tiers": (("guideline > *, pubmed",), [["guideline"], ["*", "pubmed"]]),
    "encoder": (("none",), "none"),
    "preset": (("clinfo",), "clinfo"),
}


@pytest.mark.parametrize("name", VALUES)
def test_a_value_is_written_as_what_it_is(run: Run, path: Path, name: str) -> None:
    words, value = VALUES[name]
    assert run("setup", "set", name, *words).exit_code == 0
    assert dict(flatten_tables(read(path))) == {name: value}
    assert run("setup", "set", name).exit_code == 0
    assert dict(flatten_tables(read(path))) == {}


def test_the_file_is_for_its_owner_alone_and_nothing_is_left_beside_it(run: Run, path: Path) -> None:
    place(path, "# mine\n")
    path.chmod(0o644)
    run("setup", "set", "network.email", "me@example.org")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_what_the_user_wrote_stays_and_what_is_set_counts(run: Run, path: Path) -> None:
    text = "# mine\nencoder = 'none' # for now\n\n[network]\n# patience\nseconds = 7\n\n[policy]\npassages = 20\n"
    place(path, text)
    run("setup", "set", "network.email", "me@example.org")
    assert all(line in path.read_text(encoding="utf-8").splitlines() for line in text.splitlines())
    settings = config.load()
    assert (settings.network.email, settings.encoder) == ("me@example.org", "none")


def test_a_link_still_leads_to_the_file_that_is_changed(run: Run, path: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.toml"
    real.write_text("# of all my machines\n")
    path.parent.mkdir(parents=True)
    path.symlink_to(real)
    run("setup", "set", "network.email", "me@example.org")
    assert path.is_symlink()
    assert real.read_text().startswith("# of all my machines\n")
    assert config.load().network.email == "me@example.org"


def test_said_again_nothing_changes(run: Run, path: Path) -> None:
    words = ("setup", "set", "live", "pubmed")
    run(*words)
    before = path.read_bytes()
    told = run(*words)
    assert path.read_bytes() == before
    assert f"No changes in {path}." in sentences(told.stdout)


def test_of_a_preset_that_searches_the_network_nothing_is_searched_if_none_is_wished(run: Run, path: Path) -> None:
    place(path, 'preset = "clinfo"\n')
    assert config.load().live
    run("setup", "set", "live", "none")
    assert read(path) == {"preset": "clinfo", "live": []}


def test_what_the_environment_says_is_told_to_count_more(run: Run, path: Path, tmp_path: Path) -> None:
    told = run("setup", "set", "home", str(tmp_path / "medicine"))
    says = "home is set in the environment variable WELLSOURCED_HOME, which overrides your file."
    assert says in sentences(told.stdout)
    assert read(path) == {"home": str(tmp_path / "medicine")}


WRONG = {
    "name": ("policy.statement", "5", "Did you mean “policy.statements”?"),
    "group": ("policy", "5", "is a group of settings"),
    "value": ("network.offline", "maybe", "“network.offline” cannot be 'maybe'"),
    "model": ("model", "olama:qwen3", "did you mean ollama?"),
    "model without a name": ("model", "ollama", "names no model"),
    "source": ("live", "pubmd", "it should be 'pubmed', 'pmc', "),
    "preset": ("preset", "clinfoo", "No preset “clinfoo”"),
    "e-mail": ("network.email", "me at home", "Write it as name@example.org"),
    "e-mail with a line in it": ("network.email", "me@example.org\nX: y", "is not an e-mail address"),
    "address": ("searxng.url", "example.org", "Write it as https://HOST/PATH"),
    "address in the clear": ("searxng.url", "http://example.org", "Plain HTTP is allowed for this machine only"),
    "service": ("sears.url", "https://example.org", "No setting “sears.url”"),
}


@each_row("typed", WRONG.values())
def test_what_cannot_be_is_told_in_a_sentence_and_nothing_is_written(
    run: Run, path: Path, typed: tuple[str, str, str]
) -> None:
    name, value, says = typed
    before = place(path, "# mine\n")
    told = run("setup", "set", name, value)
    assert told.exit_code == 2
    assert says in sentences(told.stderr)
    assert path.read_bytes() == before


def test_a_file_that_cannot_be_read_is_left_alone(run: Run, path: Path) -> None:
    before = place(path, "model = \n")
    told = run("setup", "set", "network.email", "me@example.org")
    assert told.exit_code == 2
    assert "is not valid TOML" in told.stderr
    assert path.read_bytes() == before


def test_a_key_comes_from_a_pipe_and_is_shown_nowhere(run: Run, path: Path) -> None:
    told = run("setup", "set", "pubmed.key", "-", stdin=f"{KEY}\n")
    assert told.exit_code == 0, told.output
    assert KEY not in told.output
    assert "pubmed.key = (hidden)" in told.stdout
    assert read(path) == {"pubmed": {"key": KEY}}
    assert KEY not in run("setup", "show").output


def test_a_key_that_is_no_key_is_refused_without_being_shown(run: Run, path: Path) -> None:
    told = run("setup", "set", "brave.key", "-", stdin="two words\n")
    assert told.exit_code == 2
    assert "two words" not in told.output
    assert not path.exists()


def test_a_source_that_still_lacks_its_key_is_told_with_the_remedy(run: Run) -> None:
    told = run("setup", "set", "live", "tavily")
    assert told.exit_code == 0
    assert "tavily does not work yet: it needs an API key" in sentences(told.stdout)
    assert "WELLSOURCED_TAVILY__KEY" in sentences(told.stdout)


def test_a_model_that_still_lacks_its_key_is_told(run: Run, path: Path) -> None:
    told = run("setup", "set", "model", "openai:gpt-5")
    assert told.exit_code == 0
    assert "openai:gpt-5 does not work yet: openai needs an API key (openai.key" in sentences(told.stdout)
    assert read(path) == {"model": "openai:gpt-5"}


# --- at a terminal ---------------------------------------------------------------------------------------------------

CONTINUE = "Write this? [Y/n]"


@pytest.mark.usefixtures("newcomer")
def test_a_newcomer_is_led_through_and_what_was_wrong_is_asked_again(path: Path) -> None:
    with at_terminal("setup") as session:
        session.answer("Language model", "olama:qwen3")
        assert "did you mean ollama?" in session.answer("Language model", "none")
        session.answer("Live sources", "pubmed, brav")
        assert "it should be 'pubmed'" in session.answer("Live sources", "pubmed, brave")
        session.answer("Key for brave", KEY)
        session.answer("Your e-mail address", "me at home")
        assert "is not an e-mail address" in session.answer("Your e-mail", "me@example.org")
        session.answer("Key for NCBI", "two words")
        assert "That is not a key" in session.answer("Key for NCBI")
        session.answer(CONTINUE)
        status, shown = session.finish()
    assert status == 0, shown
    assert KEY not in shown
    assert "two words" not in shown
    assert "Traceback" not in shown
    assert shown.rstrip().endswith(NEXT)
    assert read(path) == {"live": ["pubmed", "brave"], "brave": {"key": KEY}, "network": {"email": "me@example.org"}}


@pytest.mark.usefixtures("newcomer")
def test_run_again_what_is_set_is_kept_with_enter(path: Path) -> None:
    before = place(path, f'live = ["pubmed"]\n[network]\nemail = "me@example.org"\n[pubmed]\nkey = "{KEY}"\n')
    with at_terminal("setup") as session:
        session.answer("Language model")
        session.answer("such as pubmed,europe_pmc [pubmed]")
        session.answer("for NCBI and Crossref [me@example.org]")
        session.answer("Key for NCBI, optional, hidden [unchanged]")
        status, shown = session.finish()
    assert (status, path.read_bytes()) == (0, before)
    assert f"No changes in {path}." in sentences(shown)
    assert KEY not in shown


@pytest.mark.parametrize("stage", ["Language model", "Key for NCBI", CONTINUE])
@pytest.mark.usefixtures("newcomer")
def test_ctrl_c_leaves_everything_as_it_was_and_says_so(path: Path, stage: str) -> None:
    before = place(path, "# mine\n")
    with at_terminal("setup") as session:
        for question, line in (
            ("Language model", ""),
            ("Live sources", "pubmed"),
            ("Your e-mail", "me@example.org"),
            ("Key for NCBI", KEY),
            (CONTINUE, ""),
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
def test_no_at_the_end_writes_nothing(path: Path) -> None:
    with at_terminal("setup") as session:
        session.answer("Language model")
        session.answer("Live sources", "europe_pmc")
        session.answer("Your e-mail")
        assert 'live = ["europe_pmc"]' in session.answer(CONTINUE, "n")
        status, shown = session.finish()
    assert (status, path.exists()) == (0, False)
    assert "Nothing was written." in shown


@pytest.mark.usefixtures("newcomer")
def test_a_model_is_asked_for_with_its_address_and_key(path: Path) -> None:
    with at_terminal("setup") as session:
        session.answer("Language model", "compatible:sim")
        session.answer("Its address", "http://127.0.0.1:9/v1")
        session.answer("Key for compatible", KEY)
        session.answer("Live sources")
        session.answer(CONTINUE)
        status, shown = session.finish()
    assert status == 0, shown
    assert KEY not in shown
    assert "Try the model: wellsourced doctor --ask-models" in shown
    assert read(path) == {"model": "compatible:sim", "compatible": {"url": "http://127.0.0.1:9/v1", "key": KEY}}


def test_what_the_environment_decides_is_not_asked() -> None:
    with at_terminal("setup", OPENAI_API_KEY=KEY, WELLSOURCED_LIVE="europe_pmc") as session:
        session.answer("Language model", "openai:gpt-5")
        told = session.answer(CONTINUE, "n")
        session.finish()
    assert "live is set in the environment variable WELLSOURCED_LIVE" in sentences(told)
    assert "Live sources" not in told
