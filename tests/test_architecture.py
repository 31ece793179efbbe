"""Imports only ever point down, and only `config` knows implementations and the environment.

The syntax trees are read, so that imports inside functions and under TYPE_CHECKING count like any other.
"""

import ast
from collections.abc import Collection, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.tables import each_row

SRC = Path(__file__).parents[1] / "src" / "wellsourced"

SEAMS = {"sources", "models", "judges", "encoders", "planners"}
LAYERS = (  # the top first; a module may import its own layer and those below; "" is the package itself
    {"app", "server", "__main__", "reading_worker"},
    {""},
    {"api", "examination"},
    {"presentation"},
    {"ingest", "config", "runs"},
    {"recommendation", "orders", "converse", "factcheck"},
    {"pipeline"},
    {"context", "budget"},
    {"policy"},
    {
        "prompts",
        "controls",
        "readers",
        "expected_questions",
        "answering",
        "patients",
        *SEAMS,
    },  # a file says which reader it needs, so readers are named anywhere above
    {"query_language", "http"},
    {"privacy"},
    {"compare"},
    {"claims", "question"},
    {"medicine", "deidentification", "citations"},
    {"text", "presets"},
    {"plugins"},
    {"types", "events", "errors", "storage", "telemetry", "worker_pool", "lazy", "confidence"},
)
PLACE = {name: place for place, names in enumerate(LAYERS) for name in names}
STARTED_BY_COMMANDS = {
    "app.commands.serve": {"server.access", "server.application", "server.assistant_tools", "server.slow_clients"}
}
"""What the command line knows of the server: the commands `serve` and `mcp` start it."""
KNOW_IMPLEMENTATIONS = {"config"}
READ_ENVIRONMENT = {"config.loader", "telemetry", "__main__"}
# telemetry writes it, and looks for the user's cache folder; __main__ has pydantic look for no plugins
IMPORT_BY_NAME = {"lazy"}  # it imports what is asked of a package, when it is asked
FORBIDDEN_MODULES = {"pickle", "marshal", "shelve", "dill", "joblib"}
LABORATORY = "wellsourced_evaluate"
FORBIDDEN_CALLS = {"eval", "exec", "__import__"}

NOTEBOOKS = ("types.public_result", "presentation.notebooks")
"""The one import that points up: a notebook asks a value itself how it is shown, and finds the writer when it asks."""

Imports = dict[str, set[str]]


def modules(src: Path) -> dict[str, ast.Module]:
    """Name without "wellsourced." → syntax tree."""
    names = {path: ".".join(path.relative_to(src).with_suffix("").parts) for path in src.rglob("*.py")}
    return {
        name.removesuffix("__init__").removesuffix("."): ast.parse(path.read_text(encoding="utf-8"))
        for path, name in names.items()
    }


def imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """(module, name in it or "") of every import; relative ones are a fault of their own."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from ((node.module or "", alias.name) for alias in node.names)


def graph(trees: dict[str, ast.Module], among: Collection[str] = ()) -> Imports:
    """Module → modules of ours that it imports. `among`: the names of all modules, where `trees` are a part of them."""
    among = among or trees
    edges: Imports = {name: set() for name in trees}
    for name, tree in trees.items():
        for module, item in imported(tree):
            if module.split(".")[0] == "wellsourced":
                ours = module.removeprefix("wellsourced").removeprefix(".")
                inner = f"{ours}.{item}".removeprefix(".")
                edges[name].add(inner if inner in among else ours)
    edges.get(NOTEBOOKS[0], set()).discard(NOTEBOOKS[1])
    return edges


def unit(name: str) -> str:
    """The file or folder at the top of the package that a module belongs to."""
    return name.split(".")[0]


def is_implementation(name: str) -> bool:
    """A module behind a seam, as opposed to the seam itself."""
    return unit(name) in SEAMS and name.partition(".")[2] not in {"", "base"}


def upward(edges: Imports) -> Iterator[str]:
    """Imports that point up, implementations known where they should not be, modules that have no layer."""
    for name, targets in edges.items():
        if unit(name) not in PLACE:
            yield f"{name} has no layer: give it one in LAYERS"
            continue
        for target in sorted(targets):
            knows = unit(name) in KNOW_IMPLEMENTATIONS or unit(name) == unit(target)
            if is_implementation(target) and not knows:
                yield f"{name} imports the implementation {target}"
            elif PLACE.get(unit(target), len(LAYERS)) < PLACE[unit(name)]:
                yield f"{name} imports {target}, which stands above it"


def crossing(edges: Imports) -> Iterator[str]:
    """Imports between the command line and the server, which show the same results and know nothing of each other."""
    for name, targets in edges.items():
        for target in sorted(targets):
            if (unit(name), unit(target)) == ("server", "app"):
                yield f"{name} imports {target}, which is of the command line"
            if (unit(name), unit(target)) == ("app", "server") and target not in STARTED_BY_COMMANDS.get(name, ()):
                yield f"{name} imports {target}, which is of the server"


def cycles(edges: Imports) -> Iterator[str]:
    """The first circle of imports, if there is one."""
    try:
        TopologicalSorter(edges).prepare()
    except CycleError as error:
        yield f"a circle of imports: {' → '.join(error.args[1])}"


def forbidden(trees: dict[str, ast.Module]) -> Iterator[str]:
    """Reading the environment outside `config`; unpickling, evaluating, shells and hidden imports anywhere."""
    for name, tree in trees.items():
        yield from (f"{name} imports {module}" for module, _ in imported(tree) if unit(module) in FORBIDDEN_MODULES)
        # The laboratory builds on the product: it is found by entry points, like everybody else's distribution.
        yield from (f"{name} imports {module}" for module, _ in imported(tree) if unit(module) == LABORATORY)
        for node in ast.walk(tree):
            word = getattr(node, "id", getattr(node, "attr", getattr(node, "name", "")))
            if isinstance(node, ast.ImportFrom) and node.level:
                yield f"{name} imports relatively: name the module in full"
            if isinstance(node, ast.Name | ast.Attribute | ast.alias):
                if word in {"environ", "getenv"} and name not in READ_ENVIRONMENT:
                    yield f"{name} reads the environment"
                if word == "import_module" and name not in IMPORT_BY_NAME:
                    yield f"{name} imports by name, which hides where it points"
            if isinstance(node, ast.Name) and word in FORBIDDEN_CALLS:
                yield f"{name} calls {word}"
            if isinstance(node, ast.keyword) and node.arg in {"shell", "allow_pickle"}:
                yield f"{name} sets {node.arg}"


def faults(trees: dict[str, ast.Module], edges: Imports) -> list[str]:
    """Everything that breaks the rules, in sentences: what is forbidden in these modules, and wrong in all imports."""
    return [*upward(edges), *crossing(edges), *cycles(edges), *forbidden(trees)]


@pytest.fixture(scope="module")
def package() -> tuple[dict[str, ast.Module], Imports]:
    """The trees of all modules, read once, and what they import."""
    trees = modules(SRC)
    return trees, graph(trees)


def test_imports_only_ever_point_down(package: tuple[dict[str, ast.Module], Imports]) -> None:
    assert faults(*package) == []


@each_row(
    ("module", "line", "fault"),
    [
        (
            "types/documents",
            "from wellsourced.context import Context",
            "types.documents imports context, which stands above it",
        ),
        ("text/dates", "def late():\n    import wellsourced.api", "text.dates imports api, which stands above it"),
        (
            "pipeline/ask",
            "from wellsourced.sources import fake",
            "pipeline.ask imports the implementation sources.fake",
        ),
        ("judges/fake", "from wellsourced.sources import fake", "judges.fake imports the implementation sources.fake"),
        (
            "sources/fake",
            "from wellsourced.context import Context",
            "sources.fake imports context, which stands above it",
        ),
        (
            "server/answers",
            "from wellsourced.app.cli import command_line",
            "app.cli, which is of the command line",
        ),
        ("app/commands/ask", "from wellsourced.server import access", "server.access, which is of the server"),
        (
            "app/commands/serve",
            "import wellsourced.server.resources",
            "server.resources, which is of the server",
        ),
        ("newcomer", "", "newcomer has no layer: give it one in LAYERS"),
        ("errors", "from wellsourced import types", "a circle of imports: "),
        ("context", "from . import app", "context imports relatively: name the module in full"),
        ("context", "import os\nHOME = os.environ['HOME']", "context reads the environment"),
        ("context", "from os import getenv", "context reads the environment"),
        ("context", "import pickle", "context imports pickle"),
        ("api", "from wellsourced_evaluate import metrics", "api imports wellsourced_evaluate"),
        ("context", "two = eval('1 + 1')", "context calls eval"),
        ("context", "run('ls', shell=True)", "context sets shell"),
        (
            "context",
            "import importlib\nimportlib.import_module('x')",
            "context imports by name, which hides where it points",
        ),
    ],
)
def test_an_import_or_call_that_breaks_a_rule_is_reported(
    package: tuple[dict[str, ast.Module], Imports], module: str, line: str, fault: str
) -> None:
    trees, edges = package
    file = SRC / f"{module}.py"
    words = file.read_text(encoding="utf-8") if file.exists() else ""
    changed = {module.replace("/", "."): ast.parse(f"{words}\n{line}\n")}
    found = faults(changed, edges | graph(changed, trees | changed))
    assert any(fault in one for one in found), found
