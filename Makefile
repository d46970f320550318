# make help         what can be made
# Everything is installed into .venv; nothing outside this folder is touched.

PYTHON ?= python3
CORES  ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)
PYTEST ?=
BENCH  ?=
FUZZ   ?=
FAULTS ?=
BARE   ?=
WHEELS ?= --build-dir $(VENV)/build

VENV    := .venv
BIN     := $(VENV)/bin
LOCK    := envs/requirements.lock.txt
CHECKED := $(VENV)/checked
PIP     := $(BIN)/python -m pip --disable-pip-version-check
INSTALL := $(PIP) install --verbose --no-build-isolation --no-deps
SHOW    := $(BIN)/python envs/show_progress.py
# What compiling all kernels takes, as measured with GCC 12 on one core, in seconds.
CPU     := 520

# The virtual environment counts as activated: rules call `mlsieve` by name.
export PATH := $(CURDIR)/$(BIN):$(PATH)
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
# Python writes the bytecode of the modules that are used, once: without it every job compiles NumPy and SciPy anew.
unexport PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE
MAKEFLAGS += --no-print-directory
SHELL := /bin/sh
.DELETE_ON_ERROR:
.PHONY: help setup develop study test test-bare test-cluster test-faults test-reruns test-wheels fuzz lint format docs bench slurm lock clean FORCE

help:
	@echo "make study   set up and run the default study (config/config.yaml); CORES=N, default all"
	@echo "make test    set up and run every test; PYTEST='-k name' passes options on"
	@echo "make slurm   set up, with what profiles/slurm needs: studies on a cluster, docs/cluster.md"
	@echo "make test-bare   README's commands on a bare Debian, which debootstrap makes; root; half an hour"
	@echo "make test-cluster   the default study on a SLURM of its own beside the local run; root, packages slurm-wlm and munge"
	@echo "make test-faults   kills, damaged files, full disks, wrong clocks, fuzzed readers, into docs/reliability.md; an hour or more"
	@echo "make test-reruns    each change that docs/reruns.md lists, and which jobs then run again; a quarter of an hour"
	@echo "make test-wheels    build source archive and wheel, and try the wheel in a fresh environment; WHEELS='--help' shows its options"
	@echo "make fuzz    give the readers of files what no one would write, for ten minutes; FUZZ='--minutes 60'"
	@echo "make lint    ruff, snakefmt, mypy; 'make format' mends what can be mended"
	@echo "make docs    the documentation site, without a network, into build/docs; open build/docs/index.html"
	@echo "make bench   mlsieve beside scikit-learn and CLUS, into docs/benchmarks.md; BENCH='--help' shows its options"
	@echo "make setup   only the set-up: .venv with the locked dependencies and the installed package"
	@echo "make develop   set up, with what tests, linters and the documentation need besides"
	@echo "make lock    write both lock files of envs anew from what pyproject.toml asks for (needs a network)"
	@echo "make clean   remove .venv, build folders and caches; results/ and Snakemake's notes on them are kept"

study: $(VENV)/installed
	$(BIN)/snakemake --cores $(CORES)
	@name=`sed -n 's/^study: *\([^ #]*\).*/\1/p' config/config.yaml`; \
	echo "The results lie in results/$$name: open report.html in a browser; the tables (*.csv) and figures/ are beside it."

# Tests run on installed packages; MLSIEVE_TEST_INSTALLED names the folder, and a test fails if another one is imported.
# Two runs go on side by side, for each is one process mostly; what the second one says comes when both have ended.
# A run that finds none of the tests that PYTEST asks for (status 5) is well, unless none does.
test: $(VENV)/development $(VENV)/installed $(CHECKED)/installed $(VENV)/oracles
	@echo "The units, as installed, then the kernels, built with bounds checks; beside them all others:"
	@MLSIEVE_TEST_INSTALLED=$(VENV)/lib $(BIN)/python -m pytest -p no:cacheprovider --half others $(PYTEST) > $(VENV)/others.log 2>&1 & others=$$!; \
	MLSIEVE_TEST_INSTALLED=$(VENV)/lib $(BIN)/python -m pytest --half unit $(PYTEST); units=$$?; \
	MLSIEVE_TEST_INSTALLED=$(CHECKED) PYTHONPATH=$(CHECKED) $(BIN)/python -m pytest -p no:cacheprovider -m kernel $(PYTEST); kernels=$$?; \
	wait $$others; others=$$?; \
	echo "All others, as installed:"; cat $(VENV)/others.log; \
	[ "$$units$$kernels$$others" != 555 ] || { echo "no test was found"; exit 5; }; \
	for status in $$units $$kernels $$others; do case $$status in 0|5) ;; *) exit 1;; esac; done

# The local run that is compared with: nothing is to be done where it is there.
# The check needs nothing that is installed, and comes before the set-up; a missing Python is the set-up's to report.
test-cluster:
	@! command -v $(PYTHON) >/dev/null || $(PYTHON) tests/cluster/private_slurm.py
	@$(MAKE) slurm develop
	$(BIN)/snakemake --cores $(CORES) --quiet
	MLSIEVE_TEST_INSTALLED=$(VENV)/lib MLSIEVE_TEST_CLUSTER=1 MLSIEVE_LOCAL_RESULTS=results/quickstart \
	  $(BIN)/python -m pytest tests/cluster $(PYTEST)

# The outcome of each fault; FAULTS='--only kills --seeds 3 4' makes some of them only.
test-faults: $(VENV)/development $(VENV)/installed $(VENV)/fuzzer
	@mkdir -p results
	$(BIN)/python -m tests.faults.run -o results/reliability.json --fuzz-minutes 10 $(FAULTS)
	$(BIN)/python docs/reliability.py results/reliability.json

# Each row of docs/reruns.md with jobs that compute; `make test` compares plans.
test-reruns: $(VENV)/development $(VENV)/installed
	$(BIN)/python -m tests.real_reruns

# Fresh environments need a network: pip fetches the dependencies.
test-wheels: $(VENV)/installed
	$(BIN)/python -m tests.wheels.run $(WHEELS)

# It uses nothing that is installed here: only what the README names may be there.
test-bare:
	$(PYTHON) -m tests.bare.run $(BARE)

# Guided by coverage; an input that breaks a reader is kept in build/fuzz.
fuzz: $(VENV)/development $(VENV)/installed $(VENV)/fuzzer
	@mkdir -p results
	$(BIN)/python -m tests.fuzz.run -o results/fuzz.json $(FUZZ)

$(VENV)/fuzzer: $(VENV)/dependencies
	@$(PIP) install --quiet "atheris>=2.3" && touch $@ || true

lint: $(VENV)/development $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/mypy

format: $(VENV)/development $(VENV)/installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile workflow

# Warnings are errors. The pages of the reference are written into docs/generated, from the installed package.
docs: $(VENV)/development $(VENV)/installed
	$(BIN)/python -m sphinx -W --keep-going --quiet -j auto -d build/doctrees docs build/docs
	@echo "The site lies in build/docs: open index.html in a browser."

bench: $(VENV)/installed $(VENV)/peers
	$(BIN)/python -m benchmarks.run $(BENCH)

setup: $(VENV)/installed

develop: $(VENV)/installed $(VENV)/development

# What would fail after minutes is looked for before anything is downloaded.
$(VENV)/pyvenv.cfg:
	@command -v $(PYTHON) >/dev/null || { echo "mlsieve: no '$(PYTHON)' found; install Python 3.11 or newer, or name one: make PYTHON=/path/to/python3" >&2; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "mlsieve: $(PYTHON) is `$(PYTHON) -V 2>&1`; Python 3.11 or newer is needed: make PYTHON=python3.11" >&2; exit 2; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { echo "mlsieve: $(PYTHON) cannot make virtual environments; install its venv module (Debian, Ubuntu: the package python3-venv)" >&2; exit 2; }
	@command -v $${CXX:-c++} >/dev/null && command -v $${CC:-cc} >/dev/null || { echo "mlsieve: no C and C++ compilers found; install them (Debian, Ubuntu: the package g++; Fedora: gcc-c++; macOS: xcode-select --install)" >&2; exit 2; }
	@include=`$(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("include"))'`; \
	test -e "$$include/Python.h" || { echo "mlsieve: $$include/Python.h: no such file, and compiling needs it; install the header files of $(PYTHON) (Debian, Ubuntu: the package python3-dev; Fedora: python3-devel)" >&2; exit 2; }; \
	printf '#include <Python.h>\n#include <vector>\n' | $${CXX:-c++} -std=c++17 -I"$$include" -fsyntax-only -x c++ - || { echo "mlsieve: $${CXX:-c++} cannot compile with $$include/Python.h, as the lines above say; reinstall the compiler, or name another one: make CXX=g++" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)

# The locked dependencies, and what builds the package: after this, no rebuild needs a network. Bytecode of all modules
# would be a quarter of a gigabyte and take a minute; Python writes that of the modules that are used.
$(VENV)/dependencies: $(LOCK) | $(VENV)/pyvenv.cfg
	@$(SHOW) "Downloading the packages of $(LOCK) into $(VENV), about 200 MB (two minutes or more, by the network)" -- $(PIP) install --no-compile -r $(LOCK)
	@touch $@

# What tests, linters and the documentation need besides.
$(VENV)/development: envs/development.lock.txt $(VENV)/dependencies
	@$(SHOW) "Downloading the packages of $< into $(VENV), about 50 MB (a minute or more)" -- $(PIP) install --no-compile -c $(LOCK) -r $<
	@touch $@

# Snakemake loads every plugin whenever it starts, so this one comes only where it is asked for.
slurm: $(VENV)/installed $(VENV)/slurm

$(VENV)/slurm: envs/slurm.lock.txt $(VENV)/dependencies
	$(PIP) install --quiet -c $(LOCK) -r envs/slurm.lock.txt
	@touch $@

# CLUS, XGBoost and CatBoost for `make bench`; without a network they are left out, and tried again next time.
OPTIONAL := $(PIP) install --quiet --retries 1 --timeout 15 -c $(LOCK)
$(VENV)/peers: $(VENV)/oracles
	@$(OPTIONAL) pyclus && $(OPTIONAL) --only-binary :all: "catboost>=1.2" && touch $@ || true

# XGBoost, with which tests compare our boosting: they skip without it.
$(VENV)/oracles: $(VENV)/dependencies
	@$(OPTIONAL) --only-binary :all: "xgboost-cpu>=3.0" && touch $@ || true

# A file that changes only when a source file comes or goes, so that a deleted module is noticed as well.
$(VENV)/sources: FORCE | $(VENV)/pyvenv.cfg
	@new=$@.$$$$; find src -type f ! -name '*.py[co]' ! -name '*.so' ! -name '*.cpp' ! -name '.*' | LC_ALL=C sort > $$new; \
	cmp -s $$new $@ && rm $$new || mv $$new $@

SOURCES := $(shell find src Snakefile workflow config profiles envs -type f ! -name '*.py[co]' ! -name '*.so' ! -name '*.cpp' ! -name '.*') pyproject.toml meson.build meson.options

$(VENV)/installed: $(VENV)/dependencies $(VENV)/sources $(SOURCES)
	@$(SHOW) "Compiling mlsieve, and installing it into $(VENV)" $(if $(wildcard $(VENV)/build/build.ninja),,--cpu-seconds $(CPU)) -- $(INSTALL) --force-reinstall --config-settings=build-dir=$(VENV)/build .
	@touch $@

$(CHECKED)/installed: $(VENV)/installed
	@rm -rf $(CHECKED)
	@$(SHOW) "Compiling the kernels once more, with bounds checks for the tests" $(if $(wildcard $(VENV)/build-checked/build.ninja),,--cpu-seconds $(CPU)) -- $(INSTALL) --target $(CHECKED) --config-settings=build-dir=$(VENV)/build-checked --config-settings=setup-args=-Dbounds_checks=true .
	@touch $@

# A fresh environment with the newest versions that pyproject.toml allows, written down; then with what developers need.
lock:
	rm -rf build/lock
	$(PYTHON) -m venv build/lock
	build/lock/bin/python -c 'import pathlib, tomllib; p = tomllib.load(open("pyproject.toml", "rb")); extras = p["project"]["optional-dependencies"]; \
	  pathlib.Path("build/lock/running.txt").write_text("\n".join([*p["project"]["dependencies"], *extras["study"], *extras["tables"], *p["build-system"]["requires"], "ninja>=1.11"])); \
	  pathlib.Path("build/lock/all.txt").write_text("\n".join([*extras["dev"], *extras["docs"]]))'
	build/lock/bin/python -m pip install --quiet -r build/lock/running.txt
	build/lock/bin/python -m pip freeze > build/lock/requirements.lock.txt
	build/lock/bin/python -m pip install --quiet -c build/lock/requirements.lock.txt -r build/lock/all.txt
	build/lock/bin/python -m pip freeze | grep -vxFf build/lock/requirements.lock.txt > build/lock/development.lock.txt
	{ echo "# Versions of everything that builds and runs mlsieve; written by \`make lock\` with `build/lock/bin/python -V`."; \
	  cat build/lock/requirements.lock.txt; } > $(LOCK)
	{ echo "# Versions of what tests, linters and the documentation need besides requirements.lock.txt; written by \`make lock\`."; \
	  cat build/lock/development.lock.txt; } > envs/development.lock.txt

clean:
	rm -rf $(VENV) build builddir docs/generated .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
