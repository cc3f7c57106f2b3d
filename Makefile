# Every target sets up what it needs: Python 3.11 to 3.13, make and a C++ compiler are
# enough; where there is no compiler, one is taken from the package registry.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

# Packages whose branch coverage `make coverage` holds to COVERED per cent each.
COVERED_PACKAGES := pairs solvers cluster baselines criteria selection
COVERED := 95

# Where `make docs` builds the site.
SITE := docs/_build/html

# The CPU level whose code `make tidy` reads.
TIDY_LEVEL := -DFUZZYPAIRS_LEVEL=generic

.PHONY: help demo test core lint format types docs bench bench-scale coverage matrix test-long hostile fuzz soak kills types-js tidy sanitize wheel release-check hooks reproduction clean

# Lists the targets below with the text after their "##".
help:
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(STAMP) ## cluster the same digits as two judges see them, and write a report
	$(BIN)/fuzzypairs demo --out fuzzypairs-demo --force

test: $(STAMP) ## run all tests
	$(BIN)/python -m pytest -n 2

core: $(STAMP) ## compile the core

lint: $(STAMP) ## check style and spelling
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell

format: $(STAMP) ## format Python and C++
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i core/*.cpp core/*.hpp

types: $(STAMP) ## check types
	$(BIN)/mypy

# From nothing, so that every example runs: the gallery, then pages and docstrings.
docs: $(STAMP) ## build the site, check its links, and run all examples
	rm -rf docs/_build docs/gallery docs/reference/generated
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet -j 2 -d docs/_build/doctrees docs $(SITE)
	$(BIN)/python docs/check_site.py $(SITE)
	$(BIN)/python -m pytest -q -n 2 tests/unit/test_docs.py tests/unit/test_paper_page.py tests/unit/test_questions.py src
	@echo "Read: $(SITE)/index.html"

bench: $(STAMP) ## measure speed and memory, compared with other packages
	$(BIN)/python -m benchmarks

bench-scale: $(STAMP) ## measure fits on Dask and out of core
	$(BIN)/python -m benchmarks scale

coverage: $(STAMP) ## run the tests, and print the branch coverage of each package
	$(BIN)/python -m pytest -n 2 --cov --cov-report= tests src
	@failed=0; for package in $(COVERED_PACKAGES); do \
	  echo; echo "fuzzypairs.$$package"; \
	  $(BIN)/python -m coverage report --include="src/fuzzypairs/$$package/*" --fail-under=$(COVERED) || failed=1; \
	done; exit $$failed

matrix: $(STAMP) ## run the tests on Python 3.11 to 3.13 and on the oldest dependencies
	$(BIN)/python tests/matrix.py

test-long: $(STAMP) ## run the property tests with 10 000 random problems each
	$(BIN)/python -m pytest -n 2 --hypothesis-profile=long tests/property

# All cases that a caller could get wrong, each in a process with a time limit.
hostile: $(STAMP) ## call everything with wrong and extreme arguments
	cd tests && FUZZYPAIRS_WORKERS=2 $(abspath $(BIN))/python -m hostile

# Seconds for each reader; atheris is in the extra `fuzz`.
FUZZ_SECONDS ?= 1800
fuzz: $(STAMP) ## read mutated files, FUZZ_SECONDS for each reader
	cd tests && for target in table pairs model part request; do \
	  $(abspath $(BIN))/python -m hostile.fuzz $$target $(FUZZ_SECONDS) || exit 1; done

# Seconds of the labelling page under load.
SOAK_SECONDS ?= 7200
soak: $(STAMP) ## run 10 000 fits and the labelling page for SOAK_SECONDS, and watch memory, threads and files
	cd tests && $(abspath $(BIN))/python -m hostile.soak 10000
	cd tests && $(abspath $(BIN))/python -m hostile.page_soak $(SOAK_SECONDS)

kills: $(STAMP) ## kill commands at random moments, and look for losses
	FUZZYPAIRS_KILLS=1000 $(BIN)/python -m pytest -q -k kill tests/unit/labelling/test_kills.py tests/cli/test_judge.py
	cd tests && $(abspath $(BIN))/python -m hostile.kills 200
	FUZZYPAIRS_WORKER_KILLS=30 $(BIN)/python -m pytest -q tests/distributed/test_worker_kills.py

# The page of `fuzzypairs label` by TypeScript, where npm is installed.
types-js: ## check the types of the labelling page (needs npx)
	@if command -v npx >/dev/null; then \
	  npx --yes --package typescript tsc -p src/fuzzypairs/labelling/static; \
	else echo "npx is not installed: the types of the labelling page are not checked"; fi

# The lint of the core as one CPU level sees it.
tidy: $(STAMP) ## look for likely mistakes in C++
	$(BIN)/clang-tidy --quiet core/*.cpp -- -std=c++20 $(TIDY_LEVEL) \
	  -isystem "$$($(BIN)/python -m nanobind --include_dir)" \
	  -isystem "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("include"))')"

sanitize: $(STAMP) ## run the core's tests under sanitizers (GCC on Linux)
	$(BIN)/python tests/sanitize.py

wheel: $(STAMP) ## build a portable wheel, and test it in an empty environment
	$(BIN)/python tests/wheel.py

release-check: $(STAMP) ## build, install and test what a release would contain (long)
	$(BIN)/python tests/release.py

hooks: $(STAMP) ## check style and spelling before each commit
	$(BIN)/pre-commit install

reproduction: $(STAMP) ## compute the paper's tables and figures in docs/reproduction (hours)
	$(BIN)/fuzzypairs reproduce all --jobs 2 --out docs/reproduction

clean: ## remove what make created
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
