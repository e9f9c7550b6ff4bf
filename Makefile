# The two commands: `make run` shows a shop, `make test` proves it. Both set everything up by themselves.
.DEFAULT_GOAL := help
.PHONY: help run test check setup lock clean

BIN := .venv/bin
export UV_COMPILE_BYTECODE := 1
export UV_SYSTEM_CERTS := 1
export UV_PYTHON_DOWNLOADS := never
export UV_NO_CONFIG := 1

help:
	@echo "make run     a demo shop at http://127.0.0.1:8000"
	@echo "make test    every check and every test"
	@echo "make check   ruff, mypy --strict and the import contract only"
	@echo "make setup   leaves the command at $(BIN)/carrete"
	@echo "make lock    resolve the dependencies anew into requirements/*.lock"

setup: .venv/.run

run: .venv/.run
	$(BIN)/carrete serve --demo

test: .venv/.test check
	$(BIN)/python -m pytest -n 2 --dist loadfile

check: .venv/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

# A venv, the installer inside it by hash, then exactly what the lock says, also by hash.
.venv/.uv: requirements/uv.lock
	sh scripts/venv.sh
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.lock
	@touch $@

.venv/.run: .venv/.uv requirements/run.lock pyproject.toml
	$(BIN)/uv pip install --quiet --require-hashes -r requirements/run.lock
	$(BIN)/uv pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

.venv/.test: .venv/.run requirements/test.lock
	$(BIN)/uv pip install --quiet --require-hashes -r requirements/test.lock
	@touch $@

# Hashes, no addresses: where packages come from is the machine's business.
LOCK := $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --no-annotate --python-version 3.11
lock: .venv/.uv
	echo uv | $(LOCK) - -o requirements/uv.lock
	$(LOCK) pyproject.toml --group build -o requirements/run.lock
	$(LOCK) pyproject.toml --group build --group dev -c requirements/run.lock -o requirements/test.lock

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
