# Each target sets up what it needs: `make demo` or `make test` on a bare machine is enough.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
STAMP_LM := $(VENV)/.installed-lm
NATIVE_BUILD := build/native
NATIVE_SOURCES := $(wildcard native/src/*.cpp native/bindings/*.cpp native/bindings/*.hpp native/include/graphassay/*.hpp native/tests/*)

.PHONY: install install-lm build demo browser test test-fast test-native lint format stub docs bench fuzz lock clean

install: $(STAMP)

$(STAMP): requirements.lock pyproject.toml CMakeLists.txt $(NATIVE_SOURCES)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(MAKE) build
	touch $@

install-lm: $(STAMP_LM) ## what language models need: torch (a CPU build where pip finds one) and transformers

$(STAMP_LM): $(STAMP) requirements-lm.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements-lm.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check torch==2.13.0
	touch $@

build: ## compile the C++ core and (re)install the package, editable
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps \
	  -C cmake.define.GRAPHASSAY_WERROR=ON -e .

demo: install-lm ## train a small model on the embedded molecules, sample it, audit it
	$(BIN)/graphassay demo --out demo-report

test: install-lm browser test-native ## everything
	$(BIN)/python -m pytest -n 2

test-fast: install-lm
	$(BIN)/python -m pytest -n 2 -m "not slow"

test-native: install ## the core's own tests, under AddressSanitizer and UBSan
	$(BIN)/cmake -S . -B $(NATIVE_BUILD) -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
	  -DCMAKE_BUILD_TYPE=RelWithDebInfo -DGRAPHASSAY_PYTHON=OFF -DGRAPHASSAY_TESTS=ON \
	  -DGRAPHASSAY_SANITIZE=ON -DGRAPHASSAY_WERROR=ON > /dev/null
	$(BIN)/cmake --build $(NATIVE_BUILD) | tail -n 1
	$(BIN)/ctest --test-dir $(NATIVE_BUILD) --output-on-failure

browser: ## the end-to-end tests open the report in Chromium; without it they say so and skip
	@command -v chromium chromedriver > /dev/null || \
	  { command -v apt-get > /dev/null && [ "$$(id -u)" = 0 ] && \
	    apt-get update -qq && apt-get install -y -qq chromium chromium-driver > /dev/null; } || \
	  echo "chromium and chromedriver not found: the browser tests will be skipped"

FUZZ_SECONDS ?= 20
FUZZ_BUILD := build/fuzz
FUZZ_READERS := $(sort $(notdir $(wildcard tests/fuzz/corpus/*)))

fuzz: install ## every reader for FUZZ_SECONDS, from the kept corpus; then the core's parsers (clang)
	$(BIN)/python -c "import atheris" 2> /dev/null || $(BIN)/python -m pip install --quiet atheris==3.0.0
	for reader in $(FUZZ_READERS); do \
	  mkdir -p $(FUZZ_BUILD)/$$reader; echo "fuzzing $$reader"; \
	  PYTHONPATH=tests/fuzz $(BIN)/python tests/fuzz/fuzz_readers.py $$reader -verbosity=0 \
	    -max_total_time=$(FUZZ_SECONDS) -timeout=20 -artifact_prefix=$(FUZZ_BUILD)/$$reader- \
	    $(FUZZ_BUILD)/$$reader tests/fuzz/corpus/$$reader || exit 1; \
	done
	! command -v clang++ > /dev/null || { \
	  mkdir -p $(FUZZ_BUILD)/text && clang++ -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined \
	    -Inative/include native/fuzz/fuzz_text.cpp native/src/text.cpp native/src/gspan.cpp \
	    native/src/rdkit_binary.cpp native/src/graph_view.cpp -o $(FUZZ_BUILD)/fuzz_text && \
	  $(FUZZ_BUILD)/fuzz_text -verbosity=0 -max_total_time=$(FUZZ_SECONDS) \
	    -artifact_prefix=$(FUZZ_BUILD)/text- $(FUZZ_BUILD)/text; }

lint: install-lm
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/clang-format --dry-run --Werror $(filter %.cpp %.hpp,$(NATIVE_SOURCES))

format: install
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/clang-format -i $(filter %.cpp %.hpp,$(NATIVE_SOURCES))

stub: install ## write src/graphassay/_native.pyi anew after a change to the bindings
	$(BIN)/python -m nanobind.stubgen -q -m graphassay._native -o src/graphassay/_native.pyi

docs: install ## write docs/metrics.md anew after a change to the metric cards or the verdict's rules
	$(BIN)/python tools/write_metrics_page.py

LOCK := --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header

bench: install ## every performance claim, the peer beside us in the same run (about 15 minutes)
	$(BIN)/python benchmarks/canonical.py
	$(BIN)/python benchmarks/intake.py
	$(BIN)/python benchmarks/linearize.py
	$(BIN)/python benchmarks/mining.py
	$(BIN)/python benchmarks/graph_metrics.py
	$(BIN)/python benchmarks/audit.py

lock: ## pin every dependency anew, with hashes
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile $(LOCK) --group dev --extra qm9 pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile $(LOCK) --extra lm --extra quality pyproject.toml -c requirements.lock \
	  $$(sed -n 's/^\([a-z0-9-]*\)==.*/--no-emit-package \1/p' requirements.lock | sort -u) \
	  $$($(BIN)/uv pip compile --quiet --extra lm --extra quality pyproject.toml | \
	    sed -nE 's/^((cuda|nvidia|torch|triton|setuptools)[a-z0-9-]*)==.*/--no-emit-package \1/p') \
	  -o requirements-lm.lock

clean:
	rm -rf $(VENV) build dist
