"""A settings file in which single settings are changed: everything else stays as its owner wrote it."""

import tomllib
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.tables import each_row
from wellsourced.config.own_settings import FileChange, edit_settings, own_settings_path, write_changes
from wellsourced.errors import SettingsError

MEANINGS = {"model": "who writes", "network.email": "told to services", "pubmed.key": "the key"}

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
    "live": ("europe_pmc", "pmc"),
    "home": "/data/“medicine”",
    "network.email": "me@example.org",
    "pubmed.key": "s3cr#t",
    "brave.key": "other",
    "searxng.url": "http://127.0.0.1:1",
}


def lines_kept(before: str, after: str) -> bool:
    """Whether every comment, and every line that holds no changed setting, is still there."""
    stands = after.replace("\r\n", "\n").split("\n")
    return all(line in stands for line in before.replace("\r\n", "\n").split("\n") if line.startswith(("#", "[")))


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
    edited = edit_settings(text, values, MEANINGS)
    assert lines_kept(text, edited)
    assert edit_settings(edited, {name: value for name, value in values.items() if value}, MEANINGS) == edited
    assert edit_settings(text, {}, MEANINGS) == text
    assert edited.count("\r") == (edited.count("\n") if "\r" in text else 0)


@each_row(
    ("text", "values", "edited"),
    [
        ("", {"model": "m"}, '# Who writes.\nmodel = "m"\n'),
        ('model = "a"  # fav', {"model": "m"}, 'model = "m"  # fav'),
        ('model = "a"  # fav\n', {"model": None}, '# model = "a"  # fav\n'),
        ('live = [\n  "pmc", # x\n]\n', {"live": ("brave",)}, '# live = [\n#   "pmc", # x\n# ]\nlive = ["brave"]\n'),
        ("# top\n\n[check]\n", {"model": "m"}, '# top\n\n# Who writes.\nmodel = "m"\n\n[check]\n'),
        ("[pubmed]\nkey = 'a'\n", {"pubmed.key": None}, '[pubmed]\nkey = ""\n'),
        ("network.seconds = 5", {"network.email": "e"},
         'network.seconds = 5\n# Told to services.\nnetwork.email = "e"\n'),
        ("network = { seconds = 5 }", {"network.email": "e"}, 'network = { email = "e", seconds = 5 }'),
        ("[network]\nseconds = 5\n\n[check]\n", {"network.email": "e"},
         '[network]\nseconds = 5\n# Told to services.\nemail = "e"\n\n[check]\n'),
    ],
)  # fmt: skip
def test_a_setting_is_put_where_its_owner_would_look_for_it(text: str, values: dict[str, Any], edited: str) -> None:
    assert edit_settings(text, values, MEANINGS) == edited


def test_a_key_that_is_replaced_is_not_kept_as_a_comment() -> None:
    edited = edit_settings("[pubmed]\nkey = '''\nold'''\n", {"pubmed.key": "new"}, MEANINGS)
    assert tomllib.loads(edited) == {"pubmed": {"key": "new"}}
    assert "old" not in edited


def test_what_cannot_be_changed_without_harm_is_refused_and_no_key_is_told() -> None:
    # A value that stands where a table would have to be.
    with pytest.raises(SettingsError, match=r"Add yourself: pubmed\.key = the key") as refused:
        edit_settings("pubmed = 3\n", {"pubmed.key": "s3cret"}, MEANINGS)
    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize(("content", "reason"), [(b"model = \n", "is not valid TOML"), (b"# \xff\n", "cannot be read")])
def test_a_file_that_is_no_settings_file_is_refused_in_words_and_left_as_it_is(content: bytes, reason: str) -> None:
    path = own_settings_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    with pytest.raises(SettingsError, match=reason):
        write_changes([FileChange("model", "m")])
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("text", "values", "edited"),
    [
        ("[ a . b ]\nx = 1\n[network] # c\n\n# of check\n[check]\n", {"network.email": "e"},
         "[ a . b ]\nx = 1\n[network] # c\n# Told to services.\nemail = \"e\"\n\n# of check\n[check]\n"),
        ("[a]\nx=1\n[network.b]\ny=1\n[c]\n", {"network.email": "e"},
         "[a]\nx=1\n[network.b]\ny=1\n[c]\n\n[network]\n# Told to services.\nemail = \"e\"\n"),
        ("[[a]]\nx = 1 \n[[a]]\n\"network\".y = 1\n", {"model": "m"},
         "# Who writes.\nmodel = \"m\"\n\n[[a]]\nx = 1 \n[[a]]\n\"network\".y = 1\n"),
        ("network . email='a' # c\r\nmodel='b'", {"network.email": "e", "model": None},
         "network . email=\"e\" # c\r\n# model='b'\r\n"),
        ("live = [\n  'pmc',\n] # d\nhome = \"\"\"\nx\"\"\" # e", {"live": ("brave",), "home": "y"},
         "# live = [\n#   'pmc',\n# ] # d\nlive = [\"brave\"]\n# home = \"\"\"\n# x\"\"\" # e\nhome = \"y\""),
    ],
)  # fmt: skip
def test_odd_spellings_stay_as_they_are(text: str, values: dict[str, Any], edited: str) -> None:
    assert edit_settings(text, values, MEANINGS) == edited
