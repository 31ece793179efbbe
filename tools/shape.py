"""Print how large every folder is, against its budget, and the longest functions and files: a mirror, it never fails.

    python tools/shape.py            what `make shape` prints
    python tools/shape.py --lower    and lower every budget to what its folder has; none is ever raised by this

What is counted here is what tests/test_budgets.py holds against tests/budgets.toml:

lines         of Python
expressions   regular expressions that are written in the code: literals handed to `re` and to lazy_regex
numbers       set by hand: decimal fractions, and whole numbers above 2 that a name in capitals stands for
rows          of tables beside the code (.tsv, .txt, .json, .jsonl, .toml, .csv, plain or .gz): lines, or parts of 100
              characters where that is more, so that a rule gains nothing by moving into a table of one line
"""

import ast
import gzip
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PRODUCT, LABORATORY = ROOT / "src/wellsourced", ROOT / "evaluate/src/wellsourced_evaluate"
BUDGETS = ROOT / "tests/budgets.toml"

TABLE_ENDINGS = {".tsv", ".txt", ".json", ".jsonl", ".toml", ".csv"}
ROW_CHARACTERS = 100

RE_CALLS = {"compile", "lazy_regex", "match", "fullmatch", "search", "sub", "subn", "split", "finditer", "findall"}


class Size(NamedTuple):
    """What a folder holds, in lines, expressions, numbers and rows."""

    lines: int = 0
    expressions: int = 0
    numbers: int = 0
    rows: int = 0

    def __add__(self, other: "Size") -> "Size":  # type: ignore[override]
        return Size(*(mine + its for mine, its in zip(self, other, strict=True)))


def list_folders(root: Path = ROOT) -> dict[str, list[Path]]:
    """Name of every unit that has a budget → the folders and files that belong to it."""
    product = sorted(path for path in (root / "src/wellsourced").iterdir() if path.name != "__pycache__")
    units = {f"src/{path.name}": [path] for path in product if path.is_dir()}
    units["src/*.py"] = [path for path in product if path.is_file()]
    others = ("evaluate/src", "evaluate/tests", "benchmarks", "tools", "tests")
    return units | {name: [root / name] for name in others if (root / name).is_dir()}


def measure_unit(paths: list[Path]) -> Size:
    """The size of folders and files together."""
    files = [file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path])]
    return sum((_measure_file(file) for file in files if "__pycache__" not in file.parts), Size())


def _measure_file(file: Path) -> Size:
    if file.suffix == ".py":
        text = file.read_text(encoding="utf-8")
        tree = ast.parse(text)
        return Size(
            text.count("\n"), sum(map(_is_expression, ast.walk(tree))), sum(map(_count_numbers, ast.walk(tree)))
        )
    ending = file.with_suffix("").suffix if file.suffix == ".gz" else file.suffix
    if ending not in TABLE_ENDINGS:
        return Size()
    data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    return Size(rows=max(data.count(b"\n"), len(data) // ROW_CHARACTERS))


def _is_expression(node: ast.AST) -> bool:
    """Whether this hands an expression, written here, to the module `re` or to what compiles late."""
    if not isinstance(node, ast.Call) or not node.args or not isinstance(node.args[0], ast.Constant | ast.JoinedStr):
        return False
    function = node.func
    if isinstance(function, ast.Attribute):
        return function.attr in RE_CALLS and isinstance(function.value, ast.Name) and function.value.id == "re"
    return isinstance(function, ast.Name) and function.id == "lazy_regex"


def _count_numbers(node: ast.AST) -> int:
    """How many numbers this is or holds that somebody has chosen."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, float) and node.value not in (0.0, 1.0)
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return 0
    several = node.targets if isinstance(node, ast.Assign) else [node.target]
    targets = [name for one in several for name in (one.elts if isinstance(one, ast.Tuple) else [one])]
    if not all(isinstance(target, ast.Name) and target.id.strip("_").isupper() for target in targets):
        return 0
    whole = (one.value for one in ast.walk(node.value) if isinstance(one, ast.Constant) and type(one.value) is int)
    return sum(value > 2 for value in whole)


def measure_all(root: Path = ROOT) -> dict[str, Size]:
    """The size of every unit."""
    return {name: measure_unit(paths) for name, paths in list_folders(root).items()}


def functions(path: Path) -> Iterator[tuple[int, str]]:
    """(lines, place and name) of every function in the file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            yield lines, f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"


def print_package(name: str, folder: Path) -> None:
    """How many modules a package has, and its longest functions and files."""
    lines = {path: path.read_text(encoding="utf-8").count("\n") for path in sorted(folder.rglob("*.py"))}
    modules = sorted(count for path, count in lines.items() if path.name != "__init__.py" or count > 3)
    found = sorted((one for path in lines for one in functions(path)), reverse=True)
    print(f"\n{name}: {sum(lines.values()):,} lines, {len(modules)} modules, median {modules[len(modules) // 2]}")
    print(f"{len(found)} functions, median {found[len(found) // 2][0]}; the longest, and the longest files:")
    for count, place in found[:5]:
        print(f"{count:6}  {place}")
    for path in sorted(lines, key=lambda path: -lines[path])[:5]:
        print(f"{lines[path]:6}  {path.relative_to(ROOT)}")


def read_budgets() -> dict[str, Size]:
    """Name of every unit → its ceilings."""
    return {name: Size(**row) for name, row in tomllib.loads(BUDGETS.read_text(encoding="utf-8"))["budgets"].items()}


def lower_budgets(sizes: dict[str, Size]) -> None:
    """Write every budget anew that is higher than what its folder has; all other lines of the file stay."""
    budgets, lines = read_budgets(), []
    for line in BUDGETS.read_text(encoding="utf-8").splitlines():
        name = line.partition('"')[2].partition('"')[0]
        if line.startswith('"') and name in sizes and name in budgets:
            least = Size(*map(min, budgets[name], sizes[name]))
            line = format_budget(name, least) + line.partition("}")[2]
        lines.append(line)
    BUDGETS.write_text("\n".join(lines) + "\n", encoding="utf-8")


def format_budget(name: str, size: Size) -> str:
    """The line of a unit in budgets.toml."""
    fields = ", ".join(f"{field} = {value:_}" for field, value in zip(Size._fields, size, strict=True))
    return f'"{name}" = {{ {fields} }}'


def main() -> None:
    """A table of all units with their budgets, then both packages."""
    sizes = measure_all()
    if "--lower" in sys.argv[1:]:
        lower_budgets(sizes)
    budgets = read_budgets()
    print(f"{'':22}" + "".join(f"{name:>20}" for name in Size._fields))
    for name, size in sizes.items():
        cells = (f"{have:,} of {most:,}" for have, most in zip(size, budgets.get(name, Size()), strict=True))
        print(f"{name:22}" + "".join(f"{cell:>20}" for cell in cells))
    total = sum((size for name, size in sizes.items() if name.startswith("src/")), Size())
    print(f"{'src, in all':22}" + "".join(f"{have:>20,}" for have in total))
    print_package("wellsourced", PRODUCT)
    print_package("wellsourced_evaluate", LABORATORY)


if __name__ == "__main__":
    main()
