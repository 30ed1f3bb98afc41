# Every way of working with this repository. `make help` lists them.
#
#   make PYTHON=python3.13 test          another interpreter
#   make test ARGS='-k status -x'        further words for the command behind a target
#   make test WORKERS=0                  one process, for a debugger

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules --no-print-directory

PYTHON  ?= python3
VENV    ?= .venv
WORKERS ?= logical
ARGS    ?=

BIN     := $(VENV)/bin
RUNTIME := $(VENV)/.runtime-installed
DEV     := $(VENV)/.dev-installed
LOCK    := $(BIN)/uv pip compile pyproject.toml --group build --universal --python-version 3.11 \
             --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --quiet

# The first install is done by the machine's pip, later ones by the pinned pip it put into the environment:
# so neither the `ensurepip` that some systems leave out nor an inactive environment is needed.
PIP = $(if $(wildcard $(BIN)/pip),$(BIN)/python -m pip,$(PYTHON) -m pip --python $(VENV))
INSTALL = $(PIP) install -qq --disable-pip-version-check --no-deps

.PHONY: help setup setup-runtime demo run test fuzz torture check lint types contracts generated fix ci bench \
        openapi schema lock clean

help: ## What can be done here
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

setup: $(DEV) ## Everything for working on Sightline, in .venv

setup-runtime: $(RUNTIME) ## Only what running Sightline takes, in .venv

demo: $(RUNTIME) ## Load the sample workspace and serve it (http://127.0.0.1:8000)
	$(BIN)/sightline demo $(ARGS)

run: $(RUNTIME) ## Serve the workspaces of the data directory
	$(BIN)/sightline serve $(ARGS)

test: $(DEV) ## All tests, in parallel and in random order
	$(BIN)/pytest -n $(WORKERS) --maxprocesses 8 --dist loadfile $(ARGS)

fuzz: $(DEV) ## The long search for inputs that break a rule
	$(BIN)/pytest -m fuzz $(ARGS)

torture: $(DEV) ## Crashes, restarts and crowds
	$(BIN)/pytest -m torture $(ARGS)

check: lint types contracts generated ## Lint, format, types, import order, generated files

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV)
	$(BIN)/mypy

contracts: $(DEV)
	$(BIN)/lint-imports --no-logo --cache-dir .cache/import-linter

GENERATED := docs/openapi.json docs/schema.sql
generated: openapi schema
	@git ls-files --error-unmatch $(GENERATED) >/dev/null
	@git diff --exit-code -- $(GENERATED) || \
	  { echo "Generated files were out of date. They are written anew: add them to your change."; exit 1; }

fix: $(DEV) ## Repair what ruff can repair, and format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

ci: ## Exactly what continuous integration runs
	@bash .ci/run

bench: $(RUNTIME) ## Requests per second beside the limit of this machine
	$(BIN)/sightline bench $(ARGS)

openapi: $(RUNTIME) ## Write docs/openapi.json
	@mkdir -p .cache
	$(BIN)/sightline openapi > .cache/openapi.json && cp .cache/openapi.json docs/openapi.json

schema: $(RUNTIME) ## Write docs/schema.sql
	@mkdir -p .cache
	$(BIN)/python -m sightline.migrations.schema > .cache/schema.sql && cp .cache/schema.sql docs/schema.sql

lock: $(DEV) ## Bring requirements/*.lock to pyproject.toml (ARGS=--upgrade: to the newest versions)
	$(LOCK) $(ARGS) -o requirements/runtime.lock
	$(LOCK) $(ARGS) --group dev -c requirements/runtime.lock -o requirements/dev.lock

clean: ## Remove the environment and every cache; data stays
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
