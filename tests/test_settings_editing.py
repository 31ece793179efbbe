"""A settings file in which single settings are changed: everything else stays as its owner wrote it."""

import tomllib
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.tables import each_row
from wellsourced.config import describe_settings
from wellsourced.config.loader import flatten_tables
from wellsourced.config.own_settings import edit_settings, own_settings_path, write_changes
from wellsourced.errors import SettingsError

TOP = (
    "# mine",
    "",
    'model = "ollama:a"  # the small one',
    "live = [\n  'pubmed', # research\n  \"pmc\",\n]",
    'home = """\n/a # b\n"""',
    'brave = { url = "https://x/{,}#", key = "k" } # web',
    "network.seconds = 5",
    "'prompts' = 'p#q.toml'",
    'assistant = """a\u2028b""" # c',
)
TABLES = (
    "[pubmed]\n# of last year\nkey = 'a # b'\n",
    "[ policy ] # how much\npassages = 20\n",
    '[searxng]\n"url" = "https://s/#"',
    "[check]\n\n# nothing yet\n",
)
CHANGES: dict[str, Any] = {
    "model": "openai:b",
    "live": ["europe_pmc", "pmc"],
    "home": "/data/“medicine”",
    "network.email": "me@example.org",
    "pubmed.key": "s3cr#t",
    "brave.key": "other",
    "searxng.url": "http://127.0.0.1:1",
}


def lines_kept(before: str, after: str) -> bool:
    """Whether every comment on a line of its own, and every header, is still there."""
    lines = after.replace("\r\n", "\n").split("\n")
    return all(line in lines for line in before.replace("\r\n", "\n").split("\n") if line.startswith(("#", "[")))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.sampled_from(TOP), unique=True),
    st.lists(st.sampled_from(TABLES), unique=True),
    st.dictionaries(st.sampled_from(sorted(CHANGES)), st.booleans()),
    st.sampled_from(("\n", "\r\n")),
)
def test_whatever_stands_in_a_file_only_what_was_asked_for_changes(
    top: list[str], tables: list[str], wishes: dict[str, bool], end: str
) -> None:
    text = "\n".join([*top, *tables]).replace("\n", end)
    values = {name: CHANGES[name] if is_set else None for name, is_set in wishes.items()}
    edited = edit_settings(text, values)
    assert lines_kept(text, edited)
    read = dict(flatten_tables(tomllib.loads(edited)))
    assert all(read.get(name) == value for name, value in values.items())
    assert edit_settings(text, {}) == text
    assert edited.count("\r") == (edited.count("\n") if "\r" in text else 0)


@each_row(
    ("text", "values", "edited"),
    [
        ('model = "a"  # fav', {"model": "m"}, 'model = "m"  # fav'),
        ('model = "a"  # fav\n', {"model": None}, ""),
        ('live = [\n  "pmc", # x\n]\n', {"live": ["brave"]}, 'live = ["brave"]\n'),
        ("[pubmed]\nkey = '''\nold'''\n", {"pubmed.key": "new"}, '[pubmed]\nkey = "new"\n'),
        ("[pubmed]\nkey = 'a'\n", {"pubmed.key": None}, "[pubmed]\n"),
        ("network . email='a' # c\r\n", {"network.email": "e"}, 'network . email="e" # c\r\n'),
        ("", {"network.email": None}, ""),
    ],
)  # fmt: skip
def test_a_setting_is_changed_where_it_is(text: str, values: dict[str, Any], edited: str) -> None:
    assert edit_settings(text, values) == edited


@each_row(
    ("text", "start"),
    [
        ("network.seconds = 5\n", 'network.seconds = 5\nnetwork.email = "e"'),
        ("[network]\nseconds = 5\n\n[check]\n", '[network]\nseconds = 5\nemail = "e"'),
        ("[check]\n", '[check]\n\n[network]\nemail = "e"'),
    ],
)
def test_a_new_setting_is_put_where_its_owner_would_look_for_it_with_its_meaning(text: str, start: str) -> None:
    edited = edit_settings(text, {"network.email": "e"})
    assert edited.startswith(f"{start} # ")
    assert describe_settings()["network.email"] in edited


def test_what_cannot_be_changed_without_harm_is_refused_and_no_key_is_told() -> None:
    # A value that stands where a table would have to be.
    with pytest.raises(SettingsError, match=r"Add yourself: pubmed\.key = the key") as refused:
        edit_settings("pubmed = 3\n", {"pubmed.key": "s3cret"})
    assert "s3cret" not in str(refused.value)


@each_row(("content", "reason"), [(b"model = \n", "is not valid TOML"), (b"# \xff\n", "cannot be read")])
def test_a_file_that_is_no_settings_file_is_refused_in_words_and_left_as_it_is(content: bytes, reason: str) -> None:
    path = own_settings_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    with pytest.raises(SettingsError, match=reason):
        write_changes({"model": "m"})
    assert path.read_bytes() == content
