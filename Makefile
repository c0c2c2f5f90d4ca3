# The front door: builds, tests, shows and installs tessera. CMake and tools/ do the work; `make help` lists the targets.
# SPDX-License-Identifier: Apache-2.0
PREFIX ?= /usr/local
CONFIGURE = $(if $(filter true,$(CI)),-DTESSERA_WERROR=ON)

.PHONY: all present setup demo check test install asan tsan coverage fuzz soak bench bench-reuse papers format lint clean help
.NOTPARALLEL:

all: present build/build.ninja ## build/tessera, build/libtessera.so and the plugins (the default)
	@cmake --build build

# Installs nothing unasked: says what is missing.
present:
	@tools/setup --missing build

setup: ## install the Debian packages that are missing (needs root or sudo, once)
	@tools/setup build

build/build.ninja:
	@cmake --preset release $(CONFIGURE)

demo: setup all ## draw a synthetic slide, study the nuclei workflow on it, write report.html
	@tools/demo

check: all ## the inner loop: the release build, quick checks, the short unit tests, the faulty files of tests/cases
	@tools/setup --missing build test
	@tools/check-includes && tools/check-sizes && tools/check-structs && tools/check-banned
	@cmake --build build --target tests
	@ctest --test-dir build -j "$$(nproc)" --output-on-failure -R '^unit[.]|^e2e[.]cases$$' -LE 'long|slow' \
	  >build/check.log || { cat build/check.log; false; }
	@grep 'tests passed' build/check.log

test: ## install what is missing, build, and run every check and test, also under the sanitizers
	@tools/setup build test
	@tools/test

install: all ## install below PREFIX (/usr/local); DESTDIR is respected
	@cmake --install build --prefix "$(PREFIX)"

asan tsan: setup ## the tests under ASan and UBSan, or under TSan
	@tools/setup test
	@tools/test $@

coverage: setup ## the tests with line counts, per module; build-coverage/uncovered.txt
	@tools/setup test
	@tools/coverage

fuzz: setup ## a minute of every fuzz target (clang); docs/fuzzing.md
	@tools/setup fuzz
	@tests/fuzz/run 60

soak: setup all ## what takes too long for every day: five minutes of every fuzz target, and the long forms of tests
	@tools/setup test fuzz
	@tests/fuzz/run 300
	@tools/lint --deep
	@cmake --build build --target tests
	@build/tests/test_analysis many_rows 10000000
	@tests/e2e/analyse_large.py all
	@tests/e2e/data_changes.py soak
	@tests/e2e/flips.py long
	@tests/e2e/hostile.py all
	@tests/e2e/kill_resume.py long
	@tests/e2e/moat458.py long
	@tests/e2e/schedule.py soak
	@tests/e2e/schedule_vectors.py all
	@tests/e2e/schedule_vectors.py inverse
	@tests/e2e/schedule_vectors.py refine
	@bench/tuners_against_scipy.py
	@build/tests/test_tune auto costs 40

bench: all ## time the operations; time and memory of sampling, sensitivity analysis and tuners
	@build/tessera bench
	@cmake --build build --target benches
	@build/bench_sensitivity
	@build/bench_tuning

bench-reuse: all ## every way to share work between processes, measured on the same images (minutes; quiet machine)
	@bench/reuse_variants.py

papers: all ## make the figures and tables of docs/papers.md again (half an hour; needs ../shared)
	@bench/paper_streams.py --write
	@bench/paper_tuning.py --write

format: ## rewrite the C files as clang-format wants them
	@tools/check-format --fix

lint: setup build/build.ninja ## clang-tidy over what changed
	@tools/setup test
	@tools/lint

clean: ## remove everything that was built (the demo folder stays)
	rm -rf build build-asan build-tsan build-coverage build-fuzz

help: ## this list
	@awk -F ':.*## ' '/^[a-z -]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile
