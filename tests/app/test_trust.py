"""A folder's wellsourced.toml: what it may say by itself, and what only when its reader has said that they trust it."""

import json
import shlex
import warnings
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from tests.app.conftest import Run
from wellsourced import config
from wellsourced.config.trust import FREE_SETTINGS, FREE_VALUES, TRUST_LIST_FILE, user_config_folder
from wellsourced.errors import SettingsError

HOSTILE = """
patient_to = ["all"]
phi = "allow"
model = "openai:gpt-5"
home = "stolen"
prompts = "prompts.toml"
encoder = "models/theirs"
live = ["searxng"]
preset = "lins"

[openai]
url = "http://collector.example/v1"

[searxng]
url = "http://collector.example/search"

[network]
offline = false
private_hosts = ["169.254.169.254:80"]

[policy]
passages = 20
"""
GUARDED_HERE = {
    "patient_to", "phi", "model", "home", "prompts", "encoder", "live", "preset", "openai.url", "searxng.url",
    "network.offline", "network.private_hosts",
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working directory that somebody else made. Whoever types commands there is told on stderr, by no warning."""
    here = tmp_path / "somebody else's"
    here.mkdir()
    monkeypatch.chdir(here)
    with warnings.catch_warnings():
        yield here


def write(folder: Path, content: str) -> Path:
    path = folder / config.SETTINGS_FILE
    path.write_text(content, encoding="utf-8")
    return path


GUARDED_SETTINGS = (
    "*.url", "*.key",
    "home", "live", "retractions", "retraction_watch", "model", "assistant", "models.*", "prompts", "patient_to",
    "check.controls",
    "judge.task", "tracing.pages", "tracing.robots", "tracing.archive", "tracing.registrations",
    "tracing.doi", "tracing.archive_url", "tracing.rdap", "budget.*", "quota.*",
    "policy.concurrent_questions", "network.email", "network.private_hosts", "network.certificates",
    "network.seconds", "network.cache",
)  # fmt: skip
"""Where words, keys and records go, who sees them, what it costs, what is loaded: never from a folder by itself."""


def quiet_load() -> config.Settings:
    """The settings, whatever was left out of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", config.UntrustedSettings)
        return config.load()


def test_every_setting_is_classified_once() -> None:
    for name in config.describe_settings():
        lists = (
            name in FREE_SETTINGS,
            name in FREE_VALUES,
            any(fnmatchcase(name, pattern) for pattern in GUARDED_SETTINGS),
        )
        assert lists.count(True) == 1, name
    assert {*FREE_SETTINGS, *FREE_VALUES, *(name for name in GUARDED_SETTINGS if "*" not in name)} - set(
        config.describe_settings()
    ) == set()


def test_where_words_and_keys_go_is_not_for_a_folder_to_say(folder: Path) -> None:
    usual = config.load()
    write(folder, HOSTILE)
    settings = quiet_load()
    assert settings == usual.model_copy(update={"policy": usual.policy.model_copy(update={"passages": 20})})


def test_what_is_left_out_is_told_in_one_sentence_with_file_settings_and_remedy(folder: Path, run: Run) -> None:
    path = write(folder, HOSTILE)
    told = run("help", "presets")
    assert told.exit_code == 0
    (line,) = told.stderr.splitlines()
    assert line.startswith(f"wellsourced: {path} is not trusted, so its values of ")
    assert all(name in line for name in GUARDED_HERE)
    assert f"Run: wellsourced setup trust {shlex.quote(str(folder))}" in line


def test_a_program_that_uses_the_library_is_warned(folder: Path) -> None:
    write(folder, 'phi = "allow"\n')
    with pytest.warns(config.UntrustedSettings, match="is not trusted, so its values of phi are ignored"):
        config.load()


def test_settings_and_doctor_show_what_is_ignored(folder: Path, run: Run) -> None:
    path = write(folder, HOSTILE)
    rows = {row["name"]: row for row in json.loads(run("setup", "show", "--json").stdout)}
    assert {name for name, row in rows.items() if row["ignored"]} == GUARDED_HERE
    assert {row["ignored"] for row in rows.values()} == {"", str(path)}
    assert rows["openai.url"]["value"] == ""
    (line,) = (line for line in run("setup", "show").stdout.splitlines() if line.startswith("openai.url"))
    assert f"default (ignored: {path})" in line
    settings = next(row for row in json.loads(run("doctor", "--json").stdout)["findings"] if row["topic"] == "settings")
    assert not settings["ok"]
    assert "wellsourced setup trust" in settings["next_step"]


def test_a_folder_that_was_trusted_counts_until_its_file_changes(folder: Path, run: Run) -> None:
    path = write(folder, 'phi = "allow"\n[openai]\nurl = "https://user:secret@proxy.example/v1"\nkey = "sk-1"\n')
    told = run("setup", "trust")
    assert told.exit_code == 0, told.output
    assert told.stderr == ""
    assert "allow" in told.stdout
    assert "proxy.example/v1" in told.stdout
    assert "secret" not in told.stdout
    assert "sk-1" not in told.stdout
    assert config.load().phi == "allow"
    assert config.load().openai.url == "https://user:secret@proxy.example/v1"
    assert run("help", "presets").stderr == ""
    path.write_text('phi = "allow"\n[openai]\nurl = "https://other.example/v1"\n')
    assert (quiet_load().phi, quiet_load().openai.url) == ("mask", "")
    assert "has changed since you trusted it" in run("help", "presets").stderr
    assert "changed or missing: not trusted until you trust it again" in run("setup", "trust", "--list").stdout
    assert run("setup", "trust", str(folder)).exit_code == 0
    assert config.load().openai.url == "https://other.example/v1"


def test_trust_can_be_listed_and_withdrawn(folder: Path, run: Run) -> None:
    assert run("setup", "trust", "--list").stdout == "No folder is trusted.\n"
    write(folder, 'phi = "allow"\n')
    run("setup", "trust")
    assert "unchanged" in run("setup", "trust", "--list").stdout
    assert run("setup", "trust", "--remove").stdout == f"{folder} is no longer trusted.\n"
    assert quiet_load().phi == "mask"
    assert "was not trusted" in run("setup", "trust", "--remove").stdout


def test_the_list_of_trusted_folders_is_the_users_alone(folder: Path, run: Run) -> None:
    write(folder, 'phi = "allow"\n')
    run("setup", "trust")
    path = user_config_folder() / TRUST_LIST_FILE
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert [file.name for file in path.parent.iterdir()] == [TRUST_LIST_FILE]
    path.write_text("{")
    with pytest.raises(SettingsError, match=r"trusted\.json cannot be read. Delete it"):
        config.load()


def test_trust_in_one_folder_is_no_trust_in_another_nor_in_a_link_to_its_file(
    folder: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(folder, 'phi = "allow"\nprompts = "prompts.toml"\n')
    run("setup", "trust")
    inner, other, linked = folder / "inner", tmp_path / "other", tmp_path / "linked"
    inner.mkdir()
    other.mkdir()
    linked.symlink_to(folder)
    (other / config.SETTINGS_FILE).symlink_to(file)
    phi = {}
    for place in (inner, other, linked):
        monkeypatch.chdir(place)
        phi[place.name] = quiet_load().phi
    assert phi == {"inner": "mask", "other": "mask", "linked": "allow"}


def test_a_link_that_leads_elsewhere_since_is_not_trusted(folder: Path, tmp_path: Path, run: Run) -> None:
    one, two = tmp_path / "one.toml", tmp_path / "two.toml"
    one.write_text('phi = "allow"\n')
    two.write_text('phi = "allow"\npatient_to = "all"\n')
    (folder / config.SETTINGS_FILE).symlink_to(one)
    run("setup", "trust")
    assert config.load().phi == "allow"
    (folder / config.SETTINGS_FILE).unlink()
    (folder / config.SETTINGS_FILE).symlink_to(two)
    assert (quiet_load().phi, quiet_load().patient_to) == ("mask", ("local",))


def test_what_lets_less_out_counts_from_any_folder(folder: Path) -> None:
    user_config_folder().mkdir(parents=True)
    (user_config_folder() / config.SETTINGS_FILE).write_text('phi = "allow"\n')
    write(folder, 'phi = "refuse"\nencoder = "none"\nreranker = "none"\n[network]\noffline = true\n')
    settings = config.load()
    assert (settings.phi, settings.encoder, settings.reranker, settings.network.offline) == (
        "refuse",
        "none",
        "none",
        True,
    )


@pytest.mark.parametrize(
    "line",
    ['phi = "mask"', 'encoder = "../model"', 'encoder = ["minilm"]', 'judge.support = "./theirs.onnx"',
     "network.offline = false", 'reranker = "./theirs"', "budget.dollars = 0", 'tracing.doi = "http://collector.example"'],
)  # fmt: skip
def test_what_might_let_more_out_or_load_something_does_not(folder: Path, line: str) -> None:
    user_config_folder().mkdir(parents=True)
    strict = 'phi = "refuse"\n[network]\noffline = true\n[budget]\ndollars = 1\n'
    (user_config_folder() / config.SETTINGS_FILE).write_text(strict)
    usual = config.load()
    write(folder, f"{line}\n")
    assert quiet_load() == usual


def test_a_folder_may_choose_among_judges_by_rule_and_have_no_language_model_asked(folder: Path) -> None:
    write(folder, '[judge]\nsupport = "overlap"\n')
    assert config.load().judge.support == "overlap"
    write(folder, '[judge]\nsupport = "model"\n')
    with pytest.warns(config.UntrustedSettings, match=r"its values of judge\.support are ignored"):
        settings = config.load()
    assert "model" not in settings.judge.support


def test_half_of_a_preset_is_not_taken_for_the_preset(folder: Path) -> None:
    usual = config.load()
    write(folder, 'preset = "lins"\n')
    assert quiet_load() == usual
    write(folder, 'preset = "words"\n')
    assert config.load() == config.load({"preset": "words"}).model_copy(update={"preset": "words"})


def test_own_configuration_environment_and_flags_need_no_trust(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    user_config_folder().mkdir(parents=True)
    (user_config_folder() / config.SETTINGS_FILE).write_text(
        'patient_to = "all"\n[openai]\nurl = "https://proxy.example/v1"\n'
    )
    monkeypatch.setenv("WELLSOURCED_PHI", "allow")
    settings = config.load({"live": "pubmed"})
    assert (settings.patient_to, settings.phi, settings.live) == (("all",), "allow", ("pubmed",))
    assert settings.openai.url == "https://proxy.example/v1"
    monkeypatch.chdir(user_config_folder())
    assert config.load().patient_to == ("all",)
    assert run("help", "presets").stderr == ""


def test_a_folder_without_a_file_and_a_file_that_is_none_cannot_be_trusted(folder: Path, run: Run) -> None:
    assert "No wellsourced.toml in" in run("setup", "trust").stderr
    write(folder, "phi = \n")
    assert "is not valid TOML" in run("setup", "trust").stderr
    write(folder, 'phy = "allow"\n')
    assert "No setting “phy”" in run("setup", "trust").stderr
    assert run("setup", "trust", "--list").stdout == "No folder is trusted.\n"


def test_a_settings_file_without_end_is_not_read_to_its_end(folder: Path) -> None:
    with (folder / config.SETTINGS_FILE).open("wb") as file:
        file.truncate(4_000_000_000)
    with pytest.raises(SettingsError, match="more than 1,000,000 bytes"):
        config.load()


@pytest.mark.parametrize(
    "address",
    ["https://user:hunter2@host.example/v1", "https://hunter2@host.example", "https://h.example/?api_key=hunter2"],
)
def test_no_password_of_an_address_is_shown(
    folder: Path, run: Run, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WELLSOURCED_SEARXNG__URL", address)
    monkeypatch.setenv("WELLSOURCED_NETWORK__PRIVATE_HOSTS", "user:hunter2@host.example:80")
    shown = [
        run(*words).output
        for words in (("setup", "show"), ("setup", "show", "--json"), ("doctor",), ("doctor", "--network"))
    ]
    wrong = run("--set", f"policy.passages={address}", "setup", "show")
    assert wrong.exit_code == 2
    assert "example" in shown[0]
    assert [text for text in (*shown, wrong.output) if "hunter2" in text] == []
