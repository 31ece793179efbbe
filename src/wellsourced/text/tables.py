"""Tables and lists of words that lie as files beside the modules which use them."""

from importlib.resources import files


def read_rows(package: str, name: str) -> list[tuple[str, ...]]:
    """The lines of a table in a folder of the package, cut at tabs: read_rows("wellsourced.text", "languages.tsv")."""
    content = files(package).joinpath(name).read_text(encoding="utf-8")
    return [tuple(line.split("\t")) for line in content.splitlines()]


def read_word_lists(package: str, name: str) -> dict[str, tuple[str, ...]]:
    """Name of a list → its words, in order, of a table of two columns; a list may take several lines."""
    lists: dict[str, tuple[str, ...]] = {}
    for kind, words in read_rows(package, name):
        lists[kind] = (*lists.get(kind, ()), *words.split())
    return lists


def read_alternatives(package: str, name: str) -> dict[tuple[str, ...], str]:
    """What stands before the last column → an expression: what stands in it, as alternatives, in the table's order."""
    found: dict[tuple[str, ...], str] = {}
    for *key, expression in read_rows(package, name):
        before = found.get(tuple(key))
        found[tuple(key)] = expression if before is None else f"{before}|{expression}"
    return found
