# make book   the environment, the scores, the notebooks, the book     make test   the environment, the tests
# make pdf    the book on paper: _build/book.pdf, printed with Chromium
#
# make serve  the built book on this machine, at the address it prints: its living page needs a server
#
# TORCH      which build of torch to install when there is none: TORCH="torch==2.13.0", TORCH=torch, a wheel ...
# PIP_ARGS   anything pip should know while installing torch
# PROFILE    default (one small model, 98 MB), base or paper: notebooks/profiles
# VENV       an environment to use instead of .venv, e.g. VENV="$$CONDA_PREFIX"
# PYTHON     the Python that makes .venv
# LIVE       0 leaves the model that runs in a page out of the book, which is 98 MB lighter
# PORT       where make serve answers; HOST=0.0.0.0 lets the other machines of the network in

VENV ?= .venv
PYTHON ?= python3
TORCH := $(or $(TORCH),torch==2.13.0)
PIP_ARGS ?=
PROFILE ?= default
PORT ?= 8000
HOST ?= 127.0.0.1

BIN = $(VENV)/bin
READY = $(VENV)/.tse-ready
TESTED = $(VENV)/.tse-tests-ready

export PROFILE
export PIP_DISABLE_PIP_VERSION_CHECK = 1
# Each module is compiled once, whatever the environment says, and not again in every process.
export PYTHONDONTWRITEBYTECODE =

.PHONY: help env env-test book pdf serve linkcheck test test-slow test-browser rehearse bench bench-full sizes notebooks-sync colab colab-branch lint clean distclean

help:
	@sed -n '1,12s/^# \{0,1\}//p' Makefile

book: $(READY)
	@$(BIN)/python -m doit
	@echo; echo "The book: $(CURDIR)/_build/html/book/index.html"
	@echo "The command tse: $(abspath $(BIN))/tse"

pdf: $(TESTED)
	@$(BIN)/python -m doit pdf
	@echo; echo "The book on paper: $(CURDIR)/_build/book.pdf"

serve:
	@$(PYTHON) -m book.make.serve $(PORT) $(HOST)

linkcheck: $(READY)
	@PYTHONPATH=.:src $(BIN)/python -c "from jupyter_book.cli.main import main; main()" build . --builder linkcheck -q

test: $(TESTED)
	@$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist worksteal --doctest-modules --ignore tests/browser -m "not slow and not reference" \
	  tests src book/make/execute.py

test-slow: $(TESTED)
	@$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist worksteal --ignore tests/browser -m "slow or reference"

test-browser: $(TESTED)
	@$(BIN)/python -m pytest -m browser tests/browser -n 2 --dist loadgroup

rehearse: $(TESTED)
	@$(BIN)/python tests/rehearse.py base
	@$(BIN)/python tests/rehearse.py paper
	@$(BIN)/python tests/colab.py

# The notebooks in plain Markdown, which make book offers for download: _build/colab
colab: $(READY)
	@$(BIN)/python -m doit edition

# The branch that the book's Colab buttons open: for a workflow, in a checkout of its own.
colab-branch:
	git symbolic-ref HEAD refs/heads/colab && git read-tree --empty && git --work-tree=_build/colab add --all --force
	git -c user.name=book -c user.email=book@localhost commit --quiet -m "The notebooks as Colab opens them"
	git push --quiet --force origin colab

notebooks-sync: $(TESTED)
	@$(BIN)/python -m book.make.pair

bench: $(TESTED)
	@$(BIN)/python -m benchmarks

bench-full: $(TESTED)
	@$(BIN)/python -m benchmarks --full

sizes: $(TESTED)
	@$(BIN)/python -m benchmarks.lines

lint: $(TESTED)
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/codespell && $(BIN)/mypy && $(BIN)/lint-imports

env: $(READY)

env-test: $(TESTED)

# A Python that already has torch lends it to .venv; a torch that is there, of whatever build, is never replaced.
$(BIN)/python:
	@echo "environment: making $(VENV)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make PYTHON=python3.12 ..."; exit 1; }
	@if $(PYTHON) -c 'from torch import Tensor' 2>/dev/null; then $(PYTHON) -m venv --system-site-packages $(VENV); else $(PYTHON) -m venv $(VENV); fi

$(READY): pyproject.toml constraints.txt | $(BIN)/python
	@if ! $(BIN)/python -c 'from torch import Tensor' 2>/dev/null; then \
	  echo "environment: installing $(TORCH)"; $(BIN)/python -m pip install --quiet $(PIP_ARGS) "$(TORCH)"; fi
	@echo "environment: installing the package and its tools (about two minutes the first time)"
	@extras=book; command -v npm >/dev/null || extras=book,npm; $(BIN)/python -m pip install --quiet -c constraints.txt -e ".[$$extras]"
	@touch $@

$(TESTED): $(READY)
	@echo "environment: installing the tools of the tests"
	@$(BIN)/python -m pip install --quiet -c constraints.txt -e ".[book,test]"
	@touch $@

clean:
	rm -rf _build

# Results take hours of a GPU: clean keeps them, in the store that tse and the book share.
distclean: clean
	@store=$$($(BIN)/python -c 'from tse_core.paths import store_folder; print(store_folder())') && \
	  echo "removing all results of models: $$store" && rm -rf "$$store"
	rm -rf $(VENV)
