"""Every command of the product: all that is known of one before its module is imported.

`wellsourced --help`, imports, guesses at misspelt names, and docs/commands.md come from it.
"""

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
    CommandRow("open", "Open a passage or a document by its id.", "open", "open_", "Find"),
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
    CommandRow("history delete", "Delete a run, old runs, or all.", "history", "delete"),
    CommandRow("history stop", "Stop a run, whichever process is running it.", "history", "stop"),
    CommandRow("setup show", "Show every setting and where its value comes from.", "settings", "show"),
    CommandRow("setup set", "Write a setting to your wellsourced.toml.", "settings", "set_"),
    CommandRow("setup trust", "Apply all settings of a folder's wellsourced.toml.", "settings", "trust"),
    CommandRow("setup judges", "List the judges of support.", "judges", "judges"),
)

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
