"""Print the longest functions and files of the package: a mirror, not a gate. It never fails."""

import ast
from collections.abc import Iterator
from pathlib import Path

SRC = Path(__file__).parents[1] / "src" / "wellsourced"


def functions(path: Path) -> Iterator[tuple[int, str]]:
    """(lines, place and name) of every function in the file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            yield lines, f"{path.relative_to(SRC)}:{node.lineno} {node.name}"


def main() -> None:
    """Two tables, longest first, and the sums."""
    files = sorted(SRC.rglob("*.py"))
    every = sorted((one for path in files for one in functions(path)), reverse=True)
    sizes = sorted(((len(path.read_text(encoding="utf-8").splitlines()), path) for path in files), reverse=True)
    print("The longest functions, in lines")
    for lines, name in every[:5]:
        print(f"{lines:6}  {name}")
    print("\nThe longest files, in lines")
    for lines, path in sizes[:10]:
        print(f"{lines:6}  {path.relative_to(SRC)}")
    median = every[len(every) // 2][0] if every else 0
    print(f"\n{len(files)} files, {sum(lines for lines, _ in sizes):,} lines, {len(every)} functions, median {median}")


if __name__ == "__main__":
    main()
