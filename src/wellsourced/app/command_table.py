"""Every command of the product: all that is known of one before its module is imported, and what it was called once.

`wellsourced --help`, imports, guesses at misspelt names, and docs/commands.md come from it.
"""

from collections.abc import Sequence
from typing import NamedTuple


class CommandRow(NamedTuple):
    """One command.

    path      as it is typed: "library add"
    summary   its line in lists of commands
    module    in app/commands
    name      of the command in its module
    topic     its group in `wellsourced --help`; "" below another command
    """

    path: str
    summary: str
    module: str
    name: str
    topic: str = ""


TABLE = (
    CommandRow("ask", "Answer a question in the words of sources.", "ask", "ask", "Ask"),
    CommandRow("recommend", "Answer for one patient, as a recommendation.", "ask", "recommend", "Ask"),
    CommandRow("explain", "Explain a medical order in plain words.", "explain", "explain", "Ask"),
    CommandRow("chat", "Ask one question after another.", "chat", "chat", "Ask"),
    CommandRow("search", "Find the passages that fit a question.", "search", "search", "Find"),
    CommandRow("open", "Open a passage, a document or a run by its id.", "open", "open_", "Find"),
    CommandRow("library", "Search your own files: create and fill libraries.", "library.group", "library", "Find"),
    CommandRow("check", "Check whether the sources of a text support it.", "check", "check", "Check"),
    CommandRow("history", "Show, stop, repeat, verify and delete runs.", "history", "history", "Check"),
    CommandRow("serve", "Answer in a browser and over HTTP.", "serve", "serve", "Serve"),
    CommandRow("mcp", "Answer AI assistants (Model Context Protocol).", "serve", "mcp", "Serve"),
    CommandRow("setup", "Choose a model, sources and keys; show settings.", "settings", "setup", "Set up"),
    CommandRow("doctor", "Check that everything works, and what to fix.", "doctor", "doctor", "Set up"),
    CommandRow("help", "Explain a topic or a command.", "help", "help_", "Set up"),
    CommandRow("library create", "Create a library, empty or from files.", "library.group", "create"),
    CommandRow("library add", "Add files, folders, or a public collection.", "library.recipes", "add"),
    CommandRow("library list", "List the libraries, or describe one.", "library.group", "list_"),
    CommandRow("library copy", "Copy a library into another.", "library.group", "copy"),
    CommandRow("library move", "Move a library to a search engine, or back.", "library.group", "move"),
    CommandRow("library recipes", "List the public collections that can be added.", "library.recipes", "recipes"),
    CommandRow("library embed", "Compute missing vectors, to search by meaning.", "library.group", "embed"),
    CommandRow("library expect", "Write the questions that a library answers.", "library.expect", "expect"),
    CommandRow("library errors", "List files that could not be read.", "library.group", "errors"),
    CommandRow("library verify", "Compare a library with its files.", "library.group", "verify"),
    CommandRow("library digest", "Have a language model digest guidelines.", "library.group", "digest"),
    CommandRow("library remove", "Remove documents, or a whole library.", "library.group", "remove"),
    CommandRow("history list", "List the runs, newest first.", "history", "list_"),
    CommandRow("history show", "Show an answer again, or follow a run.", "history", "show"),
    CommandRow("history export", "Write an answer or its references to a file.", "history", "export"),
    CommandRow("history replay", "Answer a question again offline, and compare.", "history", "replay"),
    CommandRow("history verify", "Check stored runs, or an answer for retractions.", "history", "verify"),
    CommandRow("history watch", "Ask questions again, and report what changed.", "history", "watch"),
    CommandRow("history delete", "Delete a run, old runs, or all.", "history", "delete"),
    CommandRow("history stop", "Stop a run, whichever process is running it.", "history", "stop"),
    CommandRow("setup show", "Show every setting and where its value comes from.", "settings", "show"),
    CommandRow("setup set", "Write a setting to your wellsourced.toml.", "settings", "set_"),
    CommandRow("setup trust", "Apply all settings of a folder's wellsourced.toml.", "settings", "trust"),
    CommandRow("setup judges", "List judges of support and their track records.", "judges", "judges"),
    CommandRow("setup completion", "Print the completion script of a shell.", "completion", "completion"),
)

OLD_NAMES = (
    ("converse", "chat"),
    ("settings", "setup show"),
    ("trust", "setup trust"),
    ("prompts", "setup show --prompts"),
    ("presets", "help presets"),
    ("completion", "setup completion"),
    ("judges list", "setup judges"),
    ("judges", "setup judges"),
    ("runs prune", "history delete"),
    ("runs", "history"),
    ("recheck", "history verify"),
    ("egress", "doctor --network"),
    ("query --ovid", "search --show-query --syntax ovid"),
    ("query --pubmed", "search --show-query --syntax pubmed"),
    ("query", "search --show-query"),
    ("source list", "doctor --network"),
    ("source search", "search --source"),
    ("source names", "search --source graph"),
    ("source open", "open --all --source"),
    ("library info", "library list"),
    ("library search", "search --source"),
    ("library open", "open --all --source"),
    ("library rebuild", "library verify --rebuild"),
)
"""What began a command in version 0.1 → what begins it now. Both work until version 0.3."""

LABORATORY = {
    "checkup": "Judge stored checks again, by models and people.",
    "evaluate": "Measure how good answers, searches and judges are.",
    "probe": "Make questions to test a question-answering system.",
}
"""Commands that wellsourced-evaluate adds → their lines: known here so that --help need not import them."""


def list_below(path: str) -> dict[str, CommandRow]:
    """Return the commands directly below a group, by the word that is typed; "" is the program."""
    rows = ((row.path.rpartition(" "), row) for row in TABLE)
    return {word: row for (above, _, word), row in rows if above == path}


def translate_old_name(words: Sequence[str]) -> tuple[list[str], tuple[str, str] | None]:
    """Return the words as they are typed now, and the old and new beginning where they had an old name."""
    for old, new in OLD_NAMES:
        name, _, option = old.partition(" --")
        size = name.count(" ") + 1
        rest = [*words[size:]]
        if " ".join(words[:size]) != name or (option and f"--{option}" not in rest):
            continue
        # An option that is part of an old name may be anywhere behind it.
        if option:
            rest.remove(f"--{option}")
        # Behind an option that takes a value, --help would be its value.
        is_help = rest[:1] in (["--help"], ["-h"])
        begun = new.partition(" --")[0] if is_help else new
        return [*begun.split(), *rest], (old, new)
    return [*words], None
