# Every target sets up what it needs: Python 3.11 to 3.13, make and a C++ compiler are
# enough; where there is no compiler, one is taken from the package registry.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

# Packages whose branch coverage `make coverage` holds to COVERED per cent each.
COVERED_PACKAGES := pairs solvers cluster criteria selection
COVERED := 95

# Where `make docs` builds the site.
SITE := docs/_build/html

# The CPU level whose code `make tidy` reads.
TIDY_LEVEL := -DFUZZYPAIRS_LEVEL=generic

.PHONY: demo test test-long hostile fuzz soak kills core coverage matrix sanitize wheel lint format tidy types types-js hooks bench bench-scale docs release-check reproduction clean help

help:
	@echo "make demo   cluster the same digits as two judges see them, with a report"
	@echo "make test   run all tests             make core  compile the core"
	@echo "make hostile  call everything with wrong and extreme arguments"
	@echo "make fuzz   read mutated files      make soak  10 000 fits in one process"
	@echo "make kills  kill a writer of judgements 1000 times, and look for losses"
	@echo "make lint   check style and spelling       make types  check types"
	@echo "make format  lay out Python and C++        make tidy   look for mistakes in C++"
	@echo "make coverage  run the tests and print the branch coverage of each package"
	@echo "make matrix  run the tests on Python 3.11 to 3.13 and on the oldest dependencies"
	@echo "make test-long  the property tests with 10 000 random problems each"
	@echo "make sanitize  run the core's tests under sanitizers (GCC on Linux)"
	@echo "make wheel  build a portable wheel, and run the tests on it elsewhere"
	@echo "make hooks  check each commit for style and spelling"
	@echo "make bench  measure speed and memory, compared with other packages"
	@echo "make docs   build the site, check its links, and run all examples"
	@echo "make release-check  build, install and test what a release would contain"
	@echo "make reproduction  the paper's tables and figures, to docs/reproduction (hours)"

demo: $(STAMP)
	$(BIN)/fuzzypairs demo --out fuzzypairs-demo --force

test: $(STAMP)
	$(BIN)/python -m pytest -n 2

kills: $(STAMP)
	FUZZYPAIRS_KILLS=1000 $(BIN)/python -m pytest -q tests/unit/labelling/test_kills.py

# All cases that a caller could get wrong, each in a process with a time limit.
hostile: $(STAMP)
	cd tests && FUZZYPAIRS_WORKERS=2 $(abspath $(BIN))/python -m hostile

# Seconds for each reader; atheris is in the extra `fuzz`.
FUZZ_SECONDS ?= 1800
fuzz: $(STAMP)
	cd tests && for target in table pairs model part; do \
	  $(abspath $(BIN))/python -m hostile.fuzz $$target $(FUZZ_SECONDS) || exit 1; done

soak: $(STAMP)
	cd tests && $(abspath $(BIN))/python -m hostile.soak 10000

test-long: $(STAMP)
	$(BIN)/python -m pytest -n 2 --hypothesis-profile=long tests/property

core: $(STAMP)

sanitize: $(STAMP)
	$(BIN)/python tests/sanitize.py

wheel: $(STAMP)
	$(BIN)/python tests/wheel.py

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

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i core/*.cpp core/*.hpp

# The lint of the core as one CPU level sees it.
tidy: $(STAMP)
	$(BIN)/clang-tidy --quiet core/*.cpp -- -std=c++20 $(TIDY_LEVEL) \
	  -isystem "$$($(BIN)/python -m nanobind --include_dir)" \
	  -isystem "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("include"))')"

hooks: $(STAMP)
	$(BIN)/pre-commit install

# The page of `fuzzypairs label` by TypeScript, where npm is installed.
types-js:
	@if command -v npx >/dev/null; then \
	  npx --yes --package typescript tsc -p src/fuzzypairs/labelling/static; \
	else echo "npx is not installed: the types of the labelling page are not checked"; fi

types: $(STAMP)
	$(BIN)/mypy

matrix: $(STAMP)
	$(BIN)/python tests/matrix.py

bench: $(STAMP)
	$(BIN)/python -m benchmarks

# From nothing, so that every example runs: the gallery, then pages and docstrings.
bench-scale: $(STAMP)
	$(BIN)/python -m benchmarks scale

docs: $(STAMP)
	rm -rf docs/_build docs/gallery docs/reference/generated
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet -j 2 -d docs/_build/doctrees docs $(SITE)
	$(BIN)/python docs/check_site.py $(SITE)
	$(BIN)/python -m pytest -q -n 2 tests/unit/test_docs.py tests/unit/test_paper_page.py src
	@echo "Read: $(SITE)/index.html"

# Long: all tests on both distributions, each in an empty environment.
release-check: $(STAMP)
	$(BIN)/python tests/release.py

reproduction: $(STAMP)
	$(BIN)/fuzzypairs reproduce all --jobs 2 --out docs/reproduction

clean:
	rm -rf $(VENV) build dist src/fuzzypairs/_core*.so .matrix .coverage fuzzypairs-demo benchmarks/results docs/_build docs/gallery docs/reference/generated

# What the core is compiled from, and with. Make itself has a default, which may not exist.
SOURCES := CMakeLists.txt $(wildcard core/*.cpp core/*.hpp)
ifeq ($(origin CXX),default)
CXX := $(firstword $(shell for name in c++ g++ clang++; do command -v $$name; done; true) $(abspath $(BIN))/zig-c++)
endif
export CXX

$(STAMP): pyproject.toml $(SOURCES)
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || \
	  { echo "fuzzypairs needs Python 3.11 to 3.13, and $(PYTHON) is another: make PYTHON=python3.12 ..."; exit 1; }
	@echo "Setting up $(VENV) and compiling the core by $(CXX) (two minutes) ..."
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip "scikit-build-core>=0.10" "nanobind>=2.4" cmake ninja
	@case "$(CXX)" in *zig-c++) \
	  echo "No C++ compiler found: taking one from the package ziglang"; \
	  $(BIN)/python -m pip install --quiet ziglang && \
	  for tool in zig-c++:c++ llvm-ar:ar llvm-ranlib:ranlib; do \
	    printf '#!/bin/sh\nexec "%s" -m ziglang %s "$$@"\n' "$(abspath $(BIN))/python" $${tool#*:} > $(BIN)/$${tool%:*}; \
	    chmod +x $(BIN)/$${tool%:*}; \
	  done;; esac
	$(BIN)/python -m pip install --quiet --no-build-isolation --editable ".[dev]"
	@touch $@
