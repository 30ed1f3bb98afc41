# The tasks of this repository. `make help` lists them.
#
#   make PYTHON=python3.13 test          another interpreter
#   make test ARGS='-k status -x'        further arguments for the command of a target
#   make test WORKERS=0                  one process, for a debugger

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules --no-print-directory
# Every process that a test starts would compile the sources again.
unexport PYTHONDONTWRITEBYTECODE

PYTHON  ?= python3
VENV    ?= .venv
# Continuous integration runs a failed test once more and counts it as a rerun; elsewhere a flaky test is seen and mended.
RERUNS  ?= $(if $(CI),1,0)
# Half as many again as there are processors, as tests also wait; each further one collects all tests first.
WORKERS ?= $(shell echo $$((3 * $$(getconf _NPROCESSORS_ONLN) / 2)))
ARGS    ?=

BIN     := $(VENV)/bin
RUNTIME := $(VENV)/.runtime-installed
DEV     := $(VENV)/.dev-installed
LOCK    := $(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes \
             --no-emit-index-url --no-emit-find-links --no-header --quiet

# The first install is done by the machine's pip, later ones by the pinned pip it put into the environment:
# so neither the `ensurepip` that some systems leave out nor an inactive environment is needed.
PIP = $(if $(wildcard $(BIN)/pip),$(BIN)/python -m pip,$(PYTHON) -m pip --python $(VENV))
INSTALL = $(PIP) install -qq --disable-pip-version-check --no-deps

.PHONY: help setup setup-runtime demo run test test-slow browser fuzz clients torture check lint types contracts generated fix ci bench plots \
        openapi schema lock clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

setup: $(DEV) ## Install everything for developing Sightline in .venv

setup-runtime: $(RUNTIME) ## Install what Sightline needs to run in .venv

demo: $(RUNTIME) ## Load the sample workspace and serve it (http://127.0.0.1:8000), with a customer's product beside it
	$(BIN)/sightline demo --customer-product examples/customer-product/app.py $(ARGS)

run: $(RUNTIME) ## Serve the workspaces of the data directory
	$(BIN)/sightline serve $(ARGS)

# The same order in each run. A test that hangs for 10 minutes shows where, fails, and ends the run.
PYTEST := $(BIN)/pytest -n $(WORKERS) --maxprocesses 8 --dist loadfile --randomly-seed=1 --reruns $(RERUNS) -raR \
            -o faulthandler_timeout=600 -o faulthandler_exit_on_timeout=true --max-worker-restart 0

test: $(DEV) ## Run the tests, in parallel (ARGS=--randomly-seed=N: in another order)
	$(PYTEST) $(ARGS)

test-slow: $(DEV) browser ## Run the tests that take long: killed servers, a browser, large data, requests made up from the document
	$(PYTEST) -m "slow and not fuzz and not torture" $(ARGS)

# Tests of pages skip loudly without it.
browser:
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	  { apt-get install -y -qq chromium || { apt-get update -qq && apt-get install -y -qq chromium; }; } \
	  >/dev/null 2>&1; } || echo "No chromium, and it cannot be installed here: tests in a browser are skipped."

fuzz: $(DEV) ## Search long for inputs that break a rule
	$(BIN)/pytest -m fuzz --hypothesis-profile=search $(ARGS)

clients: $(DEV) ## Generate clients in Python and TypeScript, check them strictly and use them (needs Node and npm)
	@command -v node >/dev/null && command -v npm >/dev/null || \
	  echo "No node or no npm: NO client in TypeScript is generated (apt-get install nodejs npm)."
	$(BIN)/pytest -m clients tests/generated/test_clients.py $(ARGS)

torture: $(DEV) ## Run the tests of crashes, restarts and many clients
	$(BIN)/pytest -m torture $(ARGS)

check: lint types contracts generated ## Check lint, format, types, import order and generated files

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV)
	$(BIN)/mypy

contracts: $(DEV)
	$(BIN)/lint-imports --no-logo --cache-dir .cache/import-linter

GENERATED := docs/openapi.json docs/schema.sql docs/workspace-file.schema.json
generated: openapi schema
	@git ls-files --error-unmatch $(GENERATED) >/dev/null
	@git diff --exit-code -- $(GENERATED) || \
	  { echo "Generated files were out of date. They are now regenerated: add them to your change."; exit 1; }

fix: $(DEV) ## Fix what ruff can fix, and format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

ci: ## Run exactly what continuous integration runs
	@bash .ci/run

# No command is echoed: the output may be one JSON document.
ifneq ($(filter bench,$(MAKECMDGOALS)),)
MAKEFLAGS += --silent
endif
bench: $(RUNTIME) $(if $(filter --full,$(ARGS)),plots) ## Measure requests per second beside the limit of this machine, or beside another commit
	command -v wrk >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	  timeout 20 apt-get install -y -qq wrk >/dev/null 2>&1; } || echo "No wrk: the benchmark sends its requests itself." >&2
	$(BIN)/python -m benchmarks $(ARGS)

plots: $(RUNTIME)
	$(INSTALL) --require-hashes -r benchmarks/requirements.lock >&2 || echo "No matplotlib: nothing is drawn." >&2

openapi: $(RUNTIME) ## Write docs/openapi.json
	@mkdir -p .cache
	$(BIN)/sightline openapi > .cache/openapi.json && cp .cache/openapi.json docs/openapi.json

schema: $(RUNTIME) ## Write docs/schema.sql and docs/workspace-file.schema.json
	@mkdir -p .cache
	$(BIN)/python -m tools.schema > .cache/schema.sql && cp .cache/schema.sql docs/schema.sql
	$(BIN)/sightline workspace schema | $(BIN)/python -m json.tool > .cache/schema.json && cp .cache/schema.json docs/workspace-file.schema.json

lock: $(DEV) ## Update the lock files from pyproject.toml (ARGS=--upgrade: to the newest versions)
	$(LOCK) pyproject.toml --group build $(ARGS) -o requirements/runtime.lock
	$(LOCK) pyproject.toml --group build $(ARGS) --group dev -c requirements/runtime.lock -o requirements/dev.lock
	$(LOCK) --group bench $(ARGS) -c requirements/dev.lock -o benchmarks/requirements.lock

clean: ## Remove the environment and all caches; keeps data
	rm -rf $(VENV) .cache .hypothesis build dist
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit("Sightline needs Python 3.11 or newer: make PYTHON=<path> ..." if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv --without-pip $(VENV)

$(RUNTIME): requirements/runtime.lock pyproject.toml | $(BIN)/python
	$(INSTALL) --require-hashes -r requirements/runtime.lock
	$(INSTALL) --no-build-isolation -e .
	@touch $@

$(DEV): requirements/dev.lock pyproject.toml | $(BIN)/python
	$(INSTALL) --require-hashes -r requirements/dev.lock
	$(INSTALL) --no-build-isolation -e .
	@touch $(RUNTIME) $@
