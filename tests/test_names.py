"""Names that a stranger understands: what no class, function or folder may be called, and how full a folder may be.

The rules are those of docs/glossary.md. A test that fails says which name breaks one.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.tables import each_row

SRC = Path(__file__).parents[1] / "src" / "wellsourced"

MODULES_IN_A_FOLDER = 25
LINES_OF_A_SMALL_MODULE = 50
SMALL_MODULES = 40
"""Modules of less than 50 lines that may be: a seam, a fake, a provider; what helps one neighbour belongs to it."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


IRREGULAR = _words(
    "begun bent blown born borne bought bound broken brought built caught chosen come dealt done drawn driven "
    "fallen felt flown forgotten fought found frozen given gone got gotten grown heard held hidden kept known "
    "laid lain learnt led left lent lost made meant met mistaken overridden paid ridden risen said seen sent "
    "shaken shown shut sold sought spelt spent spoken stood stuck sunk sworn taken taught thought thrown told "
    "torn undone understood unheard unknown unread unseen untold upheld withdrawn withheld won worn woven "
    "written"
)
"""Past participles that do not end in -ed."""

NOT_PARTICIPLES = _words("bed bleed breed embed exceed feed hundred indeed need proceed red seed shed speed")
PARTICLES = _words(
    "again alone alike all any apart as at away back before below between by down first for from here in into "
    "it last most not of off on once one only other out over so than to together up well with"
)


def is_participle(word: str) -> bool:
    """Whether a word is a past participle, as far as its form tells."""
    return word not in NOT_PARTICIPLES and (word in IRREGULAR or (len(word) > 3 and word.endswith("ed")))


def is_bare_participle(name: str) -> bool:
    """Whether a name has a participle and no verb or noun beside it: `told`, `_left_out`, `Found`."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().strip("_").split("_")
    return any(map(is_participle, words)) and all(is_participle(word) or word in PARTICLES for word in words)


def definitions() -> Iterator[tuple[str, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]]:
    """(module, node) of every class and function of the package."""
    for path in sorted(SRC.rglob("*.py")):
        module = ".".join(path.relative_to(SRC).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield module, node


@each_row(
    ("name", "bare"),
    [
        ("told", True), ("_left_out", True), ("Found", True), ("_said_by", True), ("is_retracted", False),
        ("locate_quote", False), ("split_claims", False), ("quoted_spans", False), ("embed", False),
        ("LinkedPage", False),
    ],
)  # fmt: skip
def test_a_bare_participle_is_told_from_a_verb_or_noun(name: str, bare: bool) -> None:
    assert is_bare_participle(name) is bare


def test_no_function_or_class_is_a_bare_participle_and_no_class_stands_in_two_modules() -> None:
    modules, bare = defaultdict(set), []
    for module, node in definitions():
        if isinstance(node, ast.ClassDef):
            modules[node.name].add(module)
        if is_bare_participle(node.name):
            bare.append(f"{module}: {node.name}")
    assert bare == []
    assert {name: sorted(places) for name, places in modules.items() if len(places) > 1} == {}


def test_a_folder_says_what_belongs_in_it_and_is_no_drawer() -> None:
    for folder in {path.parent for path in SRC.rglob("*.py")}:
        tree = ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))
        assert ast.get_docstring(tree), f"{folder}/__init__.py does not say what belongs in it"
        assert len(list(folder.glob("*.py"))) - 1 <= MODULES_IN_A_FOLDER, f"{folder} is a drawer"


def test_what_is_small_lives_with_a_neighbour() -> None:
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in SRC.rglob("*.py")}
    small = [path for path, count in lines.items() if count < LINES_OF_A_SMALL_MODULE and path.name != "__init__.py"]
    assert len(small) <= SMALL_MODULES, sorted(small)
