"""No folder grows beyond its budget (budgets.toml): in lines, expressions, numbers set by hand, and rows of tables."""

import tomllib
from pathlib import Path

from tests.tables import each_row
from tools import shape
from tools.shape import Size


def over_budget(sizes: dict[str, Size], budgets: dict[str, Size]) -> list[str]:
    """A sentence for each folder and figure that is above its ceiling, or has none."""
    faults = [f"{name} has no budget: give it one, and lower another" for name in sorted(sizes.keys() - budgets.keys())]
    faults += [f"{name} has a budget and is not there" for name in sorted(budgets.keys() - sizes.keys())]
    for name in sorted(sizes.keys() & budgets.keys()):
        for field, have, most in zip(Size._fields, sizes[name], budgets[name], strict=True):
            if have > most:
                faults.append(f"{name} has {have:,} {field}, and its budget is {most:,}")
    return faults


def test_every_folder_keeps_within_its_budget() -> None:
    assert over_budget(shape.measure_all(), shape.read_budgets()) == []


def test_who_raises_one_budget_lowers_another() -> None:
    ceilings = tomllib.loads(shape.BUDGETS.read_text(encoding="utf-8"))["ceilings"]
    budgets = shape.read_budgets()
    for prefix, row in ceilings.items():
        total = sum((size for name, size in budgets.items() if name.startswith(prefix)), Size())
        for field, most in row.items():
            have = getattr(total, field)
            assert have <= most, f"the budgets of {prefix} add up to {have:,} {field}, and may to {most:,}"


def write(folder: Path, name: str, text: str) -> None:
    path = folder / "src/wellsourced" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_what_is_counted(tmp_path: Path) -> None:
    code = (
        'import re\nfrom wellsourced.lazy import lazy_regex\nA = re.compile("a|b")\nB = lazy_regex(f"{A}c")\n'
        'FEW, MANY = 2, (3, 4)\nhalf = 0.5\nname = "x".split("a")\ndef f(n=7): return re.sub("a", "b", name)\n'
    )
    write(tmp_path, "rules/code.py", code)
    write(tmp_path, "rules/words.tsv", "one\ttwo\n" * 5)
    write(tmp_path, "rules/one_line.json", '"' + "x" * 1000 + '"')
    write(tmp_path, "top.py", "X = 1\n")
    sizes = shape.measure_all(tmp_path)
    assert sizes["src/rules"] == Size(lines=8, expressions=3, numbers=3, rows=5 + 10)
    assert sizes["src/*.py"] == Size(lines=1)


@each_row("field", Size._fields)
def test_the_folder_and_its_figure_are_named(field: str) -> None:
    sizes = {"src/rules": Size()._replace(**{field: 1001}), "src/new": Size()}
    assert over_budget(sizes, {"src/rules": Size()._replace(**{field: 1000}), "src/gone": Size()}) == [
        "src/new has no budget: give it one, and lower another",
        "src/gone has a budget and is not there",
        f"src/rules has 1,001 {field}, and its budget is 1,000",
    ]
