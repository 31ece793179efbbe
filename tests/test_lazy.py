"""What is made late is what would have been made at once."""

import ast
import gc
import re
import subprocess
import sys
from functools import _lru_cache_wrapper
from importlib import import_module
from inspect import signature
from pathlib import Path

import pytest

import wellsourced
from tests.tables import each_row
from wellsourced.lazy import LazyPattern, import_lazily, lazy_regex

SRC = Path(wellsourced.__file__).parent

FACES = [path for path in sorted(SRC.rglob("__init__.py")) if "import_lazily(" in path.read_text(encoding="utf-8")]


def names_under_type_checking(tree: ast.Module) -> dict[str, tuple[str, ...]]:
    """Module → the names that a face imports from it for readers and type checkers."""
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    return {str(node.module): tuple(alias.name for alias in node.names) for node in imports}


def names_passed_on(tree: ast.Module) -> dict[str, tuple[str, ...]]:
    """Module → the names that a face hands to `import_lazily`."""
    (call,) = (
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and "import_lazily" in getattr(node.func, "id", "")
    )
    return dict(ast.literal_eval(call.args[1]))


@each_row("path", FACES)
def test_a_face_passes_on_what_it_says_under_type_checking(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    passed_on = names_passed_on(tree)
    assert passed_on == names_under_type_checking(tree)
    face = import_module(".".join(("wellsourced", *path.parent.relative_to(SRC).parts)))
    assert {name for names in passed_on.values() for name in names} == {*face.__all__} - {"__version__"}
    for module, names in passed_on.items():
        assert [name for name in names if getattr(face, name) is not getattr(import_module(module), name)] == []


def test_a_name_is_imported_once_and_a_wrong_one_is_told_as_python_tells_it(monkeypatch: pytest.MonkeyPatch) -> None:
    face = type(sys)("face")
    monkeypatch.setitem(sys.modules, "face", face)
    find_name = import_lazily("face", {"wellsourced.errors": ("SettingsError",)})
    found = find_name("SettingsError")
    assert vars(face)["SettingsError"] is found is import_module("wellsourced.errors").SettingsError
    with pytest.raises(AttributeError, match="module 'face' has no attribute 'settings'"):
        find_name("settings")


def test_a_late_expression_is_compiled_when_it_is_used_and_behaves_as_a_pattern() -> None:
    late, early = lazy_regex(r"(\d+) mg", re.IGNORECASE), re.compile(r"(\d+) mg", re.IGNORECASE)
    assert "_pattern" not in vars(late)
    text = "5 MG, then 10 mg"
    assert late.findall(text) == early.findall(text) == ["5", "10"]
    assert late.sub("x", text) == early.sub("x", text)
    assert (late.pattern, late.flags, late.groups) == (early.pattern, early.flags, early.groups)
    wrong = lazy_regex("(")
    with pytest.raises(re.error, match="unterminated"):
        wrong.search("(")


def test_every_late_expression_of_the_package_can_be_compiled() -> None:
    users = [path for path in SRC.rglob("*.py") if "import lazy_regex" in path.read_text(encoding="utf-8")]
    for path in users:
        module = import_module(".".join(("wellsourced", *path.relative_to(SRC).with_suffix("").parts)))
        for name, value in list(vars(module).items()):
            if isinstance(value, _lru_cache_wrapper) and not signature(value).parameters:
                assert value() is not None, f"{module.__name__}.{name} loads no table"
    gc.collect()
    expressions = [one for one in gc.get_objects() if isinstance(one, LazyPattern)]
    assert len(expressions) > 400
    for one in expressions:
        assert one.groups >= 0, one


HELP_MODULES = {
    "wellsourced",
    "wellsourced.app",
    "wellsourced.app.cli",
    "wellsourced.app.command_group",
    "wellsourced.app.command_table",
    "wellsourced.app.exits",
    "wellsourced.app.messages",
    "wellsourced.app.options",
    "wellsourced.errors",
    "wellsourced.expressions",
    "wellsourced.lazy",
    "wellsourced.plugins",
    "wellsourced.presentation",
    "wellsourced.presentation.wording",
    "wellsourced.privacy",
    "wellsourced.telemetry",
    "wellsourced.text",
    "wellsourced.text.sanitization",
}
"""All of ours that `wellsourced --help` loads: what is added to it slows down every start (benchmarks/footprint.py)."""

HELP_PACKAGES = {"click"}
"""What it loads of others, beside Python's own library."""

LIST_LOADED = """
import sys
from wellsourced.app.cli import main
sys.argv = ["wellsourced", "--help"]
try:
    main()
finally:
    print(*sorted(sys.modules), file=sys.stderr)
"""


def test_help_loads_these_modules_and_no_others() -> None:
    told = subprocess.run([sys.executable, "-c", LIST_LOADED], capture_output=True, text=True, check=True)
    bare = subprocess.run(
        [sys.executable, "-c", "import sys; print(*sys.modules)"], capture_output=True, text=True, check=True
    )
    assert "Answer a question in the words of sources." in told.stdout
    loaded = set(told.stderr.split()) - set(bare.stdout.split())
    assert {name for name in loaded if name.split(".")[0] == "wellsourced"} == HELP_MODULES
    assert {name.split(".")[0] for name in loaded} - sys.stdlib_module_names - {"wellsourced"} == HELP_PACKAGES
