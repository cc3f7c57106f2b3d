# Every target sets up what it needs: Python 3.11 to 3.13 and make are enough.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

# Packages whose branch coverage `make coverage` holds to COVERED per cent each.
COVERED_PACKAGES := pairs solvers cluster criteria selection
COVERED := 95

.PHONY: demo test coverage matrix lint types hooks bench docs reproduction clean help

help:
	@echo "make demo   cluster the wine data with graded pairs and write a report"
	@echo "make test   run all tests"
	@echo "make lint   check style and spelling       make types  check types"
	@echo "make coverage  run the tests and print the branch coverage of each package"
	@echo "make matrix  run the tests on Python 3.11 to 3.13 and on the oldest dependencies"
	@echo "make hooks  check each commit for style and spelling"
	@echo "make bench  measure speed and memory, compared with other packages"
	@echo "make docs   check links and examples of all pages"
	@echo "make reproduction  the paper's tables and figures, to docs/reproduction (hours)"

demo: $(STAMP)
	$(BIN)/fuzzypairs demo --out fuzzypairs-demo --force

test: $(STAMP)
	@echo "Running the tests (the first run compiles the kernels: a minute or two) ..."
	$(BIN)/python -m pytest -n 2

coverage: $(STAMP)
	$(BIN)/python -m pytest -n 2 --cov --cov-report= tests src
	@failed=0; for package in $(COVERED_PACKAGES); do \
	  echo; echo "fuzzypairs.$$package"; \
	  $(BIN)/python -m coverage report --include="src/fuzzypairs/$$package/*" --fail-under=$(COVERED) || failed=1; \
	done; exit $$failed

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell

hooks: $(STAMP)
	$(BIN)/pre-commit install

types: $(STAMP)
	$(BIN)/mypy

matrix: $(STAMP)
	$(BIN)/python tests/matrix.py

bench: $(STAMP)
	$(BIN)/python -m benchmarks

docs: $(STAMP)
	$(BIN)/python -m pytest -q tests/unit/test_docs.py

reproduction: $(STAMP)
	$(BIN)/fuzzypairs reproduce all --jobs 2 --out docs/reproduction

clean:
	rm -rf $(VENV) .matrix .coverage fuzzypairs-demo benchmarks/results

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || \
	  { echo "fuzzypairs needs Python 3.11 to 3.13, and $(PYTHON) is another: make PYTHON=python3.12 ..."; exit 1; }
	@echo "Setting up $(VENV) (about a minute) ..."
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	@touch $@
