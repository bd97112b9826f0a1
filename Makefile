# Two commands to know: `make demo` and `make test`. Each makes its own virtual environment.
PYTHON ?= python3
VENV := .venv-make
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
SOURCES := $(shell find core src -name '*.cpp' -o -name '*.hpp' -o -name '*.py' 2>/dev/null) CMakeLists.txt pyproject.toml

.PHONY: demo test bench lint types format-check sanitize fuzz docs clean

demo: $(STAMP)
	$(BIN)/python -m onlinear.demo

test: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "$$(pwd)[test]"
	$(BIN)/python -m pytest -q

bench: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "$$(pwd)[bench]"
	$(BIN)/python -m benchmarks

lint: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "$$(pwd)[lint,test]"
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: lint
	$(BIN)/mypy

format-check: lint
	find core fuzz benchmarks -name '*.cpp' -o -name '*.hpp' | xargs $(BIN)/clang-format --dry-run --Werror

# The core and its Python module under AddressSanitizer and UndefinedBehaviorSanitizer.
sanitize:
	./.ci/sanitize

$(STAMP): $(SOURCES)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check ".[plot]"
	touch $(STAMP)

clean:
	rm -rf $(VENV) build dist .venv-sanitize demo-output
