"""An expression that was kept is the one that `re` would have made, whatever has become of the file."""

import re
from pathlib import Path

import pytest

from wellsourced.kept_expressions import ExpressionFile

EXPRESSIONS = (
    (r"(?P<dose>\d+)\s?(?i:mg|µg)(?!\w)", 0),
    (r"(?<!\w)(?:gout|Ménière)(\s+disease)?", re.IGNORECASE),
    (r"^ a # nothing \n | b$", re.VERBOSE | re.MULTILINE),
    (r"[^\W\d_]{3,}|\S", 0),
)
TEXT = "Gout and ménière disease: 40 mg, 3 MG, 5 mgx.\n a\nb"


def keep_all(path: Path) -> list[re.Pattern[str]]:
    file = ExpressionFile(path)
    patterns = [file.compile(expression, int(flags)) for expression, flags in EXPRESSIONS]
    file._save()
    return patterns


@pytest.mark.parametrize("damage", ["", "[", '["3.11", {}]', "cut"])
def test_a_kept_expression_is_the_one_that_would_have_been_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    path = tmp_path / "expressions.json"
    keep_all(path)
    assert [kept.name for kept in tmp_path.iterdir()] == ["expressions.json"]
    if damage:
        path.write_text(path.read_text()[:200] if damage == "cut" else damage)
    for kept, (expression, flags) in zip(keep_all(path), EXPRESSIONS, strict=True):
        made = re.compile(expression, flags)
        assert (kept.pattern, kept.flags, kept.groups, kept.groupindex) == (
            made.pattern,
            made.flags,
            made.groups,
            made.groupindex,
        )
        assert [found.groupdict() | {"": found.span()} for found in kept.finditer(TEXT)] == [
            found.groupdict() | {"": found.span()} for found in made.finditer(TEXT)
        ]


def test_where_nothing_may_be_written_nothing_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    keep_all(tmp_path / "expressions.json")
    assert list(tmp_path.iterdir()) == []
