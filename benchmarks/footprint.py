"""What a default install weighs, and which packages weigh most."""

from importlib.metadata import Distribution, PackageNotFoundError, distribution

from packaging.requirements import Requirement

from benchmarks.report import Report

MB = 1_000_000
LARGE = 5 * MB


def measure(report: Report) -> None:
    """The sum over everything that `pip install wellsourced` brings, and each part of 5 MB or more."""
    report.section("footprint", "Installed size of the default install (without Python itself)")
    weights = {name: weight(found) for name, found in brought("wellsourced").items()}
    for name, size in sorted(weights.items(), key=lambda one: -one[1]):
        if size >= LARGE:
            report.number(name, size / MB, "MB")
    small = [size for size in weights.values() if size < LARGE]
    report.number(f"{len(small)} others", sum(small) / MB, "MB")
    report.number(f"all {len(weights)} packages", sum(weights.values()) / MB, "MB", "at most 600")


def brought(name: str) -> dict[str, Distribution]:
    """A package and all that it needs here, without extras that nobody asked for."""
    found: dict[str, Distribution] = {}
    waiting = [(name, frozenset[str]())]
    seen = set()
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        try:
            found[one[0]] = distribution(one[0])
        except PackageNotFoundError:
            continue
        waiting += _needed(found[one[0]], one[1])
    return {one.metadata["Name"]: one for one in found.values()}


def _needed(one: Distribution, extras: frozenset[str]) -> list[tuple[str, frozenset[str]]]:
    needed = [Requirement(line) for line in one.requires or ()]
    here = [
        need
        for need in needed
        if need.marker is None or any(need.marker.evaluate({"extra": extra}) for extra in ("", *extras))
    ]
    return [(need.name.lower(), frozenset(need.extras)) for need in here]


def weight(one: Distribution) -> int:
    """Bytes of the files that an installed package owns, compiled ones included."""
    paths = (one.locate_file(file) for file in one.files or ())
    return sum(path.stat().st_size for path in paths if path.is_file())  # type: ignore[attr-defined]
