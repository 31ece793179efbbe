"""What an install takes from a package registry: packages at one version, and only files whose SHA-256 is known."""

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.tables import each_row
from tools.constraints import NEVER, find_faults
from wellsourced.readers.guidelines import read_manifest

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / "constraints").glob("*.txt"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS: dict[str, list[str]] = PROJECT["project"]["optional-dependencies"]
NEEDED: dict[str, list[str]] = {"default": PROJECT["project"]["dependencies"] + PROJECT["build-system"]["requires"]}
NEEDED["all"] = NEEDED["default"] + [line for name in Requirement(EXTRAS["all"][0]).extras for line in EXTRAS[name]]
NEEDED["serve"] = NEEDED["default"] + [
    line for name in ("serve", "documents", "web", "postgresql") for line in EXTRAS[name]
]
LABORATORY = tomllib.loads((ROOT / "evaluate" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NEEDED["evaluate"] = NEEDED["default"] + LABORATORY["dependencies"]
NEEDED["inspect"] = NEEDED["evaluate"] + LABORATORY["optional-dependencies"]["inspect"]
NEEDED["ray"] = EXTRAS["ray"]
NEEDED["dev"] = NEEDED["all"] + EXTRAS["dev"] + NEEDED["evaluate"] + LABORATORY["optional-dependencies"]["text-metrics"]


def pins(name: str) -> set[tuple[str, str]]:
    """Name and version of every package of a file; more than one version where Pythons or systems differ."""
    words = (ROOT / "constraints" / f"{name}.txt").read_text(encoding="utf-8")
    return set(re.findall(r"(?m)^([a-z0-9.-]+)==([^\s;]+)", words))


@each_row("file", FILES)
def test_every_package_has_a_version_and_hashes_and_no_line_names_an_address(file: Path) -> None:
    # What trains a planner has an environment of its own, which no other target installs.
    never = () if file.name == "train.txt" else NEVER
    assert find_faults(file.read_text(encoding="utf-8"), never) == []


@each_row("name", NEEDED)
def test_whatever_pyproject_asks_for_is_pinned_at_a_version_that_it_allows(name: str) -> None:
    pinned = pins(name)
    for needed in map(Requirement, NEEDED[name]):
        if needed.name != "wellsourced":
            found = [version for package, version in pinned if package == canonicalize_name(needed.name)]
            assert found, needed.name
            assert all(version in needed.specifier for version in found), needed.name


def test_what_tests_run_with_is_what_users_install() -> None:
    for name in ("default", "serve", "all", "evaluate"):
        assert pins(name) <= pins("dev")


def test_the_guidelines_come_from_the_wheel_that_was_read_wherever_anything_is_installed() -> None:
    known = read_manifest()
    # Ray comes into an environment that has all the rest.
    for name in NEEDED.keys() - {"ray"}:
        assert (known.package, known.version) in pins(name)
        words = (ROOT / "constraints" / f"{name}.txt").read_text(encoding="utf-8")
        pinned = words.partition(f"{known.package}==")[2].partition("==")[0]
        assert known.wheel_sha256 in re.findall(r"sha256:([0-9a-f]{64})", pinned)


def test_who_still_asks_for_the_extra_mcp_gets_what_everybody_gets() -> None:
    assert EXTRAS["mcp"] == []
    assert "mcp" in dict(pins("default"))


@each_row(
    ("line", "fault"),
    [
        ("numpy==2.4.6", "no hash: numpy"),
        ("numpy>=2", "no package at one version: numpy>=2"),
        ("--index-url https://example.org/simple", "no package at one version: --index-url https://example.org/simple"),
        (f"torch==2.13.0 \\\n    --hash=sha256:{'0' * 64}", "not to be installed by default: torch"),
    ],
)
def test_a_line_that_would_let_anything_in_is_a_fault(line: str, fault: str) -> None:
    sound = FILES[0].read_text(encoding="utf-8")
    assert find_faults(f"{sound}{line}\n") == [fault]


def test_nothing_is_installed_by_make_or_ci_without_its_hash() -> None:
    commands = (ROOT / "Makefile").read_text(encoding="utf-8") + (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    installs = [line for line in commands.splitlines() if re.search(r"\$\((PIP|UV)\)|pip\S* install", line)]
    installs = [line for line in installs if not line.startswith(("PIP", "UV", "#"))]
    assert len(installs) >= 6
    for line in installs:
        assert any(name in line for name in ("$(VERIFIED)", "$(OURS)", "$(LAB)")), line
    assert re.findall(r"(?m)^LAB      := (.*)$", commands) == ["$(OURS) --editable evaluate"]
    (verified,) = re.findall(r"(?m)^VERIFIED := (.*)$", commands)
    (ours,) = re.findall(r"(?m)^OURS     := (.*)$", commands)
    assert "--require-hashes" in verified
    assert "--no-deps --no-build-isolation" in ours
