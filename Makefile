# Every target works on a fresh machine that has make and python3 (3.11 or newer, with venv).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ENGINE := src/cloche/engine
GUEST := $(ENGINE)/languages/python/requirements.txt
DOCS_PORT ?= 8000
# Deno's cache for development: types and packages that checks and tests of the engine read.
DENO := DENO_DIR=$(CURDIR)/$(VENV)/deno DENO_NO_UPDATE_CHECK=1 $(CURDIR)/$(BIN)/deno
PIP := $(BIN)/python -m pip --disable-pip-version-check
# A folder is looked at only if it is there: benchmarks and examples may be left out of a source archive.
CHECKED := $(wildcard src tests benchmarks examples scripts)
# Writes what is made from other files; with --check it says what is stale.
COMMAND_LIST := $(DENO) run --quiet --no-prompt --allow-read --allow-env --allow-write=languages/bash languages/bash/build/command_list.ts
LANGUAGE_TABLE := $(BIN)/python scripts/language_table.py
ENGINE_LIMITS := $(BIN)/python scripts/engine_limits.py
HELP_TABLE := $(BIN)/python scripts/help_table.py
ENGINE_VERSIONS := $(BIN)/python scripts/engine_versions.py
BUMP := PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m scripts.bump
OPTION_TABLES := $(BIN)/python scripts/option_tables.py
PAGE_TYPES := $(BIN)/python scripts/page_types.py
# The page is built into the package, and again when a file of it has changed.
PAGE := src/cloche/server/page/built/index.html
PAGE_SOURCES := $(shell find web -name node_modules -prune -o -type f -print 2>/dev/null)
# So is the engine for browsers, which Play and pages of others use.
BUNDLE := src/cloche/sandbox/embedding/built/page.js
BUNDLE_SOURCES := web/build/engine.ts $(shell find $(ENGINE) -name '*.ts' -o -name 'catalog.json')

.PHONY: help setup run serve page test test-slow test-engine test-page test-all check fmt bench screenshots docs docs-serve pins bump-pyodide bump-deno clean
.DEFAULT_GOAL := help

help: ## List the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 12

setup: $(VENV)/.setup ## Create .venv with the pinned tools and this project in it

$(VENV)/.setup: requirements/dev.txt $(GUEST) pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) was not found: install Python 3.11 or newer (Debian, Ubuntu: apt-get install python3 python3-venv)" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$$($(PYTHON) --version) is too old, 3.11 or newer is needed: make PYTHON=/path/to/python3 setup" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "$(PYTHON) has no venv: apt-get install python3-venv (Debian, Ubuntu), then run make again" >&2; exit 1; }
	@$(PIP) --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	$(PIP) install --quiet --require-hashes -r requirements/dev.txt
	$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@# Only its types are read: what the Python inside a sandbox comes with, for another version than this one.
	$(PIP) install --quiet --no-deps --require-hashes --python-version=$$($(BIN)/python -c 'from cloche.sandbox.languages import languages; print(languages()["python"].version)') --only-binary=:all: --upgrade --target=$(VENV)/guest -r $(GUEST)
	@touch $@

run: setup ## Fetch what the sandbox needs and run a short guided demo
	@$(BIN)/cloche fetch
	@$(BIN)/python examples/demo.py

$(VENV)/.web: web/deno.lock web/package.json $(VENV)/.setup
	cd web && $(DENO) install --frozen --quiet
	@touch $@

$(PAGE): $(VENV)/.web $(PAGE_SOURCES)
	cd web && $(DENO) run --quiet -A npm:vite build --logLevel warn
	@touch $@

$(BUNDLE): $(VENV)/.web $(BUNDLE_SOURCES)
	cd web && $(DENO) run --quiet -A build/engine.ts
	@touch $@

page: $(PAGE) $(BUNDLE) ## Build the page that the server shows

serve: setup page ## Start the server with the embedded sandbox; its page opens in the browser
	@$(BIN)/cloche fetch
	@$(BIN)/cloche serve

test: setup page ## Run the quick tests
	$(BIN)/cloche fetch all
	$(BIN)/pytest -n 2 -m "not slow"

test-all: test test-slow ## Run every test

test-slow: setup page ## Run the slow tests, and those of the engine
	$(BIN)/pytest -n 2 -m slow
	$(BIN)/pytest -n 2 --uvloop tests/sandbox/test_misbehaving_code.py tests/sandbox/test_sandbox.py $(addprefix tests/sandbox/process/test_,engine_process.py host_requests.py interrupts.py)
	$(MAKE) test-engine test-page

# For example: make test-engine ONLY='testing/cases_test.ts --filter=lua'
ONLY := .

test-page: $(VENV)/.web ## Run the tests of the page that need no browser
	cd web && $(DENO) test --quiet --parallel --allow-env=LOG src

test-engine: setup ## Run the tests of the engine; ONLY=router/engine_test.ts runs one file
	$(BIN)/cloche fetch all
	places="$$($(BIN)/python scripts/engine_test_paths.py)" && assets="$$($(BIN)/python -c 'from cloche.sandbox.cache import assets; print(assets.assets_dir())')" && cd $(ENGINE) && CLOCHE_PLACES="$$places" CLOCHE_ASSETS="$$assets" $(DENO) test --no-check --no-prompt --no-config --no-lock --no-remote --cached-only --node-modules-dir=manual --unstable-worker-options --v8-flags=--expose-gc --import-map="$$assets/import_map.json" --allow-read --allow-write --allow-env=CLOCHE_ASSETS,CLOCHE_PLACES --allow-net --allow-run=mkfifo --ignore='**/guest/**' $(ONLY)

check: setup $(VENV)/.web ## Check format, lint, types, layers and sizes
	$(BIN)/ruff format --check $(CHECKED)
	$(BIN)/ruff check $(CHECKED)
	$(BIN)/pyright
	$(BIN)/pyright --project typings
	$(BIN)/lint-imports
	cd $(ENGINE) && $(DENO) fmt --check && $(DENO) lint && $(DENO) check . && $(COMMAND_LIST) --check
	cd web && $(DENO) fmt --check --quiet && $(DENO) lint --quiet && $(DENO) check --quiet src build
	$(PAGE_TYPES) --check
	$(ENGINE_LIMITS) --check
	$(HELP_TABLE) --check
	$(ENGINE_VERSIONS) --check
	$(LANGUAGE_TABLE) --check
	$(OPTION_TABLES) --check
	$(BIN)/python scripts/check_sizes.py

fmt: setup ## Format everything
	$(BIN)/ruff check --fix-only --quiet $(CHECKED)
	$(BIN)/ruff format $(CHECKED)
	$(ENGINE_LIMITS)
	$(ENGINE_VERSIONS)
	$(PAGE_TYPES)
	cd web && $(DENO) fmt --quiet
	cd $(ENGINE) && $(DENO) fmt && $(COMMAND_LIST)
	$(LANGUAGE_TABLE)
	$(HELP_TABLE)
	$(OPTION_TABLES)

bench: setup ## Measure against the peers and write benchmarks/RESULTS.md
	$(BIN)/python -m benchmarks

$(VENV)/.docs: requirements/docs.txt $(VENV)/.setup
	$(PIP) install --quiet --require-hashes -r requirements/docs.txt
	@touch $@

screenshots: setup page ## Take pictures of every page into build/screenshots
	@$(BIN)/cloche fetch all
	@$(BIN)/python -m scripts.screenshots

docs: $(VENV)/.docs ## Build the documentation site in build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	@echo "built in build/site; make docs-serve shows it at http://127.0.0.1:$(DOCS_PORT)"

# Its search needs a server: browsers let no page of a file read the index.
docs-serve: docs ## Build the documentation site and serve it on port 8000
	@echo "open http://127.0.0.1:$(DOCS_PORT), Ctrl-C ends it"
	@$(BIN)/python -m http.server --bind 127.0.0.1 --directory build/site $(DOCS_PORT)

pins: setup ## Pin the newest allowed versions of all requirements
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python scripts/pin.py

bump-pyodide: setup ## Change to another Pyodide, VERSION=...; says which patch no longer fits
	$(BUMP) pyodide "$(VERSION)"

bump-deno: setup ## Change to another Deno, VERSION=...
	$(BUMP) deno "$(VERSION)"

clean: ## Remove everything the other targets made
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache .coverage*
	find $(CHECKED) -name __pycache__ -type d -prune -exec rm -rf {} +
