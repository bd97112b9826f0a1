# Two commands to know: `make demo` and `make test`. Each makes its own virtual environment.
PYTHON ?= python3
VENV := .venv-make
ifneq ($(PYTHON),python3)  # make test PYTHON=python3.13
VENV := .venv-make-$(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
endif
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
SOURCES := $(shell find core src -name '*.cpp' -o -name '*.hpp' -o -name '*.py' 2>/dev/null) CMakeLists.txt pyproject.toml

.PHONY: demo test mutants bench lint stubs types format-check sanitize threads cross sdist fuzz clean

demo: $(STAMP)
	$(BIN)/python -m onlinear.demo

test: $(STAMP)
	$(PIP) --group test
	$(BIN)/python -m pytest -q -n auto --dist worksteal

# Puts deliberate faults into the code one at a time and prints those that no test notices; ONLY=17,20-30 tries some.
mutants: $(STAMP)
	$(PIP) --group test nanobind cmake ninja
	$(BIN)/python -m mutants $(if $(ONLY),--only $(ONLY))

bench: $(STAMP)
	$(PIP) ".[bench]"
	$(BIN)/python -m benchmarks

lint: $(STAMP)
	$(PIP) --group lint --group test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m mutants --list

# The stubs of rules, beliefs and tasks, written anew from the compiled module.
stubs: $(STAMP)
	$(PIP) nanobind --group lint
	$(BIN)/python tools/stubs.py

types: lint
	$(BIN)/mypy

format-check: lint
	find core fuzz benchmarks mutants -name '*.cpp' -o -name '*.hpp' | xargs $(BIN)/clang-format --dry-run --Werror

# The core, its Python module and the model loader under AddressSanitizer and UndefinedBehaviorSanitizer.
sanitize:
	./.ci/sanitize

# The Python module under ThreadSanitizer.
threads:
	./.ci/threads

# The core compiled for macOS on arm64 and for Linux on aarch64, where its tests run under qemu.
cross:
	./.ci/cross

# The source distribution, unpacked, built and tested away from here.
sdist:
	./.ci/sdist

# Every parser on 200,000 inputs each, against a plain reference.
fuzz:
	./.ci/fuzz

$(STAMP): $(SOURCES)
	$(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade pip
	$(PIP) ".[plot]"
	touch $(STAMP)

clean:
	rm -rf .venv-make* .venv-sanitize .venv-threads .venv-cross .venv-fuzz build dist demo-output
